//! Description and position of an operand of an `asm` statement.

use advisor::inline_asm::{Constraint, ConstraintError, Letter};
use std::ops::Range;
use syntax::cuda::asm::Operand;

/// Parses the constraint of an operand.
pub(super) fn constraint(text: &str, operand: &Operand) -> Result<Constraint, ConstraintError> {
    Constraint::read(slice(text, &operand.constraint), operand.is_output)
}

/// Returns the PTX type of the register that holds the operand, without its dot. `None` if the constraint is
/// invalid or has no register.
pub(super) fn register(text: &str, operand: &Operand) -> Option<&'static str> {
    constraint(text, operand).ok().map(|constraint| constraint.letter).and_then(Letter::register)
}

/// Returns the role of the operand in the statement.
pub(super) fn role(text: &str, operand: &Operand) -> &'static str {
    match constraint(text, operand) {
        Ok(constraint) if constraint.is_read && constraint.is_written => "output that is also read",
        _ if operand.is_output => "output",
        _ => "input",
    }
}

/// Returns the expression of the operand on one line, truncated if it is long.
pub(super) fn value(text: &str, operand: &Operand) -> String {
    const MAX: usize = 120; // limit: about the length of a line in a hover
    let value = slice(text, &operand.value).split_whitespace().collect::<Vec<_>>().join(" ");
    if value.len() > MAX { format!("{}…", &value[..value.floor_char_boundary(MAX)]) } else { value }
}

/// Returns the byte ranges of the operand and of its expression. If the operand has no expression, the second range
/// is the range of its constraint.
pub(super) fn places(text: &str, operand: &Operand) -> (Range<u32>, Range<u32>) {
    let value = slice(text, &operand.value);
    let start = operand.value.start + (value.len() - value.trim_start().len()) as u32;
    let own = start..start + value.trim().len() as u32;
    let first = operand.name.as_ref().unwrap_or(&operand.constraint).start.saturating_sub(1);
    let whole = first..operand.value.end + 1;
    (whole, if own.is_empty() { operand.constraint.clone() } else { own })
}

pub(super) fn slice<'t>(text: &'t str, range: &Range<u32>) -> &'t str {
    text.get(range.start as usize..range.end as usize).unwrap_or_default()
}
