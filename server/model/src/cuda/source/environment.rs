//! Names that a translation unit declares outside functions.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use syntax::cuda::{
    Alias, Enumerator, Expr, FIRST_INCLUDED, Function, Included, Instantiation, Item, ItemKind, Macro,
    Memory, PlacedItem, Record, Unit, Variable, name_hash,
};

/// Declarations of a translation unit by name: those of the text, then those of the headers that it includes. If a name
/// is declared more than once, a function definition takes precedence; otherwise the first declaration does.
#[derive(Debug, Clone)]
pub struct Environment {
    unit: Arc<Unit>,
    names: Arc<Names>,
}

/// Indices of the items that names refer to. Translation units that declare the same names in the same order
/// share this table.
#[derive(Debug, Default)]
pub struct Names {
    /// Functions by unqualified name: all definitions, or the first declaration if the function has no
    /// definition.
    functions: FxHashMap<String, Vec<u32>>,
    /// Methods that are defined outside their structures, by name.
    methods: FxHashMap<String, Vec<u32>>,
    /// Macros, records and aliases by unqualified name.
    macros: FxHashMap<String, u32>,
    records: FxHashMap<String, u32>,
    aliases: FxHashMap<String, u32>,
    /// Index of the item, and index of the variable within the item.
    variables: FxHashMap<String, (u32, u32)>,
    enumerators: FxHashMap<String, (u32, u32)>,
    /// Explicit instantiations by the unqualified names of their functions.
    instantiations: FxHashMap<String, Vec<u32>>,
    /// Items by the hashes of the names that they declare.
    declared: FxHashMap<u64, Vec<u32>>,
    /// Names that the headers declare.
    included: Option<IncludedNames>,
}

/// Names that the headers of a translation unit declare.
#[derive(Debug, Clone)]
struct IncludedNames {
    names: Arc<Names>,
    of: Arc<Included>,
}

