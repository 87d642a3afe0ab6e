//! Compiles CUDA and PTX in the background whenever typing pauses, so the displayed figures come from
//! compiled code.

use crate::build::{self, CompileRequest, NoCode};
use crate::server::code::{Code, code_changed};
use crate::server::documents::OpenDocuments;
use crate::server::documents::build_version::Version;
use crate::server::documents::compiler_messages::CompilerMessage;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::tickets::{Ticket, WorkKey};
use crate::server::transport::uris::{file_path, is_written};
use crate::server::workspace::root::Root;
use ide::{Analysis, Cancel, Compiled, Language, LineMap, TextEdit};
use ropey::Rope;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use toolchain::{Consent, Limits, ToolError};
use tower_lsp_server::ls_types::{DiagnosticSeverity, Uri};

/// The pause in typing after which a text is compiled.
const PAUSE: Duration = Duration::from_millis(150);

/// A text to be compiled.
pub(crate) struct Task {
    version: Version,
    pub(crate) analysis: Analysis,
    pub(crate) order: CompileRequest,
    limits: Limits,
    cancel: Cancel,
}

impl Task {
    /// The task of compiling the text after these edits, which are in text order and do not overlap.
    pub(crate) fn with_edits(&self, edits: &[TextEdit]) -> Self {
        let order = CompileRequest { text: TextEdit::apply(edits, &self.order.text), ..self.order.clone() };
        Self {
            version: self.version.clone(),
            analysis: self.analysis.with_edits(edits),
            order,
            limits: self.limits,
            cancel: self.cancel.clone(),
        }
    }

    /// Returns all inputs of the compilation except included files. Equal values mean equal code.
    pub(crate) fn origin(&self) -> impl Hash + Debug + use<> {
        let (sm, wished, build) = &self.version.build;
        let order = &self.order;
        (*sm, *wished, format!("{build:?}"), order.path.clone(), order.text.clone())
    }

    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

/// Compiles one document after each pause in typing, until it is closed. Runs once per opening.
pub(crate) async fn follow(code: Code, uri: Uri, opening: u64, mut changed: watch::Receiver<()>) {
    let Some(consent) = Consent::by_trusted_workspace(code.connection().facts().tools.trusted) else {
        return;
    };
    let mut done: Option<Version> = None;
    loop {
        changed.mark_unchanged();
        tokio::select! {
            change = changed.changed() => {
                if change.is_err() {
                    return;
                }
                continue;
            }
            () = tokio::time::sleep(PAUSE) => {}
        }
        // Only one compiler runs at a time, for any number of open documents.
        let turn = code.compiling.acquire().await;
        if let Some((task, ticket)) = code.begin_compiling(&uri, opening, done.as_ref()) {
            let version = task.version.clone();
            let progress = code.connection().follow_work(&uri, "compiling");
            let made = spawn_blocking(move || compile(consent, &task)).await;
            drop((progress, ticket));
            match made {
                Ok(Err(NoCode::Cancelled)) | Err(_) => {}
                Ok(made) => {
                    code.finish_compiling(&uri, opening, &version, made);
                    done = Some(version);
                }
            }
        }
        drop(turn);
        if changed.changed().await.is_err() {
            return;
        }
    }
}

pub(crate) fn compile(consent: Consent, task: &Task) -> Result<Compiled, NoCode> {
    let Task { order, analysis, limits, cancel, .. } = task;
    let code = build::compile(consent, order, analysis, *limits, &|| cancel.is_cancelled())?;
    let compiled = code.read(analysis, &order.path);
    if cancel.is_cancelled() { Err(NoCode::Cancelled) } else { Ok(compiled) }
}

impl Code {
    /// Compiles a document on request and attaches the code. Returns the version compiled and its code; `None` if the
    /// document is no longer open, or is in a language that is not compiled.
    pub(crate) async fn compile_now(
        &self,
        uri: &Uri,
        consent: Consent,
    ) -> Option<(i32, Result<Compiled, NoCode>)> {
        let (opening, (task, ticket)) = {
            let opening = self.documents.lock().by_uri.get(uri)?.opening;
            (opening, self.task(uri, opening)?)
        };
        let version = task.version.clone();
        let turn = self.compiling.acquire().await;
        if let Some(why) = self.known_too_long(uri, &task) {
            return Some((version.version, Err(NoCode::Tool(why))));
        }
        let progress = self.connection().follow_work(uri, "compiling");
        let made = spawn_blocking(move || compile(consent, &task)).await.unwrap_or(Err(NoCode::Cancelled));
        drop((progress, ticket, turn));
        if !matches!(made, Err(NoCode::Cancelled)) {
            self.finish_compiling(uri, opening, &version, made.clone());
        }
        Some((version.version, made))
    }

