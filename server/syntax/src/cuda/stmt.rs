//! Statements of CUDA C++.

use super::{Expr, TypeName};
use std::ops::Range;

/// A statement and its byte range, counted from the start of its item.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub range: Range<u32>,
}

/// Kind of a statement.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "most statements are expressions, which are as large")]
pub enum StmtKind {
    Block(Vec<Stmt>),
    Expression(Expr),
    Declaration(Vec<Variable>),
    /// An `if` statement. `init` is the optional declaration before the condition.
    If {
        /// True for `if constexpr`.
        is_constexpr: bool,
        init: Option<Box<Stmt>>,
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Loop(Box<Loop>),
    /// `for (variable : of)`.
    ForEach {
        variable: Variable,
        of: Expr,
        body: Box<Stmt>,
    },
    /// A `switch` statement. Each case has its value (`None` for `default`) and the statements up to the next
    /// case.
    Switch {
        value: Expr,
        cases: Vec<(Option<Expr>, Vec<Stmt>)>,
    },
    Break,
    Continue,
    Return(Option<Expr>),
    /// A jump to a label, or a label.
    Goto,
    Asm(InlineAsm),
    /// Alternative branches of a preprocessor condition. The declarations of a [`super::Unit`] contain none,
    /// because their conditions have been evaluated.
    Preprocessor(Vec<PreprocessorPart>),
    /// A statement without effect: `;`, or a declaration that only introduces names.
    Empty,
    /// A statement that does not parse or is not supported.
    Unknown,
}

/// Statements between two directives of a preprocessor condition.
#[derive(Debug, Clone, PartialEq)]
pub struct PreprocessorPart {
    /// Byte offset of the `#` that begins the branch.
    pub directive: u32,
    pub body: Vec<Stmt>,
}

/// A loop: `for`, `while`, or `do … while`.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    pub init: Option<Stmt>,
    /// `None` for an endless loop.
    pub condition: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Stmt,
    /// True if the body runs before the condition is evaluated.
    pub is_do: bool,
    pub unroll: Unroll,
}

/// The `#pragma unroll` before a loop.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Unroll {
    /// The loop has no `#pragma unroll`.
    #[default]
    Unsaid,
    Whole,
    By(Expr),
}

/// A declared variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub name: String,
    /// Byte range of the name.
    pub name_range: Range<u32>,
    pub of: TypeName,
    pub memory: Memory,
    /// True for `extern`. An `extern` shared array has the size of the dynamic shared memory.
    pub is_extern: bool,
    /// True for `constexpr`.
    pub is_constexpr: bool,
    pub is_static: bool,
    pub value: Option<Expr>,
}

/// Memory space of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Memory {
    /// Registers, or local memory.
    #[default]
    Local,
    /// `__shared__`
    Shared,
    /// `__constant__`
    Constant,
    /// `__device__` or `__managed__`
    Global,
}

impl Stmt {
    /// The direct substatements, in text order.
    pub fn children(&self) -> Vec<&Stmt> {
        match &self.kind {
            StmtKind::Block(all) => all.iter().collect(),
            StmtKind::If { init, then, otherwise, .. } => {
                init.as_deref().into_iter().chain([&**then]).chain(otherwise.as_deref()).collect()
            }
            StmtKind::Loop(each) => each.init.iter().chain([&each.body]).collect(),
            StmtKind::ForEach { body, .. } => vec![body],
            StmtKind::Preprocessor(parts) => parts.iter().flat_map(|part| &part.body).collect(),
            StmtKind::Switch { cases, .. } => cases.iter().flat_map(|(_, body)| body).collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions of the statement itself, in text order. Expressions of its substatements are excluded.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Expression(expr) | StmtKind::Return(Some(expr)) => vec![expr],
            StmtKind::Declaration(all) => all.iter().filter_map(|variable| variable.value.as_ref()).collect(),
            StmtKind::If { condition, .. } => vec![condition],
            StmtKind::Loop(each) => each.condition.iter().chain(&each.step).collect(),
            StmtKind::ForEach { of, .. } => vec![of],
            StmtKind::Switch { value, .. } => vec![value],
            StmtKind::Asm(asm) => asm.operands().filter_map(|operand| operand.value.as_ref()).collect(),
            _ => Vec::new(),
        }
    }

    /// Visits the statement and all statements in it, outer before inner.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Visits every expression of the statement and of its substatements.
    pub fn walk_expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.walk(&mut |stmt| {
            for expr in stmt.expressions() {
                expr.walk(visit);
            }
        });
    }
}

/// An `asm` statement: PTX with numbered operands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InlineAsm {
    /// The string literals of the code, in order: byte ranges between the quotes.
    pub code: Vec<Range<u32>>,
    pub outputs: Vec<AsmOperand>,
    pub inputs: Vec<AsmOperand>,
    pub is_volatile: bool,
}

/// An operand of an `asm` statement.
#[derive(Debug, Clone, PartialEq)]
pub struct AsmOperand {
    /// `"=r"` without its quotes.
    pub constraint: String,
    pub constraint_range: Range<u32>,
    /// `None` if the value does not parse.
    pub value: Option<Expr>,
}

impl InlineAsm {
    /// The operands in numbering order, outputs first.
    pub fn operands(&self) -> impl Iterator<Item = &AsmOperand> {
        self.outputs.iter().chain(&self.inputs)
    }
}
