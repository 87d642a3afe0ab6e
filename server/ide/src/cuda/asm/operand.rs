//! Wording and position of an operand of an `asm` statement.

use advisor::inline_asm::{Constraint, Letter};
use std::ops::Range;
use syntax::cuda::asm::Operand;

/// Constraint of an operand; `Err` states why it is invalid.
pub(super) fn constraint(text: &str, operand: &Operand) -> Result<Constraint, String> {
    Constraint::read(slice(text, &operand.constraint), operand.is_output)
}

/// Type, without its dot, of the register that holds the operand.
pub(super) fn register(text: &str, operand: &Operand) -> Option<&'static str> {
    constraint(text, operand).ok().map(|constraint| constraint.letter).and_then(Letter::register)
}

/// Role of the operand in the statement.
pub(super) fn role(text: &str, operand: &Operand) -> &'static str {
    match constraint(text, operand) {
        Ok(constraint) if constraint.is_read && constraint.is_written => "output that is also read",
        _ if operand.is_output => "output",
        _ => "input",
    }
}

/// Expression of the operand on one line, truncated if it is long.
pub(super) fn value(text: &str, operand: &Operand) -> String {
    const MOST: usize = 120; // limit: about as much as one line of a hover shows
    let value = slice(text, &operand.value).split_whitespace().collect::<Vec<_>>().join(" ");
    if value.len() > MOST { format!("{}…", &value[..value.floor_char_boundary(MOST)]) } else { value }
}

/// Byte ranges of the operand and of its expression, or of its constraint if it has no expression.
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
