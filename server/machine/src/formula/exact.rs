//! Exact fractions of integers. A division in a formula keeps its remainder until `ceil` or `floor` is
//! applied.

use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exact {
    numerator: i128,
    denominator: i128,
}

impl Exact {
    pub(super) const fn whole(number: i128) -> Self {
        Self { numerator: number, denominator: 1 }
    }

    /// Returns a fraction in lowest terms; `None` if the denominator is zero, or if the fraction needs more
    /// than 128 bits.
    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a).ok()?;
        let sign = denominator.signum();
        let numerator = numerator.checked_div(divisor)?.checked_mul(sign)?;
        Some(Self { numerator, denominator: denominator.checked_div(divisor)?.checked_mul(sign)? })
    }

    /// The number if it is an integer; `None` otherwise.
    pub(super) const fn as_whole(self) -> Option<i128> {
        if self.denominator == 1 { Some(self.numerator) } else { None }
    }

    pub(super) fn as_float(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negated()?)
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Self::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    pub(super) fn over(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.denominator)?;
        Self::new(numerator, self.denominator.checked_mul(other.numerator)?)
    }

    /// Returns the Euclidean remainder of two integers, which is never negative; `None` for other operands,
    /// and for a divisor of zero.
    pub(super) fn modulo(self, other: Self) -> Option<Self> {
        let divisor = other.as_whole().filter(|divisor| *divisor != 0)?;
        let rest = self.as_whole()?.checked_rem_euclid(divisor)?;
        Some(Self::whole(rest))
    }

    pub(super) fn negated(self) -> Option<Self> {
        Some(Self { numerator: self.numerator.checked_neg()?, ..self })
    }

    pub(super) fn floor(self) -> Option<Self> {
        self.numerator.checked_div_euclid(self.denominator).map(Self::whole)
    }

    pub(super) fn ceil(self) -> Option<Self> {
        self.negated()?.floor()?.negated()
    }

    /// Compares two fractions; `None` if the comparison needs more than 128 bits.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        Some(self.minus(other)?.numerator.cmp(&0))
    }
}
