//! Behaviour of instructions: their successors, which threads must execute them together, among which threads their
//! results differ.

use serde::Deserialize;

/// Row of `behaviour.csv` for an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Behaviour {
    pub flow: ControlFlow,
    pub together: Option<Together>,
    pub result: ResultSpread,
}

/// Successor of an instruction whose guard holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlFlow {
    #[default]
    #[serde(rename = "")]
    Next,
    /// To the label that it names, or to one of its list.
    Jump,
    Return,
    End,
}

/// Threads that must execute an instruction together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Together {
    /// All lanes of the warp, the same instruction.
    Warp,
    /// All warps of the block, each with all of its lanes.
    Block,
    /// All threads of the block, lanes of a warp also at different instructions of the kind.
    Threads,
}

/// Among which threads of a block a value differs; of two the larger holds for what both have a part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub enum Spread {
    /// The same in all threads, as far as is known.
    #[default]
    Same,
    /// Among warps; the same in all lanes of one.
    Warps,
    /// Among the lanes of a warp.
    Lanes,
}

/// Rule by which a result's spread follows from that of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultSpread {
    /// That of the operands.
    #[default]
    Operands,
    /// This one, whatever the operands are.
    Fixed(Spread),
    /// At least this one.
    AtLeast(Spread),
    /// The same for a warp if all operands but the first are.
    Broadcast,
    /// A shift to the right: the same for a warp if it is by 5 or more.
    Shifted,
    /// A division: the same for a warp if it is by a multiple of 32.
    Divided,
    /// A mask: the same for a warp if the low five bits are clear.
    Masked,
    /// A comparison with what is below: the same for a warp if it is with a multiple of 32.
    Below,
    /// A comparison with what is above: the same for a warp if it is with one less than a multiple of 32.
    Above,
}

/// A row of the table.
#[derive(Debug, Clone)]
pub(super) struct BehaviourRule {
    /// The first modifiers, in this order.
    pub(super) first: Box<[Box<str>]>,
    /// Modifiers that must be present at any place.
    pub(super) words: Box<[Box<str>]>,
    pub(super) behaviour: Behaviour,
}

impl Spread {
    /// `lane` and `warp`.
    pub(super) fn named(word: &str) -> Option<Self> {
        match word {
            "lane" => Some(Self::Lanes),
            "warp" => Some(Self::Warps),
            _ => None,
        }
    }
}

impl BehaviourRule {
    pub(super) fn fits(&self, modifiers: &[&str]) -> bool {
        let begins = modifiers.iter().zip(&*self.first).filter(|(have, want)| **have == &***want).count();
        begins == self.first.len() && self.words.iter().all(|word| modifiers.contains(&&**word))
    }
}
