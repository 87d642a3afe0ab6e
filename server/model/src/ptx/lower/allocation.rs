//! Register allocation for webs: linear scan over the instructions in source order (Poletto and Sarkar, 1999), with
//! lifetime holes (Traub, Holloway and Smith, 1998): webs may share a register if they are never live at the same point.

use super::coalescing::Web;
use super::selection::Fragment;
use crate::{Access, Program, RegisterFile};
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::stop;

/// Register numbers for webs with an unlimited register file: no two webs share a register.
#[derive(Debug)]
pub(super) struct VirtualRegisters {
    /// Number of the first register of each web.
    pub first: Vec<u32>,
    /// Web of each general register. `predicates` has the web of each predicate register.
    general: Vec<Web>,
    predicates: Vec<Web>,
}

/// Marks a register that belongs to no web, or that is padding for alignment.
const NO_WEB: Web = Web::MAX;

impl VirtualRegisters {
    /// Numbers the webs that instructions name; `None` if the webs need too many registers.
    pub(super) fn number(lines: &[&[Fragment]], words: &[u8]) -> Option<Self> {
        // Expansions name the stack pointer directly. The stack pointer belongs to no web.
        let general = vec![NO_WEB; STACK as usize + 1];
        let mut all = Self { first: Vec::with_capacity(words.len()), general, predicates: Vec::new() };
        let mut is_named = vec![false; words.len()];
        for piece in lines.iter().copied().flatten() {
            if let Fragment::General(web, _) | Fragment::Predicate(web) = piece {
                is_named[*web as usize] = true;
            }
        }
        for (web, &words) in words.iter().enumerate() {
            let (is_named, web) = (is_named[web], web as Web);
            if !is_named {
                all.first.push(0);
                continue;
            }
            if words == 0 {
                all.first.push(all.predicates.len() as u32);
                all.predicates.push(web);
                continue;
            }
            let alignment = usize::from(words).next_power_of_two().min(4);
            let mut first = all.general.len().next_multiple_of(alignment);
            // Register number 255 denotes the zero register RZ.
            if first <= 255 && first + usize::from(words) > 252 {
                first = 256;
            }
            all.first.push(first as u32);
            all.general.resize(first + usize::from(words), web);
        }
        (all.general.len() < usize::from(u16::MAX) && all.predicates.len() < usize::from(u16::MAX))
            .then_some(all)
    }

    /// Returns the web that a register access refers to, and the word of the web. `None` for registers of no web.
    fn web(&self, access: Access) -> Option<(Web, u32)> {
        let index = usize::from(access.register.index);
        let web = match access.register.file {
            RegisterFile::General => self.general.get(index).copied().filter(|&web| web != NO_WEB),
            RegisterFile::Predicate => self.predicates.get(index).copied(),
            _ => None,
        }?;
        // Registers between webs, which align a web, have the number of the next one.
        Some((web, (index as u32).checked_sub(self.first[web as usize])?))
    }
}

/// Assignment of webs to hardware registers.
#[derive(Debug)]
pub(super) struct Allocation {
    /// Number of the first register of each web.
    pub first: Vec<u32>,
    /// Number of general registers used.
    pub count: u32,
    /// True if more general registers are live at once than a thread can have.
    pub is_short: bool,
    /// True if more predicates are live at once than a thread has. ptxas then keeps some predicates in
    /// general registers or recomputes them.
    pub lacks_predicates: bool,
}

/// Number of predicate registers.
const PREDICATES: u32 = crate::program::PREDICATES as u32; // Source: the encodings
/// First register number that no encoding holds. Webs for which no register is free get numbers from here on.
const SPILLED: u32 = 256; // limit: no encoding holds it
/// R1 is the stack pointer.
const STACK: u32 = 1; // Source: the CUDA ABI

/// Assigns registers to webs. `program` uses the register numbers of `names`. `order` is the schedule: the index
/// in `program` of the instruction at each position.
pub(super) fn allocate(
    program: &Program,
    order: &[u32],
    names: &VirtualRegisters,
    words: &[u8],
) -> Allocation {
    let lifetimes = lifetimes(program, order, names, words);
    let general = program.arch.resources.max_registers_per_thread.value;
    let tight = assign(&lifetimes, words, general, None);
    // Uses the same number of registers in rotation: an instruction then does not wait for a register that
    // was just read.
    let loose = assign(&lifetimes, words, general, Some(tight.count));
    if loose.count > tight.count { tight } else { loose }
}

/// Positions at which a web is live: disjoint ranges of instructions in ascending order, the end exclusive.
#[derive(Debug, Clone, Default)]
struct Lifetime(Vec<Range<u32>>);

