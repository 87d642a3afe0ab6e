//! A sub-core, a quarter of an SM: the resources that its warps share, and the waits of instructions for
//! these resources.

use super::Reason;
use super::code::{Code, Op, cycles};
use super::collector::Collector;
use super::cycles::NEVER;
use super::groups::{FenceScope, GroupRole, WarpgroupProduct};
use super::held_scoreboard::{HeldScoreboard, Release};
use super::mio::{self, Mio, Times};
use super::shared::Shared;
use super::warp::Warp;
use machine::{Pipeline, Rule};

/// Use of a pipe: its last instruction issued in cycle `last`, and the pipe accepts the next one `cycles` cycles later,
/// not counting frozen cycles.
#[derive(Debug, Clone, Copy, Default)]
struct Interval {
    last: u64,
    cycles: u64,
}

/// First cycle in which an instruction can issue, and the reason for the last wait before this cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EarliestIssue {
    pub cycle: u64,
    pub reason: Reason,
    /// The instruction that the wait is for; `None` if the wait has another cause.
    pub on: Option<u32>,
}

impl EarliestIssue {
    fn wait(&mut self, until: u64, reason: Reason, on: Option<u32>) {
        if until > self.cycle {
            *self = Self { cycle: until, reason, on };
        }
    }
}

/// The first cycle in which each pipe and queue of a sub-core accepts an instruction.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pipes([u64; OccupiedUnit::COUNT]);

/// The pipe or queue of a sub-core that an instruction occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OccupiedUnit {
    Nothing,
    Alu,
    EitherHalf,
    FirstHalf,
    BothHalves,
    Fp64,
    Tensor,
    /// The sub-core's slot for issuing warpgroup matrix products.
    Product,
    /// An entry in the queue of transcendentals.
    Xu,
    /// An entry in the queue of memory instructions.
    Queue,
}

impl OccupiedUnit {
    const COUNT: usize = Self::Queue as usize + 1; // limit: one for each kind

    pub(super) const fn by(rule: Rule) -> Self {
        match rule {
            Rule::Alu => Self::Alu,
            Rule::Fma => Self::EitherHalf,
            Rule::Heavy | Rule::Wide => Self::FirstHalf,
            Rule::Both => Self::BothHalves,
            Rule::Fp64 | Rule::TensorDouble => Self::Fp64,
            Rule::TensorSmall | Rule::TensorLarge => Self::Tensor,
            Rule::Product => Self::Product,
            Rule::Xu | Rule::Redux => Self::Xu,
            rule if is_memory(rule) => Self::Queue,
            _ => Self::Nothing,
        }
    }
}

impl Pipes {
    pub(super) const fn free(&self, taken: OccupiedUnit) -> u64 {
        self.0[taken as usize]
    }
}

/// The state of one sub-core.
#[derive(Debug, Clone, Default)]
pub(super) struct SubCore {
    pub collector: Collector,
    pub mio: Mio,
    alu: Interval,
    /// The halves of the FMA pipe. The first half also multiplies integers.
    halves: [Interval; 2],
    fp64: Interval,
    tensor: Interval,
    /// First cycle in which the sub-core can issue the next warpgroup product. `product_free` is the first cycle in
    /// which its tensor core is free.
    product_issue: u64,
    product_free: u64,
    /// The first free cycle of each pipe, as of the last issue.
    pub pipes: Pipes,
    /// The cycle after the last issue. A sub-core issues one instruction per cycle.
    pub next: u64,
    /// The warp that issued last.
    pub last: Option<u32>,
}

impl SubCore {
    fn free(&self, interval: Interval) -> u64 {
        if interval.last == NEVER {
            NEVER
        } else {
            self.collector.frozen.advance(interval.last, interval.cycles)
        }
    }

