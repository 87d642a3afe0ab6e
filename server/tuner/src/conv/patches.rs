//! The patches of pixels that are worth a search: of a thread and of its block.
//!
//! A tile of as many pixels may be any of hundreds of patches. For the static model they differ in few figures, and a patch that is worse
//! than another in some and better in none is never the best one, whatever the other parameters are. Leaving these out divides the search by
//! about ten.

use super::kernel::Plan;
use super::{Conv, SPACE, Tiling};
use std::collections::{BTreeMap, HashSet};

/// Rows, columns and images of a thread, then of its block, in the order of [`SPACE`].
type Patch = [u32; 6];

/// The patches of a shape that no other one dominates.
#[derive(Debug, Clone)]
pub struct Patches(HashSet<Patch>);

/// What a patch takes, each the less the better: tiles, lines and sectors of the input and sectors of the output.
type Costs = Vec<f64>;

/// Places of the parameters of a patch in a point.
const OF_THREAD: std::ops::Range<usize> = 1..4;
const OF_BLOCK: std::ops::Range<usize> = 5..8;

impl Patches {
    pub(super) fn new(conv: &Conv) -> Self {
        let mut by_size: BTreeMap<(u32, u32), Vec<(Patch, Costs)>> = BTreeMap::new();
        for thread in points(OF_THREAD) {
            for block in points(OF_BLOCK) {
                let patch = [thread[0], thread[1], thread[2], block[0], block[1], block[2]];
                if is_near(conv, patch) {
                    let size = (thread.iter().product(), block.iter().product());
                    by_size.entry(size).or_default().push((patch, costs(conv, patch)));
                }
            }
        }
        Self(by_size.values().flat_map(|patches| best(patches)).collect())
    }

    /// Whether a point that has the values of a patch is worth the search.
    pub(super) fn has(&self, point: &[u32; 8]) -> bool {
        let [_, p, q, n, _, block_p, block_q, block_n] = *point;
        self.0.contains(&[p, q, n, block_p, block_q, block_n])
    }
}

/// All values of three parameters.
fn points(of: std::ops::Range<usize>) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for (_, values) in &SPACE.parameters[of] {
        all = all
            .iter()
            .flat_map(|point| values.iter().map(move |value| [&point[..], &[*value]].concat()))
            .collect();
    }
    all
}

/// Whether a block has a thread's pixels, and reaches not further than twice over an edge.
fn is_near(conv: &Conv, [p, q, n, block_p, block_q, block_n]: Patch) -> bool {
    let axes = [(p, block_p, conv.p()), (q, block_q, conv.q()), (n, block_n, conv.n)];
    axes.into_iter().all(|(thread, block, size)| thread <= block && block < 2 * size)
}

fn costs(conv: &Conv, [thread_p, thread_q, thread_n, block_p, block_q, block_n]: Patch) -> Costs {
    let of = |depth, grid_c| {
        let tiling = Tiling {
            thread_k: 1,
            thread_p,
            thread_q,
            thread_n,
            block_k: 8,
            block_p,
            block_q,
            block_n,
            depth,
            thread_c: 1,
            block_c: 1,
            grid_c,
            vector_filter: 1,
            stages: 1,
        };
        let plan = Plan::new(conv.element, &tiling);
        (tiling, plan)
    };
    let (tiling, plan) = of(8, 1);
    let tiles = [(conv.n, block_n), (conv.p(), block_p), (conv.q(), block_q)];
    let tiles = tiles.map(|(size, block)| f64::from(size.div_ceil(block))).iter().product();
    let mut costs = vec![tiles, tiling.written(conv, &plan.pixels)];
    let (adding, plan) = of(8, 2);
    costs.push(adding.written(conv, &plan.pixels));
    costs.extend([32, 16, 8].map(|lanes| super::work::lines(conv, &plan.pixels, lanes)));
    let (_, depths) = SPACE.parameters[8];
    costs.extend(depths.iter().map(|depth| Tiling { depth: *depth, ..tiling }.input_bytes(conv)));
    costs
}

/// The patches that no other one dominates; of equals, the first.
fn best(patches: &[(Patch, Costs)]) -> impl Iterator<Item = Patch> {
    let dominates = |one: &Costs, other: &Costs| one.iter().zip(other).all(|(one, other)| one <= other);
    patches.iter().enumerate().filter_map(move |(at, (patch, costs))| {
        let is_worse = patches.iter().enumerate().any(|(other, (_, of_other))| {
            other != at && dominates(of_other, costs) && (other < at || !dominates(costs, of_other))
        });
        (!is_worse).then_some(*patch)
    })
}
