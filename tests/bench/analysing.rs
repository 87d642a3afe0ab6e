//! `cargo xtask bench --large [FILE]` and `--against-nvdisasm CUBIN [NVDISASM]`: the command line on long
//! listings.
//!
//! The first option times `warplens analyze` in each of its formats, with its peak memory, on a file or on a
//! generated listing of 600,000 instructions in a temporary folder. The second option alternates between
//! `analyze --format json` on the listing that `nvdisasm -hex -c` prints for a cubin, and nvdisasm itself;
//! the printed ratios are ratios of the medians. `analyze` runs without predictions, with the assumed
//! launches, and with the launches of a `launches.toml` next to the cubin. If `../shared` and nvdisasm are
//! available, a run without options includes this part too. All output is dropped.

#![expect(clippy::disallowed_methods, reason = "it reads its own files and those of /proc")]

#[expect(dead_code, reason = "only the editor's benchmark edits")]
mod listing;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

const INSTRUCTIONS: usize = 600_000;
/// Runs of each command; the median counts.
const RUNS: usize = 9;
/// Interval at which a process's memory is read. The kernel keeps the high-water mark, so only the last
/// interval can be missed.
const LOOK: Duration = Duration::from_millis(2);
/// A cubin of this project in the folder next to the repository.
const CUBIN: &str = "../shared/hardware/h100/kernels/kernels.cubin";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // `cargo test --benches` also runs this benchmark, to check that it works.
    let full = env::args().any(|argument| argument == "--bench");
    match words.as_slice() {
        ["--large"] => large(INSTRUCTIONS),
        ["--large", file] => every_format(Path::new(file)),
        ["--against-nvdisasm", cubin] => against(Path::new(cubin), Path::new("nvdisasm")),
        ["--against-nvdisasm", cubin, nvdisasm] => against(Path::new(cubin), Path::new(nvdisasm)),
        [] if full => {
            large(INSTRUCTIONS);
            against_ours();
        }
        [] => large(2_000),
        _ => panic!("expected --large [FILE] or --against-nvdisasm CUBIN [NVDISASM]"),
    }
}

fn large(instructions: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("large.sass");
    let (head, kernel) = listing::parts();
    let kernels =
        instructions.div_ceil(kernel.lines().filter(|line| has_instruction(line.as_bytes())).count());
    let lines = head.lines().count() + kernels * (1 + kernel.lines().count());
    fs::write(&path, listing::of_lines(lines).text).expect("the listing can be written");
    every_format(&path);
}

fn every_format(path: &Path) {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let instructions = text.split(|&byte| byte == b'\n').filter(|line| has_instruction(line)).count();
    println!("\nanalyze of {instructions} instructions, {:.0} MB", text.len() as f64 / 1e6);
    drop(text);
    println!("{:>10} {:>8} {:>12}", "", "time", "peak memory");
    for options in [&["--format", "json"][..], &[], &["--format", "html"], &["--summary"]] {
        let (time, peak) = watched(warplens().arg(path).args(options));
        let name = options.last().map_or("text", |option| option.trim_start_matches('-'));
        println!("{name:>10} {:>6.2} s {:>9.0} MB", time.as_secs_f64(), peak as f64 / 1e6);
    }
}

/// True if a line of a listing has an instruction: an address at its start, and `;` after the operands.
fn has_instruction(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"/*") && line.windows(2).any(|two| two == b" ;")
}

fn against_ours() {
    let cubin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(CUBIN);
    let answered = Command::new("nvdisasm").arg("--version").stdout(Stdio::null()).status();
    let installed = answered.is_ok_and(|status| status.success());
    if cubin.is_file() && installed {
        against(&cubin, Path::new("nvdisasm"));
    } else {
        println!("\nleft out: {CUBIN} or nvdisasm on PATH is not here, so nothing is timed against nvdisasm");
    }
}

fn against(cubin: &Path, nvdisasm: &Path) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("listing.sass");
    let print = || {
        let mut command = Command::new(nvdisasm);
        command.args(["-hex", "-c"]).arg(cubin);
        command
    };
    let output = File::create(&path).expect("the listing can be written");
    let done =
        print().stdout(output).status().unwrap_or_else(|error| panic!("{}: {error}", nvdisasm.display()));
    assert!(done.success(), "nvdisasm prints the cubin");
    let launches = cubin.with_file_name("launches.toml");
    let mut ways: Vec<(&str, Vec<&OsStr>)> =
        vec![("--no-predict", vec!["--no-predict".as_ref()]), ("launches assumed", Vec::new())];
    if launches.is_file() {
        ways.push(("--launches", vec!["--launches".as_ref(), launches.as_os_str()]));
    } else {
        println!("\nleft out: {} is not here, so no stated launches are timed", launches.display());
    }
    let mut theirs = Vec::new();
    let mut ours = vec![(Vec::new(), 0); ways.len()];
    for _ in 0..RUNS {
        theirs.push(watched(&mut print()).0);
        for ((_, options), (times, most)) in ways.iter().zip(&mut ours) {
            let (time, peak) = watched(warplens().arg(&path).args(["--format", "json"]).args(options));
            times.push(time);
            *most = peak.max(*most);
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    };
    let theirs = median(&mut theirs);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    println!("\n{}, median of {RUNS} runs in turn on {cores} cores", cubin.display());
    println!("{:<38} {:>8} {:>7} {:>12}", "", "time", "ratio", "peak memory");
    println!("{:<38} {:>5.0} ms", "nvdisasm -hex -c", theirs * 1e3);
    for ((name, _), (times, peak)) in ways.iter().zip(&mut ours) {
        let (time, name) = (median(times), format!("analyze --format json, {name}"));
        println!("{name:<38} {:>5.0} ms {:>7.2} {:>9.0} MB", time * 1e3, time / theirs, *peak as f64 / 1e6);
    }
}

fn warplens() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplens"));
    command.arg("analyze");
    command
}

/// Runs a program. Returns its running time and its peak memory in bytes. Panics if the program fails.
fn watched(command: &mut Command) -> (Duration, u64) {
    let began = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let mark = fs::read_to_string(&status).ok().and_then(|status| high_mark(&status));
        peak = mark.unwrap_or(0).max(peak);
        if let Some(done) = child.try_wait().expect("this process started the program") {
            assert!(done.success(), "{command:?} ended with {done}");
            return (began.elapsed(), peak);
        }
        thread::sleep(LOOK);
    }
}

/// `VmHWM` from a `/proc/PID/status`, in bytes.
fn high_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kibibytes * 1024)
}
