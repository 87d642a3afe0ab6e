//! `warplens analyze`.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]

use crate::run::{Folder, LISTING};
use expect_test::expect;
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn names(report: &Value) -> Vec<&str> {
    report["kernels"].as_array().unwrap().iter().map(|kernel| kernel["name"].as_str().unwrap()).collect()
}

#[test]
fn text_shows_each_function_and_instruction() {
    let text = Folder::with_listing().run("analyze a.sass").ok();
    assert!(text.contains("scale(float const*, float*)  _Z5scalePKfPf\n"));
    assert!(text.contains("shift(float const*, float*)  _Z5shiftPKfPf\n"));
    for instruction in ["LDC R1, c[0x0][0x28]", "HFMA2.MMA R7, R2, R7, R2", "EXIT"] {
        assert!(text.lines().any(|line| line.ends_with(instruction)), "{instruction} in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "colour in a pipe");
}

#[test]
fn the_first_command_of_the_readme_ends_in_the_fault_of_the_kernel() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let command =
        readme.lines().find_map(|line| line.strip_prefix("cargo run --release --bin warplens -- ")).unwrap();
    let output = Folder::new().command(command).current_dir(&root).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" for the launch, estimated") && text.contains("limited by"), "{text}");
    let (_, findings) = text.split_once("warning[").or_else(|| text.split_once("info[")).unwrap();
    assert!(findings.contains("32 sectors") && findings.contains("1 file checked"), "{findings}");
    let page = Folder::with_listing().run("analyze a.sass --findings --format json").refusal();
    assert!(page.contains("check --format json"), "{page}");
}

