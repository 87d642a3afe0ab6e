//! Memory accesses in a hover: the address formula, wavefronts, sectors, and a drawing of one request.

use super::view::View;
use crate::engine::kernel_view::KernelView;
use crate::kernels::access::{Picture, with_memory};
use crate::kernels::launch;
use crate::words::markdown::code;
use advisor::memory::{
    CostPerRequest, Frame, Memory, Origin, ReachUncertainty, Role, SimulatedLaunch, counted, origin,
};
use machine::{Known, Source};
use model::execution::MemoryUse;
use model::{MemorySpace, Register, RegisterFile};
use std::fmt::Write;

/// Maximum number of launches with figures in a hover. Only one launch has a drawing.
const MAX_LAUNCHES: usize = 3; // limit: keeps a hover under a screen

/// Largest number of instructions listed that save or restore the same spilled register.
const MAX_OTHERS: usize = 3; // limit: one line of text

/// Writes a description of the instruction's memory access. Returns true if a simulated request of the access has known
/// addresses.
pub(crate) fn write(view: &View<'_>, text: &mut String) -> bool {
    let touched = view.kernel.program().instructions[view.inst].memory;
    let Some(touched) =
        touched.filter(|memory| !matches!(memory.space, MemorySpace::Constant | MemorySpace::Texture))
    else {
        return false;
    };
    with_memory(view.kernel, true, |memory| {
        let inst = view.inst as u32;
        if !memory.is_by_lane(inst) {
            return false;
        }
        if touched.space == MemorySpace::Local {
            local(view, memory, text);
            return false;
        }
        access(view, memory, text)
    })
}

/// Writes the purpose of a local-memory access: a register spill, or an array or variable of the
/// thread.
fn local(view: &View<'_>, memory: &Memory<'_>, text: &mut String) {
    let inst = view.inst as u32;
    let role = Frame::analyse(memory).roles.remove(&inst);
    match role {
        Some(Role::Spill { others }) => {
            let named: Vec<String> =
                others.iter().take(MAX_OTHERS).map(|&other| view.kernel.located(other)).collect();
            let stores =
                view.kernel.program().instructions[view.inst].memory.is_some_and(|memory| memory.stores);
            let (does, side) = if stores { ("Spills", "restored") } else { ("Restores", "saved") };
            let _ = writeln!(text, "\n- {does} a register, {side} by {}", named.join(", "));
        }
        _ => {
            let _ = writeln!(
                text,
                "\n- Accesses an array or variable of the thread that is not kept in registers"
            );
        }
    }
}

fn access(view: &View<'_>, memory: &Memory<'_>, text: &mut String) -> bool {
    let inst = view.inst as u32;
    let lost = |launched: &SimulatedLaunch| {
        let beyond = |asked: &MemoryUse| {
            asked.wavefronts - asked.wavefronts_ideal + asked.sectors - asked.sectors_ideal
        };
        launched.asked(inst).filter(|asked| asked.known).map_or(-1.0, beyond)
    };
    let mut launches: Vec<&SimulatedLaunch> = memory.launches.iter().collect();
    launches.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    let Some(&worst) = launches.first() else { return false };
    text.push('\n');
    let address = memory.formula(inst, false, Some(&worst.launch)).map(|formula| {
        let (formula, unknown) = with_named_unknowns(&formula);
        let meaning = match unknown.as_slice() {
            [] => String::new(),
            [only] => format!(" ({only}: {})", meaning_of_unknown(view, memory)),
            several => format!(" ({}: unknown values)", several.join(", ")),
        };
        format!("Address = {}{meaning}", code(&formula))
    });
    let destination = memory.formula(inst, true, Some(&worst.launch)).map(|formula| code(&formula));
    let _ = match (address, destination) {
        (Some(address), Some(to)) => writeln!(text, "- {address}, to shared memory at {to}"),
        (Some(address), None) => writeln!(text, "- {address}"),
        (None, Some(to)) => writeln!(text, "- To shared memory at {to}"),
        (None, None) => Ok(()),
    };
    for launched in launches.iter().take(MAX_LAUNCHES) {
        figures(view, memory, launched, text);
    }
    let Some(asked) = worst.asked(inst).filter(|asked| asked.worst.is_some()) else { return false };
    source(view, asked, text);
    let of_copy = asked.worst.as_ref().is_some_and(|worst| worst.destination.is_some());
    // Only the panel draws an optimal access, because in a hover the drawing would fill a third of the
    // screen.
    let is_optimal = asked.wavefronts <= asked.wavefronts_ideal && asked.sectors <= asked.sectors_ideal;
    if asked.known && is_optimal {
        return true;
    }
    // For a copy, draw the destination if its wavefronts conflict, otherwise the source.
    let of_destination = of_copy && asked.wavefronts > asked.wavefronts_ideal;
    let Some(picture) = Picture::draw(memory, inst, asked, of_destination) else { return false };
    let [x, y, z] = picture.block;
    let _ = writeln!(
        text,
        "- Worst simulated request: warp {}, block ({x}, {y}, {z})\n\n```text\n{}```",
        picture.warp,
        picture.drawn()
    );
    true
}

