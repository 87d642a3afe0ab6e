//! Asynchronous operations of a warp: barrier objects in shared memory, copies by the TMA unit, named barriers.

use super::file::Files;
use super::lanes::{Lanes, WARP};
use crate::address::operand::{Operand, Operands, Source};
use crate::{Program, RegisterFile};
use smallvec::SmallVec;
use syntax::sass::Chunk;

/// Prefixes of the mnemonics of asynchronous operations.
const UNITS: [&str; 9] = ["SYNCS", "ARRIVES", "STAS", "UTMA", "UBLK", "BAR", "CCTL", "CGABAR", "UCGABAR"];

/// Lowest bit of the mask of the cluster's blocks that receive a tile.
const RECEIVERS: u32 = 16; // Source: SASS that ptxas generates for .multicast::cluster

/// An asynchronous operation, decoded: slots of the registers that it reads.
#[derive(Debug, Clone)]
pub(super) enum AsyncForm {
    /// Initialises a barrier object: the word that `SYNCS.EXCH` stores.
    Initialise { word: u16 },
    /// Arrives at a barrier object.
    Arrive { arrivals: Option<u16>, bytes: Option<u16> },
    /// Arrives once the warp's earlier copies are complete.
    ArriveAfterCopies,
    /// Stores to a block of the cluster, and counts the bytes at the barrier object at `address`. Each lane stores
    /// `bytes`.
    Deliver { address: u16, bytes: u32 },
    /// Waits until the phase with this parity is complete; `None` means parity 0.
    Await { parity: Option<u16> },
    /// A transfer by the TMA unit.
    Transfer {
        direction: Direction,
        shared: SmallVec<[u16; 8]>,
        global: SmallVec<[u16; 2]>,
        size: Option<u16>,
        is_tile: bool,
    },
    /// A block barrier other than a plain `BAR.SYNC 0`: with another number, a thread count, or without a wait.
    Barrier { number: OperandValue, threads: Option<OperandValue>, waits: bool },
    /// Waits for the other blocks of the cluster.
    MeetCluster,
    /// Invalidates the L1 cache.
    Invalidate,
}

/// A number in the text, or in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandValue {
    Number(u32),
    Register(u16),
}

/// Direction of a transfer by the TMA unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From global to shared memory.
    Load,
    /// From shared to global memory.
    Store,
    /// From shared to global memory, with a reduction (an addition, a minimum and so on) into global memory.
    Reduce,
    /// From global memory to the L2 cache.
    Prefetch,
}

/// An asynchronous operation that a warp has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asynchronous {
    /// Initialises the barrier object at an address for `arrivals` arrivals per phase.
    Initialise {
        barrier: u32,
        arrivals: u32,
    },
    Arrive(Arrivals),
    /// Arrives once the warp's earlier copies are complete.
    ArriveAfterCopies(Arrivals),
    /// Delivers bytes that barrier objects expect, from a block of the cluster to another.
    Deliver(Arrivals),
    /// Waits until the phase with this parity is complete.
    Await {
        barrier: u32,
        is_odd: bool,
    },
    Transfer(Transfer),
    /// Arrives at a block barrier, and waits there if `waits`. `warps` is `None` if all warps of the block take
    /// part.
    Barrier {
        number: u32,
        warps: Option<u32>,
        waits: bool,
    },
    /// Waits for the other blocks of the cluster.
    MeetCluster,
    Invalidate,
    /// An operation whose operands are not known.
    Unknown,
}

/// The arrivals of a warp's lanes, one entry for each barrier object.
pub(super) type Arrivals = SmallVec<[Arrival; 1]>;

/// Arrivals at one barrier object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Address of the barrier object.
    pub barrier: u32,
    /// Number of arrivals.
    pub count: u32,
    /// Bytes that copies have to deliver in this phase, or that a store delivers.
    pub bytes: u32,
}

/// A transfer by the TMA unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    pub direction: Direction,
    /// Address of the barrier object that counts the bytes of a load; `None` for other transfers.
    pub barrier: Option<u32>,
    pub from: TransferMemory,
    /// Number of blocks of the cluster that receive the bytes.
    pub receivers: u32,
}

