//! `cargo xtask hardware`: compares control codes from `warplens schedule` with those of the compiler, on
//! this computer's GPU.

mod blocks;

use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum allowed ratios of new cycles to old cycles: `mean` for the geometric mean over all launches, `worst` for
/// any single launch.
struct Limits {
    mean: &'static str,
    worst: &'static str,
}

const IN_PLACE: Limits = Limits { mean: "1.03", worst: "1.15" };
const REORDERED: Limits = Limits { mean: "1.00", worst: "1.15" };

/// A rewrite of a cubin by `warplens schedule`: the name of the new file, and the options.
type Variant = (&'static str, &'static [&'static str]);

const PLAIN: Variant = ("scheduled", &[]);
const REORDER: Variant = ("reordered", &["--reorder"]);
const RENAME: Variant = ("renamed", &["--rename"]);
const BOTH: Variant = ("reordered-renamed", &["--reorder", "--rename"]);

#[derive(clap::Args)]
pub(crate) struct HardwareOptions {
    #[arg(required_unless_present = "describe")]
    cubin: Option<PathBuf>,
    /// File with the launches: a description in the format of server/lab/programs/compare, or a CSV file of programs
    /// that time themselves.
    #[arg(required_unless_present = "describe")]
    launches: Option<PathBuf>,
    /// Allows `warplens schedule` to reorder instructions.
    #[arg(long)]
    reorder: bool,
    /// Allows `warplens schedule` to rename registers.
    #[arg(long)]
    rename: bool,
    /// Runs all four combinations of `--reorder` and `--rename`, one after another.
    #[arg(long)]
    every_variant: bool,
    /// Repeats each launch this many times while other kernels load the GPU. Nothing is timed.
    #[arg(long)]
    contention: Option<u32>,
    /// Compares this cubin instead of the output of `warplens schedule`.
    #[arg(long, value_name = "CUBIN")]
    against: Option<PathBuf>,
    /// Runs only launches whose name contains this text.
    #[arg(long)]
    only: Option<String>,
    /// Prints the description that is generated from a CSV file.
    #[arg(long, value_name = "CSV", exclusive = true)]
    describe: Option<PathBuf>,
}

/// Runs the comparison. True if all outputs are equal and the cycles are within the limits.
pub(crate) fn run(repo: &Repo, options: &HardwareOptions) -> Result<bool> {
    if let Some(csv) = &options.describe {
        print!("{}", described(csv)?);
        return Ok(true);
    }
    let (Some(cubin), Some(launches)) = (&options.cubin, &options.launches) else {
        bail!("expected CUBIN LAUNCHES");
    };
    let place = repo.target()?.join("hardware");
    fs::create_dir_all(&place)?;
    let launches = if launches.extension().is_some_and(|extension| extension == "csv") {
        let path = place.join("blocks.launches");
        fs::write(&path, described(launches)?)?;
        path
    } else {
        launches.clone()
    };
    let program = built(repo, &place)?;
    let mut is_right = true;
    for variant in options.variants() {
        let new = match &options.against {
            Some(other) => other.clone(),
            None => scheduled(repo, cubin, variant, &place)?,
        };
        is_right &= compared(&program, options, [cubin, &new, &launches], variant, &place)?;
    }
    Ok(is_right)
}

/// Runs the comparing program, and writes its table next to the new cubin.
fn compared(
    program: &Path,
    options: &HardwareOptions,
    files: [&PathBuf; 3],
    (name, flags): Variant,
    place: &Path,
) -> Result<bool> {
    let mut compare = Command::new(program);
    compare.args(files);
    if let Some(repetitions) = options.contention {
        compare.args(["--contention", &repetitions.to_string()]);
    } else {
        let limits = if flags.contains(&"--reorder") { REORDERED } else { IN_PLACE };
        compare.args(["--mean", limits.mean, "--worst", limits.worst]);
    }
    compare.args(options.only.as_deref().map(|text| ["--only", text]).into_iter().flatten());
    let path = place.join(format!("{name}.csv"));
    let table = compare.stdout(fs::File::create(&path)?).status()?;
    println!("{name}: every launch: {}", path.display());
    match table.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => bail!("nothing was compared"),
    }
}

/// Generates the description of the launches from a CSV file of programs that time themselves. The programs' PTX is
/// in a file next to the CSV file.
fn described(csv: &Path) -> Result<String> {
    let read = |path: &Path| fs::read_to_string(path).with_context(|| path.display().to_string());
    blocks::description(&read(csv)?, &read(&csv.with_extension("ptx"))?)
        .with_context(|| csv.display().to_string())
}

impl HardwareOptions {
    fn variants(&self) -> Vec<Variant> {
        match (self.every_variant, self.reorder, self.rename) {
            (true, ..) if self.against.is_none() => vec![PLAIN, REORDER, RENAME, BOTH],
            (_, true, true) => vec![BOTH],
            (_, true, false) => vec![REORDER],
            (_, false, true) => vec![RENAME],
            _ => vec![PLAIN],
        }
    }
}

/// Writes the cubin with the control codes of `warplens schedule`, and returns its path.
fn scheduled(repo: &Repo, cubin: &Path, (name, flags): Variant, place: &Path) -> Result<PathBuf> {
    let new = place.join(format!("{name}.cubin"));
    let mut schedule =
        repo.cargo(&["run", "--quiet", "--release", "--locked", "--package=warplens", "--", "schedule"]);
    schedule.arg(std::path::absolute(cubin)?).arg("-o").arg(&new).args(flags).ok()?;
    Ok(new)
}

/// Builds the comparing program with the nvcc of `CUDA_HOME`, otherwise with the nvcc on PATH.
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
    use clap::Parser;

    #[derive(clap::Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: HardwareOptions,
    }

    fn parse(words: &[&str]) -> Option<HardwareOptions> {
        let words = std::iter::once(&"hardware").chain(words);
        CommandLine::try_parse_from(words).ok().map(|line| line.options)
    }

    #[test]
    fn options_in_any_order() {
        let options = parse(&["a.cubin", "--reorder", "--only", "gemm", "b.launches"]).unwrap();
        assert_eq!(options.launches.as_deref(), Some(Path::new("b.launches")));
        assert_eq!((options.variants(), options.only.as_deref()), (vec![REORDER], Some("gemm")));
        let every = parse(&["a", "b", "--every-variant", "--contention", "50"]).unwrap();
        assert_eq!((every.variants().len(), every.contention), (4, Some(50)));
        assert_eq!(parse(&["a", "b", "--rename"]).unwrap().variants(), [RENAME]);
        for wrong in [&["a.cubin"][..], &["a", "b", "c"], &["a", "b", "--only"], &["a", "b", "--fast"]] {
            assert!(parse(wrong).is_none(), "{wrong:?}");
        }
    }
}
