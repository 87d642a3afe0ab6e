//! One unit of CUDA, with text that nobody has saved, compiled to the code of its kernels.

use super::clang::Clang;
use super::refusal::refusal;
use super::{Compiler, CompilerKind, Flags};
use crate::run::{KeptErrors, failed, run_to_end};
use crate::{Consent, Limits, Search, ToolError, Workplace};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The compiler of a unit, installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitCompiler {
    Nvcc(Compiler),
    Clang(Clang),
}

/// A unit to be compiled, and how.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    pub text: &'a str,
    /// Absolute. The line table names it, and what it includes in quotes is looked for beside it; it need not be there.
    pub path: &'a Path,
    /// `sm_90a`.
    pub architecture: &'a str,
    /// Flags of its build.
    pub flags: &'a Flags,
    pub product: UnitProduct,
}

/// What a unit is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitProduct {
    Cubin,
    Ptx,
}

/// The outcome of following it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitCode {
    /// The cubin, or the text of the PTX, with a line table that leads back to the unit.
    Made(Vec<u8>),
    /// Why the compiler refused the text, in one line.
    Refused(String),
}

/// Names of ours: none of the user's can be taken for an option.
const SOURCE: &str = "code.cu";
const MADE: &str = "code.cubin";

/// Room for the messages about a broken unit, of which the first error counts.
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

    /// The compiler with the arguments that a reader wants to know of it: `nvcc -arch=sm_90`,
    /// `clang -O3 --offload-arch=sm_90`.
    pub fn in_words(&self, unit: &Unit<'_>) -> String {
        let architecture = unit.architecture;
        match self {
            Self::Nvcc(_) => format!("nvcc -arch={architecture}"),
            Self::Clang(_) => format!("clang -O{} --offload-arch={architecture}", unit.flags.level()),
        }
    }

    /// The place to look for a disassembler of the code: a configured one, else that of the toolkit, else on PATH.
    pub fn disassembler(&self, configured: Option<PathBuf>) -> Search {
        match self {
            Self::Nvcc(nvcc) => nvcc.disassembler(configured),
            Self::Clang(clang) => Search::beside(&clang.toolkit.ptxas, configured),
        }
    }

    /// Compiles a unit in a private folder.
    ///
    /// `Err` where nothing can be said of the text: the compiler did not start, was stopped, or failed without a message.
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
        let place = Workplace::private().map_err(in_folder)?;
        let path = unit.path.display().to_string();
        let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("#line 1 \"{quoted}\"\n{}", unit.text);
        place.write(SOURCE, text.as_bytes()).map_err(in_folder)?;
        let program = std::path::absolute(self.path()).map_err(in_folder)?;
        let given = match self {
            Self::Nvcc(_) => of_nvcc(&unit),
            Self::Clang(clang) => clang.arguments(&unit, (SOURCE, MADE)),
        };
        let given: Vec<&OsStr> = given.iter().map(OsString::as_os_str).collect();
        let errors = KeptErrors::First(MESSAGE_BYTES);
        let ended = run_to_end(consent, &program, &given, place.place(), limits, errors, cancelled)?;
        if ended.status.success() {
            return place.read(MADE).map(UnitCode::Made).map_err(in_folder);
        }
        match refusal(&ended, &path, SOURCE) {
            Some(why) => Ok(UnitCode::Refused(why)),
            None => Err(failed(name, &ended)),
        }
    }
}

/// The arguments with which nvcc compiles a unit in the current folder.
fn of_nvcc(unit: &Unit<'_>) -> Vec<OsString> {
    let architecture = format!("-arch={}", unit.architecture);
    let product = match unit.product {
        UnitProduct::Cubin => "-cubin",
        UnitProduct::Ptx => "-ptx",
    };
    let mut given: Vec<OsString> = [product, "-lineinfo", &architecture].map(OsString::from).to_vec();
    // Headers beside the source go before the folders of the build.
    if let Some(folder) = unit.path.parent() {
        given.extend(["-I".into(), folder.as_os_str().to_owned()]);
    }
    given.extend(unit.flags.for_compiler(CompilerKind::Nvcc).into_iter().map(OsString::from));
    given.extend(["-o", MADE, SOURCE].map(OsString::from));
    given
}
