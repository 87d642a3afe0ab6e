//! Evaluates the preprocessor conditions in declarations, and the macros in the heads of functions.

use super::head_macros::attributes_of;
use super::item::PlacedItem;
use super::preprocessor::{Conditions, Pass, State};
use super::source::Unit;
use super::stmt::{Loop, PreprocessorPart};
use super::{Alias, Attribute, Function, Included, Item, ItemKind, Macro, Stmt, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
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
    pub(super) fn read(text: &str, sm: Option<u16>, included: Option<&Included>) -> Self {
        let headers = included.map(Included::macros);
        let device = Conditions::read(text, Pass::Device { sm }, headers);
        let is_split = memchr::memmem::find(text.as_bytes(), b"__CUDA_ARCH__").is_some();
        Self { device, host: is_split.then(|| Conditions::read(text, Pass::Host, headers)) }
    }

    /// The conditions that apply to a declaration: the CPU's for host-only functions, otherwise the GPU's.
    pub fn around(&self, item: &Item) -> &Conditions {
        let is_host = matches!(&item.kind, ItemKind::Function(function) if !function.is_on_device());
        self.host.as_ref().filter(|_| is_host).unwrap_or(&self.device)
    }
}

/// Returns the declarations that are compiled or may be compiled. Each is reduced to the branches that may be
/// compiled, and functions have the attributes that macros expand to.
///
/// `by_default` evaluates the conditions of a compilation that defines no name on its command line. It is called only
/// if the text has alternative definitions of a name.
pub(super) fn decided(
    unit: &Arc<Unit>,
    conditions: &TextConditions,
    included: Option<&Arc<Included>>,
    by_default: impl FnOnce() -> Conditions,
) -> Arc<Unit> {
    let alternatives = alternatives(unit, &conditions.device, by_default);
    let is_kept = |placed: &PlacedItem| {
        !conditions.around(&placed.item).is_left_out(placed.start as usize)
            && !alternatives.contains(&placed.start)
    };
    let attributed = Attributed::new(unit, included);
    let items = unit.items.iter().map(|placed| attributed.item(placed));
    let items: Vec<Cow<'_, PlacedItem>> = items.filter(|placed| is_kept(placed)).collect();
    let is_unchanged =
        |placed: &Cow<'_, PlacedItem>| matches!(placed, Cow::Borrowed(own) if !own.item.has_conditions);
    if included.is_none() && items.len() == unit.items.len() && items.iter().all(is_unchanged) {
        return Arc::clone(unit);
    }
    let items = items.into_iter().map(|placed| {
        if !placed.item.has_conditions {
            return placed.into_owned();
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
    Arc::new(Unit::new(items.collect(), included.cloned()))
}

/// Returns the positions of the macros and aliases that other definitions of the same names replace unless the command
/// line of the compiler defines another name: `#define B A` in `#ifdef A`, if the `#else` has `#define B 8`.
fn alternatives(unit: &Unit, device: &Conditions, by_default: impl FnOnce() -> Conditions) -> FxHashSet<u32> {
    let named = unit.items.iter().filter_map(|placed| match &placed.item.kind {
        ItemKind::Macro(Macro { name, .. }) | ItemKind::Alias(Alias { name, .. }) => {
            Some((name.as_str(), placed.start))
        }
        _ => None,
    });
    let mut definitions: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    for (name, start) in named.filter(|(_, start)| !device.is_left_out(*start as usize)) {
        definitions.entry(name).or_default().push(start);
    }
    let is_unknown = |start: &u32| device.is_unknown(*start as usize);
    definitions.retain(|_, all| all.len() > 1 && all.iter().any(is_unknown));
    if definitions.is_empty() {
        return FxHashSet::default();
    }
    let default = by_default();
    let is_other = |start: &u32| is_unknown(start) && default.is_left_out(*start as usize);
    let replaced = definitions.into_values().filter(|all| !all.iter().all(is_other));
    replaced.flatten().filter(is_other).collect()
}

/// Adds the attributes that macros in the heads of functions expand to.
struct Attributed<'a> {
    /// Texts of the macros that the unit defines; empty if no function has a macro in its head.
    macros: FxHashMap<&'a str, &'a str>,
    included: Option<&'a Included>,
}

impl<'a> Attributed<'a> {
    fn new(unit: &'a Unit, included: Option<&'a Arc<Included>>) -> Self {
        let has_some =
            unit.items.iter().any(|placed| functions(&placed.item.kind).any(|own| !own.macros.is_empty()));
        let defined = unit.items.iter().filter(|_| has_some).filter_map(|placed| match &placed.item.kind {
            ItemKind::Macro(own) => Some((own.name.as_str(), own.text.as_str())),
            _ => None,
        });
        Self { macros: defined.collect(), included: included.map(|included| &**included) }
    }

    fn item<'i>(&self, placed: &'i PlacedItem) -> Cow<'i, PlacedItem> {
        if functions(&placed.item.kind).all(|own| own.macros.is_empty()) {
            return Cow::Borrowed(placed);
        }
        let more: Vec<Vec<Attribute>> =
            functions(&placed.item.kind).map(|own| self.attributes(own)).collect();
        if more.iter().all(Vec::is_empty) {
            return Cow::Borrowed(placed);
        }
        let mut chosen = Xxh3::new();
        chosen.update(&placed.hash.to_le_bytes());
        let mut item = Item::clone(&placed.item);
        for (function, more) in functions_mut(&mut item.kind).iter_mut().zip(more) {
            let added: Vec<u8> = more.iter().map(|attribute| *attribute as u8).chain([u8::MAX]).collect();
            chosen.update(&added);
            function.attributes.extend(more);
        }
        // The hash depends on the attributes, because other macros make one text a different declaration.
        Cow::Owned(PlacedItem { start: placed.start, hash: chosen.digest128(), item: Arc::new(item) })
    }

    /// Attributes that the head of the function has only by its macros.
    fn attributes(&self, function: &Function) -> Vec<Attribute> {
        let text = |name: &str| {
            let own = self.macros.get(name).copied();
            own.or_else(|| self.included?.macros().text(name))
        };
        let mut more: Vec<Attribute> =
            function.macros.iter().flat_map(|name| attributes_of(name, &text)).collect();
        more.retain(|attribute| !function.attributes.contains(attribute));
        more
    }
}

/// The functions of a declaration.
fn functions(kind: &ItemKind) -> std::slice::Iter<'_, Function> {
    match kind {
        ItemKind::Function(function) => std::slice::from_ref(function).iter(),
        ItemKind::Record(record) => record.methods.iter(),
        _ => [].iter(),
    }
}

fn functions_mut(kind: &mut ItemKind) -> &mut [Function] {
    match kind {
        ItemKind::Function(function) => std::slice::from_mut(function),
        ItemKind::Record(record) => &mut record.methods,
        _ => &mut [],
    }
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
        functions_mut(&mut item.kind)
            .iter_mut()
            .filter_map(|function| function.body.as_mut())
            .for_each(|body| self.stmt(body));
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
