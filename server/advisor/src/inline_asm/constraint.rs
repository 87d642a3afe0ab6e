//! Constraints of operands, and checks that they match the operands' types.

use super::codes::WRONG_CONSTRAINT;
use super::statement::Statement;
use super::types::{self, ValueType};
use crate::finding::ItemFinding as Finding;
use syntax::cuda::asm::Operand;
use thiserror::Error;

/// A constraint letter that nvcc accepts.
///
/// Source: the CUDA documentation on inline PTX. Each letter was tested with operands of 40 types on nvcc
/// 13.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    /// `r`, `l`, `h`, `q`: an integer with this number of bits. The 64-bit letter also accepts a pointer.
    Integer(u32),
    /// `f`, `d`: a floating-point number with this number of bits.
    Float(u32),
    /// `b`: an 8-bit integer, in a predicate register.
    Predicate,
    /// `n`: a constant, which is written into the code.
    Constant,
    /// `C`: a constant string, which is written into the code.
    Text,
}

/// A constraint as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constraint {
    pub letter: Letter,
    /// True if the operand is read: it is an input, or its constraint starts with `+`.
    pub is_read: bool,
    pub is_written: bool,
}

/// Reason why nvcc rejects a constraint. It displays as a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConstraintError {
    #[error("an output constraint starts with `=`, or with `+` if it is also read: `={constraint}`")]
    OutputWithoutSign { constraint: String },
    #[error("an input constraint has no `=` or `+`; move a written operand to the outputs")]
    InputWithSign,
    #[error("the constraint has no letter")]
    NoLetter,
    #[error("nvcc accepts a single letter, not `{letters}`")]
    SeveralLetters { letters: String },
    #[error(
        "nvcc has no constraint `{letter}`; it has `h`, `r`, `l`, `q` for integers of 16 to 128 bits, and `f`, `d`, \
         `b`, `n`, `C`"
    )]
    UnknownLetter { letter: char },
    #[error("a constant cannot be an output")]
    ConstantOutput,
}

impl Constraint {
    /// Reads a constraint.
    pub fn read(text: &str, is_output: bool) -> Result<Self, ConstraintError> {
        let letters = text.strip_prefix(['=', '+']).unwrap_or(text);
        let has_sign = letters.len() < text.len();
        let letters = letters.strip_prefix('&').unwrap_or(letters);
        if is_output && !has_sign {
            return Err(ConstraintError::OutputWithoutSign { constraint: text.to_owned() });
        }
        if !is_output && has_sign {
            return Err(ConstraintError::InputWithSign);
        }
        let mut all = letters.chars();
        let letter = match (all.next(), all.next()) {
            (None, _) => return Err(ConstraintError::NoLetter),
            (Some(_), Some(_)) => {
                return Err(ConstraintError::SeveralLetters { letters: letters.to_owned() });
            }
            (Some(letter), None) => letter,
        };
        let letter = match letter {
            'r' => Letter::Integer(32),
            'l' => Letter::Integer(64),
            'h' => Letter::Integer(16),
            'q' => Letter::Integer(128),
            'f' => Letter::Float(32),
            'd' => Letter::Float(64),
            'b' => Letter::Predicate,
            'n' => Letter::Constant,
            'C' => Letter::Text,
            _ => return Err(ConstraintError::UnknownLetter { letter }),
        };
        if is_output && matches!(letter, Letter::Constant | Letter::Text) {
            return Err(ConstraintError::ConstantOutput);
        }
        Ok(Self { letter, is_read: !is_output || text.starts_with('+'), is_written: is_output })
    }
}

impl Letter {
    /// Type of the operand's PTX register; `None` for a constant.
    pub const fn register(self) -> Option<&'static str> {
        Some(match self {
            Self::Integer(16) => "b16",
            Self::Integer(32) => "b32",
            Self::Integer(64) => "b64",
            Self::Integer(_) => "b128",
            Self::Float(32) => "f32",
            Self::Float(_) => "f64",
            Self::Predicate => "pred",
            Self::Constant | Self::Text => return None,
        })
    }

    /// Description of the operand that the constraint accepts.
    pub fn in_words(self) -> String {
        match self {
            Self::Integer(64) => "a 64-bit integer or a pointer".to_owned(),
            Self::Integer(bits) => format!("a {bits}-bit integer"),
            Self::Float(32) => "a `float`".to_owned(),
            Self::Float(_) => "a `double`".to_owned(),
            Self::Predicate => "a bool or an 8-bit integer".to_owned(),
            Self::Constant => "a constant integer".to_owned(),
            Self::Text => "a constant string".to_owned(),
        }
    }

    /// True if nvcc accepts a value of this type.
    fn takes(self, of: ValueType) -> bool {
        match (self, of) {
            (Self::Integer(bits), ValueType::Integer(own)) | (Self::Float(bits), ValueType::Float(own)) => {
                bits == own
            }
            (Self::Integer(bits), ValueType::Pointer) => bits == 64,
            (Self::Predicate, ValueType::Integer(own)) => own == 8,
            (Self::Constant, ValueType::Integer(_)) | (Self::Text, _) => true,
            _ => false,
        }
    }

    /// The constraint letter for a value of this type; `None` if no constraint matches.
    const fn for_value(of: ValueType) -> Option<char> {
        Some(match of {
            ValueType::Integer(8) => 'b',
            ValueType::Integer(16) => 'h',
            ValueType::Integer(32) => 'r',
            ValueType::Integer(64) | ValueType::Pointer => 'l',
            ValueType::Integer(128) => 'q',
            ValueType::Float(32) => 'f',
            ValueType::Float(64) => 'd',
            ValueType::Integer(_) | ValueType::Float(_) => return None,
        })
    }
}

/// Reports errors in the constraints of a statement.
pub(super) fn check(statement: Statement<'_>) -> Vec<Finding> {
    let types = types::of_operands(statement);
    let mut found = Vec::new();
    for (at, operand) in statement.block.operands.iter().enumerate() {
        let text = statement.slice(&operand.constraint);
        // Escaped or concatenated strings are not checked.
        if text.contains(['\\', '"']) {
            continue;
        }
        let of = types.get(at).copied().flatten();
        let message = match Constraint::read(text, operand.is_output) {
            Err(why) => Some(why.to_string()),
            Ok(constraint) => of
                .filter(|of| !constraint.letter.takes(*of))
                .map(|of| misfit(statement, operand, constraint.letter, of)),
        };
        // The range includes the quotes, so it is never empty.
        let place = operand.constraint.start - 1..operand.constraint.end + 1;
        found.extend(message.map(|message| Finding::new(WRONG_CONSTRAINT, place, message)));
    }
    found
}

/// Message for an operand that its constraint does not accept: `` `x` is a `float`, but `r` takes a 32-bit integer;
/// use `f` ``.
fn misfit(statement: Statement<'_>, operand: &Operand, letter: Letter, of: ValueType) -> String {
    let value = statement.slice(&operand.value).trim();
    let text = statement.slice(&operand.constraint);
    let other = Letter::for_value(of).filter(|_| letter != Letter::Constant);
    // A byte usually needs a conversion to a wider type.
    let advice = match (of, other) {
        (ValueType::Integer(8), _) => "; convert it".to_owned(),
        (_, Some(other)) => format!("; use `{other}`"),
        (_, None) => String::new(),
    };
    format!("`{value}` is {}, but `{text}` takes {}{advice}", of.in_words(), letter.in_words())
}
