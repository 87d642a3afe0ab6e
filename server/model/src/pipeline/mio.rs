//! Queues of a sub-core for memory instructions and transcendentals: operand movement and results.

use super::code::{Op, Span, cycles, registers};
use super::collector::Collector;
use super::cycles::{Cycles, NEVER};
use super::held_scoreboard::Release;
use super::memory::MemoryRequest;
use super::shared::Shared;
use machine::{Pipeline, Rule};
use std::collections::VecDeque;

/// Release times of an instruction's scoreboards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub result: Release,
    pub source: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Mio {
    /// Cycles in which occupied queue entries become free, the oldest first.
    queue: VecDeque<u64>,
    /// Cycle in which the last movement of operands ends.
    moved: u64,
    /// Cycle in which the last movement of data ends.
    data_moved: u64,
    /// Cycles in which a register of an address is moved.
    addresses: Cycles,
    /// Start cycle of the last transcendental. `xu_count` is the number of transcendentals so far.
    xu: Option<u64>,
    xu_count: u32,
    /// First cycle in which the sub-core's path to shared memory is free.
    shared: u64,
    /// First cycle in which the sub-core's path to the L1 cache is free.
    global: u64,
    /// Cycle of the last shared memory result so far. Results arrive in order.
    result: u64,
    /// Start cycles of the most recent instructions that shared memory accepted. `begun_global` is the same for the L1
    /// cache.
    begun_shared: VecDeque<u64>,
    begun_global: VecDeque<u64>,
}

impl Mio {
    /// Returns the first cycle in which the queue has a free entry.
    pub(super) fn queue_free(&self, figures: &Pipeline) -> u64 {
        let depth = figures.mio.depth.value as usize;
        let oldest = self.queue.len().checked_sub(depth);
        oldest.and_then(|oldest| self.queue.get(oldest)).copied().unwrap_or(NEVER)
    }

    /// Returns the first cycle in which the queue of transcendentals has a free entry.
    pub(super) fn xu_free(&self, figures: &Pipeline) -> u64 {
        match self.xu {
            Some(start) if self.xu_count >= 2 => start + cycles(&figures.xu.ahead),
            _ => NEVER,
        }
    }

    pub(super) fn xu(&mut self, figures: &Pipeline, collector: &mut Collector, op: &Op, cycle: u64) -> Times {
        let known = &figures.xu;
        let latency = if op.rule == Rule::Redux { &figures.redux.latency } else { &known.latency };
        let transfer = cycles(&figures.mio.transfer);
        let start = self.xu.map_or(cycle, |last| cycle.max(last + cycles(&known.busy)));
        let mut read = (start + cycles(&known.operand)).max(self.data_moved);
        // Data cannot move in the second cycle of an address register.
        while self.addresses.contains(read - 1) {
            read += 1;
        }
        let start = read - cycles(&known.operand);
        let end = move_data(op.data, read, transfer, collector);
        self.data_moved = self.data_moved.max(end);
        self.moved = self.moved.max(end);
        self.xu = Some(start);
        self.xu_count = self.xu_count.saturating_add(1);
        Times { result: written(start + cycles(latency), op.result), source: start + cycles(&known.source) }
    }

    /// Moves the operands of a memory instruction that issues in `cycle`. Returns the instruction's start,
    /// and the cycle in which its last register is read, or `None` if it reads no register.
    fn move_operands(
        &mut self,
        figures: &Pipeline,
        collector: &mut Collector,
        op: &Op,
        cycle: u64,
        barrier: u64,
    ) -> (u64, Option<u64>) {
        let known = &figures.mio;
        let transfer = cycles(&known.transfer);
        let (data, address) = (u64::from(op.data.count), u64::from(op.address.count));
        if data + address == 0 {
            return (cycle, None);
        }
        let (start, first) = if data > 0 {
            let free = self.moved.saturating_sub(cycles(&known.data));
            let start = match cycle.cmp(&free) {
                std::cmp::Ordering::Less => free,
                std::cmp::Ordering::Equal => free + 1,
                std::cmp::Ordering::Greater => cycle,
            };
            (start, start + cycles(&known.data))
        } else {
            let mut start = cycle.max(self.moved.saturating_sub(cycles(&known.address)));
            if !matches!(op.rule, Rule::Global | Rule::Copy) && barrier != NEVER {
                start = start.max(barrier + cycles(&figures.barrier.address));
            }
            (start, start + cycles(&known.address))
        };
        if data > 0 {
            let end = move_data(op.data, first, transfer, collector);
            self.data_moved = self.data_moved.max(end);
        }
        for place in 0..address {
            self.addresses.insert(first + (data + place) * transfer);
        }
        for (place, register) in (0..).zip(registers(op.address)) {
            collector.take(register, first + (data + place) * transfer);
        }
        let last = first + (data + address - 1) * transfer;
        self.moved = self.moved.max(last + transfer);
        (start, Some(last))
    }

