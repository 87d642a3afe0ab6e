//! Macros that a text has defined up to the current line.

use super::Pass;
use rustc_hash::FxHashMap;

/// The definition of a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning<'t> {
    Undefined,
    /// A macro without parameters.
    Text(&'t str),
    /// A macro with parameters.
    Function,
    /// A name that only some compilations define.
    Unknown,
}

/// The macros that a text defines, and the predefined macros of the compiler.
pub(super) struct Definitions<'t> {
    pass: Pass,
    own: FxHashMap<&'t str, Meaning<'t>>,
}

impl<'t> Definitions<'t> {
    pub(super) fn new(pass: Pass) -> Self {
        Self { pass, own: FxHashMap::default() }
    }

    /// Sets or removes the text's definition of a name, and returns the previous definition.
    pub(super) fn set(&mut self, name: &'t str, meaning: Option<Meaning<'t>>) -> Option<Meaning<'t>> {
        match meaning {
            Some(meaning) => self.own.insert(name, meaning),
            None => self.own.remove(name),
        }
    }

    /// The text's definition of a name; `None` if the text does not define it.
    pub(super) fn own(&self, name: &str) -> Option<Meaning<'t>> {
        self.own.get(name).copied()
    }

    /// True if the name is defined; `None` if the definition depends on the compilation.
    pub(super) fn is_defined(&self, name: &str) -> Option<bool> {
        match self.own(name) {
            Some(Meaning::Undefined) => Some(false),
            Some(Meaning::Text(_) | Meaning::Function) => Some(true),
            Some(Meaning::Unknown) => None,
            None => match name {
                "__CUDA_ARCH__" => Some(self.pass != Pass::Host),
                // Every CUDA compilation defines these names.
                "__CUDACC__" | "__NVCC__" | "__cplusplus" => Some(true),
                _ => None,
            },
        }
    }

    /// Value of a predefined macro; `None` if the compiler does not predefine the name, or if the value is
    /// unknown.
    pub(super) fn built_in(&self, name: &str) -> Option<i64> {
        match (name, self.pass) {
            // Source: CUDA C++ programming guide, `__CUDA_ARCH__`: ten times the number of the architecture.
            ("__CUDA_ARCH__", Pass::Device { sm }) => sm.map(|sm| i64::from(sm) * 10),
            ("__CUDA_ARCH__", Pass::Host) | ("false", _) => Some(0),
            ("true", _) => Some(1),
            _ => None,
        }
    }
}