    /// Returns the first cycle in which a warp's next instruction can issue if no other warp issues before, and the reason
    /// for its last wait.
    pub(super) fn ready(&self, code: &Code, warp: &Warp) -> EarliestIssue {
        let op = &code.ops[warp.at as usize];
        let figures = &code.figures;
        let mut ready = self.after_last(code, warp, op);
        let mut waits = op.wait;
        while waits != 0 {
            let board = waits.trailing_zeros() as usize;
            waits &= waits - 1;
            for entry in &warp.boards[board] {
                if entry.visible <= ready.cycle {
                    let until = entry.release.cycle(&self.collector, figures);
                    ready.wait(until, entry.reason, Some(entry.on));
                }
            }
        }
        self.wait_for_groups(code, warp, op, &mut ready);
        let taken = OccupiedUnit::by(op.rule);
        let throttled = match taken {
            OccupiedUnit::Queue if op.is_long => Reason::LgThrottle,
            OccupiedUnit::Queue => Reason::MioThrottle,
            _ => Reason::MathPipeThrottle,
        };
        loop {
            ready.wait(self.collector.frozen.next_free(ready.cycle), Reason::Dispatch, warp.before);
            let before = ready.cycle;
            if is_queued(op.rule) && warp.barrier != NEVER {
                let (from, to) = (cycles(&figures.barrier.from), cycles(&figures.barrier.to));
                if (warp.barrier + from..=warp.barrier + to).contains(&ready.cycle) {
                    ready.wait(warp.barrier + to + 1, Reason::Barrier, None);
                }
            }
            ready.wait(self.pipes.free(taken), throttled, None);
            if ready.cycle == before {
                return ready;
            }
        }
    }

    /// Applies the waits for groups of asynchronous operations, and for a free entry in the queue of warpgroup
    /// products.
    fn wait_for_groups(&self, code: &Code, warp: &Warp, op: &Op, ready: &mut EarliestIssue) {
        let oldest_pending = |groups: usize, pending: u8| groups.checked_sub(1 + usize::from(pending));
        match op.group {
            Some(GroupRole::AwaitsBoard { board, pending }) => {
                let entries = &warp.boards[usize::from(board)];
                let cycle = |entry: &HeldScoreboard| entry.release.cycle(&self.collector, &code.figures);
                if let Some(at) = oldest_pending(entries.len(), pending)
                    && let Some(entry) = entries.get(at)
                {
                    ready.wait(cycle(entry), entry.reason, Some(entry.on));
                }
            }
            Some(GroupRole::AwaitsProducts { pending }) => {
                let groups = &warp.product_groups;
                if let Some(at) = oldest_pending(groups.len(), pending) {
                    ready.wait(groups[at], Reason::MathPipeThrottle, None);
                }
            }
            Some(GroupRole::ClosesCopies | GroupRole::ClosesTransfers) | None => {}
        }
        if op.product.is_some()
            && let Some(&start) = warp.product_starts.front()
            && warp.product_starts.len() >= code.figures.product.ahead.value as usize
        {
            ready.wait(start, Reason::MathPipeThrottle, None);
        }
    }

    /// Issues a warpgroup product. The tensor core starts the product once the core is free, and reads the operands
    /// from shared memory.
    fn multiply(
        &mut self,
        figures: &Pipeline,
        sm: &mut Shared,
        warp: &mut Warp,
        product: WarpgroupProduct,
        cycle: u64,
    ) -> Times {
        let known = &figures.product;
        let columns = u64::from(product.columns);
        let apart = (columns * cycles(&known.issue_column_milli) / 1000)
            .saturating_sub(cycles(&known.issue_fixed))
            .max(cycles(&known.issue_least));
        self.product_issue = cycle + apart;
        let start = (cycle + cycles(&known.start)).max(self.product_free);
        let extra = if product.has_register_a { cycles(&known.register_a) } else { 0 };
        let least = (columns * cycles(&known.column_milli) / 1000 + extra).max(cycles(&known.least));
        let read = sm.operands(figures, start, product.wavefronts);
        self.product_free = (start + least).max(read);
        sm.multiplied += least;
        let end = self.product_free + cycles(&known.result);
        warp.multiplied = warp.multiplied.max(end);
        warp.product_starts.push_back(start);
        if warp.product_starts.len() > known.ahead.value as usize {
            warp.product_starts.pop_front();
        }
        if product.closes {
            warp.close_products();
        }
        Times { result: Release::At(end), source: start + least }
    }

    /// Returns the first issue cycle that the stall count, instruction fetch and operand collection allow.
    fn after_last(&self, code: &Code, warp: &Warp, op: &Op) -> EarliestIssue {
        let frozen = &self.collector.frozen;
        let cycle = warp.issued + warp.pause;
        let mut ready = EarliestIssue { cycle, reason: warp.why, on: warp.before };
        ready.wait(frozen.advance(warp.issued, warp.pause), Reason::Dispatch, warp.before);
        if let Some((_, at)) = warp.fetch.filter(|(line, _)| *line != op.line && op.rule != Rule::Barrier) {
            let until = at + cycles(&code.figures.issue.next_line);
            ready.wait(until, Reason::NoInstruction, None);
        }
        ready
    }

