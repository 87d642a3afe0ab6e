//! Guarantees that the transport lacks: messages take effect in order, every request is answered, and a panic
//! does not end the server.

use crate::server::transport::connection::Connection;
use crate::server::transport::input;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};
use tower_service::Service;

type PendingReply<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

/// Polls the handler of every message once when it is read, so that messages take effect in the order of
/// arrival.
///
/// The transport runs the handlers of read messages in a set of limited size; while the set is full, a
/// message waits. A handler does all work that depends on order (apply an edit, take a snapshot) in its first
/// poll, and this poll happens in [`Service::call`], which the transport calls in order, one message at a
/// time.
///
/// Two more guarantees: a request that no handler answers gets `MethodNotFound` (the transport drops unknown
/// requests whose method starts with `$/`), and a request whose handler panics gets `InternalError`.
pub(crate) struct InOrder<S> {
    pub(crate) service: S,
    pub(crate) connection: Connection,
}

impl<S> Service<Request> for InOrder<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = PendingReply<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if let Some(error) = input::refusal(&request) {
            let id = request.id().cloned().unwrap_or(Id::Null);
            return Box::pin(std::future::ready(Ok(Some(Response::from_error(id, error)))));
        }
        let id = request.id().cloned();
        let traced = self.connection.is_traced().then(|| TraceRecord {
            connection: self.connection.clone(),
            method: request.method().to_owned(),
            id: id.as_ref().map(Id::to_string),
            start: Instant::now(),
            span: tracing::debug_span!(
                "message",
                method = request.method(),
                id = id.as_ref().map(tracing::field::display)
            ),
        });
        let mut answer = Box::pin(Reply { id, traced, inner: Some(Box::pin(self.service.call(request))) });
        // The waker does nothing: the receiver of a pending answer polls it again with a real waker.
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Box::pin(std::future::ready(result)),
            Poll::Pending => answer,
        }
    }
}

/// The future of one message's reply. A request gets an error response if its handler panics or does not answer.
struct Reply<F> {
    id: Option<Id>,
    traced: Option<TraceRecord>,
    /// The handler; `None` once it has panicked.
    inner: Option<Pin<Box<F>>>,
}

/// Facts to trace about a message once it is answered.
struct TraceRecord {
    connection: Connection,
    method: String,
    id: Option<String>,
    start: Instant,
    /// Span that attributes log entries to the message.
    span: tracing::Span,
}

impl<F, E> Future for Reply<F>
where
    F: Future<Output = Result<Option<Response>, E>>,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let span = self.traced.as_ref().map(|traced| traced.span.clone());
        let Some(inner) = self.inner.as_mut() else { return Poll::Ready(Ok(None)) };
        let within = span.as_ref().map(tracing::Span::enter);
        let answer = match catch_unwind(AssertUnwindSafe(|| inner.as_mut().poll(context))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(Ok(None))) => Ok(self.refuse(Error::method_not_found())),
            Ok(Poll::Ready(result)) => result,
            Err(_) => {
                self.inner = None;
                Ok(self.refuse(Error::internal_error()))
            }
        };
        drop(within);
        if let Some(TraceRecord { connection, method, id, start, .. }) = self.traced.take() {
            let error = answer.as_ref().ok().and_then(Option::as_ref).and_then(Response::error);
            let how = error.map_or_else(|| "done".to_owned(), |error| format!("error {}", error.code));
            connection.trace(&method, id.as_deref(), start.elapsed(), &how);
        }
        Poll::Ready(answer)
    }
}

impl<F> Reply<F> {
    /// Returns an error response to a request, or `None` for a notification.
    fn refuse(&mut self, error: Error) -> Option<Response> {
        self.id.take().map(|id| Response::from_error(id, error))
    }
}
