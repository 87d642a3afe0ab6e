//! Semantics of one instruction, lane by lane.

use super::across::{all_lanes, matched, reduced, shuffle, vote_of};
use super::floats::{
    self, double, double_bits, double_multiply_add, float, flushed, integer, special, special_double,
    to_double, to_float, to_integer, whole,
};
use super::kind::{Comparands, Comparison, Condition, HalfAddend, Kind, Product, Shift};
use super::lanes::{Flags, Lanes, WARP};
use super::one_lane::{funnel_shift, half_product, low_bits, permute, shift_right, sign_extend, wrapped};
use super::packed::{add_halves, distance, dot_product, min_max};
use super::wide::Wide;
use crate::address::words::{AND, INPUT_BITS, OR, Relation, XOR, combined, matters};
use std::ops::{Add, Mul};

/// The values of an instruction's inputs.
pub(super) struct Inputs<'a> {
    /// Registers and numbers. A 64-bit pair occupies two entries, and an absent input is 0.
    pub values: [&'a Lanes; 6],
    pub flags: [Flags; 3],
    /// Mask of the lanes that execute the instruction.
    pub active: u32,
    /// Predicates that make up `PR`.
    pub predicates: &'a [Flags],
    /// True if the second register of the results is used.
    pub wants_second: bool,
    /// True if the predicates of the results are used.
    pub wants_flags: bool,
}

/// The results of an instruction. Registers and predicates are in operand order.
#[derive(Debug, Clone)]
pub(super) struct Results {
    pub value: Lanes,
    /// Value of the second register; `None` if the value is unknown or the instruction has no second result.
    pub second: Option<Lanes>,
    pub flags: [Flags; 2],
}

impl Results {
    pub(super) const UNKNOWN: Self = Self { value: Lanes::UNKNOWN, second: None, flags: [Flags::UNKNOWN; 2] };

    pub(super) const fn from_value(value: Lanes) -> Self {
        Self { value, second: None, flags: [Flags::UNKNOWN; 2] }
    }

    pub(super) fn from_flags(first: Flags, second: Flags) -> Self {
        Self { flags: [first, second], ..Self::UNKNOWN }
    }
}

