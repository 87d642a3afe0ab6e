//! Reads the compiler flags of a unit from `compile_commands.json`.

use crate::read::BoundedFile;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};
use std::fmt;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use toolchain::Flags;

/// Maximum size of a database that is read, in bytes.
const MAX_BYTES: u64 = 128 << 20; // limit: the largest projects have some tens of megabytes

/// Maximum size of one entry's arguments, in bytes: their text plus `ARGUMENT_BYTES` for each argument. A larger
/// entry is ignored.
const MAX_ENTRY_BYTES: usize = 1 << 20; // limit: a compiler command has some kilobytes

const ARGUMENT_BYTES: usize = size_of::<String>(); // limit: what a vector takes for each argument

/// Paths of a database, relative to the unit's folder or to a folder above it.
const PLACES: [&str; 2] = ["compile_commands.json", "build/compile_commands.json"];

/// Names that mark a folder as a project's root, in order of precedence.
const PROJECTS: [&str; 2] = [".git", "warplens.toml"];

/// One entry, in the format of LLVM's compilation databases.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Arguments>,
    command: Option<String>,
}

/// Flags of a unit's build.
pub(super) struct BuildFlags {
    pub(super) flags: Flags,
    /// True if the nearest database has an entry for the unit.
    pub(super) has_entry: bool,
}

/// Returns the flags that a `warplens.toml` in `folder` states, followed by those of [`flags_of`].
pub(super) fn build_flags(
    unit: &Path,
    stated: &[String],
    folder: Option<&Path>,
    workspace: Option<&Path>,
    is_stopped: &dyn Fn() -> bool,
) -> BuildFlags {
    let by_file = Flags::of_build(stated, folder.unwrap_or(Path::new("/")));
    let by_build = flags_of(unit, workspace, is_stopped);
    let has_entry = by_build.is_some();
    BuildFlags { flags: by_file.over(by_build.unwrap_or_default()), has_entry }
}

/// Returns the flags of a unit from the nearest database; `None` if the database has no entry for the unit or cannot
/// be read. `unit` is an absolute path.
///
/// Searches the unit's folder and its ancestors, up to the workspace's folder or, without a workspace, up to the
/// project's root. A symbolic link that leads out of the searched folder is followed only if its target belongs to
/// the folder's owner.
fn flags_of(unit: &Path, workspace: Option<&Path>, is_stopped: &dyn Fn() -> bool) -> Option<Flags> {
    let parent = unit.parent()?;
    let folder = fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned());
    let root = root_of(&folder, workspace);
    let folders = folder.ancestors().take_while(|folder| folder.starts_with(&root));
    let places = folders.flat_map(|folder| PLACES.iter().map(move |place| folder.join(place)));
    let database = places.into_iter().find(|place| place.is_file() && is_within(&root, place))?;
    let read = || {
        let file = BoundedFile::regular(&database, MAX_BYTES).map_err(|why| why.to_string())?;
        let file = BufReader::with_capacity(1 << 16, file.stepwise(is_stopped));
        let mut reader = serde_json::Deserializer::from_reader(file);
        let wanted = SearchedUnit { unit, real: fs::canonicalize(unit).ok() };
        wanted.deserialize(&mut reader).map_err(|why| why.to_string())
    };
    let entry = read().unwrap_or_else(|why| {
        tracing::info!("{} is not read: {why}", database.display());
        None
    })?;
    let split = || entry.command.as_deref().filter(|it| it.len() <= MAX_ENTRY_BYTES).and_then(shlex::split);
    let arguments = match entry.arguments {
        Some(Arguments(words)) => words?,
        None => split()?,
    };
    Some(Flags::of_command(&arguments, &entry.directory))
}

/// Returns the folder up to which files of a folder's project are searched: the workspace's folder or, outside of it,
/// the root of the project.
pub(super) fn root_of(folder: &Path, workspace: Option<&Path>) -> PathBuf {
    let workspace = workspace.and_then(|workspace| fs::canonicalize(workspace).ok());
    workspace.filter(|root| folder.starts_with(root)).unwrap_or_else(|| project(folder))
}

