//! Any bytes as a profile: the result can be merged with itself, and a truncated report gives no more launches. A
//! truncated text may, as an unclosed quote changes the rows; the crate's tests truncate pages that profilers print.

#![no_main]

use libfuzzer_sys::fuzz_target;
use profile::{merged, read};

fuzz_target!(|input: &[u8]| {
    let Ok(whole) = read(input) else { return };
    assert!(merged(&[whole.clone(), whole.clone()]).len() <= whole.launches.len());
    if let Ok(part) = read(&input[..input.len() / 2])
        && input.starts_with(b"NVR\0")
    {
        assert!(part.launches.len() <= whole.launches.len());
    }
});
