//! `warplens calibrate`: measures the GPU in this computer and writes its figures as an overlay on the built-in GPU
//! data.

pub(super) mod args;

use super::date;
use super::failure::Failure;
use super::files::sources;
use super::output::{counted, grouped, print, printable};
use super::whole_file;
use args::CalibrateArgs;
use clap::ColorChoice;
use lab::{Calibration, Distances, KeptPrograms, Suite, calibrate};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use toolchain::Consent;

pub(super) fn run(args: &CalibrateArgs) -> Result<(), Failure> {
    if args.list {
        return print(ColorChoice::Auto, |out, _| {
            Suite::covered().into_iter().filter_map(Suite::for_sm).try_for_each(|suite| list(out, &suite))
        });
    }
    if !args.from_listings.is_empty() {
        return from_listings(&args.from_listings, args.output.as_deref());
    }
    let kept = args.keep.as_deref().map_or(KeptPrograms::No, KeptPrograms::In);
    let consent = Consent::by_command_line();
    let measured = calibrate(consent, kept, &date::today())
        .map_err(|error| Failure::new(format!("calibrate: {error}")))?;
    let Some(path) = &args.output else {
        return print(ColorChoice::Auto, |out, _| out.write_all(measured.overlay.as_bytes()));
    };
    whole_file::write(path, measured.overlay.as_bytes()).map_err(|error| unwritten(path, &error))?;
    print(ColorChoice::Auto, |out, _| summary(out, &measured, &path.display().to_string()))
}

fn from_listings(paths: &[PathBuf], folder: Option<&Path>) -> Result<(), Failure> {
    let mut distances = Distances::default();
    for path in paths {
        // A folder of listings may also contain the binaries that they were printed from.
        for source in sources(path)? {
            distances.add(&source?.text);
        }
    }
    let tables = distances.tables();
    if tables.is_empty() {
        return Err(Failure::new(
            "calibrate: no kernel with control codes; expected listings as `cuobjdump -sass` prints them",
        ));
    }
    for (folder, table) in folder.iter().flat_map(|folder| tables.iter().map(move |table| (folder, table))) {
        let place = folder.join(format!("sm_{}", table.sm));
        let path = place.join("distances.csv");
        fs::create_dir_all(&place)
            .and_then(|()| whole_file::write(&path, table.csv.as_bytes()))
            .map_err(|error| unwritten(&path, &error))?;
    }
    print(ColorChoice::Auto, |out, _| {
        tables.iter().try_for_each(|table| {
            writeln!(
                out,
                "sm_{}: {} kernels, {} instructions, {} dependences, {} rows",
                table.sm,
                grouped(table.kernels),
                grouped(table.instructions),
                grouped(table.dependences),
                grouped(table.rows as u64),
            )?;
            table.leaning.iter().try_for_each(|pairs| {
                writeln!(
                    out,
                    "  closer with a wait in between: {}, {} at {} cycles or more; without a wait {} cycles, seen {} times",
                    pairs.kind,
                    counted(pairs.count as usize, "pair"),
                    pairs.cycles,
                    pairs.without_wait.0,
                    pairs.without_wait.1,
                )
            })
        })
    })
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("calibrate: cannot write `{}`: {error}", path.display()))
}

fn summary(out: &mut dyn Write, measured: &Calibration, path: &str) -> io::Result<()> {
    let Calibration { device, figures, left_out, programs, .. } = measured;
    let (figures, programs) = (counted(figures.len(), "figure"), counted(*programs, "program"));
    let (name, path) = (printable(&device.name), printable(path));
    writeln!(out, "{name} (sm_{}): {figures} from {programs}, written to {path}", device.sm)?;
    for left in left_out {
        writeln!(out, "skipped: {}: {}", left.place, printable(&left.why))?;
    }
    Ok(())
}

fn list(out: &mut dyn Write, suite: &Suite) -> io::Result<()> {
    writeln!(out, "programs for sm_{}", suite.sm)?;
    for (file, question) in suite.questions() {
        writeln!(out, "\n{file}: {question}")?;
        for (_, name, summary) in suite.programs().filter(|(of, ..)| *of == file) {
            writeln!(out, "  {name:22} {summary}")?;
        }
        for (place, formula) in suite.figures(file) {
            writeln!(out, "  {place} = {formula}")?;
        }
    }
    Ok(())
}
