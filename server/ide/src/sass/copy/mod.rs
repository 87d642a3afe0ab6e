//! Copies instructions in the notation of another assembler, to be pasted into its sources.

mod body;
mod error;

use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::{Assembler, CopiedInstructions, Refusal};
use body::TargetNames;
use error::CopyError;
use std::fmt::Write;
use std::ops::Range;
use syntax::sass::{Chunk, Control, Encoding, LineKind, Notation, SmVersion};

impl Assembler {
    const ALL: [Self; 4] = [Self::Maxas, Self::TuringAs, Self::KeplerAs, Self::CuAssembler];

    const fn notation(self) -> Notation {
        match self {
            Self::Maxas => Notation::Maxas,
            Self::TuringAs => Notation::TuringAs,
            Self::KeplerAs => Notation::KeplerAs,
            Self::CuAssembler => Notation::CuAssembler,
        }
    }

    /// True if the assembler can write control codes of this architecture.
    fn fits(self, sm: u16) -> bool {
        match SmVersion::new(sm).encoding() {
            Encoding::Kepler => self == Self::KeplerAs,
            Encoding::Maxwell => matches!(self, Self::Maxas | Self::CuAssembler),
            Encoding::Volta => matches!(self, Self::TuringAs | Self::CuAssembler),
        }
    }

    /// Returns the assemblers that support an architecture.
    fn fitting(sm: u16) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |assembler| assembler.fits(sm))
    }
}

/// Returns the assemblers into whose notation the instructions at an offset can be copied. Empty
/// outside a kernel.
pub(crate) fn assemblers(sass: &SassView, offset: usize) -> Vec<Assembler> {
    let chunk = sass.listing().chunk_at(offset).map(|index| &sass.listing().chunks()[index]);
    let kernel = chunk.filter(|chunk| !chunk.instructions().is_empty());
    kernel.map_or_else(Vec::new, |chunk| Assembler::fitting(sass.target(chunk).isa_sm).collect())
}

/// Returns the instructions and labels on the lines that a range touches, in the notation of an
/// assembler. An empty range selects the entire kernel. `Err` if the assembler cannot express the
/// instructions.
pub(crate) fn copy_as(
    sass: &SassView,
    range: &Range<usize>,
    assembler: Assembler,
) -> Result<CopiedInstructions, Refusal> {
    let chunks = sass.listing().chunks();
    let mut kernels = sass.chunks_in(range).filter(|&index| !selected(sass, index, range).is_empty());
    let Some(index) = kernels.next() else { return Err(Refusal::no_instruction()) };
    if kernels.next().is_some() {
        return Err(Refusal(
            "the selection contains instructions of several kernels; copy one kernel at a time".to_owned(),
        ));
    }
    let chunk: &Chunk = &chunks[index];
    let target = sass.target(chunk);
    let name = assembler.notation().name();
    if !assembler.fits(target.isa_sm) {
        let fitting: Vec<&str> =
            Assembler::fitting(target.isa_sm).map(|fitting| fitting.notation().name()).collect();
        return Err(Refusal(format!(
            "{name} does not support sm_{}; use {}",
            target.isa_sm,
            fitting.join(" or ")
        )));
    }
    let insts = selected(sass, index, range);
    let instructions = insts.len();
    let text = Copier { kernel: &sass.kernel(index), assembler }.lines(insts)?;
    Ok(CopiedInstructions { text, assembler: name, instructions })
}

/// Instructions of a chunk that a range selects. An empty range selects all instructions.
fn selected(sass: &SassView, index: usize, range: &Range<usize>) -> Range<usize> {
    let chunk = &sass.listing().chunks()[index];
    if range.is_empty() {
        return 0..chunk.instructions().len();
    }
    // A selection that ends at the start of a line does not include the line.
    sass.instructions_in(index, &(range.start..range.end.saturating_sub(1)))
}

struct Copier<'a> {
    kernel: &'a KernelView<'a>,
    assembler: Assembler,
}

impl Copier<'_> {
    fn lines(&self, insts: Range<usize>) -> Result<String, Refusal> {
        let places = TargetNames::collect(self.kernel, self.assembler);
        let mut text = String::new();
        let mut line = self.kernel.text(insts.start).line as usize;
        for inst in insts {
            let own = self.kernel.text(inst).line as usize;
            for label in line..own {
                if self.kernel.chunk.lines()[label].kind == LineKind::Label {
                    self.label(&mut text, places.written(label));
                }
            }
            if let Some(label) = places.made(inst) {
                self.label(&mut text, Some(label));
            }
            line = own + 1;
            self.instruction(&mut text, inst, &places)?;
        }
        Ok(text)
    }

    fn label(&self, text: &mut String, name: Option<String>) {
        let Some(name) = name else { return };
        let indent = if self.assembler == Assembler::CuAssembler { "  " } else { "" };
        let _ = writeln!(text, "{indent}{name}:");
    }

    fn instruction(&self, text: &mut String, inst: usize, places: &TargetNames<'_>) -> Result<(), Refusal> {
        let (chunk, instruction) = (self.kernel.chunk, self.kernel.text(inst));
        let control = self.control(inst)?;
        let line = chunk.line_text(instruction.line as usize);
        let guard: String = chunk.guard(instruction).iter().map(|token| token.text(line)).collect();
        let body = places.body(inst).map_err(|why| self.refusal(inst, &why))?;
        let _ = match (self.assembler, instruction.address) {
            (Assembler::CuAssembler, Some(address)) => {
                writeln!(text, "      [{control}]         /*{address:04x}*/{guard:>18} {body} ;")
            }
            (Assembler::CuAssembler, None) => writeln!(text, "      [{control}] {guard:>8} {body} ;"),
            _ => writeln!(text, "{control} {guard:>4} {body};"),
        };
        Ok(())
    }

    fn control(&self, inst: usize) -> Result<String, Refusal> {
        let control: Option<Control> = self.kernel.text(inst).control;
        let Some(control) = control else {
            let is_printed = self.kernel.chunk.instructions().iter().any(|inst| inst.control.is_some());
            return Err(if is_printed {
                self.refusal(inst, &CopyError::NoControlCode)
            } else {
                Refusal(
                    "this listing has no control codes; `cuobjdump -sass` and `nvdisasm -hex -c` print the encodings \
                     that contain them"
                        .to_owned(),
                )
            });
        };
        if control.stall.is_none() && self.assembler != Assembler::TuringAs {
            return Err(self.refusal(inst, &CopyError::NoStallCount));
        }
        self.assembler.notation().print(&control).ok_or_else(|| self.refusal(inst, &CopyError::ControlCode))
    }

    fn refusal(&self, inst: usize, why: &CopyError) -> Refusal {
        let line = self.kernel.first_line() + self.kernel.text(inst).line + 1;
        Refusal(format!("line {line} {why}"))
    }
}
