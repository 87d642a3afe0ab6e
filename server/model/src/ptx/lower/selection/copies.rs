//! Copies of values that a block passes to its successors.

use super::super::coalescing::Web;
use super::super::ir::{Arg, Kind, ValueId};
use super::emitter::Emitter;
use super::instruction::{Fragment, MachineInstruction};
use rustc_hash::FxHashMap;

/// Target value, source value, and the index of the statement that the copy is generated for.
type Copy = (ValueId, ValueId, u32);

/// A predicate, and whether it is negated.
type Guard = (ValueId, bool);

/// Converts the phis of the successors into copies. Each copy is placed as early as possible: after its
/// source is defined and the old value of the target is dead.
pub(super) fn leave_block(emitter: &mut Emitter<'_>, block: usize) {
    let copies = copies(emitter, block);
    let (order, ring) = in_turn(emitter, &copies);
    let mut touched = touched(&emitter.lines);
    let mut early: Vec<(usize, Vec<MachineInstruction>)> = Vec::with_capacity(order.len());
    for (to, from, origin) in order {
        let start = emitter.lines.len();
        let whole = emitter.guard;
        let guard = edge_guard(emitter, block, to).filter(|_| whole.is_none());
        emitter.guard = whole.or(guard);
        emitter.copy(to, from, origin);
        emitter.guard = whole;
        let own = emitter.lines.split_off(start);
        let webs = [emitter.webs.of[to as usize].0, emitter.webs.of[from as usize].0];
        let known = webs.iter().filter_map(|web| touched.get(web).copied()).max();
        // A guard is known at the end of the block.
        let place = known.filter(|_| guard.is_none()).unwrap_or(start);
        touched.extend(webs.map(|web| (web, place)));
        early.push((place, own));
    }
    early.sort_by_key(|&(place, _)| place);
    let lines = std::mem::take(&mut emitter.lines);
    let mut early = early.into_iter().peekable();
    for (place, line) in lines.into_iter().enumerate() {
        while let Some((_, own)) = early.next_if(|&(at, _)| at <= place) {
            emitter.lines.extend(own);
        }
        emitter.lines.push(line);
    }
    emitter.lines.extend(early.flat_map(|(_, own)| own));
    turn(emitter, block, &ring);
}

/// Returns the guard for a copy to the phi `to` of a successor at the end of a block. If another successor reads a value
/// that the copy overwrites, the guard is the condition under which control goes to the block of `to`. `None` if the copy
/// may always run.
fn edge_guard(emitter: &Emitter<'_>, block: usize, to: ValueId) -> Option<Guard> {
    let next = emitter.body.node_of(to).block;
    let (web, _) = emitter.webs.of[to as usize];
    let is_read = |other: u32| {
        let values = &emitter.values[web as usize];
        values.iter().any(|&value| value != to && emitter.lives.is_live_in(value, other))
    };
    let others = emitter.body.flow.successors(block as u32).iter();
    if !others.copied().any(|other| other != next && is_read(other)) {
        return None;
    }
    let last = *emitter.body.blocks[block].nodes.last()?;
    let branch = &emitter.body.nodes[last as usize];
    let Kind::Branch(target) = branch.kind else { return None };
    let (predicate, negated) = branch.guard?;
    Some((predicate, negated != (target != next)))
}

/// Returns the copies in an order in which each copy precedes the copies that overwrite its source. Copies
/// that form a cycle are returned separately, because none of them can be first.
fn in_turn(emitter: &Emitter<'_>, copies: &[Copy]) -> (Vec<Copy>, Vec<Copy>) {
    let web = |value: ValueId| emitter.webs.of[value as usize].0;
    let mut readers: FxHashMap<Web, u32> = FxHashMap::default();
    let mut writers: FxHashMap<Web, Vec<usize>> = FxHashMap::default();
    for (at, &(to, from, _)) in copies.iter().enumerate() {
        if web(to) != web(from) {
            *readers.entry(web(from)).or_default() += 1;
        }
        writers.entry(web(to)).or_default().push(at);
    }
    let is_free = |readers: &FxHashMap<Web, u32>, web: Web| readers.get(&web).is_none_or(|&count| count == 0);
    let mut free: Vec<usize> = (0..copies.len()).filter(|&at| is_free(&readers, web(copies[at].0))).collect();
    let mut is_listed = vec![false; copies.len()];
    let mut order = Vec::with_capacity(copies.len());
    while let Some(at) = free.pop() {
        if std::mem::replace(&mut is_listed[at], true) {
            continue;
        }
        order.push(copies[at]);
        let (to, from) = (web(copies[at].0), web(copies[at].1));
        if to != from
            && let Some(count) = readers.get_mut(&from)
        {
            *count -= 1;
            if *count == 0 {
                free.extend(writers.get(&from).into_iter().flatten());
            }
        }
    }
    let ring = copies.iter().zip(&is_listed).filter(|(_, listed)| !**listed).map(|(&copy, _)| copy);
    (order, ring.collect())
}

/// Returns the copies that the phis of the successors require at the end of a block.
fn copies(emitter: &Emitter<'_>, block: usize) -> Vec<Copy> {
    let mut copies = Vec::new();
    for &next in emitter.body.flow.successors(block as u32) {
        let Some(at) = emitter.body.flow.predecessors(next).iter().position(|&from| from as usize == block)
        else {
            continue;
        };
        for &id in &emitter.body.blocks[next as usize].nodes {
            let node = &emitter.body.nodes[id as usize];
            if node.kind != Kind::Phi {
                break;
            }
            let (to, from) = (node.results[0], node.args[at].value);
            let same = emitter.webs.of[to as usize] == emitter.webs.of[from as usize];
            if !same && emitter.body.node_of(from).kind != Kind::Undefined {
                copies.push((to, from, node.origin));
            }
        }
    }
    copies
}

/// Emits copies that form a cycle, through temporary registers, at the end of a block.
fn turn(emitter: &mut Emitter<'_>, block: usize, copies: &[Copy]) {
    let mut spares = Vec::with_capacity(copies.len());
    for &(to, from, origin) in copies {
        let words = emitter.body.words(to);
        let spare = emitter.webs.new_web(words);
        emitter.copy_words((spare, 0), Arg::plain(from), 0..words.max(1), origin);
        spares.push(spare);
    }
    let whole = emitter.guard;
    for (&(to, _, origin), spare) in copies.iter().zip(spares) {
        let (web, start) = emitter.webs.of[to as usize];
        emitter.guard = whole.or_else(|| edge_guard(emitter, block, to));
        for word in 0..emitter.body.words(to).max(1) {
            let (target, source) = (emitter.place(web, start + word), emitter.place(spare, word));
            emitter.move_word(origin, target, vec![source]);
        }
    }
    emitter.guard = whole;
}

/// Returns, for each web, the index after the last instruction that names the web.
fn touched(lines: &[MachineInstruction]) -> FxHashMap<Web, usize> {
    let mut touched = FxHashMap::default();
    for (at, line) in lines.iter().enumerate() {
        for piece in &line.pieces {
            if let Fragment::General(web, _) | Fragment::Predicate(web) = piece {
                touched.insert(*web, at + 1);
            }
        }
    }
    touched
}
