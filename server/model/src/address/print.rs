//! Forms as people write them, and what they are made of.

use super::affine::{Affine, Symbol};
use super::term::Op;
use super::words::{AND, Relation};
use super::{Addresses, FormId};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Characters beyond which a formula tells nobody anything.
const MOST_CHARACTERS: usize = 160;

/// The truth tables of two values that have a sign of their own. Source: PTX ISA, `lop3`.
const OR: u8 = 0xfc;
const XOR: u8 = 0x3c;

impl Addresses {
    /// `128*tid.x + 4*(tid.y >> 2) + 0x400`; `name` says what the symbols are called that are no terms. It is not asked
    /// for terms, which are written out.
    ///
    /// `None` where that takes more than a line.
    pub fn print(&self, affine: &Affine, name: &dyn Fn(Symbol) -> String) -> Option<String> {
        let mut text = String::new();
        self.write(&mut text, affine, name)?;
        Some(text)
    }

    /// Returns the symbols that a form counts multiples of; for a term, those that it is computed from.
    pub fn symbols(&self, affine: &Affine) -> BTreeSet<Symbol> {
        let mut symbols = BTreeSet::new();
        let mut open: Vec<Symbol> = affine.terms().iter().map(|term| term.0).collect();
        let mut seen = BTreeSet::new();
        while let Some(symbol) = open.pop() {
            match self.forms.term_of(symbol) {
                Some((_, arguments)) if seen.insert(symbol) => {
                    let inner = arguments.iter().flat_map(|&form| self.forms.affine(form).terms());
                    open.extend(inner.map(|term| term.0));
                }
                Some(_) => {}
                None => {
                    symbols.insert(symbol);
                }
            }
        }
        symbols
    }

    fn write(&self, text: &mut String, affine: &Affine, name: &dyn Fn(Symbol) -> String) -> Option<()> {
        // What a pointer leads to comes first, then what differs between lanes.
        let mut terms: Vec<(Symbol, i64)> = affine.terms().to_vec();
        terms.sort_by_key(|&(symbol, _)| match symbol {
            Symbol::Pointer(_) => 0,
            symbol if self.varies(symbol) => 1,
            _ => 2,
        });
        let start = text.len();
        for (symbol, times) in terms {
            let is_first = text.len() == start;
            text.push_str(match (is_first, times < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            let times = times.unsigned_abs();
            if times != 1 {
                let _ = write!(text, "{times}*");
            }
            match self.forms.term_of(symbol) {
                Some((op, arguments)) => self.write_term(text, op, arguments, name)?,
                None => text.push_str(&name(symbol)),
            }
            if text.len() > MOST_CHARACTERS {
                return None;
            }
        }
        let constant = affine.constant();
        let hex = |constant: i64| match constant.unsigned_abs() {
            small @ 0..=9 => small.to_string(),
            large => format!("{large:#x}"),
        };
        if text.len() == start {
            let sign = if constant < 0 { "-" } else { "" };
            let _ = write!(text, "{sign}{}", hex(constant));
        } else if constant != 0 {
            let _ = write!(text, " {} {}", if constant < 0 { '-' } else { '+' }, hex(constant));
        }
        (text.len() <= MOST_CHARACTERS).then_some(())
    }

    fn write_term(
        &self,
        text: &mut String,
        op: Op,
        [a, b, c]: [FormId; 3],
        name: &dyn Fn(Symbol) -> String,
    ) -> Option<()> {
        let sign = match op {
            Op::Lut(AND) => "&",
            Op::Lut(OR) => "|",
            Op::Lut(XOR) => "^",
            Op::ShiftRight { .. } => ">>",
            Op::ShiftLeft => "<<",
            Op::Multiply | Op::MultiplyWide => "*",
            Op::Compare { relation, .. } => match relation {
                Relation::Less => "<",
                Relation::LessEqual => "<=",
                Relation::Equal => "==",
                Relation::NotEqual => "!=",
                Relation::GreaterEqual => ">=",
                Relation::Greater => ">",
            },
            Op::Extend { .. } => return self.write_factor(text, a, name),
            Op::Least { .. } => return self.write_call(text, "min", &[a, b], name),
            Op::Greatest { .. } => return self.write_call(text, "max", &[a, b], name),
            Op::MultiplyHigh { .. } => return self.write_call(text, "mulhi", &[a, b], name),
            Op::Lut(_) | Op::PredicateLut(_) => return self.write_call(text, "lop3", &[a, b, c], name),
            Op::Select => {
                text.push('(');
                self.write_factor(text, a, name)?;
                text.push_str(" ? ");
                self.write_factor(text, b, name)?;
                text.push_str(" : ");
                self.write_factor(text, c, name)?;
                text.push(')');
                return Some(());
            }
        };
        text.push('(');
        self.write_factor(text, a, name)?;
        let _ = write!(text, " {sign} ");
        self.write_factor(text, b, name)?;
        text.push(')');
        Some(())
    }

    fn write_call(
        &self,
        text: &mut String,
        called: &str,
        arguments: &[FormId],
        name: &dyn Fn(Symbol) -> String,
    ) -> Option<()> {
        text.push_str(called);
        for (at, &argument) in arguments.iter().enumerate() {
            text.push_str(if at == 0 { "(" } else { ", " });
            self.write(text, self.forms.affine(argument), name)?;
        }
        text.push(')');
        Some(())
    }

    /// A form as a part of a larger one: a sum in brackets.
    fn write_factor(&self, text: &mut String, form: FormId, name: &dyn Fn(Symbol) -> String) -> Option<()> {
        let affine = self.forms.affine(form);
        let is_sum = affine.terms().len() + usize::from(affine.constant() != 0) > 1;
        if is_sum {
            text.push('(');
        }
        self.write(text, affine, name)?;
        if is_sum {
            text.push(')');
        }
        Some(())
    }
}
