//! Layout of variables in a block's shared memory.

use crate::cuda::source::types::Type;
use rustc_hash::FxHashMap;

/// Instances of variables in shared memory, each with its start offset in bytes.
#[derive(Debug, Default)]
pub(crate) struct SharedLayout {
    end: u64,
    /// Offsets in bytes by item index, position of the variable's name in the item, and template instance.
    starts: FxHashMap<(u32, u32, u64), u64>,
}

impl SharedLayout {
    /// Returns the byte offset of a variable. A variable without an offset is placed after all other variables.
    pub(crate) fn start_of(&mut self, variable: (u32, u32, u64), of: &Type) -> u64 {
        // limit: an array in shared memory is aligned for the widest access.
        const ALIGNMENT: u64 = 16;
        if let Some(start) = self.starts.get(&variable) {
            return *start;
        }
        let start = self.end.next_multiple_of(of.alignment().max(ALIGNMENT));
        self.end = start.saturating_add(of.size().unwrap_or(0));
        self.starts.insert(variable, start);
        start
    }

    /// Returns the total bytes of all variables allocated so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Returns the offset of the variable that contains an address; `None` for an address before all
    /// variables.
    pub(crate) fn start_at(&self, address: i64) -> Option<u64> {
        let address = u64::try_from(address).ok()?;
        self.starts.values().copied().filter(|start| *start <= address).max()
    }
}
