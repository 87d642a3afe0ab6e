//! Invalid runs: each ends with status 2 and one line that says what was expected.

use crate::run::{Folder, LISTING};

#[test]
fn files() {
    let folder = Folder::with_listing()
        .file("empty.sass", "")
        .file("blank.sass", " \n\t\r\n")
        .file("app.cubin", b"\x7fELF\x02\x01\x01\0")
        .file("app.exe", b"MZ\x90\0\x03")
        .file("styles.sass", ".a\n  color: red\n")
        .file("folder/readme.txt", "nothing here\n");
    for (command, expected) in [
        ("analyze folder", "`folder` is a folder; expected a file"),
        ("analyze empty.sass", "`empty.sass` is empty; expected a SASS listing or PTX"),
        ("analyze blank.sass", "`blank.sass` is empty; expected a SASS listing or PTX"),
        ("analyze app.cubin", "`app.cubin`: broken binary: ELF header: Invalid ELF header size or alignment"),
        ("check app.cubin", "`app.cubin`: broken binary: ELF header: Invalid ELF header size or alignment"),
        ("analyze app.exe", "`app.exe` is a binary file; expected a SASS listing as text, or a cubin"),
        (
            "analyze styles.sass",
            "`styles.sass` has no SASS; expected a listing (cuobjdump -sass, nvdisasm) or an assembler \
             source (maxas, KeplerAs, TuringAs, CuAssembler)",
        ),
        ("check folder", "no SASS, PTX or CUDA in `folder`; expected listings, sources or cubins"),
        ("check empty.sass", "`empty.sass` is empty; expected a SASS listing or PTX"),
    ] {
        assert_eq!(folder.run(command).refusal(), expected, "{command}");
    }
}

#[test]
fn arguments() {
    let folder = Folder::with_listing();
    for (command, expected) in [
        ("", "expected a command: lsp, analyze, "),
        (
            "check a.sass --select bank-konflikt",
            "unknown code or group `bank-konflikt` in --select; expected groups (",
        ),
    ] {
        let line = folder.run(command).refusal();
        assert!(line.contains(expected), "{command}: {line}");
    }
}

#[test]
fn an_unknown_gpu_lists_the_known_ones() {
    let folder = Folder::with_listing().file("launches.toml", "gpu = \"voodoo2\"\n");
    for command in ["analyze a.sass --gpu voodoo2", "check a.sass --gpu voodoo2"] {
        let line = folder.run(command).refusal();
        assert!(line.starts_with("unknown GPU `voodoo2`; known: ") && line.contains("h100-sxm"), "{line}");
    }
    let line = folder.run("analyze a.sass --launches launches.toml").refusal();
    assert!(line.starts_with("launches.toml: unknown GPU `voodoo2`; known: "), "{line}");
    assert_eq!(folder.run("analyze a.sass --launches launches.toml --gpu h100-sxm").code, Some(0));
}

#[test]
fn the_list_of_gpus_has_all_their_names() {
    let folder = Folder::with_listing();
    for command in ["analyze --gpu list", "predict -g list", "tune gemm --gpu=list"] {
        let text = folder.run(command).ok();
        let h100 = text.lines().find(|line| line.starts_with("h100-sxm ")).expect("a line");
        assert!(
            h100.contains("H100 SXM5 80 GB") && h100.contains("sm_90") && h100.contains("h100,"),
            "{h100}"
        );
        assert!(text.contains("sm_90   h100-sxm"), "{text}");
    }
    let named = |gpu: &str| folder.run(&format!("analyze a.sass --format json --gpu {gpu}")).ok();
    assert_eq!(named("h100"), named("h100-sxm"));
}

#[test]
fn a_launches_file_that_is_wrong_names_the_line() {
    let wrong = "gpu = \"h100-sxm\"\n\n[[launch]\n";
    let folder = Folder::with_listing().file("launches.toml", wrong).file("sub/b.sass", LISTING);
    let line = folder.run("analyze a.sass --launches launches.toml").refusal();
    assert!(line.starts_with("launches.toml:3: "), "{line}");
    let folder = folder.file("warplens.toml", wrong);
    for command in ["analyze a.sass", "check sub", "analyze sub/b.sass"] {
        let line = folder.run(command).refusal();
        assert!(line.starts_with("warplens.toml:3: "), "{command}: {line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_not_taken_for_success() {
    let folder = Folder::with_listing();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = folder.command("analyze a.sass").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("warplens: cannot write the output: "));
}

#[test]
fn help_and_version_are_no_refusals() {
    let folder = Folder::new();
    assert_eq!(folder.run("--version").ok(), format!("warplens {}\n", env!("CARGO_PKG_VERSION")));
    for command in [
        "--help",
        "analyze --help",
        "cycles --help",
        "predict --help",
        "check --help",
        "calibrate --help",
        "lsp --help",
    ] {
        assert!(folder.run(command).ok().contains("Usage: warplens"), "{command}");
    }
    assert!(folder.run("analyze --help").ok().contains("warplens analyze gemm.sass"));
}
