//! Embeds files in the program: the pages of `docs/sass` and `docs/ptx`, and the folders of chips in `data`.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it embeds")]

mod embed;

use embed::{table, write};

fn main() {
    let page = |name: &str, path: &str| Some(file(name.strip_suffix(".md")?, path));
    // The names of a chip's folder and of its files, with the texts of the files.
    let chip = |name: &str, _: &str| {
        let files = || table(&format!("data/{name}"), |name, path| Some(file(name, path)));
        name.starts_with("sm_").then(|| format!("({name:?}, {}),\n", files()))
    };
    write("pages.rs", &table("docs/sass", page));
    write("ptx_pages.rs", &table("docs/ptx", page));
    write("chips.rs", &table("data", chip));
}

fn file(name: &str, path: &str) -> String {
    format!("({name:?}, include_str!({path:?})),\n")
}
