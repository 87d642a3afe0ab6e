//! The instruction set of PTX as one table.

use super::behaviour::BehaviourRule;
use super::costly::CostlyInstruction;
use super::form::Form;
use super::limit::Limit;
use super::target::{Target, Version};
use super::types::Type;
use super::vocabulary::{Directive, SpecialRegister};
use crate::Known;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The instruction set of PTX.
#[derive(Debug, Clone, Default)]
pub struct Ptx {
    /// Forms sorted by opcode. Forms of one opcode are in the order of `instructions.csv`.
    pub(super) forms: Vec<Form>,
    pub(super) by_opcode: FxHashMap<Box<str>, Range<usize>>,
    /// Special registers by name with its percent sign: `%tid`.
    pub(super) special_registers: FxHashMap<Box<str>, SpecialRegister>,
    /// Directives by name with its dot: `.entry`.
    pub(super) directives: FxHashMap<Box<str>, Directive>,
    /// A sentence for each modifier, by instruction name. Meanings that apply to any instruction have the
    /// empty name.
    pub(super) meanings: FxHashMap<Box<str>, FxHashMap<Box<str>, Box<str>>>,
    /// Words that ptxas ignores: set `ignored` of `sets.csv`.
    pub(super) ignored: Arc<[Box<str>]>,
    /// Words that ptxas accepts twice: set `repeatable` of `sets.csv`.
    pub(super) repeatable: Arc<[Box<str>]>,
    /// Rows by opcode, in the order of `costly.csv`.
    pub(super) costly: FxHashMap<Box<str>, Vec<CostlyInstruction>>,
    pub(super) static_shared_bytes: Option<Known<u32>>,
    /// Rows by opcode, in the order of `behaviour.csv`.
    pub(super) behaviours: FxHashMap<Box<str>, Vec<BehaviourRule>>,
    /// Types by name without dot: `u32`.
    pub(super) types: FxHashMap<Box<str>, Type>,
    pub(super) limits: Vec<Limit>,
    /// Targets (`sm_90a`) in ascending order, each with the PTX version that introduced it.
    pub(super) targets: Vec<(Target, Version)>,
}
