//! Bounded reading: the only module of this crate that opens files to read them.
//!
//! A file that the program opens by itself may be anything: a named pipe without a writer, a link to an
//! endless device, a sparse file of terabytes, a link to something private. Such a file must be a regular
//! file within a stated size, and is opened without blocking. A file that the user names on the command line
//! may be a pipe or a device, too, and is read up to a stated size.

#![expect(clippy::disallowed_methods, reason = "this is the one place that opens files")]

use etcetera::BaseStrategy;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thiserror::Error;

/// Maximum size of a `warplens.toml` and of a `--launches` file, in bytes.
pub(crate) const LAUNCH_FILE_BYTES: u64 = 1 << 20; // limit: a file written by hand

/// Maximum size of a listing that `listings` in a `warplens.toml` names, in bytes.
pub(crate) const LISTING_BYTES: u64 = 64 << 20; // limit: a million instructions

/// Maximum size of a binary that the server opens, in bytes.
pub(crate) const BINARY_BYTES: u64 = 256 << 20; // limit: memory of the server

/// Maximum size of a file or stream named on the command line, in bytes.
pub(crate) const NAMED_BYTES: u64 = 1 << 30; // limit: memory of one run

/// Number of bytes at the start of a file that distinguish text from binary: the vendor's binary formats have zeros
/// in their headers.
pub(crate) const HEAD_BYTES: u64 = 8192; // limit: the header of every binary format ends before

/// Number of bytes read between two checks whether the result is still wanted.
const STEP_BYTES: u64 = 1 << 20; // limit: a millisecond of reading

/// Modification time and size of a file, which change when it is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) modified: Option<SystemTime>,
    pub(crate) bytes: u64,
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self { modified: metadata.modified().ok(), bytes: metadata.len() }
    }
}

/// The last part of a path, as text.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The program's folder in the user's cache folder; `None` if the user has no cache folder.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("warplens"))
}

/// Reason why a file was not read.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The path leads to something other than a regular file; the field names its type.
    #[error("it is a {0}; expected a regular file")]
    NotRegular(&'static str),
    /// The file is larger than this limit, in bytes.
    #[error("it is larger than {}", size(*.0))]
    TooLarge(u64),
    /// The path is a link that leads out of the folder it must stay in.
    #[error("it is a link that leads out of the workspace folder")]
    LeadsOut,
    /// The result is no longer wanted.
    #[error("the reading was stopped")]
    Stopped,
}

impl ReadError {
    /// True if the file does not exist.
    pub(crate) fn is_absent(&self) -> bool {
        let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        matches!(self, Self::Io(error) if absent.contains(&error.kind()))
    }
}

/// A size in words: `1 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 30 => format!("{} GiB", bytes >> 30),
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes => format!("{bytes} bytes"),
    }
}

/// An open file or stream with a limit on the bytes read from it.
pub(crate) struct BoundedFile {
    from: Box<dyn Read>,
    most: u64,
    bytes: Vec<u8>,
}

impl BoundedFile {
    /// Opens a file not named on the command line. Refuses anything but a regular file, and never blocks on a pipe.
    pub(crate) fn regular(path: &Path, most: u64) -> Result<Self, ReadError> {
        // Checked before opening, as opening a device may have side effects.
        check(&fs::metadata(path)?, most)?;
        let file = options().open(path)?;
        check(&file.metadata()?, most)?;
        Ok(Self::new(file, most))
    }

    /// Like [`Self::regular`], but the file must lie in `folder` after links are resolved. The folder itself
    /// may be a link.
    pub(crate) fn within(folder: &Path, path: &Path, most: u64) -> Result<Self, ReadError> {
        let real = fs::canonicalize(path)?;
        if !real.starts_with(fs::canonicalize(folder)?) {
            return Err(ReadError::LeadsOut);
        }
        Self::regular(&real, most)
    }

    /// Opens what the user named: a file, a pipe or a device.
    pub(crate) fn named(path: &Path, most: u64) -> Result<Self, ReadError> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            check(&metadata, most)?;
        }
        Ok(Self::new(file, most))
    }

    /// Wraps a stream that is already open.
    pub(crate) fn new(from: impl Read + 'static, most: u64) -> Self {
        Self { from: Box::new(from), most, bytes: Vec::new() }
    }

    /// The first [`HEAD_BYTES`] bytes, or all of them if there are fewer.
    pub(crate) fn head(&mut self) -> Result<&[u8], ReadError> {
        let lacking = HEAD_BYTES.saturating_sub(self.bytes.len() as u64);
        self.from.by_ref().take(lacking).read_to_end(&mut self.bytes)?;
        Ok(&self.bytes)
    }

    /// Reads all bytes. `Err` if the input exceeds the limit, or once `is_stopped` returns true.
    pub(crate) fn all(mut self, is_stopped: &dyn Fn() -> bool) -> Result<Vec<u8>, ReadError> {
        loop {
            if is_stopped() {
                return Err(ReadError::Stopped);
            }
            // One byte beyond the limit shows that the file is too large. The file may have grown since its
            // size was checked.
            let lacking = (self.most + 1).saturating_sub(self.bytes.len() as u64);
            let step = lacking.min(STEP_BYTES);
            let read = self.from.by_ref().take(step).read_to_end(&mut self.bytes)?;
            if self.bytes.len() as u64 > self.most {
                return Err(ReadError::TooLarge(self.most));
            }
            if (read as u64) < step {
                return Ok(self.bytes);
            }
        }
    }
}

