//! Any bytes as a profile: what is read of them merges with itself, and a cut of them gives no more launches.

#![no_main]

use libfuzzer_sys::fuzz_target;
use profile::{merged, read};

fuzz_target!(|input: &[u8]| {
    let Ok(whole) = read(input) else { return };
    assert!(merged(&[whole.clone(), whole.clone()]).len() <= whole.launches.len());
    if let Ok(part) = read(&input[..input.len() / 2]) {
        assert!(part.launches.len() <= whole.launches.len());
    }
});
