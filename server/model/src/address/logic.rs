//! Bitwise operations, comparisons and selections, on affine forms.

use super::arithmetic::{Results, Values};
use super::forms::{FormId, Forms, Value};
use super::term::Op;
use super::words::{AND, INPUT_BITS, OR, Relation, XOR, matters, table_named};

/// Evaluates `LOP3.LUT R0, R1, R2, R3, 0xc0, !PT`. A destination predicate is true if the result is not 0.
pub(super) fn lop3(values: &mut Values) -> Option<Results> {
    if !values.only(&["LUT"]) {
        return None;
    }
    let table = values.operands.tables().flatten().next()?;
    let arguments = [values.read(0)?, values.read(1)?, values.read(2)?];
    let form = lut(values.machine.forms, table, arguments)?;
    let mut results = Results::from_value(Some(Value::Form(form)));
    let combined = values.operands.read_predicates.first().copied();
    let alone = match combined {
        None => true,
        Some(operand) => values.value(operand) == Value::ZERO,
    };
    if alone && !values.operands.written_predicates.is_empty() {
        let op = Op::Compare { relation: Relation::NotEqual, signed: false };
        let differs = values.machine.forms.term(op, [form, FormId::ZERO, FormId::ZERO]);
        results.predicates[0] = differs.map(Value::Form);
    }
    Some(results)
}

/// Evaluates `LOP.AND R0, R1, R2`, an opcode up to Pascal.
pub(super) fn lop(values: &mut Values) -> Option<Results> {
    let [modifier] = values.modifiers else { return None };
    let table = table_named(modifier)?;
    let arguments = [values.read(0)?, values.read(1)?, FormId::ZERO];
    lut(values.machine.forms, table, arguments).map(|form| Results::from_value(Some(Value::Form(form))))
}

/// Combines three values by a truth table. Returns a sum if one is equivalent (`a | b` of values without a common bit
/// is `a + b`), otherwise a term.
fn lut(forms: &mut Forms, mut table: u8, arguments: [FormId; 3]) -> Option<FormId> {
    // An argument that is all zeros or all ones selects half of the table.
    for (argument, bit) in arguments.into_iter().zip(INPUT_BITS) {
        let keep: fn(u8, u8) -> u8 = match forms.as_constant(argument) {
            Some(0) => |row: u8, bit: u8| row & !bit,
            Some(-1) => |row: u8, bit: u8| row | bit,
            _ => continue,
        };
        table = (0..8).filter(|&row| table >> keep(row, bit) & 1 == 1).fold(0, |table, row| table | 1 << row);
    }
    let live: Vec<(FormId, u8)> =
        arguments.into_iter().zip(INPUT_BITS).filter(|&(_, bit)| matters(table, bit)).collect();
    let ones = forms.constant32(-1);
    match *live {
        [] => Some(if table & 1 == 1 { ones } else { FormId::ZERO }),
        [(a, bit)] => {
            if table >> bit & 1 == 1 {
                Some(a)
            } else {
                forms.add32(ones, a, -1)
            }
        }
        [(a, first), (b, second)] => {
            let at = |row: u8| table >> row & 1;
            let small = at(0) | at(second) << 1 | at(first) << 2 | at(first | second) << 3;
            combine(forms, small, a, b)
        }
        _ => forms.term(Op::Lut(table), arguments),
    }
}

/// Combines two values by a truth table whose bit `2 a + b` is the result.
fn combine(forms: &mut Forms, table: u8, a: FormId, b: FormId) -> Option<FormId> {
    let ones = forms.constant32(-1);
    // Operands that AND or OR would use inverted are inverted first.
    let (a, b, table) = match table {
        0b0010 => (forms.add32(ones, a, -1)?, b, 0b1000),
        0b0100 => (a, forms.add32(ones, b, -1)?, 0b1000),
        0b1011 => (forms.add32(ones, a, -1)?, b, 0b1110),
        0b1101 => (a, forms.add32(ones, b, -1)?, 0b1110),
        _ => (a, b, table),
    };
    let (a, b) = if forms.as_constant(a).is_some() { (b, a) } else { (a, b) };
    match table {
        0b1000 => match forms.as_constant(b) {
            Some(mask) => forms.mask(a, mask as u32),
            None => forms.term(Op::Lut(AND), [a.min(b), a.max(b), FormId::ZERO]),
        },
        0b1110 | 0b0110 if forms.are_apart(a, b) => forms.add32(a, b, 1),
        0b1110 => forms.term(Op::Lut(OR), [a.min(b), a.max(b), FormId::ZERO]),
        0b0110 => forms.term(Op::Lut(XOR), [a.min(b), a.max(b), FormId::ZERO]),
        _ => {
            // The remaining tables are these three, inverted.
            let opposite = combine(forms, !table & 0b1111, a, b)?;
            forms.add32(ones, opposite, -1)
        }
    }
}

