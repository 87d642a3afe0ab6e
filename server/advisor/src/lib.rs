//! Detects errors and performance problems in kernels.
//!
//! A rule is a file in `rules/`, and its page in the same folder (`<code>.md`: the hover text and the tests, with at
//! least one block that fires and one that is silent). A rule that reports an assembler error is a row of
//! `assembler/code.rs` instead, and its check is in `assembler/`.

mod assembler;
mod check;
pub mod codes;
pub mod cuda;
mod fill;
mod finding;
mod flow;
pub mod inline_asm;
mod kernel;
pub mod memory;
pub mod ptx;
mod rule;
mod rules;
pub mod spelling;
pub mod steps;
pub mod top_down;

pub use check::{check, check_codes, check_expected, check_heading, check_item, check_unit};
pub use finding::{Edit, Finding, Fix, Related, Severity, Site};
pub use kernel::Kernel;
pub use rule::{Group, Rule};
pub use rules::{rule, rules};
