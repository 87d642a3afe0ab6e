//! The computations that the paper tunes, as counts of multiply-adds: Equations 1 to 3.

/// Number of multiply-adds of a fully connected layer, Equation 1: `O[n][i] = sum over k < K of I[n][k] x W[k][i]`.
///
/// One multiply-add per sample of the `batch` (N), per element of O (`outputs`) and per element of I (`inputs`, K). The
/// paper's sum runs from 0 to `K`, but K elements are meant, not K + 1.
pub fn fully_connected(batch: u64, outputs: u64, inputs: u64) -> u64 {
    batch.saturating_mul(outputs).saturating_mul(inputs)
}

/// Shape of a convolution layer, in the paper's notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convolution {
    /// Images per batch, N.
    pub batch: u64,
    /// Channels of the input, C.
    pub input_channels: u64,
    /// Rows and columns of the input, H and W.
    pub input: [u64; 2],
    /// Channels of the output, K.
    pub output_channels: u64,
    /// Rows and columns of the filter, R and S.
    pub filter: [u64; 2],
    /// Number of zeros added on each side of the input.
    pub pad: u64,
    pub stride: u64,
}

impl Convolution {
    /// P and Q, the output's height and width; 0 if the filter is larger than the padded input.
    pub fn output(&self) -> [u64; 2] {
        [0, 1].map(|side| {
            let padded = self.input[side] + 2 * self.pad;
            padded.checked_sub(self.filter[side]).map_or(0, |room| room / self.stride.max(1) + 1)
        })
    }

    /// Number of multiply-adds of the layer, Equation 2: for each of N x K x P x Q outputs, a sum over C x R x S.
    pub fn direct(&self) -> u64 {
        let [rows, columns] = self.output();
        [self.batch, self.output_channels, rows, columns, self.input_channels, self.filter[0], self.filter[1]]
            .into_iter()
            .fold(1, u64::saturating_mul)
    }

    /// Returns the matrix product that Equation 3 derives from Equation 2. P and Q become one dimension of
    /// the output. C, R and S become one dimension of the filter and, through an index array, of the input.
    /// The paper writes the sum's limit as `C x R x S`.
    pub fn as_matrix_product(&self) -> MatrixProduct {
        let [rows, columns] = self.output();
        MatrixProduct {
            rows: self.batch.saturating_mul(rows).saturating_mul(columns),
            columns: self.output_channels,
            depth: self.input_channels.saturating_mul(self.filter[0]).saturating_mul(self.filter[1]),
        }
    }
}

/// A product of a `rows` x `depth` matrix and a `depth` x `columns` matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixProduct {
    pub rows: u64,
    pub columns: u64,
    pub depth: u64,
}

impl MatrixProduct {
    /// Number of multiply-adds of the product: one for each row, column and step of the depth.
    pub fn multiply_adds(&self) -> u64 {
        fully_connected(self.rows, self.columns, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_has_one_multiply_add_for_each_weight_and_sample() {
        assert_eq!(fully_connected(2, 3, 5), 30);
        assert_eq!(MatrixProduct { rows: 3840, columns: 3840, depth: 3840 }.multiply_adds(), 3840_u64.pow(3));
    }

    /// Conv1 and Conv3 of the paper's Table 5.
    #[test]
    fn a_convolution_as_a_matrix_product_has_as_many_multiply_adds() {
        let conv1 = Convolution {
            batch: 128,
            input_channels: 3,
            input: [224, 224],
            output_channels: 64,
            filter: [11, 11],
            pad: 3,
            stride: 4,
        };
        assert_eq!(conv1.output(), [55, 55]);
        assert_eq!(conv1.direct(), 128 * 64 * 55 * 55 * 3 * 11 * 11);
        assert_eq!(conv1.as_matrix_product().multiply_adds(), conv1.direct());
        let conv3 = Convolution {
            input_channels: 192,
            input: [13, 13],
            output_channels: 384,
            filter: [3, 3],
            pad: 1,
            stride: 1,
            ..conv1
        };
        assert_eq!(conv3.output(), [13, 13]);
        assert_eq!(conv3.as_matrix_product(), MatrixProduct { rows: 128 * 169, columns: 384, depth: 1728 });
    }

    #[test]
    fn a_filter_larger_than_its_input_gives_nothing() {
        let shape = Convolution {
            batch: 1,
            input_channels: 1,
            input: [2, 2],
            output_channels: 1,
            filter: [5, 5],
            pad: 0,
            stride: 1,
        };
        assert_eq!((shape.output(), shape.direct()), ([0, 0], 0));
    }
}
