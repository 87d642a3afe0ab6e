//! The graph of one warp's instructions and its critical path: Algorithm 3.

use super::Efficiency;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use std::ops::Range;

/// Instructions linked by dispatch order and by dependence.
///
/// A node is an instruction with the paper's `dag[i]`: the cycles from the first dispatch until the
/// instruction's dispatch. An edge's weight is in cycles. The paper keeps one weight for each pair of nodes
/// and lets a dependence replace the dispatch edge. Here a pair has both edges, and the longest path uses the
/// larger weight, which belongs to the dependence.
#[derive(Debug, Default)]
pub struct Dag {
    graph: DiGraph<Node, Edge>,
    /// Pairs of nodes that are dispatched together, in order.
    pairs: Vec<Range<u32>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// The paper's `dag[i]`: the cycle of the instruction's dispatch.
    cycle: u32,
    /// The edge that determines the cycle; `None` at the start of a path.
    by: Option<EdgeIndex>,
}

/// Delay that the source instruction of an edge causes for the target instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// 1/E of the source instruction.
    pub dispatch_cycles: u32,
    /// Latency in cycles; 0 on an edge of dispatch order.
    pub latency: u32,
}

impl Edge {
    /// Cycles from the dispatch of the source instruction until the dispatch of the target instruction.
    pub fn cycles(self) -> u32 {
        self.dispatch_cycles.saturating_add(self.latency)
    }
}

/// The longest path through a [`Dag`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CriticalPath {
    /// The paper's C_w: cycles from the first dispatch to the last dispatch on the path. As in the paper's
    /// example, the duration of the last dispatch is not included.
    pub cycles: u32,
    /// Sum of the latencies on the path, in cycles: the sum of Equation 21.
    pub latency: u32,
    /// Instructions on the path, in dispatch order.
    pub nodes: Vec<u32>,
}

impl Dag {
    /// Builds nodes `0..count`, and edges from every instruction of a group to every instruction of the next
    /// group (lines 12 to 18). Reuses the memory of the previous graph.
    ///
    /// `groups` are the groups of Algorithm 1. Together they hold all nodes in order.
    pub(crate) fn build(
        &mut self,
        groups: impl IntoIterator<Item = Range<u32>>,
        efficiency: impl Fn(u32) -> Efficiency,
    ) {
        self.graph.clear();
        self.pairs.clear();
        let mut before = 0..0;
        for group in groups {
            for to in group.clone() {
                let to = self.graph.add_node(Node { cycle: 0, by: None }).index().max(to as usize) as u32;
                for from in before.clone() {
                    let edge = Edge { dispatch_cycles: efficiency(from).dispatch_cycles(), latency: 0 };
                    self.graph.add_edge(node(from), node(to), edge);
                }
            }
            if group.len() > 1 {
                self.pairs.push(group.clone());
            }
            before = group;
        }
    }

    /// Adds an edge to `to`, which waits for a result of `from` (lines 19 to 23). Does nothing unless `from`
    /// is the earlier node.
    pub fn add_dependence(&mut self, from: u32, to: u32, edge: Edge) {
        if from < to && (to as usize) < self.graph.node_count() {
            self.graph.add_edge(node(from), node(to), edge);
            // An instruction that waits for its partner cannot be dispatched with it, whatever the control code says.
            if let Ok(at) = self.pairs.binary_search_by_key(&from, |pair| pair.start)
                && self.pairs[at].contains(&to)
            {
                self.pairs.remove(at);
            }
        }
    }

    /// Computes every node's longest distance from the start (lines 24 to 30).
    ///
    /// Nodes are in dispatch order and edges lead forward, so this order is topological. Both nodes of a pair
    /// are dispatched when the later node can be dispatched, because Algorithm 1 puts both into one entry.
    pub fn relax(&mut self) {
        let mut pairs = std::mem::take(&mut self.pairs).into_iter().peekable();
        for index in self.graph.node_indices() {
            if let Some(pair) = pairs.next_if(|pair| pair.start as usize == index.index()) {
                self.join(pair);
            }
            let start = self.graph[index].cycle;
            let mut edges = self.graph.neighbors(index).detach();
            while let Some((edge, to)) = edges.next(&self.graph) {
                let cycle = start.saturating_add(self.graph[edge].cycles());
                if cycle > self.graph[to].cycle {
                    self.graph[to] = Node { cycle, by: Some(edge) };
                }
            }
        }
    }

    fn join(&mut self, pair: Range<u32>) {
        let later = pair.clone().map(|index| self.graph[node(index)]).max_by_key(|at| at.cycle);
        for index in pair {
            self.graph[node(index)] = later.unwrap_or_default();
        }
    }

    /// Returns the paper's `dag[i]` after [`Self::relax`]: the cycle in which a node is dispatched.
    pub fn cycle(&self, node_index: u32) -> u32 {
        self.graph[node(node_index)].cycle
    }

