//! One integer per lane of a warp, with the arithmetic of C++.

use super::per_lane::PerLane;
use super::strided::{self, Strided};
use super::symbols::{Symbols, UniformSymbol};
use crate::cuda::source::types::IntType;
use std::sync::Arc;
use syntax::cuda::BinaryOp;

/// One integer per lane: `base + at[lane]`, or `at[lane]` without a base. The value of a lane that is not in
/// `known` is arbitrary.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    pub of: IntType,
    pub known: u32,
    pub base: Option<UniformSymbol>,
    pub at: PerLane,
    /// True if the number comes from the launch or from memory, so that the compiler knows neither its value
    /// nor whether it is a power of two. If false, the compiler may know the number.
    pub is_runtime: bool,
    /// Strided form of the numbers in lanes that are not `known`; `None` if the numbers have no such form.
    pub strided: Option<Arc<Strided>>,
}

/// Equality ignores whether the compiler knows the numbers, and ignores their strided forms.
impl PartialEq for Lanes {
    fn eq(&self, other: &Self) -> bool {
        (self.of, self.known, self.base, &self.at) == (other.of, other.known, other.base, &other.at)
    }
}

/// Masks of the lanes for which a condition holds, and of the lanes for which it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LaneCondition {
    pub holds: u32,
    pub unknown: u32,
    /// True if the condition has the same value in all lanes.
    pub is_shared: bool,
}

impl Lanes {
    pub(crate) fn all(of: IntType, value: i64) -> Self {
        Self {
            of,
            known: u32::MAX,
            base: None,
            at: PerLane::All(of.wrap(value)),
            is_runtime: false,
            strided: None,
        }
    }

    pub(crate) fn unknown(of: IntType) -> Self {
        Self { of, known: 0, base: None, at: PerLane::All(0), is_runtime: false, strided: None }
    }

    pub(crate) fn symbol(of: IntType, symbol: UniformSymbol) -> Self {
        Self {
            of,
            known: u32::MAX,
            base: Some(symbol),
            at: PerLane::All(0),
            is_runtime: false,
            strided: None,
        }
    }

    /// Marks the numbers as coming from the launch or from memory.
    pub(crate) fn runtime(self) -> Self {
        Self { is_runtime: true, ..self }
    }

    /// Returns the value of [`Self::at`] that all lanes in `mask` share; `None` if the lanes differ or a lane
    /// is unknown.
    pub(crate) fn shared(&self, mask: u32) -> Option<i64> {
        if self.known & mask == mask { self.at.shared(mask) } else { None }
    }

    /// Returns the number that all lanes in `mask` share. `None` if the lanes differ, a lane is unknown, or
    /// the number has an unknown `base`.
    pub(crate) fn constant(&self, mask: u32) -> Option<i64> {
        self.shared(mask).filter(|_| self.base.is_none())
    }

    /// Converts the numbers to another integer type.
    pub(crate) fn to(&self, of: IntType) -> Self {
        let mut value = self.clone();
        value.of = of;
        value.wrap();
        if of.bytes < IntType::INT.bytes {
            value.strided = None;
        }
        value
    }

    /// Makes the lanes in `mask` unknown.
    pub(crate) fn forget(&mut self, mask: u32) {
        self.known &= !mask;
        self.strided = None;
    }

    fn wrap(&mut self) {
        if self.base.is_none() && self.of.bytes < 8 {
            let of = self.of;
            self.at = self.at.map(|each| of.wrap(each));
        }
    }

    /// Replaces the lanes in `mask` with the lanes of `new`. If the bases differ, all other lanes become
    /// unknown.
    pub(crate) fn merged(&self, mask: u32, new: &Self) -> Self {
        if mask == u32::MAX {
            return new.to(self.of);
        }
        let new = new.to(self.of);
        let mut merged = self.clone();
        merged.is_runtime |= new.is_runtime;
        if self.base != new.base {
            // Only one base can be represented: the base of the written lanes is retained.
            merged.base = new.base;
            merged.known &= mask;
        }
        merged.at = merged.at.replaced(mask, &new.at);
        merged.known = merged.known & !mask | new.known & mask;
        merged.strided = new
            .strided
            .map(|strided| Arc::new(Strided { known: strided.known & mask, ..(*strided).clone() }));
        merged
    }

