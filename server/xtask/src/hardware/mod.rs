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

/// Ways in which `warplens schedule` rewrites a cubin: the name of the new file, and the options.
type Variant = (&'static str, &'static [&'static str]);

const PLAIN: Variant = ("scheduled", &[]);
const REORDER: Variant = ("reordered", &["--reorder"]);
const RENAME: Variant = ("renamed", &["--rename"]);
const BOTH: Variant = ("reordered-renamed", &["--reorder", "--rename"]);

#[derive(Default)]
struct Options<'w> {
    cubin: PathBuf,
    launches: PathBuf,
    is_reordered: bool,
    is_renamed: bool,
    /// All four variants one after another.
    is_every: bool,
    /// Repetitions beside noise; nothing is timed then.
    contention: Option<&'w str>,
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
    let program = built(repo, &place)?;
    let mut is_right = true;
    for variant in options.variants() {
        let new = match options.against {
            Some(other) => PathBuf::from(other),
            None => scheduled(repo, &options.cubin, variant, &place)?,
        };
        is_right &= compared(&program, &options, &launches, &new, variant, &place)?;
    }
    Ok(is_right)
}

/// Runs the program that compares, and leaves its table beside the new cubin.
fn compared(
    program: &Path,
    options: &Options,
    launches: &Path,
    new: &Path,
    (name, flags): Variant,
    place: &Path,
) -> Result<bool> {
    let mut compare = Command::new(program);
    compare.args([options.cubin.as_path(), new, launches]);
    if let Some(repetitions) = options.contention {
        compare.args(["--contention", repetitions]);
    } else {
        let limits = if flags.contains(&"--reorder") { REORDERED } else { IN_PLACE };
        compare.args(["--mean", limits.mean, "--worst", limits.worst]);
    }
    compare.args(options.only.map(|text| ["--only", text]).into_iter().flatten());
    let path = place.join(format!("{name}.csv"));
    let table = compare.stdout(fs::File::create(&path)?).status()?;
    println!("{name}: every launch: {}", path.display());
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
                "--rename" => options.is_renamed = true,
                "--every-variant" => options.is_every = true,
                "--contention" => options.contention = Some(value()?),
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

impl Options<'_> {
    fn variants(&self) -> Vec<Variant> {
        match (self.is_every, self.is_reordered, self.is_renamed) {
            (true, ..) if self.against.is_none() => vec![PLAIN, REORDER, RENAME, BOTH],
            (_, true, true) => vec![BOTH],
            (_, true, false) => vec![REORDER],
            (_, false, true) => vec![RENAME],
            _ => vec![PLAIN],
        }
    }
}

/// The cubin with the control codes of `warplens schedule`.
fn scheduled(repo: &Repo, cubin: &Path, (name, flags): Variant, place: &Path) -> Result<PathBuf> {
    let new = place.join(format!("{name}.cubin"));
    let mut schedule =
        repo.cargo(&["run", "--quiet", "--release", "--locked", "--package=warplens", "--", "schedule"]);
    schedule.arg(std::path::absolute(cubin)?).arg("-o").arg(&new).args(flags).ok()?;
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
        assert_eq!(
            (options.cubin.clone(), options.launches.clone()),
            ("a.cubin".into(), "b.launches".into())
        );
        assert!(options.is_reordered && options.against.is_none());
        assert_eq!(options.only, Some("gemm"));
        let every = Options::parse(&["a", "b", "--every-variant", "--contention", "50"]).unwrap();
        assert_eq!((every.variants().len(), every.contention), (4, Some("50")));
        assert_eq!(options.variants(), [REORDER]);
        assert_eq!(Options::parse(&["a", "b", "--rename"]).unwrap().variants(), [RENAME]);
        for wrong in [&["a.cubin"][..], &["a", "b", "c"], &["a", "b", "--only"], &["a", "b", "--fast"]] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
