//! Invariants of all rules. `tests/suite/pages.rs` runs the examples on all pages through the engine. This file also
//! checks the PTX examples without the engine.

use super::rules;
use crate::ptx::{Heading, Subject};
use crate::rule::Check;
use machine::Machine;
use model::ptx::{Globals, Module, Names, Ptx};

#[test]
fn every_page_is_headed_by_its_code() {
    for rule in rules() {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.code)), "{}", rule.code);
        assert!(rule.summary.ends_with('.'), "{}", rule.code);
    }
}

/// The codes of the findings in a PTX text.
fn found(text: &str) -> Vec<&'static str> {
    let module = Module::parse(text);
    let globals = Globals::collect(&module);
    let heading = Heading::read(&module);
    let gpu = Machine::builtin().gpu_for_sm(heading.target.expect("pages name a target").sm);
    let tables = Ptx::builtin();
    let heading_findings = crate::check_heading(&module, &tables);
    let mut codes: Vec<_> = heading_findings.into_iter().map(|(_, finding)| finding.code).collect();
    for (index, item) in module.items().iter().enumerate() {
        assert!(item.errors().is_empty(), "{:?} in\n{text}", item.errors());
        let names = Names::resolve(item);
        let subject = Subject::new(item, index, &names, &globals, &tables, heading, &gpu);
        codes.extend(crate::check_item(&subject, |_| false).into_iter().map(|finding| finding.code));
    }
    codes
}

/// Returns the PTX code blocks that follow the heading `heading` on a page, for each occurrence of the heading.
fn blocks<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let sections = page.split(heading).skip(1);
    sections
        .flat_map(|section| {
            let ends = ["Fires:", "Silent:"].into_iter().filter_map(|other| section.find(other));
            let section = &section[..ends.min().unwrap_or(section.len())];
            section.split("```").skip(1).step_by(2)
        })
        .filter_map(|block| block.split_once('\n').filter(|(info, _)| info.starts_with("ptx ")))
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn every_page_of_ptx_fires_and_is_silent_where_it_says_so() {
    let is_ptx = |check: &Check| matches!(check, Check::Ptx(_) | Check::Assembler);
    for rule in rules().filter(|rule| rule.checks.iter().any(is_ptx)) {
        let (firing, silent) = (blocks(rule.page, "Fires:"), blocks(rule.page, "Silent:"));
        assert!(!firing.is_empty() && !silent.is_empty(), "{} needs a block of each kind", rule.code);
        for text in firing {
            assert!(found(text).contains(&rule.code), "{} is silent on:\n{text}", rule.code);
        }
        for text in silent {
            assert!(!found(text).contains(&rule.code), "{} fires on:\n{text}", rule.code);
        }
    }
}
