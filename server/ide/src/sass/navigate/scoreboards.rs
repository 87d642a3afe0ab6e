//! Navigation between the instructions that set a scoreboard and the instructions that wait for it.

use super::referent::ScoreboardPlace;
use super::registers::target;
use super::scoreboard_mentions::barrier_bit;
use crate::engine::kernel_view::KernelView;
use crate::{NavigationTarget, Reference, Usage};
use model::flow::Direction;
use std::collections::BTreeSet;
use syntax::sass::{Control, Token, TokenKind};

/// Instructions that set the scoreboards that the instruction waits for. If the instruction waits for no scoreboard,
/// the instruction itself.
pub(super) fn definitions(place: &ScoreboardPlace<'_>) -> Vec<NavigationTarget> {
    let kernel = &place.kernel;
    if place.waits == 0 {
        let token = place_token(kernel, place.inst);
        return vec![target(kernel, place.inst, &token)];
    }
    let setters = each(place.waits).flat_map(|scoreboard| setters(place, place.inst, scoreboard));
    let mut setters: Vec<usize> = setters.collect();
    setters.sort_unstable();
    setters.dedup();
    let targets = setters.into_iter();
    targets.map(|inst| target(kernel, inst, &place_token(kernel, inst))).collect()
}

/// Setters of the awaited scoreboards, and instructions that wait for the scoreboards that this instruction sets.
pub(super) fn references(place: &ScoreboardPlace<'_>) -> Vec<Reference> {
    let kernel = &place.kernel;
    let mut found = Vec::new();
    let mut add = |inst: usize, usage| {
        let range = target(kernel, inst, &place_token(kernel, inst)).selection;
        found.push(Reference { range, usage });
    };
    for scoreboard in each(place.waits) {
        add(place.inst, Usage::Read);
        for inst in setters(place, place.inst, scoreboard) {
            add(inst, Usage::Write);
        }
    }
    for scoreboard in each(place.sets) {
        add(place.inst, Usage::Write);
        for inst in waiters(place, place.inst, scoreboard) {
            add(inst, Usage::Read);
        }
    }
    found
}

/// Instructions that set the scoreboard and reach `inst` without a wait for it in between, in ascending order.
fn setters(place: &ScoreboardPlace<'_>, inst: usize, scoreboard: u8) -> Vec<usize> {
    let sets = |at| sets(place, at) & 1 << scoreboard != 0;
    met(place, inst, Direction::Backward, sets, |at| waits(place, at, scoreboard))
}

/// The first instruction on each path from `inst` that waits for the scoreboard, in ascending order. `inst` sets the
/// scoreboard.
fn waiters(place: &ScoreboardPlace<'_>, inst: usize, scoreboard: u8) -> Vec<usize> {
    let waits = |at| waits(place, at, scoreboard);
    met(place, inst, Direction::Forward, waits, waits)
}

/// Returns the `wanted` instructions on all paths from `inst`. A path ends at its first instruction
/// that satisfies `stops`. That instruction is included if it is wanted.
fn met(
    place: &ScoreboardPlace<'_>,
    inst: usize,
    direction: Direction,
    wanted: impl Fn(usize) -> bool,
    stops: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut found = BTreeSet::new();
    place.kernel.program().search(inst as u32, direction, |at| {
        if wanted(at as usize) {
            found.insert(at as usize);
        }
        stops(at as usize)
    });
    found.into_iter().collect()
}

fn sets(place: &ScoreboardPlace<'_>, inst: usize) -> u8 {
    let control = place.kernel.program().instructions[inst].control;
    control.map_or(0, |control| barrier_bit(control.read_barrier) | barrier_bit(control.write_barrier))
}

/// True if an instruction waits for the scoreboard with its control code, or with its operand as in
/// `DEPBAR`.
fn waits(place: &ScoreboardPlace<'_>, inst: usize, scoreboard: u8) -> bool {
    let control: Option<Control> = place.kernel.program().instructions[inst].control;
    if control.is_some_and(|control| control.wait_mask & 1 << scoreboard != 0) {
        return true;
    }
    let mut tokens = place.kernel.chunk.tokens(place.kernel.text(inst).tokens).iter();
    place.kernel.mnemonic(inst) == "DEPBAR"
        && tokens.any(|token| token.kind == TokenKind::Scoreboard && token.value == u32::from(scoreboard))
}

/// Returns the token that represents an instruction in scoreboard navigation: the control code,
/// otherwise the mnemonic.
fn place_token(kernel: &KernelView<'_>, inst: usize) -> Token {
    let instruction = kernel.text(inst);
    let mut tokens = kernel.chunk.line_tokens(instruction.line as usize).iter();
    let control = tokens.find(|token| token.kind == TokenKind::Control);
    *control.unwrap_or_else(|| kernel.chunk.mnemonic_token(instruction))
}

fn each(mask: u8) -> impl Iterator<Item = u8> {
    (0..6).filter(move |scoreboard| mask >> scoreboard & 1 == 1)
}
