//! Tests of each rule's page: the block after `Fires:` must have a finding, the block after `Silent:` must
//! not. A preceding block of `toml` states the launches of a block, like `warplens.toml`.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Config, Language, LaunchFile, rule_page, rules};

/// An example of a page.
struct Block<'a> {
    language: Language,
    sm: &'a str,
    launches: &'a str,
    text: &'a str,
}

/// The examples after `heading`.
fn blocks<'a>(page: &'a str, heading: &str) -> Vec<Block<'a>> {
    let sections = page.split(heading).skip(1).map(|section| {
        let end = ["Fires:", "Silent:"].into_iter().filter_map(|other| section.find(other)).min();
        &section[..end.unwrap_or(section.len())]
    });
    let mut found = Vec::new();
    for section in sections {
        let mut launches = "";
        for block in section.split("```").skip(1).step_by(2) {
            let (info, text) = block.split_once('\n').expect("an info string ends its line");
            match info.trim().split_once(' ') {
                Some(("nvsass", sm)) => found.push(Block { language: Language::Sass, sm, launches, text }),
                Some(("cuda", sm)) => found.push(Block { language: Language::Cuda, sm, launches, text }),
                // The rules' tests run the PTX examples.
                Some(("ptx", _)) => {}
                _ => launches = text,
            }
        }
    }
    found
}

fn fires(code: &str, block: &Block<'_>) -> bool {
    let mut host = host();
    let gpu = serde_json::json!({ "gpu": block.sm });
    host.configure(Config::from_json(&gpu).expect("a setting is right")).expect("its GPU is known");
    if !block.launches.is_empty() {
        let file = LaunchFile::parse("page", block.launches).expect("the launches are right");
        host.set_launches(Some(file)).expect("their GPU is known");
    }
    host.open_as(DOCUMENT, 1, block.language, block.text);
    let analysis = snapshot(&host);
    let mut found = analysis.syntax_diagnostics().expect("nothing cancels it");
    found.extend(analysis.model_diagnostics().expect("nothing cancels it"));
    found.iter().any(|finding| finding.code == code)
}

#[test]
fn every_page_fires_and_is_silent_where_it_says_so() {
    let is_run = |page: &str| page.contains("```nvsass ") || page.contains("```cuda ");
    for rule in rules().iter().filter(|rule| rule_page(rule.code).is_none_or(is_run)) {
        let page = rule_page(rule.code).expect("a rule has a page");
        let (firing, silent) = (blocks(page, "Fires:"), blocks(page, "Silent:"));
        assert!(!firing.is_empty() && !silent.is_empty(), "{} needs a block of each kind", rule.code);
        for block in firing {
            assert!(fires(rule.code, &block), "{} is silent on:\n{}", rule.code, block.text);
        }
        for block in silent {
            assert!(!fires(rule.code, &block), "{} fires on:\n{}", rule.code, block.text);
        }
    }
}
