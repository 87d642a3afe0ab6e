//! Control codes of a kernel: stall count, yield, two barriers, a wait mask, reuse flags, and pairs that issue
//! together.

use super::effects::effects;
use super::flow::{Edges, closes_transfers, drains, issues_pairs, least_stall, mnemonic};
use super::gain::CostEstimator;
use super::order::{self, PRIORITIES};
use super::plan::{Gain, Plan, Request, plain};
use super::products::Products;
use super::register_accesses::RegisterAccesses;
use super::scoreboards::{self, Uses};
use super::text::{self, Text};
use super::walk::{ScoreboardAssignment, Site, Walk};
use super::{kepler, pairs, reuse};
use crate::hazards::Needs;
use crate::in_flight::Event;
use crate::{Chunk, Control, Program};
use machine::{Hardware, Successor, units};
use rustc_hash::FxHashMap;

pub(super) fn compute(chunk: &Chunk, program: &Program, request: &Request) -> Plan {
    let judge = CostEstimator::new(chunk, program);
    let order: Vec<u32> = (0..program.instructions.len() as u32).collect();
    let plan = planned(chunk, program, request, &judge, order);
    if request.reorder { reordered(chunk, program, request, &judge, plan) } else { plan }
}

/// Returns the codes with the lowest cost for instructions in this order.
fn planned(
    chunk: &Chunk,
    program: &Program,
    request: &Request,
    judge: &CostEstimator,
    order: Vec<u32>,
) -> Plan {
    let ways = controls(Text { chunk, order: &order }, &text::arranged(program, &order), request);
    let single = ways.len() == 1;
    let cost = |controls: &[Control]| if single { 0 } else { judge.cost(&order, controls) };
    let best = ways.into_iter().min_by_key(|(controls, notes)| (notes.len(), cost(controls)));
    let (controls, notes) = best.unwrap_or_default();
    Plan { order, controls, gains: Vec::new(), notes }
}

/// Returns the plan with each block in the order with the shortest predicted time. Instructions outside the
/// range keep their codes and positions.
fn reordered(chunk: &Chunk, program: &Program, request: &Request, judge: &CostEstimator, plan: Plan) -> Plan {
    let text = Text { chunk, order: &plan.order };
    let (needs, touches) = (Needs::new(program), RegisterAccesses::collect(program));
    let Some(before) = judge.cycles(&plan.order, &plan.controls) else { return plan };
    let wanted = request.range.clone().unwrap_or(0..program.instructions.len() as u32);
    let mut best = before.clone();
    let mut order = plan.order.clone();
    let mut others: Vec<(Plan, Vec<u32>)> = Vec::with_capacity(PRIORITIES.len());
    for priority in PRIORITIES {
        let new = order::order(program, text, needs, &touches, priority);
        // An order that was already tried gains nothing more.
        if new == plan.order || others.iter().any(|(other, _)| other.order == new) {
            continue;
        }
        let other = planned(chunk, program, request, judge, new);
        let cycles = judge.cycles(&other.order, &other.controls).unwrap_or_default();
        for (at, (known, &new)) in best.iter_mut().zip(&cycles).enumerate() {
            let range = program.blocks[at].instructions.clone();
            let is_within = wanted.start <= range.start && range.end <= wanted.end;
            if is_within && new < *known {
                *known = new;
                let places = range.start as usize..range.end as usize;
                order[places.clone()].copy_from_slice(&other.order[places]);
            }
        }
        others.push((other, cycles));
    }
    if order == plan.order {
        return plan;
    }
    let known = others.into_iter().find(|(other, _)| other.order == order);
    let (mut new, after) = known.unwrap_or_else(|| {
        let new = planned(chunk, program, request, judge, order);
        let after = judge.cycles(&new.order, &new.controls).unwrap_or_default();
        (new, after)
    });
    if judge.sum(&after) >= judge.sum(&before) || new.notes.len() > plan.notes.len() {
        return plan;
    }
    for (block, (before, after)) in program.blocks.iter().zip(before.into_iter().zip(after)) {
        let places = block.instructions.start as usize..block.instructions.end as usize;
        if new.order[places.clone()] != plan.order[places] {
            new.gains.push(Gain { first: block.instructions.start, before, after });
        }
    }
    new
}

