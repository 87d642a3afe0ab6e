//! Memory accesses in a hover: the address as a formula, wavefronts and sectors, and a picture of one request.

use super::view::View;
use crate::sass::access::{Picture, with_memory};
use advisor::memory::{Frame, Launched, Memory, Origin, Role, Taken, counted, origin, times};
use machine::{Known, Source};
use model::execution::MemoryUse;
use model::{MemorySpace, Register, RegisterFile};
use std::fmt::Write;

/// Launches of which the figures are shown; there is a picture of one.
const MOST_LAUNCHES: usize = 3;

/// Registers' places that are linked.
const MOST_OTHERS: usize = 3;

/// True where there is a picture.
pub(super) fn write(view: &View<'_>, text: &mut String) -> bool {
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

/// Says what local memory is used for here.
fn local(view: &View<'_>, memory: &Memory<'_>, text: &mut String) {
    let inst = view.inst as u32;
    let role = Frame::analyse(memory).roles.remove(&inst);
    match role {
        Some(Role::Spill { others }) => {
            let named: Vec<String> =
                others.iter().take(MOST_OTHERS).map(|&other| view.kernel.located(other)).collect();
            let stores =
                view.kernel.program().instructions[view.inst].memory.is_some_and(|memory| memory.stores);
            let (does, side) = if stores { ("Spills", "restored") } else { ("Restores", "kept") };
            let _ = writeln!(text, "\n- {does} a register: {side} by {}", named.join(", "));
        }
        _ => {
            let _ = writeln!(text, "\n- Of an array or a variable of the thread that is not in registers");
        }
    }
}

fn access(view: &View<'_>, memory: &Memory<'_>, text: &mut String) -> bool {
    let inst = view.inst as u32;
    let lost = |launched: &Launched| {
        let beyond = |asked: &MemoryUse| {
            asked.wavefronts - asked.wavefronts_ideal + asked.sectors - asked.sectors_ideal
        };
        launched.asked(inst).filter(|asked| asked.known).map_or(-1.0, beyond)
    };
    let mut launches: Vec<&Launched> = memory.launches.iter().collect();
    launches.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    let Some(&worst) = launches.first() else { return false };
    text.push('\n');
    if let Some(formula) = memory.formula(inst, false, Some(&worst.launch)) {
        let _ = writeln!(text, "- Address = `{formula}`");
    }
    if let Some(formula) = memory.formula(inst, true, Some(&worst.launch)) {
        let _ = writeln!(text, "- To shared memory at `{formula}`");
    }
    for launched in launches.iter().take(MOST_LAUNCHES) {
        figures(view, memory, launched, text);
    }
    let Some(asked) = worst.asked(inst).filter(|asked| asked.worst.is_some()) else { return false };
    source(view, asked, text);
    let of_copy = asked.worst.as_ref().is_some_and(|worst| worst.destination.is_some());
    // Of a copy the side that conflicts, if it does.
    let of_destination = of_copy && asked.wavefronts > asked.wavefronts_ideal;
    let Some(picture) = Picture::draw(memory, inst, asked, of_destination) else { return false };
    let [x, y, z] = picture.block;
    let _ = writeln!(
        text,
        "- The costliest request that was run, of warp {} in block ({x}, {y}, {z}):\n\n```text\n{}```",
        picture.warp,
        picture.drawn()
    );
    true
}

/// One line: what the requests take at a launch, or why that is not known.
fn figures(view: &View<'_>, memory: &Memory<'_>, launched: &Launched, text: &mut String) {
    let inst = view.inst as u32;
    let at = at_launch(launched);
    let Some(asked) = launched.asked(inst).filter(|asked| asked.on > 0.0) else {
        let _ = writeln!(text, "- Not executed in this launch: no warp that was run takes part; {at}");
        return;
    };
    if asked.misaligned {
        let _ = writeln!(text, "- Misaligned: an address is no multiple of the access's size; {at}");
        return;
    }
    if !asked.known {
        let _ = writeln!(text, "- Not known what it asks for: {}; {at}", why_unknown(view, memory, launched));
        return;
    }
    let mut parts = Vec::new();
    if asked.wavefronts_ideal > 0.0 {
        parts.push(shown(launched.wavefronts(inst), "wavefront"));
    }
    if asked.sectors_ideal > 0.0 {
        parts.push(shown(launched.sectors(inst), "sector"));
    }
    let requests = times(launched.requests(inst));
    let _ = writeln!(text, "- Takes {} a request, {requests} a warp; {at}", parts.join(" and "));
}

/// `8 wavefronts (1 would do)`.
fn shown(taken: Taken, what: &str) -> String {
    let (shown, least) = (counted(taken.taken), counted(taken.ideal));
    let s = if shown == "1" { "" } else { "s" };
    if shown == least {
        format!("{shown} {what}{s}, no more than needed,")
    } else {
        format!("{shown} {what}{s} ({least} would do)")
    }
}

/// `launch gemm-2048, 64 of 4096 warps run`.
fn at_launch(launched: &Launched) -> String {
    let [x, y, z] = launched.launch.block;
    let which = match &launched.launch.name {
        Some(name) => format!("launch {name}"),
        None if launched.launch.assumed => format!("launch assumed (block {x} x {y} x {z})"),
        None => format!("launch with block {x} x {y} x {z}"),
    };
    let with = if launched.launch.measured.is_some() { ", with profile" } else { "" };
    format!("{which}, {} of {} warps run{with}", launched.survey.warps, launched.survey.all_warps)
}

fn why_unknown(view: &View<'_>, memory: &Memory<'_>, launched: &Launched) -> String {
    let inst = view.inst as u32;
    let named = |at: u32| view.kernel.located(at);
    if let Some(Origin::Loaded(load)) = origin(memory, inst) {
        return format!("the address comes from memory (loaded by {})", named(load));
    }
    if let Some(parameter) = memory.unstated(inst, &launched.launch) {
        return format!("it hangs on `{parameter}`, which the launch does not state");
    }
    match origin(memory, inst) {
        Some(Origin::Other(at)) => format!("the address depends on {}", named(at)),
        Some(Origin::Unwritten(register)) => {
            format!("nothing here writes {}, on which the address depends", name_of(view, register))
        }
        _ => "its address, or which lanes take part, does not follow from the launch".to_owned(),
    }
}

/// A register by the text's own name.
fn name_of(view: &View<'_>, register: Register) -> String {
    let named = (register.file == RegisterFile::Named)
        .then(|| view.kernel.program().names.get(usize::from(register.index)))
        .flatten();
    named.map_or_else(|| register.to_string(), |name| format!("`{name}`"))
}

/// Names the source of the rules by which requests are counted.
fn source(view: &View<'_>, asked: &MemoryUse, text: &mut String) {
    let arch = &view.kernel.program().arch;
    let (resources, rules) = (&arch.resources, &arch.requests);
    let of = |known: &Known<u32>| known.source.clone();
    let sources: Vec<Source> = if asked.space == MemorySpace::Shared {
        vec![of(&resources.shared_banks), of(&rules.shared_word), of(&rules.shared_load_merge)]
    } else {
        vec![of(&rules.sector_bytes), of(&rules.line_bytes), of(&rules.global_split_bytes)]
    };
    // What merges wide loads, or splits them, says nothing of narrow ones.
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
    let _ =
        writeln!(text, "- Counted from the addresses of the lanes. Source: {}{estimated}", shown.join("; "));
}
