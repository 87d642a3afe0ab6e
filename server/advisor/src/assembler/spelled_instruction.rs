//! An instruction, with the name that findings use for it.

use model::ptx::Instruction;
use std::fmt;
use std::ops::Deref;

/// An instruction with its spelling: the opcode and its modifiers, as in `add.s32`.
#[derive(Clone, Copy)]
pub(super) struct SpelledInstruction<'i, 'a> {
    pub(super) instruction: &'i Instruction<'a, 'a>,
    pub(super) spelling: &'a str,
}

impl<'a> Deref for SpelledInstruction<'_, 'a> {
    type Target = Instruction<'a, 'a>;

    fn deref(&self) -> &Self::Target {
        self.instruction
    }
}

impl fmt::Display for SpelledInstruction<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling)
    }
}
