//! Interned affine forms of a kernel, and their sums, shifts and masks.

use super::affine::{Affine, Symbol};
use super::term::Op;
use super::words::AND;
use rustc_hash::FxHashMap;

/// A form interned in [`Forms`]. Equal forms have equal ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FormId(u32);

impl FormId {
    pub(super) const ZERO: Self = Self(0);
}

/// Abstract value of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Any value, which may differ between lanes.
    Unknown,
    Form(FormId),
    /// The upper 32 bits of a 64-bit form.
    High(FormId),
    /// The carry of a sum, as the index of the sum in [`Forms::carries`].
    Carry(u32),
}

impl Value {
    pub(super) const ZERO: Self = Self::Form(FormId::ZERO);
}

/// The part of an unknown 64-bit value that a [`Symbol::Opaque`] represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opaque {
    /// The low half of the 64-bit value that the symbol `pair` represents; `High` is its upper half.
    Low {
        pair: u32,
    },
    High {
        pair: u32,
    },
    Pair {
        low: u32,
        high: u32,
    },
}

#[derive(Debug)]
struct Term {
    op: Op,
    arguments: [FormId; 3],
}

/// Facts about a form or a term.
#[derive(Debug, Clone, Copy)]
struct Info {
    /// Least and greatest value; `None` if unknown.
    range: Option<(i64, i64)>,
    /// True if the value may differ between lanes of a warp.
    varies: bool,
    /// True if the value depends only on the thread's indices and the launch.
    pure: bool,
    /// Number of operations, other than sums, that the computation of the value takes.
    cost: u32,
}

/// The forms of one kernel.
#[derive(Debug)]
pub(super) struct Forms {
    all: Vec<(Affine, Info)>,
    index: FxHashMap<Affine, FormId>,
    terms: Vec<(Term, Info)>,
    term_index: FxHashMap<(Op, [FormId; 3]), u32>,
    opaques: Vec<(Opaque, bool)>,
    /// Addends of each sum with a carry: 32-bit forms, each with the number of bits by which it is shifted left.
    pub(super) carries: Vec<[(FormId, u32); 3]>,
    /// Largest thread index in a block, along any axis.
    last_thread: i64,
    last_lane: i64,
    max_opaques: usize,
}

/// Maximum number of terms in a sum. Longer sums, and forms that cost more than `MAX_COST`, are unknown.
// limit: compilers write sums of up to six symbols; an address with more operations does not help a reader.
const MAX_TERMS: usize = 12;
const MAX_COST: u32 = 200; // limit: as above

/// Maximum number of symbols for unknown values, per instruction. Compiled code stays below this limit.
// limit: a compiler defines at most two values per instruction.
const MAX_OPAQUES: usize = 16;

/// The largest unsigned 32-bit number.
// Source: the width of a register.
const MAX_U32: i64 = u32::MAX as i64;

impl Forms {
    pub(super) fn new(max_threads_per_block: u32, warp_size: u32, instructions: usize) -> Self {
        let mut forms = Self {
            all: Vec::new(),
            index: FxHashMap::default(),
            terms: Vec::new(),
            term_index: FxHashMap::default(),
            opaques: Vec::new(),
            carries: Vec::new(),
            last_thread: i64::from(max_threads_per_block.max(1)) - 1,
            last_lane: i64::from(warp_size.max(1)) - 1,
            max_opaques: MAX_OPAQUES * (instructions + 1_000),
        };
        let zero = forms.intern(Affine::default());
        debug_assert_eq!(zero, Some(FormId::ZERO));
        forms
    }

    pub(super) fn affine(&self, form: FormId) -> &Affine {
        &self.all[form.0 as usize].0
    }

    pub(super) fn constant(&mut self, value: i64) -> FormId {
        self.intern(Affine::from_constant(value)).unwrap_or(FormId::ZERO)
    }

    /// Returns a 32-bit constant. Numbers that are equal modulo 2^32 are represented by the same signed
    /// number.
    pub(super) fn constant32(&mut self, value: i64) -> FormId {
        self.constant(i64::from(value as i32))
    }

    pub(super) fn symbol(&mut self, symbol: Symbol) -> FormId {
        self.intern(Affine::from_symbol(symbol)).unwrap_or(FormId::ZERO)
    }

    pub(super) fn as_constant(&self, form: FormId) -> Option<i64> {
        self.affine(form).as_constant()
    }

