//! `cargo bench -p warplens --bench fuzzing [-- MESSAGES [SEED...]]`: a long session of random messages, with figures.

#![expect(clippy::disallowed_methods, reason = "it reads its own files and those of /proc")]
#![expect(clippy::needless_pass_by_value, reason = "a `json!` reads best without a `&` before it")]

#[path = "../framing.rs"]
mod framing;
#[path = "../incoming.rs"]
mod incoming;
mod messages;
mod session;

/// Largest growth of memory from the first fifth of the messages to the end: room for memory that the
/// allocator keeps.
const MAX_GROWTH_MB: f64 = 24.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    // `cargo test --benches` also runs this benchmark, to check that it works.
    let full = arguments.iter().any(|argument| argument == "--bench");
    let messages = numbers.first().map_or(if full { 10_000 } else { 200 }, |&count| count as usize);
    let seeds = numbers.get(1..).filter(|seeds| !seeds.is_empty()).unwrap_or(&[2, 3]);
    for &seed in seeds {
        let outcome = session::run(messages, seed);
        let (early, late) = outcome.memory_mb;
        println!(
            "seed {seed}: {} messages in {:.1} s: {} requests, {} notifications, {} no messages; all answered once",
            outcome.messages,
            outcome.time.as_secs_f64(),
            outcome.requests,
            outcome.notifications,
            outcome.garbage,
        );
        let mut answers: Vec<_> = outcome.answers.into_iter().collect();
        answers.sort_unstable();
        println!("  answers by error code (0: a result): {answers:?}");
        println!("  memory with nothing open: {early:.1} MB after a fifth, {late:.1} MB at the end");
        assert!(late <= early + MAX_GROWTH_MB, "more than {MAX_GROWTH_MB} MB of growth");
    }
}
