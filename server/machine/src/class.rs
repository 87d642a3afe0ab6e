//! Opcode classes: opcodes that a scheduler treats in the same way.

use crate::Known;
use serde::Deserialize;

/// An index into [`crate::Arch::classes`]. Every architecture has the same classes in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ClassId(pub u16);

/// Name of an in-order queue, as in data files. Instructions of classes with the same queue leave it in issue order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InOrder([u8; 8]);

impl InOrder {
    /// Returns the queue with this name; `None` for a name of more than 8 bytes.
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
    /// The opcodes order memory accesses.
    Fence,
    /// The opcodes wait for all operations that the warp has in flight.
    Drains,
    /// The opcodes prefetch, invalidate or write back cache lines.
    CacheControl,
    /// The opcodes operate on barrier objects in shared memory.
    MemoryBarrier,
    /// An asynchronous copy unit executes the opcodes.
    BulkCopy,
    /// Diverged lanes reconverge at the opcodes.
    Convergence,
    /// The opcodes load without writing a register.
    Copies,
    /// Neither scoreboards nor stall counts order the opcodes.
    Unordered,
    /// No instruction may be moved across the opcodes.
    Immovable,
    /// The latency of the class is the time until a memory instruction has read its source registers.
    GlobalStore,
    /// The pipe of the class is the pipe of the uniform datapath.
    Uniform,
    /// The equations of the ICS'17 paper count the class as single-precision arithmetic.
    SinglePrecision,
}

/// Opcodes that a scheduler treats in the same way.
#[derive(Debug, Clone)]
pub struct Class {
    /// Name of the class: `alu`, `fma`, `lds`.
    pub name: String,
    pub(crate) traits: Box<[ClassTrait]>,
    /// One sentence about the effect of the opcodes.
    pub summary: String,
    /// Index into [`crate::Arch::pipes`].
    pub pipe: usize,
    /// Index into [`crate::Arch::units`] of the unit that executes this class in the equations of the ICS'17 paper;
    /// `None` if the class uses no unit.
    pub unit: Option<usize>,
    /// Queue in which the opcodes wait until their registers are read; `None` if registers are read at a
    /// fixed time.
    pub queue: Option<InOrder>,
    /// Queue in which results return; `None` if results return at a fixed time, or in any order.
    pub returns: Option<InOrder>,
    /// Number of cycles for which one warp's instruction occupies its sub-core's pipe.
    pub issue_cycles: Known<u32>,
    pub latency: Latency,
}

/// Cycles from issue until a dependent instruction may issue.
#[derive(Debug, Clone)]
pub enum Latency {
    /// Fixed by the pipeline. The number is for a reader of the same class. [`crate::Arch::raw_latency`]
    /// covers all pairs.
    Fixed(Known<u32>),
    /// A scoreboard orders the pair. The number is typical: an L1 hit, no conflict, 32 bits per lane. For a
    /// store, the number is the time until its source registers may be overwritten.
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
