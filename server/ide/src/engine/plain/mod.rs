//! The engine's answers as plain data. Ranges are in bytes of the document's text.

pub use advisor::Severity;

mod actions;
mod completion;
mod navigation;
mod signature;

pub use actions::{AdviceAction, AdviceEdit, Assembler, Copied, NotScheduled, ScheduleAction, ScheduleScope};
pub use completion::{Completion, CompletionKind, Completions};
pub(crate) use navigation::grow;
pub use navigation::{CallItem, CallSite, NavigationTarget, Reference, Refusal, SourceLink, Usage};
pub use signature::{Signature, SignatureOperand};

use super::to_state::ToState;
use std::ops::Range;
use syntax::sass::rewrite::Replacement;

/// An edit that replaces `range` of the text by `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub range: Range<usize>,
    pub text: String,
}

impl TextEdit {
    /// Returns the text with edits applied, which are in text order and do not overlap.
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

    /// Converts a replacement relative to a chunk to an edit of the text; `start`: the chunk's byte offset.
    pub(crate) fn placed(start: usize, replacement: Replacement) -> Self {
        let range = start + replacement.range.start as usize..start + replacement.range.end as usize;
        Self { range, text: replacement.text }
    }
}

/// A finding with its range in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub range: Range<usize>,
    /// The code of the finding: `syntax-error`, `unknown-opcode`.
    pub code: &'static str,
    /// `syntax`, `hazard`, `memory`, `occupancy`, `schedule`, `style`.
    pub group: &'static str,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<Related>,
    /// The kernel that contains the range; `None` outside of kernels.
    pub function: Option<String>,
    /// The address of the instruction that the finding is on, if the text prints one.
    pub address: Option<u32>,
}

impl Diagnostic {
    /// A finding without related locations, outside of functions.
    pub(crate) fn new(code: &'static str, severity: Severity, range: Range<usize>, message: String) -> Self {
        let group = advisor::rule(code).map_or("", |rule| rule.group.name());
        Self { range, code, group, severity, message, related: Vec::new(), function: None, address: None }
    }
}

/// A set of edits that resolves a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// `Change to FFMA`.
    pub title: String,
    pub edits: Vec<TextEdit>,
    /// True for the fix that the user most likely wants.
    pub preferred: bool,
    /// True if the fix only adds a comment that suppresses the finding, and leaves the code as it is.
    pub suppresses: bool,
}

/// Another range that a finding refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub range: Range<usize>,
    pub message: String,
}

/// A short text shown inline next to the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Offset of the hint, which is shown before this byte.
    pub offset: usize,
    pub kind: HintKind,
    pub label: String,
    /// Markdown: the meaning, the assumed GPU, the region that the number counts from, the model and the number's
    /// source.
    pub tooltip: String,
}

/// The fact that a hint shows about the code after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    ControlCode,
    Latency,
    IssueCycle,
    DualIssue,
    LiveRegisters,
    /// Cost of a source line, from its compiled code.
    LineCost,
    /// Samples and stalls of the code in a profile.
    Measured,
}

/// The meaning of the text at an offset, in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: Range<usize>,
    pub markdown: String,
    /// Byte offsets in `markdown` of links to lines of the same document: each is before a `#L12`, 1-based. A client
    /// that needs full addresses inserts the document's own there.
    pub links: Vec<usize>,
}

/// An entry of a document's outline, with the entries nested in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// Short facts next to the name: `sm_90, 32 registers`.
    pub detail: String,
    pub kind: SymbolKind,
    /// The whole range of the entry.
    pub range: Range<usize>,
    /// The range of its name.
    pub selection: Range<usize>,
    pub children: Vec<Symbol>,
}

/// Kind of an outline entry; determines the icon that clients show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Kernel,
    Block,
    Label,
    /// A block that a branch at its end leads back to.
    Loop,
    /// An instruction at which warps synchronise.
    Barrier,
    Section,
    /// A function that is not a kernel.
    Function,
    Variable,
    Parameter,
}

/// Lines that can be folded away: from the line of the first byte to that of the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    pub range: Range<usize>,
    pub kind: FoldKind,
}

/// Kind of a fold: a region of code, or comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    Region,
    Comment,
}

/// A line of facts over a kernel or a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    pub range: Range<usize>,
    pub title: String,
    /// Markdown with the facts of the title and their sources.
    pub detail: String,
    /// True over a loop, false over a kernel.
    pub is_of_loop: bool,
    /// True if the cycles were simulated from a part of the launch: the full figure is not known yet.
    pub is_quick: bool,
    /// Values to state so that cycles can be shown; `None` if none are missing.
    pub to_state: Option<ToState>,
}

/// A GPU that the setting `gpu` can name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct KnownGpu {
    /// The value of the setting.
    pub name: String,
    pub title: String,
}

/// Lines of a document by their fraction of the time, with the source of the figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap {
    /// Source of the fractions in a few words: a profile's launch, or the model and the GPU.
    pub source: String,
    /// True if the fractions are samples of a profile; false if they are predicted.
    pub is_measured: bool,
    /// In text order.
    pub lines: Vec<Heat>,
}

/// A line's fraction of a kernel's predicted time, or of the samples of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Range of the line.
    pub range: Range<usize>,
    /// 0 to 1.
    pub share: f64,
    /// True if the figures are of another version of the code.
    pub is_stale: bool,
    /// One line of plain text: the fraction, what it is a fraction of, and the cause of most of the waiting.
    pub words: String,
}

/// The instructions that an instruction depends on through registers, and those that depend on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations {
    /// Range of the line of the instruction itself.
    pub range: Range<usize>,
    /// The instructions whose results the instruction may read, in text order.
    pub producers: Vec<Relative>,
    /// The instructions that may read the instruction's results, in text order.
    pub consumers: Vec<Relative>,
    /// The live ranges of the values in its registers, in the order of the registers in the instruction.
    pub lives: Vec<RegisterLife>,
}

/// A line that writes what another instruction reads, or reads what it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// Range of the line.
    pub range: Range<usize>,
    /// The registers through which the two depend: `R4 R5, P0`.
    pub registers: String,
}

/// The lines over which a register holds a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterLife {
    pub register: String,
    /// Ranges of the first and of the last line that writes or reads the value.
    pub first: Range<usize>,
    pub last: Range<usize>,
}

/// The position of a lens, before its text is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensPlace {
    pub range: Range<usize>,
    /// Index of the kernel, and the lens within it: arguments of [`crate::Analysis::lens`].
    pub kernel: usize,
    pub of: LensOf,
}

/// The subject of a lens within its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LensOf {
    Launch(usize),
    /// An innermost loop, by its index in text order.
    Loop(usize),
    /// A launch of the compiled code of a source's kernel, by its index.
    Compiled(usize),
    /// The launch in an attached profile.
    Measured,
}

/// A range of text that is coloured by its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticToken {
    pub range: Range<usize>,
    pub kind: SemanticKind,
    /// True if the instruction writes it.
    pub written: bool,
    /// True at a definition: a label, a kernel's name.
    pub definition: bool,
    /// True for an opcode that affects control flow or waits for other warps: a branch, a call, an exit, a barrier.
    pub control_flow: bool,
}

/// The kinds of coloured text. Each maps to one of the protocol's standard token types, so that every theme colours it.
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
