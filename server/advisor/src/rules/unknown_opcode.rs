//! An opcode that is not in the architecture's table.

use crate::assembler::Code;
use crate::finding::{Finding, Site};
use crate::kernel::Kernel;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::from_code(Code::UnknownOpcode, &[Check::Kernel(check), Check::Assembler]);

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let Kernel { chunk, program, isa, isa_sm, .. } = kernel;
    for (index, (text, inst)) in chunk.instructions().iter().zip(&program.instructions).enumerate() {
        if inst.opcode.is_some() {
            continue;
        }
        let mnemonic = chunk.mnemonic(text);
        let hint = isa.nearest(mnemonic).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let token = chunk.mnemonic_token(text);
        let place = Site::new(index as u32, token.start..token.start + token.len);
        let message = format!("`{mnemonic}` is not in the opcode table of sm_{isa_sm}{hint}");
        findings.push(Finding::new(RULE.code, place, message));
    }
}
