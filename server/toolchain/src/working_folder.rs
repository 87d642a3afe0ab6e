//! A folder in which several programs process the same files, one after another.

use crate::folder::PrivateFolder;
use crate::run::{RunFolder, run};
use crate::{Consent, Limits, ToolError};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A working folder. Programs run in it and store temporary files in it. File names are relative to the
/// folder.
#[derive(Debug)]
pub struct WorkingFolder(Folder);

#[derive(Debug)]
enum Folder {
    Private(PrivateFolder),
    Kept(PathBuf),
}

impl WorkingFolder {
    /// Returns a private folder. Only this user can read it, and it is removed on drop.
    pub fn private() -> io::Result<Self> {
        Ok(Self(Folder::Private(PrivateFolder::new()?)))
    }

    /// Uses a folder that the user chose, and keeps it. Creates the folder if it does not exist. Returns `Err` if the
    /// folder is not empty, because the user's files must not be overwritten.
    pub fn kept(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if fs::read_dir(folder)?.next().is_some() {
            let why = format!("`{}` is not empty; expected a new or empty folder", folder.display());
            return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, why));
        }
        // Programs run in the folder, and would resolve a relative path against it.
        Ok(Self(Folder::Kept(std::path::absolute(folder)?)))
    }

    /// Returns the folder's path.
    pub fn folder(&self) -> &Path {
        match &self.0 {
            Folder::Private(folder) => folder.path(),
            Folder::Kept(folder) => folder,
        }
    }

    pub(crate) fn place(&self) -> RunFolder<'_> {
        RunFolder {
            folder: self.folder(),
            temporary: self.folder(),
            is_private: matches!(self.0, Folder::Private(_)),
        }
    }

    /// Writes a file. An existing file is replaced.
    pub fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        fs::write(self.folder().join(name), content)
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.folder().join(name))
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.folder().join(name))
    }

    /// Runs an installed program in this folder and returns its standard output.
    pub fn run(
        &self,
        consent: Consent,
        program: &Path,
        arguments: &[&OsStr],
        limits: Limits,
    ) -> Result<Vec<u8>, ToolError> {
        let failed = |error: io::Error| ToolError::NotStarted {
            program: program.display().to_string(),
            why: error.to_string(),
        };
        let program = std::path::absolute(program).map_err(failed)?;
        run(consent, &program, arguments, self.place(), limits, &|| false)
    }

    /// Runs a program that was built in this folder.
    pub fn run_own(
        &self,
        consent: Consent,
        program: &str,
        arguments: &[&str],
        limits: Limits,
    ) -> Result<Vec<u8>, ToolError> {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        self.run(consent, &self.folder().join(program), &arguments, limits)
    }
}
