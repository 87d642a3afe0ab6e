//! The engine's answers as plain data. Ranges are byte ranges of the document.

pub use advisor::Severity;

mod actions;
mod completion;
mod navigation;
mod signature;

pub use actions::{
    AdviceAction, AdviceEdit, Assembler, CopiedInstructions, NotScheduled, ScheduleAction, ScheduleScope,
};
pub use completion::{Completion, CompletionKind, Completions};
pub(crate) use navigation::grow;
pub use navigation::{CallItem, CallSite, NavigationTarget, Reference, Refusal, SourceLink, Usage};
pub use signature::{Signature, SignatureOperand};

use super::to_state::UnstatedInputs;
use std::ops::Range;
use syntax::sass::rewrite::Replacement;

/// An edit that replaces a range of the document with `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub range: Range<usize>,
    pub text: String,
}

impl TextEdit {
    /// Returns the document's text with edits applied. The edits must be in text order and must not overlap.
    pub fn apply(edits: &[Self], text: &str) -> String {
        let mut edited = String::with_capacity(text.len());
        let mut at = 0;
        for edit in edits {
            edited.push_str(&text[at..edit.range.start]);
            edited.push_str(&edit.text);
            at = edit.range.end;
        }
        edited.push_str(&text[at..]);
        edited
    }

    /// Converts a replacement within a chunk to an edit of the document. `start` is the chunk's byte offset.
    pub(crate) fn placed(start: usize, replacement: Replacement) -> Self {
        let range = start + replacement.range.start as usize..start + replacement.range.end as usize;
        Self { range, text: replacement.text }
    }
}

/// A finding with its range in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub range: Range<usize>,
    /// Code of the finding, such as `syntax-error` or `unknown-opcode`.
    pub code: &'static str,
    /// Group of the rule: `syntax`, `hazard`, `memory`, `occupancy`, `schedule` or `style`. Empty if `code` is not the
    /// code of a rule.
    pub group: &'static str,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<Related>,
    /// The kernel that contains the range. `None` outside of kernels.
    pub function: Option<String>,
    /// The address of the instruction with the finding. `None` if the listing has no address.
    pub address: Option<u32>,
}

impl Diagnostic {
    /// Creates a finding outside of functions, without related ranges.
    pub(crate) fn new(code: &'static str, severity: Severity, range: Range<usize>, message: String) -> Self {
        let group = advisor::rule(code).map_or("", |rule| rule.group.name());
        Self { range, code, group, severity, message, related: Vec::new(), function: None, address: None }
    }
}

/// A set of edits that resolves a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Title of the fix: `Change to FFMA`.
    pub title: String,
    pub edits: Vec<TextEdit>,
    /// True for the fix that the user most likely wants.
    pub preferred: bool,
    /// True if the fix only adds a comment that suppresses the finding. The code stays unchanged.
    pub suppresses: bool,
}

/// An additional range that a finding refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub range: Range<usize>,
    pub message: String,
}

/// A short label shown inline next to the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Byte offset in the document. The hint is shown before this byte.
    pub offset: usize,
    pub kind: HintKind,
    pub label: String,
    /// Markdown that explains the figure, and names the assumed GPU, the basic block in which the figure applies, the
    /// model, and the source of the figure.
    pub tooltip: String,
}

/// Type of a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    ControlCode,
    Latency,
    IssueCycle,
    DualIssue,
    LiveRegisters,
    /// Cost of a source line in compiled code.
    LineCost,
    /// Samples and stall reasons in a profile.
    Measured,
}

/// Documentation of the token at an offset, in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: Range<usize>,
    pub markdown: String,
    /// Byte offsets in `markdown` of links to lines of the same document. Each offset is directly before a
    /// `#L12` with a 1-based line. A client that needs full addresses inserts the document's URI at these
    /// offsets.
    pub links: Vec<usize>,
}

/// An entry of a document's outline, with its nested entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// Short facts after the name: `sm_90, 32 registers`.
    pub detail: String,
    pub kind: SymbolKind,
    /// Range of the whole entry.
    pub range: Range<usize>,
    /// Range of the entry's name.
    pub selection: Range<usize>,
    pub children: Vec<Symbol>,
}

