//! Types, variables and functions of CUDA and the standard library that affect memory accesses, from
//! `builtins.csv`.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::value::StrDeserializer;
use std::sync::LazyLock;

/// A built-in variable of device code, such as `threadIdx`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BuiltInVariable {
    ThreadIndex,
    BlockIndex,
    BlockSize,
    GridSize,
    Lanes,
}

/// A scalar type, or `void`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    Void,
    /// A floating-point type of this size in bytes.
    Float(u32),
    Signed(u8),
    Unsigned(u8),
}

/// Layout of a built-in type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub of: Scalar,
    /// Number of fields of type `of`, such as `x`, `y` and `z`; 0 for a scalar.
    pub fields: usize,
}

/// Effect of a built-in function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    /// Builds a vector from its arguments.
    MakeVector,
    Atomic,
    /// An atomic operation that the compiler combines into one request if all lanes change the same word.
    CombinedAtomic,
    BlockBarrier,
    WarpBarrier,
    Fence,
    Load,
    Store,
    Least,
    Greatest,
    Product,
    Absolute,
    /// Population count of the argument.
    Ones,
    LeadingZeros32,
    LeadingZeros64,
    /// Position of the lowest set bit, counted from 1; 0 if no bit is set.
    FirstOne,
    Reversed,
    /// Returns the argument unchanged.
    Same,
    /// Evaluates its arguments and has no other effect on the analysis.
    Ignored,
    /// The group of all threads of the block.
    BlockGroup,
    /// A partition of a thread group.
    Partition,
    GroupBarrier,
    ComputeFragment,
    LoadFragment,
    StoreFragment,
}

/// Effect of a method of a thread group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GroupMethod {
    Barrier,
    /// Number of threads in the group.
    Size,
    /// Index of the thread in the group.
    Rank,
    /// Number of groups in the partition.
    GroupCount,
    /// Index of the group in the partition.
    GroupRank,
    /// A method without memory effects or synchronization. The result is unknown.
    Pure,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(include_str!("builtins.csv")).expect("a test parses the file"));

#[derive(Debug, Default)]
struct Table {
    types: FxHashMap<&'static str, Layout>,
    /// Element types of vector types, by the prefix of the vector type's name.
    elements: FxHashMap<&'static str, Scalar>,
    variables: FxHashMap<&'static str, BuiltInVariable>,
    functions: FxHashMap<&'static str, Operation>,
    /// Operations by prefix of the function name, longest prefix first.
    families: Vec<(&'static str, Operation)>,
    methods: FxHashMap<&'static str, GroupMethod>,
    /// Prefixes of the names of functions that synchronize threads of a block or a warp.
    meetings: Vec<&'static str>,
    /// Library functions that compute a size and have no side effects.
    sizes: FxHashMap<&'static str, &'static str>,
    /// Enumerators of the CUDA driver and runtime. Source: cuda.h and driver_types.h of CUDA 13.
    enumerators: FxHashMap<&'static str, i64>,
    /// Element types of tensor maps, by the value of their enumerator.
    elements_of_maps: FxHashMap<i64, TensorElement>,
    /// Prefixes of the names of host functions that write to memory only through their first argument.
    writes_first: Vec<&'static str>,
}

/// Element type of a tensor map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TensorElement {
    /// Name of the type, such as `bf16`.
    pub name: &'static str,
    pub bytes: u32,
}

impl Table {
    /// Parses the table. `Err` is the first line that cannot be parsed or that repeats a name.
    fn parse(text: &'static str) -> Result<Self, &'static str> {
        let mut table = Self::default();
        for line in text.lines().skip(1) {
            let mut cells = line.split(',');
            let (Some(kind), Some(name), Some(operation)) = (cells.next(), cells.next(), cells.next()) else {
                return Err(line);
            };
            let is_new = match (kind, name.strip_suffix('*')) {
                ("type", _) => table.types.insert(name, Layout::parse(operation).ok_or(line)?).is_none(),
                ("element", _) => {
                    table.elements.insert(name, Scalar::parse(operation).ok_or(line)?).is_none()
                }
                ("variable", _) => table.variables.insert(name, parse(operation).ok_or(line)?).is_none(),
                ("method", _) => table.methods.insert(name, parse(operation).ok_or(line)?).is_none(),
                ("function", Some(beginning)) => {
                    table.families.push((beginning, parse(operation).ok_or(line)?));
                    !table.families[..table.families.len() - 1].iter().any(|(known, _)| *known == beginning)
                }
                ("meeting", Some(beginning)) => {
                    table.meetings.push(beginning);
                    true
                }
                ("size", _) => table.sizes.insert(name, operation).is_none(),
                ("enumerator", _) => table.enumerate(name, operation).ok_or(line)?,
                ("writes-first", Some(beginning)) => {
                    table.writes_first.push(beginning);
                    true
                }
                ("function", None) => table.functions.insert(name, parse(operation).ok_or(line)?).is_none(),
                _ => false,
            };
            if !is_new {
                return Err(line);
            }
        }
        table.families.sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
        Ok(table)
    }

    /// Adds an enumerator. `text` is its value, followed by the name and the size in bytes of the element type that
    /// it denotes, if any. Returns false if the name is already in the table; `None` if the text cannot be parsed.
    fn enumerate(&mut self, name: &'static str, text: &'static str) -> Option<bool> {
        let mut words = text.split(' ');
        let value = words.next()?.parse().ok()?;
        if let Some(name) = words.next() {
            let bytes = words.next()?.parse().ok()?;
            self.elements_of_maps.insert(value, TensorElement { name, bytes });
        }
        Some(self.enumerators.insert(name, value).is_none())
    }
}

/// True if a function with this unqualified name synchronizes threads of a block or a warp.
pub(crate) fn is_meeting(name: &str) -> bool {
    TABLE.meetings.iter().any(|beginning| name.starts_with(beginning))
}

/// True if the table lists the function as a pure size computation. `name` has no `std::` prefix.
pub(crate) fn is_size_by_name(name: &str) -> bool {
    TABLE.sizes.contains_key(name)
}

/// Returns the value of an enumerator of the CUDA driver or runtime by name; `None` for other names.
pub(crate) fn enumerator(name: &str) -> Option<i64> {
    TABLE.enumerators.get(name).copied()
}

/// True for the functions of the CUDA runtime that take a kernel, a grid, a block, pointers to the arguments, and the
/// size of dynamic shared memory.
pub(crate) fn launches_by_pointers(name: &str) -> bool {
    // Source: CUDA runtime API, execution control.
    matches!(name, "cudaLaunchKernel" | "cudaLaunchCooperativeKernel")
}

/// True if the table lists a host function as one that writes to memory only through its first argument.
pub(crate) fn writes_first(name: &str) -> bool {
    TABLE.writes_first.iter().any(|beginning| name.starts_with(beginning))
}

impl TensorElement {
    /// Looks up an element type by the value of its `CUtensorMapDataType`; `None` for packed types.
    pub(crate) fn of_value(value: i64) -> Option<Self> {
        TABLE.elements_of_maps.get(&value).copied()
    }
}

/// Returns the enum variant with this name; `None` if no variant has this name.
fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    T::deserialize(StrDeserializer::<serde::de::value::Error>::new(text)).ok()
}

