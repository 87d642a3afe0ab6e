//! Prose about opcodes, special registers and control codes: the pages of `docs/sass`.

use std::ops::RangeInclusive;

/// File name without `.md`, and text. Sorted by name.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// A page about an opcode: a title, a sentence, then sections.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    text: &'static str,
}

/// The page of a mnemonic, without modifiers; `None` if it has no page.
pub fn opcode(mnemonic: &str) -> Option<Page> {
    // Pages on topics other than an opcode have lowercase names.
    page(mnemonic)
        .filter(|_| !mnemonic.bytes().any(|byte| byte.is_ascii_lowercase()))
        .map(|text| Page { text })
}

/// Returns the contents and the use of a special register (`SR_TID.X`).
pub fn special_register(name: &str) -> Option<&'static str> {
    section_of(page("special-registers")?, name)
}

/// Returns the meaning of a directive (`.align`, `<CODE>`).
pub fn directive(name: &str) -> Option<&'static str> {
    section_of(page("directives")?, name)
}

fn page(name: &str) -> Option<&'static str> {
    PAGES.binary_search_by_key(&name, |(name, _)| name).ok().map(|index| PAGES[index].1)
}

/// The text of section `## heading`, up to the next section.
fn section_of(text: &'static str, heading: &str) -> Option<&'static str> {
    text.split("\n## ").skip(1).find_map(|section| {
        let (title, body) = section.split_once('\n')?;
        (title.trim() == heading).then(|| body.trim()).filter(|body| !body.is_empty())
    })
}

impl Page {
    /// The entire page, in Markdown.
    pub fn text(self) -> &'static str {
        self.text
    }

    /// Returns a sentence about the opcode's effect.
    pub fn summary(self) -> &'static str {
        self.text.lines().skip(1).map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// Returns the operation in a few lines.
    pub fn operation(self) -> Option<&'static str> {
        section_of(self.text, "Operation")
    }

    /// Returns the pitfalls of writing or reading the opcode, one or two sentences each.
    pub fn pitfalls(self) -> impl Iterator<Item = &'static str> {
        section_of(self.text, "Pitfalls")
            .into_iter()
            .flat_map(str::lines)
            .filter_map(|line| line.strip_prefix("- "))
    }

    /// Returns the effect of a modifier (without its dot). `None` if the page describes the modifier only
    /// together with other modifiers.
    pub fn modifier(self, modifier: &str) -> Option<&'static str> {
        let lines = section_of(self.text, "Modifiers")?.lines();
        lines
            .filter_map(|line| line.strip_prefix("- `.")?.split_once("`: "))
            .find_map(|(name, meaning)| (name == modifier).then_some(meaning))
    }

    /// The modifiers on the page (without dots), each with its description, in page order. Modifiers that the
    /// page describes together share a sentence.
    pub fn modifiers(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.choices().flat_map(|(names, meaning)| undotted(names).map(move |name| (name, meaning)))
    }

    /// True if the page allows `next` in an opcode that has the modifiers `taken` (all without dots). Modifiers that
    /// the page describes together exclude each other, except those that name the types of several operands.
    pub fn may_follow<'a>(self, next: &str, mut taken: impl Iterator<Item = &'a str> + Clone) -> bool {
        let has = |names: &'static str, wanted: &str| undotted(names).any(|name| name == wanted);
        let mut own = self.choices().filter(|(names, _)| has(names, next)).peekable();
        if own.peek().is_none() {
            return taken.all(|taken| taken != next);
        }
        let mut excludes = own.filter(|(_, meaning)| !is_of_several(meaning)).map(|(names, _)| names);
        !excludes.any(|names| taken.clone().any(|taken| has(names, taken)))
    }

    /// Groups of modifiers, each with the sentence that describes the group.
    fn choices(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.entries("Modifiers")
    }

    /// The entries of a section, ``- `Ra`: a meaning``.
    fn entries(self, heading: &str) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let lines = section_of(self.text, heading).unwrap_or_default().lines();
        lines.filter_map(|line| line.strip_prefix("- ")?.split_once(": "))
    }

    /// False if the page limits the modifier to other architectures, or describes it as a modifier of an
    /// operand. See [`Self::of_sources`].
    pub fn has_modifier_on(self, modifier: &str, sm: u16) -> bool {
        let mut entries = self.entries("Generations");
        let is_own = |names: &'static str| ticked(names).any(|name| name.strip_prefix('.') == Some(modifier));
        let stated =
            entries.find(|(names, _)| is_own(names)).and_then(|(_, range)| era(range.trim_end_matches('.')));
        let meaning = self.modifiers().find(|(name, _)| *name == modifier).map_or("", |(_, meaning)| meaning);
        let said = eras(meaning).find_map(era);
        stated.or(said).is_none_or(|era| era.contains(&sm)) && !is_of_operand(meaning)
    }

    /// The modifiers (without dots) of source operands, each with its description on the page.
    pub fn of_sources(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.modifiers().filter(|(_, meaning)| meaning.starts_with(ON_SOURCE))
    }

    /// The operands: their names as on the page (`` `Ra`, `Rb` ``), and their meaning.
    pub fn operands(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.entries("Operands")
    }

    /// Mnemonics of related opcodes.
    pub fn related(self) -> impl Iterator<Item = &'static str> {
        let names = section_of(self.text, "Related").unwrap_or_default();
        names.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| !name.is_empty())
    }
}

/// Beginning of a sentence about a modifier of an operand.
const ON_SOURCE: &str = "On a source";
const ON_DESTINATION: &str = "On a destination";

