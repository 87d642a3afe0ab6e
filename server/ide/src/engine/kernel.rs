//! A kernel's model, computed once for as long as its text, its GPU and the options stay the same.

use crate::engine::constant_reads;
use crate::engine::hazards::HazardMemo;
use crate::engine::issue_simulation::{Issues, KnownAddresses, PipelineMemo};
use crate::engine::known_predictions::KnownPredictions;
use crate::engine::sass_text::SassText;
use crate::engine::survey::SurveyMemo;
use crate::engine::target::Target;
use advisor::Finding;
use dashmap::DashMap;
use machine::{Arch, Gpu, Isa, Machine};
use model::dataflow::{Definitions, Liveness};
use model::execution::{self, Survey};
use model::launch::ConstantReads;
use model::paper::{CodeTimes, MissRatio, code_times, latency_note};
use model::pipeline::{self, LoopTime};
use model::{LatencyNote, Launch, Program, Trips};
use rustc_hash::FxBuildHasher;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use syntax::sass::Chunk;

/// Facts about a kernel that need no launch.
#[derive(Debug)]
pub(crate) struct KernelModel {
    /// Its `arch` is the GPU's, which times it.
    pub program: Program,
    /// The opcodes of the architecture that the text is for; [`model::Inst::opcode`] indexes it.
    pub isa: Arc<Isa>,
    pub times: CodeTimes,
    /// Decimal digits of the largest latency and issue cycle, so that hints stand in columns.
    pub latency_digits: usize,
    pub cycle_digits: usize,
    miss_ratio: MissRatio,
    definitions: OnceLock<Definitions>,
    liveness: OnceLock<Liveness>,
    pipeline: PipelineMemo,
    surveys: SurveyMemo,
    pub predictions: KnownPredictions,
    hazards: HazardMemo,
    /// See [`model::launch::pointers`]; of text for another architecture than the GPU's.
    pointers: OnceLock<Box<[u32]>>,
    /// See [`ConstantReads`].
    constant_reads: OnceLock<Arc<ConstantReads>>,
}

impl KernelModel {
    fn new(
        mut program: Program,
        isa_arch: &Arc<Arch>,
        gpu: &Gpu,
        miss_ratio: MissRatio,
        block: Option<[u32; 3]>,
    ) -> Self {
        let isa = Arc::clone(&isa_arch.isa);
        // Another architecture's control codes say nothing of cycles on this GPU.
        let pipeline = PipelineMemo::new(isa_arch.sm == gpu.arch.sm, block);
        // Classes are the same on every architecture, so another one's times fit the decoded program.
        program.arch = Arc::clone(&gpu.arch);
        let times = code_times(&program, miss_ratio);
        let digits = |largest: Option<u32>| largest.unwrap_or(0).max(1).ilog10() as usize + 1;
        let latency_digits = digits(times.instructions.iter().filter_map(|inst| inst.latency).max());
        let cycle_digits = digits(times.instructions.iter().map(|inst| inst.issue_cycle).max());
        Self {
            program,
            isa,
            times,
            latency_digits,
            cycle_digits,
            miss_ratio,
            definitions: OnceLock::new(),
            liveness: OnceLock::new(),
            pipeline,
            surveys: SurveyMemo::new(isa_arch),
            predictions: KnownPredictions::default(),
            hazards: HazardMemo::new(isa_arch),
            pointers: OnceLock::new(),
            constant_reads: OnceLock::new(),
        }
    }

    /// Byte offsets in constant bank 0 of what the code uses as a pointer. `isa_arch` is the architecture of the text.
    pub(crate) fn pointers(&self, chunk: &Chunk, isa_arch: &Arc<Arch>) -> Box<[u32]> {
        if Arc::ptr_eq(&self.program.arch, isa_arch) {
            return self.known_addresses(chunk).pointers.clone();
        }
        self.pointers.get_or_init(|| constant_reads::pointers(chunk, &self.program, isa_arch)).clone()
    }

    /// The words of constant bank 0 that the code reads. `isa_arch` is the architecture of the text.
    pub(crate) fn constant_reads(&self, chunk: &Chunk, isa_arch: &Arc<Arch>) -> Arc<ConstantReads> {
        let find = || Arc::new(constant_reads::constant_reads(chunk, &self.program, isa_arch));
        Arc::clone(self.constant_reads.get_or_init(find))
    }

