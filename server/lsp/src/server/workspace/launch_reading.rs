//! Reads the folders' `warplens.toml` on a separate thread: a disk may answer late or never.

use crate::data_files::DataReading;
use crate::read::{BoundedFile, LAUNCH_FILE_BYTES, ReadError};
use crate::server::documents::survives;
use crate::server::transport::outgoing::Outgoing;
use crate::server::transport::stale::StaleDisplay;
use crate::server::workspace::data_watch::watch_data;
use crate::server::workspace::root::{FILE, Root};
use crate::server::workspace::{Folders, Workspace, WorkspaceChange};
use ide::{Cancel, LaunchFile, Problem, Severity};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::MessageType;

/// Maximum time for which a message waits until the files are read, so that the next request sees their current
/// contents. Files that take longer to read take effect once they are read.
const MOMENT: Duration = Duration::from_millis(200);

/// State of the thread that reads the folders' `warplens.toml`.
#[derive(Debug, Default)]
pub(super) struct ReaderState {
    /// Start time of the read under way, and the token that stops it; `None` if no read is under way.
    under_way: Option<(Instant, Cancel)>,
    /// True if files have changed since the read began.
    again: bool,
    /// Senders that are dropped once all files are read. Dropping them wakes the waiting receivers.
    waiting: Vec<mpsc::Sender<()>>,
}

impl Workspace {
    /// Reads and applies the `warplens.toml` of each folder. Waits up to [`MOMENT`] for the result. If a file cannot be
    /// read, its previous contents remain in use; if there are none, the folder has no launches.
    pub(crate) fn read_launches(&self) {
        let (waiting, over) = mpsc::channel();
        let mut state = self.lock();
        state.reading.waiting.push(waiting);
        let began = state.reading.under_way.as_ref().map(|(began, cancel)| {
            cancel.cancel();
            *began
        });
        if began.is_some() {
            state.reading.again = true;
        } else {
            let cancel = Cancel::default();
            state.reading.under_way = Some((Instant::now(), cancel.clone()));
            let workspace = self.clone();
            tokio::task::spawn_blocking(move || workspace.read_until_nothing_changes(cancel));
        }
        drop(state);
        // If the disk has not answered within this time, later messages do not wait for the disk again.
        let left = MOMENT.saturating_sub(began.map_or(Duration::ZERO, |began| began.elapsed()));
        let _ = over.recv_timeout(left);
    }

    fn read_until_nothing_changes(&self, mut cancel: Cancel) {
        loop {
            // After a panic, one folder keeps its previous state.
            survives(|| self.read_all(&cancel));
            let mut state = self.lock();
            let reading = &mut state.reading;
            if !std::mem::take(&mut reading.again) {
                reading.under_way = None;
                reading.waiting.clear();
                return;
            }
            cancel = Cancel::default();
            reading.under_way = Some((Instant::now(), cancel.clone()));
        }
    }

    fn read_all(&self, cancel: &Cancel) {
        let paths: Vec<PathBuf> = self.lock().roots.iter().map(|root| root.path.clone()).collect();
        let mut changed = false;
        for (index, path) in paths.iter().enumerate() {
            match read(path, cancel) {
                Err(ReadError::Stopped) => break,
                read => changed |= self.put_launches_in_force(path, index == 0, read, cancel),
            }
        }
        if paths.is_empty() {
            changed |= self.documents.lock().host.set_launches(None).is_ok();
        }
        self.documents.connection.status_may_have_changed();
        if changed {
            self.documents.recheck();
            self.documents.refresh(StaleDisplay::ALL);
        }
        watch_data(self);
    }

