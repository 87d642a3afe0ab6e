//! Tensor maps: descriptors of tensors in global memory from which the TMA unit reads tiles.

use crate::Launch;

/// A tensor map among a kernel's parameters. Dimensions are in the order of `cuTensorMapEncodeTiled`, the innermost
/// one first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorMap {
    /// Offset of the parameter from the first parameter, in bytes.
    pub offset: u32,
    /// Placeholder address of the tensor.
    pub address: u64,
    pub element_bytes: u32,
    /// Number of elements in each dimension.
    pub shape: Vec<u64>,
    /// Number of bytes from one element to the next, for each dimension except the innermost.
    pub strides: Vec<u64>,
    /// Number of elements of a tile in each dimension.
    pub tile: Vec<u32>,
}

/// Maximum number of dimensions of a tensor.
pub const MAX_DIMENSIONS: usize = 5; // Source: CUDA driver API, cuTensorMapEncodeTiled

/// A tensor map that a launch states. Dimensions are in the order of `cuTensorMapEncodeTiled`, the innermost one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StatedTensor {
    /// Number of dimensions; sizes beyond them are 0.
    pub dimensions: u8,
    /// Name of the element type, such as `bf16`.
    pub element: &'static str,
    pub element_bytes: u32,
    pub shape: [u64; MAX_DIMENSIONS],
    /// Bytes from one element to the next in each dimension but the innermost.
    pub strides: [u64; MAX_DIMENSIONS],
    pub tile: [u32; MAX_DIMENSIONS],
    /// Width of the swizzle pattern in bytes; 0 if tiles are not swizzled.
    pub swizzle: u32,
}

impl StatedTensor {
    /// Largest number of elements of a tensor in a dimension.
    pub const MAX_ELEMENTS: u64 = 1 << 32; // Source: CUDA driver API, cuTensorMapEncodeTiled
    /// Largest number of elements of a tile in a dimension.
    pub const MAX_TILE: u64 = 256; // Source: CUDA driver API, cuTensorMapEncodeTiled
    pub const MAX_STRIDE: u64 = 1 << 40; // Source: CUDA driver API, cuTensorMapEncodeTiled
    /// Strides are a multiple of this number of bytes.
    pub const STRIDE_UNIT: u64 = 16; // Source: CUDA driver API, cuTensorMapEncodeTiled

    /// Returns the tensor map for a parameter that is `offset` bytes after the first parameter.
    pub fn map(self, offset: u32) -> TensorMap {
        let dimensions = usize::from(self.dimensions).min(MAX_DIMENSIONS);
        TensorMap {
            offset,
            address: 0,
            element_bytes: self.element_bytes,
            shape: self.shape[..dimensions].to_vec(),
            strides: self.strides[..dimensions.saturating_sub(1)].to_vec(),
            tile: self.tile[..dimensions].to_vec(),
        }
    }
}

impl TensorMap {
    /// Placeholder for the generic address of a kernel's parameters.
    pub const PARAMETERS: u64 = 3 << 62; // limit: above all placeholders of arrays

    /// Returns the placeholder for the address of the descriptor.
    pub fn descriptor(&self) -> u64 {
        Self::PARAMETERS + u64::from(self.offset)
    }

    /// Returns the number of bytes that a tile occupies in shared memory.
    pub fn box_bytes(&self) -> u32 {
        self.tile.iter().fold(self.element_bytes, |bytes, &elements| bytes.saturating_mul(elements))
    }

    /// Calls `run` with the address and the byte count of each row of the tile at these coordinates that lies inside
    /// the tensor. Returns the number of rows of the tile, including the rows outside the tensor.
    pub fn rows(&self, coordinates: &[i32], mut run: impl FnMut(u64, u64)) -> u32 {
        let dimensions = self.shape.len().min(self.tile.len());
        let outer = self.tile.iter().take(dimensions).skip(1);
        let rows = outer.fold(1_u32, |rows, &elements| rows.saturating_mul(elements.max(1)));
        let first = |dimension: usize| i64::from(coordinates.get(dimension).copied().unwrap_or(0));
        let inside = |dimension: usize, at: i64| {
            u64::try_from(at).ok().filter(|&at| self.shape.get(dimension).is_some_and(|&size| at < size))
        };
        let from = first(0).max(0) as u64;
        let to = (first(0) + i64::from(self.tile.first().copied().unwrap_or(0))).max(0) as u64;
        let to = to.min(self.shape.first().copied().unwrap_or(0));
        if from >= to {
            return rows;
        }
        for number in 0..rows.min(MAX_ROWS) {
            let mut left = number;
            let mut address = Some(self.address + from * u64::from(self.element_bytes));
            for dimension in 1..dimensions {
                let size = self.tile[dimension].max(1);
                let at = inside(dimension, first(dimension) + i64::from(left % size));
                let stride = self.strides.get(dimension - 1).copied().unwrap_or(0);
                address = address.zip(at).map(|(address, at)| address.wrapping_add(at.wrapping_mul(stride)));
                left /= size;
            }
            if let Some(address) = address {
                run(address, (to - from) * u64::from(self.element_bytes));
            }
        }
        rows
    }
}

/// Maximum number of rows of a tile.
const MAX_ROWS: u32 = 65_536; // limit: time; a tile has 256 elements in each dimension at most, and fits in an SM

impl Launch {
    /// States that a parameter is the tensor map of a separate array. `bank_offset` is the parameter's offset in
    /// constant bank 0; `map.offset` must be its offset from the first parameter. Calls of this function and of
    /// [`Launch::point`] must be in ascending order of offsets.
    pub fn map_tensor(&mut self, bank_offset: u32, label: String, mut map: TensorMap) {
        self.arrays.push(crate::Array { offset: bank_offset, label, contents: None });
        map.address = self.arrays.len() as u64 * Self::ARRAY_SPACING;
        self.tensor_maps.push(map);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> TensorMap {
        TensorMap {
            offset: 0x70,
            address: Launch::ARRAY_SPACING,
            element_bytes: 2,
            shape: vec![100, 50],
            strides: vec![256],
            tile: vec![64, 4],
        }
    }

    fn rows(coordinates: &[i32]) -> Vec<(u64, u64)> {
        let mut rows = Vec::new();
        assert_eq!(
            matrix().rows(coordinates, |from, bytes| rows.push((from - Launch::ARRAY_SPACING, bytes))),
            4
        );
        rows
    }

    #[test]
    fn the_rows_of_a_tile_are_runs_of_bytes() {
        assert_eq!(rows(&[0, 1]), [(256, 128), (512, 128), (768, 128), (1024, 128)]);
        assert_eq!(matrix().box_bytes(), 512);
    }

    #[test]
    fn what_lies_outside_of_the_tensor_is_not_read() {
        assert_eq!(rows(&[64, 48]), [(48 * 256 + 128, 72), (49 * 256 + 128, 72)]);
        assert_eq!(rows(&[-8, -3]), [(0, 112)]);
        assert_eq!(rows(&[128, 0]), []);
    }
}
