//! The open documents, each with its text, version, copy in the engine and published findings. Also snapshots of
//! documents, and jobs on snapshots.
//!
//! One lock covers both the engine's host and the documents' texts. An edit changes both under one lock, in order of
//! arrival and before the handler's first await, so a snapshot always has the document's version. All layers above may
//! take the lock, but only briefly: for one edit or one snapshot. While it is held, only locks of `transport` are
//! taken.

pub(crate) mod build_version;
pub(crate) mod compiler_messages;
pub(crate) mod diagnostics;
pub(crate) mod document;
pub(crate) mod figures;
pub(crate) mod known_gains;
pub(crate) mod known_tunings;
pub(crate) mod prediction_files;
pub(crate) mod typing;
pub(crate) mod wanted_figures;
pub(crate) mod work;

use crate::server::transport::connection::Connection;
use crate::server::transport::locked::locked;
use crate::server::transport::outgoing::Outgoing;
use crate::server::transport::position::Encoding;
use crate::server::transport::stale::StaleDisplay;
use diagnostics::Findings;
use document::{Change, Document};
use ide::{Host, Language, Surroundings};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;
use tower_lsp_server::ls_types::{
    MessageType, PublishDiagnosticsParams, SemanticToken, TextDocumentContentChangeEvent, Uri,
};
use typing::TypingEdit;
use wanted_figures::Figures;

/// A handle to the open documents; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Documents {
    pub(crate) connection: Connection,
    open: Arc<Mutex<OpenDocuments>>,
    figures: Arc<Mutex<Figures>>,
}

/// The engine and the open documents, which change together.
#[derive(Debug, Default)]
pub(crate) struct OpenDocuments {
    pub(crate) host: Host,
    pub(crate) by_uri: HashMap<Uri, Document>,
    /// The document that the client last queried or changed.
    pub(crate) active: Option<Uri>,
}

/// A document that has just been opened.
pub(crate) struct OpenedDocument {
    pub(crate) opening: u64,
    /// Receives the document's changes; the channel closes with the document.
    pub(crate) changes: watch::Receiver<()>,
}

impl Documents {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, open: Arc::default(), figures: Arc::default() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, OpenDocuments> {
        locked(&self.open)
    }

    /// Opens a document, or replaces one that the client has opened twice.
    ///
    /// `folder` names the workspace folder whose launches apply to the document.
    pub(crate) fn open(
        &self,
        uri: &Uri,
        version: i32,
        language_id: &str,
        text: &str,
        folder: Option<&str>,
    ) -> OpenedDocument {
        let mut state = self.lock();
        let (changed, changes) = watch::channel(());
        let opening = self.connection.number();
        state.host.place(uri.as_str(), folder);
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
        if let Some(mut earlier) = state.by_uri.remove(uri) {
            self.connection.tickets().cancel_version(uri);
            document.published = earlier.published.take();
            document.reported_too_large = earlier.reported_too_large;
        }
        self.report_too_large(&state.host, uri, &mut document);
        if poisoned {
            self.report_failure(uri);
        }
        state.by_uri.insert(uri.clone(), document);
        state.active = Some(uri.clone());
        drop(state);
        self.connection.status_may_have_changed();
        OpenedDocument { opening, changes }
    }

