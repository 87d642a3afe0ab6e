//! Subjects of navigation: the register, scoreboard, label or address at an offset.

use super::mention::{Mention, mentions};
use super::named_lines::label_line;
use super::scoreboard_mentions::named;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::{LineAt, SassView};
use crate::sass::token_at::TokenAt;
use std::ops::Range;
use syntax::sass::{LineKind, TokenKind};

/// The symbol at an offset.
#[derive(Debug)]
pub(super) enum Referent<'a> {
    Register(RegisterPlace<'a>),
    Scoreboard(ScoreboardPlace<'a>),
    Label {
        chunk: usize,
        name: String,
    },
    /// A branch to an address, as cuobjdump prints it.
    Address {
        kernel: KernelView<'a>,
        inst: usize,
    },
}

#[derive(Debug)]
pub(super) struct RegisterPlace<'a> {
    pub kernel: KernelView<'a>,
    pub inst: usize,
    pub mention: Mention,
}

#[derive(Debug)]
pub(super) struct ScoreboardPlace<'a> {
    pub kernel: KernelView<'a>,
    pub inst: usize,
    /// Scoreboards that the instruction waits for, as a bit mask.
    pub waits: u8,
    /// Scoreboards that the instruction sets, as a bit mask.
    pub sets: u8,
}

impl<'a> Referent<'a> {
    /// Finds the symbol at an offset, and the range that names it.
    pub(super) fn at(sass: &'a SassView, offset: usize) -> Option<(Range<usize>, Self)> {
        let place = TokenAt::at(sass, offset)?;
        let TokenAt { line, column, token } = place;
        let (token, origin) = (token?, place.range());
        let LineAt { index, chunk, .. } = line;
        let text = line.text();
        let label = |name: &str| Self::Label { chunk: index, name: name.to_owned() };
        match token.kind {
            TokenKind::Label if line.kind() != LineKind::Instruction => {
                return Some((origin, label(token.text(text))));
            }
            TokenKind::Targets => {
                let (word, name) = word_at(token.text(text), column - token.start as usize)?;
                return Some((origin.start + word.start..origin.start + word.end, label(name)));
            }
            _ => {}
        }
        let inst = line.instruction()?;
        let kernel = sass.kernel(index);
        match token.kind {
            TokenKind::Label => Some((origin, label(token.text(text)))),
            // Sources for maxas, KeplerAs and TuringAs name labels without a backtick.
            TokenKind::Name
                if kernel.program().instructions[inst].target.is_some()
                    && label_line(chunk, token.text(text)).is_some() =>
            {
                Some((origin, label(token.text(text))))
            }
            TokenKind::Integer if kernel.program().instructions[inst].target.is_some() => {
                Some((origin, Self::Address { kernel, inst }))
            }
            TokenKind::Control | TokenKind::Schedule | TokenKind::Scoreboard | TokenKind::Word => {
                let (waits, sets) = named(&kernel, inst, token, text, column);
                (waits | sets != 0)
                    .then_some((origin, Self::Scoreboard(ScoreboardPlace { kernel, inst, waits, sets })))
            }
            _ => {
                let mention = mentions(chunk, kernel.program(), inst)
                    .into_iter()
                    .find(|mention| mention.token == *token)?;
                Some((origin, Self::Register(RegisterPlace { kernel, inst, mention })))
            }
        }
    }
}

/// The target name around a byte in a list such as `(*"BRANCH_TARGETS .L_x_28,.L_x_29"*)`.
fn word_at(text: &str, column: usize) -> Option<(Range<usize>, &str)> {
    const BETWEEN: [char; 7] = ['"', ' ', ',', '`', '(', ')', '*'];
    let before = text.get(..column)?;
    let start = before.rfind(BETWEEN).map_or(0, |at| at + 1);
    let end = text[start..].find(BETWEEN).map_or(text.len(), |at| start + at);
    let name = &text[start..end];
    (!name.is_empty() && name != "BRANCH_TARGETS").then_some((start..end, name))
}
