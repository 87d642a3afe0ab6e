//! Lists that must be complete: requests in the fuzzer and the protocol, folders in ARCHITECTURE, README figures.

use crate::repo::Repo;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Repo::find().unwrap().path(path)).unwrap()
}

/// Returns the texts between double quotes.
fn quoted(text: &str) -> BTreeSet<&str> {
    text.split('"').skip(1).step_by(2).collect()
}

/// Returns the requests in `lsp/src/server/handlers.rs`: first the names of the handlers for requests of the
/// protocol, then the names of our own requests.
fn requests() -> (BTreeSet<String>, BTreeSet<String>) {
    let table = read("server/lsp/src/server/handlers.rs");
    let rows = table.rsplit("methods! {").next().unwrap();
    let (of_protocol, own) = rows.split_once("own_requests {").unwrap();
    let (of_protocol, _) = of_protocol.split_once("notifications {").unwrap();
    let handlers = of_protocol.lines().filter(|line| line.ends_with(';'));
    let handlers = handlers.filter_map(|line| Some(line.trim().split_once(':')?.0.to_owned())).collect();
    let own = quoted(own).into_iter().filter(|text| text.starts_with("warplens/")).map(str::to_owned);
    (handlers, own.collect())
}

#[test]
fn the_fuzzer_sends_every_request() {
    let messages = read("tests/e2e/fuzz/messages.rs");
    let sent: Vec<String> =
        quoted(&messages).into_iter().map(|text| text.replace('/', "").to_lowercase()).collect();
    let (handlers, own) = requests();
    assert!(handlers.len() > 20 && own.len() > 10, "the lists are read");
    assert!(messages.contains("/server/lsp/src/server/handlers.rs"), "our own requests are read there");
    let is_sent = |name: &str| {
        let plain = name.trim_start_matches("goto_").replace(['_', '/'], "").to_lowercase();
        // The protocol's method is `completionItem/resolve`.
        let plain = plain.replace("completionresolve", "completionitemresolve");
        sent.iter().any(|sent| sent.ends_with(&plain))
    };
    let missing: Vec<&String> = handlers.iter().filter(|name| !is_sent(name)).collect();
    assert!(missing.is_empty(), "tests/e2e/fuzz/messages.rs sends none of {missing:?}");
}

#[test]
fn the_protocol_page_has_every_request_of_our_own() {
    let page = read("server/docs/protocol.md");
    let (_, own) = requests();
    let missing: Vec<&String> = own.iter().filter(|name| !page.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "server/docs/protocol.md lacks {missing:?}");
}

#[test]
fn architecture_names_every_folder() {
    let repo = Repo::find().unwrap();
    let text = read("server/ARCHITECTURE.md");
    let folders = |path: &Path| -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let folders = entries.map(|entry| entry.unwrap()).filter(|entry| entry.file_type().unwrap().is_dir());
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let mut missing = Vec::new();
    for package in folders(&repo.path("server")) {
        let inner = folders(&repo.path("server").join(&package).join("src"));
        for folder in inner.into_iter().filter(|folder| folder != "tests") {
            let names = [format!("{folder}/"), format!("`{folder}`")];
            if !names.iter().any(|name| text.contains(name.as_str())) {
                missing.push(format!("{package}/src/{folder}"));
            }
        }
    }
    missing.sort();
    assert!(missing.is_empty(), "server/ARCHITECTURE.md names none of {missing:#?}");
}

/// Kinds of additions that CONTRIBUTING must explain. Each is the beginning of a paragraph there.
const ADDITIONS: [&str; 16] = [
    "A number of a GPU",
    "A micro-benchmark",
    "An opcode",
    "A PTX instruction",
    "A chip",
    "A rule",
    "A fact about CUDA",
    "A step",
    "A code action",
    "A profile guide",
    "A setting",
    "A key of `warplens.toml`",
    "A request",
    "A subcommand",
    "A parser",
    "A guard",
];

#[test]
fn contributing_says_how_each_kind_of_thing_is_added() {
    let text = read("server/CONTRIBUTING.md");
    let is_missing = |kind: &&str| !text.contains(&format!("- **{kind}"));
    let missing: Vec<&str> = ADDITIONS.into_iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "server/CONTRIBUTING.md does not say how to add {missing:?}");
}

/// Returns the numbers before ` %` in a text that have a decimal point.
fn percentages(text: &str) -> BTreeSet<String> {
    let before = text.split(" %").map(|part| {
        part.rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or_default().to_owned()
    });
    before.filter(|figure| figure.contains('.') && figure.parse::<f64>().is_ok()).collect()
}

#[test]
fn readmes_have_the_figures_of_the_accuracy_page() {
    let page = percentages(&read("server/docs/accuracy.md"));
    let mut wrong = Vec::new();
    for readme in ["README.md", "editors/README.md", "editors/vscode/README.md", "editors/nvim/README.md"] {
        let own = percentages(&read(readme));
        wrong.extend(own.difference(&page).map(|figure| format!("{readme}: {figure} %")));
    }
    assert!(wrong.is_empty(), "not in server/docs/accuracy.md: {wrong:?}");
}
