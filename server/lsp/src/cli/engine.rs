//! The engine that the commands use. It analyses one file at a time, with the launch context that applies to
//! the file.

use super::binary;
use super::failure::Failure;
use super::files::{Source, settings_text};
use super::launches;
use super::shared_args::{AssemblerArg, CompileArgs, CudaCompilerArgs, DisassemblerArg, TargetArgs};
use crate::build::{self, Code, CompileRequest, HeaderStore, KnownSearches, NoCode};
use crate::read::{BoundedFile, LAUNCH_FILE_BYTES, never};
use ide::binary::Cubin;
use ide::{
    Analysis, Cancel, Compiled, Config, Host, Language, LaunchEntry, LaunchFile, ModelChoice, PtxasSettings,
    SassView, TooLarge,
};
use std::path::{Path, PathBuf};
use toolchain::{CompilerKind, Consent, Limits};

/// `expect` message for results that can fail only by cancellation.
pub(super) const UNCANCELLED: &str = "the token that would cancel this is not shared";

/// The engine's host, with the target that the command line states.
pub(super) struct Engine {
    host: Host,
    headers: HeaderStore,
    searches: KnownSearches,
    /// True if `--gpu` was given, which overrides the GPU of any file.
    gpu_given: bool,
    /// Name and contents of the `--launches` file.
    flag: Option<(String, LaunchFile)>,
    /// Path of the `warplens.toml` that applies to the current file. Valid once `settled` is true.
    project: Option<PathBuf>,
    settled: bool,
    /// The merged contents of the `warplens.toml` and the `--launches` file, as last read.
    launches: Option<LaunchFile>,
    /// Launches in the host code of the last source that was compiled.
    found: Vec<LaunchEntry>,
    /// Launches that a command adds to the ones in `launches`.
    also: Vec<LaunchEntry>,
    /// Notices about the analysis, to be printed before its results.
    notices: Vec<String>,
}

impl Engine {
    /// Fails for an unknown GPU, and for an overlay or a launches file that is missing or invalid.
    pub(super) fn new(target: &TargetArgs) -> Result<Self, Failure> {
        let mut host = match &target.overlay {
            Some(path) => {
                let text = settings_text(BoundedFile::named(path, LAUNCH_FILE_BYTES), path)?;
                let host = Host::with_overlay(&path.display().to_string(), &text);
                host.map_err(Failure::from_error)?
            }
            None => Host::default(),
        };
        if let Some(gpu) = &target.gpu {
            let config = Config { gpu: gpu.clone(), ..Config::default() };
            host.configure(config).map_err(Failure::from_error)?;
        }
        let read = |path: &PathBuf| Ok((path.display().to_string(), launches::read_named(path)?));
        let flag = target.launches.as_ref().map(read).transpose()?;
        Ok(Self {
            host,
            headers: HeaderStore::default(),
            searches: KnownSearches::default(),
            gpu_given: target.gpu.is_some(),
            flag,
            project: None,
            settled: false,
            launches: None,
            found: Vec::new(),
            also: Vec::new(),
            notices: Vec::new(),
        })
    }

    /// Makes the engine time instructions only with `model`.
    pub(super) fn set_model(&mut self, model: ModelChoice) -> Result<(), Failure> {
        let config = Config { model, ..self.host.config().clone() };
        self.host.configure(config).map_err(Failure::from_error)
    }

    /// Analyses a text as SASS. PTX is analysed as the SASS that it is estimated to become. Fails for any
    /// other text, and if the `warplens.toml` that applies to it is invalid.
    pub(super) fn analyze(&mut self, source: &Source) -> Result<SassView, Failure> {
        let opened = self.open(source)?.ok_or_else(|| not_sass(source))?;
        let Some(lowered) = opened.lowered() else { return opened.sass().ok_or_else(|| not_sass(source)) };
        self.notices =
            vec![format!("`{}` is PTX: all figures are estimates, made without ptxas", source.name)];
        self.notices.extend(lowered.doubts());
        Ok(lowered)
    }