/// A constant that a translation unit declares.
pub(crate) enum Constant<'a> {
    /// The value of a macro; `None` if the macro has parameters or its body is not an expression.
    Macro(Option<&'a Expr>),
    /// An enumerator: an expression (0 if `None`) plus a number.
    Enumerator(Option<&'a Expr>, i64),
    /// The initializer of a constant variable.
    Variable(&'a Expr),
}

/// Returns a name without its scopes: `x` for `ns::x`.
pub(crate) fn last_part(name: &str) -> &str {
    name.rfind(':').map_or(name, |at| &name[at + 1..])
}

/// Returns a method's name without spaces, in the form that structures use: `operator()` for `operator ()`.
fn spelled(name: &str) -> String {
    name.split_whitespace().collect()
}

impl IncludedNames {
    fn new(of: &Arc<Included>) -> Self {
        Self { names: Arc::new(Names::from_items(of.items(), FIRST_INCLUDED, None)), of: Arc::clone(of) }
    }
}

impl Names {
    /// Collects the names that items declare. `first` is the index of the first item.
    fn from_items(items: &[PlacedItem], first: u32, included: Option<IncludedNames>) -> Self {
        let mut all = Self { included, ..Self::default() };
        for (placed, at) in items.iter().zip(first..) {
            match &placed.item.kind {
                ItemKind::Macro(of) => {
                    all.macros.entry(of.name.clone()).or_insert(at);
                }
                ItemKind::Record(of) => {
                    all.records.entry(of.name.clone()).or_insert(at);
                }
                ItemKind::Alias(of) => {
                    all.aliases.entry(of.name.clone()).or_insert(at);
                }
                ItemKind::Variables(variables) => {
                    for (variable, number) in variables.iter().zip(0..) {
                        all.variables.entry(variable.name.clone()).or_insert((at, number));
                    }
                }
                ItemKind::Enumerators(each) => {
                    for (enumerator, number) in each.iter().zip(0..) {
                        all.enumerators.entry(enumerator.name.clone()).or_insert((at, number));
                    }
                }
                ItemKind::Instantiation(of) => {
                    all.instantiations.entry(of.function.clone()).or_default().push(at);
                }
                ItemKind::Function(_) | ItemKind::Other => {}
            }
        }
        for (placed, at) in items.iter().zip(first..) {
            if let ItemKind::Function(function) = &placed.item.kind {
                all.declare_function(function, at, |at| &items[(at - first) as usize]);
            }
        }
        all.declare();
        all
    }

    fn declare_function<'i>(&mut self, function: &Function, at: u32, item: impl Fn(u32) -> &'i PlacedItem) {
        if function.scope.as_ref().is_some_and(|scope| self.first(|names| &names.records, scope).is_some()) {
            if function.body.is_some() {
                self.methods.entry(spelled(&function.name)).or_default().push(at);
            }
            return;
        }
        let known = self.functions.entry(function.name.clone()).or_default();
        let has_body = |at: &u32| function_of(&item(*at).item).is_some_and(|of| of.body.is_some());
        if function.body.is_some() {
            known.retain(has_body);
            known.push(at);
        } else if known.is_empty() {
            known.push(at);
        }
    }

    /// The tables of the text and of the headers.
    fn tables(&self) -> impl Iterator<Item = &Self> + Clone {
        [Some(self), self.included.as_ref().map(|included| &*included.names)].into_iter().flatten()
    }

    /// Returns the entry of a name in a table of the text or, if it has none, of the headers.
    fn first<'n, T>(
        &'n self,
        table: impl Fn(&'n Self) -> &'n FxHashMap<String, T>,
        name: &str,
    ) -> Option<&'n T> {
        self.tables().find_map(|names| table(names).get(name))
    }

    /// Returns the entries of a name in a table of the text and in that of the headers.
    fn both<'n>(&'n self, table: fn(&Self) -> &FxHashMap<String, Vec<u32>>, name: &str) -> [&'n [u32]; 2] {
        let of = |names: &'n Self| table(names).get(name).map_or(&[][..], Vec::as_slice);
        [of(self), self.included.as_ref().map_or(&[], |included| of(&included.names))]
    }

    /// Indexes the items by the hashes of the names that they declare.
    fn declare(&mut self) {
        let whole = [&self.macros, &self.records, &self.aliases].into_iter();
        let whole = whole.flat_map(|names| names.iter().map(|(name, at)| (name, *at)));
        let functions = self
            .functions
            .iter()
            .chain(&self.methods)
            .flat_map(|(name, all)| all.iter().map(move |at| (name, *at)));
        let parts = [&self.variables, &self.enumerators].into_iter();
        let parts = parts.flat_map(|names| names.iter().map(|(name, (at, _))| (name, *at)));
        for (name, at) in whole.chain(parts).chain(functions) {
            self.declared.entry(name_hash(last_part(name))).or_default().push(at);
        }
    }
}

impl Environment {
    /// Collects the names of a translation unit.
    pub fn new(unit: &Arc<Unit>) -> Self {
        Self::with(unit, unit.included().map(IncludedNames::new))
    }

    fn with(unit: &Arc<Unit>, included: Option<IncludedNames>) -> Self {
        let names = Names::from_items(&unit.items, 0, included);
        Self { unit: Arc::clone(unit), names: Arc::new(names) }
    }

    /// Collects the names of a translation unit. If `earlier` declares the same names in the same order, the
    /// result shares the table of names with `earlier`.
    pub fn after(earlier: &Self, unit: &Arc<Unit>) -> Self {
        let is_same = |(one, other): (&PlacedItem, &PlacedItem)| {
            Arc::ptr_eq(&one.item, &other.item) || declares_the_same(&one.item.kind, &other.item.kind)
        };
        let (one, other) = (&earlier.unit.items, &unit.items);
        let known = earlier.names.included.as_ref();
        let included = unit.included().map(|of| match known {
            Some(known) if Arc::ptr_eq(&known.of, of) => known.clone(),
            _ => IncludedNames::new(of),
        });
        let has_same_headers = match (known, &included) {
            (Some(known), Some(included)) => Arc::ptr_eq(&known.of, &included.of),
            (known, included) => known.is_none() && included.is_none(),
        };
        if has_same_headers && one.len() == other.len() && one.iter().zip(other).all(is_same) {
            return Self { unit: Arc::clone(unit), names: Arc::clone(&earlier.names) };
        }
        Self::with(unit, included)
    }

