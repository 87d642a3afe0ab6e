//! Diagnostics of the parser and of the rules, filtered by the settings and by comments in the text.

use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::rules::{SYNTAX_ERROR, allows, level};
use crate::engine::sass_view::SassView;
use crate::kernels::access::with_memory;
use crate::{Diagnostic, Related, Severity};
use advisor::{Kernel, Site};
use std::ops::Range;
use syntax::sass::{Chunk, Line, LineKind, TokenKind};

pub(crate) fn of_syntax(sass: &SassView) -> Cancellable<Vec<Diagnostic>> {
    let Some(level) = level(&sass.context, SYNTAX_ERROR, None) else { return Ok(Vec::new()) };
    let listing = sass.listing();
    if is_something_else(sass) {
        return Ok(unrecognised(sass, level).into_iter().collect());
    }
    let mut found = Vec::new();
    for (index, chunk) in listing.chunks().iter().enumerate() {
        sass.cancel.check()?;
        for error in chunk.errors() {
            let line = error.line as usize;
            if is_allowed(sass, index, line, SYNTAX_ERROR) {
                continue;
            }
            let start = sass.line_range(index, line).start;
            let range = start + error.range.start as usize..start + error.range.end as usize;
            found.push(Diagnostic {
                function: chunk.name().map(str::to_owned),
                address: address_on(chunk, line),
                ..Diagnostic::new(SYNTAX_ERROR, level, range, error.message.to_owned())
            });
        }
    }
    Ok(found)
}

/// True for prose or another language: no dialect is recognised, and the text has no instructions or at
/// least half of its lines fail to parse.
fn is_something_else(sass: &SassView) -> bool {
    let listing = sass.listing();
    if listing.dialect().is_some() {
        return false;
    }
    let chunks = || listing.chunks().iter();
    let broken: usize = chunks().map(|chunk| chunk.errors().len()).sum();
    let filled = |line: &&Line| !matches!(line.kind, LineKind::Blank | LineKind::Comment);
    let lines = || chunks().map(|chunk| chunk.lines().iter().filter(filled).count()).sum::<usize>();
    let is_code = || sass.kernels().next().is_some() && 2 * broken < lines();
    broken > 0 && !is_code()
}

/// Returns one diagnostic for a text that is not SASS, instead of an error per line. `None` if the text
/// is empty.
fn unrecognised(sass: &SassView, level: Severity) -> Option<Diagnostic> {
    sass.listing().chunks().first()?;
    let message = "not SASS: expected a listing of cuobjdump -sass or nvdisasm, or a source for maxas, KeplerAs, \
                   TuringAs or CuAssembler";
    let level = level.max(Severity::Info);
    Some(Diagnostic::new(SYNTAX_ERROR, level, sass.line_range(0, 0), message.to_owned()))
}

pub(crate) fn of_model(sass: &SassView) -> Cancellable<Vec<Diagnostic>> {
    let mut found = Vec::new();
    if is_something_else(sass) {
        return Ok(found);
    }
    for (index, _) in sass.kernels() {
        sass.cancel.check()?;
        let kernel = sass.kernel(index);
        let mut findings = by_rules(&kernel, |kernel, is_off| advisor::check(kernel, is_off));
        findings.extend_from_slice(kernel.model.code_findings(kernel.chunk));
        findings.sort_by_key(|finding| finding.place.instruction);
        found.extend(findings.into_iter().filter_map(|finding| shown(sass, index, finding)));
    }
    Ok(found)
}

/// Returns the findings in the SASS that a PTX document was lowered to, in text order. Only rules whose
/// findings also apply to the PTX are checked.
pub(crate) fn of_expected(sass: &SassView) -> Vec<advisor::Finding> {
    sass.kernels().flat_map(|(index, _)| expected_of(sass, index)).collect()
}

/// Returns the same findings as [`of_expected`], for one kernel.
pub(crate) fn expected_of(sass: &SassView, index: usize) -> Vec<advisor::Finding> {
    by_rules(&sass.kernel(index), |kernel, is_off| advisor::check_expected(kernel, is_off))
}

