//! Tickets for work that can be cancelled: analyses and compilations of a document, runs of the vendor's tools, tunings.

use crate::server::transport::locked::locked;
use ide::Cancel;
use std::sync::{Arc, Mutex};
use tower_lsp_server::ls_types::Uri;

/// Subject of work that can be cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorkKey {
    /// Work on one version of an open document. An edit cancels the work.
    Document(Uri),
    /// A run of the vendor's tools for a document or a binary.
    Tools(Uri),
    /// Reading the listings of a folder, identified by the URI of its `warplens.toml`.
    Listings(Uri),
    /// Profiling a command, identified by the folder of its report.
    Profiling(Uri),
    /// Tuning a kernel of a document for a shape.
    Tuning { uri: Uri, kernel: String, shape: String },
}

impl WorkKey {
    fn uri(&self) -> &Uri {
        match self {
            Self::Document(uri)
            | Self::Tools(uri)
            | Self::Listings(uri)
            | Self::Profiling(uri)
            | Self::Tuning { uri, .. } => uri,
        }
    }
}

/// The jobs under way. The lock of this list is taken last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tickets(Arc<Mutex<RunningWork>>);

#[derive(Debug, Default)]
struct RunningWork {
    last_number: u64,
    work: Vec<(u64, WorkKey, Cancel)>,
}

/// One job. Dropping the ticket cancels the job; the transport drops the ticket of a cancelled request.
#[derive(Debug)]
pub(crate) struct Ticket {
    tickets: Tickets,
    number: u64,
    cancel: Cancel,
}

impl Tickets {
    /// Registers a job that `cancel` stops.
    pub(crate) fn begin(&self, key: WorkKey, cancel: Cancel) -> Ticket {
        let number = locked(&self.0).push(key, &cancel);
        Ticket { tickets: self.clone(), number, cancel }
    }

    /// Registers a job and cancels earlier jobs with the same key.
    pub(crate) fn begin_instead(&self, key: WorkKey, cancel: Cancel) -> Ticket {
        let number = {
            let mut under_way = locked(&self.0);
            under_way.cancel_where(|earlier| *earlier == key);
            under_way.push(key, &cancel)
        };
        Ticket { tickets: self.clone(), number, cancel }
    }

    /// Cancels all [`WorkKey::Document`] jobs of a document whose version is outdated.
    pub(crate) fn cancel_version(&self, uri: &Uri) {
        locked(&self.0).cancel_where(|key| matches!(key, WorkKey::Document(own) if own == uri));
    }

    /// Cancels jobs of all types for a URI.
    pub(crate) fn cancel_all(&self, uri: &Uri) {
        locked(&self.0).cancel_where(|key| key.uri() == uri);
    }

    /// Number of jobs with this key that are not cancelled.
    pub(crate) fn count(&self, key: &WorkKey) -> usize {
        let under_way = locked(&self.0);
        under_way.work.iter().filter(|(_, own, cancel)| own == key && !cancel.is_cancelled()).count()
    }
}

impl RunningWork {
    fn push(&mut self, key: WorkKey, cancel: &Cancel) -> u64 {
        self.last_number += 1;
        self.work.push((self.last_number, key, cancel.clone()));
        self.last_number
    }

    fn cancel_where(&mut self, is_over: impl Fn(&WorkKey) -> bool) {
        for (_, _, cancel) in self.work.extract_if(.., |(_, key, _)| is_over(key)) {
            cancel.cancel();
        }
    }
}

impl Ticket {
    /// The token that stops the job.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.cancel.cancel();
        locked(&self.tickets.0).work.retain(|(number, ..)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::{Tickets, WorkKey};
    use ide::Cancel;
    use tower_lsp_server::ls_types::Uri;

    #[test]
    fn a_ticket_ends_its_work_alone() {
        let tickets = Tickets::default();
        let uri: Uri = "file:///k.cu".parse().unwrap();
        let begin = |key: WorkKey| tickets.begin_instead(key, Cancel::default());
        let (document, tools) = (WorkKey::Document(uri.clone()), WorkKey::Tools(uri.clone()));
        let (first, run) = (begin(document.clone()), begin(tools.clone()));
        let second = tickets.begin(document.clone(), Cancel::default());
        assert_eq!((tickets.count(&document), tickets.count(&tools)), (2, 1));
        drop(first);
        assert_eq!(tickets.count(&document), 1);
        assert!(!second.cancel().is_cancelled());
        let later = begin(tools.clone());
        assert!(run.cancel().is_cancelled(), "a later run ends the earlier one");
        drop(run);
        assert_eq!(tickets.count(&tools), 1);
        tickets.cancel_version(&uri);
        assert!(second.cancel().is_cancelled() && !later.cancel().is_cancelled());
        tickets.cancel_all(&uri);
        assert!(later.cancel().is_cancelled());
    }
}
