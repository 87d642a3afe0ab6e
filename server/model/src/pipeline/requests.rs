//! What an instruction that a warp has run asks of memory.

use super::lines::Lines;
use super::memory::Access;
use crate::Launch;
use crate::execution::{self, Accessed, Ran, Warp};
use crate::requests::Request;
use machine::{Arch, MemorySpace};
use std::collections::BTreeSet;

/// Turns requests into what they ask of memory. A loop mostly asks for the same pattern again.
#[derive(Debug)]
pub(super) struct Requests {
    lines: Lines,
    /// By instruction, its last request and what that took.
    last: Vec<Option<Box<(Request, u64)>>>,
    /// Accesses to global memory whose addresses were not known.
    pub unknown: BTreeSet<u32>,
}

/// Lines whose tags are looked up together, at best. Source: four tag banks, cicuvc 2026-09 and measured on an H100.
const TAGS: u64 = 4;

impl Requests {
    pub(super) fn new(lines: Lines) -> Self {
        Self { lines, last: Vec::new(), unknown: BTreeSet::new() }
    }

    /// `None` for what does not use memory by an address. `place` tells warps apart that are there at the same time.
    pub(super) fn access(
        &mut self,
        run: &execution::Code,
        arch: &Arch,
        warp: &Warp,
        ran: &Ran,
        place: u64,
    ) -> Option<Access> {
        if ran.access == Accessed::Nothing {
            return None;
        }
        let of = run.access(ran.inst)?;
        let is_atomic = of.is_atomic && of.space != MemorySpace::Shared;
        let mut access = Access { is_store: of.is_store, is_atomic, ..Access::default() };
        match (ran.access, of.space) {
            (Accessed::Nothing, _) | (Accessed::Unknown, MemorySpace::Shared) => return None,
            (Accessed::Off, _) => {}
            (_, MemorySpace::Local) => self.local_lines(&mut access, warp, ran, of.bytes, place),
            (Accessed::Known, MemorySpace::Shared) => {
                access.requests = self.wavefronts(run, arch, warp, ran.inst);
            }
            (known, _) => {
                if known == Accessed::Unknown {
                    self.unknown.insert(ran.inst);
                }
                self.global_lines(&mut access, warp.request(), of.bytes);
                // A line's tags are looked up four at a time; its words come out of the banks of shared memory.
                let tags = (access.lines.len() as u64).div_ceil(TAGS);
                access.requests = self.wavefronts(run, arch, warp, ran.inst).max(tags);
            }
        }
        Some(access)
    }

    /// Passes through the banks.
    fn wavefronts(&mut self, run: &execution::Code, arch: &Arch, warp: &Warp, inst: u32) -> u64 {
        let request = warp.request();
        if self.last.is_empty() {
            self.last.resize_with(run.len(), || None);
        }
        let last = &mut self.last[inst as usize];
        if let Some((_, taken)) = last.as_deref().filter(|(last, _)| last == request) {
            return *taken;
        }
        let taken = run.wavefronts(arch, inst, request).map_or(1, u64::from);
        match last {
            Some(last) => **last = (*request, taken),
            None => *last = Some(Box::new((*request, taken))),
        }
        taken
    }

    /// Local memory: the words of the lanes lie side by side.
    fn local_lines(&self, access: &mut Access, warp: &Warp, ran: &Ran, bytes: u32, place: u64) {
        let request = warp.request();
        let first = if ran.access == Accessed::Known && request.active != 0 {
            request.addresses[request.active.trailing_zeros() as usize]
        } else {
            0
        };
        // Far from any array.
        let base = u64::MAX / 2 + (place << 24);
        let words = u64::from(bytes.div_ceil(4).max(1));
        access.array = usize::MAX;
        access.lines = (0..words).map(|word| (base + (first >> 2) + word, self.lines.whole())).collect();
        access.requests = words;
    }

    fn global_lines(&self, access: &mut Access, request: &Request, bytes: u32) {
        for lane in (0..32).filter(|lane| request.active >> lane & 1 == 1) {
            let first = request.addresses[lane];
            let last = first.wrapping_add(u64::from(bytes.max(1)) - 1);
            for sector in self.lines.sector(first)..=self.lines.sector(last.max(first)) {
                add(&mut access.lines, self.lines.line(sector));
            }
            access.array = (first / Launch::ARRAY_SPACING).wrapping_sub(1) as usize;
        }
    }
}

fn add(lines: &mut Vec<(u64, u8)>, (line, sectors): (u64, u8)) {
    // Neighbouring lanes are mostly in one line.
    if let Some((_, known)) = lines.iter_mut().rev().find(|(known, _)| *known == line) {
        *known |= sectors;
    } else {
        lines.push((line, sectors));
    }
}
