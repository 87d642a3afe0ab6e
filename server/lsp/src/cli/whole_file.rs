//! Writes a file completely or not at all.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Writes a file through a temporary file in the same folder. If that fails (the disk is full, the process is killed),
/// an existing file keeps its contents. If the folder allows no new files, the existing file is overwritten in place,
/// and its contents are lost if the process is killed during the write.
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
    let mut file = match builder.tempfile_in(folder) {
        Ok(file) => file,
        // There is nothing to lose.
        Err(_) if before.is_none() => return fs::write(place, bytes),
        // The folder may not be writable although the file is.
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            return overwrite(&place, bytes);
        }
        Err(error) => return Err(error),
    };
    file.write_all(bytes)?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.persist(place).map_err(|error| error.error)?;
    Ok(())
}

/// Overwrites a file. If that fails, writes its earlier contents again.
#[expect(clippy::disallowed_methods, reason = "the earlier contents are kept whole")]
fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs::read(path).ok();
    fs::write(path, bytes).inspect_err(|_| {
        if let Some(before) = before {
            let _ = fs::write(path, before);
        }
    })
}

#[cfg(all(test, target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "tests read their own files")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_kept_if_no_file_can_be_created_next_to_it() {
        let path = Path::new("/proc/self/comm");
        let before = fs::read(path).unwrap();
        assert!(write(path, b"overwritten").is_err());
        assert_eq!(fs::read(path).unwrap(), before);
    }

    #[test]
    fn a_file_is_written_in_a_folder_in_which_none_can_be_created() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.toml");
        fs::write(&path, "before").unwrap();
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o555)).unwrap();
        write(&path, b"after").unwrap();
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
    }
}
