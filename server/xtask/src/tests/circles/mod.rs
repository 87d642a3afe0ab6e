//! Checks for circles: cyclic dependencies between the files of a crate.
//!
//! A file depends on another file if a path in it, resolved through `use` and re-exports, leads to an item of the
//! other file. Module declarations (`mod x;`), re-exports (`pub use x::Y`) and test modules are ignored.

pub(super) mod modules;

use modules::Crate;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::path::Path;

/// Maximum number of files in a circle: enough for a type, its parts, and their builder.
const MAX: usize = 3;

/// Files with cyclic dependencies, and the items that cause each dependency.
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
            if circle.files.len() > MAX {
                wrong.push(format!("{name}, {} files:\n  {}", circle.files.len(), circle.uses.join("\n  ")));
            }
        }
    }
    assert!(wrong.is_empty(), "more than {MAX} files in a circle:\n{}", wrong.join("\n"));
}

/// Folders of a crate, the lowest layer first. Files in a folder may depend only on the same folder and on the
/// preceding folders. Files next to the folders may depend on all of them.
struct Layers {
    package: &'static str,
    root: &'static str,
    /// Path of the folders' parent below the root, with a slash at its end.
    within: &'static str,
    folders: &'static [&'static str],
}

const LAYERS: &[Layers] = &[
    Layers {
        package: "ide",
        root: "src/lib.rs",
        within: "",
        folders: &[
            "engine",
            "words",
            "kernels",
            "questions",
            "sass",
            "ptx",
            "cuda",
            "compiled",
            "tune",
            "measured",
            "profiles",
            "launch_text",
            "answers",
        ],
    },
    Layers {
        package: "warplens",
        root: "src/main.rs",
        within: "server/",
        folders: &[
            "transport",
            "documents",
            "workspace",
            "code",
            "profiles",
            "tuning",
            "session",
            "handlers",
        ],
    },
    Layers {
        package: "model",
        root: "src/lib.rs",
        within: "cuda/",
        folders: &["source", "values", "state", "notes", "interpret", "affine", "host"],
    },
];

#[test]
fn no_folder_uses_one_above_it() {
    let repo = crate::repo::Repo::find().unwrap();
    let mut wrong = Vec::new();
    for Layers { package: name, root, within, folders } in LAYERS {
        let is_it = |package: &&serde_json::Value| package["name"] == *name;
        let package = repo.packages().iter().find(is_it).expect("the layers are those of a crate");
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let parsed = Crate::read(&manifest.with_file_name(root)).unwrap();
        let layer = |file: &str| {
            let folder = file.strip_prefix(within)?.split_once('/').map(|(folder, _)| folder);
            Some(folder.map_or(folders.len(), |folder| {
                folders.iter().position(|known| *known == folder).expect("each folder has its layer")
            }))
        };
        for ((from, to), names) in parsed.uses() {
            let (from, to) = (parsed.name(from), parsed.name(to));
            if layer(&from).zip(layer(&to)).is_some_and(|(from, to)| from < to) {
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
