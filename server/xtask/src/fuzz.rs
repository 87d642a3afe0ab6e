//! `cargo xtask fuzz`: runs all targets of `tests/fuzz` one after another, and prints one line per target.

use crate::clients::cargo_tool;
use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = "0.13.2";

/// Limits on one input's time, in seconds, and memory, in megabytes.
const LIMITS: &[&str] = &["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"];

/// One target; `name` is its name in `tests/fuzz/Cargo.toml`.
struct Target {
    name: &'static str,
    /// Maximum size of an input, in bytes. A cubin has some ten thousand bytes; for texts, a few lines exercise as much
    /// as many lines.
    max_len: u32,
    /// Folder with the initial inputs.
    seeds: &'static str,
    /// Dictionary of words for inputs, a file of `tests/fuzz/words`.
    words: &'static str,
}

const TARGETS: &[Target] = &[
    Target { name: "sass", max_len: 4000, seeds: "tests/suite", words: "sass.dict" },
    Target { name: "ptx", max_len: 4000, seeds: "tests/corpus/ptx", words: "ptx.dict" },
    Target { name: "cuda", max_len: 4000, seeds: "tests/measured/h100/cuda", words: "cuda.dict" },
    Target { name: "triton", max_len: 4000, seeds: "tests/fuzz/seeds/triton", words: "triton.dict" },
    Target { name: "elf", max_len: 20_000, seeds: "server/syntax/tests/cubins", words: "elf.dict" },
    Target { name: "settings", max_len: 4000, seeds: "tests/fuzz/seeds/settings", words: "settings.dict" },
    Target { name: "machine", max_len: 4000, seeds: "tests/fuzz/seeds/machine", words: "machine.dict" },
    Target { name: "names", max_len: 1000, seeds: "tests/fuzz/seeds/names", words: "names.dict" },
    Target { name: "profile", max_len: 4000, seeds: "tests/fuzz/seeds/profile", words: "profile.dict" },
    Target { name: "network", max_len: 4000, seeds: "tests/fuzz/seeds/network", words: "network.dict" },
    Target { name: "answers", max_len: 2000, seeds: "tests/suite", words: "sass.dict" },
];

#[derive(clap::Args)]
pub(crate) struct FuzzOptions {
    /// Seconds for each target.
    #[arg(default_value_t = 60)]
    seconds: u32,
    /// Targets of `tests/fuzz`. Default: all
    names: Vec<String>,
}

/// Runs all targets, or the named ones, for this many seconds each. True if no input failed.
pub(crate) fn run(repo: &Repo, FuzzOptions { seconds, names }: &FuzzOptions) -> Result<bool> {
    let seconds = &seconds.to_string();
    let is_known = |name: &&String| TARGETS.iter().any(|target| target.name == **name);
    if let Some(other) = names.iter().find(|name| !is_known(name)) {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        bail!("no target `{other}`; there are {}", known.join(", "));
    }
    let fuzzer = Fuzzer { program: cargo_tool(repo, "cargo-fuzz", ("cargo-fuzz", VERSION), &[])?, repo };
    fuzzer.command("build")?.ok()?;
    let mut all_clean = true;
    for target in
        TARGETS.iter().filter(|target| names.is_empty() || names.iter().any(|name| name == target.name))
    {
        all_clean &= fuzzer.run(target, seconds)?;
    }
    Ok(all_clean)
}

/// True if all targets compile. They are in a separate workspace, which no other check builds.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    let mut command =
        repo.cargo(&["check", "--bins", "--locked", "--manifest-path", "tests/fuzz/Cargo.toml"]);
    // Nothing is linked, so the fuzzer's own library need not be compiled.
    command
        .env("CUSTOM_LIBFUZZER_PATH", "/none/libfuzzer.a")
        .env("CARGO_TARGET_DIR", repo.target()?.join("fuzz"));
    command.watched(|_| ())
}

struct Fuzzer<'a> {
    program: PathBuf,
    repo: &'a Repo,
}

