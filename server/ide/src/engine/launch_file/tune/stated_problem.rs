//! The problem that a kernel computes, stated as `problem` in `[tune.<kernel>]`. A neural network trained on
//! such problems can then rank the variants of the kernel.

use super::super::reader::{self, Reader, members};
use super::formulas::Formulas;
use super::{Formula, Shape, TunedParameter};
use std::str::FromStr;
use toml::Spanned;
use toml::de::DeValue;
use tuner::{Element, ProblemKind, conv, gemm};

/// The keys of a `problem`, for all problem kinds.
#[cfg(test)]
pub(in super::super) const PROBLEM: [&str; 14] =
    ["kind", "element", "layout", "m", "n", "k", "c", "h", "w", "r", "s", "pad", "stride", "tiling"];

/// The keys of each problem kind.
const OF_GEMM: [&str; 7] = ["kind", "m", "n", "k", "element", "layout", "tiling"];
const OF_CONV: [&str; 12] = ["kind", "n", "c", "h", "w", "k", "r", "s", "pad", "stride", "element", "tiling"];

/// Optional sizes and their default values.
const USUAL: [(&str, i128); 2] = [("pad", 0), ("stride", 1)];

/// Layouts of A and B in the notation of BLAS: `t` for a transposed matrix, `n` for any other.
pub(crate) const LAYOUTS: [&str; 4] = ["nn", "nt", "tn", "tt"];

