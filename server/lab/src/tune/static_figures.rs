//! Columns of the static model's figures beside those of a data file.

use super::samples::Samples;
use machine::Gpu;
use tuner::features::{A_TRANSPOSED, B_TRANSPOSED, ELEMENT_BYTES};
use tuner::gemm::{Estimate, Gemm, Tiling};
use tuner::{Element, ProblemKind};

impl Samples {
    /// Adds the columns of [`Estimate::COLUMNS`]; false where the static model has no figures for each row: for a GPU that was not
    /// calibrated, or for convolutions.
    pub fn add_static_figures(&mut self, gpu: &Gpu) -> bool {
        if self.problem() != ProblemKind::Gemm {
            return false;
        }
        let names: Vec<String> = self.columns().to_vec();
        let figures = |row: usize| {
            let values = self.row(row);
            let value = |name: &str| {
                let at = names.iter().position(|column| column == name)?;
                values.get(at).map(|value| *value as u32)
            };
            let bytes = value(ELEMENT_BYTES)?;
            let gemm = Gemm {
                m: value("m")?,
                n: value("n")?,
                k: value("k")?,
                element: Element::ALL.into_iter().find(|element| element.bytes() == bytes)?,
                a_transposed: value(A_TRANSPOSED)? == 1,
                b_transposed: value(B_TRANSPOSED)? == 1,
            };
            let tiling = tuner::gemm::SPACE.parameters.iter().map(|(name, _)| value(name));
            let tiling: [u32; 11] = tiling.collect::<Option<Vec<_>>>()?.try_into().ok()?;
            Some(Tiling::from_values(tiling).estimate(&gemm, gpu)?.columns(gpu))
        };
        let Some(all) = (0..self.len()).map(figures).collect::<Option<Vec<_>>>() else { return false };
        for (at, name) in Estimate::COLUMNS.into_iter().enumerate() {
            let column: Vec<f64> = all.iter().map(|figures| figures[at]).collect();
            self.add_column(name, &column);
        }
        true
    }
}