    pub(super) fn memory(
        &mut self,
        figures: &Pipeline,
        collector: &mut Collector,
        sm: &mut Shared,
        op: &Op,
        cycle: u64,
        barrier: u64,
    ) -> Times {
        let known = &figures.mio;
        let (start, last) = match op.rule {
            Rule::Special | Rule::Constant | Rule::Sync | Rule::Other => (cycle, None),
            _ => self.move_operands(figures, collector, op, cycle, barrier),
        };
        let slot = match (op.rule, op.stores) {
            (Rule::Global, true) => &known.global_store_slot,
            (Rule::Global | Rule::Copy, _) | (Rule::Shared, true) => &known.store_slot,
            _ => &known.load_slot,
        };
        let mut leaves = start + cycles(slot);
        let times = self.times(figures, sm, op, cycle, last, &mut leaves);
        self.queue.push_back(leaves);
        if self.queue.len() > known.depth.value as usize {
            self.queue.pop_front();
        }
        times
    }

    /// Returns the release times of the scoreboards of an instruction whose operands have moved. Delays
    /// `leaves`, the cycle in which the instruction leaves the queue, until its unit accepts the instruction.
    fn times(
        &mut self,
        figures: &Pipeline,
        sm: &mut Shared,
        op: &Op,
        cycle: u64,
        last: Option<u64>,
        leaves: &mut u64,
    ) -> Times {
        let known = &figures.mio;
        let source = last.unwrap_or(cycle) + cycles(&known.source);
        match op.rule {
            Rule::Shared | Rule::Matrix | Rule::Shuffle => {
                let ready = last.unwrap_or(cycle + cycles(&known.bare));
                let access = sm.access.take();
                let count = requests(op, access.as_deref());
                let begin = ready.max(self.shared);
                *leaves = (*leaves).max(taken(&mut self.begun_shared, figures.mio.shared_ahead.value, begin));
                sm.wavefront_cycles += count;
                self.shared = sm.wavefronts(ready.max(self.shared), count, cycles(&figures.shared.wavefront));
                if !op.loads && op.rule == Rule::Shared {
                    return Times { result: Release::At(source), source };
                }
                let end = (self.shared + cycles(&figures.shared.result)).max(self.result + 1);
                // A load's registers arrive one by one; the time of a matrix load includes them.
                let more =
                    if op.rule == Rule::Shared { u64::from(op.result.count.saturating_sub(1)) } else { 0 };
                self.result = end + more;
                Times { result: written(self.result, op.result), source }
            }
            Rule::Copy => {
                let ready = last.unwrap_or(cycle + cycles(&known.bare));
                Times { result: Release::At(self.copy(figures, sm, op, (ready, cycle), leaves)), source }
            }
            Rule::Global if sm.access.as_ref().is_some_and(|access| access.remote.is_some()) => {
                let ready = last.unwrap_or(cycle + cycles(&known.bare));
                let remote = sm.access.take().and_then(|access| access.remote);
                *leaves = (*leaves).max(sm.network.free as u64);
                let end = remote.map_or(ready, |remote| sm.network.access(figures, ready, remote));
                Times { result: written(end, op.result), source }
            }
            Rule::Texture => {
                let ready = last.unwrap_or(cycle + cycles(&known.bare));
                let end = texels(figures, sm, op, ready, leaves);
                Times { result: written(end, op.result), source }
            }
            Rule::Global if op.loads => {
                let ready = last.unwrap_or(cycle + cycles(&known.bare));
                let access = sm.access.take();
                let requests = requests(op, access.as_deref());
                let mut first = ready + cycles(&figures.global.result);
                if requests >= 32 {
                    first += cycles(&figures.global.scattered);
                }
                let arrived = self.look_up(figures, sm, (ready, first), (requests, requests), leaves);
                let mut end = arrived + u64::from(op.result.count.saturating_sub(1));
                if let (Some(memory), Some(access)) = (&mut sm.memory, access)
                    && let Some(later) = memory.ask(ready, cycle, &access)
                {
                    end = end.max(later);
                }
                Times { result: written(end, op.result), source }
            }
            Rule::Global => {
                let access = sm.access.take();
                let requests = requests(op, access.as_deref());
                sm.line_cycles += requests;
                sm.wavefronts(source, requests, cycles(&figures.global.line));
                if let (Some(memory), Some(access)) = (&mut sm.memory, access) {
                    memory.ask(source, cycle, &access);
                }
                Times { result: Release::At(cycle + cycles(&known.other_latency)), source }
            }
            Rule::Sync => Times {
                result: Release::At(cycle + cycles(&figures.sync.ready)),
                source: cycle + cycles(&figures.sync.source),
            },
            Rule::Special => Times {
                result: Release::At(cycle + cycles(&figures.special.latency)),
                source: cycle + cycles(&figures.special.source),
            },
            Rule::Constant => Times {
                result: Release::At(cycle + cycles(&figures.constant.latency)),
                source: cycle + cycles(&figures.constant.source),
            },
            _ => Times {
                result: Release::At(cycle + cycles(&known.other_latency)),
                source: cycle + cycles(&known.other_source),
            },
        }
    }

