//! Rules and figures of the issue simulation, for an SM that was measured.

use crate::figures::figures;
use crate::{ClassId, Known, Source};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Rule by which the instructions of a class issue and get their operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// No pipe: an issue slot alone.
    None,
    Alu,
    /// Whichever half of the FMA pipe is free.
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
    /// The unit for transcendentals and conversions, fed by a queue.
    Xu,
    /// Shared memory, through the memory queue.
    Shared,
    /// Matrix loads from shared memory.
    Matrix,
    /// Shuffles, through shared memory's path.
    Shuffle,
    /// Global, local and generic memory, through the memory queue.
    Global,
    /// Special registers.
    Special,
    /// Loads from a constant bank.
    Constant,
    Uniform,
    Branch,
    Barrier,
    /// A queue whose times are not known.
    #[default]
    Other,
}

/// An upper bound for one instruction without a measured time: a guess, not a time to predict with.
///
/// It shows whether a launch's cycles depend on such instructions at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Cycles until the warp that issued it goes on.
    pub latency: u32,
    /// Cycles for which it keeps a quarter of the SM from the next of its kind.
    pub interval: u32,
    /// It moves bytes of global memory that the simulation does not count: its intervals come on top of all else.
    pub moves: bool,
    pub source: Source,
}

/// The instructions without a measured time.
#[derive(Debug, Clone)]
pub struct Untimed {
    pub(crate) classes: FxHashMap<ClassId, Bound>,
    pub(crate) opcodes: FxHashMap<Box<str>, Bound>,
    /// Any class without a rule that is not among those, and opcodes that no table has.
    pub(crate) other: Bound,
    /// Generic accesses whose address is not known to be one of global memory.
    pub(crate) generic: Bound,
}

macro_rules! sections {
    ($($(#[$doc:meta])* $section:ident: $type:ident { $($field:ident),* $(,)? })*) => {
        figures! { $($(#[$doc])* $type { $($field),* })* }

        /// The figures of one architecture's issue simulation, in cycles unless the name says otherwise. Each is
        /// explained next to its value in `data/<sm>/pipeline.toml`.
        #[derive(Debug, Clone)]
        pub struct Pipeline {
            $($(#[$doc])* pub $section: $type,)*
            /// Indexed by [`ClassId`].
            rules: Box<[Rule]>,
            opcode_rules: FxHashMap<Box<str>, Rule>,
            slots: FxHashMap<Box<str>, Box<str>>,
            untimed: Untimed,
            /// Bytes of shared memory that an SM can set apart, ascending; the rest is its L1 cache.
            pub carveouts: Known<Box<[u32]>>,
        }

        impl Pipeline {
            /// The sections and their figures, by name.
            pub(crate) const NAMES: &'static [(&'static str, &'static [&'static str])] =
                &[$((stringify!($section), $type::NAMES)),*];

            /// Gathers the figures; `Err` names the section and the figure that is lacking.
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

            /// The figure `name` of that section, as `[pipeline.<section>]` has it.
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
    /// Register banks, operand latches and results on their way.
    collector: CollectorFigures { exit, release, forwarded, late, wide_late, blind, unkept }
    alu: AluFigures { interval, scoreboard }
    fma: FmaFigures { interval, wide_interval, wide_exit }
    fp64: Fp64Figures { interval, write, scoreboard }
    /// Matrix products of 16 x 8 x 8.
    tensor_small: SmallTensorFigures { interval, a, b, c, shift, write, fp64 }
    /// Matrix products of 16 x 8 x 16.
    tensor_large: LargeTensorFigures { interval, a, b, c, shift, write, fp64 }
    xu: XuFigures { busy, latency, operand, source, ahead }
    /// The queue of memory instructions and the movement of their operands.
    mio: MioFigures {
        depth, shared_ahead, global_ahead, transfer, data, address, source, load_slot, store_slot, global_store_slot, bare, other_latency,
        other_source,
    }
    barrier: BarrierFigures { interval, meet, from, to, address }
    shared: SharedFigures { wavefront, result }
    global: GlobalFigures { line, result, scattered }
    special: SpecialFigures { latency, source }
    constant: ConstantFigures { latency, source }
    /// The write of results into the register file.
    result: ResultFigures { write }
    /// The L1 cache.
    l1: L1Figures { bytes, kept_bytes, line_bytes, ways, spare, hope }
    /// The path from one SM to the L2 cache, in thousandths of a cycle.
    sm_path: SmPathFigures { request, line, sector, stored_sector, stored_line, combined_lines }
    /// The L2 cache, of the whole chip; rates are of all SMs together.
    l2: L2Figures {
        latency, requests, request_bytes, stored_sectors, stored_lines, atomics, slice_bytes, sector_atomics, contended,
        contended_float, kilobytes, dirty_kilobytes,
    }
    /// DRAM, below the L2 cache.
    dram: DramFigures {
        near, far, late, late_percent, bytes_per_cycle, mixed_bytes_per_cycle, stale_kilobytes, granule_bytes,
        scattered_read_bytes, scattered_write_bytes, wait, full, most_percent, load_cycles, page_lines,
    }
    /// The start of a launch and of its blocks.
    launch: LaunchFigures { base, first, block, warp, turn, between, code_bytes, code_free }
}

impl Pipeline {
    /// Bytes of L1 cache that the driver leaves next to shared memory. A block takes `shared` bytes; `resident` blocks
    /// run at a time by the limits on warps and registers; the driver makes room for `hoped` blocks if it can.
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

    /// Quarters of the SM, each with a scheduler of its own.
    pub fn sub_cores(&self) -> usize {
        // No more than an SM has warps.
        self.issue.sub_cores.value.clamp(1, 64) as usize
    }

    /// Returns the rule of an opcode of that class.
    pub fn rule(&self, mnemonic: &str, class: ClassId) -> Rule {
        if let Some(rule) = self.opcode_rules.get(mnemonic) {
            return *rule;
        }
        self.rules.get(usize::from(class.0)).copied().unwrap_or_default()
    }

    /// The most that an opcode of that class may take; `None` if its time was measured. Without a class it is an opcode
    /// that no table has.
    pub fn untimed(&self, mnemonic: &str, class: Option<ClassId>) -> Option<&Bound> {
        let Untimed { classes, opcodes, other, .. } = &self.untimed;
        if let Some(bound) = opcodes.get(mnemonic) {
            return Some(bound);
        }
        let Some(class) = class else { return Some(other) };
        let bound = classes.get(&class);
        bound.or_else(|| (self.rule(mnemonic, class) == Rule::Other).then_some(other))
    }

    /// The most that a generic access may take where its address is not known to be one of global memory:
    /// it may lead to the shared memory of another SM.
    pub fn untimed_generic(&self) -> &Bound {
        &self.untimed.generic
    }

    /// The operand slots of an opcode's sources in the order of the text, `abc` unless the table says otherwise.
    pub fn slots(&self, mnemonic: &str) -> &str {
        self.slots.get(mnemonic).map_or("abc", |slots| slots)
    }
}
