//! Reading of `[tune]`: a wrong shape or value is left out; a kernel whose launch cannot be computed is, too.

use super::super::problem::Suggestion;
use super::super::reader::{self, Reader, members};
use super::formula::NoFormula;
use super::{Condition, Formula, ParamValue, Shape, StatedArgument, StatedTuning, TunedParameter};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The keys of a `[tune.<kernel>]`.
pub(in super::super) const KEYS: [&str; 7] =
    ["shapes", "grid", "block", "dynamic_shared", "params", "where", "parameters"];

/// The keys of a parameter that is a table.
pub(in super::super) const PARAMETER: [&str; 2] = ["values", "as"];

/// The parameters of the tuner's own kernels, by the names of `tuner::Tiling`.
pub(crate) const TUNER_PARAMETERS: [&str; 11] = [
    "block_m", "block_n", "thread_m", "thread_n", "depth", "thread_k", "block_k", "grid_k", "vector_a",
    "vector_b", "stages",
];

/// The most kernels, shapes of a kernel, sizes of a shape, values of a parameter and conditions.
const MOST_KERNELS: usize = 256;
const MOST_SHAPES: usize = 256;
const MOST_SIZES: usize = 16;
const MOST_VALUES: usize = 64;
const MOST_CONDITIONS: usize = 64;
/// The most parameters of a kernel that one call passes.
const MOST_ARGUMENTS: usize = 1024;

/// The largest size and value.
const LARGEST: u64 = 1 << 40;

const SHAPES_EXPECTED: &str = "a list of shapes such as [{ M = 2560, N = 16, K = 2560 }]";
const FORMULAS_EXPECTED: &str = "one to three numbers or formulas, such as [\"ceil(M / TILE_M)\", 1, 1]";

/// Reads all kernels that are to be tuned.
pub(in super::super) fn read_tunings(
    value: &Spanned<DeValue<'_>>,
    reader: &mut Reader<'_>,
) -> Vec<StatedTuning> {
    let Some(table) = reader.table("tune", value) else { return Vec::new() };
    let mut all = Vec::new();
    for (kernel, value) in table {
        if all.len() == MOST_KERNELS {
            let message =
                format!("`tune`: the kernels from here on are ignored; the maximum is {MOST_KERNELS}");
            reader.error(&kernel.span(), &message);
            break;
        }
        if !value.get_ref().is_table() && KEYS.contains(&kernel.get_ref().as_ref()) {
            let message = format!(
                "expected the kernel's name in the header: `[tune.my_kernel]`, with `{}` below it",
                kernel.get_ref()
            );
            reader.error(&kernel.span(), &message);
            return all;
        }
        all.extend(read_tuning(kernel, value, reader));
    }
    all
}

/// `None` where something that every launch hangs on is wrong or missing.
fn read_tuning(
    kernel: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    reader: &mut Reader<'_>,
) -> Option<StatedTuning> {
    let place = format!("[tune.{}]", reader::name(kernel.get_ref()));
    let table = reader.table(&format!("tune.{}", reader::name(kernel.get_ref())), value)?;
    let members = members(table, &KEYS, &place, reader);
    let find = |key: &str| members.iter().find(|(own, _)| *own == key).map(|(_, value)| *value);
    let mut is_whole = true;
    for (key, example) in [
        ("shapes", "[{ M = 1024, N = 1024 }]"),
        ("grid", "[\"ceil(M / TILE)\"]"),
        ("block", "[256]"),
        ("parameters", "{ TILE = [32, 64] }"),
    ] {
        if find(key).is_none() {
            is_whole = false;
            let message = format!("{place} needs `{key}`, such as {key} = {example}");
            reader.error(&kernel.span(), &message);
        }
    }
    let shapes = find("shapes").map(|value| read_shapes(value, reader)).unwrap_or_default();
    let (parameters, declared) =
        find("parameters").map(|value| read_parameters(value, &place, reader)).unwrap_or_default();
    let sizes = shapes.first().map(|shape| shape.sizes.iter().map(|(name, _)| name.clone()));
    let mut names: Vec<String> = sizes.into_iter().flatten().collect();
    names.extend(declared.iter().cloned());
    // With its shapes or its parameters wrong, names are not known.
    let known = (!shapes.is_empty() && !declared.is_empty()).then_some(&names[..]);
    let mut formulas = Formulas { known, reader };
    let before = formulas.reader.errors();
    let grid = find("grid").and_then(|value| formulas.three("grid", value));
    let block = find("block").and_then(|value| formulas.three("block", value));
    let dynamic_shared = match find("dynamic_shared") {
        Some(value) => formulas.one("dynamic_shared", value, "a number of bytes or a formula"),
        None => Some(Formula::number(0)),
    };
    let params = find("params").map(|value| formulas.arguments(value));
    let conditions = find("where").map(|value| formulas.conditions(value)).unwrap_or_default();
    is_whole &= reader.errors() == before && parameters.len() == declared.len();
    let tuning = StatedTuning {
        kernel: kernel.get_ref().clone().into_owned(),
        shapes,
        grid: grid?,
        block: block?,
        dynamic_shared: dynamic_shared?,
        params,
        parameters,
        conditions,
    };
    if tuning.combinations() > StatedTuning::MOST_VARIANTS {
        let message = format!(
            "the parameters of {place} have {} combinations; the maximum is {}",
            tuning.combinations(),
            StatedTuning::MOST_VARIANTS
        );
        reader.error(&kernel.span(), &message);
        return None;
    }
    (is_whole && !tuning.shapes.is_empty() && !tuning.parameters.is_empty()).then_some(tuning)
}

