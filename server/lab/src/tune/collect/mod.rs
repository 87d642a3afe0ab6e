//! Collects samples on the GPU in this computer. Kernels are assembled on all cores while the GPU measures the
//! preceding batch.

#[cfg(feature = "training")]
mod acceptance;
mod bench;
mod family;
mod kernels;
mod plan;
mod timing;
mod verify;

#[cfg(feature = "training")]
pub(super) use acceptance::acceptance;
pub use family::Family;
pub(super) use plan::random_tilings;
pub use verify::VerificationResult;

use super::Header;
use crate::Device;
use crate::measured::Error;
use bench::{Bench, LaunchOperation, Outcome};
use machine::Machine;
use plan::{Batch, Sampler, line};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use toolchain::{Assembler, Consent};
use tuner::features::REGISTERS;
use tuner::{Conv, Element, Gemm, ProblemKind, Target};

/// Settings of a collection.
#[derive(Debug, Clone, Copy)]
pub struct Collection {
    pub problem: ProblemKind,
    /// Number of the first batch. A run that continues a file starts after all batches measured earlier.
    pub first_batch: u64,
    /// Number of rows to measure.
    pub rows: usize,
    /// Number of kernels per batch, and number of shapes per kernel.
    pub kernels: usize,
    pub shapes: usize,
}

/// A row of a data file.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub element: Element,
    pub layout: &'static str,
    /// The integers of the shape and of the tiling, then the register count per thread.
    pub values: Vec<u32>,
    pub microseconds: f64,
}

/// Progress so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollectionProgress {
    pub rows: usize,
    pub kernels: usize,
    /// Number of kernels that the assembler rejected, plus number of launches that failed.
    pub failed: usize,
    pub next_batch: u64,
}

/// The measuring program, built for this computer's GPU.
#[derive(Debug)]
pub struct Collector {
    bench: Bench,
    assembler: Assembler,
    consent: Consent,
}

impl Collector {
    /// Builds the measuring program. Returns `Err` if nvcc, ptxas or a GPU is missing.
    pub fn begin(consent: Consent) -> Result<Self, Error> {
        let assembler = Assembler::from_environment(None)?;
        Ok(Self { bench: Bench::begin(consent)?, assembler, consent })
    }

    pub fn device(&self) -> &Device {
        &self.bench.device
    }

    /// Version of the GPU's driver: `13.0`.
    pub fn driver(&self) -> &str {
        &self.bench.driver
    }

    /// The header for a data file of this GPU.
    pub fn header(&self, problem: ProblemKind, date: &str) -> Header {
        Header {
            gpu: self.bench.device.name.clone(),
            problem,
            driver: self.bench.driver.clone(),
            date: date.to_owned(),
            program: concat!("warplens ", env!("CARGO_PKG_VERSION")).to_owned(),
            clock: format!("{} MHz at most, not locked", self.bench.clock_mhz),
            columns: Header::required_columns(problem)
                .iter()
                .chain(&[REGISTERS])
                .map(|name| (*name).to_owned())
                .collect(),
        }
    }

    /// Measures until enough rows are collected or `cancelled` returns true. Passes each row to `row` as soon
    /// as it is measured.
    pub fn collect(
        &self,
        collection: Collection,
        row: &mut dyn FnMut(Row) -> std::io::Result<()>,
        progress: &mut dyn FnMut(CollectionProgress),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<CollectionProgress, Error> {
        match collection.problem {
            ProblemKind::Gemm => self.collect_of::<Gemm>(collection, row, progress, cancelled),
            ProblemKind::Conv => self.collect_of::<Conv>(collection, row, progress, cancelled),
        }
    }

    /// Compares kernels' results with sums in double precision, for `pairs` random pairs of tiling and shape.
    pub fn verify(&self, problem: ProblemKind, pairs: usize, seed: u64) -> Result<VerificationResult, Error> {
        match problem {
            ProblemKind::Gemm => verify::verify::<Gemm>(self, pairs, seed),
            ProblemKind::Conv => verify::verify::<Conv>(self, pairs, seed),
        }
    }

    fn collect_of<F: Family>(
        &self,
        collection: Collection,
        row: &mut dyn FnMut(Row) -> std::io::Result<()>,
        progress: &mut dyn FnMut(CollectionProgress),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<CollectionProgress, Error> {
        let sm = self.bench.device.sm;
        let resources = Machine::builtin().gpu_for_sm(sm).arch.resources.clone();
        let sampler =
            Sampler::<F>::new(resources, Target { sm }, &mut StdRng::seed_from_u64(collection.first_batch));
        let is_finished = AtomicBool::new(false);
        let is_over = || is_finished.load(Ordering::Relaxed) || cancelled();
        let prepare = |number: u64| {
            let batch = sampler.batch(number, collection.kernels, collection.shapes);
            let is_there = kernels::assemble(
                self.consent,
                &self.assembler,
                &self.bench.place,
                sm,
                &batch.sources,
                &is_over,
            );
            (batch, is_there)
        };
        let mut done =
            CollectionProgress { next_batch: collection.first_batch, ..CollectionProgress::default() };
        thread::scope(|scope| {
            let prepare = &prepare;
            let mut next = scope.spawn(move || prepare(collection.first_batch));
            let outcome = loop {
                if done.rows >= collection.rows || cancelled() {
                    break Ok(done);
                }
                let Ok((batch, is_there)) = next.join() else { break Ok(done) };
                if cancelled() {
                    // Kernels that were not assembled because of a cancellation do not count as failed.
                    break Ok(done);
                }
                done.next_batch += 1;
                let number = done.next_batch;
                next = scope.spawn(move || prepare(number));
                if let Err(error) = self.measure::<F>(&batch, &is_there, &mut done, row) {
                    break Err(error);
                }
                progress(done);
            };
            // Stops the assembly of the next batch, which is no longer needed. The scope waits for the
            // assembly threads.
            is_finished.store(true, Ordering::Relaxed);
            outcome
        })
    }

    fn measure<F: Family>(
        &self,
        batch: &Batch<F>,
        is_there: &[bool],
        done: &mut CollectionProgress,
        row: &mut dyn FnMut(Row) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        let samples: Vec<_> = batch.samples.iter().filter(|(kernel, _)| is_there[*kernel]).collect();
        let lines: Vec<_> =
            samples.iter().map(|(kernel, sample)| line::<F>(sample, &batch.sources[*kernel].file)).collect();
        let outcomes = self.bench.run(LaunchOperation::Time, &lines)?;
        done.kernels += batch.sources.len();
        done.failed += is_there.iter().filter(|is_there| !**is_there).count();
        for ((_, sample), outcome) in samples.iter().zip(outcomes) {
            let Some(Outcome::Time(microseconds, registers)) = outcome else {
                done.failed += 1;
                continue;
            };
            row(Row {
                element: sample.shape.element(),
                layout: sample.shape.layout(),
                values: sample.shape.row(&sample.tiling).into_iter().chain([registers]).collect(),
                microseconds,
            })?;
            done.rows += 1;
        }
        for source in &batch.sources {
            self.bench.remove(&source.file);
        }
        Ok(())
    }
}
