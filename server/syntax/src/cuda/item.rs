//! Declarations outside of functions.

use super::asm;
use super::{Expr, Stmt, TypeName, Variable};
use std::ops::Range;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A declaration. All byte offsets in the declaration count from its start.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub kind: ItemKind,
    /// Length of the text in bytes.
    pub length: u32,
    /// Byte ranges that do not parse.
    pub errors: Vec<Range<u32>>,
    /// Hashes of all names in the text, computed by [`name_hash`], without duplicates. Every name that the declaration
    /// refers to is among them.
    pub names: Box<[u64]>,
    /// True if the declaration's statements contain preprocessor conditions that have not been evaluated.
    pub has_conditions: bool,
    /// The `asm` statements in the text, in order.
    pub asm: Box<[asm::Block]>,
}

/// A declaration and its position in the text.
#[derive(Debug, Clone)]
pub struct PlacedItem {
    /// Byte offset from the start of the text.
    pub start: u32,
    /// Hash of the declaration's text. For a declaration that does not parse, the hash includes the
    /// surrounding text.
    pub hash: u128,
    pub item: Arc<Item>,
}

impl PlacedItem {
    /// Converts a byte range in the declaration to a byte range in the text.
    pub fn range(&self, range: &Range<u32>) -> Range<usize> {
        (self.start + range.start) as usize..(self.start + range.end) as usize
    }
}

/// Returns the hash of a name, as used in [`Item::names`].
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
#[expect(clippy::large_enum_variant, reason = "each is stored in its own shared item")]
pub enum ItemKind {
    Function(Function),
    Variables(Vec<Variable>),
    Record(Record),
    Alias(Alias),
    Enumerators(Vec<Enumerator>),
    Macro(Macro),
    Instantiation(Instantiation),
    /// Any other declaration.
    Other,
}

/// A function with or without its body.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Name without its scopes.
    pub name: String,
    pub name_range: Range<u32>,
    /// The innermost scope of the name, without template arguments: `Tile` in `ns::Tile<T>::load`.
    pub scope: Option<String>,
    /// Attributes in the head, and those that macros in the head expand to.
    pub attributes: Vec<Attribute>,
    /// Names in the head that may be macros.
    pub macros: Box<[String]>,
    pub templates: Vec<TemplateParameter>,
    pub result: TypeName,
    pub parameters: Vec<Parameter>,
    /// Arguments of `__launch_bounds__`.
    pub launch_bounds: Vec<Expr>,
    /// Arguments of `__cluster_dims__`.
    pub cluster_dims: Vec<Expr>,
    /// Range of the parameters between their parentheses.
    pub parameters_range: Range<u32>,
    pub body: Option<Stmt>,
}

impl Function {
    /// True for a `__global__` function.
    pub fn is_kernel(&self) -> bool {
        self.attributes.contains(&Attribute::Global)
    }

    /// True if `other` has the same parameter types.
    pub fn has_parameters_of(&self, other: &Self) -> bool {
        self.parameters.iter().map(|own| &own.of).eq(other.parameters.iter().map(|own| &own.of))
    }

    /// True for a function that runs on the GPU.
    pub fn is_on_device(&self) -> bool {
        self.is_kernel() || self.attributes.contains(&Attribute::Device)
    }
}

/// An explicit instantiation of a function template: `template __global__ void k<float>(float *);`.
#[derive(Debug, Clone, PartialEq)]
pub struct Instantiation {
    /// Name of the function, without its scopes.
    pub function: String,
    /// Template arguments as written. The types of the parameters may determine others.
    pub arguments: Vec<super::Argument>,
    pub parameters: Vec<TypeName>,
}

/// Function attribute that states where the function runs or how it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    Global,
    Device,
    Host,
    ForceInline,
    NoInline,
}

impl Attribute {
    /// Returns the attribute with this name; `None` if the word is not an attribute.
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "__global__" => Self::Global,
            "__device__" => Self::Device,
            "__host__" => Self::Host,
            "__forceinline__" => Self::ForceInline,
            "__noinline__" => Self::NoInline,
            _ => return None,
        })
    }
}

/// A parameter of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateParameter {
    pub name: String,
    /// True for a type parameter, false for a value parameter.
    pub is_type: bool,
    pub default: Option<super::Argument>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Empty if the parameter is unnamed.
    pub name: String,
    pub range: Range<u32>,
    pub of: TypeName,
    /// True for a parameter pack: `Args... args`.
    pub is_pack: bool,
}

/// A structure, a class or a union.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub name: String,
    pub templates: Vec<TemplateParameter>,
    pub is_union: bool,
    /// The declared alignment, if any.
    pub alignment: Option<Expr>,
    pub fields: Vec<Variable>,
    /// Functions declared in the record, including constructors.
    pub methods: Vec<Function>,
    /// Names of types declared in the record.
    pub types: Vec<String>,
    /// True if the record declares a constructor.
    pub has_constructor: bool,
    /// True if the record's layout is unknown: it has bases, virtual functions, bit fields or fields under
    /// preprocessor conditions.
    pub is_opaque: bool,
}

impl Record {
    /// Returns the only method with this name and number of parameters. `None` if there is no such method or
    /// several, or if the method is a template.
    pub fn only_method(&self, name: &str, parameters: usize) -> Option<&Function> {
        let is_named = |method: &&Function| method.name == name && method.parameters.len() == parameters;
        let mut all = self.methods.iter().filter(is_named);
        let method = all.next().filter(|_| all.next().is_none())?;
        method.templates.is_empty().then_some(method)
    }
}

/// A type alias: `using` or `typedef`.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    pub name: String,
    pub of: TypeName,
}

/// A constant of an enumeration. If `value` is absent, the constant is one more than the preceding constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Enumerator {
    pub name: String,
    pub value: Option<Expr>,
}

/// A macro.
#[derive(Debug, Clone, PartialEq)]
pub struct Macro {
    pub name: String,
    /// `None` for a macro without parentheses.
    pub parameters: Option<Vec<String>>,
    /// The text after the name and the parameters.
    pub text: String,
    /// The value if the text is an expression; `None` otherwise.
    pub value: Option<Expr>,
}
