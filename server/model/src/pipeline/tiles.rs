//! Infers the sizes of tensor tiles from the bytes that barrier objects expect, for tensors whose maps a launch does
//! not state.

use super::footprint::FootprintInputs;
use crate::execution::{Asynchronous, Transfer, TransferMemory};
use rustc_hash::FxHashMap;

/// Maximum number of instructions per warp that are run to find the sizes.
const MAX_STEPS: u64 = 20_000; // limit: time

/// Bytes of the tile that each instruction copies, by instruction.
pub(super) type TileBytes = FxHashMap<u32, u32>;

/// Copies that report to a barrier object, since the last arrival that set its expected bytes.
#[derive(Debug, Default)]
struct Phase {
    bytes: u32,
    copies: Vec<u32>,
}

impl Phase {
    /// Divides the expected bytes among the copies of the phase.
    fn settle(&mut self, sizes: &mut TileBytes) {
        if !self.copies.is_empty() {
            let each = self.bytes / self.copies.len() as u32;
            for inst in self.copies.drain(..) {
                sizes.entry(inst).or_insert(each);
            }
        }
    }
}

/// Infers the bytes of unstated tiles by running the warps of the first block without timing. The copies between two
/// arrivals that expect bytes share these bytes equally. Empty if the launch states all tensor maps that it uses.
pub(super) fn infer(look: &FootprintInputs) -> TileBytes {
    let mut sizes = TileBytes::default();
    if !look.run.has_objects() {
        return sizes;
    }
    let is_stated =
        |descriptor: u64| look.launch.tensor_maps.iter().any(|map| map.descriptor() == descriptor);
    for number in 0..look.shares.per_block {
        let mut warp = look.warp(0, number);
        let mut phases: FxHashMap<u32, Phase> = FxHashMap::default();
        let mut steps = 0;
        while steps < MAX_STEPS {
            if let Some(idle) = warp.run_idle(look.run, MAX_STEPS - steps) {
                steps += u64::from(idle.count);
                continue;
            }
            let Some(ran) = warp.step(look.run) else { break };
            steps += 1;
            match warp.asynchronous() {
                Some(Asynchronous::Arrive { barrier, bytes, .. }) if *bytes > 0 => {
                    let phase = phases.entry(*barrier).or_default();
                    phase.settle(&mut sizes);
                    phase.bytes = *bytes;
                }
                Some(Asynchronous::Transfer(Transfer {
                    barrier: Some(barrier),
                    from: TransferMemory::Tile { descriptor, .. },
                    ..
                })) if !is_stated(*descriptor) => {
                    phases.entry(*barrier).or_default().copies.push(ran.inst);
                }
                _ => {}
            }
        }
        for phase in phases.values_mut() {
            phase.settle(&mut sizes);
        }
    }
    sizes
}
