//! Per-lane values with an unknown uniform stride, such as `row * width + column`.

use super::lanes::Lanes;
use super::per_lane::{LANES, PerLane};
use super::symbols::{Symbols, UniformSymbol};
use crate::requests::Request;
use syntax::cuda::BinaryOp;

/// One number per lane: `base + at[lane] + times[lane] * by`.
#[derive(Debug, Clone)]
pub(crate) struct Strided {
    pub by: UniformSymbol,
    pub times: PerLane,
    pub base: Option<UniformSymbol>,
    pub at: PerLane,
    /// Mask of the lanes for which this form is valid.
    pub known: u32,
}

/// A request whose lane addresses differ by multiples of an unknown uniform stride.
#[derive(Debug, Clone, PartialEq)]
pub struct StridedRequest {
    pub(crate) by: UniformSymbol,
    /// The stride, as a source expression.
    pub number: String,
    /// Bytes that each lane accesses.
    pub bytes: u32,
    /// Bytes by which the address of each lane grows if the stride grows by 1.
    pub times: [i64; LANES],
    /// The request with the stride [`Self::LARGE`].
    pub large: Request,
    /// Trial values of the stride in ascending order, as (stride, sectors taken, sectors needed).
    pub sectors: Vec<(i64, u32, u32)>,
}

impl StridedRequest {
    /// A stride much larger than a sector, and a multiple of the sector size.
    pub const LARGE: i64 = 1 << 20; // limit: any larger stride gives the same sectors
}

/// Iterates over the trial values of the stride: 1 to one more than the bytes of a sector, and two large values. The
/// largest small value places each byte in a separate sector.
pub(crate) fn tried() -> impl Iterator<Item = i64> {
    // limit: one more than the bytes of a sector.
    const SMALL: i64 = 33;
    (1..=SMALL).chain([StridedRequest::LARGE, StridedRequest::LARGE + 1])
}

/// Returns the strided form of an operation's unknown result; `None` if the result has no such form.
pub(crate) fn result(
    left: &Lanes,
    op: BinaryOp,
    right: &Lanes,
    mask: u32,
    symbols: &mut Symbols,
) -> Option<Strided> {
    match op {
        BinaryOp::Multiply => scaled(left, right, mask, symbols)
            .or_else(|| scaled(right, left, mask, symbols))
            .or_else(|| product(left, right, mask, symbols).or_else(|| product(right, left, mask, symbols))),
        BinaryOp::ShiftLeft => {
            let by = right.constant(mask).filter(|by| (0..32).contains(by))?;
            scaled(left, &Lanes::all(left.of, 1 << by), mask, symbols)
        }
        BinaryOp::Add | BinaryOp::Subtract => sum(left, right, op == BinaryOp::Subtract, symbols),
        _ => None,
    }
}

/// Returns the product of `each`, whose lanes are known up to their base, and `shared`, an unknown number
/// that all lanes share. `None` if `shared` has no base or differs between lanes.
fn product(each: &Lanes, shared: &Lanes, mask: u32, symbols: &mut Symbols) -> Option<Strided> {
    let (whole, rest) = (shared.base?, shared.shared(mask)?);
    let base =
        each.base.map(|own| symbols.operation(BinaryOp::Multiply, (Some(own), 0), (Some(whole), rest)));
    let (by, factor) = symbols.factored(whole);
    let known = each.known & mask;
    let [times, at] = [factor, rest].map(|by| each.at.map(|at| at.wrapping_mul(by)));
    (known != 0).then_some(Strided { by, times, base, at, known })
}

/// Multiplies a strided number by a constant; `None` if `of` is not strided or `by` is not constant.
fn scaled(of: &Lanes, by: &Lanes, mask: u32, symbols: &mut Symbols) -> Option<Strided> {
    let (strided, by) = (of.strided.as_deref()?, by.constant(mask)?);
    let base = strided.base.and_then(|base| symbols.scaled(base, by));
    let [times, at] = [&strided.times, &strided.at].map(|all| all.map(|each| each.wrapping_mul(by)));
    Some(Strided { by: strided.by, times, base, at, known: strided.known })
}

/// Computes a sum or a difference with at least one strided operand; `None` if the strides of two operands
/// differ.
fn sum(left: &Lanes, right: &Lanes, is_difference: bool, symbols: &mut Symbols) -> Option<Strided> {
    if left.strided.is_none() && right.strided.is_none() {
        return None;
    }
    let (one, other) = (Parts::from_lanes(left), Parts::from_lanes(right));
    let by = match (one.by, other.by) {
        (Some(one), Some(other)) if one != other => return None,
        (one, other) => one.or(other)?,
    };
    let sign = if is_difference { -1 } else { 1 };
    let other_base = other.base.and_then(|base| symbols.scaled(base, sign));
    let base = symbols.joined(one.base, other_base);
    let added = |one: &PerLane, other: &PerLane| {
        one.with(other, |one, other| one.wrapping_add(other.wrapping_mul(sign)))
    };
    let known = one.known & other.known;
    let (times, at) = (added(&one.times, &other.times), added(&one.at, &other.at));
    (known != 0 && times != PerLane::All(0)).then_some(Strided { by, times, base, at, known })
}

/// The terms of [`Strided`], for a number that is known or strided. `by` is `None` for a known number.
struct Parts {
    by: Option<UniformSymbol>,
    times: PerLane,
    base: Option<UniformSymbol>,
    at: PerLane,
    known: u32,
}

impl Parts {
    fn from_lanes(lanes: &Lanes) -> Self {
        if let Some(Strided { by, times, base, at, known }) = lanes.strided.as_deref() {
            let (times, at) = (times.clone(), at.clone());
            return Self { by: Some(*by), times, base: *base, at, known: *known };
        }
        let (times, at) = (PerLane::All(0), lanes.at.clone());
        Self { by: None, times, base: lanes.base, at, known: lanes.known }
    }
}
