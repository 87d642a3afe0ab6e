//! Infers the sizes of tensor tiles from the bytes that barrier objects expect, for tensors whose maps a launch does
//! not state.

use super::footprint::FootprintInputs;
use crate::execution::{Arrival, Asynchronous, Transfer, TransferMemory};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Maximum number of instructions per warp that are run to find the sizes.
const MAX_STEPS: u64 = 20_000; // limit: time

/// Bytes of the tile that each instruction copies, by instruction.
pub(super) type TileBytes = FxHashMap<u32, u32>;

/// The bytes that a barrier object expects in a phase, and the instructions of the copies that report to it.
#[derive(Debug, Default)]
struct Phase {
    bytes: u32,
    copies: Vec<u32>,
}

/// Numbers of one warp's arrivals at a barrier object that add expected bytes, and of its waits for the object, so far.
#[derive(Debug, Default)]
struct Turns {
    arrivals: u32,
    waits: u32,
}

/// Infers the sizes of tiles without a stated tensor map by running the warps of the first block without timing. Copies
/// that report to the same barrier object in the same phase are assumed to have equal sizes. Empty if the launch states
/// all tensor maps that it uses.
pub(super) fn infer(look: &FootprintInputs) -> TileBytes {
    let mut sizes = TileBytes::default();
    if !look.run.has_objects() {
        return sizes;
    }
    let is_stated =
        |descriptor: u64| look.launch.tensor_maps.iter().any(|map| map.descriptor() == descriptor);
    let mut phases: BTreeMap<(u32, u32), Phase> = BTreeMap::new();
    for number in 0..look.shares.per_block {
        let mut warp = look.warp(0, number);
        let mut turns: FxHashMap<u32, Turns> = FxHashMap::default();
        let mut steps = 0;
        while steps < MAX_STEPS {
            if let Some(idle) = warp.run_idle(look.run, MAX_STEPS - steps) {
                steps += u64::from(idle.count);
                continue;
            }
            let Some(ran) = warp.step(look.run) else { break };
            steps += 1;
            match warp.asynchronous() {
                Some(Asynchronous::Arrive(arrivals)) => {
                    for Arrival { barrier, bytes, .. } in arrivals.iter().filter(|own| own.bytes > 0) {
                        let turn = turns.entry(*barrier).or_default();
                        phases.entry((turn.arrivals, *barrier)).or_default().bytes += *bytes;
                        turn.arrivals += 1;
                    }
                }
                Some(Asynchronous::Await { barrier, .. }) => {
                    turns.entry(*barrier).or_default().waits += 1;
                }
                Some(Asynchronous::Transfer(Transfer {
                    barrier: Some(barrier),
                    from: TransferMemory::Tile { descriptor, .. },
                    ..
                })) if !is_stated(*descriptor) => {
                    let turn = turns.entry(*barrier).or_default();
                    // A warp that leaves the arrivals to another one waits for each phase before it refills the tile.
                    let phase = turn.arrivals.checked_sub(1).unwrap_or(turn.waits);
                    phases.entry((phase, *barrier)).or_default().copies.push(ran.inst);
                }
                _ => {}
            }
        }
    }
    for phase in phases.values().filter(|phase| phase.bytes > 0) {
        for inst in &phase.copies {
            sizes.entry(*inst).or_insert(phase.bytes / phase.copies.len() as u32);
        }
    }
    sizes
}
