//! Code lenses above kernels: registers, shared memory, occupancy and its limiter, predicted cycles, bottlenecks. Also
//! lists the positions of all lenses, including loop lenses.

mod facts;
mod predicted;

pub(crate) use facts::occupancy_in_short;

use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::measured::UsedProfileData;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::kernels::launch::{self, launches};
use crate::kernels::launch_cycles::LaunchCycles;
use crate::kernels::loop_lenses;
use crate::kernels::predict::effort::{full, quick};
use crate::kernels::predict::{LaunchPrediction, PredictionInputs};
use crate::kernels::report::is_shared_unknown;
use crate::kernels::summary::kernel_at;
use crate::words::{live, markdown};
use crate::{Lens, LensLocation, LensSubject};
use facts::{bottlenecks, bytes, facts, in_words, main_bottleneck};
use model::dataflow::LiveCounts;
use model::{Launch, OccupancyLimiter};
use std::fmt::Write;

/// Suffix of figures that use the counts of a profile.
const WITH_PROFILE: &str = ", with profile";

/// Returns all lenses with their titles.
pub(crate) fn lenses(sass: &SassView) -> Cancellable<Vec<Lens>> {
    let (of_kernels, of_loops) = (sass.context.config.code_lens, sass.context.config.loop_lens);
    let mut lenses = Vec::new();
    if of_kernels || of_loops {
        for (index, _) in sass.kernels() {
            sass.cancel.check()?;
            if of_kernels {
                lenses.extend(of_kernel(sass, index, None)?);
            }
            if of_loops {
                lenses.extend(loop_lenses::of_kernel(sass, index));
            }
        }
    }
    Ok(lenses)
}

/// Returns the positions of all lenses. Kernel lenses need no model. Loop lenses need the model, which
/// is memoized.
pub(crate) fn places(sass: &SassView) -> Cancellable<Vec<LensLocation>> {
    let (of_kernels, of_loops) = (sass.context.config.code_lens, sass.context.config.loop_lens);
    let mut places = Vec::new();
    if of_kernels || of_loops {
        for (kernel, chunk) in sass.kernels() {
            sass.cancel.check()?;
            if of_kernels {
                let range = sass.name_range(kernel);
                let launches = (0..launch::count(sass, chunk)).map(LensSubject::Launch);
                places.extend(launches.map(|of| LensLocation { range: range.clone(), kernel, of }));
            }
            if of_loops {
                let loops = loop_lenses::places(sass, kernel).into_iter().zip(0..);
                places.extend(loops.map(|(range, number)| LensLocation {
                    range,
                    kernel,
                    of: LensSubject::Loop(number),
                }));
            }
        }
    }
    Ok(places)
}

/// Returns a lens; `None` if the kernel, the launch or the loop does not exist.
pub(crate) fn at(sass: &SassView, kernel: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
    let exists = sass.listing().chunks().get(kernel).is_some_and(|chunk| !chunk.instructions().is_empty());
    Ok(match of {
        _ if !exists => None,
        LensSubject::Launch(launch) => of_kernel(sass, kernel, Some(launch))?.pop(),
        LensSubject::Loop(number) => loop_lenses::of_kernel(sass, kernel).nth(number),
        // These lenses belong to a source file, not to a listing.
        LensSubject::Compiled(_) | LensSubject::Measured => None,
    })
}

/// Maximum number of instructions in a kernel that an editor simulates in full.
const MAX_INSTRUCTIONS: usize = 20_000; // limit: larger kernels take too long for an editor
const MAX_LAUNCHES: usize = 32; // limit: up to a second each

/// Simulates one launch of a kernel in full, or all launches if `only` is `None`. The figures are
/// memoized for every view. Returns true if any figure is new.
pub(crate) fn simulate(sass: &SassView, index: usize, only: Option<usize>) -> Cancellable<bool> {
    let chunks = sass.listing().chunks();
    let Some(count) = chunks.get(index).map(|chunk| chunk.instructions().len()) else { return Ok(false) };
    if count == 0 || count > MAX_INSTRUCTIONS {
        return Ok(false);
    }
    let kernel = &sass.kernel(index);
    let mut is_new = false;
    let launches = launches(kernel).into_iter().enumerate().take(MAX_LAUNCHES);
    for (_, (launch, _)) in launches.filter(|(number, _)| only.is_none_or(|only| only == *number)) {
        sass.cancel.check()?;
        let before = kernel.prediction(&launch, quick())?;
        if before.is_some_and(|before| before.is_quick) {
            kernel.prediction(&launch, full(&launch))?;
            is_new = true;
        }
    }
    Ok(is_new)
}

