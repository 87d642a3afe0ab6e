//! clang as a CUDA compiler.

use super::CompilerKind;
use super::unit::{Unit, UnitProduct};
use crate::toolkit::Toolkit;
use crate::{Search, ToolError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An installed clang, and the CUDA toolkit whose headers and ptxas it uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clang {
    pub path: PathBuf,
    pub toolkit: Toolkit,
}

const NAMES: [&str; 2] = ["clang++", "clang"];

impl Clang {
    /// Finds clang at the configured path, which may be a folder. If no path is configured, searches PATH for the name
    /// that the build uses, for `clang++`, or for `clang`. Runs no program.
    pub(super) fn program(
        configured: Option<&Path>,
        name: Option<&str>,
        path: Option<OsString>,
    ) -> Result<PathBuf, ToolError> {
        let names: Vec<&str> = name.into_iter().chain(NAMES).collect();
        let search = Search { configured: configured.map(Path::to_owned), path };
        let found = search.first_of(&names);
        let (path, _) = found.map_err(|_| match configured {
            Some(configured) => ToolError::NoClangAt(configured.to_owned()),
            None => ToolError::NoClang,
        })?;
        Ok(path)
    }

    /// The arguments that compile a unit in the current folder. `folder` is the folder of the unit, in which quoted
    /// includes are searched.
    pub(super) fn arguments(
        &self,
        unit: &Unit<'_>,
        folder: Option<&str>,
        (source, made): (&str, &str),
    ) -> Vec<OsString> {
        let named = |name: &str, path: &Path| {
            let mut argument = OsString::from(name);
            argument.push(path);
            argument
        };
        let product = match unit.product {
            UnitProduct::Cubin => "-c",
            UnitProduct::Ptx => "-S",
        };
        let mut given: Vec<OsString> = vec!["--cuda-device-only".into(), product.into()];
        // A clang that is older than the toolkit prints a warning and compiles nevertheless.
        given.extend(["-gline-tables-only", "-w", "-fno-crash-diagnostics"].map(OsString::from));
        given.push(named("--cuda-path=", &self.toolkit.folder));
        given.push(named("--ptxas-path=", &self.toolkit.ptxas));
        given.push(format!("--offload-arch={}", unit.architecture).into());
        given.push(format!("-O{}", unit.flags.level()).into());
        // Headers next to the source take precedence over the folders of the build.
        if let Some(folder) = folder {
            given.push(named("-iquote", Path::new(folder)));
        }
        given.extend(unit.flags.for_compiler(CompilerKind::Clang).into_iter().map(OsString::from));
        given.extend(["-x", "cuda", source, "-o", made].map(OsString::from));
        given
    }
}
