//! Rules and figures of the issue simulation for a measured SM.

use crate::figures::figures;
use crate::{ClassId, Known, Source};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Rule by which the instructions of a class issue and read their operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// No pipe. The instruction only uses an issue slot.
    None,
    Alu,
    /// Either half of the FMA pipe.
    Fma,
    /// The first half of the FMA pipe.
    Heavy,
    /// The first half of the FMA pipe, for a 64-bit product.
    Wide,
    /// Both halves of the FMA pipe.
    Both,
    Fp64,
    TensorSmall,
    TensorLarge,
    /// Matrix products of 64-bit floats.
    TensorDouble,
    /// The unit for transcendentals and conversions, fed by a queue.
    Xu,
    /// Reductions over a warp, through the queue of [`Self::Xu`].
    Redux,
    /// Shared memory, through the memory queue.
    Shared,
    /// Matrix loads from shared memory.
    Matrix,
    /// Shuffles, through the shared-memory path.
    Shuffle,
    /// Global, local and generic memory, through the memory queue.
    Global,
    /// Asynchronous copies from global to shared memory, through the memory queue.
    Copy,
    /// Asynchronous matrix products of a warpgroup.
    Product,
    /// Texture fetches and accesses to surfaces, through the memory queue.
    Texture,
    /// Operations on barrier objects in shared memory, through the memory queue.
    Sync,
    /// Commands to the TMA unit.
    Transfer,
    /// Fences: the warp waits until its earlier accesses are ordered.
    Fence,
    /// Closes a group of asynchronous operations, or waits for such a group; takes only an issue slot.
    Group,
    /// Special registers.
    Special,
    /// Loads from a constant bank.
    Constant,
    Uniform,
    Branch,
    Barrier,
    /// Any other instruction, through the memory queue. Its times are unknown.
    #[default]
    Other,
}

/// An upper bound for one instruction without a measured time. It is a guess, and is not used as a predicted
/// time.
///
/// The bound shows whether a launch's cycles depend on such instructions at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Cycles until the issuing warp may continue.
    pub latency: u32,
    /// Cycles until the same sub-core may issue the next instruction of the same kind.
    pub interval: u32,
    /// True if the instruction transfers bytes of global memory that the simulation does not count. Its
    /// intervals are then added to the total.
    pub moves: bool,
    pub source: Source,
}

/// The instructions without a measured time.
#[derive(Debug, Clone)]
pub struct Untimed {
    pub(crate) classes: FxHashMap<ClassId, Bound>,
    pub(crate) opcodes: FxHashMap<Box<str>, Bound>,
    /// Bound for all other classes without a rule, and for unknown opcodes.
    pub(crate) other: Bound,
    /// Bound for generic accesses whose address may be outside global memory.
    pub(crate) generic: Bound,
}

