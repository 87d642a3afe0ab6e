//! The kind of an operand, determined by its tokens.

use machine::OperandKind;
use syntax::sass::{Token, TokenKind};

/// Returns the kind of an operand; `None` if the text does not determine it: a name that an assembler resolves, inline
/// code, or text that could not be parsed.
///
/// If `names_resolve` is true, a plain name may denote a register or a constant, as in sources. In listings, a plain
/// name is a word of the operand.
pub fn operand_kind(operand: &[Token], line: &str, names_resolve: bool) -> Option<OperandKind> {
    for token in operand {
        return Some(match token.kind {
            TokenKind::Register => OperandKind::Register,
            TokenKind::UniformRegister => OperandKind::UniformRegister,
            TokenKind::Predicate => OperandKind::Predicate,
            TokenKind::UniformPredicate => OperandKind::UniformPredicate,
            TokenKind::Integer | TokenKind::Float | TokenKind::Label => OperandKind::Number,
            TokenKind::ConstantBank => OperandKind::Constant,
            TokenKind::Barrier => OperandKind::Barrier,
            TokenKind::Scoreboard => OperandKind::Scoreboard,
            TokenKind::SpecialRegister => OperandKind::SpecialRegister,
            TokenKind::StateRegister => OperandKind::StateRegister,
            // `32@lo(function)`: half of an address.
            TokenKind::Keyword if token.text(line).contains('@') => OperandKind::Number,
            TokenKind::Keyword => OperandKind::Described,
            TokenKind::Name if matches!(token.text(line), "INF" | "QNAN" | "SNAN") => OperandKind::Number,
            TokenKind::Name if names_resolve => return None,
            TokenKind::Name => OperandKind::Word,
            TokenKind::Punct if token.is_punct(b'[') => OperandKind::Address,
            TokenKind::Punct if token.is_punct(b'{') => OperandKind::Set,
            TokenKind::Punct if token.is_punct(b'`') => OperandKind::Number,
            // Signs, bars and parentheses around the operand itself.
            TokenKind::Punct | TokenKind::Comment => continue,
            _ => return None,
        });
    }
    None
}
