//! Any bytes as a profile: what is read of them merges with itself, and a cut of a report gives no more launches. A cut of a text may, as a
//! quote that is left open changes which rows there are; the crate's tests cut pages that profilers print.

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
