//! An architecture (a compute capability): its SM, its pipes, and its opcode classes with their times.

use crate::distances::LazyDistances;
use crate::figures::figures;
use crate::units::WARP_SIZE;
use crate::{Class, ClassId, ClassTrait, Distances, Isa, Known, Latency, Pipeline};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// One compute capability.
#[derive(Debug, Clone)]
pub struct Arch {
    /// Major times ten plus minor: 35, 90, 120.
    pub sm: u16,
    /// The vendor's name of the generation: `Hopper GH100`.
    pub name: String,
    /// The opcodes, modifiers and special registers of this architecture.
    pub isa: Arc<Isa>,
    pub resources: SmResources,
    /// Function units of the entire SM, as the ICS'17 paper counts them: SP, DP, SFU, LDST, tensor.
    pub units: Vec<Unit>,
    pub pipes: Vec<Pipe>,
    /// Indexed by [`ClassId`].
    pub classes: Vec<Class>,
    /// Read-after-write latency: cycles from issue of the first class to issue of the second class, if the pipeline
    /// fixes it.
    pub raw: FxHashMap<(ClassId, ClassId), Known<u32>>,
    pub(crate) distances: LazyDistances,
    /// True if latencies count from the end of the writer's dispatch, as in the ICS'17 paper, and not from its issue.
    pub latencies_exclude_dispatch: bool,
    /// Cycles from issue of an instruction that writes a predicate until an instruction guarded by the
    /// predicate may issue.
    pub predicate_guard: Known<u32>,
    pub memory: MemoryTimes,
    pub constant_bank: ConstantBank,
    pub requests: RequestRules,
    pub rates: Rates,
    /// Figures of the issue simulation; `None` if they were not measured on this architecture.
    pub pipeline: Option<Arc<Pipeline>>,
}

/// A pipe of a sub-core, or of the SM if sub-cores share the pipe. The name is NVIDIA's: `FMA`, `ALU`, `LSU`.
#[derive(Debug, Clone)]
pub struct Pipe {
    pub name: String,
    /// One sentence about the instructions that the pipe executes.
    pub summary: String,
}

/// A kind of function unit and its number of lanes per SM: the number of threads whose operations can start in one
/// cycle.
#[derive(Debug, Clone)]
pub struct Unit {
    pub kind: FunctionUnit,
    pub lanes: Known<u32>,
}

/// A kind of function unit, as named in the ICS'17 paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionUnit {
    Sp,
    Dp,
    Sfu,
    Ldst,
    Tensor,
}

impl FunctionUnit {
    pub(crate) const ALL: [Self; 5] = [Self::Sp, Self::Dp, Self::Sfu, Self::Ldst, Self::Tensor];

    /// The names, in the order of [`Self::ALL`].
    pub(crate) const NAMES: [&str; 5] = ["SP", "DP", "SFU", "LDST", "tensor"];

