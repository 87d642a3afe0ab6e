//! Any file as an override of the machine data: read, or refused in one line with its location. A machine with the
//! override still has every GPU, and predicts times of a kernel on it.

#![no_main]

use ide::{Cancel, Config, Host};
use libfuzzer_sys::fuzz_target;
use machine::Machine;
use std::sync::Arc;

const LISTING: &str = include_str!("listing.nvsass");

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
            let changed = Arc::new(changed);
            for gpu in ["sm_90", "sm_35"] {
                time(Arc::clone(&changed), gpu);
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

fn time(machine: Arc<Machine>, gpu: &str) {
    let mut host = Host::new(machine);
    host.configure(Config { gpu: gpu.to_owned(), ..Config::default() }).expect("it is known");
    host.open("listing", 1, LISTING);
    let analysis = host.snapshot("listing", Cancel::default()).expect("it is open");
    if let Some(sass) = analysis.sass() {
        sass.report().expect("not cancelled");
    }
    analysis.lenses().expect("not cancelled");
    analysis.hints(0..LISTING.len()).expect("not cancelled");
}