    /// True if the form has the same value in all lanes of a warp.
    pub(super) fn is_uniform(&self, form: FormId) -> bool {
        !self.all[form.0 as usize].1.varies
    }

    pub(super) fn is_pure(&self, form: FormId) -> bool {
        self.all[form.0 as usize].1.pure
    }

    pub(super) fn uniform(&self, value: Value) -> bool {
        match value {
            Value::Unknown => false,
            Value::Form(form) | Value::High(form) => self.is_uniform(form),
            Value::Carry(carry) => {
                self.carries[carry as usize].iter().all(|&(form, _)| self.is_uniform(form))
            }
        }
    }

    pub(super) fn pure(&self, value: Value) -> bool {
        match value {
            Value::Unknown => true,
            Value::Form(form) | Value::High(form) => self.is_pure(form),
            Value::Carry(_) => false,
        }
    }

    /// Symbols for an unknown 64-bit value: low half, high half, full value. `None` if the kernel has too
    /// many symbols.
    pub(super) fn opaque_pair(&mut self, varies: bool) -> Option<[u32; 3]> {
        if self.opaques.len() >= self.max_opaques {
            return None;
        }
        let [low, high, pair] = [0, 1, 2].map(|part| self.opaques.len() as u32 + part);
        let parts = [Opaque::Low { pair }, Opaque::High { pair }, Opaque::Pair { low, high }];
        self.opaques.extend(parts.map(|part| (part, varies)));
        Some([low, high, pair])
    }

    /// An unknown value that is the same in all lanes.
    pub(super) fn opaque(&mut self) -> Value {
        let Some([low, ..]) = self.opaque_pair(false) else { return Value::Unknown };
        Value::Form(self.symbol(Symbol::Opaque(low)))
    }

    /// `a + factor * b` in 64 bits.
    pub(super) fn add(&mut self, a: FormId, b: FormId, factor: i64) -> Option<FormId> {
        let sum = self.affine(a).wrapping_plus(self.affine(b), factor);
        self.intern(sum)
    }

    /// `a + factor * b` in 32 bits.
    pub(super) fn add32(&mut self, a: FormId, b: FormId, factor: i64) -> Option<FormId> {
        let sum = self.affine(a).wrapping_plus(self.affine(b), factor);
        self.wrap(&sum)
    }

    pub(super) fn multiply32(&mut self, a: FormId, b: FormId) -> Option<FormId> {
        match (self.as_constant(a), self.as_constant(b)) {
            (_, Some(factor)) => self.add32(FormId::ZERO, a, factor),
            (Some(factor), _) => self.add32(FormId::ZERO, b, factor),
            _ => self.term(Op::Multiply, [a.min(b), a.max(b), FormId::ZERO]),
        }
    }

    pub(super) fn multiply(&mut self, a: FormId, b: FormId) -> Option<FormId> {
        match (self.as_constant(a), self.as_constant(b)) {
            (_, Some(factor)) => self.add(FormId::ZERO, a, factor),
            (Some(factor), _) => self.add(FormId::ZERO, b, factor),
            _ => self.term(Op::MultiplyWide, [a.min(b), a.max(b), FormId::ZERO]),
        }
    }

    /// The low 32 bits of a 64-bit form, as a canonical 32-bit form.
    pub(super) fn low32(&mut self, form: FormId) -> Option<FormId> {
        let affine = self.affine(form).clone();
        let mut sum = Affine::from_constant(affine.constant());
        for &(symbol, coefficient) in affine.terms() {
            let low = match symbol {
                Symbol::Pointer(offset) => self.symbol(Symbol::Param(offset)),
                Symbol::Opaque(number) => match self.opaques[number as usize].0 {
                    Opaque::Pair { low, .. } => self.symbol(Symbol::Opaque(low)),
                    _ => self.symbol(symbol),
                },
                Symbol::Term(number) => {
                    let Term { op, arguments } = &self.terms[number as usize].0;
                    let (op, [a, b, _]) = (*op, *arguments);
                    match op {
                        Op::Extend { .. } => a,
                        Op::MultiplyWide => {
                            let (a, b) = (self.low32(a)?, self.low32(b)?);
                            self.multiply32(a, b)?
                        }
                        _ => self.symbol(symbol),
                    }
                }
                _ => self.symbol(symbol),
            };
            sum = sum.wrapping_plus(self.affine(low), coefficient);
        }
        self.wrap(&sum)
    }

