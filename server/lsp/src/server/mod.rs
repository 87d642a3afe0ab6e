//! The language server: JSON-RPC on stdin and stdout, one handler per file, and an engine interface of plain
//! data.
//!
//! How a message is processed: [`transport`] forwards valid messages and polls each handler once, in order of
//! arrival; [`handlers`] finds the handler; a notification changes the [`session`]; a request takes a snapshot
//! and runs a job on another thread. Messages that the server sends by itself go through the outbox of
//! [`transport`].

mod code;
mod documents;
mod handlers;
mod initialize;
mod profiles;
mod registrations;
mod session;
mod transport;
mod tuning;
mod workspace;

use anyhow::Context as _;
use session::Session;
use std::path::Path;
use std::time::Duration;
use tower_lsp_server::Server;
use tower_lsp_server::ls_types::MessageType;
use transport::{in_order, input, log};

/// Maximum number of requests under way at once. The transport's default of 4 would let four slow requests hold up
/// the message that cancels them.
const REQUESTS_UNDER_WAY: usize = 256; // limit: memory of waiting requests

/// Maximum number of input bytes that may wait for the transport.
const INPUT_BYTES: usize = 1 << 16; // limit: a pipe buffer

/// Time for which requests are still answered after the stream has ended.
const ANSWERING: Duration = Duration::from_secs(5);

/// Maximum time to wait for the vendor's tools to end.
const CLEANING_UP: Duration = Duration::from_secs(4);

/// Serves one client on stdin and stdout until the client sends `exit` or closes the stream. Appends a log to
/// `log_file`.
///
/// Ends the process with code 1 if the client left without `shutdown`, as the protocol requires. `Err` if the
/// threads could not be started or the log could not be opened.
pub(crate) fn run(log_file: Option<&Path>) -> anyhow::Result<()> {
    if let Some(path) = log_file {
        log::append_to(path).with_context(|| path.display().to_string())?;
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).thread_stack_size(ide::STACK_BYTES).enable_time().build()?;
    let shut_down = runtime.block_on(serve());
    toolchain::end_all(CLEANING_UP);
    // A thread may still wait for input that never arrives; such a thread must not delay the exit.
    runtime.shutdown_background();
    if !shut_down {
        std::process::exit(1);
    }
    Ok(())
}

/// Serves until the stream ends. True if the client requested `shutdown` first.
async fn serve() -> bool {
    let mut session = None;
    let (service, socket) = handlers::service(|client| session.insert(Session::new(client)).clone());
    let served = session.clone().expect("the service was built");
    let (checked, input) = tokio::io::duplex(INPUT_BYTES);
    let copying = tokio::spawn(async move {
        // The client may show neither the log nor the response.
        let report = |what: &str| log::write(MessageType::WARNING, what);
        if let Err(error) = input::copy_messages(tokio::io::stdin(), checked, report).await {
            eprintln!("warplens: the client's stream cannot be read: {error}");
        }
    });
    let serving = Server::new(input, tokio::io::stdout(), socket)
        .concurrency_level(REQUESTS_UNDER_WAY)
        .serve(in_order::InOrder { service, connection: served.connection });
    let left = async {
        // When the stream has ended, no client needs the tools any more.
        let _ = copying.await;
        toolchain::end_all(Duration::ZERO);
        tokio::time::sleep(ANSWERING).await;
    };
    tokio::select! {
        () = serving => {}
        () = left => {}
    }
    session.is_some_and(|session| session.connection.is_shut_down())
}
