//! Special registers and directives.

use super::Need;

/// A register that the machine writes: `%tid`, `%clock64`.
#[derive(Debug, Clone)]
pub struct SpecialRegister {
    /// With its percent sign.
    pub name: Box<str>,
    /// `u32`, `u64`, `pred` or `b64`; of one component where it has some.
    pub ty: Box<str>,
    /// `x`, `y`, `z`; empty for a scalar.
    pub components: Box<[char]>,
    pub need: Need,
    /// A sentence: what it holds.
    pub meaning: Box<str>,
}

/// A word with a dot that is no instruction: `.entry`, `.maxntid`.
#[derive(Debug, Clone)]
pub struct Directive {
    /// With its dot.
    pub name: Box<str>,
    /// Where it may stand: `module`, `function` (between a function's head and its body), `body`, `variable`, `parameter`,
    /// `section`.
    pub places: Box<[Box<str>]>,
    pub need: Need,
    /// A sentence: what it says.
    pub meaning: Box<str>,
}
