//! An opcode that the architecture's table does not have.

use crate::assembler::Code;
use crate::finding::{Finding, Severity, Site};
use crate::kernel::Kernel;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code::UnknownOpcode.name(),
    group: Group::Syntax,
    severity: Severity::Warning,
    summary: "An opcode that is not in the opcode table of the file's architecture.",
    page: include_str!("unknown_opcode.md"),
    checks: &[Check::Kernel(check), Check::Assembler],
};

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let Kernel { chunk, program, isa, isa_sm, .. } = kernel;
    for (index, (text, inst)) in chunk.instructions().iter().zip(&program.instructions).enumerate() {
        if inst.opcode.is_some() {
            continue;
        }
        let mnemonic = chunk.mnemonic(text);
        let hint = isa.nearest(mnemonic).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let token = chunk.mnemonic_token(text);
        findings.push(Finding {
            code: RULE.code,
            place: Site::new(index as u32, token.start..token.start + token.len),
            severity: None,
            message: format!("`{mnemonic}` is not in the opcode table of sm_{isa_sm}{hint}"),
            related: Vec::new(),
            fixes: Vec::new(),
        });
    }
}
