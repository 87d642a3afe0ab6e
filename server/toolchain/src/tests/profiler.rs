//! Tests of the profiler, which a script replaces.

use super::{GO_ON, Tool, patiently};
use crate::{Consent, Profiler, ProfilerRun, Search, ToolError};
use std::ffi::OsString;

/// A fake ncu: writes its arguments to the report, and runs its last two arguments as a program with one argument.
const NCU: &str = r#"log=$2; while [ $# -gt 2 ]; do [ "$1" = --export ] && report=$2; shift; done
"$1" "$2" || { echo "==ERROR== The application returned an error code (7)." > "$log"; exit 7; }
echo "of $2" > "$report""#;

fn profile(tool: &Tool, command: [&str; 2]) -> Result<Vec<u8>, ToolError> {
    let search = Search { configured: None, path: Some(tool.folder.path().into()) };
    let profiler = Profiler::find(&search).unwrap();
    let command = command.map(OsString::from);
    let profiled =
        ProfilerRun { command: &command, folder: tool.folder.path(), kernel: None, limits: tool.limits };
    patiently(|| profiler.profile(Consent::by_command_line(), profiled, &|_| (), GO_ON))
}

fn program(tool: &Tool, script: &str) -> String {
    let path = tool.folder.path().join("program.sh");
    std::fs::write(&path, script).unwrap();
    path.display().to_string()
}

#[test]
fn the_report_is_what_the_profiler_wrote_of_the_program() {
    let tool = Tool::new("ncu", NCU);
    let program = program(&tool, "exit 0");
    assert_eq!(profile(&tool, ["/bin/sh", &program]), Ok(format!("of {program}\n").into_bytes()));
}

#[test]
fn a_program_that_fails_says_why_in_its_last_line() {
    let tool = Tool::new("ncu", NCU);
    let program = program(&tool, "seq 100000 >&2; echo 'no such device' >&2; echo >&2; exit 1");
    let error = profile(&tool, ["/bin/sh", &program]).unwrap_err();
    assert_eq!(error.to_string(), "ncu failed (exit status: 7): no such device");
    let silent = self::program(&tool, "exit 1");
    let error = profile(&tool, ["/bin/sh", &silent]).unwrap_err().to_string();
    assert_eq!(error, "ncu failed (exit status: 7): The application returned an error code (7).");
}

#[test]
fn what_the_profiler_complains_of_goes_before_what_the_program_says() {
    let script = r#"echo "==ERROR== ERR_NVGPUCTRPERM: no permission" > "$2"; echo other >&2; exit 1"#;
    let error = profile(&Tool::new("ncu", script), ["a", "b"]).unwrap_err().to_string();
    assert_eq!(error, "ncu failed (exit status: 1): ERR_NVGPUCTRPERM: no permission");
    let error = profile(&Tool::new("ncu", "exit 0"), ["a", "b"]).unwrap_err().to_string();
    assert_eq!(error, "ncu failed (no report): no kernel was profiled");
}

#[test]
fn a_program_that_looks_like_an_option_is_refused() {
    let tool = Tool::new("ncu", NCU);
    for program in ["--export", "-f", "-", ""] {
        let error = profile(&tool, [program, "x"]).unwrap_err();
        assert!(matches!(error, ToolError::Argument { program: "ncu", .. }), "{error}");
        assert!(error.to_string().contains("must not begin with a dash"), "{error}");
    }
}

#[test]
fn a_report_is_read_up_to_a_limit_and_through_no_link() {
    let report = r#"while [ "$1" != --export ]; do shift; done; report=$2"#;
    let large = Tool::new("ncu", &format!("{report}; head -c 2000000 /dev/zero > \"$report\""));
    let error = profile(&large, ["true", "x"]).unwrap_err();
    assert_eq!(error.to_string(), "ncu failed (report too large): expected at most 1048576 bytes");
    let link = Tool::new("ncu", &format!("{report}; ln -s /dev/zero \"$report\""));
    assert!(profile(&link, ["true", "x"]).is_err());
}
