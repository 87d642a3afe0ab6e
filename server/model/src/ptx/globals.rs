//! Declarations at module scope.

use super::symbol::{Symbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use syntax::ptx::{FunctionKind, Item, ItemKind, Module};

/// Names that a module declares at module scope, each with all its declarations.
#[derive(Debug, Clone, Default)]
pub struct Globals {
    all: Vec<Global>,
    /// Indices of the declarations of a name, in source order.
    by_name: FxHashMap<Box<str>, Vec<u32>>,
}

/// A declaration at module scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    pub name: Box<str>,
    /// Index of the declaring item.
    pub item: usize,
    /// Token index of the declaring name within the item.
    pub token: u32,
    pub kind: SymbolKind,
    /// The variable. `None` for functions, aliases and section labels.
    pub variable: Option<Symbol>,
    /// Type of a variable, without its dot; `None` for other symbols.
    pub ty: Option<Box<str>>,
    /// Linkage without its dot: `extern`, `visible`, `weak`, `common`. `None` if no linkage is specified.
    pub linkage: Option<Box<str>>,
    /// Signature of a function. `None` for other symbols.
    pub function: Option<Signature>,
    /// True for a function with a body, a variable that is not `.extern`, or an alias.
    pub is_definition: bool,
}

/// Signature of a function, as callers use it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Signature {
    pub is_entry: bool,
    pub results: Box<[Parameter]>,
    pub parameters: Box<[Parameter]>,
    pub is_noreturn: bool,
}

/// A parameter or a result in a signature.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// State space: `reg` or `param`.
    pub space: Box<str>,
    /// Type without its dot.
    pub ty: Box<str>,
    pub vector: u8,
    /// Number of array elements; the inner `None` means that a bracket is empty. The outer `None` means a
    /// scalar.
    pub elements: Option<Option<u64>>,
    pub align: Option<u64>,
}

impl Globals {
    /// Collects the declarations of all items.
    pub fn collect(module: &Module) -> Self {
        let mut globals = Self::default();
        for (index, item) in module.items().iter().enumerate() {
            globals.add_item(index, item);
        }
        globals
    }

    /// Returns the first declaration of a name.
    pub fn find(&self, name: &str) -> Option<&Global> {
        self.all_of(name).next()
    }

    /// Iterates over all declarations of a name, in source order.
    pub fn all_of(&self, name: &str) -> impl Iterator<Item = &Global> {
        self.by_name.get(name).into_iter().flatten().map(|&index| &self.all[index as usize])
    }

    /// Returns all declarations, in source order.
    pub fn all(&self) -> &[Global] {
        &self.all
    }

    /// Returns a hash of the declarations that an item's names refer to. If the hash is unchanged, these
    /// declarations do not change the item's findings.
    pub fn fingerprint<'n>(&self, names: impl Iterator<Item = &'n str>, item: usize) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        for name in names {
            for global in self.all_of(name) {
                global.item.cmp(&item).hash(&mut hasher);
                global.kind.hash(&mut hasher);
                global.ty.hash(&mut hasher);
                global.linkage.hash(&mut hasher);
                global.function.hash(&mut hasher);
                global.is_definition.hash(&mut hasher);
                if let Some(variable) = &global.variable {
                    variable.space.hash(&mut hasher);
                    variable.vector.hash(&mut hasher);
                    variable.dimensions.hash(&mut hasher);
                    variable.align.hash(&mut hasher);
                }
            }
            u8::MAX.hash(&mut hasher);
        }
        hasher.finish()
    }

    fn add_item(&mut self, index: usize, item: &Item) {
        match item.kind() {
            ItemKind::Function => self.add_function(index, item),
            ItemKind::Variable => {
                for (at, statement) in item.statements().iter().enumerate() {
                    let Some(variable) = item.variable(statement) else { continue };
                    let linkage = variable.linkage().map(|token| undotted(item.token_text(token)));
                    for symbol in Symbol::all_of(item, variable, SymbolKind::Variable, at as u32) {
                        self.add(Global {
                            name: symbol.name(item).into(),
                            item: index,
                            token: symbol.token,
                            kind: symbol.kind,
                            ty: symbol.type_word(item).map(Box::from),
                            is_definition: linkage.as_deref() != Some("extern"),
                            linkage: linkage.clone(),
                            function: None,
                            variable: Some(symbol),
                        });
                    }
                }
            }
            // `.alias name, function;` needs an earlier declaration of the name.
            ItemKind::Section => {
                for statement in item.statements() {
                    if let Some(name) = item.label(statement) {
                        self.add(named(name, index, statement.tokens.start, SymbolKind::Label));
                    }
                }
            }
            ItemKind::Directive | ItemKind::Blank | ItemKind::Error => {}
        }
    }

    fn add_function(&mut self, index: usize, item: &Item) {
        let Some((function, name)) = item.function().zip(item.name()) else { return };
        let Some(token) = function.name else { return };
        let linkage = function.linkage.and_then(|token| item.tokens().get(token as usize));
        let parameters = |range| -> Box<[Parameter]> {
            item.parameters(range)
                .flat_map(|one| Symbol::all_of(item, one, SymbolKind::Parameter, 0).collect::<Vec<_>>())
                .map(|symbol| Parameter::from_symbol(&symbol, item))
                .collect()
        };
        let mut performance = item.performance(function);
        let signature = Signature {
            is_entry: function.kind == FunctionKind::Entry,
            results: parameters(function.returns),
            parameters: parameters(function.parameters),
            is_noreturn: performance.any(|directive| item.token_text(directive.word) == ".noreturn"),
        };
        self.add(Global {
            linkage: linkage.map(|token| undotted(item.token_text(token))),
            function: Some(signature),
            is_definition: function.body.is_some(),
            ..named(name, index, token, SymbolKind::Function)
        });
    }

    fn add(&mut self, global: Global) {
        self.by_name.entry(global.name.clone()).or_default().push(self.all.len() as u32);
        self.all.push(global);
    }
}

impl Parameter {
    /// Reads the declaration of a parameter or a result. The space is `param` if the declaration names no
    /// space.
    pub fn from_symbol(symbol: &Symbol, item: &Item) -> Self {
        Self {
            space: symbol.space.map_or("param", super::Space::word).into(),
            ty: symbol.type_word(item).unwrap_or_default().into(),
            vector: symbol.vector,
            elements: (!symbol.dimensions.is_empty()).then(|| symbol.elements()),
            align: symbol.align,
        }
    }
}

fn named(name: &str, item: usize, token: u32, kind: SymbolKind) -> Global {
    Global {
        name: name.into(),
        item,
        token,
        kind,
        variable: None,
        ty: None,
        linkage: None,
        function: None,
        is_definition: true,
    }
}

fn undotted(word: &str) -> Box<str> {
    word.trim_start_matches('.').into()
}
