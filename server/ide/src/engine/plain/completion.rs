//! Completions in the form that clients receive.

use std::ops::Range;

/// Completions at an offset, most likely first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completions {
    /// Range of the word that an item replaces. Empty if no word has been started.
    pub range: Range<usize>,
    /// Opcode that the proposed modifiers belong to. Empty if the items are not modifiers.
    pub opcode: String,
    pub items: Vec<Completion>,
}

/// A proposed completion item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Label of the item. Also the inserted text, if there is no snippet.
    pub label: String,
    pub kind: CompletionKind,
    /// Short description next to the label. May be empty.
    pub detail: String,
    /// Documentation in Markdown. Empty if the label and the detail are sufficient, or if the item [has a
    /// page](CompletionKind::has_page).
    pub documentation: String,
    /// Snippet that replaces the inserted text if the editor supports tab stops. `${1:-}` is a tab stop that
    /// contains a dash.
    pub snippet: Option<String>,
    /// Text that the typed letters are matched against. `None` if they are matched against the label.
    pub filter: Option<String>,
}

impl Completion {
    pub(crate) fn new(label: &str, kind: CompletionKind, detail: &str) -> Self {
        Self {
            label: label.to_owned(),
            kind,
            detail: detail.to_owned(),
            documentation: String::new(),
            snippet: None,
            filter: None,
        }
    }

    /// Creates an item whose detail is the start of `sentence`. The documentation is the whole sentence; it is empty if
    /// the detail already contains all of it, or if items of this type have a page.
    pub(crate) fn explained(label: &str, kind: CompletionKind, sentence: &str) -> Self {
        let short = in_short(sentence);
        let is_all = kind.has_page() || short.len() + 1 >= sentence.len();
        let documentation = if is_all { String::new() } else { sentence.to_owned() };
        Self { documentation, ..Self::new(label, kind, &short) }
    }
}

/// Maximum number of characters in a detail. A menu of whole sentences would hide the document and the other items.
const SHORT: usize = 44; // limit: usual width of an editor's completion menu

/// Returns the start of a sentence, without markup. The cut is after the last clause that fits, otherwise after the
/// last word that fits.
fn in_short(sentence: &str) -> String {
    const PARTS: [&str; 5] = [". ", "; ", ": ", ", ", " ("];
    let plain = sentence.trim().trim_end_matches('.').replace('`', "");
    if plain.chars().count() <= SHORT {
        return plain;
    }
    let most = plain.char_indices().nth(SHORT).map_or(plain.len(), |(at, _)| at);
    let is_whole = |part: &str| part.matches('(').count() == part.matches(')').count();
    let ends = PARTS.iter().flat_map(|mark| plain.match_indices(mark)).map(|(at, _)| at);
    if let Some(end) = ends.filter(|&end| end <= most && is_whole(&plain[..end])).max() {
        return plain[..end].to_owned();
    }
    // One character is reserved for the ellipsis.
    let end = plain[..most].trim_end().rfind(' ').unwrap_or(0);
    if end == 0 { String::new() } else { format!("{}…", plain[..end].trim_end_matches([',', ';', ':'])) }
}

/// Type of a completion item. Determines the icon that clients show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CompletionKind {
    Opcode,
    /// A key or a table of a launches file.
    Key,
    /// A value of a launches file.
    Value,
    Modifier,
    SpecialRegister,
    Register,
    /// A name that the assembler maps to a register or a constant.
    Name,
    Label,
    ControlCode,
    /// A word that starts with a dot and is not a modifier: `.reg`.
    Directive,
    /// The type of a declaration.
    Type,
    Function,
    /// A name with an address: a parameter or a variable.
    Variable,
    /// Several lines with tab stops.
    Snippet,
}

impl CompletionKind {
    /// True if [`Analysis::completion_page`](crate::Analysis::completion_page) has a page for items of this
    /// type.
    pub const fn has_page(self) -> bool {
        matches!(self, Self::Opcode | Self::Modifier | Self::SpecialRegister | Self::Directive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_cut_where_a_part_of_it_ends() {
        for (sentence, short) in [
            ("", ""),
            ("Tests less than.", "Tests less than"),
            ("Rounds to nearest, ties to even.", "Rounds to nearest, ties to even"),
            ("Width of the access in bits; 32 bits are not printed.", "Width of the access in bits"),
            (
                "`IMAD.MOV Rd, RZ, RZ, Rb`: a plain copy, done on the multiplier.",
                "IMAD.MOV Rd, RZ, RZ, Rb: a plain copy",
            ),
            ("Takes a value (two registers, an aligned pair of them) and more.", "Takes a value"),
            (
                "Flushes subnormal inputs and results to zero with their sign.",
                "Flushes subnormal inputs and results to…",
            ),
        ] {
            assert_eq!(in_short(sentence), short);
            assert!(in_short(sentence).chars().count() <= SHORT);
        }
    }

    #[test]
    fn a_sentence_is_said_once() {
        let of = |kind, sentence| Completion::explained("x", kind, sentence).documentation;
        assert_eq!(of(CompletionKind::Type, "Single precision."), "");
        let long = "Waits for nothing; the next instruction may issue in the next cycle.";
        assert_eq!(of(CompletionKind::ControlCode, long), long);
        assert_eq!(of(CompletionKind::Modifier, long), "", "its page says it");
    }
}
