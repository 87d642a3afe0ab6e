//! Assigns the six scoreboards to events.
//!
//! Any assignment is correct, because waits are placed afterwards. The cost of an assignment is that a wait covers all
//! events that its scoreboard counts. Events with a common wait therefore share a scoreboard, and long events are kept
//! apart from short events.

use super::walk::{Site, Walk};
use crate::in_flight::{Event, SCOREBOARDS};
use machine::{ClassTrait, Latency, MemorySpace};
use rustc_hash::FxHashMap;
use syntax::stop;

/// Events that need a scoreboard, and the scoreboards that are taken already.
pub(super) struct Uses {
    /// For each awaited event, the instructions that wait for it, in ascending order.
    pub waits: FxHashMap<Event, Vec<u32>>,
    /// Scoreboards of events whose assignment is fixed, by [`Event::index`].
    pub settled: Vec<Option<u8>>,
    /// Mask of the scoreboards that no other event may use.
    pub reserved: u8,
}

/// Maximum number of scoreboards for events in flight at the entry of a loop.
const MAX_INTO_LOOPS: usize = 2; // limit: the loop's own events need the other scoreboards

/// Events that share a scoreboard, from the issue of the first event until the first wait.
#[derive(Debug, Clone)]
struct Group {
    events: Vec<Event>,
    first: u32,
    /// The first instruction that waits, and its issue time.
    wait: u32,
    wait_time: i64,
    /// Time at which the last of the events is complete.
    ready: i64,
    board: Option<u8>,
}

impl Group {
    /// Returns the cycles by which a wait becomes longer if two groups share a scoreboard.
    fn cost(&self, other: &Self) -> i64 {
        let first = if self.wait <= other.wait { self } else { other };
        (self.ready.max(other.ready) - first.wait_time.max(first.ready)).max(0)
    }

    fn may_join(&self, other: &Self) -> bool {
        let boards = [self.board, other.board];
        let clash = boards.iter().all(Option::is_some) && self.board != other.board;
        let same = self.events.iter().any(|a| other.events.iter().any(|b| a.inst() == b.inst()));
        !clash && !same
    }

    fn join(&mut self, other: Self) {
        self.events.extend(other.events);
        self.first = self.first.min(other.first);
        if other.wait < self.wait {
            (self.wait, self.wait_time) = (other.wait, other.wait_time);
        }
        self.ready = self.ready.max(other.ready);
        self.board = self.board.or(other.board);
    }
}

