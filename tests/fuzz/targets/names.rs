//! Any name, mangled or not, is shown at a bounded length, and is recognised in every spelling.

#![no_main]

use ide::names::{canonical, demangle, is_same_function, spellings};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (name, written) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(shown) = demangle(name) {
        assert!(shown.len() <= 16 << 10);
        assert!(is_same_function(name, &shown), "{name} is {shown}");
    }
    for spelling in spellings(name) {
        assert!(is_same_function(name, &spelling), "{name} is {spelling}");
    }
    assert!(is_same_function(name, name));
    is_same_function(name, written);
    assert!(canonical(written).len() <= 2 * written.len() + 16);
});
