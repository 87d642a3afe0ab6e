//! Finds the launch context of a file: `warplens.toml` and `--launches`.

use super::failure::Failure;
use super::files::settings_text;
use crate::data_files::{DataFiles, DataReading};
use crate::read::{BoundedFile, LAUNCH_FILE_BYTES, ReadError, never};
use ide::{LaunchFile, Problem};
use std::fs;
use std::path::{Path, PathBuf};

const FILE_NAME: &str = "warplens.toml";

/// Finds the `warplens.toml` that applies to a file: the nearest one on the path from the file's folder up to
/// the root of its workspace. If that path has none, searches from the current folder up to the root of the
/// current workspace.
///
/// A folder with `.git` is a workspace root. `file` is `None` for standard input.
pub(super) fn project_file(file: Option<&Path>) -> Option<PathBuf> {
    let current = std::env::current_dir().and_then(fs::canonicalize).ok();
    let own =
        file.and_then(|file| fs::canonicalize(file).ok()).and_then(|file| file.parent().map(Path::to_owned));
    let found =
        own.as_deref().and_then(search_upward).or_else(|| current.as_deref().and_then(search_upward))?;
    // A path below the current folder is shown relative to it.
    Some(match current.and_then(|current| found.strip_prefix(current).ok().map(Path::to_owned)) {
        Some(relative) => relative,
        None => found,
    })
}

fn search_upward(folder: &Path) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        let candidate = folder.join(FILE_NAME);
        if candidate.is_file() {
            return Some(candidate);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// Reads a `warplens.toml` that a search found. Fails if the file is a link that leads out of its workspace.
pub(super) fn read_found(path: &Path) -> Result<LaunchFile, Failure> {
    let file = fs::canonicalize(folder(path))
        .map_err(ReadError::from)
        .and_then(|folder| BoundedFile::within(root(&folder), path, LAUNCH_FILE_BYTES));
    read(path, file)
}

/// Folder of a file.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Root of the workspace that contains a folder; the folder itself if it is in no workspace.
fn root(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder)
}

/// Reads the `--launches` file, which may be a pipe.
pub(super) fn read_named(path: &Path) -> Result<LaunchFile, Failure> {
    read(path, BoundedFile::named(path, LAUNCH_FILE_BYTES))
}

/// Reads a launches file and its data files. Fails at the first error in the launches file; prints other problems on
/// stderr, one per line.
fn read(path: &Path, file: Result<BoundedFile, ReadError>) -> Result<LaunchFile, Failure> {
    let text = settings_text(file, path)?;
    let name = path.display();
    let data = DataReading::new(folder(path), DataFiles::default(), &never);
    let (file, problems) = LaunchFile::parse_with(&name.to_string(), &text, &|file| data.read(file))
        .map_err(Failure::from_error)?;
    for Problem { line, message, .. } in problems {
        Failure::new(format!("{name}:{line}: {message}")).tell();
    }
    Ok(file)
}

/// Merges the `--launches` file, `flag`, into the project's file. The launches of `flag` replace those of `project`,
/// even if `flag` has none. Its tunings replace those of `project` if it has any. Its GPU, and each rule, limit and
/// threshold, overrides only that value.
pub(super) fn merge(project: LaunchFile, flag: LaunchFile) -> LaunchFile {
    let mut merged = project;
    merged.gpu = flag.gpu.or(merged.gpu);
    merged.rules.extend(flag.rules);
    merged.limits.wavefronts = flag.limits.wavefronts.or(merged.limits.wavefronts);
    merged.limits.sectors = flag.limits.sectors.or(merged.limits.sectors);
    merged.profile.thresholds.extend(flag.profile.thresholds);
    merged.launches = flag.launches;
    if !flag.tunings.is_empty() {
        merged.tunings = flag.tunings;
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCH: &str = "[[launch]]\nfunction = \"f\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n";

    fn file(text: &str) -> LaunchFile {
        LaunchFile::parse("x.toml", text).unwrap()
    }

    #[test]
    fn the_flag_wins_where_both_speak() {
        let project = file(&format!("gpu = \"t4\"\n[rules]\nsyntax-error = \"hint\"\n{LAUNCH}"));
        let flag = file("gpu = \"p100\"\n[rules]\nsyntax-error = \"off\"\n");
        assert_eq!(merge(project, flag.clone()), flag);
    }

    #[test]
    fn the_project_fills_in_what_the_flag_does_not_say() {
        let project = file("gpu = \"t4\"\n[rules]\nsyntax-error = \"hint\"\n");
        let flag = file(LAUNCH);
        let expected = file(&format!("gpu = \"t4\"\n[rules]\nsyntax-error = \"hint\"\n{LAUNCH}"));
        assert_eq!(merge(project, flag), expected);
    }
}
