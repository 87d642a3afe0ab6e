//! The kernels of listings that `warplens.toml` names and that are not open, for searches over the workspace.
//!
//! A worker thread reads the files soon after a change, and before a search is answered if a change is pending. A file
//! whose time and size are unchanged is not read again.

use crate::read::ReadError;
use crate::server::transport::connection::Connection;
use crate::server::transport::job_limits::Urgency;
use crate::server::transport::locked::locked;
use crate::server::transport::outgoing::Outgoing;
use crate::server::transport::position::{Encoding, PositionConverter};
use crate::server::transport::tickets::WorkKey;
use crate::server::transport::uris::file_path;
use crate::server::workspace::Workspace;
use crate::server::workspace::listing_files::{FoundFile, LIMITS, ListingPatterns, find, read};
use crate::server::workspace::listing_index::{Changes, FoundFunction, Index, IndexedListing};
use crate::server::workspace::root::{FILE, Root};
use ide::{Cancel, Cancelled, Host, Language, NamedFunction};
use ropey::Rope;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use thiserror::Error;
use tower_lsp_server::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, Location, MessageType, OneOf,
    Registration, RelativePattern, Unregistration, Uri,
};

/// Time without a change after which files are read: a build writes many files.
const PAUSE: Duration = Duration::from_millis(300);

/// A handle to the listings that `warplens.toml` names; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Listings {
    workspace: Workspace,
    changes: Arc<Mutex<Changes>>,
    /// Locked by one job at a time, on threads that may block.
    index: Arc<tokio::sync::Mutex<Index>>,
}

impl Listings {
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { workspace, changes: Arc::default(), index: Arc::default() }
    }

    const fn connection(&self) -> &Connection {
        &self.workspace.documents.connection
    }

    fn wanted_listings(&self) -> Vec<ListingPatterns> {
        let of = |root: &Root| {
            let patterns = root.launches.as_ref()?.listings.clone();
            (!patterns.is_empty()).then(|| ListingPatterns { folder: root.path.clone(), patterns })
        };
        self.workspace.lock().roots.iter().filter_map(of).collect()
    }

    fn open_files(&self) -> HashSet<PathBuf> {
        self.workspace.documents.lock().by_uri.keys().filter_map(file_path).collect()
    }

    /// Must be called when files may have been added, removed or changed on the disk.
    pub(crate) fn files_changed(&self, mut files: Vec<PathBuf>) {
        let wanted = self.wanted_listings();
        files.retain(|file| wanted.iter().any(|wanted| file.starts_with(&wanted.folder)));
        if files.is_empty() {
            return;
        }
        locked(&self.changes).files.extend(files);
        self.changed();
    }

    /// Reads the files again after a pause: the set of listings or their contents may have changed.
    pub(crate) fn changed(&self) {
        let mut changes = locked(&self.changes);
        changes.number += 1;
        changes.background.cancel();
        let cancel = Cancel::default();
        changes.background = cancel.clone();
        drop(changes);
        if self.wanted_listings().is_empty() {
            return;
        }
        let listings = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(PAUSE).await;
            if !cancel.is_cancelled() {
                listings.with_index(Urgency::Background, cancel, |_, _| ()).await;
            }
        });
    }

    /// Finds kernels and functions whose names match `query` in listings that are not open: the best `most` of each
    /// file. Empty if the user has stopped the search.
    pub(crate) async fn search(&self, query: String, most: usize) -> Vec<FoundFunction> {
        if self.wanted_listings().is_empty() {
            return Vec::new();
        }
        let open = self.open_files();
        let cancel = Cancel::default();
        let search = move |index: &Index, cancel: &Cancel| index.search(&query, most, &open, cancel);
        self.with_index(Urgency::Request, cancel, search).await.and_then(Result::ok).unwrap_or_default()
    }

    /// Brings the index up to date and queries it. `None` if the work was stopped.
    async fn with_index<T: Send + 'static>(
        &self,
        urgency: Urgency,
        cancel: Cancel,
        ask: impl FnOnce(&Index, &Cancel) -> T + Send + 'static,
    ) -> Option<T> {
        let mut index = Arc::clone(&self.index).lock_owned().await;
        let turn = self.connection().turns().take(urgency).await;
        let named = self.wanted_listings().first().map(|wanted| wanted.folder.join(FILE));
        let named = named.and_then(Uri::from_file_path);
        let _ticket = named
            .as_ref()
            .map(|uri| self.connection().tickets().begin(WorkKey::Listings(uri.clone()), cancel.clone()));
        let _shown = named.as_ref().and_then(|uri| self.connection().follow_work(uri, "reading"));
        let listings = self.clone();
        let work = tokio::task::spawn_blocking(move || {
            let done = catch_unwind(AssertUnwindSafe(|| refresh(&mut index, &listings, &cancel)));
            let answer = matches!(done, Ok(Ok(()))).then(|| ask(&index, &cancel));
            drop(turn);
            answer
        });
        work.await.ok().flatten()
    }

    /// Records that the server may request watching of listings from now on.
    pub(crate) fn may_watch(&self) {
        locked(&self.changes).may_register = true;
        self.watch();
    }

    /// Asks the client to watch the files that `warplens.toml` names now, in place of the files that it named
    /// before.
    pub(crate) fn watch(&self) {
        let mut changes = locked(&self.changes);
        if !(changes.may_register && self.connection().features().registers_watching) {
            return;
        }
        let wanted = self.wanted_listings();
        let name = format!("listings-{}", self.connection().number());
        let watchers: Vec<FileSystemWatcher> = wanted
            .iter()
            .flat_map(|wanted| {
                wanted.patterns.iter().map(|pattern| self.glob(&wanted.folder, pattern.text()))
            })
            .map(|glob_pattern| FileSystemWatcher { glob_pattern, kind: None })
            .collect();
        let before = changes.registration.take();
        if before.as_ref().map_or(&[][..], |(_, watched)| watched) == watchers {
            changes.registration = before;
            return;
        }
        let wanted = (!watchers.is_empty()).then_some((name, watchers));
        changes.registration.clone_from(&wanted);
        drop(changes);
        let method = || "workspace/didChangeWatchedFiles".to_owned();
        let client = self.connection().client();
        tokio::spawn(async move {
            if let Some((id, watchers)) = wanted {
                let options = DidChangeWatchedFilesRegistrationOptions { watchers };
                let register_options = serde_json::to_value(options).ok();
                let one = Registration { id, method: method(), register_options };
                drop(client.register_capability(vec![one]).await);
            }
            if let Some((id, _)) = before {
                drop(client.unregister_capability(vec![Unregistration { id, method: method() }]).await);
            }
        });
    }

    fn glob(&self, folder: &Path, pattern: &str) -> GlobPattern {
        match Uri::from_file_path(folder).filter(|_| self.connection().features().relative_patterns) {
            Some(base) => GlobPattern::Relative(RelativePattern {
                base_uri: OneOf::Right(base),
                pattern: pattern.to_owned(),
            }),
            None => GlobPattern::String(format!("**/{pattern}")),
        }
    }
}

