//! Embeds the pages of the guides in the program.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it embeds")]

use std::path::Path;
use std::{env, fs};

const GUIDES: &str = "src/top_down/guides";

fn main() {
    println!("cargo::rerun-if-changed={GUIDES}");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join(GUIDES);
    let entries = fs::read_dir(&folder).expect("the folder is there");
    let mut pages: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    pages.sort();
    let pages: Vec<String> =
        pages.iter().map(|page| format!("include_str!({:?}),\n", page.display().to_string())).collect();
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("guides.rs"), format!("&[\n{}]", pages.concat()))
        .expect("the output folder can be written");
}
