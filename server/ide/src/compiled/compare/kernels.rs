//! Pairs the kernels of two versions, and their instructions.

use super::align::{Key, MatchKind, align};
use super::lines::LinePairs;
use super::words::{other_registers, words};
use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::names;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Chunk of a kernel in each version. `None` if a version lacks the kernel.
#[derive(Debug)]
pub(super) struct KernelPair {
    pub before: Option<usize>,
    pub after: Option<usize>,
    /// Instructions with an entry in the line table, in code order.
    pub of_before: Vec<MatchedInstruction>,
    pub of_after: Vec<MatchedInstruction>,
}

/// An instruction with its partner in the other version.
#[derive(Debug)]
pub(super) struct MatchedInstruction {
    pub inst: usize,
    pub partner: Counterpart,
}

/// Partner of an instruction in the other version, if any.
#[derive(Debug, Clone)]
pub(super) enum Counterpart {
    None,
    Same {
        inst: usize,
        has_moved: bool,
        /// Registers that differ between the versions: `R3 -> R4`.
        registers: Vec<String>,
    },
    /// The same opcode with other operands.
    Changed {
        inst: usize,
    },
}

impl KernelPair {
    /// Returns the kernel's name in the later version, or in the earlier version if the kernel was removed.
    pub(super) fn name<'a>(&self, before: &'a CodeView<'_>, after: &'a CodeView<'_>) -> &'a str {
        let name =
            |view: &'a CodeView<'_>, chunk: usize| names::kernel_name(&view.sass.listing().chunks()[chunk]);
        match (self.before, self.after) {
            (_, Some(chunk)) => name(after, chunk),
            (Some(chunk), None) => name(before, chunk),
            (None, None) => "",
        }
    }
}

/// Returns the kernels of both versions: the kernels of the later version in listing order, then the removed
/// kernels.
pub(super) fn pairs(
    before: &CodeView<'_>,
    after: &CodeView<'_>,
    lines: &LinePairs,
) -> Cancellable<Vec<KernelPair>> {
    let partners = partners(before, after);
    let (numbers_before, numbers_after) = (lines.numbers_before(), lines.numbers_after());
    let old = |chunk: usize| KernelVersion::new(before, chunk, &numbers_before);
    let new = |chunk: usize| KernelVersion::new(after, chunk, &numbers_after);
    let mut pairs = Vec::new();
    for (chunk, _) in after.sass.kernels() {
        after.sass.cancel.check()?;
        let partner = partners.get(&chunk).copied();
        pairs.push(pair(partner.map(old).as_ref(), Some(&new(chunk))));
    }
    let went = before.sass.kernels().filter(|(chunk, _)| !partners.values().any(|old| old == chunk));
    pairs.extend(went.map(|(chunk, _)| pair(Some(&old(chunk)), None)));
    Ok(pairs)
}

/// Maps chunks of the later version to chunks of the earlier version. Pairs kernels with the same name first.
/// Then pairs kernels by name without parameters, if this name is unique in both versions, because an edit
/// may have changed the parameters.
fn partners(before: &CodeView<'_>, after: &CodeView<'_>) -> BTreeMap<usize, usize> {
    fn named<'a>(view: &'a CodeView<'_>) -> Vec<(usize, &'a str)> {
        view.sass.kernels().map(|(index, chunk)| (index, names::kernel_name(chunk))).collect()
    }
    let (mut old, mut new) = (named(before), named(after));
    let mut found = BTreeMap::new();
    new.retain(|(chunk, name)| {
        let partner = old.iter().position(|(_, known)| known == name);
        let partner = partner.map(|at| found.insert(*chunk, old.remove(at).0));
        partner.is_none()
    });
    let short =
        |name: &str| names::demangle(name).map(|name| name.split('(').next().unwrap_or("").to_owned());
    let by_short = |all: &[(usize, &str)]| {
        let mut named: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (chunk, name) in all {
            named.entry(short(name).unwrap_or_default()).or_default().push(*chunk);
        }
        named
    };
    let old = by_short(&old);
    for (name, chunks) in by_short(&new) {
        if let ([new], Some([old])) = (chunks.as_slice(), old.get(&name).map(Vec::as_slice)) {
            found.insert(*new, *old);
        }
    }
    found
}

/// A kernel in one of the versions.
struct KernelVersion<'a> {
    chunk: usize,
    kernel: KernelView<'a>,
    /// Indices of the instructions with an entry in the line table, each with the number of its source line as
    /// assigned by [`LinePairs`]. `None` for a line of another file.
    insts: Vec<(usize, Option<u32>)>,
}

impl<'a> KernelVersion<'a> {
    fn new(view: &'a CodeView<'_>, chunk: usize, numbers: &BTreeMap<u32, u32>) -> Self {
        let stacks = view.code.stacks[chunk].iter().enumerate().filter(|(_, stack)| !stack.is_empty());
        let line = |inst| view.line_of(chunk, inst).and_then(|line| numbers.get(&line).copied());
        let insts = stacks.map(|(inst, _)| (inst, line(inst))).collect();
        Self { chunk, kernel: view.sass.kernel(chunk), insts }
    }

    fn keys(&self, known: &mut FxHashMap<String, u32>) -> Vec<Key> {
        let mut number = |text: String| {
            let next = known.len() as u32;
            *known.entry(text).or_insert(next)
        };
        let key = |&(inst, line): &(usize, Option<u32>)| Key {
            words: number(words(self.kernel.chunk, self.kernel.program(), inst)),
            opcode: number(self.kernel.mnemonic(inst).to_owned()),
            line,
        };
        self.insts.iter().map(key).collect()
    }

    fn alone(&self) -> Vec<MatchedInstruction> {
        self.insts.iter().map(|&(inst, _)| MatchedInstruction { inst, partner: Counterpart::None }).collect()
    }
}

fn pair(before: Option<&KernelVersion<'_>>, after: Option<&KernelVersion<'_>>) -> KernelPair {
    let (Some(old), Some(new)) = (before, after) else {
        let alone = |side: Option<&KernelVersion<'_>>| side.map(KernelVersion::alone).unwrap_or_default();
        let chunk = |side: Option<&KernelVersion<'_>>| side.map(|side| side.chunk);
        return KernelPair {
            before: chunk(before),
            after: chunk(after),
            of_before: alone(before),
            of_after: alone(after),
        };
    };
    let mut known = FxHashMap::default();
    let (old_keys, new_keys) = (old.keys(&mut known), new.keys(&mut known));
    let found = align(&old_keys, &new_keys);
    let mut of_before = old.alone();
    let mut of_after = new.alone();
    for (at, partner) in found.of_after.iter().enumerate() {
        let Some((other, bond)) = *partner else { continue };
        let (old_inst, new_inst) = (old.insts[other].0, new.insts[at].0);
        let partner = |inst: usize| match bond {
            MatchKind::Changed => Counterpart::Changed { inst },
            MatchKind::Same | MatchKind::Moved => Counterpart::Same {
                inst,
                has_moved: bond == MatchKind::Moved,
                registers: other_registers(
                    (old.kernel.chunk, old.kernel.program(), old_inst),
                    (new.kernel.chunk, new.kernel.program(), new_inst),
                ),
            },
        };
        of_before[other].partner = partner(new_inst);
        of_after[at].partner = partner(old_inst);
    }
    KernelPair { before: Some(old.chunk), after: Some(new.chunk), of_before, of_after }
}