/// Returns the findings of enabled rules, except rules that check only control codes.
fn by_rules(
    kernel: &KernelView<'_>,
    check: impl Fn(Kernel<'_>, &dyn Fn(&str) -> bool) -> Vec<advisor::Finding>,
) -> Vec<advisor::Finding> {
    let is_off = |code: &str| level(&kernel.sass.context, code, None).is_none();
    with_memory(kernel, needs_launches(is_off), |memory| {
        // Rules look up opcodes in the architecture of the listing.
        let (program, isa, isa_sm) = (kernel.program(), kernel.model.isa(), kernel.target.isa_sm);
        check(Kernel { chunk: kernel.chunk, program, isa, isa_sm, memory }, &is_off)
    })
}

/// Returns the diagnostics in all kernels of the rules that depend only on the text and its architecture,
/// such as the rules about control codes. No launch is simulated.
pub(crate) fn of_codes(sass: &SassView) -> Cancellable<Vec<Diagnostic>> {
    let mut found = Vec::new();
    if is_something_else(sass) {
        return Ok(found);
    }
    for (index, chunk) in sass.kernels() {
        sass.cancel.check()?;
        let model = sass.model(chunk, &sass.target(chunk));
        let findings = model.code_findings(chunk).iter().cloned();
        found.extend(findings.filter_map(|finding| shown(sass, index, finding)));
    }
    Ok(found)
}

/// Converts a finding to a diagnostic. `None` if the rule is disabled, or if a comment allows the
/// finding. Also `None` for an uninitialised register that a line with a syntax error mentions, because
/// that line may contain the missing write.
fn shown(sass: &SassView, chunk_index: usize, finding: advisor::Finding) -> Option<Diagnostic> {
    let chunk = &sass.listing().chunks()[chunk_index];
    let instruction = &chunk.instructions()[finding.place.instruction as usize];
    let line = instruction.line as usize;
    let severity = level(&sass.context, finding.code, finding.severity)?;
    if is_allowed(sass, chunk_index, line, finding.code) {
        return None;
    }
    let start = sass.line_range(chunk_index, line).start;
    let range = in_line(start, chunk, &finding.place);
    let words = range.start - start..range.end - start;
    if finding.code == UNINITIALISED && is_named_unfinished(chunk, chunk.line_text(line).get(words)?) {
        return None;
    }
    Some(Diagnostic {
        related: finding.related.into_iter().map(|related| place(sass, chunk_index, related)).collect(),
        function: chunk.name().map(str::to_owned),
        address: instruction.address,
        ..Diagnostic::new(finding.code, severity, range, finding.message)
    })
}

const UNINITIALISED: &str = "uninitialised-register";

/// True if an instruction line with a syntax error mentions one of the registers in the text `registers`.
fn is_named_unfinished(chunk: &Chunk, registers: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let unfinished = chunk.errors().iter().map(|error| error.line as usize).filter(|&line| {
        chunk.lines()[line].kind == LineKind::Instruction && chunk.instruction_on(line as u32).is_none()
    });
    let named: Vec<String> = unfinished.flat_map(|line| words(chunk.line_text(line))).collect();
    !named.is_empty() && words(registers).iter().any(|word| named.contains(word))
}

/// True if at least one enabled rule requires simulated launches.
fn needs_launches(is_off: impl Fn(&str) -> bool) -> bool {
    advisor::rules().any(|rule| rule.needs_launches() && !is_off(rule.code))
}

/// Converts the location that a finding refers to, from an instruction to a range of the text.
fn place(sass: &SassView, chunk_index: usize, related: advisor::Related) -> Related {
    let chunk = &sass.listing().chunks()[chunk_index];
    let instruction = &chunk.instructions()[related.place.instruction as usize];
    let start = sass.line_range(chunk_index, instruction.line as usize).start;
    Related { range: in_line(start, chunk, &related.place), message: related.message }
}

/// Returns the range of a finding's site in the text. `start` is the offset of the site's line.
pub(crate) fn in_line(start: usize, chunk: &Chunk, site: &Site) -> Range<usize> {
    if let Some(range) = &site.range {
        return start + range.start as usize..start + range.end as usize;
    }
    let tokens = chunk.tokens(chunk.instructions()[site.instruction as usize].tokens);
    let end = tokens.last().map_or(0, syntax::sass::Token::end);
    let first = tokens.first().map_or(0, |token| token.start as usize);
    start + first..start + end.max(first)
}

fn address_on(chunk: &Chunk, line: usize) -> Option<u32> {
    chunk.line_tokens(line).iter().find(|token| token.kind == TokenKind::Address).map(|token| token.value)
}

/// True if a comment `warplens: allow(code)` covers the finding. The comment is on the same line or on
/// comment lines directly above. A comment above the first instruction applies to the entire file.
fn is_allowed(sass: &SassView, chunk_index: usize, line: usize, code: &str) -> bool {
    let chunks = sass.listing().chunks();
    let chunk = &chunks[chunk_index];
    let allows = |chunk: &Chunk, line: usize| {
        let text = chunk.line_text(line);
        let comments = chunk.line_tokens(line).iter().filter(|token| token.kind == TokenKind::Comment);
        comments.map(|token| token.text(text)).any(|comment| allows(comment, code))
    };
    let is_comment = |line: &usize| chunk.lines()[*line].kind == LineKind::Comment;
    let on_or_above = std::iter::once(line).chain((0..line).rev().take_while(is_comment));
    if on_or_above.into_iter().any(|line| allows(chunk, line)) {
        return true;
    }
    let first = &chunks[0];
    let head = first.instructions().first().map_or(first.lines().len(), |inst| inst.line as usize);
    (0..head).take_while(|_| chunk_index > 0 || line >= head).any(|line| allows(first, line))
}