/// Global memory of a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferMemory {
    /// A run of bytes.
    Run { address: u64, bytes: u32 },
    /// A tile of a tensor: the address of its descriptor (0 if unknown), and its coordinates, innermost
    /// dimension first.
    Tile { descriptor: u64, coordinates: SmallVec<[i32; 5]> },
}

impl AsyncForm {
    /// Decodes the asynchronous operation of an instruction; `None` for other instructions.
    pub(super) fn decode(
        files: &mut Files,
        chunk: &Chunk,
        program: &Program,
        at: usize,
        operands: &Operands,
    ) -> Option<Self> {
        let instruction = &chunk.instructions()[at];
        let mnemonic = chunk.mnemonic(instruction);
        // Programs are long, and few of their instructions are asynchronous.
        if !UNITS.iter().any(|unit| mnemonic.starts_with(unit)) {
            return None;
        }
        let inst = &program.instructions[at];
        let modifiers: SmallVec<[&str; 8]> = chunk.modifiers(instruction).collect();
        let has = |modifier: &str| modifiers.contains(&modifier);
        let mut slots = |operand: usize| -> SmallVec<[u16; 8]> {
            let reads = program.reads(inst).iter().filter(|read| read.operand == u8::try_from(operand).ok());
            let registers = reads
                .filter(|read| matches!(read.register.file, RegisterFile::General | RegisterFile::Uniform));
            registers.filter_map(|read| files.register(read.register)).collect()
        };
        let last = chunk.operands(instruction).count().saturating_sub(1);
        match mnemonic {
            "SYNCS" if has("EXCH") => Some(Self::Initialise { word: slots(last).first().copied()? }),
            "SYNCS" if has("PHASECHK") => Some(Self::Await { parity: slots(last).first().copied() }),
            "SYNCS" if has("ARRIVE") => {
                let register = slots(last).first().copied();
                Some(match () {
                    () if has("A1T0") => Self::Arrive { arrivals: None, bytes: None },
                    () if has("ART0") => Self::Arrive { arrivals: Some(register?), bytes: None },
                    () => Self::Arrive { arrivals: None, bytes: Some(register?) },
                })
            }
            "ARRIVES" => Some(Self::ArriveAfterCopies),
            "STAS" => {
                // The address of the barrier object follows that of the data.
                let address = *slots(0).get(1)?;
                let bytes = inst.memory.map(|memory| u32::from(memory.bytes_per_lane))?;
                Some(Self::Deliver { address, bytes })
            }
            name @ ("UTMALDG" | "UTMASTG" | "UTMAREDG" | "UTMAPF") => {
                let direction = match name {
                    "UTMALDG" => Direction::Load,
                    "UTMASTG" => Direction::Store,
                    "UTMAREDG" => Direction::Reduce,
                    _ => Direction::Prefetch,
                };
                let shared = slots(0);
                let global = slots(1).into_iter().collect();
                let size = if has("MULTICAST") { slots(2).first().copied() } else { None };
                Some(Self::Transfer { direction, shared, global, size, is_tile: true })
            }
            "UBLKCP" | "UBLKRED" => {
                let is_load = has("S")
                    && modifiers.iter().position(|own| *own == "S")
                        < modifiers.iter().position(|own| *own == "G");
                let direction = match mnemonic {
                    "UBLKRED" => Direction::Reduce,
                    _ if is_load => Direction::Load,
                    _ => Direction::Store,
                };
                let (shared, global) = if is_load { (slots(0), slots(1)) } else { (slots(1), slots(0)) };
                let size = slots(2).first().copied();
                Some(Self::Transfer {
                    direction,
                    shared,
                    global: global.into_iter().collect(),
                    size,
                    is_tile: false,
                })
            }
            "UBLKPF" => Some(Self::Transfer {
                direction: Direction::Prefetch,
                shared: SmallVec::new(),
                global: slots(0).into_iter().collect(),
                size: slots(1).first().copied(),
                is_tile: false,
            }),
            "BAR" if has("ARV") || has("SYNC") => {
                let value = |operand: &Operand, files: &mut Files| match operand.source {
                    Source::Integer(number) => Some(OperandValue::Number(number)),
                    Source::Register(register) => files.register(register).map(OperandValue::Register),
                    _ => None,
                };
                let number = value(operands.read.first()?, files)?;
                let threads = operands.read.get(1).and_then(|operand| value(operand, files));
                let waits = has("SYNC");
                let is_plain = waits && threads.is_none() && matches!(number, OperandValue::Number(0));
                (!is_plain).then_some(Self::Barrier { number, threads, waits })
            }
            // The other blocks of the cluster are assumed to arrive at the same time.
            "CGABAR_WAIT" | "UCGABAR_WAIT" => Some(Self::MeetCluster),
            "CCTL" if has("IVALL") => Some(Self::Invalidate),
            _ => None,
        }
    }

