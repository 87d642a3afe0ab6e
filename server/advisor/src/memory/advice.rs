//! Advice about source changes, chosen by the access pattern of a request.

use super::padding::padding;
use super::{Memory, Pattern, SimulatedLaunch};
use machine::Hardware;
use model::requests::{BankPicture, Request, SharedKind, global, is_reduction, shared};
use model::{Arch, MemorySpace};

/// Advice on atomic operations whose lanes update the same word.
pub(crate) const TURNS: &str = "Updates of the same word are serialised: combine them within the warp (shuffles) and let one lane update it.";

/// Advice on a bank conflict, as a sentence.
pub(crate) fn of_shared(
    memory: &Memory<'_>,
    inst: u32,
    kind: SharedKind,
    bytes: u32,
    request: &Request,
    picture: &BankPicture,
) -> String {
    let arch = &memory.program.arch;
    if kind.is_atomic() && shares_word(request, picture.lanes) {
        return TURNS.to_owned();
    }
    if let Some(adjacent) = free_adjacent(memory, inst, kind, bytes, request) {
        let wide = 16 * bytes;
        return format!(
            "{} accesses the adjacent bytes: access both at once, {wide} bits per lane.",
            at(memory, adjacent)
        );
    }
    padded(arch, kind, bytes, request, picture, granule(memory))
}

/// Advice to pad rows or to swizzle the index, as a sentence. The padding is a multiple of `granule` bytes.
pub(crate) fn padded(
    arch: &Arch,
    kind: SharedKind,
    bytes: u32,
    request: &Request,
    picture: &BankPicture,
    granule: u64,
) -> String {
    let found = padding(arch, kind, bytes, request, picture, granule);
    let structure = 2 * u64::from(arch.requests.sector_bytes.value);
    match (Pattern::classify(request), found) {
        (Pattern::Even(step), Some(found))
            if step.unsigned_abs() <= structure && found.row == step.unsigned_abs() =>
        {
            format!(
                "Let adjacent lanes access adjacent words, or insert {} bytes of padding after every {} bytes ({}).",
                found.bytes,
                found.row,
                then(found.wavefronts)
            )
        }
        (_, Some(found)) => format!(
            "Pad each {}-byte row by {} bytes ({}), or swizzle the index (column ^ row).",
            found.row,
            found.bytes,
            then(found.wavefronts)
        ),
        _ => "Swizzle the index (column ^ row); padding the rows does not help here.".to_owned(),
    }
}

/// True if the compiler will remove the bank conflict of an access. This is possible only before the SASS is
/// final. The compiler joins adjacent accesses that are known to be aligned. For lanes that update the same
/// address, it lets one lane execute the atomic operation.
pub(crate) fn will_be_joined(
    memory: &Memory<'_>,
    inst: u32,
    kind: SharedKind,
    bytes: u32,
    request: &Request,
) -> bool {
    let goes_as_one = || kind == SharedKind::Atomic && shares_word(request, request.active);
    // Four joined accesses include two adjacent ones, so an adjacent access exists in both cases.
    let arch = &memory.program.arch;
    let is_free = |times: u32| times * bytes <= 16 && is_free_at(arch, kind, times, bytes, request);
    let joins_others =
        || adjacent(memory, inst, bytes, MemorySpace::Shared).is_some() && [2, 4].into_iter().any(is_free);
    memory.source.is_some() && (goes_as_one() || joins_others())
}

/// An access to the adjacent bytes that can be joined with this access into a single access without bank
/// conflicts; `None` if there is none.
fn free_adjacent(
    memory: &Memory<'_>,
    inst: u32,
    kind: SharedKind,
    bytes: u32,
    request: &Request,
) -> Option<u32> {
    let arch = &memory.program.arch;
    adjacent(memory, inst, bytes, MemorySpace::Shared).filter(|_| is_free_at(arch, kind, 2, bytes, request))
}