/// Simulates all launches of the kernel at an offset, or of the nearest kernel, as [`simulate`] does.
pub(crate) fn simulate_at(sass: &SassView, offset: usize) -> Cancellable<bool> {
    match kernel_at(sass, offset) {
        Some((kernel, _)) => simulate(sass, kernel, None),
        None => Ok(false),
    }
}

/// Returns one lens per launch of a kernel, or only the lens of the launch with index `only`.
fn of_kernel(sass: &SassView, index: usize, only: Option<usize>) -> Cancellable<Vec<Lens>> {
    let kernel = &sass.kernel(index);
    let range = sass.name_range(index);
    let launches = launches(kernel);
    let wanted = launches.iter().enumerate().filter(|(number, _)| only.is_none_or(|only| only == *number));
    wanted
        .map(|(number, (launch, times))| {
            let live = kernel.model.liveness().max();
            let question = PredictionInputs { kernel, launch, number, times };
            let (reported, predicted) = reported(&question)?;
            let title = match &predicted {
                Some(prediction) => predicted::title(&reported, prediction, &question),
                None => title(&question, &reported),
            };
            let detail = facts_of(&question, &reported, predicted.as_ref(), live);
            Ok(Lens {
                range: range.clone(),
                title,
                detail,
                is_of_loop: false,
                is_quick: reported.is_quick,
                to_state: reported.to_state,
            })
        })
        .collect()
}

/// Returns the cycles of a launch as an editor shows them, and the complete prediction if the launch is
/// simulated.
fn reported(question: &PredictionInputs<'_>) -> Cancellable<(LaunchCycles, Option<LaunchPrediction>)> {
    let reported = question.cycles(quick())?;
    let predicted = match &reported.prediction {
        Some(_) => question.predict(quick())?.ok(),
        None => None,
    };
    Ok((reported, predicted))
}

/// Formats the facts about a kernel at a launch as Markdown.
pub(crate) fn detail(question: &PredictionInputs<'_>) -> Cancellable<String> {
    let (reported, predicted) = reported(question)?;
    Ok(facts_of(question, &reported, predicted.as_ref(), question.kernel.model.liveness().max()))
}

/// Formats the facts in one line of plain text, most important facts first, because a narrow window
/// cuts off the end.
fn title(question: &PredictionInputs<'_>, reported: &LaunchCycles) -> String {
    let PredictionInputs { kernel, launch, .. } = *question;
    let times = &reported.by_paper;
    let occupancy = &times.occupancy;
    let named = launch.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
    // Without this note, figures of the paper's model would look simulated.
    let by = match reported.number() {
        Some(_) => format!(" by the ICS'17 model ({})", kernel.why_paper()),
        None => String::new(),
    };
    let mut parts = vec![format!("{named}{}{by}", reported.in_words())];
    let occupancy = if occupancy.limiter == OccupancyLimiter::Impossible {
        "no block fits on an SM".to_owned()
    } else {
        format!("{:.0} % occupancy", 100.0 * occupancy.fraction())
    };
    let bottleneck = || main_bottleneck(times.bottlenecks).map(|name| format!("ICS'17 bottleneck: {name}"));
    let limit = reported.dram.map(|_| "limited by DRAM".to_owned()).or_else(bottleneck);
    if reported.number().is_some() {
        parts.extend(limit.into_iter().chain([occupancy]));
    } else {
        parts.push(occupancy);
        parts.extend(facts(launch).into_iter().chain(limit));
    }
    parts.extend(basis(kernel, launch, question.taken().is_some()));
    parts.join(" · ")
}