/// Executes one instruction. The result of a lane is unknown if it depends on unknown inputs.
#[expect(clippy::too_many_lines, reason = "a table of opcodes")]
pub(super) fn compute(kind: Kind, inputs: &Inputs) -> Results {
    let [a, b, c, ..] = inputs.values;
    let flags = &inputs.flags;
    let pair = |at: usize| Wide::from_halves(inputs.values[2 * at], inputs.values[2 * at + 1]);
    match kind {
        // `Warp` executes these: they write more than two results.
        Kind::CopyAll | Kind::UnpackPredicates(_) => Results::UNKNOWN,
        Kind::Copy => Results { second: inputs.wants_second.then_some(*b), ..Results::from_value(*a) },
        Kind::First => first(a, inputs.active, flags[0]),
        Kind::Add { x, negated } => sum(inputs, x, negated),
        Kind::AddShifted => Results::from_value(
            a.zip3(b, c, |a, b, c| ((u64::from(a) + u64::from(b)) >> 16).wrapping_add(c.into()) as u32),
        ),
        Kind::AddPairs { negated } => Wide::sum(&[pair(0), pair(1), pair(2)], negated).results(),
        Kind::Multiply(Product { x, .. }) => {
            let product = times(a, b);
            let mut sum = product.zip(c, u32::wrapping_add);
            if x {
                sum = sum.zip(&carries(&flags[..1]), u32::wrapping_add);
            } else if inputs.wants_flags {
                // `IMAD.CC` sets the carry out of the low words; `IMAD.HI.X` reads it.
                let overflows = product.test(&sum, |product, sum| sum < product);
                return Results { flags: [overflows, Flags::UNKNOWN], ..Results::from_value(sum) };
            }
            Results::from_value(sum)
        }
        Kind::MultiplyHighWord(Product { signed, x }) => {
            let carry = if x { carries(&flags[..1]) } else { Lanes::splat(0) };
            let zero = Wide::from_halves(&Lanes::splat(0), &Lanes::splat(0));
            let high = Wide::product(a, b, signed).plus(&zero).high();
            Results::from_value(
                high.zip3(c, &carry, |high, c, carry| high.wrapping_add(c).wrapping_add(carry)),
            )
        }
        Kind::MultiplyHigh(Product { signed, .. }) => {
            let (sum, carry) =
                Wide::product(a, b, signed).plus_with_carry(&Wide::from_halves(c, inputs.values[3]));
            Results { flags: [carry, Flags::UNKNOWN], ..Results::from_value(sum.high()) }
        }
        Kind::MultiplyWide(Product { signed, x }) => {
            let mut product = Wide::product(a, b, signed);
            if x {
                product = product.plus(&Wide::from_halves(&carries(&flags[..1]), &Lanes::ZERO));
            }
            let addend = Wide::from_halves(c, inputs.values[3]);
            if inputs.wants_flags {
                let (sum, carry) = product.plus_with_carry(&addend);
                return Results { flags: [carry, Flags::FALSE], ..sum.results() };
            }
            product.plus(&addend).results()
        }
        Kind::ShiftAdd { by, negated } => shift_add(a, b, by, negated, inputs.wants_flags),
        Kind::ShiftAddHigh { by, extended, x } => {
            let upper = if extended { a.map(|a| (a.cast_signed() >> 31).cast_unsigned()) } else { *c };
            let carry = if x { carries(&flags[..1]) } else { Lanes::splat(0) };
            let high =
                a.zip(&upper, |low, high| ((u64::from(high) << 32 | u64::from(low)) << by >> 32) as u32);
            Results::from_value(
                high.zip3(b, &carry, |high, b, carry| high.wrapping_add(b).wrapping_add(carry)),
            )
        }
        Kind::FunnelShift(how) => {
            Results::from_value(a.zip3(b, c, |low, by, up| funnel_shift(low, by, up, how)))
        }
        Kind::ShiftLeft(Shift { wraps, .. }) => {
            Results::from_value(a.zip(b, |a, by| a.checked_shl(wrapped(by, wraps)).unwrap_or(0)))
        }
        Kind::ShiftRight(Shift { signed, wraps }) => {
            Results::from_value(a.zip(b, |a, by| shift_right(a, wrapped(by, wraps), signed)))
        }
        Kind::Logic(table) => {
            let value = logic(table, a, b, c);
            if !inputs.wants_flags {
                return Results::from_value(value);
            }
            let differs = value.test(&Lanes::splat(0), |value, _| value != 0);
            Results { flags: [differs.or(flags[0]), Flags::UNKNOWN], ..Results::from_value(value) }
        }
        Kind::Compare(Comparison { condition, of, combine }) => {
            let holds = match of {
                Comparands::Words { signed, extended: false } => compare(condition, signed, a, b),
                Comparands::Words { signed, extended: true } => {
                    compare_upper_halves(condition, signed, a, b, flags[1])
                }
                Comparands::Pairs { signed: true } => {
                    pair(0).test(&pair(1), |a, b| condition.holds(a.cast_signed(), b.cast_signed()))
                }
                Comparands::Pairs { signed: false } => pair(0).test(&pair(1), |a, b| condition.holds(a, b)),
                Comparands::Floats { unordered, flushes } => {
                    let value = |bits| float(flushed(bits, flushes));
                    a.test(b, |a, b| condition.of_floats(value(a), value(b), unordered))
                }
                Comparands::Doubles { unordered } => {
                    pair(0).test(&pair(1), |a, b| condition.of_floats(double(a), double(b), unordered))
                }
            };
            Results::from_flags(combine.apply(holds, flags[0]), combine.apply(holds.not(), flags[0]))
        }
        Kind::ChooseDoubles { least } => {
            // Equal numbers give either result; for NaN the result is unknown.
            let (a, b) = (pair(0), pair(1));
            let are_numbers = a.test(&b, |a, b| !double(a).is_nan() && !double(b).is_nan());
            let first = a.test(&b, |a, b| (double(a) < double(b)) == least);
            let known = first.known & are_numbers.values;
            Results::from_flags(Flags { values: first.values & known, known }, Flags { values: 0, known })
        }
        Kind::Predicates { first, second } => Results::from_flags(
            Flags::table(first, flags[0], flags[1], flags[2]),
            Flags::table(second, flags[0], flags[1], flags[2]),
        ),
        Kind::PredicatePair { first, second } => {
            let of = |flag| second.apply(first.apply(flag, flags[1]), flags[2]);
            Results::from_flags(of(flags[0]), of(flags[0].not()))
        }
        Kind::Select => Results::from_value(select(flags[0], a, b)),
        Kind::SelectPairs => {
            let low = select(flags[0], a, c);
            let high = select(flags[0], b, inputs.values[3]);
            Results { second: Some(high), ..Results::from_value(low) }
        }
        Kind::MinMax(how) => {
            let of = |least: bool| a.zip3(b, c, |a, b, c| min_max([a, b, c], how, least));
            Results::from_value(either(flags[0], of))
        }
        Kind::LeastGreatestPairs { signed } => {
            let is_less = |a: u64, b: u64| if signed { a.cast_signed() < b.cast_signed() } else { a < b };
            let of = |least| pair(0).zip(&pair(1), |a, b| if is_less(a, b) == least { a } else { b });
            either_pair(flags[0], of)
        }
        Kind::LeastGreatestDouble => {
            let is_less = |a: u64, b: u64| double(a) < double(b) || double(b).is_nan();
            let of = |least| pair(0).zip(&pair(1), |a, b| if is_less(a, b) == least { a } else { b });
            either_pair(flags[0], of)
        }
        Kind::LeastGreatestFloat { three, flushes } => {
            let of = |least: bool| {
                let two = a.zip(b, |a, b| floats::min_max(a, b, least, flushes));
                if three { two.zip(c, |two, c| floats::min_max(two, c, least, flushes)) } else { two }
            };
            Results::from_value(either(flags[0], of))
        }
        Kind::AddHalves => Results::from_value(a.zip(b, add_halves)),
        Kind::Distance { signed } => Results::from_value(a.zip3(b, c, |a, b, c| distance(a, b, c, signed))),
        Kind::DotProduct(how) => Results::from_value(a.zip3(b, c, |a, b, c| dot_product(a, b, c, how))),
        Kind::Magnitude => Results::from_value(a.map(|a| a.cast_signed().unsigned_abs())),
        Kind::Permute => Results::from_value(a.zip3(b, c, permute)),
        Kind::SignExtend(Shift { wraps, signed }) => {
            Results::from_value(a.zip(b, |a, width| sign_extend(a, wrapped(width, wraps), signed)))
        }
        Kind::BitMask(Shift { wraps, .. }) => Results::from_value(a.zip(b, |place, width| {
            let (place, width) = (wrapped(place, wraps), wrapped(width, wraps));
            low_bits(width).checked_shl(place).unwrap_or(0)
        })),
        Kind::ExtractBits(Shift { signed, .. }) => {
            Results::from_value(a.zip(b, |a, field| {
                sign_extend(shift_right(a, field & 0xff, signed), field >> 8 & 0xff, signed)
            }))
        }
        Kind::InsertBits => Results::from_value(a.zip3(b, c, |a, field, base| {
            let (place, width) = (field & 0xff, field >> 8 & 0xff);
            let mask = low_bits(width).checked_shl(place).unwrap_or(0);
            base & !mask | a.checked_shl(place).unwrap_or(0) & mask
        })),
        Kind::CountBits => Results::from_value(a.map(u32::count_ones)),
        Kind::HighestBit { signed, shifts } => Results::from_value(a.map(|a| {
            let a = if signed && a.cast_signed() < 0 { !a } else { a };
            match (a, shifts) {
                (0, _) => u32::MAX,
                (a, true) => a.leading_zeros(),
                (a, false) => a.ilog2(),
            }
        })),
        Kind::ReverseBits => Results::from_value(a.map(u32::reverse_bits)),
        Kind::ToFloat { bits, signed, round, double } => {
            let from = if bits == 64 { pair(0) } else { Wide::from_halves(a, &Lanes::ZERO) };
            if double {
                return from.try_map(|value| Some(to_double(integer(value, bits, signed), round))).results();
            }
            let to = |value| Some(u64::from(to_float(integer(value, bits, signed), round)));
            Results::from_value(from.try_map(to).low())
        }
        Kind::ToInteger { signed, wide, double: is_double, round, flushes } => {
            let value = |bits: u64| {
                if is_double { double(bits) } else { f64::from(float(flushed(bits as u32, flushes))) }
            };
            let from = if is_double { pair(0) } else { Wide::from_halves(a, &Lanes::ZERO) };
            let result = from.try_map(|bits| to_integer(value(bits), signed, wide, round));
            if wide { result.results() } else { Results::from_value(result.low()) }
        }
        Kind::FloatAdd(how) if how.is_nearest() => {
            Results::from_value(a.zip(b, |a, b| floats::nearest(a, b, how.flushes, f32::add)))
        }
        Kind::FloatAdd(how) => Results::from_value(a.zip(b, |a, b| floats::add(a, b, how))),
        Kind::FloatMultiply(how) if how.is_nearest() => {
            Results::from_value(a.zip(b, |a, b| floats::nearest(a, b, how.flushes, f32::mul)))
        }
        Kind::FloatMultiply(how) => Results::from_value(a.zip(b, |a, b| floats::multiply(a, b, how))),
        Kind::FloatMultiplyAdd(how) => {
            Results::from_value(a.zip3(b, c, |a, b, c| floats::multiply_add(a, b, c, how)))
        }
        Kind::RoundFloat { round, flushes } => Results::from_value(a.map(|a| {
            let value = whole(f64::from(float(flushed(a, flushes))), round) as f32;
            value.to_bits()
        })),
        Kind::RoundDouble(round) => pair(0).try_map(|a| Some(double_bits(whole(double(a), round)))).results(),
        Kind::FloatToDouble => Wide::from_halves(a, &Lanes::ZERO)
            .try_map(|a| Some(double_bits(f64::from(float(a as u32)))))
            .results(),
        Kind::DoubleToFloat => {
            let to = |a| {
                let value = double(a) as f32;
                (!value.is_nan()).then(|| u64::from(value.to_bits()))
            };
            Results::from_value(pair(0).try_map(to).low())
        }
        Kind::DoubleAdd(round) => {
            doubles(&pair(0), &pair(1), &pair(1), |a, b, _| double_multiply_add(a, 1.0, b, round))
        }
        Kind::DoubleMultiply(round) => doubles(&pair(0), &pair(1), &pair(1), |a, b, _| {
            // With a zero of the product's sign the sum is the product.
            double_multiply_add(a, b, if (a * b).is_sign_negative() { -0.0 } else { 0.0 }, round)
        }),
        Kind::DoubleMultiplyAdd(round) => {
            doubles(&pair(0), &pair(1), &pair(2), |a, b, c| double_multiply_add(a, b, c, round))
        }
        Kind::Special(function) => Results::from_value(a.map(|a| special(function, a))),
        Kind::SpecialDouble(function) => Results::from_value(a.try_map(|a| special_double(function, a))),
        Kind::CheckDivision => {
            // Outside of these exponents a quotient may leave the range of normal numbers.
            let is_far = |bits: u32| !(0x40..0xc0).contains(&(bits >> 23 & 0xff)) && bits << 1 != 0;
            Results::from_flags(a.test(b, |a, b| is_far(a) || is_far(b) || b << 1 == 0), Flags::UNKNOWN)
        }
        Kind::Shuffle(by) => shuffle(by, a, b, c, inputs.active),
        Kind::Vote(vote) => {
            Results::from_flags(all_lanes(vote_of(vote, flags[0], inputs.active)), Flags::UNKNOWN)
        }
        Kind::Ballot(vote) => {
            let on = inputs.active;
            let is_known = flags[0].known & on == on;
            let mask = if is_known { Lanes::splat(flags[0].values & on) } else { Lanes::UNKNOWN };
            Results {
                flags: [all_lanes(vote_of(vote, flags[0], on)), Flags::UNKNOWN],
                ..Results::from_value(mask)
            }
        }
        Kind::Reduce(by) => Results::from_value(reduced(by, a, inputs.active)),
        Kind::Match { all, wide } => {
            let held = if wide { pair(0) } else { Wide::from_halves(a, &Lanes::ZERO) };
            matched(&held, all, inputs.active)
        }
        Kind::Elect => {
            let first = inputs.active & inputs.active.wrapping_neg();
            let flags = [Flags { values: first, known: u32::MAX }, Flags::UNKNOWN];
            Results { flags, ..Results::from_value(Lanes::splat(first.trailing_zeros())) }
        }
        Kind::HalfProduct { shifts, merges, addend } => {
            let sum = a.zip3(b, c, |a, b, c| half_product(a, b, c, shifts, addend));
            let factor = *inputs.values[3];
            Results::from_value(match addend {
                _ if merges => sum.zip(&factor, |sum, factor| sum & 0xffff | factor << 16),
                HalfAddend::WithFactor => sum.zip(&factor, |sum, factor| sum.wrapping_add(factor << 16)),
                _ => sum,
            })
        }
        Kind::PackPredicates(mask) => Results::from_value(pack(a, inputs.predicates, mask)),
    }
}