/// True if an access `times` times as wide, which includes the adjacent bytes, has no bank conflicts.
fn is_free_at(arch: &Arch, kind: SharedKind, times: u32, bytes: u32, request: &Request) -> bool {
    let size = u64::from(times * bytes);
    let addresses = request.addresses.map(|address| address / size * size);
    let found = shared(arch, kind, times * bytes, &Request { active: request.active, addresses });
    found.is_some_and(|found| found.taken <= found.ideal)
}

/// Describes the remaining number of wavefronts: `leaves 1 wavefront`.
fn then(wavefronts: u32) -> String {
    format!("leaves {wavefronts} wavefront{}", if wavefronts == 1 { "" } else { "s" })
}

pub(crate) fn shares_word(request: &Request, lanes: u32) -> bool {
    let mut words = (0..32).filter(|lane| lanes >> lane & 1 == 1).map(|lane| request.addresses[lane] / 4);
    let first = words.next();
    words.all(|word| Some(word) == first)
}

/// The padding granularity in bytes that keeps the kernel's widest shared-memory accesses aligned.
fn granule(memory: &Memory<'_>) -> u64 {
    let accesses = memory.program.instructions.iter().filter_map(|inst| inst.memory);
    let shared = accesses.filter(|memory| memory.space == MemorySpace::Shared);
    let widest = shared.map(|memory| u64::from(memory.bytes_per_lane)).max().unwrap_or(0);
    let widest = widest.min(16).next_power_of_two();
    widest.max(u64::from(memory.program.arch.requests.shared_word.value))
}

/// Another load or store of the same kind, to the bytes directly before or after the bytes of this access. A
/// single access of twice the width can replace both accesses. `None` if there is no such access.
fn adjacent(memory: &Memory<'_>, inst: u32, bytes: u32, space: MemorySpace) -> Option<u32> {
    let own = memory.form(inst, false)?;
    let instructions = &memory.program.instructions;
    let same = instructions[inst as usize].memory?;
    let block = instructions[inst as usize].block;
    let bytes = i64::from(bytes);
    if bytes >= 16 || own.terms().iter().any(|&(_, times)| times % (2 * bytes) != 0) {
        return None;
    }
    (0..instructions.len() as u32).find(|&other| {
        let is_like = instructions[other as usize].memory.is_some_and(|memory| {
            memory.space == space
                && memory.bytes_per_lane == same.bytes_per_lane
                && (memory.loads, memory.stores) == (same.loads, same.stores)
        });
        is_like
            && instructions[other as usize].block == block
            && memory.form(other, false).is_some_and(|form| {
                let (low, high) = (own.constant().min(form.constant()), own.constant().max(form.constant()));
                form.terms() == own.terms() && high - low == bytes && low % (2 * bytes) == 0
            })
    })
}

/// Advice on sectors with unused bytes, as a sentence.
pub(crate) fn of_global(memory: &Memory<'_>, inst: u32, bytes: u32, request: &Request, limit: f64) -> String {
    let mnemonic = memory.chunk.mnemonic(&memory.chunk.instructions()[inst as usize]);
    if is_reduction(mnemonic) && shares_word(request, request.active) {
        return TURNS.to_owned();
    }
    let adjacent = || {
        let adjacent = adjacent(memory, inst, bytes, MemorySpace::Global)?;
        Some(format!(
            "{} accesses the adjacent bytes, so access {} bytes per lane at once",
            at(memory, adjacent),
            2 * bytes
        ))
    };
    coalesced(&memory.program.arch, (bytes, 0), request, limit, adjacent)
}

