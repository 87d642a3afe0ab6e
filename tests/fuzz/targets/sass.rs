//! Any text and any edit: the tree contains every byte, and the edited listing equals the one parsed from scratch.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::sass::Listing;

fuzz_target!(|input: &[u8]| {
    // The first eight bytes are the edit, so that a listing can be a seed unchanged. It replaces a part with a copy of
    // another part.
    let Some((edit, text)) = input.split_first_chunk::<8>() else { return };
    let mut text = String::from_utf8_lossy(text).into_owned();
    let number = |at: usize| usize::from(u16::from_le_bytes([edit[at], edit[at + 1]]));
    let part = |start: usize, length: usize| {
        let boundary = |at: usize| (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let start = start % (text.len() + 1);
        boundary(start)..boundary(text.len().min(start + length % 256))
    };
    let (range, copied) = (part(number(0), number(2)), part(number(4), number(6)));
    let new = text[copied].to_owned();

    let listing = Listing::parse(&text);
    check_tree(&listing, &text);
    let edited = listing.edit(range.clone(), &new);
    text.replace_range(range, &new);
    check_tree(&edited, &text);
    let anew = Listing::parse(&text);
    assert_eq!(edited.dialect(), anew.dialect());
    assert_eq!(edited.sm(), anew.sm());
    assert_eq!(edited.chunks().len(), anew.chunks().len());
    for (edited, anew) in edited.chunks().iter().zip(anew.chunks()) {
        assert_eq!(edited.hash(), anew.hash());
        assert_eq!(edited.name(), anew.name());
        assert_eq!(edited.instructions(), anew.instructions());
        assert_eq!(edited.errors(), anew.errors());
    }
});

fn check_tree(listing: &Listing, text: &str) {
    assert_eq!(listing.text(), text);
    for chunk in listing.chunks() {
        for (index, line) in (0..).zip(chunk.lines()) {
            let text = chunk.line_text(index);
            let mut at = 0;
            for token in chunk.line_tokens(index) {
                let gap = &text[at..token.start as usize];
                assert!(gap.bytes().all(|byte| matches!(byte, b' ' | b'\t')), "{line:?} skips {gap:?}");
                assert!(token.len > 0, "{line:?} has an empty token");
                at = token.end();
            }
            assert!(at <= text.len());
        }
        for error in chunk.errors() {
            let text = chunk.line_text(error.line as usize);
            assert!(text.get(error.range.start as usize..error.range.end as usize).is_some(), "{error:?}");
        }
    }
}
