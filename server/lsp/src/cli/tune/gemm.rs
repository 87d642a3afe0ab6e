//! `warplens tune gemm`: all kernels for a matrix multiplication of one shape, ranked.

mod csv;
mod emit;
mod text;

use super::cores::cores;
use crate::cli::args::{TuneGemmArgs, TuneGemmFormat};
use crate::cli::failure::Failure;
use crate::cli::files::unreadable;
use crate::cli::launches;
use crate::cli::output::{counted, grouped, print};
use crate::cli::progress::Progress;
use crate::cli::whole_file;
use crate::read::{Bounded, NAMED_BYTES, never};
use clap::ColorChoice;
use lab::tune::gemm::{Ranking, Search};
use lab::tune::{About, Gemm, Gpu, Machine, Network};
use std::path::Path;

/// The GPU where nobody names one.
const USUAL_GPU: &str = "h100-sxm";
/// Elements of a matrix: kernels count them with 32 bits and a sign.
const MOST_ELEMENTS: u64 = 1 << 31;

/// What was asked and what was found.
struct Answer {
    gemm: Gemm,
    gpu: Gpu,
    network: Option<About>,
    ranking: Ranking,
}

pub(super) fn run(args: &TuneGemmArgs) -> Result<(), Failure> {
    let mut progress = Progress::start("searching");
    let gemm = Gemm {
        m: args.m,
        n: args.n,
        k: args.k,
        element: args.dtype,
        a_transposed: args.layout.a_transposed,
        b_transposed: args.layout.b_transposed,
    };
    check_sizes(&gemm)?;
    let network = args.network.as_deref().map(read).transpose()?;
    let gpu = gpu(args, network.as_ref())?;
    let search =
        Search { gemm, gpu: &gpu, network: network.as_ref(), top: args.top as usize, threads: cores() };
    let ranking = search.run(&never).map_err(|error| Failure::new(format!("tune gemm: {error}")))?;
    let network = network.map(|network| network.about().clone());
    let answer = Answer { gemm, gpu, network, ranking };
    progress.yield_terminal();
    drop(progress);
    if let (Some(path), Some(best)) = (&args.emit, answer.ranking.best.first()) {
        let text = emit::ptx(&answer.gemm, &answer.gpu, &best.tiling);
        whole_file::write(path, text.as_bytes()).map_err(|error| {
            Failure::new(format!("tune gemm: cannot write `{}`: {error}", path.display()))
        })?;
    }
    print(ColorChoice::Auto, |out, palette| match args.format {
        TuneGemmFormat::Text => text::write(out, palette, &answer),
        TuneGemmFormat::Csv => csv::write(out, &answer),
    })
}

fn check_sizes(gemm: &Gemm) -> Result<(), Failure> {
    let [m, n, k] = [gemm.m, gemm.n, gemm.k].map(u64::from);
    let elements = [("A", m.checked_mul(k)), ("B", k.checked_mul(n)), ("C", m.checked_mul(n))];
    let large = elements.into_iter().find(|(_, count)| count.is_none_or(|count| count > MOST_ELEMENTS));
    let Some((name, count)) = large else { return Ok(()) };
    Err(Failure::new(format!(
        "tune gemm: {name} has {} elements; expected at most {}",
        count.map_or_else(|| "too many".to_owned(), grouped),
        grouped(MOST_ELEMENTS),
    )))
}

fn read(path: &Path) -> Result<Network, Failure> {
    let bytes = Bounded::named(path, NAMED_BYTES).and_then(|file| file.all(&never));
    let bytes = bytes.map_err(|refused| unreadable(path, &refused))?;
    Network::read(&bytes).map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}

/// The GPU that is meant. Fails where a network is of another one.
fn gpu(args: &TuneGemmArgs, network: Option<&Network>) -> Result<Gpu, Failure> {
    let machine = Machine::builtin();
    let named = |name: &str| machine.gpu(name).map_err(Failure::from_error);
    let trained_on = network.map(|network| network.about().gpu.as_str());
    let gpu = match (&args.gpu, trained_on) {
        (Some(name), _) => named(name.trim())?,
        (None, Some(name)) => named(name)?,
        (None, None) => named(project_gpu()?.as_deref().unwrap_or(USUAL_GPU))?,
    };
    match trained_on {
        Some(name) if machine.gpu(name).map_or(true, |of| of.part.id != gpu.part.id) => Err(Failure::new(
            format!("tune gemm: the network was trained on {name}; expected one of {}", gpu.part.name),
        )),
        _ => Ok(gpu),
    }
}

/// The GPU of the `warplens.toml` that holds for the current folder.
fn project_gpu() -> Result<Option<String>, Failure> {
    let file = launches::project_file(None).map(|path| launches::read_found(&path)).transpose()?;
    Ok(file.and_then(|file| file.gpu))
}

impl Answer {
    /// The model that has answered, in a line.
    fn basis(&self) -> String {
        let Some(About { gpu, samples, errors, .. }) = &self.network else {
            return format!("static model: nothing was measured for {}", self.gpu.part.name);
        };
        let errors: Vec<String> =
            errors.iter().map(|error| format!("{:.4} ({})", error.value, error.held_out)).collect();
        let errors = if errors.is_empty() { "unknown".to_owned() } else { errors.join(", ") };
        let samples = counted(*samples, "sample");
        format!("network trained on {gpu}, {samples}, mean square error {errors}")
    }
}
