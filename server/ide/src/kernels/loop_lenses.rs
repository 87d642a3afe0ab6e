//! Code lenses above innermost loops: cycles per iteration, the limiter, and the number of warps that hide the latency.

use crate::Lens;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::engine::target::model_on;
use crate::kernels::integers::executed_and_integers;
use crate::kernels::launch;
use crate::kernels::predict::by_paper::simulated_trips;
use crate::words::numbers::{counted, thousands};
use model::ModelName;
use model::pipeline::LoopTime;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// Returns one lens per loop, in text order. Empty if the `pipeline` model does not apply.
pub(crate) fn of_kernel(sass: &SassView, index: usize) -> impl Iterator<Item = Lens> {
    let loops = Loops::new(sass, index);
    loops.all().iter().map(|time| loops.lens(time)).collect::<Vec<_>>().into_iter()
}

/// Returns the ranges of the lenses. Each range is the line of a loop's first instruction.
pub(crate) fn places(sass: &SassView, index: usize) -> Vec<Range<usize>> {
    let loops = Loops::new(sass, index);
    loops.all().iter().map(|time| loops.place(time)).collect()
}

/// The loops of a kernel.
struct Loops<'a> {
    kernel: KernelView<'a>,
    /// Trip counts that `warplens.toml` gives for the launch, keyed by the address of the loop's branch.
    stated: BTreeMap<u32, u64>,
    /// Trip counts of the simulated warps in the stated launch, keyed by the address of the loop's
    /// branch.
    simulated: OnceCell<BTreeMap<u32, u64>>,
}

impl<'a> Loops<'a> {
    fn new(sass: &'a SassView, index: usize) -> Self {
        let kernel = sass.kernel(index);
        let stated = launch::stated_trips(&kernel);
        Self { kernel, stated, simulated: OnceCell::new() }
    }

    fn all(&self) -> &[LoopTime] {
        self.kernel.loops()
    }

    fn place(&self, time: &LoopTime) -> Range<usize> {
        let line = self.kernel.text(time.start as usize).line;
        self.kernel.sass.line_range(self.kernel.index, line as usize)
    }

    fn lens(&self, time: &LoopTime) -> Lens {
        Lens {
            range: self.place(time),
            title: self.title(time),
            detail: self.detail(time),
            is_of_loop: true,
            is_quick: false,
            to_state: None,
        }
    }

    /// Returns the loop's trip count per entry and the source of the count; `None` if the trip count is
    /// unknown.
    fn trips(&self, time: &LoopTime) -> Option<(u64, &'static str)> {
        let KernelView { chunk, model, .. } = &self.kernel;
        let address = model.program.instructions[time.branch as usize].address;
        let derived = model.trips(chunk, time.branch).map(|trips| (trips.into(), "derived from the code"));
        let simulated = || {
            let simulated = self.simulated.get_or_init(|| simulated_trips(&self.kernel));
            Some((*simulated.get(&address)?, "counted in the simulated launch"))
        };
        derived.or_else(|| Some((*self.stated.get(&address)?, "stated by the launch"))).or_else(simulated)
    }

    fn title(&self, time: &LoopTime) -> String {
        let mut title = format!(
            "Loop: {} cycles per iteration with 1 warp, {} at best ({})",
            tenths(time.cycles_per_trip),
            tenths(time.limiter_cycles),
            time.limiter.name(),
        );
        if let Some((trips, _)) = self.trips(time) {
            let s = if trips == 1 { "" } else { "s" };
            let _ = write!(title, " · {} iteration{s}", thousands(trips as f64));
        }
        let _ = write!(title, " · {}", self.warps(time));
        title
    }

    /// Formats the number of warps: `12 warps per SM hide the latency`.
    fn warps(&self, time: &LoopTime) -> String {
        if let Some(warps) = time.warps_to_hide {
            format!("{} per SM hide{} the latency", counted(warps as usize, "warp"), singular(warps))
        } else {
            let most = self.kernel.program().arch.resources.max_warps.value;
            format!("{most} warps per SM do not hide the latency")
        }
    }

    fn detail(&self, time: &LoopTime) -> String {
        let name = |inst: u32| self.kernel.located(inst);
        let mut text = format!("**Loop** from {} to {}\n\n", name(time.start), name(time.branch));
        let _ = writeln!(
            text,
            "- {} cycles per iteration for a single warp in steady state, with warm caches",
            tenths(time.cycles_per_trip)
        );
        let _ = match self.trips(time) {
            Some((trips, by)) => writeln!(text, "- Iterations: {} ({by})", thousands(trips as f64)),
            None => writeln!(text, "- Iterations: unknown"),
        };
        let _ = writeln!(
            text,
            "- Limited by {}: each iteration of a warp keeps this unit busy for {} cycles, whatever the number of \
             warps",
            time.limiter.name(),
            tenths(time.limiter_cycles)
        );
        let _ = writeln!(text, "- {}", self.warps(time));
        let (all, integers) = executed_and_integers(&self.kernel, time.start..=time.branch, &|_| 1.0);
        let _ = writeln!(
            text,
            "- {:.0} % of the {all} instructions per iteration are integer arithmetic: indices, addresses, counters",
            100.0 * integers / all
        );
        let issues = self.kernel.issues();
        let unknown = issues.map_or(0, |issues| issues.unknown_requests(time.start..time.branch + 1));
        if unknown > 0 {
            let _ = writeln!(
                text,
                "- Estimated: these cycles assume the fewest wavefronts or cache lines for {} with unknown addresses",
                counted(unknown as usize, "memory instruction")
            );
        }
        let _ = writeln!(text, "- Model: {}", model_on(ModelName::Pipeline, &self.kernel.target));
        let _ = writeln!(text, "- GPU: {}", self.kernel.target.describe());
        text
    }
}

/// Formats cycles with at most one decimal: `42`, `42.5`.
fn tenths(cycles: f64) -> String {
    let rounded = (cycles * 10.0).round() / 10.0;
    format!("{rounded}")
}

/// Ending of a verb with `count` subjects: `s` for 1, otherwise empty.
fn singular(count: u32) -> &'static str {
    if count == 1 { "s" } else { "" }
}