    /// Returns the table of names. Environments that share a table return the same `Arc`.
    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }

    /// Returns the items that an item depends on, in source order: the item, and transitively all items named
    /// in it. A function is included only if `may_call` returns true for the function.
    pub fn reached(&self, item: u32, may_call: impl Fn(&Function) -> bool) -> Vec<u32> {
        let (mut found, mut known) = (vec![item], FxHashSet::from_iter([item]));
        let mut at = 0;
        while let Some(&item) = found.get(at) {
            at += 1;
            let names = self.item(item).names.iter();
            let declared =
                names.flat_map(|name| self.names.tables().filter_map(|table| table.declared.get(name)));
            for &next in declared.flatten() {
                if !known.contains(&next) && function_of(self.item(next)).is_none_or(&may_call) {
                    known.insert(next);
                    found.push(next);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Returns the translation unit.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.unit
    }

    fn item(&self, at: u32) -> &Item {
        &self.unit.item(at).expect("tables of names have only indices of the unit").item
    }

    /// Returns the first function with this name, and the function's item index. `None` if no function has
    /// this name.
    pub fn function(&self, name: &str) -> Option<(u32, &Function)> {
        self.functions(name).next()
    }

    /// Iterates over the functions with this name in all scopes, including overloads, each with its item
    /// index, in source order.
    pub fn functions(&self, name: &str) -> impl Iterator<Item = (u32, &Function)> + Clone {
        let [mut own, mut included] = self.names.both(|names| &names.functions, last_part(name));
        let is_defined = |all: &[u32]| {
            all.first().is_some_and(|at| function_of(self.item(*at)).is_some_and(|of| of.body.is_some()))
        };
        // Of one function, a text may have the definition and a header the declaration, or the other way round.
        match (is_defined(own), is_defined(included)) {
            (true, false) => included = &[],
            (false, true) => own = &[],
            (false, false) if !own.is_empty() => included = &[],
            _ => {}
        }
        own.iter().chain(included).filter_map(|at| Some((*at, function_of(self.item(*at))?)))
    }

    /// Iterates over the explicit instantiations of a function template, in source order, each with its item index.
    pub(crate) fn instantiations(&self, function: &str) -> impl Iterator<Item = (u32, &Instantiation)> {
        let [own, included] = self.names.both(|names| &names.instantiations, last_part(function));
        own.iter().chain(included).filter_map(|at| match &self.item(*at).kind {
            ItemKind::Instantiation(of) => Some((*at, of)),
            _ => None,
        })
    }

    /// Returns the only function with this name, and the function's item index. `None` if no function or
    /// several functions have this name.
    pub(crate) fn only_function(&self, name: &str) -> Option<(u32, &Function)> {
        let mut all = self.functions(name);
        all.next().filter(|_| all.next().is_none())
    }

    /// Returns the definition of a method outside its structure, and the definition's item index. `None`
    /// unless exactly one definition has the same structure, name and parameter count.
    pub(crate) fn method_outside(&self, record: &Record, method: &Function) -> Option<(u32, &Function)> {
        let [own, included] = self.names.both(|names| &names.methods, &method.name);
        let all = own.iter().chain(included).filter_map(|at| Some((*at, function_of(self.item(*at))?)));
        let mut meant = all.filter(|(_, own)| {
            own.scope.as_ref() == Some(&record.name) && own.parameters.len() == method.parameters.len()
        });
        meant.next().filter(|_| meant.next().is_none())
    }

    /// Returns the function that an item declares; `None` if the item is not a function.
    pub(crate) fn function_at(&self, item: u32) -> Option<&Function> {
        function_of(&self.unit.item(item)?.item)
    }

    /// Returns the expression that a macro expands to. `None` if the name is not a macro or the macro body is
    /// not an expression.
    pub fn value_of_macro(&self, name: &str) -> Option<&Expr> {
        self.macro_named(name)?.value.as_ref()
    }

    /// Returns the constant that a name refers to outside functions. A macro hides an enumerator or a
    /// variable with the same name. An enumerator hides a variable.
    pub(crate) fn constant(&self, name: &str) -> Option<Constant<'_>> {
        if let Some(of) = self.macro_named(name) {
            return Some(Constant::Macro(of.value.as_ref().filter(|_| of.parameters.is_none())));
        }
        if let Some((of, more)) = self.enumerator(name) {
            return Some(Constant::Enumerator(of, more));
        }
        let (_, variable) = self.variable(name)?;
        let is_plain = variable.is_constexpr || variable.memory == Memory::Local;
        constant_value(variable).filter(|_| is_plain).map(Constant::Variable)
    }

    pub(crate) fn macro_named(&self, name: &str) -> Option<&Macro> {
        match &self.item(*self.names.first(|names| &names.macros, name)?).kind {
            ItemKind::Macro(of) => Some(of),
            _ => None,
        }
    }

    pub(crate) fn record(&self, name: &str) -> Option<&Record> {
        self.record_item(name).map(|(_, record)| record)
    }

    /// Returns the structure with this name, and the structure's item index.
    pub(crate) fn record_item(&self, name: &str) -> Option<(u32, &Record)> {
        let at = *self.names.first(|names| &names.records, last_part(name))?;
        match &self.item(at).kind {
            ItemKind::Record(of) => Some((at, of)),
            _ => None,
        }
    }

    pub(crate) fn alias(&self, name: &str) -> Option<&Alias> {
        match &self.item(*self.names.first(|names| &names.aliases, last_part(name))?).kind {
            ItemKind::Alias(of) => Some(of),
            _ => None,
        }
    }

    /// Returns the variable with this name, and a number that identifies the variable in the translation
    /// unit.
    pub(crate) fn variable(&self, name: &str) -> Option<(u32, &Variable)> {
        let (at, number) = *self.names.first(|names| &names.variables, last_part(name))?;
        match &self.item(at).kind {
            ItemKind::Variables(all) => Some((at << 8 | number & 0xff, all.get(number as usize)?)),
            _ => None,
        }
    }

    /// Returns the value of an enumerator: an expression (0 if `None`) plus a number. `None` if no enumerator
    /// has this name.
    pub(crate) fn enumerator(&self, name: &str) -> Option<(Option<&Expr>, i64)> {
        let (at, number) = *self.names.first(|names| &names.enumerators, last_part(name))?;
        let ItemKind::Enumerators(all) = &self.item(at).kind else { return None };
        let own: &[Enumerator] = all.get(..=number as usize)?;
        let stated = own.iter().rposition(|each| each.value.is_some());
        Some(match stated {
            Some(at) => (own[at].value.as_ref(), i64::from(number) - at as i64),
            None => (None, i64::from(number)),
        })
    }
}

/// Returns the initial value of a `const` or `constexpr` variable; `None` for other variables.
pub(crate) fn constant_value(variable: &Variable) -> Option<&Expr> {
    variable.value.as_ref().filter(|_| variable.is_constexpr || variable.of.is_const)
}

/// True if two items have the same kind and declare the same names.
fn declares_the_same(one: &ItemKind, other: &ItemKind) -> bool {
    match (one, other) {
        (ItemKind::Function(one), ItemKind::Function(other)) => {
            one.name == other.name && one.scope == other.scope && one.body.is_some() == other.body.is_some()
        }
        (ItemKind::Macro(one), ItemKind::Macro(other)) => one.name == other.name,
        (ItemKind::Record(one), ItemKind::Record(other)) => one.name == other.name,
        (ItemKind::Alias(one), ItemKind::Alias(other)) => one.name == other.name,
        (ItemKind::Variables(one), ItemKind::Variables(other)) => {
            one.iter().map(|one| &one.name).eq(other.iter().map(|other| &other.name))
        }
        (ItemKind::Enumerators(one), ItemKind::Enumerators(other)) => {
            one.iter().map(|one| &one.name).eq(other.iter().map(|other| &other.name))
        }
        (ItemKind::Instantiation(one), ItemKind::Instantiation(other)) => one.function == other.function,
        (ItemKind::Other, ItemKind::Other) => true,
        _ => false,
    }
}

fn function_of(item: &Item) -> Option<&Function> {
    match &item.kind {
        ItemKind::Function(function) => Some(function),
        _ => None,
    }
}
