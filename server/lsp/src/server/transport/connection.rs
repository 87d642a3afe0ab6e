//! The server's side of its connection to one client: the facts from `initialize`, the queue of messages to
//! the client, limits on parallel jobs, and tickets of jobs that can be cancelled. The connection knows no
//! documents. Its locks are taken last, and no other lock is taken while one of them is held.

use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::faults::Faults;
use crate::server::transport::job_limits::JobLimits;
use crate::server::transport::locked::locked;
use crate::server::transport::outbox;
use crate::server::transport::outgoing::Outgoing;
use crate::server::transport::progress::ShownWork;
use crate::server::transport::tickets::Tickets;
use crate::server::transport::tools::Tools;
use crate::server::transport::trace::TraceDepth;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{PublishDiagnosticsParams, Uri};

/// A handle to the connection; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Connection(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    client: Client,
    facts: OnceLock<ClientFacts>,
    outgoing: UnboundedSender<Outgoing>,
    /// The receiving end of the message queue; taken once messages may be sent to the client.
    unsent: Mutex<Option<UnboundedReceiver<Outgoing>>>,
    turns: JobLimits,
    tickets: Tickets,
    shown_work: Mutex<ShownWork>,
    trace_depth: TraceDepth,
    status: watch::Sender<()>,
    last_number: AtomicU64,
    shut_down: AtomicBool,
}

/// Facts from `initialize`, valid for the whole session.
#[derive(Debug)]
pub(crate) struct ClientFacts {
    pub(crate) features: ClientFeatures,
    pub(crate) faults: Faults,
    pub(crate) tools: Tools,
    /// True if another server serves the client's documents, too: only requests that show costs are offered.
    pub(crate) costs_only: bool,
    /// True if the client has a command that shows a kernel's panel; lenses may run it.
    pub(crate) shows_panel: bool,
    /// True if the client has a command that requests a kernel's tuning; lenses may run it.
    pub(crate) tunes: bool,
}

impl Connection {
    pub(crate) fn new(client: Client) -> Self {
        let (outgoing, unsent) = unbounded_channel();
        Self(Arc::new(Shared {
            client,
            facts: OnceLock::new(),
            outgoing,
            unsent: Mutex::new(Some(unsent)),
            turns: JobLimits::new(),
            tickets: Tickets::default(),
            shown_work: Mutex::default(),
            trace_depth: TraceDepth::default(),
            status: watch::Sender::new(()),
            last_number: AtomicU64::new(0),
            shut_down: AtomicBool::new(false),
        }))
    }

    /// The client. Only spawned tasks may send messages with it: a handler that waits for the client can block the
    /// transport.
    pub(crate) fn client(&self) -> Client {
        self.0.client.clone()
    }

    pub(crate) fn set_facts(&self, facts: ClientFacts) {
        // The transport lets only one `initialize` through.
        drop(self.0.facts.set(facts));
    }

    pub(crate) fn facts(&self) -> &ClientFacts {
        self.0.facts.get().expect("the transport refuses everything before `initialize`")
    }

    pub(crate) fn features(&self) -> &ClientFeatures {
        &self.facts().features
    }

    pub(crate) fn turns(&self) -> &JobLimits {
        &self.0.turns
    }

    pub(crate) fn tickets(&self) -> &Tickets {
        &self.0.tickets
    }

    pub(super) fn shown_work(&self) -> MutexGuard<'_, ShownWork> {
        locked(&self.0.shown_work)
    }

    pub(super) fn trace_depth(&self) -> &TraceDepth {
        &self.0.trace_depth
    }

    /// Returns a number that is unique within the session.
    pub(crate) fn number(&self) -> u64 {
        self.0.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Wakes the task that computes the server status and sends it to the client if it has changed.
    pub(crate) fn status_may_have_changed(&self) {
        self.0.status.send_replace(());
    }

    /// Returns a receiver that is woken by each call of [`Self::status_may_have_changed`].
    pub(crate) fn status_changes(&self) -> watch::Receiver<()> {
        self.0.status.subscribe()
    }

    /// Queues a message to the client. It is sent once the client has sent `initialized`.
    pub(crate) fn send(&self, message: Outgoing) {
        // Fails only at the end of the session, when the receiver has been dropped.
        drop(self.0.outgoing.send(message));
    }

    /// Queues findings for the client. They are computed just before they are sent, so no findings of an
    /// outdated version are sent.
    pub(crate) fn publish(
        &self,
        findings: impl FnOnce() -> Option<PublishDiagnosticsParams> + Send + 'static,
    ) {
        self.send(Outgoing::Findings(Box::new(findings)));
    }

    /// Clears the findings of a document in the client.
    pub(crate) fn clear_findings(&self, uri: Uri) {
        self.publish(move || Some(PublishDiagnosticsParams::new(uri, Vec::new(), None)));
    }

    /// Starts to send the queued messages and all later ones: the client is ready for messages from now on.
    pub(crate) fn start_sending(&self) {
        if let Some(unsent) = locked(&self.0.unsent).take() {
            tokio::spawn(outbox::send(self.client(), unsent));
        }
    }

    /// Records that the client is about to exit, and stops the vendor's tools.
    pub(crate) fn shut_down(&self) {
        toolchain::end_all(Duration::ZERO);
        self.0.shut_down.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.0.shut_down.load(Ordering::Relaxed)
    }
}
