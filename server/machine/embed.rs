//! Tables for build scripts, which embed the files of a folder in the program.

use std::path::Path;
use std::{env, fs};

/// Returns the full path of a folder of the crate.
pub(crate) fn absolute(folder: &str) -> String {
    let of_crate = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    Path::new(&of_crate).join(folder).display().to_string()
}

/// Returns a text for each file or folder in `folder`, in ascending order. `item` is called with the name and the full
/// path; `None` leaves the file out.
pub(crate) fn items(folder: &str, item: impl Fn(&str, &str) -> Option<String>) -> Vec<String> {
    println!("cargo::rerun-if-changed={folder}");
    let folder = absolute(folder);
    let entries = fs::read_dir(&folder).expect("the folder exists");
    let items = entries.filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        item(&name, &Path::new(&folder).join(&name).display().to_string())
    });
    let mut items: Vec<String> = items.collect();
    items.sort();
    items
}

/// Returns Rust source text for a slice whose elements are the texts of [`items`].
pub(crate) fn table(folder: &str, item: impl Fn(&str, &str) -> Option<String>) -> String {
    format!("&[\n{}]", items(folder, item).concat())
}

/// Writes a table to the output folder.
pub(crate) fn write(name: &str, table: &str) {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join(name), table).expect("the output folder can be written");
}
