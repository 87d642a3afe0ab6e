//! `warplens diff`.

use crate::run::{Folder, LISTING};
use serde_json::Value;

/// The listing without one load of its first kernel, including the second line of the load's encoding.
fn shorter() -> String {
    let mut lines: Vec<&str> = LISTING.lines().collect();
    let load = lines.iter().position(|line| line.contains("LDG.E R2")).unwrap();
    lines.drain(load..load + 2);
    lines.join("\n") + "\n"
}

const LAUNCHES: &str = "\
[[launch]]
name = \"large\"
function = \"scale\"
grid = [1320]
block = [256]
";

fn folder() -> Folder {
    Folder::new()
        .file("base.sass", LISTING)
        .file("new.sass", shorter().replace("_Z5shiftPKfPf", "other"))
        .file("launches.toml", LAUNCHES)
}

#[test]
fn figures_of_both_versions_are_side_by_side() {
    let text = folder().run("diff base.sass new.sass --gpu h100-sxm --launches launches.toml").ok();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "base.sass -> new.sass");
    assert_eq!(lines[2], "scale(float const*, float*)  large, grid 1320 x 1 x 1, block 256 x 1 x 1");
    let titles: Vec<&str> = lines[4..9].iter().filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(titles, ["registers", "spill bytes", "occupancy", "instructions", "cycles"], "{text}");
    assert!(lines[7].contains('-') && lines[7].ends_with(" %"), "{text}");
    assert!(text.contains("\nonly in base.sass: shift(float const*, float*)\n"), "{text}");
    assert!(text.ends_with("\nonly in new.sass: other\n"), "{text}");
}

#[test]
fn json_has_both_versions_and_the_change() {
    let json = folder().run("diff base.sass new.sass --gpu h100-sxm --format json").ok();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["schema"], &json["base"], &json["new"]),
        (&1.into(), &"base.sass".into(), &"new.sass".into())
    );
    assert_eq!(json["only_base"], serde_json::json!(["_Z5shiftPKfPf"]));
    let kernels = json["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 1);
    let kernel = &kernels[0];
    assert_eq!(
        (&kernel["demangled"], &kernel["launch_assumed"]),
        (&"scale(float const*, float*)".into(), &true.into())
    );
    let count = |version: &str| kernel["instructions"][version].as_u64().unwrap();
    assert_eq!(count("base"), count("new") + 1);
    assert!(kernel["instructions"]["change"].as_f64().unwrap() < 0.0 && kernel["worse"] == false, "{kernel}");
    assert!(kernel["cycles"]["base"].is_number() && kernel["registers"]["change"].is_number(), "{kernel}");
}

#[test]
fn what_is_worse_ends_with_1_where_that_is_wanted() {
    let folder = folder().file("same.sass", LISTING).file("short.sass", shorter());
    let at = "--gpu h100-sxm --launches launches.toml --function scale";
    let same = folder.run(&format!("diff base.sass same.sass {at} --fail-above 0")).ok();
    assert!(same.ends_with("\n0 of 1 compared launches: cycles or spills up by more than 0 %\n"), "{same}");
    let worse = folder.run(&format!("diff short.sass base.sass {at} --fail-above 0.1%"));
    assert_eq!((worse.code, worse.stderr.as_str()), (Some(1), ""), "{}", worse.stdout);
    assert!(worse.stdout.contains("\n1 of 1 compared launches: "), "{}", worse.stdout);
    assert_eq!(folder.run(&format!("diff short.sass base.sass {at}")).code, Some(0));
    assert_eq!(folder.run(&format!("diff base.sass short.sass {at} --fail-above 5")).code, Some(0));
    let refused = folder.run("diff base.sass same.sass --fail-above much").refusal();
    assert!(refused.contains("expected a number from 0, for example 5"), "{refused}");
    let other = LISTING.replace("_Z5", "_Z6x");
    let refused = folder.file("other.sass", other).run("diff base.sass other.sass").refusal();
    assert!(refused.starts_with("no kernel is in both files: `base.sass` has "), "{refused}");
}
