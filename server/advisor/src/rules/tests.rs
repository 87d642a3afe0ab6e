//! Each rule's page is its test: the block behind `Fires:` must fire, the one behind `Silent:` must not.

use super::RULES;
use crate::{Kernel, Rule, check};
use machine::Machine;
use model::Program;
use syntax::sass::Listing;

/// The code blocks of a page behind `heading`, each with the architecture in its info string.
fn blocks<'a>(page: &'a str, heading: &str) -> Vec<(u16, &'a str)> {
    let mut found = Vec::new();
    for section in page.split(heading).skip(1) {
        let section =
            section.split("Fires:").next().and_then(|part| part.split("Silent:").next()).unwrap_or("");
        for block in section.split("```nvsass sm_").skip(1) {
            let (sm, rest) = block.split_once('\n').expect("an info string ends its line");
            let text = rest.split("```").next().expect("a split has a first part");
            found.push((sm.trim().parse().expect("an sm number"), text));
        }
    }
    found
}

fn fires(rule: &Rule, sm: u16, text: &str) -> bool {
    let listing = Listing::parse(text);
    let arch = Machine::builtin().gpu_for_sm(sm).arch;
    listing.chunks().iter().any(|chunk| {
        if rule.check.is_none() {
            return !chunk.errors().is_empty();
        }
        let program = Program::decode(chunk, &arch);
        let findings =
            check(Kernel { chunk, program: &program, isa: &arch.isa, isa_sm: sm }, |code| code != rule.code);
        !findings.is_empty()
    })
}

#[test]
fn every_page_fires_and_is_silent_where_it_says_so() {
    for rule in RULES {
        let (firing, silent) = (blocks(rule.page, "Fires:"), blocks(rule.page, "Silent:"));
        assert!(!firing.is_empty() && !silent.is_empty(), "{} needs a block of each kind", rule.code);
        for (sm, text) in firing {
            assert!(fires(rule, sm, text), "{} is silent on:\n{text}", rule.code);
        }
        for (sm, text) in silent {
            assert!(!fires(rule, sm, text), "{} fires on:\n{text}", rule.code);
        }
    }
}

#[test]
fn every_page_is_headed_by_its_code() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.code)), "{}", rule.code);
        assert!(rule.summary.ends_with('.'), "{}", rule.code);
    }
}
