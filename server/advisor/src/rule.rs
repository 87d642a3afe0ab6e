//! A rule: what it is called, how grave it is, who finds it.

use crate::assembler::Code;
use crate::codes::Codes;
use crate::cuda;
use crate::finding::{Finding, Severity};
use crate::kernel::Kernel;
use crate::ptx;

/// A rule: what it is called, how grave it is, what it says.
#[derive(Debug, Clone, Copy)]
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
    /// A rule that says what the assembler would say under that code.
    pub(crate) const fn from_code(code: Code, checks: &'static [Check]) -> Self {
        Self {
            code: code.name(),
            group: Group::Syntax,
            severity: code.severity(),
            summary: code.summary(),
            page: code.page(),
            checks,
        }
    }

    /// It looks at what the warps of launches do.
    pub fn needs_launches(&self) -> bool {
        let looks = |check: &Check| matches!(check, Check::Kernel(_) | Check::Run(_));
        self.group != Group::Syntax && self.checks.iter().any(looks)
    }

    /// Returns the languages that it is found in, as the table of rules names them.
    pub fn languages(&self) -> &'static str {
        let has = |kind: fn(&Check) -> bool| self.checks.iter().any(kind);
        let is_sass = has(|check| matches!(check, Check::Kernel(_) | Check::Codes(_)));
        let is_ptx = has(|check| matches!(check, Check::Ptx(_) | Check::Assembler));
        let is_expected = has(|check| matches!(check, Check::Run(_)));
        let is_cuda = has(|check| matches!(check, Check::Cuda(_)));
        let is_of_assembler = has(|check| matches!(check, Check::Parser | Check::Assembler));
        match (is_sass, is_ptx, is_cuda) {
            _ if has(|check| matches!(check, Check::InlineAsm)) => "CUDA's `asm`",
            _ if has(|check| matches!(check, Check::Parser)) => "SASS, PTX, CUDA's `asm`",
            (true, ..) if is_of_assembler => "SASS, PTX, CUDA's `asm`",
            // A statement is no module.
            _ if matches!(self.code, "invalid-header" | "prototype-mismatch") => "PTX",
            _ if is_of_assembler => "PTX, CUDA's `asm`",
            (_, true, true) if is_expected => "SASS, PTX also *estimated*, CUDA",
            (_, true, _) if is_expected => "SASS, PTX also *estimated*",
            (_, false, true) if is_expected => "SASS, PTX *estimated*, CUDA",
            (_, false, false) if is_expected => "SASS, PTX *estimated*",
            (true, true, _) => "SASS, PTX",
            (false, true, true) => "PTX, CUDA",
            (false, true, false) => "PTX",
            (false, false, true) => "CUDA",
            _ => "SASS",
        }
    }
}

/// Who finds what a rule is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// The parser.
    Parser,
    /// A check of a kernel of SASS.
    Kernel(fn(Kernel<'_>, &mut Vec<Finding>)),
    /// A check of nothing but what the warps of launches do: it holds for SASS that is only expected, too.
    Run(fn(Kernel<'_>, &mut Vec<Finding>)),
    /// A check that needs nothing but the text's own architecture.
    Codes(fn(&Codes<'_>, &mut Vec<Finding>)),
    /// The assembler's errors in a PTX module, under the rule's code.
    Assembler,
    /// A check of an item of a PTX module.
    Ptx(fn(&ptx::Subject<'_>, &mut Vec<ptx::Finding>)),
    /// The errors in the operands and constraints of `asm` statements, under the rule's code: [`crate::inline_asm`].
    InlineAsm,
    /// A check of a kernel of CUDA and its launches.
    Cuda(fn(&cuda::Subject<'_>, &mut Vec<cuda::Finding>)),
}

/// Subjects of rules; `--select` takes these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    Syntax,
    /// Code that computes something else than it says.
    Hazard,
    Memory,
    /// Limits of the warps that an SM holds.
    Occupancy,
    /// Code that only costs time.
    Schedule,
    Style,
}

impl Group {
    /// Returns the name that `--select` takes and outputs print: `hazard`.
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
