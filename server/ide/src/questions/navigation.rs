//! Queries about related locations: definitions, references, calls, symbols.

use crate::engine::cancel::Cancellable;
use crate::{CallItem, CallSite, NamedFunction, NavigationTarget, Reference, Relations, SourceLink, Symbol};
use std::ops::Range;

pub(crate) trait Navigation {
    fn symbols(&self) -> Cancellable<Vec<Symbol>> {
        Ok(Vec::new())
    }
    fn source_links(&self) -> Cancellable<Vec<SourceLink>> {
        Ok(Vec::new())
    }
    fn relations(&self, _offset: usize) -> Cancellable<Option<Relations>> {
        Ok(None)
    }
    fn definitions(&self, _offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
        None
    }
    fn references(&self, _offset: usize) -> Cancellable<Vec<Reference>> {
        Ok(Vec::new())
    }
    fn named_functions(&self) -> Cancellable<Vec<NamedFunction>> {
        Ok(Vec::new())
    }
    fn call_item(&self, _offset: usize) -> Option<CallItem> {
        None
    }
    fn incoming_calls(&self, _selection: usize) -> Cancellable<Vec<CallSite>> {
        Ok(Vec::new())
    }
    fn outgoing_calls(&self, _selection: usize) -> Vec<CallSite> {
        Vec::new()
    }
}