/// A stated problem. Its sizes are formulas over the sizes of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedProblem {
    pub kind: ProblemKind,
    pub element: Element,
    /// For A and B of a matrix multiplication: true if the matrix is transposed.
    pub transposed: [bool; 2],
    /// Sizes of the problem. For GEMM: `m`, `n` and `k`. For a convolution: `n`, `c`, `h`, `w`, `k`, `r`,
    /// `s`, `pad` and `stride`.
    sizes: Vec<(&'static str, Formula)>,
    /// Tiling parameters of the tuner without a corresponding kernel parameter, as formulas over sizes and
    /// parameters.
    tiling: Vec<(&'static str, Formula)>,
}

impl StatedProblem {
    /// Returns a size of the problem for a shape. `None` if the problem has no size with this name, or if the
    /// value of its formula is not an unsigned 32-bit number.
    pub(crate) fn size(&self, name: &str, shape: &Shape) -> Option<u32> {
        let (_, formula) = self.sizes.iter().find(|(own, _)| *own == name)?;
        u32::try_from(formula.value(&|name| shape.size(name))?).ok()
    }

    /// Returns the tiling parameters that are stated by formulas. `of` returns the value of a name.
    /// Parameters without a value are skipped.
    pub(super) fn tiling(
        &self,
        of: &dyn Fn(&str) -> Option<i64>,
    ) -> impl Iterator<Item = (&'static str, i64)> {
        self.tiling
            .iter()
            .filter_map(move |(name, formula)| Some((*name, formula.value(of)?.try_into().ok()?)))
    }
}

/// Returns the names of the tuner's tiling parameters for a problem kind, or for all kinds if `kind` is
/// `None`.
pub(crate) fn tuner_parameters(kind: Option<ProblemKind>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for kind in kind.map_or(ProblemKind::ALL.to_vec(), |kind| vec![kind]) {
        let space = match kind {
            ProblemKind::Gemm => gemm::SPACE,
            ProblemKind::Conv => conv::SPACE,
        };
        let own = space.parameters.iter().map(|(name, _)| *name).filter(|name| !names.contains(name));
        names.extend(own.collect::<Vec<_>>());
    }
    names
}

/// Returns the kind stated by a `problem`. `None` if the kind is missing or invalid.
pub(super) fn kind_of(value: &DeValue<'_>) -> Option<ProblemKind> {
    value.as_table()?.get("kind")?.get_ref().as_str()?.parse().ok()
}

/// Reads a `problem`. Reports a value that is invalid or missing, and then returns `None`. `sizes` is the number of
/// size names of the shapes, which precede the parameter names in `formulas.known`.
pub(super) fn read_problem(
    value: &Spanned<DeValue<'_>>,
    place: &str,
    sizes: usize,
    parameters: &[TunedParameter],
    formulas: &mut Formulas<'_, '_>,
) -> Option<StatedProblem> {
    let table = formulas.reader.table("problem", value)?;
    let kinds = ProblemKind::ALL.map(ProblemKind::name);
    let Some(stated) = table.get("kind") else {
        let message = format!("`problem` of {place} needs `kind`, such as kind = \"gemm\"");
        formulas.reader.error(&value.span(), &message);
        return None;
    };
    let kind: ProblemKind = word("kind", stated, &kinds, formulas.reader)?;
    let keys = if kind == ProblemKind::Gemm { &OF_GEMM[..] } else { &OF_CONV[..] };
    let before = formulas.reader.errors();
    let members = members(table, keys, &format!("a problem of kind \"{kind}\""), formulas.reader);
    let mut problem = StatedProblem {
        kind,
        element: Element::F32,
        transposed: [false; 2],
        sizes: USUAL.iter().map(|(name, usual)| (*name, Formula::number(*usual))).collect(),
        tiling: Vec::new(),
    };
    let mut over_sizes = Formulas {
        known: formulas.known.map(|known| &known[..sizes.min(known.len())]),
        otherwise: "not a size of the shapes",
        reader: &mut *formulas.reader,
    };
    for (key, value) in &members {
        match *key {
            "kind" | "tiling" => {}
            "element" => {
                let words = Element::ALL.map(Element::name);
                problem.element = word(key, value, &words, over_sizes.reader).unwrap_or(Element::F32);
            }
            "layout" => {
                let layout = over_sizes.reader.string(key, value).unwrap_or_default();
                if !LAYOUTS.contains(&layout.as_str()) {
                    over_sizes.reader.expected_word(key, value, &LAYOUTS);
                }
                problem.transposed = [layout.starts_with('t'), layout.ends_with('t')];
            }
            size => {
                let name = format!("problem.{size}");
                let formula = over_sizes.one(&name, value, "a whole number or a formula such as \"M\"");
                problem.sizes.retain(|(own, _)| *own != size);
                problem.sizes.extend(formula.map(|formula| (size, formula)));
            }
        }
    }
    if let Some((_, value)) = members.iter().find(|(key, _)| *key == "tiling") {
        problem.tiling = read_tiling(value, kind, parameters, formulas);
    }
    let is_needed = |key: &&&str| !["layout", "pad", "stride", "tiling"].contains(*key);
    let missing = keys.iter().filter(is_needed).filter(|key| !table.contains_key(**key));
    let missing: Vec<&str> = missing.copied().collect();
    // A missing key may be a misspelled key that was already reported.
    if !missing.is_empty() && formulas.reader.errors() == before {
        let message = format!("a problem of kind \"{kind}\" in {place} needs {}", missing.join(", "));
        formulas.reader.error(&value.span(), &message);
    }
    (formulas.reader.errors() == before).then_some(problem)
}

/// Reads a word that must be in `known`. Reports any other value and returns `None`.
fn word<T: FromStr>(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    known: &[&str],
    reader: &mut Reader<'_>,
) -> Option<T> {
    let read = reader.string(key, value)?.parse().ok();
    if read.is_none() {
        reader.expected_word(key, value, known);
    }
    read
}

fn read_tiling(
    value: &Spanned<DeValue<'_>>,
    kind: ProblemKind,
    parameters: &[TunedParameter],
    formulas: &mut Formulas<'_, '_>,
) -> Vec<(&'static str, Formula)> {
    let Some(table) = formulas.reader.table("problem.tiling", value) else { return Vec::new() };
    let mut read = Vec::new();
    for (name, value) in members(table, &tuner_parameters(Some(kind)), "problem.tiling", formulas.reader) {
        if let Some(own) = parameters.iter().find(|own| own.known_as.as_deref() == Some(name)) {
            let message =
                format!("`tiling.{name}`: `{}` already corresponds to `{name}`", reader::name(&own.name));
            formulas.reader.error(&value.span(), &message);
            continue;
        }
        let key = format!("problem.tiling.{name}");
        let formula = formulas.one(&key, value, "a whole number or a formula such as \"TILE_M / 16\"");
        read.extend(formula.map(|formula| (name, formula)));
    }
    read
}
