//! Command-line words for nvcc, which passes words to a shell without quoting.
//!
//! Only plain words are passed to nvcc. Macros and folders that are not plain are written to an argument file
//! for the host compiler. The host compiler also preprocesses device code, and it reads the file without a
//! shell.

use super::flags::{Header, HostWord};
use super::{CompilerKind, Flags};
use crate::{ToolError, WorkingFolder};
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Punctuation that no shell interprets. On Windows, where nvcc runs no shell, the list includes the
/// punctuation of paths.
const MARKS: &str = if cfg!(windows) { "_-+=./:%\\ ()" } else { "_-+=./:%" };

/// The argument file, in the current folder of nvcc.
const HOST_ARGUMENTS: &str = "host.args";

/// True if a shell and nvcc read the word literally, unquoted and in quotes of either kind.
///
/// nvcc splits values at commas, and gcc reads more arguments from a file if an argument begins with `@`.
fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || MARKS.contains(c) || !c.is_ascii();
    !word.is_empty() && word.chars().all(is_plain)
}

/// True if a path may occur in double quotes in the command lines that nvcc passes to the shell.
fn is_quotable(path: &Path) -> bool {
    path.to_str().is_some_and(|path| {
        !path.is_empty() && path.split([' ', ',', '@', '~', '(', ')']).all(is_plain_or_empty)
    })
}

fn is_plain_or_empty(word: &str) -> bool {
    word.is_empty() || is_plain(word)
}

impl HostWord {
    /// True if the word may be passed to nvcc as a separate argument.
    fn is_plain(&self) -> bool {
        match self {
            Self::Header(_, path) => is_plain(path) && !path.starts_with('-'),
            // A macro must begin with a name, because a leading dash could be read as an option.
            Self::Define(value) | Self::Undefine(value) => {
                is_plain(value) && value.starts_with(|c: char| c.is_alphabetic() || c == '_')
            }
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Header(Header::Folder | Header::Quoted, _) => "-I",
            // nvcc also searches system folders after the other folders.
            Self::Header(Header::System | Header::After, _) => "-isystem",
            Self::Header(Header::File, _) => "-include",
            Self::Define(_) => "-D",
            Self::Undefine(_) => "-U",
        }
    }

    fn value(&self) -> &str {
        match self {
            Self::Header(_, value) | Self::Define(value) | Self::Undefine(value) => value,
        }
    }

    /// The host compiler's argument as written to an argument file: one word that does not begin with `@`.
    fn quoted(&self) -> String {
        let mut text = self.name().to_owned();
        for c in self.value().chars() {
            if !is_plain(c.encode_utf8(&mut [0; 4])) {
                text.push('\\');
            }
            text.push(c);
        }
        text
    }
}

/// Returns the words of a unit's flags for nvcc, which runs in the workplace. `folder` is the unit's folder,
/// which is searched before the folders of the build.
///
/// Returns `Err` for a word that cannot be passed safely.
pub(super) fn of_flags(
    place: &WorkingFolder,
    folder: Option<&str>,
    flags: &Flags,
) -> Result<Vec<OsString>, ToolError> {
    let (host, others) = flags.for_nvcc();
    let own = folder.map(|folder| HostWord::Header(Header::Folder, folder.to_owned()));
    if own.iter().chain(&host).all(HostWord::is_plain) {
        let own = own.iter().flat_map(|word| [word.name().to_owned(), word.value().to_owned()]);
        return Ok(own.chain(flags.for_compiler(CompilerKind::Nvcc)).map(OsString::from).collect());
    }
    let (files, searched): (Vec<_>, Vec<_>) =
        own.into_iter().chain(host).partition(|word| matches!(word, HostWord::Header(Header::File, _)));
    if let Some(word) = searched.iter().find(|word| word.value().contains(['\n', '\r'])) {
        return Err(refused(word.value(), "it contains a line break"));
    }
    let lines: String = searched.iter().map(|word| word.quoted() + "\n").collect();
    place.write(HOST_ARGUMENTS, lines.as_bytes()).map_err(|error| in_folder(&error))?;
    let mut given = others;
    given.extend(["-Xcompiler".to_owned(), format!("@{HOST_ARGUMENTS}")]);
    for (index, file) in files.iter().enumerate() {
        given.extend([file.name().to_owned(), included(place, index, file)?]);
    }
    Ok(given.into_iter().map(OsString::from).collect())
}

/// The value of `-include` for a file: the file's path or, if the path is not plain, a generated file that includes the
/// original file. The `-include` stays an argument of nvcc, so that CUDA's headers are included first.
fn included(place: &WorkingFolder, index: usize, file: &HostWord) -> Result<String, ToolError> {
    let path = file.value();
    if file.is_plain() {
        return Ok(path.to_owned());
    }
    if path.contains(['\n', '\r', '"']) {
        return Err(refused(path, "it contains a line break or a quotation mark"));
    }
    let own = format!("included{index}.h");
    place.write(&own, format!("#include \"{path}\"\n").as_bytes()).map_err(|error| in_folder(&error))?;
    Ok(own)
}

/// Checks that each word of nvcc's command and the current folder are plain.
///
/// Rejects every word that a shell could interpret, regardless of its source.
pub(super) fn checked(place: &WorkingFolder, given: &[OsString]) -> Result<(), ToolError> {
    const WHY: &str = "nvcc runs a shell, which could misinterpret it";
    let own = format!("@{HOST_ARGUMENTS}");
    for word in given {
        if !word.to_str().is_some_and(|word| is_plain(word) || word == own) {
            return Err(refused(&word.to_string_lossy(), WHY));
        }
    }
    if is_quotable(place.folder()) { Ok(()) } else { Err(refused(&place.folder().to_string_lossy(), WHY)) }
}

fn refused(word: &str, why: &'static str) -> ToolError {
    ToolError::Argument { program: "nvcc", argument: word.escape_debug().to_string(), why }
}

fn in_folder(error: &io::Error) -> ToolError {
    ToolError::Folder { program: "nvcc".to_owned(), why: error.to_string() }
}
