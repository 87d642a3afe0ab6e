//! `.param` variables of a function body, which hold the arguments and results of calls.

use super::code::Code;
use super::facts::Facts;
use super::findings::Findings;
use super::spelled_instruction::SpelledInstruction;
use machine::ptx::OperandKind as RoleKind;
use model::ptx::{Meaning, Space, SymbolKind, index_of};
use rustc_hash::FxHashSet;
use syntax::ptx::{Operand, Statement, TokenKind};

/// Results of the calls so far, in text order.
#[derive(Debug, Default)]
pub(super) struct CallResults {
    /// Symbol indices of the variables that a call has set.
    given: FxHashSet<u32>,
    /// True once a call or another statement could not be read. Any variable may then be a call result.
    is_open: bool,
}

impl CallResults {
    /// Records a statement that could not be read. From then on, any variable may be a call result.
    pub(super) fn pass_unread(&mut self) {
        self.is_open = true;
    }

    /// Checks a statement against the text order that ptxas 13.5 requires, independent of control flow: a
    /// result is loaded after the call that returns it, and loads and stores of call variables have no guard.
    pub(super) fn check<'a>(
        &mut self,
        out: &mut Findings<'a>,
        statement: &Statement,
        instruction: SpelledInstruction<'_, 'a>,
        opcode: u32,
    ) {
        let facts = out.facts;
        let find = |wanted: &str| {
            let mut roles = instruction.arguments.iter().filter_map(|one| Some((one.operand, one.role?)));
            roles.find(|(_, role)| *role.name == *wanted).map(|(operand, _)| operand)
        };
        match instruction.form.opcode() {
            "call" => {
                let results = find("results");
                let results = results.iter().flat_map(Operand::elements);
                let given: Vec<u32> = results.filter_map(|result| call_variable(facts, &result)).collect();
                self.given.extend(given);
            }
            "ld" | "st" => {
                let mut addresses = instruction.arguments.iter().filter(|argument| {
                    argument.role.is_some_and(|role| matches!(role.kind, RoleKind::Address(_)))
                });
                let Some(address) = addresses.next().and_then(|one| one.operand.elements().next()) else {
                    return;
                };
                let base = address.base_and_offset().0;
                let Some(variable) = call_variable(facts, &base) else { return };
                let text = base.text();
                let mut before = statement.tokens.start..opcode;
                if before
                    .any(|token| facts.item.tokens().get(token as usize).is_some_and(|token| token.is(b'@')))
                {
                    let message = format!(
                        "`{text}` is an argument or result of a call, so {instruction} cannot be guarded"
                    );
                    out.error(Code::CallMismatch, &base, message);
                } else if instruction.form.opcode() == "ld"
                    && !self.is_open
                    && !self.given.contains(&variable)
                {
                    let message =
                        format!("`{text}` is not the result of a call above, so it cannot be loaded");
                    out.error(Code::CallMismatch, &base, message);
                }
            }
            _ => {}
        }
    }
}

/// The symbol index of the body's `.param` variable that an operand names; `None` for other operands.
fn call_variable<'a>(facts: Facts<'a>, operand: &Operand<'a>) -> Option<u32> {
    let name = operand.tokens().iter().find(|token| token.kind == TokenKind::Name)?;
    let Meaning::Symbol(index, _) = facts.names.use_at(index_of(facts.item, name))?.what else {
        return None;
    };
    let symbol = &facts.names.symbols()[index as usize];
    (symbol.kind == SymbolKind::Variable && symbol.space == Some(Space::Param)).then_some(index)
}
