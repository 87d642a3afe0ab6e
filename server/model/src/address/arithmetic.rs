//! Transfer functions of the integer opcodes, on affine forms.

use super::affine::Symbol;
use super::forms::{FormId, Value};
use super::logic;
use super::operand::{Operand, Operands, Source};
use super::slots::State;
use super::step::Machine;
use super::term::Op;
use crate::{Inst, Register};

/// Values that an instruction writes to registers and predicates; `None` for a value that is not computed.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Values of the registers of the first destination operand, in register order.
    pub registers: [Option<Value>; 4],
    /// Values of the destination predicates, in text order. The first value also serves as the condition
    /// code.
    pub predicates: [Option<Value>; 2],
}

impl Results {
    pub(super) fn from_value(value: Option<Value>) -> Self {
        Self { registers: [value, None, None, None], ..Self::default() }
    }

    fn from_form(form: Option<FormId>) -> Self {
        Self::from_value(form.map(Value::Form))
    }
}

/// Evaluates the operands of one instruction.
pub(super) struct Values<'m, 'a, 's> {
    pub machine: &'m mut Machine<'a>,
    pub state: &'s State,
    pub modifiers: &'s [&'s str],
    pub operands: &'s Operands<'s>,
}

/// Computes the results of an instruction in a state.
pub(super) fn compute(
    machine: &mut Machine,
    state: &State,
    mnemonic: &str,
    modifiers: &[&str],
    inst: &Inst,
    operands: &Operands,
) -> Results {
    let mut values = Values { machine, state, modifiers, operands };
    let results = match mnemonic {
        "MOV" | "UMOV" | "MOV32I" => values.copy(),
        "R2UR" => values.copy_to_uniform(),
        "IADD3" | "UIADD3" | "VIADD" | "UVIADD" | "IADD" | "UIADD" | "IADD32I" => values.sum(),
        "IMAD" | "UIMAD" => values.multiply_add(),
        "LEA" | "ULEA" => values.shift_add(),
        "ISCADD" => values.scaled_add(),
        "SHF" | "USHF" => values.funnel_shift(),
        "SHL" | "USHL" => values.shift_left(),
        "SHR" | "USHR" => values.shift_right(),
        "LOP3" | "ULOP3" => logic::lop3(&mut values),
        "LOP" | "LOP32I" => logic::lop(&mut values),
        "ISETP" | "UISETP" => logic::compare(&mut values),
        "PLOP3" | "UPLOP3" => logic::predicates(&mut values),
        "SEL" | "USEL" => logic::select(&mut values),
        "IMNMX" | "VIMNMX" | "UIMNMX" | "UVIMNMX" | "VIMNMX3" | "UVIMNMX3" | "VIADDMNMX" => {
            logic::min_or_max(&mut values, mnemonic)
        }
        "S2R" | "S2UR" | "CS2R" => values.special(),
        "LDC" | "ULDC" | "LDCU" => values.constant_load(inst),
        "HFMA2" => values.two_halves(),
        "SHFL" => values.shuffle(),
        _ => None,
    };
    results.unwrap_or_default()
}

