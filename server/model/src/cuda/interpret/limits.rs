//! Limits of an evaluation: number of steps and nesting depth.

/// limit: a tree is no deeper than [`syntax::DEEPEST_TREE`], but macros, functions and variables nest trees.
const DEEPEST_EVALUATION: u32 = syntax::DEEPEST_TREE * 3 / 2;
/// limit: depth of nested macro expansions.
const MOST_MACROS: u32 = 64;
/// limit: depth of type lookups, each of which may add pointers and dimensions to the type.
const MOST_TYPE_NAMES: u32 = 32;
/// limit: steps that a constant may always take, even if fewer are left.
const CONSTANT_STEPS: u32 = 256;

/// Kinds of nesting, each with a separate depth limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// Statements and expressions, of all functions and macros.
    Evaluation,
    /// Texts of macros.
    Macro,
    /// Names of types that are being looked up.
    TypeName,
}

/// Steps that a warp may still take, and the current nesting depths.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Expressions and statements that may still be evaluated.
    pub(super) steps: u32,
    depths: [u32; 3],
    /// True while a constant is evaluated.
    is_constant: bool,
}

impl Limits {
    pub(super) fn new(steps: u32) -> Self {
        Self { steps, depths: [0; 3], is_constant: false }
    }

    /// Counts a step; false once none is left.
    pub(super) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        syntax::stop::check_at(self.steps as usize);
        self.steps > 0
    }

    /// Goes one level deeper. If that is too deep, returns false and stays.
    pub(super) fn enter(&mut self, what: Nesting) -> bool {
        let most = match what {
            Nesting::Evaluation => DEEPEST_EVALUATION,
            Nesting::Macro => MOST_MACROS,
            Nesting::TypeName => MOST_TYPE_NAMES,
        };
        let depth = &mut self.depths[what as usize];
        let enters = *depth < most;
        *depth += u32::from(enters);
        enters
    }

    pub(super) fn leave(&mut self, what: Nesting) {
        self.depths[what as usize] -= 1;
    }

    /// Begins to evaluate a constant, whose steps are not charged. `None` within another constant, because nested
    /// constants would multiply the steps.
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
