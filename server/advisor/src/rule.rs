//! Definition of a rule: its code, its severity and its checks.

use crate::assembler::Code;
use crate::codes::Codes;
use crate::cuda;
use crate::finding::{Finding, Severity};
use crate::kernel::Kernel;
use crate::ptx;

/// A rule: its code, its default severity, its texts and its checks.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Name of the defect: `unknown-opcode`. It must read well after the word "allow", as in a suppression comment.
    pub code: &'static str,
    /// Position in lists of rules. The lowest rank is first: the most basic rule.
    pub(crate) rank: u16,
    pub group: Group,
    /// Default severity. Settings can change it.
    pub severity: Severity,
    /// One sentence that describes the defect.
    pub summary: &'static str,
    /// The rule's page, in Markdown.
    pub page: &'static str,
    /// Checks that report the defect: one per language in which it can occur.
    pub(crate) checks: &'static [Check],
}

impl Rule {
    /// Returns a rule that reports the assembler's errors under this code.
    pub(crate) const fn from_code(code: Code, checks: &'static [Check]) -> Self {
        Self {
            code: code.name(),
            rank: 20,
            group: Group::Syntax,
            severity: code.severity(),
            summary: code.summary(),
            page: code.page(),
            checks,
        }
    }

    /// True if the rule depends on the behaviour of the warps of a launch.
    pub fn needs_launches(&self) -> bool {
        let looks = |check: &Check| matches!(check, Check::Kernel(_) | Check::Run(_));
        self.group != Group::Syntax && self.checks.iter().any(looks)
    }

    /// Returns the languages of the rule, as listed in the table of rules.
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
            // The rule does not apply to an `asm` statement, which is not a module.
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

/// A check that reports a rule's findings.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Errors of the parser.
    Parser,
    /// A check of a SASS kernel.
    Kernel(fn(Kernel<'_>, &mut Vec<Finding>)),
    /// A check of a SASS kernel that depends only on the behaviour of warps. It is also run on the SASS predicted
    /// from PTX.
    Run(fn(Kernel<'_>, &mut Vec<Finding>)),
    /// A check that depends only on the text and the architecture named in it.
    Codes(fn(&Codes<'_>, &mut Vec<Finding>)),
    /// The assembler's errors in a PTX module, under the rule's code.
    Assembler,
    /// A check of an item of a PTX module.
    Ptx(fn(&ptx::Subject<'_>, &mut Vec<ptx::Finding>)),
    /// The errors in the operands and constraints of `asm` statements, under the rule's code. See
    /// [`crate::inline_asm`].
    InlineAsm,
    /// A check of a CUDA kernel and its launches.
    Cuda(fn(&cuda::Subject<'_>, &mut Vec<cuda::Finding>)),
}

/// Subjects of rules; `--select` accepts their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    Syntax,
    /// Code whose result may be wrong.
    Hazard,
    Memory,
    /// Limits on the number of warps that an SM can hold.
    Occupancy,
    /// Code that is correct but costs time.
    Schedule,
    Style,
}

impl Group {
    /// Returns the name that `--select` accepts and outputs print: `hazard`.
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
