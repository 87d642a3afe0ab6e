//! Dependences between instructions that no register carries.

use super::flow::{closes_transfers, least_stall, mnemonic, releases_registers};
use super::products;
use crate::in_flight::Event;
use crate::{MemorySpace, Program};
use machine::{ClassTrait, Flow, Hardware, Successor};

/// A dependence that no register shows.
///
/// Source: the scoreboards in the SASS that ptxas 13.5 generates for `sm_75` to `sm_90` from fences, acquiring and
/// releasing atomics, bulk copies and their barriers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HiddenOrder {
    /// A fence has taken effect. Memory accesses wait for the fence, and so do barriers, after which other warps access
    /// memory.
    Fence,
    /// A load or an atomic is complete. Invalidations of the L1 cache and fences wait for its completion.
    Done,
    /// A unit outside the SM's pipes has read uniform registers. The warp exits or reconverges only after
    /// this read.
    Fetched,
    /// The warp has reached a barrier, some cycles after the barrier's issue. Memory accesses must not issue
    /// earlier.
    Met,
    /// A barrier object in shared memory is initialised. Operations on barrier objects, bulk copies, and barriers after
    /// which other warps use the object wait for the initialisation.
    Initialised,
    /// The warp has given back registers. Later instructions wait until this is done.
    Resized,
    /// The warpgroup's matrix unit accepts the next product, some cycles after the issue of the previous one.
    Accepted,
    /// The barrier of the block or the cluster has counted the arrival, or the fence before it has taken effect, some
    /// cycles after the issue. Later waits for barriers and arrivals must not issue earlier.
    Counted,
    /// The threads of the warp have converged, some cycles after the issue. The warp's number of registers must not
    /// change earlier.
    Converged,
}

impl HiddenOrder {
    /// Returns the kind of later instruction that must keep the minimum distance of [`least_stall`]. `None` if a
    /// scoreboard keeps the order.
    pub(super) fn distance(self) -> Option<Successor> {
        match self {
            Self::Met => Some(Successor::Memory),
            Self::Accepted => Some(Successor::Product),
            Self::Counted => Some(Successor::Barrier),
            Self::Converged => Some(Successor::Resize),
            Self::Fence | Self::Done | Self::Fetched | Self::Initialised | Self::Resized => None,
        }
    }
}

pub(super) const HIDDEN_ORDERS: [HiddenOrder; 9] = [
    HiddenOrder::Fence,
    HiddenOrder::Done,
    HiddenOrder::Fetched,
    HiddenOrder::Met,
    HiddenOrder::Initialised,
    HiddenOrder::Resized,
    HiddenOrder::Accepted,
    HiddenOrder::Counted,
    HiddenOrder::Converged,
];

/// Mnemonics of arrivals at barriers and waits for them.
const BARRIERS: [&str; 5] = ["BAR", "UCGABAR_ARV", "UCGABAR_WAIT", "CGABAR_ARV", "CGABAR_WAIT"];

/// Effects that an instruction has on later instructions, or relies on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// For each order in [`HIDDEN_ORDERS`], the event that completes the instruction's effect; `None` for no effect.
    pub gives: [Option<Event>; HIDDEN_ORDERS.len()],
    /// For each order in [`HIDDEN_ORDERS`], true if the instruction must wait for earlier effects of this kind.
    pub takes: [bool; HIDDEN_ORDERS.len()],
}

pub(super) fn effects(program: &Program, modifiers: &impl Fn(u32, &str) -> bool) -> Vec<Effects> {
    let has = |inst: u32, wanted: ClassTrait| {
        let class = program.instructions[inst as usize].class;
        class.is_some_and(|class| program.arch.class(class).has(wanted))
    };
    let count = program.instructions.len() as u32;
    let invalidates =
        (0..count).any(|inst| has(inst, ClassTrait::CacheControl) || has(inst, ClassTrait::Fence));
    let mut effects = vec![Effects::default(); count as usize];
    let first_block_fence = Hardware::builtin().first_block_fence_signals.value;
    for (effect, at) in effects.iter_mut().zip(0..) {
        let inst = &program.instructions[at as usize];
        let [fence, done, fetched, met, initialised, resized, accepted, counted, converged] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8];
        for (gives, order) in effect.gives.iter_mut().zip(HIDDEN_ORDERS) {
            let least = order.distance().and_then(|before| least_stall(program, at, before));
            *gives = least.map(|_| Event::written(at));
        }
        effect.takes[counted] = BARRIERS.contains(&mnemonic(program, at));
        effect.takes[converged] = mnemonic(program, at) == "USETMAXREG";
        effect.takes[accepted] =
            products::is_product(program, at) || products::is_wait(program, at, modifiers);
        let initialises = inst.opcode.is_some_and(|id| program.arch.isa.form(id).is_form("SYNCS", "EXCH"));
        effect.takes[fence] = inst.flow == Flow::Barrier || products::precedes(program, at, modifiers);
        effect.takes[initialised] = inst.flow == Flow::Barrier
            || [ClassTrait::Fence, ClassTrait::CacheControl, ClassTrait::BulkCopy]
                .iter()
                .any(|&wanted| has(at, wanted))
            || (has(at, ClassTrait::MemoryBarrier) && !initialises);
        effect.takes[resized] = true;
        if releases_registers(program, at) {
            effect.gives[resized] = Some(Event::written(at));
        }
        if initialises {
            effect.gives[initialised] = Some(Event::written(at));
        }
        let is_queued = inst.class.is_some_and(|class| program.arch.class(class).queue.is_some());
        effect.takes[met] = inst.flow != Flow::Next || inst.memory.is_some() || is_queued;
        if has(at, ClassTrait::Fence) {
            (effect.takes[fence], effect.takes[done], effect.takes[met]) = (true, true, true);
            match mnemonic(program, at) {
                "FENCE" => effect.gives[fence] = Some(Event::written(at)),
                "MEMBAR" if modifiers(at, "CTA") && u32::from(program.arch.sm) >= first_block_fence => {
                    effect.gives[fence] = Some(Event::read(at));
                }
                _ => {}
            }
        } else if has(at, ClassTrait::CacheControl) {
            (effect.takes[fence], effect.takes[done], effect.takes[met]) = (true, true, true);
        } else if has(at, ClassTrait::MemoryBarrier) {
            effect.takes[fence] = true;
        } else if has(at, ClassTrait::BulkCopy) {
            effect.takes[fence] = true;
            if !closes_transfers(program, at) {
                effect.gives[fetched] = Some(Event::read(at));
            }
        } else if has(at, ClassTrait::Convergence) {
            (effect.takes[fetched], effect.takes[met]) = (true, true);
        } else {
            effect.takes[fetched] = inst.flow == Flow::Exit;
            if let Some(memory) = inst.memory.filter(|memory| memory.space != MemorySpace::Constant) {
                effect.takes[fence] = true;
                let is_far = matches!(memory.space, MemorySpace::Global | MemorySpace::Generic);
                if invalidates && is_far && memory.loads && !has(at, ClassTrait::Copies) {
                    effect.gives[done] = Some(Event::written(at));
                }
            }
        }
    }
    effects
}
