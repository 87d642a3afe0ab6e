//! Writes a file completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file. If that fails (the disk is full, the process is killed), an existing file keeps its contents.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs::metadata(path).ok();
    if before.as_ref().is_some_and(|meta| !meta.is_file()) {
        // A device or a pipe cannot be replaced, so the bytes are written to it.
        return fs::write(path, bytes);
    }
    // A link is kept; its target is replaced.
    let place = if before.is_some() { path.canonicalize()? } else { path.to_owned() };
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warplens-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let Ok(mut file) = builder.tempfile_in(folder) else {
        // The folder may not be writable although the file is.
        return fs::write(place, bytes);
    };
    file.write_all(bytes)?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.persist(place).map_err(|error| error.error)?;
    Ok(())
}
