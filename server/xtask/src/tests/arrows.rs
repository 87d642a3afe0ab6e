//! Allowed dependencies between crates, as in `server/ARCHITECTURE.md`; all others are forbidden.

use crate::repo::Repo;
use serde_json::Value;

/// A package and the packages of this workspace that it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("syntax", &[]),
    ("machine", &[]),
    ("profile", &[]),
    ("toolchain", &[]),
    ("testkit", &[]),
    ("model", &["machine", "syntax"]),
    ("advisor", &["machine", "model", "profile", "syntax"]),
    ("tuner", &["machine", "model"]),
    ("ide", &["advisor", "machine", "model", "profile", "syntax", "tuner"]),
    ("lab", &["machine", "model", "toolchain", "tuner"]),
    ("warplens", &["ide", "lab", "toolchain"]),
    ("xtask", &["advisor", "machine"]),
];

/// Packages of the registry that only one of our crates may use: the protocol and its threads stay in one crate.
const AT_ONE_PLACE: &[(&str, &str)] =
    &[("tower-lsp-server", "warplens"), ("tokio", "warplens"), ("ropey", "warplens")];

fn allowed(package: &str) -> Option<&'static [&'static str]> {
    ARROWS.iter().find(|(name, _)| *name == package).map(|(_, allowed)| *allowed)
}

/// True if arrows lead from one package to the other. Tests may also use indirect dependencies of their crate.
fn reaches(package: &str, other: &str) -> bool {
    allowed(package).into_iter().flatten().any(|next| *next == other || reaches(next, other))
}

/// Triples of a package, its dependency, and whether only its tests depend on it.
fn dependencies(repo: &Repo) -> Vec<(String, String, bool)> {
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    repo.packages()
        .iter()
        .flat_map(|package| {
            package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .map(move |dependency| (name(package), name(dependency), dependency["kind"] == "dev"))
        })
        .collect()
}

#[test]
fn no_crate_uses_another_against_the_arrows() {
    let repo = Repo::find().unwrap();
    let ours: Vec<&str> = repo.packages().iter().map(|package| package["name"].as_str().unwrap()).collect();
    let mut wrong = Vec::new();
    for package in &ours {
        // The test suites may use every crate.
        if *package != "tests" && allowed(package).is_none() {
            wrong.push(format!("{package} has no row in the table"));
        }
    }
    for (package, other, dev) in dependencies(&repo) {
        let Some(allowed) = allowed(&package) else { continue };
        let for_tests = dev && (other == "testkit" || reaches(&package, &other));
        if ours.contains(&other.as_str()) && !allowed.contains(&other.as_str()) && !for_tests {
            wrong.push(format!("{package} -> {other}"));
        }
    }
    assert!(wrong.is_empty(), "against the arrows: {}", wrong.join(", "));
    assert!(ours.len() >= 9, "cargo metadata names {} packages", ours.len());
}

#[test]
fn the_arrows_form_no_circle() {
    for (package, _) in ARROWS {
        assert!(!reaches(package, package), "{package} leads back to itself");
    }
    assert!(reaches("advisor", "syntax") && !reaches("model", "advisor"));
}

#[test]
fn the_protocol_stays_in_one_crate() {
    let repo = Repo::find().unwrap();
    for (package, other, dev) in dependencies(&repo) {
        let keeper = AT_ONE_PLACE.iter().find(|(name, _)| *name == other);
        assert!(
            dev || package == "tests" || keeper.is_none_or(|(_, keeper)| *keeper == package),
            "{package} -> {other}"
        );
    }
}
