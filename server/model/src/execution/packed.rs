//! Operations of a single lane on packed bytes and halves, and minima and maxima.

use super::kind::{Compared, DotProduct, MinMax};

/// Returns element `at` of a word that packs elements of `bits` bits.
fn part(word: u32, at: u32, bits: u32, signed: bool) -> i64 {
    let unused = 64 - bits;
    let shifted = u64::from(word >> (at * bits)) << unused;
    if signed { shifted.cast_signed() >> unused } else { (shifted >> unused).cast_signed() }
}

/// Returns the minimum or maximum of the numbers that the instruction compares.
pub(super) fn min_max(words: [u32; 3], how: MinMax, least: bool) -> u32 {
    let bits = if how.halves { 16 } else { 32 };
    let pick = |one: i64, other: i64| if least { one.min(other) } else { one.max(other) };
    (0..32 / bits).fold(0, |result, at| {
        let [x, y, z] = words.map(|word| part(word, at, bits, how.signed));
        let chosen = match how.of {
            Compared::Two => pick(x, y),
            Compared::Three => pick(pick(x, y), z),
            Compared::SumAndOne => pick(part((x + y) as u32, 0, bits, how.signed), z),
        };
        let chosen = if how.rectifies { chosen.max(0) } else { chosen };
        let mask = u32::MAX >> (32 - bits);
        result | (chosen as u32 & mask) << (at * bits)
    })
}

pub(super) fn add_halves(a: u32, b: u32) -> u32 {
    (a & 0xffff).wrapping_add(b & 0xffff) & 0xffff | (a >> 16).wrapping_add(b >> 16) << 16
}

pub(super) fn distance(a: u32, b: u32, c: u32, signed: bool) -> u32 {
    let distance = if signed { a.cast_signed().abs_diff(b.cast_signed()) } else { a.abs_diff(b) };
    distance.wrapping_add(c)
}

/// Evaluates `IDP`. Source: PTX ISA, `dp4a` and `dp2a`.
pub(super) fn dot_product(a: u32, b: u32, c: u32, how: DotProduct) -> u32 {
    let [first, second] = how.signed;
    let (count, bits, from) = if how.four { (4, 8, 0) } else { (2, 16, if how.upper { 2 } else { 0 }) };
    let sum = (0..count)
        .map(|at| part(a, at, bits, first) * part(b, at + from, 8, second))
        .fold(i64::from(c), |sum, product| sum + product);
    sum as u32
}
