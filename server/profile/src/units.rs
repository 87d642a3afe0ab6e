//! Base units, in which Nsight Compute stores values, and the larger units in which it prints values.

use crate::launch::Value;

/// Prefixes for powers of 1000, which also apply to bytes.
const PREFIXES: [(char, f64); 5] = [('K', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12), ('P', 1e15)];

/// Units of time in nanoseconds, as named by versions since 2022 and by older versions.
const TIMES: [(&str, &str, f64); 4] =
    [("ns", "nsecond", 1.0), ("us", "usecond", 1e3), ("ms", "msecond", 1e6), ("s", "second", 1e9)];

/// The base unit of a unit, and the factor between the two units: `Gbyte/s` is 10^9 `byte/s`, `sector/us` is
/// 10^6 `sector/s`.
///
/// Nsight Compute scales `%/Kbyte` as if the bytes were in the numerator. This function does the same.
pub(super) fn base(unit: &str) -> (f64, String) {
    let (above, below) = unit.split_once('/').map_or((unit, None), |(above, below)| (above, Some(below)));
    let (mut factor, above) = match nanoseconds(above) {
        Some(count) => (count, "ns"),
        None => without_prefix(above),
    };
    let Some(below) = below else { return (factor, above.to_owned()) };
    let (scale, below) = match nanoseconds(below) {
        Some(count) => (1e9 / count, "s"),
        None => without_prefix(below),
    };
    factor *= scale;
    // Older versions write clock rates as cycles per time.
    if (above, below) == ("cycle", "s") {
        (factor, "hz".to_owned())
    } else {
        (factor, format!("{above}/{below}"))
    }
}

/// A value in units of `factor` base units, converted to base units; `None` if the result is not finite.
#[expect(clippy::float_cmp, reason = "a factor of one is exact")]
pub(super) fn scaled(value: Value, factor: f64) -> Option<Value> {
    match value.number() {
        Some(number) if factor != 1.0 => Value::finite(number * factor),
        _ => Some(value),
    }
}

/// Number of nanoseconds in a unit of time; `None` for other units.
pub(super) fn nanoseconds(unit: &str) -> Option<f64> {
    TIMES.iter().find(|(short, long, _)| [*short, *long].contains(&unit)).map(|(_, _, count)| *count)
}

fn without_prefix(unit: &str) -> (f64, &str) {
    let scaled = PREFIXES.iter().find_map(|(prefix, scale)| Some((*scale, unit.strip_prefix(*prefix)?)));
    scaled.filter(|(_, base)| ["byte", "hz"].contains(base)).unwrap_or((1.0, unit))
}

#[cfg(test)]
mod tests {
    use super::base;

    #[test]
    fn units_are_scaled_as_the_profiler_does() {
        // Units that `--print-units auto` and `--print-units base` print for the same values.
        for (unit, factor, of) in [
            ("", 1.0, ""),
            ("%", 1.0, "%"),
            ("Kbyte", 1e3, "byte"),
            ("Gbyte/s", 1e9, "byte/s"),
            ("Kbyte/block", 1e3, "byte/block"),
            ("%/Kbyte", 1e3, "%/byte"),
            ("sector/us", 1e6, "sector/s"),
            ("sector/ns", 1e9, "sector/s"),
            ("us", 1e3, "ns"),
            ("s", 1e9, "ns"),
            ("Mhz", 1e6, "hz"),
            ("inst/cycle", 1.0, "inst/cycle"),
            ("SM", 1.0, "SM"),
            ("usecond", 1e3, "ns"),
            ("Mbyte/second", 1e6, "byte/s"),
            ("cycle/nsecond", 1e9, "hz"),
        ] {
            assert_eq!(base(unit), (factor, of.to_owned()), "{unit}");
        }
    }
}