fn is_of_operand(meaning: &str) -> bool {
    meaning.starts_with(ON_SOURCE) || meaning.starts_with(ON_DESTINATION)
}

/// True if a sentence describes modifiers that an opcode may combine or repeat.
fn is_of_several(meaning: &str) -> bool {
    const BEGINNINGS: [&str; 6] =
        ["Types", "The types", "Two of them", "Together", "Signedness of each", "Which part of each"];
    BEGINNINGS.iter().any(|words| meaning.starts_with(words)) || meaning.contains("printed twice")
}

/// The names of modifiers between backticks, without their dots.
fn undotted(names: &'static str) -> impl Iterator<Item = &'static str> {
    ticked(names)
        .filter_map(|name| name.strip_prefix('.'))
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// The phrases of a sentence that may name architectures: in parentheses, before a colon, and after the last
/// comma.
fn eras(sentence: &str) -> impl Iterator<Item = &str> {
    let in_parentheses =
        sentence.split('(').skip(1).filter_map(|part| part.split_once(')').map(|(inside, _)| inside));
    let (before, _) = sentence.split_once(':').unwrap_or_default();
    // `Caching before sm_70: …`
    let before = before.split_once(' ').map(|(_, era)| era);
    let (_, following) = sentence.rsplit_once(", ").unwrap_or_default();
    in_parentheses.chain(before).chain([following.trim_end_matches('.')])
}

/// Parses a phrase that names architectures: `sm_80 to sm_90`, `sm_120`, `before sm_70`, `from sm_75 on` or `Kepler`.
/// `None` for any other text.
fn era(words: &str) -> Option<RangeInclusive<u16>> {
    const KEPLER: RangeInclusive<u16> = 30..=37;
    let sm = |word: &str| word.strip_prefix("sm_")?.parse::<u16>().ok();
    let words: Vec<&str> = words.split(' ').collect();
    match words[..] {
        ["Kepler"] => Some(KEPLER),
        [only] => sm(only).map(|only| only..=only),
        [first, "to", last] => Some(sm(first)?..=sm(last)?),
        ["before", end] => Some(0..=sm(end)?.checked_sub(1)?),
        ["from", first, "on"] => Some(sm(first)?..=u16::MAX),
        _ => None,
    }
}

/// Returns the texts between backticks.
fn ticked(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split('`').skip(1).step_by(2)
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
    fn modifiers_are_listed_where_they_exist() {
        let page = opcode("LDG").unwrap();
        let names: Vec<&str> = page.modifiers().map(|(name, _)| name).collect();
        assert!(names.starts_with(&["U8", "S8", "U16", "S16", "32", "64", "128", "256", "E"]), "{names:?}");
        assert!(page.has_modifier_on("256", 100) && !page.has_modifier_on("256", 90));
        assert!(page.has_modifier_on("E", 90));
        assert!(page.has_modifier_on("CG", 61) && !page.has_modifier_on("CG", 90));
        assert!(page.has_modifier_on("EF", 90) && !page.has_modifier_on("EF", 61));
        let [multiply, function, add] = ["IMAD", "MUFU", "IADD3"].map(|name| opcode(name).unwrap());
        assert!(multiply.has_modifier_on("S16", 35) && !multiply.has_modifier_on("S16", 90));
        assert!(function.has_modifier_on("SIN", 61) && function.has_modifier_on("SIN", 90));
        assert!(function.has_modifier_on("TANH", 75) && !function.has_modifier_on("TANH", 70));
        assert!(add.has_modifier_on("64", 120) && !add.has_modifier_on("64", 90));
        assert!(!add.has_modifier_on("CC", 61), "`.CC` is a modifier of the destination");
        assert_eq!(page.operands().next().unwrap().0, "`Rd`");
    }

    #[test]
    fn of_alternatives_one_is_chosen() {
        let may = |name: &str, taken: &str, next: &str| {
            opcode(name).unwrap().may_follow(next, taken.split('.').filter(|word| !word.is_empty()))
        };
        assert!(may("ISETP", "", "GE") && may("ISETP", "GE", "AND"));
        assert!(!may("ISETP", "GE", "LT") && !may("ISETP", "GE", "GE") && !may("ISETP", "GE.AND", "OR"));
        assert!(!may("LDG", "E.64", "128") && may("LDG", "E", "128"));
        assert!(may("F2F", "F64", "F32") && may("PSETP", "AND", "AND") && may("HMMA", "884.F32", "F32"));
        assert!(!may("LDG", "NONSENSE", "NONSENSE"));
    }

    #[test]
    fn text_after_a_source_is_no_modifier_of_the_opcode() {
        let page = opcode("HFMA2").unwrap();
        assert!(page.of_sources().any(|(name, _)| name == "H1_H1"));
        assert!(!page.has_modifier_on("H1_H1", 90));
    }

    #[test]
    fn parts_of_a_page_are_found() {
        let page = opcode("IMAD").unwrap();
        assert!(page.modifier("WIDE").unwrap().contains("64-bit"));
        assert_eq!(page.modifier("S16"), None, "the page describes all types in one entry");
        assert!(page.pitfalls().count() > 0 && page.related().any(|name| name == "LEA"));
        assert!(special_register("SR_TID.X").is_some());
        assert!(
            directive(".align").is_some() && directive("<CODE>").is_some() && directive(".none").is_none()
        );
        assert!(opcode("special-registers").is_none() && opcode("NOSUCH").is_none());
    }
}
