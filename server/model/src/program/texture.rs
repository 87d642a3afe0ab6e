//! Registers of a texture fetch, from its shape and its mask of components.

use machine::RegisterCount;
use syntax::sass::{Token, TokenKind};

/// Number of components of a texel: red, green, blue, alpha.
const COMPONENTS: u32 = 4; // Source: red, green, blue, alpha

/// Amount of data that a texture fetch moves.
///
/// Source: `TLD`, `TLDS` and `TEX` in compiler output for `sm_50` to `sm_90`. With two results, the second
/// result holds the first two components that the mask selects. The first result holds the remaining
/// components, or is `RZ` if none remain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Texels {
    /// Number of registers for the selected components.
    components: u8,
    is_line: bool,
}

impl Texels {
    /// The amount of data of a fetch whose shape and mask are unknown: all components.
    pub(super) const UNKNOWN: Self = Self { components: COMPONENTS as u8, is_line: false };

    /// Determines the amount of data of a fetch from the instruction's tokens. The mask follows the shape, as in `2D,
    /// 0x3` or `2D, RG`. If there is no mask, all components are read.
    pub(super) fn read(tokens: &[Token], line: &str) -> Self {
        let is_shape = |token: &Token| {
            let name = token.text(line);
            let ends = ["1D", "2D", "3D", "CUBE"].iter().any(|end| name.ends_with(end));
            token.kind == TokenKind::Name && ends
        };
        let Some(shape) = tokens.iter().position(is_shape) else { return Self::UNKNOWN };
        let mask = tokens[shape + 1..]
            .iter()
            .rev()
            .find(|token| matches!(token.kind, TokenKind::Integer | TokenKind::Name));
        let wanted = mask.map_or(COMPONENTS, |mask| match mask.kind {
            TokenKind::Integer => mask.value.count_ones(),
            _ => mask.text(line).len() as u32,
        });
        let is_half =
            tokens.iter().any(|token| token.kind == TokenKind::Modifier && token.text(line) == ".F16");
        let wanted = wanted.clamp(1, COMPONENTS) as u8;
        Self {
            components: if is_half { wanted.div_ceil(2) } else { wanted },
            is_line: tokens[shape].text(line) == "1D",
        }
    }

    /// Returns the number of registers for a count that depends on texels.
    pub(super) const fn registers(self, count: RegisterCount) -> u8 {
        match count {
            RegisterCount::FirstComponents if self.components > 2 => 2,
            RegisterCount::LaterComponents => self.components.saturating_sub(2),
            RegisterCount::Coordinates if self.is_line => 1,
            RegisterCount::Coordinates => 2,
            _ => self.components,
        }
    }
}
