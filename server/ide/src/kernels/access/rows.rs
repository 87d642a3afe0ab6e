//! Memory accesses of a kernel as data, for panels that list and draw them.

use super::{Picture, with_memory};
use crate::engine::kernel_view::KernelView;
use crate::kernels::hover::unreached;
use crate::words::kind_names::space_name;
use advisor::memory::{Memory, SimulatedLaunch};
use model::MemorySpace;
use serde::Serialize;

/// Memory accesses of a kernel at one launch.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchAccesses {
    /// Accesses in text order.
    pub rows: Vec<AccessRow>,
    /// The access that is drawn: the access at the cursor, otherwise the most expensive access.
    pub chosen: Option<DrawnAccess>,
    pub warps: u64,
    pub all_warps: u64,
}

/// One instruction that accesses memory. Wavefronts and sectors are per request, averaged over the simulated warps.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessRow {
    /// Line in the document, 0-based.
    pub line: u32,
    /// Address of the instruction; null for listings without addresses.
    pub address: Option<u32>,
    pub text: String,
    pub space: &'static str,
    /// Requests per warp. 0 if no simulated warp reaches the access, or if no lane is active.
    pub requests: f64,
    pub wavefronts: Option<f64>,
    pub wavefronts_ideal: Option<f64>,
    pub sectors: Option<f64>,
    pub sectors_ideal: Option<f64>,
    pub known: bool,
    /// Why no simulated warp makes a request, for example because control flow before the access depends on unknown
    /// values. Null if at least one simulated warp makes a request.
    pub unreached: Option<String>,
    /// True if the cost of the access reaches a limit in the settings.
    pub costly: bool,
}

/// An access with its drawings. A copy to shared memory has one drawing per side.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnAccess {
    pub line: u32,
    pub formula: Option<String>,
    pub pictures: Vec<Picture>,
}

/// Returns the accesses of a kernel for each launch. `at` is the instruction at the cursor.
pub(crate) fn of_launches(kernel: &KernelView<'_>, at: Option<u32>) -> Vec<LaunchAccesses> {
    with_memory(kernel, true, |memory| {
        let launches = memory.launches.iter();
        launches.map(|launched| accesses(&AnalysedKernel { kernel, memory }, launched, at)).collect()
    })
}

/// A kernel and the analysis of its accesses.
struct AnalysedKernel<'a> {
    kernel: &'a KernelView<'a>,
    memory: &'a Memory<'a>,
}

impl AnalysedKernel<'_> {
    /// Line of an instruction in the document, 0-based.
    fn line(&self, inst: u32) -> u32 {
        self.kernel.line_of(inst) - 1
    }
}

fn accesses(shown: &AnalysedKernel<'_>, launched: &SimulatedLaunch, at: Option<u32>) -> LaunchAccesses {
    let memory = shown.memory;
    let insts: Vec<u32> =
        (0..memory.program.instructions.len() as u32).filter(|&inst| is_drawn(memory, inst)).collect();
    let rows: Vec<AccessRow> = insts.iter().map(|&inst| row(shown, launched, inst)).collect();
    let costliest = insts.iter().zip(&rows).max_by(|(_, a), (_, b)| a.lost().total_cmp(&b.lost()));
    let chosen = at.filter(|inst| insts.contains(inst)).or(costliest.map(|(&inst, _)| inst));
    LaunchAccesses {
        chosen: chosen.map(|inst| chosen_of(shown, launched, inst)),
        rows,
        warps: launched.survey.warps,
        all_warps: launched.survey.all_warps,
    }
}

/// True if the instruction has per-lane addresses and does not access constant or texture memory. Such
/// accesses are simulated.
fn is_drawn(memory: &Memory<'_>, inst: u32) -> bool {
    let space = memory.program.instructions[inst as usize].memory.map(|memory| memory.space);
    space.is_some_and(|space| !matches!(space, MemorySpace::Constant | MemorySpace::Texture))
        && memory.is_by_lane(inst)
}

impl AccessRow {
    /// Returns the number of wavefronts and sectors per warp that exceed the minimum.
    fn lost(&self) -> f64 {
        let beyond = |taken: Option<f64>, ideal: Option<f64>| {
            taken.zip(ideal).map_or(0.0, |(taken, ideal)| taken - ideal)
        };
        self.requests
            * (beyond(self.wavefronts, self.wavefronts_ideal) + beyond(self.sectors, self.sectors_ideal))
    }
}

fn row(shown: &AnalysedKernel<'_>, launched: &SimulatedLaunch, inst: u32) -> AccessRow {
    let AnalysedKernel { kernel, memory } = *shown;
    let instruction = &memory.chunk.instructions()[inst as usize];
    let space =
        memory.program.instructions[inst as usize].memory.map_or(MemorySpace::Global, |memory| memory.space);
    let asked = launched.asked(inst).filter(|asked| asked.known && asked.on > 0.0);
    let is_global = matches!(space, MemorySpace::Global | MemorySpace::Generic);
    let of_shared = asked.is_some_and(|asked| space == MemorySpace::Shared || asked.wavefronts > 0.0);
    let of_global = asked.is_some() && is_global;
    let limits = memory.limits;
    let (wavefronts, sectors) = (launched.wavefronts(inst), launched.sectors(inst));
    AccessRow {
        line: shown.line(inst),
        address: instruction.address.filter(|_| kernel.source().is_none()),
        text: kernel.printed(inst),
        space: space_name(space),
        requests: launched.requests(inst),
        wavefronts: of_shared.then_some(wavefronts.taken),
        wavefronts_ideal: of_shared.then_some(wavefronts.ideal),
        sectors: of_global.then_some(sectors.taken),
        sectors_ideal: of_global.then_some(sectors.ideal),
        known: of_shared || of_global,
        unreached: (launched.requests(inst) <= 0.0).then(|| unreached(kernel, memory, launched, inst)),
        costly: of_shared && wavefronts.taken >= limits.wavefronts * wavefronts.ideal
            || of_global && sectors.taken >= limits.sectors * sectors.ideal,
    }
}

fn chosen_of(shown: &AnalysedKernel<'_>, launched: &SimulatedLaunch, inst: u32) -> DrawnAccess {
    let memory = shown.memory;
    let asked = launched.asked(inst);
    let is_copy =
        asked.and_then(|asked| asked.worst.as_ref()).is_some_and(|worst| worst.destination.is_some());
    let picture = |of_destination| Picture::draw(memory, inst, asked?, of_destination);
    let of_copy = if is_copy { picture(true) } else { None };
    DrawnAccess {
        line: shown.line(inst),
        formula: memory.formula(inst, false, Some(&launched.launch)),
        pictures: picture(false).into_iter().chain(of_copy).collect(),
    }
}
