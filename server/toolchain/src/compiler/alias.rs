//! Aliases for source paths that PTX cannot represent.
//!
//! PTX has no escape for quotation marks in strings: ptxas rejects the escapes that nvcc and clang write. For
//! such a path, the compiler receives a link in the private folder, and the original path is restored in the
//! compiler's output.

use super::flags::Header;
use super::unit::UnitProduct;
use crate::{ToolError, WorkingFolder};
use std::fmt::Write;
use std::path::Path;

/// All aliases that were created, each with the original path or name.
#[derive(Debug, Default)]
pub(super) struct Aliases(Vec<Alias>);

#[derive(Debug)]
struct Alias {
    /// The alias that the compiler receives: the absolute path of a link to a folder, or the name of a file. `own` is
    /// the original path or name.
    given: String,
    own: String,
}

/// Maximum number of padding bytes in one component of a link's path. limit: file systems accept names of up to 255
/// bytes, less the bytes before the padding.
const MAX_NAME_BYTES: usize = 200;

/// True if a path cannot be written in PTX or in a `#line` directive: it contains a quotation mark, or `??`, which can
/// begin a trigraph in older language standards.
fn is_odd(path: &str) -> bool {
    path.contains('"') || path.contains("??")
}

impl Aliases {
    /// Returns the path of a translation unit as passed to the compiler. The file may not exist yet.
    pub(super) fn of_unit(&mut self, place: &WorkingFolder, path: &str) -> Result<String, ToolError> {
        let Some((folder, name)) = path.rsplit_once('/').filter(|_| is_odd(path)) else {
            return Ok(path.to_owned());
        };
        let folder = self.of_folder(place, folder)?;
        if !is_odd(name) {
            return Ok(format!("{folder}/{name}"));
        }
        // The alias has the same length in a table and is not a C++ name.
        let given = format!("{:_<1$}", format!("+{}", self.0.len()), escaped(name).len());
        self.0.push(Alias { given: given.clone(), own: name.to_owned() });
        Ok(format!("{folder}/{given}"))
    }

    /// Returns the path of a header file or of an include folder as passed to the compiler.
    pub(super) fn of_header(
        &mut self,
        place: &WorkingFolder,
        header: Header,
        path: &str,
    ) -> Result<String, ToolError> {
        if header != Header::File {
            return self.of_folder(place, path);
        }
        match path.rsplit_once('/') {
            Some((folder, name)) => Ok(format!("{}/{name}", self.of_folder(place, folder)?)),
            None => Ok(path.to_owned()),
        }
    }

    /// The folder itself or, if its path cannot be written in PTX, a link to it. The link's path is at least as long as
    /// the folder's escaped path, so that a line table keeps its length when the path is restored.
    pub(super) fn of_folder(&mut self, place: &WorkingFolder, folder: &str) -> Result<String, ToolError> {
        if !is_odd(folder) {
            return Ok(folder.to_owned());
        }
        if let Some(known) = self.0.iter().find(|alias| alias.own == folder) {
            return Ok(known.given.clone());
        }
        let mut given = format!("{}/link{}_", place.folder().display(), self.0.len());
        let mut lacking = escaped(folder).len().saturating_sub(given.len());
        while lacking > 0 {
            let filling = lacking.min(MAX_NAME_BYTES);
            given.extend(std::iter::repeat_n('_', filling));
            lacking -= filling;
            if lacking > 0 {
                given.push('/');
            }
        }
        link(Path::new(folder), Path::new(&given)).map_err(|error| ToolError::Path {
            path: folder.to_owned(),
            why: format!("cannot create a link to it ({error})"),
        })?;
        self.0.push(Alias { given: given.clone(), own: folder.to_owned() });
        Ok(given)
    }

    /// Replaces aliases in a compiler's message with the original paths.
    pub(super) fn in_message(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, alias| text.replace(&alias.given, &alias.own))
    }

    /// Replaces aliases in a compiler's output with the original paths, escaped as compilers escape them. A cubin's
    /// line table must keep its length, so a path shorter than its alias is padded with leading slashes, which do not
    /// change the path's meaning.
    pub(super) fn restore(&self, product: UnitProduct, made: Vec<u8>) -> Vec<u8> {
        self.0.iter().fold(made, |made, alias| {
            let own = escaped(&alias.own);
            let own = match product {
                UnitProduct::Ptx => own,
                UnitProduct::Cubin => {
                    format!("{}{own}", "/".repeat(alias.given.len().saturating_sub(own.len())))
                }
            };
            replaced(&made, alias.given.as_bytes(), own.as_bytes())
        })
    }
}

/// A path, escaped as compilers write it into PTX.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b'"' => text.push_str("\\042"),
            0x20..=0x7e => text.push(char::from(byte)),
            // Writing to a string does not fail.
            byte => drop(write!(text, "\\{byte:03o}")),
        }
    }
    text
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut made = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, following)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(from) {
            made.extend_from_slice(to);
            rest = after;
        } else {
            made.push(first);
            rest = following;
        }
    }
    made
}

#[cfg(unix)]
fn link(folder: &Path, given: &Path) -> std::io::Result<()> {
    if let Some(parent) = given.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::os::unix::fs::symlink(folder, given)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
