//! What one instruction computes from what its inputs hold, lane by lane.

use super::lanes::{Flags, Lanes, WARP};

/// An arithmetic instruction's work; its inputs in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Copy,
    /// Sums; `negated` says which inputs are subtracted, one bit each. Carries go out, and with `x` come in.
    Add {
        x: bool,
        negated: u8,
    },
    /// Sums of pairs.
    AddPairs {
        negated: u8,
    },
    Multiply {
        x: bool,
    },
    MultiplyHigh {
        signed: bool,
    },
    /// The same, plus a word and maybe a carry: Kepler's.
    MultiplyHighWord {
        signed: bool,
        x: bool,
    },
    MultiplyWide {
        signed: bool,
        x: bool,
    },
    /// `(a << by) + b`, with a carry.
    ShiftAdd {
        by: u32,
        negated: bool,
    },
    /// The upper half of `((c:a) << by) + (b:0)`: `c` is the third input, or the sign of `a`.
    ShiftAddHigh {
        by: u32,
        extended: bool,
        x: bool,
    },
    FunnelShift {
        left: bool,
        high: bool,
        wraps: bool,
        wide: bool,
        signed: bool,
    },
    ShiftLeft {
        wraps: bool,
    },
    ShiftRight {
        signed: bool,
        wraps: bool,
    },
    Logic {
        table: u8,
    },
    Compare {
        relation: Relation,
        signed: bool,
        combine: Combine,
        extended: bool,
    },
    CompareFloats {
        relation: Relation,
        unordered: bool,
        combine: Combine,
    },
    Predicates {
        first: u8,
        second: u8,
    },
    PredicatePair {
        first: Combine,
        second: Combine,
    },
    Select,
    LeastGreatest {
        signed: bool,
    },
    LeastGreatestFloat,
    Magnitude,
    Permute,
    SignExtend {
        wraps: bool,
        signed: bool,
    },
    BitMask {
        wraps: bool,
    },
    ExtractBits {
        signed: bool,
    },
    InsertBits,
    CountBits,
    HighestBit {
        signed: bool,
        shifts: bool,
    },
    ReverseBits,
    ToFloat {
        signed: bool,
        up: bool,
    },
    ToInteger {
        signed: bool,
        truncates: bool,
    },
    FloatAdd,
    FloatMultiply,
    FloatMultiplyAdd,
    Special(Function),
    /// `FCHK`: whether a division needs the slow path.
    CheckDivision,
    Shuffle(Shuffle),
    Vote(Vote),
    Ballot,
    Elect,
    /// Products of 16-bit halves (Maxwell, Pascal).
    HalfProduct {
        shifts: bool,
        merges: bool,
        addend: HalfAddend,
    },
    PackPredicates {
        mask: u32,
    },
    UnpackPredicates {
        mask: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater,
    /// Floats that are both numbers, or not.
    Numbers,
    NotNumbers,
    Never,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    And,
    Or,
    Xor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Reciprocal,
    ReciprocalRoot,
    Root,
    Exponential,
    Logarithm,
    Sine,
    Cosine,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shuffle {
    Index,
    Up,
    Down,
    Butterfly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    All,
    Any,
    Equal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HalfAddend {
    Whole,
    Low,
    High,
    /// All of it, and the second factor's lower half shifted up.
    WithFactor,
}

/// The values of an instruction's inputs.
pub(super) struct Inputs<'a> {
    /// Registers and numbers; a pair stands as two. What an instruction does not have is 0.
    pub values: [&'a Lanes; 6],
    pub flags: [Flags; 3],
    /// Lanes that take part.
    pub active: u32,
    /// What `PR` stands for.
    pub predicates: &'a [Flags],
}

/// The results of an instruction: registers in order, predicates in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Results {
    pub values: [Lanes; 2],
    pub flags: [Flags; 2],
}

impl Results {
    const UNKNOWN: Self = Self { values: [Lanes::UNKNOWN; 2], flags: [Flags::UNKNOWN; 2] };

    fn of(value: Lanes) -> Self {
        Self { values: [value, Lanes::UNKNOWN], ..Self::UNKNOWN }
    }

    fn of_flags(first: Flags, second: Flags) -> Self {
        Self { flags: [first, second], ..Self::UNKNOWN }
    }
}

/// Truth tables of two inputs. Source: `LOP3.LUT`, rows numbered `4 a + 2 b + c`.
pub(super) const AND: u8 = 0xc0;
pub(super) const OR: u8 = 0xfc;
pub(super) const XOR: u8 = 0x3c;

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

impl Relation {
    fn of<T: PartialOrd + Copy>(self, a: T, b: T) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::GreaterEqual => a >= b,
            Self::Greater => a > b,
            Self::Numbers | Self::Always => true,
            Self::NotNumbers | Self::Never => false,
        }
    }

    /// Floats: where one is no number, an unordered relation holds and an ordered one does not.
    fn of_floats(self, a: f32, b: f32, unordered: bool) -> bool {
        match self {
            Self::Numbers => !a.is_nan() && !b.is_nan(),
            Self::NotNumbers => a.is_nan() || b.is_nan(),
            _ if a.is_nan() || b.is_nan() => unordered,
            _ => self.of(a, b),
        }
    }
}

