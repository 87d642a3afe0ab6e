//! The folder of a CUDA toolkit, for a compiler outside of the toolkit.

use crate::{Assembler, Compiler, ToolError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A toolkit folder with headers and libdevice, and the ptxas to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolkit {
    pub folder: PathBuf,
    pub ptxas: PathBuf,
}

impl Toolkit {
    /// Folders that may contain the programs of the user's toolkit: the folder of the configured nvcc or, if none is
    /// configured, of the nvcc in `CUDA_HOME` or on PATH. If nvcc is a link, the folder of the link's target follows.
    /// Runs no program.
    pub fn programs(nvcc: Option<&Path>) -> Vec<PathBuf> {
        let found = match nvcc {
            Some(configured) => Compiler::at(configured),
            None => Compiler::from_environment(),
        };
        let Ok(Compiler { path }) = found else { return Vec::new() };
        let both = [std::path::absolute(&path).ok(), path.canonicalize().ok()];
        both.iter().flatten().filter_map(|path| path.parent().map(Path::to_owned)).collect()
    }
}

/// The paths from which the CUDA toolkit for a compiler outside of it is found.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolkitSearch<'a> {
    /// ptxas, or the folder that contains it.
    pub(crate) ptxas: Option<&'a Path>,
    /// nvcc, or the folder that contains it.
    pub(crate) nvcc: Option<&'a Path>,
    /// The folder that `CUDA_HOME` names.
    pub(crate) home: Option<PathBuf>,
    pub(crate) path: Option<OsString>,
}

/// Folders in which distributions and NVIDIA's installer install a toolkit.
const USUAL: [&str; 3] = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"];

impl ToolkitSearch<'_> {
    /// Finds the toolkit of a configured program. If no program is configured, searches `CUDA_HOME`, PATH, and the
    /// usual folders. Runs no program.
    ///
    /// `of_build` is a toolkit folder of the build. Its headers take precedence. Its ptxas is not run, because a
    /// workspace file must not choose programs to run.
    pub(crate) fn find(&self, of_build: Option<&Path>) -> Result<Toolkit, ToolError> {
        let folders = self.folders();
        let is_toolkit =
            |folder: &&Path| folder.join("include").is_dir() && folder.join("nvvm/libdevice").is_dir();
        let known = of_build.into_iter().chain(folders.iter().map(PathBuf::as_path));
        let folder = known.into_iter().find(is_toolkit).ok_or(ToolError::NoToolkitForClang)?.to_owned();
        let ptxas = if self.ptxas.is_some() {
            Assembler::find(self.ptxas, None, None)?
        } else {
            let of_folder = folders.iter().find_map(|folder| Assembler::find(None, Some(folder), None).ok());
            let on_path = || Assembler::find(None, None, self.path.clone());
            of_folder.map_or_else(on_path, Ok).map_err(|_| ToolError::NoToolkitForClang)?
        };
        // The current folder of clang differs from the current folder of this process.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Ok(Toolkit { folder: absolute(folder), ptxas: absolute(ptxas.path) })
    }

    /// Folders that may be the user's toolkit, in order of preference.
    fn folders(&self) -> Vec<PathBuf> {
        let configured = [self.ptxas, self.nvcc].into_iter().flatten().map(Path::to_owned);
        let path = self.path.clone().unwrap_or_default();
        let on_path: Vec<PathBuf> = std::env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .filter_map(|folder| {
                ["nvcc", "ptxas"].map(|name| folder.join(name)).into_iter().find(|it| it.is_file())
            })
            .collect();
        let home = self.home.iter().filter_map(|home| std::path::absolute(home).ok());
        let (configured, on_path) =
            (configured.flat_map(|path| around(&path)), on_path.iter().flat_map(|path| around(path)));
        configured.chain(home).chain(on_path).chain(USUAL.map(PathBuf::from)).collect()
    }
}

/// The two folders above a program, both for its path as given and for its path with links resolved. The
/// program or its folder may be a link into the toolkit.
fn around(path: &Path) -> Vec<PathBuf> {
    let whole = [std::path::absolute(path).ok(), path.canonicalize().ok()];
    let folders = whole.iter().flatten().flat_map(|path| path.ancestors().skip(1).take(2));
    folders.map(Path::to_owned).collect()
}
