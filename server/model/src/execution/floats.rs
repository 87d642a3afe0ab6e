//! The floating-point arithmetic of one lane.

use super::kind::{Float, Function, Round};

const SIGN: u32 = 1 << 31; // Source: IEEE 754
/// The only NaN that arithmetic returns. Source: CUDA C++ programming guide, floating-point standard.
const NAN: u32 = 0x7fff_ffff;
const NAN_DOUBLE: u64 = 0xfff8_0000_0000_0000; // Source: IEEE 754, a quiet NaN

pub(super) const fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

pub(super) const fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn bits_of(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

pub(super) fn double_bits(value: f64) -> u64 {
    if value.is_nan() { NAN_DOUBLE } else { value.to_bits() }
}

/// Returns `bits`. If `flushes`, a subnormal number becomes a zero of the same sign.
pub(super) const fn flushed(bits: u32, flushes: bool) -> u32 {
    if flushes && bits & 0x7f80_0000 == 0 { bits & SIGN } else { bits }
}

fn finish(value: f32, how: Float) -> u32 {
    let value = if how.saturates {
        // NaN becomes 0.
        if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
    } else {
        value
    };
    flushed(bits_of(value), how.flushes)
}

/// Applies `of`, a sum or a product rounded to nearest. The code has no branches, so the compiler can
/// vectorize it over lanes.
#[inline]
pub(super) fn nearest(a: u32, b: u32, flushes: bool, of: impl Fn(f32, f32) -> f32) -> u32 {
    flushed(bits_of(of(float(flushed(a, flushes)), float(flushed(b, flushes)))), flushes)
}

pub(super) fn add(a: u32, b: u32, how: Float) -> u32 {
    let (a, b) = (float(flushed(a, how.flushes)), float(flushed(b, how.flushes)));
    finish(rounded(a + b, a, 1.0, b, how.round), how)
}

pub(super) fn multiply(a: u32, b: u32, how: Float) -> u32 {
    let (a, b) = (float(flushed(a, how.flushes)), float(flushed(b, how.flushes)));
    finish(rounded(a * b, a, b, 0.0, how.round), how)
}

pub(super) fn multiply_add(a: u32, b: u32, c: u32, how: Float) -> u32 {
    let [a, b, c] = [a, b, c].map(|bits| float(flushed(bits, how.flushes)));
    finish(rounded(a.mul_add(b, c), a, b, c, how.round), how)
}

/// Corrects `nearest`, which is `a * b + c` rounded to nearest, to the result of the rounding mode `round`.
fn rounded(nearest: f32, a: f32, b: f32, c: f32, round: Round) -> f32 {
    if round == Round::Nearest || nearest.is_nan() || [a, b, c].iter().any(|value| !value.is_finite()) {
        return nearest;
    }
    // A product of two has 48 bits, so it is exact here; the sum is `sum + rest`, exactly (Knuth's two-sum).
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    let part = sum - product;
    let rest = (product - (sum - part)) + (addend - part);
    let above = f64::from(nearest) - sum;
    let toward_zero_is_down = sum > 0.0 || sum == 0.0 && rest > 0.0;
    match round {
        Round::Down | Round::Zero if above > rest && (round == Round::Down || toward_zero_is_down) => {
            nearest.next_down()
        }
        Round::Up | Round::Zero if above < rest && (round == Round::Up || !toward_zero_is_down) => {
            nearest.next_up()
        }
        _ => nearest,
    }
}

/// Returns `a * b + c` rounded by `round`; `None` for modes other than nearest if the rounding error cannot be
/// determined.
pub(super) fn double_multiply_add(a: f64, b: f64, c: f64, round: Round) -> Option<f64> {
    let nearest = a.mul_add(b, c);
    if round == Round::Nearest || nearest.is_nan() {
        return Some(nearest);
    }
    // The sum of both rounding errors has the sign of the total error, provided that it is exact.
    let product = a * b;
    let of_product = a.mul_add(b, -product);
    let sum = product + c;
    let part = sum - product;
    let of_sum = (product - (sum - part)) + (c - part);
    let safe = [product, sum].iter().all(|value| *value == 0.0 || (1e-200..1e200).contains(&value.abs()));
    if !safe || nearest.to_bits() != sum.to_bits() || of_product != 0.0 && of_sum != 0.0 {
        return None;
    }
    let rest = of_product + of_sum;
    let down = match round {
        Round::Down => true,
        Round::Up => false,
        Round::Zero | Round::Nearest => nearest > 0.0,
    };
    Some(match rest {
        rest if rest < 0.0 && down => nearest.next_down(),
        rest if rest > 0.0 && !down => nearest.next_up(),
        _ => nearest,
    })
}

/// Returns the minimum if `least`, otherwise the maximum. If one operand is NaN, returns the other operand.
pub(super) fn min_max(a: u32, b: u32, least: bool, flushes: bool) -> u32 {
    let (a, b) = (flushed(a, flushes), flushed(b, flushes));
    match (float(a).is_nan(), float(b).is_nan()) {
        (true, true) => NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) => match float(a).total_cmp(&float(b)) {
            // Zeros are ordered by sign: -0 is less than 0.
            order if order.is_lt() == least => a,
            _ => b,
        },
    }
}

