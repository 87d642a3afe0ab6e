//! Reads `[tune]`. Skips a shape or value with an error, and a kernel whose launch cannot be computed.

use super::super::reader::{self, Reader, members};
use super::formulas::Formulas;
use super::stated_problem::{kind_of, read_problem, tuner_parameters};
use super::{Formula, Shape, StatedTuning, TunedParameter};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};
use tuner::ProblemKind;

/// The keys of a `[tune.<kernel>]`.
pub(in super::super) const KEYS: [&str; 8] =
    ["shapes", "grid", "block", "dynamic_shared", "params", "where", "problem", "parameters"];

/// The keys of a parameter that is a table.
pub(in super::super) const PARAMETER: [&str; 2] = ["values", "as"];

/// Largest number of kernels, shapes per kernel, sizes per shape and values per parameter.
const MAX_KERNELS: usize = 256; // limit: each has a lens
const MAX_SHAPES: usize = 256; // limit: each has a lens
const MAX_SIZES: usize = 16; // limit: one line of a lens
const MAX_VALUES: usize = 64; // limit: variants are the product over parameters

/// Largest size of a shape, and largest value of a parameter.
const LARGEST: u64 = 1 << 40; // limit: keeps arithmetic on sizes from overflowing

const SHAPES_EXPECTED: &str = "a list of shapes such as [{ M = 2560, N = 16, K = 2560 }]";

