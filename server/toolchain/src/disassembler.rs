//! NVIDIA's disassemblers.

use crate::folder::PrivateFolder;
use crate::run::{RunFolder, run};
use crate::{Consent, Limits, Search, ToolError};
use std::ffi::OsStr;
use std::path::PathBuf;

/// An installed disassembler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembler {
    pub path: PathBuf,
    pub kind: DisassemblerKind,
}

/// Which of NVIDIA's two disassemblers a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisassemblerKind {
    /// nvdisasm. Unlike cuobjdump, it prints source lines and labels.
    Nvdisasm,
    Cuobjdump,
}

const NVDISASM: &str = "nvdisasm";
const CUOBJDUMP: &str = "cuobjdump";

impl Disassembler {
    /// Finds the configured disassembler. If no path is configured, searches PATH for nvdisasm, then for cuobjdump.
    /// Runs no program.
    pub fn find(search: &Search) -> Result<Self, ToolError> {
        let (path, name) = search.first_of(&[NVDISASM, CUOBJDUMP])?;
        let kind = if name == NVDISASM { DisassemblerKind::Nvdisasm } else { DisassemblerKind::Cuobjdump };
        Ok(Self { path, kind })
    }

    /// Disassembles a cubin. The listing includes encodings, which contain the control codes.
    ///
    /// If `source_lines` is true, nvdisasm prints source lines above the instructions, and the call sites of inlined
    /// instructions. The cubin must then have a line table. Returns `Err` if the disassembler does not support the
    /// architecture, was stopped, or printed nothing.
    pub fn listing(
        &self,
        consent: Consent,
        cubin: &[u8],
        source_lines: bool,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<String, ToolError> {
        let program = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let in_folder =
            |error: std::io::Error| ToolError::Folder { program: program.clone(), why: error.to_string() };
        let folder = PrivateFolder::new().map_err(in_folder)?;
        // The fixed file name cannot be parsed as an option, unlike a name chosen by the user.
        let file = folder.path().join("code.cubin");
        std::fs::write(&file, cubin).map_err(in_folder)?;
        let mut arguments: Vec<&OsStr> = match self.kind {
            DisassemblerKind::Nvdisasm => vec!["-hex".as_ref(), "-c".as_ref()],
            DisassemblerKind::Cuobjdump => vec!["-sass".as_ref()],
        };
        if source_lines && self.kind == DisassemblerKind::Nvdisasm {
            arguments.push("-gi".as_ref());
        }
        arguments.push(file.as_ref());
        // The current folder of the program differs from the current folder of this process.
        let absolute = std::path::absolute(&self.path).map_err(in_folder)?;
        let place = RunFolder { folder: folder.path(), temporary: folder.path(), is_private: true };
        let output = run(consent, &absolute, &arguments, place, limits, cancelled)?;
        let text = String::from_utf8(output)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        if text.trim().is_empty() { Err(ToolError::Nothing { program }) } else { Ok(text) }
    }
}
