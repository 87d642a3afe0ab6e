//! The product of two matrices as a custom operation of candle, computed by ndarray.
//!
//! candle's own product queries the number of cores on each call, which reads system files. Threads then
//! spend more time waiting for each other than multiplying.

use candle_core::{CpuStorage, CustomOp2, Error, Layout, Result, Shape, Tensor};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ShapeBuilder};

/// `A B`, with its gradient.
pub(super) fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    a.apply_op2(b, Product)
}

#[derive(Debug, Clone, Copy)]
struct Product;

impl CustomOp2 for Product {
    fn name(&self) -> &'static str {
        "product"
    }

    fn cpu_fwd(
        &self,
        a: &CpuStorage,
        of_a: &Layout,
        b: &CpuStorage,
        of_b: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (a, b) = (view(a, of_a)?, view(b, of_b)?);
        let shape = (a.nrows(), b.ncols());
        let mut product = Array2::zeros(shape);
        general_mat_mul(1.0, &a, &b, 0.0, &mut product);
        Ok((CpuStorage::F32(product.into_raw_vec_and_offset().0), shape.into()))
    }

    /// Returns the gradients of both factors. With `G` for the gradient of the product `A B` and `'` for the transpose,
    /// they are `G B'` and `A' G`.
    fn bwd(
        &self,
        a: &Tensor,
        b: &Tensor,
        _: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let of_a = gradient.apply_op2_no_bwd(&b.t()?, &Self)?;
        let of_b = a.t()?.apply_op2_no_bwd(gradient, &Self)?;
        Ok((Some(of_a), Some(of_b)))
    }
}

/// A view of a tensor as a matrix, which may be transposed.
fn view<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<ArrayView2<'a, f32>> {
    let expected = || Error::Msg("a matrix of f32 was expected".to_owned());
    let CpuStorage::F32(values) = storage else { return Err(expected()) };
    let &[row, column] = layout.stride() else { return Err(expected()) };
    let shape = layout.shape().dims2()?.strides((row, column));
    ArrayView2::from_shape(shape, &values[layout.start_offset()..]).map_err(Error::wrap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{Device, Var};

    #[test]
    fn product_and_gradients_are_those_of_candle() {
        let numbers = |count: u16, by: f32| (0..count).map(|number| (f32::from(number) * by).sin()).collect();
        let a = Var::from_vec::<_, f32>(numbers(35, 0.7), (5, 7), &Device::Cpu).unwrap();
        let b = Var::from_vec::<_, f32>(numbers(21, 1.3), (7, 3), &Device::Cpu).unwrap();
        let gradients = |product: Tensor| {
            let store = product.sqr().unwrap().sum_all().unwrap().backward().unwrap();
            [&a, &b].map(|of| store.get(of).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap())
        };
        let own = gradients(product(&a, &b).unwrap());
        let theirs = gradients(a.matmul(&b).unwrap());
        for (own, theirs) in own.iter().flatten().zip(theirs.iter().flatten()) {
            assert!((own - theirs).abs() < 1e-5, "{own} {theirs}");
        }
    }
}
