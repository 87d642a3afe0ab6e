//! Build arguments that determine the meaning of a CUDA unit, independent of the compiler that they were
//! written for.

mod given;
mod switches;

pub(super) use given::HostWord;

use super::{BuildCompiler, CompilerKind};
use std::path::{Path, PathBuf};
use switches::{CLANG_ONLY, NVCC_ONLY, SWITCHES, Switch};

/// Arguments that change a unit's meaning or code. None of them names a file to be written or run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    arguments: Vec<Flag>,
    /// The architecture that the build compiles for, or the first of several: `sm_90a`.
    pub architecture: Option<String>,
    /// Level of clang's `-O`: `3`, `s`. nvcc's `-O` applies to host code and is ignored.
    level: Option<String>,
    /// The folder of clang's `--cuda-path`, absolute. Only the headers in the folder are used, and no program
    /// in the folder is run.
    pub toolkit: Option<PathBuf>,
    /// The compiler of the command from which the arguments were read.
    pub compiler: Option<BuildCompiler>,
}

/// An argument, independent of its spelling in either compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Flag {
    /// A header file or a folder of headers, absolute.
    Header(Header, String),
    Define(String),
    Undefine(String),
    Standard(String),
    Registers(String),
    Relocatable(bool),
    /// An argument of ptxas.
    Ptxas(String),
    Switch(&'static Switch),
    /// An argument that only one compiler accepts.
    Only(CompilerKind, String),
}

/// Use of a header path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    Folder,
    System,
    Quoted,
    After,
    /// A file that is included before the unit.
    File,
}

/// The role of an option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Header(Header),
    Define,
    Undefine,
    Standard,
    Registers,
    Relocatable,
    Architecture,
    Toolkit,
    /// Arguments for the host compiler, which preprocesses device code too.
    Host,
    Ptxas,
    /// An argument of clang for device code.
    Device,
    /// A Boolean value of an nvcc option: `-ftz=true`.
    Truth,
    /// The value and its option are ignored.
    LeftOut,
}

/// An option with a value. The value may be the next argument, follow `=`, or directly follow a short name.
struct ValuedOption {
    names: &'static [&'static str],
    role: Role,
    /// True if the value may directly follow the first name, as in `-Idir`.
    joins: bool,
}

const fn valued(names: &'static [&'static str], role: Role) -> ValuedOption {
    ValuedOption { names, role, joins: false }
}

const fn joined(names: &'static [&'static str], role: Role) -> ValuedOption {
    ValuedOption { names, role, joins: true }
}

const VALUED: [ValuedOption; 18] = [
    joined(&["-I", "--include-path"], Role::Header(Header::Folder)),
    valued(&["-isystem", "--system-include"], Role::Header(Header::System)),
    valued(&["-iquote"], Role::Header(Header::Quoted)),
    valued(&["-idirafter"], Role::Header(Header::After)),
    valued(&["-include", "--include", "--pre-include"], Role::Header(Header::File)),
    joined(&["-D", "--define-macro"], Role::Define),
    joined(&["-U", "--undefine-macro"], Role::Undefine),
    valued(&["-std", "--std"], Role::Standard),
    valued(&["-maxrregcount", "--maxrregcount"], Role::Registers),
    valued(&["-rdc", "--relocatable-device-code"], Role::Relocatable),
    valued(
        &["-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch", "--offload-arch"],
        Role::Architecture,
    ),
    valued(&["--cuda-path"], Role::Toolkit),
    valued(&["-Xcompiler", "--compiler-options"], Role::Host),
    valued(&["-Xptxas", "--ptxas-options", "-Xcuda-ptxas"], Role::Ptxas),
    valued(&["-Xarch_device"], Role::Device),
    valued(
        &["-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad"],
        Role::Truth,
    ),
    valued(
        &["-Xclang", "-mllvm", "-Xarch_host", "-Xlinker", "-Xassembler", "-Xnvlink", "-Xpreprocessor"],
        Role::LeftOut,
    ),
    valued(&["-o", "-MF", "-MT", "-MQ", "-x", "-ccbin", "--compiler-bindir"], Role::LeftOut),
];

/// Origin of an argument: the command line itself, or the value of an option that passes arguments on, such as
/// `-Xcompiler`. Such options are not unpacked inside another option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentSource {
    Own,
    Device,
    /// An argument for the host compiler. Only macros and include folders are read, because all other arguments affect
    /// host code only.
    Host,
}

