//! Tests of the estimated costs at PTX statements.

use crate::{Analysis, Cancel, Config, HintKind, Host, Language, LaunchFile, LensSubject};

const TEXT: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\
    .reg .b64 %l<4>; .reg .b32 %r<4>; .reg .f32 %f<4>;\n\
    ld.param.u64 %l0, [p];\n\
    mov.u32 %r0, %tid.x;\n\
    mul.wide.u32 %l1, %r0, 4;\n\
    add.s64 %l2, %l0, %l1;\n\
    ld.global.f32 %f0, [%l2];\n\
    add.f32 %f1, %f0, %f0;\n\
    st.global.f32 [%l2], %f1;\n\
    ret;\n}\n";

/// A kernel that reads a column of a tile in shared memory, and whose loop condition depends on data.
const COLUMN: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n\
    .reg .pred %p<2>; .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f32 %f<4>;\n\
    .shared .align 4 .b8 tile[4096];\n\
    ld.param.u64 %rd1, [k_param_0];\n\
    mov.u32 %r1, %tid.x;\n\
    shl.b32 %r2, %r1, 7;\n\
    mov.u32 %r3, tile;\n\
    add.s32 %r4, %r3, %r2;\n\
    ld.shared.f32 %f1, [%r4];\n\
    mul.wide.u32 %rd2, %r1, 4096;\n\
    add.s64 %rd3, %rd1, %rd2;\n\
    $again:\n\
    ld.global.f32 %f2, [%rd3];\n\
    add.f32 %f1, %f1, %f2;\n\
    setp.lt.f32 %p1, %f1, 0f42C80000;\n\
    @%p1 bra $again;\n\
    st.global.f32 [%rd1], %f1;\n\
    ret;\n}\n";

fn host(text: &str) -> Host {
    let mut host = Host::default();
    host.configure(Config { gpu: "h100-sxm".to_owned(), ..Config::default() }).expect("it is known");
    host.open_as("k.ptx", 0, Language::Ptx, text);
    host
}

fn analysis(host: &Host) -> Analysis {
    host.snapshot("k.ptx", Cancel::default()).expect("it is open")
}

/// Analysis of a text with a launch of one warp.
fn launched(text: &str, more: &str) -> Analysis {
    let launch = format!(
        "[[launch]]\nfunction = \"k\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\nparams = [\"ptr\"]\n{more}"
    );
    let mut host = host(text);
    let file = LaunchFile::parse("launches", &launch).expect("the file is valid");
    host.set_launches(Some(file)).expect("it names no GPU");
    analysis(&host)
}

fn hover_at(analysis: &Analysis, text: &str, word: &str) -> crate::Hover {
    let at = text.find(word).expect("it is there");
    analysis
        .hover(at + usize::from(!word.starts_with("k(")))
        .expect("nothing cancels it")
        .expect("there is something to say")
}

/// Code, marked text and message of each finding in the expected SASS.
fn estimated(analysis: &Analysis, text: &str) -> Vec<(&'static str, String, String)> {
    let found = analysis.model_diagnostics().expect("nothing cancels it").into_iter();
    let estimated = found.filter(|found| found.message.starts_with("Estimated, before ptxas: "));
    estimated.map(|found| (found.code, text[found.range].to_owned(), found.message)).collect()
}

#[test]
fn a_hint_is_at_each_statement_that_becomes_an_instruction() {
    let analysis = analysis(&host(TEXT));
    let hints = analysis.hints(0..TEXT.len()).expect("nothing cancels it");
    let at = |text: &str| TEXT.find(text).expect("it is there");
    let latency =
        |text: &str| hints.iter().find(|hint| hint.offset == at(text) && hint.kind == HintKind::Latency);
    let has = |text: &str| latency(text).is_some_and(|hint| hint.label.trim() != "·");
    assert!(has("ld.global.f32") && has("add.f32"));
    // The product is folded into the sum.
    assert!(!has("mul.wide.u32") && has("add.s64"));
    assert!(latency("mul.wide.u32").is_some_and(|hint| hint.tooltip.contains("folded")));
    assert!(hints.iter().all(|hint| hint.tooltip.contains("estimated")));
    assert!(hints.iter().all(|hint| !hint.tooltip.contains("0x00")), "{hints:?}");
    assert!(hints.is_sorted_by_key(|hint| hint.offset));
    let one = analysis.hints(at("add.f32")..at("add.f32") + 1).expect("nothing cancels it");
    assert!(one.iter().all(|hint| hint.offset == at("add.f32")) && one.len() == 2, "{one:?}");
}