/// Returns bit `predicate` of a register as a predicate.
pub(super) fn unpacked(value: &Lanes, predicate: u32) -> Flags {
    value.test(&Lanes::splat(predicate), |value, predicate| value >> predicate & 1 == 1)
}

fn pack(base: &Lanes, predicates: &[Flags], mask: u32) -> Lanes {
    let mut packed = base.map(|base| base & !mask);
    for (at, flags) in predicates.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1) {
        for lane in 0..WARP {
            packed.values[lane] |= (flags.values >> lane & 1) << at;
        }
        packed.known &= flags.known;
    }
    packed
}

fn select(condition: Flags, yes: &Lanes, no: &Lanes) -> Lanes {
    let mut chosen = *no;
    let on = condition.values & condition.known;
    chosen.write(yes, on, !condition.known);
    chosen
}

/// Selects, lane by lane, `of(true)` (the minimum) where the condition is true, otherwise `of(false)` (the
/// maximum).
fn either(condition: Flags, of: impl Fn(bool) -> Lanes) -> Lanes {
    match condition {
        Flags::TRUE => of(true),
        Flags::FALSE => of(false),
        _ => select(condition, &of(true), &of(false)),
    }
}

fn either_pair(condition: Flags, of: impl Fn(bool) -> Wide) -> Results {
    let (least, greatest) = (of(true), of(false));
    let low = select(condition, &least.low(), &greatest.low());
    let high = select(condition, &least.high(), &greatest.high());
    Results { second: Some(high), ..Results::from_value(low) }
}

