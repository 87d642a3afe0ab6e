//! The advice of the ICS'17 paper in `warplens analyze`.

use crate::run::Folder;

/// A KeplerAs source that accesses two adjacent words separately.
const NARROW: &str = "\
-:-:-:-:05      S2R R0, SR_TID.X;
-:-:-:-:09      SHL R1, R0, 0x3;
-:-:-:-:01      LDS R4, [R1];
-:-:-:-:01      LDS R5, [R1+0x4];
-:-:-:-:09      FADD R6, R4, R5;
-:-:-:-:01      EXIT;
";

fn folder() -> Folder {
    Folder::new().file("a.sass", NARROW)
}

#[test]
fn text_names_what_makes_a_bottleneck_and_what_lowers_it() {
    let text = folder().run("analyze a.sass").ok();
    for line in [
        "  advice      estimated by the paper model for Tesla K20m",
        "              mem 0.50, caused by LDS at 0x0010, 0x0018 (100 %)",
        "              BW (utilizing bank width): 2 LDS could be 1 LDS.64: mem 0.50 -> 0.00",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} in\n{text}");
    }
    let html = folder().run("analyze a.sass --format html").ok();
    assert!(
        html.contains("<ul class=\"advice\">") && html.contains("<li>BW (utilizing bank width): "),
        "{html}"
    );
}

#[test]
fn json_has_the_four_bottlenecks_before_and_after() {
    let report: serde_json::Value =
        serde_json::from_str(&folder().run("analyze a.sass --format json").ok()).unwrap();
    let kernel = &report["kernels"][0];
    let advice = &kernel["advice"];
    assert_eq!(advice["gpu"], "Tesla K20m");
    let mem = advice["bottlenecks"].as_array().unwrap().iter().find(|found| found["name"] == "mem").unwrap();
    assert_eq!(mem["value"], kernel["bottlenecks"]["mem"]);
    assert_eq!(mem["instructions"][0], serde_json::json!({"address": 16, "line": 3, "share": 0.5}));
    let step = &advice["steps"][0];
    assert_eq!((&step["step"], &step["edit"]), (&"BW".into(), &"loads".into()));
    assert_eq!(step["addresses"], serde_json::json!([16, 24]));
    assert_eq!(step["after"]["mem"], 0.0);
    for name in ["ilp", "comp", "pipe"] {
        assert!(step["after"][name].is_number(), "{step}");
    }
    // Without instructions nobody looks into the code.
    let summary: serde_json::Value =
        serde_json::from_str(&folder().run("analyze a.sass --summary --format json").ok()).unwrap();
    assert!(summary["kernels"][0]["advice"].is_null());
}

#[test]
fn a_kernel_without_a_bottleneck_has_no_advice() {
    let text = Folder::new().file("a.sass", "-:-:-:-:01 EXIT;\n").run("analyze a.sass").ok();
    assert!(!text.contains("BW ") && !text.contains("DUAL "), "{text}");
}