    /// Prints the notices of the last analysis on stderr. Only a command that has results calls this; a
    /// command that fails prints a single line.
    pub(super) fn announce(&mut self) {
        for notice in self.take_notices() {
            eprintln!("warplens: {notice}");
        }
    }

    /// Takes the notices that [`Self::announce`] would print.
    pub(super) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Reads what other files tell about a CUDA source.
    fn surround(&mut self, name: &str, path: &Path, text: &str) {
        let Ok(path) = std::path::absolute(path) else { return };
        let stated = self.launches.as_ref().map_or(&[][..], |file| &file.compile.arguments);
        let folder = self.project.as_deref().and_then(|file| std::path::absolute(file).ok());
        self.searches.follow(stated, folder.as_deref().and_then(Path::parent));
        self.host.surround(name, self.headers.surroundings(&path, text, None, &mut self.searches, &never));
    }

    /// Analyses a text in its language; `None` if the language is not recognised. Fails if the `warplens.toml` that
    /// applies to it is invalid.
    pub(super) fn open(&mut self, source: &Source) -> Result<Option<Analysis>, Failure> {
        self.put_in_force(launches::project_file(source.path.as_deref()))?;
        if let Some(cubin) = &source.cubin {
            self.host.set_binary(&source.name, cubin);
        }
        let language = match &source.cubin {
            Some(_) => Language::Sass,
            None => Language::detect("", &source.name, &source.text),
        };
        if let Some(path) = source.path.as_deref().filter(|_| language == Language::Cuda) {
            self.surround(&source.name, path, &source.text);
        }
        self.host.open_as(&source.name, 0, language, &source.text);
        let is_too_large = self.host.too_large(&source.name).is_some();
        let analysis = self.host.snapshot(&source.name, Cancel::default());
        self.host.close(&source.name);
        let is_read = |analysis: &Analysis| match analysis.sass() {
            Some(sass) => sass.is_recognised(),
            None => language != Language::Sass,
        };
        Ok(analysis.filter(|analysis| !is_too_large && is_read(analysis)))
    }

    /// Analyses a Python text. Fails if the `warplens.toml` that applies to it is invalid.
    pub(super) fn open_python(&mut self, source: &Source) -> Result<Option<Analysis>, Failure> {
        self.put_in_force(launches::project_file(source.path.as_deref()))?;
        let language = Language::detect("python", "", "");
        self.host.open_as(&source.name, 0, language, &source.text);
        let analysis = self.host.snapshot(&source.name, Cancel::default());
        self.host.close(&source.name);
        Ok(analysis)
    }

    /// Compiles a CUDA or PTX source as its build does; `None` for any other text. Fails if there is no code.
    fn code_of(&mut self, source: &Source, tools: &Tools) -> Result<Option<(Analysis, Code)>, Failure> {
        let Some(analysis) = self.open(source)?.filter(is_compiled) else { return Ok(None) };
        let code = self
            .compile(source, &analysis, tools)?
            .map_err(|why: NoCode| Failure::new(format!("`{}`: {}", source.name, why.in_words())))?;
        Ok(Some((analysis, code)))
    }

    /// Compiles a variant of a CUDA file's text. `Ok(Err)` contains the reason why the variant has no code.
    pub(super) fn code_of_variant(
        &mut self,
        source: &Source,
        tools: &Tools,
    ) -> Result<Result<Compiled, NoCode>, Failure> {
        let Some(analysis) = self.open(source)?.filter(is_compiled) else {
            return Err(in_no_language(source));
        };
        let code = self.compile(source, &analysis, tools)?;
        let path = std::path::absolute(path_of(source)).map_err(Failure::from_error)?;
        Ok(code.map(|code| code.read(&analysis, &path)))
    }

    fn compile(
        &self,
        source: &Source,
        analysis: &Analysis,
        tools: &Tools,
    ) -> Result<Result<Code, NoCode>, Failure> {
        let order = CompileRequest {
            nvcc: tools.nvcc.clone(),
            clang: tools.clang.clone(),
            demanded: tools.demanded(),
            ptxas: tools.ptxas.clone(),
            disassembler: tools.disassembler.clone(),
            settings: PtxasSettings::default(),
            text: source.text.clone(),
            path: std::path::absolute(path_of(source)).map_err(Failure::from_error)?,
            folder: self.project.as_deref().and_then(folder_of),
            workspace: None,
        };
        // Passing the option is consent.
        let consent = Consent::by_command_line();
        Ok(build::compile(consent, &order, analysis, Limits::default(), &|| false))
    }

