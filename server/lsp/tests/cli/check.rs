//! `warplens check`.

use crate::run::{Folder, LISTING};
use serde_json::Value;

/// The listing with an opcode that no GPU has, on line 21.
fn broken() -> String {
    LISTING.replacen("LDG.E R2", "FROB  R2", 1)
}

fn codes(json: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(json).unwrap();
    assert_eq!(document["schema"], 1);
    let findings = document["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn nothing_found_ends_with_0() {
    let folder = Folder::with_listing();
    assert_eq!(folder.run("check a.sass").ok(), "no findings, 1 file checked\n");
    assert_eq!(codes(&folder.run("check a.sass --format json").ok()), [""; 0]);
    assert_eq!(folder.run("check a.sass --format github").ok(), "");
}

#[test]
fn a_finding_ends_with_1_and_shows_its_place() {
    let folder = Folder::new().file("b.sass", broken());
    let ran = folder.run("check b.sass");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let mut lines = ran.stdout.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("b.sass:21:36: ") && first.contains("[unknown-opcode]"), "{first}");
    let shown = lines.find(|line| line.starts_with(" 21 |")).unwrap();
    let marks = lines.next().unwrap();
    let start = marks.find('^').unwrap();
    assert_eq!(&shown[start..start + marks.matches('^').count()], "FROB");
    assert!(ran.stdout.contains("= in scale(float const*, float*) at 0070"), "{}", ran.stdout);
    assert!(ran.stdout.lines().last().unwrap().starts_with("1 finding ("), "{}", ran.stdout);
}

#[test]
fn json_has_the_documented_fields() {
    let ran = Folder::new().file("b.sass", broken()).run("check b.sass --format json");
    assert_eq!(ran.code, Some(1));
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let finding = document["findings"][0].as_object().unwrap();
    let mut fields: Vec<&str> = finding.keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        ["address", "code", "demangled", "file", "function", "group", "line", "message", "severity"]
    );
    assert_eq!(finding["file"], "b.sass");
    assert_eq!(finding["line"], 21);
    assert_eq!(finding["function"], "_Z5scalePKfPf");
    assert_eq!(finding["demangled"], "scale(float const*, float*)");
    assert_eq!(finding["address"], 0x70);
    assert_eq!(finding["group"], "syntax");
}

#[test]
fn ptx_is_recognised_by_its_name_or_its_first_directive() {
    let module = ".version 9.3\n.target sm_90\n.address_size 64\n.entry k()\n{\n\tret\n}\n";
    let folder = Folder::new().file("k.ptx", module).file("k.txt", module).file("prose.txt", "no code\n");
    for file in ["k.ptx", "k.txt"] {
        let ran = folder.run(&format!("check {file} --format json"));
        assert_eq!(
            (ran.code, codes(&ran.stdout)),
            (Some(1), vec!["no-launch-bounds".to_owned(), "syntax-error".to_owned()]),
            "{file}"
        );
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            (&document["findings"][1]["line"], &document["findings"][1]["function"]),
            (&6.into(), &"k".into())
        );
    }
    assert!(folder.run("check .").stdout.ends_with("2 files checked\n"));
    let refused = folder.run("check prose.txt");
    let refusal = refused.refusal();
    assert!(refusal.starts_with("`prose.txt` has neither SASS nor PTX; expected a listing"), "{refusal}");
}

#[test]
fn a_file_that_cannot_be_checked_hides_no_finding_of_another() {
    let folder = Folder::new().file("b.sass", broken()).file("prose.txt", "no code\n");
    let ran = folder.run("check absent.sass b.sass prose.txt --format json");
    assert_eq!((ran.code, codes(&ran.stdout)), (Some(2), vec!["unknown-opcode".to_owned()]));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let said = ["no such file: `absent.sass`", "`prose.txt` has neither SASS nor PTX"];
    assert_eq!(lines.len(), said.len(), "{}", ran.stderr);
    for (line, said) in lines.iter().zip(said) {
        assert!(line.contains(said), "{line}");
    }
}

