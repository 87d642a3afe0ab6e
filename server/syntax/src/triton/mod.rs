//! Triton kernels in a text of Python: their parameters, and the configurations that `triton.autotune` chooses among.
//!
//! The text is parsed by tree-sitter and never run. Lists of configurations are followed through names, functions,
//! loops and comprehensions as long as everything that they depend on is literal. What is not literal becomes
//! [`Setting::Unknown`] or an entry of [`Configurations::gaps`]. Any text can be read; one without the word `triton` is
//! not parsed.

mod interpreter;
mod kernels;
mod names;
mod statements;
#[cfg(test)]
mod tests;
mod value;

use std::ops::Range;

/// A function under `triton.jit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    pub name: String,
    pub name_range: Range<usize>,
    /// The definition with its decorators.
    pub range: Range<usize>,
    pub parameters: Vec<Parameter>,
    /// `None` if the function has no `triton.autotune` decorator.
    pub configurations: Option<Configurations>,
    /// Precision that the products in the body are asked for, each once.
    pub precisions: Vec<Precision>,
    /// The body has a `tl.dot`.
    pub has_dot: bool,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub is_constexpr: bool,
    pub default: Option<Setting>,
}

/// The configurations of one `triton.autotune`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Configurations {
    /// In the order in which Triton tries them.
    pub all: Vec<Configuration>,
    /// Parts of the list that the text does not determine, in a few words each: the list may be longer or shorter.
    pub gaps: Vec<String>,
    /// The places of all configurations, where each is an element of one list that is written out; else none.
    pub elements: Vec<Element>,
}

/// One `triton.Config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// Values of the kernel's parameters, in the order in which they are written.
    pub values: Vec<(String, Setting)>,
    /// Warps of a block, followed by further compiler options; `None` if the text leaves the choice to Triton.
    pub num_warps: Option<Setting>,
    pub num_stages: Option<Setting>,
    pub num_ctas: Option<Setting>,
    pub maxnreg: Option<Setting>,
    /// Its place, and the start of the list that it is an element of.
    element: Option<(usize, Element)>,
}

/// A value in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    Number(i64),
    /// Literal, but no whole number, as it is written.
    Other(String),
    /// Its expression, shortened.
    Unknown(String),
}

/// An element of a list that is written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub range: Range<usize>,
    /// The element and the comma after it, if present.
    pub with_comma: Range<usize>,
}

/// Precision of products of `float32`, as `tl.dot` is asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precision {
    Tf32,
    /// Three products of TF32 for each.
    Tf32x3,
    Ieee,
    /// Its expression, shortened.
    Unknown(String),
}

/// The most configurations of one kernel; any further ones become a gap.
pub const MOST_CONFIGURATIONS: usize = 4096; // limit: time and memory

/// Length in bytes above which a text is not read; source files are never so long.
const MOST_BYTES: usize = 4 << 20; // limit: time and memory

/// Reads the Triton kernels of a text, in its order.
pub fn kernels(text: &str) -> Vec<Kernel> {
    if text.len() > MOST_BYTES || memchr::memmem::find(text.as_bytes(), b"triton").is_none() {
        return Vec::new();
    }
    kernels::read(text)
}

impl Configuration {
    /// The value of a parameter of the kernel.
    pub fn value(&self, name: &str) -> Option<&Setting> {
        self.values.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

/// An expression as shown in messages: one line, truncated.
fn shortened(text: &str) -> String {
    const MOST: usize = 40; // limit: length of a message
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(MOST) {
        words.truncate(end);
        words.push('…');
    }
    words
}