/// Returns what the figures are based on: whether the launch is assumed, whether profile counts are used, and the GPU.
fn basis(kernel: &KernelView<'_>, launch: &Launch, has_profile: bool) -> Vec<String> {
    let mut parts = Vec::new();
    match launch::refused(kernel.sass, kernel.chunk) {
        _ if !launch.assumed => {}
        Some(refused) => parts.push(format!("assumed launch (warplens.toml:{} is invalid)", refused.line)),
        None if launch.is_guess() => parts.push("assumed launch".to_owned()),
        None => {
            let [x, y, z] = launch.block;
            parts.push(format!("block {x} x {y} x {z}, assumed grid"));
        }
    }
    if has_profile {
        parts.push("with profile".to_owned());
    }
    parts.push(kernel.target.gpu.part.name.clone());
    parts
}

/// Remark for a profile of different code; empty if the profile is of this code.
fn agreeing(taken: &UsedProfileData) -> String {
    if taken.same_code {
        return String::new();
    }
    format!("; the profile is for different code: {} of {} instructions agree", taken.instructions, taken.of)
}

/// Formats the facts of [`title`] and their basis as Markdown.
fn facts_of(
    question: &PredictionInputs<'_>,
    reported: &LaunchCycles,
    predicted: Option<&LaunchPrediction>,
    max_live: LiveCounts,
) -> String {
    let PredictionInputs { kernel, launch, .. } = *question;
    let times = &reported.by_paper;
    let name = names::kernel_name(kernel.chunk);
    let mut text = format!("{}\n\n", markdown::heading(names::demangle(name).as_deref().unwrap_or(name)));
    let _ = writeln!(text, "- GPU: {}", kernel.target.describe());
    let [gx, gy, gz] = launch.grid;
    let [bx, by, bz] = launch.block;
    let assumed = match (launch.assumed, launch.is_guess()) {
        (true, true) => " (assumed: one full wave of the largest legal block)",
        (true, false) => " (the grid is assumed: one full wave)",
        (false, _) => "",
    };
    let name = launch.name.as_ref().map_or_else(String::new, |name| format!(" {}", markdown::code(name)));
    let _ = writeln!(text, "- Launch{name}: grid {gx} x {gy} x {gz}, block {bx} x {by} x {bz}{assumed}");
    if let Some(refused) = launch::refused(kernel.sass, kernel.chunk) {
        let _ = writeln!(text, "- Launch: {}", refused.in_words());
    }
    let _ = writeln!(
        text,
        "- Registers: {} per thread ({})",
        launch.registers.value,
        in_words(launch.registers.by)
    );
    let _ = writeln!(text, "- Live at one instruction: at most {}", live::in_words(max_live));
    if is_shared_unknown(kernel, launch) {
        text.push_str("- Shared memory: unknown, because it depends on the launch; no limit is assumed\n");
    } else {
        let _ = writeln!(
            text,
            "- Shared memory: {} per block ({})",
            bytes(launch.shared.value),
            in_words(launch.shared.by)
        );
    }
    let _ = writeln!(text, "- Occupancy: {}", occupancy_in_short(&times.occupancy));
    if let Some(prediction) = predicted {
        text.push_str(&predicted::detail(prediction));
    } else {
        let with = if question.taken().is_some() { WITH_PROFILE } else { "" };
        let _ = writeln!(text, "- ICS'17 model: {}, an upper bound{with}", reported.in_words());
        text.extend(reported.dram_limit().map(|limit| format!("- {limit}\n")));
        if let Some(ipc) = times.ipc {
            let _ = writeln!(text, "- ICS'17 model: IPC {ipc:.2} (warp instructions per cycle per SM)");
        }
    }
    if let Some((taken, source)) = question.taken() {
        let _ =
            writeln!(text, "- From the profile: {}{} ({source})", taken.taken.join(", "), agreeing(&taken));
    }
    if let Some(efficiency) = times.sp_efficiency {
        let _ = writeln!(text, "- ICS'17 model: single-precision efficiency {:.0} %", 100.0 * efficiency);
    }
    let _ = writeln!(
        text,
        "- ICS'17 model: bottleneck scores (0 best, 1 worst): {}",
        bottlenecks(times.bottlenecks)
    );
    for note in &times.notes {
        let _ = writeln!(text, "- ICS'17 model: {note}");
    }
    text
}
