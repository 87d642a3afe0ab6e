//! What opcodes, special registers and control codes do, in prose: the pages of `docs/sass`.

/// File name without `.md`, and text; sorted by name.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// A page about an opcode: a title, a sentence, then sections.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    text: &'static str,
}

/// The page of a mnemonic, without modifiers. `None` where there is none.
pub fn opcode(mnemonic: &str) -> Option<Page> {
    // Pages about something else than an opcode have lowercase names.
    page(mnemonic)
        .filter(|_| !mnemonic.bytes().any(|byte| byte.is_ascii_lowercase()))
        .map(|text| Page { text })
}

/// What a special register (`SR_TID.X`) holds and what it is good for.
pub fn special_register(name: &str) -> Option<&'static str> {
    section_of(page("special-registers")?, name)
}

/// What control codes are, generation by generation, with worked examples.
pub fn control_codes() -> &'static str {
    page("control-codes").unwrap_or_default()
}

fn page(name: &str) -> Option<&'static str> {
    PAGES.binary_search_by_key(&name, |(name, _)| name).ok().map(|index| PAGES[index].1)
}

/// The text of `## heading`, up to the next.
fn section_of(text: &'static str, heading: &str) -> Option<&'static str> {
    text.split("\n## ").skip(1).find_map(|section| {
        let (title, body) = section.split_once('\n')?;
        (title.trim() == heading).then(|| body.trim()).filter(|body| !body.is_empty())
    })
}

impl Page {
    /// All of it, in Markdown.
    pub fn text(self) -> &'static str {
        self.text
    }

    /// What it does, in a sentence.
    pub fn summary(self) -> &'static str {
        self.text.lines().skip(1).map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// What it computes, in a few lines.
    pub fn operation(self) -> Option<&'static str> {
        section_of(self.text, "Operation")
    }

    /// What bites people who write or read it, one sentence or two each.
    pub fn pitfalls(self) -> impl Iterator<Item = &'static str> {
        section_of(self.text, "Pitfalls")
            .into_iter()
            .flat_map(str::lines)
            .filter_map(|line| line.strip_prefix("- "))
    }

    /// What a modifier (without its dot) changes. `None` where the page says it only of several together.
    pub fn modifier(self, modifier: &str) -> Option<&'static str> {
        let lines = section_of(self.text, "Modifiers")?.lines();
        lines
            .filter_map(|line| line.strip_prefix("- `.")?.split_once("`: "))
            .find_map(|(name, meaning)| (name == modifier).then_some(meaning))
    }

    /// Mnemonics of opcodes that do something like it.
    pub fn related(self) -> impl Iterator<Item = &'static str> {
        let names = section_of(self.text, "Related").unwrap_or_default();
        names.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    #[test]
    fn every_opcode_has_a_page() {
        for arch in &Machine::builtin().archs {
            for mnemonic in arch.isa.mnemonics() {
                let page = opcode(mnemonic).unwrap_or_else(|| panic!("{mnemonic} has no page"));
                assert!(page.text().starts_with(&format!("# {mnemonic}\n")), "{mnemonic}");
                assert!(page.summary().len() > 10 && page.operation().is_some(), "{mnemonic}");
            }
        }
    }

    #[test]
    fn related_opcodes_have_pages() {
        for (name, text) in PAGES {
            for related in (Page { text }).related() {
                assert!(opcode(related).is_some(), "{name} names {related}");
            }
        }
    }

    #[test]
    fn parts_of_a_page_are_found() {
        let page = opcode("IMAD").unwrap();
        assert!(page.modifier("WIDE").unwrap().contains("64-bit"));
        assert_eq!(page.modifier("S16"), None, "the page speaks of all types together");
        assert!(page.pitfalls().count() > 0 && page.related().any(|name| name == "LEA"));
        assert!(special_register("SR_TID.X").is_some());
        assert!(control_codes().starts_with("# "));
        assert!(opcode("special-registers").is_none() && opcode("NOSUCH").is_none());
    }
}
