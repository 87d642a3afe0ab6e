//! Triton kernels in Python text: their parameters, and the configurations from which `triton.autotune`
//! chooses.
//!
//! tree-sitter parses the text, which is never executed. Lists of configurations are followed through names,
//! functions, loops and comprehensions if all their inputs are literals. Any other value becomes
//! [`Setting::Unknown`] or an entry of [`Configurations::gaps`]. Any text can be read. A text without the
//! word `triton` is not parsed.

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
    /// Range of the definition with its decorators.
    pub range: Range<usize>,
    pub parameters: Vec<Parameter>,
    /// `None` if the function has no `triton.autotune` decorator.
    pub configurations: Option<Configurations>,
    /// Precisions requested by the `tl.dot` calls in the body, without duplicates.
    pub precisions: Vec<Precision>,
    /// True if the body contains a `tl.dot`.
    pub has_dot: bool,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub is_constexpr: bool,
    pub default: Option<Setting>,
}

/// The configurations of one `triton.autotune` decorator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Configurations {
    /// Configurations in the order in which Triton tries them.
    pub all: Vec<Configuration>,
    /// Elements of the list that the text does not determine, as short descriptions. The actual list may be longer or
    /// shorter than [`Self::all`].
    pub gaps: Vec<String>,
    /// Ranges of all configurations if all of them are elements of one literal list; otherwise empty.
    pub elements: Vec<Element>,
}

/// One `triton.Config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// Values of the kernel's parameters, in text order.
    pub values: Vec<(String, Setting)>,
    /// Warps per block. This option and the following compiler options are `None` if the text leaves the
    /// choice to Triton.
    pub num_warps: Option<Setting>,
    pub num_stages: Option<Setting>,
    pub num_ctas: Option<Setting>,
    pub maxnreg: Option<Setting>,
    /// The start of the literal list that contains the configuration, as a byte offset in the text, and the element's
    /// ranges. `None` if the configuration is not an element of a literal list.
    element: Option<(usize, Element)>,
}

/// A value in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    Number(i64),
    /// A literal other than an integer, as written.
    Other(String),
    /// An expression with an unknown value, shortened.
    Unknown(String),
}

/// An element of a literal list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub range: Range<usize>,
    /// The element and the comma after it, if present.
    pub with_comma: Range<usize>,
}

/// Precision that a `tl.dot` requests for `float32` products.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precision {
    Tf32,
    /// Three TF32 products per `float32` product.
    Tf32x3,
    Ieee,
    /// An expression with an unknown value, shortened.
    Unknown(String),
}

/// Maximum number of configurations per kernel. Configurations past the limit become a gap.
pub const MAX_CONFIGURATIONS: usize = 4096; // limit: time and memory

/// Maximum length in bytes of a text that is read. Source files are never longer.
const MAX_BYTES: usize = 4 << 20; // limit: time and memory

/// Reads the Triton kernels of a text, in text order.
pub fn kernels(text: &str) -> Vec<Kernel> {
    if text.len() > MAX_BYTES || memchr::memmem::find(text.as_bytes(), b"triton").is_none() {
        return Vec::new();
    }
    kernels::read(text)
}

impl Configuration {
    /// Value of a kernel parameter; `None` if the configuration does not set the parameter.
    pub fn value(&self, name: &str) -> Option<&Setting> {
        self.values.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

/// An expression as shown in messages: one line, truncated.
fn shortened(text: &str) -> String {
    const MAX: usize = 40; // limit: length of a message
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(MAX) {
        words.truncate(end);
        words.push('…');
    }
    words
}
