//! A kernel's model. It is reused while the kernel's code, the GPU and the options stay the same.

use crate::engine::constant_reads;
use crate::engine::digits::{CYCLE_DIGITS, LATENCY_DIGITS, digits};
use crate::engine::issue_simulation::{Issues, KnownAddresses};
use crate::engine::measured::used_data::LaunchWithProfile;
use crate::engine::recent::{RecentResults, known_or_new};
use crate::engine::sass_text::SassText;
use crate::engine::target::Target;
use advisor::Finding;
use advisor::codes::Codes;
use dashmap::DashMap;
use machine::{Arch, Isa, Machine};
use model::dataflow::{Definitions, Liveness};
use model::execution::{Code, MinTraffic, SampleLimits, Survey};
use model::launch::ConstantReads;
use model::paper::{CodeTimes, MissRatio, code_times, latency_note};
use model::pipeline::{self, Budget, LoopTime, Prediction, loop_times};
use model::{LatencyNote, Launch, Program, Trips, hazards};
use rustc_hash::FxBuildHasher;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use syntax::sass::Chunk;

/// Facts about a kernel that need no launch, and the most recent results for its launches.
#[derive(Debug)]
pub(crate) struct KernelModel {
    /// The decoded kernel. Its `arch` is the architecture of the GPU, whose latencies apply.
    pub program: Program,
    /// The architecture whose instruction set the code is written in.
    pub isa_arch: Arc<Arch>,
    pub times: CodeTimes,
    /// Decimal digits of the largest latency and of the largest issue cycle, for aligning hints in columns.
    pub latency_digits: usize,
    pub cycle_digits: usize,
    miss_ratio: MissRatio,
    /// Block size: threads along x, y and z. [`ROW`] if no block size is stated.
    block: [u32; 3],
    definitions: OnceLock<Definitions>,
    liveness: OnceLock<Liveness>,
    addresses: OnceLock<KnownAddresses>,
    is_warm: OnceLock<bool>,
    issues: OnceLock<Option<Issues>>,
    loops: OnceLock<Vec<LoopTime>>,
    findings: OnceLock<Box<[Finding]>>,
    /// Result of [`model::launch::pointers`], if the code is for an architecture other than the GPU's.
    pointers: OnceLock<Box<[u32]>>,
    /// Words of constant bank 0 that the code reads.
    constant_reads: OnceLock<Arc<ConstantReads>>,
    pub(super) runnable: RecentResults<(Trips, Arc<Code>)>,
    /// Code prepared for simulation with the execution counts of a profile. Each entry also has the launch that holds
    /// these counts.
    pub(super) counted: RecentResults<(Launch, Arc<Code>)>,
    pub(super) surveys: RecentResults<(Launch, SampleLimits, Arc<Survey>)>,
    /// Bytes of shared memory per block that the code uses in simulation. `None` if unknown.
    pub(super) shared_bytes: RecentResults<(Launch, Option<u32>)>,
    pub(super) traffic: RecentResults<(Launch, MinTraffic)>,
    pub predictions: RecentResults<KnownPrediction>,
    /// Launches with counts from attached profiles.
    pub taken: RecentResults<LaunchWithProfile>,
}

/// A prediction of the `pipeline` model for a launch on a GPU.
#[derive(Debug)]
pub(crate) struct KnownPrediction {
    pub launch: Launch,
    pub part: String,
    pub budget: Budget,
    /// The prediction. `None` if the launch cannot be predicted.
    pub prediction: Option<Arc<Prediction>>,
}

/// A block with only an x dimension. The first warp's thread indices are the same for every such block size.
const ROW: [u32; 3] = [u32::MAX, 1, 1];

impl KernelModel {
    /// Returns the instruction set of the code's architecture. [`model::Inst::opcode`] is an index into this
    /// instruction set.
    pub(crate) fn isa(&self) -> &Arc<Isa> {
        &self.isa_arch.isa
    }

    /// Returns the byte offsets in constant bank 0 of the words that the code uses as pointers.
    pub(crate) fn pointers(&self, chunk: &Chunk) -> &[u32] {
        if Arc::ptr_eq(&self.program.arch, &self.isa_arch) {
            return &self.known_addresses(chunk).pointers;
        }
        self.pointers.get_or_init(|| constant_reads::pointers(chunk, &self.program, &self.isa_arch))
    }

    /// Returns the words of constant bank 0 that the code reads.
    pub(crate) fn constant_reads(&self, chunk: &Chunk) -> &Arc<ConstantReads> {
        let find = || Arc::new(constant_reads::constant_reads(chunk, &self.program, &self.isa_arch));
        self.constant_reads.get_or_init(find)
    }

