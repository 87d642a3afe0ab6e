//! Compiles one source with nvcc, clang or ptxas, and disassembles its code.

use super::commands;
use ide::{Analysis, Compiled, CompiledFrom, PtxasSettings, StatedCompiler, binary};
use std::path::{Path, PathBuf};
use toolchain::{
    Assembler, Assembly, CompilerChoice, CompilerKind, Consent, Disassembler, Limits, ToolError, Unit,
    UnitCode, UnitCompiler, UnitProduct,
};

/// A source to compile, and the tools to compile it with.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompileRequest {
    /// nvcc, or the folder that contains it.
    pub(crate) nvcc: Option<PathBuf>,
    /// clang, or the folder that contains it.
    pub(crate) clang: Option<PathBuf>,
    /// The CUDA compiler that the user requests by name.
    pub(crate) demanded: Option<CompilerKind>,
    pub(crate) ptxas: Option<PathBuf>,
    pub(crate) disassembler: Option<PathBuf>,
    /// Settings with which ptxas compiles PTX.
    pub(crate) settings: PtxasSettings,
    pub(crate) text: String,
    /// Absolute path of the source.
    pub(crate) path: PathBuf,
    /// The folder of the `warplens.toml` that states how to compile.
    pub(crate) folder: Option<PathBuf>,
    /// The workspace folder that contains the source. The compilation database is searched for up to this
    /// folder. `None` searches up to the root of the source's project: the nearest ancestor folder with
    /// `.git`, otherwise the nearest with a `warplens.toml`, otherwise the source's own folder.
    pub(crate) workspace: Option<PathBuf>,
}

/// The compiled code of a source.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    pub(crate) listing: String,
    pub(crate) cubin: Vec<u8>,
    /// The compiler that made the code: `nvcc -arch=sm_90`.
    pub(crate) by: String,
}

impl Code {
    /// Analyses the code together with its source at `path`. `analysis` is a snapshot of the source.
    pub(crate) fn read(self, analysis: &Analysis, path: &Path) -> Compiled {
        let from = CompiledFrom { by: self.by, path: path.display().to_string(), stale: None };
        analysis.read_code(&self.listing, &self.cubin, from)
    }
}

/// Reason why a source has no code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoCode {
    /// A tool is missing or failed.
    Tool(ToolError),
    /// The compiler in the first field has refused the source. The second field is the reason, in one line.
    Refused(&'static str, String),
    /// The result is no longer wanted.
    Cancelled,
}

impl From<ToolError> for NoCode {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Cancelled { .. } => Self::Cancelled,
            error => Self::Tool(error),
        }
    }
}

impl NoCode {
    /// The line at which the compiler refused the source, counted from 1, and the reason; `None` if no
    /// compiler refused the source, or if the reason names no line.
    pub(crate) fn at_line(&self) -> Option<(u32, &str)> {
        let Self::Refused(_, why) = self else { return None };
        let (line, why) = why.strip_prefix("line ")?.split_once(": ")?;
        Some((line.parse().ok().filter(|line| *line > 0)?, why))
    }

    /// The reason, in one line.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Tool(error) => error.to_string(),
            Self::Refused(by, why) => format!("{by}: {why}"),
            Self::Cancelled => "the work was stopped".to_owned(),
        }
    }
}

