//! Expressions of CUDA C++.

use super::{Stmt, TypeName};
use std::ops::Range;

/// An expression and its byte range, counted from the start of its item.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub range: Range<u32>,
}

/// Kind of an expression. Parentheses are not kept.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// An integer, character or Boolean literal.
    Integer {
        value: u64,
        is_unsigned: bool,
        is_long: bool,
    },
    /// A floating-point literal with a point or an exponent. It is a `double` unless it has the suffix `f`.
    Float {
        value: f64,
        is_double: bool,
    },
    /// A name with its scopes and its template arguments.
    Name {
        name: String,
        arguments: Vec<Argument>,
    },
    /// `of.name`, or `of->name`.
    Field {
        of: Box<Expr>,
        name: String,
        is_arrow: bool,
    },
    Index {
        of: Box<Expr>,
        index: Box<Expr>,
    },
    Call {
        function: Box<Expr>,
        arguments: Vec<Expr>,
    },
    /// `kernel<<<configuration>>>(arguments)`.
    Launch {
        function: Box<Expr>,
        configuration: Vec<Expr>,
        arguments: Vec<Expr>,
    },
    Unary {
        op: UnaryOp,
        of: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `left = right`, or `left op= right`.
    Assign {
        op: Option<BinaryOp>,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// A cast in any spelling: `(T)of`, `static_cast<T>(of)`, `reinterpret_cast<T>(of)`.
    Cast {
        to: TypeName,
        of: Box<Expr>,
    },
    /// `T{…}`.
    Construct {
        of: TypeName,
        values: Vec<Expr>,
    },
    SizeOfType(TypeName),
    SizeOf(Box<Expr>),
    /// `{…}`.
    List(Vec<Expr>),
    /// A lambda; only its body is kept.
    Lambda(Box<Stmt>),
    Comma {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `of...`: the expansion of a parameter pack.
    Pack(Box<Expr>),
    /// An expression without its own representation: strings, `new`, and code that does not parse.
    Unknown,
}

/// A template argument: a type or a value. A single name can be either of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    Type(TypeName),
    Value(Expr),
}

/// A unary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    /// `!`
    Not,
    /// `~`
    Invert,
    /// `*`
    Dereference,
    /// `&`
    AddressOf,
    /// `++x`
    Increment,
    /// `--x`
    Decrement,
    /// `x++`
    IncrementAfter,
    /// `x--`
    DecrementAfter,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    /// `&&`
    Both,
    /// `||`
    Either,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl BinaryOp {
    /// Applies the operator to integers; `None` if the result does not fit 64 bits or is undefined.
    pub fn applied(self, left: i64, right: i64) -> Option<i64> {
        Some(match self {
            Self::Add => left.checked_add(right)?,
            Self::Subtract => left.checked_sub(right)?,
            Self::Multiply => left.checked_mul(right)?,
            Self::Divide => left.checked_div(right)?,
            Self::Remainder => left.checked_rem(right)?,
            Self::ShiftLeft => left.checked_mul(1_i64.checked_shl(u32::try_from(right).ok()?)?)?,
            Self::ShiftRight => left.checked_shr(u32::try_from(right).ok()?)?,
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::Both => i64::from(left != 0 && right != 0),
            Self::Either => i64::from(left != 0 || right != 0),
            Self::Equal => i64::from(left == right),
            Self::NotEqual => i64::from(left != right),
            Self::Less => i64::from(left < right),
            Self::LessEqual => i64::from(left <= right),
            Self::Greater => i64::from(left > right),
            Self::GreaterEqual => i64::from(left >= right),
        })
    }

    /// Reads an operator, without the `=` of an assignment.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "%" => Self::Remainder,
            "<<" => Self::ShiftLeft,
            ">>" => Self::ShiftRight,
            "&" | "bitand" => Self::And,
            "|" | "bitor" => Self::Or,
            "^" | "xor" => Self::Xor,
            "&&" | "and" => Self::Both,
            "||" | "or" => Self::Either,
            "==" => Self::Equal,
            "!=" | "not_eq" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterEqual,
            _ => return None,
        })
    }

    /// True for `==`, `<` and the other comparisons.
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal | Self::NotEqual | Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual
        )
    }
}

impl Expr {
    /// The name without template arguments if the expression is a name; `None` otherwise.
    pub fn as_name(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Name { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The direct subexpressions, in text order.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Field { of, .. }
            | ExprKind::Unary { of, .. }
            | ExprKind::Cast { of, .. }
            | ExprKind::SizeOf(of)
            | ExprKind::Pack(of) => vec![of],
            ExprKind::Index { of, index } => vec![of, index],
            ExprKind::Call { function, arguments } => std::iter::once(&**function).chain(arguments).collect(),
            ExprKind::Launch { function, configuration, arguments } => {
                std::iter::once(&**function).chain(configuration).chain(arguments).collect()
            }
            ExprKind::Binary { left, right, .. }
            | ExprKind::Assign { left, right, .. }
            | ExprKind::Comma { left, right } => vec![left, right],
            ExprKind::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            ExprKind::Construct { values, .. } | ExprKind::List(values) => values.iter().collect(),
            ExprKind::Integer { .. }
            | ExprKind::Float { .. }
            | ExprKind::Name { .. }
            | ExprKind::SizeOfType(_)
            | ExprKind::Lambda(_)
            | ExprKind::Unknown => Vec::new(),
        }
    }

    /// Visits the expression and all subexpressions, outer before inner. Bodies of lambdas are skipped.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// True if `test` returns true for the expression or for any subexpression, visited in the order of
    /// [`Self::walk`].
    pub fn any(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|child| child.any(test))
    }
}
