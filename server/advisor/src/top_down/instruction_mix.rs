//! The kinds of instructions that were executed, as the paper looks for those that others wait for (DrGPU, Figure 4).

use super::count::Executed;
use super::node::{Node, siblings};
use machine::Gpu;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Kinds with their parts of all executed instructions; none where the profile does not count by opcode. A kind is the pipe that runs
/// it; conversions are a kind of their own.
pub(super) fn kinds(executed: &[Executed], gpu: &Gpu) -> Vec<Node> {
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
