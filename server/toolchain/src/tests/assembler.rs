//! Tests of ptxas: its arguments, and the handling of its results.

use super::{GO_ON, Tool, patiently};
use crate::{Assembled, Assembler, Assembly, Consent, Disassembler, Limits, Message, Severity, ToolError};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A fake ptxas: answers `--list-arch` with three architectures, and runs `script` for any other arguments.
fn ptxas(script: &str) -> Tool {
    Tool::new(
        "ptxas",
        &format!("case \"$1\" in --list-arch) printf '75\\nsm_80\\n90\\n'; exit;; esac\n{script}"),
    )
}

/// Writes the arguments, the text and the folder's permissions to the cubin.
const ECHO: &str = r#"echo "$@" > code.cubin; cat code.ptx >> code.cubin; ls -ld . >> code.cubin"#;

fn assemble(tool: &Tool, assembly: Assembly<'_>) -> Result<Assembled, ToolError> {
    let assembler = Assembler { path: tool.folder.path().join("ptxas") };
    let consent = Consent::by_command_line();
    patiently(|| assembler.assemble(consent, assembly, tool.limits, GO_ON))
}

fn given(assembly: Assembly<'_>) -> String {
    let cubin = assemble(&ptxas(ECHO), assembly).unwrap().cubin.expect("it was written");
    String::from_utf8(cubin).unwrap()
}

#[test]
fn ptxas_is_the_configured_one_or_of_cuda_home_or_on_path() {
    let tool = ptxas("true");
    let folder = tool.folder.path();
    let path = Some(folder.to_owned().into_os_string());
    let found = |configured: Option<&Path>, toolkit: Option<&Path>, path| {
        Assembler::find(configured, toolkit, path).map(|found| found.path)
    };
    assert_eq!(found(None, None, path.clone()), Ok(folder.join("ptxas")));
    assert_eq!(found(None, None, None), Err(ToolError::NoAssembler));
    assert_eq!(found(Some(folder), None, None), Ok(folder.join("ptxas")));
    assert_eq!(found(Some(&folder.join("ptxas")), None, None), Ok(folder.join("ptxas")));
    let nowhere = folder.join("nowhere");
    assert_eq!(found(Some(&nowhere), None, path.clone()), Err(ToolError::NoAssemblerAt(nowhere)));
    // A toolkit without ptxas is skipped.
    assert_eq!(found(None, Some(folder), path.clone()), Ok(folder.join("ptxas")));
    fs::create_dir(folder.join("bin")).unwrap();
    fs::copy(folder.join("ptxas"), folder.join("bin/ptxas")).unwrap();
    assert_eq!(found(None, Some(folder), path), Ok(folder.join("bin/ptxas")));
    assert!(ToolError::NoAssembler.to_string().contains("CUDA toolkit"));
}

#[test]
fn its_own_toolkits_disassembler_goes_first() {
    let tool = ptxas("true");
    fs::copy(tool.folder.path().join("ptxas"), tool.folder.path().join("nvdisasm")).unwrap();
    let assembler = Assembler { path: tool.folder.path().join("ptxas") };
    let found = Disassembler::find(&assembler.disassembler(None)).unwrap();
    assert_eq!(found.path, tool.folder.path().join("nvdisasm"));
    let other = Tool::new("cuobjdump", "true");
    let configured = other.folder.path().join("cuobjdump");
    assert_eq!(
        Disassembler::find(&assembler.disassembler(Some(configured.clone()))).unwrap().path,
        configured
    );
}

#[test]
fn the_text_is_assembled_for_its_own_target() {
    let text = "// é\n.version 8.0\n";
    let said = given(Assembly { text, target: Some("sm_80"), ..Assembly::default() });
    let (arguments, rest) = said.split_once('\n').unwrap();
    assert_eq!(arguments, "-v -lineinfo -arch sm_80 -o code.cubin code.ptx");
    assert!(rest.starts_with(text) && rest.contains("drwx------"), "{said}");
}

#[test]
fn another_architecture_and_more_arguments_may_be_named() {
    let first = |assembly| given(assembly).lines().next().unwrap().to_owned();
    let arguments = ["-maxrregcount=32".to_owned(), "-c".to_owned()];
    let all = Assembly {
        text: "",
        target: Some("sm_80"),
        architecture: Some("sm_90a"),
        optimisation: Some(1),
        arguments: &arguments,
    };
    let said = first(all);
    assert_eq!(said, "-v -lineinfo -arch sm_90a -O1 -maxrregcount=32 -c -o code.cubin code.ptx");
    let arguments = ["--gpu-name=sm_86".to_owned()];
    let own = Assembly { target: Some("sm_80"), arguments: &arguments, ..Assembly::default() };
    assert_eq!(first(own), "-v -lineinfo --gpu-name=sm_86 -o code.cubin code.ptx");
    assert_eq!(first(Assembly::default()), "-v -lineinfo -o code.cubin code.ptx");
}

