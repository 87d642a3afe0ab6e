//! Decodes an instruction's text into the operation that it performs on registers.

use super::file::{ALWAYS, Files};
use super::kind::{
    Combine, Comparands, Compared, Comparison, Condition, DotProduct, FunnelShift, HalfAddend, Kind, MinMax,
    Product, Reduce, Shift, Shuffle, Vote,
};
use crate::address::operand::{Half, Operand, Operands, Source};
use crate::address::words::{Relation, table_named};
use crate::{Inst, Register, RegisterFile};

/// Slot of an input, and the modifier applied to the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Input {
    /// Index into the file of registers and numbers.
    pub slot: u16,
    pub change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Negated,
    Inverted,
    Magnitude,
    MagnitudeNegated,
    LowHalf,
    HighHalf,
    /// A bit field that starts at bit `place`.
    Bits {
        place: u8,
        width: u8,
        signed: bool,
    },
    /// A float, negated.
    FloatNegated,
    /// The absolute value of a float.
    FloatMagnitude,
    /// The negated absolute value of a float.
    FloatMagnitudeNegated,
}

/// A predicate that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlagInput {
    pub slot: u16,
    pub inverted: bool,
}

/// An instruction's operation on registers and predicates.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub kind: Kind,
    pub inputs: Box<[Input]>,
    pub flags: Box<[FlagInput]>,
    /// Slots of the results; `None` for a dropped result.
    pub values: [Option<u16>; 4],
    pub results: [Option<u16>; 2],
}

/// An instruction's modifiers and operands while it is decoded.
pub(super) struct Text<'t, 'a> {
    files: &'t mut Files,
    pub(super) modifiers: &'t [&'a str],
    pub(super) operands: &'t Operands<'a>,
    numbers: NumberType,
}

/// Opcodes on 32-bit floats, or on 64-bit floats with a modifier. Uniform forms have the prefix `U`.
const ON_FLOATS: [&str; 15] = [
    "FADD", "FADD32I", "FMUL", "FMUL32I", "FFMA", "FFMA32I", "FSETP", "FMNMX", "FMNMX3", "FSEL", "MUFU",
    "F2I", "F2F", "FRND", "FCHK",
];

/// Number type of an instruction's immediates and sign modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberType {
    Integers,
    Floats,
    Doubles,
}

impl NumberType {
    fn decode(mnemonic: &str, modifiers: &[&str]) -> Self {
        let from_double = match mnemonic {
            "DADD" | "DMUL" | "DFMA" | "DSETP" | "DMNMX" => true,
            // The source type comes last.
            "F2F" => modifiers.iter().rfind(|modifier| modifier.starts_with('F')) == Some(&"F64"),
            "F2I" | "UF2I" | "FRND" | "UFRND" => modifiers.contains(&"F64"),
            _ => false,
        };
        match mnemonic.strip_prefix('U').unwrap_or(mnemonic) {
            _ if from_double => Self::Doubles,
            plain if ON_FLOATS.contains(&plain) => Self::Floats,
            _ => Self::Integers,
        }
    }
}

/// Decodes an instruction's operation; `None` if the opcode, a modifier or an operand is not modelled.
pub(super) fn work(
    files: &mut Files,
    mnemonic: &str,
    modifiers: &[&str],
    operands: &Operands,
    inst: &Inst,
) -> Option<Work> {
    // `PSETP` names two operations on predicates, one after the other.
    if mnemonic != "PSETP" && EXCLUSIVE.iter().any(|set| contradicts(modifiers, set)) {
        return None;
    }
    let numbers = NumberType::decode(mnemonic, modifiers);
    let mut text = Text { files, modifiers, operands, numbers };
    match mnemonic {
        "S2R" | "S2UR" | "CS2R" | "CS2UR" => return text.special(),
        "LDC" | "ULDC" | "LDCU" => return text.constant_load(inst),
        "HFMA2" => return text.two_halves(),
        _ => {}
    }
    if waits(mnemonic, modifiers) {
        return Some(text.success());
    }
    let kind = text.kind(mnemonic)?;
    let inputs = text.inputs(kind)?;
    let flags = text.flags(kind)?;
    let values = text.outputs(kind);
    let results = text.results(kind);
    Some(Work { kind, inputs: inputs.into(), flags: flags.into(), values, results })
}

