//! `warplens predict`.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]

use crate::run::{Folder, LISTING};
use expect_test::expect;
use serde_json::Value;

/// Code with a loop whose bound is in a register, and a kernel without parameters.
const CLOCKS: &str = include_str!("clocks.sass");

const LAUNCHES: &str = r#"
[[launch]]
name = "large"
function = "scale(float const*, float*)"
grid = [1320, 1, 1]
block = [256, 1, 1]
registers = 16
params = ["ptr", "ptr"]

[[launch]]
function = "_Z5shiftPKfPf"
grid = [1, 1, 1]
block = [32, 1, 1]

[[launch]]
name = "small, again"
function = "_Z5scalePKfPf"
grid = [132, 1, 1]
block = [64, 1, 1]
registers = 16
params = ["ptr", "ptr"]
"#;

fn folder() -> Folder {
    Folder::with_listing().file("launches.toml", LAUNCHES).file("clocks.sass", CLOCKS)
}

/// The text with each run of digits replaced by `#`, as the model's figures may change.
fn masked(text: &str) -> String {
    let mut masked = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' | ',' | '.' if masked.ends_with('#') => {}
            '0'..='9' => masked.push('#'),
            c => masked.push(c),
        }
    }
    masked
}

fn rows(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn csv_has_a_row_and_a_number_for_each_launch_in_their_order() {
    let csv = folder().run("predict a.sass --gpu h100-sxm --launches launches.toml --format csv").ok();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "launch,function,cycles,limiter,assumed,low,high");
    let starts = ["large,_Z5scalePKfPf,", ",_Z5shiftPKfPf,", "\"small, again\",_Z5scalePKfPf,"];
    assert_eq!(lines.len(), 1 + starts.len(), "{csv}");
    let mut cycles = Vec::new();
    for (line, start) in lines[1..].iter().zip(starts) {
        let rest: Vec<&str> = line.strip_prefix(start).unwrap().split(',').collect();
        cycles.push(rest[0].parse::<u64>().unwrap());
        assert!(!rest[1].is_empty(), "no limiter: {line}");
    }
    assert!(cycles[0] > cycles[2] && cycles[2] > cycles[1] && cycles[1] > 0, "{csv}");
    let rows = rows(&csv);
    // A name may have a comma.
    let last = |row: &Vec<&str>, column: usize| row[row.len() - column].to_owned();
    let assumed: Vec<String> = rows[1..].iter().map(|row| last(row, 3)).collect();
    assert_eq!(assumed, ["", "registers;params", ""], "{csv}");
    for (row, cycles) in rows[1..].iter().zip(cycles) {
        let end = |column: usize| last(row, column).parse::<u64>().expect("every launch has an interval");
        assert!(end(2) < cycles && cycles < end(1), "{csv}");
    }
}

#[test]
fn one_function_has_its_launches_alone() {
    let run = |function: &str| {
        let args = format!("predict a.sass --launches launches.toml --format csv --function {function}");
        folder().run(&args).ok().lines().count() - 1
    };
    assert_eq!((run("scale"), run("_Z5shiftPKfPf")), (2, 1));
}

#[test]
fn what_was_guessed_is_named() {
    let launches = "gpu = \"h100-sxm\"\n[[launch]]\nfunction = \"uncounted\"\ngrid = [132]\nblock = [128]\nregisters = 8\n";
    let folder = folder().file("loop.toml", launches);
    let csv = folder.run("predict clocks.sass --launches loop.toml --format csv").ok();
    assert_eq!(rows(&csv)[1][4], "trips:0x30", "{csv}");
    let stated = folder.file("stated.toml", format!("{launches}trips = {{ \"0x30\" = 100000 }}\n"));
    let csv_of = |file: &str| stated.run(&format!("predict clocks.sass --launches {file} --format csv")).ok();
    let (guessed, known) = (csv_of("loop.toml"), csv_of("stated.toml"));
    assert_eq!(rows(&known)[1][4], "", "{known}");
    // With an unknown trip count, there is no number but a lower and an upper bound.
    let number = |csv: &str, column: usize| rows(csv)[1][column].parse::<u64>().ok();
    assert_eq!(number(&guessed, 2), None, "{guessed}");
    assert!(number(&guessed, 5).zip(number(&guessed, 6)).is_some_and(|(low, high)| low < high), "{guessed}");
    assert!(number(&known, 5) > number(&guessed, 6), "{guessed}{known}");
    let text = stated.run("predict clocks.sass --launches loop.toml").ok();
    assert!(text.contains("assumed    the trip count of the loop at 0x30\n"), "{text}");
}

