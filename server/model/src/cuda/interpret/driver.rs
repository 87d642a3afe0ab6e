//! Tensor maps and launch attributes that host code builds for the CUDA driver.

use super::launch_statement::{number, three};
use crate::cuda::source::builtins::{TensorElement, enumerator};
use crate::cuda::source::driver_types::TENSOR_MAP;
use crate::cuda::source::launch::LaunchCluster;
use crate::cuda::source::types::{IntType, Type, built_in};
use crate::cuda::values::value::Value;
use crate::{MAX_DIMENSIONS, StatedTensor};
use std::sync::Arc;

/// Number of arguments of `cuTensorMapEncodeTiled`.
pub(super) const ENCODE_ARGUMENTS: usize = 12; // Source: CUDA driver API, cuTensorMapEncodeTiled

/// Builds a tensor map from the arguments of `cuTensorMapEncodeTiled`. Unknown unless the elements of a tile are
/// adjacent: not interleaved, and with an element stride of 1 in each dimension.
pub(super) fn encoded(arguments: &[Value; ENCODE_ARGUMENTS]) -> Value {
    let Some(Type::Record(record)) = built_in(TENSOR_MAP) else { return Value::Unknown(Type::Unknown) };
    let [_, element, rank, _, shape, strides, tile, steps, interleave, swizzle, ..] = arguments;
    let dimensions = number(rank).and_then(|rank| usize::try_from(rank).ok()).unwrap_or(MAX_DIMENSIONS);
    let is_dense = match steps {
        Value::Elements(_, all) => {
            all.get(..dimensions).is_some_and(|own| own.iter().all(|step| number(step) == Some(1)))
        }
        _ => false,
    };
    if !is_dense || number(interleave) != Some(0) {
        return Value::unknown(&Type::Record(record));
    }
    let fields = vec![
        integer(element, 8),
        integer(rank, 4),
        integer(swizzle, 4),
        numbers(shape, 8, MAX_DIMENSIONS),
        numbers(strides, 8, MAX_DIMENSIONS - 1),
        numbers(tile, 4, MAX_DIMENSIONS),
    ];
    Value::Record(record, fields)
}

/// Returns a value as an unsigned integer of this size.
fn integer(value: &Value, bytes: u8) -> Value {
    let of = IntType { bytes, is_signed: false };
    match value {
        Value::Int(lanes) => Value::Int(lanes.to(of)),
        _ => Value::unknown(&Type::Int(of)),
    }
}

/// Returns the first `count` integers of an array whose elements have `bytes` bytes, widened to 8 bytes. Missing
/// elements are 0.
fn numbers(value: &Value, bytes: u8, count: usize) -> Value {
    let of = Type::Int(IntType { bytes: 8, is_signed: false });
    let at = |at: usize, all: &[Value]| match all.get(at) {
        Some(Value::Int(lanes)) if lanes.of.bytes == bytes => integer(&all[at], 8),
        Some(_) => Value::unknown(&of),
        None => integer(&Value::int(0), 8),
    };
    match value {
        Value::Elements(_, all) => Value::Elements(of.clone(), (0..count).map(|own| at(own, all)).collect()),
        _ => Value::unknown(&Type::Array(Arc::new(of), count as u64)),
    }
}

/// True for the type of a tensor map.
pub(super) fn is_tensor_map(of: &Type) -> bool {
    matches!(of, Type::Record(record) if record.name == TENSOR_MAP)
}

/// True if a value is a tensor map that was declared but not yet encoded.
pub(super) fn is_blank(value: &Value) -> bool {
    let rank = match value {
        Value::Record(_, fields) if is_tensor_map(&value.value_type()) => fields.get(1),
        _ => None,
    };
    rank.and_then(number) == Some(0)
}

/// Returns the tensor map that a value holds. `None` if a part of it is unknown, if the driver refuses it, or if its
/// elements are packed or swizzled in a form that a launches file cannot state.
pub(super) fn stated(value: &Value) -> Option<StatedTensor> {
    let Value::Record(record, fields) = value else { return None };
    let [element, rank, swizzle, shape, strides, tile] = fields.as_slice() else { return None };
    if record.name != TENSOR_MAP {
        return None;
    }
    let element = TensorElement::of_value(number(element)?)?;
    let dimensions =
        usize::try_from(number(rank)?).ok().filter(|rank| (1..=MAX_DIMENSIONS).contains(rank))?;
    let strides = sizes(strides, dimensions - 1, StatedTensor::MAX_STRIDE)?;
    Some(StatedTensor {
        dimensions: dimensions as u8,
        element: element.name,
        element_bytes: element.bytes,
        shape: sizes(shape, dimensions, StatedTensor::MAX_ELEMENTS)?,
        strides: Some(strides)
            .filter(|all| all.iter().all(|bytes| bytes.is_multiple_of(StatedTensor::STRIDE_UNIT)))?,
        tile: sizes(tile, dimensions, StatedTensor::MAX_TILE)?.map(|size| size as u32),
        // Source: cuda.h, CUtensorMapSwizzle
        swizzle: match number(swizzle)? {
            0 => 0,
            width @ 1..=3 => 16 << width,
            _ => return None,
        },
    })
}

/// Returns the first `count` numbers of an array; `None` unless each is known, positive and at most `most`.
fn sizes(value: &Value, count: usize, most: u64) -> Option<[u64; MAX_DIMENSIONS]> {
    let Value::Elements(_, all) = value else { return None };
    let mut sizes = [0; MAX_DIMENSIONS];
    for (size, own) in sizes.iter_mut().zip(all.get(..count)?) {
        *size = u64::try_from(number(own)?).ok().filter(|size| (1..=most).contains(size))?;
    }
    Some(sizes)
}

/// Returns the cluster size in the first `count` launch attributes.
pub(super) fn cluster(attributes: &Value, count: usize) -> LaunchCluster {
    let all = match attributes {
        Value::Elements(_, all) => all.get(..count),
        own => Some(std::slice::from_ref(own)).filter(|_| count == 1),
    };
    let Some(all) = all else { return LaunchCluster::Unknown };
    let mut found = LaunchCluster::Unstated;
    for attribute in all {
        let Value::Record(_, fields) = attribute else { return LaunchCluster::Unknown };
        let [id, Value::Record(_, values)] = fields.as_slice() else { return LaunchCluster::Unknown };
        match number(id) {
            None => return LaunchCluster::Unknown,
            id if id == enumerator("cudaLaunchAttributeClusterDimension") => {
                let blocks = values.first().and_then(three);
                found = blocks.map_or(LaunchCluster::Unknown, LaunchCluster::Blocks);
            }
            Some(_) => {}
        }
    }
    found
}
