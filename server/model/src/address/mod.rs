//! The address analysis: the addresses and trip counts that a kernel's integer code computes, as affine forms over
//! thread indices, loop counters and launch parameters.

mod affine;
mod arithmetic;
mod flow;
mod forms;
mod logic;
mod loops;
mod memory;
pub(crate) mod operand;
mod print;
pub(crate) mod reference;
mod requests;
mod slots;
mod step;
mod term;
#[cfg(test)]
pub(crate) mod tests;
mod trips;
pub(crate) mod words;

pub use affine::{Affine, Symbol};
pub use requests::WarpThreads;

use crate::Program;
use crate::requests::{Request, global, shared};
use forms::{FormId, Forms};
use machine::{Arch, MemorySpace};
use memory::FormReference;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use syntax::sass::Chunk;

/// Addresses and trip counts of a kernel, where they are known.
#[derive(Debug)]
pub struct Addresses {
    forms: Forms,
    accesses: FxHashMap<u32, FormReference>,
    trips: FxHashMap<u32, u32>,
    arch: Arc<Arch>,
}

impl Addresses {
    /// Evaluates a kernel's integer code symbolically. `program` was decoded from `chunk`.
    ///
    /// Accepts any text. Time is roughly linear in the length of the text. Values that the analysis does not
    /// model are unknown, never guessed. The exception is a sum with launch parameters, which is assumed not
    /// to overflow when it is extended from 32 to 64 bits.
    pub fn compute(chunk: &Chunk, program: &Program) -> Self {
        let flow::Outcome { forms, accesses, trips } = flow::run(chunk, program);
        Self { forms, accesses, trips, arch: program.arch.clone() }
    }

    /// The byte address that an instruction's lanes access; for a copy, the source address.
    ///
    /// `None` if the address is unknown or not an affine form, and for an instruction that does not access memory.
    /// Shared and local addresses are modulo 2^32.
    pub fn access(&self, inst: usize) -> Option<&Affine> {
        let access = self.accesses.get(&u32::try_from(inst).ok()?)?;
        access.address.map(|form| self.forms.affine(form))
    }

    /// The address in shared memory that an `LDGSTS` writes to; `None` for other instructions, and if the
    /// address is unknown.
    pub fn copy_destination(&self, inst: usize) -> Option<&Affine> {
        let access = self.accesses.get(&u32::try_from(inst).ok()?)?;
        access.destination.map(|form| self.forms.affine(form))
    }

    /// Returns the trip count, per entry, of the loop whose back edge is the branch at an instruction.
    ///
    /// `None` if the trip count is unknown: the loop has more than one exit or back edge, or its exit
    /// condition depends on values other than the iteration number.
    pub fn trips(&self, branch: usize) -> Option<u32> {
        self.trips.get(&u32::try_from(branch).ok()?).copied()
    }

    /// Evaluates a form. `value` returns the values of its symbols, except for terms, which are computed. Returns
    /// `None` if `value` does.
    pub fn evaluate(&self, affine: &Affine, value: impl Fn(Symbol) -> Option<i64>) -> Option<i64> {
        self.forms.evaluate(affine, &value)
    }

    /// True if the value of a symbol may differ between the lanes of a warp.
    pub fn varies(&self, symbol: Symbol) -> bool {
        self.forms.symbol_varies(symbol)
    }

    /// Number of wavefronts of an access to shared memory, see [`shared`].
    ///
    /// Loop counters have their values in the first iteration. Unknown terms that are the same in all lanes
    /// are omitted, since they only rotate the banks. `None` for other instructions, if the per-lane part is
    /// unknown, or if lanes access less than a word at an unknown offset in the word.
    pub fn wavefronts(&self, inst: usize, lanes: &WarpThreads) -> Option<u32> {
        let access = self.accesses.get(&u32::try_from(inst).ok()?)?;
        let form = match access.memory.space {
            MemorySpace::Shared => access.address?,
            _ => access.destination?,
        };
        let bytes = u32::from(access.memory.bytes_per_lane);
        let affine = self.forms.affine(form);
        let (mut request, base) = self.of_lanes(form, lanes)?;
        let size = access.kind.lane_bytes(bytes);
        let word = self.arch.requests.shared_word.value;
        // For accesses narrower than a word, the offset of the base within the word matters.
        let is_whole = |&(_, coefficient): &(Symbol, i64)| coefficient % i64::from(word) == 0;
        if size < word && !affine.terms().iter().filter(|t| base.contains(&t.0)).all(is_whole) {
            return None;
        }
        // For wider accesses, the base is assumed to align the first lane's address to its size.
        let first = request.addresses[request.active.trailing_zeros() as usize % request.addresses.len()];
        let off = if size < word { 0 } else { first % u64::from(size.max(1)) };
        for address in &mut request.addresses {
            *address = u64::from(address.wrapping_sub(off) as u32);
        }
        shared(&self.arch, access.kind, bytes, &request).map(|found| found.taken)
    }

    /// Number of 128-byte lines that an access to global memory touches, see [`global`].
    ///
    /// Loop counters have their values in the first iteration. Unknown terms that are the same in all lanes (pointers,
    /// parameters) are assumed to be aligned to a line. `None` for other instructions, and if the per-lane part is
    /// unknown.
    pub fn lines(&self, inst: usize, lanes: &WarpThreads) -> Option<u32> {
        let access = self.accesses.get(&u32::try_from(inst).ok()?)?;
        if !matches!(access.memory.space, MemorySpace::Global | MemorySpace::Generic) {
            return None;
        }
        let (request, _) = self.of_lanes(access.address?, lanes)?;
        global(&self.arch, u32::from(access.memory.bytes_per_lane), &request).map(|found| found.lines)
    }

    /// Returns each lane's address without the unknown symbols that are the same in all lanes, and the list of these
    /// symbols. `None` if an unknown symbol differs between lanes.
    fn of_lanes(&self, form: FormId, lanes: &WarpThreads) -> Option<(Request, Vec<Symbol>)> {
        let affine = self.forms.affine(form);
        let value = |symbol: Symbol, lane: u32, tid: [u32; 3]| {
            let value = match symbol {
                Symbol::TidX => tid[0],
                Symbol::TidY => tid[1],
                Symbol::TidZ => tid[2],
                Symbol::Lane => lane,
                Symbol::CtaidX => lanes.ctaid[0],
                Symbol::CtaidY => lanes.ctaid[1],
                Symbol::CtaidZ => lanes.ctaid[2],
                Symbol::Loop(_) => 0,
                Symbol::Param(_) | Symbol::Pointer(_) | Symbol::Opaque(_) | Symbol::Term(_) => return None,
            };
            Some(i64::from(value))
        };
        let warp_size = self.arch.resources.warp_size;
        let first = lanes.tid(0, warp_size)?;
        let is_base = |symbol: Symbol| {
            let alone = Affine::from_symbol(symbol);
            !self.varies(symbol) && self.forms.evaluate(&alone, &|symbol| value(symbol, 0, first)).is_none()
        };
        let (base, rest): (Vec<_>, Vec<_>) = affine.terms().iter().copied().partition(|term| is_base(term.0));
        let rest = Affine::wrapping_collect(affine.constant(), rest);
        let mut request = Request { active: 0, addresses: [0; 32] };
        for (lane, address) in (0..warp_size).zip(&mut request.addresses) {
            let Some(tid) = lanes.tid(lane, warp_size) else { continue };
            *address = self.forms.evaluate(&rest, &|symbol| value(symbol, lane, tid))?.cast_unsigned();
            request.active |= 1 << lane;
        }
        Some((request, base.into_iter().map(|term| term.0).collect()))
    }
}
