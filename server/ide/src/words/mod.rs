//! Wording of cycles, control codes, numbers and live registers. All views use the same wording.

pub(crate) mod assumed;
pub(crate) mod control_words;
pub(crate) mod cycle_words;
pub(crate) mod kind_names;
pub(crate) mod live;
pub(crate) mod markdown;
pub(crate) mod numbers;
pub(crate) mod to_state;
