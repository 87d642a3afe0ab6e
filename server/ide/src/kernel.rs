//! A kernel's model, computed once for as long as its text, its GPU and the options stay the same.

use crate::Cancelled;
use crate::hazards::HazardMemo;
use crate::issues::PipelineMemo;
use crate::launch;
use crate::live::Flow;
use crate::prediction::PredictionMemo;
use crate::survey::SurveyMemo;
use crate::target::Target;
use dashmap::DashMap;
use machine::{Arch, Gpu, Isa, Machine};
use model::launch::ConstantReads;
use model::paper::{CodeTimes, MissRatio, code_times, latency_note};
use model::{LatencyNote, Program};
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
    /// Memo of the dataflow of its values; see [`crate::live`].
    pub flow: Flow,
    /// Memo of the issue simulation; see [`crate::issues`].
    pub pipeline: PipelineMemo,
    /// Memo of what its warps do at each launch; see [`crate::survey`].
    pub surveys: SurveyMemo,
    /// Memo of the predictions for its launches; see [`crate::prediction`].
    pub predictions: PredictionMemo,
    /// Memo of the findings in its control codes; see [`crate::hazards`].
    pub hazards: HazardMemo,
    /// See [`model::launch::pointers`]; of text for another architecture than the GPU's.
    pointers: OnceLock<Box<[u32]>>,
    /// See [`ConstantReads`].
    constant_reads: OnceLock<Arc<ConstantReads>>,
}

impl KernelModel {
    fn new(
        chunk: &Chunk,
        isa_arch: &Arc<Arch>,
        gpu: &Gpu,
        miss_ratio: MissRatio,
        block: Option<[u32; 3]>,
    ) -> Self {
        let mut program = Program::decode(chunk, isa_arch);
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
            flow: Flow::default(),
            pipeline,
            surveys: SurveyMemo::new(isa_arch),
            predictions: PredictionMemo::default(),
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
        self.pointers.get_or_init(|| launch::pointers(chunk, &self.program, isa_arch)).clone()
    }

    /// The words of constant bank 0 that the code reads. `isa_arch` is the architecture of the text.
    pub(crate) fn constant_reads(&self, chunk: &Chunk, isa_arch: &Arc<Arch>) -> Arc<ConstantReads> {
        let find = || Arc::new(launch::constant_reads(chunk, &self.program, isa_arch));
        Arc::clone(self.constant_reads.get_or_init(find))
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
        chunk: &Chunk,
        target: &Target,
        options: Options,
    ) -> Arc<KernelModel> {
        let key = Key::of(chunk, target, options);
        // The guard is dropped within the statement: nothing is computed while a shard is locked.
        let known = self.models.get(&key).map(|model| Arc::clone(&model));
        known.unwrap_or_else(|| {
            let model = self.compute(machine, chunk, target, options);
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
        chunk: &Chunk,
        target: &Target,
        options: Options,
    ) -> Arc<KernelModel> {
        let known = self.models.remove(&Key::of(chunk, target, options));
        known.map_or_else(|| self.compute(machine, chunk, target, options), |(_, model)| model)
    }

    fn compute(
        &self,
        machine: &Machine,
        chunk: &Chunk,
        target: &Target,
        options: Options,
    ) -> Arc<KernelModel> {
        self.computed.fetch_add(1, Ordering::Relaxed);
        let isa_arch = machine.gpu_for_sm(target.isa_sm).arch;
        let miss_ratio = MissRatio::new(options.miss_ratio);
        Arc::new(KernelModel::new(chunk, &isa_arch, &target.gpu, miss_ratio, options.block))
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

/// A result that may have been overtaken.
pub(crate) type Answer<T> = Result<T, Cancelled>;