    /// The error of an earlier run on the same text that exceeded the same time limit; `None` if no such run is known.
    fn known_too_long(&self, uri: &Uri, task: &Task) -> Option<ToolError> {
        let state = self.documents.lock();
        let (version, why) = state.by_uri.get(uri)?.too_long.as_ref()?;
        let is_limit = matches!(why, ToolError::TooLong { limit, .. } if *limit == task.limits.time);
        (is_limit && *version == task.version).then(|| why.clone())
    }

    /// Compiles a CUDA document to PTX on request. Returns the PTX, the compiler's command and the line map; `None` if
    /// the document is not open or is not CUDA.
    pub(crate) async fn ptx_now(
        &self,
        uri: &Uri,
        consent: Consent,
    ) -> Option<Result<(String, String, LineMap), NoCode>> {
        let (task, ticket) = {
            let opening = self.documents.lock().by_uri.get(uri)?.opening;
            self.task(uri, opening).filter(|(task, _)| task.analysis.language() == Language::Cuda)?
        };
        let turn = self.compiling.acquire().await;
        let progress = self.connection().follow_work(uri, "compiling");
        let work = move || {
            let Task { order, analysis, limits, cancel, .. } = &task;
            let (text, by) = build::ptx(consent, order, analysis, *limits, &|| cancel.is_cancelled())?;
            let map = ide::ptx_line_map(&text, &order.path.display().to_string());
            Ok((text, by, map))
        };
        let made = spawn_blocking(work).await.unwrap_or(Err(NoCode::Cancelled));
        drop((progress, ticket, turn));
        Some(made)
    }

    /// Begins a task on the current text; `None` if the text is not to be compiled, or is the version `done`.
    /// An edit of the text cancels the task.
    fn begin_compiling(&self, uri: &Uri, opening: u64, done: Option<&Version>) -> Option<(Task, Ticket)> {
        let is_done = {
            let state = self.documents.lock();
            if !state.host.config().compile.live {
                return None;
            }
            let analysis = state.host.snapshot(uri.as_str(), Cancel::default())?;
            let version = state.by_uri.get(uri)?.version;
            done == Some(&Version { version, build: analysis.build() })
        };
        if is_done { None } else { self.task(uri, opening) }
    }

    /// Creates the task of compiling a document; `None` if the document cannot be compiled. An edit of its
    /// text cancels the task.
    pub(crate) fn task(&self, uri: &Uri, opening: u64) -> Option<(Task, Ticket)> {
        let folders = self.workspace.lock();
        let folder = folders.root_around(uri).map(|root: &Root| root.path.clone());
        let state = self.documents.lock();
        let settings = state.host.config().compile.clone();
        let ptxas = state.host.config().ptxas.clone();
        let cancel = Cancel::default();
        let analysis = state.host.snapshot(uri.as_str(), cancel.clone())?;
        if !matches!(analysis.language(), Language::Cuda | Language::Ptx) || !is_written(uri) {
            return None;
        }
        let document = state.by_uri.get(uri)?;
        let version = Version { version: document.version, build: analysis.build() };
        if document.opening != opening || document.poisoned {
            return None;
        }
        let ticket = self.connection().tickets().begin(WorkKey::Document(uri.clone()), cancel.clone());
        let tools = &self.connection().facts().tools;
        let name = || PathBuf::from(uri.path().as_str().rsplit('/').next().unwrap_or_default());
        let order = CompileRequest {
            nvcc: tools.nvcc.clone(),
            clang: tools.clang.clone(),
            demanded: None,
            ptxas: tools.ptxas.clone(),
            disassembler: tools.disassembler.clone(),
            settings: ptxas,
            text: document.text.to_string(),
            // A document that was never saved has no folder to include from.
            path: file_path(uri).unwrap_or_else(name),
            workspace: folder.clone(),
            folder,
        };
        let time = Duration::from_secs(settings.time_limit.into());
        let limits = Limits { time, ..Limits::in_editor() };
        Some((Task { version, analysis, order, limits, cancel }, ticket))
    }

