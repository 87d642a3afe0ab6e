//! An instruction's text to the work that it does on registers.

use super::file::{ALWAYS, Files};
use super::kind::{Combine, Condition, Function, HalfAddend, Kind, Shuffle, Vote};
use crate::address::operand::{Half, Operand, Operands, Source};
use crate::address::words::{Relation, table_named};
use crate::{Inst, Register, RegisterFile};

/// Where an input comes from, and what is done to it on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Input {
    /// In the file of registers and numbers.
    pub slot: u16,
    pub change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Negated,
    Inverted,
    LowHalf,
    HighHalf,
    /// Of a float: its sign turned, then its sign dropped first.
    FloatNegated,
    FloatMagnitude,
    FloatMagnitudeNegated,
}

/// A predicate that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlagInput {
    pub slot: u16,
    pub inverted: bool,
}

/// One instruction's work.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub kind: Kind,
    pub inputs: Box<[Input]>,
    pub flags: Box<[FlagInput]>,
    /// Where the results go; `None` for one that is dropped.
    pub values: [Option<u16>; 2],
    pub results: [Option<u16>; 2],
}

/// An instruction's words.
struct Text<'t, 'a> {
    files: &'t mut Files,
    modifiers: &'t [&'a str],
    operands: &'t Operands<'a>,
    /// Numbers and signs are those of floats.
    is_float: bool,
}

/// The work of an instruction; `None` where it is not followed.
pub(super) fn work(
    files: &mut Files,
    mnemonic: &str,
    modifiers: &[&str],
    operands: &Operands,
    inst: &Inst,
) -> Option<Work> {
    let is_float = matches!(
        mnemonic,
        "FADD"
            | "FADD32I"
            | "FMUL"
            | "FMUL32I"
            | "FFMA"
            | "FFMA32I"
            | "FSETP"
            | "FMNMX"
            | "FSEL"
            | "MUFU"
            | "F2I"
            | "FCHK"
    );
    let mut text = Text { files, modifiers, operands, is_float };
    match mnemonic {
        "S2R" | "S2UR" | "CS2R" => return text.special(),
        "LDC" | "ULDC" | "LDCU" => return text.constant_load(inst),
        "HFMA2" => return text.two_halves(),
        _ => {}
    }
    let kind = text.kind(mnemonic)?;
    let inputs = text.inputs(kind)?;
    let flags = text.flags(kind)?;
    let values = text.outputs();
    let results = text.results();
    Some(Work { kind, inputs: inputs.into(), flags: flags.into(), values, results })
}

const SIGNS: &[&str] = &["U32", "S32"];

impl Text<'_, '_> {
    fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    fn only(&self, known: &[&[&str]]) -> bool {
        self.modifiers.iter().all(|modifier| known.iter().any(|set| set.contains(modifier)))
    }

    fn signed(&self) -> bool {
        !self.has("U32")
    }

