//! Tensor maps that a launch states for a kernel's parameters.

use super::reader::{self, Reader, members};
use model::{MAX_DIMENSIONS, StatedTensor};
use toml::Spanned;
use toml::de::DeValue;

/// The keys of `tensor_map`.
pub(super) const KEYS: [&str; 5] = ["type", "shape", "strides", "box", "swizzle"];

/// Element types, with their sizes in bytes.
const TYPES: [(&str, u32); 15] = [
    ("u8", 1),
    ("s8", 1),
    ("e4m3", 1),
    ("e5m2", 1),
    ("u16", 2),
    ("s16", 2),
    ("f16", 2),
    ("bf16", 2),
    ("u32", 4),
    ("s32", 4),
    ("f32", 4),
    ("tf32", 4),
    ("u64", 8),
    ("s64", 8),
    ("f64", 8),
];

/// Formats a tensor map as a value in the `params` of a launches file.
pub(super) fn written(tensor: &StatedTensor) -> String {
    let dimensions = usize::from(tensor.dimensions).clamp(1, MAX_DIMENSIONS);
    let (shape, tile) = (&tensor.shape[..dimensions], &tensor.tile[..dimensions]);
    let strides = match &tensor.strides[..dimensions - 1] {
        [] => String::new(),
        strides => format!("strides = {strides:?}, "),
    };
    let (of, swizzle) = (tensor.element, tensor.swizzle);
    format!(
        "{{ tensor_map = {{ type = \"{of}\", shape = {shape:?}, {strides}box = {tile:?}, swizzle = {swizzle} }} }}"
    )
}

/// Reads the value of `tensor_map`. Reports each error and returns `None` if there is an error.
pub(super) fn tensor(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Option<StatedTensor> {
    let table = reader.table("tensor_map", value)?;
    let before = reader.errors();
    let mut tensor = StatedTensor::default();
    let (mut tile, mut strides) = (None, None);
    for (key, value) in members(table, &KEYS, "tensor_map", reader) {
        match key {
            "type" => {
                let name = reader.string(key, value).unwrap_or_default();
                match TYPES.iter().find(|(known, _)| *known == name) {
                    Some(&(name, bytes)) => (tensor.element, tensor.element_bytes) = (name, bytes),
                    None => reader.expected_word(key, value, &TYPES.map(|(name, _)| name)),
                }
            }
            "shape" => {
                let (sizes, count) = numbers(key, value, StatedTensor::MAX_ELEMENTS, reader);
                (tensor.shape, tensor.dimensions) = (sizes, count);
            }
            "box" => tile = Some(numbers(key, value, StatedTensor::MAX_TILE, reader)),
            "swizzle" => {
                const EXPECTED: &str = "0, 32, 64 or 128";
                let bytes = reader.integer(key, value, 0..129, EXPECTED);
                if bytes.is_some_and(|bytes| ![0, 32, 64, 128].contains(&bytes)) {
                    reader.expected(key, value, EXPECTED);
                }
                tensor.swizzle = bytes.unwrap_or_default() as u32;
            }
            _ => strides = Some(numbers(key, value, StatedTensor::MAX_STRIDE, reader)),
        }
    }
    if reader.errors() > before {
        return None;
    }
    let dimensions = usize::from(tensor.dimensions);
    let (tile, in_tile) = tile.unwrap_or_default();
    if tensor.element_bytes == 0 || dimensions == 0 || usize::from(in_tile) != dimensions {
        reader.error(
            &value.span(),
            "a tensor map needs `type`, `shape` and `box`; `shape` and `box` must have the same number of sizes",
        );
        return None;
    }
    tensor.tile = tile.map(|elements| elements as u32);
    match strides {
        Some((strides, count)) if usize::from(count) + 1 == dimensions => tensor.strides = strides,
        Some(_) => {
            let message =
                format!("`strides`: expected {} numbers, one fewer than in `shape`", dimensions - 1);
            reader.error(&value.span(), &message);
            return None;
        }
        None => {
            let mut bytes = u64::from(tensor.element_bytes);
            for (stride, size) in tensor.strides.iter_mut().zip(tensor.shape) {
                bytes = bytes.saturating_mul(size).next_multiple_of(StatedTensor::STRIDE_UNIT);
                *stride = bytes;
            }
        }
    }
    Some(tensor)
}

/// Reads one to five positive numbers up to a limit, and returns them with their count; reports anything else.
fn numbers(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    most: u64,
    reader: &mut Reader<'_>,
) -> ([u64; MAX_DIMENSIONS], u8) {
    let mut all = [0; MAX_DIMENSIONS];
    let items = reader.array(key, value, "a list of sizes, the innermost dimension first");
    let is_valid = |item: &Spanned<DeValue<'_>>| {
        reader::integer(item.get_ref()).is_some_and(|number| (1..=i128::from(most)).contains(&number))
    };
    if items.len() > MAX_DIMENSIONS || !items.iter().all(is_valid) {
        let expected =
            format!("at most {MAX_DIMENSIONS} numbers from 1 to {most}, the innermost dimension first");
        reader.expected(key, value, &expected);
        return (all, 0);
    }
    for (into, item) in all.iter_mut().zip(items) {
        *into = reader::integer(item.get_ref()).unwrap_or_default() as u64;
    }
    (all, items.len() as u8)
}
