//! The top-down tree of a profiled launch: splits the stalls by reason, unit and instruction, and gives advice on
//! lowering them (Hao et al., DrGPU, ICPE 2023).

mod conflicts;
mod count;
mod device_memory;
mod figures;
mod gain;
mod guidance;
mod instruction_mix;
mod latency;
mod node;
mod pages;
mod pipes;
mod places;
mod reasons;
mod shape;
mod shared_memory;
mod stalls;
mod thresholds;
mod tree;
mod units;
mod work;

pub use guidance::{guide_page, is_guide};
pub use node::{Advice, Fact, Gain, Hotspot, Node};
pub use stalls::Basis;
pub use thresholds::{Threshold, Thresholds, UnknownThreshold};
pub use tree::{ProfiledLaunch, RankedAdvice, Tree, tree};

#[cfg(test)]
mod tests;
