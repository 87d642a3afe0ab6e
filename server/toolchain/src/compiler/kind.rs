//! The CUDA compilers, and the names of their programs.

use std::path::Path;

/// A CUDA compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompilerKind {
    Nvcc,
    Clang,
}

impl CompilerKind {
    /// Display name of the compiler.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nvcc => "nvcc",
            Self::Clang => "clang",
        }
    }
}

/// The compiler that a build runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildCompiler {
    pub kind: CompilerKind,
    /// File name of the program, without its folder: `clang++-19`. The program is looked up on the user's
    /// system, because a path in a workspace file must not choose the program to run.
    pub name: String,
}

/// Programs that run the compiler named by the next argument.
const LAUNCHERS: [&str; 5] = ["ccache", "sccache", "distcc", "icecc", "buildcache"];

impl BuildCompiler {
    /// Reads the program of a command, skipping launchers such as `ccache`; `None` if the program is neither
    /// nvcc nor clang.
    pub fn of_command(arguments: &[String]) -> Option<Self> {
        let names = arguments.iter().map(|argument| Path::new(argument).file_name()?.to_str());
        let name = names.flatten().find(|name| !LAUNCHERS.contains(&without_ending(name)))?;
        let name = without_ending(name);
        let kind = match without_version(name) {
            "nvcc" => CompilerKind::Nvcc,
            "clang" | "clang++" => CompilerKind::Clang,
            _ => return None,
        };
        Some(Self { kind, name: name.to_owned() })
    }
}

fn without_ending(name: &str) -> &str {
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The name without its version: `clang++` for `clang++-19` and `clang++-19.1`.
fn without_version(name: &str) -> &str {
    let is_version = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    name.rsplit_once('-').filter(|(_, version)| is_version(version)).map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_command_says_which_compiler_it_is() {
        use CompilerKind::{Clang, Nvcc};
        for (command, expected) in [
            ("/usr/local/cuda/bin/nvcc -c k.cu", Some((Nvcc, "nvcc"))),
            ("nvcc.exe -c k.cu", Some((Nvcc, "nvcc"))),
            ("/usr/bin/clang++-19 -x cuda", Some((Clang, "clang++-19"))),
            ("ccache /opt/llvm/bin/clang -x cuda", Some((Clang, "clang"))),
            ("clang-cl /c k.cu", None),
            ("/usr/bin/c++ -c k.cpp", None),
            ("ccache", None),
            ("", None),
        ] {
            let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let read = BuildCompiler::of_command(&arguments);
            let expected = expected.map(|(kind, name)| BuildCompiler { kind, name: name.to_owned() });
            assert_eq!(read, expected, "{command}");
        }
    }
}
