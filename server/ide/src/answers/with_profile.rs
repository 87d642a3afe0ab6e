//! Answers of a language, joined with what attached profiles measured.

use crate::compiled::lenses::head;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Answer;
use crate::engine::context::Context;
use crate::engine::sass_view::SassView;
use crate::kernels::hints::Asked;
use crate::measured::findings::Advised;
use crate::measured::kernel::MeasuredKernel;
use crate::measured::lines::{self, Lines};
use crate::measured::{findings, heat, hints, hover, lenses};
use crate::sass::hover::headline_end;
use crate::{Diagnostic, HeatMap, Hint, Hover, Lens, LensPlace};
use std::cell::OnceCell;
use std::ops::Range;

/// A document with the profiles: a listing, or a source by its lines.
pub(crate) struct WithProfile<'a> {
    sass: Option<&'a SassView>,
    code: Option<&'a CodeView<'a>>,
    /// The text of a source, and the name of its file.
    source: (&'a str, &'a str),
    context: &'a Context,
    lines: OnceCell<Option<Lines<'a>>>,
}

impl<'a> WithProfile<'a> {
    pub(crate) fn new(
        sass: Option<&'a SassView>,
        code: Option<&'a CodeView<'a>>,
        source: (&'a str, &'a str),
        context: &'a Context,
    ) -> Self {
        Self { sass, code, source, context, lines: OnceCell::new() }
    }

    /// The lines of a source, by its code where that is known; `None` for a listing, and where no profile has one of them.
    fn lines(&self) -> Answer<Option<&Lines<'a>>> {
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

    pub(crate) fn add_hints(&self, asked: &Asked, hints: &mut Vec<Hint>) -> Answer<()> {
        if let Some(sass) = self.sass {
            hints.extend(hints::of_listing(sass, asked)?);
        }
        if self.context.config.hints.measured
            && let Some(lines) = self.lines()?
        {
            hints.extend(hints::of_lines(lines, asked));
        }
        hints.sort_by_key(|hint| hint.offset);
        Ok(())
    }

    pub(crate) fn add_hover(&self, offset: usize, hover: &mut Option<Hover>) -> Answer<()> {
        let found = match self.sass {
            Some(sass) => hover::of_listing(sass, offset)?.map(|words| (offset..offset, words)),
            None => match self.lines()? {
                Some(lines) => {
                    hover::of_lines(lines, &self.context.profiles, self.code, self.source, offset)?
                }
                None => None,
            },
        };
        let Some((range, words)) = found else { return Ok(()) };
        match hover {
            Some(hover) => {
                let headline_end = self.sass.and_then(|sass| headline_end(sass, offset, &hover.markdown));
                if let Some(at) = headline_end {
                    // What was measured is what a reader with a profile looks for; the rest is more than a screen.
                    insert(hover, at, &format!("\n{}\n", words.trim_end()));
                } else {
                    hover.markdown.push_str("\n\n---\n\n");
                    hover.markdown.push_str(&words);
                }
            }
            None => *hover = Some(Hover { range, markdown: words, links: Vec::new() }),
        }
        Ok(())
    }

    pub(crate) fn add_lens_places(&self, places: &mut Vec<LensPlace>) {
        let mut measured = if let Some(sass) = self.sass {
            lenses::places(sass, |kernel| Some(sass.name_range(kernel)))
        } else if let Some(code) = self.code {
            lenses::places(&code.sass, |kernel| head(code, kernel))
        } else {
            return;
        };
        // At the same place, what was measured is shown ahead of what is predicted.
        measured.append(places);
        *places = measured;
        places.sort_by_key(|place| place.range.start);
    }

    /// The lens over a kernel of the listing, or of the source's code.
    pub(crate) fn lens(&self, kernel: usize) -> Answer<Option<Lens>> {
        match (self.sass, self.code) {
            (Some(sass), _) => lenses::lens(sass, kernel, sass.name_range(kernel)),
            (None, Some(code)) => match head(code, kernel) {
                Some(range) => lenses::lens(&code.sass, kernel, range),
                None => Ok(None),
            },
            (None, None) => Ok(None),
        }
    }

    /// The advice from what was measured, at its places.
    pub(crate) fn advised(&self) -> Answer<Vec<Advised>> {
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

    pub(crate) fn add_findings(&self, findings: &mut Vec<Diagnostic>) -> Answer<()> {
        findings.extend(self.advised()?.into_iter().map(|advised| advised.finding));
        match (self.sass, self.code) {
            (Some(sass), _) => findings.extend(findings::of_model_in_listing(sass)?),
            (None, Some(code)) if !code.is_stale() => findings.extend(findings::of_model_in_code(code)?),
            _ => {}
        }
        findings.sort_by_key(|finding| finding.range.start);
        Ok(())
    }

    /// How many kernels of the listing, or of the source's code, were measured, and how many there are. `None` where there is no code.
    pub(crate) fn measured_kernels(&self) -> Option<(usize, usize)> {
        let sass = self.sass.or_else(|| self.code.map(|code| &code.sass))?;
        let measured = |index: &usize| MeasuredKernel::find(sass, *index).is_some();
        let kernels: Vec<usize> = sass.kernels().map(|(index, _)| index).collect();
        Some((kernels.iter().filter(|index| measured(index)).count(), kernels.len()))
    }

    /// Returns the bytes of the instruction or the source line at an address of a kernel, as a profile names it.
    pub(crate) fn place(&self, kernel: &str, address: u64) -> Answer<Option<Range<usize>>> {
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

    pub(crate) fn heat(&self) -> Answer<Option<HeatMap>> {
        match self.sass {
            Some(sass) => heat::of_listing(sass),
            None => Ok(self.lines()?.map(heat::of_lines)),
        }
    }
}

/// Inserts text into a hover, with its links moved along.
fn insert(hover: &mut Hover, at: usize, text: &str) {
    hover.markdown.insert_str(at, text);
    hover.links.iter_mut().filter(|link| **link >= at).for_each(|link| *link += text.len());
}