    /// Returns the reaching definitions of all register uses.
    pub(crate) fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::compute(&self.program, self.isa()))
    }

    pub(crate) fn liveness(&self) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::compute(&self.program, self.isa()))
    }

    /// Returns the kernel prepared for the issue simulation. `None` if the GPU has no pipeline data, if the
    /// code is for another architecture, or if an instruction has no control code.
    pub(crate) fn code(&self, chunk: &Chunk) -> Option<pipeline::Code> {
        let arch = &self.program.arch;
        // Control codes of another architecture determine no cycles on this GPU.
        if self.isa_arch.sm != arch.sm || arch.pipeline.is_none() {
            return None;
        }
        let addresses = self.known_addresses(chunk);
        pipeline::Code::new(chunk, &self.program, |inst| addresses.requests(inst as u32))
    }

    /// Returns the trip count of the loop with this back branch. `None` if the code does not determine the
    /// count.
    pub(crate) fn trips(&self, chunk: &Chunk, branch: u32) -> Option<u32> {
        self.known_addresses(chunk).trips(branch)
    }

    fn known_addresses(&self, chunk: &Chunk) -> &KnownAddresses {
        self.addresses.get_or_init(|| KnownAddresses::new(chunk, &self.program, self.block))
    }

    /// Returns the block size for timing memory accesses of single instructions: threads along x, y and z.
    pub(crate) const fn block(&self) -> [u32; 3] {
        self.block
    }

    /// True if [`Self::issues`] was computed, even if the model does not apply.
    pub(crate) fn is_simulated(&self) -> bool {
        self.issues.get().is_some()
    }

    /// Returns the issue cycles that the `pipeline` model predicts for the kernel's instructions. `None` if the model
    /// does not apply.
    pub(crate) fn issues(&self, chunk: &Chunk) -> Option<&Issues> {
        self.issues.get_or_init(|| Some(Issues::new(&self.code(chunk)?, &self.program))).as_ref()
    }

    /// Returns the cycles that the `pipeline` model predicts for the kernel's innermost loops, in text order. Empty
    /// if the model does not apply.
    pub(crate) fn loops(&self, chunk: &Chunk) -> &[LoopTime] {
        let find = || self.code(chunk).map(|code| loop_times(&code, &self.program)).unwrap_or_default();
        self.loops.get_or_init(find)
    }

    /// Returns the findings of all rules that need only the code, in text order. Includes rules that are
    /// switched off.
    pub(crate) fn code_findings(&self, chunk: &Chunk) -> &[Finding] {
        self.findings.get_or_init(|| {
            // Required distances are those of the code's own architecture, not of the GPU whose latencies
            // apply.
            constant_reads::with_isa(chunk, &self.program, &self.isa_arch, |program| {
                advisor::check_codes(&Codes::new(chunk, program, &hazards::check(program))).into_boxed_slice()
            })
        })
    }

    /// Returns the latency of an instruction with its source, for the miss ratio in the settings. `None` if the
    /// instruction has no result.
    pub(crate) fn latency_note(&self, inst: usize) -> Option<LatencyNote> {
        latency_note(&self.program, inst, self.miss_ratio)
    }

    /// Returns [`Self::latency_note`] for warm caches: every load from global memory hits L1.
    pub(crate) fn warm_latency_note(&self, inst: usize) -> Option<LatencyNote> {
        latency_note(&self.program, inst, MissRatio::new(0.0))
    }

    /// True if displayed latencies assume warm caches, see [`assumes_warm_caches`].
    pub(crate) fn assumes_warm_caches(&self, chunk: &Chunk) -> bool {
        *self.is_warm.get_or_init(|| assumes_warm_caches(chunk, &self.isa_arch, &self.program.arch))
    }
}

/// True if the latencies shown for a kernel's instructions assume warm caches, like the issue simulation.
/// Requires a GPU with pipeline data and code with control codes for its architecture. A single instruction
/// without a control code, for example while it is typed, does not change the result.
pub(crate) fn assumes_warm_caches(chunk: &Chunk, isa_arch: &Arch, arch: &Arch) -> bool {
    let has_codes = || chunk.instructions().iter().any(|inst| inst.control.is_some());
    isa_arch.sm == arch.sm && arch.pipeline.is_some() && has_codes()
}