    pub(crate) fn binary(&self, op: BinaryOp, other: &Self, mask: u32, symbols: &mut Symbols) -> Self {
        // The compiler knows that `1 << n` is a power of two.
        let is_runtime = self.is_runtime || other.is_runtime && op != BinaryOp::ShiftLeft;
        let mut result = self.computed(op, other, mask, symbols);
        result.is_runtime = is_runtime;
        if result.known & mask == 0 && mask != 0 {
            result.strided = strided::result(self, op, other, mask, symbols).map(Arc::new);
        }
        result
    }

    fn computed(&self, op: BinaryOp, other: &Self, mask: u32, symbols: &mut Symbols) -> Self {
        let shifts = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let of = if shifts { self.of.joined(IntType::INT) } else { self.of.joined(other.of) };
        if self.base.is_some() || other.base.is_some() {
            return self.with_base(op, other, of, mask, symbols);
        }
        let known = self.known & other.known;
        let plain = |known, at| Self { of, known, base: None, at, is_runtime: false, strided: None };
        // Both operands are first converted to the type of the operation.
        let each = |f: fn(i64, i64) -> i64| {
            plain(known, self.at.with(&other.at, |left, right| of.wrap(f(of.wrap(left), of.wrap(right)))))
        };
        match op {
            BinaryOp::Add => each(i64::wrapping_add),
            BinaryOp::Subtract => each(i64::wrapping_sub),
            BinaryOp::Multiply => each(i64::wrapping_mul),
            BinaryOp::And => each(|left, right| left & right),
            _ => {
                let computed = |left: i64, right: i64| {
                    compute(op, of, of.wrap(left), if shifts { right } else { of.wrap(right) })
                };
                let at = self.at.with(&other.at, |left, right| of.wrap(computed(left, right).unwrap_or(0)));
                plain(known & self.at.holds(&other.at, |left, right| computed(left, right).is_some()), at)
            }
        }
    }

    fn with_base(&self, op: BinaryOp, other: &Self, of: IntType, mask: u32, symbols: &mut Symbols) -> Self {
        let known = self.known & other.known;
        let each = |f: fn(i64, i64) -> i64| self.at.with(&other.at, f);
        match op {
            BinaryOp::Add => {
                let base = symbols.joined(self.base, other.base);
                return Self {
                    of,
                    known,
                    base,
                    at: each(i64::wrapping_add),
                    is_runtime: false,
                    strided: None,
                };
            }
            BinaryOp::Subtract if self.base == other.base => {
                return Self {
                    of,
                    known,
                    base: None,
                    at: each(i64::wrapping_sub),
                    is_runtime: false,
                    strided: None,
                };
            }
            BinaryOp::Subtract => {
                let minus = other.base.and_then(|base| symbols.scaled(base, -1));
                let base = symbols.joined(self.base, minus);
                return Self {
                    of,
                    known,
                    base,
                    at: each(i64::wrapping_sub),
                    is_runtime: false,
                    strided: None,
                };
            }
            BinaryOp::Multiply => {
                for (one, other) in [(self, other), (other, self)] {
                    if let (Some(base), Some(times)) = (one.base, other.constant(mask)) {
                        let at = one.at.map(|each| each.wrapping_mul(times));
                        return Self {
                            of,
                            known,
                            base: symbols.scaled(base, times),
                            at,
                            is_runtime: false,
                            strided: None,
                        };
                    }
                }
            }
            BinaryOp::ShiftLeft => {
                if let Some(by) = other.constant(mask).filter(|by| (0..32).contains(by)) {
                    let times = Self::all(IntType::LONG, 1 << by);
                    return Self { of, ..self.computed(BinaryOp::Multiply, &times, mask, symbols) };
                }
            }
            // If the base is a multiple of 2^n, the lowest n bits depend only on `at`.
            BinaryOp::And | BinaryOp::Remainder => {
                if let (Some(base), Some(by)) = (self.base, other.constant(mask)) {
                    let by = if op == BinaryOp::And { by.wrapping_add(1) } else { by };
                    let is_power = by > 0 && by & (by - 1) == 0;
                    if is_power && symbols.multiple(base) % by == 0 {
                        let at = self.at.map(|each| each & (by - 1));
                        return Self { of, known, base: None, at, is_runtime: false, strided: None };
                    }
                }
            }
            _ => {}
        }
        match (self.shared(mask), other.shared(mask)) {
            (Some(left), Some(right)) => {
                Self::symbol(of, symbols.operation(op, (self.base, left), (other.base, right)))
            }
            _ => Self::unknown(of),
        }
    }