impl Combine {
    fn of(self, a: Flags, b: Flags) -> Flags {
        match self {
            Self::And => a.and(b),
            Self::Or => a.or(b),
            Self::Xor => a.xor(b),
        }
    }
}

/// Runs one instruction. What it does not know of its inputs it does not know of its results.
#[expect(clippy::too_many_lines, reason = "a table of opcodes")]
pub(super) fn compute(kind: Kind, inputs: &Inputs) -> Results {
    let [a, b, c, ..] = inputs.values;
    let flags = &inputs.flags;
    match kind {
        Kind::Copy => Results { values: [*a, *b], flags: [Flags::UNKNOWN; 2] },
        Kind::Add { x, negated } => sum(&inputs.values, flags, x, negated),
        Kind::AddPairs { negated } => {
            let pairs: [Wide; 3] =
                std::array::from_fn(|at| Wide::of(inputs.values[2 * at], inputs.values[2 * at + 1]));
            Wide::sum(&pairs, negated).results()
        }
        Kind::Multiply { x } => {
            let carry = if x { carries(&flags[..1]) } else { Lanes::splat(0) };
            let product = times(a, b);
            // What `IMAD.CC` carries on from the low words; `IMAD.HI.X` takes it in.
            let overflows = product.test(&product.zip(c, u32::wrapping_add), |product, sum| sum < product);
            Results {
                flags: [if x { Flags::UNKNOWN } else { overflows }, Flags::UNKNOWN],
                ..Results::of(
                    product.zip3(c, &carry, |product, c, carry| product.wrapping_add(c).wrapping_add(carry)),
                )
            }
        }
        Kind::MultiplyHighWord { signed, x } => {
            let carry = if x { carries(&flags[..1]) } else { Lanes::splat(0) };
            let zero = Wide::of(&Lanes::splat(0), &Lanes::splat(0));
            let high = Wide::product(a, b, signed).plus(&zero).high();
            Results::of(high.zip3(c, &carry, |high, c, carry| high.wrapping_add(c).wrapping_add(carry)))
        }
        Kind::MultiplyHigh { signed } => {
            let sum = Wide::product(a, b, signed).plus(&Wide::of(c, inputs.values[3]));
            Results::of(sum.high())
        }
        Kind::MultiplyWide { signed, x } => {
            let carry = if x { carries(&flags[..1]) } else { Lanes::splat(0) };
            let product = Wide::product(a, b, signed).plus(&Wide::of(&carry, &Lanes::splat(0)));
            let (sum, carry) = product.plus_with_carry(&Wide::of(c, inputs.values[3]));
            Results { flags: [carry, Flags::FALSE], ..sum.results() }
        }
        Kind::ShiftAdd { by, negated } => shift_add(a, b, by, negated),
        Kind::ShiftAddHigh { by, extended, x } => {
            let upper = if extended { a.map(|a| (a.cast_signed() >> 31).cast_unsigned()) } else { *c };
            let carry = if x { carries(&flags[..1]) } else { Lanes::splat(0) };
            let high =
                a.zip(&upper, |low, high| ((u64::from(high) << 32 | u64::from(low)) << by >> 32) as u32);
            Results::of(high.zip3(b, &carry, |high, b, carry| high.wrapping_add(b).wrapping_add(carry)))
        }
        Kind::FunnelShift { left, high, wraps, wide, signed } => Results::of(
            a.zip3(b, c, |low, by, up| funnel_shift(low, by, up, left, high, wraps, wide, signed)),
        ),
        Kind::ShiftLeft { wraps } => {
            Results::of(a.zip(b, |a, by| a.checked_shl(wrapped(by, wraps)).unwrap_or(0)))
        }
        Kind::ShiftRight { signed, wraps } => {
            Results::of(a.zip(b, |a, by| shift_right(a, wrapped(by, wraps), signed)))
        }
        Kind::Logic { table } => {
            let value = logic(table, a, b, c);
            let differs = value.test(&Lanes::splat(0), |value, _| value != 0);
            Results { flags: [differs.or(flags[0]), Flags::UNKNOWN], ..Results::of(value) }
        }
        Kind::Compare { relation, signed, combine, extended } => {
            let mut holds = compare(relation, signed, a, b);
            if extended {
                // The upper halves decide unless they are the same; then the lower ones did before.
                let same = compare(Relation::Equal, false, a, b);
                let strict = match relation {
                    Relation::LessEqual => Relation::Less,
                    Relation::GreaterEqual => Relation::Greater,
                    other => other,
                };
                holds = match relation {
                    Relation::NotEqual => compare(relation, signed, a, b).or(flags[1]),
                    _ => compare(strict, signed, a, b).and(same.not()).or(same.and(flags[1])),
                };
            }
            Results::of_flags(combine.of(holds, flags[0]), combine.of(holds.not(), flags[0]))
        }
        Kind::CompareFloats { relation, unordered, combine } => {
            let holds = a.test(b, |a, b| relation.of_floats(float(a), float(b), unordered));
            Results::of_flags(combine.of(holds, flags[0]), combine.of(holds.not(), flags[0]))
        }
        Kind::Predicates { first, second } => Results::of_flags(
            Flags::table(first, flags[0], flags[1], flags[2]),
            Flags::table(second, flags[0], flags[1], flags[2]),
        ),
        Kind::PredicatePair { first, second } => {
            let of = |flag| second.of(first.of(flag, flags[1]), flags[2]);
            Results::of_flags(of(flags[0]), of(flags[0].not()))
        }
        Kind::Select => Results::of(select(flags[0], a, b)),
        Kind::LeastGreatest { signed } => {
            let least = a.zip(b, |a, b| {
                if signed { a.cast_signed().min(b.cast_signed()).cast_unsigned() } else { a.min(b) }
            });
            let most = a.zip(b, |a, b| {
                if signed { a.cast_signed().max(b.cast_signed()).cast_unsigned() } else { a.max(b) }
            });
            Results::of(select(flags[0], &least, &most))
        }
        Kind::LeastGreatestFloat => {
            let least = a.zip(b, |a, b| float(a).min(float(b)).to_bits());
            let most = a.zip(b, |a, b| float(a).max(float(b)).to_bits());
            Results::of(select(flags[0], &least, &most))
        }
        Kind::Magnitude => Results::of(a.map(|a| a.cast_signed().unsigned_abs())),
        Kind::Permute => Results::of(a.zip3(b, c, permute)),
        Kind::SignExtend { wraps, signed } => {
            Results::of(a.zip(b, |a, width| sign_extend(a, wrapped(width, wraps), signed)))
        }
        Kind::BitMask { wraps } => Results::of(a.zip(b, |place, width| {
            let (place, width) = (wrapped(place, wraps), wrapped(width, wraps));
            low_bits(width).checked_shl(place).unwrap_or(0)
        })),
        Kind::ExtractBits { signed } => {
            Results::of(a.zip(b, |a, field| {
                sign_extend(shift_right(a, field & 0xff, signed), field >> 8 & 0xff, signed)
            }))
        }
        Kind::InsertBits => Results::of(a.zip3(b, c, |a, field, base| {
            let (place, width) = (field & 0xff, field >> 8 & 0xff);
            let mask = low_bits(width).checked_shl(place).unwrap_or(0);
            base & !mask | a.checked_shl(place).unwrap_or(0) & mask
        })),
        Kind::CountBits => Results::of(a.map(u32::count_ones)),
        Kind::HighestBit { signed, shifts } => Results::of(a.map(|a| {
            let a = if signed && a.cast_signed() < 0 { !a } else { a };
            match (a, shifts) {
                (0, _) => u32::MAX,
                (a, true) => a.leading_zeros(),
                (a, false) => a.ilog2(),
            }
        })),
        Kind::ReverseBits => Results::of(a.map(u32::reverse_bits)),
        Kind::ToFloat { signed, up } => Results::of(a.map(|a| to_float(a, signed, up).to_bits())),
        Kind::ToInteger { signed, truncates } => {
            Results::of(a.map(|a| to_integer(float(a), signed, truncates)))
        }
        Kind::FloatAdd => Results::of(a.zip(b, |a, b| (float(a) + float(b)).to_bits())),
        Kind::FloatMultiply => Results::of(a.zip(b, |a, b| (float(a) * float(b)).to_bits())),
        Kind::FloatMultiplyAdd => {
            Results::of(a.zip3(b, c, |a, b, c| float(a).mul_add(float(b), float(c)).to_bits()))
        }
        Kind::Special(function) => Results::of(a.map(|a| special(function, float(a)).to_bits())),
        Kind::CheckDivision => {
            // Outside of these exponents a quotient may leave the range of normal numbers.
            let is_far = |bits: u32| !(0x40..0xc0).contains(&(bits >> 23 & 0xff)) && bits << 1 != 0;
            Results::of_flags(a.test(b, |a, b| is_far(a) || is_far(b) || b << 1 == 0), Flags::UNKNOWN)
        }
        Kind::Shuffle(by) => shuffle(by, a, b, c, inputs.active),
        Kind::Vote(vote) => {
            Results::of_flags(all_lanes(vote_of(vote, flags[0], inputs.active)), Flags::UNKNOWN)
        }
        Kind::Ballot => {
            let on = inputs.active;
            let is_known = flags[0].known & on == on;
            let mask = if is_known { Lanes::splat(flags[0].values & on) } else { Lanes::UNKNOWN };
            Results {
                flags: [all_lanes(vote_of(Vote::Any, flags[0], on)), Flags::UNKNOWN],
                ..Results::of(mask)
            }
        }
        Kind::Elect => {
            let first = inputs.active & inputs.active.wrapping_neg();
            let flags = [Flags { values: first, known: u32::MAX }, Flags::UNKNOWN];
            Results { flags, ..Results::of(Lanes::splat(first.trailing_zeros())) }
        }
        Kind::HalfProduct { shifts, merges, addend } => {
            let sum = a.zip3(b, c, |a, b, c| half_product(a, b, c, shifts, addend));
            let factor = *inputs.values[3];
            Results::of(match addend {
                _ if merges => sum.zip(&factor, |sum, factor| sum & 0xffff | factor << 16),
                HalfAddend::WithFactor => sum.zip(&factor, |sum, factor| sum.wrapping_add(factor << 16)),
                _ => sum,
            })
        }
        Kind::PackPredicates { mask } => Results::of(pack(a, inputs.predicates, mask)),
        Kind::UnpackPredicates { .. } => Results::UNKNOWN,
    }
}

