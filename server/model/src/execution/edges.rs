//! Counts along control-flow edges, derived from instruction counts. An instruction's count is the sum over
//! its incoming edges, so a single unknown edge follows from the known edges.

use super::code::{ControlTransfer, DecodedInstruction};
use crate::InstructionCounts;

/// Counts along the two edges that leave each instruction; `None` if the counts do not determine an edge.
#[derive(Debug, Clone, Default)]
pub(super) struct Edges {
    /// Counts along the edge to a branch's target; for an exit, out of the program.
    pub taken: Vec<Option<f64>>,
    /// Counts along the edge to the next instruction in the text.
    pub falls: Vec<Option<f64>>,
}

/// An edge, identified by its source instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Taken(usize),
    Falls(usize),
}

impl DecodedInstruction {
    /// True if the instruction may execute for only some lanes: it has a guard, or is a branch with
    /// conditions.
    pub(super) fn is_conditional(&self) -> bool {
        let has_conditions =
            matches!(&self.transfer, ControlTransfer::Branch { conditions, .. } if !conditions.is_empty());
        self.guard.is_some() || has_conditions
    }

    /// True for a branch or an exit that is taken by exactly the lanes whose guard is true.
    pub(super) fn leaves_by_guard(&self) -> bool {
        match &self.transfer {
            ControlTransfer::Branch { conditions, .. } => self.guard.is_some() && conditions.is_empty(),
            ControlTransfer::Exit => self.guard.is_some(),
            _ => false,
        }
    }

    /// True if control may continue elsewhere than at the next instruction of the text.
    const fn leaves(&self) -> bool {
        matches!(
            self.transfer,
            ControlTransfer::Branch { .. }
                | ControlTransfer::Exit
                | ControlTransfer::Return
                | ControlTransfer::Pop(_)
                | ControlTransfer::Lost
        )
    }
}

impl Edges {
    fn unknown(len: usize) -> Self {
        Self { taken: vec![None; len], falls: vec![None; len] }
    }

    fn get(&self, edge: Edge) -> Option<f64> {
        match edge {
            Edge::Taken(at) => self.taken[at],
            Edge::Falls(at) => self.falls[at],
        }
    }

    fn set(&mut self, edge: Edge, count: f64) {
        match edge {
            Edge::Taken(at) => self.taken[at] = Some(count),
            Edge::Falls(at) => self.falls[at] = Some(count),
        }
    }

    /// Derives the number of lanes along each edge. At each instruction, the outgoing lanes equal the
    /// incoming lanes.
    pub(super) fn of_lanes(steps: &[DecodedInstruction], counted: &[InstructionCounts]) -> Self {
        let mut edges = Self::unknown(steps.len());
        for (at, (step, counted)) in steps.iter().zip(counted).enumerate() {
            let Some(lanes) = counted.lanes else { continue };
            if !step.leaves() || lanes == 0.0 {
                (edges.taken[at], edges.falls[at]) = (Some(0.0), Some(lanes));
            } else if !step.is_conditional() {
                (edges.taken[at], edges.falls[at]) = (Some(lanes), Some(0.0));
            } else if let Some(on) = counted.on.filter(|_| step.leaves_by_guard()) {
                (edges.taken[at], edges.falls[at]) = (Some(on), Some((lanes - on).max(0.0)));
            }
        }
        let counts: Vec<Option<f64>> = counted.iter().map(|counted| counted.lanes).collect();
        edges.solve(steps, &counts, true);
        edges
    }

    /// Derives the number of warps along each edge. A partial warp counts as one warp, and a warp that
    /// diverges counts on both edges.
    pub(super) fn of_warps(
        steps: &[DecodedInstruction],
        counted: &[InstructionCounts],
        lanes: &Self,
    ) -> Self {
        let mut edges = Self::unknown(steps.len());
        for (at, (step, counted)) in steps.iter().zip(counted).enumerate() {
            let Some(executed) = counted.executed else { continue };
            let no_lane = |lanes: Option<f64>| lanes == Some(0.0);
            if matches!(step.transfer, ControlTransfer::Meet(_)) && executed > 0.0 {
                // Groups of a warp that wait for each other continue as one.
                edges.taken[at] = Some(0.0);
            } else if !step.leaves() || no_lane(lanes.taken[at]) || executed == 0.0 {
                (edges.taken[at], edges.falls[at]) = (Some(0.0), Some(executed));
            } else if !step.is_conditional() || no_lane(lanes.falls[at]) {
                (edges.taken[at], edges.falls[at]) = (Some(executed), Some(0.0));
            }
        }
        let counts: Vec<Option<f64>> = counted.iter().map(|counted| counted.executed).collect();
        edges.solve(steps, &counts, false);
        edges
    }

    /// Derives unknown edges until a fixed point. If `adds_up`, the counts of an instruction's two outgoing
    /// edges sum to the instruction's count.
    fn solve(&mut self, steps: &[DecodedInstruction], counts: &[Option<f64>], adds_up: bool) {
        let into = edges_into(steps);
        loop {
            let mut has_changed = false;
            for (at, into) in into.iter().enumerate() {
                let Some(count) = counts[at] else { continue };
                let mut unknown = into.iter().filter(|edge| self.get(**edge).is_none());
                if let (Some(&edge), None) = (unknown.next(), unknown.next()) {
                    let known: f64 = into.iter().filter_map(|edge| self.get(*edge)).sum();
                    self.set(edge, (count - known).max(0.0));
                    has_changed = true;
                }
                let left = |known: f64| (count - known).max(0.0);
                match (self.taken[at], self.falls[at]) {
                    (Some(taken), None) if adds_up => self.falls[at] = Some(left(taken)),
                    (None, Some(falls)) if adds_up => self.taken[at] = Some(left(falls)),
                    _ => continue,
                }
                has_changed = true;
            }
            if !has_changed {
                return;
            }
        }
    }
}

/// Returns the edges into each instruction. The list is empty if the instruction may have other incoming edges
/// that the text does not show.
fn edges_into(steps: &[DecodedInstruction]) -> Vec<Vec<Edge>> {
    let mut into = vec![Vec::new(); steps.len()];
    for (at, step) in steps.iter().enumerate() {
        if (!step.leaves() || step.is_conditional())
            && let Some(next) = into.get_mut(at + 1)
        {
            next.push(Edge::Falls(at));
        }
        if let ControlTransfer::Branch { target, .. } = &step.transfer
            && let Some(target) = into.get_mut(*target as usize)
        {
            target.push(Edge::Taken(at));
        }
    }
    let mut hidden: Vec<usize> = vec![0];
    for step in steps {
        match step.transfer {
            ControlTransfer::Call(Some(target)) | ControlTransfer::Push(_, target) => {
                hidden.push(target as usize);
            }
            _ => {}
        }
    }
    // A jump to an unknown target may lead to any instruction that control does not fall into.
    if steps.iter().any(|step| step.transfer == ControlTransfer::Lost) {
        hidden.extend((0..steps.len()).filter(|&at| at > 0 && !may_go_on(&steps[at - 1])));
    }
    for at in hidden {
        if let Some(into) = into.get_mut(at) {
            into.clear();
        }
    }
    into
}

/// True if the next instruction in the text may be a successor.
fn may_go_on(step: &DecodedInstruction) -> bool {
    !step.leaves() || step.is_conditional()
}
