//! Machine figures computed by formulas from measured cycles.

use machine::Formula;
use std::collections::BTreeMap;
use thiserror::Error;

/// A row of `values.toml`: a formula, and the figures that it computes.
#[derive(Debug)]
pub(crate) struct Value {
    /// Name of the program file whose programs measure these figures.
    pub(crate) by: String,
    pub(crate) text: String,
    pub(crate) formula: Formula,
    /// Overlay keys of the figures, relative to the architecture: `pipeline.alu.interval`, `class.alu.issue`,
    /// `memory.shared`.
    pub(crate) places: Vec<String>,
}

/// A figure that was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    pub place: String,
    /// The value in cycles, unless the key states another unit.
    pub value: u64,
    /// The formula from which the value was computed.
    pub formula: String,
    /// Name of the program file whose programs measured the figure.
    pub by: String,
}

/// A figure without a result, or a program that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OmittedFigure {
    pub place: String,
    /// The reason. If a formula failed, the text begins with the formula.
    pub why: String,
}

/// Maximum distance of a figure from a whole number of cycles.
const LARGEST_FRACTION: f64 = 0.13; // limit: one program in eight may be off by a cycle

/// Reason why `values.toml` cannot be read.
#[derive(Debug, Error)]
pub(crate) enum ValuesError {
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error("`{0}` is not a formula")]
    Formula(String),
}

/// Reads `values.toml`.
pub(crate) fn parse(toml: &str) -> Result<Vec<Value>, ValuesError> {
    let files: BTreeMap<String, BTreeMap<String, Vec<String>>> = toml::from_str(toml)?;
    let rows = files
        .into_iter()
        .flat_map(|(by, rows)| rows.into_iter().map(move |(text, places)| (by.clone(), text, places)));
    rows.map(|(by, text, places)| {
        let formula = Formula::parse(&text).map_err(|_| ValuesError::Formula(text.clone()))?;
        Ok(Value { by, text, formula, places })
    })
    .collect()
}

/// Required exactness of a formula's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// Cycles of an exactly repeatable program. A value that differs from an integer by more than [`LARGEST_FRACTION`]
    /// is an error.
    Whole,
    /// A rate or a time measured on many SMs at once, rounded to the nearest integer.
    Nearest,
}

/// Evaluates the formulas with the cycles of each program. Returns the figures and the omitted figures, both
/// sorted by their key in the overlay.
pub(crate) fn derive(
    values: &[Value],
    exactness: Exactness,
    cycles: &impl Fn(&str) -> Option<u64>,
) -> (Vec<Figure>, Vec<OmittedFigure>) {
    let (mut figures, mut left_out) = (Vec::new(), Vec::new());
    for value in values {
        let result = evaluated(value, exactness, cycles);
        for place in value.places.iter().cloned() {
            match &result {
                Ok(number) => figures.push(Figure {
                    place,
                    value: *number,
                    formula: value.text.clone(),
                    by: value.by.clone(),
                }),
                Err(why) => left_out.push(OmittedFigure { place, why: why.clone() }),
            }
        }
    }
    figures.sort_by(|a, b| a.place.cmp(&b.place));
    left_out.sort_by(|a, b| a.place.cmp(&b.place));
    (figures, left_out)
}

fn evaluated(
    value: &Value,
    exactness: Exactness,
    cycles: &impl Fn(&str) -> Option<u64>,
) -> Result<u64, String> {
    let text = &value.text;
    let Some(result) = value.formula.fraction(&|name| cycles(name)?.try_into().ok()) else {
        let lacking = value.formula.names().iter().find(|(name, _)| cycles(name).is_none());
        return Err(match lacking {
            Some((lacking, _)) => format!("`{text}`: `{lacking}` has no cycles"),
            None => format!("`{text}` cannot be evaluated"),
        });
    };
    let rounded = result.round();
    let (is_near, most, expected) = match exactness {
        Exactness::Whole => {
            ((result - rounded).abs() <= LARGEST_FRACTION, f64::from(1 << 20), "a whole number of cycles")
        }
        Exactness::Nearest => (true, 1e15, "a number"),
    };
    if !is_near || !(1.0..=most).contains(&rounded) {
        return Err(format!("`{text}` is {result:.2}, not {expected} of at least 1"));
    }
    Ok(rounded as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_whole_cycles_or_left_out() {
        let values = parse(
            "[intervals]\n\"(b - a) / 16\" = [\"pipeline.alu.interval\", \"class.alu.issue\"]\n\"b - c\" = [\"x\"]\n\
             \"(b - a) / 12\" = [\"y\"]\n\"a - b\" = [\"z\"]\n",
        )
        .unwrap();
        let cycles = |name: &str| [("a", 2), ("b", 35)].iter().find(|(n, _)| *n == name).map(|(_, c)| *c);
        let (figures, left_out) = derive(&values, Exactness::Whole, &cycles);
        let places: Vec<(&str, u64)> = figures.iter().map(|f| (f.place.as_str(), f.value)).collect();
        // 33 / 16 is 2.06.
        assert_eq!(places, [("class.alu.issue", 2), ("pipeline.alu.interval", 2)]);
        assert_eq!(figures[0].by, "intervals");
        let why: Vec<&str> = left_out.iter().map(|l| l.why.as_str()).collect();
        assert_eq!(
            why,
            [
                "`b - c`: `c` has no cycles",
                "`(b - a) / 12` is 2.75, not a whole number of cycles of at least 1",
                "`a - b` is -33.00, not a whole number of cycles of at least 1",
            ]
        );
    }

    #[test]
    fn a_formula_that_is_none_is_said() {
        assert_eq!(parse("[x]\n\"a -\" = [\"b\"]\n").unwrap_err().to_string(), "`a -` is not a formula");
    }
}
