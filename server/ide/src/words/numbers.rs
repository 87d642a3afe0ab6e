//! Formatting of numbers.

/// Formats a whole number in groups of three digits: `1,234,567`. From 1e15, uses scientific notation:
/// `8.824e22`.
pub(crate) fn thousands(number: f64) -> String {
    if number.abs() >= MAX_WHOLE {
        return format!("{number:.3e}");
    }
    let digits = format!("{number:.0}");
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Smallest number that is not printed in full, because its 64-bit float may be inexact.
const MAX_WHOLE: f64 = 1e15; // limit: below 2^53, up to which a float represents every whole number

/// Formats a fraction as a percentage: `47 %`. Below one percent, prints one significant digit: `0.4 %`,
/// `0.03 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits =
        if percent > 0.0 && percent < 1.0 { (-percent.log10().floor()).min(4.0) as usize } else { 0 };
    format!("{percent:.digits$} %")
}

/// Returns the first `most` words and the number of remaining words: `a, b and 3 more`.
pub(crate) fn first_of<T: ToString>(words: &[T], most: usize) -> String {
    let more = match words.len().saturating_sub(most) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let named: Vec<String> = words.iter().take(most).map(T::to_string).collect();
    named.join(", ") + &more
}

/// Formats a list in words: `a`, `a and b`, `a, b and c`. `and` is the conjunction: `and` or `or`.
pub(crate) fn listed(words: &[String], and: &str) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} {and} {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// Formats a count with its noun: `1 line`, `2 lines`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Rounds to a whole number with at most four significant digits. More digits would overstate the precision
/// of an estimate.
pub(crate) fn in_four_digits(number: f64) -> f64 {
    let unit = 10_f64.powi((number.max(1.0).log10().floor() as i32 - 3).max(0));
    (number / unit).round() * unit
}

/// Formats a large number with a unit prefix and three significant digits: `805 M`, `1.01 T`.
pub(crate) fn scaled(number: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (unit, prefix) = prefixes.into_iter().find(|(unit, _)| number >= *unit).unwrap_or((1.0, ""));
    let shown = number / unit;
    let digits = if shown >= 100.0 {
        0
    } else if shown >= 10.0 {
        1
    } else {
        2
    };
    format!("{shown:.digits$} {prefix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_below_one_percent_is_not_nothing() {
        let all = [0.0, 0.000_02, 0.000_3, 0.004, 0.014, 0.47, 1.0];
        assert_eq!(all.map(percent).join(", "), "0 %, 0.002 %, 0.03 %, 0.4 %, 1 %, 47 %, 100 %");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(7.0), "7");
        assert_eq!(thousands(1_234_567.4), "1,234,567");
        assert_eq!([805_306_368.0, 1.008e12, 13.0].map(scaled).join(", "), "805 M, 1.01 T, 13.0 ");
        assert_eq!(thousands(88_240_000_000_000_004_194_304.0), "8.824e22");
    }

    #[test]
    fn estimates_have_four_digits() {
        assert_eq!(
            [7.4, 137_778.0, 1_262_069.0].map(|cycles| thousands(in_four_digits(cycles))).join(", "),
            "7, 137,800, 1,262,000"
        );
    }
}
