//! Opcode classes: opcodes that a scheduler treats in the same way.

use crate::Known;
use serde::Deserialize;

/// An index into [`crate::Arch::classes`]; every architecture has the same classes in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ClassId(pub u16);

/// Name of an in-order queue, as in data files. Instructions of classes with the same queue leave it in issue order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InOrder([u8; 8]);

impl InOrder {
    /// `None` for a name of more than 8 bytes.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut bytes = [0; 8];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self(bytes))
    }
}

/// Trait of a class that determines how the models treat its opcodes, apart from their times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassTrait {
    /// They order accesses to memory.
    Fence,
    /// They wait for everything that the warp has in flight.
    Drains,
    /// They prefetch, invalidate or write back cache lines.
    CacheControl,
    /// They work on barrier objects in shared memory.
    MemoryBarrier,
    /// An asynchronous copy unit executes them.
    BulkCopy,
    /// Diverged lanes reconverge there.
    Convergence,
    /// They load without writing a register.
    Copies,
    /// Neither scoreboards nor stall counts order them.
    Unordered,
    /// No instruction may be moved across them.
    Immovable,
    /// Its latency is the time until the sources of memory instructions are read.
    GlobalStore,
    /// Its pipe is that of the uniform datapath.
    Uniform,
    /// The paper's equations count it as single-precision arithmetic.
    SinglePrecision,
}

/// Opcodes that a scheduler treats in the same way.
#[derive(Debug, Clone)]
pub struct Class {
    /// `alu`, `fma`, `lds`.
    pub name: String,
    pub(crate) traits: Box<[ClassTrait]>,
    /// One sentence about the effect of its opcodes.
    pub summary: String,
    /// Index into [`crate::Arch::pipes`].
    pub pipe: usize,
    /// Index into [`crate::Arch::units`] of the unit that the paper's equations count for this class; `None` if it uses
    /// none.
    pub unit: Option<usize>,
    /// Queue in which its opcodes wait for their registers to be read; `None` if those are read at a fixed time.
    pub queue: Option<InOrder>,
    /// Queue in which its results return; `None` if they return at a fixed time, or in any order.
    pub returns: Option<InOrder>,
    /// Cycles for which one warp's instruction occupies its sub-core's pipe.
    pub issue_cycles: Known<u32>,
    pub latency: Latency,
}

/// Cycles from issue until a dependent instruction may issue.
#[derive(Debug, Clone)]
pub enum Latency {
    /// Fixed by the pipeline. The number is for a reader of the same class; [`crate::Arch::raw_latency`] has all pairs.
    Fixed(Known<u32>),
    /// A scoreboard orders the pair; the number is typical (an L1 hit, no conflict, 32 bits per lane). For a store it
    /// is the time until its source registers may be overwritten.
    Variable(Known<u32>),
}

impl Class {
    /// True if the class has this trait.
    pub fn has(&self, wanted: ClassTrait) -> bool {
        self.traits.contains(&wanted)
    }
}

impl Latency {
    /// Returns the cycles of the latency, fixed or typical.
    pub fn cycles(&self) -> &Known<u32> {
        match self {
            Self::Fixed(cycles) | Self::Variable(cycles) => cycles,
        }
    }

    /// True if stall counts must cover the latency; false if a scoreboard must.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed(_))
    }
}
