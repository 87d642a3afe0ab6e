//! Spellings of an opcode: the modifiers and the kinds of operands that may follow it.

use crate::any_of;
use rustc_hash::FxHashSet;

/// Kind of an instruction's operand, by its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// `R4`
    Register,
    /// `UR4`
    UniformRegister,
    /// `P0`
    Predicate,
    /// `UP0`
    UniformPredicate,
    /// A number, or a label or symbol with a numeric value.
    Number,
    /// `c[0x0][0x28]`
    Constant,
    /// `[R2+0x10]`
    Address,
    /// `desc[UR4][R2.64]`, `gdesc[UR8]`, `tmem[UR4]`
    Described,
    /// `B0`
    Barrier,
    /// `SB0`
    Scoreboard,
    /// `SR_TID.X`
    SpecialRegister,
    /// `CC`, `PR`
    StateRegister,
    /// `{0,1}`
    Set,
    /// `2D`, `RGBA`
    Word,
}

/// Operand kinds, with their letter in `data/isa/spellings.csv` and their name in messages.
const KINDS: [(OperandKind, char, &str); 14] = [
    (OperandKind::Register, 'R', "a register"),
    (OperandKind::UniformRegister, 'U', "a uniform register"),
    (OperandKind::Predicate, 'P', "a predicate"),
    (OperandKind::UniformPredicate, 'Q', "a uniform predicate"),
    (OperandKind::Number, 'I', "a number"),
    (OperandKind::Constant, 'C', "a constant"),
    (OperandKind::Address, 'A', "an address"),
    (OperandKind::Described, 'D', "an address with a descriptor"),
    (OperandKind::Barrier, 'B', "a convergence barrier"),
    (OperandKind::Scoreboard, 'K', "a scoreboard"),
    (OperandKind::SpecialRegister, 'N', "a special register"),
    (OperandKind::StateRegister, 'T', "`CC` or `PR`"),
    (OperandKind::Set, 'S', "a set in braces"),
    (OperandKind::Word, 'W', "a word such as `2D`"),
];

impl OperandKind {
    /// Returns the kind that a letter of the table denotes.
    pub fn of_letter(letter: char) -> Option<Self> {
        KINDS.iter().find(|(_, known, _)| *known == letter).map(|(kind, ..)| *kind)
    }

    /// Returns the kind's letter in the table.
    pub const fn letter(self) -> char {
        KINDS[self as usize].1
    }

