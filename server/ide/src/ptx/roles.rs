//! Names and roles of the operands of an instruction form, formatted for display.

use machine::ptx::{Access, Count, Operand, OperandKind, Predicate, Presence, TypeSource};
use model::ptx::Instruction;
use std::ops::Range;

/// An instruction form with operand names, such as `ld.global.f32 d, [a]`, and the byte range of each
/// operand name.
pub(super) struct Label {
    pub text: String,
    pub operands: Vec<Range<usize>>,
}

impl Label {
    /// Creates a label. `spelling` is the opcode with its modifiers. `operands` includes optional
    /// operands.
    pub(super) fn new<'f>(spelling: &str, operands: impl Iterator<Item = &'f Operand>) -> Self {
        let mut label = Self { text: spelling.to_owned(), operands: Vec::new() };
        for operand in operands {
            label.text.push_str(if label.operands.is_empty() { " " } else { ", " });
            let start = label.text.len();
            label.text.push_str(&name(operand));
            label.operands.push(start..label.text.len());
        }
        label
    }
}

/// Display name of an operand: `d`, `[a]`, `d|p`, `(arguments)`. Optional operands end with `?`.
pub(super) fn name(operand: &Operand) -> String {
    let own = if operand.name.is_empty() { "_" } else { &*operand.name };
    let mut text = match &operand.kind {
        OperandKind::Address(parts) if parts.is_empty() => format!("[{own}]"),
        OperandKind::Address(parts) => format!("[{}]", parts.join(", ")),
        OperandKind::Arguments => format!("({own})"),
        _ => own.to_owned(),
    };
    if operand.presence == Presence::Optional {
        text.push('?');
    }
    text
}

/// Description of an operand: ``written, `.f32` ``. `bound` supplies the actual types and element
/// counts.
pub(super) fn in_words(operand: &Operand, bound: Option<&Instruction<'_, '_>>) -> String {
    match &operand.kind {
        OperandKind::Value { of, count, may_be_wider, may_be_sink, predicate } => {
            let mut text = access(operand.access).to_owned();
            text.push_str(", ");
            text.push_str(&match of {
                TypeSource::Part => "together as wide as the other operand".to_owned(),
                _ => many(operand, of, count, bound),
            });
            if *may_be_wider {
                text.push_str(", in a register at least as wide");
            }
            if *may_be_sink {
                text.push_str(if operand.name.is_empty() { "; must be `_`" } else { "; `_` discards it" });
            }
            text.push_str(match predicate {
                Predicate::None => "",
                Predicate::Optional => "; may be followed by `|` and a predicate",
                Predicate::Always => "; followed by `|` and a predicate",
            });
            text
        }
        OperandKind::Immediate(of) => format!("constant, {}", ty(operand, of, bound)),
        OperandKind::Address(parts) if parts.len() > 1 => {
            let parts: Vec<String> =
                parts.iter().map(|part| format!("`{}`", part.trim_end_matches('?'))).collect();
            format!("address with several components: {}", parts.join(", "))
        }
        OperandKind::Address(_) => "address".to_owned(),
        OperandKind::Label => "label to branch to".to_owned(),
        OperandKind::Targets => "name of a list of targets, or of a prototype".to_owned(),
        OperandKind::Function => "function to call, or a register with its address".to_owned(),
        OperandKind::Arguments if operand.access == Access::Write => "results".to_owned(),
        OperandKind::Arguments => "arguments".to_owned(),
    }
}

const fn access(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "written",
        Access::ReadWrite => "read and written",
    }
}

/// Type of an operand, and its number of elements: `.f32`, `vector of 4 elements of .f32`.
fn many(operand: &Operand, of: &TypeSource, count: &Count, bound: Option<&Instruction<'_, '_>>) -> String {
    let ty = ty(operand, of, bound);
    let fixed = match (count, bound) {
        (Count::One, _) => return ty,
        (Count::Fixed(number), _) => Some(u32::from(*number)),
        (_, Some(bound)) => bound.count_of(operand),
        (_, None) => None,
    };
    match (fixed, count) {
        (Some(1), _) => ty,
        (Some(number), _) => format!("vector of {number} elements of {ty}"),
        (None, Count::Any) => format!("vector of {ty} in braces, of any length"),
        (None, _) => format!("vector of {ty} in braces"),
    }
}

fn ty(operand: &Operand, of: &TypeSource, bound: Option<&Instruction<'_, '_>>) -> String {
    let known = bound.and_then(|bound| {
        let role = bound.form.operands.iter().find(|role| *role == operand)?;
        bound.type_of(role)
    });
    match (known, of) {
        (Some(word), _) => format!("`.{word}`"),
        (None, TypeSource::Fixed(word)) => format!("`.{word}`"),
        (None, TypeSource::Part) => "a type as wide as the other operand".to_owned(),
        (None, TypeSource::Slot(_)) => "the instruction's type".to_owned(),
    }
}
