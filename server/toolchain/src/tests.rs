//! Tests in which a script replaces the vendor's tool and does what each case needs.

mod assembler;
mod clang;
mod profiler;
mod shell;

use crate::{
    Compiler, Consent, Disassembler, DisassemblerKind, Limits, Product, Search, ToolError, WorkingFolder,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder that contains a program, removed at the end of the case.
struct Tool {
    folder: TempDir,
    limits: Limits,
}

impl Tool {
    fn new(name: &str, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [script_path, path] = ["script", name].map(|name| folder.path().join(name));
        // Written under another name first: a program that is still open for writing cannot be started.
        fs::write(&script_path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&script_path, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&script_path, path).unwrap();
        let limits = Limits { time: Duration::from_secs(20), output_bytes: 1 << 20, memory_bytes: None };
        Self { folder, limits }
    }

    fn found(&self) -> Disassembler {
        let search = Search { configured: None, path: Some(self.folder.path().into()) };
        Disassembler::find(&search).unwrap()
    }

    fn listing(&self, cancelled: &dyn Fn() -> bool) -> Result<String, ToolError> {
        let consent = Consent::by_command_line();
        patiently(|| self.found().listing(consent, b"cubin's bytes", false, self.limits, cancelled))
    }
}

/// Retries while starting the script fails with "text file busy": a child that another thread has just forked still
/// holds the script open for writing.
fn patiently<T>(mut start: impl FnMut() -> Result<T, ToolError>) -> Result<T, ToolError> {
    for _ in 0..50 {
        match start() {
            Err(ToolError::NotStarted { why, .. }) if why.contains("busy") => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
    panic!("the script stays busy");
}

const GO_ON: &dyn Fn() -> bool = &|| false;

#[test]
fn the_listing_is_what_the_tool_prints_for_the_bytes() {
    let tool = Tool::new("nvdisasm", r#"echo "$1 $2 $#"; cat "$3"; echo; pwd; ls -ld ."#);
    let listing = tool.listing(GO_ON).unwrap();
    let lines: Vec<&str> = listing.lines().collect();
    assert_eq!(lines[..2], ["-hex -c 3", "cubin's bytes"]);
    assert!(lines[3].starts_with("drwx------"), "{listing}");
    assert!(lines[2].contains("warplens-") && !PathBuf::from(lines[2]).exists(), "{listing}");
}

#[test]
fn nvdisasm_goes_before_cuobjdump() {
    let tool = Tool::new("cuobjdump", r#"echo "$1 $#""#);
    assert_eq!(tool.found().kind, DisassemblerKind::Cuobjdump);
    assert_eq!(tool.listing(GO_ON).as_deref(), Ok("-sass 2\n"));
    let other = Tool::new("nvdisasm", "true");
    let both = std::env::join_paths([tool.folder.path(), other.folder.path()]).unwrap();
    let found = Disassembler::find(&Search { configured: None, path: Some(both) }).unwrap();
    assert_eq!(found.kind, DisassemblerKind::Nvdisasm);
}

#[test]
fn a_configured_path_goes_before_all_and_must_lead_somewhere() {
    let tool = Tool::new("cuobjdump-12.8", "true");
    let other = Tool::new("nvdisasm", "true");
    let path = Some(other.folder.path().into());
    let find = |configured: PathBuf| {
        Disassembler::find(&Search { configured: Some(configured), path: path.clone() })
    };
    assert_eq!(find(tool.folder.path().join("cuobjdump-12.8")).unwrap().kind, DisassemblerKind::Cuobjdump);
    assert_eq!(find(other.folder.path().to_owned()).unwrap().path, other.folder.path().join("nvdisasm"));
    let nowhere = tool.folder.path().join("nowhere");
    assert_eq!(find(nowhere.clone()), Err(ToolError::NoProgram(nowhere)));
}

#[test]
fn a_missing_tool_is_said() {
    let folder = Tool::new("something", "true");
    let relative = Search { configured: None, path: Some("bin:.:".into()) };
    assert_eq!(Disassembler::find(&relative), Err(ToolError::Missing));
    let search = Search { configured: None, path: Some(folder.folder.path().into()) };
    assert_eq!(Disassembler::find(&search), Err(ToolError::Missing));
    assert!(ToolError::Missing.to_string().contains("nvdisasm"));
}

#[test]
fn what_takes_too_long_is_stopped_with_all_that_it_started() {
    let mut tool = Tool::new("nvdisasm", "sleep 60 & echo $! >&2; sleep 60");
    tool.limits.time = Duration::from_millis(200);
    let start = Instant::now();
    let error = tool.listing(GO_ON).unwrap_err();
    assert!(matches!(error, ToolError::TooLong { .. }), "{error}");
    assert_eq!(error.to_string(), "nvdisasm took longer than 0.2 s and was stopped");
    // The pipes are closed only when the second sleep has ended too.
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn what_is_left_running_does_not_hold_up_the_end() {
    let tool = Tool::new("nvdisasm", "sleep 60 & echo listing");
    let start = Instant::now();
    assert_eq!(tool.listing(GO_ON).as_deref(), Ok("listing\n"));
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Tests run without a supervisor, so a process that has left the tool's process group is neither killed nor waited
/// for.
#[test]
fn what_leaves_its_group_and_holds_the_pipes_is_not_waited_for() {
    let mut tool = Tool::new("nvdisasm", "(setsid sleep 6 &); sleep 60");
    tool.limits.time = Duration::from_millis(300);
    let start = Instant::now();
    assert!(matches!(tool.listing(GO_ON), Err(ToolError::TooLong { .. })));
    let tool = Tool::new("nvdisasm", "(setsid sleep 6 &); echo listing");
    assert_eq!(tool.listing(GO_ON).as_deref(), Ok("listing\n"));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_long_line_of_a_failed_tool_is_cut() {
    let tool = Tool::new("nvdisasm", "head -c 16000 /dev/zero | tr '\\0' x >&2; exit 1");
    let error = tool.listing(GO_ON).unwrap_err().to_string();
    assert!(error.starts_with("nvdisasm failed (exit status: 1): xxx") && error.ends_with("x…"), "{error}");
    assert!(error.len() < 400, "{error}");
}

#[test]
fn what_writes_too_much_is_stopped() {
    let mut tool = Tool::new("nvdisasm", "while :; do echo 0123456789abcdef; done");
    tool.limits.output_bytes = 10_000;
    let error = tool.listing(GO_ON).unwrap_err();
    assert_eq!(error, ToolError::TooMuch { program: "nvdisasm".to_owned(), limit: 10_000 });
    let mut exact = Tool::new("nvdisasm", "printf 12345");
    exact.limits.output_bytes = 5;
    assert_eq!(exact.listing(GO_ON).as_deref(), Ok("12345"));
    exact.limits.output_bytes = 4;
    assert!(matches!(exact.listing(GO_ON), Err(ToolError::TooMuch { .. })));
}

#[test]
fn a_failure_reports_the_first_line_of_its_output() {
    let script = r#"echo "" >&2; echo "nvdisasm fatal : unknown architecture" >&2; echo more >&2; exit 3"#;
    let error = Tool::new("nvdisasm", script).listing(GO_ON).unwrap_err().to_string();
    assert_eq!(error, "nvdisasm failed (exit status: 3): nvdisasm fatal : unknown architecture");
    let silent = Tool::new("nvdisasm", "kill -9 $$").listing(GO_ON).unwrap_err().to_string();
    assert!(silent.contains("signal: 9") && silent.ends_with("it gave no reason"), "{silent}");
    // Unread errors do not stop the tool.
    let loud = Tool::new("nvdisasm", "head -c 300000 /dev/zero >&2; echo listing");
    assert_eq!(loud.listing(GO_ON).as_deref(), Ok("listing\n"));
    let nothing = Tool::new("nvdisasm", "true").listing(GO_ON).unwrap_err();
    assert_eq!(nothing, ToolError::Nothing { program: "nvdisasm".to_owned() });
}

#[test]
fn runs_without_a_waiting_caller_are_stopped() {
    let tool = Tool::new("nvdisasm", "sleep 60");
    let start = Instant::now();
    let error = tool.listing(&|| start.elapsed() > Duration::from_millis(50)).unwrap_err();
    assert_eq!(error, ToolError::Cancelled { program: "nvdisasm".to_owned() });
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn an_untrusted_workspace_gives_no_consent() {
    assert!(Consent::by_trusted_workspace(false).is_none());
    assert!(Consent::by_trusted_workspace(true).is_some());
}

#[test]
fn the_vendors_own_tool_prints_control_codes() {
    let cubin = include_bytes!("../../syntax/tests/cubins/sm_90.cubin");
    let Ok(tool) = Disassembler::find(&Search::from_environment(None)) else {
        testkit::left_out("neither nvdisasm nor cuobjdump is on PATH");
        return;
    };
    let consent = Consent::by_command_line();
    let listing = tool.listing(consent, cubin, true, Limits::default(), GO_ON).unwrap();
    assert!(listing.contains("EXIT") && listing.contains("tile") && listing.contains("/* 0x"), "{listing}");
    if tool.kind == DisassemblerKind::Nvdisasm {
        assert!(listing.contains("//## File \"/src/kernels.cu\", line 14"), "{listing}");
    }
}

#[test]
fn nvcc_is_the_one_of_cuda_home_or_on_path() {
    let tool = Tool::new("nvcc", "true");
    let path = Some(tool.folder.path().into());
    assert_eq!(Compiler::find(None, path.clone()).unwrap().path, tool.folder.path().join("nvcc"));
    assert_eq!(Compiler::find(None, None), Err(ToolError::NoCompiler));
    // A toolkit takes precedence over PATH if it contains a compiler.
    let of_path = Compiler::find(Some(tool.folder.path()), path.clone()).unwrap().path;
    assert_eq!(of_path, tool.folder.path().join("nvcc"));
    let error = Compiler::find(Some(tool.folder.path()), None).unwrap_err();
    assert_eq!(error, ToolError::NoToolkit(tool.folder.path().to_owned()));
    fs::create_dir(tool.folder.path().join("bin")).unwrap();
    fs::copy(tool.folder.path().join("nvcc"), tool.folder.path().join("bin/nvcc")).unwrap();
    assert_eq!(
        Compiler::find(Some(tool.folder.path()), path).unwrap().path,
        tool.folder.path().join("bin/nvcc")
    );
}

#[test]
fn programs_of_a_workplace_share_its_files() {
    let compiler = Tool::new("nvcc", r#"while [ "$1" != -o ]; do shift; done; cp "$3" "$2"; chmod +x "$2""#);
    let compiler = Compiler { path: compiler.folder.path().join("nvcc") };
    let consent = Consent::by_command_line();
    let place = WorkingFolder::private().unwrap();
    place.write("a.cu", b"#!/bin/sh\necho \"$1\"; cat a.cu | wc -l\n").unwrap();
    let names = ("a.cu", "a.cubin");
    patiently(|| compiler.compile(consent, &place, names, Product::Cubin(90), Limits::default())).unwrap();
    assert_eq!(place.read("a.cubin").unwrap(), place.read("a.cu").unwrap());
    compiler.compile(consent, &place, ("a.cu", "a"), Product::DriverProgram, Limits::default()).unwrap();
    let output = place.run_own(consent, "a", &["one"], Limits::default()).unwrap();
    assert_eq!(String::from_utf8(output).unwrap().split_whitespace().collect::<Vec<_>>(), ["one", "2"]);
    let folder = place.folder().to_owned();
    drop(place);
    assert!(!folder.exists(), "a private one goes");
    let kept = WorkingFolder::kept(&folder.join("deep")).unwrap();
    kept.write("x", b"y").unwrap();
    drop(kept);
    assert_eq!(fs::read(folder.join("deep/x")).unwrap(), b"y", "the user's stays");
    let error = WorkingFolder::kept(&folder.join("deep")).unwrap_err().to_string();
    assert!(error.ends_with("is not empty; expected a new or empty folder"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}
