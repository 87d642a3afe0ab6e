//! Jobs on a snapshot of a document, each on its own thread, which stop when the result is no longer wanted.

use crate::server::documents::{Documents, OpenDocuments};
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::job_limits::Urgency;
use crate::server::transport::position::PositionConverter;
use crate::server::transport::tickets::{Ticket, WorkKey};
use ide::{Analysis, Cancel, Cancelled};
use ropey::Rope;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result as Answer};
use tower_lsp_server::ls_types::{TextDocumentPositionParams, Uri};

/// One document at one version, as a job sees it.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) uri: Uri,
    pub(crate) opening: u64,
    pub(crate) version: i32,
    pub(crate) text: Rope,
    pub(crate) analysis: Analysis,
    pub(crate) features: ClientFeatures,
    cancel: Cancel,
}

impl View {
    pub(crate) fn places(&self) -> PositionConverter<'_> {
        PositionConverter::new(&self.text, self.features.encoding)
    }

    /// Returns the list as the answer to a request. Returns `None` instead of an empty list if another server serves
    /// the document, too, because some clients ignore other servers' answers once one server has answered with a list.
    pub(crate) fn unless_nothing<T>(&self, found: Vec<T>) -> Option<Vec<T>> {
        (!found.is_empty() || self.analysis.language().shared_name().is_none()).then_some(found)
    }
}

/// Outcome of a job.
#[derive(Debug)]
pub(crate) enum Outcome<T> {
    Done(T),
    /// The document is not open, or its analysis is suspended after a panic.
    Nothing,
    /// The text has changed, or the result is no longer wanted.
    Overtaken,
    Panicked,
}

impl Documents {
    /// Takes a snapshot before the first await and runs `job` on it. Runs `job` again if settings, launches or facts
    /// of the document's kernels have changed in the meantime, because a client keeps the last answer.
    ///
    /// The job is cancelled when the document changes or closes, and when the future is dropped. A result that
    /// arrives after cancellation is dropped.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        uri: &Uri,
        urgency: Urgency,
        job: impl Fn(&View) -> Result<T, Cancelled> + Send + Sync + 'static,
    ) -> Outcome<T> {
        let job = Arc::new(job);
        let Ok(begun) = self.begin(uri, urgency) else { return Outcome::Panicked };
        let Some(mut begun) = begun else { return Outcome::Nothing };
        let _followed = self.connection.follow_work(uri, "analysing");
        loop {
            let (view, ticket) = begun;
            let (analysis, asked) = (view.analysis.clone(), (view.opening, view.version));
            let outcome = self.have_done(uri, view, ticket, urgency, Arc::clone(&job)).await;
            if !matches!(outcome, Outcome::Done(_)) || self.is_current(uri, &analysis) {
                return outcome;
            }
            let Ok(again) = self.begin(uri, urgency) else { return Outcome::Panicked };
            // For another text, the request no longer applies.
            let is_same = |(view, _): &(View, Ticket)| (view.opening, view.version) == asked;
            let Some(again) = again.filter(is_same) else { return Outcome::Overtaken };
            begun = again;
        }
    }

    /// True if an analysis is still the current one of its document, so that answers from it are valid.
    fn is_current(&self, uri: &Uri, analysis: &Analysis) -> bool {
        self.lock().host.is_current(uri.as_str(), analysis)
    }

    async fn have_done<T: Send + 'static>(
        &self,
        uri: &Uri,
        view: View,
        _ticket: Ticket,
        urgency: Urgency,
        job: Arc<impl Fn(&View) -> Result<T, Cancelled> + Send + Sync + 'static>,
    ) -> Outcome<T> {
        let turn = self.connection.turns().take(urgency).await;
        let (opening, version) = (view.opening, view.version);
        let connection = self.connection.clone();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| {
                view.cancel.check()?;
                connection.facts().faults.inject(urgency, &view.text, &view.cancel)?;
                let value = view.cancel.ending(|| job(&view))?;
                view.cancel.check()?;
                Ok(value)
            }));
            drop(turn);
            done
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(Ok(value))) => Outcome::Done(value),
            Ok(Ok(Err(Cancelled))) => Outcome::Overtaken,
            Ok(Err(_)) | Err(_) => {
                self.poison(uri, opening, version);
                Outcome::Panicked
            }
        }
    }

    /// Answers a request from a snapshot; `None` if the document is not open or its analysis is suspended.
    pub(crate) async fn answer<T: Send + 'static>(
        &self,
        uri: &Uri,
        job: impl Fn(&View) -> Result<T, Cancelled> + Send + Sync + 'static,
    ) -> Answer<Option<T>> {
        match self.work(uri, Urgency::Request, job).await {
            Outcome::Done(value) => Ok(Some(value)),
            Outcome::Nothing => Ok(None),
            Outcome::Overtaken => Err(Error::new(ErrorCode::ContentModified)),
            Outcome::Panicked => Err(Error::internal_error()),
        }
    }

    /// Answers a request about a position from a snapshot; `None` if the document is not open or its analysis is
    /// suspended, or if `job` returns `None` for that byte offset.
    pub(crate) async fn answer_at<T: Send + 'static>(
        &self,
        at: TextDocumentPositionParams,
        job: impl Fn(&View, &mut PositionConverter<'_>, usize) -> Result<Option<T>, Cancelled>
        + Send
        + Sync
        + 'static,
    ) -> Answer<Option<T>> {
        let answer = self.answer(&at.text_document.uri, move |view| {
            let mut places = view.places();
            let offset = places.offset(at.position);
            job(view, &mut places, offset)
        });
        Ok(answer.await?.flatten())
    }

    /// Takes a snapshot; `None` if the document is not open. `Err` if taking the snapshot panicked; the
    /// document is then poisoned.
    fn begin(&self, uri: &Uri, urgency: Urgency) -> Result<Option<(View, Ticket)>, ()> {
        let mut state = self.lock();
        if urgency == Urgency::Request && state.active.as_ref() != Some(uri) && state.by_uri.contains_key(uri)
        {
            state.active = Some(uri.clone());
            self.connection.status_may_have_changed();
        }
        let OpenDocuments { host, by_uri, .. } = &mut *state;
        let Some(document) = by_uri.get(uri).filter(|document| !document.poisoned) else {
            return Ok(None);
        };
        let cancel = Cancel::default();
        let (opening, version) = (document.opening, document.version);
        let Ok(snapshot) = catch_unwind(AssertUnwindSafe(|| host.snapshot(uri.as_str(), cancel.clone())))
        else {
            drop(state);
            self.poison(uri, opening, version);
            return Err(());
        };
        let Some(analysis) = snapshot else { return Ok(None) };
        let ticket = self.connection.tickets().begin(WorkKey::Document(uri.clone()), cancel.clone());
        let view = View {
            uri: uri.clone(),
            opening,
            version,
            text: document.text.clone(),
            analysis,
            features: self.connection.features().clone(),
            cancel,
        };
        Ok(Some((view, ticket)))
    }
}
