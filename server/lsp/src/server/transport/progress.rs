//! Reports of long work: as progress that can be cancelled, and in the server's status.

use crate::server::session::Session;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::notification::Progress;
use tower_lsp_server::ls_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, Uri, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

/// Work that ends sooner is not spoken of.
const LONG: Duration = Duration::from_millis(200);

impl Session {
    /// Reports work on a document until the returned sender is dropped; `what` describes the work. `None` if the client
    /// shows neither progress nor the server's status.
    pub(crate) fn follow_work(&self, uri: &Uri, what: &str) -> Option<oneshot::Sender<()>> {
        let file = uri.as_str().rsplit('/').next().unwrap_or_default();
        self.follow_work_in_words(uri, format!("{what} {file}"))
    }

    /// The same with all that is said of it.
    pub(crate) fn follow_work_in_words(&self, uri: &Uri, words: String) -> Option<oneshot::Sender<()>> {
        // What is said never changes once its sender is gone.
        self.follow_steps(uri, watch::channel(words).1)
    }

    /// The same with what is said of it at each step.
    pub(crate) fn follow_steps(
        &self,
        uri: &Uri,
        words: watch::Receiver<String>,
    ) -> Option<oneshot::Sender<()>> {
        let abilities = self.abilities();
        if !(abilities.progress || abilities.server_status) {
            return None;
        }
        let (guard, mut over) = oneshot::channel();
        let session = self.clone();
        let uri = uri.clone();
        tokio::spawn(async move {
            if tokio::time::timeout(LONG, &mut over).await.is_err() {
                session.tell_of(uri, words, over).await;
            }
        });
        Some(guard)
    }

    /// Until the work is over. Of one document, one piece of work at a time is shown.
    async fn tell_of(&self, uri: Uri, words: watch::Receiver<String>, mut over: oneshot::Receiver<()>) {
        let shown_already = {
            let mut state = self.lock();
            let count = state.busy.entry(uri.clone()).or_default();
            *count += 1;
            *count > 1
        };
        self.status_may_have_changed();
        if self.abilities().progress && !shown_already {
            self.show(&uri, words, over).await;
        } else {
            let _ = (&mut over).await;
        }
        let mut state = self.lock();
        if let Some(count) = state.busy.get_mut(&uri) {
            *count -= 1;
            if *count == 0 {
                state.busy.remove(&uri);
            }
        }
        drop(state);
        self.status_may_have_changed();
    }

    async fn show(&self, uri: &Uri, mut words: watch::Receiver<String>, mut over: oneshot::Receiver<()>) {
        let client = self.client();
        let name = format!("warplens/{}", self.lock().number());
        let token = NumberOrString::String(name.clone());
        tokio::select! {
            created = client.create_work_done_progress(token.clone()) => if created.is_err() {
                let _ = over.await;
                return;
            },
            _ = &mut over => return,
        }
        self.lock().shown.insert(name.clone(), uri.clone());
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
        self.lock().shown.remove(&name);
        report(&client, &token, WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
    }

    /// Stops all work on the document of a progress; it starts again with the next edit or question.
    pub(crate) fn cancel_progress(&self, token: &ProgressToken) {
        let NumberOrString::String(name) = token else { return };
        let mut state = self.lock();
        let Some(uri) = state.shown.get(name).cloned() else { return };
        if let Some(document) = state.documents.get_mut(&uri) {
            document.overtake();
        }
        if let Some(binary) = state.tool_runs.get(&uri) {
            binary.cancel();
        }
    }
}

async fn report(client: &Client, token: &ProgressToken, what: WorkDoneProgress) {
    let value = ProgressParamsValue::WorkDone(what);
    client.send_notification::<Progress>(ProgressParams { token: token.clone(), value }).await;
}