/// A kernel whose model is requested, and all inputs of the model.
pub(crate) struct ModelInputs<'a> {
    pub machine: &'a Machine,
    pub text: &'a SassText,
    pub chunk: &'a Chunk,
    pub target: &'a Target,
    pub miss_ratio: f64,
    /// Block size: threads along x, y and z. `None` if no launch states the block size, or if the model does
    /// not depend on it.
    pub block: Option<[u32; 3]>,
}

/// Key of a model in the memo: all inputs of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    /// Hash of the kernel's text, dialect and architecture.
    text: u64,
    isa_sm: u16,
    arch_sm: u16,
    /// Hash of the GPU's id. GPUs of the same architecture have different latencies.
    part: u64,
    /// Bit pattern of the miss ratio.
    miss_ratio: u64,
    block: Option<[u32; 3]>,
}

impl ModelInputs<'_> {
    fn key(&self) -> Key {
        Key {
            text: self.chunk.hash(),
            isa_sm: self.target.isa_sm,
            arch_sm: self.target.gpu.arch.sm,
            part: FxBuildHasher.hash_one(&*self.target.gpu.part.id),
            miss_ratio: self.miss_ratio.to_bits(),
            block: self.block,
        }
    }

    fn compute(&self) -> KernelModel {
        let isa_arch = self.machine.gpu_for_sm(self.target.isa_sm).arch;
        let miss_ratio = MissRatio::new(self.miss_ratio);
        let known = self.text.program(self.chunk).filter(|program| program.arch.sm == isa_arch.sm);
        let decode = || Program::decode(self.chunk, &isa_arch);
        let mut program = known.map_or_else(decode, |program| (**program).clone());
        // Opcode classes are the same on all architectures, so the latencies of another architecture fit the
        // decoded program.
        program.arch = Arc::clone(&self.target.gpu.arch);
        let times = code_times(&program, miss_ratio);
        KernelModel {
            program,
            isa_arch,
            latency_digits: digits(
                times.instructions.iter().filter_map(|inst| inst.latency).max(),
                LATENCY_DIGITS,
            ),
            cycle_digits: digits(times.instructions.iter().map(|inst| inst.issue_cycle).max(), CYCLE_DIGITS),
            times,
            miss_ratio,
            block: self.block.unwrap_or(ROW),
            definitions: OnceLock::new(),
            liveness: OnceLock::new(),
            addresses: OnceLock::new(),
            is_warm: OnceLock::new(),
            issues: OnceLock::new(),
            loops: OnceLock::new(),
            findings: OnceLock::new(),
            pointers: OnceLock::new(),
            constant_reads: OnceLock::new(),
            runnable: RecentResults::default(),
            counted: RecentResults::default(),
            surveys: RecentResults::default(),
            shared_bytes: RecentResults::default(),
            traffic: RecentResults::default(),
            predictions: RecentResults::default(),
            taken: RecentResults::default(),
        }
    }
}

/// Kernel models, shared by all documents and snapshots.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    models: DashMap<Key, Arc<KernelModel>, FxBuildHasher>,
    computed: AtomicU64,
}

impl Memo {
    /// Returns the kernel's model from the memo, or computes and memoizes it.
    pub(crate) fn model(&self, wanted: &ModelInputs<'_>) -> Arc<KernelModel> {
        known_or_new(&self.models, wanted.key(), || self.compute(wanted))
    }

    /// Returns the kernel's memoized model. `None` if the memo lacks the model. Computes nothing.
    pub(crate) fn known(&self, wanted: &ModelInputs<'_>) -> Option<Arc<KernelModel>> {
        self.models.get(&wanted.key()).map(|model| Arc::clone(&model))
    }

    /// Removes the kernel's model from the memo and returns it, or computes the model without memoizing it.
    pub(crate) fn take(&self, wanted: &ModelInputs<'_>) -> Arc<KernelModel> {
        let known = self.models.remove(&wanted.key());
        known.map_or_else(|| self.compute(wanted), |(_, model)| model)
    }

    fn compute(&self, wanted: &ModelInputs<'_>) -> Arc<KernelModel> {
        self.computed.fetch_add(1, Ordering::Relaxed);
        Arc::new(wanted.compute())
    }

    /// Returns the number of models computed so far.
    pub(crate) fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Drops the models of kernels that are in no document, once the memo has more than twice as many models
    /// as there are kernels.
    pub(crate) fn forget_unused<'a>(&self, kernels: usize, chunks: impl Iterator<Item = &'a Arc<Chunk>>) {
        if self.models.len() > 2 * kernels + 64 {
            let used: HashSet<u64, FxBuildHasher> = chunks.map(|chunk| chunk.hash()).collect();
            self.models.retain(|key, _| used.contains(&key.text));
        }
    }
}
