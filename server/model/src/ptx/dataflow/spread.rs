//! Divergence analysis: the threads of a block among which a value may differ.

use super::Definitions;
use crate::ptx::flow::{Control, Flow};
use crate::ptx::{Body, Meaning};
use machine::ptx::{ResultSpread, Spread};
use syntax::ptx::{Item, Operand, OperandKind, Statement, TokenKind, literal};

/// Threads per warp, for the comparison with shift distances, divisors and masks. Source: `machine::units`.
const WARP: i64 = machine::units::WARP_SIZE as i64;

/// Spread of each value: the threads among which the value may differ. Assumed to be uniform are values loaded from local
/// memory or from a uniform address, and parameters and results of functions.
#[derive(Debug, Clone)]
pub struct Spreads {
    /// Spread of each definition's value.
    values: Vec<Spread>,
    /// Spread of each instruction's guard.
    guards: Vec<Spread>,
    /// Spread of the condition of each block's last instruction.
    branches: Vec<Spread>,
}

/// A value that an instruction reads.
#[derive(Debug)]
struct Source {
    /// Index of the operand; `None` for the guard.
    operand: Option<usize>,
    /// Spread of a special register; [`Spread::Same`] for other sources.
    fixed: Spread,
    definitions: Vec<u32>,
}

impl Spreads {
    pub(crate) fn compute(body: &Body<'_>) -> Self {
        let (item, flow) = (body.item, &body.flow);
        let (control, definitions) = (body.control(), body.definitions());
        let sources = sources(body);
        let mut first_of = vec![0; flow.nodes().len() + 1];
        for definition in definitions.all() {
            first_of[definition.instruction as usize + 1] += 1;
        }
        for at in 1..first_of.len() {
            first_of[at] += first_of[at - 1];
        }
        let mut found = Self {
            values: vec![Spread::Same; definitions.all().len()],
            guards: vec![Spread::Same; flow.nodes().len()],
            branches: vec![Spread::Same; flow.blocks().len()],
        };
        // Spreads also propagate from a branch to the blocks that it controls, without an edge in the graph.
        // `flow::solve` therefore does not apply.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (node, at) in flow.nodes().iter().zip(0_usize..) {
                let of = |source: &Source| found.read(source, flow, control, definitions, node.block);
                let operands: Vec<(usize, Spread)> =
                    sources[at].iter().filter_map(|source| Some((source.operand?, of(source)))).collect();
                let guard = sources[at].iter().filter(|source| source.operand.is_none()).map(of).max();
                let guard = guard.unwrap_or_default();
                let statement = &item.statements()[node.statement as usize];
                let result = result(node.behaviour.result, &operands, item, statement);
                has_changed |= raise(&mut found.guards[at], guard);
                for value in &mut found.values[first_of[at]..first_of[at + 1]] {
                    has_changed |= raise(value, result);
                }
                if flow.blocks()[node.block as usize].instructions.end as usize == at + 1 {
                    let index = operands.iter().map(|(_, spread)| *spread).max().unwrap_or_default();
                    has_changed |= raise(&mut found.branches[node.block as usize], guard.max(index));
                }
            }
        }
        found
    }

    /// Returns the spread of an instruction's guard; [`Spread::Same`] if the instruction has no guard.
    pub fn guard(&self, instruction: u32) -> Spread {
        self.guards[instruction as usize]
    }

    /// Returns the spread of the condition of a block's last instruction.
    pub fn branch(&self, block: u32) -> Spread {
        self.branches[block as usize]
    }

    /// Returns the spread of the value that a definition writes. `definition` is an index in
    /// [`Definitions::all`].
    pub fn value(&self, definition: u32) -> Spread {
        self.values[definition as usize]
    }

    /// Returns the spread of a register at a read by an instruction.
    pub(crate) fn of_read(&self, body: &Body<'_>, instruction: u32, register: u32) -> Spread {
        let definitions = body.definitions().reaching(&body.flow, instruction, register);
        let source = Source { operand: None, fixed: Spread::Same, definitions };
        let reader = body.flow.nodes()[instruction as usize].block;
        self.read(&source, &body.flow, body.control(), body.definitions(), reader)
    }

    /// Returns the spread of a read. If several definitions reach the read, the result includes the spread of the
    /// branches that determine which definition executes.
    fn read(
        &self,
        source: &Source,
        flow: &Flow,
        control: &Control,
        definitions: &Definitions,
        reader: u32,
    ) -> Spread {
        let mut spread = source.fixed;
        for &definition in &source.definitions {
            spread = spread.max(self.values[definition as usize]);
            if source.definitions.len() == 1 || spread == Spread::Lanes {
                continue;
            }
            let writer = definitions.all()[definition as usize].instruction;
            spread = spread.max(self.guards[writer as usize]);
            let block = flow.nodes()[writer as usize].block;
            let decided = control.all_deciders(block).filter(|&decider| !control.has_part(decider, reader));
            spread = decided.map(|decider| self.branches[decider as usize]).fold(spread, Spread::max);
        }
        spread
    }
}

