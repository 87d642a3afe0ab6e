//! A matrix product, the tile that a block computes, and the units that multiply.

use crate::Element;
use machine::{Gpu, OperationKind};

/// `C = A B` with an M x N matrix C and K products per element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub element: Element,
    pub floats: FloatProducts,
}

/// The precision of products of `float32` elements: the argument `input_precision` of `tl.dot`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FloatProducts {
    #[default]
    Tf32,
    Tf32x3,
    Ieee,
}

/// One configuration of a kernel: the parameters that its time depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    pub block_m: u32,
    pub block_n: u32,
    pub block_k: u32,
    /// Number of blocks that share the sums of one tile; 1 if the sums are not split.
    pub split_k: u32,
    /// Number of rows of tiles in a group. The blocks of a group run close together in time and share columns of B in
    /// the L2 cache. 1 if blocks run row by row.
    pub group_m: u32,
    pub warps: u32,
    pub stages: u32,
}

/// The multiplying units of an SM, as Triton uses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Tensor cores, through products that four warps start together (`wgmma`).
    GroupTensor,
    /// Tensor cores, through products of one warp (`mma.sync`).
    Tensor,
    /// Multiply-adds in the individual lanes, without tensor cores.
    Lanes,
}

impl Unit {
    pub const fn name(self) -> &'static str {
        match self {
            Self::GroupTensor => "tensor cores (wgmma)",
            Self::Tensor => "tensor cores (mma)",
            Self::Lanes => "FP32 units",
        }
    }
}

/// Reason why the GPU's rate of multiplication is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoRate(pub String);

/// Number of rows in the product of a warp group. Source: PTX ISA, `wgmma.mma_async`.
pub(super) const GROUP_ROWS: u32 = 64;
/// Number of warps in a group. Source: PTX ISA, `wgmma.mma_async`.
const GROUP_WARPS: u32 = 4;

/// The first architecture whose tensor cores Triton uses. Source: code that Triton 3.9.0 generates for sm_75 and sm_80.
const FIRST_TENSOR: u16 = 80;

/// Architectures whose tensor cores accumulate in tensor memory. Source: PTX ISA, `tcgen05.mma`.
const TENSOR_MEMORY: std::ops::Range<u16> = 100..120;

/// The units that multiply the tiles of a configuration, and their operations per SM and cycle.
pub(super) fn unit(product: &Product, tile: &Tile, gpu: &Gpu) -> Result<(Unit, f64), NoRate> {
    let (arch, part) = (&gpu.arch, &gpu.part);
    let no_rate = |why: &str| Err(NoRate(format!("{why} on {}", part.name)));
    let of_sm = |kind: OperationKind| {
        let cycles = f64::from(part.sm_count.value) * f64::from(part.boost_mhz.value) * 1e6;
        gpu.operations_per_second(kind).map(|rate| rate / cycles)
    };
    if product.element == Element::F64 {
        return no_rate("no figures for Triton's f64 products");
    }
    if product.element == Element::F32 && product.floats == FloatProducts::Ieee {
        return match of_sm(OperationKind::Fp32) {
            Some(rate) => Ok((Unit::Lanes, rate)),
            None => no_rate("the rate of FP32 is unknown"),
        };
    }
    if arch.sm < FIRST_TENSOR {
        return no_rate("Triton does not multiply with tensor cores");
    }
    if TENSOR_MEMORY.contains(&arch.sm) {
        return no_rate("no figures for products in tensor memory (tcgen05)");
    }
    let rates = &arch.rates;
    let (kind, group, summed) = match product.element {
        Element::F32 => (OperationKind::TensorTf32, &rates.group_tensor_tf32, &rates.float_sum_tensor_tf32),
        _ => (OperationKind::Tensor, &rates.group_tensor, &rates.float_sum_tensor),
    };
    let products = match product.floats {
        FloatProducts::Tf32x3 if product.element == Element::F32 => 3.0,
        _ => 1.0,
    };
    let is_of_groups = tile.block_m >= GROUP_ROWS && tile.warps.is_multiple_of(GROUP_WARPS);
    if let Some(group) = group.as_ref().filter(|_| is_of_groups) {
        return Ok((Unit::GroupTensor, f64::from(group.value) / products));
    }
    let known = summed.as_ref().map(|rate| f64::from(rate.value)).or_else(|| of_sm(kind));
    match known {
        Some(rate) => Ok((Unit::Tensor, rate / products)),
        None => no_rate("the rate of tensor cores is unknown"),
    }
}
