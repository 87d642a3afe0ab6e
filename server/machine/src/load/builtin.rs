//! The files under `data/`, as they were at build time.

use super::data::{ArchTexts, Data};
use super::isa::IsaTables;
use super::machine::Machine;
use super::table;
use super::text::{DataError, Text, data_text};
use std::sync::{Arc, LazyLock};

/// A chip: the name of its folder, and the names and contents of its files.
pub(super) type Chip<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// The folders of `data`.
pub(super) static CHIPS: &[Chip<'_>] = include!(concat!(env!("OUT_DIR"), "/chips.rs"));

/// Returns the built-in machine data, which are read once.
pub(super) fn machine() -> Arc<Machine> {
    static MACHINE: LazyLock<Arc<Machine>> =
        LazyLock::new(|| Arc::new(read().expect("the tests load the same files")));
    MACHINE.clone()
}

/// Reads the tables that all chips share, and the folder of each chip.
pub(super) fn read() -> Result<Machine, DataError> {
    read_with(CHIPS)
}

/// Reads these chips instead of the built-in chips.
pub(super) fn read_with(chips: &[Chip<'_>]) -> Result<Machine, DataError> {
    let classes = table::class_names(data_text!("classes.csv"))?;
    let isa = IsaTables::read(
        data_text!("isa/opcodes.csv"),
        data_text!("isa/modifiers.csv"),
        data_text!("isa/special_registers.csv"),
        data_text!("isa/operations.csv"),
        data_text!("isa/spellings.csv"),
        &classes,
    )?;
    let files: Vec<ChipFiles<'_>> = chips.iter().map(ChipFiles::new).collect::<Result<_, _>>()?;
    let mut archs: Vec<ArchTexts<'_>> = files.iter().map(ChipFiles::texts).collect::<Result<_, _>>()?;
    archs.sort_by_key(|arch| arch.sm);
    Machine::new(Data::read(classes, isa, &archs)?)
}

/// The files of one chip, by their paths relative to `data`.
struct ChipFiles<'a> {
    sm: u16,
    folder: &'a str,
    /// Path and content.
    files: Vec<(String, &'a str)>,
}

impl<'a> ChipFiles<'a> {
    fn new((folder, files): &Chip<'a>) -> Result<Self, DataError> {
        let sm = folder.strip_prefix("sm_").and_then(|number| number.parse().ok());
        let wrong = || Text { path: folder, content: "" }.error(1, "a folder `sm_` and a number".to_owned());
        let path = |(name, content): &(&str, &'a str)| (format!("{folder}/{name}"), *content);
        Ok(Self { sm: sm.ok_or_else(wrong)?, folder, files: files.iter().map(path).collect() })
    }

    fn find(&self, name: &str) -> Option<Text<'_>> {
        let is_it = |path: &str| path.strip_prefix(self.folder) == Some(&format!("/{name}"));
        let found = self.files.iter().find(|(path, _)| is_it(path));
        found.map(|(path, content)| Text { path, content })
    }

    fn texts(&self) -> Result<ArchTexts<'_>, DataError> {
        let file = |name: &str| {
            let lacks = || Text { path: self.folder, content: "" }.error(1, format!("a file `{name}`"));
            self.find(name).ok_or_else(lacks)
        };
        Ok(ArchTexts {
            sm: self.sm,
            sm_toml: file("sm.toml")?,
            classes_toml: self.find("classes.toml"),
            raw_csv: self.find("raw.csv"),
            distances_csv: self.find("distances.csv"),
            parts_toml: file("parts.toml")?,
            pipeline_toml: self.find("pipeline.toml"),
        })
    }
}