/// The predicate of that number out of a register's bits.
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

/// How many of these carries are set in each lane.
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

fn sum(values: &[&Lanes; 6], flags: &[Flags; 3], x: bool, negated: u8) -> Results {
    let carry = if x { carries(&flags[..2]) } else { Lanes::splat(0) };
    let mut result =
        Lanes { values: [0; WARP], known: values[0].known & values[1].known & values[2].known & carry.known };
    let (mut one, mut two) = (0, 0);
    for lane in 0..WARP {
        let mut sum = u64::from(carry.values[lane]);
        for (at, value) in values[..3].iter().enumerate() {
            let value = value.values[lane];
            sum += if negated >> at & 1 == 1 { u64::from(!value) + 1 } else { u64::from(value) };
        }
        result.values[lane] = sum as u32;
        one |= u32::from(sum >> 32 >= 1) << lane;
        two |= u32::from(sum >> 32 >= 2) << lane;
    }
    let known = result.known;
    Results {
        flags: [Flags { values: one & known, known }, Flags { values: two & known, known }],
        ..Results::of(result)
    }
}

/// A product; 0 where either factor is known to be 0.
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

fn shift_add(a: &Lanes, b: &Lanes, by: u32, negated: bool) -> Results {
    let shifted = a.map(|a| a << by);
    let (sum, known) = (
        shifted.zip(b, |a, b| (if negated { a.wrapping_neg() } else { a }).wrapping_add(b)),
        shifted.known & b.known,
    );
    let mut carry = 0;
    for lane in 0..WARP {
        let a = shifted.values[lane];
        let addend = if negated { u64::from(!a) + 1 } else { u64::from(a) };
        carry |= u32::from((addend + u64::from(b.values[lane])) >> 32 != 0) << lane;
    }
    Results { flags: [Flags { values: carry & known, known }, Flags::FALSE], ..Results::of(sum) }
}

