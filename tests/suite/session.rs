//! The engine with one open text.

use ide::{Analysis, Cancel, Config, Host, LaunchFile};
use machine::Machine;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use testkit::{Answer, Fixture};

/// The only document of a host in these tests.
pub(crate) const DOCUMENT: &str = "fixture";

/// A host without open documents.
pub(crate) fn host() -> Host {
    static MACHINE: LazyLock<Arc<Machine>> = LazyLock::new(Machine::builtin);
    Host::new(Arc::clone(&MACHINE))
}

/// The open document of a host.
pub(crate) fn snapshot(host: &Host) -> Analysis {
    host.snapshot(DOCUMENT, Cancel::default()).expect("the document is open")
}

/// Opens a fixture with the settings of its head: `//! setting: {JSON}`, and `//! launches: …` line by line.
pub(crate) fn open(fixture: &Fixture) -> Analysis {
    let mut host = host();
    for setting in fixture.stated("setting") {
        let value = serde_json::from_str(setting).expect("a setting is JSON");
        host.configure(Config::from_json(&value).expect("a setting is right")).expect("its GPU is known");
    }
    let launches: Vec<&str> = fixture.stated("launches").collect();
    if !launches.is_empty() {
        let file = LaunchFile::parse("launches", &launches.join("\n")).expect("the launches are right");
        host.set_launches(Some(file)).expect("their GPU is known");
    }
    host.open(DOCUMENT, 1, fixture.text());
    snapshot(&host)
}

/// Compares the marks in a feature's folder with the engine's answers.
pub(crate) fn check(feature: &str, answers: impl Fn(&Fixture, &Analysis) -> Vec<Answer>) {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite").join(feature);
    testkit::check_folder(&folder, |fixture| answers(fixture, &open(fixture)));
}
