//! Puts the pages of `docs/sass` and `docs/ptx` into the program: tables of file name and text, sorted by name.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it embeds")]

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    embed("docs/sass", "pages.rs");
    embed("docs/ptx", "ptx_pages.rs");
}

fn embed(pages: &str, table_name: &str) {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = Path::new(&root).join(pages);
    println!("cargo::rerun-if-changed={pages}");
    let entries = fs::read_dir(&folder).expect("the pages are there");
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            entry.ok()?.file_name().into_string().ok()?.strip_suffix(".md").map(str::to_owned)
        })
        .collect();
    names.sort();
    let mut table = String::from("&[\n");
    for name in names {
        let path = folder.join(format!("{name}.md")).display().to_string();
        writeln!(table, "({name:?}, include_str!({path:?})),").expect("a string takes all");
    }
    table.push(']');
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join(table_name), table).expect("the output folder can be written");
}
