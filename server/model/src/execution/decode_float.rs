//! Opcodes on floats, and conversions between floats and integers.

use super::decode::{COMBINES, RELATIONS, Text};
use super::kind::{Comparands, Float, Function, Kind, Round};
use crate::address::operand::Source;

const UNORDERED: &[&str] = &["LTU", "LEU", "EQU", "NEU", "GEU", "GTU"];
const ROUNDS: &[&str] = &["RN", "RM", "RP", "RZ"];
const WHOLES: &[&str] = &["FLOOR", "CEIL", "TRUNC"];

impl Text<'_, '_> {
    /// Returns the operation of a floating-point opcode; `None` for other opcodes and for modifiers that are
    /// not modelled.
    pub(super) fn float_kind(&self, mnemonic: &str) -> Option<Kind> {
        let when = |known: bool, kind: Kind| known.then_some(kind);
        let flushes = self.has("FTZ");
        let (round, whole) = (self.round(), self.whole());
        match mnemonic {
            "FADD" | "FADD32I" | "UFADD" => self.arithmetic().map(Kind::FloatAdd),
            "FMUL" | "FMUL32I" | "UFMUL" => self.arithmetic().map(Kind::FloatMultiply),
            "FFMA" | "FFMA32I" | "UFFMA" => self.arithmetic().map(Kind::FloatMultiplyAdd),
            "DADD" => when(self.only(&[ROUNDS]), Kind::DoubleAdd(round)),
            "DMUL" => when(self.only(&[ROUNDS]), Kind::DoubleMultiply(round)),
            "DFMA" => when(self.only(&[ROUNDS]), Kind::DoubleMultiplyAdd(round)),
            "FSETP" | "UFSETP" => {
                let kind = self.comparison(Comparands::Floats { unordered: self.is_unordered(), flushes })?;
                when(self.only(&[COMBINES, RELATIONS, UNORDERED, &["FTZ", "NUM", "NAN"]]), kind)
            }
            "DSETP" if self.has("MIN") || self.has("MAX") => {
                let is_plain = self
                    .operands
                    .read_predicates
                    .iter()
                    .all(|operand| operand.source == Source::True && !operand.inverted);
                let kind = Kind::ChooseDoubles { least: self.has("MIN") };
                when(is_plain && self.only(&[&["MIN", "MAX", "AND"]]), kind)
            }
            "DSETP" => {
                let kind = self.comparison(Comparands::Doubles { unordered: self.is_unordered() })?;
                when(self.only(&[COMBINES, RELATIONS, UNORDERED, &["NUM", "NAN"]]), kind)
            }
            "FSEL" | "UFSEL" => when(self.only(&[]), Kind::Select),
            "FMNMX" | "UFMNMX" => {
                let kind = Kind::LeastGreatestFloat { three: false, flushes };
                when(self.only(&[&["FTZ"]]) && self.chooses(1), kind)
            }
            "FMNMX3" => {
                let kind = Kind::LeastGreatestFloat { three: true, flushes };
                when(self.only(&[&["FTZ"]]) && self.chooses(2), kind)
            }
            "DMNMX" => when(self.only(&[]) && self.chooses(1), Kind::LeastGreatestDouble),
            "FRND" | "UFRND" if self.has("F64") => {
                when(self.only(&[WHOLES, &["F64"]]), Kind::RoundDouble(whole))
            }
            "FRND" | "UFRND" => {
                when(self.only(&[WHOLES, &["FTZ", "F32"]]), Kind::RoundFloat { round: whole, flushes })
            }
            "F2F" => match *self.modifiers {
                ["F64", "F32"] => Some(Kind::FloatToDouble),
                ["F32", "F64"] => Some(Kind::DoubleToFloat),
                ["F32", "F32", "FLOOR" | "CEIL" | "TRUNC"] => {
                    Some(Kind::RoundFloat { round: whole, flushes })
                }
                ["F32", "F32", "ROUND"] => Some(Kind::RoundFloat { round: Round::Nearest, flushes }),
                ["F64", "F64", "FLOOR" | "CEIL" | "TRUNC"] => Some(Kind::RoundDouble(whole)),
                ["F64", "F64", "ROUND"] => Some(Kind::RoundDouble(Round::Nearest)),
                _ => None,
            },
            "I2F" | "I2FP" | "UI2F" | "UI2FP" => {
                let mut sources =
                    self.modifiers.iter().filter_map(|modifier| match modifier.split_at_checked(1)? {
                        (sign @ ("S" | "U"), bits) => Some((bits.parse().ok()?, sign == "S")),
                        _ => None,
                    });
                let (bits, signed) = sources.next().unwrap_or((32, true));
                let known = self
                    .only(&[ROUNDS, &["F32", "F64", "U8", "S8", "U16", "S16", "U32", "S32", "U64", "S64"]]);
                let kind = Kind::ToFloat { bits, signed, round, double: self.has("F64") };
                when(known && sources.next().is_none(), kind)
            }
            "F2I" | "UF2I" => {
                let kind = Kind::ToInteger {
                    signed: !self.has("U32") && !self.has("U64"),
                    wide: self.has("U64") || self.has("S64"),
                    double: self.has("F64"),
                    round: whole,
                    flushes,
                };
                let types = &["U32", "S32", "U64", "S64", "F32", "F64"];
                when(self.only(&[WHOLES, types, &["FTZ", "NTZ"]]), kind)
            }
            "MUFU" => match *self.modifiers {
                ["RCP"] => Some(Kind::Special(Function::Reciprocal)),
                ["RSQ"] => Some(Kind::Special(Function::ReciprocalRoot)),
                ["SQRT"] => Some(Kind::Special(Function::Root)),
                ["EX2"] => Some(Kind::Special(Function::Exponential)),
                ["LG2"] => Some(Kind::Special(Function::Logarithm)),
                ["SIN"] => Some(Kind::Special(Function::Sine)),
                ["COS"] => Some(Kind::Special(Function::Cosine)),
                ["RCP64H"] => Some(Kind::SpecialDouble(Function::Reciprocal)),
                ["RSQ64H"] => Some(Kind::SpecialDouble(Function::ReciprocalRoot)),
                _ => None,
            },
            "FCHK" => when(self.only(&[&["DIVIDE"]]), Kind::CheckDivision),
            _ => None,
        }
    }

    fn arithmetic(&self) -> Option<Float> {
        let how = Float { round: self.round(), flushes: self.has("FTZ"), saturates: self.has("SAT") };
        self.only(&[ROUNDS, &["FTZ", "SAT"]]).then_some(how)
    }

    fn is_unordered(&self) -> bool {
        self.modifiers.iter().any(|modifier| UNORDERED.contains(modifier))
    }

    /// Returns the rounding mode that the modifiers name; round to nearest by default.
    fn round(&self) -> Round {
        match () {
            () if self.has("RM") => Round::Down,
            () if self.has("RP") => Round::Up,
            () if self.has("RZ") => Round::Zero,
            () => Round::Nearest,
        }
    }

    /// Returns the integer rounding mode that the modifiers name; round to nearest by default.
    fn whole(&self) -> Round {
        match () {
            () if self.has("FLOOR") => Round::Down,
            () if self.has("CEIL") => Round::Up,
            () if self.has("TRUNC") => Round::Zero,
            () => Round::Nearest,
        }
    }
}
