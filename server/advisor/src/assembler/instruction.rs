//! Checks instructions: opcode, modifiers, required version and target, and operands.

use super::call_parameters::CallResults;
use super::code::Code;
use super::facts::Facts;
use super::findings::Findings;
use super::spelled_instruction::SpelledInstruction;
use super::value::ScalarKind;
use super::{address, calls, needs, operands};
use machine::ptx::{Mismatch, MismatchKind, OperandKind as RoleKind, TypeClass};
use machine::{any_of, nearest_name};
use model::ptx::{Binder, NotBound, OperandMismatch};
use syntax::ptx::{OperandKind, Statement, StatementKind, TokenKind};

pub(super) fn check(out: &mut Findings<'_>) {
    let facts = out.facts;
    let mut binder = Binder::new(facts.context.tables)
        .of_module(facts.context.module.version, facts.context.module.target);
    let mut results = CallResults::default();
    if !facts.item.errors().is_empty() {
        results.pass_unread();
    }
    for statement in facts.item.instructions() {
        if !facts.is_broken(statement) {
            instruction(out, statement, &mut binder, &mut results);
        }
    }
}

fn instruction<'a>(
    out: &mut Findings<'a>,
    statement: &'a Statement,
    binder: &mut Binder<'a>,
    results: &mut CallResults,
) {
    let facts = out.facts;
    let StatementKind::Instruction { opcode, operands } = statement.kind else { return };
    guard(out, statement, opcode);
    let Some(bound) = binder.bind(facts.item, statement) else { return };
    let instruction = match bound {
        Ok(instruction) => instruction,
        Err(NotBound::UnknownOpcode) => {
            results.pass_unread();
            let name = facts.text(opcode);
            let near = nearest_name(name, facts.context.tables.opcodes());
            let range = facts.range_of(opcode);
            let message = format!("`{name}` is not an instruction");
            return out.add(Code::UnknownOpcode, true, range, message).suggest(near);
        }
        Err(NotBound::Modifier { token, mismatch }) => {
            results.pass_unread();
            modifier(out, statement, token, &mismatch);
            return;
        }
    };
    for &(token, kind) in &*instruction.passed_over {
        let word = facts.text(token);
        let range = facts.range_of(token);
        let message = match kind {
            MismatchKind::Repeated => format!("duplicate `{word}`"),
            _ => format!("`{word}` has no effect on `{}` and is ignored", instruction.form.name),
        };
        out.warning(Code::UselessModifier, range, message);
    }
    needs::of_form(out, &instruction, opcode, operands);
    needs::of_special_registers(out, statement);
    let Some(spelling) = spelled(facts, opcode, operands) else { return };
    let spelled = SpelledInstruction { instruction: &instruction, spelling };
    if instruction.misfit.is_some() {
        results.pass_unread();
    }
    match instruction.misfit {
        Some(OperandMismatch::Count { least, most }) => {
            operand_count(out, statement, spelling, instruction.arguments.len(), least, most);
        }
        Some(OperandMismatch::Shape { operand }) => shape(out, spelled, operand),
        None => {
            let fits = best_operands(out, statement, spelled, binder);
            // Other errors of the call hide the errors of its results.
            if fits || instruction.form.opcode() == "call" {
                results.check(out, statement, spelled, opcode);
            }
        }
    }
}

/// Checks the operands against each form that the instruction may have. If all forms have errors, reports the
/// errors of the first form. Returns true if a form has no error.
fn best_operands<'a>(
    out: &mut Findings<'a>,
    statement: &Statement,
    instruction: SpelledInstruction<'_, 'a>,
    binder: &mut Binder<'a>,
) -> bool {
    let facts = out.facts;
    let mut findings = Findings::new(facts);
    operands(&mut findings, instruction);
    if findings.is_empty() {
        return true;
    }
    for other in binder.bind_all(facts.item, statement).iter().skip(1) {
        let mut findings = Findings::new(facts);
        operands(&mut findings, SpelledInstruction { instruction: other, ..instruction });
        if findings.is_empty() {
            return true;
        }
    }
    // A call may span several lines. Its errors are reported at its first byte.
    findings.start_at(Code::CallMismatch, facts.item.range(statement).start);
    out.append(findings);
    false
}

fn operands<'a>(out: &mut Findings<'a>, instruction: SpelledInstruction<'_, 'a>) {
    let mut addresses = 0;
    for argument in &instruction.arguments {
        let Some(role) = argument.role else { continue };
        match &role.kind {
            RoleKind::Value { .. } => operands::value(out, instruction, &argument.operand, role),
            RoleKind::Immediate(_) => operands::immediate(out, instruction, &argument.operand, role),
            RoleKind::Address(parts) => {
                address::address(out, instruction, &argument.operand, parts, addresses);
                addresses += 1;
            }
            RoleKind::Label => address::target(out, &argument.operand, instruction.spelling),
            RoleKind::Targets => {
                address::targets(out, &argument.operand, instruction.form.opcode(), instruction.spelling);
            }
            RoleKind::Function | RoleKind::Arguments => {}
        }
        operands::limit(out, instruction, &argument.operand, &role.name);
    }
    if instruction.form.opcode() == "call" {
        calls::call(out, &instruction);
    }
}