impl Values<'_, '_, '_> {
    /// True if all modifiers of the instruction are in `known`.
    pub(super) fn only(&self, known: &[&str]) -> bool {
        self.modifiers.iter().all(|modifier| known.contains(modifier))
    }

    pub(super) fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    fn raw(&mut self, operand: Operand) -> Value {
        if !operand.is_plain() {
            return Value::Unknown;
        }
        let forms = &mut *self.machine.forms;
        match operand.source {
            Source::Register(register) => self.machine.slots.get(self.state, register),
            Source::Zero => Value::ZERO,
            Source::True => Value::Form(forms.constant32(1)),
            Source::Integer(value) => Value::Form(forms.constant32(i64::from(value))),
            Source::Constant { bank: 0, offset } => Value::Form(forms.symbol(Symbol::Param(offset))),
            _ => Value::Unknown,
        }
    }

    /// Returns the value of an operand, including its negation or inversion.
    pub(super) fn value(&mut self, operand: Operand) -> Value {
        let raw = self.raw(operand);
        if !operand.negated && !operand.inverted {
            return raw;
        }
        let Value::Form(form) = raw else { return Value::Unknown };
        let is_predicate = match operand.source {
            Source::True => true,
            Source::Register(register) => register.file.is_predicate(),
            _ => false,
        };
        let forms = &mut *self.machine.forms;
        let from = match (operand.inverted, is_predicate) {
            (false, _) => FormId::ZERO,
            (true, true) => forms.constant32(1),
            (true, false) => forms.constant32(-1),
        };
        forms.add32(from, form, -1).map_or(Value::Unknown, Value::Form)
    }

    pub(super) fn form(&mut self, operand: Operand) -> Option<FormId> {
        match self.value(operand) {
            Value::Form(form) => Some(form),
            _ => None,
        }
    }

    pub(super) fn read(&mut self, at: usize) -> Option<FormId> {
        let operand = *self.operands.read.get(at)?;
        self.form(operand)
    }

    /// Constant value of an operand that is an immediate or a register; `None` if the value is not constant.
    fn number(&mut self, at: usize) -> Option<i64> {
        let form = self.read(at)?;
        self.machine.forms.as_constant(form)
    }

    /// The 64-bit value of an operand that names a register pair.
    fn wide(&mut self, at: usize, signed: bool) -> Option<FormId> {
        let operand = *self.operands.read.get(at).filter(|operand| operand.is_plain())?;
        let forms = &mut *self.machine.forms;
        let form = match operand.source {
            Source::Register(register) => {
                let slots = self.machine.slots;
                forms.pair(slots.get(self.state, register), slots.get(self.state, register.next()?))?
            }
            Source::Zero => FormId::ZERO,
            Source::Constant { bank: 0, offset } => forms.symbol(Symbol::Pointer(offset)),
            Source::Integer(value) => {
                let value = forms.constant32(i64::from(value));
                forms.extend(value, signed)?
            }
            _ => return None,
        };
        match (operand.negated, operand.inverted) {
            (false, false) => Some(form),
            (true, false) => forms.add(FormId::ZERO, form, -1),
            _ => None,
        }
    }

    /// Returns results in which a 64-bit form fills two registers.
    fn pair(&mut self, form: FormId) -> Option<Results> {
        let low = Value::Form(self.machine.forms.low32(form)?);
        let high = self.machine.forms.high(form);
        Some(Results { registers: [Some(low), Some(high), None, None], ..Results::default() })
    }

    fn copy(&mut self) -> Option<Results> {
        let operand = *self.operands.read.first()?;
        // A mask after the source selects some of its bytes.
        if !self.operands.others.is_empty() {
            return None;
        }
        if self.has("64") {
            return self.only(&["64"]).then(|| self.copy_pair(operand)).flatten();
        }
        let value = self.value(operand);
        (self.only(&["U32"]) && value != Value::Unknown).then(|| Results::from_value(Some(value)))
    }

    /// Copies each half separately, since the halves need not form one 64-bit value.
    fn copy_pair(&mut self, operand: Operand) -> Option<Results> {
        let halves = match operand.source {
            Source::Register(register) if operand.is_plain() && !operand.negated && !operand.inverted => {
                let slots = self.machine.slots;
                [slots.get(self.state, register), slots.get(self.state, register.next()?)]
            }
            Source::Long(value) if operand.is_plain() && !operand.negated && !operand.inverted => {
                [value as u32, (value >> 32) as u32]
                    .map(|half| Value::Form(self.machine.forms.constant32(i64::from(half))))
            }
            _ => {
                let form = self.wide(0, true)?;
                return self.pair(form);
            }
        };
        let known = halves.map(|half| Some(half).filter(|half| *half != Value::Unknown));
        Some(Results { registers: [known[0], known[1], None, None], ..Results::default() })
    }

    fn copy_to_uniform(&mut self) -> Option<Results> {
        let operand = *self.operands.read.first().filter(|_| self.only(&[]))?;
        let value = self.value(operand);
        self.machine.forms.uniform(value).then(|| Results::from_value(Some(value)))
    }

    fn sum(&mut self) -> Option<Results> {
        let operands = self.operands;
        if !self.only(&["X", "64", "U32", "S32"]) {
            return None;
        }
        if self.has("64") {
            let mut sum = FormId::ZERO;
            for at in 0..operands.read.len() {
                let addend = self.wide(at, true)?;
                sum = self.machine.forms.add(sum, addend, 1)?;
            }
            let carries = self.has("X") || !operands.read_predicates.is_empty();
            return if carries { None } else { self.pair(sum) };
        }
        if self.has("X") {
            let high = self.high_sum(&operands.read)?;
            return Some(Results::from_value(Some(high)));
        }
        // A single addend that is the upper half of a pair is copied.
        let mut addends = operands.read.iter().filter(|operand| operand.source != Source::Zero);
        if let (Some(&only), None) = (addends.next(), addends.next())
            && operands.written_predicates.is_empty()
            && let high @ Value::High(_) = self.value(only)
        {
            return Some(Results::from_value(Some(high)));
        }
        let mut carry = [(FormId::ZERO, 0); 3];
        let mut sum = FormId::ZERO;
        for (at, into) in (0..operands.read.len()).zip(&mut carry) {
            into.0 = self.read(at)?;
            sum = self.machine.forms.add32(sum, into.0, 1)?;
        }
        Some(self.with_carry(sum, carry))
    }

    fn with_carry(&mut self, sum: FormId, carry: [(FormId, u32); 3]) -> Results {
        let carries = &mut self.machine.forms.carries;
        let number = carries.len() as u32;
        carries.push(carry);
        Results { predicates: [Some(Value::Carry(number)), None], ..Results::from_form(Some(sum)) }
    }

    /// Returns the carry that an instruction adds: `Ok` with the index of the sum that sets the carry, or
    /// `Err` for no carry. `None` if the carry is unknown.
    fn carry_in(&mut self) -> Option<Result<u32, ()>> {
        let operands = self.operands;
        if operands.read_predicates.is_empty() {
            return match self.machine.slots.get(self.state, Register::CONDITION_CODE) {
                Value::Carry(carry) => Some(Ok(carry)),
                _ => None,
            };
        }
        let mut carry = Err(());
        for &operand in &operands.read_predicates {
            match (self.value(operand), carry) {
                (Value::Carry(found), Err(())) => carry = Ok(found),
                (Value::Form(FormId::ZERO), _) => {}
                _ => return None,
            }
        }
        Some(carry)
    }

    /// Computes the upper half of a 64-bit sum from the upper halves of the addends and the carry of the
    /// lower halves.
    fn high_sum(&mut self, highs: &[Operand]) -> Option<Value> {
        let Ok(carry) = self.carry_in()? else {
            let mut sum = FormId::ZERO;
            for &operand in highs {
                let addend = self.form(operand)?;
                sum = self.machine.forms.add32(sum, addend, 1)?;
            }
            return Some(Value::Form(sum));
        };
        let lows = self.machine.forms.carries[carry as usize];
        let mut all = [(Value::ZERO, false); 3];
        for (into, &operand) in all.iter_mut().zip(highs) {
            // The upper half of a subtrahend is inverted, and the carry supplies the 1 of the two's complement.
            let plain = Operand { inverted: false, ..operand };
            *into = (self.value(plain), operand.inverted);
        }
        // Every pairing of lower and upper halves has the same sum, so the first valid one is right.
        for order in [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let mut sum = Some(FormId::ZERO);
            for ((low, shift), &at) in lows.into_iter().zip(&order) {
                let (high, inverted) = all[at];
                sum = sum.and_then(|sum| {
                    let forms = &mut *self.machine.forms;
                    let sign = if inverted { -1 } else { 1 };
                    let low = forms.add32(FormId::ZERO, low, sign)?;
                    let addend = forms.pair(Value::Form(low), high)?;
                    (shift == 0).then(|| forms.add(sum, addend, sign)).flatten()
                });
            }
            if let Some(sum) = sum {
                return Some(self.machine.forms.high(sum));
            }
        }
        None
    }

    fn multiply_add(&mut self) -> Option<Results> {
        let signed = !self.has("U32");
        let operands = self.operands;
        if self.has("MOV") && !self.only(&["U32", "S32", "MOV"]) {
            return None;
        }
        let is_zero = |at: usize| operands.read.get(at).is_some_and(|operand| operand.source == Source::Zero);
        if self.has("MOV") || self.only(&["U32", "SHL", "IADD"]) && (is_zero(0) || is_zero(1)) {
            let operand = *operands.read.get(2)?;
            let value = self.value(operand);
            return (value != Value::Unknown).then(|| Results::from_value(Some(value)));
        }
        if self.has("WIDE") {
            if !self.only(&["WIDE", "U32"]) {
                return None;
            }
            let (a, b, c) = (self.read(0)?, self.read(1)?, self.wide(2, signed)?);
            let forms = &mut *self.machine.forms;
            let (a, b) = (forms.extend(a, signed)?, forms.extend(b, signed)?);
            let product = forms.multiply(a, b)?;
            let sum = forms.add(product, c, 1)?;
            return self.pair(sum);
        }
        if self.has("HI") {
            let (a, b) = (self.read(0)?, self.read(1)?);
            let alone = self.only(&["HI", "U32"]) && operands.read.get(2)?.source == Source::Zero;
            let op = Op::MultiplyHigh { signed };
            return alone.then(|| Results::from_form(self.machine.forms.term(op, [a, b, FormId::ZERO])));
        }
        if self.has("X") {
            // Only multiplications by 1 and 0 add upper halves.
            let one = |value: Option<i64>| value == Some(1);
            let (a, b) = (self.number(0), self.number(1));
            let mut highs = vec![*operands.read.get(2)?];
            if one(b) {
                highs.push(*operands.read.first()?);
            } else if one(a) {
                highs.push(*operands.read.get(1)?);
            } else if a != Some(0) && b != Some(0) {
                return None;
            }
            let high = self.high_sum(&highs)?;
            return self.only(&["X", "U32"]).then(|| Results::from_value(Some(high)));
        }
        if !self.only(&["U32", "SHL", "IADD"]) {
            return None;
        }
        let (a, b, c) = (self.read(0)?, self.read(1)?, self.read(2)?);
        let product = self.machine.forms.multiply32(a, b)?;
        Some(Results::from_form(self.machine.forms.add32(product, c, 1)))
    }

    fn shift_add(&mut self) -> Option<Results> {
        if !self.only(&["HI", "X", "SX32"]) {
            return None;
        }
        let a = self.read(0)?;
        let is_high = self.has("HI");
        let extended = self.has("SX32");
        let by = self.number(if is_high && !extended { 3 } else { 2 })?;
        let by = u32::try_from(by).ok().filter(|by| *by < 32)?;
        if !is_high {
            let b = self.read(1)?;
            let forms = &mut *self.machine.forms;
            let sum = forms.add32(b, a, 1 << by)?;
            return (!self.has("X")).then(|| self.with_carry(sum, [(a, by), (b, 0), (FormId::ZERO, 0)]));
        }
        if self.has("X") {
            let Ok(carry) = self.carry_in()? else { return None };
            let [(low, shift), (base, _), _] = self.machine.forms.carries[carry as usize];
            let base_high = *self.operands.read.get(1)?;
            let base_high = self.value(base_high);
            let index = if extended { self.machine.forms.extend(a, true)? } else { self.index_pair(a)? };
            let forms = &mut *self.machine.forms;
            let base = forms.pair(Value::Form(base), base_high)?;
            let sum = forms.add(base, index, 1 << by)?;
            let high = forms.high(sum);
            return (low == a && shift == by).then(|| Results::from_value(Some(high)));
        }
        // `(high:a << by) >> 32`, plus b.
        let b = self.read(1)?;
        if by == 0 {
            return None;
        }
        if !extended && self.operands.read.get(2)?.source != Source::Zero {
            return None;
        }
        let forms = &mut *self.machine.forms;
        let shifted = forms.shift_right(a, 32 - by, extended)?;
        Some(Results::from_form(forms.add32(shifted, b, 1)))
    }

    /// The 64-bit value with `low` as lower half and the third operand as upper half.
    fn index_pair(&mut self, low: FormId) -> Option<FormId> {
        let high = *self.operands.read.get(2)?;
        let high = self.value(high);
        self.machine.forms.pair(Value::Form(low), high)
    }

    fn scaled_add(&mut self) -> Option<Results> {
        let (a, b, by) = (self.read(0)?, self.read(1)?, self.number(2)?);
        let by = u32::try_from(by).ok().filter(|by| *by < 32)?;
        self.only(&[]).then(|| Results::from_form(self.machine.forms.add32(b, a, 1 << by)))
    }

    fn funnel_shift(&mut self) -> Option<Results> {
        if !self.only(&["L", "R", "U32", "S32", "U64", "S64", "HI", "W"]) {
            return None;
        }
        let by = self.read(1)?;
        let constant = self.machine.forms.as_constant(by);
        let is_zero =
            |operand: Option<&Operand>| operand.is_some_and(|operand| operand.source == Source::Zero);
        let operands = self.operands;
        if self.has("L") {
            if !self.has("HI") {
                let value = self.read(0)?;
                return self.shifted(value, by, None);
            }
            let by = constant.filter(|by| (0..32).contains(by))?;
            let low = self.read(0)?;
            let pair = self.index_pair(low)?;
            let shifted = self.machine.forms.add(FormId::ZERO, pair, 1 << by)?;
            let high = self.machine.forms.high(shifted);
            return Some(Results::from_value(Some(high)));
        }
        if !self.has("HI") || self.has("U64") || self.has("S64") || !is_zero(operands.read.first()) {
            return None;
        }
        let value = self.read(2)?;
        self.shifted(value, by, Some(self.has("S32")))
    }

    fn shift_left(&mut self) -> Option<Results> {
        let (value, by) = (self.read(0)?, self.read(1)?);
        self.only(&["U32", "W"]).then(|| self.shifted(value, by, None)).flatten()
    }

    fn shift_right(&mut self) -> Option<Results> {
        let (value, by) = (self.read(0)?, self.read(1)?);
        let signed = !self.has("U32");
        self.only(&["U32", "S32", "W"]).then(|| self.shifted(value, by, Some(signed))).flatten()
    }

    /// Shifts a form left if `right` is `None`, otherwise right; `Some(true)` extends the sign. An amount of 32
    /// or more shifts all bits out, unless the instruction wraps the amount.
    fn shifted(&mut self, value: FormId, by: FormId, right: Option<bool>) -> Option<Results> {
        let wraps = self.has("W");
        let forms = &mut *self.machine.forms;
        let by = if wraps { forms.mask(by, 31)? } else { by };
        let form = match (right, forms.as_constant(by)) {
            (None, _) => forms.shift_left(value, by),
            (Some(signed), Some(by @ 0..32)) => forms.shift_right(value, by as u32, signed),
            (Some(signed), _) => forms.term(Op::ShiftRight { signed }, [value, by, FormId::ZERO]),
        };
        Some(Results::from_form(form))
    }

    fn special(&mut self) -> Option<Results> {
        let symbol = match self.operands.special()? {
            "SR_TID.X" => Symbol::TidX,
            "SR_TID.Y" => Symbol::TidY,
            "SR_TID.Z" => Symbol::TidZ,
            "SR_CTAID.X" => Symbol::CtaidX,
            "SR_CTAID.Y" => Symbol::CtaidY,
            "SR_CTAID.Z" => Symbol::CtaidZ,
            "SR_LANEID" => Symbol::Lane,
            "SRZ" => {
                let zero = Some(Value::ZERO);
                return Some(Results { registers: [zero, zero, None, None], ..Results::default() });
            }
            // The same for all lanes of the warp.
            "SR_CgaCtaId" | "SR_CLOCKLO" | "SR_CLOCKHI" | "SR_NTID" | "SR_NCTAID.X" | "SR_NCTAID.Y"
            | "SR_NCTAID.Z" | "SR_SMEMSZ" | "SR_SMEMBASE" | "SR_VIRTUALSMID" | "SR_GRIDID" | "SR_CgaSize" => {
                return Some(Results::from_value(Some(self.machine.forms.opaque())));
            }
            _ => return None,
        };
        Some(Results::from_value(Some(Value::Form(self.machine.forms.symbol(symbol)))))
    }

    fn constant_load(&mut self, inst: &Inst) -> Option<Results> {
        let (_, operand) = *self.operands.addresses.first()?;
        let Source::Constant { bank: 0, offset } = operand.source else { return None };
        let words = usize::from(inst.memory?.bytes_per_lane) / 4;
        let mut results = Results::default();
        for (word, into) in (0..words).zip(&mut results.registers) {
            let symbol = Symbol::Param(offset.wrapping_add(4 * word as u32));
            *into = Some(Value::Form(self.machine.forms.symbol(symbol)));
        }
        (words > 0).then_some(results)
    }

    fn two_halves(&mut self) -> Option<Results> {
        let value = self.operands.two_halves().filter(|_| self.only(&["MMA"]))?;
        Some(Results::from_form(Some(self.machine.forms.constant32(i64::from(value)))))
    }

    /// Evaluates a shuffle whose result is uniform: all lanes hold the same value, or all read from the same lane.
    fn shuffle(&mut self) -> Option<Results> {
        let (value, from) = (*self.operands.read.first()?, *self.operands.read.get(1)?);
        let value = self.value(value);
        if self.machine.forms.uniform(value) {
            return Some(Results::from_value(Some(value)));
        }
        let from = self.value(from);
        (self.has("IDX") && self.machine.forms.uniform(from))
            .then(|| Results::from_value(Some(self.machine.forms.opaque())))
    }
}