#[test]
fn code_for_a_gpu_that_it_has_forgotten_is_for_the_next_one() {
    let tool = ptxas(ECHO);
    let architecture = |target| {
        assemble(&tool, Assembly { target: Some(target), ..Assembly::default() }).unwrap().architecture
    };
    assert_eq!(architecture("sm_52").as_deref(), Some("sm_75"));
    assert_eq!(architecture("sm_86").as_deref(), Some("sm_90"));
    assert_eq!(architecture("sm_90").as_deref(), Some("sm_90"));
    // Names for one architecture alone, above all known ones or invalid are left for ptxas to judge.
    for own in ["sm_90a", "sm_999", "sm_"] {
        assert_eq!(architecture(own).as_deref(), Some(own));
    }
}

#[test]
fn no_argument_reaches_out_of_the_folder() {
    for argument in ["-o", "--output-file=x", "-optf", "--options-file", "../x", "-e=/etc/x", r"a\b", "a\0"] {
        let arguments = [argument.to_owned()];
        let refused = assemble(&ptxas(ECHO), Assembly { arguments: &arguments, ..Assembly::default() });
        assert!(matches!(refused, Err(ToolError::Argument { .. })), "{argument}: {refused:?}");
    }
}

#[test]
fn its_errors_are_messages() {
    let script = "echo 'ptxas code.ptx, line 3; error   : Unknown symbol '\"'%r1'\" >&2\n\
                  echo 'ptxas fatal   : Ptx assembly aborted due to errors' >&2\nexit 255";
    let assembled = assemble(&ptxas(script), Assembly::default()).unwrap();
    let text = "Unknown symbol '%r1'".to_owned();
    assert_eq!(assembled.messages, [Message { line: Some(3), severity: Severity::Error, text }]);
    assert_eq!(assembled.cubin, None);
}

#[test]
fn a_failure_that_says_nothing_of_the_text_is_one_of_the_tool() {
    let error = assemble(&ptxas("echo oh >&2; exit 3"), Assembly::default()).unwrap_err();
    assert_eq!(error.to_string(), "ptxas failed (exit status: 3): oh");
    let error = assemble(&ptxas("true"), Assembly::default()).unwrap_err();
    assert_eq!(error.to_string(), "ptxas failed (exit status: 0): it wrote no output file");
    // An incomplete cubin is not used.
    assert!(assemble(&ptxas("echo x > code.cubin; exit 1"), Assembly::default()).is_err());
}

#[test]
fn a_flood_of_messages_is_cut_at_a_line() {
    let script = "yes 'ptxas code.ptx, line 3; error : same' | head -c 5000000 >&2; exit 1";
    let messages = assemble(&ptxas(script), Assembly::default()).unwrap().messages;
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!((messages[0].line, messages[0].text.as_str()), (Some(3), "same"));
    assert!(messages[1].text.contains("is truncated after"), "{messages:?}");
}

#[test]
fn it_is_stopped_at_its_time_limit_and_without_a_waiting_caller() {
    let mut tool = ptxas("sleep 60");
    tool.limits.time = Duration::from_millis(200);
    let start = Instant::now();
    let error = assemble(&tool, Assembly::default()).unwrap_err();
    assert_eq!(error.to_string(), "ptxas took longer than 0.2 s and was stopped");
    let assembler = Assembler { path: tool.folder.path().join("ptxas") };
    let consent = Consent::by_command_line();
    let cancelled =
        patiently(|| assembler.assemble(consent, Assembly::default(), Limits::default(), &|| true));
    assert_eq!(cancelled, Err(ToolError::Cancelled { program: "ptxas".to_owned() }));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_vendors_own_assembler_keeps_the_lines() {
    let Ok(assembler) = Assembler::from_environment(None) else {
        testkit::left_out("ptxas is neither in CUDA_HOME nor on PATH");
        return;
    };
    let text = "// é\n.version 8.0\n.target sm_75\n.address_size 64\n\n.entry k(.param .u64 p) {\n\
                \x20 .reg .b64 %rd<3>;\n  ld.param.u64 %rd1, [p];\n  st.global.u64 [%rd1], %rd1;\n  ret;\n}\n";
    let assemble = |text: &str| {
        let assembly = Assembly { text, target: Some("sm_75"), ..Assembly::default() };
        assembler.assemble(Consent::by_command_line(), assembly, Limits::default(), GO_ON).unwrap()
    };
    let whole = assemble(text);
    assert_eq!((whole.messages.len(), whole.usage.len()), (0, 1), "{:?}", whole.messages);
    assert_eq!(whole.usage[0].function, "k");
    assert!(whole.usage[0].registers.is_some_and(|count| count > 0));
    let cubin = whole.cubin.expect("it is right");
    assert!(cubin.windows(19).any(|name| name == b".nv_debug_line_sass"), "the table of PTX lines");
    let broken = assemble(&text.replace("[%rd1], %rd1", "[%rd1], %rd9"));
    let reported: Vec<_> = broken.messages.iter().map(|message| (message.line, message.severity)).collect();
    assert!(broken.cubin.is_none() && reported.contains(&(Some(9), Severity::Error)), "{reported:?}");
}
