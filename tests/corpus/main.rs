//! Invariants over whole listings: ours, which ship here, and those in `../shared` where that folder is.

mod completing;
mod control_codes;
mod copying;
mod counted;
mod cuda;
mod cuda_asm;
mod documents;
mod encoded_registers;
mod files;
mod formatting;
mod hazards;
mod hovers;
mod kernels;
mod life_ranges;
mod mutants;
mod ncu;
mod papers;
mod ptx_answers;
mod ptx_forms;
mod ptx_mutants;
mod ptx_trees;
mod renaming;
mod rewriting;
mod scheduling;
mod top_down;
mod trees;
