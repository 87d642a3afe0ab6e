//! Embeds files in the program: the pages of `docs/sass` and `docs/ptx`, and the folders of chips in `data`.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it embeds")]

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    embed("docs/sass", "pages.rs");
    embed("docs/ptx", "ptx_pages.rs");
    embed_chips();
}

/// Writes a table of the folders `data/sm_XX`: each folder's name with the names and texts of its files. Both levels
/// are sorted by name.
fn embed_chips() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let data = Path::new(&root).join("data");
    println!("cargo::rerun-if-changed=data");
    let mut table = String::from("&[\n");
    for chip in names(&data).into_iter().filter(|name| name.starts_with("sm_")) {
        let folder = data.join(&chip);
        writeln!(table, "({chip:?}, &[").expect("a string takes all");
        for name in names(&folder) {
            let path = folder.join(&name).display().to_string();
            writeln!(table, "({name:?}, include_str!({path:?})),").expect("a string takes all");
        }
        table.push_str("]),\n");
    }
    table.push(']');
    write("chips.rs", &table);
}

/// The names of the entries of a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn write(name: &str, text: &str) {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join(name), text).expect("the output folder can be written");
}

fn embed(pages: &str, table_name: &str) {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = Path::new(&root).join(pages);
    println!("cargo::rerun-if-changed={pages}");
    let mut pages: Vec<String> =
        names(&folder).iter().filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).collect();
    // The order without the extension differs from the order of file names.
    pages.sort();
    let mut table = String::from("&[\n");
    for name in pages {
        let path = folder.join(format!("{name}.md")).display().to_string();
        writeln!(table, "({name:?}, include_str!({path:?})),").expect("a string takes all");
    }
    table.push(']');
    write(table_name, &table);
}
