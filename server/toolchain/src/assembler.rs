//! ptxas, NVIDIA's PTX assembler.

mod arguments;
mod messages;

pub use messages::{Message, Severity, Usage};

use crate::run::{FinishedRun, KeptErrors, failed, run_to_end};
use crate::search::toolkit;
use crate::{Consent, Limits, Search, ToolError, WorkingFolder};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// An installed ptxas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembler {
    pub path: PathBuf,
}

/// A PTX text to assemble, and the settings for ptxas.
#[derive(Debug, Clone, Copy, Default)]
pub struct Assembly<'a> {
    /// The complete PTX text.
    pub text: &'a str,
    /// The target in the text's `.target` directive: `sm_90a`.
    pub target: Option<&'a str>,
    /// The architecture to assemble for. `None` selects the architecture of the text or, if this ptxas does
    /// not support it, the lowest supported architecture above it.
    pub architecture: Option<&'a str>,
    /// Optimization level, 0 to 3. `None` uses the default level of ptxas.
    pub optimisation: Option<u8>,
    /// Additional arguments for ptxas. They must not name files.
    pub arguments: &'a [String],
}

/// Result of an assembly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The cubin, with line tables for the text. `None` if ptxas rejected the text.
    pub cubin: Option<Vec<u8>>,
    /// Messages in the order in which ptxas printed them, without duplicates.
    pub messages: Vec<Message>,
    /// Resource usage of each function.
    pub usage: Vec<Usage>,
    /// The architecture passed to ptxas; `None` if ptxas chose the architecture, or if the arguments specify
    /// it.
    pub architecture: Option<String>,
}

const PTXAS: &str = "ptxas";

/// Fixed file name. A name chosen by the user could be parsed as an option or be altered in a message.
const SOURCE: &str = "code.ptx";
const CUBIN: &str = "code.cubin";

/// Maximum number of bytes of ptxas's output that are kept. limit: enough for the messages about some ten thousand
/// lines, and for the report of `-v` on as many functions.
const MESSAGE_BYTES: usize = 4 << 20;

impl Assembler {
    /// Finds the configured ptxas (a program, or a folder that contains it). If no path is configured, searches the
    /// given toolkit folder, then PATH. Runs no program.
    pub fn find(
        configured: Option<&Path>,
        toolkit: Option<&Path>,
        path: Option<OsString>,
    ) -> Result<Self, ToolError> {
        let on_path = |path| Search { configured: None, path }.first_of(&[PTXAS]);
        let in_toolkit = |toolkit: &Path| on_path(Some(toolkit.join("bin").into_os_string())).ok();
        let found = match configured {
            Some(configured) => Search { configured: Some(configured.to_owned()), path: None }
                .first_of(&[PTXAS])
                .map_err(|_| ToolError::NoAssemblerAt(configured.to_owned()))?,
            None => toolkit
                .and_then(in_toolkit)
                .map_or_else(|| on_path(path), Ok)
                .map_err(|_| ToolError::NoAssembler)?,
        };
        Ok(Self { path: found.0 })
    }

    /// Finds the configured ptxas. If no path is configured, searches `CUDA_HOME`, then PATH.
    pub fn from_environment(configured: Option<&Path>) -> Result<Self, ToolError> {
        Self::find(configured, toolkit().as_deref(), std::env::var_os("PATH"))
    }

    /// The search for a disassembler that supports this ptxas's output: the configured path, then the same
    /// toolkit, then PATH.
    pub fn disassembler(&self, configured: Option<PathBuf>) -> Search {
        Search::adjacent(&self.path, configured)
    }

    /// Assembles a text in a private folder.
    ///
    /// Returns `Err` if ptxas neither accepted nor rejected the text: it did not start, was stopped or failed
    /// without a message, or an argument is not allowed.
    pub fn assemble(
        &self,
        consent: Consent,
        assembly: Assembly<'_>,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Assembled, ToolError> {
        arguments::check(assembly.arguments)?;
        let in_folder =
            |error: std::io::Error| ToolError::Folder { program: PTXAS.to_owned(), why: error.to_string() };
        let place = WorkingFolder::private().map_err(in_folder)?;
        place.write(SOURCE, assembly.text.as_bytes()).map_err(in_folder)?;
        let program = std::path::absolute(&self.path).map_err(in_folder)?;
        let run = |arguments: &[&OsStr]| {
            let errors = KeptErrors::First(MESSAGE_BYTES);
            run_to_end(consent, &program, arguments, place.place(), limits, errors, cancelled)
        };
        let architecture = match assembly.architecture {
            _ if arguments::name_architecture(assembly.arguments) => None,
            Some(architecture) => Some(architecture.to_owned()),
            None => {
                let known = |target| Ok(arguments::nearest(target, &run(&["--list-arch".as_ref()])?));
                assembly.target.map(known).transpose()?
            }
        };
        let level = assembly.optimisation.map(|level| format!("-O{level}"));
        // The line tables do not affect the code.
        let mut given: Vec<&OsStr> = ["-v", "-lineinfo"].map(OsStr::new).to_vec();
        if let Some(architecture) = &architecture {
            given.extend(["-arch", architecture].map(OsStr::new));
        }
        given.extend(level.iter().map(OsStr::new));
        given.extend(assembly.arguments.iter().map(OsStr::new));
        given.extend(["-o", CUBIN, SOURCE].map(OsStr::new));
        let ended = run(&given)?;
        let (messages, usage) = read(&ended);
        let refused = messages.iter().any(|message| message.severity == Severity::Error);
        let cubin = match place.read(CUBIN) {
            Ok(cubin) if ended.status.success() => Some(cubin),
            _ if refused => None,
            _ if !ended.status.success() => return Err(failed(PTXAS.to_owned(), &ended)),
            _ => {
                return Err(ToolError::Failed {
                    program: PTXAS.to_owned(),
                    status: ended.status.to_string(),
                    message: "it wrote no output file".to_owned(),
                });
            }
        };
        Ok(Assembled { cubin, messages, usage, architecture })
    }
}

fn read(ended: &FinishedRun) -> (Vec<Message>, Vec<Usage>) {
    let mut text = String::from_utf8_lossy(&ended.errors).into_owned();
    if ended.more_errors {
        // The last line may be incomplete.
        text.truncate(text.rfind('\n').unwrap_or(0));
    }
    text.push('\n');
    text.push_str(&String::from_utf8_lossy(&ended.output));
    let (mut messages, usage) = messages::read(&text);
    if ended.more_errors {
        let text = format!("the ptxas output is truncated after {MESSAGE_BYTES} bytes");
        messages.push(Message { line: None, severity: Severity::Info, text });
    }
    (messages, usage)
}
