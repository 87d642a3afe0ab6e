//! Layout of variables in a block's shared memory.

use crate::cuda::source::types::Type;
use rustc_hash::FxHashMap;

/// Instances of variables in shared memory, each with the byte that it starts at.
#[derive(Debug, Default)]
pub(crate) struct SharedLayout {
    end: u64,
    /// Offsets by item, by the position of the variable's name in it, and by the template instance.
    starts: FxHashMap<(u32, u32, u64), u64>,
}

impl SharedLayout {
    /// Offset of a variable in bytes. A new variable is allocated.
    pub(crate) fn start_of(&mut self, variable: (u32, u32, u64), of: &Type) -> u64 {
        // limit: an array in shared memory begins where its widest accesses are aligned.
        const ALIGNMENT: u64 = 16;
        if let Some(start) = self.starts.get(&variable) {
            return *start;
        }
        let start = self.end.next_multiple_of(of.alignment().max(ALIGNMENT));
        self.end = start.saturating_add(of.size().unwrap_or(0));
        self.starts.insert(variable, start);
        start
    }

    /// Bytes of all variables allocated so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Offset of the variable that contains an address.
    pub(crate) fn start_at(&self, address: i64) -> Option<u64> {
        let address = u64::try_from(address).ok()?;
        self.starts.values().copied().filter(|start| *start <= address).max()
    }
}
