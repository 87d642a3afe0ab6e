//! `cargo xtask bench --launch [NAME...]`: analysis time of one kernel with its launch, as requested by an
//! editor.
//!
//! The cases are a kernel of about 2,000 instructions, generated from one of this project, and, if available,
//! the kernels in `../shared/hardware/h100/kernels`, each in its own text with one launch. Every run starts
//! without memoised results: the text is read, the kernel's model and issue cycles are computed, its findings
//! are searched (which executes warps of the launch), and the figures for the lenses of the launch and of its
//! loops are predicted. On a machine with other load, compare the best runs.

use ide::{Cancel, Config, Host, LaunchFile};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Output of `cuobjdump -sass` for this project's SGEMM on sm_90.
const SAMPLE: &str = include_str!("../corpus/sm_90/sgemm.cuobjdump-sass.txt");
/// Addresses of the main loop, from the first instruction to the backward branch.
const LOOP: std::ops::Range<u32> = 0x270..0x1080;
/// Number of consecutive copies of the loop's body in the kernel.
const PASSES: u32 = 8;
/// A launch for matrices of 2048 x 2048.
const LAUNCH: &str = "\
[[launch]]
function = \"sgemm16\"
grid = [128, 128, 1]
block = [16, 16, 1]
params = [\"ptr\", \"ptr\", \"ptr\", 2048, 2048, 2048, 1.0, 0.0]
";
const KERNELS: &str = "../../shared/hardware/h100/kernels";
/// Limit in milliseconds for the analysis of a kernel of 2,000 instructions.
const BAR_MS: f64 = 50.0;
const RUNS: usize = 11;

/// A kernel with one launch.
struct Case {
    name: String,
    text: String,
    launches: LaunchFile,
}

/// Time of each step.
#[derive(Debug, Clone, Copy)]
struct Times {
    reading: Duration,
    model: Duration,
    findings: Duration,
    prediction: Duration,
}

impl Times {
    fn total(&self) -> Duration {
        self.reading + self.model + self.findings + self.prediction
    }
}

fn main() {
    // `cargo test --benches` also runs this benchmark, to check that it works.
    let full = std::env::args().any(|argument| argument == "--bench");
    let runs = if full { RUNS } else { 1 };
    let mut cases = vec![made()];
    cases.extend(if full { measured() } else { Vec::new() });
    let names: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    cases.retain(|case| names.is_empty() || names.contains(&case.name));
    println!("one kernel with its launch, milliseconds, medians of {runs} runs; the bar is {BAR_MS} ms");
    println!("{:22} instructions  reading  model  findings  prediction    all   best  worst", "");
    for case in &cases {
        let times: Vec<Times> = (0..runs).map(|_| run(case)).collect();
        let median = |of: fn(&Times) -> Duration| {
            let mut all: Vec<Duration> = times.iter().map(of).collect();
            all.sort_unstable();
            millis(all[all.len() / 2])
        };
        let best = times.iter().map(Times::total).min().map_or(0.0, millis);
        let worst = times.iter().map(Times::total).max().map_or(0.0, millis);
        let instructions = case.text.lines().filter(|line| has_instruction(line)).count();
        let all = median(Times::total);
        println!(
            "{:22} {instructions:12} {:8.1} {:6.1} {:9.1} {:11.1} {all:6.1} {best:6.1} {worst:6.1}{}",
            case.name,
            median(|times| times.reading),
            median(|times| times.model),
            median(|times| times.findings),
            median(|times| times.prediction),
            if all > BAR_MS { "  above the bar" } else { "" }
        );
    }
}

/// Analyzes a kernel without memoised results.
fn run(case: &Case) -> Times {
    let mut host = Host::default();
    let config = Config { gpu: "h100-sxm".to_owned(), ..Config::default() };
    host.configure(config).expect("the GPU is known");
    host.set_launches(Some(case.launches.clone())).expect("it names no GPU");
    let mut last = Instant::now();
    let mut passed = || std::mem::replace(&mut last, Instant::now()).elapsed();
    host.open("kernel", 1, &case.text);
    let analysis = host.snapshot("kernel", Cancel::default()).expect("it is open");
    let reading = passed();
    analysis.prepare().expect("nothing cancels it");
    let model = passed();
    let diagnostics = analysis.model_diagnostics().expect("nothing cancels it");
    let findings = passed();
    let lenses = analysis.lenses().expect("nothing cancels it");
    let prediction = passed();
    let is_predicted = lenses.iter().any(|lens| lens.detail.contains("- Predicted: "));
    assert!(is_predicted, "{} is not predicted: {lenses:?} {diagnostics:?}", case.name);
    Times { reading, model, findings, prediction }
}

/// The sample with eight copies of its main loop's body.
fn made() -> Case {
    let (head, body) = SAMPLE.split_once("\t\tFunction : sgemm16\n").expect("the sample has the kernel");
    let mut lines = body.lines();
    let mut text = format!("{head}\t\tFunction : sgemm16\n");
    // An instruction, and the second word of its encoding, which holds the control code.
    let mut instructions = Vec::new();
    while let Some(line) = lines.next() {
        match address(line) {
            Some(address) => instructions.push((address, line, lines.next().unwrap_or_default())),
            None if instructions.is_empty() => writeln!(text, "{line}").expect("it cannot fail"),
            None => break,
        }
    }
    let longer = (PASSES - 1) * (LOOP.end - LOOP.start);
    let before = instructions.iter().filter(|(address, ..)| *address < LOOP.end);
    let again = instructions.iter().filter(|(address, ..)| LOOP.contains(address));
    let following = instructions.iter().filter(|(address, ..)| *address >= LOOP.end);
    let again = (1..PASSES).flat_map(|_| again.clone());
    for ((_, line, second), at) in before.chain(again).chain(following).zip((0_u32..).step_by(16)) {
        let line = retargeted(&line[line.find("*/").map_or(0, |end| end + 2)..], longer);
        let _ = writeln!(text, "        /*{at:04x}*/{line}\n{second}");
    }
    let launches = LaunchFile::parse("launch", LAUNCH).expect("the launch can be read");
    Case { name: "made".to_owned(), text, launches }
}

/// The line with its branch's target moved to its address in the longer kernel.
fn retargeted(line: &str, longer: u32) -> String {
    let branch = line.split_once("BRA 0x").and_then(|(before, rest)| {
        let digits = rest.find(|digit: char| !digit.is_ascii_hexdigit())?;
        let target = u32::from_str_radix(&rest[..digits], 16).ok().filter(|target| *target >= LOOP.end)?;
        Some(format!("{before}BRA {:#x}{}", target + longer, &rest[digits..]))
    });
    branch.unwrap_or_else(|| line.to_owned())
}

/// Each launch of the measured kernels, with the text of only its kernel. Empty if the measured kernels are
/// not available.
fn measured() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(KERNELS);
    if !folder.is_dir() {
        testkit::left_out("../shared/hardware/h100/kernels is not here, so only our own kernel is timed");
        return Vec::new();
    }
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("the file exists");
    let listing = read("kernels.sass");
    let mut functions = listing.split("\t\tFunction : ");
    let head = functions.next().unwrap_or_default();
    let functions: Vec<&str> = functions.collect();
    let all = LaunchFile::parse("launches.toml", &read("launches.toml")).expect("the launches can be read");
    let launches = all.launches.iter().map(|launch| {
        let own = functions.iter().find(|text| text.lines().next() == Some(&*launch.function));
        Case {
            name: launch.name.clone().unwrap_or_default(),
            text: format!("{head}\t\tFunction : {}", own.expect("the listing has its kernel")),
            launches: LaunchFile { launches: vec![launch.clone()], ..LaunchFile::default() },
        }
    });
    launches.collect()
}

/// Returns the address of the line's instruction; `None` if the line has no instruction.
fn address(line: &str) -> Option<u32> {
    let digits = line.trim_start().strip_prefix("/*")?.split_once("*/")?.0;
    u32::from_str_radix(digits, 16).ok().filter(|_| has_instruction(line))
}

fn has_instruction(line: &str) -> bool {
    line.contains(';') && line.trim_start().starts_with("/*")
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
