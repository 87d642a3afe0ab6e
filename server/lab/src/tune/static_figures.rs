//! Adds columns with the static model's figures to the samples of a data file.

use super::samples::Samples;
use machine::Gpu;
use tuner::{Conv, Estimate, Gemm, Problem, ProblemKind};

impl Samples {
    /// Adds the columns of [`Estimate::COLUMNS`]. False if the static model lacks figures for a row, for
    /// example on a GPU that is not calibrated.
    pub fn add_static_figures(&mut self, gpu: &Gpu) -> bool {
        let figures = match self.problem() {
            ProblemKind::Gemm => self.static_figures::<Gemm>(gpu),
            ProblemKind::Conv => self.static_figures::<Conv>(gpu),
        };
        let Some(figures) = figures else { return false };
        for (at, name) in Estimate::COLUMNS.into_iter().enumerate() {
            let column: Vec<f64> = figures.iter().map(|figures| figures[at]).collect();
            self.add_column(name, &column);
        }
        true
    }

    /// The problem and the tiling of a row; `None` if the columns are for another kind of problem.
    pub fn problem_of<P: Problem>(&self, row: usize) -> Option<(P, P::Tiling)> {
        let (columns, values) = (self.columns(), self.row(row));
        let value = |name: &str| Some(values[columns.iter().position(|column| column == name)?]);
        let point = P::SPACE.parameters.iter().map(|(name, _)| value(name).map(|value| value as u32));
        let point: Vec<u32> = point.collect::<Option<_>>()?;
        Some((P::from_values(&value)?, P::tiling(&point)))
    }

    fn static_figures<P: Problem>(&self, gpu: &Gpu) -> Option<Vec<[f64; 3]>> {
        let figures = |row| {
            let (problem, tiling) = self.problem_of::<P>(row)?;
            Some(problem.estimate(&tiling, gpu)?.columns(gpu))
        };
        (0..self.len()).map(figures).collect()
    }
}