impl Fuzzer<'_> {
    /// `cargo-fuzz` on the stable compiler, which supports coverage through hidden options. Sanitizers are off: they
    /// find errors in unsafe code, and this repository has no unsafe code.
    fn command(&self, subcommand: &str) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command
            .current_dir(self.repo.path("tests"))
            .args(["fuzz", subcommand, "--fuzz-dir", "fuzz", "--sanitizer", "none"])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", self.repo.target()?.join("fuzz"));
        Ok(command)
    }

    /// Runs one target and prints its line. True if no input failed.
    fn run(&self, target: &Target, seconds: &str) -> Result<bool> {
        let folder = self.repo.path("tests/fuzz");
        let found = folder.join("corpus").join(target.name);
        std::fs::create_dir_all(&found)?;
        let output = self
            .command("run")?
            .arg(target.name)
            .args([&found, &self.repo.path(target.seeds)])
            .arg("--")
            .args(LIMITS)
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-max_len={}", target.max_len))
            .arg(format!("-dict={}", folder.join("words").join(target.words).display()))
            .output()
            .context("cargo-fuzz could not be started")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let log = self.repo.target()?.join("fuzz").join(format!("{}.log", target.name));
        std::fs::write(&log, &output.stderr)?;
        let clean = output.status.success();
        println!("{}", line(target.name, &said, clean, &log));
        Ok(clean)
    }
}

/// `sass       2780297 executions    45578/s   clean`, or the path of the input that failed.
fn line(name: &str, said: &str, clean: bool, log: &Path) -> String {
    let stat = |name: &str| {
        let found = said.lines().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name));
        found.map_or("?", |rest| rest.trim_start_matches(':').trim())
    };
    let broken = || {
        let input =
            said.lines().find_map(|line| line.split_once("Test unit written to ").map(|(_, path)| path));
        input
            .map_or_else(|| format!("failed: {}", log.display()), |path| format!("broken by {}", path.trim()))
    };
    let verdict = if clean { "clean".to_owned() } else { broken() };
    format!(
        "{name:<10} {:>10} executions {:>8}/s   {verdict}",
        stat("number_of_executed_units"),
        stat("average_exec_per_sec"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATS: &str = "Done 2780297 runs in 61 second(s)\nstat::number_of_executed_units: 2780297\n\
                         stat::average_exec_per_sec:     45578\n";

    #[test]
    fn a_line_reports_the_number_of_inputs_and_the_result() {
        let log = Path::new("elf.log");
        assert_eq!(line("elf", STATS, true, log), "elf           2780297 executions    45578/s   clean");
        let crash = format!("==1== ERROR\nartifact_prefix='a/'; Test unit written to a/crash-0\n{STATS}");
        assert!(line("elf", &crash, false, log).ends_with("/s   broken by a/crash-0"));
        assert!(line("elf", "", false, log).ends_with("?/s   failed: elf.log"));
    }

    #[test]
    fn every_target_is_known_here_and_has_seeds() {
        let repo = Repo::find().unwrap();
        let manifest = std::fs::read_to_string(repo.path("tests/fuzz/Cargo.toml")).unwrap();
        let declared: Vec<&str> = manifest
            .split("[[bin]]\nname = \"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        assert_eq!(known, declared);
        for target in TARGETS {
            assert!(std::fs::read_dir(repo.path(target.seeds)).unwrap().next().is_some(), "{}", target.name);
        }
    }

    #[test]
    fn every_word_is_one_that_libfuzzer_reads() {
        let repo = Repo::find().unwrap();
        for target in TARGETS {
            let words = std::fs::read_to_string(repo.path("tests/fuzz/words").join(target.words)).unwrap();
            for line in words.lines().filter(|line| !line.starts_with('#')) {
                assert!(line.len() > 2 && line.starts_with('"') && line.ends_with('"'), "{line}");
                let rest = line.replace(r"\\", "").replace(r#"\""#, "").replace(r"\x", "");
                assert!(
                    !rest.contains('\\'),
                    "{line}: a backslash may only precede a backslash, a quote or `x`"
                );
            }
        }
    }
}