    /// Updates the first free cycle of the pipe or queue that an instruction occupied. If operand collection froze
    /// cycles, updates all pipes of fixed latency, because frozen cycles extend their intervals.
    fn refresh(&mut self, figures: &Pipeline, taken: OccupiedUnit) {
        let is_frozen = std::mem::take(&mut self.collector.has_frozen);
        if is_frozen || matches!(taken, OccupiedUnit::Alu) {
            self.pipes.0[OccupiedUnit::Alu as usize] = self.free(self.alu);
        }
        if is_frozen
            || matches!(taken, OccupiedUnit::EitherHalf | OccupiedUnit::FirstHalf | OccupiedUnit::BothHalves)
        {
            let [first, second] = self.halves.map(|half| self.free(half));
            self.pipes.0[OccupiedUnit::EitherHalf as usize] = first.min(second);
            self.pipes.0[OccupiedUnit::FirstHalf as usize] = first;
            self.pipes.0[OccupiedUnit::BothHalves as usize] = first.max(second);
        }
        if is_frozen || matches!(taken, OccupiedUnit::Fp64 | OccupiedUnit::Tensor) {
            self.pipes.0[OccupiedUnit::Fp64 as usize] = self.free(self.fp64);
            self.pipes.0[OccupiedUnit::Tensor as usize] = self.free(self.tensor);
        }
        match taken {
            OccupiedUnit::Product => self.pipes.0[OccupiedUnit::Product as usize] = self.product_issue,
            OccupiedUnit::Xu => self.pipes.0[OccupiedUnit::Xu as usize] = self.mio.xu_free(figures),
            OccupiedUnit::Queue => self.pipes.0[OccupiedUnit::Queue as usize] = self.mio.queue_free(figures),
            _ => {}
        }
    }

    /// Issues a warp's next instruction in `cycle`.
    pub(super) fn issue(&mut self, code: &Code, sm: &mut Shared, warp: &mut Warp, cycle: u64) {
        let figures = &code.figures;
        let op = &code.ops[warp.at as usize];
        self.occupy(code, op, cycle);
        if warp.fetch.is_some_and(|(line, _)| line != op.line) {
            warp.fetch = None;
        }
        if op.rule == Rule::Barrier {
            warp.barrier = cycle;
            warp.fetch = Some((op.line, cycle));
            warp.arrived = cycle.max(sm.barriers);
            sm.barriers = warp.arrived + cycles(&figures.barrier.interval);
        }
        warp.issued = cycle;
        warp.pause = op.stall;
        warp.why = if op.rule == Rule::Barrier { Reason::Barrier } else { Reason::Wait };
        warp.before = Some(warp.at);
        let visible = cycle + cycles(&figures.issue.scoreboard_visible);
        let times = match op.rule {
            Rule::TensorSmall | Rule::TensorLarge => {
                self.collector.tensor(figures, warp, op, cycle);
                mio::fixed(figures, op, cycle)
            }
            Rule::Alu | Rule::Fma | Rule::Heavy | Rule::Wide | Rule::Both | Rule::Fp64 => {
                self.collector.fixed(figures, warp, op, cycle);
                mio::fixed(figures, op, cycle)
            }
            Rule::TensorDouble => {
                let result = Release::At(cycle + cycles(&figures.tensor_double.latency));
                Times { result, source: cycle + cycles(&figures.mio.other_source) }
            }
            Rule::Xu | Rule::Redux => self.mio.xu(figures, &mut self.collector, op, cycle),
            Rule::Product => match op.product {
                Some(product) => self.multiply(figures, sm, warp, product, cycle),
                None => mio::fixed(figures, op, cycle),
            },
            Rule::Group if op.group == Some(GroupRole::ClosesCopies) => {
                Times { result: Release::At(warp.copied.max(cycle)), source: cycle }
            }
            Rule::Group if op.group == Some(GroupRole::ClosesTransfers) => {
                Times { result: Release::At(warp.transferred.max(cycle)), source: cycle }
            }
            Rule::Fence => fence(figures, warp, op, cycle, sm),
            Rule::Transfer => {
                let source =
                    if op.is_tile { &figures.engine.tile_source } else { &figures.engine.run_source };
                let source = cycle + cycles(source);
                Times { result: Release::At(source), source }
            }
            rule if is_memory(rule) => {
                warp.has_stored |= matches!(op.rule, Rule::Global | Rule::Texture) && op.stores;
                let times = self.mio.memory(figures, &mut self.collector, sm, op, cycle, warp.barrier);
                if op.rule == Rule::Copy {
                    warp.copied = warp.copied.max(times.result.cycle(&self.collector, figures));
                }
                times
            }
            _ => mio::fixed(figures, op, cycle),
        };
        if let Some(board) = op.write {
            let reason = match op.rule {
                Rule::Group => Reason::LongScoreboard,
                _ if op.is_long => Reason::LongScoreboard,
                _ => Reason::ShortScoreboard,
            };
            warp.set(board, HeldScoreboard { visible, release: times.result, on: warp.at, reason });
        }
        if let Some(board) = op.read {
            let release = Release::At(times.source);
            let reason = if op.is_long { Reason::LongScoreboard } else { Reason::ShortScoreboard };
            warp.set(board, HeldScoreboard { visible, release, on: warp.at, reason });
        }
        self.refresh(figures, OccupiedUnit::by(op.rule));
        self.next = cycle + 1;
        self.last = Some(warp.index);
    }

