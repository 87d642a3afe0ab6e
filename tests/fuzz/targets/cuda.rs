//! Any text and any edit: the edited text has the declarations of the text parsed from scratch, and launches of its
//! kernels end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use machine::Machine;
use model::cuda::{Configuration, Environment, launches, run};
use std::sync::{Arc, LazyLock};
use syntax::cuda::Source;

static ARCH: LazyLock<Arc<machine::Arch>> = LazyLock::new(|| Machine::builtin().gpu_for_sm(90).arch.clone());

fuzz_target!(|input: &[u8]| {
    // The first four bytes are the edit, which removes a part.
    let Some((edit, text)) = input.split_first_chunk::<4>() else { return };
    let text = String::from_utf8_lossy(text).into_owned();
    let number = |at: usize| usize::from(u16::from_le_bytes([edit[at], edit[at + 1]]));
    let boundary =
        |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let start = boundary(number(0) % (text.len() + 1));
    let range = start..boundary(start + number(2) % 64).max(start);
    let source = Source::parse(&text).edit(range, "");
    let environment = Environment::new(source.unit());
    for item in 0..source.unit().items.len() as u32 {
        let launch = Configuration {
            grid: [4, 2, 1],
            block: [48, 2, 1],
            arguments: Vec::new(),
            templates: Vec::new(),
        };
        launches(&environment, &ARCH, item);
        run(&environment, &ARCH, item, &launch);
    }
});
