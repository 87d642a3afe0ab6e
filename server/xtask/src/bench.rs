//! `cargo xtask bench`: builds the benchmarks with optimisation, runs them and prints their figures.

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
const CUDA: Bench = Bench { package: "tests", name: "cuda" };
const ANALYSING: Bench = Bench { package: "warplens", name: "analysing" };
const FUZZING: Bench = Bench { package: "warplens", name: "fuzzing" };

#[derive(clap::Args)]
#[group(multiple = false)]
pub(crate) struct BenchOptions {
    /// Parses each listing of the corpus, or these files, into complete syntax trees.
    #[arg(long, num_args = 0.., value_name = "FILE")]
    parse: Option<Vec<String>>,
    /// Times an editor's requests for one kernel of 2,000 instructions with a known launch, or for the kernels with
    /// these names.
    #[arg(long, num_args = 0.., value_name = "NAME")]
    launch: Option<Vec<String>>,
    /// Edits a `.cu` file of 20,000 lines and computes all findings.
    #[arg(long, num_args = 0..=0)]
    cuda: Option<Vec<String>>,
    /// Analyses 600,000 instructions, or this file, and prints the peak memory use.
    #[arg(long, num_args = 0..=1, value_name = "FILE")]
    large: Option<Vec<String>>,
    /// Alternates between `analyze` and `nvdisasm -hex -c` on this cubin, and times both. The second value is the
    /// path of nvdisasm.
    #[arg(long, num_args = 1..=2, value_names = ["CUBIN", "NVDISASM"])]
    against_nvdisasm: Option<Vec<String>>,
    /// Sends 10,000 random messages to the server, twice. The values are another number of messages, then the seeds.
    #[arg(long, num_args = 0.., value_name = "NUMBER")]
    fuzz: Option<Vec<String>>,
    /// Options for the benchmark of editor requests.
    editing: Vec<String>,
}

/// Runs all benchmarks, or the one that an option names.
pub(crate) fn run(repo: &Repo, options: &BenchOptions) -> Result<bool> {
    let named = [
        (&options.parse, PARSING, None),
        (&options.launch, LAUNCHING, None),
        (&options.cuda, CUDA, None),
        (&options.large, ANALYSING, Some("--large")),
        (&options.against_nvdisasm, ANALYSING, Some("--against-nvdisasm")),
        (&options.fuzz, FUZZING, None),
    ];
    for (words, bench, first) in named {
        if let Some(words) = words {
            return bench.run(repo, first, words);
        }
    }
    if !options.editing.is_empty() {
        return EDITING.run(repo, None, &options.editing);
    }
    let all = [EDITING, PARSING, LAUNCHING, CUDA, ANALYSING];
    all.iter().try_fold(true, |all, bench| Ok(all & bench.run(repo, None, &[])?))
}

/// The absolute path of a file, since benchmarks run in their package's folder. Returns any other word
/// unchanged.
fn from_anywhere(option: &str) -> String {
    let path = Path::new(option);
    let whole = if path.exists() { std::path::absolute(path).ok() } else { None };
    whole.map_or_else(|| option.to_owned(), |path| path.display().to_string())
}

impl Bench {
    /// Runs the benchmark. True if the benchmark succeeded.
    fn run(&self, repo: &Repo, first: Option<&str>, options: &[String]) -> Result<bool> {
        let (package, name) = (format!("--package={}", self.package), format!("--bench={}", self.name));
        let mut command = repo.cargo(&["bench", "--locked", &package, &name, "--"]);
        let options = options.iter().map(|option| from_anywhere(option));
        Ok(command.args(first).args(options).status()?.success())
    }
}