impl Lifetime {
    /// Appends a range that does not start before the last range.
    fn add(&mut self, more: Range<u32>) {
        match self.0.last_mut() {
            Some(last) if more.start <= last.end => last.end = last.end.max(more.end),
            _ => self.0.push(more),
        }
    }

    /// Adds the positions of another lifetime, which must not overlap.
    fn unite(&mut self, other: &Self) {
        let is_after =
            other.0.first().is_none_or(|first| self.0.last().is_none_or(|last| last.start < first.start));
        self.0.extend_from_slice(&other.0);
        if !is_after {
            self.0.sort_unstable_by_key(|own| own.start);
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (Some(last), Some(first)) = (self.0.last(), other.0.first()) else { return false };
        if last.end <= first.start {
            return false;
        }
        other.0.iter().any(|wanted| {
            let next = self.0.partition_point(|own| own.end <= wanted.start);
            self.0.get(next).is_some_and(|own| own.start < wanted.end)
        })
    }
}

/// Returns the lifetime of each web; empty if the web is unused.
fn lifetimes(program: &Program, order: &[u32], names: &VirtualRegisters, words: &[u8]) -> Vec<Lifetime> {
    // The lifetime of a web with only guarded writes begins at the first guarded write.
    let mut has_plain_write = vec![false; words.len()];
    for inst in program.instructions.iter().filter(|inst| inst.guard.is_none()) {
        for (web, _) in program.writes(inst).iter().filter_map(|access| names.web(*access)) {
            has_plain_write[web as usize] = true;
        }
    }
    let mut uses: Vec<Vec<BlockUse>> = vec![Vec::new(); words.len()];
    for (index, block) in program.blocks.iter().enumerate() {
        stop::check_at(index);
        for place in block.instructions.clone() {
            let inst = &program.instructions[order[place as usize] as usize];
            for (web, word) in program.reads(inst).iter().filter_map(|access| names.web(*access)) {
                BlockUse::of_block(&mut uses[web as usize], index as u32).read(place, word);
            }
            for (web, word) in program.writes(inst).iter().filter_map(|access| names.web(*access)) {
                let own = BlockUse::of_block(&mut uses[web as usize], index as u32);
                let is_plain = inst.guard.is_none();
                own.write(place, is_plain && words[web as usize] <= 1);
                if is_plain || !has_plain_write[web as usize] {
                    own.written |= bit(word);
                }
            }
        }
    }
    // For each block, the last web that was found to be live at the start and at the end of the block.
    let mut seen = [vec![Web::MAX; program.blocks.len()], vec![Web::MAX; program.blocks.len()]];
    let mut lifetimes = Vec::with_capacity(words.len());
    for (web, uses) in uses.iter().enumerate() {
        stop::check_at(web);
        lifetimes.push(lifetime(program, (web as Web, words[web]), uses, &mut seen));
    }
    lifetimes
}

/// Returns the lifetime of a web: the ranges of its accesses in each block, extended through the blocks in which it is
/// live between a write and a read.
fn lifetime(
    program: &Program,
    (web, words): (Web, u8),
    uses: &[BlockUse],
    seen: &mut [Vec<Web>; 2],
) -> Lifetime {
    let [starts, ends] = seen;
    let mut touched: BTreeSet<u32> = uses.iter().map(|own| own.block).collect();
    let find = |block: u32| uses.binary_search_by_key(&block, |own| own.block).ok().map(|at| &uses[at]);
    let mut stack: Vec<u32> = uses.iter().filter(|own| own.is_read_first).map(|own| own.block).collect();
    while let Some(block) = stack.pop() {
        if std::mem::replace(&mut starts[block as usize], web) == web {
            continue;
        }
        touched.insert(block);
        for &before in program.flow.predecessors(block) {
            if std::mem::replace(&mut ends[before as usize], web) == web {
                continue;
            }
            touched.insert(before);
            if find(before).is_none_or(|own| own.written.count_ones() < u32::from(words.max(1))) {
                stack.push(before);
            }
        }
    }
    let mut lifetime = Lifetime::default();
    for block in touched {
        let whole = &program.blocks[block as usize].instructions;
        let mut ranges = find(block).map_or_else(|| vec![whole.clone()], |own| own.ranges.clone());
        if let Some(first) = ranges.first_mut().filter(|_| starts[block as usize] == web) {
            first.start = whole.start;
        }
        if let Some(last) = ranges.last_mut().filter(|_| ends[block as usize] == web) {
            last.end = whole.end;
        }
        for own in ranges {
            lifetime.add(own.start..own.end.max(own.start + 1));
        }
    }
    lifetime
}

/// Accesses of a block to a web.
#[derive(Debug, Clone)]
struct BlockUse {
    block: u32,
    /// For each value that the block writes or receives, the positions from its write, or its first read, to its last
    /// read.
    ranges: Vec<Range<u32>>,
    /// True if the block reads a word that it has not written before.
    is_read_first: bool,
    /// Mask of the words that the block writes. Words from 128 on have no bit, as if the block did not write them.
    written: u128,
}

impl BlockUse {
    /// Returns the entry of a block; adds the entry if it is missing. Blocks must be passed in ascending order.
    fn of_block(uses: &mut Vec<Self>, block: u32) -> &mut Self {
        if uses.last().is_none_or(|last| last.block != block) {
            uses.push(Self { block, ranges: Vec::new(), is_read_first: false, written: 0 });
        }
        let at = uses.len() - 1;
        &mut uses[at]
    }

