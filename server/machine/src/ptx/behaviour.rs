//! Behaviour of instructions: their successors, the threads that must execute them together, and how their
//! results vary over the threads of a block.

use serde::Deserialize;

/// Row of `behaviour.csv` for an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Behaviour {
    pub flow: ControlFlow,
    pub together: Option<Participants>,
    pub result: ResultSpread,
}

/// Successor of an instruction whose guard is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlFlow {
    #[default]
    #[serde(rename = "")]
    Next,
    /// The label that the instruction names, or any label in the list that it names.
    Jump,
    Return,
    End,
}

/// Threads that must execute an instruction together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Participants {
    /// All lanes of the warp, at the same instruction.
    Warp,
    /// All warps of the block, each with all of its lanes at the same instruction.
    Block,
    /// All threads of the block. Lanes of a warp may be at different instructions of this kind.
    Threads,
}

/// Variation of a value over the threads of a block. A value computed from several values has the largest of
/// their spreads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub enum Spread {
    /// The same in all threads, as far as known.
    #[default]
    Same,
    /// Differs between warps, and is the same in all lanes of a warp.
    Warps,
    /// Differs between the lanes of a warp.
    Lanes,
}

/// Rule by which the spread of a result follows from its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultSpread {
    /// The result has the largest spread of the operands.
    #[default]
    Operands,
    /// This spread, independent of the operands.
    Fixed(Spread),
    /// This spread, or the largest spread of the operands if that is larger.
    AtLeast(Spread),
    /// [`Self::Operands`], but at most [`Spread::Warps`] if all sources except the first have a spread of at
    /// most [`Spread::Warps`].
    Broadcast,
    /// `shr`, `bfe`: at most [`Spread::Warps`] if the shift count or the first bit is a constant of at least 5.
    Shifted,
    /// A division: at most [`Spread::Warps`] if the divisor is a nonzero constant multiple of 32.
    Divided,
    /// `and`: at most [`Spread::Warps`] if a source is a constant whose low five bits are clear.
    Masked,
    /// `lt`, `ge`, `lo`, `hs`: at most [`Spread::Warps`] if a source is a constant multiple of 32.
    Below,
    /// `gt`, `le`, `hi`, `ls`: at most [`Spread::Warps`] if a source is a constant that is one less than a multiple of
    /// 32.
    Above,
}

/// A row of `behaviour.csv`, without its opcode.
#[derive(Debug, Clone)]
pub(super) struct BehaviourRule {
    /// Modifiers that an instruction must begin with, in this order.
    pub(super) first: Box<[Box<str>]>,
    /// Modifiers that must be present, in any position.
    pub(super) words: Box<[Box<str>]>,
    pub(super) behaviour: Behaviour,
}

impl Spread {
    /// Parses `lane` or `warp`; `None` for any other word.
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
