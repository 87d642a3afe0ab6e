//! Facts about a module that the lowering of its functions uses: the storage locations of variables.

use super::types::Type;
use rustc_hash::FxHashMap;
use syntax::ptx::{FunctionKind, Item, ItemKind, Module, Variable, literal};

/// Storage locations of a module's variables, and the memory that the variables occupy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Variables with their storage locations, sorted by name.
    variables: Vec<(Box<str>, Storage)>,
    /// First free byte of shared memory. `constants` and `globals` are the first free bytes of constant bank
    /// 3 and of the address table in constant bank 4.
    pub(super) shared: u32,
    constants: u32,
    globals: u32,
}

/// Storage location of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Storage {
    /// Byte offset from the start of the block's shared memory.
    Shared(u32),
    /// Byte offset in constant bank 3.
    Constant(u32),
    /// Byte offset of the variable's address in constant bank 4.
    Global(u32),
    /// Byte offset from the start of the thread's local memory.
    Local(u32),
    /// Byte offset from the start of the parameters. For a kernel, the parameter is in constant bank 0; otherwise it is
    /// in a register.
    Parameter(u32),
}

impl Facts {
    /// Returns a hash of all facts.
    pub fn hash(&self) -> u64 {
        use std::hash::{Hash, Hasher};
        let mut hasher = rustc_hash::FxHasher::default();
        Hash::hash(self, &mut hasher);
        hasher.finish()
    }

    /// Collects the module's variables in time linear in their number. Functions are not examined.
    pub fn collect(module: &Module) -> Self {
        let mut facts = Self::default();
        for item in module.items() {
            if item.kind() == ItemKind::Variable
                && let Some(variable) = item.statements().first().and_then(|first| item.variable(first))
            {
                facts.declare(item, &variable);
            }
        }
        facts.variables.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        facts
    }

    pub(super) fn place(&self, name: &str) -> Option<Storage> {
        let at = self.variables.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        Some(self.variables[at].1)
    }

    fn declare(&mut self, item: &Item, variable: &Variable<'_>) {
        let Some(space) = variable.space().map(|token| item.token_text(token)) else { return };
        for (name, size, align) in sizes(item, variable) {
            let place = match space {
                ".shared" | ".shared::cta" => Storage::Shared(take(&mut self.shared, size, align)),
                ".const" => Storage::Constant(take(&mut self.constants, size, align)),
                ".global" => Storage::Global(take(&mut self.globals, 8, 8)),
                _ => continue,
            };
            self.variables.push((name.into(), place));
        }
    }
}

/// Reserves `size` bytes at the next aligned offset, and returns this offset.
pub(super) fn take(free: &mut u32, size: u32, align: u32) -> u32 {
    let at = free.checked_next_multiple_of(align.max(1)).unwrap_or(*free);
    *free = at.saturating_add(size);
    at
}

/// Returns the names of a declaration, each with its size and alignment in bytes. An array without a length
/// has 0 bytes.
pub(super) fn sizes<'a>(item: &'a Item, variable: &Variable<'a>) -> Vec<(&'a str, u32, u32)> {
    let number = |text: &str| literal::integer(text).and_then(|value| u32::try_from(value).ok());
    let ty = variable.ty().map_or("b32", |token| item.token_text(token).trim_start_matches('.'));
    let element = Type::from_name(ty).bits().unwrap_or(32).div_ceil(8);
    let lanes = variable.vector().and_then(|token| number(item.token_text(token).trim_start_matches(".v")));
    let element = element.saturating_mul(lanes.unwrap_or(1));
    let align = variable.align().and_then(|token| number(item.token_text(token))).unwrap_or(element);
    let one = |declarator: syntax::ptx::Declarator<'a>| {
        let dimensions = declarator.dimensions();
        let dimensions =
            dimensions.map(|token| token.and_then(|token| number(item.token_text(token))).unwrap_or(0));
        (item.token_text(declarator.name), dimensions.fold(element, u32::saturating_mul), align)
    };
    variable.declarators().map(one).collect()
}

/// Names that the scopes of a function declare, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes<'a> {
    scopes: Vec<FxHashMap<&'a str, Declaration>>,
}

/// Declaration that a name in a function refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declaration {
    /// Registers of `words` 32-bit words each. If `count` is set, the names carry a number, as in `%r0`.
    Register {
        words: u8,
        first: u32,
        count: Option<u32>,
    },
    Variable(Storage),
}

impl<'a> Scopes<'a> {
    pub(super) fn open(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn declare(&mut self, name: &'a str, declared: Declaration) {
        if self.scopes.is_empty() {
            self.open();
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, declared);
        }
    }

    /// Looks up a name: a register with its number within the function and its word count, or a variable with
    /// its storage location. `None` if the name is not declared.
    pub(super) fn find(&self, name: &str) -> Option<Declaration> {
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number = name[stem.len()..].parse::<u32>().ok();
        for scope in self.scopes.iter().rev() {
            if let Some(&found @ (Declaration::Variable(_) | Declaration::Register { count: None, .. })) =
                scope.get(name)
            {
                return Some(found);
            }
            if let Some(number) = number
                && let Some(&Declaration::Register { words, first, count: Some(count) }) = scope.get(stem)
                && number < count
            {
                return Some(Declaration::Register {
                    words,
                    first: first.saturating_add(number),
                    count: None,
                });
            }
        }
        None
    }
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter<'a> {
    pub name: &'a str,
    /// Byte offset from the start of the first parameter.
    pub offset: u32,
    pub bytes: u32,
}

/// Returns the parameters of a kernel, laid out like the members of a C struct. Empty for other items.
pub fn parameters(item: &Item) -> Vec<Parameter<'_>> {
    let Some(function) = item.function().filter(|function| function.kind == FunctionKind::Entry) else {
        return Vec::new();
    };
    let mut free = 0;
    let all = item.parameters(function.parameters).flat_map(|parameter| sizes(item, &parameter));
    let place = |(name, bytes, align)| Parameter { name, offset: take(&mut free, bytes, align), bytes };
    all.map(place).collect()
}