/// Compiles a CUDA or PTX document, with the flags of its build if they are known.
pub(crate) fn compile(
    consent: Consent,
    order: &CompileRequest,
    analysis: &Analysis,
    limits: Limits,
    cancelled: &dyn Fn() -> bool,
) -> Result<Code, NoCode> {
    let limits = Limits { memory_bytes: Some(Limits::memory_of_compiler()), ..limits };
    let (cubin, by, search) = if let Some(source) = analysis.ptx_source() {
        let assembler = Assembler::from_environment(order.ptxas.as_deref())?;
        let (sm, wished, _) = analysis.build();
        let set = Some(&order.settings.architecture).filter(|set| !set.is_empty()).cloned();
        let named = set.or_else(|| wished.then(|| format!("sm_{sm}")));
        let assembly = Assembly {
            text: &source.text,
            target: source.target.as_deref(),
            architecture: named.as_deref(),
            optimisation: order.settings.optimization.level(),
            arguments: &order.settings.arguments,
        };
        let assembled = assembler.assemble(consent, assembly, limits, cancelled)?;
        let Some(cubin) = assembled.cubin else {
            let error = assembled.messages.iter().find(|said| said.severity == toolchain::Severity::Error);
            let why = error.map_or_else(String::new, |error| match error.line {
                Some(line) => format!("line {line}: {}", error.text),
                None => error.text.clone(),
            });
            return Err(NoCode::Refused("ptxas", why));
        };
        let by = assembled.architecture.map_or_else(String::new, |arch| format!(" -arch={arch}"));
        (cubin, format!("ptxas{by}"), assembler.disassembler(order.disassembler.clone()))
    } else {
        let CompiledUnit { bytes, by, compiler } =
            unit(consent, order, analysis, UnitProduct::Cubin, limits, cancelled)?;
        (bytes, by, compiler.disassembler(order.disassembler.clone()))
    };
    let tool = Disassembler::find(&search)?;
    let listing = tool.listing(consent, &cubin, binary::has_source_lines(&cubin), limits, cancelled)?;
    Ok(Code { listing, cubin, by })
}

/// Compiles a CUDA unit to PTX. Returns the PTX and the compiler that made it.
pub(crate) fn ptx(
    consent: Consent,
    order: &CompileRequest,
    analysis: &Analysis,
    limits: Limits,
    cancelled: &dyn Fn() -> bool,
) -> Result<(String, String), NoCode> {
    let limits = Limits { memory_bytes: Some(Limits::memory_of_compiler()), ..limits };
    let CompiledUnit { bytes, by, .. } = unit(consent, order, analysis, UnitProduct::Ptx, limits, cancelled)?;
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok((text, by))
}

/// A compiled unit.
struct CompiledUnit {
    bytes: Vec<u8>,
    by: String,
    compiler: UnitCompiler,
}

/// Compiles a CUDA unit as its build does.
fn unit(
    consent: Consent,
    order: &CompileRequest,
    analysis: &Analysis,
    product: UnitProduct,
    limits: Limits,
    cancelled: &dyn Fn() -> bool,
) -> Result<CompiledUnit, NoCode> {
    let (sm, wished, stated) = analysis.build();
    let (folder, workspace) = (order.folder.as_deref(), order.workspace.as_deref());
    let flags = commands::build_flags(&order.path, &stated.arguments, folder, workspace, cancelled).flags;
    let demanded = order.demanded.or(stated.compiler.map(|compiler| match compiler {
        StatedCompiler::Nvcc => CompilerKind::Nvcc,
        StatedCompiler::Clang => CompilerKind::Clang,
    }));
    let choice = CompilerChoice {
        nvcc: order.nvcc.as_deref(),
        clang: order.clang.as_deref(),
        ptxas: order.ptxas.as_deref(),
        demanded,
        ..CompilerChoice::from_environment()
    };
    let compiler = choice.find(&flags)?;
    let named = stated.architecture.or(flags.architecture.clone());
    // A build's `sm_90a` satisfies a request for sm_90: it adds instructions to those of sm_90.
    let number =
        |name: &str| name.trim_start_matches("sm_").trim_end_matches(|c: char| c.is_alphabetic()).parse();
    let architecture =
        named.filter(|named| !wished || number(named) == Ok(sm)).unwrap_or_else(|| format!("sm_{sm}"));
    let unit =
        Unit { text: &order.text, path: &order.path, architecture: &architecture, flags: &flags, product };
    match compiler.compile_unit(consent, unit, limits, cancelled)? {
        UnitCode::Made(bytes) => Ok(CompiledUnit { bytes, by: compiler.in_words(&unit), compiler }),
        UnitCode::Refused(why) => Err(NoCode::Refused(compiler.kind().name(), why)),
    }
}
