//! Basic blocks and the control-flow edges between them.

use super::{Block, Flow, Node};
use crate::flow::FlowGraph;
use crate::ptx::{Names, SymbolKind, UseKind};
use machine::ptx::{ControlFlow, Ptx};
use syntax::ptx::{Item, Statement, StatementKind};

/// Targets of a jump, as instruction indices. The instruction count denotes the end of the body.
#[derive(Debug, Default)]
struct Targets {
    instructions: Vec<u32>,
    /// True if the source does not list all targets.
    is_open: bool,
}

pub(super) fn flow(item: &Item, names: &Names, ptx: &Ptx) -> Flow {
    let mut nodes = Vec::new();
    let mut modifiers = Vec::new();
    for (statement, index) in item.statements().iter().zip(0_u32..) {
        if !matches!(statement.kind, StatementKind::Instruction { .. }) {
            continue;
        }
        modifiers.clear();
        modifiers.extend(item.modifiers(statement));
        let behaviour = item.opcode(statement).map(|opcode| ptx.behaviour(opcode, &modifiers));
        nodes.push(Node {
            statement: index,
            behaviour: behaviour.unwrap_or_default(),
            is_guarded: item.guard(statement).is_some(),
            block: 0,
        });
    }
    let jumps: Vec<Option<Targets>> = nodes
        .iter()
        .map(|node| {
            let is_jump = node.behaviour.flow == ControlFlow::Jump;
            is_jump.then(|| targets(item, names, &nodes, &item.statements()[node.statement as usize]))
        })
        .collect();
    let is_whole = jumps.iter().flatten().all(|targets| !targets.is_open);
    let starts = starts(&nodes, &jumps);
    let mut block = 0;
    for (node, starts) in nodes.iter_mut().zip(&starts).skip(1) {
        block += u32::from(*starts);
        node.block = block;
    }
    let (mut blocks, graph) = blocks(&nodes, &jumps);
    for block in graph.reached((!blocks.is_empty()).then_some(0)).ones() {
        blocks[block].is_reached = true;
    }
    Flow { nodes, blocks, graph, is_whole }
}

/// Returns the instructions that follow the target labels of a jump.
fn targets(item: &Item, names: &Names, nodes: &[Node], statement: &Statement) -> Targets {
    let mut found = Targets::default();
    let mut add = |label: u32| {
        let at = nodes.partition_point(|node| node.statement < label);
        found.instructions.push(at as u32);
    };
    let mut is_open = false;
    let mut is_any = false;
    for used in names.uses_of(statement) {
        match used.kind {
            UseKind::Jump | UseKind::List => {}
            _ => continue,
        }
        is_any = true;
        let Some((symbol, _)) = names.symbol_at(used.token) else {
            is_open = true;
            continue;
        };
        let symbol = &names.symbols()[symbol as usize];
        match symbol.kind {
            SymbolKind::Label => add(symbol.statement),
            SymbolKind::Targets => {
                // The directive directly follows its label, or is in the same statement.
                let list = item.statements().iter().skip(symbol.statement as usize);
                let list = list.take(2).find(|one| one.kind == StatementKind::Directive);
                for used in list.into_iter().flat_map(|list| names.uses_of(list)) {
                    match names.symbol_at(used.token) {
                        Some((label, _)) => add(names.symbols()[label as usize].statement),
                        None => is_open = true,
                    }
                }
            }
            _ => is_open = true,
        }
    }
    found.is_open = is_open || !is_any;
    found.instructions.sort_unstable();
    found.instructions.dedup();
    found
}

/// Returns whether each instruction starts a basic block.
fn starts(nodes: &[Node], jumps: &[Option<Targets>]) -> Vec<bool> {
    let mut starts = vec![false; nodes.len()];
    if let Some(first) = starts.first_mut() {
        *first = true;
    }
    for (at, node) in nodes.iter().enumerate() {
        if node.behaviour.flow != ControlFlow::Next
            && let Some(next) = starts.get_mut(at + 1)
        {
            *next = true;
        }
    }
    for &target in jumps.iter().flatten().flat_map(|targets| &targets.instructions) {
        if let Some(start) = starts.get_mut(target as usize) {
            *start = true;
        }
    }
    starts
}

fn blocks(nodes: &[Node], jumps: &[Option<Targets>]) -> (Vec<Block>, FlowGraph) {
    let mut blocks = Vec::new();
    let mut next = Vec::new();
    let mut first = 0;
    while first < nodes.len() {
        let number = nodes[first].block;
        let count = nodes[first..].iter().take_while(|node| node.block == number).count();
        let last = first + count - 1;
        let flow = nodes[last].behaviour.flow;
        let goes_on = flow == ControlFlow::Next || nodes[last].is_guarded;
        let mut targets: Vec<u32> = goes_on.then_some(last as u32 + 1).into_iter().collect();
        targets.extend(jumps[last].iter().flat_map(|jump| &jump.instructions));
        let is_open = jumps[last].as_ref().is_some_and(|jump| jump.is_open);
        let ends = matches!(flow, ControlFlow::Return | ControlFlow::End);
        let leaves = ends || is_open || targets.iter().any(|&target| target as usize >= nodes.len());
        let mut successors: Vec<u32> =
            targets.iter().filter_map(|&target| Some(nodes.get(target as usize)?.block)).collect();
        successors.sort_unstable();
        successors.dedup();
        let instructions = first as u32..last as u32 + 1;
        blocks.push(Block { instructions, leaves, is_reached: false });
        next.push(successors);
        first = last + 1;
    }
    (blocks, FlowGraph::new(next))
}
