//! What the transport does not promise, added around it: order, an answer to every request, and no end by a panic.

use super::input;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};
use tower_service::Service;

type Reply<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

/// Gives every message its first turn when it is read, so that messages take effect in the order of arrival.
///
/// The transport polls what it has read from a set of running handlers, in which a message waits while the set is full.
/// A handler here does all that order matters for in its first turn (apply an edit, take a snapshot), and that turn
/// is taken in [`Service::call`], which the transport calls in order, one message at a time.
///
/// Two more promises: a request without an answer gets `MethodNotFound` (the transport drops unknown requests whose
/// method starts with `$/`), and a handler that panics answers `InternalError`.
pub(super) struct InOrder<S>(pub(super) S);

impl<S> Service<Request> for InOrder<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Reply<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if let Some(error) = input::refusal(&request) {
            return Box::pin(std::future::ready(Ok(Some(Response::from_error(Id::Null, error)))));
        }
        let id = request.id().cloned();
        let mut answer = Box::pin(Answer { id, inner: Some(Box::pin(self.0.call(request))) });
        // The waker does nothing: a pending answer is polled again, with a real one, by whoever gets it.
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Box::pin(std::future::ready(result)),
            Poll::Pending => answer,
        }
    }
}

/// The answer to one message, complete even where its handler gives none or panics.
struct Answer<F> {
    id: Option<Id>,
    /// `None` once it has panicked.
    inner: Option<Pin<Box<F>>>,
}

impl<F, E> Future for Answer<F>
where
    F: Future<Output = Result<Option<Response>, E>>,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(inner) = self.inner.as_mut() else { return Poll::Ready(Ok(None)) };
        match catch_unwind(AssertUnwindSafe(|| inner.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(Ok(None))) => Poll::Ready(Ok(self.refuse(Error::method_not_found()))),
            Ok(Poll::Ready(result)) => Poll::Ready(result),
            Err(_) => {
                self.inner = None;
                Poll::Ready(Ok(self.refuse(Error::internal_error())))
            }
        }
    }
}

impl<F> Answer<F> {
    /// An error for a request, nothing for a notification.
    fn refuse(&mut self, error: Error) -> Option<Response> {
        self.id.take().map(|id| Response::from_error(id, error))
    }
}
