//! Data files that launches name: the contents of the memory that a pointer points to.

use crate::read::{BoundedFile, ReadError, Stamp, size};
use ide::DataFile;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum size of the data files that one launches file names, together, in bytes.
const MAX_BYTES: u64 = 1 << 30; // limit: memory of the program

/// The data files that a launches file names, as they were last read.
#[derive(Debug, Clone, Default)]
pub(crate) struct DataFiles(BTreeMap<PathBuf, Result<Known, String>>);

#[derive(Debug, Clone)]
struct Known {
    stamp: Stamp,
    file: DataFile,
}

impl DataFiles {
    /// Returns a file as last read; `Ok(None)` if the launches file did not name it at the last reading. `Err` has the
    /// reason why the file could not be read, in one line.
    pub(crate) fn known(&self, path: &Path) -> Result<Option<DataFile>, String> {
        match self.0.get(path) {
            Some(Ok(known)) => Ok(Some(known.file.clone())),
            Some(Err(why)) => Err(why.clone()),
            None => Ok(None),
        }
    }

    /// The paths of all files, including those that could not be read.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.keys()
    }
}

/// One reading of a launches file and of the data files that it names. A data file that has not changed since an
/// earlier reading is not read again.
pub(crate) struct DataReading<'a> {
    /// The folder of the launches file.
    folder: &'a Path,
    earlier: DataFiles,
    read: RefCell<DataFiles>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> DataReading<'a> {
    /// Begins a reading, which ends early once `is_stopped` returns true.
    pub(crate) fn new(folder: &'a Path, earlier: DataFiles, is_stopped: &'a dyn Fn() -> bool) -> Self {
        Self { folder, earlier, read: RefCell::default(), is_stopped }
    }

    /// Reads a file. `name` is absolute or relative to the folder. `Err` has the reason why the file was not read, in
    /// one line.
    pub(crate) fn read(&self, name: &str) -> Result<Option<DataFile>, String> {
        let path = self.folder.join(name);
        let mut read = self.read.borrow_mut();
        if !read.0.contains_key(&path) {
            let used: u64 = read.0.values().flatten().map(|known| known.file.bytes().len() as u64).sum();
            let current = self.current(&path, MAX_BYTES.saturating_sub(used)).map_err(|why| in_words(&why));
            read.0.insert(path.clone(), current);
        }
        read.known(&path)
    }

    fn current(&self, path: &Path, most: u64) -> Result<Known, ReadError> {
        let stamp = Stamp::from(&fs::metadata(path)?);
        match self.earlier.0.get(path) {
            Some(Ok(known)) if known.stamp == stamp && stamp.bytes <= most => Ok(known.clone()),
            _ => {
                let bytes = BoundedFile::regular(path, most)?.all(self.is_stopped)?;
                Ok(Known { stamp, file: DataFile::new(bytes) })
            }
        }
    }

    /// Ends the reading, and returns the files that it has read.
    pub(crate) fn into_files(self) -> DataFiles {
        self.read.into_inner()
    }
}

fn in_words(why: &ReadError) -> String {
    match why {
        _ if why.is_absent() => {
            "no such file; expected a path relative to the folder of this file".to_owned()
        }
        ReadError::TooLarge(most) if *most < MAX_BYTES => {
            format!("with this file, the data files of all launches exceed {} in total", size(MAX_BYTES))
        }
        _ => why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::never;

    #[test]
    fn a_file_is_read_again_only_if_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let read = |earlier: &DataFiles| {
            let reading = DataReading::new(folder.path(), earlier.clone(), &never);
            let file = reading.read("a.bin");
            (file, reading.into_files())
        };
        let (missing, files) = read(&DataFiles::default());
        assert!(missing.is_err_and(|why| why.starts_with("no such file")));
        fs::write(&path, [1, 2, 3]).unwrap();
        let (first, files) = read(&files);
        let first = first.unwrap().unwrap();
        assert_eq!(first.bytes(), [1, 2, 3]);
        let (second, files) = read(&files);
        assert!(std::ptr::eq(second.unwrap().unwrap().bytes(), first.bytes()), "it is not read again");
        fs::write(&path, [1, 2, 3, 4]).unwrap();
        let (third, files) = read(&files);
        assert_eq!(third.unwrap().unwrap().bytes(), [1, 2, 3, 4]);
        assert_eq!(files.paths().collect::<Vec<_>>(), [&path]);
        assert!(files.known(&path).unwrap().is_some());
        assert_eq!(files.known(Path::new("b.bin")), Ok(None));
    }

    #[test]
    fn giants_and_folders_are_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let giant = fs::File::create(folder.path().join("giant.bin")).unwrap();
        giant.set_len(MAX_BYTES + 1).unwrap();
        fs::write(folder.path().join("small.bin"), [1]).unwrap();
        let reading = DataReading::new(folder.path(), DataFiles::default(), &never);
        assert_eq!(reading.read("giant.bin"), Err("it is larger than 1 GiB".to_owned()));
        assert!(reading.read("").is_err_and(|why| why.contains("expected a regular file")));
        assert!(reading.read("\0").is_err());
        assert!(reading.read("small.bin").is_ok());
        giant.set_len(MAX_BYTES).unwrap();
        let reading = DataReading::new(folder.path(), DataFiles::default(), &never);
        reading.read("small.bin").unwrap();
        assert!(reading.read("giant.bin").is_err_and(|why| why.starts_with("with this file, ")));
    }
}