/// Returns candidate assignments of scoreboards to the awaited events, each by [`Event::index`]. No single
/// candidate is always the best.
pub(super) fn allocate(site: &Site, walk: &Walk, uses: &Uses) -> Vec<Vec<Option<u8>>> {
    let mut ways: Vec<Vec<Option<u8>>> = Vec::new();
    for most in [SCOREBOARDS, MAX_INTO_LOOPS] {
        for way in allocate_with(site, walk, uses, most) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways
}

/// Computes the candidates of [`allocate`] with at most `most` scoreboards whose events enter a loop from
/// outside.
fn allocate_with(site: &Site, walk: &Walk, uses: &Uses, most: usize) -> Vec<Vec<Option<u8>>> {
    let first = pass(site, walk, uses, uses.settled.clone(), most);
    // A second pass fixes the scoreboards of events that loops carry around.
    let mut settled = uses.settled.clone();
    let mut carries = false;
    for block in 0..site.program.blocks.len() as u32 {
        for event in walk.in_flight(block) {
            if site.program.instructions[event.inst() as usize].block >= block
                && first[event.index()].is_some()
            {
                settled[event.index()] = first[event.index()];
                carries = true;
            }
        }
    }
    if carries { vec![pass(site, walk, uses, settled, most), first] } else { vec![first] }
}

/// Assigns scoreboards block by block. An event in flight at a block's start is ignored there if it has no
/// scoreboard yet.
fn pass(site: &Site, walk: &Walk, uses: &Uses, mut boards: Vec<Option<u8>>, most: usize) -> Vec<Option<u8>> {
    let mut used = [0_u64; SCOREBOARDS];
    let earliest = earliest(site);
    for block in 0..site.program.blocks.len() {
        stop::check();
        let mut open = Vec::new();
        let mut groups = groups(site, walk, uses, &boards, (block as u32, earliest[block]), &mut open);
        let depth = &site.edges.depth;
        if site.edges.graph.successors(block as u32).iter().any(|&next| depth[next as usize] > depth[block]) {
            shrink(&mut open, most);
        }
        groups.extend(open);
        place(groups, uses.reserved, &mut used, &mut boards);
    }
    boards
}

/// Returns, for each block, the first instruction in the text that the block or a later block leads to.
fn earliest(site: &Site) -> Vec<u32> {
    let mut earliest = vec![0; site.program.blocks.len()];
    let mut least = u32::MAX;
    for (index, block) in site.program.blocks.iter().enumerate().rev() {
        let nexts = site.edges.graph.successors(index as u32).iter();
        let nexts = nexts.map(|&next| site.program.blocks[next as usize].instructions.start);
        least = nexts.fold(least.min(block.instructions.start), u32::min);
        earliest[index] = least;
    }
    // That instruction may lead further back.
    for index in 0..earliest.len() {
        let back =
            site.program.instructions.get(earliest[index] as usize).map_or(index, |inst| inst.block as usize);
        earliest[index] = earliest[index].min(earliest[back]);
    }
    earliest
}

/// Returns the typical cycles from issue until an event.
fn latency(site: &Site, event: Event) -> i64 {
    let arch = &site.program.arch;
    let inst = &site.program.instructions[event.inst() as usize];
    let own = inst.class.map_or(1, |class| arch.class(class).latency.cycles().value);
    let cycles = if event.is_read() {
        // Loads read their sources as stores do, whose latency is that of reading their sources.
        let store = arch.class_with(ClassTrait::GlobalStore).map(|class| &class.latency);
        store.map_or(own, |latency| match latency {
            Latency::Fixed(cycles) | Latency::Variable(cycles) => cycles.value.min(own),
        })
    } else {
        match inst.memory.map(|memory| memory.space) {
            Some(
                MemorySpace::Global | MemorySpace::Generic | MemorySpace::Texture | MemorySpace::Surface,
            ) => arch.memory.dram.value,
            _ => own,
        }
    };
    i64::from(cycles)
}

/// Walks a block, and merges the cheapest groups while more groups are open than scoreboards are available.
/// Returns the groups that end in the block; the other groups stay in `open`.
fn groups(
    site: &Site,
    walk: &Walk,
    uses: &Uses,
    boards: &[Option<u8>],
    (block, earliest): (u32, u32),
    open: &mut Vec<Group>,
) -> Vec<Group> {
    let range = site.program.blocks[block as usize].instructions.clone();
    let max_open = SCOREBOARDS - uses.reserved.count_ones() as usize;
    let times = times(site, walk, uses, block);
    let end = times.last().copied().unwrap_or(0);
    let time = |inst: u32| times[(inst - range.start) as usize];
    let group = |event: Event, first: u32, issued: i64| -> Option<Group> {
        let waits = uses.waits.get(&event).filter(|waits| waits.last() >= Some(&earliest))?;
        let within = waits[waits.partition_point(|&wait| wait < first)..].first().copied();
        // A wait in a later block, or in the next pass of a loop, is assumed to be as many cycles away as instructions.
        let (wait, wait_time) = if let Some(wait) = within.filter(|wait| range.contains(wait)) {
            (wait, time(wait))
        } else {
            let ahead = within.map_or(waits[0].saturating_sub(range.start), |wait| wait - range.end);
            (range.end + ahead, end + i64::from(ahead))
        };
        let board = boards[event.index()];
        Some(Group {
            events: vec![event],
            first,
            wait,
            wait_time,
            ready: issued + latency(site, event),
            board,
        })
    };
    for event in walk.in_flight(block) {
        let Some(new) = group(event, range.start, 0) else { continue };
        if new.board.is_none() {
            continue;
        }
        match open.iter_mut().find(|other| other.board == new.board) {
            Some(other) => other.join(new),
            None => open.push(new),
        }
    }
    let mut closed = Vec::new();
    shrink(open, max_open);
    for inst in range.clone() {
        let is_done = |group: &mut Group| group.wait <= inst;
        closed.extend(open.extract_if(.., is_done));
        for event in [Event::written(inst), Event::read(inst)] {
            if !is_reserved(event, uses)
                && let Some(new) = group(event, inst + 1, time(inst))
            {
                open.push(Group { first: inst, ..new });
            }
        }
        shrink(open, max_open);
    }
    closed
}

/// True if the event has one of the reserved scoreboards.
fn is_reserved(event: Event, uses: &Uses) -> bool {
    uses.settled[event.index()].is_some_and(|board| uses.reserved >> board & 1 == 1)
}

/// Merges groups, the cheapest first, until at most `most` are left.
fn shrink(open: &mut Vec<Group>, most: usize) {
    while open.len() > most {
        let mut best: Option<(i64, u32, usize, usize)> = None;
        for a in 0..open.len() {
            for b in a + 1..open.len() {
                if open[a].may_join(&open[b]) {
                    let key = (open[a].cost(&open[b]), open[a].wait.abs_diff(open[b].wait), a, b);
                    if best.is_none_or(|known| key < known) {
                        best = Some(key);
                    }
                }
            }
        }
        let Some((_, _, a, b)) = best else { return };
        let other = open.swap_remove(b);
        open[a].join(other);
    }
}

/// Returns the issue cycle of each instruction of a block, under the assumption that no scoreboard is shared.
fn times(site: &Site, walk: &Walk, uses: &Uses, block: u32) -> Vec<i64> {
    let range = site.program.blocks[block as usize].instructions.clone();
    let mut ready: FxHashMap<u32, i64> = FxHashMap::default();
    let mut now = 0;
    let mut times = Vec::with_capacity(range.len());
    for inst in range.clone() {
        now = now.max(ready.remove(&inst).unwrap_or(0));
        times.push(now);
        for event in [Event::written(inst), Event::read(inst)] {
            for &wait in uses.waits.get(&event).into_iter().flatten() {
                if wait > inst && wait < range.end {
                    let at = ready.entry(wait).or_default();
                    *at = (*at).max(now + latency(site, event));
                }
            }
        }
        now += i64::from(walk.stalls[inst as usize]);
    }
    times
}

/// Assigns scoreboards to groups, in the order in which the groups begin.
fn place(mut groups: Vec<Group>, reserved: u8, used: &mut [u64; SCOREBOARDS], boards: &mut [Option<u8>]) {
    groups.sort_by_key(|group| (group.first, group.wait));
    let mut active: Vec<(u8, Group)> = Vec::new();
    for group in groups {
        active.retain(|(_, other)| other.wait > group.first);
        let known = group.events.iter().find_map(|event| boards[event.index()]);
        let board = known.unwrap_or_else(|| {
            let free = |board: u8| reserved >> board & 1 == 0;
            let cost = |board: u8| {
                let own = active.iter().filter(|(other, _)| *other == board);
                own.map(|(_, other)| if other.may_join(&group) { 1 + other.cost(&group) } else { i64::MAX })
                    .max()
                    .unwrap_or(0)
            };
            let choice = (0..SCOREBOARDS as u8).filter(|&board| free(board));
            choice.min_by_key(|&board| (cost(board), used[usize::from(board)])).unwrap_or(0)
        });
        let last = used.iter().copied().max().unwrap_or(0);
        used[usize::from(board)] = last + 1;
        for event in &group.events {
            boards[event.index()].get_or_insert(board);
        }
        active.push((board, group));
    }
}
