//! Any file over the machines: read, or refused in one line with its place; and a machine so changed still has every GPU.

#![no_main]

use libfuzzer_sys::fuzz_target;
use machine::Machine;

fuzz_target!(|text: &str| {
    let machine = Machine::builtin();
    match machine.overlay("mine.toml", text) {
        Ok(changed) => {
            assert_eq!(changed.archs.len(), machine.archs.len());
            for part in &changed.parts {
                changed.gpu_for_sm(part.sm);
            }
            for part in &machine.parts {
                assert!(changed.gpu(&part.id).is_ok(), "{} is gone", part.id);
            }
        }
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            assert!((1..=1 + text.matches('\n').count()).contains(&error.line), "{error}");
        }
    }
    if let Err(unknown) = machine.gpu(text) {
        assert!(!unknown.known.is_empty());
    }
});