/// Type of an outline entry. Determines the icon that clients show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Kernel,
    Block,
    Label,
    /// A loop, from its header to its back branch.
    Loop,
    /// An instruction that synchronises warps.
    Barrier,
    Section,
    /// A function that is not a kernel.
    Function,
    Variable,
    Parameter,
}

/// Lines that can be folded, from the line of the first byte to the line of the last byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    pub range: Range<usize>,
    pub kind: FoldKind,
}

/// Type of a fold: a region of code, or comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    Region,
    Comment,
}

/// A line of facts above a kernel or a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    pub range: Range<usize>,
    pub title: String,
    /// Markdown with the facts in the title and their sources.
    pub detail: String,
    /// True for the lens of a loop, false for the lens of a kernel.
    pub is_of_loop: bool,
    /// True if the cycles are extrapolated from a simulation of only a part of the launch. The full
    /// simulation is still missing.
    pub is_quick: bool,
    /// Values that the user must state before cycles can be shown. `None` if no value is missing.
    pub to_state: Option<UnstatedInputs>,
}

/// A GPU that the setting `gpu` can name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct KnownGpu {
    /// Value of the setting.
    pub name: String,
    pub title: String,
}

/// Lines of a document with their fractions of the time, and the source of the fractions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap {
    /// Source of the fractions in a few words: a launch in a profile, or the model and the GPU.
    pub source: String,
    /// True if the fractions are computed from samples of a profile. False if they are predicted.
    pub is_measured: bool,
    /// Lines in text order.
    pub lines: Vec<Heat>,
}

/// A line's fraction of a kernel's predicted time, or of a profile's samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Range of the line.
    pub range: Range<usize>,
    /// Fraction of the time or of the samples, 0 to 1.
    pub share: f64,
    /// True if the fraction refers to another version of the code.
    pub is_stale: bool,
    /// One line of plain text: the fraction, the total that it refers to, and the main stall reason.
    pub words: String,
}

/// The producers and consumers of an instruction's register values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations {
    /// Range of the line with the instruction.
    pub range: Range<usize>,
    /// The instructions whose results the instruction may read, in text order.
    pub producers: Vec<RelatedInstruction>,
    /// The instructions that may read the instruction's results, in text order.
    pub consumers: Vec<RelatedInstruction>,
    /// Live ranges of the values in the instruction's registers, in the order of its operands.
    pub lives: Vec<RegisterLife>,
}

/// A producer or consumer of an instruction's values: its line, and the registers that cause the dependence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedInstruction {
    /// Range of the line.
    pub range: Range<usize>,
    /// Registers that cause the dependence: `R4 R5, P0`.
    pub registers: String,
}

/// Live range of a register, in lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterLife {
    pub register: String,
    /// Ranges of the first and the last line that write or read the value.
    pub first: Range<usize>,
    pub last: Range<usize>,
}

/// Position of a lens whose title is not computed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensLocation {
    pub range: Range<usize>,
    /// Kernel index, and lens within the kernel: the arguments of [`crate::Analysis::lens`].
    pub kernel: usize,
    pub of: LensSubject,
}

/// A launch or a loop of a kernel that a lens describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LensSubject {
    Launch(usize),
    /// An innermost loop, by its index in text order.
    Loop(usize),
    /// A launch of a kernel in a source file, predicted from the compiled code. Holds the launch index.
    Compiled(usize),
    /// The selected launch in an attached profile.
    Measured,
}

/// A range with a semantic highlighting type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticToken {
    pub range: Range<usize>,
    pub kind: SemanticKind,
    /// True if the instruction writes this operand.
    pub written: bool,
    /// True at the definition of a name, such as a label or a kernel's name.
    pub definition: bool,
    /// True for an opcode that affects control flow or waits for other warps, such as a branch, call, exit or
    /// barrier.
    pub control_flow: bool,
}

/// Highlighting types. Each maps to a standard token type of the protocol, so every color theme supports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SemanticKind {
    Address,
    ControlCode,
    Opcode,
    Modifier,
    Register,
    UniformRegister,
    Predicate,
    SpecialRegister,
    Barrier,
    ConstantBank,
    Number,
    Label,
    Function,
    Directive,
    String,
    Comment,
    Encoding,
    Name,
}
