//! `cargo xtask spellings`: adds the spellings of opcodes that listings show to
//! `machine/data/isa/spellings.csv`.
//!
//! A row applies to a range of architectures: a spelling in listings of two architectures also applies to the
//! architectures between them.

use crate::repo::Repo;
use advisor::spelling::{ObservedSpelling, observe};
use anyhow::{Context, Result, bail};
use machine::OperandKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;

/// Path of the table from the root of the repository.
const TABLE: &str = "server/machine/data/isa/spellings.csv";

const HEADER: &str = "opcode,from,to,modifiers,operands,suffixes,complete";

/// The architectures whose listings are read. Each represents the architectures up to the next listed
/// architecture.
const ARCHITECTURES: [u16; 11] = [35, 50, 60, 70, 75, 80, 86, 89, 90, 100, 120];

/// The last of [`ARCHITECTURES`] before each change of the instruction words. A spelling of an earlier
/// architecture is assumed to be valid up to this change: a newer listing without the spelling does not prove
/// that the spelling is invalid.
const ENDS: [u16; 3] = [35, 60, 120];

#[derive(clap::Args)]
pub(crate) struct SpellingOptions {
    /// An architecture and a file of instructions, one per line: `sm_90=instructions.txt`.
    #[arg(required = true)]
    files: Vec<File>,
    /// States that the files contain all forms of their opcodes on the architecture.
    #[arg(long)]
    complete: bool,
}

/// Instructions of one architecture.
#[derive(Clone)]
struct File {
    sm: u16,
    path: PathBuf,
}

impl FromStr for File {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected `sm_90=FILE`, not `{text}`");
        let (sm, path) =
            text.strip_prefix("sm_").and_then(|rest| rest.split_once('=')).ok_or_else(expected)?;
        Ok(Self { sm: sm.parse().map_err(|_| expected())?, path: path.into() })
    }
}

/// An element that may be written after an opcode.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Modifier(String),
    /// The groups of the operand kinds.
    Operands(String),
    Suffix(String),
    /// All forms of the opcode are known.
    Complete,
}

/// First and last architecture whose listings show an item, as indices into [`ARCHITECTURES`].
type Seen = (usize, usize);

#[derive(Default)]
struct Table {
    /// Items of each opcode.
    items: BTreeMap<String, BTreeMap<Item, Seen>>,
    /// Kinds seen at each operand position, by opcode and the groups of its operands.
    kinds: BTreeMap<(String, String), Vec<BTreeSet<char>>>,
}

/// Adds the spellings in the files to the table, and rewrites the table.
pub(crate) fn run(repo: &Repo, options: &SpellingOptions) -> Result<bool> {
    let path = repo.path(TABLE);
    let mut table = Table::default();
    table.read(&std::fs::read_to_string(&path).with_context(|| TABLE.to_owned())?)?;
    for File { sm, path } in &options.files {
        let Some(at) = ARCHITECTURES.iter().position(|known| known == sm) else {
            bail!("no row begins at sm_{sm}: expected one of {ARCHITECTURES:?}");
        };
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        for observed in observe(&advisor::spelling::listing_of(*sm, text.lines())) {
            table.add(at, &observed);
            if options.complete {
                table.see(&observed.mnemonic, (at, at), Item::Complete);
            }
        }
    }
    std::fs::write(&path, table.write())?;
    println!("{} opcodes in {TABLE}", table.items.len());
    Ok(true)
}

impl Table {
    fn add(&mut self, at: usize, observed: &ObservedSpelling) {
        let (opcode, seen) = (&observed.mnemonic, (at, end(at)));
        // Skips fields without a defined value, and the names that a disassembler invents for such fields.
        let is_word = |word: &&String| !word.contains('?') && !word.starts_with("INVALID");
        for word in observed.modifiers.iter().filter(is_word) {
            self.see(opcode, seen, Item::Modifier(word.clone()));
        }
        for word in observed.suffixes.iter().filter(is_word) {
            self.see(opcode, seen, Item::Suffix(word.clone()));
        }
        let places: Vec<String> = observed.operands.iter().map(|kind| kind.letter().to_string()).collect();
        self.see_operands(opcode, seen, &places);
    }

    fn read(&mut self, text: &str) -> Result<()> {
        for line in text.lines().skip(1) {
            let [opcode, from, to, modifiers, operands, suffixes, complete] =
                &*line.split(',').collect::<Vec<_>>()
            else {
                bail!("{TABLE}: expected {HEADER}, not `{line}`");
            };
            let first = index(from.parse()?);
            let last = to.parse().map_or(ARCHITECTURES.len() - 1, |to: u16| index(to));
            for word in modifiers.split_whitespace() {
                self.see(opcode, (first, last), Item::Modifier(word.to_owned()));
            }
            for word in suffixes.split_whitespace() {
                self.see(opcode, (first, last), Item::Suffix(word.to_owned()));
            }
            for row in operands.split('|').filter(|row| !row.trim().is_empty()) {
                let places = row.split_whitespace().filter(|word| *word != "-");
                let places: Vec<String> = places.map(str::to_owned).collect();
                self.see_operands(opcode, (first, last), &places);
            }
            if *complete == "yes" {
                self.see(opcode, (first, last), Item::Complete);
            }
        }
        Ok(())
    }