    /// Returns the text of a file that the user named. For a cubin, this is its listing. With `--compile`,
    /// this is the listing of the code compiled from a CUDA or PTX source. Fails if there is no listing.
    pub(super) fn listing(
        &mut self,
        path: &Path,
        compile: &CompileArgs,
        disassembler: &DisassemblerArg,
    ) -> Result<Source, Failure> {
        let disassembler = disassembler.disassembler.as_deref();
        self.compiled(binary::listing(path, disassembler)?, compile, disassembler)
    }

    /// Compiles a CUDA or PTX source and returns its listing. Puts the launches of the source's host code in
    /// force. Without `--compile`, and for a source in any other language, returns the source unchanged.
    /// Fails if there is no code.
    pub(super) fn compiled(
        &mut self,
        source: Source,
        args: &CompileArgs,
        disassembler: Option<&Path>,
    ) -> Result<Source, Failure> {
        if !args.compile {
            return Ok(source);
        }
        // Launches in the host code of an earlier file do not apply to this file.
        self.found.clear();
        self.host.set_launches(self.launches.clone()).map_err(Failure::from_error)?;
        let tools = Tools::new(&args.cuda, &args.assembler, disassembler);
        let Some((analysis, code)) = self.code_of(&source, &tools)? else { return Ok(source) };
        self.notices.push(format!("`{}` is compiled by {}", source.name, code.by));
        let cubin = Cubin::parse(&code.cubin).map_err(Failure::from_error)?;
        let names: Vec<&str> = cubin.kernels().map(|kernel| kernel.name.as_str()).collect();
        self.found = analysis.found_launches(&names);
        let mut context = self.launches.clone().unwrap_or_default();
        context.launches.extend(self.found.iter().cloned());
        self.host.set_launches(Some(context)).map_err(Failure::from_error)?;
        Ok(Source { text: code.listing, cubin: Some(cubin), ..source })
    }

    /// Launches in the host code of the last source that was compiled.
    pub(super) fn found_launches(&self) -> &[LaunchEntry] {
        &self.found
    }

    /// Adds launches to the ones of `warplens.toml` and `--launches`. They replace the launches that an earlier call
    /// added, and the launches found in host code.
    pub(super) fn state(&mut self, launches: Vec<LaunchEntry>) -> Result<(), Failure> {
        self.also = launches;
        self.host.set_launches(self.with_stated(self.launches.clone())).map_err(Failure::from_error)
    }

    fn with_stated(&self, context: Option<LaunchFile>) -> Option<LaunchFile> {
        if self.also.is_empty() {
            return context;
        }
        let mut context = context.unwrap_or_default();
        context.launches.extend(self.also.iter().cloned());
        Some(context)
    }

    /// Compiles a CUDA source and analyses it with its code; `None` for any other text. Fails if there is no code.
    pub(super) fn open_with_code(
        &mut self,
        source: &Source,
        tools: &Tools,
    ) -> Result<Option<Analysis>, Failure> {
        if self.open(source)?.is_none_or(|analysis| analysis.language() != Language::Cuda) {
            return Ok(None);
        }
        let Some((analysis, code)) = self.code_of(source, tools)? else { return Ok(None) };
        let path = std::path::absolute(path_of(source)).map_err(Failure::from_error)?;
        self.host.open_as(&source.name, 0, Language::Cuda, &source.text);
        self.host.attach(&source.name, Some(code.read(&analysis, &path)));
        let analysis = self.host.snapshot(&source.name, Cancel::default());
        self.host.close(&source.name);
        Ok(analysis)
    }