/// Returns the codes for each candidate assignment of scoreboards, with notes on distances that could not be
/// kept.
fn controls(text: Text, program: &Program, request: &Request) -> Vec<(Vec<Control>, Vec<String>)> {
    let count = program.instructions.len() as u32;
    let range = request.range.clone().unwrap_or(0..count);
    let kept = |inst: u32| {
        let control = program.instructions[inst as usize].control;
        if range.contains(&inst) { None } else { Some(control.unwrap_or_else(plain)) }
    };
    let modifiers = |inst: u32, name: &str| text.has_modifier(inst, name);
    let needs = Needs::new(program);
    let touches = RegisterAccesses::collect(program);
    let edges = Edges::build(program);
    let effects = effects(program, &modifiers);
    let products = Products::collect(program, &touches, &modifiers);
    let site = Site {
        program,
        needs: &needs,
        touches: &touches,
        edges: &edges,
        effects: &effects,
        products: &products,
        most: if kepler::is_kepler(program) { kepler::MAX_DELAY } else { units::MAX_STALL },
        spacing: &request.spacing,
        kept: &kept,
    };
    let pairs = pairs::pairs(program, text, &touches);
    let least: Vec<u32> = (0..count)
        .map(|inst| match kept(inst) {
            Some(control) => control.stall.map_or(1, u32::from),
            None if pairs[inst as usize] => 0,
            None if drains(program, inst) => 0,
            None => least(program, needs, inst).clamp(1, site.most),
        })
        .collect();
    let mut walk = Walk::new(&site);
    walk.settle(&least, ScoreboardAssignment::Separate);
    if kepler::is_kepler(program) {
        let codes = (0..count).map(|inst| {
            kept(inst).unwrap_or_else(|| kepler::code(program, inst, walk.stalls[inst as usize]))
        });
        return vec![(codes.collect(), notes(program, &walk))];
    }
    let uses = uses(&site, &mut walk);
    let mut ways = Vec::new();
    for boards in scoreboards::allocate(&site, &walk, &uses) {
        walk.settle(&least, ScoreboardAssignment::Given(boards.clone()));
        let mut masks = vec![0_u8; count as usize];
        walk.tell(|inst, event| {
            if let Some(board) = boards[event.index()] {
                masks[inst as usize] |= 1 << board;
            }
        });
        let code = |inst: u32| Control {
            write_barrier: boards[Event::written(inst).index()],
            read_barrier: boards[Event::read(inst).index()],
            wait_mask: masks[inst as usize],
            ..stalled(program, inst, walk.stalls[inst as usize])
        };
        let mut controls: Vec<Control> =
            (0..count).map(|inst| kept(inst).unwrap_or_else(|| code(inst))).collect();
        take_turns(program, |inst| kept(inst).is_none(), &mut controls);
        reuse::mark(text, program, |inst| kept(inst).is_none(), &mut controls);
        ways.push((controls, notes(program, &walk)));
    }
    ways
}

/// Returns the minimum cycles from an instruction to any next instruction.
fn least(program: &Program, needs: Needs, inst: u32) -> u32 {
    needs.after(inst).max(least_stall(program, inst, Successor::All).unwrap_or(1))
}

/// Cycles for which an instruction occupies a half-rate pipe.
const TURN: u8 = 2; // Source: 32 lanes on 16 units

/// Sets yield flags at stalls where yielding costs nothing, if a warp has issued for a long time without a yield.
fn take_turns(program: &Program, is_wanted: impl Fn(u32) -> bool, controls: &mut [Control]) {
    if issues_pairs(program.arch.sm) {
        return;
    }
    for block in &program.blocks {
        let mut since = 0;
        for at in block.instructions.clone() {
            let control = &mut controls[at as usize];
            since += control.stall.map_or(1, u32::from);
            let class = program.instructions[at as usize].class;
            let is_fixed = class.is_some_and(|class| program.arch.class(class).latency.is_fixed());
            let is_pause = control.stall == Some(TURN) && is_fixed;
            let is_long = since >= Hardware::builtin().most_without_yield.value;
            control.yields |= is_long && is_pause && flow_goes_on(program, at) && is_wanted(at);
            if control.yields {
                since = 0;
            }
        }
    }
}