    fn occupy(&mut self, code: &Code, op: &Op, cycle: u64) {
        let figures = &code.figures;
        let of = |cycles: u64| Interval { last: cycle, cycles };
        let half = of(cycles(&figures.fma.interval));
        match op.rule {
            Rule::Alu => self.alu = of(cycles(&figures.alu.interval)),
            Rule::Fma => {
                let second = self.free(self.halves[1]) <= cycle;
                self.halves[usize::from(second)] = half;
            }
            Rule::Heavy => self.halves[0] = half,
            Rule::Wide => {
                // Issue is frozen until the product leaves the collector; the pipe works on.
                let frozen = cycles(&figures.fma.wide_exit);
                self.halves[0] = of(cycles(&figures.fma.wide_interval).saturating_sub(frozen));
            }
            Rule::Both => self.halves = [half; 2],
            Rule::Fp64 => self.fp64 = of(cycles(&figures.fp64.interval)),
            Rule::TensorDouble => self.fp64 = of(cycles(&figures.tensor_double.interval)),
            Rule::TensorSmall => {
                self.tensor = of(cycles(&figures.tensor_small.interval));
                self.fp64 = of(cycles(&figures.tensor_small.fp64));
            }
            Rule::TensorLarge => {
                self.tensor = of(cycles(&figures.tensor_large.interval));
                self.fp64 = of(cycles(&figures.tensor_large.fp64));
            }
            _ => {}
        }
    }

    /// Drops state of cycles before `before`.
    pub(super) fn forget(&mut self, before: u64) {
        self.collector.forget(before);
        self.mio.forget(before);
    }
}

/// Issues a fence, and returns the release times of its scoreboards. If the fence sets no scoreboard, the warp stalls.
///
/// A GPU-scope fence waits for all accesses outside the SM, including those of other warps and of the TMA unit.
fn fence(figures: &Pipeline, warp: &mut Warp, op: &Op, cycle: u64, sm: &Shared) -> Times {
    let known = &figures.fence;
    let waits = match op.fence {
        Some(FenceScope::Block) => cycles(&known.block),
        Some(FenceScope::View) => cycles(&known.view),
        Some(FenceScope::Gpu) | None => {
            let stored = if warp.has_stored && sm.memory.is_none() { cycles(&figures.l2.latency) } else { 0 };
            cycles(&known.gpu) + sm.outstanding().saturating_sub(cycle).max(stored)
        }
    };
    if !matches!(op.fence, Some(FenceScope::View)) {
        warp.has_stored = false;
    }
    if op.write.is_none() {
        warp.pause = warp.pause.max(waits);
        warp.why = Reason::Membar;
    }
    Times { result: Release::At(cycle + waits), source: cycle }
}

/// True if instructions of this rule go through the queue of memory instructions.
pub(super) const fn is_memory(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::Shared
            | Rule::Matrix
            | Rule::Shuffle
            | Rule::Global
            | Rule::Copy
            | Rule::Texture
            | Rule::Sync
            | Rule::Special
            | Rule::Constant
            | Rule::Other
    )
}

/// True if instructions of this rule go from the issue stage to a queue. They cannot issue in certain cycles after a
/// barrier.
fn is_queued(rule: Rule) -> bool {
    is_memory(rule) || matches!(rule, Rule::Xu | Rule::Redux | Rule::None)
}
