//! Contents of a register in the 32 lanes of a warp, known or unknown per lane.

pub(super) use machine::units::LANES as WARP;

/// Mask of all lanes of a warp.
pub(super) const ALL: u32 = u32::MAX; // Source: 32 lanes

/// Values of a 32-bit register in the lanes of a warp. The value of a lane may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes {
    /// Value of each lane; arbitrary in lanes whose value is unknown.
    pub(super) values: [u32; WARP],
    /// Mask of the lanes whose value is known.
    pub(super) known: u32,
}

/// A predicate in each lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Flags {
    /// Mask of the lanes in which the predicate is true; 0 in lanes in which it is unknown.
    pub(super) values: u32,
    pub(super) known: u32,
}

impl Lanes {
    pub(super) const UNKNOWN: Self = Self { values: [0; WARP], known: 0 };
    pub(super) const ZERO: Self = Self::splat(0);

    pub(super) const fn splat(value: u32) -> Self {
        Self { values: [value; WARP], known: ALL }
    }

    pub(super) fn from_fn(value: impl Fn(u32) -> u32) -> Self {
        Self { values: std::array::from_fn(|lane| value(lane as u32)), known: ALL }
    }

    pub(super) fn map(&self, value: impl Fn(u32) -> u32) -> Self {
        Self { values: self.values.map(value), known: self.known }
    }

    pub(super) fn zip(&self, other: &Self, value: impl Fn(u32, u32) -> u32) -> Self {
        let mut values = [0; WARP];
        for (into, (a, b)) in values.iter_mut().zip(self.values.iter().zip(&other.values)) {
            *into = value(*a, *b);
        }
        Self { values, known: self.known & other.known }
    }

    pub(super) fn zip3(&self, b: &Self, c: &Self, value: impl Fn(u32, u32, u32) -> u32) -> Self {
        let mut values = [0; WARP];
        for (lane, into) in values.iter_mut().enumerate() {
            *into = value(self.values[lane], b.values[lane], c.values[lane]);
        }
        Self { values, known: self.known & b.known & c.known }
    }

    /// Applies `value` to each known lane. A lane for which `value` returns `None` becomes unknown.
    pub(super) fn try_map(&self, value: impl Fn(u32) -> Option<u32>) -> Self {
        let mut result = Self { values: [0; WARP], known: self.known };
        for (lane, into) in result.values.iter_mut().enumerate() {
            match value(self.values[lane]) {
                Some(value) => *into = value,
                None => result.known &= !(1 << lane),
            }
        }
        result
    }

    /// Returns a predicate that is true in the lanes in which `holds` is true for the two values.
    pub(super) fn test(&self, other: &Self, holds: impl Fn(u32, u32) -> bool) -> Flags {
        // With one byte per lane, several lanes are compared at a time; then eight bytes become eight bits.
        let mut bytes = [0_u8; WARP];
        for (into, (a, b)) in bytes.iter_mut().zip(self.values.iter().zip(&other.values)) {
            *into = u8::from(holds(*a, *b));
        }
        let mut values = 0;
        for (at, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
            values |= gathered(*eight) << (8 * at);
        }
        Flags { values, known: self.known & other.known }.tidy()
    }

    /// Copies the lanes `on` from `new`; the lanes `maybe` become unknown unless both values are equal.
    pub(super) fn write(&mut self, new: &Self, on: u32, maybe: u32) {
        if on == ALL {
            *self = *new;
            return;
        }
        for lane in 0..WARP {
            if on >> lane & 1 == 1 {
                self.values[lane] = new.values[lane];
            }
        }
        self.known = self.known & !on | new.known & on;
        let mut doubtful = maybe & self.known;
        while doubtful != 0 {
            let lane = doubtful.trailing_zeros() as usize;
            doubtful &= doubtful - 1;
            if new.known >> lane & 1 == 0 || new.values[lane] != self.values[lane] {
                self.known &= !(1 << lane);
            }
        }
    }
}