/// Applies `of` to 64-bit floats, lane by lane. A lane becomes unknown if `of` returns `None` for it.
fn doubles(a: &Wide, b: &Wide, c: &Wide, of: impl Fn(f64, f64, f64) -> Option<f64>) -> Results {
    a.try_zip3(b, c, |a, b, c| of(double(a), double(b), double(c)).map(double_bits)).results()
}

/// Counts the carries that are set in each lane.
fn carries(flags: &[Flags]) -> Lanes {
    let mut sum = Lanes::splat(0);
    for flag in flags {
        for lane in 0..WARP {
            sum.values[lane] += flag.values >> lane & 1;
        }
        sum.known &= flag.known;
    }
    sum
}

fn sum(inputs: &Inputs, x: bool, negated: u8) -> Results {
    let Inputs { values, flags, .. } = inputs;
    let known = values[0].known & values[1].known & values[2].known;
    let carry = if x { Some(carries(&flags[..2])) } else { None };
    let known = carry.as_ref().map_or(known, |carry| known & carry.known);
    let is_negated = |at: usize| negated >> at & 1 == 1;
    if !inputs.wants_flags {
        let mut result = carry.unwrap_or(Lanes::ZERO);
        for (at, value) in values[..3].iter().enumerate() {
            let lanes = result.values.iter_mut().zip(&value.values);
            if is_negated(at) {
                lanes.for_each(|(sum, &value)| *sum = sum.wrapping_sub(value));
            } else {
                lanes.for_each(|(sum, &value)| *sum = sum.wrapping_add(value));
            }
        }
        return Results::from_value(Lanes { known, ..result });
    }
    let mut result = Lanes { values: [0; WARP], known };
    let (mut one, mut two) = (0, 0);
    for lane in 0..WARP {
        let mut sum = carry.as_ref().map_or(0, |carry| u64::from(carry.values[lane]));
        for (at, value) in values[..3].iter().enumerate() {
            let value = value.values[lane];
            sum += if is_negated(at) { u64::from(!value) + 1 } else { u64::from(value) };
        }
        result.values[lane] = sum as u32;
        one |= u32::from(sum >> 32 >= 1) << lane;
        two |= u32::from(sum >> 32 >= 2) << lane;
    }
    Results {
        flags: [Flags { values: one & known, known }, Flags { values: two & known, known }],
        ..Results::from_value(result)
    }
}

