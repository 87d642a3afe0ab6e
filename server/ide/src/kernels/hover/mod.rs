//! Costs of compiled code in hovers: times and memory access of an instruction, and launches of a
//! kernel.

mod memory;
mod stall;
mod times;
mod view;

pub(crate) use memory::{unreached, write as write_access};
pub(crate) use times::{write_first as write_first_times, write_rest as write_other_times};
pub(crate) use view::{View, named};

use crate::Hover;
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::kernels::places::printed;
use crate::kernels::predict::PredictionInputs;
use crate::kernels::{advice, launch, lenses};
use crate::words::markdown::code;
use model::Launch;

/// Returns a hover with the times and the memory access of a SASS instruction that a PTX document was lowered to.
pub(crate) fn figures(sass: &SassView, index: usize, inst: usize) -> Cancellable<Hover> {
    let mut said = Hover { range: 0..0, markdown: String::new(), links: Vec::new() };
    let kernel = sass.kernel(index);
    let view = View::new(&kernel, inst)?;
    times::write_first(&view, &mut said.markdown, &mut said.links);
    times::write_rest(&view, &mut said.markdown);
    memory::write(&view, &mut said.markdown);
    Ok(said)
}

/// Formats the facts about a kernel at each launch as Markdown.
pub(crate) fn kernel(kernel: &KernelView<'_>) -> Cancellable<String> {
    let launches = launch::launches(kernel);
    let details = launches.iter().enumerate().map(|(number, (launch, times))| {
        let mut text = lenses::detail(&PredictionInputs { kernel, launch, number, times })?;
        // The steps change the code, but the profile's counts apply to the unchanged code.
        let uncounted = Launch { measured: None, ..launch.clone() };
        text.push_str(&advice::markdown(kernel, &uncounted));
        Ok(text)
    });
    Ok(details.collect::<Cancellable<Vec<_>>>()?.join("\n---\n\n"))
}

/// Returns the byte offset in a hover's Markdown after the line that shows the instruction. `None` if
/// the hover does not describe an instruction.
pub(crate) fn headline_end(sass: &SassView, offset: usize, markdown: &str) -> Option<usize> {
    let line = sass.line_at(offset)?;
    let inst = line.instruction()?;
    let headline = format!("{}\n", code(&printed(&sass.listing().chunks()[line.index], inst)));
    let is_line = |at: &usize| *at == 0 || markdown[..*at].ends_with('\n');
    let at = markdown.match_indices(&headline).map(|(at, _)| at).find(is_line)?;
    Some(at + headline.len())
}