impl Scalar {
    /// Returns the element type of a vector type from the prefix of its name: `float` for `float4`. `None`
    /// for other prefixes.
    pub(crate) fn of_vector(beginning: &str) -> Option<Self> {
        TABLE.elements.get(beginning).copied()
    }

    fn parse(text: &str) -> Option<Self> {
        let (kind, bytes) = text.split_once(' ').unwrap_or((text, "0"));
        let bytes: u8 = bytes.parse().ok()?;
        Some(match kind {
            "void" => Self::Void,
            "float" => Self::Float(bytes.into()),
            "signed" => Self::Signed(bytes),
            "unsigned" => Self::Unsigned(bytes),
            _ => return None,
        })
    }
}

impl Layout {
    /// Returns the layout of a built-in type by name; `None` for other names.
    pub(crate) fn of_type(name: &str) -> Option<Self> {
        TABLE.types.get(name).copied()
    }

    fn parse(text: &str) -> Option<Self> {
        let (fields, of) = text.split_once(" of ").unwrap_or(("0", text));
        Some(Self { of: Scalar::parse(of)?, fields: fields.parse().ok()? })
    }
}

impl BuiltInVariable {
    /// Looks up a built-in variable by name; `None` for other names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        TABLE.variables.get(name).copied()
    }
}

impl Operation {
    /// Looks up the effect of a function by its unqualified name.
    pub(crate) fn of_function(name: &str) -> Option<Self> {
        let family = || TABLE.families.iter().find(|(beginning, _)| name.starts_with(beginning));
        TABLE.functions.get(name).copied().or_else(|| family().map(|(_, operation)| *operation))
    }

    /// True if the operation is interpreted only in device code.
    pub(crate) const fn is_of_device(self) -> bool {
        matches!(
            self,
            Self::BlockGroup
                | Self::Partition
                | Self::GroupBarrier
                | Self::ComputeFragment
                | Self::LoadFragment
                | Self::StoreFragment
        )
    }
}

impl GroupMethod {
    /// Looks up a group method by name; `None` for other names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        TABLE.methods.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_decides_what_its_name_means() {
        for row in include_str!("builtins.csv").lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let [kind, name, operation] = cells[..] else { panic!("{row}") };
            let is_meant = match kind {
                "type" => Layout::of_type(name) == Layout::parse(operation),
                "element" => Scalar::of_vector(name) == Scalar::parse(operation),
                "variable" => BuiltInVariable::named(name) == parse(operation),
                "method" => GroupMethod::named(name) == parse(operation),
                "meeting" => is_meeting(&name.replace('*', "_block")),
                "size" => is_size_by_name(name),
                "enumerator" => {
                    let value = enumerator(name).expect("it is in the table");
                    let element = TensorElement::of_value(value).filter(|_| operation.contains(' '));
                    let element =
                        element.map(|own| format!(" {} {}", own.name, own.bytes)).unwrap_or_default();
                    format!("{value}{element}") == operation
                }
                "writes-first" => writes_first(&name.replace('*', "Async")),
                _ => Operation::of_function(&name.replace('*', "_block")) == parse(operation),
            };
            assert!(is_meant, "{row}");
        }
        assert_eq!(Operation::of_function("atomicCAS"), Some(Operation::Atomic));
        assert_eq!(Operation::of_function("frobnicate"), None);
    }

    #[test]
    fn a_name_that_is_listed_twice_and_an_unknown_operation_are_errors() {
        assert!(Table::parse("kind,name,operation\nfunction,f,load\nfunction,f,store").is_err());
        assert!(Table::parse("kind,name,operation\nfunction,f,juggle").is_err());
    }
}
