//! Flags in the spelling of each compiler.

use super::{Flag, Flags, Header};
use crate::compiler::CompilerKind;

/// nvcc's default optimization level for device code. clang needs an explicit option for this level.
const USUAL_LEVEL: &str = "3";

/// An argument that nvcc forwards to the host compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::compiler) enum HostWord {
    Header(Header, String),
    Define(String),
    Undefine(String),
}

impl Flags {
    /// The arguments for nvcc: arguments for the host compiler, in order, and other arguments.
    pub(in crate::compiler) fn for_nvcc(&self) -> (Vec<HostWord>, Vec<String>) {
        let (mut host, mut others) = (Vec::new(), Vec::new());
        for flag in &self.arguments {
            match flag {
                Flag::Header(header, path) => host.push(HostWord::Header(*header, path.clone())),
                Flag::Define(value) => host.push(HostWord::Define(value.clone())),
                Flag::Undefine(value) => host.push(HostWord::Undefine(value.clone())),
                flag => others.extend(flag.given(CompilerKind::Nvcc)),
            }
        }
        (host, others)
    }

    /// The arguments for a compiler, without arguments that only the other compiler has.
    pub fn for_compiler(&self, kind: CompilerKind) -> Vec<String> {
        self.arguments.iter().flat_map(|flag| flag.given(kind)).collect()
    }

    /// The level at which clang optimizes the code: `3`, unless the build specifies another level.
    pub fn level(&self) -> &str {
        self.level.as_deref().unwrap_or(USUAL_LEVEL)
    }
}

impl Flag {
    fn given(&self, kind: CompilerKind) -> Vec<String> {
        let is_nvcc = kind == CompilerKind::Nvcc;
        match self {
            Self::Header(header, path) => header.given(path, kind),
            Self::Define(value) => with_value("-D", value, kind),
            Self::Undefine(value) => with_value("-U", value, kind),
            // nvcc does not accept GNU dialects.
            Self::Standard(value) if is_nvcc => vec![format!("-std={}", value.replace("gnu++", "c++"))],
            Self::Standard(value) => vec![format!("-std={value}")],
            Self::Registers(count) if is_nvcc => vec![format!("-maxrregcount={count}")],
            Self::Registers(count) => vec!["-Xcuda-ptxas".to_owned(), format!("--maxrregcount={count}")],
            Self::Relocatable(is) if is_nvcc => vec![format!("-rdc={is}")],
            Self::Relocatable(true) => vec!["-fgpu-rdc".to_owned()],
            Self::Relocatable(false) => vec!["-fno-gpu-rdc".to_owned()],
            Self::Ptxas(argument) => {
                vec![if is_nvcc { "-Xptxas" } else { "-Xcuda-ptxas" }.to_owned(), argument.clone()]
            }
            Self::Switch(switch) => {
                let own = if is_nvcc { switch.nvcc } else { switch.clang };
                own.iter().map(|argument| (*argument).to_owned()).collect()
            }
            Self::Only(of, argument) => (*of == kind).then(|| argument.clone()).into_iter().collect(),
        }
    }
}

impl Header {
    fn given(self, path: &str, kind: CompilerKind) -> Vec<String> {
        let name = match (self, kind) {
            (Self::Folder, _) | (Self::Quoted, CompilerKind::Nvcc) => "-I",
            (Self::Quoted, CompilerKind::Clang) => "-iquote",
            // nvcc also searches system folders after the other folders.
            (Self::System, _) | (Self::After, CompilerKind::Nvcc) => "-isystem",
            (Self::After, CompilerKind::Clang) => "-idirafter",
            (Self::File, _) => "-include",
        };
        with_value(name, path, kind)
    }
}

/// Spells an option with its value. For clang, the value is joined to the name, because clang reads an argument that
/// begins with `@` as the name of a file with more arguments.
fn with_value(name: &str, value: &str, kind: CompilerKind) -> Vec<String> {
    match kind {
        CompilerKind::Nvcc => vec![name.to_owned(), value.to_owned()],
        CompilerKind::Clang => vec![format!("{name}{value}")],
    }
}
