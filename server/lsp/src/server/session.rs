//! All that the server knows, behind one lock that is never held across an await.

use super::abilities::Abilities;
use super::compiled::Compiled;
use super::diagnostics;
use super::document::{Change, Document};
use super::faults::Faults;
use super::launch_reading::Reading;
use super::listings::{Changes, Index};
use super::log::Log;
use super::outbox::{self, Findings, Outgoing};
use super::position::Encoding;
use super::settings::Settings;
use super::work::Turns;
use super::workspace::{Root, file_path};
use ide::{Cancel, Host, Language};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{MessageType, SemanticToken, TextDocumentContentChangeEvent, Uri};

/// A handle to the session; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Session(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    client: Client,
    greeting: OnceLock<Greeting>,
    state: Mutex<State>,
    outgoing: UnboundedSender<Outgoing>,
    /// Taken once the client may be spoken to.
    unsent: Mutex<Option<UnboundedReceiver<Outgoing>>>,
    turns: Turns,
    listing_index: Arc<tokio::sync::Mutex<Index>>,
    log: Log,
    status: watch::Sender<()>,
    shut_down: AtomicBool,
}

/// Facts that `initialize` brought; they hold for the whole session.
#[derive(Debug)]
pub(crate) struct Greeting {
    pub(crate) abilities: Abilities,
    pub(crate) faults: Faults,
    pub(crate) tools: Tools,
}

/// The client's statements about other programs. Settings do not change them: a workspace may bring settings of its
/// own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    /// The user trusts the workspace, so that programs may run on what is in it.
    pub(crate) trusted: bool,
    /// nvdisasm or cuobjdump, or the folder that has it; else the one on PATH.
    pub(crate) disassembler: Option<PathBuf>,
    /// ptxas, or the folder that has it; else that of `CUDA_HOME`, else the one on PATH.
    pub(crate) ptxas: Option<PathBuf>,
}

impl Tools {
    /// From `initializationOptions`: `trusted`, and the absolute paths `disassembler` and `ptxas.path`.
    pub(crate) fn read(options: &serde_json::Value) -> Self {
        let own = options.get("warplens").unwrap_or(options);
        let path = |value: Option<&serde_json::Value>| {
            let path = value.and_then(serde_json::Value::as_str).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        Self {
            trusted: own.get("trusted").and_then(serde_json::Value::as_bool).unwrap_or(false),
            disassembler: path(own.get("disassembler")),
            ptxas: path(own.get("ptxas").and_then(|ptxas| ptxas.get("path"))),
        }
    }

    /// One line on each of these options that says nothing as it stands.
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
        for (name, path) in [("disassembler", own.get("disassembler")), ("ptxas.path", ptxas)] {
            let is_path = |text: &str| text.is_empty() || Path::new(text).is_absolute();
            if let Some(path) = stated(path).filter(|path| !path.as_str().is_some_and(is_path)) {
                tell(name, "an absolute path, or nothing in quotes", &path);
            }
        }
        problems
    }
}

/// State of the session that changes.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) host: Host,
    pub(crate) documents: HashMap<Uri, Document>,
    pub(crate) settings: Settings,
    /// The workspace's folders.
    pub(crate) roots: Vec<Root>,
    /// The document that the client last asked about or changed.
    pub(crate) active: Option<Uri>,
    /// Number of pieces of long work under way, by document.
    pub(crate) busy: HashMap<Uri, usize>,
    /// The document of each progress that the client shows, by the progress's token.
    pub(crate) shown: HashMap<String, Uri>,
    pub(crate) listings: Changes,
    pub(crate) reading: Reading,
    /// The tokens of documents that the vendor's tools are at work on, and of a folder's listings that are being read, by the URI of
    /// its `warplens.toml`.
    pub(crate) binaries: HashMap<Uri, Cancel>,
    /// The PTX that a listing was made of, by the name that the client has for the listing.
    pub(crate) sass_of: HashMap<Uri, Uri>,
    next_number: u64,
}

impl State {
    /// A number that nothing else has got.
    pub(crate) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    fn complete(&self, findings: &mut Findings, encoding: Encoding) -> bool {
        let Some(document) = self.documents.get(&findings.uri) else { return false };
        if document.opening != findings.opening || document.version != findings.version {
            return false;
        }
        if self.host.config().diagnostics {
            findings.diagnostics.extend(document.compiler_findings(encoding));
        }
        true
    }
}

impl Session {
    pub(crate) fn new(client: Client, host: Host, log: Log) -> Self {
        let (outgoing, unsent) = unbounded_channel();
        let state = State {
            host,
            documents: HashMap::new(),
            settings: Settings::default(),
            roots: Vec::new(),
            listings: Changes::default(),
            reading: Reading::default(),
            active: None,
            busy: HashMap::new(),
            shown: HashMap::new(),
            binaries: HashMap::new(),
            sass_of: HashMap::new(),
            next_number: 0,
        };
        Self(Arc::new(Shared {
            client,
            greeting: OnceLock::new(),
            state: Mutex::new(state),
            outgoing,
            unsent: Mutex::new(Some(unsent)),
            turns: Turns::new(),
            listing_index: Arc::default(),
            log,
            status: watch::Sender::new(()),
            shut_down: AtomicBool::new(false),
        }))
    }