#[test]
fn an_unnamed_gpu_is_guessed() {
    let csv = folder().run("predict a.sass --launches launches.toml --format csv").ok();
    assert!(rows(&csv)[1..].iter().all(|row| row[row.len() - 3].split(';').next() == Some("gpu")), "{csv}");
}

#[test]
fn where_the_simulation_does_not_apply_the_paper_model_has_a_number() {
    let bare: Vec<&str> = LISTING.lines().map(|line| line.split("/* 0x").next().unwrap()).collect();
    let folder = folder().file("bare.sass", bare.join("\n"));
    for args in ["bare.sass --gpu h100-sxm", "a.sass --gpu t4"] {
        let args = format!("predict {args} --launches launches.toml");
        let csv = folder.run(&format!("{args} --format csv")).ok();
        for row in &rows(&csv)[1..3] {
            assert!(row[2].parse::<u64>().unwrap() > 0 && row[3].starts_with("bottleneck:"), "{csv}");
        }
        let text = folder.run(&args).ok();
        assert!(text.contains("estimated by the paper model"), "{text}");
        let limiter = " of 1): the largest bottleneck of the ICS'17 model, 0 best, 1 worst\n";
        assert!(
            text.contains(limiter) && text.contains("  limiter    latency that is not hidden (pipe "),
            "{text}"
        );
        assert!(text.contains("note       The `pipeline` model does not apply here"), "{text}");
    }
    // A loop with an unknown trip count gives a range there, too.
    let launches = "[[launch]]\nfunction = \"uncounted\"\ngrid = [132]\nblock = [128]\n";
    let folder = folder.file("loop.toml", launches);
    let csv = folder.run("predict clocks.sass --gpu t4 --launches loop.toml --format csv").ok();
    let row = &rows(&csv)[1];
    let range = row[5].parse::<u64>().ok().zip(row[6].parse::<u64>().ok());
    assert!(range.is_some_and(|(low, high)| 0 < low && low < high) && row[2].is_empty(), "{csv}");
    assert!(csv.contains("trips:0x30"), "{csv}");
}

