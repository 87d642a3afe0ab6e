//! Resolves the requested regions in the text of a function.

use super::error::CyclesError;
use super::{RangeText, Regions};
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use crate::kernels::launch::labelled_instruction;
use model::Program;
use model::pipeline::clock_reads;
use std::sync::Arc;
use syntax::sass::Chunk;

/// A function and the GPU for which it is timed.
pub(super) struct TimedFunction<'a> {
    pub sass: &'a SassView,
    pub chunk: &'a Chunk,
    pub target: Target,
    pub program: Program,
}

/// A region, from the issue of instruction `first` to the issue of instruction `last`.
#[derive(Debug)]
pub(super) struct Span {
    pub name: String,
    pub first: u32,
    pub last: u32,
}

/// The regions found, and the reasons for missing regions.
#[derive(Debug, Default)]
pub(super) struct FoundRegions {
    pub spans: Vec<Span>,
    pub problems: Vec<CyclesError>,
}

impl<'a> TimedFunction<'a> {
    pub(super) fn new(sass: &'a SassView, chunk: &'a Chunk) -> Self {
        let target = sass.target(chunk);
        let isa_arch = sass.context.machine.gpu_for_sm(target.isa_sm).arch;
        let mut program = Program::decode(chunk, &isa_arch);
        if isa_arch.sm == target.gpu.arch.sm {
            // A user's overlay may contain different figures for the same architecture.
            program.arch = Arc::clone(&target.gpu.arch);
        }
        Self { sass, chunk, target, program }
    }

    pub(super) fn name(&self) -> &'a str {
        names::kernel_name(self.chunk)
    }

    pub(super) fn address(&self, inst: u32) -> u32 {
        self.program.instructions[inst as usize].address
    }

    /// Finds the regions in a function. A missing region is a problem if the user named the function
    /// (`is_named`); otherwise it is skipped.
    pub(super) fn find(&self, regions: &Regions, is_named: bool) -> FoundRegions {
        if self.program.instructions.is_empty() {
            if !is_named {
                return FoundRegions::default();
            }
            let problem = CyclesError::NoCode { function: self.name().to_owned() };
            return FoundRegions { problems: vec![problem], ..FoundRegions::default() };
        }
        match regions {
            Regions::ClockReads => self.between_clock_reads(),
            Regions::Range(range) if !is_named && !self.has(range) => FoundRegions::default(),
            Regions::Range(range) => match self.range(range) {
                Ok(span) => FoundRegions { spans: vec![span], ..FoundRegions::default() },
                Err(problem) => FoundRegions { problems: vec![problem], ..FoundRegions::default() },
            },
        }
    }

    fn between_clock_reads(&self) -> FoundRegions {
        let reads = clock_reads(self.chunk);
        let pairs = reads.chunks_exact(2);
        let problems = pairs.remainder().iter().map(|&alone| CyclesError::SingleRead {
            function: self.name().to_owned(),
            address: self.address(alone),
        });
        let problems = problems.collect();
        let spans = pairs.zip(1..).map(|(pair, number)| Span {
            name: number.to_string(),
            first: pair[0],
            last: pair[1],
        });
        FoundRegions { spans: spans.collect(), problems }
    }

    fn range(&self, range: &RangeText) -> Result<Span, CyclesError> {
        let place = |text: &str| {
            self.place(text).ok_or_else(|| CyclesError::NoInstruction {
                function: self.name().to_owned(),
                place: text.to_owned(),
                is_ptx: self.sass.source(self.chunk).is_some(),
            })
        };
        let (first, last) = (place(&range.from)?, place(&range.to)?);
        if first == last {
            return Err(CyclesError::OneInstruction { range: range.text.clone() });
        }
        Ok(Span { name: range.text.clone(), first, last })
    }

    fn has(&self, range: &RangeText) -> bool {
        self.place(&range.from).is_some() && self.place(&range.to).is_some()
    }

    /// Returns the instruction after a label or at an address. For PTX, returns the first instruction
    /// compiled from the line with that number, or from a line at or after the label. `None` if there
    /// is no such instruction.
    fn place(&self, text: &str) -> Option<u32> {
        if let Some(source) = self.sass.source(self.chunk) {
            let label = source.labelled(text).map(|label| source.line(label));
            let line = label.or_else(|| text.parse().ok())?;
            let stands_for = |inst: &u32| {
                let own = source.line_of(*inst);
                (if label.is_some() { own >= line } else { own == line })
                    && source.is_in_place(&self.program, *inst)
            };
            return (0..self.program.instructions.len() as u32).find(stands_for);
        }
        labelled_instruction(self.chunk, text).or_else(|| {
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
            let address = u32::from_str_radix(digits, 16).ok()?;
            let found = self.program.instructions.iter().position(|inst| inst.address == address)?;
            u32::try_from(found).ok()
        })
    }
}