    /// Applies a folder's `warplens.toml`, and returns true if anything but its `listings` and `cubins` changed. If
    /// `first` is true, the file also applies to documents outside all folders. Does nothing if `cancel` stops the
    /// reading of data files.
    fn put_launches_in_force(
        &self,
        path: &Path,
        first: bool,
        read: Result<Option<String>, ReadError>,
        cancel: &Cancel,
    ) -> bool {
        let reader = self.documents.lock().host.launch_reader();
        let root_data = |root: &Root| (root.path == path).then(|| root.data.clone());
        let earlier = self.lock().roots.iter().find_map(root_data).unwrap_or_default();
        let is_stopped = || cancel.is_cancelled();
        let data = DataReading::new(path, earlier, &is_stopped);
        // Reading a large file takes time, so no lock is held during the read.
        let read = read.map(|text| text.map(|text| (reader.read(&text, &|name| data.read(name)), text)));
        let data = data.into_files();
        if data.paths().next().is_some() && cancel.is_cancelled() {
            return false;
        }
        let mut state = self.lock();
        let Folders { roots, .. } = &mut *state;
        let Some(root) = roots.iter_mut().find(|root| root.path == path) else { return false };
        let before = root.launches.clone();
        root.unreadable = None;
        root.complaint = None;
        let launches = match read {
            Ok(None) => {
                root.on_disk = None;
                root.data = data;
                None
            }
            Ok(Some(((file, problems), text))) => {
                root.on_disk = Some(text);
                root.complaint = complaint(&problems, before.is_some());
                if problems.iter().any(|problem| problem.breaks_file) {
                    before.clone()
                } else {
                    root.data = data;
                    Some(file.or_earlier(&before.clone().unwrap_or_default(), &problems))
                }
            }
            Err(why) => {
                root.on_disk = None;
                root.unreadable = Some(why.to_string());
                root.complaint = Some(format!("{FILE}: {why}; {}", in_force(before.is_some())));
                before.clone()
            }
        };
        let name = root.name();
        let set = {
            let host = &mut self.documents.lock().host;
            let set = host.set_launches_for(&name, launches.clone());
            if first { set.and_then(|()| host.set_launches(launches.clone())) } else { set }
        };
        match set {
            Ok(()) => root.launches = launches,
            Err(unknown) => root.complaint = Some(format!("{FILE}: `gpu`: {unknown}")),
        }
        if let Some(text) = &root.complaint {
            self.documents.connection.send(Outgoing::Message(MessageType::WARNING, text.clone()));
        }
        self.publish_problems(root.path.clone());
        let changed = without_listings(root.launches.as_ref()) != without_listings(before.as_ref());
        let listings = |file: &Option<LaunchFile>| file.as_ref().map(|file| file.listings.clone());
        let names_other_listings = listings(&root.launches) != listings(&before);
        drop(state);
        self.notify_observer(WorkspaceChange::LaunchFile { names_other_listings });
        changed
    }
}

/// The text of a folder's file; `None` if the folder has no such file.
fn read(folder: &Path, cancel: &Cancel) -> Result<Option<String>, ReadError> {
    let bytes = BoundedFile::within(folder, &folder.join(FILE), LAUNCH_FILE_BYTES)
        .and_then(|file| file.all(&|| cancel.is_cancelled()));
    match bytes {
        // Invalid UTF-8 is replaced: it can occur only in comments and strings.
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.is_absent() => Ok(None),
        Err(error) => Err(error),
    }
}

/// One line about the errors of a file; `None` if it has no errors.
fn complaint(problems: &[Problem], has_previous: bool) -> Option<String> {
    let mut errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let first = problems.iter().find(|problem| problem.breaks_file).or_else(|| errors.clone().next())?;
    errors.next();
    let more = match errors.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let rest = if first.breaks_file { in_force(has_previous) } else { "the rest of the file is used" };
    Some(format!("{FILE}:{}: {}{more}; {rest}", first.line, first.message))
}

fn in_force(has_previous: bool) -> &'static str {
    if has_previous { "its previous contents remain in use" } else { "nothing in the file is used" }
}

fn without_listings(file: Option<&LaunchFile>) -> LaunchFile {
    LaunchFile { listings: Vec::new(), cubins: Vec::new(), ..file.cloned().unwrap_or_default() }
}
