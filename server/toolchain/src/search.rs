//! Search for a program.

use crate::ToolError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Search for a program at a configured path or, if no path is configured, in the folders of PATH.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// A program, or a folder that contains it.
    pub configured: Option<PathBuf>,
    /// Search path in the format of the environment variable PATH.
    pub path: Option<OsString>,
}

impl Search {
    /// A search in the folders of the environment variable PATH.
    pub fn from_environment(configured: Option<PathBuf>) -> Self {
        Self { configured, path: std::env::var_os("PATH") }
    }

    /// Returns a search for a configured path. If no path is configured, searches the folder of `tool`, then PATH.
    pub(crate) fn adjacent(tool: &Path, configured: Option<PathBuf>) -> Self {
        let own = tool.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = own.into_iter().chain(std::env::split_paths(&path));
        // Fails if a folder's name contains the separator. Then only PATH is searched.
        let path = std::env::join_paths(folders).unwrap_or(path);
        Self { configured, path: Some(path) }
    }

    /// Finds the first of these programs that exists. A configured path that does not exist is an error, and
    /// no other folder is searched.
    pub(crate) fn first_of<'n>(&self, names: &[&'n str]) -> Result<(PathBuf, &'n str), ToolError> {
        if let Some(configured) = &self.configured {
            let inside = names.iter().find_map(|name| Some((program(configured, name)?, *name)));
            let itself = || {
                let stem = configured.file_stem()?.to_str()?;
                // A renamed tool (`nvdisasm-12.8`) counts as the first tool in the list whose name it
                // contains.
                let name = names.iter().find(|name| stem.contains(*name)).unwrap_or(&names[0]);
                is_program(configured).then(|| (configured.clone(), *name))
            };
            return inside.or_else(itself).ok_or_else(|| ToolError::NoProgram(configured.clone()));
        }
        let path = self.path.clone().unwrap_or_default();
        // A relative folder on PATH would run programs from the current folder.
        let folders: Vec<PathBuf> =
            std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        names
            .iter()
            .find_map(|name| folders.iter().find_map(|folder| Some((program(folder, name)?, *name))))
            .ok_or(ToolError::Missing)
    }
}

/// The folder of the CUDA toolkit that `CUDA_HOME` names; `None` if the variable is unset or empty.
pub(crate) fn toolkit() -> Option<PathBuf> {
    std::env::var_os("CUDA_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn program(folder: &Path, name: &str) -> Option<PathBuf> {
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    is_program(&path).then_some(path)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