    /// True if the operation may synchronize warps of one block: by a barrier object, a numbered barrier or a
    /// transfer.
    pub(super) const fn meets(&self) -> bool {
        !matches!(self, Self::Invalidate | Self::MeetCluster)
    }

    /// Calls `note` for each slot that the operation reads.
    pub(super) fn inputs(&self, mut note: impl FnMut(u16)) {
        match self {
            Self::Initialise { word: slot } | Self::Deliver { address: slot, .. } => note(*slot),
            Self::Await { parity } => {
                if let Some(slot) = parity {
                    note(*slot);
                }
            }
            Self::Arrive { arrivals, bytes } => arrivals.iter().chain(bytes).for_each(|&slot| note(slot)),
            Self::Transfer { shared, global, size, .. } => {
                shared.iter().chain(global).chain(size).for_each(|&slot| note(slot));
            }
            Self::Barrier { number, threads, .. } => {
                for value in [Some(*number), *threads].into_iter().flatten() {
                    if let OperandValue::Register(slot) = value {
                        note(slot);
                    }
                }
            }
            Self::ArriveAfterCopies | Self::MeetCluster | Self::Invalidate => {}
        }
    }

    /// Evaluates the operation. `barrier` is the address of its barrier object, if known. `active` is the mask
    /// of the lanes that execute the operation.
    pub(super) fn evaluate(
        &self,
        values: &[Lanes],
        barriers: Option<&[u64; WARP]>,
        active: u32,
        warp_size: u32,
    ) -> Asynchronous {
        self.known(values, barriers, active, warp_size).unwrap_or(Asynchronous::Unknown)
    }