#[test]
fn the_hover_shows_the_sass_that_is_expected() {
    let hover = hover_at(&analysis(&host(TEXT)), TEXT, "ld.global.f32");
    assert!(hover.markdown.contains("estimated from PTX"), "{}", hover.markdown);
    assert!(hover.markdown.contains("LDG.E R"), "{}", hover.markdown);
    assert!(hover.markdown.contains("- 4 sectors (optimal) per request"), "{}", hover.markdown);
    assert!(!hover.markdown.contains("0x0000000000000000"), "{}", hover.markdown);
    assert!(!hover.links.is_empty());
    assert!(hover.links.iter().all(|&link| hover.markdown[link..].starts_with("#L")));
}

#[test]
fn the_hover_names_lines_of_ptx() {
    let hover = hover_at(&analysis(&host(TEXT)), TEXT, "add.f32");
    assert!(hover.markdown.contains("[`ld.global.f32` on line 11](#L11)"), "{}", hover.markdown);
    assert!(hover.markdown.contains("the result of `ld.global.f32` on line 11"), "{}", hover.markdown);
}

#[test]
fn the_hover_of_a_function_has_the_facts_of_its_launch() {
    let hover = hover_at(&analysis(&host(TEXT)), TEXT, "k(.param");
    assert!(hover.markdown.contains("*estimated from PTX.*"), "{}", hover.markdown);
    assert!(hover.markdown.contains("- Occupancy: 100 %"), "{}", hover.markdown);
}

#[test]
fn the_lens_says_that_it_is_an_estimate() {
    let analysis = analysis(&host(TEXT));
    let lenses = analysis.lenses().expect("nothing cancels it");
    assert_eq!(lenses.len(), 1);
    assert!(lenses[0].title.ends_with("estimated from PTX"), "{}", lenses[0].title);
    assert!(TEXT[lenses[0].range.clone()].starts_with('k'));
    let places = analysis.lens_places().expect("nothing cancels it");
    let again = analysis.lens(places[0].kernel, places[0].of).expect("nothing cancels it");
    assert_eq!(again.as_ref(), lenses.first());
}

#[test]
fn a_loop_has_its_lens_at_its_label() {
    let analysis = launched(COLUMN, "trips = { \"$again\" = 50 }\n");
    let places = analysis.lens_places().expect("nothing cancels it");
    let lenses: Vec<_> = places
        .iter()
        .map(|place| analysis.lens(place.kernel, place.of).expect("nothing cancels it").expect("it is there"))
        .collect();
    assert_eq!(analysis.lenses().expect("nothing cancels it"), lenses);
    let of_loop = places.iter().position(|place| place.of == LensSubject::Loop(0)).expect("there is a loop");
    let lens = &lenses[of_loop];
    assert_eq!(lens.range, places[of_loop].range);
    assert!(COLUMN[lens.range.clone()].starts_with("$again"), "{:?}", &COLUMN[lens.range.clone()]);
    assert!(lens.title.contains("· 50 iterations"), "{}", lens.title);
}

