//! Translates values and addresses to SASS operands.

use super::super::ir::{Address, Arg, Kind, ValueId};
use super::emitter::Emitter;
use super::instruction::Fragment;
use machine::ptx::{Sign, Step};

impl Emitter<'_> {
    /// Returns the source operand for one word of a value. A constant that cannot be an immediate operand, or any
    /// constant if `constant` is false, is first moved to a register.
    pub(super) fn read(&mut self, arg: Arg, word: u8, constant: bool, step: &Step) -> Vec<Fragment> {
        let is_double = step.mnemonic.starts_with('D') && !step.mnemonic.starts_with("DEPBAR");
        let is_float = is_double || step.mnemonic.starts_with('F') && !step.mnemonic.starts_with("FLO");
        if let Kind::Constant(bits) = self.body.node_of(arg.value).kind
            && self.body.words(arg.value) > 0
            && bits != 0
            && (is_float || arg.sign != Sign::default())
        {
            let own = if is_double { bits } else { bits >> (32 * word) & 0xffff_ffff };
            if constant && (!is_double || own.trailing_zeros() >= 32) {
                return vec![Fragment::Text(number(own, arg.sign, is_float, is_double).into())];
            }
            return signed(arg.sign, self.in_register(arg.value, word));
        }
        match self.operand(arg, word, constant) {
            Some(own) => own,
            None => signed(arg.sign, self.in_register(arg.value, word)),
        }
    }

    /// Returns one word of a value as an operand; `None` if `constant` is false and the value is a nonzero constant or in
    /// a constant bank.
    pub(super) fn operand(&self, arg: Arg, word: u8, constant: bool) -> Option<Vec<Fragment>> {
        let words = self.body.words(arg.value);
        let text = |text: &str| Some(vec![Fragment::Text(text.into())]);
        match self.body.node_of(arg.value).kind {
            Kind::Constant(bits) if words == 0 => text(if (bits != 0) ^ arg.sign.not { "PT" } else { "!PT" }),
            Kind::Undefined if words == 0 => text("PT"),
            Kind::Undefined => text("RZ"),
            Kind::Constant(bits) => {
                let own = bits >> (32 * u32::from(word).min(1)) & 0xffff_ffff;
                if own == 0 {
                    return text("RZ");
                }
                constant.then(|| vec![Fragment::Text(format!("{own:#x}").into())])
            }
            Kind::Bank(bank, at) => {
                let at = at.wrapping_add(4 * u32::from(word));
                constant
                    .then(|| signed(arg.sign, vec![Fragment::Text(format!("c[{bank:#x}][{at:#x}]").into())]))
            }
            _ => {
                let (web, start) = self.webs.of[arg.value as usize];
                Some(signed(arg.sign, vec![self.place(web, start + word)]))
            }
        }
    }

    /// Returns the register that holds a constant. Each block loads the constant once.
    pub(super) fn in_register(&mut self, value: ValueId, word: u8) -> Vec<Fragment> {
        let words = self.body.words(value);
        let key = match self.body.node_of(value).kind {
            Kind::Constant(bits) => (bits, words),
            Kind::Bank(bank, at) => (u64::from(bank) << 32 | u64::from(at), words | 0x80),
            _ => (u64::from(value), 0x40),
        };
        if let Some(&web) = self.constants.get(&key) {
            return vec![self.place(web, word)];
        }
        let web = self.webs.new_web(words);
        let origin = self.lines.last().map_or(0, |line| line.origin);
        self.copy_words((web, 0), Arg::plain(value), 0..words, origin);
        self.constants.insert(key, web);
        vec![self.place(web, word)]
    }

    /// Returns the text between the brackets of an address; for a constant bank, the entire operand. `high` is 1 for the
    /// following word, otherwise 0.
    pub(super) fn address(&mut self, address: Address, high: u8) -> Vec<Fragment> {
        let mut pieces = Vec::new();
        let offset = address.offset.wrapping_add(4 * i64::from(high));
        if let Some(bank) = address.bank {
            pieces.push(Fragment::Text(format!("c[{bank:#x}][").into()));
        }
        if let Some(base) = address.base {
            let is_wide = self.body.words(base) == 2;
            let register = match self.operand(Arg::plain(base), 0, false) {
                Some(own) => own,
                None => self.in_register(base, 0),
            };
            pieces.extend(register);
            if is_wide && u32::from(self.sm) >= self.first_wide_addresses && address.bank.is_none() {
                pieces.push(Fragment::text(".64"));
            }
        }
        if offset != 0 || address.base.is_none() {
            let plus = if address.base.is_some() { "+" } else { "" };
            let sign = if offset < 0 { "-" } else { "" };
            pieces.push(Fragment::Text(format!("{plus}{sign}{:#x}", offset.unsigned_abs()).into()));
        }
        if address.bank.is_some() {
            pieces.push(Fragment::text("]"));
        }
        pieces
    }
}

pub(super) fn signed(sign: Sign, own: Vec<Fragment>) -> Vec<Fragment> {
    let is_predicate = matches!(own.first(), Some(Fragment::Predicate(_)));
    let mut before = String::new();
    if sign.minus {
        before.push('-');
    }
    if sign.not {
        before.push(if is_predicate { '!' } else { '~' });
    }
    if sign.absolute {
        before.push('|');
    }
    if before.is_empty() {
        return own;
    }
    let mut pieces = vec![Fragment::Text(before.into())];
    pieces.extend(own);
    if sign.absolute {
        pieces.push(Fragment::text("|"));
    }
    pieces
}

/// Returns a constant in the format of a disassembler.
fn number(bits: u64, sign: Sign, is_float: bool, is_double: bool) -> String {
    if is_float {
        let value = if is_double { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) };
        let value = if sign.absolute { value.abs() } else { value };
        let value = if sign.minus { -value } else { value };
        if value.is_nan() {
            return "+QNAN".to_owned();
        }
        if value.is_infinite() {
            return if value > 0.0 { "+INF".to_owned() } else { "-INF".to_owned() };
        }
        return format!("{value}");
    }
    let mut word = bits as u32;
    if sign.not {
        word = !word;
    }
    if sign.minus {
        word = word.wrapping_neg();
    }
    format!("{word:#x}")
}
