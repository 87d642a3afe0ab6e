//! Report on each kernel of a CUDA source file, from the source only: `warplens analyze x.cu`.

use super::kernels::subject;
use super::occupancy::occupancy_bound;
use super::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::words::kind_names::space_name;
use advisor::cuda::{Origin, SimulatedLaunch};
use model::cuda::{AccessKind, TemplateValue};
use serde::Serialize;

/// Report on a CUDA source file.
#[derive(Debug, Clone, Serialize)]
pub struct TextReport {
    pub schema: u32,
    /// Name of the GPU.
    pub gpu: String,
    /// `text`: source statements were simulated, not compiled code.
    pub model: &'static str,
    pub kernels: Vec<TextKernel>,
}

/// A kernel at one of its launches.
#[derive(Debug, Clone, Serialize)]
pub struct TextKernel {
    pub name: String,
    /// 1-based line of the kernel's name.
    pub line: u32,
    /// Name of the launch. Null if the launch has no name.
    pub launch: Option<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Source of the launch: `stated`, `found` in host code, or `assumed`.
    pub launch_source: &'static str,
    /// Number of launches in host code of this source and of sources that include it, also those with an unknown grid or
    /// block.
    pub launches_found: usize,
    /// Template arguments of the launch, `?` for unknown ones. Empty if the kernel is no template.
    pub template_arguments: Vec<String>,
    /// Types that are assumed for parameters of the template, as in `T = float`.
    pub assumed_types: Vec<String>,
    /// Bytes of static shared memory per block.
    pub shared: u64,
    /// Number of block barriers that each warp executes. Null if a loop around a barrier has an unknown trip count.
    pub barriers: Option<f64>,
    /// Number of block barriers, summed over all blocks of the launch. Null if unknown.
    pub barriers_of_launch: Option<f64>,
    /// Estimated fraction of active lanes per warp, 0 to 1, over all statements with known lanes. Null if there are
    /// no such statements.
    pub warp_efficiency: Option<f64>,
    /// Branches and loops whose condition is estimated to diverge within a warp, in text order.
    pub divergent_branches: Vec<TextBranch>,
    /// Upper bound on the occupancy, from block size and shared memory.
    pub occupancy: TextOccupancy,
    /// Number of simulated warps.
    pub warps: u64,
    /// Number of warps in the launch.
    pub all_warps: u64,
    /// Accesses to global and shared memory, in text order.
    pub accesses: Vec<TextAccess>,
}

/// A branch or a loop whose condition diverges within a warp.
#[derive(Debug, Clone, Serialize)]
pub struct TextBranch {
    /// Line number, 1-based.
    pub line: u32,
    /// Source text of the condition.
    pub text: String,
    /// Number of executions by warps, summed over the simulated warps. For a loop, the number of iterations.
    pub passed: f64,
    /// Number of executions in which lanes diverge. For a loop, the number of iterations in which some lanes have
    /// left the loop.
    pub diverged: f64,
    /// Fraction of the active lanes for which the condition is true, 0 to 1.
    pub taken: f64,
    /// Number of simulated warps in which lanes diverge.
    pub warps: u64,
}

/// Upper bound on the occupancy. Registers are only known after compilation and may reduce the occupancy
/// further.
#[derive(Debug, Clone, Serialize)]
pub struct TextOccupancy {
    /// Largest occupancy, 0 to 1.
    pub at_most: f64,
    pub warps: u32,
    pub blocks: u32,
    /// The limiting resource: `shared`, `blocks`, `warps`, `barriers` or `impossible`.
    pub limit: &'static str,
    /// Bytes of shared memory per block, including dynamic shared memory.
    pub shared: u64,
    /// The upper bound as text.
    pub text: String,
}