    fn read(&mut self, place: u32, word: u32) {
        self.is_read_first |= self.written & bit(word) == 0;
        self.extend(place);
    }

    /// Records a write. `replaces` is true if the write overwrites the web's entire previous value.
    fn write(&mut self, place: u32, replaces: bool) {
        if replaces {
            self.ranges.push(place..place);
        } else {
            self.extend(place);
        }
    }

    fn extend(&mut self, place: u32) {
        match self.ranges.last_mut() {
            Some(last) => last.end = place,
            None => self.ranges.push(place..place),
        }
    }
}

fn bit(word: u32) -> u128 {
    1_u128.checked_shl(word).unwrap_or(0)
}

/// Assigns registers by first fit. If `turns` is set, assigns this number of registers in rotation instead. Webs for
/// which no register is free get numbers from [`SPILLED`] on, so that the code can still be executed.
fn assign(lifetimes: &[Lifetime], words: &[u8], general_registers: u32, turns: Option<u32>) -> Allocation {
    let mut all =
        Allocation { first: vec![0; lifetimes.len()], count: 0, is_short: false, lacks_predicates: false };
    let mut sorted: Vec<(u32, u32, Web)> = (0..)
        .zip(lifetimes)
        .filter_map(|(web, own)| Some((own.0.first()?.start, own.0.last()?.end, web)))
        .collect();
    sorted.sort_unstable();
    // The positions at which each register is taken.
    let mut general = vec![Lifetime::default(); general_registers as usize];
    let mut spilled: Vec<Lifetime> = Vec::new();
    let mut predicates: Vec<Lifetime> = Vec::new();
    let mut next = 0;
    for (step, (.., web)) in sorted.into_iter().enumerate() {
        stop::check_at(step);
        let (own, width) = (&lifetimes[web as usize], u32::from(words[web as usize]));
        if width == 0 {
            let first = first_fit(&mut predicates, own, 1, 1);
            all.lacks_predicates |= first >= PREDICATES;
            all.first[web as usize] = first;
            continue;
        }
        let alignment = width.next_power_of_two().min(4);
        let fits = |&at: &u32| {
            (at..at + width).all(|register| {
                let taken = general.get(register as usize);
                register != STACK && taken.is_some_and(|taken| !taken.overlaps(own))
            })
        };
        let in_turn = turns.and_then(|limit| {
            let steps = limit.div_ceil(alignment);
            let start = next / alignment;
            (0..steps)
                .map(|step| (start + step) % steps * alignment)
                .filter(|at| at + width <= limit)
                .find(fits)
        });
        // A single register comes from a pair that is broken already, if there is one.
        let is_single = |&at: &u32| width == 1 && fits(&at) && !fits(&(at ^ 1));
        let tight = || (0..general_registers & !1).find(is_single);
        let free =
            in_turn.or_else(tight).or_else(|| (0..general_registers).step_by(alignment as usize).find(fits));
        let Some(at) = free else {
            all.is_short = true;
            all.count = general_registers;
            all.first[web as usize] = SPILLED + first_fit(&mut spilled, own, width, alignment);
            continue;
        };
        next = at + width;
        for taken in &mut general[at as usize..(at + width) as usize] {
            taken.unite(own);
        }
        all.first[web as usize] = at;
        all.count = all.count.max(at + width);
    }
    all
}

/// Takes the first `width` free registers with this alignment, adds registers if there are none, and returns the number
/// of the first one.
fn first_fit(registers: &mut Vec<Lifetime>, own: &Lifetime, width: u32, alignment: u32) -> u32 {
    let (width, alignment) = (width as usize, alignment as usize);
    let is_free =
        |&at: &usize| registers[at..].iter().take(width).all(|taken: &Lifetime| !taken.overlaps(own));
    let all = registers.len().next_multiple_of(alignment);
    let first = (0..registers.len()).step_by(alignment).find(is_free).unwrap_or(all);
    if registers.len() < first + width {
        registers.resize(first + width, Lifetime::default());
    }
    for taken in &mut registers[first..first + width] {
        taken.unite(own);
    }
    first as u32
}
