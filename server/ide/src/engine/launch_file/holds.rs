//! Contents of the memory that a parameter points to, as a launch states them.

use super::npy;
use super::reader::{self, Reader, members};
use crate::Severity;
use crate::engine::parameters::types::ParamValue;
use model::{Contents, DataFile, Element, Numbers};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// The keys of `holds`: the distribution or the file, the count and the type of the numbers.
const KEYS: [&str; 9] =
    ["range", "permutation", "sorted", "normal", "zipf", "constant", "file", "count", "type"];

/// Element types.
const TYPES: [(&str, Element); 14] = [
    ("u8", integer(1)),
    ("s8", integer(1)),
    ("u16", integer(2)),
    ("s16", integer(2)),
    ("u32", integer(4)),
    ("s32", integer(4)),
    ("u64", integer(8)),
    ("s64", integer(8)),
    ("int", integer(4)),
    ("long", integer(8)),
    ("f32", float(4)),
    ("float", float(4)),
    ("f64", float(8)),
    ("double", float(8)),
];

/// Largest number of elements.
const MAX_ELEMENTS: u64 = 1 << 40; // limit: more than any GPU has

const fn integer(bytes: u32) -> Element {
    Element { bytes, is_float: false }
}

const fn float(bytes: u32) -> Element {
    Element { bytes, is_float: true }
}

/// Reads the value of `holds`. Reports each error and returns `None` if there is an error. A file that cannot be
/// used is only a warning: the contents are then unknown.
pub(super) fn holds(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Option<ParamValue> {
    let table = reader.table("holds", value)?;
    let before = reader.errors();
    let mut element = integer(4);
    let mut count = None;
    let mut spreads = Vec::new();
    for (key, value) in members(table, &KEYS, "holds", reader) {
        match key {
            "type" => {
                let name = reader.string(key, value).unwrap_or_default();
                match TYPES.iter().find(|(known, _)| *known == name) {
                    Some((_, known)) => element = *known,
                    None => reader.expected_word(key, value, &TYPES.map(|(name, _)| name)),
                }
            }
            "count" => count = elements(key, value, reader),
            spread => spreads.push((spread, value)),
        }
    }
    let held = match spreads.as_slice() {
        [("file", value)] => stored(value, element, table.get("type"), reader),
        [(spread, value)] => numbers(spread, value, count, reader)
            .map(|numbers| ParamValue::Holding(Contents::Generated { element, numbers })),
        _ => {
            let message = format!("`holds` needs one of {}", KEYS[..7].join(", "));
            reader.error(&value.span(), &message);
            None
        }
    };
    held.filter(|_| reader.errors() == before)
}

/// Reads the value of `file`. Returns a pointer with unknown contents if the file cannot be used, and `None` if the
/// value is not a string. `stated` is the value of `type`.
fn stored(
    value: &Spanned<DeValue<'_>>,
    element: Element,
    stated: Option<&Spanned<DeValue<'_>>>,
    reader: &mut Reader<'_>,
) -> Option<ParamValue> {
    let name = reader.string("file", value)?;
    let is_npy = name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("npy"));
    if let Some(stated) = stated.filter(|_| is_npy) {
        let message = "`type` has no effect: a .npy file states the type of its elements";
        reader.problem(&stated.span(), Severity::Warning, message);
    }
    let read = reader.data_file(&name).and_then(|file| {
        let Some(file) = file else { return Ok(ParamValue::Pointer) };
        let elements = if is_npy {
            npy::elements(file.bytes()).map_err(|error| error.to_string())?
        } else {
            raw_elements(&file, element)?
        };
        Ok(ParamValue::Holding(Contents::Stored { file, elements }))
    });
    Some(read.unwrap_or_else(|why| {
        let message = format!("`file`: {}: {why}; the contents count as unknown", reader::name(&name));
        reader.problem(&value.span(), Severity::Warning, &message);
        ParamValue::Pointer
    }))
}

/// Returns the range of the elements in a file without a header. `Err` if the file ends within an element.
fn raw_elements(file: &DataFile, element: Element) -> Result<Range<usize>, String> {
    let found = file.bytes().len();
    if found.is_multiple_of(element.bytes as usize) {
        return Ok(0..found);
    }
    Err(format!("expected elements of {} bytes each, not {found} bytes in all", element.bytes))
}

fn numbers(
    spread: &str,
    value: &Spanned<DeValue<'_>>,
    count: Option<u64>,
    reader: &mut Reader<'_>,
) -> Option<Numbers> {
    let counted = |reader: &mut Reader<'_>| {
        if count.is_none() {
            reader.error(&value.span(), &format!("`{spread}` needs `count`, the number of elements"));
        }
        count
    };
    match spread {
        "range" => {
            let [low, high] = two(spread, value, "two numbers, such as [0, 4096] for 0 to 4095", reader)?;
            (low < high).then_some(Numbers::Range { low, high }).or_else(|| {
                reader.expected(spread, value, "the smaller number first");
                None
            })
        }
        "permutation" => Some(Numbers::Permutation { count: elements(spread, value, reader)? }),
        "sorted" => {
            let [low, high] = two(spread, value, "the first and the last number, such as [0, 4096]", reader)?;
            Some(Numbers::Sorted { low, high, count: counted(reader)? })
        }
        "normal" => {
            let expected = "the mean and the standard deviation, such as [0.0, 1.0]";
            let [mean, deviation] = two(spread, value, expected, reader)?;
            Some(Numbers::Normal { mean, deviation })
        }
        "zipf" => {
            let exponent = reader.number(spread, value, 0.0..=10.0, "an exponent, 0 to 10, such as 1.1")?;
            Some(Numbers::Zipf { exponent, count: counted(reader)? })
        }
        _ => reader.number(spread, value, f64::MIN..=f64::MAX, "a number").map(Numbers::Constant),
    }
}

fn elements(key: &str, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Option<u64> {
    reader.integer(key, value, 1..MAX_ELEMENTS, "a number of elements")
}

fn two(key: &str, value: &Spanned<DeValue<'_>>, expected: &str, reader: &mut Reader<'_>) -> Option<[f64; 2]> {
    let items = value.get_ref().as_array().map_or(&[][..], AsRef::as_ref);
    let number = |item: &Spanned<DeValue<'_>>| {
        let whole = reader::integer(item.get_ref()).map(|number| number as f64);
        whole.or_else(|| reader::float(item.get_ref())).filter(|number| number.is_finite())
    };
    let given: Option<Vec<f64>> = items.iter().map(number).collect();
    if let Some([first, second]) = given.as_deref() {
        return Some([*first, *second]);
    }
    reader.expected(key, value, expected);
    None
}
