//! What the text of CUDA alone tells of each kernel, as data: `warplens analyze x.cu`.

use super::kernels::{Origin, candidates, subject};
use super::view::CudaView;
use crate::engine::cancel::Answer;
use crate::words::kind_names::space_name;
use model::cuda::AccessKind;
use serde::Serialize;

/// The text's report.
#[derive(Debug, Clone, Serialize)]
pub struct TextReport {
    pub schema: u32,
    /// The part's name.
    pub gpu: String,
    /// `text`: the statements of warps were run, and no code.
    pub model: &'static str,
    pub kernels: Vec<TextKernel>,
}

/// One kernel at one launch.
#[derive(Debug, Clone, Serialize)]
pub struct TextKernel {
    pub name: String,
    /// 1-based.
    pub line: u32,
    /// The launch's name, or null.
    pub launch: Option<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// `stated`, `found` in host code, or `assumed`.
    pub launch_source: &'static str,
    /// Bytes of the variables of a block, without dynamic ones.
    pub shared: u64,
    /// Barriers of the block that a warp passes; null where a warp was stopped before its end.
    pub barriers: Option<f64>,
    /// Warps that were run, of those of the launch.
    pub warps: u64,
    pub all_warps: u64,
    /// Accesses to global and shared memory, in the order of the text.
    pub accesses: Vec<TextAccess>,
}

/// One access of the text, summed over the warps that were run.
#[derive(Debug, Clone, Serialize)]
pub struct TextAccess {
    /// 1-based.
    pub line: u32,
    pub text: String,
    /// `global` or `shared`.
    pub space: &'static str,
    /// `load`, `store` or `atomic`.
    pub kind: &'static str,
    /// The most that a lane moves at once.
    pub bytes_per_lane: u32,
    /// Requests whose addresses are known.
    pub requests: f64,
    /// Sectors of global memory or wavefronts of shared memory a request, and those that its bytes need; null where no address is
    /// known.
    pub taken: Option<f64>,
    pub ideal: Option<f64>,
    /// Requests whose addresses hang on what memory holds.
    pub unknown: f64,
}

pub(crate) fn report(view: &CudaView<'_>) -> Answer<TextReport> {
    let target = view.target_gpu();
    let text = view.text.text();
    let line_of = |byte: usize| memchr::memchr_iter(b'\n', &text.as_bytes()[..byte]).count() as u32 + 1;
    let mut kernels = Vec::new();
    for (item, placed, kernel) in view.kernels() {
        view.cancel.check()?;
        let subject = subject(view, item, kernel, &target.gpu)?;
        let candidates = candidates(view, kernel, &target.gpu);
        for (candidate, launched) in candidates.iter().zip(&subject.launches) {
            let run = &launched.run;
            let accesses = run.uses.iter().map(|(site, used)| {
                let range = view.range(&site.into());
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
                    bytes_per_lane: used.bytes,
                    requests: used.requests,
                    taken: each(used.taken),
                    ideal: each(used.ideal),
                    unknown: used.unknown,
                }
            });
            kernels.push(TextKernel {
                name: kernel.name.clone(),
                line: line_of(placed.range(&kernel.name_range).start),
                launch: candidate.name.clone(),
                grid: candidate.launch.grid,
                block: candidate.launch.block,
                launch_source: match candidate.origin {
                    Origin::Stated => "stated",
                    Origin::Found => "found",
                    Origin::Assumed => "assumed",
                },
                shared: run.shared_bytes,
                barriers: run.is_whole.then_some(run.barriers),
                warps: run.warps,
                all_warps: run.all_warps,
                accesses: accesses.collect(),
            });
        }
    }
    Ok(TextReport { schema: SCHEMA, gpu: target.gpu.part.name.clone(), model: "text", kernels })
}

const SCHEMA: u32 = 1;
