//! Tests of the engine's answers for marked texts, and of properties that hold for every text.
//!
//! Each feature is a folder of fixtures and one file that turns the engine's answers into marks.

mod completion;
mod copy;
mod cuda;
mod cuda_actions;
mod cuda_asm;
mod cuda_asm_writing;
mod diagnostics;
mod early;
mod edits;
mod fixes;
mod folds;
mod format;
mod gpu;
mod hints;
mod hover;
mod lenses;
mod measured;
mod navigate;
mod pages;
mod properties;
mod ptx;
mod rename;
mod selection;
mod session;
mod settings;
mod signature;
mod symbols;
mod tokens;