/// Renames the unknown values of a formula to `x`, or to `x1`, `x2` and so on. Returns the formula and
/// the new names.
fn with_named_unknowns(formula: &str) -> (String, Vec<String>) {
    let is_unknown = |word: &str| {
        word.strip_prefix('u')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let split = |text: &str| -> Vec<String> {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
        let mut words: Vec<String> = Vec::new();
        for letter in text.chars() {
            match words.last_mut() {
                Some(last) if is_word(letter) && last.ends_with(is_word) => last.push(letter),
                _ => words.push(letter.to_string()),
            }
        }
        words
    };
    let words = split(formula);
    let mut unknown: Vec<&String> = Vec::new();
    for word in words.iter().filter(|word| is_unknown(word)) {
        if !unknown.contains(&word) {
            unknown.push(word);
        }
    }
    let name = |at: usize| if unknown.len() == 1 { "x".to_owned() } else { format!("x{}", at + 1) };
    let named = words.iter().map(|word| match unknown.iter().position(|other| *other == word) {
        Some(at) => name(at),
        None => word.clone(),
    });
    (named.collect(), (0..unknown.len()).map(name).collect())
}

/// Describes the origin of the unknown value in an address: a load, another instruction, or a register
/// that is never written.
fn meaning_of_unknown(view: &View<'_>, memory: &Memory<'_>) -> String {
    match origin(memory, view.inst as u32) {
        Some(Origin::Loaded(load)) => format!("loaded by {}", view.kernel.located(load)),
        Some(Origin::Other(at)) => format!("computed by {}", view.kernel.located(at)),
        Some(Origin::Unwritten(register)) => {
            format!("{}, which no instruction here writes", name_of(view, register))
        }
        _ => "an unknown value".to_owned(),
    }
}

/// Writes one line with the cost of the requests at a launch, or the reason why the cost is unknown.
fn figures(view: &View<'_>, memory: &Memory<'_>, launched: &SimulatedLaunch, text: &mut String) {
    let inst = view.inst as u32;
    let at = at_launch(view, launched);
    let Some(asked) = launched.asked(inst).filter(|asked| asked.on > 0.0) else {
        let _ = writeln!(text, "- {}. {at}", unreached(view.kernel, memory, launched, inst));
        return;
    };
    if asked.misaligned {
        let _ = writeln!(text, "- Misaligned: an address is not a multiple of the access's size. {at}");
        return;
    }
    if !asked.known {
        let _ = writeln!(text, "- Address pattern unknown: {}. {at}", why_unknown(view, memory, launched));
        return;
    }
    let mut parts = Vec::new();
    if asked.wavefronts_ideal > 0.0 {
        parts.push(shown(launched.wavefronts(inst), "wavefront"));
    }
    if asked.sectors_ideal > 0.0 {
        parts.push(shown(launched.sectors(inst), "sector"));
    }
    let requests = launched.requests(inst);
    let _ = writeln!(
        text,
        "- {} per request, {} per warp. {at}",
        parts.join(" and "),
        requests_in_words(requests)
    );
}

/// Returns why no simulated warp makes a request with an instruction. The text starts a sentence.
pub(crate) fn unreached(
    kernel: &KernelView<'_>,
    memory: &Memory<'_>,
    launched: &SimulatedLaunch,
    inst: u32,
) -> String {
    match memory.reached_by(inst, launched) {
        None => "Not reached by any simulated warp".to_owned(),
        Some(ReachUncertainty::Parameter(parameter)) => {
            format!(
                "Unknown whether this access is reached: the condition depends on `{parameter}`, which the launch \
                 does not state"
            )
        }
        Some(ReachUncertainty::Branch(branch)) => format!(
            "Unknown whether this access is reached: {} depends on a value that the launch does not determine",
            kernel.located(branch)
        ),
        Some(ReachUncertainty::Assumed(branch)) => format!(
            "Assumed not to be reached: {} skips this access, because of the stated trip counts or because slow \
             paths are rare",
            kernel.located(branch)
        ),
        Some(ReachUncertainty::Cut) => "Not reached before the simulation stopped".to_owned(),
    }
}

/// Formats a number of requests: `4 requests`.
fn requests_in_words(requests: f64) -> String {
    let shown = counted(requests);
    let s = if shown == "1" { "" } else { "s" };
    format!("{shown} request{s}")
}

/// Formats a cost and its minimum: `8 wavefronts (1 would suffice)`.
fn shown(taken: CostPerRequest, what: &str) -> String {
    let (shown, least) = (counted(taken.taken), counted(taken.ideal));
    let s = if shown == "1" { "" } else { "s" };
    if shown == least {
        format!("{shown} {what}{s} (optimal)")
    } else {
        format!("{shown} {what}{s} ({least} would suffice)")
    }
}

/// Describes the simulated warps: ``Simulated 64 of 4096 warps of launch `gemm-2048` ``.
fn at_launch(view: &View<'_>, launched: &SimulatedLaunch) -> String {
    let [x, y, z] = launched.launch.block;
    let which = match &launched.launch.name {
        Some(name) => format!("launch {}", code(name)),
        None if launched.launch.assumed => {
            let refused = launch::refused(view.kernel.sass, view.kernel.chunk);
            let why = refused.map_or_else(String::new, |refused| format!("; {}", refused.in_words()));
            let assumed = if launched.launch.is_guess() { "an assumed launch" } else { "an assumed grid" };
            format!("{assumed} (block {x} x {y} x {z}{why})")
        }
        None => format!("the launch with block {x} x {y} x {z}"),
    };
    let with = if launched.launch.measured.is_some() { ", with profile" } else { "" };
    format!("Simulated {} of {} warps of {which}{with}", launched.survey.warps, launched.survey.all_warps)
}

fn why_unknown(view: &View<'_>, memory: &Memory<'_>, launched: &SimulatedLaunch) -> String {
    let inst = view.inst as u32;
    let named = |at: u32| view.kernel.located(at);
    if let Some(Origin::Loaded(load)) = origin(memory, inst) {
        return format!("the address comes from memory (loaded by {})", named(load));
    }
    if let Some(parameter) = memory.unstated(inst, &launched.launch) {
        return format!("the address depends on `{parameter}`, which the launch does not state");
    }
    match origin(memory, inst) {
        Some(Origin::Other(at)) => format!("the address depends on {}", named(at)),
        Some(Origin::Unwritten(register)) => {
            format!("the address depends on {}, which no instruction here writes", name_of(view, register))
        }
        _ => "the addresses, or the active lanes, could not be determined".to_owned(),
    }
}

/// Returns the name of a register as the text spells it.
fn name_of(view: &View<'_>, register: Register) -> String {
    let named = (register.file == RegisterFile::Named)
        .then(|| view.kernel.program().names.get(usize::from(register.index)))
        .flatten();
    named.map_or_else(|| register.to_string(), |name| code(name))
}

/// Writes a line with the sources of the rules by which wavefronts or sectors are counted.
fn source(view: &View<'_>, asked: &MemoryUse, text: &mut String) {
    let arch = &view.kernel.program().arch;
    let (resources, rules) = (&arch.resources, &arch.requests);
    let of = |known: &Known<u32>| known.source.clone();
    let sources: Vec<Source> = if asked.space == MemorySpace::Shared {
        vec![of(&resources.shared_banks), of(&rules.shared_word), of(&rules.shared_load_merge)]
    } else {
        vec![of(&rules.sector_bytes), of(&rules.line_bytes), of(&rules.global_split_bytes)]
    };
    // Rules about merging or splitting wide loads do not apply to narrow loads.
    let is_wide = asked.bytes_per_lane > resources.shared_bank_width.value;
    let mut shown: Vec<String> = Vec::new();
    for source in &sources[..if is_wide { 3 } else { 2 }] {
        let source = source.to_string();
        if !shown.contains(&source) {
            shown.push(source);
        }
    }
    let estimated = sources[..if is_wide { 3 } else { 2 }].iter().any(Source::is_estimate);
    let estimated = if estimated { "; estimated" } else { "" };
    let _ = writeln!(text, "- Counted from the lanes' addresses. Source: {}{estimated}", shown.join("; "));
}
