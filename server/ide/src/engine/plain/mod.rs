//! Answers of the engine as plain data. Ranges are bytes in the document's text.

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

/// Replace `range` of the text by `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub range: Range<usize>,
    pub text: String,
}

impl TextEdit {
    /// Returns the text with edits, which are in its order and apart, made in it.
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

    /// A replacement in a chunk that starts at this byte of the text.
    pub(crate) fn placed(start: usize, replacement: Replacement) -> Self {
        let range = start + replacement.range.start as usize..start + replacement.range.end as usize;
        Self { range, text: replacement.text }
    }
}

/// A finding at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub range: Range<usize>,
    /// `syntax-error`, `unknown-opcode`.
    pub code: &'static str,
    /// `syntax`, `hazard`, `memory`, `occupancy`, `schedule`, `style`.
    pub group: &'static str,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<Related>,
    /// The kernel that contains it; `None` outside of kernels.
    pub function: Option<String>,
    /// The address of the instruction that it is on, if that has one.
    pub address: Option<u32>,
}

impl Diagnostic {
    /// A finding of a rule that speaks of no other place, outside of functions.
    pub(crate) fn new(code: &'static str, severity: Severity, range: Range<usize>, message: String) -> Self {
        let group = advisor::rule(code).map_or("", |rule| rule.group.name());
        Self { range, code, group, severity, message, related: Vec::new(), function: None, address: None }
    }
}

/// Something that makes a finding go away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// `Change to FFMA`.
    pub title: String,
    pub edits: Vec<TextEdit>,
    /// True for the fix that the writer most likely wants.
    pub preferred: bool,
    /// True for a comment that leaves the code as it is and the finding unsaid.
    pub suppresses: bool,
}

/// Another place that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub range: Range<usize>,
    pub message: String,
}

/// A short text shown next to the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Offset of the hint, which is shown before this byte.
    pub offset: usize,
    pub kind: HintKind,
    pub label: String,
    /// Markdown: what it is, the assumed GPU, the region it counts from, the model and the number's source.
    pub tooltip: String,
}

/// Fact that a hint states about the code after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    ControlCode,
    Latency,
    IssueCycle,
    DualIssue,
    LiveRegisters,
    /// What a line of a source costs by its compiled code.
    LineCost,
    /// The samples and stalls that a profile has of the code.
    Measured,
}

/// Meaning of a place, in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: Range<usize>,
    pub markdown: String,
    /// Places in `markdown` of links to lines of the same document: bytes before a `#L12`, 1-based. A client that needs
    /// whole addresses puts the document's own there.
    pub links: Vec<usize>,
}

/// An entry of a document's outline, with the entries nested in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// Short facts next to the name: `sm_90, 32 registers`.
    pub detail: String,
    pub kind: SymbolKind,
    /// All of it.
    pub range: Range<usize>,
    /// Its name.
    pub selection: Range<usize>,
    pub children: Vec<Symbol>,
}

/// Kind of an outline entry; clients choose its icon by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Kernel,
    Block,
    Label,
    /// One that a branch at its end leads back to.
    Loop,
    /// An instruction at which warps wait for each other.
    Barrier,
    Section,
    /// One that only code calls.
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
    /// Markdown with the same facts and their sources.
    pub detail: String,
    /// True over a loop, false over a kernel.
    pub is_of_loop: bool,
    /// The cycles are of a part of the launch: the full figure is not known yet.
    pub is_quick: bool,
    /// The values without which there are no cycles.
    pub to_state: Option<ToState>,
}

/// A GPU that the setting `gpu` can name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct KnownGpu {
    /// Value of the setting.
    pub name: String,
    pub title: String,
}

/// Lines of a document by their share of the time, and who says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap {
    /// Source of the shares in a few words: a profile's launch, or the model and the GPU.
    pub source: String,
    /// Whether a profile counted them; otherwise they are predicted.
    pub is_measured: bool,
    /// In text order.
    pub lines: Vec<Heat>,
}

/// A line's share of a kernel's predicted time, or of the samples of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Bytes of the line.
    pub range: Range<usize>,
    /// 0 to 1.
    pub share: f64,
    /// The figures are of other code.
    pub is_stale: bool,
    /// One line of plain text: the share, of what, and the cause of most of the waiting.
    pub words: String,
}

/// The instructions around one instruction that its registers connect it with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations {
    /// Bytes of the line of the instruction itself.
    pub range: Range<usize>,
    /// The instructions whose results it may read, in text order.
    pub producers: Vec<Relative>,
    /// The instructions that may read its results, in text order.
    pub consumers: Vec<Relative>,
    /// The life of the value in each of its registers, by the register's place in the instruction.
    pub lives: Vec<RegisterLife>,
}

/// A line that writes what an instruction reads, or reads what it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// Bytes of the line.
    pub range: Range<usize>,
    /// The registers that they share: `R4 R5, P0`.
    pub registers: String,
}

/// The lines over which a value stays in a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterLife {
    pub register: String,
    /// Bytes of the first and of the last line that has to do with the value.
    pub first: Range<usize>,
    pub last: Range<usize>,
}

/// Place of a lens, before its text is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensPlace {
    pub range: Range<usize>,
    /// Which kernel of the text, and what of it: what [`crate::Analysis::lens`] asks for.
    pub kernel: usize,
    pub of: LensOf,
}

/// Subject of a lens, by its number within the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LensOf {
    Launch(usize),
    /// Innermost loops in text order.
    Loop(usize),
    /// A launch of the compiled code of a source's kernel.
    Compiled(usize),
    /// The launch that a profile has.
    Measured,
}

/// A range of text that is coloured by its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticToken {
    pub range: Range<usize>,
    pub kind: SemanticKind,
    /// True if its instruction writes it.
    pub written: bool,
    /// True at its definition: a label, a kernel's name.
    pub definition: bool,
    /// True for an opcode that decides which instruction is next, and when: a branch, a call, an exit, a barrier.
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