    /// For messages from spawned tasks only; a handler that waits for the client can stop the transport.
    pub(crate) fn client(&self) -> Client {
        self.0.client.clone()
    }

    pub(crate) fn greet(&self, greeting: Greeting) {
        // The transport lets only one `initialize` through.
        drop(self.0.greeting.set(greeting));
    }

    pub(crate) fn greeting(&self) -> &Greeting {
        self.0.greeting.get().expect("the transport refuses everything before `initialize`")
    }

    pub(crate) fn abilities(&self) -> &Abilities {
        &self.greeting().abilities
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.0.turns
    }

    pub(crate) fn listing_index(&self) -> &Arc<tokio::sync::Mutex<Index>> {
        &self.0.listing_index
    }

    pub(crate) fn log(&self) -> &Log {
        &self.0.log
    }

    /// Has the client told of the server's status, if it is another one.
    pub(crate) fn status_may_have_changed(&self) {
        self.0.status.send_replace(());
    }

    /// The state, even after a panic under the lock: what it left half done is one document, and that is poisoned.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a message to the client; it goes out once the client is ready for it.
    pub(crate) fn say(&self, message: Outgoing) {
        // Fails only at the end of the session, when nobody listens.
        drop(self.0.outgoing.send(message));
    }

    /// From now on the client may be spoken to.
    pub(crate) fn start_sending(&self) {
        let unsent = self.0.unsent.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(unsent) = unsent {
            tokio::spawn(outbox::send(self.clone(), unsent));
            if self.abilities().server_status {
                self.tell_status(self.0.status.subscribe());
            }
        }
    }

    /// Takes note that the client is about to leave, and stops the vendor's tools.
    pub(crate) fn shut_down(&self) {
        toolchain::end_all(Duration::ZERO);
        self.0.shut_down.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.0.shut_down.load(Ordering::Relaxed)
    }

    /// Opens a document, or replaces one that the client has opened twice.
    pub(crate) fn open(&self, uri: Uri, version: i32, language_id: &str, text: &str) {
        if self.open_launch_file(&uri, version, text) {
            return;
        }
        let mut state = self.lock();
        let (changed, changes) = watch::channel(());
        let opening = state.number();
        state.place(&uri);
        let poisoned = !survives(|| {
            let language = Language::of(language_id, uri.path().as_str(), text);
            state.host.open_as(uri.as_str(), version, language, text);
        });
        let mut document = Document {
            opening,
            version,
            language_id: language_id.to_owned(),
            text: ropey::Rope::from_str(text),
            poisoned,
            told_too_large: false,
            finishing: None,
            work: Vec::new(),
            published: None,
            compiled: Compiled::default(),
            tokens: None,
            changed,
        };
        if let Some(mut earlier) = state.documents.remove(&uri) {
            earlier.overtake();
            document.published = earlier.published.take();
            document.told_too_large = earlier.told_too_large;
        }
        self.tell_too_large(&state.host, &uri, &mut document);
        if poisoned {
            self.lament(&uri);
        }
        state.documents.insert(uri.clone(), document);
        state.active = Some(uri.clone());
        drop(state);
        self.status_may_have_changed();
        if !self.abilities().pulls_findings {
            tokio::spawn(diagnostics::follow(self.clone(), uri, opening, changes));
        }
    }

    /// Applies changes to an open document; those to any other are ignored.
    pub(crate) fn change(&self, uri: &Uri, version: i32, mut changes: Vec<TextDocumentContentChangeEvent>) {
        if self.change_launch_file(uri, version, &mut changes) {
            return;
        }
        let encoding = self.abilities().encoding;
        let mut state = self.lock();
        let State { host, documents, active, binaries, .. } = &mut *state;
        let Some(document) = documents.get_mut(uri) else { return };
        *active = Some(uri.clone());
        // What the tools would answer is of a text that is over.
        if let Some(tools) = binaries.get(uri) {
            tools.cancel();
        }
        document.overtake();
        document.version = version;
        let change = document.apply(changes, encoding);
        let open = |host: &mut Host| {
            let text = document.text.to_string();
            let language = Language::of(&document.language_id, uri.path().as_str(), &text);
            host.open_as(uri.as_str(), version, language, &text);
        };
        // What was pasted may be in the other language: it is as if it had been opened with that text.
        let changes_language = |host: &Host| {
            host.language(uri.as_str()).is_some_and(|is| {
                let length = document.text.len_bytes();
                let head = |bytes| document.head(bytes);
                is != is.after_edit(&document.language_id, uri.path().as_str(), length, head)
            })
        };
        let mut other_language = false;
        let edited = match change {
            Change::Edits(edits) if !document.poisoned => survives(|| {
                other_language = changes_language(host);
                if other_language || !host.edit(uri.as_str(), version, &edits) {
                    open(host);
                }
            }),
            Change::Replaced if !document.poisoned => survives(|| open(host)),
            // After a panic nothing is known of the engine's copy: it starts afresh.
            _ => survives(|| {
                host.close(uri.as_str());
                open(host);
            }),
        };
        if other_language {
            document.compiled.replaced();
        }
        document.poisoned = !edited;
        if document.poisoned {
            self.lament(uri);
        }
        self.tell_too_large(host, uri, document);
        document.changed.send_replace(());
        // A copy that starts afresh has lost its place.
        state.place(uri);
        drop(state);
        self.status_may_have_changed();
    }