/// Multiplies lane by lane. The product is 0 in lanes in which either factor is known to be 0.
fn times(a: &Lanes, b: &Lanes) -> Lanes {
    let mut product = a.zip(b, u32::wrapping_mul);
    if product.known != u32::MAX {
        for (lane, value) in product.values.iter_mut().enumerate() {
            let is_zero = |factor: &Lanes| factor.known >> lane & 1 == 1 && factor.values[lane] == 0;
            if is_zero(a) || is_zero(b) {
                *value = 0;
                product.known |= 1 << lane;
            }
        }
    }
    product
}

fn shift_add(a: &Lanes, b: &Lanes, by: u32, negated: bool, wants_flags: bool) -> Results {
    let shifted = a.map(|a| a << by);
    let (sum, known) = (
        shifted.zip(b, |a, b| (if negated { a.wrapping_neg() } else { a }).wrapping_add(b)),
        shifted.known & b.known,
    );
    if !wants_flags {
        return Results::from_value(sum);
    }
    let mut carry = 0;
    for lane in 0..WARP {
        let a = shifted.values[lane];
        let addend = if negated { u64::from(!a) + 1 } else { u64::from(a) };
        carry |= u32::from((addend + u64::from(b.values[lane])) >> 32 != 0) << lane;
    }
    Results { flags: [Flags { values: carry & known, known }, Flags::FALSE], ..Results::from_value(sum) }
}

