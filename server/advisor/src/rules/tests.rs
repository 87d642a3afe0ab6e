//! What holds for every rule. That pages fire where they say so is tested on the engine, in `tests/suite/pages.rs`.

use super::RULES;

#[test]
fn every_page_is_headed_by_its_code() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.code)), "{}", rule.code);
        assert!(rule.summary.ends_with('.'), "{}", rule.code);
    }
}
