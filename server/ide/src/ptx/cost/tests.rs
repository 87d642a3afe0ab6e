//! Costs at the statements of PTX.

use crate::{Cancel, Config, HintKind, Host, Language};

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

fn host() -> Host {
    let mut host = Host::default();
    host.configure(Config { gpu: "h100-sxm".to_owned(), ..Config::default() }).expect("it is known");
    host.open_as("k.ptx", 0, Language::Ptx, TEXT);
    host
}

#[test]
fn a_hint_stands_at_what_becomes_an_instruction() {
    let analysis = host().snapshot("k.ptx", Cancel::default()).expect("it is open");
    let hints = analysis.hints(0..TEXT.len()).expect("nothing cancels it");
    let at = |text: &str| TEXT.find(text).expect("it is there");
    let has = |text: &str| hints.iter().any(|hint| hint.offset == at(text) && hint.kind == HintKind::Latency);
    assert!(has("ld.global.f32") && has("add.f32"));
    // The product is part of the sum.
    assert!(!has("mul.wide.u32") && has("add.s64"));
    assert!(hints.iter().all(|hint| hint.tooltip.contains("estimated")));
    assert!(hints.is_sorted_by_key(|hint| hint.offset));
}

#[test]
fn the_hover_shows_the_sass_that_is_expected() {
    let analysis = host().snapshot("k.ptx", Cancel::default()).expect("it is open");
    let at = TEXT.find("ld.global.f32").expect("it is there");
    let hover = analysis.hover(at + 1).expect("nothing cancels it").expect("there is something to say");
    assert!(hover.markdown.contains("estimated: before ptxas"), "{}", hover.markdown);
    assert!(hover.markdown.contains("LDG.E R"), "{}", hover.markdown);
    assert!(!hover.markdown.contains("0x0000000000000000"), "{}", hover.markdown);
    assert!(hover.links.iter().all(|&link| hover.markdown[link..].starts_with("#L")));
}

#[test]
fn the_lens_says_that_it_is_an_estimate() {
    let analysis = host().snapshot("k.ptx", Cancel::default()).expect("it is open");
    let lenses = analysis.lenses().expect("nothing cancels it");
    assert_eq!(lenses.len(), 1);
    assert!(lenses[0].title.starts_with("estimated: before ptxas"), "{}", lenses[0].title);
    assert!(TEXT[lenses[0].range.clone()].starts_with('k'));
    let places = analysis.lens_places().expect("nothing cancels it");
    let again = analysis.lens(places[0].kernel, places[0].of).expect("nothing cancels it");
    assert_eq!(again.as_ref(), lenses.first());
}
