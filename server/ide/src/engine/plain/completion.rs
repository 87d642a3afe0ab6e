//! Proposals, as clients get them.

use std::ops::Range;

/// Proposals for a place, the likeliest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completions {
    /// The word that an item replaces; empty where none has begun.
    pub range: Range<usize>,
    /// The opcode that the modifiers among the items are for; empty for other items.
    pub opcode: String,
    pub items: Vec<Completion>,
}

/// A text that is proposed at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Text that is shown and inserted.
    pub label: String,
    pub kind: CompletionKind,
    /// A few words shown next to the label; may be empty.
    pub detail: String,
    /// Sentences in Markdown; empty where the item says all by itself, and where it [has a page](CompletionKind::has_page).
    pub documentation: String,
    /// Text that is inserted instead where stops can be jumped to: `${1:-}` is a stop that holds a dash.
    pub snippet: Option<String>,
    /// Text that what is typed is compared with; `None` where that is the label.
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

    /// Creates an item with the beginning of a sentence as its detail, and the whole sentence as its documentation.
    pub(crate) fn explained(label: &str, kind: CompletionKind, sentence: &str) -> Self {
        let short = in_short(sentence);
        let is_all = kind.has_page() || short.len() + 1 >= sentence.len();
        let documentation = if is_all { String::new() } else { sentence.to_owned() };
        Self { documentation, ..Self::new(label, kind, &short) }
    }
}

/// Most characters of a detail: a menu of whole sentences hides the text and the other items.
const SHORT: usize = 44; // limit: the width that editors give a menu

/// Returns a sentence's beginning, without marks: as many of its parts as are short together, else as many of its words.
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
    // One letter is for the sign that there is more.
    let end = plain[..most].trim_end().rfind(' ').unwrap_or(0);
    if end == 0 { String::new() } else { format!("{}…", plain[..end].trim_end_matches([',', ';', ':'])) }
}

/// Kind of a proposed text; clients choose its icon by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CompletionKind {
    Opcode,
    /// A key or a table of a launches file.
    Key,
    /// A value in a launches file.
    Value,
    Modifier,
    SpecialRegister,
    Register,
    /// A name that the assembler maps to a register or a constant.
    Name,
    Label,
    ControlCode,
    /// A word with a dot that is no modifier: `.reg`.
    Directive,
    /// The type of a declaration.
    Type,
    Function,
    /// A name with an address: a parameter or a variable.
    Variable,
    /// Several lines to be filled in.
    Snippet,
}

impl CompletionKind {
    /// True for items that [`Analysis::completion_page`](crate::Analysis::completion_page) says more of.
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
