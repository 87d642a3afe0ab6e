//! PTX as input of the commands: their figures are estimates, at the lines of the PTX.

use crate::run::Folder;
use serde_json::{Value, json};

/// A kernel with a column access to a tile, and with a loop whose trip count depends on data.
const COLUMN: &str = "\
.version 8.0
.target sm_90
.address_size 64

.visible .entry column(.param .u64 column_param_0)
{
	.reg .pred %p<2>;
	.reg .b64 %rd<4>;
	.reg .b32 %r<6>;
	.reg .f32 %f<4>;
	.shared .align 4 .b8 tile[4096];
	ld.param.u64 %rd1, [column_param_0];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 7;
	mov.u32 %r3, tile;
	add.s32 %r4, %r3, %r2;
	ld.shared.f32 %f1, [%r4];
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
$again:
	ld.global.f32 %f2, [%rd3];
	add.f32 %f1, %f1, %f2;
	setp.lt.f32 %p1, %f1, 0f42C80000;
	@%p1 bra $again;
	st.global.f32 [%rd3], %f1;
	ret;
}
";

const LAUNCH: &str =
    "gpu = \"h100-sxm\"\n[[launch]]\nfunction = \"column\"\ngrid = [64]\nblock = [32]\nparams = [\"ptr\"]\n";

fn folder() -> Folder {
    let stated = format!("{LAUNCH}trips = {{ \"$again\" = 50 }}\n");
    Folder::new().file("k.ptx", COLUMN).file("open.toml", LAUNCH).file("stated.toml", &*stated)
}

fn json_of(args: &str) -> Value {
    serde_json::from_str(&folder().run(args).stdout).expect("it is JSON")
}

#[test]
fn analyze_has_a_row_for_each_instruction_of_the_text() {
    let report = json_of("analyze k.ptx --launches stated.toml --format json");
    let kernel = &report["kernels"][0];
    assert!(kernel["notes"].to_string().contains("estimated from PTX"), "{}", kernel["notes"]);
    assert_eq!(kernel["resources"]["registers_source"], "inferred");
    let rows = kernel["instructions"].as_array().expect("there are some");
    let lines: Vec<u64> = rows.iter().filter_map(|row| row["line"].as_u64()).collect();
    let expected = |line: &(usize, &str)| line.1.trim_end().ends_with(';') && !line.1.contains("\t.");
    let written: Vec<u64> =
        COLUMN.lines().enumerate().filter(expected).map(|(at, _)| at as u64 + 1).collect();
    assert_eq!(lines, written);
    let at = |line: u64| &rows[lines.iter().position(|&own| own == line).expect("it has a row")];
    let load = at(21);
    assert_eq!(load["text"], "ld.global.f32 %f2, [%rd3]");
    assert_eq!(load["opcode"], "ld.global.f32");
    assert_eq!((&load["executed"], &load["memory"]["sectors"]), (&json!(50.0), &json!(4.0)));
    assert!(load["sass"][0]["text"].as_str().is_some_and(|text| text.starts_with("LDG.E")), "{load}");
    assert_eq!(at(17)["memory"]["wavefronts"], 32.0);
    assert_eq!(at(22)["stall"]["on_line"], 17);
    let folded = at(18);
    assert_eq!((&folded["sass"], &folded["issue_cycle"]), (&json!([]), &Value::Null), "{folded}");
    let some = json_of("analyze k.ptx --launches stated.toml --format json --lines 20-22");
    assert_eq!(some["kernels"][0]["instructions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_table_has_the_text_and_what_it_becomes() {
    let ran = folder().run("analyze k.ptx --launches stated.toml");
    assert!(ran.stderr.contains("all figures are estimates, made without ptxas"), "{}", ran.stderr);
    let text = ran.stdout;
    let row = |line: &str| text.lines().find(|row| row.contains(line)).unwrap_or_default().to_owned();
    assert!(row("ld.global.f32").trim_start().starts_with("21  LDG.E "), "{text}");
    assert!(row("mul.wide.u32").trim_start().starts_with("18  - "), "{text}");
    assert!(row("add.f32").contains("short_scoreboard line 17"), "{text}");
    assert!(!text.contains("control"), "{text}");
    let page = folder().run("analyze k.ptx --format html").stdout;
    assert!(page.contains("title=\"LDG.E R"), "{page}");
}

#[test]
fn a_range_goes_from_line_to_line() {
    let csv = |range: &str| {
        let text =
            folder().run(&format!("cycles k.ptx --launches stated.toml --format csv --range {range}")).stdout;
        let row = text.lines().nth(1).and_then(|row| row.rsplit(',').next()?.parse::<u64>().ok());
        row.unwrap_or_else(|| panic!("{text}"))
    };
    assert_eq!(csv("21..24"), csv("$again..24"));
    assert!(csv("21..25") > 40 * csv("21..24"));
    let ran = folder().run("cycles k.ptx --launches open.toml --format csv --range 17..25");
    assert!(ran.stderr.contains("the loop that ends on line 24"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`trips = { \"$again\" = N }`"), "{}", ran.stderr);
    let refused = folder().run("cycles k.ptx --range 7..25").stderr;
    assert!(refused.contains("has no instruction at `7`; expected a line"), "{refused}");
}

#[test]
fn predict_names_what_it_assumed_by_labels_and_lines() {
    let assumed = |launches: &str| {
        let csv = folder().run(&format!("predict k.ptx --launches {launches} --format csv")).stdout;
        let row = csv.lines().nth(1).unwrap_or_default();
        row.split(',').nth(4).unwrap_or_default().to_owned()
    };
    assert_eq!((&*assumed("open.toml"), &*assumed("stated.toml")), ("registers;trips:$again", "registers"));
}

#[test]
fn check_looks_at_memory() {
    let found = folder()
        .run("check k.ptx --launches open.toml --select bank-conflict,unknown-trip-count --format json");
    assert_eq!(found.code, Some(1));
    let found: Value = serde_json::from_str(&found.stdout).expect("it is JSON");
    let found: Vec<(&Value, &Value)> =
        found["findings"].as_array().into_iter().flatten().map(|one| (&one["line"], &one["code"])).collect();
    assert_eq!(found, [(&json!(17), &json!("bank-conflict")), (&json!(24), &json!("unknown-trip-count"))]);
}

#[test]
fn schedule_writes_nothing_into_ptx() {
    let folder = folder().file("padded.ptx", format!("{COLUMN}{}", "// padding of some kind\n".repeat(2000)));
    for (file, options) in
        [("k.ptx", ""), ("padded.ptx", ""), ("k.ptx", "--reorder --rename"), ("k.ptx", "-o new.ptx")]
    {
        let line = folder.run(&format!("schedule {file} {options}")).refusal();
        assert!(line.starts_with(&format!("`{file}` is PTX, which has no control codes")), "{line}");
    }
    assert!(!folder.path().join("new.ptx").exists());
}
