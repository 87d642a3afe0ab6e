//! The mnemonics of the machine data, in three groups that the grammars highlight differently.

use super::file::rows;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// Branches, calls, exits and barriers. They determine the next instruction and the time of its
    /// execution.
    Control,
    Memory,
    Other,
}

impl Group {
    pub(super) const ALL: [Self; 3] = [Self::Control, Self::Memory, Self::Other];
}

/// The group of each mnemonic of all architectures.
#[derive(Debug)]
pub(super) struct Opcodes(BTreeMap<String, Group>);

impl Opcodes {
    /// Reads the table of SASS.
    pub(super) fn of_sass(csv: &str) -> Result<Self> {
        let mut groups = BTreeMap::new();
        for [opcode, class, memory, flow] in rows(csv, ["opcode", "class", "memory", "flow"])? {
            // `IMAD.WIDE` is a form of IMAD.
            let mnemonic = opcode.split('.').next().unwrap_or_default();
            let group = if !flow.is_empty() || matches!(&*class, "branch" | "convergence") {
                Group::Control
            } else if memory.is_empty() {
                Group::Other
            } else {
                Group::Memory
            };
            let had = groups.entry(mnemonic.to_owned()).or_insert(group);
            *had = group.min(*had);
        }
        Ok(Self(groups))
    }

    pub(super) fn opcodes_in_group(&self, group: Group) -> Vec<&str> {
        self.0.iter().filter(|(_, had)| **had == group).map(|(name, _)| name.as_str()).collect()
    }

    pub(super) fn all(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

impl FromIterator<(String, Group)> for Opcodes {
    fn from_iter<T: IntoIterator<Item = (String, Group)>>(opcodes: T) -> Self {
        Self(opcodes.into_iter().collect())
    }
}

/// A regular expression that matches exactly these words, with every common prefix written once. A matcher that tries
/// the alternatives one by one then fails after a few letters instead of after all words.
pub(super) fn pattern(words: &[&str]) -> String {
    let (ends, longer): (BTreeSet<&str>, BTreeSet<&str>) = words.iter().partition(|word| word.is_empty());
    let mut by_letter: BTreeMap<char, Vec<&str>> = BTreeMap::new();
    for word in longer {
        let mut letters = word.chars();
        if let Some(letter) = letters.next() {
            by_letter.entry(letter).or_default().push(letters.as_str());
        }
    }
    let branches: Vec<String> =
        by_letter.iter().map(|(letter, rests)| format!("{letter}{}", pattern(rests))).collect();
    match (branches.as_slice(), ends.is_empty()) {
        ([], _) => String::new(),
        ([only], true) => only.clone(),
        (_, true) => format!("(?:{})", branches.join("|")),
        (_, false) => format!("(?:{})?", branches.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mnemonic_is_in_the_group_of_its_strongest_form() {
        let csv = "opcode,class,memory,flow,summary\n\
                   UMOV,uniform_move,,,\"Moves, and more.\"\n\
                   BRA.DIV,branch,,,Branches where lanes differ.\n\
                   LD,ld,generic,,Loads.\n";
        let opcodes = Opcodes::of_sass(csv).expect("a table with every column");
        assert_eq!(opcodes.opcodes_in_group(Group::Control), ["BRA"]);
        assert_eq!(opcodes.opcodes_in_group(Group::Memory), ["LD"]);
        assert_eq!(opcodes.opcodes_in_group(Group::Other), ["UMOV"]);
        assert_eq!(opcodes.all(), ["BRA", "LD", "UMOV"]);
    }

    #[test]
    fn a_table_without_a_column_says_which() {
        let error = Opcodes::of_sass("opcode,class,flow\n").expect_err("memory is missing");
        assert_eq!(error.to_string(), "no column \"memory\"");
    }

    #[test]
    fn shared_beginnings_stand_once() {
        assert_eq!(pattern(&["LD", "LDG", "LDS", "LDGSTS", "ST"]), "(?:LD(?:G(?:STS)?|S)?|ST)");
        assert_eq!(pattern(&["BRA"]), "BRA");
    }
}