    fn known(
        &self,
        values: &[Lanes],
        barriers: Option<&[u64; WARP]>,
        active: u32,
        warp_size: u32,
    ) -> Option<Asynchronous> {
        let lane = active.trailing_zeros();
        let word_of = |lane: u32, slot: u16| {
            let lanes = &values[usize::from(slot)];
            (lanes.known >> lane & 1 == 1).then(|| lanes.values[lane as usize])
        };
        let word = |slot: u16| word_of(lane, slot);
        let barrier = barriers.map(|barriers| barriers[lane as usize] as u32);
        let wide =
            |slots: &[u16]| Some(u64::from(word(*slots.first()?)?) | u64::from(word(*slots.get(1)?)?) << 32);
        Some(match self {
            Self::Initialise { word: slot } => {
                /// Mask of the count in a barrier object's word. Above its lowest bit, the word holds the
                /// negated number of missing arrivals.
                const ARRIVALS: u32 = 0xf_ffff; // Source: SASS that ptxas generates for mbarrier.init
                let missing = word(*slot)? >> 1 & ARRIVALS;
                Asynchronous::Initialise { barrier: barrier?, arrivals: (ARRIVALS + 1 - missing) & ARRIVALS }
            }
            Self::Arrive { arrivals: each, bytes } => {
                let barriers = barriers?;
                Asynchronous::Arrive(arrivals(active, |lane| {
                    let count = each.map_or(Some(1), |slot| word_of(lane, slot))?;
                    let bytes = bytes.map_or(Some(0), |slot| word_of(lane, slot))?;
                    Some(Arrival { barrier: barriers[lane as usize] as u32, count, bytes })
                })?)
            }
            Self::ArriveAfterCopies => {
                let barriers = barriers?;
                let arrival =
                    |lane: u32| Arrival { barrier: barriers[lane as usize] as u32, count: 1, bytes: 0 };
                Asynchronous::ArriveAfterCopies(arrivals(active, |lane| Some(arrival(lane)))?)
            }
            Self::Deliver { address, bytes } => Asynchronous::Deliver(arrivals(active, |lane| {
                Some(Arrival { barrier: word_of(lane, *address)?, count: 0, bytes: *bytes })
            })?),
            Self::Await { parity } => {
                Asynchronous::Await { barrier: barrier?, is_odd: parity.map_or(Some(0), word)? >> 31 == 1 }
            }
            Self::Transfer { direction, shared, global, size, is_tile } => {
                // A load names the barrier object after the address in shared memory.
                let is_load = *direction == Direction::Load;
                let first = match direction {
                    Direction::Load => 2,
                    Direction::Store | Direction::Reduce => 1,
                    Direction::Prefetch => 0,
                };
                let barrier = if is_load { Some(word(*shared.get(1)?)?) } else { None };
                let (from, receivers) = if *is_tile {
                    let coordinates =
                        shared.get(first..)?.iter().map(|&slot| word(slot).map(u32::cast_signed));
                    let tile = TransferMemory::Tile {
                        descriptor: wide(global).unwrap_or_default(),
                        coordinates: coordinates.collect::<Option<_>>()?,
                    };
                    (tile, size.map_or(Some(1), |slot| Some((word(slot)? >> RECEIVERS).count_ones()))?)
                } else {
                    /// Unit of the size operand in bytes.
                    const UNIT: u32 = 16; // Source: SASS that ptxas generates for cp.async.bulk
                    let bytes = (word((*size)?)? & 0xffff) * UNIT;
                    (TransferMemory::Run { address: wide(global)?, bytes }, 1)
                };
                Asynchronous::Transfer(Transfer { direction: *direction, barrier, from, receivers })
            }
            Self::Barrier { number, threads, waits } => {
                let value = |value: OperandValue| match value {
                    OperandValue::Number(number) => Some(number),
                    OperandValue::Register(slot) => word(slot),
                };
                let threads = threads.map_or(Some(None), |threads| value(threads).map(Some))?;
                let warps = threads.map(|threads| threads.div_ceil(warp_size.max(1)));
                Asynchronous::Barrier { number: value(*number)?, warps, waits: *waits }
            }
            Self::MeetCluster => Asynchronous::MeetCluster,
            Self::Invalidate => Asynchronous::Invalidate,
        })
    }
}

/// Adds up the arrivals of the active lanes by barrier object; `None` if the arrival of a lane is unknown.
fn arrivals(active: u32, of_lane: impl Fn(u32) -> Option<Arrival>) -> Option<Arrivals> {
    let mut all = Arrivals::new();
    for lane in (0..u32::BITS).filter(|lane| active >> lane & 1 == 1) {
        let own = of_lane(lane)?;
        match all.iter_mut().find(|known| known.barrier == own.barrier) {
            Some(known) => {
                known.count = known.count.wrapping_add(own.count);
                known.bytes = known.bytes.wrapping_add(own.bytes);
            }
            None => all.push(own),
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_arrives_at_its_own_barrier_object() {
        let found =
            arrivals(0b1011, |lane| Some(Arrival { barrier: 0x100 + 8 * (lane / 2), count: 1, bytes: lane }));
        let arrival = |barrier, count, bytes| Arrival { barrier, count, bytes };
        assert_eq!(found.as_deref(), Some(&[arrival(0x100, 2, 1), arrival(0x108, 1, 3)][..]));
        assert_eq!(arrivals(0b11, |lane| (lane == 0).then(|| arrival(0x100, 1, 0))), None);
    }
}