/// Advice on the use of complete sectors, as a sentence. `within` is the alignment in bytes of the structure whose
/// field is accessed, or 0. `adjacent` names an access to the adjacent bytes; `None` if there is no such access.
pub(crate) fn coalesced(
    arch: &Arch,
    (bytes, within): (u32, u32),
    request: &Request,
    limit: f64,
    adjacent: impl FnOnce() -> Option<String>,
) -> String {
    let sector = u64::from(arch.requests.sector_bytes.value);
    let widest = u64::from(Hardware::builtin().widest_access_bytes.value);
    let pattern = Pattern::classify(request);
    match pattern {
        Pattern::Even(step) if step.unsigned_abs() <= u64::from(bytes) && has_gaps(request.active) => {
            "The lanes between these are inactive, and their bytes are in the same sectors: access memory where all lanes run, or \
             branch by whole warps."
                .to_owned()
        }
        Pattern::Even(step) if step.unsigned_abs() <= u64::from(bytes) => {
            let least = at_best_alignment(arch, bytes, request)
                .filter(|least| f64::from(least.0) < limit * f64::from(least.1));
            if let Some((taken, _)) = least {
                let s = if taken == 1 { "" } else { "s" };
                return format!("Align the base to {sector} bytes to need only {taken} sector{s}.");
            }
            "Let fewer lanes access the same bytes, or use wider accesses.".to_owned()
        }
        Pattern::Even(step) if step.unsigned_abs() <= 2 * sector => {
            let step = step.unsigned_abs();
            let apart = if within > 0 { "use a structure of arrays" } else { "let adjacent lanes access adjacent elements" };
            match adjacent() {
                Some(adjacent) => format!("In the same lane, {adjacent}, or {apart}."),
                None if within > 0 => {
                    "This is an array of structures: use a structure of arrays so that adjacent lanes access adjacent bytes."
                        .to_owned()
                }
                None if step <= widest && step.is_power_of_two() => format!(
                    "Each lane uses {bytes} of {step} bytes: if it needs the others too, access all {step} at once; otherwise \
                     {apart}."
                ),
                None => format!("Each lane uses {bytes} of {step} bytes: {apart}, or stage the data through shared memory."),
            }
        }
        Pattern::Even(step) => format!(
            "Lanes walk down a column of {}-byte rows: let adjacent tid.x access adjacent addresses, or transpose \
             a tile through shared memory.",
            step.unsigned_abs()
        ),
        Pattern::Rows { lanes, step, .. } if step.unsigned_abs() <= u64::from(bytes) => format!(
            "Rows of {lanes} lanes end inside a sector. Let more lanes of a warp access each row, use wider \
             accesses, or align the rows to {sector} bytes."
        ),
        _ => "Let adjacent lanes access adjacent addresses, or stage the data through shared memory."
            .to_owned(),
    }
}

/// True if an inactive lane is between active lanes.
const fn has_gaps(active: u32) -> bool {
    let mask = if active == 0 { 0 } else { active >> active.trailing_zeros() };
    mask & mask.wrapping_add(1) != 0
}

/// The sectors that the request uses at the best alignment of its base address, and the minimum number of
/// sectors for its bytes.
pub(crate) fn at_best_alignment(arch: &Arch, bytes: u32, request: &Request) -> Option<(u32, u32)> {
    let sector = u64::from(arch.requests.sector_bytes.value);
    let step = u64::from(bytes.next_power_of_two().max(1));
    let all = (0..sector.div_ceil(step)).filter_map(|shift| {
        let addresses = request.addresses.map(|address| address.wrapping_add(shift * step));
        let found = global(arch, bytes, &Request { active: request.active, addresses })?;
        Some((found.taken, found.ideal))
    });
    all.min()
}

impl SimulatedLaunch {
    /// True if a request's sectors depend on the alignment of its arrays. An assumed launch does not
    /// determine the alignment.
    pub(crate) fn depends_on_alignment(
        &self,
        arch: &Arch,
        bytes: u32,
        request: &Request,
        limit: f64,
    ) -> bool {
        self.launch.assumed
            && at_best_alignment(arch, bytes, request)
                .is_none_or(|(taken, ideal)| f64::from(taken) < limit * f64::from(ideal))
    }
}

/// An instruction's name and position, for messages.
fn at(memory: &Memory<'_>, inst: u32) -> String {
    if let Some(source) = memory.source {
        return source.place(inst);
    }
    let instruction = &memory.chunk.instructions()[inst as usize];
    let name = memory.chunk.mnemonic(instruction);
    match instruction.address {
        Some(address) => format!("`{name}` at {address:#06x}"),
        None => format!("`{name}` (instruction {} of the kernel)", inst + 1),
    }
}
