//! Reads the files that a command names.

use super::failure::Failure;
use crate::read::{BoundedFile, HEAD_BYTES, NAMED_BYTES, ReadError, never};
use ide::binary::{Content, Cubin, content};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A text and its origin.
#[derive(Debug)]
pub(super) struct Source {
    /// Name as the user wrote it, or as the search found it; `<stdin>` for standard input.
    pub(super) name: String,
    /// `None` for standard input.
    pub(super) path: Option<PathBuf>,
    pub(super) text: String,
    /// The binary that the text was disassembled from; `None` for a text that the user provided.
    pub(super) cubin: Option<Cubin>,
}

/// Contents of a file.
#[derive(Debug)]
pub(super) enum Input {
    Text(Source),
    /// An ELF file or a fat binary.
    Binary(BinaryFile),
}

/// A binary and its origin, in the form of [`Source`].
#[derive(Debug)]
pub(super) struct BinaryFile {
    pub(super) name: String,
    pub(super) path: Option<PathBuf>,
    pub(super) bytes: Vec<u8>,
}

/// Reason why a file is not a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotText {
    Empty,
    Binary,
}

impl Source {
    /// Reads a file that a search found. `None` for a file with neither text nor GPU code, of which only the start is
    /// read. Also `None` for a file that is too large or not a regular file, which is reported on stderr.
    fn found(path: &Path) -> Result<Option<FoundFile>, Failure> {
        let read = || {
            let mut file = BoundedFile::regular(path, NAMED_BYTES)?;
            let head = file.head()?;
            if content(head) == Content::Cubin {
                return Ok(Some(FoundFile::Cubin(path.to_owned())));
            }
            if is_binary(head) {
                return Ok(None);
            }
            let text = decode(file.all(&never)?).ok();
            Ok(text.map(|text| {
                let (name, path) = (path.display().to_string(), Some(path.to_owned()));
                FoundFile::Text(Self { name, path, text, cubin: None })
            }))
        };
        match read() {
            Ok(found) => Ok(found),
            Err(error @ (ReadError::TooLarge(_) | ReadError::NotRegular(_))) => {
                Failure::new(format!("`{}` is skipped: {error}", path.display())).tell();
                Ok(None)
            }
            Err(error) => Err(unreadable(path, &error)),
        }
    }
}

impl Input {
    /// Reads a file that the user named, or standard input for `-`. Fails if it has neither text nor GPU code.
    pub(super) fn named(path: &Path) -> Result<Self, Failure> {
        let (name, path, bytes) = if path == Path::new("-") {
            let read = read_input(BoundedFile::new(io::stdin(), NAMED_BYTES));
            let read = read.map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
            ("<stdin>".to_owned(), None, read)
        } else {
            let read = BoundedFile::named(path, NAMED_BYTES).and_then(read_input);
            let read = read.map_err(|error| unreadable(path, &error))?;
            (path.display().to_string(), Some(path.to_owned()), read)
        };
        if content(&bytes) != Content::Other {
            return Ok(Self::Binary(BinaryFile { name, path, bytes }));
        }
        match decode(bytes) {
            Ok(text) => Ok(Self::Text(Source { name, path, text, cubin: None })),
            Err(NotText::Empty) => {
                Err(Failure::new(format!("`{name}` is empty; expected a SASS listing or PTX")))
            }
            Err(NotText::Binary) => Err(Failure::new(format!(
                "`{name}` is a binary file; expected a SASS listing as text, or a cubin"
            ))),
        }
    }
}

/// Byte order mark that `cuobjdump -sass x > y` writes in Windows PowerShell.
const UTF16_MARK: &[u8] = b"\xff\xfe";

fn is_binary(bytes: &[u8]) -> bool {
    !bytes.starts_with(UTF16_MARK) && bytes[..bytes.len().min(HEAD_BYTES as usize)].contains(&0)
}

/// Reads all bytes of an input. If the input has neither text nor GPU code, reads only the first [`HEAD_BYTES`],
/// because such an input may be endless.
fn read_input(mut from: BoundedFile) -> Result<Vec<u8>, ReadError> {
    let head = from.head()?;
    if content(head) == Content::Other && is_binary(head) {
        return Ok(head.to_vec());
    }
    from.all(&never)
}

