//! Settings that change while a document is open.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Config, Host, LaunchFile};

const TEXT: &str = "        code for sm_90\n                Function : k\n        /*0000*/                   LDG.E R4, [R2.64] ;\n";

fn opened() -> Host {
    let mut host = host();
    host.open(DOCUMENT, 1, TEXT);
    host
}

fn config(gpu: &str) -> Config {
    Config { gpu: gpu.to_owned(), ..Config::default() }
}

fn launches(text: &str) -> LaunchFile {
    LaunchFile::parse("launches", text).expect("the file is right")
}

fn hints(host: &Host) -> Vec<String> {
    let hints = snapshot(host).hints(0..TEXT.len()).expect("nothing cancels it");
    hints.into_iter().map(|hint| hint.label).collect()
}

#[test]
fn a_wrong_setting_leaves_the_previous_in_force() {
    let mut host = opened();
    host.configure(config("t4")).expect("it is known");
    let message = host.configure(config("t5")).unwrap_err().to_string();
    assert!(message.contains("t5") && message.contains("t4") && !message.contains('\n'), "{message}");
    assert_eq!(snapshot(&host).gpu_name(), "Tesla T4 (set; the file is sm_90 code)");
    assert_eq!(host.config().gpu, "t4");

    host.configure(Config::default()).expect("it names no GPU");
    host.set_launches(Some(launches("gpu = \"v100\""))).expect("it is known");
    assert!(host.set_launches(Some(launches("gpu = \"w100\""))).is_err());
    assert!(snapshot(&host).gpu_name().contains("V100"), "{}", snapshot(&host).gpu_name());
}

#[test]
fn another_gpu_changes_the_times_and_back_again() {
    let mut host = opened();
    let of_h100 = hints(&host);
    host.configure(config("t4")).expect("it is known");
    let of_t4 = hints(&host);
    assert_ne!(of_h100, of_t4);
    let computed = host.models_computed();
    host.configure(Config::default()).expect("it names no GPU");
    assert_eq!(hints(&host), of_h100);
    assert_eq!(host.models_computed(), computed, "the model of the first GPU is still known");
}

#[test]
fn a_snapshot_keeps_the_settings_and_the_text_that_it_was_taken_under() {
    let mut host = opened();
    let before = snapshot(&host);
    host.configure(config("t4")).expect("it is known");
    host.open(DOCUMENT, 2, "");
    assert_eq!(before.version(), 1);
    assert!(before.gpu_name().contains("sm_90"), "{}", before.gpu_name());
    assert!(!before.hints(0..TEXT.len()).expect("nothing cancels it").is_empty());
}

#[test]
fn launches_are_taken_back() {
    let mut host = opened();
    let titles = |host: &Host| -> Vec<String> {
        let lenses = snapshot(host).lenses().expect("nothing cancels it");
        lenses.into_iter().map(|lens| lens.title).collect()
    };
    let assumed = titles(&host);
    host.set_launches(Some(launches(
        "[[launch]]\nname = \"one\"\nfunction = \"k\"\ngrid = [1]\nblock = [32]",
    )))
    .expect("right");
    let stated = titles(&host);
    assert!(stated[0].starts_with("one: ") && stated != assumed, "{stated:?}");
    host.set_launches(None).expect("it names no GPU");
    assert_eq!(titles(&host), assumed);
}
