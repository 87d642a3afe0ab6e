//! PTX as data: every instruction form, special register and directive, with its requirements and its
//! meaning.
//!
//! The module handles words, not program text. An instruction is passed as its opcode and its modifiers without
//! dots.

mod alternative;
mod behaviour;
mod costly;
mod expansion;
mod find;
mod form;
mod limit;
mod load;
mod lookup;
mod matching;
mod operand;
mod page;
mod spacing;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod types;
mod vocabulary;

pub use alternative::Alternative;
pub use behaviour::{Behaviour, ControlFlow, Participants, ResultSpread, Spread};
pub use costly::{CostKind, CostlyInstruction};
pub use expansion::{Expansion, Expansions, Name, Piece, SideEffect, Sign, Slot as RegisterSlot, Step};
pub use form::{Form, Need, Slot};
pub use limit::{Limit, Values};
pub use matching::{FormBinding, Mismatch, MismatchKind};
pub use operand::{Access, Count, Operand, OperandKind, Predicate, Presence, TypeSource};
pub use page::Page;
pub use table::Ptx;
pub use target::{Feature, Target, TargetRange, Version};
pub use types::{Type, TypeClass};
pub use vocabulary::{Directive, SpecialRegister};
