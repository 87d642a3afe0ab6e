//! Requests of a warp, from its lanes' addresses.

/// Threads of a warp: which block they are in, and which warp of it they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lanes {
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The warp's number in its block.
    pub warp: u32,
    /// The block's place in the grid.
    pub ctaid: [u32; 3],
}

impl Lanes {
    /// The first warp of the first block of that shape.
    pub fn first(block: [u32; 3]) -> Self {
        Self { block, warp: 0, ctaid: [0; 3] }
    }

    /// `threadIdx` of a lane; `None` beyond the block's last thread.
    pub fn tid(&self, lane: u32, warp_size: u32) -> Option<[u32; 3]> {
        let [x, y, z] = self.block.map(u64::from);
        let thread = u64::from(self.warp) * u64::from(warp_size) + u64::from(lane);
        let row = thread.checked_div(x)?;
        let plane = row.checked_div(y)?;
        (plane < z).then(|| [(thread % x) as u32, (row % y) as u32, plane as u32])
    }
}

/// Passes of a shared-memory access: lanes go in groups that move as many bytes as all banks have, and a group takes one
/// pass for each of the words that its lanes want from the busiest bank. Lanes that want the same word share it.
///
/// `addresses` in bytes, of the lanes that take part, in order; a number added to all of them changes nothing as long as
/// it is a multiple of the access's own size. `None` for addresses that are not aligned to each other, and where nothing
/// is moved. Source: CUDA C++ programming guide, shared memory; that wide accesses go in groups is measured (the shared
/// facts on an H100: LDS.64 takes 2 passes, LDS.128 takes 4).
pub fn wavefronts(addresses: &[i64], bytes_per_lane: u32, banks: u32, bank_width: u32) -> Option<u32> {
    let (banks, width) = (i64::from(banks), i64::from(bank_width));
    let first = *addresses.first()?;
    if bytes_per_lane == 0 || banks == 0 || width == 0 {
        return None;
    }
    let size = i64::from(bytes_per_lane.next_power_of_two());
    if addresses.iter().any(|address| address.wrapping_sub(first) % size != 0) {
        return None;
    }
    let base = if size < width { 0 } else { first.rem_euclid(width) };
    let words = i64::from(bytes_per_lane.div_ceil(bank_width));
    let group = (banks.cast_unsigned() / words.cast_unsigned().next_power_of_two()).max(1);
    let mut total = 0;
    for lanes in addresses.chunks(group as usize) {
        let first_words = lanes.iter().map(|address| address.wrapping_sub(base).div_euclid(width));
        let mut wanted: Vec<i64> =
            first_words.flat_map(|word| (0..words).map(move |at| word.wrapping_add(at))).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for word in &mut wanted {
            *word = word.rem_euclid(banks);
        }
        wanted.sort_unstable();
        total += wanted.chunk_by(|a, b| a == b).map(<[i64]>::len).max().unwrap_or(0);
    }
    u32::try_from(total).ok()
}

/// Distinct lines that a global access touches. `addresses` in bytes, of the lanes that take part.
///
/// `None` where no lane takes part.
pub fn lines(addresses: &[i64], bytes_per_lane: u32, line_bytes: u32) -> Option<u32> {
    let line = i64::from(line_bytes.max(1));
    let last = i64::from(bytes_per_lane.max(1)) - 1;
    let ends = addresses.iter().map(|&address| (address, address.wrapping_add(last)));
    let mut touched: Vec<i64> = ends.flat_map(|(a, b)| a.div_euclid(line)..=b.div_euclid(line)).collect();
    touched.sort_unstable();
    touched.dedup();
    (!addresses.is_empty()).then_some(touched.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(stride: i64) -> Vec<i64> {
        (0..32).map(|lane| lane * stride).collect()
    }

    #[test]
    fn banks_decide_over_wavefronts() {
        // Addresses, bytes of a lane, passes.
        let cases: &[(Vec<i64>, u32, u32)] = &[
            (strided(4), 4, 1),
            (strided(0), 4, 1),
            (strided(8), 4, 2),
            (strided(128), 4, 32),
            (strided(132), 4, 1),
            (strided(-4), 4, 1),
            (strided(1), 1, 1),
            (strided(2), 2, 1),
            (strided(8), 8, 2),
            (strided(16), 16, 4),
            (strided(16), 8, 4),
            (strided(32), 16, 8),
            (strided(0), 16, 4),
            (strided(4).iter().map(|address| address + 4 * 17).collect(), 4, 1),
        ];
        for (addresses, bytes, expected) in cases {
            assert_eq!(wavefronts(addresses, *bytes, 32, 4), Some(*expected), "{addresses:?} x {bytes}");
        }
        assert_eq!(wavefronts(&strided(2), 4, 32, 4), None, "not aligned");
        assert_eq!(wavefronts(&[], 4, 32, 4), None);
        assert_eq!(wavefronts(&strided(8), 8, 32, 8), Some(1), "wide banks");
    }

    #[test]
    fn lines_are_counted_once() {
        let cases = [(4, 4, 1), (8, 4, 2), (0, 4, 1), (128, 4, 32), (16, 16, 4), (1, 1, 1), (-4, 4, 2)];
        for (stride, bytes, expected) in cases {
            assert_eq!(lines(&strided(stride), bytes, 128), Some(expected), "{stride} x {bytes}");
        }
        let shifted: Vec<i64> = strided(4).iter().map(|address| address + 64).collect();
        assert_eq!(lines(&shifted, 4, 128), Some(2));
        assert_eq!(lines(&[], 4, 128), None);
    }

    #[test]
    fn threads_are_numbered_x_first() {
        let lanes = Lanes { block: [8, 4, 2], warp: 1, ctaid: [0; 3] };
        assert_eq!(lanes.tid(0, 32), Some([0, 0, 1]));
        assert_eq!(lanes.tid(9, 32), Some([1, 1, 1]));
        let small = Lanes::first([5, 1, 1]);
        assert_eq!((small.tid(4, 32), small.tid(5, 32)), (Some([4, 0, 0]), None));
        assert_eq!(Lanes::first([0, 0, 0]).tid(0, 32), None);
    }
}
