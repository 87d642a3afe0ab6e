//! Features of a problem and a kernel as inputs of the network: numbers computed from named columns.
//!
//! A quantity is a column (`block_m`) or is derived from columns (`derived.rs`). A feature is a quantity
//! (`block_m`) or its natural logarithm (`ln(block_m)`). A network stores the names of its features, so a new
//! column does not change networks that were trained without it.

mod derived;

use crate::{Element, ProblemKind};
use derived::DerivedQuantity;
use std::fmt;

/// Column with the size of an element in bytes.
pub const ELEMENT_BYTES: &str = "element_bytes";
/// Column of a matrix multiplication: 1 if A is transposed, otherwise 0.
pub const A_TRANSPOSED: &str = "a_transposed";
/// Column of a matrix multiplication: 1 if B is transposed, otherwise 0.
pub const B_TRANSPOSED: &str = "b_transposed";

/// Column with the registers per thread that ptxas allocated. The column is not a feature, because registers
/// are unknown before a kernel is compiled.
pub const REGISTERS: &str = "registers";

/// Maximum number of columns and derived quantities in a row. limit: for an array of fixed length.
const MAX_QUANTITIES: usize = 128;
/// Value that replaces zero before a logarithm is taken. limit: a count of zero (padding) is then as far below 1 as 1
/// is below 2.
const MIN_UNDER_LOGARITHM: f64 = 0.5;

/// Features by name, bound to the columns of the rows.
///
/// Features that depend only on the problem are first, so that a search computes them once.
#[derive(Debug, Clone)]
pub struct Features {
    names: Vec<String>,
    columns: usize,
    derived: Vec<(&'static DerivedQuantity, Vec<usize>)>,
    numbers: Vec<Feature>,
    of_problem: usize,
}

#[derive(Debug, Clone, Copy)]
struct Feature {
    quantity: usize,
    is_logarithm: bool,
}

/// Options of [`Features::usual`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// True if features are logarithms of the quantities instead of the quantities (section 5.2). Table 2 of the
    /// paper shows the effect.
    pub logarithms: bool,
    /// True if derived quantities are features in addition to the columns.
    pub derived: bool,
}

/// Reason why features cannot be computed from a row's columns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeatureError {
    #[error("feature `{0}` needs a column that is missing")]
    Missing(String),
    #[error("{0} columns; expected at most {most}", most = MAX_QUANTITIES / 2)]
    TooManyColumns(usize),
    #[error("feature `{0}` depends on the problem alone; expected it before the features of kernels")]
    Order(String),
}

impl Features {
    /// Returns the features with the given names. `columns` are the names of the rows' columns, in their
    /// order.
    pub fn new(
        kind: ProblemKind,
        columns: &[impl AsRef<str>],
        names: &[impl AsRef<str>],
    ) -> Result<Self, FeatureError> {
        if columns.len() > MAX_QUANTITIES / 2 {
            return Err(FeatureError::TooManyColumns(columns.len()));
        }
        let mut quantities = Quantities::new(kind, columns);
        let mut features = Self {
            names: names.iter().map(|name| name.as_ref().to_owned()).collect(),
            columns: columns.len(),
            derived: Vec::new(),
            numbers: Vec::with_capacity(names.len()),
            of_problem: 0,
        };
        for name in &features.names {
            let inner = name.strip_prefix("ln(").and_then(|rest| rest.strip_suffix(')'));
            let quantity = quantities.find(inner.unwrap_or(name));
            let quantity = quantity.ok_or_else(|| FeatureError::Missing(name.clone()))?;
            if quantities.of_problem[quantity] {
                if features.of_problem < features.numbers.len() {
                    return Err(FeatureError::Order(name.clone()));
                }
                features.of_problem += 1;
            }
            features.numbers.push(Feature { quantity, is_logarithm: inner.is_some() });
        }
        features.derived = quantities.derived;
        Ok(features)
    }

