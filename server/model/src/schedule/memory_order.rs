//! Memory accesses of a section that must keep their order.

use super::register_accesses::RegisterAccesses;
use super::text::Text;
use crate::{Memory, MemorySpace, Program, Register, RegisterFile};
use rustc_hash::FxHashMap;
use syntax::sass::TokenKind;

/// Accesses that may pass each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reordering {
    /// Loads pass loads. No other access passes an access to the same space, because other lanes may access the same
    /// words.
    Loads,
    /// Loads also pass stores to other bytes of the same thread: those with the same base register and value, and another
    /// offset. Loads with a cache operator, which SASS shows as `.STRONG.SM`, pass other loads.
    ///
    /// Source: the order in which ptxas 13.0 writes the accesses of 180 generated programs for `sm_90`.
    PassStores,
}

/// Number of groups of memory spaces that share no words: shared, local, and all spaces that a global address
/// reaches.
const SPACES: usize = 3; // limit: one for each kind

/// Base register of an address, with the instruction that wrote it; bytes from there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bytes {
    base: Option<Register>,
    /// Last instruction of the block that wrote the base register; `None` if it was written before the block.
    written: Option<u32>,
    start: i64,
    end: i64,
}

#[derive(Debug, Clone)]
struct Access {
    inst: u32,
    /// True if the order of the access and a load matters.
    changes: bool,
    spaces: [bool; SPACES],
    /// `None` if the address has another form than a register with an offset.
    bytes: Option<Bytes>,
}

/// The accesses of a section so far.
#[derive(Debug)]
pub(super) struct MemoryOrder {
    reordering: Reordering,
    accesses: Vec<Access>,
}

impl MemoryOrder {
    pub(super) fn new(reordering: Reordering) -> Self {
        Self { reordering, accesses: Vec::new() }
    }

    /// Adds an access and returns the earlier accesses that it must not pass. `writers` has the last writers of each
    /// register.
    pub(super) fn add(
        &mut self,
        (program, text): (&Program, Text),
        touches: &RegisterAccesses,
        writers: &FxHashMap<u32, Vec<u32>>,
        inst: u32,
    ) -> Vec<u32> {
        let Some(memory) = program.instructions[inst as usize].memory else { return Vec::new() };
        let is_strong = is_strong(program, text, inst, self.reordering);
        let bytes = (self.reordering == Reordering::PassStores && !is_strong)
            .then(|| bytes(memory, text, touches, writers, inst))
            .flatten();
        let changes = memory.stores || !memory.loads || is_strong;
        let own = Access { inst, changes, spaces: spaces(memory), bytes };
        let earlier =
            self.accesses.iter().filter(|other| other.holds(&own)).map(|other| other.inst).collect();
        if self.reordering == Reordering::Loads && changes {
            // Later accesses to these spaces follow this one, and so the earlier ones.
            for other in &mut self.accesses {
                for (space, _) in own.spaces.iter().enumerate().filter(|(_, touched)| **touched) {
                    other.spaces[space] = false;
                }
            }
            self.accesses.retain(|other| other.spaces.contains(&true));
        }
        self.accesses.push(own);
        earlier
    }
}

impl Access {
    /// True if a later access must not pass this access.
    fn holds(&self, later: &Self) -> bool {
        let shares_space = self.spaces.iter().zip(later.spaces).any(|(&one, other)| one && other);
        if !later.changes {
            return shares_space && self.changes && !self.is_separate(later);
        }
        shares_space
    }

    /// True if a thread accesses other bytes with each of the two accesses.
    fn is_separate(&self, other: &Self) -> bool {
        let (Some(one), Some(other)) = (&self.bytes, &other.bytes) else { return false };
        (one.base, one.written) == (other.base, other.written)
            && (one.end <= other.start || other.end <= one.start)
    }
}

/// Returns the groups of memory spaces that an access may touch.
fn spaces(memory: Memory) -> [bool; SPACES] {
    match memory.space {
        MemorySpace::Shared => [true, false, false],
        MemorySpace::Local => [false, true, false],
        MemorySpace::Constant | MemorySpace::Tensor => [false; SPACES],
        MemorySpace::Global | MemorySpace::Surface | MemorySpace::Texture => [false, false, true],
        MemorySpace::Generic => [true; SPACES],
    }
}

/// True for a load whose order other threads may rely on, or that does more than load.
fn is_strong(program: &Program, text: Text, inst: u32, reordering: Reordering) -> bool {
    let is_strong = text.has_modifier(inst, "STRONG")
        && (reordering == Reordering::Loads || !text.has_modifier(inst, "SM"));
    is_strong
        || text.has_modifier(inst, "MMIO")
        || text.has_modifier(inst, "LOCK")
        || matches!(super::flow::mnemonic(program, inst), "LDGSTS" | "LDSLK" | "CCTL" | "ARRIVES")
}

/// Returns the bytes that a lane accesses, if the address is a register with an offset.
fn bytes(
    memory: Memory,
    text: Text,
    touches: &RegisterAccesses,
    writers: &FxHashMap<u32, Vec<u32>>,
    inst: u32,
) -> Option<Bytes> {
    let tokens: Vec<_> = text.tokens(inst).collect();
    // The first bracket of `desc[UR4][R2.64]` holds no part of the address.
    let open = tokens.iter().rposition(|(token, _)| token.is_punct(b'['))?;
    let close = tokens.iter().rposition(|(token, _)| token.is_punct(b']'))?;
    let (mut base, mut start, mut is_negative) = (None, 0, false);
    for (token, _) in tokens.get(open + 1..close)? {
        match token.kind {
            TokenKind::Register | TokenKind::UniformRegister if token.is_zero_register() => {}
            TokenKind::Register | TokenKind::UniformRegister if base.is_none() => {
                base = Some(Register::named_by(token)?);
            }
            TokenKind::Integer => start = i64::from(token.value) * if is_negative { -1 } else { 1 },
            TokenKind::Punct => is_negative = token.is_punct(b'-'),
            TokenKind::Modifier => {}
            _ => return None,
        }
    }
    let written = match base {
        Some(base) => {
            debug_assert!(matches!(base.file, RegisterFile::General | RegisterFile::Uniform));
            let read =
                touches.reads(inst).iter().find(|&&read| touches.registers()[read as usize] == base)?;
            writers.get(read).and_then(|writers| writers.last().copied())
        }
        None => None,
    };
    Some(Bytes { base, written, start, end: start + i64::from(memory.bytes_per_lane) })
}
