//! Limits of an evaluation: number of steps and nesting depth.

/// limit: a tree is no deeper than [`syntax::DEEPEST_TREE`], but macros, functions and variables put trees into each other.
const DEEPEST_EVALUATION: u32 = syntax::DEEPEST_TREE * 3 / 2;
/// limit: macros whose texts are evaluated one within the other.
const MOST_MACROS: u32 = 64;
/// limit: each name may add a type's pointers and dimensions to those of the last one.
const MOST_TYPE_NAMES: u32 = 32;
/// limit: steps that a constant may take, however few are left.
const CONSTANT_STEPS: u32 = 256;

/// Kinds of nesting, each with a depth limit of its own.
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
    /// A constant is being evaluated.
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

    /// Goes one level deeper; false, without doing so, if that is too deep.
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

    /// Begins to evaluate a constant, whose steps do not count; `None` within another one, or each level would multiply the steps.
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
