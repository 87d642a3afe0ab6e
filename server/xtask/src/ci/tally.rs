//! Counts of checks that passed, failed or were skipped.

use std::fmt;
use std::iter::Sum;

/// Results of checks. A test case counts as one check, and so does a lint run or a licence check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u32,
    /// Names of the checks that failed.
    pub(crate) failures: Vec<String>,
    /// Parts of tests that were skipped because this machine lacks a required program.
    pub(crate) left_out: u32,
}

impl Tally {
    /// The result of a check called `name`.
    pub(crate) fn single(name: &str, passed: bool) -> Self {
        let mut tally = Self::default();
        tally.add(name, passed);
        tally
    }

    /// Adds the result of a check called `name`.
    pub(crate) fn add(&mut self, name: &str, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failures.push(name.to_owned());
        }
    }

    /// Adds the result in a line that begins with `ok ` or `not ok `; ignores other lines.
    pub(crate) fn add_case(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("ok ") {
            self.add(name, true);
        } else if let Some(name) = line.strip_prefix("not ok ") {
            self.add(name, false);
        }
    }

    /// True if something was checked and nothing failed. A suite without any test counts as failed.
    pub(crate) fn all_passed(&self) -> bool {
        self.failures.is_empty() && self.passed > 0
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |mut sum, next| {
            sum.passed += next.passed;
            sum.failures.extend(next.failures);
            sum.left_out += next.left_out;
            sum
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failures.len())?;
        if self.left_out > 0 { write!(f, ", {} left out", self.left_out) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_checked_is_no_success() {
        assert!(!Tally::default().all_passed());
        assert!(Tally::single("format", true).all_passed());
        let partly = Tally { passed: 3, left_out: 2, ..Tally::default() };
        assert_eq!(
            (partly.to_string(), partly.all_passed()),
            ("3 passed, 0 failed, 2 left out".to_owned(), true)
        );
        assert!(!Tally { passed: 3, failures: vec!["clippy".to_owned()], left_out: 0 }.all_passed());
    }

    #[test]
    fn a_failed_case_keeps_its_name() {
        let mut tally = Tally::default();
        for line in ["ok a hover is drawn", "a line of the log", "not ok a kernel folds"] {
            tally.add_case(line);
        }
        assert_eq!(tally, Tally { passed: 1, failures: vec!["a kernel folds".to_owned()], left_out: 0 });
    }
}
