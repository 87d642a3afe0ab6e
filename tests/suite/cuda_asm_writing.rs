//! Completion, navigation and signatures in the strings of `asm` statements, and only there.

use crate::completion::describe as completions;
use crate::navigate::describe as named_places;
use crate::session::{DOCUMENT, host, snapshot};
use ide::{Analysis, Language};
use std::ops::Range;
use std::path::Path;
use testkit::Answer;

#[test]
fn strings_of_statements_have_what_ptx_has() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/cuda_asm_writing");
    testkit::check_folder(&folder, |fixture| {
        let analysis = opened(fixture.text());
        let complete = fixture.asked("complete").map(|place: Range<usize>| {
            let text = completions(&analysis, fixture.text(), &place);
            Answer::at(place, "complete", text)
        });
        let go = fixture.asked("go").map(|place| {
            let text = named_places(&analysis, fixture.text(), place.start);
            Answer::at(place, "go", text)
        });
        let signatures = fixture.asked("signature").map(|place| {
            let text = signature(&analysis, place.start);
            Answer::at(place, "signature", text)
        });
        complete.chain(go).chain(signatures).collect()
    });
}

fn opened(text: &str) -> Analysis {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, text);
    snapshot(&host)
}

fn signature(analysis: &Analysis, offset: usize) -> String {
    let Some(found) = analysis.signature(offset).expect("nothing cancels it") else {
        return "nothing".to_owned();
    };
    format!("{}, at `{}`", found.label, &found.label[found.operands[found.active].label.clone()])
}

#[test]
fn any_place_can_be_asked_about_while_it_is_typed() {
    const TEXT: &str = include_str!("cuda_asm_writing/navigate.cu");
    let start = TEXT.find("__global__").expect("it exists");
    for end in (start..TEXT.len()).step_by(7).filter(|end| TEXT.is_char_boundary(*end)) {
        let analysis = opened(&TEXT[..end]);
        for offset in [end, end - 1, end - 5].into_iter().filter(|offset| TEXT.is_char_boundary(*offset)) {
            if let Some(found) = analysis.completions(offset).expect("nothing cancels it") {
                assert!(found.range.start <= offset && offset <= found.range.end, "{found:?}");
                assert!(!TEXT[found.range.start..offset].contains('\n'), "{found:?}");
            }
            let places = analysis.references(offset).expect("nothing cancels it");
            assert!(places.iter().all(|place| place.range.end <= end), "{places:?}");
            let _ = analysis.definitions(offset).expect("nothing cancels it");
            let _ = analysis.signature(offset).expect("nothing cancels it");
        }
    }
}