    #[expect(clippy::too_many_lines, reason = "a table of opcodes")]
    fn kind(&self, mnemonic: &str) -> Option<Kind> {
        let wraps = self.has("W");
        let when = |known: bool, kind: Kind| known.then_some(kind);
        match mnemonic {
            "MOV" | "UMOV" | "MOV32I" | "R2UR" => when(self.only(&[&["U32"]]), Kind::Copy),
            "IMAD" | "UIMAD" | "IMAD32I" if self.has("MOV") => Some(Kind::Copy),
            "IADD3" | "UIADD3" | "VIADD" | "UVIADD" | "IADD" | "UIADD" | "IADD32I" | "VIADD3" => {
                let kind = if self.has("64") {
                    Kind::AddPairs { negated: self.negated() }
                } else {
                    Kind::Add { x: self.has("X"), negated: self.negated() }
                };
                when(self.only(&[SIGNS, &["X", "64"]]), kind)
            }
            "IMAD" | "UIMAD" | "IMAD32I" => {
                let signed = self.signed();
                let kind = match () {
                    () if self.has("WIDE") => Kind::MultiplyWide { signed, x: self.has("X") },
                    () if self.has("HI") && self.files.is_old => {
                        Kind::MultiplyHighWord { signed, x: self.has("X") }
                    }
                    () if self.has("HI") => Kind::MultiplyHigh { signed },
                    () => Kind::Multiply { x: self.has("X") },
                };
                let mixed = self.has("U32") && self.has("S32");
                when(self.only(&[SIGNS, &["WIDE", "HI", "X", "SHL", "IADD"]]) && !mixed, kind)
            }
            "LEA" | "ULEA" => self.shift_add(),
            "ISCADD" => {
                let by = self.number(2)?;
                when(self.only(&[]) && by < 32, Kind::ShiftAdd { by, negated: self.read(0)?.negated })
            }
            "SHF" | "USHF" => {
                let wide = self.has("U64") || self.has("S64");
                let signed = self.has("S32") || self.has("S64");
                let kind =
                    Kind::FunnelShift { left: self.has("L"), high: self.has("HI"), wraps, wide, signed };
                when(self.only(&[SIGNS, &["L", "R", "U64", "S64", "HI", "W"]]), kind)
            }
            "SHL" | "USHL" => when(self.only(&[SIGNS, &["W"]]), Kind::ShiftLeft { wraps }),
            "SHR" | "USHR" => {
                when(self.only(&[SIGNS, &["W"]]), Kind::ShiftRight { signed: self.signed(), wraps })
            }
            "LOP3" | "ULOP3" => {
                let table = self.operands.tables().flatten().next()?;
                when(self.only(&[&["LUT"]]), Kind::Logic { table })
            }
            "LOP" | "LOP32I" => {
                let [modifier] = *self.modifiers else { return None };
                let table = if modifier == "PASS_B" { SECOND } else { table_named(modifier)? };
                Some(Kind::Logic { table })
            }
            "ISETP" | "UISETP" => {
                let condition = self.condition()?;
                let known = self.only(&[SIGNS, COMBINES, RELATIONS, &["EX"]]);
                let kind = Kind::Compare {
                    condition,
                    signed: self.signed(),
                    combine: self.combine(),
                    extended: self.has("EX"),
                };
                when(known, kind)
            }
            "FSETP" => {
                let unordered = self.modifiers.iter().any(|m| UNORDERED.contains(m));
                let kind =
                    Kind::CompareFloats { condition: self.condition()?, unordered, combine: self.combine() };
                when(self.only(&[COMBINES, RELATIONS, UNORDERED, &["FTZ", "NUM", "NAN"]]), kind)
            }
            "PLOP3" | "UPLOP3" => {
                let mut tables = self.operands.tables();
                let first = tables.next()??;
                when(
                    self.only(&[&["LUT"]]),
                    Kind::Predicates { first, second: tables.next().flatten().unwrap_or(0) },
                )
            }
            "PSETP" => {
                let combine = |at: usize| combine_named(self.modifiers.get(at)?);
                Some(Kind::PredicatePair { first: combine(0)?, second: combine(1)? })
            }
            "SEL" | "USEL" | "FSEL" => when(self.only(&[&["FTZ"]]), Kind::Select),
            "IMNMX" | "VIMNMX" | "UIMNMX" | "UVIMNMX" => {
                when(self.only(&[SIGNS]), Kind::LeastGreatest { signed: self.signed() })
            }
            "FMNMX" => when(self.only(&[&["FTZ"]]), Kind::LeastGreatestFloat),
            "IABS" => when(self.only(&[]), Kind::Magnitude),
            "PRMT" | "UPRMT" => when(self.only(&[&["IDX"]]), Kind::Permute),
            "SGXT" | "USGXT" => {
                when(self.only(&[SIGNS, &["W"]]), Kind::SignExtend { wraps, signed: self.signed() })
            }
            "BMSK" | "UBMSK" => when(self.only(&[&["W"]]), Kind::BitMask { wraps }),
            "BFE" => when(self.only(&[SIGNS]), Kind::ExtractBits { signed: self.signed() }),
            "BFI" => when(self.only(&[]), Kind::InsertBits),
            "POPC" | "UPOPC" => when(self.only(&[]) && self.operands.read.len() == 1, Kind::CountBits),
            "FLO" | "UFLO" => {
                let shifts = self.has("SH");
                when(self.only(&[SIGNS, &["SH"]]), Kind::HighestBit { signed: self.signed(), shifts })
            }
            "BREV" | "UBREV" => when(self.only(&[]), Kind::ReverseBits),
            "I2F" | "I2FP" => {
                let signed = !self.has("U32");
                when(self.only(&[SIGNS, &["RP", "F32", "RN"]]), Kind::ToFloat { signed, up: self.has("RP") })
            }
            "F2I" => {
                let kind = Kind::ToInteger { signed: !self.has("U32"), truncates: self.has("TRUNC") };
                when(self.only(&[SIGNS, &["FTZ", "TRUNC", "NTZ", "F32"]]), kind)
            }
            "FADD" | "FADD32I" => when(self.only(&[&["FTZ"]]), Kind::FloatAdd),
            "FMUL" | "FMUL32I" => when(self.only(&[&["FTZ"]]), Kind::FloatMultiply),
            "FFMA" | "FFMA32I" => when(
                self.only(&[&["FTZ", "SAT", "RM", "RP", "RZ"]]) && !self.has("SAT"),
                Kind::FloatMultiplyAdd,
            ),
            "MUFU" => match *self.modifiers {
                ["RCP"] => Some(Kind::Special(Function::Reciprocal)),
                ["RSQ"] => Some(Kind::Special(Function::ReciprocalRoot)),
                ["SQRT"] => Some(Kind::Special(Function::Root)),
                ["EX2"] => Some(Kind::Special(Function::Exponential)),
                ["LG2"] => Some(Kind::Special(Function::Logarithm)),
                ["SIN"] => Some(Kind::Special(Function::Sine)),
                ["COS"] => Some(Kind::Special(Function::Cosine)),
                _ => None,
            },
            "FCHK" => Some(Kind::CheckDivision),
            "SHFL" => match *self.modifiers {
                ["IDX"] => Some(Kind::Shuffle(Shuffle::Index)),
                ["UP"] => Some(Kind::Shuffle(Shuffle::Up)),
                ["DOWN"] => Some(Kind::Shuffle(Shuffle::Down)),
                ["BFLY"] => Some(Kind::Shuffle(Shuffle::Butterfly)),
                _ => None,
            },
            "VOTE" | "VOTEU" => {
                let writes_mask = self.operands.written.iter().any(|operand| operand.source != Source::Zero);
                match *self.modifiers {
                    _ if writes_mask => Some(Kind::Ballot),
                    ["ALL"] => Some(Kind::Vote(Vote::All)),
                    ["ANY"] => Some(Kind::Vote(Vote::Any)),
                    ["EQ"] => Some(Kind::Vote(Vote::Equal)),
                    _ => None,
                }
            }
            "ELECT" => Some(Kind::Elect),
            "XMAD" => self.half_product(),
            "P2R" => when(self.only(&[]), Kind::PackPredicates { mask: self.mask() }),
            "R2P" => when(self.only(&[]), Kind::UnpackPredicates { mask: self.mask() }),
            _ => None,
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

    /// Inputs of a sum that are subtracted; a number's own sign is part of it.
    fn negated(&self) -> u8 {
        let is_subtracted =
            |operand: &Operand| operand.negated && !matches!(operand.source, Source::Integer(_));
        let negated = self.operands.read.iter().enumerate().filter(|(_, operand)| is_subtracted(operand));
        negated.fold(0, |mask, (at, _)| mask | 1 << at.min(7))
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

    fn condition(&self) -> Option<Condition> {
        self.modifiers.iter().find_map(|modifier| {
            Some(match *modifier {
                "NUM" => Condition::Numbers,
                "NAN" => Condition::NotNumbers,
                "F" => Condition::Never,
                "T" => Condition::Always,
                // `LTU`: also where one is no number.
                _ => {
                    let ordered = modifier.strip_suffix('U').unwrap_or(modifier);
                    Condition::Holds(Relation::of_modifier(ordered)?)
                }
            })
        })
    }

    fn combine(&self) -> Combine {
        self.modifiers.iter().find_map(|modifier| combine_named(modifier)).unwrap_or(Combine::And)
    }

    /// The inputs in order, as many as the kind takes; a pair is two of them.
    fn inputs(&mut self, kind: Kind) -> Option<Vec<Input>> {
        let operands = self.operands;
        let mut inputs = Vec::new();
        match kind {
            Kind::Copy if self.has("MOV") => inputs.push(self.input(operands.read.get(2)?)?),
            Kind::Copy => inputs.push(self.input(operands.read.first()?)?),
            Kind::AddPairs { .. } => {
                for operand in operands.read.iter().take(3) {
                    // The kind knows which registers are subtracted; a number's sign is part of it.
                    let negated = operand.negated && matches!(operand.source, Source::Integer(_));
                    inputs.extend(self.pair(&Operand { negated, ..*operand }, true)?);
                }
            }
            Kind::Add { .. } | Kind::ShiftAdd { .. } => {
                let count = if matches!(kind, Kind::Add { .. }) { 3 } else { 2 };
                for (at, operand) in operands.read.iter().take(count).enumerate() {
                    // The kind knows what is subtracted: the carry differs.
                    let is_number = matches!(operand.source, Source::Integer(_));
                    let taken_in = matches!(kind, Kind::Add { .. }) || at == 0;
                    let negated = operand.negated && (is_number || !taken_in);
                    inputs.push(self.input(&Operand { negated, ..*operand })?);
                }
            }
            Kind::MultiplyWide { signed, .. } | Kind::MultiplyHigh { signed } => {
                inputs.push(self.input(operands.read.first()?)?);
                inputs.push(self.input(operands.read.get(1)?)?);
                inputs.extend(self.pair(operands.read.get(2)?, signed)?);
            }
            Kind::ShiftAddHigh { extended, .. } => {
                inputs.push(self.input(operands.read.first()?)?);
                inputs.push(self.input(operands.read.get(1)?)?);
                if !extended {
                    inputs.push(self.input(operands.read.get(2)?)?);
                }
            }
            Kind::HalfProduct { .. } => {
                for operand in &operands.read {
                    inputs.push(self.input(operand)?);
                }
                let factor = Operand { half: None, ..*operands.read.get(1)? };
                inputs.push(self.input(&factor)?);
            }
            Kind::PackPredicates { .. } => {
                let base = operands.read.iter().find(|operand| matches!(operand.source, Source::Register(_)));
                inputs.push(match base {
                    Some(base) => self.input(base)?,
                    None => self.number_input(0),
                });
            }
            _ => {
                for operand in operands.read.iter().take(3) {
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
        let is_float = self.is_float;
        if let Source::Integer(_) | Source::Float(_) = operand.source {
            let value = number(operand, is_float)?;
            return Some(self.number_input(value));
        }
        let slot = self.slot(operand.source, 0)?;
        let change = match (operand.half, operand.magnitude, operand.negated, operand.inverted) {
            (None, false, false, false) => Change::None,
            (None, false, true, false) if is_float => Change::FloatNegated,
            (None, true, false, false) if is_float => Change::FloatMagnitude,
            (None, true, true, false) if is_float => Change::FloatMagnitudeNegated,
            (None, false, true, false) => Change::Negated,
            (None, false, false, true) => Change::Inverted,
            (Some(Half::Low), false, false, false) => Change::LowHalf,
            (Some(Half::High), false, false, false) => Change::HighHalf,
            _ => return None,
        };
        Some(Input { slot, change })
    }

    fn slot(&mut self, source: Source, more: u16) -> Option<u16> {
        match source {
            Source::Register(register) => {
                self.files.register(Register { index: register.index.checked_add(more)?, ..register })
            }
            Source::Zero => Some(self.files.number(0)),
            Source::Constant { bank: 0, offset } => {
                Some(self.files.constant(offset.checked_add(4 * u32::from(more))?))
            }
            _ => None,
        }
    }

    /// The two halves of an operand of 64 bits.
    fn pair(&mut self, operand: &Operand, signed: bool) -> Option<[Input; 2]> {
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

    /// Predicates that come in: each kind knows what is meant where the text has none.
    fn flags(&mut self, kind: Kind) -> Option<Vec<FlagInput>> {
        let mut flags = Vec::new();
        for operand in &self.operands.read_predicates {
            flags.push(self.flag(operand)?);
        }
        let is_carry = matches!(
            kind,
            Kind::Add { x: true, .. }
                | Kind::Multiply { x: true }
                | Kind::MultiplyHighWord { x: true, .. }
                | Kind::MultiplyWide { x: true, .. }
                | Kind::ShiftAddHigh { x: true, .. }
        );
        if is_carry && flags.is_empty() {
            flags.push(FlagInput { slot: self.files.flag(Register::CONDITION_CODE)?, inverted: false });
        }
        if is_carry {
            flags.resize(2, FlagInput { slot: ALWAYS, inverted: true });
        }
        if matches!(kind, Kind::Logic { .. }) && flags.is_empty() {
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

    fn outputs(&mut self) -> [Option<u16>; 2] {
        let Some(first) = self.operands.written.first().copied() else { return [None; 2] };
        let slot = |text: &mut Self, more: u16| match first.source {
            Source::Register(_) => text.slot(first.source, more),
            _ => None,
        };
        let low = slot(self, 0);
        let wide = self.has("WIDE") || self.has("64");
        [low, if wide { slot(self, 1) } else { None }]
    }

    fn results(&mut self) -> [Option<u16>; 2] {
        let mut results = [None; 2];
        for (into, operand) in results.iter_mut().zip(&self.operands.written_predicates) {
            if let Source::Register(register) = operand.source {
                *into = self.files.flag(register);
            }
        }
        // `R4.CC`
        if self.operands.written_predicates.is_empty() && self.files.writes_condition {
            results[0] = self.files.flag(Register::CONDITION_CODE);
        }
        results
    }

    /// A copy of words into consecutive registers.
    fn copies(&mut self, words: &[u16]) -> Option<Work> {
        let first = self.operands.written.first()?.source;
        let mut values = [None; 2];
        for (at, into) in values.iter_mut().enumerate().take(words.len()) {
            *into = self.slot(first, at as u16);
        }
        let inputs = words.iter().map(|&slot| Input { slot, change: Change::None }).collect();
        Some(Work { kind: Kind::Copy, inputs, flags: Box::default(), values, results: [None; 2] })
    }

    fn special(&mut self) -> Option<Work> {
        let name = self.operands.special()?;
        let word = self.files.special(name);
        if name == "SRZ" { self.copies(&[word, word]) } else { self.copies(&[word]) }
    }

    fn constant_load(&mut self, inst: &Inst) -> Option<Work> {
        let (_, operand) = *self.operands.addresses.first()?;
        let Source::Constant { bank: 0, offset } = operand.source else { return None };
        let words = u32::from(inst.memory?.bytes_per_lane) / 4;
        if !(1..=2).contains(&words) {
            return None;
        }
        let words: Vec<u16> =
            (0..words).map(|word| self.files.constant(offset.wrapping_add(4 * word))).collect();
        self.copies(&words)
    }

    fn two_halves(&mut self) -> Option<Work> {
        let value = self.operands.two_halves().filter(|_| self.only(&[&["MMA"]]))?;
        let word = self.files.number(value);
        self.copies(&[word])
    }
}

/// The truth table of the second input alone.
const SECOND: u8 = 0xcc;

const COMBINES: &[&str] = &["AND", "OR", "XOR"];
const RELATIONS: &[&str] = &["LT", "LE", "EQ", "NE", "GE", "GT", "F", "T"];
const UNORDERED: &[&str] = &["LTU", "LEU", "EQU", "NEU", "GEU", "GTU"];

fn combine_named(name: &str) -> Option<Combine> {
    match name {
        "AND" => Some(Combine::And),
        "OR" => Some(Combine::Or),
        "XOR" => Some(Combine::Xor),
        _ => None,
    }
}

/// The bits of a number in the text, its sign and inversion taken in.
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

impl Files {
    /// The predicates that `PR` stands for, in order.
    pub(super) fn predicates(&mut self) -> Vec<u16> {
        let register = |index| Register { file: RegisterFile::Predicate, index };
        (0..7).filter_map(|index| self.flag(register(index))).collect()
    }
}
