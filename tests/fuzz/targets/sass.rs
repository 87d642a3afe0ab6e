//! Any text and any edit: the tree holds every byte, and the edited listing is the one parsed from scratch.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::sass::Listing;

fuzz_target!(|input: (String, usize, usize, String)| {
    let (mut text, start, length, new) = input;
    let listing = Listing::parse(&text);
    assert_eq!(listing.text(), text);
    let boundary = |mut at: usize, text: &str| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(if text.is_empty() { 0 } else { start % text.len() }, &text);
    let end = boundary(start.saturating_add(length % 64), &text).max(start);
    let edited = listing.edit(start..end, &new);
    text.replace_range(start..end, &new);
    let anew = Listing::parse(&text);
    assert_eq!(edited.text(), text);
    assert_eq!(edited.dialect(), anew.dialect());
    assert_eq!(edited.chunks().len(), anew.chunks().len());
    for (edited, anew) in edited.chunks().iter().zip(anew.chunks()) {
        assert_eq!(edited.hash(), anew.hash());
        assert_eq!(edited.instructions(), anew.instructions());
        assert_eq!(edited.errors(), anew.errors());
    }
});
