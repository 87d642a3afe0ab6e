//! A document together with its figures from the attached profiles.

use super::findings::LocatedAdvice;
use super::kernel::MeasuredKernel;
use super::lines::{self, Lines};
use super::{findings, heat, hints, hover, lenses};
use crate::compiled::lenses::head;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::context::Context;
use crate::engine::sass_view::SassView;
use crate::kernels::hints::HintRequest;
use crate::{Diagnostic, HeatMap, Hint, Lens, LensLocation};
use std::cell::OnceCell;
use std::ops::Range;

/// A document and the attached profiles. The document is a listing, or a source file with figures per
/// line.
pub(crate) struct ProfileView<'a> {
    pub(crate) sass: Option<&'a SassView>,
    code: Option<&'a CodeView<'a>>,
    /// Text of the source file, and the file's name.
    source: (&'a str, &'a str),
    context: &'a Context,
    lines: OnceCell<Option<Lines<'a>>>,
}

impl<'a> ProfileView<'a> {
    pub(crate) fn new(
        sass: Option<&'a SassView>,
        code: Option<&'a CodeView<'a>>,
        source: (&'a str, &'a str),
        context: &'a Context,
    ) -> Self {
        Self { sass, code, source, context, lines: OnceCell::new() }
    }

    /// Returns the measured lines of a source file, from its compiled code if the code is known. `None`
    /// for a listing, or if no profile covers the lines.
    fn lines(&self) -> Cancellable<Option<&Lines<'a>>> {
        if self.sass.is_some() {
            return Ok(None);
        }
        if self.lines.get().is_none() {
            let found = match self.code {
                Some(code) => lines::by_code(code)?,
                None => None,
            };
            let (text, file) = self.source;
            let found = found.or_else(|| lines::by_profile(&self.context.profiles, file, text));
            let _ = self.lines.set(found);
        }
        Ok(self.lines.get().and_then(Option::as_ref))
    }

    pub(crate) fn hints(&self, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
        let mut hints = match self.sass {
            Some(sass) => hints::of_listing(sass, asked)?,
            None => Vec::new(),
        };
        if self.context.config.hints.measured
            && let Some(lines) = self.lines()?
        {
            hints.extend(hints::of_lines(lines, asked));
        }
        Ok(hints)
    }

    /// Returns a description of the figures at an offset, and the range that the figures cover.
    pub(crate) fn hover(&self, offset: usize) -> Cancellable<Option<(Range<usize>, String)>> {
        if let Some(sass) = self.sass {
            return Ok(hover::of_listing(sass, offset)?.map(|words| (offset..offset, words)));
        }
        match self.lines()? {
            Some(lines) => hover::of_lines(lines, &self.context.profiles, self.code, self.source, offset),
            None => Ok(None),
        }
    }

    pub(crate) fn lens_places(&self) -> Vec<LensLocation> {
        match (self.sass, self.code) {
            (Some(sass), _) => lenses::places(sass, |kernel| Some(sass.name_range(kernel))),
            (None, Some(code)) => lenses::places(&code.sass, |kernel| head(code, kernel)),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the lens above a kernel of the listing or of the source file's code.
    pub(crate) fn lens(&self, kernel: usize) -> Cancellable<Option<Lens>> {
        match (self.sass, self.code) {
            (Some(sass), _) => lenses::lens(sass, kernel, sass.name_range(kernel)),
            (None, Some(code)) => match head(code, kernel) {
                Some(range) => lenses::lens(&code.sass, kernel, range),
                None => Ok(None),
            },
            (None, None) => Ok(None),
        }
    }

    /// Returns the advice derived from measurements, with its locations.
    pub(crate) fn advised(&self) -> Cancellable<Vec<LocatedAdvice>> {
        match (self.sass, self.code) {
            (Some(sass), _) => findings::of_listing(sass),
            (None, Some(code)) if code.is_stale() => Ok(Vec::new()),
            (None, Some(code)) => findings::of_code(code),
            (None, None) => {
                let (text, file) = self.source;
                Ok(findings::by_profile(self.context, file, text))
            }
        }
    }

    pub(crate) fn findings(&self) -> Cancellable<Vec<Diagnostic>> {
        let mut all: Vec<Diagnostic> = self.advised()?.into_iter().map(|advised| advised.finding).collect();
        match (self.sass, self.code) {
            (Some(sass), _) => all.extend(findings::of_model_in_listing(sass)?),
            (None, Some(code)) if !code.is_stale() => all.extend(findings::of_model_in_code(code)?),
            _ => {}
        }
        Ok(all)
    }

    /// Returns the number of measured kernels and the number of all kernels, in the listing or in the source file's
    /// compiled code. `None` if the source file has no compiled code.
    pub(crate) fn measured_kernels(&self) -> Option<(usize, usize)> {
        let sass = self.sass.or_else(|| self.code.map(|code| &code.sass))?;
        let measured = |index: &usize| MeasuredKernel::find(sass, *index).is_some();
        let kernels: Vec<usize> = sass.kernels().map(|(index, _)| index).collect();
        Some((kernels.iter().filter(|index| measured(index)).count(), kernels.len()))
    }

    /// Returns the range of the instruction or the source line at an address of a kernel. The profile
    /// supplies `kernel` and `address`.
    pub(crate) fn place(&self, kernel: &str, address: u64) -> Cancellable<Option<Range<usize>>> {
        let Some(sass) = self.sass.or_else(|| self.code.map(|code| &code.sass)) else { return Ok(None) };
        for (index, chunk) in sass.kernels() {
            sass.cancel.check()?;
            let measured = MeasuredKernel::find(sass, index);
            let Some(measured) = measured.filter(|own| own.chosen.launch.kernel.demangled == kernel) else {
                continue;
            };
            let Some(inst) = measured.inst_at(address) else { continue };
            let place = match self.code {
                Some(code) => code.line_of(index, inst).and_then(|line| Some(code.place(line)?.1)),
                None => Some(sass.line_range(index, chunk.instructions()[inst].line as usize)),
            };
            if place.is_some() {
                return Ok(place);
            }
        }
        Ok(None)
    }

    pub(crate) fn heat(&self) -> Cancellable<Option<HeatMap>> {
        match self.sass {
            Some(sass) => heat::of_listing(sass),
            None => Ok(self.lines()?.map(heat::of_lines)),
        }
    }
}
