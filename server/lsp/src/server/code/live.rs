//! CUDA and PTX compiled in the background whenever typing rests, so that what is shown is of the code.

use crate::server::documents::compiler_messages::Told;
use crate::server::documents::build_version::Version;
use crate::server::workspace::root::{Root, file_path};
use crate::server::session::Session;
use crate::server::shared;
use crate::server::transport::stale::Stale;
use crate::server::session::state::State;
use crate::build::{self, Code, NoCode, Order};
use ide::{Analysis, Cancel, Compiled, CompiledFrom, Language, LineMap, TextEdit};
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
    pub(crate) number: u64,
    pub(crate) analysis: Analysis,
    pub(crate) order: Order,
    limits: Limits,
    cancel: Cancel,
}

impl Task {
    /// The same task for the text that edits make, which are in its order and apart.
    pub(crate) fn with_edits(&self, edits: &[TextEdit]) -> Self {
        let order = Order { text: TextEdit::apply(edits, &self.order.text), ..self.order.clone() };
        Self {
            version: self.version.clone(),
            number: self.number,
            analysis: self.analysis.with_edits(edits),
            order,
            limits: self.limits,
            cancel: self.cancel.clone(),
        }
    }

    /// Everything that the code of the text depends on, except for included files.
    pub(crate) fn origin(&self) -> impl Hash + Debug + use<> {
        let (sm, wished, build) = &self.version.build;
        let order = &self.order;
        (*sm, *wished, format!("{build:?}"), order.path.clone(), order.text.clone())
    }

    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

/// Follows one document until it is closed. There is one such task for each opening.
pub(crate) async fn follow(session: Session, uri: Uri, opening: u64, mut changed: watch::Receiver<()>) {
    let Some(consent) = Consent::by_trusted_workspace(session.greeting().tools.trusted) else { return };
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
        // One compiler at a time, whatever is open.
        let turn = session.compiling().acquire().await;
        if let Some(task) = session.begin_compiling(&uri, opening, done.as_ref()) {
            let (version, number) = (task.version.clone(), task.number);
            let guard = Begun { session: &session, uri: &uri, number };
            let progress = session.follow_work(&uri, "compiling");
            let made = spawn_blocking(move || compile(consent, &task)).await;
            drop(progress);
            drop(guard);
            match made {
                Ok(Err(NoCode::Cancelled)) | Err(_) => {}
                Ok(made) => {
                    session.finish_compiling(&uri, opening, &version, made);
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

/// Takes the token of a compilation from its document when it is over.
pub(crate) struct Begun<'a> {
    pub(crate) session: &'a Session,
    pub(crate) uri: &'a Uri,
    pub(crate) number: u64,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if let Some(document) = self.session.lock().documents.get_mut(self.uri) {
            document.work.retain(|(number, _)| *number != self.number);
        }
    }
}

pub(crate) fn compile(consent: Consent, task: &Task) -> Result<Compiled, NoCode> {
    let Task { order, analysis, limits, cancel, .. } = task;
    let code = build::compile(consent, order, analysis, *limits, &|| cancel.is_cancelled())?;
    let Code { listing, cubin, by } = code;
    let from = CompiledFrom { by, path: order.path.display().to_string(), stale: None };
    let compiled = analysis.read_code(&listing, &cubin, from);
    if cancel.is_cancelled() { Err(NoCode::Cancelled) } else { Ok(compiled) }
}

impl Session {
    /// Compiles a document now, as its code was asked for, and attaches the code. `None` if the document is no longer open, or
    /// is in a language that is not compiled.
    pub(crate) async fn compile_now(
        &self,
        uri: &Uri,
        consent: Consent,
    ) -> Option<(i32, Result<Compiled, NoCode>)> {
        let (opening, task) = {
            let opening = self.lock().documents.get(uri)?.opening;
            (opening, self.task(uri, opening)?)
        };
        let (version, number) = (task.version.clone(), task.number);
        let turn = self.compiling().acquire().await;
        if let Some(why) = self.known_too_long(uri, &task) {
            drop(Begun { session: self, uri, number });
            return Some((version.version, Err(NoCode::Tool(why))));
        }
        let guard = Begun { session: self, uri, number };
        let progress = self.follow_work(uri, "compiling");
        let made = spawn_blocking(move || compile(consent, &task)).await.unwrap_or(Err(NoCode::Cancelled));
        drop(progress);
        drop(guard);
        drop(turn);
        if !matches!(made, Err(NoCode::Cancelled)) {
            self.finish_compiling(uri, opening, &version, made.clone());
        }
        Some((version.version, made))
    }

    /// The failure of an earlier run on the same text, with the same time limit, which it took up whole.
    fn known_too_long(&self, uri: &Uri, task: &Task) -> Option<ToolError> {
        let state = self.lock();
        let (version, why) = state.documents.get(uri)?.too_long.as_ref()?;
        let is_limit = matches!(why, ToolError::TooLong { limit, .. } if *limit == task.limits.time);
        (is_limit && *version == task.version).then(|| why.clone())
    }

    /// Compiles a document of CUDA to PTX, as it was asked for: the text, what made it, and its lines.
    pub(crate) async fn ptx_now(
        &self,
        uri: &Uri,
        consent: Consent,
    ) -> Option<Result<(String, String, LineMap), NoCode>> {
        let task = {
            let opening = self.lock().documents.get(uri)?.opening;
            self.task(uri, opening).filter(|task| task.analysis.language() == Language::Cuda)?
        };
        let turn = self.compiling().acquire().await;
        let guard = Begun { session: self, uri, number: task.number };
        let progress = self.follow_work(uri, "compiling");
        let work = move || {
            let Task { order, analysis, limits, cancel, .. } = &task;
            let (text, by) = build::ptx(consent, order, analysis, *limits, &|| cancel.is_cancelled())?;
            let map = ide::ptx_line_map(&text, &order.path.display().to_string());
            Ok((text, by, map))
        };
        let made = spawn_blocking(work).await.unwrap_or(Err(NoCode::Cancelled));
        drop(progress);
        drop(guard);
        drop(turn);
        Some(made)
    }

    /// Takes the text as it is now; `None` where it is not to be compiled, or was compiled already. An edit of the text sets the
    /// task's token.
    fn begin_compiling(&self, uri: &Uri, opening: u64, done: Option<&Version>) -> Option<Task> {
        if !self.lock().host.config().compile.live {
            return None;
        }
        let is_done = {
            let state = self.lock();
            let analysis = state.host.snapshot(uri.as_str(), Cancel::default())?;
            let version = state.documents.get(uri)?.version;
            done == Some(&Version { version, build: analysis.build() })
        };
        if is_done { None } else { self.task(uri, opening) }
    }

    /// All that compiling a document takes; `None` where nothing is compiled of it. An edit of its text sets the task's token.
    pub(crate) fn task(&self, uri: &Uri, opening: u64) -> Option<Task> {
        let mut state = self.lock();
        let settings = state.host.config().compile.clone();
        let ptxas = state.host.config().ptxas.clone();
        let number = state.number();
        let folder = state.root_around(uri).map(|root: &Root| root.path.clone());
        let cancel = Cancel::default();
        let analysis = state.host.snapshot(uri.as_str(), cancel.clone())?;
        if !matches!(analysis.language(), Language::Cuda | Language::Ptx) || !shared::is_written(uri) {
            return None;
        }
        let document = state.documents.get_mut(uri)?;
        let version = Version { version: document.version, build: analysis.build() };
        if document.opening != opening || document.poisoned {
            return None;
        }
        document.work.push((number, cancel.clone()));
        let tools = &self.greeting().tools;
        let name = || PathBuf::from(uri.path().as_str().rsplit('/').next().unwrap_or_default());
        let order = Order {
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
        Some(Task { version, number, analysis, order, limits, cancel })
    }

    /// Shows why a document of CUDA has no code among its findings, at the line that the compiler names; nothing where it has, or
    /// where no compiler is installed.
    fn tell_refusal(state: &mut State, uri: &Uri, why: Option<&NoCode>) {
        let is_cuda = state.host.language(uri.as_str()) == Some(Language::Cuda);
        let number = state.number();
        let Some(document) = state.documents.get_mut(uri).filter(|_| is_cuda) else { return };
        let told = why.and_then(|why| {
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
            Some(Told { range, severity: DiagnosticSeverity::WARNING, source, text })
        });
        document.compiled.begin(number);
        let text = document.text.clone();
        document.compiled.finish(number, told.into_iter().collect(), &text);
    }

    /// Attaches the code, where the text is still the one that was compiled; without code the earlier one stays, marked.
    fn finish_compiling(&self, uri: &Uri, opening: u64, version: &Version, made: Result<Compiled, NoCode>) {
        let mut state = self.lock();
        let Some(document) = state.documents.get_mut(uri) else { return };
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
        Self::tell_refusal(&mut state, uri, made.as_ref().err());
        match made {
            Ok(compiled) => {
                state.host.attach(uri.as_str(), Some(compiled));
            }
            Err(why) => {
                tracing::info!("{} is not compiled: {}", uri.as_str(), why.in_words());
                state.host.refuse(uri.as_str(), &why.in_words());
            }
        }
        if let Some(document) = state.documents.get(uri) {
            document.changed.send_replace(());
        }
        drop(state);
        self.status_may_have_changed();
        self.refresh(Stale::ALL);
        if is_new {
            self.tell_code_changed(uri);
        }
    }

    /// One line for the status where no compiler of CUDA is installed, although an open text could be compiled.
    pub(crate) fn no_compiler(state: &State) -> Option<String> {
        let is_without_code = |uri: &&Uri| {
            state.host.language(uri.as_str()) == Some(Language::Cuda) && !state.host.has_code(uri.as_str())
        };
        let mut without = state.documents.iter().filter(|(uri, _)| is_without_code(uri));
        let why = without.find_map(|(_, document)| document.no_compiler.as_ref())?;
        let by_text = "figures are by the text of the kernels";
        Some(match why {
            ToolError::NoCompiler => format!(
                "no nvcc found: {by_text}. Install the CUDA toolkit, or set `nvcc.path` to the nvcc of an installed one"
            ),
            why => format!("{by_text}: {why}"),
        })
    }
}

/// Whether a program is simply not installed: no reason for a finding in a text.
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

/// The bytes of a line, counted from 0, without the blanks around its text; those of the last line for one beyond it.
fn code_of_line(text: &Rope, line: usize) -> Range<usize> {
    let line = line.min(text.len_lines().saturating_sub(1));
    let (start, own) = (text.line_to_byte(line), text.line(line).to_string());
    let code = own.trim();
    let before = if code.is_empty() { 0 } else { own.len() - own.trim_start().len() };
    start + before..start + before + code.len()
}