/// True for an instruction that is assumed to wait until it succeeds. It then sets a predicate.
fn waits(mnemonic: &str, modifiers: &[&str]) -> bool {
    mnemonic == "SYNCS" && modifiers.contains(&"PHASECHK")
        || mnemonic == "USETMAXREG" && modifiers.contains(&"TRY_ALLOC")
}

/// Sets of mutually exclusive modifiers.
const EXCLUSIVE: [&[&str]; 6] = [
    COMBINES,
    &[
        "LT", "LE", "EQ", "NE", "GE", "GT", "F", "T", "LTU", "LEU", "EQU", "NEU", "GEU", "GTU", "NUM", "NAN",
        "MIN", "MAX",
    ],
    &["RN", "RM", "RP", "RZ"],
    &["FLOOR", "CEIL", "TRUNC"],
    &["CLO", "CHI", "CBCC"],
    &["U32", "S32", "U64", "S64", "U16x2", "S16x2", "16x2"],
];

fn contradicts(modifiers: &[&str], set: &[&str]) -> bool {
    let mut own = modifiers.iter().filter(|modifier| set.contains(modifier));
    let first = own.next();
    own.any(|other| Some(other) != first)
}

const SIGNS: &[&str] = &["U32", "S32"];

impl Text<'_, '_> {
    pub(super) fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    pub(super) fn only(&self, known: &[&[&str]]) -> bool {
        self.modifiers.iter().all(|modifier| known.iter().any(|set| set.contains(modifier)))
    }

    /// Returns the operation that sets the written predicates to true.
    fn success(&mut self) -> Work {
        /// Truth table of the constant `true`.
        const ALL: u8 = 0xff; // limit: all eight cases
        let kind = Kind::Predicates { first: ALL, second: ALL };
        let results = self.results(kind);
        let flags = [FlagInput { slot: ALWAYS, inverted: false }; 3];
        Work { kind, inputs: Box::default(), flags: flags.into(), values: [None; 4], results }
    }

    fn signed(&self) -> bool {
        !self.has("U32")
    }

