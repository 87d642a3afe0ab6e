//! `compile_commands.json`: how a build compiles a unit.

use crate::read::{Bounded, never};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use toolchain::Flags;

/// The longest database that is read: those of the largest projects have some tens of megabytes.
const MOST_BYTES: u64 = 256 << 20;

/// Where a database lies, from the folder of the unit or one around it.
const PLACES: [&str; 2] = ["compile_commands.json", "build/compile_commands.json"];

/// One entry, as the format of the LLVM project has it.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// Returns what the nearest database says of a unit, whose path is absolute; `None` where it says nothing, or cannot be read.
pub(super) fn flags_of(unit: &Path) -> Option<Flags> {
    let folders = unit.parent()?.ancestors();
    let places = folders.flat_map(|folder| PLACES.iter().map(move |place| folder.join(place)));
    let database = places.into_iter().find(|place| place.is_file())?;
    let bytes = Bounded::regular(&database, MOST_BYTES).and_then(|file| file.all(&never)).ok()?;
    let entries: Vec<Entry> = serde_json::from_slice(&bytes).ok()?;
    let name = unit.file_name()?;
    let real = fs::canonicalize(unit).ok();
    let is_of_unit = |entry: &&Entry| {
        let file = entry.directory.join(&entry.file);
        entry.file.file_name() == Some(name)
            && (file == unit || real.is_some() && fs::canonicalize(file).ok() == real)
    };
    let entry = entries.iter().find(is_of_unit)?;
    let split = || entry.command.as_deref().and_then(shlex::split);
    let arguments = entry.arguments.clone().or_else(split)?;
    Some(Flags::of_command(&arguments, &entry.directory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolchain::CompilerKind;

    #[test]
    fn the_nearest_database_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(root.join("build")).unwrap();
        let unit = root.join("src/k.cu");
        fs::write(&unit, "").unwrap();
        let write = |text: String| fs::write(root.join("build/compile_commands.json"), text).unwrap();
        let at = root.display();
        write(format!(
            r#"[{{"directory": "{at}/build", "file": "../src/other.cu", "command": "nvcc -DX"}},
                {{"directory": "{at}/build", "file": "../src/k.cu",
                  "command": "nvcc -I\"../a b\" -DN=\\\"s\\\" -arch=sm_80 -c ../src/k.cu"}}]"#
        ));
        let flags = flags_of(&unit).unwrap();
        let arguments = flags.for_compiler(CompilerKind::Nvcc);
        assert_eq!(arguments, ["-I", &format!("{at}/build/../a b"), "-D", "N=\"s\""]);
        assert_eq!(flags.compiler.unwrap().kind, CompilerKind::Nvcc);
        assert_eq!(flags.architecture.as_deref(), Some("sm_80"));
        assert_eq!(flags_of(&root.join("src/none.cu")), None);
        write("[{".to_owned());
        assert_eq!(flags_of(&unit), None);
    }
}
