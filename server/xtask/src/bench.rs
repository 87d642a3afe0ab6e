//! `cargo xtask bench`: what the benchmarks print, built for speed.

use crate::repo::Repo;
use anyhow::Result;
use std::path::Path;

/// A benchmark of a package.
struct Bench {
    package: &'static str,
    name: &'static str,
}

const EDITING: Bench = Bench { package: "warplens", name: "editing" };
const PARSING: Bench = Bench { package: "tests", name: "parsing" };
const LAUNCHING: Bench = Bench { package: "tests", name: "launching" };
const ANALYSING: Bench = Bench { package: "warplens", name: "analysing" };
const FUZZING: Bench = Bench { package: "warplens", name: "fuzzing" };

/// Runs the benchmarks, or the one that the first option names; what follows it is handed on.
pub(crate) fn run(repo: &Repo, options: &[&str]) -> Result<bool> {
    let options: Vec<String> = options.iter().map(|option| from_anywhere(option)).collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    match options.as_slice() {
        [] => [EDITING, PARSING, LAUNCHING, ANALYSING]
            .iter()
            .try_fold(true, |all, bench| Ok(all & bench.run(repo, &[])?)),
        ["--parse", files @ ..] => PARSING.run(repo, files),
        ["--launch", names @ ..] => LAUNCHING.run(repo, names),
        ["--large" | "--against-nvdisasm", ..] => ANALYSING.run(repo, &options),
        ["--fuzz", options @ ..] => FUZZING.run(repo, options),
        options => EDITING.run(repo, options),
    }
}

/// A file's whole path, since benchmarks run in their package's folder; any other word as it is.
fn from_anywhere(option: &str) -> String {
    let path = Path::new(option);
    let whole = if path.exists() { std::path::absolute(path).ok() } else { None };
    whole.map_or_else(|| option.to_owned(), |path| path.display().to_string())
}

impl Bench {
    /// True where it succeeded.
    fn run(&self, repo: &Repo, options: &[&str]) -> Result<bool> {
        let (package, name) = (format!("--package={}", self.package), format!("--bench={}", self.name));
        let mut command = repo.cargo(&["bench", "--locked", &package, &name, "--"]);
        Ok(command.args(options).status()?.success())
    }
}
