//! Checks the text of a thousand hovers at random positions of the corpus.

use crate::files::all;
use ide::{Cancel, Host};

const HOVERS: usize = 1000;
/// Most lines that fit an editor's window, each of at most [`COLUMNS`] after wrapping.
const SCREEN_LINES: usize = 40;
const COLUMNS: usize = 110;

/// A sequence of numbers that is the same in every run (Knuth's multiplier, 64 bits).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

#[test]
fn a_thousand_hovers_say_something_whole_and_fit_a_screen() {
    let samples = all();
    let mut host = Host::default();
    for sample in &samples {
        host.open(&sample.name, 1, &sample.text);
    }
    let mut numbers = Numbers(2017);
    let (mut read, mut silent, mut longest) = (0, 0, 0);
    // To print the hovers, run `cargo test -p tests --test corpus hovers -- --nocapture`.
    while read < HOVERS {
        let sample = &samples[numbers.below(samples.len())];
        let mut offset = numbers.below(sample.text.len());
        while !sample.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let analysis = host.snapshot(&sample.name, Cancel::default()).expect("the sample is open");
        let Some(hover) = analysis.hover(offset).expect("nothing cancels it") else {
            silent += 1;
            assert!(silent < 100 * HOVERS, "hovers are too rare");
            continue;
        };
        let text = &hover.markdown;
        let place = format!("{} at byte {offset}:\n{text}", sample.name);
        assert!(!text.trim().is_empty(), "empty: {place}");
        let fences = text.replace("```", "");
        // Two backticks enclose a text that contains a backtick, such as that of a branch.
        let parts: Vec<&str> = fences.split("``").collect();
        let is_code = |part: &&str| part.contains('`');
        let is_paired = parts.len() % 2 == 1 && parts.iter().skip(1).step_by(2).all(is_code);
        let plain = if is_paired { parts.concat() } else { fences.clone() };
        for wrong in ["``", "****", "{}", "None", "Some(", "TODO", ": \n", "  of ", "- \n", "name #"] {
            assert!(!plain.contains(wrong), "`{wrong}` in {place}");
        }
        // A position within a line ending belongs to the line.
        assert!(hover.range.start <= offset && offset <= hover.range.end + 1, "elsewhere: {place}");
        let lines = text.lines().map(|line| line.chars().count().div_ceil(COLUMNS).max(1)).sum::<usize>();
        assert!(lines <= SCREEN_LINES, "{lines} lines: {place}");
        longest = longest.max(lines);
        read += 1;
        if read % (HOVERS / 20) == 0 {
            println!("--- {place}");
        }
    }
    println!("{read} hovers read, the longest {longest} lines");
}