#[test]
fn memory_is_looked_at_in_the_sass_to_expect() {
    let found = estimated(&launched(COLUMN, ""), COLUMN);
    let codes: Vec<(&str, &str)> = found.iter().map(|(code, at, _)| (*code, &**at)).collect();
    assert_eq!(
        codes,
        [("bank-conflict", "[%r4]"), ("uncoalesced-access", "[%rd3]"), ("unknown-trip-count", "bra")]
    );
    let message = |at: usize| &found[at].2;
    assert!(message(0).contains("32-way bank conflict, all lanes share bank"), "{}", message(0));
    assert!(message(1).contains("Address = param_0 + 4096*tid.x"), "{}", message(1));
    assert!(message(2).contains("`trips = { \"$again\" = N }`"), "{}", message(2));
    assert_eq!(estimated(&launched(TEXT, ""), TEXT), []);
    let stated = estimated(&launched(COLUMN, "trips = { \"$again\" = 50 }\n"), COLUMN);
    assert_eq!(stated.len(), 2, "{stated:?}");
}

#[test]
fn a_comment_allows_what_is_found_there() {
    let text = COLUMN
        .replace("ld.shared.f32 %f1, [%r4];", "ld.shared.f32 %f1, [%r4]; // warplens: allow(bank-conflict)");
    let found = estimated(&launched(&text, ""), &text);
    assert!(found.iter().all(|(code, ..)| *code != "bank-conflict") && found.len() == 2, "{found:?}");
    let debug = COLUMN.replace(".target sm_90", ".target sm_90, debug");
    assert_eq!(estimated(&launched(&debug, ""), &debug), []);
}

#[test]
fn the_trips_of_a_loop_are_stated_by_its_label() {
    let analysis = launched(COLUMN, "");
    let at = COLUMN.find("bra $again").expect("it is there");
    let stated = analysis.trips_to_state("unknown-trip-count", at).expect("nothing cancels it");
    assert_eq!(stated.map(|stated| stated.key).as_deref(), Some("$again"));
}

#[test]
fn selected_lines_have_cycles() {
    let analysis = launched(COLUMN, "trips = { \"$again\" = 50 }\n");
    let range = |from: &str, to: &str| {
        let at = |word: &str| COLUMN.find(word).expect("it is there");
        at(from)..at(to) + to.len()
    };
    let said = |range| analysis.selection_cycles(range).expect("nothing cancels it");
    let trip = said(range("ld.global.f32", "@%p1 bra")).expect("it has several instructions");
    let all = said(range("$again:", "st.global.f32 [%rd1], %f1;")).expect("it has several instructions");
    assert!(
        trip.text.contains(" cycles, 1 warp · ") && trip.text.contains("· lines 17..20 ·"),
        "{}",
        trip.text
    );
    assert!(trip.text.ends_with("estimated from PTX"), "{}", trip.text);
    assert!(all.cycles > trip.cycles.map(|trip| 40 * trip), "{:?} {:?}", all.cycles, trip.cycles);
    assert!(said(range("ld.shared.f32", "ld.shared.f32")).is_none());
}

#[test]
fn the_kernel_at_the_cursor_is_summed_up() {
    let analysis = launched(COLUMN, "");
    let at = COLUMN.find("ld.global.f32").expect("it is there");
    let summary = analysis.summary(at).expect("nothing cancels it").expect("there is a kernel");
    let rows: Vec<(u32, &str, Option<u32>)> =
        summary.accesses[0].rows.iter().map(|row| (row.line, &*row.text, row.address)).collect();
    assert_eq!(
        rows,
        [
            (12, "ld.shared.f32 %f1, [%r4]", None),
            (16, "ld.global.f32 %f2, [%rd3]", None),
            (20, "st.global.f32 [%rd1], %f1", None)
        ]
    );
    assert_eq!(summary.accesses[0].chosen.as_ref().map(|chosen| chosen.line), Some(16));
    assert!(summary.launches[0].notes.iter().any(|note| note.contains("estimated from PTX")));
}