/// Reads the tunings of all kernels.
pub(in super::super) fn read_tunings(
    value: &Spanned<DeValue<'_>>,
    reader: &mut Reader<'_>,
) -> Vec<StatedTuning> {
    let Some(table) = reader.table("tune", value) else { return Vec::new() };
    let mut all = Vec::new();
    for (kernel, value) in table {
        if all.len() == MAX_KERNELS {
            let message =
                format!("`tune`: the kernels from here on are ignored; the maximum is {MAX_KERNELS}");
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

/// Reads the tuning of a kernel. `None` if a value that all launches depend on is invalid or missing.
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
    let is_of_triton = find("block").is_none()
        && (find("problem").is_some() || find("parameters").is_some_and(|own| lacks_values(own.get_ref())));
    for (key, example) in [
        ("shapes", "[{ M = 1024, N = 1024 }]"),
        ("grid", "[\"ceil(M / TILE)\"]"),
        ("block", "[256]"),
        ("parameters", "{ TILE = [32, 64] }"),
    ] {
        if find(key).is_none() && !(is_of_triton && key != "shapes") {
            is_whole = false;
            let message = format!("{place} needs `{key}`, such as {key} = {example}");
            reader.error(&kernel.span(), &message);
        }
    }
    let shapes = find("shapes").map(|value| read_shapes(value, reader)).unwrap_or_default();
    let kind = find("problem").and_then(|value| kind_of(value.get_ref()));
    let read = find("parameters").map(|value| read_parameters(value, &place, (kind, is_of_triton), reader));
    let (parameters, declared) = read.unwrap_or_default();
    let sizes = shapes.first().map(|shape| shape.sizes.iter().map(|(name, _)| name.clone()));
    let mut names: Vec<String> = sizes.into_iter().flatten().collect();
    let sizes = names.len();
    names.extend(declared.iter().cloned());
    // If the shapes or the parameters have errors, the set of valid names is unknown.
    let is_known = !shapes.is_empty() && !declared.is_empty() && !is_of_triton;
    // A Triton kernel's parameter names are in its Python file, so they cannot be checked here.
    let known = is_known.then_some(&names[..]);
    let otherwise = "neither a size of the shapes nor a parameter";
    let before = reader.errors();
    let mut formulas = Formulas { known, otherwise, reader };
    let grid = find("grid").and_then(|value| formulas.three("grid", value));
    let block = find("block").and_then(|value| formulas.three("block", value));
    let dynamic_shared = match find("dynamic_shared") {
        Some(value) => formulas.one("dynamic_shared", value, "a number of bytes or a formula"),
        None => Some(Formula::number(0)),
    };
    let params = find("params").map(|value| formulas.arguments(value));
    let conditions = find("where").map(|value| formulas.conditions(value)).unwrap_or_default();
    let problem =
        find("problem").and_then(|value| read_problem(value, &place, sizes, &parameters, &mut formulas));
    is_whole &= reader.errors() == before && parameters.len() == declared.len();
    let tuning = StatedTuning {
        kernel: kernel.get_ref().clone().into_owned(),
        shapes,
        grid: if is_of_triton { grid } else { Some(grid?) },
        block: if is_of_triton { None } else { Some(block?) },
        dynamic_shared: dynamic_shared?,
        params,
        parameters,
        conditions,
        problem,
    };
    if tuning.combinations() > StatedTuning::MAX_VARIANTS {
        let message = format!(
            "the parameters of {place} have {} combinations; the maximum is {}",
            tuning.combinations(),
            StatedTuning::MAX_VARIANTS
        );
        reader.error(&kernel.span(), &message);
        return None;
    }
    let has_parameters = !tuning.parameters.is_empty() || is_of_triton;
    (is_whole && !tuning.shapes.is_empty() && has_parameters).then_some(tuning)
}

/// True if any parameter is a table without values. The configurations of a Triton kernel state such values.
fn lacks_values(parameters: &DeValue<'_>) -> bool {
    let lacks = |value: &DeValue<'_>| value.as_table().is_some_and(|own| !own.contains_key("values"));
    parameters.as_table().is_some_and(|table| table.values().any(|value| lacks(value.get_ref())))
}

/// Returns the valid shapes. All of them have the size names of the first shape.
fn read_shapes(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let items = reader.array("shapes", value, SHAPES_EXPECTED);
    if items.is_empty() && value.get_ref().is_array() {
        reader.expected("shapes", value, SHAPES_EXPECTED);
    }
    if let Some(first) = items.get(MAX_SHAPES) {
        let message = format!("`shapes`: the shapes from here on are ignored; the maximum is {MAX_SHAPES}");
        reader.error(&first.span(), &message);
    }
    for item in items.iter().take(MAX_SHAPES) {
        let Some(table) = item.get_ref().as_table().filter(|table| (1..=MAX_SIZES).contains(&table.len()))
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
                "`shapes`: expected the same names as in the first shape: {}",
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

/// Returns the members of a table in text order.
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

/// True if a name can be used in a formula. Reports any other name.
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

/// Returns the valid parameters, and the names of all parameters.
fn read_parameters(
    value: &Spanned<DeValue<'_>>,
    place: &str,
    (kind, is_of_triton): (Option<ProblemKind>, bool),
    reader: &mut Reader<'_>,
) -> (Vec<TunedParameter>, Vec<String>) {
    let (mut parameters, mut names) = (Vec::new(), Vec::new());
    let Some(table) = reader.table("parameters", value) else { return (parameters, names) };
    if table.is_empty() {
        reader.expected("parameters", value, "parameters such as { TILE = [32, 64] }");
    }
    for (name, value) in in_text_order(table) {
        if KEYS.contains(&name.get_ref().as_ref()) && !value.get_ref().is_table() {
            // The table of parameters is usually the last table, and users add new keys below it.
            let message = format!("`{}` belongs above `parameters`, in {place}", name.get_ref());
            reader.error(&name.span(), &message);
            continue;
        }
        if !is_name(name, reader) {
            continue;
        }
        names.push(name.get_ref().clone().into_owned());
        let Some(mut read) = read_parameter(name, value, (kind, is_of_triton), reader) else { continue };
        if let Some(word) = &read.known_as
            && let Some(other) =
                parameters.iter().find(|other: &&TunedParameter| other.known_as == read.known_as)
        {
            let message = format!("`as`: `{}` already corresponds to `{word}`", reader::name(&other.name));
            reader.error(&name.span(), &message);
            read.known_as = None;
        }
        parameters.push(read);
    }
    (parameters, names)
}

fn read_parameter(
    name: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    (kind, is_of_triton): (Option<ProblemKind>, bool),
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
                let known = tuner_parameters(kind);
                if word.as_deref().is_some_and(|word| !known.contains(&word)) {
                    reader.expected_word(member, value, &known);
                } else {
                    known_as = word;
                }
            }
            if values.is_none() && is_of_triton {
                let name = name.get_ref().clone().into_owned();
                return (reader.errors() == before).then_some(TunedParameter {
                    name,
                    values: Vec::new(),
                    known_as,
                });
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
    for item in items.iter().take(MAX_VALUES) {
        let number = reader.integer(&key, item, 0..LARGEST + 1, "a whole number");
        let number = number.map(|number| number as i64);
        read.extend(number.filter(|number| !read.contains(number)));
    }
    if let Some(first) = items.get(MAX_VALUES) {
        let message = format!("`{key}`: the values from here on are ignored; the maximum is {MAX_VALUES}");
        reader.error(&first.span(), &message);
    }
    if items.is_empty() && values.get_ref().is_array() {
        reader.expected(&key, values, "a list of whole numbers such as [32, 64]");
    }
    let name = name.get_ref().clone().into_owned();
    (!read.is_empty()).then_some(TunedParameter { name, values: read, known_as })
}
