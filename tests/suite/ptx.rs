//! Properties of PTX beyond single texts: every instruction is known, and an edit invalidates only the parts
//! that it touches.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Analysis, CompletionKind, Language, TextEdit};
use machine::ptx::Ptx;

fn opened(text: &str) -> Analysis {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Ptx, text);
    snapshot(&host)
}

fn hover(analysis: &Analysis, offset: usize) -> String {
    analysis.hover(offset).expect("nothing cancels it").map(|hover| hover.markdown).unwrap_or_default()
}

#[test]
fn every_instruction_has_a_hover() {
    let table = Ptx::builtin();
    let mut text = ".version 9.9\n.target sm_90a\n.address_size 64\n.entry k()\n{\n".to_owned();
    let mut places = Vec::new();
    for form in table.forms() {
        places.push((text.len() + 1, form));
        text.push('\t');
        text.push_str(form.opcode());
        for (at, slot) in form.slots.iter().enumerate() {
            if !form.is_optional(at) {
                text.push('.');
                text.push_str(&slot.words[0]);
            }
        }
        text.push_str(";\n");
    }
    text.push_str("}\n");
    let analysis = opened(&text);
    for (offset, form) in &places {
        let said = hover(&analysis, *offset);
        let page = table.page(&form.name).expect("every form has a page");
        let first = page.body().lines().next().expect("a page says something");
        assert!(said.contains(first), "{}: {said}", form.name);
        assert!(said.contains("Needs PTX "), "{}: {said}", form.name);
    }
    assert!(places.len() > 800, "{}", places.len());
}

#[test]
fn every_special_register_and_directive_has_a_hover() {
    let table = Ptx::builtin();
    let mut text =
        ".version 9.9\n.target sm_90a\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<2>;\n".to_owned();
    let mut places = Vec::new();
    for register in table.special_registers() {
        text.push_str("\tmov.u32 %r1, ");
        places.push((text.len(), &register.meaning));
        text.push_str(&register.name);
        text.push_str(";\n");
    }
    text.push_str("}\n");
    for directive in
        table.directives().filter(|directive| directive.places.iter().any(|place| **place == *"module"))
    {
        places.push((text.len(), &directive.meaning));
        text.push_str(&directive.name);
        text.push_str(" x;\n");
    }
    let analysis = opened(&text);
    for (offset, meaning) in &places {
        let said = hover(&analysis, *offset);
        assert!(said.contains(&***meaning), "{}: {said}", text[*offset..].lines().next().unwrap_or_default());
    }
    assert!(places.len() > 60, "{}", places.len());
}

/// Checks the proposals after each dot of every spelling of the forms.
#[test]
fn every_required_modifier_is_proposed_after_the_preceding_ones() {
    let table = Ptx::builtin();
    let mut dots = 0;
    for form in table.forms() {
        let mut text = format!(".version 9.9\n.entry k()\n{{\n\t{}", form.opcode());
        for (at, slot) in form.slots.iter().enumerate() {
            if form.is_optional(at) {
                continue;
            }
            text.push('.');
            let word = &*slot.words[0];
            let found = opened(&text).completions(text.len()).expect("nothing cancels it");
            let items = found.map(|found| found.items).unwrap_or_default();
            let is_it = |item: &ide::Completion| item.label == word && item.kind == CompletionKind::Modifier;
            assert!(items.iter().any(is_it), "{word} after {}", text.lines().last().unwrap_or_default());
            text.push_str(word);
            dots += 1;
        }
    }
    assert!(dots > 1500, "{dots}");
}

#[test]
fn an_edit_makes_one_function_stale() {
    let function = |number: u32| {
        format!(
            ".visible .entry k{number}(.param .u64 p{number})\n{{\n\t.reg .b64 %rd<4>;\n\tld.param.u64 %rd1, [p{number}];\n\tret;\n}}\n"
        )
    };
    let functions: String = (0..20).map(function).collect();
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{functions}");
    let mut host = host();
    host.open(DOCUMENT, 1, &text);
    let ask = |host: &ide::Host| {
        let analysis = snapshot(host);
        drop(analysis.semantic_tokens(None).expect("nothing cancels it"));
        host.items_named()
    };
    let first = ask(&host);
    assert_eq!(ask(&host), first, "nothing was edited");
    let at = text.find("%rd1").expect("it is in the text");
    assert!(host.edit(DOCUMENT, 2, &[TextEdit { range: at..at + 4, text: "%rd2".to_owned() }]));
    assert!(ask(&host) <= first + 1, "one function was edited");
    let above = text.find(".target").expect("it is in the text");
    assert!(host.edit(DOCUMENT, 3, &[TextEdit { range: above..above, text: "// above\n".to_owned() }]));
    assert!(ask(&host) <= first + 2, "functions below an edit are read as before");
}

#[test]
fn a_document_stays_in_its_language() {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Ptx, "");
    assert_eq!(snapshot(&host).language(), Language::Ptx);
    assert!(host.edit(DOCUMENT, 2, &[TextEdit { range: 0..0, text: "EXIT ;".to_owned() }]));
    assert_eq!(snapshot(&host).language(), Language::Ptx);
    host.open(DOCUMENT, 3, "EXIT ;");
    assert_eq!(snapshot(&host).language(), Language::Sass);
}
