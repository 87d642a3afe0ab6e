//! The core of the address analysis: what addresses and loops a kernel's integer code computes, as affine forms over the
//! thread's indices, loop counters and launch parameters.

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

/// Addresses and loops of a kernel, as far as they are known.
#[derive(Debug)]
pub struct Addresses {
    forms: Forms,
    accesses: FxHashMap<u32, FormReference>,
    trips: FxHashMap<u32, u32>,
    arch: Arc<Arch>,
}

impl Addresses {
    /// Runs the integer code of a kernel over symbols. `program` was decoded from `chunk`.
    ///
    /// Takes any text, in time about linear in its length. What is not understood is unknown, never guessed: with one
    /// exception, sums with launch parameters in them are taken not to overflow where 32 bits become 64.
    pub fn compute(chunk: &Chunk, program: &Program) -> Self {
        let flow::Outcome { forms, accesses, trips } = flow::run(chunk, program);
        Self { forms, accesses, trips, arch: program.arch.clone() }
    }

    /// The byte address that an instruction's lanes use; of a copy, the one that it reads from.
    ///
    /// `None` where it is not known or no sum of symbols, and for what is no access to memory. Shared and local addresses
    /// count modulo 2^32.
    pub fn access(&self, inst: usize) -> Option<&Affine> {
        let access = self.accesses.get(&u32::try_from(inst).ok()?)?;
        access.address.map(|form| self.forms.affine(form))
    }

    /// The address in shared memory that an `LDGSTS` writes to; `None` for others, and where it is not known.
    pub fn copy_destination(&self, inst: usize) -> Option<&Affine> {
        let access = self.accesses.get(&u32::try_from(inst).ok()?)?;
        access.destination.map(|form| self.forms.affine(form))
    }

    /// Returns the trip count of the loop that the branch at that instruction ends, for each time that the loop is
    /// entered.
    ///
    /// `None` where the code does not say: more than one exit or way back, an end that depends on anything but the passes.
    pub fn trips(&self, branch: usize) -> Option<u32> {
        self.trips.get(&u32::try_from(branch).ok()?).copied()
    }

    /// The value of a form, where `value` gives those of its symbols; it is not asked for terms. `None` where it does not.
    pub fn evaluate(&self, affine: &Affine, value: impl Fn(Symbol) -> Option<i64>) -> Option<i64> {
        self.forms.evaluate(affine, &value)
    }

    /// True if a symbol may differ from lane to lane.
    pub fn varies(&self, symbol: Symbol) -> bool {
        self.forms.symbol_varies(symbol)
    }

    /// Passes that an access to shared memory takes, see [`shared`].
    ///
    /// Loop counters have the value of their first pass. What is the same in all lanes but unknown is left out, as it
    /// only rotates the banks. `None` for other instructions, if the lanes' part is unknown, or if lanes access less
    /// than a word at an unknown offset in it.
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
        // Below the width of a word it matters where in it the base is.
        let is_whole = |&(_, coefficient): &(Symbol, i64)| coefficient % i64::from(word) == 0;
        if size < word && !affine.terms().iter().filter(|t| base.contains(&t.0)).all(is_whole) {
            return None;
        }
        // Above, the base is what makes the first lane's address a multiple of its size.
        let first = request.addresses[request.active.trailing_zeros() as usize % request.addresses.len()];
        let off = if size < word { 0 } else { first % u64::from(size.max(1)) };
        for address in &mut request.addresses {
            *address = u64::from(address.wrapping_sub(off) as u32);
        }
        shared(&self.arch, access.kind, bytes, &request).map(|found| found.taken)
    }

    /// Lines of 128 bytes that an access to global memory touches, see [`global`].
    ///
    /// Loop counters have the value of their first pass. What is the same in all lanes but unknown (pointers,
    /// parameters) is assumed to be aligned to a line. `None` for other instructions, and if the lanes' part is
    /// unknown.
    pub fn lines(&self, inst: usize, lanes: &WarpThreads) -> Option<u32> {
        let access = self.accesses.get(&u32::try_from(inst).ok()?)?;
        if !matches!(access.memory.space, MemorySpace::Global | MemorySpace::Generic) {
            return None;
        }
        let (request, _) = self.of_lanes(access.address?, lanes)?;
        global(&self.arch, u32::from(access.memory.bytes_per_lane), &request).map(|found| found.lines)
    }

    /// Each lane's address without the symbols that are the same in all lanes but not known, and those.
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
