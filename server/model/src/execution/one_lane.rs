//! What one lane computes from its own numbers.

use super::kind::{Function, HalfAddend};

pub(super) fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// A shift count; those that wrap count modulo 32.
pub(super) const fn wrapped(by: u32, wraps: bool) -> u32 {
    if wraps { by & 31 } else { by }
}

pub(super) fn shift_right(value: u32, by: u32, signed: bool) -> u32 {
    if signed {
        (value.cast_signed() >> by.min(31)).cast_unsigned()
    } else {
        value.checked_shr(by).unwrap_or(0)
    }
}

#[expect(
    clippy::too_many_arguments,
    clippy::fn_params_excessive_bools,
    reason = "the modifiers of one opcode"
)]
pub(super) fn funnel_shift(
    low: u32,
    by: u32,
    up: u32,
    left: bool,
    high: bool,
    wraps: bool,
    wide: bool,
    signed: bool,
) -> u32 {
    let by = if wraps { by & if wide { 63 } else { 31 } } else { by.min(if wide { 63 } else { 32 }) };
    let pair = u64::from(up) << 32 | u64::from(low);
    let shifted = if left {
        pair << by
    } else if signed {
        (pair.cast_signed() >> by).cast_unsigned()
    } else {
        pair >> by
    };
    // To the right, `.HI` shifts the upper register alone.
    if high && !left && !wide {
        return shift_right(up, by, signed);
    }
    if high { (shifted >> 32) as u32 } else { shifted as u32 }
}

pub(super) fn low_bits(width: u32) -> u32 {
    1_u32.checked_shl(width).map_or(u32::MAX, |end| end - 1)
}

pub(super) fn sign_extend(value: u32, width: u32, signed: bool) -> u32 {
    let kept = value & low_bits(width);
    let is_negative = signed && width > 0 && width < 32 && kept >> (width - 1) & 1 == 1;
    if is_negative { kept | !low_bits(width) } else { kept }
}

/// `PRMT`: each nibble of `select` picks a byte of `b:a`, or its sign. Source: PTX ISA, `prmt`, default mode.
pub(super) fn permute(a: u32, select: u32, b: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, place| {
        let nibble = select >> (4 * place) & 0xf;
        let byte = (bytes >> (8 * (nibble & 7)) & 0xff) as u32;
        let byte = if nibble & 8 == 0 { byte } else { 0xff * (byte >> 7) };
        result | byte << (8 * place)
    })
}

pub(super) fn to_float(value: u32, signed: bool, up: bool) -> f32 {
    let exact = if signed { f64::from(value.cast_signed()) } else { f64::from(value) };
    let nearest = exact as f32;
    if up && f64::from(nearest) < exact { nearest.next_up() } else { nearest }
}

pub(super) fn to_integer(value: f32, signed: bool, truncates: bool) -> u32 {
    let value = if truncates { value.trunc() } else { value.round_ties_even() };
    if signed { (value as i32).cast_unsigned() } else { value as u32 }
}

/// Near enough: the hardware's own results differ in the last bits.
pub(super) fn special(function: Function, value: f32) -> f32 {
    match function {
        Function::Reciprocal => 1.0 / value,
        Function::ReciprocalRoot => 1.0 / value.sqrt(),
        Function::Root => value.sqrt(),
        Function::Exponential => value.exp2(),
        Function::Logarithm => value.log2(),
        Function::Sine => value.sin(),
        Function::Cosine => value.cos(),
    }
}

/// `XMAD`. Source: the modifiers as maxas documents them, compared with compiler output for sm_52.
pub(super) fn half_product(a: u32, b: u32, c: u32, shifts: bool, addend: HalfAddend) -> u32 {
    let product = (a & 0xffff).wrapping_mul(b & 0xffff);
    let product = if shifts { product << 16 } else { product };
    product.wrapping_add(match addend {
        HalfAddend::Whole | HalfAddend::WithFactor => c,
        HalfAddend::Low => c & 0xffff,
        HalfAddend::High => c >> 16,
    })
}
