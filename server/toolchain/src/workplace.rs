//! A folder in which several programs work on the same files, one after the other.

use crate::folder::PrivateFolder;
use crate::run::{RunFolder, run};
use crate::{Consent, Limits, ToolError};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder. Programs run in it with it as their place for temporary files; a name is that of a file in it.
#[derive(Debug)]
pub struct Workplace(Folder);

#[derive(Debug)]
enum Folder {
    Private(PrivateFolder),
    Kept(PathBuf),
}

impl Workplace {
    /// One that only this user can look into, removed when it is dropped.
    pub fn private() -> io::Result<Self> {
        Ok(Self(Folder::Private(PrivateFolder::new()?)))
    }

    /// A folder of the user's that stays; made where it is not there. `Err` for one that has something in it: nothing of
    /// the user's is to be overwritten.
    pub fn kept(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if fs::read_dir(folder)?.next().is_some() {
            let why = format!("`{}` is not empty; expected a new or empty folder", folder.display());
            return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, why));
        }
        // Programs run in it, so that a relative path would lead elsewhere from there.
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

    /// Writes a file of that name, over one that is there.
    pub fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        fs::write(self.folder().join(name), content)
    }

    /// Reads all bytes of the file of that name.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.folder().join(name))
    }

    /// Removes the file of that name.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.folder().join(name))
    }

    /// Runs a program that is installed, in this folder, and gives what it wrote to its standard output.
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

    /// Runs a program that was built here.
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
