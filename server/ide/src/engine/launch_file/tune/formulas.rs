//! Reads the formulas and conditions of `[tune]`. Each name in them must be a size or a parameter.

use super::super::problem::Suggestion;
use super::super::reader::{self, Reader};
use super::{Condition, Formula, ParamValue, StatedArgument};
use machine::FormulaError;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// Largest number of conditions per kernel, and of arguments per launch.
const MAX_CONDITIONS: usize = 64; // limit: each is evaluated for each variant
const MAX_ARGUMENTS: usize = 1024; // limit: bounds memory; kernels take some dozens

const FORMULAS_EXPECTED: &str = "one to three numbers or formulas, such as [\"ceil(M / TILE_M)\", 1, 1]";

/// A reader of formulas that checks the names in each formula.
pub(super) struct Formulas<'r, 't> {
    /// The valid names. `None` if they are unknown.
    pub(super) known: Option<&'r [String]>,
    /// End of the message "is ..." about an unknown name: `neither a size of the shapes nor a parameter`.
    pub(super) otherwise: &'static str,
    pub(super) reader: &'r mut Reader<'t>,
}

impl Formulas<'_, '_> {
    pub(super) fn three(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<[Formula; 3]> {
        let items = value.get_ref().as_array().map_or(&[][..], AsRef::as_ref);
        if !(1..=3).contains(&items.len()) {
            let one = self.reader.text(&value.span()).filter(|_| !value.get_ref().is_array());
            let list = one.map(|text| format!("[{text}]"));
            self.reader.expected_instead(key, value, FORMULAS_EXPECTED, list);
            return None;
        }
        let mut three = [const { None }; 3];
        for (item, slot) in items.iter().zip(&mut three) {
            *slot = Some(self.one(key, item, "a number or a formula such as \"ceil(M / TILE_M)\"")?);
        }
        Some(three.map(|formula| formula.unwrap_or_else(|| Formula::number(1))))
    }

    pub(super) fn one(&mut self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Option<Formula> {
        if let Some(number) = reader::integer(value.get_ref()) {
            return Some(Formula::number(number));
        }
        let Some(text) = value.get_ref().as_str() else {
            self.reader.expected(key, value, expected);
            return None;
        };
        match Formula::parse(text) {
            Ok(formula) => {
                self.check_names(value, formula.names());
                Some(formula)
            }
            Err(wrong) => {
                self.refuse(key, value, &wrong);
                None
            }
        }
    }

    pub(super) fn arguments(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<StatedArgument> {
        let expected = "a list such as [\"ptr\", \"M\", \"?\"]";
        let items = self.reader.array("params", value, expected);
        let mut arguments = Vec::new();
        for item in items.iter().take(MAX_ARGUMENTS) {
            arguments.push(match item.get_ref() {
                DeValue::String(text) if text == "ptr" => StatedArgument::Value(ParamValue::Pointer),
                DeValue::String(text) if text == "?" => StatedArgument::Value(ParamValue::Unknown),
                DeValue::Boolean(is_true) => StatedArgument::Value(ParamValue::Boolean(*is_true)),
                DeValue::Float(_) => StatedArgument::Value(
                    reader::float(item.get_ref()).map_or(ParamValue::Unknown, ParamValue::Float),
                ),
                _ => {
                    let read = self.one("params", item, "\"ptr\", \"?\", a number, a boolean or a formula");
                    read.map_or(StatedArgument::Value(ParamValue::Unknown), StatedArgument::Of)
                }
            });
        }
        arguments
    }

    pub(super) fn conditions(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<Condition> {
        let expected = "a list of conditions such as [\"TILE_M * TILE_N <= 4096\"]";
        let mut conditions = Vec::new();
        for item in self.reader.array("where", value, expected).iter().take(MAX_CONDITIONS) {
            let Some(text) = self.reader.string("where", item) else { continue };
            match Condition::parse(&text) {
                Ok(condition) => {
                    let names: Vec<_> = condition.names().cloned().collect();
                    self.check_names(item, &names);
                    conditions.push(condition);
                }
                Err(wrong) => self.refuse("where", item, &wrong),
            }
        }
        conditions
    }

    fn refuse(&mut self, key: &str, value: &Spanned<DeValue<'_>>, wrong: &FormulaError) {
        let text = value.get_ref().as_str().unwrap_or_default();
        let found = text.get(wrong.range.clone()).filter(|found| !found.is_empty());
        let found = found.map_or("the end".to_owned(), |found| format!("`{}`", reader::name(found)));
        let message = format!("`{key}`: expected {}, not {found}", wrong.expected);
        let range = self.place(value, &wrong.range);
        self.reader.error(&range, &message);
    }

    fn check_names(&mut self, value: &Spanned<DeValue<'_>>, names: &[(String, Range<usize>)]) {
        let Some(known) = self.known else { return };
        for (name, range) in names.iter().filter(|(name, _)| !known.contains(name)) {
            let near = machine::nearest_name(name, known.iter().map(String::as_str));
            let hint = match near {
                Some(near) => format!("; did you mean `{near}`?"),
                None => format!("; known: {}", known.join(", ")),
            };
            let range = self.place(value, range);
            let meant = near.map(|near| Suggestion { range: range.clone(), text: near.to_owned() });
            let message = format!("`{}` is {}{hint}", reader::name(name), self.otherwise);
            self.reader.error_with(None, &range, &message, meant);
        }
    }

    /// Converts a range in a quoted string to a range in the file. Returns the range of the whole string if
    /// the string has escapes.
    fn place(&self, value: &Spanned<DeValue<'_>>, within: &Range<usize>) -> Range<usize> {
        let (whole, text) = (value.span(), value.get_ref().as_str().unwrap_or_default());
        let is_plain = self
            .reader
            .text(&whole)
            .is_some_and(|raw| raw.len() == text.len() + 2 && raw.get(1..raw.len() - 1) == Some(text));
        if !is_plain {
            return whole;
        }
        let start = whole.start + 1;
        // An error at the end of the string is reported at the closing quote.
        start + within.start..(start + within.end).max(start + within.start + 1)
    }
}
