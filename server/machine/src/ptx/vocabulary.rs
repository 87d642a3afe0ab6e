//! Special registers and directives.

use super::{Need, Spread};

/// A register that the machine writes: `%tid`, `%clock64`.
#[derive(Debug, Clone)]
pub struct SpecialRegister {
    /// With its percent sign.
    pub name: Box<str>,
    /// `u32`, `u64`, `pred` or `b64`; of one component where it has some.
    pub ty: Box<str>,
    /// `x`, `y`, `z`; empty for a scalar.
    pub components: Box<[char]>,
    /// Spread of each component; those beyond the last are like it.
    pub(super) varies: Box<[Spread]>,
    pub need: Need,
    /// A sentence: what it holds.
    pub meaning: Box<str>,
}

impl SpecialRegister {
    /// Among which threads of a block it differs, by its component (0 for `x` and for a scalar).
    ///
    /// Rows of a block that are no multiples of a warp are not thought of: `%tid.y` is the same for a warp.
    pub fn spread(&self, component: usize) -> Spread {
        let of = self.varies.get(component).or(self.varies.last());
        of.copied().unwrap_or(Spread::Same)
    }
}

/// A word with a dot that is no instruction: `.entry`, `.maxntid`.
#[derive(Debug, Clone)]
pub struct Directive {
    /// With its dot.
    pub name: Box<str>,
    /// Places where it is allowed: `module`, `function` (between a function's head and its body), `body`, `variable`,
    /// `parameter`, `section`.
    pub places: Box<[Box<str>]>,
    pub need: Need,
    /// A sentence: what it says.
    pub meaning: Box<str>,
}
