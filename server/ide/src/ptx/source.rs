//! PTX source as passed to ptxas, and the locations of ptxas messages.

use std::ops::Range;
use syntax::ptx::{FunctionKind, Item, ItemKind, Module, TokenKind};

/// Source text to compile. Lines are 0-based and end at a line feed, as in ptxas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxSource {
    /// The document, with line markers (`# 12 "kernel.cu"`) replaced by blanks of equal length. With
    /// the markers, ptxas would report lines of another file.
    pub text: String,
    /// Architecture in the `.target` directive, such as `sm_90a`; `None` if the directive has no
    /// architecture.
    pub target: Option<String>,
    /// Functions in text order.
    pub functions: Vec<PtxFunction>,
    /// Start offset of each line.
    starts: Vec<usize>,
}

/// An `.entry` or `.func`. A function with a separate declaration appears twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxFunction {
    pub name: String,
    /// True for an `.entry`, which the host can launch.
    pub is_kernel: bool,
    pub has_body: bool,
    /// Byte range of the name.
    pub name_range: Range<usize>,
    /// Lines of the function, from its first token to its last.
    pub lines: Range<u32>,
}

impl PtxSource {
    pub(crate) fn new(module: &Module) -> Self {
        let mut text = module.text().into_bytes();
        let line_feeds = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(line_feeds).collect();
        let mut functions = Vec::new();
        for (index, item) in module.items().iter().enumerate() {
            let at = module.start(index);
            for marker in item.comments().iter().filter(|comment| comment.kind == TokenKind::LineMarker) {
                let range =
                    at.byte as usize + marker.start as usize..at.byte as usize + marker.end() as usize;
                for byte in &mut text[range] {
                    if !matches!(byte, b'\n' | b'\r') {
                        *byte = b' ';
                    }
                }
            }
            functions.extend(function(item, at.byte as usize, &starts));
        }
        let target = module.target().find(|word| word.starts_with("sm_")).map(str::to_owned);
        // Markers were blanked completely, so no character was cut.
        let text = String::from_utf8(text).unwrap_or_else(|_| module.text());
        Self { text, target, functions, starts }
    }

    /// Start offset of each line.
    pub fn line_starts(&self) -> &[usize] {
        &self.starts
    }

    /// Byte range for a ptxas message. If the message has a 1-based line: the word that the message quotes if it occurs
    /// exactly once in the line, otherwise the line. If the message has no line: the name of the function that the
    /// message quotes, otherwise the first line.
    pub fn place_of(&self, line: Option<u32>, message: &str) -> Range<usize> {
        let quoted: Vec<&str> =
            message.split('\'').skip(1).step_by(2).filter(|word| !word.trim().is_empty()).collect();
        let Some(line) = line else {
            let of_name = |name: &&str| self.functions.iter().rfind(|function| function.name == **name);
            let function = quoted.iter().find_map(of_name);
            return function.map_or_else(|| self.visible(0), |function| function.name_range.clone());
        };
        let visible = self.visible((line as usize).saturating_sub(1));
        let text = &self.text[visible.clone()];
        let only = |word: &&str| {
            let mut places = whole_words(text, word);
            places.next().filter(|_| places.next().is_none())
        };
        quoted
            .iter()
            .find_map(only)
            .map_or(visible.clone(), |at| visible.start + at.start..visible.start + at.end)
    }

    /// Range of a line without surrounding white space. If `line` is past the end, the last line is
    /// used.
    fn visible(&self, line: usize) -> Range<usize> {
        let line = line.min(self.starts.len() - 1);
        let start = self.starts[line];
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = &self.text[start..end];
        let start =
            start + (text.len() - text.trim_start().len()).min(text.trim_end_matches(['\n', '\r']).len());
        start..start + self.text[start..end].trim_end().len()
    }
}

fn function(item: &Item, start: usize, starts: &[usize]) -> Option<PtxFunction> {
    let function = item.function().filter(|_| item.kind() == ItemKind::Function)?;
    let name = item.name_token()?;
    let (first, last) = (item.tokens().first()?, item.tokens().last()?);
    let line = |byte: u32| (starts.partition_point(|at| *at <= start + byte as usize) - 1) as u32;
    Some(PtxFunction {
        name: item.token_text(name).to_owned(),
        is_kernel: function.kind == FunctionKind::Entry,
        has_body: function.body.is_some(),
        name_range: start + name.start as usize..start + name.end() as usize,
        lines: line(first.start)..line(last.end().saturating_sub(1)) + 1,
    })
}

/// Occurrences of a word that are not part of a longer name.
fn whole_words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Range<usize>> + use<'t> {
    let goes_on = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '%');
    text.match_indices(word).map(|(at, word)| at..at + word.len()).filter(move |range| {
        let before = text[..range.start].chars().next_back().is_some_and(goes_on);
        let following = text[range.end..].chars().next().is_some_and(goes_on);
        let (first, last) = (word.chars().next(), word.chars().next_back());
        !(before && first.is_some_and(goes_on) || following && last.is_some_and(goes_on))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> PtxSource {
        PtxSource::new(&Module::parse(text))
    }

    const TEXT: &str = "// é\n.version 8.0\n.target sm_90a, debug\n# 100 \"a.cu\"\n.func f;\n\n.entry k()\n{\n  \
                        add.u32 %r1, %r1, %r11; # 7 \"é\"\n\n}\n";

    #[test]
    fn line_markers_are_blank_and_all_else_stays() {
        let made = source(TEXT);
        let expected = TEXT
            .replace("# 100 \"a.cu\"", &" ".repeat(12))
            .replace("# 7 \"é\"", &" ".repeat("# 7 \"é\"".len()));
        assert_eq!(made.text, expected);
        assert_eq!(made.target.as_deref(), Some("sm_90a"));
        let reported: Vec<_> = made
            .functions
            .iter()
            .map(|f| (f.name.as_str(), f.is_kernel, f.has_body, f.lines.clone()))
            .collect();
        assert_eq!(reported, [("f", false, false, 4..5), ("k", true, true, 6..11)]);
    }

    #[test]
    fn a_message_is_at_its_subject() {
        let made = source(TEXT);
        let at = |line, message: &str| &TEXT[made.place_of(line, message)];
        assert_eq!(at(Some(9), "Unknown symbol '%r11'"), "%r11");
        assert_eq!(at(Some(9), "Arguments mismatch for instruction 'add'"), "add");
        // The word is twice on the line, not on the line, or part of another word.
        assert!(at(Some(9), "Unknown symbol '%r1'").starts_with("add.u32"));
        assert!(at(Some(9), "near 'x': ''").starts_with("add.u32"));
        assert!(at(Some(9), "Unknown symbol 'r11'").starts_with("add.u32"));
        assert_eq!(at(Some(10), "near ''"), "");
        assert_eq!(at(Some(99), "near ''"), "");
        assert_eq!(at(None, "Entry function 'k' uses too much shared data"), "k");
        assert_eq!(at(None, "Something"), "// é");
        let empty = source("");
        assert_eq!(empty.place_of(Some(1), "x"), 0..0);
        assert_eq!(empty.place_of(None, "x"), 0..0);
        let blank = source("  \n x");
        assert_eq!(blank.place_of(Some(1), "x"), 2..2);
    }
}
