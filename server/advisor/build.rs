//! Embeds the pages of the guides in the program, and lists the files of the rules.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it embeds")]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let guides = files("src/top_down/guides", "md").into_iter().map(|page| page.display().to_string());
    let pages: Vec<String> = guides.map(|page| format!("include_str!({page:?}),\n")).collect();
    write("guides.rs", &format!("&[\n{}]", pages.concat()));
    write("rules.rs", &rules());
}

/// Declares a module for each file of a rule, and a list of the rules in the order of their names.
fn rules() -> String {
    let files = files("src/rules", "rs");
    let names = files.iter().filter_map(|file| file.file_stem()?.to_str());
    let names: Vec<&str> = names.filter(|name| !["mod", "tests"].contains(name)).collect();
    let modules: Vec<String> = names.iter().map(|name| format!("    mod {name};\n")).collect();
    let list: Vec<String> = names.iter().map(|name| format!("{name}::RULE")).collect();
    format!(
        "#[path = {:?}]\nmod files {{\n{}\n    pub(super) const RULES: &[super::Rule] = &[{}];\n}}\n",
        absolute("src/rules").display().to_string(),
        modules.concat(),
        list.join(", ")
    )
}

/// The files of a folder that have an extension, sorted by name.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={folder}");
    let entries = fs::read_dir(absolute(folder)).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

fn absolute(folder: &str) -> PathBuf {
    Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join(folder)
}

fn write(name: &str, text: &str) {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join(name), text).expect("the output folder can be written");
}
