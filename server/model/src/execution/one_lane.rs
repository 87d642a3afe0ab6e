//! Integer operations of a single lane.

use super::kind::{FunnelShift, HalfAddend};

/// Returns a shift count, modulo 32 if `wraps`.
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

pub(super) fn funnel_shift(low: u32, by: u32, up: u32, how: FunnelShift) -> u32 {
    let FunnelShift { left, high, wraps, wide, signed } = how;
    let width = if wide { 64 } else { 32 };
    let by = if wraps { by & (width - 1) } else { by.min(width) };
    let pair = u64::from(up) << 32 | u64::from(low);
    let shifted = if left {
        pair.checked_shl(by).unwrap_or(0)
    } else if signed {
        (pair.cast_signed() >> by.min(63)).cast_unsigned()
    } else {
        pair.checked_shr(by).unwrap_or(0)
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

/// Evaluates `PRMT`: each nibble of `select` picks a byte of `b:a`, or the sign of that byte. Source: PTX
/// ISA, `prmt`, default mode.
pub(super) fn permute(a: u32, select: u32, b: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, place| {
        let nibble = select >> (4 * place) & 0xf;
        let byte = (bytes >> (8 * (nibble & 7)) & 0xff) as u32;
        let byte = if nibble & 8 == 0 { byte } else { 0xff * (byte >> 7) };
        result | byte << (8 * place)
    })
}

/// Evaluates `XMAD`. Source: the modifiers as maxas documents them, compared with compiler output for sm_52.
pub(super) fn half_product(a: u32, b: u32, c: u32, shifts: bool, addend: HalfAddend) -> u32 {
    let product = (a & 0xffff).wrapping_mul(b & 0xffff);
    let product = if shifts { product << 16 } else { product };
    product.wrapping_add(match addend {
        HalfAddend::Whole | HalfAddend::WithFactor => c,
        HalfAddend::Low => c & 0xffff,
        HalfAddend::High => c >> 16,
    })
}