/// Reason why a file is not in the index.
#[derive(Debug, Error)]
enum NotIndexed {
    #[error(transparent)]
    Refused(#[from] ReadError),
    #[error("it is a binary; expected text")]
    Binary,
    #[error("it has no URI")]
    NoUri,
    #[error("its analysis failed")]
    Failed,
}

/// The functions of a file in text order.
fn functions(
    folder: &Path,
    path: &Path,
    encoding: Encoding,
    cancel: &Cancel,
) -> Result<Vec<(NamedFunction, Location)>, NotIndexed> {
    let text = read(folder, path, LIMITS, cancel)?.ok_or(NotIndexed::Binary)?;
    let uri = Uri::from_file_path(path).ok_or(NotIndexed::NoUri)?;
    let named = catch_unwind(AssertUnwindSafe(|| {
        let mut host = Host::default();
        host.open_as(uri.as_str(), 0, Language::detect("", uri.path().as_str(), &text), &text);
        host.snapshot(uri.as_str(), cancel.clone()).map(|analysis| analysis.named_functions()).transpose()
    }));
    let named =
        named.map_err(|_| NotIndexed::Failed)?.map_err(|Cancelled| ReadError::Stopped)?.unwrap_or_default();
    let rope = Rope::from_str(&text);
    let mut places = PositionConverter::new(&rope, encoding);
    let located = named.into_iter().map(|function| {
        let location = Location { uri: uri.clone(), range: places.range(&function.range) };
        (function, location)
    });
    Ok(located.collect())
}

/// Reads the changed files. `Err` if the work was stopped; files read until then are kept.
fn refresh(index: &mut Index, listings: &Listings, cancel: &Cancel) -> Result<(), Cancelled> {
    let mut changes = locked(&listings.changes);
    let number = changes.number;
    for file in changes.files.drain() {
        index.files.remove(&file);
    }
    drop(changes);
    // A client that does not watch files reports no changes, so the files are checked for every search.
    if listings.connection().features().registers_watching && index.as_of == Some(number) {
        return Ok(());
    }
    let (wanted, open) = (listings.wanted_listings(), listings.open_files());
    let mut found = find(&wanted, LIMITS, cancel)?;
    for (path, FoundFile { stamp, folder }) in &found.files {
        cancel.check()?;
        let known = index.files.get(path).is_some_and(|known| known.stamp == *stamp);
        if known || open.contains(path) {
            continue;
        }
        let functions = match functions(folder, path, listings.connection().features().encoding, cancel) {
            Ok(functions) => functions,
            Err(NotIndexed::Refused(ReadError::Stopped)) => return Err(Cancelled),
            Err(why) => {
                found.left_out.push(format!("listings: {} is left out: {why}", path.display()));
                Vec::new()
            }
        };
        index.files.insert(path.clone(), IndexedListing { stamp: *stamp, functions });
    }
    index.files.retain(|path, _| found.files.contains_key(path));
    index.as_of = Some(number);
    for line in &found.left_out {
        if !index.reported.contains(line) {
            listings.connection().send(Outgoing::Log(MessageType::WARNING, line.clone()));
        }
    }
    index.reported = found.left_out;
    Ok(())
}
