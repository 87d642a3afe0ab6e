//! Hover section on the estimated cost of a PTX instruction.

use crate::engine::cancel::Cancellable;
use crate::engine::lowered::ESTIMATED;
use crate::kernels::hover::{figures, kernel};
use crate::ptx::view::View;
use std::fmt::Write;

/// Hover text for a statement that is lowered to no instruction.
pub(super) const FOLDED: &str = "No SASS instruction: folded into other instructions or not needed.";

/// Markdown of a hover, and the offsets of its links, as in [`crate::Hover::links`].
pub(crate) struct HoverMarkdown {
    pub markdown: String,
    pub links: Vec<usize>,
}

/// Estimated cycles of a kernel at each of its launches, as text; `None` if the cost is not estimated.
pub(crate) fn of_kernel(view: &View<'_>, item: usize) -> Cancellable<Option<String>> {
    let Some(hidden) = view.cost(item) else { return Ok(None) };
    let Some(shown) = hidden.kernel() else { return Ok(None) };
    let doubts = hidden.placed.cost.doubts();
    Ok(Some(format!("*{ESTIMATED}.{doubts}*\n\n{}", kernel(&shown)?)))
}

/// The SASS expected for a statement, and the figures of the instruction that represents the statement.
/// `None` if the function's cost is not estimated.
pub(crate) fn cost(view: &View<'_>, item: usize, statement: usize) -> Cancellable<Option<HoverMarkdown>> {
    let Some(hidden) = view.cost(item) else { return Ok(None) };
    let Some((chunk, _)) = hidden.chunk() else { return Ok(None) };
    let own = hidden.instructions_of(statement);
    let gpu = view.target_gpu().describe();
    let mut said = HoverMarkdown { markdown: format!("**Cost ({ESTIMATED})**, {gpu}\n"), links: Vec::new() };
    let text = &mut said.markdown;
    if own.is_empty() {
        let _ = writeln!(text, "\n{FOLDED}");
        return Ok(Some(said));
    }
    text.push_str("\n```sass\n");
    for &inst in &own {
        let line = chunk.line_text(chunk.instructions()[inst as usize].line as usize);
        let shown = line.split("/* 0x").next().unwrap_or(line);
        // Drop the address, which belongs to the hidden listing.
        let shown = shown.split_once("*/").map_or(shown, |(_, shown)| shown);
        let _ = writeln!(text, "{}", shown.trim());
    }
    text.push_str("```\n");
    if hidden.placed.cost.unknown.iter().any(|&unknown| unknown as usize == statement) {
        text.push_str("\nHow ptxas expands this instruction is unknown.\n");
    }
    if let Some((index, main)) = hidden.sass.kernels().next().zip(hidden.main_instruction(statement)) {
        let figures = figures(&hidden.sass, index.0, main as usize)?;
        if own.len() > 1 {
            let _ = writeln!(text, "\nFor `{}`:", chunk.mnemonic(&chunk.instructions()[main as usize]));
        }
        let start = text.len();
        text.push_str(&figures.markdown);
        said.links.extend(figures.links.iter().map(|link| start + link));
    }
    let doubts = hidden.placed.cost.doubts();
    if !doubts.is_empty() {
        let _ = writeln!(said.markdown, "\n{}", doubts.trim());
    }
    Ok(Some(said))
}