/// Evaluates `ISETP.GE.AND P0, P1, R0, R1, P2`.
pub(super) fn compare(values: &mut Values) -> Option<Results> {
    let is_known = |modifier: &&str| {
        matches!(*modifier, "U32" | "S32")
            || table_named(modifier).is_some()
            || Relation::of_modifier(modifier).is_some()
    };
    if !values.modifiers.iter().all(is_known) {
        return None;
    }
    let relation = values.modifiers.iter().find_map(|modifier| Relation::of_modifier(modifier))?;
    let signed = !values.has("U32");
    let (a, b) = (values.read(0)?, values.read(1)?);
    let table = values.modifiers.iter().find_map(|modifier| table_named(modifier)).unwrap_or(AND);
    let with = match values.operands.read_predicates.first().copied() {
        Some(operand) => values.form(operand)?,
        None => values.machine.forms.constant32(1),
    };
    let mut results = Results::default();
    for (into, relation) in results.predicates.iter_mut().zip([relation, relation.negated()]) {
        let forms = &mut *values.machine.forms;
        let holds = forms.term(Op::Compare { relation, signed }, [a, b, FormId::ZERO])?;
        *into = predicate_lut(forms, table, [holds, with, FormId::ZERO]).map(Value::Form);
    }
    Some(results)
}

/// Evaluates `PLOP3.LUT P0, P1, P2, P3, P4, 0x80, 0x8`.
pub(super) fn predicates(values: &mut Values) -> Option<Results> {
    let [a, b, c] = *values.operands.read_predicates.as_slice() else { return None };
    if !values.only(&["LUT"]) {
        return None;
    }
    let arguments = [values.form(a)?, values.form(b)?, values.form(c)?];
    let mut results = Results::default();
    let tables = values.operands.tables();
    for (into, table) in results.predicates.iter_mut().zip(tables) {
        *into = predicate_lut(values.machine.forms, table?, arguments).map(Value::Form);
    }
    Some(results)
}

/// Combines predicates by a truth table. Returns a single predicate or its negation if the result depends
/// only on that predicate.
fn predicate_lut(forms: &mut Forms, table: u8, arguments: [FormId; 3]) -> Option<FormId> {
    let one = forms.constant32(1);
    let mut only = None;
    for form in arguments {
        if forms.as_constant(form).is_none() {
            let opposite = forms.add32(one, form, -1)?;
            let plain = form.min(opposite);
            if only.is_some_and(|other| other != plain) {
                return forms.term(Op::PredicateLut(table), arguments);
            }
            only = Some(plain);
        }
    }
    let result = |value: i64| {
        let values = arguments.map(|form| match forms.as_constant(form) {
            Some(constant) => constant,
            None => i64::from(Some(form) == only) ^ value ^ 1,
        });
        Op::PredicateLut(table).apply(values)
    };
    match (result(0), result(1), only) {
        (0, 1, Some(form)) => Some(form),
        (1, 0, Some(form)) => forms.add32(one, form, -1),
        (always, ..) => Some(forms.constant32(always)),
    }
}

/// Evaluates `SEL R0, R1, R2, P0`.
pub(super) fn select(values: &mut Values) -> Option<Results> {
    let condition = *values.operands.read_predicates.first()?;
    let (condition, yes, no) = (values.form(condition)?, values.read(0)?, values.read(1)?);
    let forms = &mut *values.machine.forms;
    let form = match forms.as_constant(condition) {
        Some(0) => no,
        Some(_) => yes,
        None if yes == no => yes,
        None => forms.term(Op::Select, [condition, yes, no])?,
    };
    values.only(&[]).then(|| Results::from_value(Some(Value::Form(form))))
}

/// Evaluates `IMNMX R0, R1, R2, PT`: the minimum with `PT`, the maximum with `!PT`. `VIMNMX3` has three
/// inputs. `VIADDMNMX` adds two inputs and compares the sum with the third.
pub(super) fn min_or_max(values: &mut Values, mnemonic: &str) -> Option<Results> {
    if !values.only(&["U32", "S32", "RELU"]) {
        return None;
    }
    let [least, others @ ..] = values.operands.read_predicates.as_slice() else { return None };
    // A different second predicate would apply to the second step.
    if others.iter().any(|other| other != least) {
        return None;
    }
    let least = values.form(*least)?;
    let (a, b) = (values.read(0)?, values.read(1)?);
    let signed = !values.has("U32");
    let op = match values.machine.forms.as_constant(least)? {
        0 => Op::Greatest { signed },
        _ => Op::Least { signed },
    };
    let (a, b) = match mnemonic {
        "VIADDMNMX" => (values.machine.forms.add32(a, b, 1)?, values.read(2)?),
        "VIMNMX3" | "UVIMNMX3" => (extreme(values, op, a, b)?, values.read(2)?),
        _ => (a, b),
    };
    let mut form = extreme(values, op, a, b)?;
    if values.has("RELU") {
        form = extreme(values, Op::Greatest { signed: true }, form, FormId::ZERO)?;
    }
    Some(Results::from_value(Some(Value::Form(form))))
}

fn extreme(values: &mut Values, op: Op, a: FormId, b: FormId) -> Option<FormId> {
    values.machine.forms.term(op, [a.min(b), a.max(b), FormId::ZERO])
}
