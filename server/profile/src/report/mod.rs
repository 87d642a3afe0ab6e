//! Reports of Nsight Compute, `.ncu-rep`. The profiler's installation describes the format in
//! `extras/FileFormat`.
//!
//! A report consists of four letters, a header and blocks. The header of a block states the number of sources
//! and results that follow. It also holds names, to which metrics of this block and later blocks refer by
//! index. Each message is preceded by its length in four bytes.

mod counts;
mod frames;
mod places;
mod programs;
mod schema;
#[cfg(test)]
mod tests;
mod values;

use self::counts::take_counts;
use self::frames::{Frames, MessageError};
use self::programs::Programs;
use self::schema::{
    BlockHeader, GraphResult, KernelResult, ListResult, Names, Process, RangeResult, Size, text, unpacked,
};
use crate::error::Error;
use crate::instructions::Instructions;
use crate::launch::{Kernel, Launch, Profile};
use crate::limits::{MAX_COUNTS, MAX_PARTS, ReadLimits, too_many};
use std::sync::Arc;

const MAGIC: &[u8] = b"NVR\0";

/// True if the file is a report.
pub(super) fn is_report(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads the launches of a report, up to the first error. Calls `progress` after each megabyte or message, whichever is
/// larger.
pub(super) fn read(bytes: &[u8], progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Profile, Error> {
    let mut frames = Frames::new(bytes, MAGIC.len(), progress);
    let mut reader = Reader::default();
    let cut = match reader.blocks(&mut frames) {
        Ok(()) => None,
        Err(MessageError::Stopped) => return Err(Error::Stopped),
        Err(why) => Some(format!("{why} at byte {}", frames.at())),
    };
    Ok(Profile { launches: reader.launches, cut })
}

/// The launches read so far, and the data that later launches refer to.
#[derive(Default)]
struct Reader {
    names: Vec<Arc<str>>,
    programs: Programs,
    launches: Vec<Launch>,
    room: ReadLimits,
    /// Number of instructions and counts of all launches so far. See [`Instructions::room`].
    counts: usize,
}

impl Reader {
    fn blocks(&mut self, frames: &mut Frames<'_>) -> Result<(), MessageError> {
        // The header states a version, which is 7 in all reports from 2018 to 2025.
        frames.skip()?;
        while !frames.is_at_end() {
            let mut header: BlockHeader = frames.message()?;
            let own: Names = unpacked(&header.names.take().unwrap_or_default())?;
            if self.names.len() + own.names.len() > MAX_PARTS {
                return Err(MessageError::TooLarge);
            }
            self.names.extend(own.names.into_iter().map(|name| text(name).into()));
            let process = header.process.take().unwrap_or_default();
            for _ in 0..header.sources {
                self.programs.add(&process, frames.message()?)?;
            }
            for _ in 0..header.results {
                let result = frames.message()?;
                self.kernel(&process, result)?;
            }
            for _ in 0..header.ranges {
                let result: RangeResult = frames.message()?;
                self.several("range", &process, &result.metrics, &result.programs)?;
            }
            for _ in 0..header.lists {
                let result: ListResult = frames.message()?;
                let name = Some(text(result.name)).filter(|name| !name.is_empty());
                self.several(
                    name.as_deref().unwrap_or("cmdlist"),
                    &process,
                    &result.metrics,
                    &result.programs,
                )?;
            }
            for _ in 0..header.graphs {
                let result: GraphResult = frames.message()?;
                self.several("graph", &process, &result.metrics, &result.programs)?;
            }
        }
        Ok(())
    }

    /// Adds the launch of a kernel.
    fn kernel(&mut self, process: &Process, result: KernelResult) -> Result<(), MessageError> {
        let mangled = text(result.mangled);
        let names = [text(result.demangled), text(result.function), mangled.clone()];
        let Some(demangled) = names.into_iter().find(|name| !name.is_empty()) else {
            return Err(MessageError::Nameless);
        };
        let kernel = Kernel { mangled: Some(mangled), demangled };
        let program = result.source.as_ref().map(|source| source.number);
        if let Some(source) = result.source {
            self.programs.add(process, source)?;
        }
        let (grid, block) = (result.grid.map(size), result.block.map(size));
        let launch = self.launch(kernel, process, &result.metrics, program.as_slice())?;
        self.launches.push(Launch { grid, block, ..launch });
        Ok(())
    }

    /// Adds the result of several kernels that were measured together.
    fn several(
        &mut self,
        name: &str,
        process: &Process,
        metrics: &[Vec<u8>],
        programs: &[u64],
    ) -> Result<(), MessageError> {
        if metrics.is_empty() {
            return Err(MessageError::Empty);
        }
        let kernel = Kernel { mangled: None, demangled: name.to_owned() };
        let launch = self.launch(kernel, process, metrics, programs)?;
        self.launches.push(launch);
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: Kernel,
        process: &Process,
        metrics: &[Vec<u8>],
        programs: &[u64],
    ) -> Result<Launch, MessageError> {
        let mut metrics = values::metrics(metrics, &self.names)?;
        if !self.room.take(metrics.len()) {
            return Err(MessageError::TooMany(self.room.over.clone().unwrap_or_default()));
        }
        let program = self.programs.together(process, programs);
        let mangled = kernel.mangled.as_deref();
        let (mut instructions, functions) = take_counts(&mut metrics, &program.places, mangled);
        // The counts show the extent of the code only up to the last reachable instruction.
        let is_placed = |name: &&str| program.places.values().any(|own| **own == **name);
        if let Some(size) = mangled.filter(is_placed).and_then(|name| program.sizes.get(name)) {
            instructions.fill_up_to(*size);
        }
        let of_functions = functions.iter().map(|function| &function.instructions);
        let counts = of_functions.chain([&instructions]).map(Instructions::room).sum::<usize>();
        self.counts = self.counts.saturating_add(counts);
        if self.counts > MAX_COUNTS {
            return Err(MessageError::TooMany(too_many(MAX_COUNTS, "counts of instructions")));
        }
        let number = |name: &str| metrics.get(name)?.value.as_ref()?.number();
        let major = number("device__attribute_compute_capability_major");
        let minor = number("device__attribute_compute_capability_minor");
        Ok(Launch {
            kernel,
            device: metrics.get("launch__device_id").and_then(|metric| metric.value.as_ref()?.count()),
            capability: major.zip(minor).map(|(major, minor)| (major as u32, minor as u32)),
            metrics,
            instructions,
            functions,
            code: program.code.clone(),
            sources: Arc::clone(&program.sources),
            ..Launch::default()
        })
    }
}

fn size(size: Size) -> [u64; 3] {
    [size.x, size.y, size.z]
}
