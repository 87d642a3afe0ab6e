//! Launch times of selected kernels for one problem.

use super::Collector;
use super::bench::{LaunchOperation, Outcome};
use super::family::{ENTRY, Family};
use super::kernels::{Source, assemble};
use super::plan::{Sample, line};
use crate::measured::Error;
use std::collections::HashMap;
use tuner::Target;

/// Number of kernels that are assembled and then measured between two calls of `progress`.
const TOGETHER: usize = 100; // limit: seconds between two reports

impl Collector {
    /// Time of one launch with each tiling, in microseconds; `None` if ptxas rejects the kernel or its launch fails.
    /// `progress` receives the number of finished tilings. Stops if `cancelled` returns true, with `None` for the
    /// remaining tilings.
    pub fn time<F: Family>(
        &self,
        problem: &F,
        tilings: &[F::Tiling],
        progress: &mut dyn FnMut(usize),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<f64>>, Error> {
        let mut times = Vec::with_capacity(tilings.len());
        for together in tilings.chunks(TOGETHER) {
            if cancelled() {
                break;
            }
            times.extend(self.time_together(problem, together, cancelled)?);
            progress(times.len());
        }
        times.resize(tilings.len(), None);
        Ok(times)
    }

    fn time_together<F: Family>(
        &self,
        problem: &F,
        tilings: &[F::Tiling],
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<f64>>, Error> {
        let sm = self.bench.device.sm;
        let mut sources: Vec<Source> = Vec::new();
        let mut known: HashMap<F::Tiling, usize> = HashMap::new();
        let mut kernels = Vec::with_capacity(tilings.len());
        for tiling in tilings {
            let text = F::text_of(tiling);
            kernels.push(*known.entry(text).or_insert_with(|| {
                let ptx = problem.kernel(&text, Target { sm }, ENTRY);
                sources.push(Source { file: format!("timed-{}.cubin", sources.len()), ptx });
                sources.len() - 1
            }));
        }
        let place = &self.bench.place;
        let is_there = assemble(self.consent, &self.assembler, place, sm, &sources, cancelled);
        // Launches of one kernel are adjacent, so that its file is loaded once.
        let mut order: Vec<usize> = (0..tilings.len()).filter(|at| is_there[kernels[*at]]).collect();
        order.sort_by_key(|at| kernels[*at]);
        let lines: Vec<_> = order
            .iter()
            .map(|at| {
                let sample = Sample { shape: *problem, tiling: tilings[*at] };
                line(&sample, &sources[kernels[*at]].file)
            })
            .collect();
        let mut times = vec![None; tilings.len()];
        for (at, outcome) in order.iter().zip(self.bench.run(LaunchOperation::Time, &lines)?) {
            if let Some(Outcome::Time(microseconds, _)) = outcome {
                times[*at] = Some(microseconds);
            }
        }
        for source in &sources {
            self.bench.remove(&source.file);
        }
        Ok(times)
    }
}
