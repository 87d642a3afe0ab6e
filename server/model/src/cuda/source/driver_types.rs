//! Structures of the CUDA driver and runtime whose values host code sets before a launch.

use super::types::{IntType, RecordType, Type, built_in};
use crate::MAX_DIMENSIONS;
use std::sync::Arc;

/// Name of the type of a tensor map.
pub(crate) const TENSOR_MAP: &str = "CUtensorMap";
/// Name of the type of a launch configuration.
pub(crate) const LAUNCH_CONFIG: &str = "cudaLaunchConfig_t";

/// Returns the structure with this name; `None` for other names. A structure has only the fields that the analysis
/// reads.
pub(crate) fn driver_type(name: &str) -> Option<Type> {
    let long = || Type::Int(IntType { bytes: 8, is_signed: false });
    let int = || Type::Int(IntType::UNSIGNED);
    let all = |of: Type, count: usize| Type::Array(Arc::new(of), count as u64);
    let fields = match name {
        // The layout of a tensor map is not public. These fields hold the arguments of `cuTensorMapEncodeTiled`, in as
        // many bytes.
        TENSOR_MAP | "CUtensorMap_st" => vec![
            ("type", long()),
            ("rank", int()),
            ("swizzle", int()),
            ("shape", all(long(), MAX_DIMENSIONS)),
            ("strides", all(long(), MAX_DIMENSIONS - 1)),
            ("box", all(long(), MAX_DIMENSIONS)),
        ],
        LAUNCH_CONFIG => vec![
            ("gridDim", built_in("dim3")?),
            ("blockDim", built_in("dim3")?),
            ("dynamicSmemBytes", long()),
            ("stream", Type::Pointer(Arc::new(Type::Void))),
            ("attrs", Type::Pointer(Arc::new(Type::Void))),
            ("numAttrs", int()),
        ],
        "cudaLaunchAttribute" => vec![("id", int()), ("val", driver_type("cudaLaunchAttributeValue")?)],
        "cudaLaunchAttributeValue" => vec![("clusterDim", built_in("uint3")?)],
        _ => return None,
    };
    let fields = fields.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
    let name = if name == "CUtensorMap_st" { TENSOR_MAP } else { name };
    let least_alignment = if name == TENSOR_MAP { 64 } else { 1 };
    RecordType::lay_out(name.to_owned(), fields, least_alignment, false).map(|of| Type::Record(Arc::new(of)))
}
