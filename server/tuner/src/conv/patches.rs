//! Patches of pixels, for a thread and for its block, that are worth searching.
//!
//! A tile with a given number of pixels can have hundreds of patches, which differ in only a few figures of the static
//! model. A patch is skipped if some other patch is at most a fifth worse in each of these figures. A kernel with that
//! other patch is hardly slower, for any values of the other parameters. This reduces the search about tenfold.

use super::pixels::{AXES, Pixels};
use super::work::lines;
use super::{Conv, SPACE, Tiling};
use crate::Space;
use machine::units::WARP_SIZE;
use std::collections::{BTreeMap, HashSet};

/// Number of rows, columns and images per thread, then per block, in the order of [`SPACE`].
pub(super) type Patch = [u32; 6];

/// The patches of a shape that no other patch dominates. Costs within a fifth of each other count as equal.
#[derive(Debug, Clone)]
pub struct Patches(HashSet<Patch>);

/// Factor within which two costs count as equal. limit: patches with a smaller difference are not worth a separate
/// search.
const ALIKE: f64 = 1.2;

/// The costs of a patch: tiles, L2 operations for the output, and cache lines and bytes of the input. Each cost is the
/// logarithm to the base of the factor above, rounded to an integer. Less is better.
type Costs = Vec<f64>;

/// Indices of the parameters of a thread's patch in a point of [`SPACE`].
const OF_THREAD: std::ops::Range<usize> = 1..4;
/// Indices of the parameters of a block's patch in a point of [`SPACE`].
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

/// True if the block is at least as large as the thread's patch along each axis, and less than twice as large
/// as the output.
fn is_near(conv: &Conv, [p, q, n, block_p, block_q, block_n]: Patch) -> bool {
    let axes = [(p, block_p, conv.p()), (q, block_q, conv.q()), (n, block_n, conv.n)];
    axes.into_iter().all(|(thread, block, size)| thread <= block && block < 2 * size)
}

fn costs(conv: &Conv, [thread_p, thread_q, thread_n, block_p, block_q, block_n]: Patch) -> Costs {
    let tiling = Tiling {
        thread_p,
        thread_q,
        thread_n,
        block_k: 8,
        block_p,
        block_q,
        block_n,
        depth: 8,
        ..Tiling::beginning(&[])
    };
    let adding = Tiling { grid_c: 2, ..tiling };
    let pixels = Pixels::new(tiling.thread_pixels(), tiling.block_pixels(), conv.element);
    let tiles = tiling.tiles(conv).map(f64::from).iter().product();
    let mut costs: Costs =
        vec![tiles, tiling.written(conv, &pixels).operations(), adding.written(conv, &pixels).operations()];
    let lanes = pixels.count().min(WARP_SIZE);
    costs.extend([1, WARP_SIZE / lanes].map(|steps| lines(conv, &pixels, lanes, steps)));
    let (_, depths) = SPACE.parameters[8];
    costs.extend(depths.iter().map(|depth| Tiling { depth: *depth, ..tiling }.input_bytes(conv)));
    costs.into_iter().map(|cost| (cost.ln() / ALIKE.ln()).round()).collect()
}

/// The patches that no other patch dominates. Of equal patches, the first one is returned.
fn best(patches: &[(Patch, Costs)]) -> impl Iterator<Item = Patch> {
    let dominates = |one: &Costs, other: &Costs| one.iter().zip(other).all(|(one, other)| one <= other);
    patches.iter().enumerate().filter_map(move |(at, (patch, costs))| {
        let is_worse = patches.iter().enumerate().any(|(other, (_, of_other))| {
            other != at && dominates(of_other, costs) && (other < at || !dominates(costs, of_other))
        });
        (!is_worse).then_some(*patch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Problem, Target};
    use machine::Machine;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// For each random legal tiling, a tiling with a kept patch and equal other parameters is hardly slower.
    #[test]
    fn a_patch_that_is_left_out_is_never_the_only_best() {
        let gpu = Machine::builtin().gpu("h100-sxm").unwrap();
        let first = Conv {
            n: 16,
            c: 1,
            h: 161,
            w: 700,
            k: 32,
            r: 5,
            s: 20,
            pad: 0,
            stride: 2,
            element: Element::F32,
        };
        let small =
            Conv { n: 16, c: 832, h: 7, w: 7, k: 128, r: 5, s: 5, pad: 2, stride: 1, element: Element::F16 };
        let wide =
            Conv { n: 4, c: 16, h: 24, w: 240, k: 32, r: 3, s: 3, pad: 1, stride: 1, element: Element::F64 };
        let mut random = StdRng::seed_from_u64(5);
        for conv in [first, small, wide] {
            let patches = Patches::new(&conv);
            let kept: Vec<_> = patches.0.iter().copied().collect();
            let mut checked = 0;
            while checked < 150 {
                let point: Vec<u32> = SPACE
                    .parameters
                    .iter()
                    .map(|(_, values)| values[random.random_range(0..values.len())])
                    .collect();
                let tiling = Conv::tiling(&point);
                let takes = |tiling: &Tiling| {
                    let is_legal = conv.is_legal(tiling, &gpu.arch.resources, Target { sm: gpu.part.sm });
                    is_legal.then(|| conv.estimate(tiling, &gpu)).flatten().map(|estimate| estimate.cycles)
                };
                let own = tiling.patch();
                let (true, Some(cycles)) = (is_near(&conv, own) && conv.fits(&tiling), takes(&tiling)) else {
                    continue;
                };
                checked += 1;
                let size = |patch: &[u32]| patch.iter().product::<u32>();
                let similar = kept.iter().filter(|patch| {
                    size(&patch[..3]) == size(&own[..3]) && size(&patch[3..]) == size(&own[3..])
                });
                let best = similar.filter_map(|[thread_p, thread_q, thread_n, block_p, block_q, block_n]| {
                    takes(&Tiling {
                        thread_p: *thread_p,
                        thread_q: *thread_q,
                        thread_n: *thread_n,
                        block_p: *block_p,
                        block_q: *block_q,
                        block_n: *block_n,
                        ..tiling
                    })
                });
                let best = best.min_by(f64::total_cmp).unwrap_or(f64::INFINITY);
                assert!(best <= cycles * ALIKE, "{conv:?} {tiling:?}: {best} {cycles}");
            }
        }
    }
}