    /// Returns the name in messages, with its article.
    pub const fn noun(self) -> &'static str {
        KINDS[self as usize].2
    }

    /// Returns the letter of the group of kinds that are interchangeable in one position: values or
    /// predicates.
    pub const fn group(self) -> char {
        match self {
            Self::Register | Self::UniformRegister | Self::Number | Self::Constant => 'R',
            Self::Predicate | Self::UniformPredicate => 'P',
            other => other.letter(),
        }
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OperandKinds(u16);

impl OperandKinds {
    /// Adds a kind.
    pub const fn insert(&mut self, kind: OperandKind) {
        self.0 |= 1 << kind as u16;
    }

    /// True if the set contains the kind.
    pub const fn contains(self, kind: OperandKind) -> bool {
        self.0 >> kind as u16 & 1 == 1
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds, in the order of the table's letters.
    pub fn iter(self) -> impl Iterator<Item = OperandKind> {
        KINDS.iter().map(|(kind, ..)| *kind).filter(move |kind| self.contains(*kind))
    }

    /// Returns a phrase that lists the kinds: `a register, a number or a constant`.
    pub fn phrase(self) -> String {
        any_of(self.iter().map(OperandKind::noun))
    }
}

/// All modifiers and operands that may follow an opcode on one architecture.
///
/// Source: `data/isa/spellings.csv`, whose rows come from listings.
#[derive(Debug, Clone, Default)]
pub struct Spelling {
    /// Modifiers of the opcode, without dots.
    pub modifiers: FxHashSet<Box<str>>,
    /// Modifiers of its operands, without dots: `H0_H0` of `R4.H0_H0`.
    pub suffixes: FxHashSet<Box<str>>,
    /// Rows of operands. Each position of a row has the kinds that it accepts.
    pub operands: Vec<Box<[OperandKinds]>>,
    /// True if this list of forms is complete: varying the fields of the architecture's instruction words
    /// showed no other form. If false, other forms may exist.
    pub is_complete: bool,
}

impl Spelling {
    /// Adds all forms that `other` allows.
    pub(crate) fn add(&mut self, other: &Self) {
        self.modifiers.extend(other.modifiers.iter().cloned());
        self.suffixes.extend(other.suffixes.iter().cloned());
        self.operands.extend(other.operands.iter().cloned());
        self.is_complete |= other.is_complete;
    }

    /// Allows a descriptor before the addresses of all rows if one row has a descriptor. Listings do not
    /// contain a descriptor for every row.
    pub(crate) fn take_descriptors(&mut self) {
        let mut kinds = self.operands.iter().flatten();
        if !kinds.any(|kinds| kinds.contains(OperandKind::Described)) {
            return;
        }
        for kinds in self.operands.iter_mut().flatten().filter(|kinds| kinds.contains(OperandKind::Address)) {
            kinds.insert(OperandKind::Described);
        }
    }

    /// The possible numbers of operands, in ascending order.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts: Vec<usize> = self.operands.iter().map(|row| row.len()).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    /// True if these operands match a row. An operand of unknown kind matches every position.
    pub fn takes(&self, operands: &[Option<OperandKind>]) -> bool {
        self.operands.iter().any(|row| row.len() == operands.len() && first_wrong(row, operands).is_none())
    }

    /// The first position at which the best matching row rejects the operand, and the kinds accepted in this
    /// position. `None` if a row matches, or if no row has this number of operands.
    pub fn misfit(&self, operands: &[Option<OperandKind>]) -> Option<(usize, OperandKinds)> {
        let rows = || self.operands.iter().filter(|row| row.len() == operands.len());
        let wrong = |row: &[OperandKinds]| {
            row.iter()
                .zip(operands)
                .filter(|(kinds, kind)| kind.is_some_and(|kind| !kinds.contains(kind)))
                .count()
        };
        let least = rows().map(|row| wrong(row)).min().filter(|least| *least > 0)?;
        let best = || rows().filter(|row| wrong(row) == least);
        let place = best().filter_map(|row| first_wrong(row, operands)).max()?;
        let at_place = best().filter(|row| first_wrong(row, operands) == Some(place));
        Some((place, at_place.fold(OperandKinds::default(), |all, row| all.union(row[place]))))
    }
}

fn first_wrong(row: &[OperandKinds], operands: &[Option<OperandKind>]) -> Option<usize> {
    row.iter().zip(operands).position(|(kinds, kind)| kind.is_some_and(|kind| !kinds.contains(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(letters: &str) -> OperandKinds {
        let mut all = OperandKinds::default();
        letters.chars().for_each(|letter| all.insert(OperandKind::of_letter(letter).unwrap()));
        all
    }

    fn spelling(rows: &[&str]) -> Spelling {
        let rows = rows.iter().map(|row| row.split(' ').map(kinds).collect());
        Spelling { operands: rows.collect(), ..Spelling::default() }
    }

    fn operands(letters: &str) -> Vec<Option<OperandKind>> {
        letters.chars().map(OperandKind::of_letter).collect()
    }

    #[test]
    fn letters_follow_the_order_of_the_kinds() {
        for (at, (kind, letter, _)) in KINDS.iter().enumerate() {
            assert_eq!((*kind as usize, OperandKind::of_letter(*letter)), (at, Some(*kind)));
        }
    }

    #[test]
    fn a_descriptor_in_one_row_may_stand_in_all() {
        let mut ldgsts = spelling(&["A A", "A D", "A A P"]);
        ldgsts.take_descriptors();
        assert!(ldgsts.takes(&operands("ADP")) && ldgsts.takes(&operands("AA")));
        let mut lds = spelling(&["R A"]);
        lds.take_descriptors();
        assert!(!lds.takes(&operands("RD")));
    }

    #[test]
    fn the_row_that_fits_best_says_what_is_wrong() {
        let iadd3 = spelling(&["R RI RIC R", "R P P R RIC R", "R R RIC R P P"]);
        assert!(iadd3.takes(&operands("RRCR")) && iadd3.takes(&operands("RPPRIR")));
        assert!(!iadd3.takes(&operands("RPRR")) && !iadd3.takes(&operands("RRR")));
        assert_eq!(iadd3.misfit(&operands("RRPR")), Some((2, kinds("RIC"))));
        assert_eq!(iadd3.misfit(&operands("RRR")), None);
        assert_eq!(iadd3.misfit(&operands("RR?R")), None);
        assert_eq!(iadd3.counts(), [4, 6]);
        assert_eq!(kinds("RIC").phrase(), "a register, a number or a constant");
    }
}
