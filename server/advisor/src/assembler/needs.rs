//! Checks for instructions and registers that require a later PTX version or a different target than the module
//! declares.

use super::code::Code;
use super::findings::{Findings, Located};
use machine::ptx::Need;
use model::ptx::{Instruction, Meaning};
use syntax::ptx::Statement;

/// Reports a form or modifier that requires a later version or a different target.
pub(super) fn of_form<'a>(
    out: &mut Findings<'a>,
    instruction: &Instruction<'a, 'a>,
    opcode: u32,
    operands: u32,
) {
    let facts = out.facts;
    let Some((version, target)) = facts.context.module.version_and_target() else { return };
    let Some((word, need)) = instruction.form.lacks(&instruction.words, version, target) else { return };
    let token = word.and_then(|word| {
        (opcode + 1..operands).find(|token| facts.text(*token).strip_prefix('.') == Some(word))
    });
    let (range, what) = if let (Some(token), Some(word)) = (token, word) {
        (facts.range_of(token), format!("`.{word}` of {}", instruction.form.opcode()))
    } else {
        let range = facts.range_of(opcode).start..facts.range_of(operands.saturating_sub(1).max(opcode)).end;
        (range.clone(), facts.item.text()[range.start as usize..range.end as usize].to_owned())
    };
    report(out, range, &what, need);
}

/// Reports that the module's version or target does not meet a requirement.
pub(super) fn report(out: &mut Findings<'_>, place: impl Located, what: &str, need: &Need) {
    let Some((version, target)) = out.facts.context.module.version_and_target() else { return };
    if !need.targets.iter().any(|range| range.holds(target)) {
        let targets: Vec<String> = need.targets.iter().map(ToString::to_string).collect();
        let message = format!("{what} requires {}; the module targets {target}", targets.join(" or "));
        out.error(Code::AboveTarget, place, message);
    } else if version < need.ptx {
        let message = format!("{what} requires PTX {}; the module uses {version}", need.ptx);
        out.error(Code::AboveVersion, place, message);
    }
}

/// Reports special registers that require a later version or a different target.
pub(super) fn of_special_registers(out: &mut Findings<'_>, statement: &Statement) {
    let facts = out.facts;
    let tokens = statement.tokens.start..statement.tokens.end;
    let Some((version, target)) = facts.context.module.version_and_target() else { return };
    for token in tokens {
        if facts.names.use_at(token).is_some_and(|used| used.what == Meaning::SpecialRegister)
            && let Some(special) = facts.context.tables.special_register(facts.text(token))
            && !special.need.is_met(version, target)
        {
            report(out, facts.range_of(token), &format!("`{}`", special.name), &special.need);
        }
    }
}
