//! Formatting changes only white space, is idempotent, and leaves the output of a disassembler unchanged.

use crate::documents::{apply, opened};
use crate::files::{Sample, all};
use ide::TextEdit;
use syntax::sass::{Dialect, Listing, TokenKind};

fn format(text: &str) -> Vec<TextEdit> {
    opened(text).format(None).expect("nothing cancels it")
}

/// The tokens of each line, without their positions.
fn words(listing: &Listing) -> impl Iterator<Item = Vec<(TokenKind, &str)>> {
    let chunks = listing.chunks().iter();
    let lines = chunks.flat_map(|chunk| (0..chunk.lines().len()).map(move |line| (chunk, line)));
    lines.map(|(chunk, line)| {
        let text = chunk.line_text(line);
        chunk.line_tokens(line).iter().map(|token| (token.kind, token.text(text))).collect()
    })
}

#[test]
fn formatting_changes_white_space_alone() {
    let mut formatted_samples = 0;
    for Sample { name, text } in all() {
        let edits = format(&text);
        let before = Listing::parse(&text);
        if !before.dialect().is_some_and(Dialect::is_source) {
            assert_eq!(edits, [], "{name} is a listing");
            continue;
        }
        let formatted = apply(&text, &edits);
        let after = Listing::parse(&formatted);
        assert!(words(&before).eq(words(&after)), "{name}: the words are others");
        assert_eq!(format(&formatted), [], "{name}: formatted again it changes");
        formatted_samples += usize::from(!edits.is_empty());
    }
    if formatted_samples == 0 {
        testkit::left_out("no hand-written source is among the repository's own listings");
    }
}