fn logic(table: u8, a: &Lanes, b: &Lanes, c: &Lanes) -> Lanes {
    match table {
        AND if a.known & b.known == u32::MAX => return a.zip(b, |a, b| a & b),
        OR if a.known & b.known == u32::MAX => return a.zip(b, |a, b| a | b),
        XOR if a.known & b.known == u32::MAX => return a.zip(b, |a, b| a ^ b),
        _ => {}
    }
    let mut result = a.zip3(b, c, |a, b, c| combined(table, a, b, c));
    if result.known != u32::MAX {
        // An input that the table ignores may be unknown.
        let inputs = [a, b, c].into_iter().zip(INPUT_BITS).filter(|&(_, bit)| matters(table, bit));
        result.known = inputs.fold(u32::MAX, |known, (input, _)| known & input.known);
    }
    result
}

fn compare(condition: Condition, signed: bool, a: &Lanes, b: &Lanes) -> Flags {
    if signed {
        a.test(b, |a, b| condition.holds(a.cast_signed(), b.cast_signed()))
    } else {
        a.test(b, |a, b| condition.holds(a, b))
    }
}

/// Compares upper halves. In lanes with equal upper halves, the result is `lower`, the comparison of the lower
/// halves.
fn compare_upper_halves(condition: Condition, signed: bool, a: &Lanes, b: &Lanes, lower: Flags) -> Flags {
    if condition == Condition::Holds(Relation::NotEqual) {
        return compare(condition, signed, a, b).or(lower);
    }
    let same = compare(Condition::Holds(Relation::Equal), false, a, b);
    let strictly = compare(condition.strict(), signed, a, b);
    strictly.and(same.not()).or(same.and(lower))
}

/// Returns the value of the first active lane, and a predicate for the lanes that have another value or in which
/// `other` is true.
fn first(a: &Lanes, active: u32, other: Flags) -> Results {
    let lane = active.trailing_zeros();
    if active == 0 || a.known >> lane & 1 == 0 {
        return Results::from_value(*a);
    }
    let value = Lanes::splat(a.values[lane as usize]);
    let differs = a.test(&value, |own, first| own != first);
    let either = Flags {
        values: differs.values | other.values,
        known: differs.known & other.known | differs.values | other.values,
    };
    Results { flags: [either, Flags::UNKNOWN], ..Results::from_value(value) }
}