#[test]
fn text_says_what_limits_a_launch_and_what_the_part_could_do() {
    let text = folder().run("predict a.sass --gpu h100-sxm --launches launches.toml --function scale").ok();
    expect![[r#"
        launch        cycles     time  limited by                      occupancy  model
        large          #  # us  block starts # %                   # %  pipeline
        small, again   #  # us  latency (long_scoreboard # %)      # %  pipeline

        large  scale(float const*, float*)
          cycles     # # us at # GHz on H# SXM# # GB; estimated by the pipeline model
          limiter    block starts # %
          launch     grid # x # x # block # x # x #
          occupancy  # %: # of # warps per SM, # blocks, limited by warps (# registers per thread, # bytes of shared memory)
          waves      #: # of # concurrent blocks, the last wave # % full
          rate       FP# # TFLOP/s, # % of #
          memory     DRAM # TB/s, # % of #
                     L# # TB/s, # % of #
          hits       L# # %, L# # %
          stalls     math_pipe_throttle # %, long_scoreboard # %, wait # %

        small, again  scale(float const*, float*)
          cycles     # # us at # GHz on H# SXM# # GB; estimated by the pipeline model
          limiter    latency (long_scoreboard # %)
          launch     grid # x # x # block # x # x #
          occupancy  # %: # of # warps per SM, # blocks, limited by warps (# registers per thread, # bytes of shared memory)
          waves      one, which fills # % of the # concurrent blocks
          rate       FP# # TFLOP/s, # % of #
          memory     DRAM # TB/s, # % of #
                     L# # TB/s, # % of #
          hits       L# # %, L# # %
          stalls     long_scoreboard # %, wait # %, short_scoreboard # %
    "#]].assert_eq(&masked(&text));
}

#[test]
fn json_has_all_of_it() {
    let json = folder().run("predict a.sass --gpu h100-sxm --launches launches.toml --format json").ok();
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["schema"], &report["gpu"]), (&Value::from(1), &Value::from("H100 SXM5 80 GB")));
    let launches = report["launches"].as_array().unwrap();
    assert_eq!(launches.len(), 3);
    let large = &launches[0];
    assert_eq!(
        (&large["launch"], &large["function"]),
        (&Value::from("large"), &Value::from("_Z5scalePKfPf"))
    );
    assert_eq!(large["demangled"], "scale(float const*, float*)");
    assert_eq!((&launches[1]["launch"], &large["model"]), (&Value::Null, &Value::from("pipeline")));
    let number = |path: &str| large.pointer(path).and_then(Value::as_f64);
    let (cycles, clock) = (number("/cycles").unwrap(), number("/clock_mhz").unwrap());
    assert!((number("/microseconds").unwrap() - cycles / clock).abs() < 1e-6, "{json}");
    // One multiply-add of a packed pair, four operations, in each of 1320 x 256 threads.
    assert_eq!(large.pointer("/rates/operations/0/name"), Some(&Value::from("FP16")));
    assert_eq!(number("/rates/operations/0/count"), Some(1320.0 * 256.0 * 4.0));
    assert_eq!(number("/waves/exact"), Some(1.25));
    assert_eq!((number("/waves/count"), number("/waves/last")), (Some(2.0), Some(0.25)));
    assert_eq!(number("/occupancy/fraction"), Some(1.0));
    let shares: f64 = large["stalls"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{json}");
    for key in
        ["limiter", "resources", "instructions", "l1_hit", "l2_hit", "busy", "assumed", "simulated", "notes"]
    {
        assert!(large.get(key).is_some(), "{key}");
    }
}

#[test]
fn svg_is_one_picture_of_all_launches() {
    let svg = folder().run("predict a.sass --gpu h100-sxm --launches launches.toml --format svg").ok();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
    for text in [
        ">DRAM 3.35 TB/s<",
        ">FP32 66.9 Top/s<",
        ">tensor FP16 ",
        ">large<",
        ">small, again<",
        "prefers-color-scheme",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let opened = svg.matches("<text").count();
    assert_eq!(opened, svg.matches("</text>").count());
}

#[test]
fn launches_of_other_functions_have_one_line_and_the_rest_their_rows() {
    let launches =
        format!("{LAUNCHES}\n[[launch]]\nname = \"lost\"\nfunction = \"gemm\"\ngrid = [1]\nblock = [32]\n");
    let folder = Folder::with_listing().file("launches.toml", launches);
    let ran = folder.run("predict a.sass --launches launches.toml --format csv");
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), 4), "{}", ran.stdout);
    assert_eq!(ran.stderr, "warplens: skipped 1 launch of functions that are not in `a.sass`: `gemm`\n");
}

