//! `warplens cycles`.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]

use crate::run::{Folder, LISTING};
use expect_test::expect;

/// Functions with pairs of clock reads, with a loop of a constant trip count, with one of an unknown trip count, with
/// a single read, without a read, and without code.
const CLOCKS: &str = include_str!("clocks.sass");

fn folder() -> Folder {
    Folder::with_listing().file("clocks.sass", CLOCKS)
}

#[test]
fn csv_has_a_row_for_each_region_and_number_of_warps() {
    let folder = folder();
    let csv = |args: &str| folder.run(&format!("cycles clocks.sass --gpu h100-sxm --format csv {args}"));
    assert_eq!(
        csv("--clock-regions --function counted --warps 1,2").ok(),
        "function,region,warps,cycles\ncounted,1,1,429\ncounted,1,2,429\n"
    );
    assert_eq!(csv("--range .L_1...L_2").ok(), "function,region,warps,cycles\ncounted,.L_1...L_2,1,427\n");
    assert_eq!(
        csv("--range 0x30..60 --function counted").ok(),
        "function,region,warps,cycles\ncounted,0x30..60,1,427\n"
    );
}

#[test]
fn regions_without_cycles_have_a_line_on_stderr_and_the_others_their_rows() {
    let ran = folder().run("cycles clocks.sass --clock-regions --format csv");
    assert_eq!(ran.code, Some(2));
    expect![[r#"
        function,region,warps,cycles
        straight,1,1,19
        straight,2,1,2
        counted,1,1,429
    "#]]
    .assert_eq(&ran.stdout);
    expect![[r#"
        warplens: GPU: H100 SXM5 80 GB (assumed: the file names sm_90)
        warplens: assumed: accesses at unknown addresses are free of conflicts: 1 instruction in 1 function (first: straight, LDS at 0x0030)
        warplens: `uncounted`, region 1: the trip count of the loop that ends at 0x0030 is unknown; state it in the launch's `trips = { "0x30" = N }` in warplens.toml
        warplens: `alone`: the clock read at 0x0000 has no second read after it; expected reads in pairs
    "#]]
    .assert_eq(&ran.stderr);
}

#[test]
fn text_has_a_timeline_of_one_warp() {
    let text = folder().run("cycles clocks.sass --clock-regions --function straight").ok();
    expect![[r#"
        straight
        H100 SXM5 80 GB (assumed: the file names sm_90), pipeline model, warm caches

        region 1: from 0x0010 to 0x0050
        warps  cycles  busiest pipe      warp time
            1      19  issue slots 21 %  barrier 55 %, selected 25 %, wait 20 %
        assumed: accesses at unknown addresses are free of conflicts: LDS at 0x0030

        cycle                          0         10        20        30        40        50
        0x0010   CS2R R96, SR_CLOCKLO  I
        0x0020   FADD R2, R2, R3       .I
        0x0030   LDS R5, [R6]          . bbbbbbbbbbbI  11 barrier
        0x0040   FADD R5, R5, R2       .         .   I
        0x0050   CS2R R98, SR_CLOCKLO  .         .    wwwwI  4 wait

        I issues, w wait (the stall count of the row above), b barrier

        region 2: from 0x0060 to 0x0070
        warps  cycles  busiest pipe  warp time
            1       2  ALU 100 %     selected 67 %, wait 33 %

        cycle                           0         10        20        30        40        50
        0x0060   CS2R R100, SR_CLOCKLO  I
        0x0070   CS2R R102, SR_CLOCKLO  .wI  1 wait

        I issues, w wait (the stall count of the row above)
    "#]]
    .assert_eq(&text);
}

#[test]
fn identical_iterations_appear_once() {
    let text = folder().run("cycles clocks.sass --clock-regions --function counted").ok();
    assert!(text.contains("         this iteration repeated 13 more times: cycles 47 to 397\n"), "{text}");
    let last = text.lines().rfind(|line| line.starts_with("0x0060")).unwrap();
    assert!(last.ends_with("wwwwI  4 wait"), "{last}");
    assert_eq!(text.matches("IADD3").count(), 3);
}

#[test]
fn several_warps_have_a_row_each_and_no_timeline() {
    let text = folder().run("cycles clocks.sass --clock-regions --function counted --warps 4,32").ok();
    assert!(
        text.contains("\n    4 ") && text.contains("\n   32 ") && text.contains("math_pipe_throttle 4"),
        "{text}"
    );
    assert!(!text.contains("I issues"), "{text}");
}

#[test]
fn trips_may_be_stated() {
    let launches =
        "[[launch]]\nfunction = \"uncounted\"\ngrid = [1]\nblock = [32]\ntrips = { \"0x30\" = 16 }\n";
    let folder = folder().file("launches.toml", launches);
    let cycles = |function: &str| {
        let args = format!(
            "cycles clocks.sass --clock-regions --function {function} --gpu h100-sxm --launches launches.toml"
        );
        let csv = folder.run(&format!("{args} --format csv")).ok();
        csv.trim_end().rsplit(',').next().unwrap().to_owned()
    };
    // The loop with a trip count in the code has the same body and the same trip count.
    assert_eq!(cycles("uncounted"), cycles("counted"));
}

#[test]
fn what_cannot_be_timed_gets_one_line() {
    let folder = folder();
    for (args, expected) in [
        ("clocks.sass --clock-regions --function empty", "the function `empty` has no code"),
        (
            "clocks.sass --clock-regions --function plain",
            "`plain` does not read the clock; expected two reads of SR_CLOCKLO, or --range A..B",
        ),
        (
            "clocks.sass --clock-regions --function alone",
            "`alone`: the clock read at 0x0000 has no second read after it; expected reads in pairs",
        ),
        ("clocks.sass --clock-regions --function nobody", "no function `nobody`; expected one of: alone, "),
        ("clocks.sass --clock-regions --gpu voodoo2", "unknown GPU `voodoo2`; known: "),
        (
            "clocks.sass --clock-regions --gpu a100",
            "`a100` is not calibrated, so cycles on it cannot be predicted; calibrated GPUs: h100-sxm",
        ),
        (
            "clocks.sass --clock-regions --warps 0",
            "0 warps; expected 1 to 64, the limit of an SM of `h100-sxm`",
        ),
        ("clocks.sass --clock-regions --warps 65", "65 warps; expected 1 to 64, "),
        ("clocks.sass --clock-regions --warps x", "invalid value 'x' for '--warps <N>'"),
        (
            "clocks.sass --range 0x20..0x40",
            "several functions have `0x20..0x40`; expected --function with one of: straight, counted, uncounted",
        ),
        (
            "clocks.sass --range 0x20..0x9990",
            "no function of `clocks.sass` has an instruction at both ends of `0x20..0x9990`",
        ),
        (
            "clocks.sass --range 0x20..0x9990 --function counted",
            "`counted` has no instruction at `0x9990`; expected an address in hexadecimal or a label",
        ),
        (
            "clocks.sass --range 0x50..0x20 --function straight",
            "`straight`, region 0x50..0x20: its end is before its start, and no known loop leads back: no path leads from 0x0050 to 0x0020",
        ),
        (
            "clocks.sass --range 0x50..0x50 --function straight",
            "`0x50..0x50` is one instruction; expected a range between two instructions",
        ),
        (
            "clocks.sass --range 0x50",
            "expected two hexadecimal addresses or labels, for example 0x210..0x4a0",
        ),
        (
            "clocks.sass",
            "the following required arguments were not provided: <--clock-regions|--range <A..B>>",
        ),
        (
            "a.sass --clock-regions",
            "no function of `a.sass` reads the clock; expected two reads of SR_CLOCKLO",
        ),
    ] {
        let line = folder.run(&format!("cycles {args}")).refusal();
        assert!(line.contains(expected), "{args}: {line}");
    }
}

#[test]
fn text_without_control_codes_says_how_to_get_them() {
    let lines: Vec<&str> = LISTING.lines().map(|line| line.split("/* 0x").next().unwrap()).collect();
    let folder = Folder::new().file("bare.sass", lines.join("\n"));
    let line = folder.run("cycles bare.sass --range 0x0..0x20 --function scale").refusal();
    assert!(
        line.contains("has instructions without control codes; expected a listing with encodings"),
        "{line}"
    );
}
