//! `warplens profile`: prints the top-down tree of profiled launches, or profiles a program.

mod against;
mod analysed_launch;
pub(super) mod args;
mod json;
mod run;
mod source;
mod text;

use super::failure::Failure;
use super::progress::Progress;
use super::{launches, names, output};
use crate::read::{BoundedFile, NAMED_BYTES, never};
use crate::tree::{dot, mermaid, svg, words};
use analysed_launch::AnalysedLaunch;
use args::{ProfileArgs, ProfileFormat};
use clap::ColorChoice;
use ide::profiles::{self, Launch, Profile, Thresholds};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(args: &ProfileArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("reading");
    let before = args.against.as_deref().map(|path| Ok((path, read(path)?.launches))).transpose()?;
    let launches = if args.run {
        match run::profile(args, &progress)? {
            Some(profile) => profile.launches,
            None => return Ok(ExitCode::from(2)),
        }
    } else {
        let read = args.reports.iter().map(|path| read(path)).collect::<Result<Vec<Profile>, Failure>>()?;
        match <[Profile; 1]>::try_from(read) {
            Ok([only]) => only.launches,
            Err(several) => profiles::merged(&several),
        }
    };
    progress.yield_terminal();
    drop(progress);
    let launches = wanted(launches, args.function.as_deref())?;
    let thresholds = thresholds()?;
    if let Some((path, before)) = before {
        let before = wanted(before, args.function.as_deref())?;
        against::write(args, (path, before), launches, &thresholds)?;
        return Ok(ExitCode::SUCCESS);
    }
    let analysed = |launch: Launch| {
        let tree = profiles::tree(&launch, args.gpu.as_deref(), &thresholds).map_err(Failure::from_error)?;
        Ok(AnalysedLaunch { launch, tree })
    };
    let all: Vec<AnalysedLaunch> = launches.into_iter().map(analysed).collect::<Result<_, Failure>>()?;
    write(args, &all)?;
    Ok(ExitCode::SUCCESS)
}

/// A profile that the user named. If the file is cut off, prints on stderr what could not be read.
fn read(path: &Path) -> Result<Profile, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("`{}`: {error}", path.display()));
    let file = BoundedFile::named(path, NAMED_BYTES).map_err(|error| failed(&error))?;
    let bytes = file.all(&never).map_err(|error| failed(&error))?;
    let profile = profiles::read(&bytes).map_err(|error| failed(&error))?;
    if let Some(cut) = &profile.cut {
        failed(&format!("only part of the file was read: {cut}")).tell();
    }
    Ok(profile)
}

/// The launches of the kernel that `--function` names; all launches if the option is absent.
fn wanted(launches: Vec<Launch>, function: Option<&str>) -> Result<Vec<Launch>, Failure> {
    let Some(function) = function else { return Ok(launches) };
    let name =
        |launch: &Launch| launch.kernel.mangled.clone().unwrap_or_else(|| launch.kernel.demangled.clone());
    let all: Vec<String> = launches.iter().map(name).collect();
    let found = names::chosen("the profile", all.iter().map(String::as_str), Some(function))?;
    let of_launches = launches.into_iter().zip(&all);
    Ok(of_launches.filter(|(_, name)| found == Some(name.as_str())).map(|(launch, _)| launch).collect())
}

/// The guides' thresholds, overridden by the thresholds in the `warplens.toml` that applies to the current folder.
fn thresholds() -> Result<Thresholds, Failure> {
    let stated = launches::project_file(None).map(|path| launches::read_found(&path)).transpose()?;
    Ok(stated.map(|file| file.profile.thresholds()).unwrap_or_default())
}

fn write(args: &ProfileArgs, all: &[AnalysedLaunch]) -> Result<(), Failure> {
    let plain = |write: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
        output::print(ColorChoice::Never, |out, _| write(out))
    };
    let trees = || all.iter().filter_map(|own| Some((words::launch(&own.launch), own.tree.as_ref()?)));
    match args.format {
        ProfileFormat::Text => {
            output::print(args.color.color, |out, palette| text::write(out, palette, all))?;
            match &args.source {
                Some(path) => source::write(path, all, args.color.color),
                None => Ok(()),
            }
        }
        ProfileFormat::Json => plain(&|out| json::write(out, all)),
        ProfileFormat::Dot => {
            plain(&|out| trees().try_for_each(|(title, tree)| dot::write(out, &title, tree)))
        }
        ProfileFormat::Mermaid => {
            plain(&|out| trees().try_for_each(|(title, tree)| mermaid::write(out, &title, tree)))
        }
        ProfileFormat::Svg => {
            let trees: Vec<_> = trees().collect();
            let [(title, tree)] = &trees[..] else {
                let what = format!("{} launches have a tree", trees.len());
                return Err(Failure::new(format!("{what}; expected one for a picture: --function NAME")));
            };
            plain(&|out| out.write_all(svg::picture(title, tree).as_bytes()))
        }
    }
}