    /// Attaches the code if the text has not changed since compilation began. If there is no new code, the earlier
    /// code stays and is marked as stale.
    fn finish_compiling(&self, uri: &Uri, opening: u64, version: &Version, made: Result<Compiled, NoCode>) {
        let mut state = self.documents.lock();
        let Some(document) = state.by_uri.get_mut(uri) else { return };
        if document.opening != opening || document.version != version.version {
            return;
        }
        document.too_long = match &made {
            Err(NoCode::Tool(why @ ToolError::TooLong { .. })) => Some((version.clone(), why.clone())),
            _ => None,
        };
        document.no_compiler = match &made {
            Err(NoCode::Tool(why)) if is_absent(why) => Some(why.clone()),
            _ => None,
        };
        let is_new = made.is_ok();
        show_refusal(&mut state, self.connection().number(), uri, made.as_ref().err());
        match made {
            Ok(compiled) => {
                state.host.attach(uri.as_str(), Some(compiled));
            }
            Err(why) => {
                tracing::info!("{} is not compiled: {}", uri.as_str(), why.in_words());
                state.host.refuse(uri.as_str(), &why.in_words());
            }
        }
        if let Some(document) = state.by_uri.get(uri) {
            document.changed.send_replace(());
        }
        drop(state);
        self.connection().status_may_have_changed();
        self.documents.refresh(StaleDisplay::ALL);
        if is_new {
            code_changed::notify(self.connection(), uri);
        }
    }
}

/// Adds a finding to a CUDA document that states why the document has no code, at the line that the compiler names.
/// Adds nothing if `why` is `None`, or if no compiler is installed.
fn show_refusal(state: &mut OpenDocuments, number: u64, uri: &Uri, why: Option<&NoCode>) {
    let is_cuda = state.host.language(uri.as_str()) == Some(Language::Cuda);
    let Some(document) = state.by_uri.get_mut(uri).filter(|_| is_cuda) else { return };
    let message = why.and_then(|why| {
        let (source, line, text) = match why {
            NoCode::Cancelled => return None,
            NoCode::Tool(error) if is_absent(error) => return None,
            NoCode::Tool(error) => ("warplens", 1, error.to_string()),
            NoCode::Refused(by, reason) => {
                let (line, text) = why.at_line().unwrap_or((1, reason));
                (*by, line, text.to_owned())
            }
        };
        let range = code_of_line(&document.text, line as usize - 1);
        let text = format!("not compiled: {text}");
        Some(CompilerMessage { range, severity: DiagnosticSeverity::WARNING, source, text })
    });
    document.compiled.begin(number);
    let text = document.text.clone();
    document.compiled.finish(number, message.into_iter().collect(), &text);
}

/// One line for the status if an open text could be compiled but no CUDA compiler is installed; otherwise
/// `None`.
pub(crate) fn no_compiler(state: &OpenDocuments) -> Option<String> {
    let is_without_code = |uri: &&Uri| {
        state.host.language(uri.as_str()) == Some(Language::Cuda) && !state.host.has_code(uri.as_str())
    };
    let mut without = state.by_uri.iter().filter(|(uri, _)| is_without_code(uri));
    let why = without.find_map(|(_, document)| document.no_compiler.as_ref())?;
    let by_text = "figures are estimated from the source";
    Some(match why {
        ToolError::NoCompiler => format!(
            "no nvcc found: {by_text}. Install the CUDA toolkit, or set `nvcc.path` to the nvcc of an installed toolkit"
        ),
        why => format!("{by_text}: {why}"),
    })
}

/// True if a program is not installed. A missing program is not a finding.
fn is_absent(error: &ToolError) -> bool {
    matches!(
        error,
        ToolError::Missing
            | ToolError::NoCompiler
            | ToolError::NoToolkit(_)
            | ToolError::NoAssembler
            | ToolError::NoClang
            | ToolError::NoToolkitForClang
    )
}

/// Byte range of a line, counted from 0, without surrounding blanks. A line number after the last line counts
/// as the last line.
fn code_of_line(text: &Rope, line: usize) -> Range<usize> {
    let line = line.min(text.len_lines().saturating_sub(1));
    let (start, own) = (text.line_to_byte(line), text.line(line).to_string());
    let code = own.trim();
    let before = if code.is_empty() { 0 } else { own.len() - own.trim_start().len() };
    start + before..start + before + code.len()
}