/// The opcode with its modifiers, as written up to the first operand.
fn spelled(facts: Facts<'_>, opcode: u32, operands: u32) -> Option<&str> {
    let (first, last) = (facts.range_of(opcode), facts.range_of(operands.saturating_sub(1).max(opcode)));
    facts.item.text().get(first.start as usize..last.end as usize)
}

fn guard(out: &mut Findings<'_>, statement: &Statement, opcode: u32) {
    let facts = out.facts;
    let tokens = statement.tokens.start..opcode;
    let mut names = tokens.filter(|token| {
        facts.item.tokens().get(*token as usize).is_some_and(|token| token.kind == TokenKind::Name)
    });
    let Some(name) = names.next() else { return };
    let token = &facts.item.tokens()[name as usize];
    let range = facts.range_of(name);
    let text = facts.text(name);
    match facts.named(token, None, 0) {
        ScalarKind::Unknown => {}
        ScalarKind::Register(register) if register.ty.class == TypeClass::Predicate => {}
        ScalarKind::Register(register) => {
            let message = format!("`{text}` is .{}, but a guard must be a predicate", register.word);
            out.error(Code::OperandType, range, message);
        }
        _ => {
            let message = format!("a guard must be a predicate register, not `{text}`");
            out.error(Code::OperandKind, range, message);
        }
    }
}

fn modifier(out: &mut Findings<'_>, statement: &Statement, token: u32, mismatch: &Mismatch<'_>) {
    let facts = out.facts;
    let StatementKind::Instruction { opcode, operands } = statement.kind else { return };
    let range = facts.range_of(token);
    let word = facts.text(token).trim_start_matches('.');
    let name = spelled(facts, opcode, operands).unwrap_or_default();
    let listed = || list(&mismatch.possible);
    match mismatch.kind {
        MismatchKind::Missing => {
            let range = facts.range_of(opcode).start..facts.range_of(operands.saturating_sub(1)).end;
            out.error(Code::MissingModifier, range, format!("`{name}` needs another modifier{}", listed()));
        }
        MismatchKind::Unknown => {
            let near = nearest_name(word, mismatch.possible.iter().copied());
            let others = if near.is_none() { listed() } else { String::new() };
            let message = format!("{} has no modifier `.{word}`{others}", facts.text(opcode));
            let near = near.map(|near| format!(".{near}"));
            out.add(Code::UnknownModifier, true, range, message).suggest(near.as_deref());
        }
        MismatchKind::Repeated => {
            let message = format!("duplicate `.{word}` in `{name}`; ptxas accepts it only once");
            out.error(Code::MisplacedModifier, range, message);
        }
        MismatchKind::Misplaced | MismatchKind::Ignored => {
            let message = format!("`.{word}` is not allowed here in `{name}`{}", listed());
            out.error(Code::MisplacedModifier, range, message);
        }
    }
}

fn operand_count(
    out: &mut Findings<'_>,
    statement: &Statement,
    spelled: &str,
    have: usize,
    least: usize,
    most: usize,
) {
    let StatementKind::Instruction { opcode, .. } = statement.kind else { return };
    let takes = match (least, most) {
        (0, 0) => "none".into(),
        (least, most) if least == most => format!("{least}"),
        (least, most) if least + 1 == most => format!("{least} or {most}"),
        (least, most) => format!("{least} to {most}"),
    };
    let operands = if most == 1 { "operand" } else { "operands" };
    let range = out.facts.range_of(opcode).start..out.facts.item.range(statement).end;
    out.error(Code::OperandCount, range, format!("{spelled} takes {takes} {operands}, not {have}"));
}

/// Reports an operand whose shape does not fit its position.
fn shape(out: &mut Findings<'_>, instruction: SpelledInstruction<'_, '_>, at: usize) {
    let Some(argument) = instruction.arguments.get(at) else { return };
    let operand = argument.operand;
    let text = operand.text();
    let wants = argument.role.map(|role| match &role.kind {
        RoleKind::Address(_) => "an address in brackets".to_owned(),
        RoleKind::Immediate(_) => "a constant".into(),
        RoleKind::Label => "a label".into(),
        RoleKind::Targets => "the name of a list of targets".into(),
        RoleKind::Function => "a function".into(),
        RoleKind::Arguments => "a list in parentheses".into(),
        RoleKind::Value { .. } => match instruction.count_of(role) {
            Some(1) if operand.kind() == OperandKind::Pair => "one result".into(),
            Some(1) => "one value".into(),
            Some(count) => format!("{count} values in braces"),
            None => "values".into(),
        },
    });
    let message = match wants {
        Some(wants) => format!("{instruction} takes {wants} here, not `{text}`"),
        None => format!("{instruction} does not take an operand such as `{text}`"),
    };
    out.error(Code::OperandKind, &operand, message);
}

/// Lists the possible words, truncated after the first `MAX` words: `; expected .a, .b or .c`.
fn list(possible: &[&str]) -> String {
    const MAX: usize = 8; // limit: length of a message
    let words: Vec<String> = possible.iter().take(MAX).map(|word| format!(".{word}")).collect();
    if words.is_empty() {
        return String::new();
    }
    if possible.len() > MAX {
        return format!("; expected {}, …", words.join(", "));
    }
    format!("; expected {}", any_of(words))
}