fn raise(value: &mut Spread, to: Spread) -> bool {
    let is_more = to > *value;
    if is_more {
        *value = to;
    }
    is_more
}

/// Returns the sources that each instruction reads, by instruction.
fn sources(body: &Body<'_>) -> Vec<Vec<Source>> {
    let (item, flow, registers, definitions) = (body.item, &body.flow, &body.registers, body.definitions());
    let mut found = Vec::with_capacity(flow.nodes().len());
    for (node, instruction) in flow.nodes().iter().zip(0..) {
        let statement = &item.statements()[node.statement as usize];
        let operands = item.operands(statement);
        let ends: Vec<u32> = operands.map(|operand| operand.range().map_or(0, |range| range.end)).collect();
        let operand_of = |token: u32| {
            let start = item.tokens()[token as usize].start;
            ends.iter().position(|&end| start < end)
        };
        let of_registers = registers.reads(instruction).map(|touch| Source {
            operand: (!touch.is_guard).then(|| operand_of(touch.token)).flatten(),
            fixed: Spread::Same,
            definitions: definitions.reaching(flow, instruction, touch.register),
        });
        let mut own: Vec<Source> = of_registers.collect();
        own.extend(special(body, statement).map(|(token, fixed)| Source {
            operand: operand_of(token),
            fixed,
            definitions: Vec::new(),
        }));
        found.push(own);
    }
    found
}

/// Iterates over the special registers that a statement names, each as token index and spread.
fn special(body: &Body<'_>, statement: &Statement) -> impl Iterator<Item = (u32, Spread)> {
    let (item, ptx) = (body.item, body.ptx);
    let uses = body.names.uses_of(statement).iter();
    uses.filter(|used| used.what == Meaning::SpecialRegister).filter_map(|used| {
        let name = item.token_text(&item.tokens()[used.token as usize]);
        let register = ptx.special_register(name)?;
        let selector = item.tokens().get(used.token as usize + 1);
        let selector = selector.filter(|token| token.kind == TokenKind::Modifier);
        let component = selector.and_then(|token| item.token_text(token).chars().nth(1));
        let at = register.components.iter().position(|have| Some(*have) == component);
        Some((used.token, register.spread(at.unwrap_or(0))))
    })
}

fn result(rule: ResultSpread, operands: &[(usize, Spread)], item: &Item, statement: &Statement) -> Spread {
    let all = operands.iter().map(|(_, spread)| *spread).max().unwrap_or_default();
    let constant = |at: usize| item.operands(statement).nth(at).and_then(|operand| constant(&operand, item));
    let warps_if = |holds: bool| if holds { all.min(Spread::Warps) } else { all };
    match rule {
        ResultSpread::Operands => all,
        ResultSpread::Fixed(spread) => spread,
        ResultSpread::AtLeast(spread) => all.max(spread),
        ResultSpread::Broadcast => {
            let from = operands.iter().filter(|(at, _)| *at > 1).map(|(_, spread)| *spread).max();
            warps_if(from.unwrap_or_default() <= Spread::Warps)
        }
        ResultSpread::Shifted => warps_if(constant(2).is_some_and(|by| by >= WARP.ilog2().into())),
        ResultSpread::Divided => warps_if(constant(2).is_some_and(|by| by != 0 && by % WARP == 0)),
        ResultSpread::Masked => {
            warps_if([1, 2].into_iter().filter_map(constant).any(|mask| mask % WARP == 0))
        }
        ResultSpread::Below => warps_if([1, 2].into_iter().filter_map(constant).any(|with| with % WARP == 0)),
        ResultSpread::Above => {
            warps_if([1, 2].into_iter().filter_map(constant).any(|with| with.wrapping_add(1) % WARP == 0))
        }
    }
}

/// Returns the signed value of an integer operand; `None` for other operands.
fn constant(operand: &Operand<'_>, item: &Item) -> Option<i64> {
    if operand.kind() != OperandKind::Integer {
        return None;
    }
    let digits = operand.tokens().iter().find(|token| token.kind == TokenKind::Integer)?;
    let value = literal::integer(item.token_text(digits))? as i64;
    Some(if operand.sign() == Some(b'-') { value.wrapping_neg() } else { value })
}