    /// Returns the name as written in data files.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

figures! {
    /// Resources of an SM and their allocation granularity. Sizes are in bytes unless the name states another
    /// unit.
    SmResources with warp_size: u32 = WARP_SIZE; {
        schedulers,
        /// Number of instructions that all schedulers together can issue per cycle.
        dispatch_units,
        /// Number of 32-bit registers in the SM.
        registers,
        /// Maximum number of 32-bit registers per block.
        registers_per_block,
        max_registers_per_thread,
        /// Number of registers per thread that the hardware reserves, in addition to the registers in the code.
        registers_kept_per_thread,
        /// Registers are allocated to a warp in multiples of this number.
        register_unit_per_warp,
        /// Number of partitions of the SM over which warps are distributed. The allocator rounds the number of warps
        /// in a block up to a multiple of this number.
        sub_partitions,
        max_warps,
        max_blocks,
        max_threads,
        max_threads_per_block,
        /// Maximum shared memory of the SM, in bytes.
        shared_per_sm,
        /// Maximum shared memory per block, in bytes, including the opt-in size.
        shared_per_block,
        shared_unit,
        /// Number of bytes of shared memory per block that the driver reserves.
        shared_reserved_per_block,
        shared_banks,
        /// Number of bytes that a bank delivers per cycle.
        shared_bank_width,
        /// Number of named barriers of the SM, if they limit resident blocks; otherwise 0.
        barriers_per_sm,
    }

    /// Latencies of the memory levels, in cycles from issue to use, for a 32-bit coalesced load.
    MemoryTimes {
        shared,
        l1_hit,
        l2_hit,
        dram,
        constant_hit,
    }

    /// Byte offsets of the values that the driver stores in constant bank 0.
    ConstantBank {
        /// Offset of the first kernel parameter. The other parameters follow with the layout of a C struct.
        parameters,
        /// Offset of the block's thread count along x. The counts along y and z follow, one word each.
        block,
        /// Offset of the grid's block count along x. The counts along y and z follow, one word each.
        grid,
        /// Offset of the initial stack pointer.
        stack,
    }

    /// Rules that split a warp's request into shared-memory wavefronts, or into sectors and tag look-ups of global
    /// memory.
    RequestRules {
        /// Size in bytes of a word of shared memory. Successive words are in successive banks. Kepler has a 4-byte
        /// and an 8-byte mode.
        shared_word,
        /// Number of adjacent groups of lanes that one wavefront of a wide shared-memory load may serve together; 1
        /// if groups are never served together.
        shared_load_merge,
        /// Number of wavefronts that a shared-memory compare-and-swap takes for each wavefront of any other atomic
        /// operation.
        shared_compare_passes,
        sector_bytes,
        line_bytes,
        /// Maximum number of bytes that one global-memory request transfers for its lanes. Wider requests are split.
        /// 0 if no request is split.
        global_split_bytes,
        /// Mask of bits in the cache-line number. The parity of these bits is the low bit of the line's tag bank. The
        /// L1 cache has four tag banks.
        tag_bank_low,
        /// Mask of bits in the cache-line number whose parity is the high bit of the tag bank.
        tag_bank_high,
        sectors_per_tag_wavefront,
    }
}

/// Rates that do not belong to a class of instructions. `None` if the chip has no figure, because the figure
/// of another chip would be a guess.
#[derive(Debug, Clone, Default)]
pub struct Rates {
    /// Operations per cycle of an SM's tensor cores for warpgroup matrix products (`wgmma`) of 16-bit floats. A
    /// multiply-add counts as two operations.
    pub group_tensor: Option<Known<u32>>,
    /// Operations per cycle of an SM's tensor cores for warpgroup matrix products of TF32 values.
    pub group_tensor_tf32: Option<Known<u32>>,
    /// Operations per cycle of an SM's tensor cores for warp-level matrix products with 32-bit accumulators, if these
    /// products are slower than those with 16-bit accumulators.
    pub float_sum_tensor: Option<Known<u32>>,
    pub float_sum_tensor_tf32: Option<Known<u32>>,
    /// Bytes per cycle that the L2 cache delivers.
    pub l2_bytes: Option<Known<u32>>,
    /// Maximum number of bytes per cycle that one SM receives from the L2 cache.
    pub l2_bytes_of_sm: Option<Known<u32>>,
}

impl Rates {
    /// The names, as in data files.
    pub(crate) const NAMES: &'static [&'static str] = &[
        "group_tensor",
        "group_tensor_tf32",
        "float_sum_tensor",
        "float_sum_tensor_tf32",
        "l2_bytes",
        "l2_bytes_of_sm",
    ];

    pub(crate) fn gather(figure: impl Fn(&'static str) -> Option<Known<u32>>) -> Self {
        Self {
            group_tensor: figure("group_tensor"),
            group_tensor_tf32: figure("group_tensor_tf32"),
            float_sum_tensor: figure("float_sum_tensor"),
            float_sum_tensor_tf32: figure("float_sum_tensor_tf32"),
            l2_bytes: figure("l2_bytes"),
            l2_bytes_of_sm: figure("l2_bytes_of_sm"),
        }
    }
}

impl SmResources {
    /// Number of named barriers of the SM. They limit resident blocks, because each block uses at least one barrier.
    /// `None` before 9.0.
    pub fn barriers_per_sm(&self) -> Option<&Known<u32>> {
        Some(&self.barriers_per_sm).filter(|barriers| barriers.value > 0)
    }
}

impl Arch {
    /// Returns the class with this index.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// Index of the class with this name: `fma`.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        self.classes.iter().position(|class| class.name == name).map(|at| ClassId(at as u16))
    }

    /// The first class with a trait.
    pub fn class_with(&self, wanted: ClassTrait) -> Option<&Class> {
        self.classes.iter().find(|class| class.has(wanted))
    }

    /// The units of a kind; `None` if the SM has none.
    pub fn unit(&self, kind: FunctionUnit) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.kind == kind)
    }

    /// Smallest observed distances, in cycles, between instructions that access the same register.
    pub fn distances(&self) -> &Distances {
        self.distances.get(&self.classes)
    }

    /// Returns the pipe that executes the opcodes of a class.
    pub fn pipe_of(&self, id: ClassId) -> &Pipe {
        &self.pipes[self.class(id).pipe]
    }

    /// Returns the unit that executes the class in the equations of the ICS'17 paper; `None` if the class uses no
    /// unit.
    pub fn unit_of(&self, id: ClassId) -> Option<&Unit> {
        self.class(id).unit.map(|unit| &self.units[unit])
    }

    /// Cycles from issue of `writer` until `reader` may issue, if the pipeline fixes them.
    ///
    /// `None` for variable latency: a scoreboard orders the pair. If the pair has no figure, returns the
    /// figure for two instructions of the writer's class. Source: `data/<sm>/raw.csv`, then `classes.toml`.
    pub fn raw_latency(&self, writer: ClassId, reader: ClassId) -> Option<&Known<u32>> {
        match &self.class(writer).latency {
            Latency::Variable(_) => None,
            Latency::Fixed(own) => Some(self.raw.get(&(writer, reader)).unwrap_or(own)),
        }
    }
}
