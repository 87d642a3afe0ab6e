//! Messages that the server sends by itself, one after another in the order in which they were queued.
//!
//! Handlers do not wait for the client: they queue a message and continue.

use crate::server::transport::log;
use crate::server::transport::outgoing::Outgoing;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::LogTraceParams;
use tower_lsp_server::ls_types::notification::LogTrace;

/// Sends until the session ends.
pub(super) async fn send(client: Client, mut outgoing: UnboundedReceiver<Outgoing>) {
    while let Some(message) = outgoing.recv().await {
        match message {
            Outgoing::Findings(findings) => {
                if let Some(shown) = findings() {
                    client.publish_diagnostics(shown.uri, shown.diagnostics, shown.version).await;
                }
            }
            Outgoing::Message(level, text) => {
                log::write(level, &text);
                client.show_message(level, text).await;
            }
            Outgoing::Log(level, text) => {
                log::write(level, &text);
                client.log_message(level, text).await;
            }
            Outgoing::Trace { message, verbose } => {
                client.send_notification::<LogTrace>(LogTraceParams { message, verbose }).await;
            }
        }
    }
}
