//! What is wrong or slow in a kernel.
//!
//! A rule is a file in `rules/` with its page beside it (`<code>.md`: what a hover shows, and its tests: one block that
//! fires, one that is silent) and one line in `rules/mod.rs`.

pub mod codes;
mod flow;
pub mod memory;
pub mod ptx;
mod rules;
pub mod steps;

use codes::Codes;
use memory::Memory;
use model::{Chunk, Isa, Program};
use std::ops::Range;

pub use rules::{RULES, rule};

/// A rule: what it is called, how grave it is, what it says.
#[derive(Debug)]
pub struct Rule {
    /// Names the defect and reads well after "allow": `unknown-opcode`.
    pub code: &'static str,
    pub group: Group,
    /// Unless a setting says otherwise.
    pub severity: Severity,
    /// One sentence.
    pub summary: &'static str,
    /// Its page, in Markdown.
    pub page: &'static str,
    /// Who finds it: more than one where it means the same in both languages.
    pub(crate) checks: &'static [Check],
}

impl Rule {
    /// It looks at what the warps of launches do.
    pub fn needs_launches(&self) -> bool {
        let looks = |check: &Check| matches!(check, Check::Kernel(_) | Check::Run(_));
        self.group != Group::Syntax && self.checks.iter().any(looks)
    }
}

/// Who finds what a rule is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// The parser.
    Parser,
    Kernel(fn(Kernel<'_>, &mut Vec<Finding>)),
    /// What looks at nothing but what the warps of launches do: it holds for SASS that is only expected, too.
    Run(fn(Kernel<'_>, &mut Vec<Finding>)),
    /// What needs nothing but the text's own architecture.
    Codes(fn(&Codes<'_>, &mut Vec<Finding>)),
    /// What looks at how a PTX module begins.
    Heading,
    /// What looks at an item of a PTX module.
    Ptx(fn(&ptx::Subject<'_>, &mut Vec<ptx::Finding>)),
}

/// What a rule is about; `--select` takes these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    Syntax,
    /// What computes something else than it says.
    Hazard,
    Memory,
    /// What limits how many warps an SM holds.
    Occupancy,
    /// What only costs time.
    Schedule,
    Style,
}

impl Group {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Hazard => "hazard",
            Self::Memory => "memory",
            Self::Occupancy => "occupancy",
            Self::Schedule => "schedule",
            Self::Style => "style",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

/// What a rule looks at: the text of a kernel and what it decodes to.
#[derive(Clone, Copy)]
pub struct Kernel<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    /// The opcodes of the architecture that the text is for, and that architecture; the program's own may be another
    /// one, whose times count.
    pub isa: &'a Isa,
    pub isa_sm: u16,
    /// Its launches, and what their warps ask of memory.
    pub memory: &'a Memory<'a>,
}

/// A defect at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: &'static str,
    /// Index of the instruction.
    pub instruction: u32,
    /// Bytes in the instruction's line.
    pub range: Range<u16>,
    /// Where it is another one than the rule's own.
    pub severity: Option<Severity>,
    pub message: String,
    pub related: Vec<Related>,
}

/// Another instruction that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Its index.
    pub instruction: u32,
    pub message: String,
}

/// All that the rules find in a kernel, but for those that are `off` and those of [`check_codes`]; in text order.
pub fn check(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| !off(rule.code)) {
        for check in rule.checks {
            if let Check::Kernel(check) | Check::Run(check) = check {
                check(kernel, &mut findings);
            }
        }
    }
    findings.sort_by_key(|finding| finding.instruction);
    findings
}

/// What of it holds for SASS that PTX is expected to become; in text order.
pub fn check_expected(kernel: Kernel<'_>, off: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in RULES.iter().filter(|rule| !off(rule.code)).flat_map(|rule| rule.checks) {
        if let Check::Run(check) = check {
            check(kernel, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.instruction);
    findings
}

/// All that the rules find that look at nothing but the text and its own architecture; in text order.
pub fn check_codes(codes: &Codes<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in RULES.iter().flat_map(|rule| rule.checks) {
        if let Check::Codes(check) = check {
            check(codes, &mut findings);
        }
    }
    findings.sort_by_key(|finding| finding.instruction);
    findings
}
