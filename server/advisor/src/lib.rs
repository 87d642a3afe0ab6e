//! What is wrong or slow in a kernel.
//!
//! A rule is a file in `rules/` with its page in the same folder (`<code>.md`: what a hover shows, and its tests: one block that
//! fires, one that is silent) and one line in `rules/mod.rs`. One that says what the assembler would say is a row of
//! `assembler/code.rs` instead, with its check in the same folder.

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
