//! Counts of checks that passed, failed or were skipped.

use std::fmt;
use std::iter::Sum;

/// Counts of checks. A test case counts as one check, and so does a lint run or a licence check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    /// Parts of tests that were skipped because this machine lacks a required program.
    pub(crate) left_out: u32,
}

impl Tally {
    pub(crate) const fn from_passed(passed: bool) -> Self {
        Self { passed: passed as u32, failed: !passed as u32, left_out: 0 }
    }

    pub(crate) const fn failure() -> Self {
        Self::from_passed(false)
    }

    /// True if something was checked and nothing failed. A suite without any test counts as failed.
    pub(crate) const fn all_passed(self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, next| Self {
            passed: sum.passed + next.passed,
            failed: sum.failed + next.failed,
            left_out: sum.left_out + next.left_out,
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.left_out > 0 { write!(f, ", {} left out", self.left_out) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_checked_is_no_success() {
        assert!(!Tally::default().all_passed());
        assert!(Tally::from_passed(true).all_passed());
        let partly = Tally { passed: 3, failed: 0, left_out: 2 };
        assert_eq!(
            (partly.to_string(), partly.all_passed()),
            ("3 passed, 0 failed, 2 left out".to_owned(), true)
        );
        assert!(!Tally { passed: 3, failed: 1, left_out: 0 }.all_passed());
    }
}
