//! Numbers that do not fit in their field of the instruction word.

use super::spelled;
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::Hardware;
use model::TokenKind;
use std::slice::from_ref;
use syntax::sass::Token;

/// Reports numbers, offsets and constant banks that do not fit in their field of the instruction word.
pub(crate) fn check_numbers(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let fields = Hardware::builtin().instruction_fields(codes.program.arch.sm);
    let offset_bits = fields.offset_bits.value;
    for text in spelled(codes) {
        let short_bits = fields.short_number_bits.as_ref().map(|bits| bits.value);
        let short_bits =
            short_bits.filter(|_| fields.short_numbers.iter().any(|name| name == text.mnemonic()));
        for operand in text.operands() {
            let is_constant = operand.iter().any(|token| token.kind == TokenKind::ConstantBank);
            let mut brackets = 0;
            for (at, token) in operand.iter().enumerate() {
                brackets += u32::from(token.is_punct(b'['));
                if token.kind != TokenKind::Integer {
                    continue;
                }
                let Some(value) = value(token.text(text.line)) else { continue };
                let is_negative = at > 0 && operand[at - 1].is_punct(b'-');
                if is_constant && brackets == 2 && !operand.iter().any(is_register) {
                    let message = offset_message(text.mnemonic(), value, is_negative, token.text(text.line));
                    if let Some(message) = message {
                        findings.push(text.absent(Code::OperandValue, from_ref(token), message));
                        continue;
                    }
                }
                let (most, what) = match (is_constant, brackets) {
                    (true, 1) => (u64::from(fields.constant_banks.value) - 1, "constant bank number"),
                    (true, _) if !is_negative => {
                        (u64::from(fields.constant_bank_bytes.value) - 1, "constant bank offset")
                    }
                    (false, 1..) if is_negative => (1 << (offset_bits - 1), "negative offset"),
                    (false, 1..) => ((1 << offset_bits) - 1, "offset"),
                    (false, 0) => match short_bits {
                        Some(bits) if fits(value, is_negative, bits) => continue,
                        Some(bits) => ((1 << (bits - 1)) - 1, "number"),
                        None => {
                            (u64::MAX >> (u64::BITS - fields.number_bits.value.clamp(1, u64::BITS)), "number")
                        }
                    },
                    _ => continue,
                };
                if value <= most {
                    continue;
                }
                let message = format!(
                    "{what} does not fit in the instruction: `{}` is more than 0x{most:x}",
                    token.text(text.line)
                );
                findings.push(text.absent(Code::OperandValue, from_ref(token), message));
            }
        }
    }
}

/// Returns an error message if the offset of a constant is negative or misaligned, for an offset without a register;
/// `None` if the offset is valid.
fn offset_message(mnemonic: &str, value: u64, is_negative: bool, written: &str) -> Option<String> {
    // `LDC` adds a signed number to a register, which may be RZ.
    if is_negative && value > 0 && mnemonic != "LDC" {
        return Some(format!("the offset of a constant cannot be negative: `-{written}`"));
    }
    // Loads of constants have byte addresses. Constant operands have word addresses.
    let is_load = matches!(mnemonic, "LDC" | "ULDC" | "LDCU");
    let is_off = !is_load && !value.is_multiple_of(CONSTANT_OPERAND_BYTES);
    is_off.then(|| {
        format!("`{written}` is not a multiple of {CONSTANT_OPERAND_BYTES}: a constant operand is a word of its bank")
    })
}

/// Alignment of constant operands in bytes: the size of a word in a constant bank.
const CONSTANT_OPERAND_BYTES: u64 = 4; // Source: the encodings

fn is_register(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Register | TokenKind::UniformRegister | TokenKind::Name)
}

/// True if the number fits a signed field of `bits` bits. For 20 bits, `0x7ffff`, `-0x80000` and `0xfff80000`
/// fit.
const fn fits(value: u64, is_negative: bool, bits: u32) -> bool {
    let half = 1 << (bits - 1);
    if is_negative { value <= half } else { value < half || (value >= (1 << 32) - half && value < 1 << 32) }
}

/// The value of a number as written; `None` if it is not a plain number or needs more than 64 bits.
fn value(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn twenty_bits_hold_numbers_of_either_sign() {
        for (value, is_negative) in
            [(0, false), (0x7_ffff, false), (0x8_0000, true), (0xfff8_0000, false), (0xffff_ffff, false)]
        {
            assert!(fits(value, is_negative, 20), "{value:#x}");
        }
        for (value, is_negative) in
            [(0x8_0000, false), (0x8_0001, true), (0xfff7_ffff, false), (0x1_ffff_ffff, false)]
        {
            assert!(!fits(value, is_negative, 20), "{value:#x}");
        }
    }
}
