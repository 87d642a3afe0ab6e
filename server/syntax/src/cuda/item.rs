//! Declarations outside of functions.

use super::asm;
use super::{Expr, Stmt, TypeName, Variable};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// A declaration. All bytes in it count from its own start.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub kind: ItemKind,
    /// Bytes of the text.
    pub length: u32,
    /// Bytes that do not parse.
    pub errors: Vec<Range<u32>>,
    /// Hashes of the names in the text, by [`name_hash`], each once: what it may refer to.
    pub names: Box<[u64]>,
    /// Its statements contain preprocessor conditions, which are not decided.
    pub has_conditions: bool,
    /// The `asm` statements in the text, in order.
    pub asm: Box<[asm::Block]>,
}

/// Returns the hash that [`Item::names`] has for a name.
pub fn name_hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Returns the hashes of all names in a text.
pub(super) fn names_in(text: &str) -> Box<[u64]> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words =
        text.split(|c| !is_part(c)).filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let mut names: Vec<u64> = words.map(name_hash).collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// Kind of a declaration.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "each stands in a shared item of its own")]
pub enum ItemKind {
    Function(Function),
    Variables(Vec<Variable>),
    Record(Record),
    Alias(Alias),
    Enumerators(Vec<Enumerator>),
    Macro(Macro),
    /// Anything else.
    Other,
}

/// A function with or without its body.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Without its scopes.
    pub name: String,
    pub name_range: Range<u32>,
    /// The innermost scope in front of the name, without the arguments of templates: `Tile` of `ns::Tile<T>::load`.
    pub scope: Option<String>,
    pub attributes: Vec<Attribute>,
    pub templates: Vec<TemplateParameter>,
    pub result: TypeName,
    pub parameters: Vec<Parameter>,
    /// Arguments of `__launch_bounds__`.
    pub launch_bounds: Vec<Expr>,
    /// Bytes of the parameters in their parentheses.
    pub parameters_range: Range<u32>,
    pub body: Option<Stmt>,
}

impl Function {
    /// True for a function that is launched.
    pub fn is_kernel(&self) -> bool {
        self.attributes.contains(&Attribute::Global)
    }

    /// True where another function takes the same types.
    pub fn has_parameters_of(&self, other: &Self) -> bool {
        self.parameters.iter().map(|own| &own.of).eq(other.parameters.iter().map(|own| &own.of))
    }

    /// True for a function that runs on the GPU.
    pub fn is_on_device(&self) -> bool {
        self.is_kernel() || self.attributes.contains(&Attribute::Device)
    }
}

/// A word in front of a function that says where it runs and how it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    Global,
    Device,
    Host,
    ForceInline,
    NoInline,
}

/// A parameter of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateParameter {
    pub name: String,
    /// A type, not a value.
    pub is_type: bool,
    pub default: Option<super::Argument>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Empty where it has none.
    pub name: String,
    pub range: Range<u32>,
    pub of: TypeName,
}

/// A structure, a class or a union.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub name: String,
    pub templates: Vec<TemplateParameter>,
    pub is_union: bool,
    /// Its own alignment, where it states one.
    pub alignment: Option<Expr>,
    pub fields: Vec<Variable>,
    /// Functions that are declared in it, constructors too.
    pub methods: Vec<Function>,
    /// Names of types that are declared in it.
    pub types: Vec<String>,
    /// Some constructor is declared.
    pub has_constructor: bool,
    /// Its layout is unknown: it has bases, virtual functions, bit fields or fields under preprocessor conditions.
    pub is_opaque: bool,
}

/// Another name of a type.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    pub name: String,
    pub of: TypeName,
}

/// A constant of an enumeration. Without a value it is one more than the constant before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Enumerator {
    pub name: String,
    pub value: Option<Expr>,
}

/// A macro.
#[derive(Debug, Clone, PartialEq)]
pub struct Macro {
    pub name: String,
    /// `None` for one without parentheses.
    pub parameters: Option<Vec<String>>,
    /// The text after the name and the parameters.
    pub text: String,
    /// The value, where the text is an expression.
    pub value: Option<Expr>,
}
