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

/// Macros that the headers of a text define.
#[derive(Debug, Default)]
pub(in crate::cuda) struct HeaderMacros {
    /// Text of each macro, and true for a macro with parameters. `None` if only some compilations define it.
    known: FxHashMap<String, Option<(bool, String)>>,
}

impl HeaderMacros {
    /// Adds a definition, which replaces an earlier one. `text` is `None` if only some compilations have it.
    pub(in crate::cuda) fn define(&mut self, name: &str, has_parameters: bool, text: Option<&str>) {
        self.known.insert(name.to_owned(), text.map(|text| (has_parameters, text.to_owned())));
    }

    /// Text of a macro; `None` if no header defines it in every compilation.
    pub(in crate::cuda) fn text(&self, name: &str) -> Option<&str> {
        Some(&self.known.get(name)?.as_ref()?.1)
    }

    fn meaning(&self, name: &str) -> Option<Meaning<'_>> {
        Some(match self.known.get(name)? {
            None => Meaning::Unknown,
            Some((true, _)) => Meaning::Function,
            Some((false, text)) => Meaning::Text(text),
        })
    }
}

/// The macros that a text and its headers define, and the predefined macros of the compiler.
pub(super) struct Definitions<'t> {
    pass: Pass,
    headers: Option<&'t HeaderMacros>,
    /// True if names without a known definition count as undefined.
    assumes_undefined: bool,
    own: FxHashMap<&'t str, Meaning<'t>>,
}

impl<'t> Definitions<'t> {
    pub(super) fn new(pass: Pass, headers: Option<&'t HeaderMacros>) -> Self {
        Self { pass, headers, assumes_undefined: false, own: FxHashMap::default() }
    }

    /// Returns these definitions, in which names without a known definition count as undefined.
    pub(super) fn assuming_undefined(self) -> Self {
        Self { assumes_undefined: true, ..self }
    }

    /// Sets or removes the text's definition of a name, and returns the previous definition.
    pub(super) fn set(&mut self, name: &'t str, meaning: Option<Meaning<'t>>) -> Option<Meaning<'t>> {
        match meaning {
            Some(meaning) => self.own.insert(name, meaning),
            None => self.own.remove(name),
        }
    }

    /// The definition of a name; `None` if neither the text nor its headers define it.
    pub(super) fn stated(&self, name: &str) -> Option<Meaning<'t>> {
        self.own.get(name).copied().or_else(|| self.headers?.meaning(name))
    }

    /// True if the name is defined; `None` if the definition depends on the compilation.
    pub(super) fn is_defined(&self, name: &str) -> Option<bool> {
        match self.stated(name) {
            Some(Meaning::Undefined) => Some(false),
            Some(Meaning::Text(_) | Meaning::Function) => Some(true),
            Some(Meaning::Unknown) => None,
            None => match name {
                "__CUDA_ARCH__" => Some(self.pass != Pass::Host),
                // Every CUDA compilation defines these names.
                "__CUDACC__" | "__NVCC__" | "__cplusplus" => Some(true),
                _ => self.assumes_undefined.then_some(false),
            },
        }
    }

    /// Value of a name without a definition: that of a predefined macro; `None` if the value is unknown.
    pub(super) fn built_in(&self, name: &str) -> Option<i64> {
        match (name, self.pass) {
            // Source: CUDA C++ programming guide, `__CUDA_ARCH__`: ten times the number of the architecture.
            ("__CUDA_ARCH__", Pass::Device { sm }) => sm.map(|sm| i64::from(sm) * 10),
            ("__CUDA_ARCH__", Pass::Host) | ("false", _) => Some(0),
            ("true", _) => Some(1),
            ("__CUDACC__" | "__NVCC__" | "__cplusplus", _) => None,
            _ => self.assumes_undefined.then_some(0),
        }
    }
}