    /// Applies changes to an open document; ignores changes to a document that is not open.
    pub(crate) fn change(
        &self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        folder: Option<&str>,
    ) {
        let encoding = self.connection.features().encoding;
        let mut state = self.lock();
        let OpenDocuments { host, by_uri, active } = &mut *state;
        let Some(document) = by_uri.get_mut(uri) else { return };
        *active = Some(uri.clone());
        // Results of running tools and analyses would belong to an outdated text.
        self.connection.tickets().cancel_all(uri);
        document.version = version;
        let change = document.apply(changes, encoding);
        let open = |host: &mut Host| {
            let text = document.text.to_string();
            let language = Language::detect(&document.language_id, uri.path().as_str(), &text);
            host.open_as(uri.as_str(), version, language, &text);
        };
        // Pasted text may be in another language; the document is then treated as newly opened.
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
            // After a panic the engine's copy may be inconsistent, so it is created anew.
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
            self.report_failure(uri);
        }
        self.report_too_large(host, uri, document);
        document.changed.send_replace(());
        // A copy that was created anew is not in a folder yet.
        state.host.place(uri.as_str(), folder);
        drop(state);
        self.connection.status_may_have_changed();
    }

    /// Reports once that a document is too large to be read; reports again only if the document was small
    /// enough in between.
    fn report_too_large(&self, host: &Host, uri: &Uri, document: &mut Document) {
        let why = host.too_large(uri.as_str());
        if let Some(why) = why.filter(|_| !document.reported_too_large) {
            let text = format!("{} is {}: it is treated as plain text", uri.as_str(), why.reason());
            self.connection.send(Outgoing::Message(MessageType::WARNING, text));
        }
        document.reported_too_large = why.is_some();
    }

    /// Removes a document and clears its findings in the client. Returns false if the document was not open.
    pub(crate) fn close(&self, uri: &Uri) -> bool {
        let mut state = self.lock();
        self.connection.tickets().cancel_all(uri);
        let Some(document) = state.by_uri.remove(uri) else { return false };
        survives(|| state.host.close(uri.as_str()));
        drop(state);
        self.connection.status_may_have_changed();
        if document.published.is_some_and(|list| !list.is_empty()) {
            self.connection.clear_findings(uri.clone());
        }
        true
    }

    /// Returns the text of a document that may include headers; `None` for other documents, and for a document that was
    /// closed.
    pub(crate) fn text_with_headers(&self, uri: &Uri, opening: u64) -> Option<ropey::Rope> {
        let state = self.lock();
        let document = state.by_uri.get(uri).filter(|document| document.opening == opening)?;
        (state.host.language(uri.as_str()) == Some(Language::Cuda)).then(|| document.text.clone())
    }

    /// True if a document was closed since it was opened for the time `opening`.
    pub(crate) fn is_closed(&self, uri: &Uri, opening: u64) -> bool {
        self.lock().by_uri.get(uri).is_none_or(|document| document.opening != opening)
    }

    /// Sets what other files tell about a document. If it changed, the client requests the document's answers again.
    pub(crate) fn surround(&self, uri: &Uri, opening: u64, surroundings: Option<Surroundings>) {
        let mut state = self.lock();
        if state.by_uri.get(uri).is_none_or(|document| document.opening != opening)
            || !state.host.surround(uri.as_str(), surroundings)
        {
            return;
        }
        if let Some(document) = state.by_uri.get(uri) {
            document.changed.send_replace(());
        }
        drop(state);
        self.refresh(StaleDisplay::ALL);
    }

    /// Marks a document's hints as being computed and returns its version; `None` if this version's hints are already
    /// being computed.
    pub(crate) fn begin_finishing(&self, uri: &Uri) -> Option<i32> {
        let mut state = self.lock();
        let document = state.by_uri.get_mut(uri)?;
        let version = document.version;
        (document.finishing.replace(version) != Some(version)).then_some(version)
    }

    /// Ends the computation that [`Self::begin_finishing`] marked: the hints of `version` are computed or
    /// were abandoned.
    pub(crate) fn end_finishing(&self, uri: &Uri, version: i32) {
        let mut state = self.lock();
        if let Some(document) = state.by_uri.get_mut(uri)
            && document.finishing == Some(version)
        {
            document.finishing = None;
        }
    }

    /// Adds the compilers' messages about the version that the findings belong to. Returns false if that version is
    /// no longer open.
    pub(crate) fn complete(&self, findings: &mut Findings) -> bool {
        self.lock().complete(findings, self.connection.features().encoding)
    }

    /// The last edit of a document; `None` if it does not look like typing.
    pub(crate) fn typed(&self, uri: &Uri) -> Option<TypingEdit> {
        self.lock().by_uri.get(uri)?.typed
    }

    /// Returns findings to send, with the compilers' messages, and records them as published. `None` if their version
    /// is outdated, or if the client already shows the same list.
    fn accept(&self, mut findings: Findings) -> Option<PublishDiagnosticsParams> {
        let features = self.connection.features();
        let mut state = self.lock();
        let current = state.complete(&mut findings, features.encoding);
        let document = state.by_uri.get_mut(&findings.uri)?;
        if !current || document.published.as_ref() == Some(&findings.diagnostics) {
            return None;
        }
        document.published = Some(findings.diagnostics.clone());
        let version = features.diagnostic_versions.then_some(findings.version);
        Some(PublishDiagnosticsParams::new(findings.uri, findings.diagnostics, version))
    }

    /// Queues findings of a version for the client.
    pub(crate) fn publish(&self, findings: Findings) {
        let documents = self.clone();
        self.connection.publish(move || documents.accept(findings));
    }

    /// Records that the analysis of this version has panicked. The document's analysis is not queried again until the
    /// text changes.
    pub(crate) fn poison(&self, uri: &Uri, opening: u64, version: i32) {
        let mut state = self.lock();
        let Some(document) = state.by_uri.get_mut(uri) else { return };
        if document.opening == opening && document.version == version && !document.poisoned {
            document.poisoned = true;
            self.connection.tickets().cancel_version(uri);
            self.report_failure(uri);
        }
    }

    fn report_failure(&self, uri: &Uri) {
        let text = format!("the analysis of {} failed; it is suspended until the text changes", uri.as_str());
        self.connection.send(Outgoing::Log(MessageType::ERROR, text));
        self.connection.status_may_have_changed();
    }

    /// Records the semantic tokens that are being sent, and returns their result identifier.
    pub(crate) fn remember_tokens(&self, uri: &Uri, opening: u64, tokens: &[SemanticToken]) -> String {
        let mut state = self.lock();
        let name = self.connection.number().to_string();
        if let Some(document) = state.by_uri.get_mut(uri).filter(|document| document.opening == opening) {
            document.tokens = Some((name.clone(), tokens.into()));
        }
        name
    }

    /// The semantic tokens with this result identifier; `None` if other tokens were sent since.
    pub(crate) fn remembered_tokens(&self, uri: &Uri, name: &str) -> Option<Arc<[SemanticToken]>> {
        let state = self.lock();
        let (last, tokens) = state.by_uri.get(uri)?.tokens.as_ref()?;
        (last == name).then(|| Arc::clone(tokens))
    }

    /// Schedules a new computation of the findings of all documents, because something that they depend on
    /// has changed.
    pub(crate) fn recheck(&self) {
        for document in self.lock().by_uri.values() {
            document.changed.send_replace(());
        }
    }

    /// Makes the client request the stale parts again, if the client supports such refresh requests and a
    /// document is open.
    pub(crate) fn refresh(&self, stale: StaleDisplay) {
        if self.lock().by_uri.is_empty() {
            return;
        }
        let (client, features) = (self.connection.client(), self.connection.features());
        if stale.findings && features.pulls_findings {
            let client = client.clone();
            tokio::spawn(async move { client.workspace_diagnostic_refresh().await });
        }
        if stale.hints && features.refreshes_hints {
            let client = client.clone();
            tokio::spawn(async move { client.inlay_hint_refresh().await });
        }
        if stale.lenses && features.refreshes_lenses {
            tokio::spawn(async move { client.code_lens_refresh().await });
        }
    }
}

impl OpenDocuments {
    /// Adds the compilers' messages to findings. Returns false if the version that the findings belong to is
    /// no longer open.
    fn complete(&self, findings: &mut Findings, encoding: Encoding) -> bool {
        let Some(document) = self.by_uri.get(&findings.uri) else { return false };
        if document.opening != findings.opening || document.version != findings.version {
            return false;
        }
        if self.host.config().diagnostics {
            findings.diagnostics.extend(document.compiler_findings(encoding));
        }
        true
    }
}

/// Runs `action`; returns false if it panicked.
pub(crate) fn survives(action: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(action)).is_ok()
}