#[test]
fn colour_on_demand() {
    let folder = Folder::with_listing();
    assert!(folder.run("analyze a.sass --color always").ok().contains("\u{1b}["));
    let with = |name: &str, args: &str| {
        let output = folder.command(args).env(name, "1").output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(with("CLICOLOR_FORCE", "analyze a.sass"));
    assert!(!with("CLICOLOR_FORCE", "analyze a.sass --color never"));
    assert!(!with("CLICOLOR_FORCE", "analyze a.sass --format json --color always"));
    assert!(!with("NO_COLOR", "analyze a.sass"));
}

#[test]
fn json_is_the_report() {
    let report = json(&Folder::with_listing().run("analyze a.sass --format json").ok());
    assert_eq!(report["schema"], 1);
    assert_eq!(names(&report), ["_Z5scalePKfPf", "_Z5shiftPKfPf"]);
    let first = &report["kernels"][0]["instructions"][0];
    assert_eq!((&first["address"], &first["line"]), (&0.into(), &7.into()));
    assert_eq!(first["text"], "LDC R1, c[0x0][0x28]");
    assert_eq!(first["opcode"], "LDC");
}

#[test]
fn json_counts_the_registers_in_use() {
    let report = json(&Folder::with_listing().run("analyze a.sass --format json").ok());
    let kernel = &report["kernels"][0];
    let live = |instruction: usize| &kernel["instructions"][instruction]["live"];
    // The stack pointer, which is written first; then also the register that is written next.
    let one = serde_json::json!({ "gpr": 1, "predicate": 0, "uniform": 0, "uniform_predicate": 0 });
    assert_eq!(live(0), &one);
    assert_eq!(live(1)["gpr"], 2);
    let most = kernel["instructions"].as_array().unwrap().iter().map(|i| i["live"]["gpr"].as_u64()).max();
    assert_eq!(kernel["max_live"]["gpr"].as_u64(), most.unwrap());
}

/// Checks the launch figures of each kernel in a report: all are present if `is_predicted` is true, otherwise all are
/// null and a note contains `why`.
#[track_caller]
fn assert_predicted(report: &Value, is_predicted: bool, why: &str) {
    for kernel in report["kernels"].as_array().unwrap() {
        for figure in ["cycles", "ipc", "stalls", "advice"] {
            assert_eq!(kernel[figure].is_null(), !is_predicted, "{figure} of {}", kernel["name"]);
        }
        let notes = kernel["notes"].as_array().unwrap();
        let says = notes.iter().any(|note| note.as_str().unwrap().contains(why));
        assert_eq!(says, !is_predicted, "{notes:?}");
        for instruction in kernel["instructions"].as_array().unwrap() {
            assert!(instruction["issue_cycle"].is_u64(), "{instruction}");
            assert!(!instruction["stall"].is_null(), "{instruction}");
        }
    }
}

#[test]
fn launches_are_predicted_only_on_request() {
    let folder = Folder::with_listing();
    let predicted = json(&folder.run("analyze a.sass --format json").ok());
    assert_predicted(&predicted, true, "as requested");
    let plain = json(&folder.run("analyze a.sass --no-predict --format json").ok());
    assert_predicted(&plain, false, "as requested");
    let load = &plain["kernels"][0]["instructions"][7];
    assert_eq!(load["memory"]["space"], "global");
    for unknown in [&load["executed"], &load["lanes"], &load["memory"]["known"], &load["memory"]["sectors"]] {
        assert!(unknown.is_null(), "{load}");
    }
    assert_eq!(predicted["kernels"][0]["instructions"][7]["memory"]["known"], true);
    let text = folder.run("analyze a.sass --no-predict").ok();
    assert!(text.contains("not predicted for the assumed launch"), "{text}");
    assert!(text.contains("- Not predicted, as requested: cycles"), "{text}");
    assert!(text.contains("not predicted"), "{text}");
}

#[test]
fn many_assumed_launches_are_omitted() {
    let (head, body) = LISTING.split_once("\t\tFunction :").unwrap();
    let (first, _) = body.split_once("\t\tFunction :").unwrap();
    let of = |kernels: usize| {
        let kernels = (0..kernels).map(|number| {
            let name = first.replacen("_Z5scalePKfPf", &format!("scale{number}"), 1);
            format!("\t\tFunction :{name}")
        });
        head.to_owned() + &kernels.collect::<String>()
    };
    let launch = "[[launch]]\nfunction = \"scale7\"\ngrid = [8]\nblock = [32]\nparams = [\"ptr\", \"ptr\"]\n";
    let folder = Folder::new().file("fits.sass", of(37)).file("many.sass", of(38)).file("launches", launch);
    let why = "No launch is stated for 38 kernels of this file, and at most 37 such kernels are simulated.";
    assert_predicted(&json(&folder.run("analyze fits.sass --format json").ok()), true, why);
    let many = folder.run("analyze many.sass --format json").ok();
    assert_predicted(&json(&many), false, why);
    let one = json(&folder.run("analyze many.sass --format json --function scale7").ok());
    assert_predicted(&one, true, why);
    // With one stated launch, the other figures are consistent with it.
    let stated = json(&folder.run("analyze many.sass --format json --launches launches").ok());
    assert_predicted(&stated, true, why);
    assert_eq!(folder.run("analyze many.sass --format json").ok(), many, "the same on every run");
}

/// A Hopper kernel whose launch takes some ten thousand cycles, so that a quick estimate gives another figure.
const SGEMM: &str = include_str!("../../../../tests/corpus/sm_90/sgemm.cuobjdump-sass.txt");
const SGEMM_LAUNCH: &str = "gpu = \"h100-sxm\"\n[[launch]]\nfunction = \"sgemm16\"\ngrid = [8, 8, 1]\nblock = [16, 16, 1]\n\
    const = { \"0x210\" = \"ptr\", \"0x218\" = \"ptr\", \"0x220\" = \"ptr\", \"0x228\" = 512, \"0x22c\" = 512, \"0x230\" = 512, \"0x234\" = 1065353216, \"0x238\" = 0 }\n";

#[test]
fn cycles_are_those_of_predict_whatever_is_asked() {
    let folder = Folder::new().file("k.sass", SGEMM).file("launches.toml", SGEMM_LAUNCH);
    let run = |what: &str| folder.run(&format!("{what} --launches launches.toml")).ok();
    let predicted = json(&run("predict k.sass --format json"))["launches"][0].clone();
    let cycles = predicted["cycles"].as_f64().expect("a number");
    for what in ["analyze k.sass --format json", "analyze k.sass --format json --function sgemm16"] {
        let kernel = json(&run(what))["kernels"][0].clone();
        assert_eq!((&kernel["cycles"], &kernel["quick"]), (&predicted["cycles"], &false.into()), "{what}");
        assert_eq!(kernel["cycles_in_words"], predicted["cycles_in_words"], "{what}");
    }
    let digits = format!("{cycles:.0}");
    let (head, tail) = digits.split_at(digits.len() - 3);
    let whole = format!("{head},{tail}");
    for what in ["analyze k.sass", "analyze k.sass --summary", "analyze k.sass --function sgemm16"] {
        let text = run(what);
        assert!(text.contains(&whole), "{what}: {text}; expected {whole}");
    }
}

#[test]
fn cycles_that_are_no_figure_say_what_to_state() {
    let folder = Folder::new().file("k.sass", SGEMM);
    let report = json(&folder.run("analyze k.sass --format json --gpu h100-sxm").ok());
    let kernel = &report["kernels"][0];
    assert!(kernel["cycles"].is_null() && kernel["low"].as_f64() < kernel["high"].as_f64(), "{kernel}");
    let first = kernel["to_state"]["parameters"][0].as_str().expect("a parameter");
    let words = kernel["cycles_in_words"].as_str().expect("words");
    assert!(words.starts_with(&format!("state `{first}`")) && words.ends_with("for cycles"), "{words}");
    let summary = folder.run("analyze k.sass --summary --gpu h100-sxm").ok();
    assert!(summary.contains(&format!("state `{first}`")), "{summary}");
}

#[test]
fn json_names_an_assemblers_registers() {
    let source = "--:-:1:-:1      S2R tid, SR_TID.X;\n01:-:-:-:1      IADD next, tid, 32;\n";
    let report = json(&Folder::new().run_with_input("analyze - --format json", source.as_bytes()).ok());
    let dependence = &report["kernels"][0]["instructions"][1]["depends_on"][0];
    assert_eq!((&dependence["resource"], &dependence["address"]), (&"tid".into(), &0.into()));
}

#[test]
fn one_function_and_some_lines() {
    let folder = Folder::with_listing();
    for name in ["shift", "_Z5shiftPKfPf", "shift(const"] {
        let report = json(&folder.run(&format!("analyze a.sass --format json --function {name}")).ok());
        assert_eq!(names(&report), ["_Z5shiftPKfPf"], "{name}");
    }
    let report = json(&folder.run("analyze a.sass --format json --function scale --lines 9-11").ok());
    let lines = report["kernels"][0]["instructions"].as_array().unwrap().iter().map(|i| i["line"].as_u64());
    assert_eq!(lines.collect::<Vec<_>>(), [Some(9), Some(11)]);
    let text = folder.run("analyze a.sass --lines 9-11").ok();
    assert!(text.contains("scale(") && !text.contains("shift("), "{text}");
    assert_eq!(folder.run("analyze a.sass --lines 1-2").ok(), "no instruction on lines 1 to 2\n");
}

#[test]
fn json_has_the_demangled_name_of_what_is_mangled() {
    let folder = Folder::new().file("a.sass", LISTING.replace("_Z5shiftPKfPf", "shift"));
    let report = json(&folder.run("analyze a.sass --format json --no-predict").ok());
    let demangled: Vec<&Value> =
        report["kernels"].as_array().unwrap().iter().map(|kernel| &kernel["demangled"]).collect();
    assert_eq!(demangled, [&Value::from("scale(float const*, float*)"), &Value::Null]);
}

#[test]
fn lines_after_the_end_are_refused() {
    let folder =
        Folder::with_listing().file("k.cu", "__global__ void k(float *p) {\n    p[threadIdx.x] = 1;\n}\n");
    let lines = LISTING.lines().count();
    for format in ["text", "json", "html"] {
        let line = folder.run(&format!("analyze a.sass --lines 99999 --format {format}")).refusal();
        assert_eq!(line, format!("no line 99999: `a.sass` has lines 1 to {lines}"));
    }
    let line = folder.run(&format!("analyze a.sass --lines {}-9999", lines + 1)).refusal();
    assert_eq!(line, format!("no lines {} to 9999: `a.sass` has lines 1 to {lines}", lines + 1));
    // A range that starts in the file ends at its end.
    let text = folder.run("analyze a.sass --lines 9-99999").ok();
    assert!(text.contains("scale(") && text.contains("shift("), "{text}");
    let line = folder.run("analyze k.cu --lines 4").refusal();
    assert_eq!(line, "no line 4: `k.cu` has lines 1 to 3");
    let text = folder.run("analyze k.cu --lines 2").ok();
    assert!(text.contains("p[threadIdx.x]"), "{text}");
    assert_eq!(folder.run("analyze k.cu --lines 3").ok(), "no memory access on lines 3 to 3\n");
}

#[test]
fn standard_input() {
    let folder = Folder::new();
    let report = json(&folder.run_with_input("analyze - --format json", LISTING.as_bytes()).ok());
    assert_eq!(names(&report).len(), 2);
    let ran = folder.run_with_input("analyze -", b"hello\n");
    assert!(ran.refusal().starts_with("`<stdin>` has no SASS; expected"));
}

#[test]
fn utf16_as_windows_writes_it() {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(LISTING.encode_utf16().flat_map(u16::to_le_bytes));
    let report = json(&Folder::new().file("a.sass", bytes).run("analyze a.sass --format json").ok());
    assert_eq!(names(&report).len(), 2);
}

#[test]
fn the_gpu_is_the_flags_then_the_launches_files_then_the_projects() {
    let gpu = |folder: &Folder, args: &str| {
        let report = json(&folder.run(&format!("analyze sub/a.sass --format json {args}")).ok());
        report["gpu"].as_str().unwrap().to_owned()
    };
    let folder = Folder::new().file("sub/a.sass", LISTING).file("launches.toml", "gpu = \"h100-pcie\"\n");
    let usual = gpu(&folder, "");
    let folder = folder.file("warplens.toml", "gpu = \"h200\"\n");
    let project = gpu(&folder, "");
    let flag_file = gpu(&folder, "--launches launches.toml");
    let flag = gpu(&folder, "--launches launches.toml --gpu h100-sxm");
    assert_ne!(usual, project);
    assert_ne!(project, flag_file);
    assert_ne!(flag_file, flag);
    assert!(project.contains("H200") && flag.contains("SXM"), "{project}, {flag}");
}

#[test]
fn a_launch_reaches_its_kernel() {
    let launch = "[[launch]]\nname = \"big\"\nfunction = \"scale(const float *, float *)\"\ngrid = [640, 2, 1]\nblock = [128, 1, 1]\n";
    let folder = Folder::with_listing().file("launches.toml", launch);
    let report =
        json(&folder.run("analyze a.sass --format json --launches launches.toml --function scale").ok());
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["launch"], "big");
    assert_eq!(kernel["resources"]["grid"], serde_json::json!([640, 2, 1]));
    assert_eq!(kernel["resources"]["launch_assumed"], false);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    // More output than a pipe buffers, so that the writer gets an error from the closed pipe.
    let function = &LISTING[LISTING.find("\t\tFunction").unwrap()..];
    let long: String = [LISTING.to_owned()]
        .into_iter()
        .chain((0..200).map(|number| function.replace("_Z5", &format!("k{number}_"))))
        .collect();
    let folder = Folder::new().file("long.sass", long);
    for format in ["text", "json"] {
        let mut command = folder.command(&format!("analyze long.sass --format {format}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_summary_has_a_line_for_each_function() {
    let folder = Folder::with_listing();
    let summary = folder.run("analyze a.sass --gpu h100-sxm --model paper --summary").ok();
    expect![[r#"
        2 kernels of sm_90, timed for H100 SXM5 80 GB by the paper model
        kernel                       instr.  regs  shared   occ.  limited by   cycles  worst
        scale(float const*, float*)      13    10     0 B  100 %  warps       ~11,840  pipe 1.00
        shift(float const*, float*)       3    10     0 B  100 %  warps          ~144  ilp  0.11
        cycles: of the launch; ~ assumed or inferred; worst: largest bottleneck of the ICS'17 model, 0 best, 1 worst
    "#]]
    .assert_eq(&summary);
    let text = folder.run("analyze a.sass --gpu h100-sxm --model paper").ok();
    assert!(text.starts_with(&format!("{summary}\n")), "the summary stands over the listing:\n{text}");
    let one = folder.run("analyze a.sass --function scale").ok();
    assert!(one.starts_with("scale("), "one function needs no summary:\n{one}");
    let report = json(&folder.run("analyze a.sass --summary --format json").ok());
    assert_eq!(names(&report).len(), 2);
    assert_eq!(report["kernels"][1]["instructions"], serde_json::json!([]));
}

#[test]
fn the_summary_over_a_long_listing_is_whole_in_a_pipe() {
    let function = &LISTING[LISTING.find("\t\tFunction").unwrap()..];
    let more = (0..100).map(|number| function.replace("_Z5", &format!("k{number}_")));
    let long: String = [LISTING.to_owned()].into_iter().chain(more).collect();
    let folder = Folder::new().file("long.sass", long);
    let text = folder.run("analyze long.sass").ok();
    // For a pipe, nothing is left out.
    assert!(text.lines().take_while(|line| !line.is_empty()).count() > 200);
    assert!(!text.contains(" more: --function NAME"));
    let whole = folder.run("analyze long.sass --summary").ok();
    assert_eq!(whole.lines().count(), 202 + 3);
}

#[test]
fn a_page_holds_each_function_and_instruction() {
    let folder = Folder::with_listing();
    let page = folder.run("analyze a.sass --format html --color always").ok();
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"));
    assert!(page.contains("<h1>a.sass</h1>") && !page.contains('\u{1b}'));
    let instructions = json(&folder.run("analyze a.sass --format json").ok())["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kernel| kernel["instructions"].as_array().unwrap().len())
        .sum::<usize>();
    let code = page.split("<table class=\"code").skip(1);
    let rows = code.map(|table| table[..table.find("</table>").unwrap()].matches("<tr><td>").count());
    assert_eq!(rows.sum::<usize>(), instructions);
    let one = folder.run("analyze a.sass --format html --lines 9-11").ok();
    assert_eq!((one.matches("<section").count(), one.matches("href=\"#k").count()), (1, 1));
    let none = folder.run("analyze a.sass --format html --lines 1-2").ok();
    assert!(none.contains("<p>There is no instruction on these lines.</p>"));
}

#[test]
fn sources_without_addresses_get_none() {
    let source =
        "--:-:-:-:2   MOV R1, c[0x0][0x20];\n--:-:1:-:2      LDG.E R2, [R4];\n01:-:-:-:15      EXIT;\n";
    let folder = Folder::new().file("a.sass", source);
    let text = folder.run("analyze a.sass").ok();
    assert!(text.contains("LDG.E") && !text.contains("address"), "{text}");
    let report = json(&folder.run("analyze a.sass --format json").ok());
    assert_eq!(report["kernels"][0]["instructions"][1]["text"], "LDG.E R2, [R4]");
}

#[test]
fn issue_cycles_are_by_the_pipeline_model_where_it_applies() {
    let folder = Folder::with_listing();
    let report = |args: &str| json(&folder.run(&format!("analyze a.sass --format json {args}")).ok());
    for args in ["", "--model pipeline", "--gpu h100-sxm"] {
        let report = report(args);
        assert_eq!(report["model"], "pipeline", "{args}");
        let instructions = report["kernels"][0]["instructions"].as_array().unwrap();
        let stalled = instructions.iter().find(|inst| inst["stall"]["reason"] == "long_scoreboard").unwrap();
        let on = &stalled["stall"]["on_address"];
        let waited = instructions.iter().find(|inst| inst["address"] == *on).unwrap();
        assert!(waited["opcode"].as_str().unwrap().starts_with("LDG"), "{args}: {waited}");
    }
    for args in ["--model paper", "--gpu a100"] {
        let report = report(args);
        assert_eq!(report["model"], "paper", "{args}");
        assert_eq!(report["kernels"][0]["instructions"][0]["stall"], Value::Null, "{args}");
    }
    let line = folder.run("analyze a.sass --model pipeline --gpu a100").refusal();
    assert!(
        line.starts_with(
            "`a100` is not calibrated, so cycles on it cannot be predicted; calibrated GPUs: h100-sxm"
        ),
        "{line}"
    );
    let text = folder.run("analyze a.sass --function scale").ok();
    assert!(text.contains("timed for H100 SXM5 80 GB by the pipeline model"), "{text}");
    assert!(text.contains(" long_scoreboard 00"), "{text}");
}
