//! Evaluates the preprocessor conditions in declarations.

use super::preprocessor::{Conditions, Pass, State};
use super::source::{PlacedItem, Unit};
use super::stmt::{Loop, PreprocessorPart};
use super::{Item, ItemKind, Stmt, StmtKind};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Preprocessor conditions in a source text, as evaluated when compiling for the GPU and for the CPU.
#[derive(Debug)]
pub struct TextConditions {
    device: Conditions,
    /// Conditions when compiling for the CPU; `None` if they are the same as for the GPU.
    host: Option<Conditions>,
}

impl TextConditions {
    /// Evaluates the `#if` conditions in a source text. `sm` is the architecture number of the GPU.
    pub(super) fn read(text: &str, sm: Option<u16>) -> Self {
        let device = Conditions::read(text, Pass::Device { sm });
        let is_split = memchr::memmem::find(text.as_bytes(), b"__CUDA_ARCH__").is_some();
        Self { device, host: is_split.then(|| Conditions::read(text, Pass::Host)) }
    }

    /// The conditions that apply to a declaration: the CPU's for host-only functions, otherwise the GPU's.
    pub fn around(&self, item: &Item) -> &Conditions {
        let is_host = matches!(&item.kind, ItemKind::Function(function) if !function.is_on_device());
        self.host.as_ref().filter(|_| is_host).unwrap_or(&self.device)
    }
}

/// Returns the declarations that are compiled or may be compiled. Each is reduced to the branches that may be
/// compiled.
pub(super) fn decided(unit: &Arc<Unit>, conditions: &TextConditions) -> Arc<Unit> {
    let is_kept = |placed: &PlacedItem| !conditions.around(&placed.item).is_left_out(placed.start as usize);
    if unit.items.iter().all(|placed| is_kept(placed) && !placed.item.has_conditions) {
        return Arc::clone(unit);
    }
    let items = unit.items.iter().filter(|placed| is_kept(placed)).map(|placed| {
        if !placed.item.has_conditions {
            return placed.clone();
        }
        let mut decider = Decider {
            conditions: conditions.around(&placed.item),
            start: placed.start as usize,
            chosen: Xxh3::new(),
        };
        decider.chosen.update(&placed.hash.to_le_bytes());
        let mut item = Item::clone(&placed.item);
        decider.item(&mut item);
        // The hash depends on the chosen branches, because one text with different branches is a different
        // declaration.
        PlacedItem { start: placed.start, hash: decider.chosen.digest128(), item: Arc::new(item) }
    });
    Arc::new(Unit::new(items.collect()))
}

struct Decider<'a> {
    conditions: &'a Conditions,
    /// Byte offset of the item in the text.
    start: usize,
    /// Hash of the branches chosen so far.
    chosen: Xxh3,
}

impl Decider<'_> {
    fn item(&mut self, item: &mut Item) {
        item.has_conditions = false;
        let functions = match &mut item.kind {
            ItemKind::Function(function) => std::slice::from_mut(function),
            ItemKind::Record(record) => &mut record.methods,
            _ => return,
        };
        functions.iter_mut().filter_map(|function| function.body.as_mut()).for_each(|body| self.stmt(body));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Preprocessor(parts) => {
                let body = self.choose(std::mem::take(parts));
                stmt.kind = StmtKind::Block(body);
            }
            StmtKind::Block(all) => self.block(all),
            StmtKind::Switch { cases, .. } => cases.iter_mut().for_each(|(_, body)| self.block(body)),
            StmtKind::If { init, then, otherwise, .. } => {
                let inner = init.iter_mut().chain([then]).chain(otherwise.iter_mut());
                inner.for_each(|inner| self.stmt(inner));
            }
            StmtKind::Loop(of) => {
                let Loop { init, body, .. } = &mut **of;
                init.iter_mut().chain([body]).for_each(|inner| self.stmt(inner));
            }
            StmtKind::ForEach { body, .. } => self.stmt(body),
            _ => {}
        }
    }

    /// Moves statements under a condition into the enclosing block.
    fn block(&mut self, all: &mut Vec<Stmt>) {
        let mut decided = Vec::with_capacity(all.len());
        for mut stmt in std::mem::take(all) {
            if let StmtKind::Preprocessor(parts) = &mut stmt.kind {
                decided.extend(self.choose(std::mem::take(parts)));
            } else {
                self.stmt(&mut stmt);
                decided.push(stmt);
            }
        }
        *all = decided;
    }

    /// The statements of the first branch that is or may be compiled.
    fn choose(&mut self, parts: Vec<PreprocessorPart>) -> Vec<Stmt> {
        let state = |part: &PreprocessorPart| self.conditions.state(self.start + part.directive as usize);
        let found = parts.iter().position(|part| state(part) != State::LeftOut);
        self.chosen.update(&found.map_or(u32::MAX, |at| at as u32).to_le_bytes());
        let mut body =
            found.and_then(|at| parts.into_iter().nth(at)).map(|part| part.body).unwrap_or_default();
        self.block(&mut body);
        body
    }
}
