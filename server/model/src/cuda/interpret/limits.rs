//! Limits of an evaluation: the number of steps and the nesting depth.

/// Maximum nesting depth of an evaluation. A syntax tree is no deeper than [`syntax::DEEPEST_TREE`], but
/// macros, functions and variables nest syntax trees.
const DEEPEST_EVALUATION: u32 = syntax::DEEPEST_TREE * 3 / 2; // limit: the stack
/// Maximum depth of nested macro expansions.
const MAX_MACROS: u32 = 64; // limit: the stack
/// Maximum depth of type lookups. Each lookup may add pointers and dimensions to the type.
const MAX_TYPE_NAMES: u32 = 32; // limit: the stack
/// Number of steps that are available to the evaluation of a constant even if the warp has fewer steps left.
const CONSTANT_STEPS: u32 = 256; // limit: time

/// Kinds of nesting, each with a separate depth limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// Statements and expressions of all functions and macros.
    Evaluation,
    /// Macro bodies.
    Macro,
    /// Lookups of type names.
    TypeName,
}

/// Remaining steps of a warp, and the current nesting depths.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Number of expressions and statements that may still be evaluated.
    pub(super) steps: u32,
    depths: [u32; 3],
    /// True while a constant is evaluated.
    is_constant: bool,
}

impl Limits {
    pub(super) fn new(steps: u32) -> Self {
        Self { steps, depths: [0; 3], is_constant: false }
    }

    /// Counts a step. Returns false if no steps are left.
    pub(super) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        syntax::stop::check_at(self.steps as usize);
        self.steps > 0
    }

    /// Enters one nesting level. At the depth limit, returns false and does not enter.
    pub(super) fn enter(&mut self, what: Nesting) -> bool {
        let most = match what {
            Nesting::Evaluation => DEEPEST_EVALUATION,
            Nesting::Macro => MAX_MACROS,
            Nesting::TypeName => MAX_TYPE_NAMES,
        };
        let depth = &mut self.depths[what as usize];
        let enters = *depth < most;
        *depth += u32::from(enters);
        enters
    }

    pub(super) fn leave(&mut self, what: Nesting) {
        self.depths[what as usize] -= 1;
    }

    /// Begins to evaluate a constant, whose steps are not charged to the warp. Returns the step count to
    /// restore; `None` within another constant, because nested constants would multiply the steps.
    pub(super) fn begin_constant(&mut self) -> Option<u32> {
        if self.is_constant {
            return None;
        }
        let steps = self.steps;
        (self.steps, self.is_constant) = (steps.max(CONSTANT_STEPS), true);
        Some(steps)
    }

    pub(super) fn end_constant(&mut self, begun: Option<u32>) {
        if let Some(steps) = begun {
            (self.steps, self.is_constant) = (steps, false);
        }
    }
}
