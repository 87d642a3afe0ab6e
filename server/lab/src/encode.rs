//! Encodes an instruction's text in 128 bits, using the forms in an architecture's `encodings.toml`.
//!
//! The editor's parser reads the line, and forms are matched against the text of its tokens. Only the forms that the
//! measuring programs use are defined. Any other instruction is an error.

use crate::program::{ProgramError, ProgramLine};
use model::{Chunk, Control, Listing};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// Size of an instruction in bytes. Source: listings for sm_70 and later.
pub(crate) const BYTES: usize = 16;

/// The instruction forms of an architecture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Encodings {
    fields: BTreeMap<char, Field>,
    control: ControlBits,
    #[serde(deserialize_with = "forms")]
    forms: Vec<Form>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    holds: FieldContent,
    bits: Vec<Bits>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FieldContent {
    Register,
    Uniform,
    Predicate,
    Integer,
    Constant,
    Target,
}

/// The lowest bit of a field, and its number of bits.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Bits(u32, u32);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlBits {
    guard: Bits,
    stall: Bits,
    stay: Bits,
    write: Bits,
    read: Bits,
    wait: Bits,
    reuse: Bits,
}

#[derive(Debug)]
struct Form {
    pieces: Vec<Piece>,
    word: u128,
}

#[derive(Debug)]
enum Piece {
    Text(String),
    Field(char),
}

fn forms<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Form>, D::Error> {
    use serde::de::Error;
    let texts = BTreeMap::<String, [String; 2]>::deserialize(deserializer)?;
    let half = |text: &str| {
        let digits = text.strip_prefix("0x").ok_or_else(|| D::Error::custom("expected 0x"))?;
        u64::from_str_radix(digits, 16).map_err(D::Error::custom)
    };
    let form = |(text, [low, high]): (String, [String; 2])| {
        let word = u128::from(half(&high)?) << 64 | u128::from(half(&low)?);
        Ok(Form { pieces: pieces(&text), word })
    };
    texts.into_iter().map(form).collect()
}

fn pieces(form: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in form.split_inclusive('}') {
        let (text, field) = part.split_once('{').unwrap_or((part, ""));
        let text: String = text.split_whitespace().collect();
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        pieces.extend(field.chars().next().map(Piece::Field));
    }
    pieces
}

/// `RZ`, `URZ` and `PT` have all bits of their field set. Source: listings for sm_75 and later.
const ALL: u64 = u64::MAX;

/// Value of the scoreboard field of an instruction without a scoreboard. Source: listings for sm_70 and
/// later; three bits for six scoreboards.
const NO_SCOREBOARD: u8 = 7;

impl Encodings {
    pub(crate) fn parse(toml: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(toml)
    }

