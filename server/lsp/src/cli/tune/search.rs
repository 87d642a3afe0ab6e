//! The search for the best kernels of a problem: ranks them with a network or the static model, and optionally
//! measures the best.

mod answer;
mod measurement_origin;

mod cache;
mod measure;

mod csv;
mod emit;
mod text;

use super::cores::cores;
use super::printed_family::PrintedFamily;
use crate::cli::failure::Failure;
use crate::cli::files::unreadable;
use crate::cli::launches;
use crate::cli::output::print;
use crate::cli::progress::Progress;
use crate::cli::tune::args::{TuneSearchArgs, TuneSearchFormat};
use crate::cli::whole_file;
use crate::read::{BoundedFile, NAMED_BYTES, never};
use answer::Answer;
use clap::ColorChoice;
use lab::tune::{Gpu, Machine, Network, Search};
use std::borrow::Cow;
use std::path::Path;

/// The GPU if the user names none.
const USUAL_GPU: &str = "h100-sxm";

pub(super) fn run<P: PrintedFamily>(problem: P, args: &TuneSearchArgs) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", P::COMMAND));
    let named = args.network.as_deref().map(read).transpose()?;
    let gpu = gpu::<P>(args, named.as_ref())?;
    let network = match named {
        Some(network) => Some(Cow::Owned(network)),
        None if args.r#static => None,
        None => Network::shipped(P::KIND, &gpu.part.id).map(Cow::Borrowed),
    };
    let network = network.as_deref();
    let top = args.measure.unwrap_or(args.top) as usize;
    let search = Search { problem, gpu: &gpu, network, top, threads: cores() };
    let mut progress = Progress::start("searching");
    let mut is_begun = false;
    let mut tell = |done: usize, all: usize| {
        if !is_begun {
            progress.stage("searching", all as u64);
            is_begun = true;
        }
        progress.reach(done as u64);
    };
    let ranking = search.run(&mut tell, &never).map_err(|error| failed(&error))?;
    let why = || {
        if args.r#static {
            "requested with --static".to_owned()
        } else {
            format!("no network for {}", gpu.part.name)
        }
    };
    let about = network.map(|network| network.about().clone()).ok_or_else(why);
    let (legal, best) = (ranking.legal, ranking.best);
    let mut answer = Answer { problem, gpu, network: about, legal, best, measured: None };
    if args.measure.is_some() {
        measure::measure(&mut answer, args.again, &mut progress)?;
    }
    answer.best.truncate(args.top as usize);
    progress.yield_terminal();
    drop(progress);
    if let (Some(path), Some(best)) = (&args.emit, answer.best.first()) {
        let text = emit::ptx(&answer.problem, &answer.gpu, &best.tiling);
        whole_file::write(path, text.as_bytes())
            .map_err(|error| failed(&format_args!("cannot write `{}`: {error}", path.display())))?;
    }
    print(ColorChoice::Auto, |out, palette| match args.format {
        TuneSearchFormat::Text => text::write(out, palette, &answer),
        TuneSearchFormat::Csv => csv::write(out, &answer),
    })
}

pub(super) fn read(path: &Path) -> Result<Network, Failure> {
    let bytes = BoundedFile::named(path, NAMED_BYTES).and_then(|file| file.all(&never));
    let bytes = bytes.map_err(|refused| unreadable(path, &refused))?;
    Network::read(&bytes).map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}

/// The requested GPU. Fails if the network was trained on another GPU.
fn gpu<P: PrintedFamily>(args: &TuneSearchArgs, network: Option<&Network>) -> Result<Gpu, Failure> {
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
            format!("{}: the network was trained on {name}; expected one of {}", P::COMMAND, gpu.part.name),
        )),
        _ => Ok(gpu),
    }
}

/// The GPU of the `warplens.toml` that applies to the current folder; `None` if it names no GPU.
fn project_gpu() -> Result<Option<String>, Failure> {
    let file = launches::project_file(None).map(|path| launches::read_found(&path)).transpose()?;
    Ok(file.and_then(|file| file.gpu))
}