pub(super) fn whole(value: f64, round: Round) -> f64 {
    match round {
        Round::Nearest => value.round_ties_even(),
        Round::Down => value.floor(),
        Round::Up => value.ceil(),
        Round::Zero => value.trunc(),
    }
}

/// Converts a float to an integer of 32 bits, or of 64 bits if `wide`, with saturation. `None` for NaN, whose
/// result depends on the conversion.
pub(super) fn to_integer(value: f64, signed: bool, wide: bool, round: Round) -> Option<u64> {
    let value = (!value.is_nan()).then(|| whole(value, round))?;
    Some(match (signed, wide) {
        (true, true) => (value as i64).cast_unsigned(),
        (true, false) => u64::from((value as i32).cast_unsigned()),
        (false, true) => value as u64,
        (false, false) => u64::from(value as u32),
    })
}

/// Returns the low `bits` bits of a word as an integer.
pub(super) fn integer(value: u64, bits: u8, signed: bool) -> i128 {
    let unused = 64 - u32::from(bits);
    let shifted = value << unused;
    if signed { i128::from(shifted.cast_signed() >> unused) } else { i128::from(shifted >> unused) }
}

pub(super) fn to_float(value: i128, round: Round) -> u32 {
    let nearest = value as f32;
    let all = [nearest.next_down(), nearest, nearest.next_up()];
    chosen(all, nearest as i128, value, round).to_bits()
}

pub(super) fn to_double(value: i128, round: Round) -> u64 {
    let nearest = value as f64;
    let all = [nearest.next_down(), nearest, nearest.next_up()];
    chosen(all, nearest as i128, value, round).to_bits()
}

/// Rounds `exact` to one of three neighbouring values. The middle value is the nearest and equals `found`.
fn chosen<T>([below, nearest, above]: [T; 3], found: i128, exact: i128, round: Round) -> T {
    match round {
        Round::Up | Round::Zero if found < exact && (round == Round::Up || exact < 0) => above,
        Round::Down | Round::Zero if found > exact && (round == Round::Down || exact > 0) => below,
        _ => nearest,
    }
}

/// Approximates a function of the special function unit; the hardware's results differ in the last bits.
/// Flushes subnormal inputs.
pub(super) fn special(function: Function, bits: u32) -> u32 {
    let value = float(flushed(bits, true));
    bits_of(match function {
        Function::Reciprocal => 1.0 / value,
        Function::ReciprocalRoot => 1.0 / value.sqrt(),
        Function::Root => value.sqrt(),
        Function::Exponential => value.exp2(),
        Function::Logarithm => value.log2(),
        Function::Sine => value.sin(),
        Function::Cosine => value.cos(),
    })
}

/// Approximates `RCP64H` or `RSQ64H`. Input and result are the upper words of doubles, and compiled code
/// refines the result by Newton's method. `None` for other functions and for results that are not normal
/// numbers.
pub(super) fn special_double(function: Function, high: u32) -> Option<u32> {
    let value = double(u64::from(high) << 32);
    let result = match function {
        Function::Reciprocal => 1.0 / value,
        Function::ReciprocalRoot => 1.0 / value.sqrt(),
        _ => return None,
    };
    result.is_normal().then_some((result.to_bits() >> 32) as u32)
}