/// A shift count; those that wrap count modulo 32.
const fn wrapped(by: u32, wraps: bool) -> u32 {
    if wraps { by & 31 } else { by }
}

fn shift_right(value: u32, by: u32, signed: bool) -> u32 {
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
fn funnel_shift(
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

fn low_bits(width: u32) -> u32 {
    1_u32.checked_shl(width).map_or(u32::MAX, |end| end - 1)
}

fn sign_extend(value: u32, width: u32, signed: bool) -> u32 {
    let kept = value & low_bits(width);
    let is_negative = signed && width > 0 && width < 32 && kept >> (width - 1) & 1 == 1;
    if is_negative { kept | !low_bits(width) } else { kept }
}

fn logic(table: u8, a: &Lanes, b: &Lanes, c: &Lanes) -> Lanes {
    match table {
        AND if a.known & b.known == u32::MAX => return a.zip(b, |a, b| a & b),
        OR if a.known & b.known == u32::MAX => return a.zip(b, |a, b| a | b),
        XOR if a.known & b.known == u32::MAX => return a.zip(b, |a, b| a ^ b),
        _ => {}
    }
    let mut result = a.zip3(b, c, |a, b, c| {
        (0..8_u8).filter(|row| table >> row & 1 == 1).fold(0, |result, row| {
            let pick = |value: u32, bit: u8| if row & bit == 0 { !value } else { value };
            result | pick(a, 4) & pick(b, 2) & pick(c, 1)
        })
    });
    if result.known != u32::MAX {
        // An input that the table does not look at may be anything.
        let matters = |bit: u8| (0..8_u8).any(|row| (table >> row ^ table >> (row ^ bit)) & 1 == 1);
        result.known = u32::MAX;
        for (input, bit) in [(a, 4), (b, 2), (c, 1)] {
            if matters(bit) {
                result.known &= input.known;
            }
        }
    }
    result
}

fn compare(relation: Relation, signed: bool, a: &Lanes, b: &Lanes) -> Flags {
    if signed {
        a.test(b, |a, b| relation.of(a.cast_signed(), b.cast_signed()))
    } else {
        a.test(b, |a, b| relation.of(a, b))
    }
}

/// `PRMT`: each nibble of `select` picks a byte of `b:a`, or its sign. Source: PTX ISA, `prmt`, default mode.
fn permute(a: u32, select: u32, b: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, place| {
        let nibble = select >> (4 * place) & 0xf;
        let byte = (bytes >> (8 * (nibble & 7)) & 0xff) as u32;
        let byte = if nibble & 8 == 0 { byte } else { 0xff * (byte >> 7) };
        result | byte << (8 * place)
    })
}

fn to_float(value: u32, signed: bool, up: bool) -> f32 {
    let exact = if signed { f64::from(value.cast_signed()) } else { f64::from(value) };
    let nearest = exact as f32;
    if up && f64::from(nearest) < exact { nearest.next_up() } else { nearest }
}

fn to_integer(value: f32, signed: bool, truncates: bool) -> u32 {
    let value = if truncates { value.trunc() } else { value.round_ties_even() };
    if signed { (value as i32).cast_unsigned() } else { value as u32 }
}

/// Near enough: the hardware's own results differ in the last bits.
fn special(function: Function, value: f32) -> f32 {
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

/// `SHFL R, a, lane, c`: the lanes of `c`'s bits 8 to 12 stay in their segment, those of bits 0 to 4 bound it.
/// Source: PTX ISA, `shfl.sync`.
fn shuffle(by: Shuffle, a: &Lanes, b: &Lanes, c: &Lanes, active: u32) -> Results {
    let mut result = Lanes { values: [0; WARP], known: 0 };
    let mut in_range = Flags::UNKNOWN;
    for lane in 0..WARP as u32 {
        let at = lane as usize;
        if (b.known & c.known) >> lane & 1 == 0 {
            continue;
        }
        let (offset, clamp, segment) = (b.values[at] & 31, c.values[at] & 31, c.values[at] >> 8 & 31);
        let most = lane & segment | clamp & !segment;
        let (from, is_in) = match by {
            Shuffle::Up => (lane.wrapping_sub(offset), lane >= offset && lane - offset >= most),
            Shuffle::Down => (lane + offset, lane + offset <= most),
            Shuffle::Butterfly => (lane ^ offset, lane ^ offset <= most),
            Shuffle::Index => {
                let from = lane & segment | offset & !segment;
                (from, from <= most)
            }
        };
        let from = if is_in { from & 31 } else { lane };
        in_range.known |= 1 << lane;
        in_range.values |= u32::from(is_in) << lane;
        if a.known & active & 1 << from != 0 {
            result.known |= 1 << lane;
            result.values[at] = a.values[from as usize];
        }
    }
    Results { flags: [in_range, Flags::UNKNOWN], ..Results::of(result) }
}

fn vote_of(vote: Vote, flags: Flags, active: u32) -> Option<bool> {
    let (yes, no) = (flags.values & flags.known & active, flags.known & !flags.values & active);
    let is_known = flags.known & active == active;
    match vote {
        Vote::All if no != 0 => Some(false),
        Vote::Equal if yes != 0 && no != 0 => Some(false),
        Vote::Any if yes != 0 => Some(true),
        Vote::All | Vote::Equal => is_known.then_some(true),
        Vote::Any => is_known.then_some(false),
    }
}

fn all_lanes(value: Option<bool>) -> Flags {
    match value {
        Some(true) => Flags::TRUE,
        Some(false) => Flags::FALSE,
        None => Flags::UNKNOWN,
    }
}

/// `XMAD`. Source: the modifiers as maxas documents them, compared with compiler output for sm_52.
fn half_product(a: u32, b: u32, c: u32, shifts: bool, addend: HalfAddend) -> u32 {
    let product = (a & 0xffff).wrapping_mul(b & 0xffff);
    let product = if shifts { product << 16 } else { product };
    product.wrapping_add(match addend {
        HalfAddend::Whole | HalfAddend::WithFactor => c,
        HalfAddend::Low => c & 0xffff,
        HalfAddend::High => c >> 16,
    })
}

/// 64 bits in each lane.
struct Wide {
    values: [u64; WARP],
    known: u32,
}

impl Wide {
    fn of(low: &Lanes, high: &Lanes) -> Self {
        let value = |lane: usize| u64::from(high.values[lane]) << 32 | u64::from(low.values[lane]);
        Self { values: std::array::from_fn(value), known: low.known & high.known }
    }

    fn product(a: &Lanes, b: &Lanes, signed: bool) -> Self {
        let mut values = [0; WARP];
        for (lane, into) in values.iter_mut().enumerate() {
            let (a, b) = (a.values[lane], b.values[lane]);
            *into = if signed {
                (i64::from(a.cast_signed()) * i64::from(b.cast_signed())).cast_unsigned()
            } else {
                u64::from(a) * u64::from(b)
            };
        }
        Self { values, known: a.known & b.known }
    }

    fn plus(&self, other: &Self) -> Self {
        self.plus_with_carry(other).0
    }

    fn plus_with_carry(&self, other: &Self) -> (Self, Flags) {
        let known = self.known & other.known;
        let mut sum = Self { values: [0; WARP], known };
        let mut carries = 0;
        for lane in 0..WARP {
            let (value, carry) = self.values[lane].overflowing_add(other.values[lane]);
            sum.values[lane] = value;
            carries |= u32::from(carry) << lane;
        }
        (sum, Flags { values: carries & known, known })
    }

    fn sum(all: &[Self; 3], negated: u8) -> Self {
        let mut sum = Self { values: [0; WARP], known: u32::MAX };
        for (at, value) in all.iter().enumerate() {
            for lane in 0..WARP {
                let value = value.values[lane];
                let value = if negated >> at & 1 == 1 { value.wrapping_neg() } else { value };
                sum.values[lane] = sum.values[lane].wrapping_add(value);
            }
            sum.known &= value.known;
        }
        sum
    }

    fn high(&self) -> Lanes {
        Lanes { values: self.values.map(|value| (value >> 32) as u32), known: self.known }
    }

    fn results(&self) -> Results {
        let low = Lanes { values: self.values.map(|value| value as u32), known: self.known };
        Results { values: [low, self.high()], flags: [Flags::UNKNOWN; 2] }
    }
}