    /// Compares two values lane by lane. A size of unknown value is assumed to be greater than any known
    /// number.
    pub(crate) fn compare(&self, op: BinaryOp, other: &Self, symbols: &Symbols) -> LaneCondition {
        let known = self.known & other.known;
        if self.base != other.base {
            let size = |one: &Self, other: &Self| {
                one.base.is_some_and(|base| symbols.is_size(base)) && other.base.is_none()
            };
            let (is_greater, is_less) = (size(self, other), size(other, self));
            if !is_greater && !is_less {
                let is_shared = self.shared(self.known).is_some()
                    && other.shared(other.known).is_some()
                    && known == u32::MAX;
                return LaneCondition { is_shared, ..LaneCondition::UNKNOWN };
            }
            let holds = match op {
                BinaryOp::Less | BinaryOp::LessEqual => is_less,
                BinaryOp::Greater | BinaryOp::GreaterEqual => is_greater,
                BinaryOp::NotEqual => true,
                _ => false,
            };
            return LaneCondition { holds: if holds { known } else { 0 }, unknown: !known, is_shared: false };
        }
        let of = self.of.joined(other.of);
        let is_plain = self.base.is_none();
        let holds = self.at.holds(&other.at, |left, right| {
            let (left, right) = if is_plain { (of.wrap(left), of.wrap(right)) } else { (left, right) };
            let order =
                if is_plain && !of.is_signed { (left as u64).cmp(&(right as u64)) } else { left.cmp(&right) };
            match op {
                BinaryOp::Equal => order.is_eq(),
                BinaryOp::NotEqual => order.is_ne(),
                BinaryOp::Less => order.is_lt(),
                BinaryOp::LessEqual => order.is_le(),
                BinaryOp::Greater => order.is_gt(),
                _ => order.is_ge(),
            }
        });
        LaneCondition { holds: holds & known, unknown: !known, is_shared: false }
    }

    /// Returns the lanes whose number is not 0.
    pub(crate) fn truth(&self, symbols: &Symbols) -> LaneCondition {
        self.compare(BinaryOp::NotEqual, &Self::all(self.of, 0), symbols)
    }
}

impl LaneCondition {
    pub(crate) const ALL: Self = Self { holds: u32::MAX, unknown: 0, is_shared: true };
    pub(crate) const UNKNOWN: Self = Self { holds: 0, unknown: u32::MAX, is_shared: false };

    pub(crate) const fn not(self) -> Self {
        Self { holds: !self.holds & !self.unknown, ..self }
    }

    pub(crate) const fn both(self, other: Self) -> Self {
        let holds = self.holds & other.holds;
        let fails = (!self.holds & !self.unknown) | (!other.holds & !other.unknown);
        Self { holds, unknown: !holds & !fails, is_shared: self.is_shared && other.is_shared }
    }

    pub(crate) const fn either(self, other: Self) -> Self {
        self.not().both(other.not()).not()
    }

    pub(crate) fn as_lanes(self) -> Lanes {
        let ones = PerLane::All(0).replaced(self.holds, &PerLane::All(1));
        Lanes { known: !self.unknown, at: ones, ..Lanes::all(IntType::BOOL, 0) }
    }
}

/// Computes the result of one lane; `None` if C++ does not define the result.
fn compute(op: BinaryOp, of: IntType, left: i64, right: i64) -> Option<i64> {
    let bits = i64::from(of.bytes) * 8;
    let is_long = of.bytes == 8 && !of.is_signed;
    Some(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide if is_long => (left as u64).checked_div(right as u64)? as i64,
        BinaryOp::Remainder if is_long => (left as u64).checked_rem(right as u64)? as i64,
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::ShiftLeft if (0..bits).contains(&right) => left.wrapping_shl(right as u32),
        BinaryOp::ShiftRight if (0..bits).contains(&right) && is_long => ((left as u64) >> right) as i64,
        BinaryOp::ShiftRight if (0..bits).contains(&right) => left >> right,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        _ => return None,
    })
}
