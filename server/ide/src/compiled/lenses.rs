//! Code lenses above the kernels of a source file, from its compiled code.

use super::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::code::UnlistedKernel;
use crate::engine::names;
use crate::kernels::launch::uncounted;
use crate::kernels::{advice, launch, lenses};
use crate::{Lens, LensLocation, LensSubject};
use std::ops::Range;

/// Prefix of facts about code that was compiled from an older version of the source.
const OLDER: &str = "older code: ";

/// Returns the positions of the lenses: one per launch of each kernel with a source line, and one per kernel without a
/// listing.
pub(crate) fn places(view: &CodeView<'_>) -> Cancellable<Vec<LensLocation>> {
    let mut places = Vec::new();
    if !view.sass.context.config.code_lens {
        return Ok(places);
    }
    for (kernel, chunk) in view.sass.kernels() {
        view.sass.cancel.check()?;
        let Some(range) = head(view, kernel) else { continue };
        let launches = 0..launch::count(&view.sass, chunk);
        places.extend(launches.map(|number| LensLocation {
            range: range.clone(),
            kernel,
            of: LensSubject::Compiled(number),
        }));
    }
    let listed = view.sass.listing().chunks().len();
    for (number, unlisted) in view.code.unlisted.iter().enumerate() {
        if let Some((_, range)) = view.place(unlisted.line) {
            places.push(LensLocation { range, kernel: listed + number, of: LensSubject::Compiled(0) });
        }
    }
    places.sort_by_key(|place| place.range.start);
    Ok(places)
}

/// Returns the lens of a kernel's launch. `kernel` is the index of the chunk with the code. Indices after the
/// last chunk select kernels without a listing.
pub(crate) fn lens(view: &CodeView<'_>, kernel: usize, launch: usize) -> Cancellable<Option<Lens>> {
    if let Some(number) = kernel.checked_sub(view.sass.listing().chunks().len()) {
        return Ok(view.code.unlisted.get(number).and_then(|unlisted| of_unlisted(view, unlisted)));
    }
    let Some(range) = head(view, kernel) else { return Ok(None) };
    let Some(lens) = lenses::at(&view.sass, kernel, LensSubject::Launch(launch))? else { return Ok(None) };
    let from = &view.code.from;
    let age = view.age(names::kernel_name(&view.sass.listing().chunks()[kernel]));
    let mark = if age.is_some() { OLDER } else { "" };
    let older = age.map_or_else(String::new, |age| format!("{age}\n\n"));
    Ok(Some(Lens {
        range,
        title: format!("{}{mark}{}", arguments(view, kernel), lens.title),
        detail: format!(
            "{older}{}\n{}- Code: {}\n",
            lens.detail.trim_end(),
            step(view, kernel, launch),
            from.by
        ),
        is_of_loop: false,
        is_quick: lens.is_quick,
        to_state: lens.to_state,
    }))
}

/// Returns the template arguments of a kernel as a prefix for its facts: `<32, float>: `. Empty if the kernel
/// is not a template. Each instance has its own lens.
fn arguments(view: &CodeView<'_>, kernel: usize) -> String {
    const LONGEST: usize = 40; // limit: leaves space for figures on the line
    let name = names::short_name(&view.sass.listing().chunks()[kernel]);
    let Some(arguments) = names::instance(&name).arguments else { return String::new() };
    match arguments.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("<{}…>: ", &arguments[..end]),
        None => format!("<{arguments}>: "),
    }
}

/// Returns the recommendation to compute more values per thread, with the source lines of the loads that would be
/// reused. Empty if more values per thread would save nothing.
fn step(view: &CodeView<'_>, kernel: usize, launch: usize) -> String {
    let own = view.sass.kernel(kernel);
    let all = uncounted(&own);
    let Some((words, loads)) = all.get(launch).and_then(|(launch, _)| advice::for_source(&own, launch))
    else {
        return String::new();
    };
    let mut lines: Vec<u32> =
        loads.iter().filter_map(|inst| view.own_line_of(kernel, *inst as usize)).collect();
    lines.sort_unstable();
    lines.dedup();
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    let at = match lines.len() {
        0 => String::new(),
        1 => format!(" (loads on line {})", lines[0]),
        _ => format!(" (loads on lines {})", lines.join(", ")),
    };
    format!("- {words}{at}\n")
}

/// Returns a lens with the cubin's facts about a kernel without a listing, and the reason why the listing is
/// missing.
fn of_unlisted(view: &CodeView<'_>, unlisted: &UnlistedKernel) -> Option<Lens> {
    let (_, range) = view.place(unlisted.line)?;
    let registers = unlisted.registers.map_or_else(|| "? reg".to_owned(), |count| format!("{count} reg"));
    let stack = unlisted.stack.filter(|stack| *stack > 0).map(|stack| format!(", {stack} B stack"));
    let age = view.age(&unlisted.name);
    let mark = if age.is_some() { OLDER } else { "" };
    let title = format!(
        "{mark}{registers}, {} B smem{} | no cycles: {}",
        unlisted.shared,
        stack.unwrap_or_default(),
        unlisted.why
    );
    let older = age.map_or_else(String::new, |age| format!("{age}\n\n"));
    let detail = format!("{older}**{}**\n\n- {title}\n- Code: {}\n", unlisted.name, view.code.from.by);
    Some(Lens { range, title, detail, is_of_loop: false, is_quick: false, to_state: None })
}

/// Returns the range of the source line where a kernel starts: the smallest line of its instructions. For
/// inlined instructions, the line of the outermost call counts.
pub(crate) fn head(view: &CodeView<'_>, chunk: usize) -> Option<Range<usize>> {
    let count = view.code.stacks.get(chunk)?.len();
    let line = (0..count).filter_map(|inst| view.outer_line_of(chunk, inst)).min()?;
    Some(view.place(line)?.1)
}