/// A memory access in the source, summed over the simulated warps.
#[derive(Debug, Clone, Serialize)]
pub struct TextAccess {
    /// Line number, 1-based.
    pub line: u32,
    pub text: String,
    /// Memory space: `global` or `shared`.
    pub space: &'static str,
    /// Type of access: `load`, `store` or `atomic`.
    pub kind: &'static str,
    /// Largest number of bytes that a lane accesses per request. Null if no address is known.
    pub bytes_per_lane: Option<u32>,
    /// Number of requests with known addresses.
    pub requests: f64,
    /// Sectors (global memory) or wavefronts (shared memory) per request: the actual number and the ideal
    /// number. Null if no address is known.
    pub taken: Option<f64>,
    pub ideal: Option<f64>,
    /// True if it is unknown which lanes take part. The figures then assume that all lanes do that may.
    pub lanes_assumed: bool,
    /// Number of requests whose addresses or lanes depend on memory contents.
    pub unknown: f64,
}

pub(crate) fn report(view: &CudaView<'_>) -> Cancellable<TextReport> {
    let target = view.target_gpu();
    let text = view.text.text();
    let line_of = |byte: usize| memchr::memchr_iter(b'\n', &text.as_bytes()[..byte]).count() as u32 + 1;
    let mut kernels = Vec::new();
    for (item, placed, kernel) in view.kernels() {
        view.cancel.check()?;
        let subject = subject(view, item, kernel, &target.gpu)?;
        for launched in &subject.launches {
            let SimulatedLaunch { launch, run, .. } = launched;
            let own = run.uses.iter().filter(|(site, _)| CudaView::is_own(site.place));
            let accesses = own.map(|(site, used)| {
                let range = view.range(site.place);
                let doubted = run.doubted(*site);
                let lanes_assumed = doubted.is_some();
                let unknown = used.unknown;
                let used = doubted.unwrap_or(used);
                let each = |sum: f64| (used.requests > 0.0).then(|| sum / used.requests);
                TextAccess {
                    line: line_of(range.start),
                    text: text[range].split_whitespace().collect::<Vec<_>>().join(" "),
                    space: space_name(used.space),
                    kind: match site.kind {
                        AccessKind::Load => "load",
                        AccessKind::Store => "store",
                        AccessKind::Atomic => "atomic",
                    },
                    bytes_per_lane: (used.bytes > 0).then_some(used.bytes),
                    requests: used.requests,
                    taken: each(used.taken),
                    ideal: each(used.ideal),
                    lanes_assumed,
                    unknown,
                }
            });
            let own = run.divergent_branches.iter().filter(|branch| CudaView::is_own(branch.place));
            let branches = own.map(|branch| {
                let range = view.range(branch.place);
                TextBranch {
                    line: line_of(range.start),
                    text: text[range].split_whitespace().collect::<Vec<_>>().join(" "),
                    passed: branch.passed,
                    diverged: branch.diverged,
                    taken: branch.taken / branch.lanes.max(1.0),
                    warps: branch.warps,
                }
            });
            let most = occupancy_bound(launched, &target.gpu);
            let blocks: f64 = launch.configuration.grid.iter().map(|size| f64::from(*size)).product();
            kernels.push(TextKernel {
                name: kernel.name.clone(),
                line: line_of(placed.range(&kernel.name_range).start),
                launch: launch.name.clone(),
                grid: launch.configuration.grid,
                block: launch.configuration.block,
                launch_source: match launch.origin {
                    Origin::Stated => "stated",
                    Origin::Found => "found",
                    Origin::Assumed => "assumed",
                },
                launches_found: subject.found.len(),
                template_arguments: launch
                    .configuration
                    .templates
                    .iter()
                    .map(TemplateValue::spelled)
                    .collect(),
                assumed_types: launch.assumed_types.clone(),
                shared: run.shared_bytes,
                barriers: run.whole_barriers(),
                barriers_of_launch: run.whole_barriers().map(|barriers| barriers * blocks),
                warp_efficiency: run.warp_efficiency,
                divergent_branches: branches.collect(),
                occupancy: TextOccupancy {
                    at_most: most.share(),
                    warps: most.warps,
                    blocks: most.blocks,
                    limit: most.limit(),
                    shared: most.shared,
                    text: most.in_words(),
                },
                warps: run.warps,
                all_warps: run.all_warps,
                accesses: accesses.collect(),
            });
        }
    }
    Ok(TextReport { schema: SCHEMA, gpu: target.gpu.part.name.clone(), model: "text", kernels })
}

const SCHEMA: u32 = 1; // limit: raised when the meaning of a field changes
