//! One unit of CUDA, with text that nobody has saved, compiled to the code of its kernels.

use super::Compiler;
use crate::run::{Ended, failed, run_to_end};
use crate::{Consent, Limits, ToolError, Workplace};
use std::ffi::OsStr;
use std::path::Path;

/// A unit to be compiled, and how.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    pub text: &'a str,
    /// Absolute. The line table names it, and what it includes in quotes is looked for beside it; it need not be there.
    pub path: &'a Path,
    /// `sm_90a`.
    pub architecture: &'a str,
    /// As [`super::Flags`] took them from a build.
    pub arguments: &'a [String],
    pub product: UnitProduct,
}

/// What a unit is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitProduct {
    Cubin,
    Ptx,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitCode {
    /// The cubin, or the text of the PTX, with a line table that leads back to the unit.
    Made(Vec<u8>),
    /// Why nvcc refused the text, in one line.
    Refused(String),
}

/// Names of ours: none of the user's can be taken for an option.
const SOURCE: &str = "code.cu";
const MADE: &str = "code.cubin";

const NVCC: &str = "nvcc";

/// Room for the messages about a broken unit, of which the first error counts.
const MESSAGE_BYTES: usize = 256 << 10;

impl Compiler {
    /// Compiles a unit in a private folder.
    ///
    /// `Err` where nothing can be said of the text: nvcc did not start, was stopped, or failed without a message.
    pub fn compile_unit(
        &self,
        consent: Consent,
        unit: Unit<'_>,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<UnitCode, ToolError> {
        let in_folder =
            |error: std::io::Error| ToolError::Folder { program: NVCC.to_owned(), why: error.to_string() };
        let place = Workplace::private().map_err(in_folder)?;
        let path = unit.path.display().to_string();
        let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("#line 1 \"{quoted}\"\n{}", unit.text);
        place.write(SOURCE, text.as_bytes()).map_err(in_folder)?;
        let program = std::path::absolute(&self.path).map_err(in_folder)?;
        let architecture = format!("-arch={}", unit.architecture);
        let product = match unit.product {
            UnitProduct::Cubin => "-cubin",
            UnitProduct::Ptx => "-ptx",
        };
        let mut given: Vec<&OsStr> = [product, "-lineinfo", &architecture].map(OsStr::new).to_vec();
        // What stands beside the source goes before the folders of the build.
        if let Some(folder) = unit.path.parent() {
            given.extend([OsStr::new("-I"), folder.as_os_str()]);
        }
        given.extend(unit.arguments.iter().map(OsStr::new));
        given.extend(["-o", MADE, SOURCE].map(OsStr::new));
        let ended = run_to_end(consent, &program, &given, place.place(), limits, MESSAGE_BYTES, cancelled)?;
        if ended.status.success() {
            return place.read(MADE).map(UnitCode::Made).map_err(in_folder);
        }
        match refusal(&ended, &path) {
            Some(why) => Ok(UnitCode::Refused(why)),
            None => Err(failed(NVCC.to_owned(), &ended)),
        }
    }
}

/// The first error that nvcc tells, with its place; `None` where it tells none.
fn refusal(ended: &Ended, path: &str) -> Option<String> {
    let errors = String::from_utf8_lossy(&ended.errors);
    let output = String::from_utf8_lossy(&ended.output);
    errors.lines().chain(output.lines()).find_map(|line| error_in(line, path))
}

/// `x.cu(7): error: no such name` and `x.cu:3:10: fatal error: no such file` as `line 7: no such name`.
fn error_in(line: &str, path: &str) -> Option<String> {
    let (place, message) = line.split_once(" error: ").or_else(|| line.split_once(" error : "))?;
    let place = place.trim_end_matches("fatal").trim_end().trim_end_matches(':');
    let message = message.trim();
    let at = place.strip_prefix(path).map(|rest| rest.trim_start_matches(['(', ':']));
    let number = at.map(|at| at.chars().take_while(char::is_ascii_digit).collect::<String>());
    Some(match number.filter(|number| !number.is_empty()) {
        Some(number) => format!("line {number}: {message}"),
        None => format!("{}: {message}", place.replace(SOURCE, "the unit")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_error_is_that_of_the_unit() {
        for (line, expected) in [
            (
                "/p/x.cu(12): error: identifier \"y\" is undefined",
                Some("line 12: identifier \"y\" is undefined"),
            ),
            (
                "/p/x.cu:3:10: fatal error: h.h: No such file or directory",
                Some("line 3: h.h: No such file or directory"),
            ),
            ("/p/h.h(2): error: expected a \";\"", Some("/p/h.h(2): expected a \";\"")),
            ("/p/x.cu(12): warning #177-D: variable was declared but never referenced", None),
            ("1 error detected in the compilation of \"code.cu\".", None),
        ] {
            assert_eq!(error_in(line, "/p/x.cu").as_deref(), expected, "{line}");
        }
    }
}