macro_rules! sections {
    ($($(#[$doc:meta])* $section:ident: $type:ident { $($field:ident),* $(,)? })*) => {
        figures! { $($(#[$doc])* $type { $($field),* })* }

        /// The figures of one architecture's issue simulation, in cycles unless the name states another unit.
        /// Each figure is explained next to its value in `data/<sm>/pipeline.toml`.
        #[derive(Debug, Clone)]
        pub struct Pipeline {
            $($(#[$doc])* pub $section: $type,)*
            /// Indexed by [`ClassId`].
            rules: Box<[Rule]>,
            opcode_rules: FxHashMap<Box<str>, Rule>,
            slots: FxHashMap<Box<str>, Box<str>>,
            untimed: Untimed,
            /// Possible sizes of an SM's shared-memory carveout in bytes, in ascending order. The remaining
            /// memory is the L1 cache.
            pub carveouts: Known<Box<[u32]>>,
        }

        impl Pipeline {
            /// The sections and their figures, by name.
            pub(crate) const NAMES: &'static [(&'static str, &'static [&'static str])] =
                &[$((stringify!($section), $type::NAMES)),*];

            /// Looks up all figures. `Err` is the section and the name of a missing figure.
            pub(crate) fn gather(
                figure: impl Fn(&str, &str) -> Option<Known<u32>>,
                rules: Box<[Rule]>,
                opcode_rules: FxHashMap<Box<str>, Rule>,
                slots: FxHashMap<Box<str>, Box<str>>,
                untimed: Untimed,
                carveouts: Known<Box<[u32]>>,
            ) -> Result<Self, (&'static str, &'static str)> {
                let figure = &figure;
                let get = |section: &'static str| {
                    move |name: &'static str| figure(section, name).ok_or((section, name))
                };
                $(let $section = $type::gather(get(stringify!($section)))?;)*
                Ok(Self { $($section,)* rules, opcode_rules, slots, untimed, carveouts })
            }

            /// The figure `name` of `[pipeline.<section>]`.
            pub fn figure(&self, section: &str, name: &str) -> Option<&Known<u32>> {
                $($(if (section, name) == (stringify!($section), stringify!($field)) {
                    return Some(&self.$section.$field);
                })*)*
                None
            }
        }
    };
}

sections! {
    /// The issue of a warp's instructions.
    issue: IssueFigures { sub_cores, yield_stall, scoreboard_visible, taken_branch, next_line, line_bytes }
    /// Register banks, operand latches and results in flight.
    collector: CollectorFigures { exit, release, forwarded, late, wide_late, blind, unkept }
    alu: AluFigures { interval, scoreboard }
    fma: FmaFigures { interval, wide_interval, wide_exit }
    fp64: Fp64Figures { interval, write, scoreboard }
    /// Matrix products of 16 x 8 x 8.
    tensor_small: SmallTensorFigures { interval, a, b, c, shift, write, fp64 }
    /// Matrix products of 16 x 8 x 16.
    tensor_large: LargeTensorFigures { interval, a, b, c, shift, write, fp64 }
    /// Matrix products of 64-bit floats.
    tensor_double: DoubleTensorFigures { interval, latency }
    xu: XuFigures { busy, latency, operand, source, ahead }
    redux: ReduxFigures { latency }
    /// The queue of memory instructions, and the transfer of their operands from the register file.
    mio: MioFigures {
        depth, shared_ahead, global_ahead, transfer, data, address, source, load_slot, store_slot, global_store_slot, bare, other_latency,
        other_source,
    }
    barrier: BarrierFigures { interval, meet, from, to, address }
    shared: SharedFigures { wavefront, result }
    global: GlobalFigures { line, result, scattered }
    copy: CopyFigures { result }
    /// Texture fetches and accesses to surfaces; rates in thousandths of a cycle.
    texture: TextureFigures { latency, flat_latency, lane_milli, flat_lane_milli, sector_milli }
    /// Shared memory of other blocks in the cluster; rates in thousandths of a cycle.
    remote: RemoteFigures { latency, atomic_latency, packet_milli, stored_packet_milli, atomic_sector_milli, atomic_lane_milli, delivery, meet }
    /// Matrix products of warpgroups, in thousandths of a cycle where the name says `milli`.
    product: ProductFigures {
        column_milli, register_a, least, start, result, ahead, issue_column_milli, issue_fixed, issue_least, row_bytes, throttle_milli,
    }
    /// Barrier objects in shared memory.
    sync: SyncFigures { arrive, ready, wake, source }
    /// The engine for bulk and tensor copies.
    engine: EngineFigures { tile, run, descriptor, line_milli, row_milli, tile_source, run_source, window, cluster }
    /// Fences, by scope.
    fence: FenceFigures { block, gpu, view }
    special: SpecialFigures { latency, source }
    constant: ConstantFigures { latency, source }
    /// Write-back of results to the register file.
    result: ResultFigures { write }
    /// The L1 cache.
    l1: L1Figures { bytes, kept_bytes, line_bytes, ways, spare, hope }
    /// The path from one SM to the L2 cache, in thousandths of a cycle.
    sm_path: SmPathFigures { request, line, sector, stored_sector, stored_line, combined_lines }
    /// The L2 cache of the chip; rates are for all SMs together.
    l2: L2Figures {
        latency, atomic_latency, requests, request_bytes, merging_sms, kept_percent, kept_cycles, stored_sectors, stored_lines, atomics, slice_bits,
        sector_atomics, pass_atomics, float_atomics, doubles, kilobytes, dirty_kilobytes,
    }
    /// DRAM, below the L2 cache.
    dram: DramFigures {
        near, far, late, late_percent, bytes_per_cycle, mixed_bytes_per_cycle, stale_kilobytes, granule_bytes,
        scattered_read_bytes, scattered_write_bytes, wait, full, most_percent, load_cycles, page_lines,
    }
    /// Lower error bounds, in thousandths of the predicted cycles: nine of ten measured launches take at most this
    /// much less than predicted. One figure for each limiter or kind of launch.
    below: BelowFigures { dram, l2, starts, shared, cache, arithmetic, latency, asynchronous, contended, assumed }
    /// Upper error bounds, in thousandths of the predicted cycles: nine of ten measured launches take at most this
    /// much more than predicted. One figure for each limiter or kind of launch.
    above: AboveFigures {
        dram, l2, starts, shared, cache, arithmetic, latency, asynchronous, contended, assumed, slow_paths,
    }
    /// Times of the start of a launch and of the start of its blocks.
    launch: LaunchFigures { base, first, block, warp, turn, between, code_bytes, code_free }
}

impl Pipeline {
    /// Bytes of L1 cache that remain once the driver has chosen the shared-memory carveout. A block uses
    /// `shared` bytes of shared memory, the limits on warps and registers allow `resident` blocks at once, and
    /// the driver tries to fit `hoped` blocks.
    pub fn l1_bytes(&self, shared: u32, resident: u32, hoped: u32) -> u32 {
        let most = self.carveouts.value.last().copied().unwrap_or(0);
        let wanted = match resident.saturating_mul(shared) {
            0 => self.l1.spare.value,
            all if all > most => most / shared * shared,
            all => all.max(hoped.saturating_mul(shared).min(self.l1.hope.value)),
        };
        let fits = self.carveouts.value.iter().find(|&&carveout| carveout >= wanted);
        let carveout = fits.copied().unwrap_or(most);
        self.l1.bytes.value.saturating_sub(carveout).saturating_sub(self.l1.kept_bytes.value)
    }

    /// Number of sub-cores of the SM, each with its own scheduler.
    pub fn sub_cores(&self) -> usize {
        // At most one per warp of an SM.
        self.issue.sub_cores.value.clamp(1, 64) as usize
    }

    /// Returns the issue rule of an opcode of this class.
    pub fn rule(&self, mnemonic: &str, class: ClassId) -> Rule {
        if let Some(rule) = self.opcode_rule(mnemonic) {
            return rule;
        }
        self.rules.get(usize::from(class.0)).copied().unwrap_or_default()
    }

    /// Returns the rule listed for an opcode, or for an opcode with its shape (`IMMA.16816`); `None` if the
    /// rule of its class applies.
    pub fn opcode_rule(&self, name: &str) -> Option<Rule> {
        self.opcode_rules.get(name).copied()
    }

    /// Upper bound for an opcode of this class; `None` if its time was measured. `class` is `None` for an
    /// unknown opcode.
    pub fn untimed(&self, mnemonic: &str, class: Option<ClassId>) -> Option<&Bound> {
        let Untimed { classes, opcodes, other, .. } = &self.untimed;
        if let Some(bound) = opcodes.get(mnemonic) {
            return Some(bound);
        }
        let Some(class) = class else { return Some(other) };
        let bound = classes.get(&class);
        bound.or_else(|| (self.rule(mnemonic, class) == Rule::Other).then_some(other))
    }

    /// Upper bound for a generic access whose address is not known to be in global memory. The address may be
    /// in the shared memory of another SM.
    pub fn untimed_generic(&self) -> &Bound {
        &self.untimed.generic
    }

    /// The operand slots of an opcode's sources in text order; `abc` unless the table lists others.
    pub fn slots(&self, mnemonic: &str) -> &str {
        self.slots.get(mnemonic).map_or("abc", |slots| slots)
    }
}
