//! What the engine answers about marked texts, and what holds for every text.
//!
//! Each feature is a folder of fixtures and one file that turns the engine's answers into marks.

mod diagnostics;
mod folds;
mod gpu;
mod hints;
mod hover;
mod lenses;
mod properties;
mod session;
mod settings;
mod symbols;
mod tokens;
