//! Compiles one CUDA translation unit, called unit here, from unsaved text to the code of its kernels.

use super::alias::Aliases;
use super::clang::Clang;
use super::refusal::refusal;
use super::{Compiler, CompilerKind, Flags, words};
use crate::run::{KeptErrors, failed, run_to_end};
use crate::{Consent, Limits, Search, ToolError, WorkingFolder};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// An installed compiler for CUDA units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitCompiler {
    Nvcc(Compiler),
    Clang(Clang),
}

/// A unit to compile, and the compiler settings.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    pub text: &'a str,
    /// Absolute path. The file may not exist yet. The line table names this path, and quoted includes are
    /// searched in its folder.
    pub path: &'a Path,
    /// Target architecture: `sm_90a`.
    pub architecture: &'a str,
    /// Flags of the unit's build.
    pub flags: &'a Flags,
    pub product: UnitProduct,
}

/// Output type of a unit's compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitProduct {
    Cubin,
    Ptx,
}

/// Result of a compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitCode {
    /// The cubin or the PTX text, with a line table that refers to the unit.
    Made(Vec<u8>),
    /// Reason why the compiler rejected the text, in one line.
    Refused(String),
}

/// Fixed file name. A name chosen by the user could be parsed as an option.
const SOURCE: &str = "code.cu";
const MADE: &str = "code.cubin";

/// Maximum number of bytes of the compiler's messages that are kept. limit: enough for the messages about a broken
/// unit, of which only the first error is used.
const MESSAGE_BYTES: usize = 256 << 10;

impl UnitCompiler {
    pub fn kind(&self) -> CompilerKind {
        match self {
            Self::Nvcc(_) => CompilerKind::Nvcc,
            Self::Clang(_) => CompilerKind::Clang,
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Nvcc(nvcc) => &nvcc.path,
            Self::Clang(clang) => &clang.path,
        }
    }

    /// The compiler with its most relevant arguments, for display: `nvcc -arch=sm_90`, `clang -O3
    /// --offload-arch=sm_90`.
    pub fn in_words(&self, unit: &Unit<'_>) -> String {
        let architecture = unit.architecture;
        match self {
            Self::Nvcc(_) => format!("nvcc -arch={architecture}"),
            Self::Clang(_) => format!("clang -O{} --offload-arch={architecture}", unit.flags.level()),
        }
    }

    /// The search for a disassembler: the configured path, then the toolkit's folder, then PATH.
    pub fn disassembler(&self, configured: Option<PathBuf>) -> Search {
        match self {
            Self::Nvcc(nvcc) => nvcc.disassembler(configured),
            Self::Clang(clang) => Search::adjacent(&clang.toolkit.ptxas, configured),
        }
    }

    /// Compiles a unit in a private folder.
    ///
    /// Returns `Err` if the compiler neither accepted nor rejected the text: it did not start, was stopped or
    /// failed without a message, or a path or an argument cannot be passed to it.
    pub fn compile_unit(
        &self,
        consent: Consent,
        unit: Unit<'_>,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<UnitCode, ToolError> {
        let name = self.kind().name().to_owned();
        let in_folder =
            |error: std::io::Error| ToolError::Folder { program: name.clone(), why: error.to_string() };
        let path = writable(unit.path)?;
        let place = WorkingFolder::private().map_err(in_folder)?;
        let mut aliases = Aliases::default();
        let known_as = aliases.of_unit(&place, path)?;
        let quoted = known_as.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("#line 1 \"{quoted}\"\n{}", unit.text);
        place.write(SOURCE, text.as_bytes()).map_err(in_folder)?;
        let flags = unit.flags.with_headers(|header, path| aliases.of_header(&place, header, path))?;
        let folder = path_of_folder(unit.path).map(|folder| aliases.of_folder(&place, folder)).transpose()?;
        let renamed = Unit { flags: &flags, ..unit };
        let program = std::path::absolute(self.path()).map_err(in_folder)?;
        let given = match self {
            Self::Nvcc(_) => of_nvcc(&place, &renamed, folder.as_deref())?,
            Self::Clang(clang) => clang.arguments(&renamed, folder.as_deref(), (SOURCE, MADE)),
        };
        let given: Vec<&OsStr> = given.iter().map(OsString::as_os_str).collect();
        let errors = KeptErrors::First(MESSAGE_BYTES);
        let ended = run_to_end(consent, &program, &given, place.place(), limits, errors, cancelled)?;
        if ended.status.success() {
            let made = place.read(MADE).map_err(in_folder)?;
            return Ok(UnitCode::Made(aliases.restore(unit.product, made)));
        }
        match refusal(&ended, &known_as, SOURCE) {
            Some(why) => Ok(UnitCode::Refused(aliases.in_message(&why))),
            None => Err(failed(name, &ended)),
        }
    }
}

/// The path as text. `Err` if a `#line` directive cannot contain the path.
fn writable(path: &Path) -> Result<&str, ToolError> {
    let refused = |why: &str| ToolError::Path {
        path: path.to_string_lossy().escape_debug().to_string(),
        why: why.to_owned(),
    };
    // A path that is not UTF-8 contains replacement characters if it comes from an editor's URI.
    let text = path.to_str().filter(|text| !text.contains(char::REPLACEMENT_CHARACTER));
    let text = text.ok_or_else(|| refused("its path is not UTF-8; rename the file or folder"))?;
    if text.contains(['\n', '\r', '\0']) {
        return Err(refused("its path contains a line break or a zero byte; rename the file or folder"));
    }
    Ok(text)
}

/// The folder of a unit; `None` for a unit that was never saved.
fn path_of_folder(path: &Path) -> Option<&str> {
    path.parent()?.to_str().filter(|folder| !folder.is_empty())
}

/// The arguments with which nvcc compiles a unit in the workplace. Headers are also searched in `folder`, the
/// folder of the unit.
fn of_nvcc(place: &WorkingFolder, unit: &Unit<'_>, folder: Option<&str>) -> Result<Vec<OsString>, ToolError> {
    let architecture = format!("-arch={}", unit.architecture);
    let product = match unit.product {
        UnitProduct::Cubin => "-cubin",
        UnitProduct::Ptx => "-ptx",
    };
    let mut given: Vec<OsString> = [product, "-lineinfo", &architecture].map(OsString::from).to_vec();
    given.extend(words::of_flags(place, folder, unit.flags)?);
    given.extend(["-o", MADE, SOURCE].map(OsString::from));
    words::checked(place, &given)?;
    Ok(given)
}