    #[expect(clippy::too_many_lines, reason = "a table of opcodes")]
    fn kind(&self, mnemonic: &str) -> Option<Kind> {
        let shift = Shift { signed: self.signed(), wraps: self.has("W") };
        let when = |known: bool, kind: Kind| known.then_some(kind);
        match mnemonic {
            // A mask after the source selects some of its bytes.
            "MOV" | "UMOV" | "MOV32I" => {
                when(self.only(&[&["U32", "64"]]) && self.operands.others.is_empty(), Kind::Copy)
            }
            "R2UR" if self.operands.written_predicates.is_empty() => when(self.only(&[]), Kind::Copy),
            "R2UR" => when(self.only(&[&["OR"]]), Kind::First),
            "IMAD" | "UIMAD" | "IMAD32I" if self.has("MOV") => {
                when(self.only(&[SIGNS, &["MOV"]]), Kind::Copy)
            }
            "VIADD" | "UVIADD" if self.has("16x2") => {
                when(self.only(&[&["16x2"]]) && self.is_plain(), Kind::AddHalves)
            }
            // Adds the upper half of the sum of the first two operands to the third.
            "IADD3" if self.has("RS") && self.files.is_old => when(
                self.only(&[&["RS"]]) && self.is_plain() && !self.files.writes_condition,
                Kind::AddShifted,
            ),
            "IADD3" | "UIADD3" | "VIADD" | "UVIADD" | "IADD" | "UIADD" | "IADD32I" | "VIADD3" => {
                let kind = if self.has("64") {
                    Kind::AddPairs { negated: self.negated() }
                } else {
                    // Before Volta an operand subtracted with a carry is inverted, although the text shows a minus.
                    let inverts = self.has("X") && self.files.is_old;
                    Kind::Add { x: self.has("X"), negated: if inverts { 0 } else { self.negated() } }
                };
                let carries = self.has("X") || !self.operands.read_predicates.is_empty();
                let pairs = matches!(mnemonic, "IADD" | "IADD3" | "UIADD3") && !self.files.is_old && !carries;
                when(self.only(&[SIGNS, &["X", "64"]]) && (pairs || !self.has("64")), kind)
            }
            "IMAD" | "UIMAD" | "IMAD32I" => {
                let product = Product { signed: self.signed(), x: self.has("X") };
                let kind = match () {
                    () if self.has("WIDE") => Kind::MultiplyWide(product),
                    () if self.has("HI") && self.files.is_old => Kind::MultiplyHighWord(product),
                    () if self.has("HI") => Kind::MultiplyHigh(product),
                    () => Kind::Multiply(product),
                };
                let is_carried = product.x && matches!(kind, Kind::MultiplyHigh(_));
                when(self.only(&[SIGNS, &["WIDE", "HI", "X", "SHL", "IADD"]]) && !is_carried, kind)
            }
            "LEA" | "ULEA" => self.shift_add(),
            "ISCADD" => {
                let by = self.number(2)?;
                when(self.only(&[]) && by < 32, Kind::ShiftAdd { by, negated: self.read(0)?.negated })
            }
            "SHF" | "USHF" => {
                let wide = self.has("U64") || self.has("S64");
                let signed = self.has("S32") || self.has("S64");
                let left = self.has("L");
                // Before Volta a left shift returns the upper word although it has no `HI` modifier.
                let high = self.has("HI") || left && self.files.is_old;
                let how = FunnelShift { left, high, wraps: shift.wraps, wide, signed };
                when(self.only(&[SIGNS, &["L", "R", "U64", "S64", "HI", "W"]]), Kind::FunnelShift(how))
            }
            "SHL" | "USHL" => when(self.only(&[SIGNS, &["W"]]), Kind::ShiftLeft(shift)),
            "SHR" | "USHR" => when(self.only(&[SIGNS, &["W"]]), Kind::ShiftRight(shift)),
            "LOP3" | "ULOP3" => {
                let table = self.operands.tables().flatten().next()?;
                when(self.only(&[&["LUT"]]), Kind::Logic(table))
            }
            "LOP" | "LOP32I" => {
                let [modifier] = *self.modifiers else { return None };
                let table = if modifier == "PASS_B" { SECOND } else { table_named(modifier)? };
                Some(Kind::Logic(table))
            }
            "ISETP" | "UISETP" if self.has("U64") || self.has("S64") => {
                let kind = self.comparison(Comparands::Pairs { signed: self.has("S64") })?;
                let known = self.only(&[COMBINES, RELATIONS, &["U64", "S64"]]);
                when(known && self.operands.read_predicates.len() <= 1, kind)
            }
            "ISETP" | "UISETP" => {
                let of = Comparands::Words { signed: self.signed(), extended: self.has("EX") };
                let kind = self.comparison(of)?;
                when(self.only(&[SIGNS, COMBINES, RELATIONS, &["EX"]]), kind)
            }
            "PLOP3" | "UPLOP3" => {
                let mut tables = self.operands.tables();
                let first = tables.next()??;
                when(
                    self.only(&[&["LUT"]]),
                    Kind::Predicates { first, second: tables.next().flatten().unwrap_or(0) },
                )
            }
            "PSETP" if self.modifiers.len() == 2 => {
                let combine = |at: usize| combine_named(self.modifiers.get(at)?);
                Some(Kind::PredicatePair { first: combine(0)?, second: combine(1)? })
            }
            "SEL" | "USEL" if self.has("64") => when(self.only(&[&["64"]]), Kind::SelectPairs),
            "SEL" | "USEL" => when(self.only(&[]), Kind::Select),
            "IMNMX" | "UIMNMX" if self.has("U64") || self.has("S64") => {
                // A second predicate other than `!PT` belongs to the upper part of a longer number.
                let is_alone = match *self.operands.read_predicates {
                    [_, second] => second.source == Source::True && second.inverted,
                    _ => false,
                };
                let kind = Kind::LeastGreatestPairs { signed: self.has("S64") };
                when(self.only(&[&["U64", "S64"]]) && is_alone, kind)
            }
            "IMNMX" | "VIMNMX" | "UIMNMX" | "UVIMNMX" => self.min_max(Compared::Two),
            "VIMNMX3" | "UVIMNMX3" => self.min_max(Compared::Three),
            "VIADDMNMX" => self.min_max(Compared::SumAndOne),
            "IDP" | "IDP4A" => self.dot_product(mnemonic),
            "VABSDIFF" => {
                let known = match *self.modifiers {
                    ["U32", "U32", "ACC"] => self.files.is_old,
                    [] | ["U32" | "S32"] => !self.files.is_old,
                    _ => false,
                };
                when(known && self.operands.read.len() == 3, Kind::Distance { signed: self.signed() })
            }
            "I2I" => when(*self.modifiers == ["S32", "S32"], Kind::Copy),
            "IABS" => when(self.only(&[]), Kind::Magnitude),
            "PRMT" | "UPRMT" => when(self.only(&[&["IDX"]]), Kind::Permute),
            "SGXT" | "USGXT" => when(self.only(&[SIGNS, &["W"]]), Kind::SignExtend(shift)),
            "BMSK" | "UBMSK" => when(self.only(&[&["W"]]), Kind::BitMask(shift)),
            "BFE" => when(self.only(&[SIGNS]), Kind::ExtractBits(shift)),
            "BFI" => when(self.only(&[]), Kind::InsertBits),
            "POPC" | "UPOPC" => when(self.only(&[]) && self.operands.read.len() == 1, Kind::CountBits),
            "FLO" | "UFLO" => {
                let shifts = self.has("SH");
                when(self.only(&[SIGNS, &["SH"]]), Kind::HighestBit { signed: self.signed(), shifts })
            }
            "BREV" | "UBREV" => when(self.only(&[]), Kind::ReverseBits),
            "SHFL" => match *self.modifiers {
                ["IDX"] => Some(Kind::Shuffle(Shuffle::Index)),
                ["UP"] => Some(Kind::Shuffle(Shuffle::Up)),
                ["DOWN"] => Some(Kind::Shuffle(Shuffle::Down)),
                ["BFLY"] => Some(Kind::Shuffle(Shuffle::Butterfly)),
                _ => None,
            },
            "VOTE" | "VOTEU" => {
                let writes_mask = self.operands.written.iter().any(|operand| operand.source != Source::Zero);
                let vote = match *self.modifiers {
                    ["ALL"] => Vote::All,
                    ["ANY"] => Vote::Any,
                    ["EQ"] => Vote::Equal,
                    _ => return None,
                };
                Some(if writes_mask { Kind::Ballot(vote) } else { Kind::Vote(vote) })
            }
            "ELECT" => when(self.only(&[]), Kind::Elect),
            "REDUX" | "CREDUX" => {
                let signed = self.has("S32");
                let by = match self.modifiers.iter().find(|modifier| !SIGNS.contains(modifier)) {
                    None => Reduce::And,
                    Some(&"OR") => Reduce::Or,
                    Some(&"XOR") => Reduce::Xor,
                    Some(&"SUM") => Reduce::Sum,
                    Some(&"MIN") => Reduce::Least { signed },
                    Some(&"MAX") => Reduce::Greatest { signed },
                    Some(_) => return None,
                };
                let others = self.modifiers.iter().filter(|modifier| !SIGNS.contains(modifier));
                when(others.count() <= 1, Kind::Reduce(by))
            }
            "MATCH" => {
                let kind = Kind::Match { all: self.has("ALL"), wide: self.has("U64") };
                let known = self.only(&[&["ANY", "ALL", "U32", "U64"]]);
                when(known && self.has("ANY") != self.has("ALL"), kind)
            }
            "XMAD" => self.half_product(),
            "P2R" => when(self.only(&[]), Kind::PackPredicates(self.mask())),
            "R2P" => when(self.only(&[]), Kind::UnpackPredicates(self.mask())),
            _ => self.float_kind(mnemonic),
        }
    }