    /// Returns the use-def chains.
    pub(crate) fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::compute(&self.program, &self.isa))
    }

    pub(crate) fn liveness(&self) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::compute(&self.program, &self.isa))
    }

    /// Returns the kernel made ready for the simulation of its issue. `None` where the GPU is not calibrated, the text is
    /// for another architecture than the GPU's, or an instruction has no control code.
    pub(crate) fn code(&self, chunk: &Chunk) -> Option<pipeline::Code> {
        self.pipeline.code(chunk, &self.program)
    }

    /// Returns the trips of the loop that a branch ends, where the code says it.
    pub(crate) fn trips(&self, chunk: &Chunk, branch: u32) -> Option<u32> {
        self.pipeline.trips(chunk, &self.program, branch)
    }

    fn known_addresses(&self, chunk: &Chunk) -> &KnownAddresses {
        self.pipeline.known_addresses(chunk, &self.program)
    }

    /// Whether issue cycles are computed, as far as the model applies.
    pub(crate) fn is_simulated(&self) -> bool {
        self.pipeline.is_simulated()
    }

    /// Returns the issue of the kernel's instructions by the `pipeline` model; `None` where that does not apply.
    pub(crate) fn issues(&self, chunk: &Chunk) -> Option<&Issues> {
        self.pipeline.issues(chunk, &self.program)
    }

    /// Returns the times of the kernel's innermost loops by the same model, in text order; none where it does not apply.
    pub(crate) fn loops(&self, chunk: &Chunk) -> &[LoopTime] {
        self.pipeline.loops(chunk, &self.program)
    }

    /// Returns the kernel made ready to be run.
    pub(crate) fn runnable(&self, chunk: &Chunk, trips: &Trips) -> Arc<execution::Code> {
        self.surveys.runnable(chunk, &self.program, trips)
    }

    /// Surveys a sample of the launch's warps.
    pub(crate) fn survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.surveys.survey(chunk, &self.program, launch)
    }

    /// Surveys a larger sample.
    pub(crate) fn full_survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.surveys.full_survey(chunk, &self.program, launch)
    }

    /// Surveys as much of the launch as a guess is worth.
    pub(crate) fn guessed_survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.surveys.guessed_survey(chunk, &self.program, launch)
    }

    /// Returns the bytes of shared memory that a block of the launch is seen to use, for where nobody states them.
    pub(crate) fn shared_bytes(&self, chunk: &Chunk, launch: &Launch) -> Option<u32> {
        self.surveys.shared_bytes(chunk, &self.program, launch)
    }

    /// Returns the findings of all rules that look at nothing but the text, whether they are on or off; in text order.
    pub(crate) fn code_findings(&self, chunk: &Chunk) -> &[Finding] {
        self.hazards.findings(chunk, &self.program)
    }

    /// The latency of an instruction with its source; `None` for what has no result.
    pub(crate) fn latency_note(&self, inst: usize) -> Option<LatencyNote> {
        latency_note(&self.program, inst, self.miss_ratio)
    }
}

/// Options of a model beside the kernel and the GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Options {
    pub miss_ratio: f64,
    /// Threads of a block along x, y and z, where a launch states them and a model asks for them.
    pub block: Option<[u32; 3]>,
}

/// Key of a model: all that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    /// Hash of the kernel's text, dialect and architecture.
    text: u64,
    isa_sm: u16,
    arch_sm: u16,
    /// A hash of the part's id: parts of one architecture have figures of their own.
    part: u64,
    /// The miss ratio's bits.
    miss_ratio: u64,
    block: Option<[u32; 3]>,
}

impl Key {
    fn of(chunk: &Chunk, target: &Target, options: Options) -> Self {
        Self {
            text: chunk.hash(),
            isa_sm: target.isa_sm,
            arch_sm: target.gpu.arch.sm,
            part: FxBuildHasher.hash_one(&*target.gpu.part.id),
            miss_ratio: options.miss_ratio.to_bits(),
            block: options.block,
        }
    }
}

/// Models of kernels, shared by all documents and snapshots.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    models: DashMap<Key, Arc<KernelModel>, FxBuildHasher>,
    computed: AtomicU64,
}

impl Memo {
    /// The model of a kernel, computed now if nobody did before.
    pub(crate) fn model(
        &self,
        machine: &Machine,
        text: &SassText,
        chunk: &Chunk,
        target: &Target,
        options: Options,
    ) -> Arc<KernelModel> {
        let key = Key::of(chunk, target, options);
        // The guard is dropped within the statement: nothing is computed while a shard is locked.
        let known = self.models.get(&key).map(|model| Arc::clone(&model));
        known.unwrap_or_else(|| {
            let model = self.compute(machine, text, chunk, target, options);
            // Where another thread was first, its model stays: others have begun to add to it.
            Arc::clone(&self.models.entry(key).or_insert(model))
        })
    }

    /// The model of a kernel, where it is computed already.
    pub(crate) fn known(&self, chunk: &Chunk, target: &Target, options: Options) -> Option<Arc<KernelModel>> {
        self.models.get(&Key::of(chunk, target, options)).map(|model| Arc::clone(&model))
    }

    /// The model of a kernel, known or computed, which is not kept for the next who asks.
    pub(crate) fn take(
        &self,
        machine: &Machine,
        text: &SassText,
        chunk: &Chunk,
        target: &Target,
        options: Options,
    ) -> Arc<KernelModel> {
        let known = self.models.remove(&Key::of(chunk, target, options));
        known.map_or_else(|| self.compute(machine, text, chunk, target, options), |(_, model)| model)
    }

    fn compute(
        &self,
        machine: &Machine,
        text: &SassText,
        chunk: &Chunk,
        target: &Target,
        options: Options,
    ) -> Arc<KernelModel> {
        self.computed.fetch_add(1, Ordering::Relaxed);
        let isa_arch = machine.gpu_for_sm(target.isa_sm).arch;
        let miss_ratio = MissRatio::new(options.miss_ratio);
        let known = text.program(chunk).filter(|program| program.arch.sm == isa_arch.sm);
        let program = known.map_or_else(|| Program::decode(chunk, &isa_arch), |program| (**program).clone());
        Arc::new(KernelModel::new(program, &isa_arch, &target.gpu, miss_ratio, options.block))
    }

    /// Models computed so far.
    pub(crate) fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Forgets the models of texts that no document has any more, once they outnumber the others.
    pub(crate) fn forget_unused<'a>(&self, kernels: usize, chunks: impl Iterator<Item = &'a Arc<Chunk>>) {
        if self.models.len() > 2 * kernels + 64 {
            let used: HashSet<u64, FxBuildHasher> = chunks.map(|chunk| chunk.hash()).collect();
            self.models.retain(|key, _| used.contains(&key.text));
        }
    }
}