    /// Says once that a document is too large to be read, and again only after it was not.
    fn tell_too_large(&self, host: &Host, uri: &Uri, document: &mut Document) {
        let why = host.too_large(uri.as_str());
        if let Some(why) = why.filter(|_| !document.told_too_large) {
            let text = format!("{} is {}: it stays plain text", uri.as_str(), why.reason());
            self.say(Outgoing::Message(MessageType::WARNING, text));
        }
        document.told_too_large = why.is_some();
    }

    /// Forgets a document and takes its findings off the client's screen.
    pub(crate) fn close(&self, uri: Uri) {
        if self.close_launch_file(&uri) {
            return;
        }
        let mut state = self.lock();
        if let Some(tools) = state.binaries.get(&uri) {
            tools.cancel();
        }
        let Some(mut document) = state.documents.remove(&uri) else { return };
        document.overtake();
        survives(|| state.host.close(uri.as_str()));
        drop(state);
        self.status_may_have_changed();
        self.files_changed(file_path(&uri).into_iter().collect());
        if document.published.is_some_and(|list| !list.is_empty()) {
            self.say(Outgoing::Cleared(uri));
        }
    }

    /// The version of a document whose hints are to be computed now; `None` where they are being computed already.
    pub(crate) fn begin_finishing(&self, uri: &Uri) -> Option<i32> {
        let mut state = self.lock();
        let document = state.documents.get_mut(uri)?;
        let version = document.version;
        (document.finishing.replace(version) != Some(version)).then_some(version)
    }

    /// Takes note that those are computed, or were given up.
    pub(crate) fn end_finishing(&self, uri: &Uri, version: i32) {
        let mut state = self.lock();
        if let Some(document) = state.documents.get_mut(uri)
            && document.finishing == Some(version)
        {
            document.finishing = None;
        }
    }

    /// Adds what ptxas said of that version. False where it is open no more.
    pub(crate) fn complete(&self, findings: &mut Findings) -> bool {
        self.lock().complete(findings, self.abilities().encoding)
    }

    /// Whether findings may be sent: the version is still open, and the client does not show the same list already.
    /// Adds what ptxas said of that version, and takes note that they are being sent.
    pub(crate) fn accept(&self, findings: &mut Findings) -> bool {
        let mut state = self.lock();
        let current = state.complete(findings, self.abilities().encoding);
        let Some(document) = state.documents.get_mut(&findings.uri) else { return false };
        if !current || document.published.as_ref() == Some(&findings.diagnostics) {
            return false;
        }
        document.published = Some(findings.diagnostics.clone());
        true
    }

    /// The analysis of this version has panicked: ask nothing more of the document until it changes.
    pub(crate) fn poison(&self, uri: &Uri, opening: u64, version: i32) {
        let mut state = self.lock();
        let Some(document) = state.documents.get_mut(uri) else { return };
        if document.opening == opening && document.version == version && !document.poisoned {
            document.poisoned = true;
            document.overtake();
            self.lament(uri);
        }
    }

    fn lament(&self, uri: &Uri) {
        let text = format!("the analysis of {} failed; it rests until the text changes", uri.as_str());
        self.say(Outgoing::Log(MessageType::ERROR, text));
        self.status_may_have_changed();
    }

    /// Takes note of the tokens that are being sent, and gives them a name.
    pub(crate) fn remember_tokens(&self, uri: &Uri, opening: u64, tokens: &[SemanticToken]) -> String {
        let mut state = self.lock();
        let name = state.number().to_string();
        if let Some(document) = state.documents.get_mut(uri).filter(|document| document.opening == opening) {
            document.tokens = Some((name.clone(), tokens.into()));
        }
        name
    }

    /// The tokens of that name, if they are the last that were sent.
    pub(crate) fn remembered_tokens(&self, uri: &Uri, name: &str) -> Option<Arc<[SemanticToken]>> {
        let state = self.lock();
        let (last, tokens) = state.documents.get(uri)?.tokens.as_ref()?;
        (last == name).then(|| Arc::clone(tokens))
    }

    /// Findings of all documents are to be computed anew: what they depend on has changed.
    pub(crate) fn recheck(&self) {
        for document in self.lock().documents.values() {
            document.changed.send_replace(());
        }
    }
}

/// False where it panicked.
pub(crate) fn survives(action: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(action)).is_ok()
}