    fn put_in_force(&mut self, project: Option<PathBuf>) -> Result<(), Failure> {
        if self.settled && self.project == project {
            return Ok(());
        }
        let mut origin = String::new();
        let mut context = match &project {
            Some(path) => {
                origin = path.display().to_string();
                Some(launches::read_found(path)?)
            }
            None => None,
        };
        if let Some((name, flag)) = &self.flag {
            if flag.gpu.is_some() {
                origin.clone_from(name);
            }
            context = Some(launches::merge(context.unwrap_or_default(), flag.clone()));
        }
        if let Some(context) = &mut context
            && self.gpu_given
        {
            context.gpu = None;
        }
        self.launches.clone_from(&context);
        let context = self.with_stated(context);
        self.host.set_launches(context).map_err(|unknown| Failure::new(format!("{origin}: {unknown}")))?;
        self.project = project;
        self.settled = true;
        Ok(())
    }
}

/// Paths of the tools that are named on the command line.
#[derive(Debug, Clone, Default)]
pub(super) struct Tools {
    pub(super) nvcc: Option<PathBuf>,
    pub(super) clang: Option<PathBuf>,
    pub(super) ptxas: Option<PathBuf>,
    pub(super) disassembler: Option<PathBuf>,
}

impl Tools {
    pub(super) fn new(
        cuda: &CudaCompilerArgs,
        assembler: &AssemblerArg,
        disassembler: Option<&Path>,
    ) -> Self {
        let CudaCompilerArgs { nvcc, clang } = cuda.clone();
        Self { nvcc, clang, ptxas: assembler.ptxas.clone(), disassembler: disassembler.map(Path::to_owned) }
    }

    /// The CUDA compiler that the command line names, if it names only one.
    fn demanded(&self) -> Option<CompilerKind> {
        match (&self.nvcc, &self.clang) {
            (Some(_), None) => Some(CompilerKind::Nvcc),
            (None, Some(_)) => Some(CompilerKind::Clang),
            _ => None,
        }
    }
}

fn is_compiled(analysis: &Analysis) -> bool {
    matches!(analysis.language(), Language::Cuda | Language::Ptx)
}

/// Path of a source, or a made-up file name for standard input.
fn path_of(source: &Source) -> PathBuf {
    source.path.clone().unwrap_or_else(|| PathBuf::from("stdin.cu"))
}

/// Absolute path of the folder that a file lies in.
fn folder_of(file: &Path) -> Option<PathBuf> {
    std::path::absolute(file).ok()?.parent().map(Path::to_owned)
}

/// The failure for a file that the user named and whose language is not recognised.
pub(super) fn in_no_language(source: &Source) -> Failure {
    if let Some(refused) = too_large(source) {
        return refused;
    }
    Failure::new(format!(
        "`{}` has neither SASS nor PTX; expected a listing (cuobjdump -sass, nvdisasm), an assembler source \
         (maxas, KeplerAs, TuringAs, CuAssembler), or PTX with `.version` and `.target`",
        source.name
    ))
}

/// The failure for a file that is too large for its language; `None` if the file is not too large.
fn too_large(source: &Source) -> Option<Failure> {
    let language = Language::detect("", &source.name, &source.text);
    let why = TooLarge::check(&source.text, language)?;
    let expected = match language {
        Language::Sass => "a shorter file, such as one function (`cuobjdump -sass -fun NAME`)",
        Language::Ptx | Language::Cuda | Language::Source(_) => "a shorter file",
    };
    Some(Failure::new(format!("`{}` is {}; expected {expected}", source.name, why.reason())))
}

/// The failure for a file that the user named and that is not SASS.
pub(super) fn not_sass(source: &Source) -> Failure {
    if let Some(refused) = too_large(source) {
        return refused;
    }
    if Language::detect("", &source.name, "") == Language::Cuda {
        return Failure::new(format!(
            "`{}` is CUDA, whose cycles come from compiled code; expected --compile, or its SASS or PTX",
            source.name
        ));
    }
    Failure::new(format!(
        "`{}` has no SASS; expected a listing (cuobjdump -sass, nvdisasm) or an assembler source (maxas, \
         KeplerAs, TuringAs, CuAssembler)",
        source.name
    ))
}