/// Returns the folder of [`root_of`]; `None` if the folder belongs neither to the workspace nor to a project.
pub(super) fn project_of(folder: &Path, workspace: Option<&Path>) -> Option<PathBuf> {
    let root = root_of(folder, workspace);
    (root != folder || PROJECTS.iter().any(|name| root.join(name).exists())).then_some(root)
}

/// Root of the project that a folder belongs to.
fn project(folder: &Path) -> PathBuf {
    let around = |name: &&str| folder.ancestors().find(|folder| folder.join(name).exists());
    PROJECTS.iter().find_map(around).unwrap_or(folder).to_owned()
}

/// True if a file lies in the folder `root` after links are resolved, or if the file belongs to the folder's
/// owner.
fn is_within(root: &Path, file: &Path) -> bool {
    let Ok(real) = fs::canonicalize(file) else { return false };
    real.starts_with(root) || has_owner_of(root, &real)
}

#[cfg(unix)]
fn has_owner_of(root: &Path, file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| fs::metadata(path).map(|own| own.uid()).ok();
    owner(root).is_some() && owner(root) == owner(file)
}

/// Always true: file owners are unknown on this system.
#[cfg(not(unix))]
fn has_owner_of(_: &Path, _: &Path) -> bool {
    true
}

/// The arguments of an entry; `None` if they exceed [`MAX_ENTRY_BYTES`].
#[derive(Debug)]
struct Arguments(Option<Vec<String>>);

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ArgumentsVisitor;
        impl<'de> Visitor<'de> for ArgumentsVisitor {
            type Value = Arguments;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of arguments")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Arguments, A::Error> {
                let (mut words, mut bytes) = (Vec::new(), 0);
                while let Some(word) = list.next_element::<String>()? {
                    bytes += word.len() + ARGUMENT_BYTES;
                    if bytes > MAX_ENTRY_BYTES {
                        while list.next_element::<IgnoredAny>()?.is_some() {}
                        return Ok(Arguments(None));
                    }
                    words.push(word);
                }
                Ok(Arguments(Some(words)))
            }
        }
        deserializer.deserialize_seq(ArgumentsVisitor)
    }
}

/// The unit whose entry is searched for in the database.
struct SearchedUnit<'a> {
    unit: &'a Path,
    /// The path with links resolved; `None` if that failed.
    real: Option<PathBuf>,
}

impl SearchedUnit<'_> {
    fn is_of(&self, entry: &Entry) -> bool {
        let file = entry.directory.join(&entry.file);
        entry.file.file_name() == self.unit.file_name()
            && (file == self.unit || self.real.is_some() && fs::canonicalize(file).ok() == self.real)
    }
}

impl<'de> DeserializeSeed<'de> for SearchedUnit<'_> {
    type Value = Option<Entry>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Entry>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

