//! Diagnostics: what the parser and the rules found, as the settings and the text's own comments allow.

use crate::access::with_memory;
use crate::kernel::Answer;
use crate::{Analysis, Diagnostic, Related, RuleLevel, Severity};
use advisor::{Group, Kernel};
use std::sync::Arc;
use syntax::sass::{Chunk, Line, LineKind, TokenKind};

pub(crate) const SYNTAX_ERROR: &str = "syntax-error";
pub(crate) const UNKNOWN_OPCODE: &str = "unknown-opcode";

/// A rule, for lists and for `--select`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    pub code: &'static str,
    pub group: &'static str,
    /// Unless a setting says otherwise.
    pub severity: Severity,
    /// One sentence.
    pub summary: &'static str,
}

/// Every rule there is.
pub fn rules() -> &'static [RuleInfo] {
    static RULES: std::sync::LazyLock<Vec<RuleInfo>> = std::sync::LazyLock::new(|| {
        let info = |rule: &advisor::Rule| RuleInfo {
            code: rule.code,
            group: rule.group.name(),
            severity: severity(rule.severity),
            summary: rule.summary,
        };
        advisor::RULES.iter().map(info).collect()
    });
    &RULES
}

/// A rule's page in Markdown: what it finds, why that matters, an example. `None` for a code that is no rule's.
pub fn rule_page(code: &str) -> Option<&'static str> {
    advisor::rule(code).map(|rule| rule.page)
}

pub(crate) const fn severity(severity: advisor::Severity) -> Severity {
    match severity {
        advisor::Severity::Error => Severity::Error,
        advisor::Severity::Warning => Severity::Warning,
        advisor::Severity::Info => Severity::Info,
        advisor::Severity::Hint => Severity::Hint,
    }
}

pub(crate) fn of_syntax(analysis: &Analysis) -> Answer<Vec<Diagnostic>> {
    let Some(level) = level(analysis, SYNTAX_ERROR, None) else { return Ok(Vec::new()) };
    let listing = analysis.listing();
    if is_something_else(analysis) {
        return Ok(unrecognised(analysis, level).into_iter().collect());
    }
    let mut found = Vec::new();
    for (index, chunk) in listing.chunks().iter().enumerate() {
        analysis.cancel.check()?;
        for error in chunk.errors() {
            let line = error.line as usize;
            if is_allowed(analysis, index, line, SYNTAX_ERROR) {
                continue;
            }
            let start = analysis.line_range(index, line).start;
            found.push(Diagnostic {
                range: start + error.range.start as usize..start + error.range.end as usize,
                code: SYNTAX_ERROR,
                group: Group::Syntax.name(),
                severity: level,
                message: error.message.to_owned(),
                related: Vec::new(),
                function: chunk.name().map(str::to_owned),
                address: address_on(chunk, line),
            });
        }
    }
    Ok(found)
}

/// True where no dialect is recognised and there are no instructions, or at least half of the lines cannot be read: prose,
/// or another language.
fn is_something_else(analysis: &Analysis) -> bool {
    let listing = analysis.listing();
    if listing.dialect().is_some() {
        return false;
    }
    let chunks = || listing.chunks().iter();
    let broken: usize = chunks().map(|chunk| chunk.errors().len()).sum();
    let filled = |line: &&Line| !matches!(line.kind, LineKind::Blank | LineKind::Comment);
    let lines = || chunks().map(|chunk| chunk.lines().iter().filter(filled).count()).sum::<usize>();
    let is_code = || analysis.kernels().next().is_some() && 2 * broken < lines();
    broken > 0 && !is_code()
}

/// One line instead of an error for each line of a text that is something else.
fn unrecognised(analysis: &Analysis, level: Severity) -> Option<Diagnostic> {
    analysis.listing().chunks().first()?;
    Some(Diagnostic {
        range: analysis.line_range(0, 0),
        code: SYNTAX_ERROR,
        group: Group::Syntax.name(),
        severity: level.max(Severity::Info),
        message: "no SASS: expected a listing of cuobjdump -sass or nvdisasm, or a source for maxas, KeplerAs, TuringAs or \
                  CuAssembler"
            .to_owned(),
        related: Vec::new(),
        function: None,
        address: None,
    })
}

pub(crate) fn of_model(analysis: &Analysis) -> Answer<Vec<Diagnostic>> {
    let mut found = Vec::new();
    if is_something_else(analysis) {
        return Ok(found);
    }
    for (index, chunk) in analysis.kernels() {
        analysis.cancel.check()?;
        let target = analysis.target(chunk);
        let model = analysis.model(chunk, &target);
        // The rules look opcodes up where the text's own architecture has them.
        let is_off = |code: &str| level(analysis, code, None).is_none();
        let findings = with_memory(analysis, chunk, &model, &target, needs_launches(is_off), |memory| {
            let kernel =
                Kernel { chunk, program: &model.program, isa: &model.isa, isa_sm: target.isa_sm, memory };
            advisor::check(kernel, is_off)
        });
        let of_codes = model.code_findings(chunk).iter().cloned();
        let mut findings: Vec<advisor::Finding> = findings.into_iter().chain(of_codes).collect();
        findings.sort_by_key(|finding| finding.instruction);
        found.extend(findings.into_iter().filter_map(|finding| shown(analysis, index, finding)));
    }
    Ok(found)
}

