//! Patterns in the addresses of a request.

use model::requests::{Request, SharedKind};
use model::{Chunk, Program};
use std::fmt;

pub(super) use machine::units::LANES;

/// Pattern of the lanes' addresses in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// At most one lane is active.
    Single,
    /// All lanes access the same address.
    Same,
    /// The address of each lane is this number of bytes after the address of the previous lane.
    Even(i64),
    /// Rows of `lanes` lanes: `step` bytes from lane to lane within a row, and `row` bytes from row to row.
    Rows { lanes: u32, step: i64, row: i64 },
    /// No regular pattern. The addresses span this number of bytes.
    Scattered(u64),
}

impl Pattern {
    /// Classifies the addresses of the active lanes. Fewer than two active lanes are [`Self::Single`].
    pub fn classify(request: &Request) -> Self {
        let lanes: Vec<(usize, u64)> = (0..LANES)
            .filter(|lane| request.active >> lane & 1 == 1)
            .map(|lane| (lane, request.addresses[lane]))
            .collect();
        let [first, second, ..] = lanes.as_slice() else { return Self::Single };
        let between = |a: &(usize, u64), b: &(usize, u64)| b.1.wrapping_sub(a.1).cast_signed();
        let least = lanes.iter().map(|lane| lane.1).min().unwrap_or(0);
        let span = lanes.iter().map(|lane| lane.1 - least).max().unwrap_or(0);
        if span == 0 {
            return Self::Same;
        }
        // Number of lanes between the two addresses. The lanes in between are inactive.
        let away = (second.0 - first.0) as i64;
        let step = between(first, second);
        if step % away == 0 {
            let step = step / away;
            let is_even =
                |pair: &[(usize, u64)]| between(&pair[0], &pair[1]) == step * (pair[1].0 - pair[0].0) as i64;
            if lanes.windows(2).all(is_even) {
                return Self::Even(step);
            }
        }
        Self::rows(&lanes, step).unwrap_or(Self::Scattered(span))
    }

    /// Classifies consecutive active lanes from lane 0 as rows whose length is a power of two.
    fn rows(lanes: &[(usize, u64)], step: i64) -> Option<Self> {
        if lanes.windows(2).any(|pair| pair[1].0 != pair[0].0 + 1) || lanes[0].0 != 0 {
            return None;
        }
        let at = |lane: usize| lanes[lane].1.cast_signed();
        [2, 4, 8, 16].into_iter().find_map(|length: usize| {
            let row = lanes.get(length)?.1.cast_signed().wrapping_sub(at(0));
            let fits = (0..lanes.len()).all(|lane| {
                let (line, column) = (lane / length, lane % length);
                at(lane).wrapping_sub(at(0)) == line as i64 * row + column as i64 * step
            });
            fits.then_some(Self::Rows { lanes: length as u32, step, row })
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Single => f.write_str("only one lane is active"),
            Self::Same => f.write_str("all lanes access the same address"),
            Self::Even(1 | -1) => f.write_str("lanes are 1 byte apart"),
            Self::Even(step) => write!(f, "lanes are {} bytes apart", step.unsigned_abs()),
            Self::Rows { lanes, step: 0, row } => {
                write!(
                    f,
                    "each group of {lanes} lanes accesses one address; groups are {} bytes apart",
                    row.unsigned_abs()
                )
            }
            Self::Rows { lanes, step, row: 0 } => {
                write!(f, "{lanes} addresses, {} bytes apart, are accessed repeatedly", step.unsigned_abs())
            }
            Self::Rows { lanes, step, row } => write!(
                f,
                "rows of {lanes} lanes: {} bytes between lanes, {} between rows",
                step.unsigned_abs(),
                row.unsigned_abs()
            ),
            Self::Scattered(bytes) => write!(f, "lanes are scattered over {bytes} bytes"),
        }
    }
}

/// Kind of the shared-memory access that an instruction performs.
pub fn kind(chunk: &Chunk, program: &Program, inst: u32) -> SharedKind {
    let instruction = &chunk.instructions()[inst as usize];
    let memory = program.instructions[inst as usize].memory;
    let (loads, stores) = memory.map_or((false, false), |memory| (memory.loads, memory.stores));
    SharedKind::decode(chunk.mnemonic(instruction), chunk.modifiers(instruction), loads, stores)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a request in which all lanes are active, with the addresses that `address` returns.
    pub(crate) fn request(address: impl Fn(u64) -> u64) -> Request {
        Request { active: u32::MAX, addresses: std::array::from_fn(|lane| address(lane as u64)) }
    }

    #[test]
    fn patterns_are_distinguished() {
        let cases: &[(Request, Pattern, &str)] = &[
            (request(|_| 64), Pattern::Same, "all lanes access the same address"),
            (request(|lane| 4096 * lane), Pattern::Even(4096), "lanes are 4096 bytes apart"),
            (request(|lane| 4096 - 4 * lane), Pattern::Even(-4), "lanes are 4 bytes apart"),
            (
                request(|lane| lane % 16 * 4 + lane / 16 * 8192),
                Pattern::Rows { lanes: 16, step: 4, row: 8192 },
                "rows of 16 lanes: 4 bytes between lanes, 8192 between rows",
            ),
            (
                request(|lane| lane / 8 * 128),
                Pattern::Rows { lanes: 8, step: 0, row: 128 },
                "each group of 8 lanes accesses one address; groups are 128 bytes apart",
            ),
            (
                request(|lane| lane * lane * 4),
                Pattern::Scattered(3844),
                "lanes are scattered over 3844 bytes",
            ),
            (Request { active: 4, ..request(|_| 0) }, Pattern::Single, "only one lane is active"),
            (
                Request { active: 0x55, ..request(|lane| 4 * lane) },
                Pattern::Even(4),
                "lanes are 4 bytes apart",
            ),
        ];
        for (request, pattern, text) in cases {
            assert_eq!(Pattern::classify(request), *pattern);
            assert_eq!(pattern.to_string(), *text);
        }
    }
}
