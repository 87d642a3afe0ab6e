//! Files of a crate that use each other in a circle.
//!
//! A file uses another where a path in it, followed through `use` and re-exports, ends at an item of the other. What a
//! file only declares (`mod x;`) or hands on (`pub use x::Y`) it does not use. Modules for tests do not count.

pub(super) mod modules;

use modules::Crate;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::path::Path;

/// Most files that may use each other in a circle: a type, its parts, and what builds them.
const MOST: usize = 3;

/// Files that use each other in a circle, with what each uses of another.
struct Circle {
    files: Vec<String>,
    uses: Vec<String>,
}

/// Returns the circles of a crate, the largest first.
fn circles(root: &Path) -> anyhow::Result<Vec<Circle>> {
    let parsed = Crate::read(root)?;
    let uses = parsed.uses();
    let graph: DiGraphMap<usize, ()> = uses.keys().copied().collect();
    let circle = |files: Vec<usize>| {
        let within = uses.iter().filter(|((from, to), _)| files.contains(from) && files.contains(to));
        let uses = within.map(|((from, to), names)| {
            let names: Vec<&str> = names.iter().copied().collect();
            format!("{} -> {}: {}", parsed.name(*from), parsed.name(*to), names.join(" "))
        });
        let mut uses: Vec<String> = uses.collect();
        uses.sort();
        let mut files: Vec<String> = files.iter().map(|&file| parsed.name(file)).collect();
        files.sort();
        Circle { files, uses }
    };
    let mut circles: Vec<Circle> =
        tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1).map(circle).collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.files.len()));
    Ok(circles)
}

#[test]
fn few_files_use_each_other_in_a_circle() {
    let repo = crate::repo::Repo::find().unwrap();
    let mut wrong = Vec::new();
    for package in repo.packages() {
        let name = package["name"].as_str().unwrap();
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let roots = ["src/lib.rs", "src/main.rs"].map(|root| manifest.with_file_name(root));
        let Some(root) = roots.iter().find(|root| root.exists()) else { continue };
        let circles = circles(root).unwrap();
        let largest = circles.first().map_or(0, |circle| circle.files.len());
        println!("{name}: {} circles, the largest of {largest} files", circles.len());
        for circle in circles {
            println!("  {}", circle.files.join(" "));
            if circle.files.len() > MOST {
                wrong.push(format!("{name}, {} files:\n  {}", circle.files.len(), circle.uses.join("\n  ")));
            }
        }
    }
    assert!(wrong.is_empty(), "more than {MOST} files in a circle:\n{}", wrong.join("\n"));
}

/// The folders of a crate, or of a folder of it, from the lowest to the highest: each uses those before it alone. Files outside
/// of them may use all.
const LAYERS: &[(&str, &str, &[&str])] = &[
    (
        "ide",
        "",
        &["engine", "words", "sass", "ptx", "cuda", "compiled", "tune", "measured", "launch_text", "answers"],
    ),
    ("model", "cuda/", &["source", "values", "state", "notes", "interpret", "affine", "host"]),
];

#[test]
fn no_folder_uses_one_above_it() {
    let repo = crate::repo::Repo::find().unwrap();
    let mut wrong = Vec::new();
    for (name, within, folders) in LAYERS {
        let is_it = |package: &&serde_json::Value| package["name"] == *name;
        let package = repo.packages().iter().find(is_it).expect("the layers are those of a crate");
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let parsed = Crate::read(&manifest.with_file_name("src/lib.rs")).unwrap();
        let layer = |file: &str| {
            let folder = file.strip_prefix(within)?.split_once('/').map(|(folder, _)| folder);
            Some(folder.map_or(folders.len(), |folder| {
                folders.iter().position(|known| *known == folder).expect("each folder has its layer")
            }))
        };
        for ((from, to), names) in parsed.uses() {
            let (from, to) = (parsed.name(from), parsed.name(to));
            let (Some(lower), Some(upper)) = (layer(&from), layer(&to)) else { continue };
            if lower < upper {
                wrong.push(format!("{from} -> {to}: {}", Vec::from_iter(names).join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "against the layers:\n{}", wrong.join("\n"));
}

#[test]
fn a_circle_is_found_through_uses_and_re_exports() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("lib.rs", "mod a; mod b; mod c; pub use b::B;");
    write("a.rs", "use crate::B; pub struct A(B);");
    write("b.rs", "pub struct B; fn f() { vec![crate::a::A::new()]; }");
    write("c.rs", "use crate::{B, a}; fn f(_: B) { a::A::new(); } #[cfg(test)] mod tests { use crate::c; }");
    let found = circles(&folder.path().join("lib.rs")).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].files, ["a.rs", "b.rs"]);
    assert_eq!(found[0].uses, ["a.rs -> b.rs: B", "b.rs -> a.rs: A new"]);
}