#[test]
fn a_model_is_computed_once_for_as_long_as_its_text_stays() {
    let functions: String = (0..80)
        .map(|number| {
            TEXT[TEXT.find(".visible").expect("it is there")..].replace(" k(", &format!(" k{number}("))
        })
        .collect();
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{functions}");
    let mut host = host(&text);
    let ask = |host: &Host| {
        drop(analysis(host).model_diagnostics().expect("nothing cancels it"));
        drop(analysis(host).lenses().expect("nothing cancels it"));
        host.models_computed()
    };
    let first = ask(&host);
    assert_eq!(first, 80);
    let at = text.find("mul.wide.u32 %l1, %r0, 4").expect("it is there") + "mul.wide.u32 %l1, %r0, ".len();
    let edit = crate::TextEdit { range: at..at + 1, text: "8".to_owned() };
    assert!(host.edit("k.ptx", 1, &[edit]));
    assert_eq!(ask(&host), first + 1);
}

/// ptxas combines two 64-bit loads, each with bank conflicts, into a 128-bit load without conflicts.
#[test]
fn what_ptxas_joins_is_no_conflict() {
    let text = |second: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f64 %fd<4>;\n.shared .align 16 .b8 tile[4096];\n\
             ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 4;\nshl.b32 %r3, %r2, 7;\n\
             mov.u32 %r4, tile;\nadd.s32 %r5, %r4, %r3;\nld.shared.f64 %fd1, [%r5];\n{second}\n\
             add.f64 %fd3, %fd1, %fd2;\nst.global.f64 [%rd1], %fd3;\nret;\n}}\n"
        )
    };
    let codes = |text: &str| -> Vec<&'static str> {
        let found = estimated(&launched(text, ""), text).into_iter().map(|(code, ..)| code);
        found.filter(|code| *code == "bank-conflict").collect()
    };
    assert_eq!(codes(&text("ld.shared.f64 %fd2, [%r5+8];")), [""; 0]);
    assert_eq!(codes(&text("ld.shared.f64 %fd2, [%r5+64];")), ["bank-conflict", "bank-conflict"]);
}

#[test]
fn a_block_that_the_text_names_is_the_one_that_is_assumed() {
    let block = |directive: &str| {
        let text = COLUMN.replace(")\n{", &format!(")\n{directive}\n{{"));
        let summary = analysis(&host(&text)).summary(text.len()).expect("nothing cancels it");
        let resources = summary.expect("there is a kernel").launches.swap_remove(0).resources;
        (resources.block, resources.launch_assumed)
    };
    assert_eq!(block(".maxntid 32, 8, 1"), ([32, 8, 1], true));
    assert_eq!(block(".maxntid 512\n.reqntid 128"), ([128, 1, 1], true));
    assert_eq!(block(""), ([1024, 1, 1], true));
}

/// Lowering and the analyses after it check for cancellation, so that abandoned work frees its core.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test is of time")]
fn work_on_a_long_function_ends_soon_after_it_is_cancelled() {
    use std::time::{Duration, Instant};
    let block = |at: usize| format!("L{at}: add.s32 %r1, %r1, {at}; @%p1 bra L{};\n", at * 7_919 % 40_000);
    let blocks: String = (0..40_000).map(block).collect();
    let text = format!(
        ".version 8.0\n.target sm_90\n.visible .entry k()\n{{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n{blocks}ret;\n}}\n"
    );
    // The tables are read once per process, and reading them is not cancelled.
    let mut host = host(COLUMN);
    analysis(&host).hints(0..1_000).expect("nothing cancels it");
    host.open("k.ptx", 1, &text);
    let cancel = Cancel::default();
    let analysis = host.snapshot("k.ptx", cancel.clone()).expect("it is open");
    let work = std::thread::spawn(move || {
        let done = analysis.snapshot.cancel.clone().ending(|| analysis.hints(0..1_000));
        (done.is_err(), Instant::now())
    });
    std::thread::sleep(Duration::from_millis(30));
    let asked = Instant::now();
    cancel.cancel();
    let (is_cancelled, ended) = work.join().expect("it does not panic");
    assert!(is_cancelled, "the work was done before it was cancelled");
    let late = ended.saturating_duration_since(asked);
    assert!(late < Duration::from_millis(500), "it went on for {late:?}");
}
