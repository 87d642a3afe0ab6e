//! Figures of the static model that are independent of the chip: `data/static_model.toml`.

use crate::Known;
use crate::load::data_text;
use serde::Deserialize;
use std::sync::LazyLock;

/// Figures that are valid on every architecture. Each figure is explained next to its value in the file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticModel {
    pub pass_instructions: Known<u32>,
    pub shared_start: Known<u32>,
    pub barrier_warp: Known<u32>,
    pub launch_percent: Known<u32>,
    pub paths_per_stage: Known<u32>,
    pub first_loads: Known<u32>,
    pub fragment_waits: Known<u32>,
    pub l2_bytes_of_sm: Known<u32>,
}

impl StaticModel {
    /// Returns the built-in figures, which are read once.
    ///
    /// # Panics
    ///
    /// Never in a build whose tests pass, because the tests read the same bytes.
    pub fn builtin() -> &'static Self {
        static FIGURES: LazyLock<StaticModel> = LazyLock::new(|| data_text!("static_model.toml").built_in());
        &FIGURES
    }
}
