//! `asm` statements of CUDA: findings are errors if and only if nvcc and ptxas report errors, and the
//! contents of hovers.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Analysis, Config, Host, Language, Severity, TextEdit};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::Answer;

fn opened(text: &str) -> Host {
    let mut host = host();
    let config = Config::from_json(&serde_json::json!({ "gpu": "sm_90" })).expect("a setting is right");
    host.configure(config).expect("its GPU is known");
    host.open_as(DOCUMENT, 1, Language::Cuda, text);
    host
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/cuda_asm")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect("it exists")
}

/// Errors that follow from the text alone, each as its code and the text at its range.
fn errors(analysis: &Analysis, text: &str) -> Vec<String> {
    let mut found = analysis.code_diagnostics().expect("nothing cancels it");
    found.retain(|finding| finding.severity == Severity::Error);
    found.iter().map(|finding| format!("{}: {}", finding.code, &text[finding.range.clone()])).collect()
}

#[test]
fn errors_and_hovers_stand_in_the_strings() {
    testkit::check_folder(&folder(), |fixture| {
        let analysis = snapshot(&opened(fixture.text()));
        let found = analysis.code_diagnostics().expect("nothing cancels it").into_iter();
        let findings = found.map(|finding| {
            assert_eq!(finding.severity, Severity::Error);
            Answer::at(finding.range, format!("error[{}]", finding.code), finding.message)
        });
        let hovers = fixture.asked("hover").map(|place| {
            match analysis.hover(place.start).expect("nothing cancels it") {
                Some(hover) => Answer::at(hover.range, "hover", hover.markdown),
                None => Answer::at(place, "hover", "nothing"),
            }
        });
        findings.chain(hovers).collect()
    });
}

#[test]
fn a_named_chip_decides_what_a_kernel_may_use() {
    let text = "__global__ void k() { asm volatile(\"tcgen05.wait::ld.sync.aligned;\"); }\n\
                __device__ inline void f() { asm volatile(\"tcgen05.wait::ld.sync.aligned;\"); }\n\
                #if __CUDA_ARCH__ >= 1000\n\
                __global__ void l() { asm volatile(\"tcgen05.wait::ld.sync.aligned;\"); }\n\
                #endif\n";
    let found = snapshot(&opened(text)).code_diagnostics().expect("nothing cancels it");
    assert_eq!(found.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["above-target"]);
    assert_eq!(found[0].severity, Severity::Info, "the file may be for another one");
    assert!(found[0].message.contains("the selected GPU is sm_90a"), "{}", found[0].message);
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, text);
    assert!(
        snapshot(&host).code_diagnostics().expect("nothing cancels it").is_empty(),
        "no operand is named"
    );
}

#[test]
fn a_chip_decides_what_a_function_that_a_kernel_calls_may_use() {
    let mma = "asm volatile(\"wgmma.fence.sync.aligned;\");";
    let text = format!(
        "__device__ void inner() {{ {mma} }}\n\
         __device__ void outer() {{ inner(); }}\n\
         __device__ void unused() {{ {mma} }}\n\
         template <int N> __device__ void generic() {{ {mma} }}\n\
         __global__ void k() {{ outer(); generic<3>(); }}\n"
    );
    let found = |gpu: &str| {
        let mut host = host();
        let config = Config::from_json(&serde_json::json!({ "gpu": gpu })).expect("a setting is right");
        host.configure(config).expect("its GPU is known");
        host.open_as(DOCUMENT, 1, Language::Cuda, &text);
        let found = snapshot(&host).code_diagnostics().expect("nothing cancels it");
        found.into_iter().map(|finding| (finding.range.start, finding.message)).collect::<Vec<_>>()
    };
    let on_a100 = found("a100");
    assert_eq!(on_a100.len(), 1, "{on_a100:?}");
    assert!(on_a100[0].0 < text.find("outer").expect("it exists"), "{on_a100:?}");
    assert!(on_a100[0].1.ends_with("the selected GPU is sm_80"), "{on_a100:?}");
    assert_eq!(found("h100-sxm"), []);
}

#[test]
fn lines_in_hovers_are_those_of_the_text() {
    let text = "\n\n__device__ void f(unsigned *p) {\n  asm volatile(\"{ .reg .pred q;\\n\"\n    // the predicate\n\
                    \"setp.eq.u32 q, 3, %1;\\n\\n\"\n    \"@q st.global.u32 [%0 + %2], %1; }\" :: \"l\"(p), \"n\"(7), \"n\"(4 * 1));\n}\n";
    let analysis = snapshot(&opened(text));
    assert!(errors(&analysis, text).is_empty());
    let hover = analysis.hover(text.find("@q").expect("it exists") + 1).expect("nothing cancels it");
    let hover = hover.expect("there is a predicate");
    assert_eq!(
        hover.links.iter().map(|at| &hover.markdown[*at..*at + 4]).collect::<Vec<_>>(),
        ["#L4)", "#L6)"]
    );
    assert!(hover.markdown.contains("`setp.eq.u32 q, 3, %1;`"), "{}", hover.markdown);
}

