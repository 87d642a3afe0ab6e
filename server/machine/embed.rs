//! Tables for build scripts, which embed the files of a folder in the program.

use std::path::Path;
use std::{env, fs};

/// Returns the Rust text of a slice with an item for each file or folder in `folder`, in ascending order of the items'
/// texts. `item` is called with the name and the full path; `None` leaves the file out.
pub(crate) fn table(folder: &str, item: impl Fn(&str, &str) -> Option<String>) -> String {
    println!("cargo::rerun-if-changed={folder}");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join(folder);
    let entries = fs::read_dir(&folder).expect("the folder exists");
    let items = entries.filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        item(&name, &folder.join(&name).display().to_string())
    });
    let mut items: Vec<String> = items.collect();
    items.sort();
    format!("&[\n{}]", items.concat())
}

/// Writes a table to the output folder.
pub(crate) fn write(name: &str, table: &str) {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join(name), table).expect("the output folder can be written");
}
