//! `warplens predict --profile`: counts from a profile take precedence over derived or assumed ones.

use crate::run::Folder;
use serde_json::Value;

/// Code with a loop whose bound is in a register.
const CLOCKS: &str = include_str!("clocks.sass");

/// Two launches of `uncounted`, the first one printed twice: the loop runs 40 times, then 1,000 times.
const COUNTED: &str = include_str!("counted.csv");

const LAUNCH: &str = "[[launch]]\nfunction = \"uncounted\"\ngrid = [132]\nblock = [128]\nregisters = 8\n";

fn folder() -> Folder {
    Folder::new()
        .file("clocks.sass", CLOCKS)
        .file("counted.csv", COUNTED)
        .file("launches.toml", format!("gpu = \"h100-sxm\"\n{LAUNCH}{LAUNCH}"))
}

const PREDICT: &str = "predict clocks.sass --launches launches.toml";

fn rows(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn loops_run_as_often_as_was_counted_launch_by_launch() {
    let csv = folder().run(&format!("{PREDICT} --profile counted.csv --format csv")).ok();
    let rows = rows(&csv);
    assert_eq!(csv.lines().next(), Some("launch,function,cycles,limiter,assumed,low,high,profile"));
    let cycles = |row: usize| rows[row][2].parse::<f64>().unwrap();
    // Nothing is assumed any more, and the intervals are narrow.
    for (number, row) in rows.iter().enumerate().skip(1) {
        assert_eq!(row[4], "", "{csv}");
        let end = |column: usize| row[column].parse::<f64>().unwrap();
        assert!(end(5) < cycles(number) && cycles(number) < end(6) && end(6) < 1.5 * end(5), "{csv}");
        assert_eq!(row[7], "executed;lanes;lines;sectors", "{csv}");
    }
    // The same as with trip counts that the launches state.
    let stated = |trips: u32| format!("{LAUNCH}trips = {{ \"0x30\" = {trips} }}\n");
    let folder = folder().file("stated.toml", format!("gpu = \"h100-sxm\"\n{}{}", stated(40), stated(1000)));
    let stated = folder.run("predict clocks.sass --launches stated.toml --format csv").ok();
    for row in 1..3 {
        let expected = self::rows(&stated)[row][2].parse::<f64>().unwrap();
        assert!((cycles(row) / expected - 1.0).abs() < 0.02, "{csv}{stated}");
    }
    // Counts take precedence over stated trip counts.
    let both =
        folder.run("predict clocks.sass --launches stated.toml --profile counted.csv --format csv").ok();
    assert_eq!(both, csv);
}

#[test]
fn every_format_says_that_a_profile_was_used() {
    let folder = folder();
    let text = folder.run(&format!("{PREDICT} --profile counted.csv")).ok();
    assert!(text.contains("estimated by the pipeline model with profile\n"), "{text}");
    assert!(text.contains("profile    executed, lanes, lines, sectors; 6 of 6 instructions\n"), "{text}");
    let json = |args: &str| -> Value {
        serde_json::from_str(&folder.run(&format!("{PREDICT} {args} --format json")).ok()).unwrap()
    };
    let with = &json("--profile counted.csv")["launches"][0];
    assert_eq!(with["profile"]["taken"], serde_json::json!(["executed", "lanes", "lines", "sectors"]));
    assert_eq!(with["profile"]["same_code"], true);
    assert_eq!(with["instructions"], 528.0 * 3.0 + 21120.0 * 3.0);
    assert!(json("")["launches"][0].get("profile").is_none());
}

/// Predictions ignore samples and stall reasons, because these depend on the launch's time, which is to be predicted.
#[test]
fn samples_and_stalls_change_nothing() {
    let zeroed: Vec<String> = COUNTED
        .lines()
        .map(|line| {
            let mut fields: Vec<&str> = line.split("\",\"").collect();
            if fields.len() == 9 && line.starts_with("\"0x") {
                (fields[2], fields[8]) = ("0", "0\"");
            }
            fields.join("\",\"")
        })
        .collect();
    let zeroed = zeroed.join("\n") + "\n";
    assert_ne!(zeroed, COUNTED);
    let folder = folder().file("zeroed.csv", &zeroed);
    for format in ["text", "csv", "json"] {
        let of = |profile: &str| folder.run(&format!("{PREDICT} --profile {profile} --format {format}")).ok();
        assert_eq!(of("counted.csv"), of("zeroed.csv"));
    }
}

#[test]
fn of_other_code_only_what_agrees_is_used() {
    let other = COUNTED.replace("IADD3 R4, R4, 0x1, RZ", "IADD3 R4, R4, 0x2, RZ");
    let folder = folder().file("other.csv", other);
    let ran = folder.run(&format!("{PREDICT} --profile other.csv --format csv"));
    let line = "warplens: `other.csv` was recorded with different code than `uncounted`: 5 of 6 instructions agree, and only those are used\n";
    assert_eq!(ran.stderr, line);
    let row = &rows(&ran.stdout)[1];
    assert!(row[2].parse::<f64>().is_ok() && row[7].starts_with("executed"), "{}", ran.stdout);
}

#[test]
fn launches_that_a_profile_does_not_have_are_predicted_without_it() {
    let one = COUNTED.rsplit_once("\"Kernel Name\"").unwrap().0;
    let folder = folder().file("one.csv", one);
    let ran = folder.run(&format!("{PREDICT} --profile one.csv --format csv"));
    assert_eq!(
        ran.stderr,
        "warplens: `one.csv` has no launch of `uncounted`; the prediction does not use the profile\n"
    );
    let rows = rows(&ran.stdout);
    assert_eq!((rows[1][4], rows[2][4]), ("", "trips:0x30"), "{}", ran.stdout);
    assert_eq!((rows[1][7].is_empty(), rows[2][7]), (false, ""), "{}", ran.stdout);
}

#[test]
fn a_file_without_counts_of_instructions_is_refused() {
    let raw =
        "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"ns\"\n\"0\",\"uncounted()\",\"9\"\n";
    let folder = folder().file("raw.csv", raw).file("nothing.csv", "a,b\n");
    let refused = |profile: &str| folder.run(&format!("{PREDICT} --profile {profile}")).refusal();
    for (file, expected) in [
        ("raw.csv", "`raw.csv` has no counts per instruction; expected an Nsight Compute report"),
        ("nothing.csv", "`nothing.csv`: expected an Nsight Compute report"),
        ("absent.csv", "cannot read `absent.csv`"),
    ] {
        let refusal = refused(file);
        assert!(refusal.contains(expected), "{refusal}");
    }
}
