//! `cargo xtask hardware`: control codes written by `warplens schedule` against the compiler's, on the GPU of this computer.

mod blocks;

use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most that the cycles may grow by, as ratios new / old: the geometric mean, and any one launch.
struct Limits {
    mean: &'static str,
    worst: &'static str,
}

const IN_PLACE: Limits = Limits { mean: "1.03", worst: "1.15" };
const REORDERED: Limits = Limits { mean: "1.00", worst: "1.15" };

#[derive(Default)]
struct Options<'w> {
    cubin: PathBuf,
    launches: PathBuf,
    is_reordered: bool,
    /// Compared instead of what `warplens schedule` writes.
    against: Option<&'w str>,
    only: Option<&'w str>,
}

/// True where all outputs are the same and the cycles are within the limits.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Result<bool> {
    if let ["--describe", csv] = words {
        print!("{}", described(Path::new(csv))?);
        return Ok(true);
    }
    let options = Options::parse(words)?;
    let place = repo.target()?.join("hardware");
    fs::create_dir_all(&place)?;
    let launches = if options.launches.extension().is_some_and(|extension| extension == "csv") {
        let path = place.join("blocks.launches");
        fs::write(&path, described(&options.launches)?)?;
        path
    } else {
        options.launches.clone()
    };
    let new = match options.against {
        Some(other) => PathBuf::from(other),
        None => scheduled(repo, &options, &place)?,
    };
    let limits = if options.is_reordered { REORDERED } else { IN_PLACE };
    let mut compare = Command::new(built(repo, &place)?);
    compare.args([&options.cubin, &new, &launches]).args(["--mean", limits.mean, "--worst", limits.worst]);
    compare.args(options.only.map(|text| ["--only", text]).into_iter().flatten());
    let table = compare.stdout(fs::File::create(place.join("cycles.csv"))?).status()?;
    println!("every launch: {}", place.join("cycles.csv").display());
    match table.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => bail!("nothing was compared"),
    }
}

impl<'w> Options<'w> {
    fn parse(words: &[&'w str]) -> Result<Self> {
        let mut options = Self::default();
        let mut files = Vec::new();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value =
                || words.next().copied().with_context(|| format!("expected a value after `{word}`"));
            match word {
                "--reorder" => options.is_reordered = true,
                "--against" => options.against = Some(value()?),
                "--only" => options.only = Some(value()?),
                option if option.starts_with("--") => bail!("no option `{option}`"),
                file => files.push(file),
            }
        }
        let [cubin, launches] = files.as_slice() else { bail!("expected CUBIN LAUNCHES") };
        (options.cubin, options.launches) = (PathBuf::from(cubin), PathBuf::from(launches));
        Ok(options)
    }
}

/// The description of the launches in a csv of programs that time themselves; their ptx lies beside it.
fn described(csv: &Path) -> Result<String> {
    let read = |path: &Path| fs::read_to_string(path).with_context(|| path.display().to_string());
    blocks::description(&read(csv)?, &read(&csv.with_extension("ptx"))?)
        .with_context(|| csv.display().to_string())
}

/// The cubin with the control codes of `warplens schedule`.
fn scheduled(repo: &Repo, options: &Options, place: &Path) -> Result<PathBuf> {
    let new = place.join(if options.is_reordered { "reordered.cubin" } else { "scheduled.cubin" });
    let mut schedule =
        repo.cargo(&["run", "--quiet", "--release", "--locked", "--package=warplens", "--", "schedule"]);
    schedule.arg(std::path::absolute(&options.cubin)?).arg("-o").arg(&new);
    schedule.args(options.is_reordered.then_some("--reorder")).ok()?;
    Ok(new)
}

/// The program that compares, built by nvcc: that of `CUDA_HOME`, else the one on PATH.
fn built(repo: &Repo, place: &Path) -> Result<PathBuf> {
    let nvcc = std::env::var_os("CUDA_HOME")
        .filter(|folder| !folder.is_empty())
        .map_or_else(|| PathBuf::from("nvcc"), |folder| Path::new(&folder).join("bin/nvcc"));
    let program = place.join("compare");
    let mut command = Command::new(nvcc);
    command.args(["-std=c++17", "-O2", "-arch=native", "-o"]).arg(&program);
    command.arg(repo.path("server/lab/host/compare/compare.cu")).ok()?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_any_order() {
        let options = Options::parse(&["a.cubin", "--reorder", "--only", "gemm", "b.launches"]).unwrap();
        assert_eq!((options.cubin, options.launches), ("a.cubin".into(), "b.launches".into()));
        assert!(options.is_reordered && options.against.is_none());
        assert_eq!(options.only, Some("gemm"));
        for wrong in [&["a.cubin"][..], &["a", "b", "c"], &["a", "b", "--only"], &["a", "b", "--fast"]] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
