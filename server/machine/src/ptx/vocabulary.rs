//! Special registers and directives.

use super::{Need, Spread};

/// A register that the machine writes: `%tid`, `%clock64`.
#[derive(Debug, Clone)]
pub struct SpecialRegister {
    /// With its percent sign.
    pub name: Box<str>,
    /// `u32`, `u64`, `pred` or `b64`. For a register with components, the type of one component.
    pub ty: Box<str>,
    /// `x`, `y`, `z`; empty for a scalar.
    pub components: Box<[char]>,
    /// Spread of each component. A component without its own entry has the spread of the last entry.
    pub(super) varies: Box<[Spread]>,
    pub need: Need,
    /// A sentence about its contents.
    pub meaning: Box<str>,
}

impl SpecialRegister {
    /// Spread of a component over the threads of a block. Component 0 is `x` or a scalar.
    ///
    /// Assumes that the rows of a block are multiples of a warp: `%tid.y` is the same in all lanes.
    pub fn spread(&self, component: usize) -> Spread {
        let of = self.varies.get(component).or(self.varies.last());
        of.copied().unwrap_or(Spread::Same)
    }
}

/// A word with a dot that is not an instruction: `.entry`, `.maxntid`.
#[derive(Debug, Clone)]
pub struct Directive {
    /// With its dot.
    pub name: Box<str>,
    /// Positions in which the directive is allowed: `module`, `function` (between a function's head and its
    /// body), `body`, `variable`, `parameter`, `section`.
    pub places: Box<[Box<str>]>,
    pub need: Need,
    /// A sentence about its meaning.
    pub meaning: Box<str>,
}