    fn read(&self, at: usize) -> Option<Operand<'_>> {
        self.operands.read.get(at).copied()
    }

    fn number(&self, at: usize) -> Option<u32> {
        match self.read(at)?.source {
            Source::Integer(value) => Some(value),
            Source::Zero => Some(0),
            _ => None,
        }
    }

    /// Bit mask of the subtracted operands of a sum. The sign of an immediate is part of its value.
    fn negated(&self) -> u8 {
        let is_subtracted =
            |operand: &Operand| operand.negated && !matches!(operand.source, Source::Integer(_));
        let negated = self.operands.read.iter().enumerate().filter(|(_, operand)| is_subtracted(operand));
        negated.fold(0, |mask, (at, _)| mask | 1 << at.min(7))
    }

    /// True if no operand is negated, inverted or narrowed. The sign of an immediate is part of its value.
    fn is_plain(&self) -> bool {
        self.operands.read.iter().all(|operand| {
            let is_number = matches!(operand.source, Source::Integer(_));
            (!operand.negated || is_number) && !operand.inverted && operand.is_plain()
        })
    }

    /// True if a single predicate selects minimum or maximum. The text may repeat the predicate up to `most`
    /// times.
    pub(super) fn chooses(&self, most: usize) -> bool {
        let predicates = &self.operands.read_predicates;
        (1..=most).contains(&predicates.len())
            && predicates.iter().all(|predicate| predicate == &predicates[0])
    }

    fn min_max(&self, of: Compared) -> Option<Kind> {
        let halves = self.has("S16x2") || self.has("U16x2");
        let how = MinMax {
            of,
            signed: !self.has("U32") && !self.has("U16x2"),
            halves,
            rectifies: self.has("RELU"),
        };
        let known = self.only(&[SIGNS, &["S16x2", "U16x2", "RELU"]]);
        let most = if of == Compared::Three { 2 } else { 1 };
        (known && self.chooses(most) && (!halves || self.is_plain())).then_some(Kind::MinMax(how))
    }

    fn dot_product(&self, mnemonic: &str) -> Option<Kind> {
        let (four, upper, types) = match (mnemonic, self.modifiers) {
            ("IDP4A", types) | ("IDP", ["4A", types @ ..]) => (true, false, types),
            ("IDP", ["2A", half @ ("LO" | "HI"), types @ ..]) => (false, *half == "HI", types),
            _ => return None,
        };
        let [first, second] = *types else { return None };
        let signed = |name: &str, bits: &str| match name.split_at_checked(1)? {
            ("S", rest) if rest == bits => Some(true),
            ("U", rest) if rest == bits => Some(false),
            _ => None,
        };
        let signed = [signed(first, if four { "8" } else { "16" })?, signed(second, "8")?];
        self.is_plain().then_some(Kind::DotProduct(DotProduct { four, upper, signed }))
    }

    fn shift_add(&self) -> Option<Kind> {
        if !self.only(&[&["HI", "X", "SX32"]]) {
            return None;
        }
        let (is_high, extended) = (self.has("HI"), self.has("SX32"));
        let by = self.number(if is_high && !extended { 3 } else { 2 }).filter(|by| *by < 32)?;
        if is_high {
            let negated = self.read(0)?.negated;
            return (!negated).then_some(Kind::ShiftAddHigh { by, extended, x: self.has("X") });
        }
        (!self.has("X")).then_some(Kind::ShiftAdd { by, negated: self.read(0)?.negated })
    }

    fn half_product(&self) -> Option<Kind> {
        let addend = match () {
            () if self.has("CLO") => HalfAddend::Low,
            () if self.has("CHI") => HalfAddend::High,
            () if self.has("CBCC") => HalfAddend::WithFactor,
            () => HalfAddend::Whole,
        };
        let known = self.only(&[&["U16", "CLO", "CHI", "CBCC", "PSL", "MRG"]]);
        known.then_some(Kind::HalfProduct { shifts: self.has("PSL"), merges: self.has("MRG"), addend })
    }

    fn mask(&self) -> u32 {
        let numbers = self.operands.read.iter().chain(&self.operands.others);
        let mut masks = numbers.filter_map(|operand| match operand.source {
            Source::Integer(value) => Some(value),
            _ => None,
        });
        masks.next_back().unwrap_or(0x7f)
    }

    pub(super) fn comparison(&self, of: Comparands) -> Option<Kind> {
        let named = self.modifiers.iter().find_map(|modifier| combine_named(modifier));
        let combine = named.unwrap_or(Combine::And);
        Some(Kind::Compare(Comparison { condition: self.condition()?, of, combine }))
    }

    fn condition(&self) -> Option<Condition> {
        self.modifiers.iter().find_map(|modifier| {
            Some(match *modifier {
                "NUM" => Condition::Numbers,
                "NAN" => Condition::NotNumbers,
                "F" => Condition::Never,
                "T" => Condition::Always,
                // `LTU` also holds if an operand is NaN.
                _ => {
                    let ordered = modifier.strip_suffix('U').unwrap_or(modifier);
                    Condition::Holds(Relation::of_modifier(ordered)?)
                }
            })
        })
    }

    /// Returns the inputs of `kind` in order; a 64-bit pair is two inputs.
    fn inputs(&mut self, kind: Kind) -> Option<Vec<Input>> {
        let operands = self.operands;
        let mut inputs = Vec::new();
        match kind {
            Kind::Copy if self.has("64") => inputs.extend(self.pair(operands.read.first()?, true)?),
            Kind::Copy | Kind::First => {
                let at = if self.has("MOV") { 2 } else { 0 };
                inputs.push(self.input(operands.read.get(at)?)?);
            }
            Kind::AddPairs { .. } => {
                for operand in operands.read.iter().take(3) {
                    // The kind records which registers are subtracted; an immediate includes its sign.
                    let negated = operand.negated && matches!(operand.source, Source::Integer(_));
                    inputs.extend(self.pair(&Operand { negated, ..*operand }, true)?);
                }
            }
            Kind::Add { .. } | Kind::ShiftAdd { .. } => {
                let count = if matches!(kind, Kind::Add { .. }) { 3 } else { 2 };
                for (at, operand) in operands.read.iter().take(count).enumerate() {
                    // The kind records what is subtracted, because the carry differs.
                    let is_number = matches!(operand.source, Source::Integer(_));
                    let taken_in = matches!(kind, Kind::Add { .. }) || at == 0;
                    let negated = operand.negated && (is_number || !taken_in);
                    let inverts = self.files.is_old && self.has("X") && operand.negated && !is_number;
                    let inverted = operand.inverted || inverts;
                    inputs.push(self.input(&Operand { negated, inverted, ..*operand })?);
                }
            }
            Kind::MultiplyWide(Product { signed, .. }) | Kind::MultiplyHigh(Product { signed, .. }) => {
                let [a, b, c, ..] = &operands.read[..] else { return None };
                inputs.extend([self.input(a)?, self.input(b)?]);
                inputs.extend(self.pair(c, signed)?);
            }
            Kind::ShiftAddHigh { extended, .. } => {
                for at in 0..if extended { 2 } else { 3 } {
                    inputs.push(self.input(operands.read.get(at)?)?);
                }
            }
            Kind::HalfProduct { .. } => {
                for operand in &operands.read {
                    inputs.push(self.input(operand)?);
                }
                let factor = Operand { half: None, ..*operands.read.get(1)? };
                inputs.push(self.input(&factor)?);
            }
            Kind::PackPredicates(_) => {
                let base = operands.read.iter().find(|operand| matches!(operand.source, Source::Register(_)));
                inputs.push(match base {
                    Some(base) => self.input(base)?,
                    None => self.number_input(0),
                });
            }
            // The meaning of a fourth operand is unknown.
            _ if operands.read.len() > 3 => return None,
            kind if kind.reads_pairs() => {
                for operand in &operands.read {
                    inputs.extend(self.pair(operand, true)?);
                }
            }
            _ => {
                for operand in &operands.read {
                    inputs.push(self.input(operand)?);
                }
            }
        }
        Some(inputs)
    }

    fn number_input(&mut self, value: u32) -> Input {
        Input { slot: self.files.number(value), change: Change::None }
    }

    fn input(&mut self, operand: &Operand) -> Option<Input> {
        let is_float = self.numbers != NumberType::Integers;
        if let Source::Integer(_) | Source::Float(_) = operand.source {
            let value = number(operand, is_float)?;
            return Some(self.number_input(value));
        }
        let slot = self.slot(operand.source, 0)?;
        Some(Input { slot, change: self.change(operand)? })
    }

    fn change(&self, operand: &Operand) -> Option<Change> {
        let is_float = self.numbers != NumberType::Integers;
        Some(match (operand.half, operand.magnitude, operand.negated, operand.inverted) {
            (None, false, false, false) => Change::None,
            (None, false, true, false) if is_float => Change::FloatNegated,
            (None, true, false, false) if is_float => Change::FloatMagnitude,
            (None, true, true, false) if is_float => Change::FloatMagnitudeNegated,
            (None, true, false, false) => Change::Magnitude,
            (None, true, true, false) => Change::MagnitudeNegated,
            (None, false, true, false) => Change::Negated,
            (None, false, false, true) => Change::Inverted,
            (Some(Half::Low), false, false, false) => Change::LowHalf,
            (Some(Half::High), false, false, false) => Change::HighHalf,
            _ => return None,
        })
    }

    fn slot(&mut self, source: Source, more: u16) -> Option<u16> {
        match source {
            Source::Register(register) => {
                self.files.register(Register { index: register.index.checked_add(more)?, ..register })
            }
            Source::Zero => Some(self.files.number(0)),
            Source::Constant { bank, offset } => {
                self.files.constant(bank, offset.checked_add(4 * u32::from(more))?)
            }
            _ => None,
        }
    }

    /// Returns the low and the high word of a 64-bit operand.
    fn pair(&mut self, operand: &Operand, signed: bool) -> Option<[Input; 2]> {
        if self.numbers == NumberType::Doubles {
            return self.double_pair(operand);
        }
        if let Source::Long(value) = operand.source {
            let value = if operand.negated { value.wrapping_neg() } else { value };
            return Some(self.long(value));
        }
        if let Source::Integer(value) = operand.source {
            let value = if operand.negated { value.wrapping_neg() } else { value };
            let high = if signed && value >> 31 == 1 { u32::MAX } else { 0 };
            return Some([self.number_input(value), self.number_input(high)]);
        }
        if operand.negated || operand.inverted || !operand.is_plain() {
            return None;
        }
        let input = |slot| Input { slot, change: Change::None };
        Some([input(self.slot(operand.source, 0)?), input(self.slot(operand.source, 1)?)])
    }

    fn long(&mut self, value: u64) -> [Input; 2] {
        [self.number_input(value as u32), self.number_input((value >> 32) as u32)]
    }

    /// Returns the two words of a 64-bit float; a change of sign applies to the upper word.
    fn double_pair(&mut self, operand: &Operand) -> Option<[Input; 2]> {
        if let Source::Integer(_) | Source::Float(_) = operand.source {
            let value = double(operand)?;
            return Some(self.long(value.to_bits()));
        }
        let high = Input { slot: self.slot(operand.source, 1)?, change: self.change(operand)? };
        let is_part = matches!(high.change, Change::LowHalf | Change::HighHalf | Change::Inverted);
        let low = Input { slot: self.slot(operand.source, 0)?, change: Change::None };
        (!is_part).then_some([low, high])
    }

    /// Returns the input predicates. A predicate that the text omits has the default of `kind`.
    fn flags(&mut self, kind: Kind) -> Option<Vec<FlagInput>> {
        let mut flags = Vec::new();
        for operand in &self.operands.read_predicates {
            flags.push(self.flag(operand)?);
        }
        let is_carry = matches!(
            kind,
            Kind::Add { x: true, .. }
                | Kind::Multiply(Product { x: true, .. })
                | Kind::MultiplyHighWord(Product { x: true, .. })
                | Kind::MultiplyWide(Product { x: true, .. })
                | Kind::ShiftAddHigh { x: true, .. }
        );
        if is_carry && flags.is_empty() {
            flags.push(FlagInput { slot: self.files.flag(Register::CONDITION_CODE)?, inverted: false });
        }
        if is_carry {
            flags.resize(2, FlagInput { slot: ALWAYS, inverted: true });
        }
        if kind == Kind::First && self.has("OR") {
            flags.push(self.flag(self.operands.written_predicates.first()?)?);
        }
        if matches!(kind, Kind::Logic(_) | Kind::First) && flags.is_empty() {
            flags.push(FlagInput { slot: ALWAYS, inverted: true });
        }
        while flags.len() < 3 {
            flags.push(FlagInput { slot: ALWAYS, inverted: false });
        }
        Some(flags)
    }

    fn flag(&mut self, operand: &Operand) -> Option<FlagInput> {
        let slot = match operand.source {
            Source::True => ALWAYS,
            Source::Register(register) => self.files.flag(register)?,
            _ => return None,
        };
        Some(FlagInput { slot, inverted: operand.inverted })
    }

    fn outputs(&mut self, kind: Kind) -> [Option<u16>; 4] {
        let Some(first) = self.operands.written.first().copied() else { return [None; 4] };
        let slot = |text: &mut Self, more: u16| match first.source {
            Source::Register(_) => text.slot(first.source, more),
            _ => None,
        };
        let low = slot(self, 0);
        let wide = kind.writes_pair() || kind == Kind::Copy && self.has("64");
        [low, if wide { slot(self, 1) } else { None }, None, None]
    }

    fn results(&mut self, kind: Kind) -> [Option<u16>; 2] {
        let mut results = [None; 2];
        let given = kind.predicates();
        for (into, operand) in results.iter_mut().zip(&self.operands.written_predicates).take(given) {
            if let Source::Register(register) = operand.source {
                *into = self.files.flag(register);
            }
        }
        // `R4.CC`
        if given > 0 && self.operands.written_predicates.is_empty() && self.files.writes_condition {
            results[0] = self.files.flag(Register::CONDITION_CODE);
        }
        results
    }

    /// Returns the operation that copies words into consecutive registers.
    fn copies(&mut self, words: &[u16]) -> Option<Work> {
        let words: Vec<Input> = words.iter().map(|&slot| Input { slot, change: Change::None }).collect();
        self.copies_of(&words)
    }

    fn copies_of(&mut self, words: &[Input]) -> Option<Work> {
        let first = self.operands.written.first()?.source;
        let mut values = [None; 4];
        for (at, into) in values.iter_mut().enumerate().take(words.len()) {
            // A load into `RZ` writes no register.
            *into = if matches!(first, Source::Register(_)) { self.slot(first, at as u16) } else { None };
        }
        let inputs = words.into();
        let kind = if words.len() > 2 { Kind::CopyAll } else { Kind::Copy };
        Some(Work { kind, inputs, flags: Box::default(), values, results: [None; 2] })
    }

    fn special(&mut self) -> Option<Work> {
        let name = self.operands.special().filter(|_| self.only(&[&["32", "64"]]))?;
        let word = self.files.special(name);
        if name == "SRZ" { self.copies(&[word, word]) } else { self.copies(&[word]) }
    }

    fn constant_load(&mut self, inst: &Inst) -> Option<Work> {
        let (_, operand) = *self.operands.addresses.first()?;
        let Source::Constant { bank, offset } = operand.source else { return None };
        let bytes = u32::from(inst.memory?.bytes_per_lane);
        let part = match *self.modifiers {
            [] | ["32" | "64" | "128"] => None,
            ["U8"] => Some((8, false)),
            ["S8"] => Some((8, true)),
            ["U16"] => Some((16, false)),
            ["S16"] => Some((16, true)),
            _ => return None,
        };
        if let Some((width, signed)) = part {
            let place = offset % 4 * 8;
            // A half that crosses a word boundary is misaligned.
            let place = u8::try_from(place).ok().filter(|_| place + u32::from(width) <= 32)?;
            let slot = self.files.constant(bank, offset - offset % 4)?;
            return self.copies_of(&[Input { slot, change: Change::Bits { place, width, signed } }]);
        }
        let words = (0..bytes / 4).map(|word| self.files.constant(bank, offset.wrapping_add(4 * word)));
        let words: Vec<u16> = words.collect::<Option<_>>()?;
        if (1..=4).contains(&words.len()) { self.copies(&words) } else { None }
    }

    fn two_halves(&mut self) -> Option<Work> {
        let value = self.operands.two_halves().filter(|_| self.only(&[&["MMA"]]))?;
        let word = self.files.number(value);
        self.copies(&[word])
    }
}