impl Flags {
    /// Reads the relevant arguments of a command, and its compiler from the program name.
    pub fn of_command(command: &[String], folder: &Path) -> Self {
        let mut flags = Self { compiler: BuildCompiler::of_command(command), ..Self::default() };
        flags.read(command, folder, ArgumentSource::Own);
        flags
    }

    /// Reads the relevant arguments of a build. Ignores unknown arguments, and arguments that name files to
    /// write or programs to run. `folder` is the base of relative paths.
    pub fn of_build(arguments: &[String], folder: &Path) -> Self {
        let mut flags = Self::default();
        flags.read(arguments, folder, ArgumentSource::Own);
        flags
    }

    /// Folders that the compiler searches for headers, in the order of the arguments.
    pub fn header_folders(&self) -> impl Iterator<Item = &Path> {
        self.arguments.iter().filter_map(|flag| match flag {
            Flag::Header(Header::File, _) => None,
            Flag::Header(_, path) => Some(Path::new(path)),
            _ => None,
        })
    }

    /// Macros that the arguments define: `NAME` or `NAME=TEXT`.
    pub fn macros(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter_map(|flag| match flag {
            Flag::Define(given) => Some(given.as_str()),
            _ => None,
        })
    }

    /// Returns these flags, followed by the flags of a build. The build supplies all settings that these
    /// flags do not specify.
    #[must_use]
    pub fn over(mut self, build: Self) -> Self {
        self.arguments.extend(build.arguments);
        self.architecture = self.architecture.or(build.architecture);
        self.level = self.level.or(build.level);
        self.toolkit = self.toolkit.or(build.toolkit);
        self.compiler = self.compiler.or(build.compiler);
        self
    }

    /// These flags with each header path replaced by the result of `renamed`.
    pub(super) fn with_headers<E>(
        &self,
        mut renamed: impl FnMut(Header, &str) -> Result<String, E>,
    ) -> Result<Self, E> {
        let mut flags = self.clone();
        for flag in &mut flags.arguments {
            if let Flag::Header(header, path) = flag {
                *path = renamed(*header, path)?;
            }
        }
        Ok(flags)
    }

    fn read(&mut self, arguments: &[String], folder: &Path, side: ArgumentSource) {
        let mut host = Vec::new();
        let mut rest = arguments.iter().map(String::as_str).filter(|argument| !argument.contains('\0'));
        while let Some(argument) = rest.next() {
            let (name, following) =
                argument.split_once('=').map_or((argument, None), |(name, value)| (name, Some(value)));
            if let Some((role, value)) = value_in(argument, name, following) {
                let Some(value) = value.or_else(|| rest.next()) else { break };
                match role {
                    Role::Host if side == ArgumentSource::Own => {
                        host.extend(value.split(',').map(str::to_owned));
                    }
                    Role::Device if side == ArgumentSource::Own => {
                        self.read(&[value.to_owned()], folder, ArgumentSource::Device);
                    }
                    Role::Truth if side != ArgumentSource::Host => self.switch(&format!("{name}={value}")),
                    _ if side == ArgumentSource::Host && !role.is_of_preprocessor() => {}
                    _ => self.take(role, value, folder),
                }
            } else if side != ArgumentSource::Host {
                self.switch(argument);
            }
        }
        if !host.is_empty() {
            self.read(&host, folder, ArgumentSource::Host);
        }
    }

    fn take(&mut self, role: Role, value: &str, folder: &Path) {
        // If the value of a joined option were empty, the option would consume the next argument as its
        // value.
        if value.is_empty() {
            return;
        }
        let absolute = |value: &str| folder.join(value);
        let own = || value.to_owned();
        let is_number = || value.chars().all(|c| c.is_ascii_digit());
        match role {
            Role::Header(header) => {
                self.arguments.push(Flag::Header(header, absolute(value).display().to_string()));
            }
            Role::Define => self.arguments.push(Flag::Define(own())),
            Role::Undefine => self.arguments.push(Flag::Undefine(own())),
            Role::Standard if is_standard(value) => self.arguments.push(Flag::Standard(own())),
            Role::Registers if is_number() => self.arguments.push(Flag::Registers(own())),
            Role::Relocatable => self.arguments.push(Flag::Relocatable(value == "true")),
            Role::Architecture => {
                let named = value.split([',', '[', ']', '"', '=']).find(|word| is_architecture(word));
                self.architecture = self.architecture.take().or_else(|| named.map(str::to_owned));
            }
            Role::Toolkit => self.toolkit = Some(absolute(value)),
            Role::Ptxas => {
                let known = value.split(',').filter_map(of_ptxas);
                self.arguments.extend(known);
            }
            Role::Registers | Role::Standard | Role::Host | Role::Device | Role::Truth | Role::LeftOut => {}
        }
    }