/// Packs eight bytes that are 0 or 1 into bits, the first byte lowest. The product gathers the bits in its
/// top byte.
const fn gathered(bytes: [u8; 8]) -> u32 {
    (u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

impl Flags {
    pub(super) const TRUE: Self = Self { values: ALL, known: ALL };
    pub(super) const FALSE: Self = Self { values: 0, known: ALL };
    pub(super) const UNKNOWN: Self = Self { values: 0, known: 0 };

    const fn tidy(self) -> Self {
        Self { values: self.values & self.known, known: self.known }
    }

    pub(super) const fn not(self) -> Self {
        Self { values: !self.values & self.known, known: self.known }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        // A lane is also known where one of the two is known to be false.
        let known = self.known & other.known | self.known & !self.values | other.known & !other.values;
        Self { values: self.values & other.values, known }
    }

    pub(super) const fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    pub(super) const fn xor(self, other: Self) -> Self {
        Self { values: self.values ^ other.values, known: self.known & other.known }.tidy()
    }

    /// Combines three predicates by an 8-bit truth table: bit `4 a + 2 b + c` is the result. The result is
    /// known in lanes in which the known inputs determine it.
    pub(super) fn table(table: u8, a: Self, b: Self, c: Self) -> Self {
        let any_row = |result: u8| {
            let rows = (0..8_u8).filter(|row| table >> row & 1 == result);
            rows.fold(Self::FALSE, |any, row| {
                let pick = |flags: Self, bit: u8| if row & bit == 0 { flags.not() } else { flags };
                any.or(pick(a, 4).and(pick(b, 2)).and(pick(c, 1)))
            })
        };
        let (yes, no) = (any_row(1), any_row(0));
        let (never, always) = (yes.known & !yes.values, no.known & !no.values);
        Self { values: always, known: always | never }
    }

    pub(super) fn write(&mut self, new: Self, on: u32, maybe: u32) {
        self.values = self.values & !on | new.values & on;
        self.known = self.known & !on | new.known & on;
        let same = self.known & new.known & !(self.values ^ new.values);
        self.known &= !maybe | same;
        self.values &= self.known;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_may_happen_leaves_only_what_it_would_not_change() {
        let mut old = Lanes::splat(3);
        let new = Lanes::from_fn(|lane| if lane < 4 { 3 } else { 5 });
        old.write(&new, 0b1_0000, ALL & !0b1_0000);
        assert_eq!(old.known, 0b1_1111);
        assert_eq!((old.values[3], old.values[4]), (3, 5));
    }

    #[test]
    fn a_test_has_a_result_per_lane() {
        for seed in 0..200_u32 {
            let mixed = |lane: u32| (seed * 32 + lane).wrapping_mul(0x9e37_79b9) >> 30;
            let (a, b) = (Lanes::from_fn(mixed), Lanes::from_fn(|lane| mixed(lane + 7)));
            let expected =
                (0..32).fold(0, |bits, lane| bits | u32::from(mixed(lane) < mixed(lane + 7)) << lane);
            assert_eq!(a.test(&b, |a, b| a < b).values, expected, "{seed}");
        }
    }

    #[test]
    fn tables_know_what_their_known_inputs_decide() {
        let half = Flags { values: 0x00ff, known: 0xffff };
        // a & b & c with `c` unknown is false where `a` is false.
        let and = Flags::table(0x80, half, Flags::TRUE, Flags::UNKNOWN);
        assert_eq!(and, Flags { values: 0, known: 0xff00 });
        let or = Flags::table(0xfe, half, Flags::FALSE, Flags::UNKNOWN);
        assert_eq!(or, Flags { values: 0x00ff, known: 0x00ff });
        assert_eq!(Flags::table(0x3c, half, Flags::TRUE, Flags::UNKNOWN), half.not());
        assert_eq!(Flags::table(0xff, Flags::UNKNOWN, Flags::UNKNOWN, Flags::UNKNOWN), Flags::TRUE);
        assert_eq!(Flags::table(0x00, Flags::UNKNOWN, half, Flags::UNKNOWN), Flags::FALSE);
    }
}
