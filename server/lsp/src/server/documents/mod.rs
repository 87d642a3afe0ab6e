//! The open documents: what a client opens, changes and closes, and what is sent of them.

pub(crate) mod build_version;
pub(crate) mod compiler_messages;
pub(crate) mod diagnostics;
pub(crate) mod document;
pub(crate) mod figures;
pub(crate) mod kept_figures;
pub(crate) mod known_gains;
pub(crate) mod known_tunings;
pub(crate) mod typing;
pub(crate) mod wanted_figures;
pub(crate) mod work;

use crate::server::documents::document::{Change, Document};
use crate::server::code::live;
use crate::server::transport::outgoing::{Findings, Outgoing};
use crate::server::transport::position::Encoding;
use crate::server::workspace::root::file_path;
use crate::server::session::{Session, survives};
use crate::server::session::state::State;
use crate::server::documents::typing::Typed;
use ide::{Host, Language};
use std::sync::Arc;
use tokio::sync::watch;
use tower_lsp_server::ls_types::{MessageType, SemanticToken, TextDocumentContentChangeEvent, Uri};

impl State {
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
            let language = Language::detect(language_id, uri.path().as_str(), text);
            state.host.open_as(uri.as_str(), version, language, text);
        });
        let mut document = Document {
            opening,
            version,
            language_id: language_id.to_owned(),
            text: ropey::Rope::from_str(text),
            poisoned,
            changed,
            ..Document::default()
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
        tokio::spawn(live::follow(self.clone(), uri.clone(), opening, changes.clone()));
        let session = self.clone();
        let source = uri.clone();
        tokio::spawn(async move { session.attach_left_code(&source).await });
        self.profiles_may_have_changed();
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
        let State { host, documents, active, tool_runs, .. } = &mut *state;
        let Some(document) = documents.get_mut(uri) else { return };
        *active = Some(uri.clone());
        // What the tools would answer is of a text that is over.
        if let Some(tools) = tool_runs.get(uri) {
            tools.cancel();
        }
        document.overtake();
        document.version = version;
        let change = document.apply(changes, encoding);
        let open = |host: &mut Host| {
            let text = document.text.to_string();
            let language = Language::detect(&document.language_id, uri.path().as_str(), &text);
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
        if let Some(tools) = state.tool_runs.get(&uri) {
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

    /// The last edit of a document, where it looks like typing.
    pub(crate) fn typed(&self, uri: &Uri) -> Option<Typed> {
        self.lock().documents.get(uri)?.typed
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