    /// Returns the critical path and its length after [`Self::relax`] (lines 31 to 33).
    pub fn critical_path(&self) -> CriticalPath {
        let mut path = CriticalPath::default();
        // Of several ends in the same cycle, the one that is dispatched last counts.
        let Some(end) = self.graph.node_indices().max_by_key(|&index| self.graph[index].cycle) else {
            return path;
        };
        path.cycles = self.graph[end].cycle;
        let mut at = end;
        loop {
            path.nodes.push(at.index() as u32);
            let Some(edge) = self.graph[at].by else { break };
            path.latency = path.latency.saturating_add(self.graph[edge].latency);
            let Some((from, to)) = self.graph.edge_endpoints(edge) else { break };
            if to != at {
                // The edge belongs to its partner, which determined the cycle of both.
                path.nodes.push(to.index() as u32);
            }
            at = from;
        }
        path.nodes.reverse();
        path
    }
}

fn node(index: u32) -> NodeIndex {
    NodeIndex::new(index as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::efficiency::issue_groups;
    use petgraph::visit::EdgeRef;
    use proptest::prelude::*;

    impl Dag {
        fn in_dispatch_order(
            groups: impl IntoIterator<Item = Range<u32>>,
            efficiency: impl Fn(u32) -> Efficiency,
        ) -> Self {
            let mut dag = Self::default();
            dag.build(groups, efficiency);
            dag
        }

        /// Returns all edges with their ends, in no particular order.
        fn edges(&self) -> impl Iterator<Item = (u32, u32, Edge)> {
            let ends = |at: NodeIndex| at.index() as u32;
            self.graph
                .edge_references()
                .map(move |edge| (ends(edge.source()), ends(edge.target()), *edge.weight()))
        }
    }

    /// Figure 2: an instruction, an IMUL, an IADD that needs the product, and another instruction, all of efficiency 1.
    #[test]
    fn figure_2_has_a_critical_path_of_12_cycles() {
        let mut dag = Dag::in_dispatch_order((0..4).map(|i| i..i + 1), |_| Efficiency::FULL);
        dag.add_dependence(1, 2, Edge { dispatch_cycles: 1, latency: 9 });
        dag.relax();
        let path = dag.critical_path();
        assert_eq!((path.cycles, path.latency, path.nodes), (1 + (1 + 9) + 1, 9, vec![0, 1, 2, 3]));
        assert_eq!([0, 1, 2, 3].map(|i| dag.cycle(i)), [0, 1, 11, 12]);
    }

    #[test]
    fn a_pair_is_left_when_both_are_dispatched() {
        let cycles = [1, 2, 1];
        let mut dag = Dag::in_dispatch_order(issue_groups(0..3, |i| i == 0), |i| {
            Efficiency::of_cycles(cycles[i as usize])
        });
        dag.relax();
        assert_eq!([0, 1, 2].map(|i| dag.cycle(i)), [0, 0, 2]);
        assert_eq!(dag.critical_path().nodes, [1, 2]);
        assert_eq!(dag.edges().count(), 2);
    }

    #[test]
    fn nothing_takes_no_time() {
        let mut dag = Dag::in_dispatch_order([], |_| Efficiency::FULL);
        dag.relax();
        assert_eq!(dag.critical_path(), CriticalPath::default());
    }

    /// Dispatch cycles of each instruction, true for each one that pairs with the next, and dependences as (from, to,
    /// latency).
    type Code = (Vec<u32>, Vec<bool>, Vec<(u32, u32, u32)>);

    fn code() -> impl Strategy<Value = Code> {
        (1_usize..40).prop_flat_map(|count| {
            let end = count as u32;
            (
                prop::collection::vec(1_u32..9, count),
                prop::collection::vec(any::<bool>(), count),
                prop::collection::vec((0..end, 0..end, 0_u32..700), 0..40),
            )
        })
    }

    fn dag_of((cycles, duals, dependences): &Code) -> Dag {
        let groups = issue_groups(0..cycles.len() as u32, |i| duals[i as usize]);
        let mut dag = Dag::in_dispatch_order(groups, |i| Efficiency::of_cycles(cycles[i as usize]));
        for &(from, to, latency) in dependences {
            dag.add_dependence(from, to, Edge { dispatch_cycles: cycles[from as usize], latency });
        }
        dag.relax();
        dag
    }

    proptest! {
        #[test]
        fn the_path_is_at_least_as_long_as_any_edge(code in code()) {
            let dag = dag_of(&code);
            let longest = dag.edges().map(|(_, _, edge)| edge.cycles()).max().unwrap_or(0);
            let path = dag.critical_path();
            prop_assert!(path.cycles >= longest);
            for (from, to, edge) in dag.edges() {
                prop_assert!(dag.cycle(to) >= dag.cycle(from) + edge.cycles());
            }
            // The path's own edges add up to its length.
            let sum: u32 = path.nodes.windows(2).map(|pair| {
                dag.edges().filter(|&(from, to, _)| from == pair[0] && to == pair[1])
                    .map(|(_, _, edge)| edge.cycles()).max()
                    // Both instructions of a pair are dispatched together.
                    .or((dag.cycle(pair[0]) == dag.cycle(pair[1])).then_some(0))
                    .expect("the path goes along edges or within a pair")
            }).sum();
            prop_assert_eq!(sum, path.cycles);
        }

        #[test]
        fn one_more_instruction_never_shortens_the_path(code in code(), cycles in 1_u32..9) {
            let before = dag_of(&code).critical_path().cycles;
            let mut longer = code;
            longer.0.push(cycles);
            longer.1.push(false);
            prop_assert!(dag_of(&longer).critical_path().cycles >= before);
        }
    }
}
