//! Permission to run other programs, and where to find them.

use std::path::{Path, PathBuf};
use toolchain::{
    Assembler, Compiler, CompilerChoice, CompilerKind, Disassembler, Flags, Profiler, Search, ToolError,
    Toolkit,
};

/// Statements of the client about other programs in `initializationOptions`: whether they may run, and where they are.
/// Settings cannot change these values, because a workspace may contain settings of its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    /// True if the user trusts the workspace, so that programs may run on its files.
    pub(crate) trusted: bool,
    /// nvdisasm or cuobjdump, or the folder that contains the program; otherwise the program on PATH.
    pub(crate) disassembler: Option<PathBuf>,
    /// ptxas, or the folder that contains it; otherwise the ptxas of `CUDA_HOME`, otherwise the ptxas on
    /// PATH.
    pub(crate) ptxas: Option<PathBuf>,
    /// nvcc, or the folder that contains it; otherwise the nvcc of `CUDA_HOME`, otherwise the nvcc on PATH.
    pub(crate) nvcc: Option<PathBuf>,
    /// clang, or the folder that contains it; otherwise the clang on PATH.
    pub(crate) clang: Option<PathBuf>,
    /// ncu, or the folder that contains it; otherwise the ncu on PATH.
    pub(crate) ncu: Option<PathBuf>,
    /// One line for each of these paths that does not lead to a program.
    pub(crate) wrong: Vec<String>,
}

impl Tools {
    /// Reads from `initializationOptions`: `trusted`, and the absolute paths `disassembler`, `ptxas.path`, `nvcc.path`,
    /// `clang.path` and `ncu.path`.
    pub(crate) fn read(options: &serde_json::Value) -> Self {
        let own = options.get("warplens").unwrap_or(options);
        let path = |value: Option<&serde_json::Value>| {
            let path = value.and_then(serde_json::Value::as_str).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let stated = Self {
            trusted: own.get("trusted").and_then(serde_json::Value::as_bool).unwrap_or(false),
            disassembler: path(own.get("disassembler")),
            ptxas: path(own.get("ptxas").and_then(|ptxas| ptxas.get("path"))),
            nvcc: path(own.get("nvcc").and_then(|nvcc| nvcc.get("path"))),
            clang: path(own.get("clang").and_then(|clang| clang.get("path"))),
            ncu: path(own.get("ncu").and_then(|ncu| ncu.get("path"))),
            wrong: Vec::new(),
        };
        Self { wrong: stated.wrong_paths(), ..stated }.with_toolkit()
    }

    /// Sets ptxas and the disassembler, if they are not configured, to the programs in nvcc's toolkit. If nvcc itself
    /// is not configured either, uses the toolkit of the nvcc found on this machine, and sets only programs that cannot
    /// be found through `CUDA_HOME` or PATH.
    fn with_toolkit(mut self) -> Self {
        let programs = Toolkit::programs(self.nvcc.as_deref());
        let is_meant = self.nvcc.is_some();
        if self.ptxas.is_none() && (is_meant || Assembler::from_environment(None).is_err()) {
            let has = |folder: &&PathBuf| Assembler::find(Some(folder), None, None).is_ok();
            self.ptxas = programs.iter().find(has).cloned();
        }
        let is_found = |search: Search| Disassembler::find(&search).is_ok();
        if self.disassembler.is_none() && (is_meant || !is_found(Search::from_environment(None))) {
            let has =
                |folder: &&PathBuf| is_found(Search { configured: Some((*folder).clone()), path: None });
            self.disassembler = programs.iter().find(has).cloned();
        }
        self
    }

    fn wrong_paths(&self) -> Vec<String> {
        let clang = CompilerChoice {
            clang: self.clang.as_deref(),
            demanded: Some(CompilerKind::Clang),
            ..CompilerChoice::from_environment()
        };
        let clang = clang.find(&Flags::default()).err().filter(|why| matches!(why, ToolError::NoClangAt(_)));
        let search = |path: &PathBuf| Search { configured: Some(path.clone()), path: None };
        let all = [
            ("disassembler", self.disassembler.as_ref().and_then(|it| Disassembler::find(&search(it)).err())),
            ("ptxas.path", self.ptxas.as_ref().and_then(|it| Assembler::find(Some(it), None, None).err())),
            ("nvcc.path", self.nvcc.as_ref().and_then(|it| Compiler::at(it).err())),
            ("clang.path", clang),
            ("ncu.path", self.ncu.as_ref().and_then(|it| Profiler::find(&search(it)).err())),
        ];
        all.into_iter().filter_map(|(name, why)| Some(format!("settings: `{name}`: {}", why?))).collect()
    }

    /// One line for each of these options whose value is invalid.
    pub(crate) fn problems(options: &serde_json::Value) -> Vec<String> {
        let own = options.get("warplens").unwrap_or(options);
        let mut problems = Vec::new();
        let mut tell = |name: &str, expected: &str, found: &serde_json::Value| {
            let found: String = found.to_string().chars().take(60).collect();
            problems.push(format!("settings: `{name}`: expected {expected}, not {found}"));
        };
        let stated = |value: Option<&'_ serde_json::Value>| value.filter(|value| !value.is_null()).cloned();
        if let Some(trusted) = stated(own.get("trusted")).filter(|trusted| !trusted.is_boolean()) {
            tell("trusted", "true or false", &trusted);
        }
        let ptxas = own.get("ptxas").and_then(|ptxas| ptxas.get("path"));
        let nvcc = own.get("nvcc").and_then(|nvcc| nvcc.get("path"));
        let clang = own.get("clang").and_then(|clang| clang.get("path"));
        let ncu = own.get("ncu").and_then(|ncu| ncu.get("path"));
        for (name, path) in [
            ("disassembler", own.get("disassembler")),
            ("ptxas.path", ptxas),
            ("nvcc.path", nvcc),
            ("clang.path", clang),
            ("ncu.path", ncu),
        ] {
            let is_path = |text: &str| text.is_empty() || Path::new(text).is_absolute();
            if let Some(path) = stated(path).filter(|path| !path.as_str().is_some_and(is_path)) {
                tell(name, "an absolute path, or an empty string", &path);
            }
        }
        problems
    }
}
