//! Checks the graph's queries against their definitions, on graphs of any shape.

use super::*;
use fixedbitset::FixedBitSet;
use proptest::collection::vec;
use proptest::prelude::*;

/// Graphs of up to a dozen blocks.
fn graphs() -> impl Strategy<Value = FlowGraph> {
    (1_u32..12).prop_flat_map(|count| vec(vec(0..count, 0..3), count as usize)).prop_map(FlowGraph::new)
}

/// The blocks reachable from the first one without passing `without`.
fn reached_without(graph: &FlowGraph, without: BlockId) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(graph.len());
    if without != 0 {
        seen.insert(0);
        graph.search(0, Direction::Forward, |block| {
            if block != without {
                seen.insert(block as usize);
            }
            block != without
        });
    }
    seen
}

proptest! {
    #[test]
    fn a_block_dominates_what_is_not_reached_without_it(graph in graphs()) {
        let tree = DominatorTree::compute(&graph, 0);
        let reached = graph.reached([0]);
        for above in reached.ones() {
            let without = reached_without(&graph, above as BlockId);
            for block in reached.ones() {
                let dominates = above == block || !without.contains(block);
                prop_assert_eq!(tree.dominates(above as BlockId, block as BlockId), dominates);
            }
        }
        let is_above = |above: usize, block: usize| tree.dominates(above as BlockId, block as BlockId);
        for one in reached.ones() {
            for other in reached.ones() {
                let both = reached.ones().filter(|&above| is_above(above, one) && is_above(above, other));
                let lowest = both.max_by_key(|&both| tree.span(both as BlockId).0);
                let common = tree.nearest_common(one as BlockId, other as BlockId);
                prop_assert_eq!(Some(common as usize), lowest);
            }
        }
    }

    #[test]
    fn a_loop_is_what_leads_back_to_its_header(graph in graphs()) {
        let tree = DominatorTree::compute(&graph, 0);
        let loops = LoopForest::find(&graph, &tree);
        let reached = graph.reached([0]);
        let mut depth = vec![0; graph.len()];
        for header in reached.ones() {
            let header = header as BlockId;
            let mut body = FixedBitSet::with_capacity(graph.len());
            for &back in graph.predecessors(header).iter().filter(|&&from| reached.contains(from as usize) && tree.dominates(header, from)) {
                body.insert(header as usize);
                if back != header {
                    body.insert(back as usize);
                    graph.search(back, Direction::Backward, |block| {
                        body.insert(block as usize);
                        block != header
                    });
                }
            }
            for block in reached.ones() {
                depth[block] += u32::from(body.contains(block));
                if !body.is_clear() {
                    prop_assert_eq!(loops.contains(header, block as BlockId), body.contains(block));
                }
            }
        }
        for block in reached.ones() {
            prop_assert_eq!(loops.depth(block as BlockId), depth[block]);
            prop_assert_eq!(loops.header(block as BlockId).is_some(), depth[block] > 0);
        }
    }

    #[test]
    fn reverse_postorder_puts_a_block_before_what_only_it_leads_to(graph in graphs()) {
        let (order, roots) = graph.reverse_postorder([0]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, graph.blocks().collect::<Vec<_>>());
        let place = |block: BlockId| order.iter().position(|&other| other == block);
        for (from, to) in graph.edges() {
            let is_back = graph.reached([to]).contains(from as usize);
            prop_assert!(place(from) < place(to) || is_back);
        }
        let reached = graph.reached(roots);
        prop_assert_eq!(reached.count_ones(..), graph.len());
    }

    /// Compares the solver with searches: for each block, both must find the same blocks that lead to it (or that it
    /// leads to, if `backward`).
    #[test]
    fn the_solver_finds_what_every_way_brings(graph in graphs(), backward in any::<bool>()) {
        struct Passed(FixedBitSet);
        impl Analysis for Passed {
            type State = FixedBitSet;
            fn transfer(&mut self, block: BlockId, state: &FixedBitSet) {
                self.0.clone_from(state);
                self.0.insert(block as usize);
            }
            fn join(&mut self, _: BlockId, _: BlockId, state: &mut FixedBitSet) -> bool {
                unite(state, &self.0)
            }
        }
        let (direction, against) =
            if backward { (Direction::Backward, Direction::Forward) } else { (Direction::Forward, Direction::Backward) };
        let none = FixedBitSet::with_capacity(graph.len());
        let mut states = vec![none.clone(); graph.len()];
        solve(&graph, direction, &mut Passed(none.clone()), &mut states);
        for block in graph.blocks() {
            let mut expected = none.clone();
            graph.search(block, against, |other| {
                expected.insert(other as usize);
                true
            });
            prop_assert_eq!(&states[block as usize], &expected);
        }
    }
}

#[test]
fn unreached_blocks_that_lead_into_two_loops_do_not_join_them() {
    // 0 and 1 form a loop, 2 and 3 another one after it; 4 leads into both.
    let graph = FlowGraph::new([vec![1], vec![0, 2], vec![3], vec![2], vec![1, 3]]);
    let loops = LoopForest::find(&graph, &DominatorTree::compute(&graph, 0));
    assert!(loops.contains(0, 1) && loops.contains(2, 3) && !loops.contains(0, 2));
}

#[test]
fn edges_lead_both_ways() {
    let graph = FlowGraph::new([vec![2, 1], vec![2], vec![0]]);
    assert_eq!(graph.successors(0), [2, 1]);
    assert_eq!(graph.predecessors(2), [0, 1]);
    assert_eq!(graph.with_root(&[1]).successors(3), [1]);
    assert_eq!(graph.reversed().successors(2), [0, 1]);
    assert!(FlowGraph::new::<&[u32]>([]).is_empty());
}
