//! Types of structures that were resolved before.

use crate::cuda::source::types::Type;
use rustc_hash::FxHashMap;

/// Types of the structures without template parameters. A structure that contains itself, through a pointer, has an
/// unknown type within its own fields.
#[derive(Debug)]
pub(super) struct RecordTypes<'a> {
    known: FxHashMap<&'a str, Type>,
    /// Structures whose fields are being resolved, the innermost last.
    open: Vec<&'a str>,
    /// Smallest index in `open` of a structure whose type was requested. The structures above it are incomplete.
    outermost: usize,
}

impl<'a> RecordTypes<'a> {
    pub(super) fn new() -> Self {
        Self { known: FxHashMap::default(), open: Vec::new(), outermost: usize::MAX }
    }

    /// Returns the type of a structure. `None` if it must be resolved: the caller then resolves it and calls
    /// [`Self::end`].
    pub(super) fn begin(&mut self, name: &'a str) -> Option<Type> {
        if let Some(known) = self.known.get(name) {
            return Some(known.clone());
        }
        if let Some(at) = self.open.iter().position(|open| *open == name) {
            self.outermost = self.outermost.min(at);
            return Some(Type::Unknown);
        }
        self.open.push(name);
        None
    }

    /// Ends the resolution of the structure that was begun last.
    pub(super) fn end(&mut self, of: &Type) {
        let Some(name) = self.open.pop() else { return };
        let is_complete = self.outermost >= self.open.len();
        if is_complete {
            self.outermost = usize::MAX;
            self.known.insert(name, of.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_within_one_that_is_open_are_not_kept_if_they_refer_to_it() {
        let mut all = RecordTypes::new();
        let of = Type::Float(4);
        assert_eq!(all.begin("outer"), None);
        assert_eq!(all.begin("plain"), None);
        all.end(&of);
        assert_eq!(all.begin("inner"), None);
        assert_eq!(all.begin("outer"), Some(Type::Unknown));
        all.end(&of);
        assert_eq!(all.begin("plain"), Some(Type::Float(4)));
        all.end(&of);
        assert_eq!(all.begin("outer"), Some(Type::Float(4)));
        assert_eq!(all.begin("inner"), None);
    }
}