fn notes(program: &Program, walk: &Walk) -> Vec<String> {
    walk.too_close.iter().map(|&(first, second)| too_close(program, first, second)).collect()
}

fn too_close(program: &Program, first: u32, second: u32) -> String {
    let address = |inst: u32| program.instructions[inst as usize].address;
    format!(
        "the instruction at {:#06x} must issue more cycles after the one at {:#06x} than the stall counts can express",
        address(second),
        address(first)
    )
}

/// Returns a code with this stall count and the matching yield flag. An instruction that drains the pipeline gets the
/// stall count 0 and the yield flag.
fn stalled(program: &Program, inst: u32, stall: u32) -> Control {
    if drains(program, inst) {
        return Control { stall: Some(0), yields: true, ..plain() };
    }
    let class = program.instructions[inst as usize].class;
    let is_fixed = class.is_some_and(|class| program.arch.class(class).latency.is_fixed());
    let yields = stall > Hardware::builtin().most_stall_without_yield.value
        || (is_fixed && stall > 2 && flow_goes_on(program, inst));
    Control { stall: Some(stall as u8), yields, dual: stall == 0, ..plain() }
}

fn flow_goes_on(program: &Program, inst: u32) -> bool {
    program.instructions[inst as usize].flow == machine::Flow::Next
}

/// Returns the events that instructions wait for, under the assumption that each event has its own
/// scoreboard.
fn uses(site: &Site, walk: &mut Walk) -> Uses {
    let program = site.program;
    let mut waits: FxHashMap<Event, Vec<u32>> = FxHashMap::default();
    walk.tell(|inst, event| waits.entry(event).or_default().push(inst));
    let mut settled = vec![None; 2 * program.instructions.len()];
    for inst in 0..program.instructions.len() as u32 {
        if let Some(control) = (site.kept)(inst) {
            settled[Event::written(inst).index()] = control.write_barrier;
            settled[Event::read(inst).index()] = control.read_barrier;
        }
    }
    // An instruction outside the range keeps its wait mask, so the events that it waits for keep their scoreboards.
    for (event, waiting) in &waits {
        let inst = event.inst();
        if (site.kept)(inst).is_none()
            && waiting.iter().any(|&wait| (site.kept)(wait).is_some())
            && let Some(control) = program.instructions[inst as usize].control
        {
            settled[event.index()] =
                if event.is_read() { control.read_barrier } else { control.write_barrier };
        }
    }
    let reserved = groups_of_copies(program, &mut settled);
    Uses { waits, settled, reserved }
}

/// Reserves the scoreboards of asynchronous groups. `LDGDEPBAR` and similar instructions close a group of
/// asynchronous operations on the scoreboard that a `DEPBAR` names, so no other event may be counted there. A group of
/// the TMA unit's copies sets its read scoreboard, other groups their write scoreboard. Returns the reserved
/// scoreboards, one bit each.
/// Source: all 786 groups in the code of libraries.
fn groups_of_copies(program: &Program, settled: &mut [Option<u8>]) -> u8 {
    let count = program.instructions.len() as u32;
    let closes = |inst: u32| mnemonic(program, inst) == "LDGDEPBAR" || closes_transfers(program, inst);
    let closing: Vec<u32> = (0..count).filter(|&inst| closes(inst)).collect();
    if closing.is_empty() {
        return 0;
    }
    let mut reserved = 0;
    for inst in closing {
        let next =
            program.counted_waits.iter().find(|wait| wait.inst > inst).or(program.counted_waits.first());
        if let Some(wait) = next {
            let closed =
                if closes_transfers(program, inst) { Event::read(inst) } else { Event::written(inst) };
            settled[closed.index()] = Some(wait.scoreboard);
            reserved |= 1 << wait.scoreboard;
        }
    }
    reserved
}