/// Reads one entry at a time and keeps the first that belongs to the unit.
impl<'de> Visitor<'de> for SearchedUnit<'_> {
    type Value = Option<Entry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of compile commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<Entry>, A::Error> {
        let mut found = None;
        while let Some(entry) = list.next_element::<Entry>()? {
            if self.is_of(&entry) {
                found = Some(entry);
                break;
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::never;
    use toolchain::CompilerKind;

    fn found(unit: &Path, workspace: Option<&Path>) -> Option<Flags> {
        flags_of(unit, workspace, &never)
    }

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
        fs::create_dir(root.join(".git")).unwrap();
        let flags = found(&unit, None).unwrap();
        let arguments = flags.for_compiler(CompilerKind::Nvcc);
        assert_eq!(arguments, ["-I", &format!("{at}/build/../a b"), "-D", "N=\"s\""]);
        assert_eq!(flags.compiler.unwrap().kind, CompilerKind::Nvcc);
        assert_eq!(flags.architecture.as_deref(), Some("sm_80"));
        assert_eq!(found(&root.join("src/none.cu"), None), None);
        write("[{".to_owned());
        assert_eq!(found(&unit, None), None);
    }

    /// Creates a folder with a unit in `ws/src`, and with a database for that unit in each folder of
    /// `databases`.
    fn folder_with(databases: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let unit = root.join("ws/src/k.cu");
        fs::create_dir_all(unit.parent().unwrap()).unwrap();
        fs::write(&unit, "").unwrap();
        for place in databases {
            let at = root.join(place);
            fs::create_dir_all(&at).unwrap();
            let name = place.replace('/', "_");
            let text = format!(
                r#"[{{"directory": "/", "file": {unit:?}, "arguments": ["nvcc", "-DOF_{name}", "-c", "k.cu"]}}]"#
            );
            fs::write(at.join("compile_commands.json"), text).unwrap();
        }
        (folder, unit)
    }

    fn given(flags: Option<Flags>) -> Vec<String> {
        flags.map(|flags| flags.for_compiler(CompilerKind::Clang)).unwrap_or_default()
    }

    #[test]
    fn no_database_above_the_workspace_or_the_project_is_read() {
        let (folder, unit) = folder_with(&["", "build"]);
        let ws = folder.path().join("ws");
        assert_eq!(given(found(&unit, Some(&ws))), <[String; 0]>::default());
        // Without a workspace and a project, only the unit's folder is searched.
        assert_eq!(given(found(&unit, None)), <[String; 0]>::default());
        fs::write(ws.join("warplens.toml"), "").unwrap();
        assert_eq!(given(found(&unit, None)), <[String; 0]>::default());
        // A version-control folder takes precedence over a settings file below it.
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert_eq!(given(found(&unit, None)), ["-DOF_"]);
        assert_eq!(given(found(&unit, Some(&ws))), <[String; 0]>::default());
        let (folder, unit) = folder_with(&["ws", "ws/build"]);
        assert_eq!(given(found(&unit, Some(&folder.path().join("ws")))), ["-DOF_ws"]);
        assert_eq!(given(found(&unit, Some(folder.path()))), ["-DOF_ws"]);
        // `..` in the path of a unit does not lead to another folder.
        let roundabout = folder.path().join("ws/src/../src/k.cu");
        assert_eq!(given(found(&roundabout, Some(&folder.path().join("ws")))), ["-DOF_ws"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_to_the_database_of_a_build_elsewhere() {
        let (folder, unit) = folder_with(&["elsewhere"]);
        let ws = folder.path().join("ws");
        let link = ws.join("compile_commands.json");
        std::os::unix::fs::symlink(folder.path().join("elsewhere/compile_commands.json"), &link).unwrap();
        assert_eq!(given(found(&unit, Some(&ws))), ["-DOF_elsewhere"]);
    }

    #[test]
    fn a_giant_entry_says_nothing_and_spoils_no_other() {
        let (folder, unit) = folder_with(&[]);
        let ws = folder.path().join("ws");
        let own = format!(r#"{{"directory": "/", "file": {unit:?}, "arguments": ["nvcc", "-DA"]}}"#);
        let many =
            format!(r#"{{"directory": "/", "file": "/x.cu", "arguments": [""{}]}}"#, ",\"\"".repeat(200_000));
        let write = |text: String| fs::write(ws.join("compile_commands.json"), text).unwrap();
        write(format!("[{many}, {own}]"));
        assert_eq!(given(found(&unit, Some(&ws))), ["-DA"]);
        write(format!("[{}]", many.replace("/x.cu", &unit.display().to_string())));
        assert_eq!(found(&unit, Some(&ws)), None);
        write(format!("[{own}]"));
        assert_eq!(flags_of(&unit, Some(&ws), &|| true), None, "nobody waits for it");
        let long = "x".repeat(2 * MAX_ENTRY_BYTES);
        write(format!(r#"[{{"directory": "/", "file": {unit:?}, "command": "nvcc -D{long}"}}]"#));
        assert_eq!(found(&unit, Some(&ws)), None);
        fs::File::create(ws.join("compile_commands.json")).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert_eq!(found(&unit, Some(&ws)), None);
    }
}
