//! Execution counts of opcodes in a launch.

use machine::{ClassId, Gpu};
use profile::{Instances, Launch};

/// Metrics whose instances are opcodes. The first metric includes the opcode modifiers.
const BY_OPCODE: [&str; 3] = [
    "sass__inst_executed_per_opcode_with_modifier_all",
    "sass__inst_executed_per_opcode_with_modifier_selective",
    "sass__inst_executed_per_opcode",
];

/// An opcode and its number of executions by warps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpcodeCount {
    /// The opcode with the modifiers in the profile: `F2F.F64.F32`.
    pub(super) opcode: String,
    pub(super) count: f64,
}

impl OpcodeCount {
    /// The opcode without its modifiers.
    pub(super) fn mnemonic(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// True if the opcode operates on 8-bit or 16-bit values.
    pub(super) fn is_narrow(&self) -> bool {
        self.opcode.split('.').any(|part| matches!(part, "U8" | "S8" | "U16" | "S16"))
    }

    /// The latency class of the opcode on this GPU; `None` if the GPU does not have the opcode.
    pub(super) fn class(&self, gpu: &Gpu) -> Option<ClassId> {
        let modifiers: Vec<&str> = self.opcode.split('.').skip(1).collect();
        let found = gpu.arch.isa.find(self.mnemonic(), modifiers.iter().copied())?;
        Some(gpu.arch.isa.form(found).class)
    }
}

/// The opcodes of a launch, from the metric that counts them or, if this metric is missing, from the launch's
/// instructions. Empty if both are missing.
pub(super) fn executed(launch: &Launch) -> Vec<OpcodeCount> {
    let counted = BY_OPCODE.iter().find_map(|metric| match &launch.metrics.get(*metric)?.instances {
        Instances::ByName(parts) if !parts.is_empty() => Some(parts),
        _ => None,
    });
    if let Some(parts) = counted {
        let own = |(opcode, value): &(String, profile::Value)| {
            Some(OpcodeCount { opcode: opcode.clone(), count: value.number()? })
        };
        return parts.iter().filter_map(own).collect();
    }
    let instructions = &launch.instructions;
    let own = |at: usize| {
        let opcode = opcode_of(instructions.text(at)?)?.to_owned();
        Some(OpcodeCount { opcode, count: instructions.count("inst_executed", at)? })
    };
    (0..instructions.len()).filter_map(own).collect()
}

/// The opcode with its modifiers in an instruction's text; `None` if the text is empty.
pub(super) fn opcode_of(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let opcode = if first.starts_with('@') { words.next()? } else { first };
    Some(opcode.trim_end_matches(';'))
}