/// Returns the findings in a hidden listing that hold for the text that it stands for, in text order.
pub(crate) fn of_expected(analysis: &Analysis) -> Vec<advisor::Finding> {
    let of_kernel = |(_, chunk): (usize, &Arc<Chunk>)| {
        let target = analysis.target(chunk);
        let model = analysis.model(chunk, &target);
        let is_off = |code: &str| level(analysis, code, None).is_none();
        with_memory(analysis, chunk, &model, &target, needs_launches(is_off), |memory| {
            let (program, isa, isa_sm) = (&model.program, &model.isa, target.isa_sm);
            advisor::check_expected(Kernel { chunk, program, isa, isa_sm, memory }, is_off)
        })
    };
    analysis.kernels().flat_map(of_kernel).collect()
}

/// Returns the findings in all kernels that need no launch.
pub(crate) fn of_codes(analysis: &Analysis) -> Answer<Vec<Diagnostic>> {
    let mut found = Vec::new();
    if is_something_else(analysis) {
        return Ok(found);
    }
    for (index, chunk) in analysis.kernels() {
        analysis.cancel.check()?;
        let model = analysis.model(chunk, &analysis.target(chunk));
        let findings = model.code_findings(chunk).iter().cloned();
        found.extend(findings.filter_map(|finding| shown(analysis, index, finding)));
    }
    Ok(found)
}

/// A finding as it is shown; `None` where its rule is off or the text allows it.
fn shown(analysis: &Analysis, chunk_index: usize, finding: advisor::Finding) -> Option<Diagnostic> {
    let chunk = &analysis.listing().chunks()[chunk_index];
    let instruction = &chunk.instructions()[finding.instruction as usize];
    let line = instruction.line as usize;
    let severity = level(analysis, finding.code, finding.severity.map(severity))?;
    if is_allowed(analysis, chunk_index, line, finding.code) {
        return None;
    }
    let start = analysis.line_range(chunk_index, line).start;
    Some(Diagnostic {
        range: start + finding.range.start as usize..start + finding.range.end as usize,
        code: finding.code,
        group: advisor::rule(finding.code).map_or("", |rule| rule.group.name()),
        severity,
        message: finding.message,
        related: finding.related.into_iter().map(|related| place(analysis, chunk_index, related)).collect(),
        function: chunk.name().map(str::to_owned),
        address: instruction.address,
    })
}

/// Whether a rule is on that looks at what the warps of launches do.
fn needs_launches(is_off: impl Fn(&str) -> bool) -> bool {
    advisor::RULES.iter().any(|rule| rule.needs_launches() && !is_off(rule.code))
}

/// An instruction that a finding points to, as a place in the text.
fn place(analysis: &Analysis, chunk_index: usize, related: advisor::Related) -> Related {
    let chunk = &analysis.listing().chunks()[chunk_index];
    let instruction = &chunk.instructions()[related.instruction as usize];
    let start = analysis.line_range(chunk_index, instruction.line as usize).start;
    let tokens = chunk.tokens(instruction.tokens);
    let end = tokens.last().map_or(0, syntax::sass::Token::end);
    let first = tokens.first().map_or(0, |token| token.start as usize);
    Related { range: start + first..start + end.max(first), message: related.message }
}

/// Returns the severity of a rule's findings, `own` where one has its own; `None` where the rule is off. A setting goes
/// before the launches file.
pub(crate) fn level(analysis: &Analysis, code: &str, own: Option<Severity>) -> Option<Severity> {
    let context = &analysis.context;
    if !context.config.diagnostics {
        return None;
    }
    let in_file = || context.launches.as_ref().and_then(|file| file.rules.get(code));
    match context.config.rules.get(code).or_else(in_file) {
        Some(level) => RuleLevel::severity(*level),
        None => own.or_else(|| advisor::rule(code).map(|rule| severity(rule.severity))),
    }
}

fn address_on(chunk: &Chunk, line: usize) -> Option<u32> {
    chunk.line_tokens(line).iter().find(|token| token.kind == TokenKind::Address).map(|token| token.value)
}

/// True where a comment allows this finding: on its line, on comment lines right above it, or above the first kernel for
/// the whole file. The comment says `warplens: allow(code)`.
fn is_allowed(analysis: &Analysis, chunk_index: usize, line: usize, code: &str) -> bool {
    let chunks = analysis.listing().chunks();
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

/// True for `warplens: allow(other, code)`.
pub(crate) fn allows(comment: &str, code: &str) -> bool {
    let Some((_, rest)) = comment.split_once("warplens: allow(") else { return false };
    let Some((codes, _)) = rest.split_once(')') else { return false };
    codes.split(',').any(|allowed| allowed.trim() == code)
}