/// Truth table whose result is the second input.
const SECOND: u8 = 0xcc; // limit: a truth table of three inputs has eight bits

pub(super) const COMBINES: &[&str] = &["AND", "OR", "XOR"];
pub(super) const RELATIONS: &[&str] = &["LT", "LE", "EQ", "NE", "GE", "GT", "F", "T"];

fn combine_named(name: &str) -> Option<Combine> {
    match name {
        "AND" => Some(Combine::And),
        "OR" => Some(Combine::Or),
        "XOR" => Some(Combine::Xor),
        _ => None,
    }
}

/// Returns the bits of an immediate with its sign and inversion applied.
fn number(operand: &Operand, is_float: bool) -> Option<u32> {
    let bits = match (operand.source, is_float) {
        (Source::Integer(value), false) => {
            let value = if operand.negated { value.wrapping_neg() } else { value };
            return Some(if operand.inverted { !value } else { value });
        }
        (Source::Integer(value), true) => (value as f32).to_bits(),
        (Source::Float(text), _) => match text.trim_start_matches('+') {
            "INF" => f32::INFINITY.to_bits(),
            "QNAN" | "SNAN" => f32::NAN.to_bits(),
            text => text.parse::<f32>().ok()?.to_bits(),
        },
        _ => return None,
    };
    let bits = if operand.magnitude { bits & !(1 << 31) } else { bits };
    Some(if operand.negated { bits ^ 1 << 31 } else { bits })
}

/// Returns the value of an immediate operand of a 64-bit floating-point instruction; `None` for other operands.
fn double(operand: &Operand) -> Option<f64> {
    let value = match operand.source {
        Source::Integer(value) => f64::from(value),
        Source::Float(text) => match text.trim_start_matches('+') {
            "INF" => f64::INFINITY,
            "QNAN" | "SNAN" => f64::NAN,
            text => text.parse().ok()?,
        },
        _ => return None,
    };
    let value = if operand.magnitude { value.abs() } else { value };
    Some(if operand.negated { -value } else { value })
}

impl Files {
    /// Returns the slots of the predicates that make up `PR`, in order.
    pub(super) fn predicates(&mut self) -> Vec<u16> {
        let register = |index| Register { file: RegisterFile::Predicate, index };
        (0..7).filter_map(|index| self.flag(register(index))).collect()
    }
}
