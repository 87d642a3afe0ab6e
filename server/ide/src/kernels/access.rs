//! Memory accesses of a kernel at its launches, for rules, hovers and panels.

mod picture;
mod rows;

pub use picture::Picture;
pub(crate) use rows::of_launches;
pub use rows::{AccessRow, DrawnAccess, LaunchAccesses};

use crate::engine::kernel::KernelModel;
use crate::engine::kernel_view::KernelView;
use crate::engine::parameters::layout::{self, ParameterPlace};
use crate::engine::parameters::types::ParamValue;
use crate::engine::parameters::types::{Kind, parameter_types};
use crate::engine::sass_view::SassView;
use crate::kernels::launch::launches;
use advisor::memory::{Limits, Memory, SimulatedLaunch};
use model::execution::Survey;
use model::{Arch, Launch, MemorySpace};
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::sass::Chunk;

/// Calls `then` with a kernel's [`Memory`]. If `runs` is true, the warps are simulated, provided that
/// the kernel accesses memory other than constant and texture memory.
pub(crate) fn with_memory<T>(kernel: &KernelView<'_>, runs: bool, then: impl FnOnce(&Memory<'_>) -> T) -> T {
    let KernelView { sass, chunk, model, .. } = kernel;
    let limits = sass.context.limits();
    let isa_arch = &model.isa_arch;
    let launched = if runs && asks_memory(model) {
        let all = launches(kernel).into_iter();
        all.map(|(launch, _)| launched(chunk, model, launch, limits)).collect()
    } else {
        Vec::new()
    };
    let labels = parameters(sass, chunk, isa_arch);
    let source = kernel.source().map(|source| source as &dyn advisor::memory::Source);
    let memory = Memory::new(chunk, &model.program, isa_arch, launched, labels, limits);
    then(&memory.of_source(source))
}

fn asks_memory(model: &KernelModel) -> bool {
    let accesses = model.program.instructions.iter().filter_map(|inst| inst.memory);
    let mut spaces = accesses.map(|memory| memory.space);
    spaces.any(|space| !matches!(space, MemorySpace::Constant | MemorySpace::Texture))
}

fn launched(chunk: &Chunk, model: &KernelModel, launch: Launch, limits: Limits) -> SimulatedLaunch {
    let survey = survey(chunk, model, &launch);
    // If the block stated in the text has several rows, only that shape is simulated.
    let is_row = launch.block[1] == 1 && launch.block[2] == 1;
    let other_shapes = if launch.assumed && is_row && is_costly(&survey, limits) {
        let shapes = shapes(chunk, launch.block).into_iter();
        shapes.map(|block| model.survey(chunk, &Launch { block, ..launch.clone() })).collect()
    } else {
        Vec::new()
    };
    SimulatedLaunch { launch, survey, other_shapes }
}

/// Surveys a launch. The cost per request is derived from the code. The number of requests comes from a
/// profile if the launch has profile counts.
fn survey(chunk: &Chunk, model: &KernelModel, launch: &Launch) -> Arc<Survey> {
    let own = model.survey(chunk, launch);
    if launch.measured.is_none() {
        return own;
    }
    let derived = model.survey(chunk, &Launch { measured: None, ..launch.clone() });
    let mut uses = own.uses.clone();
    uses.extend(derived.uses.iter().map(|(inst, asked)| (*inst, asked.clone())));
    Arc::new(Survey {
        uses,
        counts: own.counts.clone(),
        guessed_trips: own.guessed_trips.clone(),
        undecided: own.undecided.clone(),
        assumed: own.assumed.clone(),
        counters: own.counters.clone(),
        warps: own.warps,
        all_warps: own.all_warps,
        is_cut: own.is_cut,
        is_short: own.is_short,
    })
}

/// True if any access in the survey may produce a finding.
fn is_costly(survey: &Survey, limits: Limits) -> bool {
    survey.uses.values().any(|asked| {
        asked.misaligned
            || asked.known
                && (asked.wavefronts > asked.wavefronts_ideal.max(0.5) * limits.wavefronts.min(1.01)
                    || asked.sectors > asked.sectors_ideal.max(0.5) * limits.sectors.min(1.01))
    })
}

/// Typical numbers of threads along x in a block with several rows.
const ROWS: [u32; 3] = [32, 16, 8];

/// Returns alternative block shapes with the same number of threads. Empty unless the code reads
/// `tid.y` or `tid.z`.
fn shapes(chunk: &Chunk, [threads, ..]: [u32; 3]) -> Vec<[u32; 3]> {
    let is_solid = chunk.text().contains("TID.Z");
    if !is_solid && !chunk.text().contains("TID.Y") {
        return Vec::new();
    }
    let fitting = ROWS.into_iter().filter(|x| threads > *x && threads.is_multiple_of(*x));
    let mut shapes: Vec<[u32; 3]> = fitting.map(|x| [x, threads / x, 1]).collect();
    shapes.extend((is_solid && threads.is_multiple_of(64)).then_some([8, 8, threads / 64]));
    shapes
}

/// Returns names such as `arg0` for a kernel's parameters, keyed by byte offset in constant bank 0.
/// Offsets come from the PTX source, the binary or the mangled kernel name. Parameters without an
/// offset are omitted.
fn parameters(sass: &SassView, chunk: &Chunk, isa_arch: &Arc<Arch>) -> BTreeMap<u32, String> {
    let name = chunk.name().unwrap_or_default();
    let first = isa_arch.constant_bank.parameters.value;
    if let Some(source) = sass.source(chunk) {
        let named = source.cost.parameters();
        return named.map(|(name, place)| (first + place.offset, name.to_owned())).collect();
    }
    let of_binary = sass.text.stated(&sass.context.machine).places(name);
    let places: Vec<Option<ParameterPlace>> = if of_binary.is_empty() {
        let types = parameter_types(name).unwrap_or_default();
        let extent = |kind: Kind| layout::extent(Some(kind), &ParamValue::Unknown);
        layout::places(first, types.iter().map(|of| extent(of.kind)))
    } else {
        of_binary.iter().copied().map(Some).collect()
    };
    let labelled = places.into_iter().enumerate();
    labelled.filter_map(|(at, place)| Some((first + place?.offset, format!("arg{at}")))).collect()
}