    /// The features that training uses by default: all columns, and all derived quantities whose columns exist.
    pub fn usual(
        kind: ProblemKind,
        columns: &[impl AsRef<str>],
        choice: Choice,
    ) -> Result<Self, FeatureError> {
        if columns.len() > MAX_QUANTITIES / 2 {
            return Err(FeatureError::TooManyColumns(columns.len()));
        }
        let mut quantities = Quantities::new(kind, columns);
        let indicators = DerivedQuantity::for_kind(kind).filter(|derived| derived.is_indicator);
        let others =
            DerivedQuantity::for_kind(kind).filter(|derived| choice.derived && !derived.is_indicator);
        let mut names = Vec::new();
        for name in
            columns.iter().map(AsRef::as_ref).chain(indicators.chain(others).map(|derived| derived.name))
        {
            if name == REGISTERS {
                continue;
            }
            let Some(quantity) = quantities.find(name) else { continue };
            let is_indicator = DerivedQuantity::named(kind, name).is_some_and(|derived| derived.is_indicator);
            let as_it_is = !choice.logarithms || is_indicator || [A_TRANSPOSED, B_TRANSPOSED].contains(&name);
            let feature = if as_it_is { name.to_owned() } else { format!("ln({name})") };
            names.push((!quantities.of_problem[quantity], feature));
        }
        names.sort_by_key(|(is_of_kernel, _)| *is_of_kernel);
        let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
        Self::new(kind, columns, &names)
    }

    /// Names of the features, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Number of features that depend only on the problem. They come first.
    pub fn of_problem(&self) -> usize {
        self.of_problem
    }

    /// Writes the features that depend only on the problem. `features` has [`Self::of_problem`] elements.
    ///
    /// # Panics
    /// If `row` or `features` has a wrong length.
    pub fn evaluate_problem(&self, row: &[f64], features: &mut [f32]) {
        self.evaluate_some(row, &self.numbers[..self.of_problem], features);
    }

    /// Writes the features that depend on the kernel, which follow the features of the problem.
    ///
    /// # Panics
    /// If `row` or `features` has a wrong length.
    pub fn evaluate_kernel(&self, row: &[f64], features: &mut [f32]) {
        self.evaluate_some(row, &self.numbers[self.of_problem..], features);
    }

    /// Writes all features of a row, in the order of their names.
    ///
    /// # Panics
    /// If `row` or `features` has a wrong length.
    pub fn evaluate(&self, row: &[f64], features: &mut [f32]) {
        self.evaluate_some(row, &self.numbers, features);
    }

    fn evaluate_some(&self, row: &[f64], wanted: &[Feature], features: &mut [f32]) {
        assert_eq!(row.len(), self.columns, "numbers in a row");
        assert_eq!(features.len(), wanted.len(), "features");
        let mut quantities = [0.0; MAX_QUANTITIES];
        quantities[..row.len()].copy_from_slice(row);
        for (next, (derived, inputs)) in (row.len()..).zip(&self.derived) {
            let mut values = [0.0; derived::MAX_INPUTS];
            for (value, &input) in values.iter_mut().zip(inputs) {
                *value = quantities[input];
            }
            quantities[next] = (derived.compute)(&values);
        }
        for (feature, &Feature { quantity, is_logarithm }) in features.iter_mut().zip(wanted) {
            let value = quantities[quantity];
            *feature = match is_logarithm {
                true if value > 0.0 => (value as f32).ln(),
                true => (MIN_UNDER_LOGARITHM as f32).ln(),
                false => value as f32,
            };
        }
    }
}

/// The requested quantities: the columns, then the derived quantities, each after its inputs.
struct Quantities<'a> {
    kind: ProblemKind,
    names: Vec<&'a str>,
    of_problem: Vec<bool>,
    derived: Vec<(&'static DerivedQuantity, Vec<usize>)>,
}

impl<'a> Quantities<'a> {
    fn new(kind: ProblemKind, columns: &'a [impl AsRef<str>]) -> Self {
        let names: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
        let of_problem = names.iter().map(|name| kind.problem_columns().contains(name)).collect();
        Self { kind, names, of_problem, derived: Vec::new() }
    }

    /// Index of a quantity; `None` if a required column is missing. Derived quantities have no circular
    /// dependences.
    fn find(&mut self, name: &str) -> Option<usize> {
        if let Some(place) = self.names.iter().position(|known| *known == name) {
            return Some(place);
        }
        let derived = DerivedQuantity::named(self.kind, name)?;
        let inputs = derived.inputs.iter().map(|input| self.find(input)).collect::<Option<Vec<_>>>()?;
        self.of_problem.push(inputs.iter().all(|input| self.of_problem[*input]));
        self.names.push(derived.name);
        self.derived.push((derived, inputs));
        Some(self.names.len() - 1)
    }
}

/// The value of the column [`ELEMENT_BYTES`] for an element type.
pub fn element_value(element: Element) -> f64 {
    f64::from(element.bytes())
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.logarithms { "logarithms" } else { "no logarithms" })?;
        f.write_str(if self.derived { ", derived" } else { "" })
    }
}

#[cfg(test)]
mod tests;
