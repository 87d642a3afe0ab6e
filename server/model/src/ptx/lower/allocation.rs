//! Register allocation for webs: linear scan over the instructions in source order (Poletto and Sarkar,
//! 1999).

use super::coalescing::Web;
use super::selection::Fragment;
use crate::{Access, Program, RegisterFile};
use syntax::stop;

/// Register numbers for webs under an unlimited register file: each web has separate registers.
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

    fn web(&self, access: Access) -> Option<Web> {
        let index = usize::from(access.register.index);
        match access.register.file {
            RegisterFile::General => self.general.get(index).copied().filter(|&web| web != NO_WEB),
            RegisterFile::Predicate => self.predicates.get(index).copied(),
            _ => None,
        }
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
/// Number of the first register that no hardware has: beyond the zero register.
const SPILLED: u32 = 256; // limit: no encoding holds it
/// R1 is the stack pointer.
const STACK: u32 = 1; // Source: the CUDA ABI

/// Assigns registers to webs. `program` uses the register numbers of `names`. `order` lists the instructions
/// by position.
pub(super) fn allocate(
    program: &Program,
    order: &[u32],
    names: &VirtualRegisters,
    words: &[u8],
) -> Allocation {
    let spans = spans(program, order, names, words.len());
    let general = program.arch.resources.max_registers_per_thread.value;
    let tight = assign(&spans, words, general, None);
    // Uses the same number of registers in rotation: an instruction then does not wait for a register that
    // was just read.
    let loose = assign(&spans, words, general, Some(tight.count));
    if loose.count > tight.count { tight } else { loose }
}

/// Returns the live span of each web, from the first write to the last read; `None` if the web is unused.
fn spans(program: &Program, order: &[u32], names: &VirtualRegisters, webs: usize) -> Vec<Option<(u32, u32)>> {
    let mut spans: Vec<Option<(u32, u32)>> = vec![None; webs];
    // The span of a web with only guarded writes begins at the first guarded write.
    let mut has_plain_write = vec![false; webs];
    for inst in program.instructions.iter().filter(|inst| inst.guard.is_none()) {
        for web in program.writes(inst).iter().filter_map(|access| names.web(*access)) {
            has_plain_write[web as usize] = true;
        }
    }
    let mut blocks = Blocks { read_first: vec![Vec::new(); webs], written: vec![Vec::new(); webs] };
    for (index, block) in program.blocks.iter().enumerate() {
        stop::check_at(index);
        for place in block.instructions.clone() {
            let inst = &program.instructions[order[place as usize] as usize];
            for web in program.reads(inst).iter().filter_map(|access| names.web(*access)) {
                extend(&mut spans[web as usize], place);
                blocks.read(index as u32, web);
            }
            for web in program.writes(inst).iter().filter_map(|access| names.web(*access)) {
                extend(&mut spans[web as usize], place);
                if inst.guard.is_none() || !has_plain_write[web as usize] {
                    blocks.write(index as u32, web);
                }
            }
        }
    }
    // For each block, the last web that was found to be live at the start and at the end of the block.
    let mut seen = [vec![Web::MAX; program.blocks.len()], vec![Web::MAX; program.blocks.len()]];
    for (web, span) in spans.iter_mut().enumerate() {
        stop::check_at(web);
        let web = web as Web;
        let mut stack = blocks.read_first[web as usize].clone();
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut seen[0][block as usize], web) == web {
                continue;
            }
            extend(span, program.blocks[block as usize].instructions.start);
            for &before in program.flow.predecessors(block) {
                if std::mem::replace(&mut seen[1][before as usize], web) == web {
                    continue;
                }
                extend(span, program.blocks[before as usize].instructions.end);
                if blocks.written[web as usize].binary_search(&before).is_err() {
                    stack.push(before);
                }
            }
        }
    }
    spans
}

fn extend(span: &mut Option<(u32, u32)>, place: u32) {
    let span = span.get_or_insert((place, place));
    *span = (span.0.min(place), span.1.max(place));
}

/// For each web, the blocks that read the web before writing it, and the blocks that write it, in ascending order.
struct Blocks {
    read_first: Vec<Vec<u32>>,
    written: Vec<Vec<u32>>,
}

impl Blocks {
    fn read(&mut self, block: u32, web: Web) {
        let is_known = self.written[web as usize].last() == Some(&block);
        if !is_known && self.read_first[web as usize].last() != Some(&block) {
            self.read_first[web as usize].push(block);
        }
    }

    fn write(&mut self, block: u32, web: Web) {
        if self.written[web as usize].last() != Some(&block) {
            self.written[web as usize].push(block);
        }
    }
}

/// Assigns registers by first fit. If `turns` is set, assigns this number of registers in rotation instead. Values for
/// which no register is free get numbers that no hardware register has, so that executing the code stays possible.
fn assign(
    spans: &[Option<(u32, u32)>],
    words: &[u8],
    general_registers: u32,
    turns: Option<u32>,
) -> Allocation {
    let mut all =
        Allocation { first: vec![0; spans.len()], count: 0, is_short: false, lacks_predicates: false };
    let mut sorted: Vec<(u32, u32, Web)> = spans
        .iter()
        .enumerate()
        .filter_map(|(web, span)| span.map(|(from, to)| (from, to, web as Web)))
        .collect();
    sorted.sort_unstable();
    // Position at which each register becomes free.
    let mut general = vec![0_u32; general_registers as usize];
    let mut spilled: Vec<u32> = Vec::new();
    let mut predicates = vec![0_u32; PREDICATES as usize];
    let mut next = 0;
    for (from, to, web) in sorted {
        let width = u32::from(words[web as usize]);
        let until = to.max(from + 1);
        if width == 0 {
            let free = predicates.iter().position(|&end| end <= from).unwrap_or(predicates.len());
            all.lacks_predicates |= free >= PREDICATES as usize;
            predicates.resize(predicates.len().max(free + 1), until);
            predicates[free] = until;
            all.first[web as usize] = free as u32;
            continue;
        }
        let alignment = width.next_power_of_two().min(4);
        let fits = |&at: &u32| {
            (at..at + width).all(|register| {
                register != STACK && general.get(register as usize).is_some_and(|&end| end <= from)
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
        let free = in_turn.or_else(|| (0..general_registers).step_by(alignment as usize).find(fits));
        let Some(at) = free else {
            all.is_short = true;
            all.count = general_registers;
            let is_free = |&at: &usize| spilled[at..].iter().take(width as usize).all(|&end| end <= from);
            let first =
                (0..=spilled.len()).step_by(alignment as usize).find(is_free).unwrap_or(spilled.len());
            let first = first.next_multiple_of(alignment as usize);
            spilled.resize(spilled.len().max(first + width as usize), 0);
            spilled[first..first + width as usize].fill(until);
            all.first[web as usize] = SPILLED + first as u32;
            continue;
        };
        next = at + width;
        for register in at..(at + width).min(general_registers) {
            general[register as usize] = general[register as usize].max(until);
        }
        all.first[web as usize] = at;
        all.count = all.count.max(at + width);
    }
    all
}
