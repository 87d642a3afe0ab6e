//! The column `operands`: operands in text order.
//!
//! * `=d:T` is written, `+d:T` read and written, `a:T` read. The type is that of slot `T`.
//! * `a:u32` is always `u32`.
//! * `d:T+` may be in a register wider than the type.
//! * `d:T*V` has the number of registers in slot `V`, and `*4` has four.
//! * `*2N` and `*M/2` have twice and half the number in the slot.
//! * `*any`: the shape determines the number of registers.
//! * `=d|p` has a second, predicate result; in `=d|p?` it may be missing.
//! * `=d_` may be replaced by `_`; `=_` accepts only `_`.
//! * `#n:u32` is a constant, `[a]` an address, `[map,coords]` an address with several parts.
//! * `@target` is a label, `@targets` the name of a list, `@function` a function, `(arguments)` a list.
//! * A suffix `?`: the operand may be missing. `?word|other`: it is present if one of these modifiers is.

use crate::ptx::{Access, Count, Operand, OperandKind, Predicate, Presence, Slot, TypeSource};

/// Reads a column of operands. An error states what was expected.
pub(super) fn read(column: &str, slots: &[Slot]) -> Result<Box<[Operand]>, String> {
    column.split_whitespace().map(|token| operand(token, slots)).collect()
}

fn operand(token: &str, slots: &[Slot]) -> Result<Operand, String> {
    let (body, presence) = match token.rsplit_once('?') {
        // A part of an address or a pair may be missing, too: `[tex,sampler?,coords]`, `=d|p?:b32`.
        Some((body, "")) => (body, Presence::Optional),
        Some((body, following)) if !following.contains([']', '*']) && !following.starts_with(':') => {
            (body, Presence::With(following.split('|').map(Box::from).collect()))
        }
        _ => (token, Presence::Always),
    };
    let (access, body) = if let Some(body) = body.strip_prefix('=') {
        (Access::Write, body)
    } else if let Some(body) = body.strip_prefix('+') {
        (Access::ReadWrite, body)
    } else {
        (Access::Read, body)
    };
    let (name, kind) = kind(body).ok_or_else(|| format!("an operand like `=d:T`, not `{token}`"))?;
    if let OperandKind::Value { of: TypeSource::Slot(slot), .. } = &kind
        && !slots.iter().any(|have| have.name == *slot)
    {
        return Err(format!("a slot of this form in `{token}`, not `{slot}`"));
    }
    if let Presence::With(words) = &presence
        && let Some(word) = words.iter().find(|word| !slots.iter().any(|slot| slot.has(word)))
    {
        return Err(format!("a modifier of this form after `?`, not `{word}`"));
    }
    Ok(Operand { name: name.into(), access, kind, presence })
}

fn kind(body: &str) -> Option<(&str, OperandKind)> {
    if let Some(parts) = body.strip_prefix('[') {
        let parts = parts.strip_suffix(']')?;
        let name = parts.split(',').next()?;
        return Some((name, OperandKind::Address(parts.split(',').map(Box::from).collect())));
    }
    if let Some(list) = body.strip_prefix('(') {
        return Some((list.strip_suffix(')')?, OperandKind::Arguments));
    }
    match body.strip_prefix('@') {
        Some("function") => return Some(("function", OperandKind::Function)),
        Some(name @ ("targets" | "prototype")) => return Some((name, OperandKind::Targets)),
        Some(name) => return Some((name, OperandKind::Label)),
        None => {}
    }
    let (name, ty) = body.split_once(':')?;
    if let Some(name) = name.strip_prefix('#') {
        return Some((name, OperandKind::Immediate(type_of(ty))));
    }
    let (name, predicate) = match name.split_once('|') {
        Some((name, predicate)) if predicate.ends_with('?') => (name, Predicate::Optional),
        Some((name, _)) => (name, Predicate::Always),
        None => (name, Predicate::None),
    };
    let (name, may_be_sink) = name.strip_suffix('_').map_or((name, false), |name| (name, true));
    let (ty, number) = ty.split_once('*').map_or((ty, None), |(ty, number)| (ty, Some(number)));
    let (ty, may_be_wider) = ty.strip_suffix('+').map_or((ty, false), |ty| (ty, true));
    let count = number.map_or(Some(Count::One), count)?;
    Some((name, OperandKind::Value { of: type_of(ty), count, may_be_wider, may_be_sink, predicate }))
}

/// Parses the type of an operand. One capital letter names a slot; a word in lower case is a type.
fn type_of(ty: &str) -> TypeSource {
    let is_slot = |name: &str| name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_uppercase());
    match ty {
        slot if is_slot(slot) => TypeSource::Slot(slot.into()),
        "part" => TypeSource::Part,
        word => TypeSource::Fixed(word.into()),
    }
}

/// Parses a number of registers: `4`, `V`, `2N`, `M/2`, `any`. `None` for any other text.
fn count(number: &str) -> Option<Count> {
    if number == "any" {
        return Some(Count::Any);
    }
    if let Ok(fixed) = number.parse() {
        return Some(Count::Fixed(fixed));
    }
    let (number, by) = match number.split_once('/') {
        Some((number, by)) => (number, by.parse().ok()?),
        None => (number, 1),
    };
    let slot = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let times = &number[..number.len() - slot.len()];
    let times = if times.is_empty() { 1 } else { times.parse().ok()? };
    (!slot.is_empty()).then(|| Count::BySlot { slot: slot.into(), times, by })
}
