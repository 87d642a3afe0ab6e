//! Messages that the server sends by itself, one after another in the order in which they were said.
//!
//! Nothing waits for the client here: a handler puts its message in and goes on. Findings are looked at once more just
//! before they are sent, so that none goes out for a version that is over.

use crate::server::transport::log;
use crate::server::transport::outgoing::Outgoing;
use crate::server::session::Session;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp_server::ls_types::LogTraceParams;
use tower_lsp_server::ls_types::notification::LogTrace;

/// Sends until the session ends.
pub(crate) async fn send(session: Session, mut outgoing: UnboundedReceiver<Outgoing>) {
    let client = session.client();
    while let Some(message) = outgoing.recv().await {
        match message {
            Outgoing::Findings(mut findings) => {
                if session.accept(&mut findings) {
                    let version = session.abilities().diagnostic_versions.then_some(findings.version);
                    client.publish_diagnostics(findings.uri, findings.diagnostics, version).await;
                }
            }
            Outgoing::Cleared(uri) => client.publish_diagnostics(uri, Vec::new(), None).await,
            Outgoing::Problems(folder) => {
                if let Some(shown) = session.launch_problems(&folder) {
                    client.publish_diagnostics(shown.uri, shown.diagnostics, shown.version).await;
                }
            }
            Outgoing::Message(level, text) => {
                log::tell(level, &text);
                client.show_message(level, text).await;
            }
            Outgoing::Log(level, text) => {
                log::tell(level, &text);
                client.log_message(level, text).await;
            }
            Outgoing::Trace { message, verbose } => {
                client.send_notification::<LogTrace>(LogTraceParams { message, verbose }).await;
            }
        }
    }
}

impl Session {
    /// From now on the client may be spoken to.
    pub(crate) fn start_sending(&self) {
        let unsent = self.take_unsent();
        if let Some(unsent) = unsent {
            tokio::spawn(send(self.clone(), unsent));
            if self.abilities().server_status {
                self.tell_status(self.status_changes());
            }
        }
    }
}
