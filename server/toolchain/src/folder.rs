//! A folder that only this user can access. It is removed on drop.
//!
//! A killed process does not drop its folder. The folder is locked while its process lives, so that a later
//! process can recognise abandoned folders and remove them.

use crate::folders::{DYING, FOLDERS, PREFIX, REMOVED};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Once, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

#[derive(Debug)]
pub(crate) struct PrivateFolder {
    /// Dropped before the lock, so that the lock is held until the folder is removed.
    folder: Option<TempDir>,
    _lock: Option<File>,
}

/// Age from which an unlocked folder counts as abandoned. A younger folder may have just been created.
#[cfg(unix)]
const ABANDONED_AFTER: Duration = Duration::from_mins(1);

impl PrivateFolder {
    pub(crate) fn new() -> io::Result<Self> {
        static ONCE: Once = Once::new();
        let parent = std::env::temp_dir();
        ONCE.call_once(|| {
            #[cfg(unix)]
            crate::signals::watch();
            remove_abandoned(&parent);
        });
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let mut count = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = builder.tempdir_in(parent)?;
        *count += 1;
        drop(count);
        let lock = locked(folder.path());
        Ok(Self { folder: Some(folder), _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), TempDir::path)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // If a file cannot be removed now, the system's cleanup of temporary folders removes it.
        drop(self.folder.take());
        *FOLDERS.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        REMOVED.notify_all();
        // If this function returned, the caller would continue, and might end the process as if no signal had
        // arrived.
        while DYING.load(Ordering::Acquire) {
            std::thread::park();
        }
    }
}

/// Locks a folder; `None` if another process holds the lock, or if the system cannot lock folders.
fn locked(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Removes the folders that killed processes of this user have not removed.
#[cfg(unix)]
fn remove_abandoned(parent: &Path) {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // For a link, this is the metadata of the link itself.
        let Ok(meta) = entry.metadata() else { continue };
        let age = meta.modified().ok().and_then(|changed| changed.elapsed().ok());
        if meta.is_dir()
            && meta.uid() == own
            && age.is_some_and(|age| age > ABANDONED_AFTER)
            && let Some(_lock) = locked(&entry.path())
        {
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

/// Folders cannot be locked on this system, so their owners are unknown.
#[cfg(not(unix))]
fn remove_abandoned(_: &Path) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * ABANDONED_AFTER;
        let make = |name: &str, changed: Option<SystemTime>| {
            let path = parent.path().join(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("code.ptx"), "").unwrap();
            if let Some(changed) = changed {
                File::open(&path).unwrap().set_modified(changed).unwrap();
            }
            path
        };
        let left = make("warplens-private-left", Some(old));
        let held = make("warplens-private-held", Some(old));
        let young = make("warplens-private-young", None);
        let others = make("warplens-of-somebody", Some(old));
        let link = parent.path().join("warplens-private-link");
        std::os::unix::fs::symlink(&others, &link).unwrap();
        let lock = locked(&held).unwrap();
        remove_abandoned(parent.path());
        assert!(!left.exists());
        assert!(held.exists() && young.exists() && others.join("code.ptx").exists() && link.exists());
        drop(lock);
        // A process that another test is currently starting also holds the lock, until it runs its program.
        let is_gone = || {
            remove_abandoned(parent.path());
            !held.exists()
        };
        assert!((0..100).any(|_| is_gone() || {
            std::thread::sleep(Duration::from_millis(20));
            false
        }));
    }

    #[test]
    fn only_its_user_can_look_into_a_folder_and_it_goes_with_its_owner() {
        use std::os::unix::fs::PermissionsExt;
        let folder = PrivateFolder::new().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert!(locked(&path).is_none(), "it is locked");
        std::fs::write(path.join("code.ptx"), "").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