    /// The upper 32 bits of a 64-bit form.
    pub(super) fn high(&mut self, form: FormId) -> Value {
        let (affine, info) = &self.all[form.0 as usize];
        if info.range.is_some_and(|(least, most)| least >= 0 && most <= MAX_U32) {
            return Value::ZERO;
        }
        if let Some(constant) = affine.as_constant() {
            return Value::Form(self.constant32(constant >> 32));
        }
        let high = match self.as_symbol(form) {
            Some(Symbol::Pointer(offset)) => Some(Symbol::Param(offset.wrapping_add(4))),
            Some(Symbol::Opaque(number)) => match self.opaques[number as usize].0 {
                Opaque::Pair { high, .. } => Some(Symbol::Opaque(high)),
                _ => None,
            },
            _ => None,
        };
        high.map_or(Value::High(form), |symbol| Value::Form(self.symbol(symbol)))
    }

    /// The 64-bit form held by a register pair; `None` if the two values do not form one 64-bit value.
    pub(super) fn pair(&mut self, low: Value, high: Value) -> Option<FormId> {
        let Value::Form(low) = low else { return None };
        let high = match high {
            Value::High(form) => return (self.low32(form) == Some(low)).then_some(form),
            Value::Form(high) => high,
            _ => return None,
        };
        if high == FormId::ZERO {
            return self.extend(low, false);
        }
        if let (Some(low), Some(high)) = (self.as_constant(low), self.as_constant(high)) {
            return Some(self.constant(high << 32 | low & MAX_U32));
        }
        let both = match (self.as_symbol(low), self.as_symbol(high)) {
            (Some(Symbol::Param(low)), Some(Symbol::Param(high))) if high == low.wrapping_add(4) => {
                Some(Symbol::Pointer(low))
            }
            (Some(Symbol::Opaque(low)), Some(Symbol::Opaque(high))) => {
                match (self.opaques[low as usize].0, self.opaques[high as usize].0) {
                    (Opaque::Low { pair }, Opaque::High { pair: other }) if pair == other => {
                        Some(Symbol::Opaque(pair))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(symbol) = both {
            return Some(self.symbol(symbol));
        }
        (self.shift_right(low, 31, true) == Some(high)).then(|| self.extend(low, true)).flatten()
    }

    /// Extends a 32-bit form to 64 bits.
    ///
    /// A form without a known range, such as a form with launch parameters, is assumed not to overflow.
    pub(super) fn extend(&mut self, form: FormId, signed: bool) -> Option<FormId> {
        let fits = if signed { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (0, MAX_U32) };
        match self.all[form.0 as usize].1.range {
            Some((least, most)) if least < fits.0 || most > fits.1 => {
                self.term(Op::Extend { signed }, [form, FormId::ZERO, FormId::ZERO])
            }
            _ => Some(form),
        }
    }

    pub(super) fn shift_left(&mut self, form: FormId, by: FormId) -> Option<FormId> {
        match self.as_constant(by) {
            Some(by @ 0..32) => self.add32(FormId::ZERO, form, 1 << by),
            _ => self.term(Op::ShiftLeft, [form, by, FormId::ZERO]),
        }
    }

    pub(super) fn shift_right(&mut self, form: FormId, by: u32, signed: bool) -> Option<FormId> {
        if by == 0 {
            return Some(form);
        }
        let range = self.all[form.0 as usize].1.range;
        let (least, most) = range.unwrap_or((i64::MIN, i64::MAX));
        let is_plain = least >= 0 && most <= i64::from(i32::MAX);
        let fits = if signed {
            least >= i64::from(i32::MIN) && most <= i64::from(i32::MAX)
        } else {
            least >= 0 && most <= MAX_U32
        };
        if fits && by < 32 {
            let affine = self.affine(form);
            let whole = |coefficient: i64| coefficient.trailing_zeros() >= by;
            let high = affine.terms().iter().filter(|t| whole(t.1)).map(|t| (t.0, t.1 >> by));
            let low = affine.terms().iter().filter(|t| !whole(t.1)).copied();
            let mask = (1_i64 << by) - 1;
            let high = Affine::wrapping_collect(affine.constant() >> by, high);
            let low = Affine::wrapping_collect(affine.constant() & mask, low);
            if self.info(&low).range.is_some_and(|(least, most)| least >= 0 && most <= mask) {
                return self.wrap(&high);
            }
        }
        let by = self.constant32(i64::from(by));
        self.term(Op::ShiftRight { signed: signed && !is_plain }, [form, by, FormId::ZERO])
    }

    /// `form & mask`.
    pub(super) fn mask(&mut self, form: FormId, mask: u32) -> Option<FormId> {
        if mask == 0 {
            return Some(FormId::ZERO);
        }
        let from = mask.trailing_zeros();
        let run = mask >> from;
        if run & run.wrapping_add(1) != 0 {
            let mask = self.constant32(i64::from(mask));
            return self.term(Op::Lut(AND), [form, mask, FormId::ZERO]);
        }
        let shifted = self.shift_right(form, from, false)?;
        let field = self.low_bits(shifted, run.count_ones())?;
        self.add32(FormId::ZERO, field, 1 << from)
    }

    /// The lowest `bits` bits of a form.
    fn low_bits(&mut self, form: FormId, bits: u32) -> Option<FormId> {
        if bits >= 32 {
            return Some(form);
        }
        let mask = (1_i64 << bits) - 1;
        let affine = self.affine(form);
        let terms = affine.terms().iter().map(|t| (t.0, t.1 & mask));
        let rest = Affine::wrapping_collect(affine.constant() & mask, terms);
        if self.info(&rest).range.is_some_and(|(least, most)| least >= 0 && most <= mask) {
            return self.intern(rest);
        }
        // The common power of two is factored out, so that `(4 * tid) & 0x7c` is `4 * (tid & 0x1f)`.
        let even = alignment(&rest).min(bits);
        let terms = rest.terms().iter().map(|t| (t.0, t.1 >> even));
        let field = Affine::wrapping_collect(rest.constant() >> even, terms);
        let (field, mask) = (self.wrap(&field)?, self.constant32(mask >> even));
        let term = self.term(Op::Lut(AND), [field, mask, FormId::ZERO])?;
        self.add32(FormId::ZERO, term, 1 << even)
    }

    /// True if the two forms certainly have no set bit in common, because of their ranges and alignments.
    pub(super) fn are_apart(&self, a: FormId, b: FormId) -> bool {
        let below = |small: FormId, large: FormId| {
            let free = alignment(self.affine(large)).min(32);
            let range = self.all[small.0 as usize].1.range;
            range.is_some_and(|(least, most)| least >= 0 && most < 1 << free)
        };
        below(a, b) || below(b, a)
    }

    /// Returns the result of an operation: a constant if all arguments are constants, otherwise a term.
    /// `None` if the term costs more than `MAX_COST`.
    pub(super) fn term(&mut self, op: Op, arguments: [FormId; 3]) -> Option<FormId> {
        if let [Some(a), Some(b), Some(c)] = arguments.map(|form| self.as_constant(form)) {
            let value = op.apply([a, b, c]);
            return Some(if op.is_wide() { self.constant(value) } else { self.constant32(value) });
        }
        if let Some(&known) = self.term_index.get(&(op, arguments)) {
            return Some(self.symbol(Symbol::Term(known)));
        }
        let infos = arguments.map(|form| self.all[form.0 as usize].1);
        let cost = infos.iter().fold(1_u32, |sum, info| sum.saturating_add(info.cost));
        if cost > MAX_COST {
            return None;
        }
        let info = Info {
            range: op.range(infos.map(|info| info.range)),
            varies: infos.iter().any(|info| info.varies),
            pure: infos.iter().all(|info| info.pure),
            cost,
        };
        let number = self.terms.len() as u32;
        self.terms.push((Term { op, arguments }, info));
        self.term_index.insert((op, arguments), number);
        Some(self.symbol(Symbol::Term(number)))
    }

    /// The operation of a form that consists of a single term; `None` for other forms.
    pub(super) fn as_term(&self, form: FormId) -> Option<(Op, [FormId; 3])> {
        self.term_of(self.as_symbol(form)?)
    }

    /// The symbol that a form consists of, with coefficient 1 and no other terms; `None` for other forms.
    fn as_symbol(&self, form: FormId) -> Option<Symbol> {
        match *self.affine(form).terms() {
            [(symbol, 1)] if self.affine(form).constant() == 0 => Some(symbol),
            _ => None,
        }
    }

    /// The operation of a term; `None` for other symbols.
    pub(super) fn term_of(&self, symbol: Symbol) -> Option<(Op, [FormId; 3])> {
        let Symbol::Term(number) = symbol else { return None };
        self.terms.get(number as usize).map(|(term, _)| (term.op, term.arguments))
    }

    /// Replaces a symbol in a form. `None` if a term contains the symbol, or if the resulting sum is too
    /// complex.
    pub(super) fn replace(&mut self, form: FormId, symbol: Symbol, by: FormId, wide: bool) -> Option<FormId> {
        let affine = self.affine(form).clone();
        if affine.terms().iter().any(|&(other, _)| matches!(other, Symbol::Term(n) if self.holds(n, symbol)))
        {
            return None;
        }
        if affine.coefficient(&symbol) == 0 {
            return Some(form);
        }
        let sum = affine.wrapping_substitute(&symbol, self.affine(by));
        if wide { self.intern(sum) } else { self.wrap(&sum) }
    }

    fn holds(&self, term: u32, symbol: Symbol) -> bool {
        self.terms[term as usize].0.arguments.iter().any(|&form| {
            let inside = |&(other, _): &(Symbol, i64)| {
                other == symbol || matches!(other, Symbol::Term(inner) if self.holds(inner, symbol))
            };
            self.affine(form).terms().iter().any(inside)
        })
    }

    /// Evaluates a form. `value` returns the values of the symbols other than terms; terms are computed.
    /// Returns `None` if `value` does.
    pub(super) fn evaluate(&self, affine: &Affine, value: &impl Fn(Symbol) -> Option<i64>) -> Option<i64> {
        affine.wrapping_evaluate(|symbol| match *symbol {
            Symbol::Term(number) => self.evaluate_term(number, value),
            symbol => value(symbol),
        })
    }

    pub(super) fn evaluate_term(&self, number: u32, value: &impl Fn(Symbol) -> Option<i64>) -> Option<i64> {
        let Term { op, arguments } = &self.terms.get(number as usize)?.0;
        let mut values = [0; 3];
        for (into, &form) in values.iter_mut().zip(arguments) {
            *into = self.evaluate(self.affine(form), value)?;
        }
        Some(op.apply(values))
    }

    pub(super) fn symbol_varies(&self, symbol: Symbol) -> bool {
        self.symbol_info(symbol).varies
    }

    fn wrap(&mut self, affine: &Affine) -> Option<FormId> {
        let low = |number: i64| i64::from(number as i32);
        let terms = affine.terms().iter().map(|&(symbol, coefficient)| (symbol, low(coefficient)));
        self.intern(Affine::wrapping_collect(low(affine.constant()), terms))
    }

    fn intern(&mut self, affine: Affine) -> Option<FormId> {
        if affine.terms().len() > MAX_TERMS {
            return None;
        }
        if let Some(&known) = self.index.get(&affine) {
            return Some(known);
        }
        let info = self.info(&affine);
        if info.cost > MAX_COST {
            return None;
        }
        let form = FormId(self.all.len() as u32);
        self.index.insert(affine.clone(), form);
        self.all.push((affine, info));
        Some(form)
    }

    fn info(&self, affine: &Affine) -> Info {
        let range = affine.range(|symbol| self.symbol_info(*symbol).range);
        let mut info = Info { range, varies: false, pure: true, cost: 0 };
        for &(symbol, _) in affine.terms() {
            let own = self.symbol_info(symbol);
            info.varies |= own.varies;
            info.pure &= own.pure;
            info.cost = info.cost.saturating_add(own.cost);
        }
        info
    }

    fn symbol_info(&self, symbol: Symbol) -> Info {
        let info = |range, varies, pure| Info { range, varies, pure, cost: 0 };
        match symbol {
            Symbol::TidX | Symbol::TidY | Symbol::TidZ => info(Some((0, self.last_thread)), true, true),
            Symbol::Lane => info(Some((0, self.last_lane)), true, true),
            Symbol::CtaidX | Symbol::CtaidY | Symbol::CtaidZ | Symbol::Param(_) | Symbol::Pointer(_) => {
                info(None, false, true)
            }
            Symbol::Loop(_) => info(None, false, false),
            Symbol::Opaque(number) => {
                info(None, self.opaques.get(number as usize).is_none_or(|opaque| opaque.1), false)
            }
            Symbol::Term(number) => {
                self.terms.get(number as usize).map_or_else(|| info(None, true, false), |term| term.1)
            }
        }
    }
}

/// Returns the number of low bits that are 0 for all values of the symbols.
fn alignment(affine: &Affine) -> u32 {
    let all = affine.terms().iter().map(|term| term.1).chain([affine.constant()]);
    all.map(i64::trailing_zeros).min().unwrap_or(64)
}
