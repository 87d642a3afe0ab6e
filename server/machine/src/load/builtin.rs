//! The files under `data/`, as they were when the program was built.

use super::data::{ArchTexts, Data, UNITS};
use super::isa::IsaTables;
use super::machine::Machine;
use super::table;
use super::text::{DataError, Text};
use std::sync::{Arc, LazyLock};

macro_rules! text {
    ($path:expr) => {
        Text { path: $path, content: include_str!(concat!("../../data/", $path)) }
    };
}

macro_rules! archs {
    ($($sm:literal)*) => {
        [$(ArchTexts {
            sm: $sm,
            sm_toml: text!(concat!("sm_", $sm, "/sm.toml")),
            classes_toml: text!(concat!("sm_", $sm, "/classes.toml")),
            raw_csv: text!(concat!("sm_", $sm, "/raw.csv")),
            distances_csv: text!(concat!("sm_", $sm, "/distances.csv")),
            pipeline_toml: None,
        }),*]
    };
}

/// The machine that ships with the program, read once.
pub(super) fn machine() -> Arc<Machine> {
    static MACHINE: LazyLock<Arc<Machine>> =
        LazyLock::new(|| Arc::new(read().expect("the tests load the same files")));
    MACHINE.clone()
}

pub(super) fn read() -> Result<Machine, DataError> {
    let classes = table::class_names(text!("classes.csv"), &UNITS)?;
    let isa = IsaTables::read(
        text!("isa/opcodes.csv"),
        text!("isa/modifiers.csv"),
        text!("isa/special_registers.csv"),
        text!("isa/operations.csv"),
        &classes,
    )?;
    let mut archs = archs!(35 52 60 61 70 75 80 86 89 90 100 120);
    for arch in archs.iter_mut().filter(|arch| arch.sm == 90) {
        arch.pipeline_toml = Some(text!("sm_90/pipeline.toml"));
    }
    Machine::of(Data::read(classes, isa, &archs, text!("parts.toml"))?)
}
