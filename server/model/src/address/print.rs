//! Prints forms as formulas, and lists their symbols.

use super::affine::{Affine, Symbol};
use super::forms::Forms;
use super::term::Op;
use super::words::{AND, OR, Relation, XOR};
use super::{Addresses, FormId};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Maximum length of a formula in characters. A longer formula is not useful.
// limit: two lines of a hover.
const MAX_CHARACTERS: usize = 160;

impl Addresses {
    /// Prints a form as a formula, such as `128*tid.x + 4*(tid.y >> 2) + 0x400`. `name` returns the name of a
    /// symbol. Terms are written out and need no name.
    ///
    /// `None` if the formula is too long.
    pub fn print(&self, affine: &Affine, name: &dyn Fn(Symbol) -> String) -> Option<String> {
        let mut printer = Printer { forms: &self.forms, name, text: String::new() };
        printer.form(affine)?;
        Some(printer.text)
    }

    /// Returns the symbols of a form, with each term replaced by the symbols that it is computed from.
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
}

struct Printer<'a> {
    forms: &'a Forms,
    name: &'a dyn Fn(Symbol) -> String,
    text: String,
}

impl Printer<'_> {
    fn form(&mut self, affine: &Affine) -> Option<()> {
        // Pointers come first, then symbols that differ between lanes.
        let mut terms: Vec<(Symbol, i64)> = affine.terms().to_vec();
        terms.sort_by_key(|&(symbol, _)| match symbol {
            Symbol::Pointer(_) => 0,
            symbol if self.forms.symbol_varies(symbol) => 1,
            _ => 2,
        });
        let start = self.text.len();
        for (symbol, times) in terms {
            let is_first = self.text.len() == start;
            self.text.push_str(match (is_first, times < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            let times = times.unsigned_abs();
            if times != 1 {
                let _ = write!(self.text, "{times}*");
            }
            match self.forms.term_of(symbol) {
                Some((op, arguments)) => self.term(op, arguments)?,
                None => self.text.push_str(&(self.name)(symbol)),
            }
            if self.text.len() > MAX_CHARACTERS {
                return None;
            }
        }
        let constant = affine.constant();
        let hex = |constant: i64| match constant.unsigned_abs() {
            small @ 0..=9 => small.to_string(),
            large => format!("{large:#x}"),
        };
        if self.text.len() == start {
            let sign = if constant < 0 { "-" } else { "" };
            let _ = write!(self.text, "{sign}{}", hex(constant));
        } else if constant != 0 {
            let _ = write!(self.text, " {} {}", if constant < 0 { '-' } else { '+' }, hex(constant));
        }
        (self.text.len() <= MAX_CHARACTERS).then_some(())
    }

    fn term(&mut self, op: Op, [a, b, c]: [FormId; 3]) -> Option<()> {
        let sign = match op {
            Op::Lut(AND) => " & ",
            Op::Lut(OR) => " | ",
            Op::Lut(XOR) => " ^ ",
            Op::ShiftRight { .. } => " >> ",
            Op::ShiftLeft => " << ",
            Op::Multiply | Op::MultiplyWide => " * ",
            Op::Compare { relation, .. } => match relation {
                Relation::Less => " < ",
                Relation::LessEqual => " <= ",
                Relation::Equal => " == ",
                Relation::NotEqual => " != ",
                Relation::GreaterEqual => " >= ",
                Relation::Greater => " > ",
            },
            Op::Extend { .. } => return self.factor(a),
            Op::Least { .. } => return self.call("min", &[a, b]),
            Op::Greatest { .. } => return self.call("max", &[a, b]),
            Op::MultiplyHigh { .. } => return self.call("mulhi", &[a, b]),
            Op::Lut(_) | Op::PredicateLut(_) => return self.call("lop3", &[a, b, c]),
            Op::Select => return self.factors(&[("(", a), (" ? ", b), (" : ", c)]),
        };
        self.factors(&[("(", a), (sign, b)])
    }

    /// Writes factors, each after its prefix, and a closing bracket.
    fn factors(&mut self, factors: &[(&str, FormId)]) -> Option<()> {
        for &(before, form) in factors {
            self.text.push_str(before);
            self.factor(form)?;
        }
        self.text.push(')');
        Some(())
    }

    fn call(&mut self, called: &str, arguments: &[FormId]) -> Option<()> {
        self.text.push_str(called);
        for (at, &argument) in arguments.iter().enumerate() {
            self.text.push_str(if at == 0 { "(" } else { ", " });
            self.form(self.forms.affine(argument))?;
        }
        self.text.push(')');
        Some(())
    }

    /// Writes a form as a factor of a larger formula, with brackets around a sum.
    fn factor(&mut self, form: FormId) -> Option<()> {
        let affine = self.forms.affine(form);
        let is_sum = affine.terms().len() + usize::from(affine.constant() != 0) > 1;
        self.text.push_str(if is_sum { "(" } else { "" });
        self.form(affine)?;
        self.text.push_str(if is_sum { ")" } else { "" });
        Some(())
    }
}
