//! The kinds of executed instructions. DrGPU uses them to find the instructions that others wait for (Figure
//! 4).

use super::count::OpcodeCount;
use super::node::{Node, siblings};
use machine::Gpu;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Kinds of instructions with their shares of all executed instructions; empty if the profile has no counts
/// by opcode. The kind is the pipe that executes the instruction. Conversions are a separate kind.
pub(super) fn kinds(executed: &[OpcodeCount], gpu: &Gpu) -> Vec<Node> {
    let mut counts: BTreeMap<Cow<'static, str>, f64> = BTreeMap::new();
    for own in executed {
        let kind = match own.class(gpu) {
            Some(class) if gpu.arch.class(class).name.starts_with("conversion") => "conversion".into(),
            Some(class) => gpu.arch.pipe_of(class).name.to_lowercase().into(),
            None => "unknown".into(),
        };
        *counts.entry(kind).or_default() += own.count;
    }
    siblings(counts.into_iter().map(|(kind, count)| {
        let title = match &*kind {
            "conversion" => "type conversions".to_owned(),
            "issue" => "instructions without a pipe".to_owned(),
            "unknown" => "unknown instructions".to_owned(),
            pipe => format!("{} instructions", pipe.to_uppercase()),
        };
        (kind, title.into(), count)
    }))
}
