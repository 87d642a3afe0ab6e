//! The patches of pixels that are worth a search: of a thread and of its block.
//!
//! A tile of as many pixels may be any of hundreds of patches. For the static model they differ in few figures, and a patch that is worse
//! than another in some and better in none is never the best one, whatever the other parameters are. Leaving these out divides the search by
//! about ten.

use super::pixels::{AXES, Pixels};
use super::work::lines;
use super::{Conv, SPACE, Tiling};
use crate::Space;
use std::collections::{BTreeMap, HashSet};

/// Rows, columns and images of a thread, then of its block, in the order of [`SPACE`].
pub(super) type Patch = [u32; 6];

/// The patches of a shape that no other one dominates.
#[derive(Debug, Clone)]
pub struct Patches(HashSet<Patch>);

/// The costs of a patch, each the less the better: tiles, lines and sectors of the input and sectors of the output.
type Costs = Vec<f64>;

/// Places of the parameters of a patch in a point.
const OF_THREAD: std::ops::Range<usize> = 1..4;
const OF_BLOCK: std::ops::Range<usize> = 5..8;

impl Patches {
    pub(super) fn new(conv: &Conv) -> Self {
        let mut by_size: BTreeMap<(u32, u32), Vec<(Patch, Costs)>> = BTreeMap::new();
        let points = |places| Space { parameters: &SPACE.parameters[places] }.beginnings(AXES);
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

    pub(super) fn has(&self, patch: &Patch) -> bool {
        self.0.contains(patch)
    }
}

/// Whether a block has a thread's pixels, and reaches not further than twice over an edge.
fn is_near(conv: &Conv, [p, q, n, block_p, block_q, block_n]: Patch) -> bool {
    let axes = [(p, block_p, conv.p()), (q, block_q, conv.q()), (n, block_n, conv.n)];
    axes.into_iter().all(|(thread, block, size)| thread <= block && block < 2 * size)
}

fn costs(conv: &Conv, [thread_p, thread_q, thread_n, block_p, block_q, block_n]: Patch) -> Costs {
    let tiling = Tiling {
        thread_k: 1,
        thread_p,
        thread_q,
        thread_n,
        block_k: 8,
        block_p,
        block_q,
        block_n,
        depth: 8,
        thread_c: 1,
        block_c: 1,
        grid_c: 1,
        vector_filter: 1,
        stages: 1,
    };
    let adding = Tiling { grid_c: 2, ..tiling };
    let pixels = Pixels::new(tiling.thread_pixels(), tiling.block_pixels(), conv.element);
    let tiles = [(conv.n, block_n), (conv.p(), block_p), (conv.q(), block_q)];
    let tiles = tiles.map(|(size, block)| f64::from(size.div_ceil(block))).iter().product();
    let mut costs = vec![tiles, tiling.written(conv, &pixels), adding.written(conv, &pixels)];
    costs.extend([32, 16, 8].map(|lanes| lines(conv, &pixels, lanes)));
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