/// Reads the text of a settings file. Fails if the file cannot be read or is not UTF-8.
pub(super) fn settings_text(from: Result<BoundedFile, ReadError>, path: &Path) -> Result<String, Failure> {
    let bytes = from.and_then(|from| from.all(&never)).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
        Failure::new(format!("{}:{line}: expected UTF-8 text", path.display()))
    })
}

/// The failure for a path that cannot be opened or read.
pub(super) fn unreadable(path: &Path, error: &ReadError) -> Failure {
    let path_text = path.display();
    Failure::new(match error {
        ReadError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            format!("no such file: `{path_text}`; expected a path, or `-` for standard input")
        }
        _ if path.is_dir() => format!("`{path_text}` is a folder; expected a file"),
        _ => format!("cannot read `{path_text}`: {error}"),
    })
}

fn decode(bytes: Vec<u8>) -> Result<String, NotText> {
    if let Some(utf16) = bytes.strip_prefix(UTF16_MARK) {
        let units: Vec<u16> =
            utf16.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        return Ok(String::from_utf16_lossy(&units));
    }
    if is_binary(&bytes) {
        return Err(NotText::Binary);
    }
    // Invalid UTF-8, such as a comment in another encoding, does not prevent the analysis of the code.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    if text.trim().is_empty() { Err(NotText::Empty) } else { Ok(text) }
}

/// A file that a search found.
#[derive(Debug)]
pub(super) enum FoundFile {
    Text(Source),
    Cubin(PathBuf),
}

/// All texts and cubins under a folder.
pub(super) fn found_in(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<FoundFile, Failure>> + use<>, Failure> {
    Ok(walk(folder)?.into_iter().filter_map(|file| Source::found(&file).transpose()))
}

/// The text of a file that the user named, or the texts of all files under a folder.
pub(super) fn sources(path: &Path) -> Result<Box<dyn Iterator<Item = Result<Source, Failure>>>, Failure> {
    if path.is_dir() {
        let texts = found_in(path)?.filter_map(|found| match found {
            Ok(FoundFile::Text(source)) => Some(Ok(source)),
            Ok(FoundFile::Cubin(_)) => None,
            Err(failure) => Some(Err(failure)),
        });
        return Ok(Box::new(texts));
    }
    match Input::named(path)? {
        Input::Text(source) => Ok(Box::new(std::iter::once(Ok(source)))),
        Input::Binary(BinaryFile { name, .. }) => Err(Failure::new(format!(
            "`{name}` is a binary; expected the text that `cuobjdump -sass` or `nvdisasm` prints for it"
        ))),
    }
}

/// All files under a folder, ordered by name, except files of version control, builds and packages.
///
/// Does not follow links to folders, so the search terminates. Does not follow links to files outside the
/// folder.
fn walk(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    const SKIPPED: [&str; 3] = [".git", "target", "node_modules"];
    let real = fs::canonicalize(folder);
    let leads_out = |path: &Path| {
        !fs::canonicalize(path).is_ok_and(|to| real.as_ref().is_ok_and(|real| to.starts_with(real)))
    };
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let mut entries =
            fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(|error| {
                Failure::new(format!("cannot read the folder `{}`: {error}", folder.display()))
            })?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if !SKIPPED.iter().any(|name| entry.file_name() == *name) {
                    pending.push(entry.path());
                }
            } else if entry.path().is_file() && !(kind.is_symlink() && leads_out(&entry.path())) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_several_encodings() {
        assert_eq!(decode(b"NOP ;".to_vec()).as_deref(), Ok("NOP ;"));
        assert_eq!(decode(b"\xef\xbb\xbfNOP ;".to_vec()).as_deref(), Ok("NOP ;"));
        assert_eq!(decode(b"\xff\xfeN\0O\0P\0".to_vec()).as_deref(), Ok("NOP"));
        assert_eq!(decode(b"// caf\xe9\nNOP ;".to_vec()).as_deref(), Ok("// caf\u{fffd}\nNOP ;"));
    }

    #[test]
    fn what_is_no_text() {
        assert_eq!(decode(b"\x7fELF\x02\x01\0".to_vec()), Err(NotText::Binary));
        assert_eq!(decode(b"MZ\0\0".to_vec()), Err(NotText::Binary));
        assert_eq!(decode(b" \r\n".to_vec()), Err(NotText::Empty));
        assert_eq!(decode(Vec::new()), Err(NotText::Empty));
    }
}