#[test]
fn a_launch_is_assumed_where_none_is_stated() {
    let folder = Folder::with_listing();
    let ran = folder.run("predict a.sass --gpu h100-sxm --format csv");
    assert_eq!(ran.code, Some(0));
    let rows = rows(&ran.stdout);
    assert_eq!([rows[1][1], rows[2][1]], ["_Z5scalePKfPf", "_Z5shiftPKfPf"], "{}", ran.stdout);
    for row in &rows[1..] {
        assert!(
            row[2].parse::<u64>().unwrap() > 0 && row[4].split(';').any(|word| word == "launch"),
            "{row:?}"
        );
    }
    expect![[r#"
        warplens: no launch is stated for `a.sass`, so one full wave of each kernel's largest block is assumed. State launches in warplens.toml or with --launches FILE:
          [[launch]]
          function = "scale(float const*, float*)"
          grid = [#]
          block = [#]
    "#]]
    .assert_eq(&masked(&ran.stderr).replace("[# # #]", "[#]"));
    let text = folder.run("predict a.sass --gpu h100-sxm --function shift").stdout;
    assert!(text.contains("assumed") && text.contains("the launch, one full wave"), "{text}");
    assert!(!text.contains("scale("), "{text}");
    // The figure equals that of `analyze`.
    let json: Value =
        serde_json::from_str(&folder.run("analyze a.sass --gpu h100-sxm --format json").ok()).unwrap();
    let cycles = json["kernels"][0]["cycles"].as_f64().unwrap();
    assert_eq!(rows[1][2], format!("{cycles:.0}"));
    // The launch in the note is valid as it is.
    let launch: Vec<&str> = ran.stderr.lines().skip(1).collect();
    let folder = folder.file("warplens.toml", launch.join("\n"));
    let stated = folder.run("predict a.sass --gpu h100-sxm --format csv").ok();
    assert_eq!(stated.lines().count(), 2, "{stated}");
    assert!(!stated.contains("launch;"), "{stated}");
}

#[test]
fn several_files_have_their_rows_under_their_names() {
    let folder = folder().file("b.sass", LISTING.replace("_Z5shiftPKfPf", "other"));
    let args = "predict a.sass b.sass --gpu h100-sxm --launches launches.toml";
    let text = folder.run(args).ok();
    let heads: Vec<&str> = text.lines().filter(|line| line.ends_with(".sass:")).collect();
    assert_eq!(heads, ["a.sass:", "b.sass:"], "{text}");
    let csv = folder.run(&format!("{args} --format csv")).ok();
    let rows = rows(&csv);
    assert_eq!(rows[0].last(), Some(&"file"), "{csv}");
    let files: Vec<&str> = rows[1..].iter().filter_map(|row| row.last().copied()).collect();
    assert_eq!(files, ["a.sass", "a.sass", "a.sass", "b.sass", "b.sass"], "{csv}");
    let json: Value = serde_json::from_str(&folder.run(&format!("{args} --format json")).ok()).unwrap();
    let launches = json["launches"].as_array().unwrap();
    assert_eq!((launches.len(), &launches[4]["file"]), (5, &"b.sass".into()));
    assert!(folder.run(&format!("{args} --format svg")).ok().starts_with("<svg"));
    // An unreadable file does not hide rows of another.
    let ran = folder.run("predict absent.sass b.sass --gpu h100-sxm --launches launches.toml --format csv");
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(2), 3), "{}", ran.stdout);
    assert!(ran.stderr.contains("no such file: `absent.sass`"), "{}", ran.stderr);
    // One note covers all files.
    let ran = folder.run("predict a.sass b.sass --gpu h100-sxm --format csv");
    assert_eq!((ran.code, ran.stderr.matches("warplens: ").count()), (Some(0), 1), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("warplens: no launch is stated for `a.sass`, `b.sass`"), "{}", ran.stderr);
    // Only functions that are in no file are reported.
    let launches = "[[launch]]\nfunction = \"gemm\"\ngrid = [1]\nblock = [32]\n";
    let folder = folder.file("gemm.toml", launches);
    let refused = folder.run("predict a.sass b.sass --launches gemm.toml").refusal();
    let expected = "no file has a function `gemm`, so no launch is predicted; expected launches of: _Z5scalePKfPf, _Z5shiftPKfPf, other";
    assert_eq!(refused, expected);
}

#[test]
fn a_launch_of_a_template_is_of_each_of_its_instances() {
    let listing = LISTING
        .replace("_Z5scalePKfPf", "_Z4softILi4EEvPKfPf")
        .replace("_Z5shiftPKfPf", "_Z4softILi8EEvPKfPf");
    let launch = |name: &str| format!("[[launch]]\nfunction = \"{name}\"\ngrid = [132]\nblock = [64]\n");
    let folder = Folder::new()
        .file("a.sass", listing)
        .file("all.toml", launch("soft"))
        .file("one.toml", launch("soft<8>"));
    let functions = |args: &str| {
        let csv = folder.run(&format!("predict a.sass --gpu h100-sxm --format csv {args}")).ok();
        rows(&csv)[1..].iter().map(|row| row[1].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(functions("--launches all.toml"), ["_Z4softILi4EEvPKfPf", "_Z4softILi8EEvPKfPf"]);
    assert_eq!(functions("--launches all.toml --function soft<4>"), ["_Z4softILi4EEvPKfPf"]);
    assert_eq!(functions("--launches one.toml"), ["_Z4softILi8EEvPKfPf"]);
    let json = folder.run("analyze a.sass --gpu h100-sxm --launches all.toml --format json").ok();
    let json: Value = serde_json::from_str(&json).unwrap();
    for kernel in json["kernels"].as_array().unwrap() {
        assert_eq!(kernel["resources"]["block"][0], 64, "{kernel}");
        assert_eq!(kernel["resources"]["launch_assumed"], false, "{kernel}");
    }
}

#[test]
fn bad_input_takes_one_line() {
    let launch = |more: &str| format!("[[launch]]\nfunction = \"_Z5scalePKfPf\"\ngrid = [1]\n{more}");
    let folder = folder()
        .file("none.toml", "gpu = \"h100-sxm\"\n")
        .file("other.toml", "[[launch]]\nfunction = \"gemm\"\ngrid = [1]\nblock = [32]\n")
        .file("wide.toml", launch("block = [1024]\nregisters = 255\n"))
        .file("blockless.toml", launch(""))
        .file("no-code.sass", "\tcode for sm_90\n\t.target\tsm_90\n")
        .file("text.txt", "hello\n");
    for (args, expected) in [
        (
            "a.sass --launches none.toml",
            "`none.toml` states no launch; expected [[launch]] with function, grid and block",
        ),
        (
            "a.sass --launches none.toml --function scale",
            "`none.toml` states no launch of `_Z5scalePKfPf`; expected [[launch]]",
        ),
        (
            "a.sass --launches other.toml",
            "`a.sass` has no function `gemm`, so no launch is predicted; expected launches of: ",
        ),
        (
            "a.sass --launches wide.toml",
            "launch of `_Z5scalePKfPf`: no block of 1024 threads with 255 registers each and 0 bytes of shared \
             memory fits",
        ),
        ("a.sass --launches blockless.toml", "a launch needs `block`"),
        ("a.sass --launches absent.toml", "no such file: `absent.toml`"),
        ("a.sass --launches launches.toml --function gemm", "no function `gemm`; expected one of: "),
        ("a.sass --launches launches.toml --gpu voodoo2", "unknown GPU `voodoo2`; known: "),
        ("a.sass --launches launches.toml --format yaml", "expected one of: text, csv, json, svg"),
        ("text.txt --launches launches.toml", "`text.txt` has no SASS; expected a listing"),
        ("absent.sass --launches launches.toml", "no such file: `absent.sass`"),
        ("", "the following required arguments were not provided: <FILE>"),
    ] {
        let line = folder.run(&format!("predict {args}")).refusal();
        assert!(line.contains(expected), "{args}: {line}");
    }
}
