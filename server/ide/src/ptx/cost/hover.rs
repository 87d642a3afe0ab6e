//! The hover's section on what an instruction of PTX is estimated to cost.

use super::ESTIMATED;
use crate::kernel::Answer;
use crate::ptx::View;
use std::fmt::Write;

/// The SASS that is expected for a statement, and what is known of its first instruction. `None` where none is expected.
pub(crate) fn cost(view: &View<'_>, item: usize, statement: usize) -> Answer<Option<String>> {
    let Some(hidden) = view.cost(item) else { return Ok(None) };
    let Some((chunk, start)) = hidden.chunk() else { return Ok(None) };
    let own: Vec<usize> =
        (0..chunk.instructions().len()).filter(|&inst| hidden.statement(inst) == Some(statement)).collect();
    let gpu = view.target_gpu().describe();
    let mut text = format!("**Cost ({ESTIMATED})**, {gpu}\n");
    let Some(&first) = own.first() else {
        text.push_str("\nNo instruction of its own: it is folded into others or not needed.\n");
        return Ok(Some(text));
    };
    text.push_str("\n```sass\n");
    for &inst in &own {
        let line = chunk.line_text(chunk.instructions()[inst].line as usize);
        let shown = line.split("/* 0x").next().unwrap_or(line);
        let _ = writeln!(text, "{}", shown.trim());
    }
    text.push_str("```\n");
    if hidden.cost.unknown.iter().any(|&unknown| unknown as usize == statement) {
        text.push_str("\nWhat ptxas makes of it is not known here.\n");
    }
    let instruction = &chunk.instructions()[first];
    let mnemonic = chunk.mnemonic_token(instruction).start;
    let line = &chunk.lines()[instruction.line as usize];
    let hover = hidden.analysis.hover(start + line.start as usize + usize::from(mnemonic))?;
    if let Some(hover) = hover {
        let _ = write!(text, "\n{}", without_links(&hover.markdown));
    }
    text.push_str(&hidden.doubts());
    Ok(Some(text))
}

/// Markdown with the links to the hidden listing's lines as plain text.
fn without_links(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some((before, behind)) = rest.split_once("](#L") {
        match before.rfind('[') {
            Some(open) => {
                text.push_str(&before[..open]);
                text.push_str(&before[open + 1..]);
            }
            None => text.push_str(before),
        }
        rest = behind.split_once(')').map_or("", |(_, behind)| behind);
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_become_their_text() {
        assert_eq!(without_links("a [line 4](#L4) b [c](d)"), "a line 4 b [c](d)");
        assert_eq!(without_links("none"), "none");
    }
}
