//! The spread of a type's methods over files, and circles among those files.

use super::{ALLOWED, compare};
use crate::repo::Repo;
use crate::tests::circles::modules::{Crate, Methods};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Largest number of files with inherent methods of one type.
const FILES: usize = 3;
/// Largest number of files of one type that may call each other's methods in a circle.
const CIRCLE: usize = 3;

/// Returns the inherent methods of each type in all crates. The key consists of the crate's name, the type's file and
/// the type's name.
fn types() -> BTreeMap<String, Vec<Methods>> {
    let repo = Repo::find().unwrap();
    let mut types = BTreeMap::<String, Vec<Methods>>::new();
    for package in repo.packages() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        if !manifest.starts_with(repo.path("server")) {
            continue;
        }
        let folder = manifest.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        let roots = ["src/lib.rs", "src/main.rs"].map(|root| manifest.with_file_name(root));
        for root in roots.iter().filter(|root| root.exists()) {
            for methods in Crate::read(root).unwrap().methods() {
                types.entry(format!("{folder} {}", methods.of)).or_default().push(methods);
            }
        }
    }
    types
}

#[test]
fn a_type_is_in_few_files() {
    let spread = types().into_iter().map(|(name, all)| {
        let files: BTreeSet<&str> = all.iter().map(|methods| methods.file.as_str()).collect();
        (name, files.len())
    });
    let found = spread.filter(|(_, files)| *files > FILES).collect();
    compare("types whose methods lie in more than three files", &found, &ALLOWED.spread);
}

#[test]
fn few_files_of_a_type_call_each_other() {
    let found = types().into_iter().map(|(name, all)| (name, largest_circle(&all)));
    let found = found.filter(|(_, files)| *files > CIRCLE).collect();
    compare("types of which more than three files call each other", &found, &ALLOWED.circles);
}

/// Returns the largest number of files of one type whose methods call each other in a circle. Only calls on `self`
/// and `Self` count.
fn largest_circle(all: &[Methods]) -> usize {
    let mut homes = BTreeMap::<&str, BTreeSet<&str>>::new();
    for methods in all {
        for name in &methods.names {
            homes.entry(name).or_default().insert(&methods.file);
        }
    }
    let mut graph = DiGraphMap::<&str, ()>::new();
    for methods in all {
        for called in &methods.called {
            // A method that is defined in several files under `cfg` conditions cannot be attributed to one.
            let Some(files) = homes.get(called.as_str()).filter(|files| files.len() == 1) else { continue };
            for &file in files.iter().filter(|file| **file != methods.file) {
                graph.add_edge(&methods.file, file, ());
            }
        }
    }
    tarjan_scc(&graph).iter().map(Vec::len).max().unwrap_or(0)
}

#[test]
fn a_circle_of_methods_is_found() {
    let methods = |file: &str, name: &str, called: &str| Methods {
        of: "a.rs A".to_owned(),
        file: file.to_owned(),
        names: vec![name.to_owned()],
        called: vec![called.to_owned()],
    };
    let all =
        [methods("a.rs", "one", "two"), methods("b.rs", "two", "three"), methods("c.rs", "three", "one")];
    assert_eq!(largest_circle(&all), 3);
    assert_eq!(largest_circle(&all[..2]), 1);
}