    /// Reads a known argument that has no value. Ignores any other argument.
    fn switch(&mut self, argument: &str) {
        let is_of_nvcc = self.compiler.as_ref().is_some_and(|it| it.kind == CompilerKind::Nvcc);
        if let Some(level) = argument.strip_prefix("-O").filter(|level| is_level(level)) {
            if !is_of_nvcc {
                self.level = Some(if level.is_empty() { "1" } else { level }.to_owned());
            }
        } else if matches!(argument, "-dc" | "--device-c" | "-fgpu-rdc" | "-fcuda-rdc") {
            self.arguments.push(Flag::Relocatable(true));
        } else if matches!(argument, "-fno-gpu-rdc" | "-fno-cuda-rdc") {
            self.arguments.push(Flag::Relocatable(false));
        } else if let Some(switch) = SWITCHES.iter().find(|switch| switch.read.contains(&argument)) {
            self.arguments.push(Flag::Switch(switch));
        } else if NVCC_ONLY.contains(&argument) || is_language_extension(argument) {
            self.arguments.push(Flag::Only(CompilerKind::Nvcc, argument.to_owned()));
        } else if CLANG_ONLY.contains(&argument) || is_warning_off(argument) {
            self.arguments.push(Flag::Only(CompilerKind::Clang, argument.to_owned()));
        }
    }
}

impl Role {
    fn is_of_preprocessor(self) -> bool {
        matches!(self, Self::Header(_) | Self::Define | Self::Undefine)
    }
}

/// If the argument is the option `name`, returns the role of its value, and the value if the argument contains it.
fn value_in<'a>(
    argument: &'a str,
    name: &str,
    following: Option<&'a str>,
) -> Option<(Role, Option<&'a str>)> {
    VALUED.iter().find_map(|option| {
        let short = option.names[0];
        // A macro is `-DNAME=value`. The equals sign is part of the macro.
        if option.joins && argument.len() > short.len() && argument.starts_with(short) {
            return Some((option.role, Some(argument[short.len()..].trim_start_matches('='))));
        }
        option.names.contains(&name).then_some((option.role, following))
    })
}

/// The flag for an argument of ptxas that changes the code and names no file; `None` for any other argument.
fn of_ptxas(argument: &str) -> Option<Flag> {
    let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
    let is_word = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric());
    match name {
        "-maxrregcount" | "--maxrregcount" if value.parse::<u32>().is_ok() => {
            Some(Flag::Registers(value.to_owned()))
        }
        "-O0" | "-O1" | "-O2" | "-O3" if value.is_empty() => Some(Flag::Ptxas(argument.to_owned())),
        "--opt-level" | "-dlcm" | "--def-load-cache" | "-dscm" | "--def-store-cache" if is_word => {
            Some(Flag::Ptxas(argument.to_owned()))
        }
        _ => None,
    }
}

/// True for an architecture, such as `sm_90` and `sm_90a`.
fn is_architecture(word: &str) -> bool {
    word.strip_prefix("sm_").is_some_and(|number| {
        let own = number.trim_end_matches(|c: char| c.is_ascii_lowercase());
        !own.is_empty() && own.chars().all(|c| c.is_ascii_digit()) && number.len() - own.len() <= 1
    })
}

/// True for a language standard, such as `c++17` and `gnu++2a`.
fn is_standard(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphanumeric() || c == '+')
}

fn is_level(level: &str) -> bool {
    matches!(level, "" | "0" | "1" | "2" | "3" | "s" | "z" | "g" | "fast")
}

/// True for `--expt-relaxed-constexpr`, `-extended-lambda` and similar arguments.
fn is_language_extension(argument: &str) -> bool {
    let name = argument.trim_start_matches('-');
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    argument.starts_with('-') && is_word && (name.starts_with("expt-") || name == "extended-lambda")
}

/// True for an argument such as `-Wno-c++11-narrowing`. Without it, clang may reject code that the build
/// accepts.
fn is_warning_off(argument: &str) -> bool {
    argument.strip_prefix("-Wno-").is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '='))
    })
}

#[cfg(test)]
mod tests;
