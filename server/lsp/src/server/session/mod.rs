//! All that the server knows, under one lock that is never held across an await.

pub(crate) mod state;
pub(crate) mod status;

use crate::server::transport::client_capabilities::Abilities;
use crate::server::code::cubin_index::CubinIndex;
use crate::server::transport::faults::Faults;
use crate::server::workspace::listing_index::Index;
use crate::server::transport::outgoing::Outgoing;
use crate::server::session::state::State;
use crate::server::transport::tools::Tools;
use crate::server::transport::trace::TraceDepth;
use crate::server::transport::turns::Turns;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tower_lsp_server::Client;

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
    compiling: tokio::sync::Semaphore,
    profiling: Arc<tokio::sync::Semaphore>,
    cubin_index: Arc<Mutex<CubinIndex>>,
    trace_depth: TraceDepth,
    status: watch::Sender<()>,
    shut_down: AtomicBool,
}

/// Facts that `initialize` brought; they hold for the whole session.
#[derive(Debug)]
pub(crate) struct Greeting {
    pub(crate) abilities: Abilities,
    pub(crate) faults: Faults,
    pub(crate) tools: Tools,
    /// The client serves its documents by another server as well, and is offered what shows costs alone.
    pub(crate) costs_only: bool,
    /// The client shows a kernel's panel by a command, which lenses may run.
    pub(crate) shows_panel: bool,
    /// The client has a command that asks for a kernel's tuning, which lenses may run.
    pub(crate) tunes: bool,
}

impl Session {
    pub(crate) fn new(client: Client) -> Self {
        let (outgoing, unsent) = unbounded_channel();
        Self(Arc::new(Shared {
            client,
            greeting: OnceLock::new(),
            state: Mutex::default(),
            outgoing,
            unsent: Mutex::new(Some(unsent)),
            turns: Turns::new(),
            listing_index: Arc::default(),
            compiling: tokio::sync::Semaphore::new(1),
            profiling: Arc::new(tokio::sync::Semaphore::new(1)),
            cubin_index: Arc::default(),
            trace_depth: TraceDepth::default(),
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

    /// The turn of the one compiler that runs in the background.
    pub(crate) fn compiling(&self) -> &tokio::sync::Semaphore {
        &self.0.compiling
    }

    /// The turn of the one profiler that runs.
    pub(crate) fn profiling(&self) -> &Arc<tokio::sync::Semaphore> {
        &self.0.profiling
    }

    /// The code that builds have left. Locked on threads that may block alone.
    pub(crate) fn cubin_index(&self) -> Arc<Mutex<CubinIndex>> {
        Arc::clone(&self.0.cubin_index)
    }

    pub(crate) fn trace_depth(&self) -> &TraceDepth {
        &self.0.trace_depth
    }

    /// Has the client notified of the server's status, if it has changed.
    pub(crate) fn status_may_have_changed(&self) {
        self.0.status.send_replace(());
    }

    /// The state, even after a panic under the lock: what it left half done is one document, and that is poisoned.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a message to the client; it goes out once the client is ready for it.
    pub(crate) fn say(&self, message: Outgoing) {
        // Fails only at the end of the session, when the receiver is gone.
        drop(self.0.outgoing.send(message));
    }

    /// Returns the queue of messages, once.
    pub(crate) fn take_unsent(&self) -> Option<UnboundedReceiver<Outgoing>> {
        self.0.unsent.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns a receiver of changes of the server's status.
    pub(crate) fn status_changes(&self) -> watch::Receiver<()> {
        self.0.status.subscribe()
    }

    /// Takes note that the client is about to leave, and stops the vendor's tools.
    pub(crate) fn shut_down(&self) {
        toolchain::end_all(Duration::ZERO);
        self.0.shut_down.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.0.shut_down.load(Ordering::Relaxed)
    }
}

/// False where it panicked.
pub(crate) fn survives(action: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(action)).is_ok()
}
