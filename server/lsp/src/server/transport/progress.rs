//! Reports long jobs to the client, both as progress that the user can cancel and in the server's status.

use crate::server::transport::connection::Connection;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::notification::Progress;
use tower_lsp_server::ls_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, Uri, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

/// A job that ends within this time is not shown.
const LONG: Duration = Duration::from_millis(200);

/// The long jobs that the client and the server's status show.
#[derive(Debug, Default)]
pub(crate) struct ShownWork {
    /// Number of long jobs under way, by document.
    busy: HashMap<Uri, usize>,
    /// The document of each progress that the client shows, by the progress's token.
    tokens: HashMap<String, Uri>,
}

impl Connection {
    /// True if no long job is under way.
    pub(crate) fn is_quiescent(&self) -> bool {
        self.shown_work().busy.is_empty()
    }

    /// Shows a job on a document until the returned sender is dropped, as `what` followed by the file's name. `None` if
    /// the client shows neither progress nor the server's status.
    pub(crate) fn follow_work(&self, uri: &Uri, what: &str) -> Option<oneshot::Sender<()>> {
        let file = uri.as_str().rsplit('/').next().unwrap_or_default();
        self.follow_work_in_words(uri, format!("{what} {file}"))
    }

    /// Like [`Self::follow_work`], but `words` is the complete text to show.
    pub(crate) fn follow_work_in_words(&self, uri: &Uri, words: String) -> Option<oneshot::Sender<()>> {
        // The words never change once their sender is gone.
        self.follow_steps(uri, watch::channel(words).1)
    }

    /// Like [`Self::follow_work`], but the text to show is the latest value of `words`, which may change during the
    /// job.
    pub(crate) fn follow_steps(
        &self,
        uri: &Uri,
        words: watch::Receiver<String>,
    ) -> Option<oneshot::Sender<()>> {
        let features = self.features();
        if !(features.progress || features.server_status) {
            return None;
        }
        let (guard, mut over) = oneshot::channel();
        let connection = self.clone();
        let uri = uri.clone();
        tokio::spawn(async move {
            if tokio::time::timeout(LONG, &mut over).await.is_err() {
                connection.show_until_over(uri, words, over).await;
            }
        });
        Some(guard)
    }

    /// Counts a job as under way until it ends, and shows its progress unless another job on the document is shown.
    async fn show_until_over(
        &self,
        uri: Uri,
        words: watch::Receiver<String>,
        mut over: oneshot::Receiver<()>,
    ) {
        let shown_already = {
            let mut shown = self.shown_work();
            let count = shown.busy.entry(uri.clone()).or_default();
            *count += 1;
            *count > 1
        };
        self.status_may_have_changed();
        if self.features().progress && !shown_already {
            self.show(&uri, words, over).await;
        } else {
            let _ = (&mut over).await;
        }
        let mut shown = self.shown_work();
        if let Some(count) = shown.busy.get_mut(&uri) {
            *count -= 1;
            if *count == 0 {
                shown.busy.remove(&uri);
            }
        }
        drop(shown);
        self.status_may_have_changed();
    }

    async fn show(&self, uri: &Uri, mut words: watch::Receiver<String>, mut over: oneshot::Receiver<()>) {
        let client = self.client();
        let name = format!("warplens/{}", self.number());
        let token = NumberOrString::String(name.clone());
        tokio::select! {
            created = client.create_work_done_progress(token.clone()) => if created.is_err() {
                let _ = over.await;
                return;
            },
            _ = &mut over => return,
        }
        self.shown_work().tokens.insert(name.clone(), uri.clone());
        let said = words.borrow_and_update().clone();
        let begin = WorkDoneProgressBegin {
            title: "warplens".to_owned(),
            cancellable: Some(true),
            message: Some(said),
            percentage: None,
        };
        report(&client, &token, WorkDoneProgress::Begin(begin)).await;
        loop {
            tokio::select! {
                changed = words.changed() => if changed.is_err() {
                    let _ = over.await;
                    break;
                },
                _ = &mut over => break,
            }
            let step = WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(words.borrow_and_update().clone()),
                percentage: None,
            };
            report(&client, &token, WorkDoneProgress::Report(step)).await;
        }
        self.shown_work().tokens.remove(&name);
        report(&client, &token, WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
    }

    /// Cancels all jobs on the document to which a progress token belongs. The jobs start again with the next edit or
    /// request.
    pub(crate) fn cancel_progress(&self, token: &ProgressToken) {
        let NumberOrString::String(name) = token else { return };
        let uri = self.shown_work().tokens.get(name).cloned();
        if let Some(uri) = uri {
            self.tickets().cancel_all(&uri);
        }
    }
}

async fn report(client: &Client, token: &ProgressToken, what: WorkDoneProgress) {
    let value = ProgressParamsValue::WorkDone(what);
    client.send_notification::<Progress>(ProgressParams { token: token.clone(), value }).await;
}