    /// Performs a copy from global to shared memory that issued in cycle `issued` and can start in cycle `ready`.
    /// Returns the cycle in which the copy is complete.
    fn copy(
        &mut self,
        figures: &Pipeline,
        sm: &mut Shared,
        op: &Op,
        (ready, issued): (u64, u64),
        leaves: &mut u64,
    ) -> u64 {
        let access = sm.access.take();
        let requests = requests(op, access.as_deref());
        let written = access.as_ref().map_or(op.requests, |access| access.written);
        let first = ready + cycles(&figures.global.result);
        // A copy that bypasses the L1 cache only looks up its tags.
        let words = if access.as_ref().is_some_and(|access| access.bypasses) { 0 } else { requests };
        let mut arrived = self.look_up(figures, sm, (ready, first), (requests, words), leaves);
        if let (Some(memory), Some(access)) = (&mut sm.memory, access)
            && let Some(later) = memory.ask(ready, issued, &access)
        {
            arrived = arrived.max(later);
        }
        sm.wavefront_cycles += written;
        sm.wavefronts(arrived, written, cycles(&figures.shared.wavefront)) + cycles(&figures.copy.result)
    }

    /// Occupies the path to the L1 cache for a request that can start in cycle `ready`, with `requests` tag look-ups and
    /// `words` wavefronts. Returns the cycle in which its data arrive: cycle `first` on an idle path, otherwise after the
    /// data of the preceding request.
    fn look_up(
        &mut self,
        figures: &Pipeline,
        sm: &mut Shared,
        (ready, first): (u64, u64),
        (requests, words): (u64, u64),
        leaves: &mut u64,
    ) -> u64 {
        let begin = ready.max(self.global.saturating_sub(cycles(&figures.global.result)));
        *leaves = (*leaves).max(taken(&mut self.begun_global, figures.mio.global_ahead.value, begin));
        sm.line_cycles += requests;
        // The words come out of the banks of shared memory.
        let result = cycles(&figures.global.result);
        let line = cycles(&figures.global.line);
        let begin = first.max(self.global).saturating_sub(result);
        let moved = sm.wavefronts(begin, words, line).max(begin + line * requests);
        sm.lines = sm.lines.max(first) + requests;
        self.global = (moved + result).max(sm.lines);
        self.global
    }

    pub(super) fn forget(&mut self, before: u64) {
        self.addresses.forget(before);
    }
}

/// Returns the wavefronts or lines of an access, at least 1; if `access` is `None`, the instruction's default.
fn requests(op: &Op, access: Option<&MemoryRequest>) -> u64 {
    access.map_or(op.requests, |access| access.requests.max(1))
}

/// Occupies the texture units for a texture fetch or a surface access that can start in cycle `ready`. Returns the cycle
/// in which its texels arrive.
fn texels(figures: &Pipeline, sm: &mut Shared, op: &Op, ready: u64, leaves: &mut u64) -> u64 {
    let access = sm.access.take();
    let busy = requests(op, access.as_deref());
    let begin = ready.max(sm.texture);
    *leaves = (*leaves).max(begin);
    sm.texture = begin + busy;
    sm.texture_cycles += busy;
    let is_sampled = access.as_ref().is_some_and(|access| access.is_sampled);
    let known = &figures.texture;
    let end = sm.texture + cycles(if is_sampled { &known.latency } else { &known.flat_latency });
    match (&mut sm.memory, access) {
        (Some(memory), Some(access)) => {
            memory.ask(sm.texture, sm.texture, &access).map_or(end, |later| end.max(later))
        }
        _ => end,
    }
}

/// Adds an instruction that starts in cycle `begin` to a unit's queue of `ahead` instructions. Returns the cycle in which
/// the queue has a free entry for it; 0 if the queue is not full.
fn taken(begun: &mut VecDeque<u64>, ahead: u32, begin: u64) -> u64 {
    begun.push_back(begin);
    if begun.len() <= ahead as usize { 0 } else { begun.pop_front().unwrap_or(0) }
}

/// Returns the release times of the scoreboards of an instruction that bypasses the queues.
pub(super) fn fixed(figures: &Pipeline, op: &Op, cycle: u64) -> Times {
    let latency = match op.rule {
        Rule::Alu => &figures.alu.scoreboard,
        _ => &figures.fp64.scoreboard,
    };
    let result = Release::At(cycle + cycles(latency));
    Times { result, source: cycle + cycles(&figures.mio.other_source) }
}

/// Moves data registers from cycle `from` on. Returns the end of the movement.
fn move_data(data: Span, from: u64, transfer: u64, collector: &mut Collector) -> u64 {
    let mut when = from;
    for register in registers(data) {
        collector.take(register, when);
        when += transfer;
    }
    from + transfer * u64::from(data.count.max(1))
}

fn written(end: u64, result: Span) -> Release {
    match result.first {
        Some(register) => Release::Written { end, register, count: result.count.max(1) },
        None => Release::At(end),
    }
}
