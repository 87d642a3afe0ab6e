//! Searches for the row padding of a shared array that removes bank conflicts. Padding sizes are tried on the
//! addresses of a request.

use super::pattern::{LANES, Pattern};
use model::Arch;
use model::requests::{BankPicture, Request, SharedKind, shared};

/// Padding of `bytes` bytes after each row of `row` bytes, and the wavefront count of the padded request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding {
    pub row: u64,
    pub bytes: u64,
    pub wavefronts: u32,
}

/// Largest tried multiple of the granule.
const MAX_STEPS: u64 = 8; // limit: more padding wastes memory

/// The smallest padding with the fewest wavefronts; `None` if no padding reduces the wavefront count. The
/// padding is a multiple of `granule` bytes, so the widest accesses to the array stay aligned.
pub(super) fn padding(
    arch: &Arch,
    kind: SharedKind,
    bytes: u32,
    request: &Request,
    picture: &BankPicture,
    granule: u64,
) -> Option<Padding> {
    let taken = shared(arch, kind, bytes, request)?.taken;
    let mut best: Option<Padding> = None;
    for row in rows(request, picture, arch.resources.shared_bank_width.value) {
        for step in 1..=MAX_STEPS {
            let padding = step * granule;
            let moved = moved(request, row, padding);
            let Some(found) = shared(arch, kind, bytes, &moved) else { continue };
            if found.taken < best.map_or(taken, |best| best.wavefronts) {
                best = Some(Padding { row, bytes: padding, wavefronts: found.taken });
            }
        }
    }
    best
}

/// Candidate row lengths in bytes: distances between lanes, between rows of lanes, and between the lanes of
/// the busiest bank.
fn rows(request: &Request, picture: &BankPicture, width: u32) -> Vec<u64> {
    let mut rows = Vec::new();
    match Pattern::classify(request) {
        Pattern::Even(step) => rows.push(step.unsigned_abs()),
        Pattern::Rows { step, row, .. } => rows.extend([row.unsigned_abs(), step.unsigned_abs()]),
        // The first two of the eight matrix rows are one row length apart.
        _ => {
            let mut active = (0..LANES).filter(|lane| request.active >> lane & 1 == 1);
            let pair = active.next().zip(active.next());
            rows.extend(pair.map(|(one, other)| request.addresses[one].abs_diff(request.addresses[other])));
        }
    }
    let mates: Vec<u64> = (0..LANES)
        .filter(|lane| picture.lanes >> lane & 1 == 1)
        .map(|lane| request.addresses[lane])
        .collect();
    let first = mates.iter().copied().min().unwrap_or(0);
    rows.push(mates.iter().map(|address| address - first).fold(0, gcd));
    rows.retain(|row| *row > u64::from(width));
    rows
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn moved(request: &Request, row: u64, padding: u64) -> Request {
    let on = |lane: &usize| request.active >> lane & 1 == 1;
    let first = (0..LANES).filter(on).map(|lane| request.addresses[lane]).min().unwrap_or(0);
    let move_one = |address: u64| address + (address.saturating_sub(first) / row) * padding;
    Request { active: request.active, addresses: request.addresses.map(move_one) }
}

#[cfg(test)]
mod tests {
    use super::super::pattern::tests::request;
    use super::*;
    use machine::Machine;
    use model::requests::banks;

    fn found(bytes: u32, granule: u64, request: &Request) -> Option<Padding> {
        let arch = Machine::builtin().gpu_for_sm(90).arch;
        let picture = banks(&arch, SharedKind::Load, bytes, request)?;
        padding(&arch, SharedKind::Load, bytes, request, &picture, granule)
    }

    #[test]
    fn one_padding_word_per_row_removes_column_conflicts() {
        let expected = |row, bytes, wavefronts| Some(Padding { row, bytes, wavefronts });
        assert_eq!(found(4, 4, &request(|lane| 128 * lane)), expected(128, 4, 1));
        assert_eq!(found(4, 4, &request(|lane| 32 * lane)), expected(32, 4, 1));
        // A padding of 16 bytes uses only every fourth column.
        assert_eq!(found(4, 16, &request(|lane| 128 * lane)), expected(128, 16, 4));
        assert_eq!(found(4, 4, &request(|lane| 4 * lane)), None);
        // Sixteen rows of a matrix, as `wmma` loads them: finds one row, not four rows that share their banks.
        let matrix = request(|lane| 288 * (lane % 16) + 16 * (lane / 16));
        assert_eq!(found(16, 16, &matrix).map(|padding| padding.row), Some(288));
    }
}