#[test]
fn a_fix_writes_the_percent() {
    let text = read("refused.cu");
    let analysis = snapshot(&opened(&text));
    let found = analysis.code_diagnostics().expect("nothing cancels it");
    let mut titles = Vec::new();
    for finding in
        found.iter().filter(|finding| ["percent-escape", "unknown-asm-operand"].contains(&finding.code))
    {
        let fixes = analysis.fixes(finding.code, finding.range.clone()).expect("nothing cancels it");
        titles.extend(fixes.first().map(|fix| (fix.title.clone(), TextEdit::apply(&fix.edits, &text).len())));
    }
    let titles: Vec<&str> =
        titles.iter().map(|(title, _)| title.as_str()).filter(|title| title.starts_with("Write")).collect();
    assert_eq!(titles, ["Write `%1`", "Write `%%t`", "Write `%`"]);
}

#[test]
fn a_fix_replaces_the_word_where_it_is_in_the_text() {
    let text = "__device__ int f(int a) {\n  int b;\n  asm(\"{ .reg .b32 t;\\n\"\n      \"mov.b32 t, %1; ad.s32 %0, t, t; }\" : \"=r\"(b) : \"r\"(a));\n  return b;\n}\n";
    let analysis = snapshot(&opened(text));
    let found = analysis.code_diagnostics().expect("nothing cancels it");
    let [finding] = found.as_slice() else { panic!("not one finding: {found:?}") };
    let fixes = analysis.fixes(finding.code, finding.range.clone()).expect("nothing cancels it");
    let fix = fixes.first().expect("a word is near");
    assert_eq!(TextEdit::apply(&fix.edits, text), text.replace("ad.s32", "add.s32"), "{}", fix.title);
}

#[test]
fn what_is_half_typed_has_no_findings() {
    let text = read("refused.cu");
    let at = text.find("asm(\"add.s32").expect("it exists");
    let end = at + text[at..].find(");\n").expect("it ends") + 1;
    for cut in (at..=end).filter(|cut| text.is_char_boundary(*cut)) {
        let half = format!("{}\n}}\n", &text[..cut]);
        let analysis = snapshot(&opened(&half));
        for finding in analysis.code_diagnostics().expect("nothing cancels it") {
            assert!(finding.range.start < at, "{finding:?}");
        }
    }
}

/// Checks nvcc's verdict on each function of `refused.cu`, and on all of `taken.cu`.
#[test]
fn nvcc_says_the_same() {
    let Some(nvcc) = testkit::nvcc("`asm` statements are not compiled") else { return };
    let place = tempfile::tempdir().expect("a folder can be made");
    let compiles = |name: &str, text: &str| {
        let path = place.path().join(format!("{name}.cu"));
        std::fs::write(&path, text).expect("it can be written");
        let cubin = path.with_extension("cubin");
        let output =
            Command::new(&nvcc).args(["-cubin", "-arch=sm_90", "-o"]).arg(&cubin).arg(&path).output();
        output.expect("nvcc starts").status.success()
    };
    assert!(compiles("taken", &read("taken.cu")));
    let refused = read("refused.cu");
    let functions: Vec<String> =
        refused.split("\n\n").filter(|part| part.contains("asm")).map(str::to_owned).collect();
    assert!(functions.len() > 20);
    let functions = std::sync::Mutex::new(functions.iter().enumerate());
    let taken = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some((at, function)) = functions.lock().expect("no thread panics").next() else {
                        break;
                    };
                    if compiles(&format!("refused{at}"), function) {
                        taken.lock().expect("no thread panics").push(function.clone());
                    }
                }
            });
        }
    });
    let taken = taken.into_inner().expect("no thread panics");
    assert!(taken.is_empty(), "nvcc takes:\n{}", taken.join("\n\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_edit_gives_what_reading_anew_gives(
        at in 0_usize..4000, length in 0_usize..12, new in "[a-z0-9%{}()\";: \\\\\n]{0,8}"
    ) {
        let text = read("taken.cu");
        let start = text.floor_char_boundary(at.min(text.len()));
        let end = text.floor_char_boundary((start + length).min(text.len()));
        let mut host = opened(&text);
        let _ = snapshot(&host).code_diagnostics();
        let edit = TextEdit { range: start..end, text: new };
        let edited = TextEdit::apply(std::slice::from_ref(&edit), &text);
        host.edit(DOCUMENT, 2, &[edit]);
        let found = snapshot(&host).code_diagnostics().expect("nothing cancels it");
        prop_assert_eq!(found, snapshot(&opened(&edited)).code_diagnostics().expect("nothing cancels it"));
        for offset in (0..edited.len()).step_by(17).filter(|offset| edited.is_char_boundary(*offset)) {
            let _ = snapshot(&host).hover(offset);
        }
    }
}
