//! Hover section on directives, types, operand selectors and source locations.

use super::super::{links, needs};
use super::token_at_cursor::{HoverText, TokenAtCursor};
use crate::words::markdown::code;
use std::fmt::Write;
use syntax::ptx::{Location, SourceFile, StatementKind};

/// Explains a directive, or a type in a declaration.
pub(super) fn directive(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    location(at, text);
    if !text.markdown.is_empty() {
        text.line("");
    }
    let word = at.word();
    let table = &at.view.table;
    // A word that is both a type and a directive is a type in declarations, and a directive at the
    // start of a row in a section.
    let is_row = matches!(at.statement.kind, StatementKind::Data | StatementKind::Directive);
    let is_type = table.type_of(word.get(1..).unwrap_or_default()).is_some();
    let found = table.directive(word).filter(|_| is_row || !is_type);
    // Words such as `.param::entry` and `.const[2]` are explained by their first component.
    let stem = word.split(['[', ':']).next().unwrap_or(word);
    if let Some(directive) = found.or_else(|| table.directive(stem).filter(|_| stem != word)) {
        let _ = writeln!(text.markdown, "**`{word}`**: {}", directive.meaning);
        let _ = writeln!(text.markdown, "\nNeeds {}.", needs::in_words(&directive.need));
        if let Some(lack) = needs::lack(at.view, &directive.need) {
            let _ = writeln!(text.markdown, "\n**Not here**: {lack}.");
        }
    } else if let Some(meaning) = table.modifier("", word.get(1..).unwrap_or_default()) {
        let _ = writeln!(text.markdown, "**`{word}`**: {meaning}");
    }
}

/// Explains a selector of an operand component: `.x`, `.b0`. Modifiers are explained with the
/// instruction.
pub(super) fn selector(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    let StatementKind::Instruction { operands, .. } = at.statement.kind else { return };
    if at.index < operands as usize {
        return;
    }
    let word = at.word();
    let said = match word {
        ".x" | ".r" => "The first component.",
        ".y" | ".g" => "The second component.",
        ".z" | ".b" => "The third component.",
        ".w" | ".a" => "The fourth component.",
        _ => return part(word, text),
    };
    let _ = writeln!(text.markdown, "**`{word}`**: {said}");
}

/// Explains a byte selector such as `.b2` or a half selector such as `.h1`.
fn part(word: &str, text: &mut HoverText) {
    let (Some(kind), Some(Ok(number))) = (word.get(1..2), word.get(2..).map(str::parse::<u32>)) else {
        return;
    };
    let (what, bits) = match kind {
        "b" if number < 4 => ("Byte", 8),
        "h" if number < 2 => ("Half", 16),
        _ => return,
    };
    let _ = writeln!(
        text.markdown,
        "**`{word}`**: {what} {number} of the register, bits {} to {}.",
        number * bits,
        number * bits + bits - 1
    );
}

/// Explains the source file of a `.file` directive or the source location of a `.loc` directive.
pub(super) fn location(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    let item = at.place.item;
    if let Some(file) = SourceFile::read(item, at.statement) {
        let _ = writeln!(text.markdown, "File {}: {}", file.index, code(&syntax::source_path(file.path)));
        return;
    }
    let Some(location) = Location::read(item, at.statement) else { return };
    let files = links::files(at.view);
    let place = |place: syntax::ptx::SourceLocation| {
        let file = files.get(&place.file).map_or_else(|| format!("file {}", place.file), |path| code(path));
        match (place.line, place.column) {
            (0, _) => format!("{file}, without a line"),
            (line, 0) => format!("{file}, line {line}"),
            (line, column) => format!("{file}, line {line}, column {column}"),
        }
    };
    let _ = writeln!(text.markdown, "{}", place(location.place));
    if let Some(into) = location.inlined_at {
        let _ = writeln!(text.markdown, "\nInlined into {}", place(into));
    }
}