/// A [`BoundedFile`] as a stream. Reading fails beyond the size limit, and once the result is no longer wanted.
pub(crate) struct BoundedStream<'a> {
    from: Box<dyn Read>,
    left: u64,
    most: u64,
    is_stopped: &'a dyn Fn() -> bool,
}

impl BoundedFile {
    /// The file as a stream; each read fails if `is_stopped` returns true.
    pub(crate) fn stepwise(self, is_stopped: &dyn Fn() -> bool) -> BoundedStream<'_> {
        let read = io::Cursor::new(self.bytes);
        BoundedStream { from: Box::new(read.chain(self.from)), left: self.most, most: self.most, is_stopped }
    }
}

impl Read for BoundedStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if (self.is_stopped)() {
            return Err(io::Error::other(ReadError::Stopped.to_string()));
        }
        let read = self.from.read(into)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other(ReadError::TooLarge(self.most).to_string()))?;
        Ok(read)
    }
}

/// A stop condition that never holds.
pub(crate) fn never() -> bool {
    false
}

fn check(metadata: &Metadata, most: u64) -> Result<(), ReadError> {
    if !metadata.is_file() {
        return Err(ReadError::NotRegular(kind(metadata.file_type())));
    }
    if metadata.len() > most { Err(ReadError::TooLarge(most)) } else { Ok(()) }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // A path that was a regular file when it was checked may be a pipe or a terminal now. The standard
        // library adds `O_CLOEXEC`.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options
}

#[cfg(unix)]
fn kind(of: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match of {
        of if of.is_dir() => "folder",
        of if of.is_fifo() => "named pipe",
        of if of.is_socket() => "socket",
        of if of.is_char_device() || of.is_block_device() => "device",
        _ => "special file",
    }
}

#[cfg(not(unix))]
fn kind(of: FileType) -> &'static str {
    if of.is_dir() { "folder" } else { "special file" }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn read(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
        BoundedFile::regular(path, most)?.all(&never)
    }

    #[test]
    fn a_regular_file_up_to_the_limit_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        for (bytes, most, fits) in [(0, 0, true), (10, 10, true), (11, 10, false), (3 << 20, 4 << 20, true)] {
            fs::write(&file, vec![7; bytes]).unwrap();
            match read(&file, most) {
                Ok(read) => assert!(fits && read == vec![7; bytes], "{bytes}"),
                Err(error) => assert!(!fits && matches!(error, ReadError::TooLarge(_)), "{error}"),
            }
        }
        assert!(read(&folder.path().join("none"), 1).is_err_and(|error| error.is_absent()));
        assert!(read(&file.join("none"), 1).is_err_and(|error| error.is_absent()));
    }

    #[test]
    fn a_sparse_giant_is_refused_by_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        File::create(&file).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(read(&file, 1 << 20), Err(ReadError::TooLarge(_))));
    }

    #[test]
    fn pipes_devices_sockets_and_folders_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let device = folder.path().join("device");
        symlink("/dev/zero", &device).unwrap();
        for (path, kind) in [
            (&pipe, "named pipe"),
            (&socket, "socket"),
            (&device, "device"),
            (&folder.path().to_owned(), "folder"),
        ] {
            let refused = read(path, 1 << 20).unwrap_err();
            assert!(matches!(refused, ReadError::NotRegular(found) if found == kind), "{refused}");
        }
    }

    #[test]
    fn links_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(inside.join("deep/a"), "in").unwrap();
        fs::write(outside.join("a"), "out").unwrap();
        symlink("deep/a", inside.join("near")).unwrap();
        symlink("../outside/a", inside.join("far")).unwrap();
        symlink("../outside", inside.join("folder")).unwrap();
        symlink(&inside, folder.path().join("root")).unwrap();
        let within = |root: &Path, name: &str| BoundedFile::within(root, &root.join(name), 10);
        for root in [&inside, &folder.path().join("root")] {
            assert!(within(root, "near").is_ok());
            for name in ["far", "folder/a", "../outside/a"] {
                assert!(matches!(within(root, name), Err(ReadError::LeadsOut)), "{name}");
            }
        }
    }

    #[test]
    fn an_endless_stream_ends_at_the_limit_or_when_it_is_stopped() {
        let zeros = |most| BoundedFile::named(Path::new("/dev/zero"), most).unwrap();
        assert!(matches!(zeros(5 << 20).all(&never), Err(ReadError::TooLarge(_))));
        assert!(matches!(zeros(u64::MAX - 1).all(&|| true), Err(ReadError::Stopped)));
        let mut device = zeros(1 << 20);
        assert_eq!(device.head().unwrap().len() as u64, HEAD_BYTES);
    }
}