/// The shapes that are right, each with the names of the first one.
fn read_shapes(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let items = reader.array("shapes", value, SHAPES_EXPECTED);
    if items.is_empty() && value.get_ref().is_array() {
        reader.expected("shapes", value, SHAPES_EXPECTED);
    }
    if let Some(first) = items.get(MOST_SHAPES) {
        let message = format!("`shapes`: the shapes from here on are ignored; the maximum is {MOST_SHAPES}");
        reader.error(&first.span(), &message);
    }
    for item in items.iter().take(MOST_SHAPES) {
        let Some(table) = item.get_ref().as_table().filter(|table| (1..=MOST_SIZES).contains(&table.len()))
        else {
            reader.expected("shapes", item, "a shape such as { M = 2560, N = 16, K = 2560 }");
            continue;
        };
        let Some(shape) = read_shape(table, reader) else { continue };
        if let Some(first) = shapes.first()
            && !is_of_names_of(&shape, first)
        {
            let names: Vec<&str> = first.sizes.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!(
                "`shapes`: expected the sizes of the first shape: {}",
                reader::name(&names.join(", "))
            );
            reader.error(&item.span(), &message);
            continue;
        }
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

fn read_shape(table: &DeTable<'_>, reader: &mut Reader<'_>) -> Option<Shape> {
    let mut sizes = Vec::with_capacity(table.len());
    let mut is_whole = true;
    for (name, value) in in_text_order(table) {
        is_whole &= is_name(name, reader);
        let key = format!("shapes.{}", reader::name(name.get_ref()));
        let size = reader.integer(&key, value, 1..LARGEST + 1, "a whole number of at least 1");
        is_whole &= size.is_some();
        sizes.push((name.get_ref().clone().into_owned(), size.unwrap_or(1) as i64));
    }
    is_whole.then_some(Shape { sizes })
}

/// The members of a table in the order in which they are written.
fn in_text_order<'v, 'i>(
    table: &'v DeTable<'i>,
) -> Vec<(&'v Spanned<DeString<'i>>, &'v Spanned<DeValue<'i>>)> {
    let mut members: Vec<_> = table.iter().collect();
    members.sort_by_key(|(key, _)| key.span().start);
    members
}

fn is_of_names_of(shape: &Shape, first: &Shape) -> bool {
    shape.sizes.len() == first.sizes.len() && shape.sizes.iter().all(|(name, _)| first.size(name).is_some())
}

/// Whether a name can stand in a formula.
fn is_name(name: &Spanned<DeString<'_>>, reader: &mut Reader<'_>) -> bool {
    let text = name.get_ref();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_one = !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_part);
    if !is_one || text.is_empty() {
        let message = format!("expected a name of letters, digits and `_`, not `{}`", reader::name(text));
        reader.error(&name.span(), &message);
        return false;
    }
    true
}

/// The parameters that are right, and the names of all.
fn read_parameters(
    value: &Spanned<DeValue<'_>>,
    place: &str,
    reader: &mut Reader<'_>,
) -> (Vec<TunedParameter>, Vec<String>) {
    let (mut parameters, mut names) = (Vec::new(), Vec::new());
    let Some(table) = reader.table("parameters", value) else { return (parameters, names) };
    if table.is_empty() {
        reader.expected("parameters", value, "parameters such as { TILE = [32, 64] }");
    }
    for (name, value) in in_text_order(table) {
        if KEYS.contains(&name.get_ref().as_ref()) && !value.get_ref().is_table() {
            // The table of parameters is mostly the last one, and what is added goes below it.
            let message = format!("`{}` stands above `parameters`, in {place}", name.get_ref());
            reader.error(&name.span(), &message);
            continue;
        }
        if !is_name(name, reader) {
            continue;
        }
        names.push(name.get_ref().clone().into_owned());
        parameters.extend(read_parameter(name, value, reader));
    }
    (parameters, names)
}

fn read_parameter(
    name: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    reader: &mut Reader<'_>,
) -> Option<TunedParameter> {
    let key = format!("parameters.{}", reader::name(name.get_ref()));
    let mut known_as = None;
    let values = match value.get_ref() {
        DeValue::Table(table) => {
            let (mut values, before) = (None, reader.errors());
            for (member, value) in members(table, &PARAMETER, &key, reader) {
                if member == "values" {
                    values = Some(value);
                    continue;
                }
                let word = reader.string(member, value);
                if word.as_deref().is_some_and(|word| !TUNER_PARAMETERS.contains(&word)) {
                    reader.expected_word(member, value, &TUNER_PARAMETERS);
                } else {
                    known_as = word;
                }
            }
            if values.is_none() && reader.errors() == before {
                let message = format!("`{key}` needs `values`, such as values = [32, 64]");
                reader.error(&name.span(), &message);
            }
            values?
        }
        _ => value,
    };
    let items = reader.array(&key, values, "a list of whole numbers such as [32, 64]");
    let mut read: Vec<i64> = Vec::new();
    for item in items.iter().take(MOST_VALUES) {
        let number = reader.integer(&key, item, 0..LARGEST + 1, "a whole number");
        let number = number.map(|number| number as i64);
        read.extend(number.filter(|number| !read.contains(number)));
    }
    if let Some(first) = items.get(MOST_VALUES) {
        let message = format!("`{key}`: the values from here on are ignored; the maximum is {MOST_VALUES}");
        reader.error(&first.span(), &message);
    }
    if items.is_empty() && values.get_ref().is_array() {
        reader.expected(&key, values, "a list of whole numbers such as [32, 64]");
    }
    let name = name.get_ref().clone().into_owned();
    (!read.is_empty()).then_some(TunedParameter { name, values: read, known_as })
}

/// Reads formulas over names.
struct Formulas<'r, 't> {
    /// `None` where the names are not known.
    known: Option<&'r [String]>,
    reader: &'r mut Reader<'t>,
}

impl Formulas<'_, '_> {
    fn three(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<[Formula; 3]> {
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

    fn one(&mut self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Option<Formula> {
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

    fn arguments(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<StatedArgument> {
        let expected = "a list such as [\"ptr\", \"M\", \"?\"]";
        let items = self.reader.array("params", value, expected);
        let mut arguments = Vec::new();
        for item in items.iter().take(MOST_ARGUMENTS) {
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

    fn conditions(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<Condition> {
        let expected = "a list of conditions such as [\"TILE_M * TILE_N <= 4096\"]";
        let mut conditions = Vec::new();
        for item in self.reader.array("where", value, expected).iter().take(MOST_CONDITIONS) {
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

    fn refuse(&mut self, key: &str, value: &Spanned<DeValue<'_>>, wrong: &NoFormula) {
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
            let message =
                format!("`{}` is neither a size of the shapes nor a parameter{hint}", reader::name(name));
            self.reader.error_with(None, &range, &message, meant);
        }
    }

    /// The place of bytes of a text in quotes; the whole text where it has escapes.
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
        // The end of a text is told at its last quote.
        start + within.start..(start + within.end).max(start + within.start + 1)
    }
}