#[test]
fn what_is_too_large_is_refused_for_that() {
    let folder = Folder::new().file("long.txt", "MOV ".repeat(5_000_001));
    let refused = folder.run("check long.txt");
    let refusal = refused.refusal();
    assert!(
        refusal.starts_with("`long.txt` is a text with more than 5 million tokens in a line; expected"),
        "{refusal}"
    );
    let folder = Folder::new().file("long.cu", ";\n".repeat(1_000_001));
    let refused = folder.run("check long.cu");
    let refusal = refused.refusal();
    assert_eq!(
        refusal,
        "`long.cu` is a CUDA source with more than 1 million tokens; expected a shorter file"
    );
}

#[test]
fn sarif_and_github() {
    let folder = Folder::new().file("b.sass", broken());
    let ran = folder.run("check b.sass --format sarif");
    assert_eq!(ran.code, Some(1));
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "b.sass");
    assert_eq!(place["region"]["startLine"], 21);
    let ran = folder.run("check b.sass --format github");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.starts_with("::") && ran.stdout.contains(" file=b.sass,line=21,"), "{}", ran.stdout);
}

#[test]
fn a_folder_is_searched_by_content() {
    let folder = Folder::new()
        .file("tree/deep/a.txt", LISTING)
        .file("tree/b.sass", broken())
        .file("tree/styles.sass", "$blue: #00f\n.a\n  color: $blue\n")
        .file("tree/code.rs", "fn main() {}\n")
        .file("tree/app.cubin", b"\x7fELF\x02\x01\x01\0")
        .file("tree/empty.sass", "")
        .file("tree/target/c.sass", broken())
        .file("tree/node_modules/c.sass", broken())
        .file("tree/.git/c.sass", broken());
    let ran = folder.run("check tree");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("2 files checked\n"), "{}", ran.stdout);
    assert_eq!(codes(&folder.run("check tree --format json").stdout), ["unknown-opcode"]);
}