    /// Encodes these lines.
    pub(crate) fn assemble(&self, lines: &[ProgramLine]) -> Result<Vec<u8>, ProgramError> {
        let mut places = HashMap::new();
        let mut code = Vec::new();
        for line in lines {
            if let Some(name) = line.text.strip_suffix(':') {
                places.insert(name, (code.len() * BYTES) as i64);
            } else {
                code.push(line);
            }
        }
        let mut bytes = Vec::with_capacity(code.len() * BYTES);
        for line in code {
            let word = self.instruction(line, bytes.len() as i64, &places)?;
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Encodes one line whose instruction is at byte `at` of the code.
    fn instruction(
        &self,
        line: &ProgramLine,
        at: i64,
        places: &HashMap<&str, i64>,
    ) -> Result<u128, ProgramError> {
        let wrong = |expected: &str, text: &str| ProgramError {
            line: line.number,
            expected: format!("{expected}, not `{text}`"),
        };
        let listing = Listing::parse(&line.text);
        let of = |chunk: &Chunk| {
            let instruction = *chunk.instructions().first()?;
            let control = instruction.control?;
            let text = |tokens: &[_]| -> String {
                tokens.iter().map(|token| chunk.token_text(instruction.line, token)).collect()
            };
            let guard = text(chunk.guard(&instruction));
            let all = text(chunk.tokens(instruction.tokens));
            Some((control, all[guard.len()..].to_owned(), guard))
        };
        let (control, text, guard) = listing
            .chunks()
            .iter()
            .find_map(|chunk| of(chunk))
            .ok_or_else(|| wrong("an instruction with a control code", &line.text))?;
        let next = at + BYTES as i64;
        let resolve = |name: &str| Some((places.get(name)? - next) / 4);
        let found = self.forms.iter().find_map(|form| self.fill(form, &text, &resolve));
        let (word, reuse) = found.ok_or_else(|| wrong("a form of encodings.toml", &text))?;
        let executed = self.guard(&guard).ok_or_else(|| wrong("a predicate as guard", &guard))?;
        Ok(word | executed | self.control(control, reuse))
    }

    /// The form's word with the text's operands filled in, and a mask of the operand slots with `.reuse`.
    /// `None` if the text does not match the form.
    fn fill(&self, form: &Form, text: &str, resolve: &dyn Fn(&str) -> Option<i64>) -> Option<(u128, u8)> {
        let (mut word, mut reuse, mut rest) = (form.word, 0, text);
        for piece in &form.pieces {
            match piece {
                Piece::Text(literal) => rest = rest.strip_prefix(literal.as_str())?,
                Piece::Field(name) => {
                    let field = self.fields.get(name)?;
                    let (value, after) = field.holds.read(rest, resolve)?;
                    word |= put(&field.bits, value)?;
                    rest = after;
                    if let Some(slot) = "abc".find(*name)
                        && let Some(after) = rest.strip_prefix(".reuse")
                    {
                        reuse |= 1 << slot;
                        rest = after;
                    }
                }
            }
        }
        rest.is_empty().then_some((word, reuse))
    }

    /// Encodes a guard. An empty text counts as `PT`. `None` if the text is not a predicate.
    fn guard(&self, text: &str) -> Option<u128> {
        let (negated, name) = match text.strip_prefix('@') {
            Some(name) => (name.starts_with('!'), name.trim_start_matches('!')),
            None => (false, "PT"),
        };
        let (value, _) = FieldContent::Predicate.read(name, &|_| None)?;
        let Bits(low, count) = self.control.guard;
        let number = u128::from(value) & ((1 << (count - 1)) - 1);
        Some((number | u128::from(negated) << (count - 1)) << low)
    }

    fn control(&self, control: Control, reuse: u8) -> u128 {
        let bits = &self.control;
        [
            (bits.stall, control.stall.unwrap_or(0)),
            (bits.stay, u8::from(!control.yields)),
            (bits.write, control.write_barrier.unwrap_or(NO_SCOREBOARD)),
            (bits.read, control.read_barrier.unwrap_or(NO_SCOREBOARD)),
            (bits.wait, control.wait_mask),
            (bits.reuse, reuse),
        ]
        .into_iter()
        .fold(0, |word, (Bits(low, count), value)| word | (u128::from(value) & ((1 << count) - 1)) << low)
    }
}

impl FieldContent {
    /// The value at the start of the text, and the remaining text. `None` if the text does not start with a
    /// value of this kind.
    fn read<'t>(self, text: &'t str, resolve: &dyn Fn(&str) -> Option<i64>) -> Option<(u64, &'t str)> {
        match self {
            Self::Register => numbered(text, "R", "RZ"),
            Self::Uniform => numbered(text, "UR", "URZ"),
            Self::Predicate => numbered(text, "P", "PT"),
            Self::Integer => integer(text).map(|(value, rest)| (value as u64, rest)),
            Self::Constant => {
                let (value, rest) = integer(text)?;
                (value % 4 == 0).then_some((value as u64 / 4, rest))
            }
            Self::Target => {
                let (name, rest) = text.strip_prefix("`(")?.split_once(')')?;
                Some((resolve(name)? as u64, rest))
            }
        }
    }
}

fn numbered<'t>(text: &'t str, letters: &str, none: &str) -> Option<(u64, &'t str)> {
    if let Some(rest) = text.strip_prefix(none) {
        return Some((ALL, rest));
    }
    let digits = text.strip_prefix(letters)?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    Some((digits[..end].parse().ok()?, &digits[end..]))
}

fn integer(text: &str) -> Option<(i64, &str)> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let digits = digits.strip_prefix("0x")?;
    let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    let value = i64::from_str_radix(&digits[..end], 16).ok()?;
    Some((if negative { -value } else { value }, &digits[end..]))
}

/// Distributes a value over the parts of its field, lowest bits first. `None` if the value does not fit.
fn put(parts: &[Bits], value: u64) -> Option<u128> {
    let total: u32 = parts.iter().map(|Bits(_, count)| count).sum();
    let above = if total < 64 { value >> total } else { 0 };
    // For `RZ`, `URZ`, `PT` and negative numbers, all bits above the field are set.
    if above != 0 && above != u64::MAX.checked_shr(total).unwrap_or(0) {
        return None;
    }
    let (mut word, mut rest) = (0, value);
    for Bits(low, count) in parts {
        word |= (u128::from(rest) & ((1 << count) - 1)) << low;
        rest = rest.checked_shr(*count).unwrap_or(0);
    }
    Some(word)
}