    /// Extends an item's range to the first and the last of these architectures.
    fn see(&mut self, opcode: &str, (first, last): Seen, item: Item) {
        let seen = self.items.entry(opcode.to_owned()).or_default().entry(item).or_insert((first, last));
        *seen = (seen.0.min(first), seen.1.max(last));
    }

    /// Like [`Self::see`], for operands. `places` are the letters of the operand kinds at each position.
    fn see_operands(&mut self, opcode: &str, seen: Seen, places: &[String]) {
        let group =
            |place: &String| place.chars().next().and_then(OperandKind::of_letter).map(OperandKind::group);
        let groups: String = places.iter().filter_map(group).collect();
        self.see(opcode, seen, Item::Operands(groups.clone()));
        let kinds = self.kinds.entry((opcode.to_owned(), groups)).or_default();
        kinds.resize(places.len(), BTreeSet::new());
        for (kinds, letters) in kinds.iter_mut().zip(places) {
            kinds.extend(letters.chars());
        }
    }

    fn write(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (opcode, items) in &self.items {
            let mut ranges: BTreeMap<Seen, [Vec<String>; 4]> = BTreeMap::new();
            for (item, seen) in items {
                let columns = ranges.entry(*seen).or_default();
                match item {
                    Item::Modifier(word) => columns[0].push(word.clone()),
                    Item::Operands(groups) => columns[1].push(self.places(opcode, groups)),
                    Item::Suffix(word) => columns[2].push(word.clone()),
                    Item::Complete => columns[3].push("yes".to_owned()),
                }
            }
            for ((first, last), [modifiers, operands, suffixes, complete]) in ranges {
                let to = ARCHITECTURES.get(last + 1).map_or_else(String::new, |next| (next - 1).to_string());
                let (modifiers, operands, suffixes) =
                    (modifiers.join(" "), operands.join(" | "), suffixes.join(" "));
                let complete = complete.concat();
                let from = ARCHITECTURES[first];
                let _ = writeln!(text, "{opcode},{from},{to},{modifiers},{operands},{suffixes},{complete}");
            }
        }
        text
    }

    /// The kinds at each position, `R RIC P`; `-` for no operands.
    fn places(&self, opcode: &str, groups: &str) -> String {
        let Some(kinds) = self.kinds.get(&(opcode.to_owned(), groups.to_owned())) else { return "-".into() };
        if kinds.is_empty() {
            return "-".into();
        }
        // In the order of the kinds, values first.
        let place = |kinds: &BTreeSet<char>| {
            let mut letters: Vec<char> = kinds.iter().copied().collect();
            letters.sort_by_key(|letter| OperandKind::of_letter(*letter).map(|kind| kind as usize));
            letters.into_iter().collect::<String>()
        };
        kinds.iter().map(place).collect::<Vec<_>>().join(" ")
    }
}

/// The last architecture with the same instruction words.
fn end(at: usize) -> usize {
    let last = ENDS.iter().find(|end| **end >= ARCHITECTURES[at]).copied();
    last.map_or(at, index)
}

/// The index of the architecture that represents the architecture `sm`.
fn index(sm: u16) -> usize {
    ARCHITECTURES.iter().rposition(|known| *known <= sm).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(sm: u16, lines: &[&str]) -> Vec<ObservedSpelling> {
        observe(&advisor::spelling::listing_of(sm, lines.iter().copied())).collect()
    }

    #[test]
    fn a_table_says_what_was_seen_and_where() {
        let mut table = Table::default();
        let lines = ["FADD.FTZ R1, R2, R3", "FADD R1, |R2|, c[0x0][0x4]", "EXIT"];
        for one in observed(50, &lines) {
            table.add(index(50), &one);
        }
        for one in observed(90, &["FADD R1, R2.reuse, UR4"]) {
            table.add(index(90), &one);
            table.see(&one.mnemonic, (index(90), index(90)), Item::Complete);
        }
        let text = table.write();
        assert_eq!(
            text,
            format!(
                "{HEADER}\nEXIT,50,69,,-,,\nFADD,50,69,FTZ,,,\nFADD,50,,,R R RUC,,\nFADD,90,99,,,,yes\nFADD,90,,,,reuse,\n"
            )
        );
        let mut again = Table::default();
        again.read(&text).unwrap();
        assert_eq!(again.write(), text);
    }
}
