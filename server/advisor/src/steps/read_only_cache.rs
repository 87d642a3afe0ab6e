//! ROC, read-only cache: loads of read-only data through the texture path.
//!
//! Before Volta, a plain global load bypasses the SM's cache, but `LDG` on Kepler and `LDG.CI` on Maxwell and Pascal
//! use the read-only cache (section 4.1.2). Only the author of the kernel knows that two pointers refer to different
//! buffers, so the step is described but never applied. The paper measured the gain but has no equation for it.

use super::{Bottleneck, Change, KernelAtLaunch, Step, StepContext, StepName};
use machine::Hardware;
use model::address::Symbol;
use model::{Memory, MemorySpace};
use std::collections::BTreeSet;
use syntax::sass::Encoding;

pub(super) fn step(scene: &StepContext<'_>) -> Option<Step> {
    let subject = scene.subject;
    let is_pipe = scene.is_significant(Bottleneck::Pipe);
    let is_mem = scene.is_significant(Bottleneck::Mem);
    let hardware = Hardware::builtin();
    let has_own_cache = (hardware.read_only_cache_from.value..hardware.read_only_cache_to.value)
        .contains(&u32::from(subject.program.arch.sm));
    if !has_own_cache || !(is_pipe || is_mem) {
        return None;
    }
    let written = written(subject)?;
    let is_cause =
        |inst: u32| scene.share(Bottleneck::Pipe, inst) > 0.0 || scene.share(Bottleneck::Mem, inst) > 0.0;
    let all = 0..subject.program.instructions.len() as u32;
    let read_only = |&inst: &u32| {
        is_plain_load(subject, inst)
            && is_cause(inst)
            && pointer(subject, inst).is_some_and(|pointer| !written.contains(&pointer))
    };
    let instructions: Vec<u32> = all.filter(read_only).collect();
    if instructions.is_empty() {
        return None;
    }
    let opcode = if subject.program.encoding() == Encoding::Kepler {
        "LDG, with a TEXDEPBAR before the results are used"
    } else {
        "LDG.CI"
    };
    let lowers = [(Bottleneck::Mem, is_mem), (Bottleneck::Pipe, is_pipe)];
    let lowers = lowers
        .into_iter()
        .filter(|&(one, is)| is && instructions.iter().any(|&inst| scene.share(one, inst) > 0.0));
    let loads = if instructions.len() == 1 {
        "a buffer load".to_owned()
    } else {
        format!("{} buffer loads", instructions.len())
    };
    Some(Step {
        name: StepName::ReadOnlyCache,
        lowers: lowers.map(|(one, _)| one).collect(),
        message: format!(
            "{loads} could use the read-only cache ({opcode}): the kernel never writes through these pointers. \
             Valid only if no other pointer aliases them"
        ),
        instructions,
        after: None,
        change: Change::Reader,
    })
}

fn is_outside(memory: Memory) -> bool {
    matches!(memory.space, MemorySpace::Global | MemorySpace::Generic)
}

/// The pointer parameters through which the kernel writes, by offset. `None` if the parameter of a write is unknown.
fn written(subject: &KernelAtLaunch<'_>) -> Option<BTreeSet<u32>> {
    let stores = subject.program.instructions.iter().zip(0_u32..);
    let stores =
        stores.filter(|(inst, _)| inst.memory.is_some_and(|memory| memory.stores && is_outside(memory)));
    stores.map(|(_, inst)| pointer(subject, inst)).collect()
}

/// True for a load that does not use the read-only cache.
fn is_plain_load(subject: &KernelAtLaunch<'_>, inst: u32) -> bool {
    let memory = subject.program.instructions[inst as usize].memory;
    let loads = memory.is_some_and(|memory| memory.loads && !memory.stores && is_outside(memory));
    let instruction = &subject.chunk.instructions()[inst as usize];
    let has =
        |wanted: &[&str]| subject.chunk.modifiers(instruction).any(|modifier| wanted.contains(&modifier));
    let is_usual = match subject.mnemonic(inst) {
        "LD" => !has(&["CV", "CS"]),
        "LDG" => subject.program.encoding() != Encoding::Kepler && !has(&["CI", "CV", "CS"]),
        _ => false,
    };
    loads && is_usual
}

/// The pointer parameter of an address, as its offset in constant bank 0; `None` if the address has no such
/// parameter.
fn pointer(subject: &KernelAtLaunch<'_>, inst: u32) -> Option<u32> {
    let mut pointers = subject.addresses().access(inst as usize)?.terms().iter().filter_map(
        |&(symbol, times)| match symbol {
            Symbol::Pointer(offset) if times == 1 => Some(offset),
            _ => None,
        },
    );
    let pointer = pointers.next()?;
    pointers.next().is_none().then_some(pointer)
}
