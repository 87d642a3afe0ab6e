//! Instructions a second through decoding and the paper's model: `cargo run --release -p model --example throughput -- FILE [ROUNDS]`.

#![expect(clippy::disallowed_methods, reason = "not part of the crate: it reads the files that it is given")]

use machine::Machine;
use model::Program;
use model::launch::{Launch, Stating};
use model::paper::{MissRatio, time};
use std::time::Instant;
use syntax::sass::Listing;

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("expected a listing");
        return;
    };
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let listing = Listing::parse(&text);
    let gpu = Machine::builtin().gpu_for_sm(listing.sm().map_or(90, |sm| sm.number));
    let rounds = std::env::args().nth(2).and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    for _ in 0..rounds {
        let mut instructions = 0;
        let (mut decoding, mut timing) = (0.0, 0.0);
        for chunk in listing.chunks() {
            let start = Instant::now();
            let program = Program::decode(chunk, &gpu.arch);
            decoding += start.elapsed().as_secs_f64();
            let start = Instant::now();
            let launch = Launch::assumed(&program, &gpu, Stating::default());
            let times = time(&program, &gpu, &launch, MissRatio::default());
            timing += start.elapsed().as_secs_f64();
            instructions += times.instructions().len();
        }
        println!(
            "{instructions} instructions: decode {:.1} ms, time {:.1} ms, {:.2} million a second",
            decoding * 1e3,
            timing * 1e3,
            instructions as f64 / (decoding + timing) / 1e6
        );
    }
}
