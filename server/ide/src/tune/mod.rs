//! Input-aware tuning of a kernel whose text has parameters: the variants that `[tune]` in `warplens.toml` states, which of them
//! are worth compiling, and what their code is predicted to take.

pub(crate) mod lens;
mod network;
pub(crate) mod outcome;
pub(crate) mod places;
pub(crate) mod plan;
pub(crate) mod ranking;
#[cfg(test)]
mod tests;
pub(crate) mod triton;