#[test]
fn several_paths_and_standard_input() {
    let folder = Folder::with_listing();
    let ran = folder.run_with_input("check a.sass - --format json", broken().as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains(r#""file":"<stdin>""#), "{}", ran.stdout);
}

#[test]
fn select_takes_codes_and_groups() {
    let folder = Folder::new().file("b.sass", broken());
    for (select, code) in
        [("syntax", 1), ("unknown-opcode", 1), ("syntax-error", 0), ("syntax-error,syntax", 1)]
    {
        assert_eq!(folder.run(&format!("check b.sass --select {select}")).code, Some(code), "{select}");
    }
}

#[test]
fn a_rule_that_the_project_switches_off_is_off() {
    let folder =
        Folder::new().file("b.sass", broken()).file("warplens.toml", "[rules]\nunknown-opcode = \"off\"\n");
    assert_eq!(folder.run("check b.sass").ok(), "no findings, 1 file checked\n");
}

#[test]
fn each_file_has_the_settings_of_its_own_project() {
    let off = "[rules]\nunknown-opcode = \"off\"\n";
    let folder = Folder::new()
        .file("strict/b.sass", broken())
        .file("lax/b.sass", broken())
        .file("lax/warplens.toml", off);
    let ran = folder.run("check . --format json");
    assert_eq!(codes(&ran.stdout), ["unknown-opcode"]);
    assert!(ran.stdout.contains("strict"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn ptxas_has_its_say_where_it_is_asked_for() {
    let standing_in = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/stand_in");
    let text = std::fs::read_to_string(format!("{standing_in}/scale.ptx")).unwrap();
    let folder =
        Folder::new().file("a.ptx", text.replace("%f3;\ndone", "%wrong;\ndone")).file("b.sass", LISTING);
    let ran = folder.run(&format!("check . --compile --ptxas {standing_in} --select ptxas --format json"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let [finding] = &document["findings"].as_array().unwrap()[..] else { panic!("{}", ran.stdout) };
    assert_eq!(
        (&finding["code"], &finding["line"], &finding["severity"]),
        (&"ptxas".into(), &29.into(), &"error".into())
    );
    assert_eq!(finding["message"], "Unknown symbol '%wrong'");
    assert_eq!(codes(&folder.run("check . --select ptxas --format json").ok()), [""; 0]);
    let refusal = folder.run("check a.ptx --compile --ptxas nowhere").refusal();
    assert_eq!(refusal, "`nowhere` is not a program; expected the path of ptxas or of its folder");
    assert!(folder.run("check a.ptx --ptxas nowhere").code == Some(2), "it takes --compile");
}

#[test]
fn statistics_count_the_findings_of_each_rule() {
    let twice = broken().replacen("LDG.E R7", "FROC  R7", 1);
    let folder = Folder::new().file("b.sass", broken()).file("c.sass", twice).file("d.sass", LISTING);
    let ran = folder.run("check b.sass c.sass d.sass --statistics --select unknown-opcode");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("findings  files  code            group   what"), "{}", ran.stdout);
    assert!(lines[1].starts_with("       3      2  unknown-opcode  syntax  "), "{}", ran.stdout);
    assert_eq!(lines.last(), Some(&"3 findings, 3 files checked"));
    let ran = folder.run("check b.sass c.sass --statistics --select unknown-opcode --format json");
    let expected =
        r#"{"schema":1,"statistics":[{"code":"unknown-opcode","group":"syntax","count":3,"files":2}]}"#;
    assert_eq!((ran.code, ran.stdout.trim_end()), (Some(1), expected));
    assert_eq!(folder.run("check d.sass --statistics").ok(), "no findings, 1 file checked\n");
    let refusal = folder.run("check b.sass --statistics --format sarif").refusal();
    assert_eq!(refusal, "`--statistics` prints counts; expected --format text or json");
}

#[test]
fn findings_end_with_0_where_that_is_wanted() {
    let folder = Folder::new().file("b.sass", broken());
    let ran = folder.run("check b.sass --exit-zero");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("[unknown-opcode]"), "{}", ran.stdout);
    // What could not be checked is still an error.
    assert_eq!(folder.run("check b.sass absent.sass --exit-zero").code, Some(2));
}

#[test]
fn findings_go_to_a_file() {
    let folder = Folder::new().file("b.sass", broken());
    for format in ["text", "json", "sarif", "github"] {
        let printed = folder.run(&format!("check b.sass --format {format}"));
        let ran = folder.run(&format!("check b.sass --format {format} --output-file out"));
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(1), "", ""));
        assert_eq!(std::fs::read_to_string(folder.path().join("out")).unwrap(), printed.stdout, "{format}");
    }
    let refusal = folder.run("check b.sass -o nowhere/out").refusal();
    assert!(refusal.starts_with("cannot write `nowhere/out`: "), "{refusal}");
}

#[test]
fn a_rule_has_a_page_and_all_are_listed() {
    let folder = Folder::new();
    let all = folder.run("rule").ok();
    let line = all.lines().find(|line| line.starts_with("unknown-opcode ")).unwrap();
    assert!(line.contains(" syntax ") && line.contains(" warning "), "{line}");
    let page = folder.run("rule bank-conflict").ok();
    assert!(page.starts_with("# ") && page.contains("Not reported:"), "{page}");
    let document: Value = serde_json::from_str(&folder.run("rule --format json").ok()).unwrap();
    let rules = document["rules"].as_array().unwrap();
    assert_eq!(rules.len() + 1, all.lines().count());
    assert!(rules.iter().all(|rule| rule["summary"].is_string() && rule["page"].is_null()), "{document}");
    let document: Value = serde_json::from_str(&folder.run("rule bank-conflict --format json").ok()).unwrap();
    assert_eq!(document["rules"][0]["page"].as_str().unwrap().trim_end(), page.trim_end());
    let refusal = folder.run("rule bank-konflikt").refusal();
    assert!(refusal.starts_with("unknown rule `bank-konflikt`; expected one of: "), "{refusal}");
}
