//! Expressions of a kernel as numbers and as sums of indices, by its text and a launch alone: no warp is run.

use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::{Argument, Configuration, TemplateValue};
use crate::cuda::source::syntactic::{is_by_value, root_of, target_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, Loop, Memory, Stmt, StmtKind, UnaryOp, Variable};

/// Greatest depth to which names and expressions are followed.
const DEEPEST: u32 = 24;

/// A kernel at a launch, whose expressions are evaluated as far as the text and the launch determine them.
pub(crate) struct AtLaunch<'a> {
    pub(crate) env: &'a Environment,
    pub(crate) kernel: &'a Function,
    pub(crate) body: &'a Stmt,
    pub(crate) launch: &'a Configuration,
    /// Names that the body changes somewhere.
    changed: FxHashSet<&'a str>,
    /// Declarations by the statement that they are looked for in, the innermost last; `None` for a name that is declared twice.
    scopes: Vec<FxHashMap<&'a str, Option<&'a Variable>>>,
    /// Counters of the loops around what is read, the outermost first.
    counters: Vec<&'a str>,
}

/// Number that distinguishes threads, blocks or passes of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Index {
    /// `threadIdx`, by its axis.
    Thread(u8),
    /// `blockIdx`, by its axis.
    Block(u8),
    /// Counter of a loop, the outermost first.
    Counter(u8),
}

/// A sum of indices with coefficients, none of them 0, and a constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    pub constant: i64,
    pub of: BTreeMap<Index, i64>,
}

/// Indices that an expression depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Dependence {
    pub threads: [bool; 3],
    pub blocks: [bool; 3],
    pub counters: bool,
    /// It depends on what is only known at run time.
    pub is_open: bool,
}

/// Meaning of an expression that is a name or an index.
enum Meaning<'a> {
    Number(i64),
    Index(Index),
    /// The same as another expression.
    Same(&'a Expr),
}

impl<'a> AtLaunch<'a> {
    /// `None` where the kernel has no body.
    pub(crate) fn new(env: &'a Environment, kernel: &'a Function, launch: &'a Configuration) -> Option<Self> {
        let body = kernel.body.as_ref()?;
        let changed = changed_in(env, kernel, body);
        let scopes = vec![declared_in(body)];
        Some(Self { env, kernel, body, launch, changed, scopes, counters: Vec::new() })
    }

    /// The same within a loop that counts: names mean first what its body declares.
    pub(crate) fn within(&self, of: &'a Loop) -> Option<Self> {
        let counter = counter(of)?;
        let mut scopes = self.scopes.clone();
        scopes.push(declared_in(&of.body));
        let mut counters = self.counters.clone();
        counters.push(&counter.name);
        Some(Self { changed: self.changed.clone(), scopes, counters, ..*self })
    }

    /// The value that a variable keeps from its declaration on.
    pub(crate) fn settled(&self, name: &str) -> Option<&'a Expr> {
        let variable = self.variable(name)?;
        let is_plain =
            variable.memory == Memory::Local && !variable.is_static && variable.of.dimensions.is_empty();
        variable.value.as_ref().filter(|_| is_plain && !self.changed.contains(name))
    }

    /// The variable of the body that a name means; `None` where several have that name.
    pub(crate) fn variable(&self, name: &str) -> Option<&'a Variable> {
        let own = self.scopes.iter().rev().find_map(|scope| scope.get(name))?;
        let is_parameter = self.kernel.parameters.iter().any(|parameter| parameter.name == name);
        own.filter(|_| !is_parameter)
    }

    /// Whether the body changes what a name means.
    pub(crate) fn is_changed(&self, name: &str) -> bool {
        self.changed.contains(name)
    }

    /// The number that an expression is wherever it is evaluated.
    pub(crate) fn number(&self, expr: &'a Expr) -> Option<i64> {
        self.number_at(expr, &|_| None, 0)
    }

    /// The number that an expression is in a thread of a block.
    pub(crate) fn number_in(&self, expr: &'a Expr, index: &dyn Fn(Index) -> Option<i64>) -> Option<i64> {
        self.number_at(expr, index, 0)
    }

    fn number_at(&self, expr: &'a Expr, index: &dyn Fn(Index) -> Option<i64>, depth: u32) -> Option<i64> {
        if depth > DEEPEST {
            return None;
        }
        let of = |expr: &'a Expr| self.number_at(expr, index, depth + 1);
        match &expr.kind {
            ExprKind::Integer { value, .. } => i64::try_from(*value).ok(),
            ExprKind::Binary { op, left, right } => op.applied(of(left)?, of(right)?),
            ExprKind::Unary { op: UnaryOp::Plus, of: inner } => of(inner),
            ExprKind::Unary { op: UnaryOp::Minus, of: inner } => of(inner)?.checked_neg(),
            ExprKind::Cast { to, of: inner } if is_whole(&to.name) && to.pointers == 0 => of(inner),
            ExprKind::Conditional { condition, then, otherwise } => {
                if of(condition)? != 0 {
                    of(then)
                } else {
                    of(otherwise)
                }
            }
            _ => match self.meaning(expr)? {
                Meaning::Number(number) => Some(number),
                Meaning::Index(of) => index(of),
                Meaning::Same(other) => of(other),
            },
        }
    }

    /// An expression as a linear combination of indices; `None` if it is not linear.
    pub(crate) fn linear(&self, expr: &'a Expr) -> Option<Linear> {
        self.linear_at(expr, 0)
    }

    fn linear_at(&self, expr: &'a Expr, depth: u32) -> Option<Linear> {
        if depth > DEEPEST {
            return None;
        }
        let of = |expr: &'a Expr| self.linear_at(expr, depth + 1);
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Add, left, right } => of(left)?.plus(&of(right)?, 1),
            ExprKind::Binary { op: BinaryOp::Subtract, left, right } => of(left)?.plus(&of(right)?, -1),
            ExprKind::Binary { op: BinaryOp::Multiply, left, right } => {
                let (left, right) = (of(left)?, of(right)?);
                match (left.as_number(), right.as_number()) {
                    (Some(factor), _) => right.times(factor),
                    (_, Some(factor)) => left.times(factor),
                    _ => None,
                }
            }
            ExprKind::Cast { to, of: inner } if is_whole(&to.name) && to.pointers == 0 => of(inner),
            ExprKind::Unary { op: UnaryOp::Plus, of: inner } => of(inner),
            ExprKind::Unary { op: UnaryOp::Minus, of: inner } => of(inner)?.times(-1),
            ExprKind::Name { .. } | ExprKind::Field { .. } => match self.meaning(expr)? {
                Meaning::Number(number) => Some(Linear { constant: number, ..Linear::default() }),
                Meaning::Index(index) => Some(Linear { constant: 0, of: BTreeMap::from([(index, 1)]) }),
                Meaning::Same(other) => of(other),
            },
            _ => Some(Linear { constant: self.number_at(expr, &|_| None, depth)?, ..Linear::default() }),
        }
    }

    /// The indices that an expression depends on.
    pub(crate) fn dependence(&self, expr: &'a Expr) -> Dependence {
        let mut found = Dependence::default();
        self.depends(expr, &mut found, 0);
        found
    }

    fn depends(&self, expr: &'a Expr, found: &mut Dependence, depth: u32) {
        match &expr.kind {
            ExprKind::Integer { .. } => {}
            ExprKind::Name { .. } | ExprKind::Field { .. } => match self.meaning(expr) {
                Some(Meaning::Number(_)) => {}
                Some(Meaning::Index(Index::Thread(axis))) => found.threads[axis as usize] = true,
                Some(Meaning::Index(Index::Block(axis))) => found.blocks[axis as usize] = true,
                Some(Meaning::Index(Index::Counter(_))) => found.counters = true,
                Some(Meaning::Same(other)) if depth <= DEEPEST => self.depends(other, found, depth + 1),
                _ => found.is_open = true,
            },
            ExprKind::Binary { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Unary { op: UnaryOp::Plus | UnaryOp::Minus, .. } => {
                expr.children().into_iter().for_each(|child| self.depends(child, found, depth));
            }
            _ => found.is_open = true,
        }
    }

    fn meaning(&self, expr: &'a Expr) -> Option<Meaning<'a>> {
        match &expr.kind {
            ExprKind::Field { of, name, is_arrow: false } => {
                let axis = ["x", "y", "z"].iter().position(|own| own == name)?;
                let is_shadowed =
                    self.scopes.iter().any(|scope| of.as_name().is_some_and(|of| scope.contains_key(of)));
                match of.as_name()? {
                    _ if is_shadowed => None,
                    "threadIdx" => Some(Meaning::Index(Index::Thread(axis as u8))),
                    "blockIdx" => Some(Meaning::Index(Index::Block(axis as u8))),
                    "blockDim" => Some(Meaning::Number(self.launch.block[axis].into())),
                    "gridDim" => Some(Meaning::Number(self.launch.grid[axis].into())),
                    _ => None,
                }
            }
            ExprKind::Name { name, .. } => self.named(name),
            _ => None,
        }
    }

    fn named(&self, name: &str) -> Option<Meaning<'a>> {
        if let Some(at) = self.counters.iter().rposition(|own| *own == name) {
            return Some(Meaning::Index(Index::Counter(at as u8)));
        }
        if self.scopes.iter().any(|scope| scope.contains_key(name)) {
            let is_number =
                self.variable(name).is_some_and(|own| is_whole(&own.of.name) && own.of.pointers == 0);
            return self.settled(name).filter(|_| is_number).map(Meaning::Same);
        }
        if let Some(at) = self.kernel.parameters.iter().position(|parameter| parameter.name == name) {
            return match self.launch.arguments.get(at) {
                Some(Argument::Number(number)) if !self.is_changed(name) => Some(Meaning::Number(*number)),
                _ => None,
            };
        }
        if let Some(at) = self.kernel.templates.iter().position(|template| template.name == name) {
            return match self.launch.templates.get(at) {
                Some(TemplateValue::Number(number)) => Some(Meaning::Number(*number)),
                None => match &self.kernel.templates[at].default {
                    Some(syntax::cuda::Argument::Value(value)) => Some(Meaning::Same(value)),
                    _ => None,
                },
                Some(_) => None,
            };
        }
        if let Some(of) = self.env.macro_named(name) {
            return of.value.as_ref().filter(|_| of.parameters.is_none()).map(Meaning::Same);
        }
        if let Some((_, variable)) = self.env.variable(name) {
            let is_constant =
                variable.is_constexpr || variable.of.is_const && variable.memory == Memory::Local;
            return variable.value.as_ref().filter(|_| is_constant).map(Meaning::Same);
        }
        match self.env.enumerator(name)? {
            (None, number) => Some(Meaning::Number(number)),
            (Some(value), 0) => Some(Meaning::Same(value)),
            _ => None,
        }
    }
}

impl Linear {
    /// The number, where no index is in it.
    pub(crate) fn as_number(&self) -> Option<i64> {
        self.of.is_empty().then_some(self.constant)
    }

    /// The coefficient of an index, 0 where it is not in the sum.
    pub(crate) fn coefficient(&self, of: Index) -> i64 {
        self.of.get(&of).copied().unwrap_or(0)
    }

    /// The sum with `times` the other sum; `None` on overflow.
    pub(crate) fn plus(mut self, other: &Self, times: i64) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(times)?)?;
        for (index, factor) in &other.of {
            let own = self.of.entry(*index).or_insert(0);
            *own = own.checked_add(factor.checked_mul(times)?)?;
        }
        self.of.retain(|_, factor| *factor != 0);
        Some(self)
    }

    fn times(mut self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_mul(factor)?;
        for own in self.of.values_mut() {
            *own = own.checked_mul(factor)?;
        }
        self.of.retain(|_, factor| *factor != 0);
        Some(self)
    }
}

/// The variable that a `for` declares and its step alone changes.
pub(crate) fn counter(of: &Loop) -> Option<&Variable> {
    let StmtKind::Declaration(all) = &of.init.as_ref()?.kind else { return None };
    let [only] = all.as_slice() else { return None };
    let mut is_changed = false;
    of.body.walk_expressions(&mut |expr| {
        is_changed |= target_of(expr).and_then(root_of) == Some(&only.name);
    });
    of.body.walk(&mut |stmt| {
        if let StmtKind::Declaration(all) = &stmt.kind {
            is_changed |= all.iter().any(|variable| variable.name == only.name);
        }
    });
    (!is_changed && only.of.pointers == 0).then_some(only)
}

/// Step and count of the passes of a loop that counts up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trips {
    pub step: i64,
    pub count: i64,
}

/// The passes of a loop whose bounds are numbers; `None` for any other.
pub(crate) fn trips<'a>(at: &AtLaunch<'a>, of: &'a Loop) -> Option<Trips> {
    let counter = counter(of)?;
    let is_counter = |expr: &Expr| expr.as_name() == Some(&counter.name);
    let first = at.number(counter.value.as_ref()?)?;
    let ExprKind::Binary { op, left, right } = &of.condition.as_ref()?.kind else { return None };
    let end = match op {
        BinaryOp::Less if is_counter(left) => at.number(right)?,
        BinaryOp::LessEqual if is_counter(left) => at.number(right)?.checked_add(1)?,
        BinaryOp::Greater if is_counter(right) => at.number(left)?,
        BinaryOp::GreaterEqual if is_counter(right) => at.number(left)?.checked_add(1)?,
        _ => return None,
    };
    let step = match &of.step.as_ref()?.kind {
        ExprKind::Unary { op: UnaryOp::Increment | UnaryOp::IncrementAfter, of } if is_counter(of) => 1,
        ExprKind::Assign { op: Some(BinaryOp::Add), left, right } if is_counter(left) => at.number(right)?,
        _ => return None,
    };
    let length = end.checked_sub(first)?;
    (step > 0 && length > 0 && !of.is_do).then(|| Trips { step, count: (length - 1) / step + 1 })
}

/// Names that a body changes: not what pointers of that name point to.
fn changed_in<'a>(env: &Environment, kernel: &'a Function, body: &'a Stmt) -> FxHashSet<&'a str> {
    let mut pointers: FxHashSet<&str> = FxHashSet::default();
    let own = kernel.parameters.iter().filter(|own| own.of.pointers > 0 || !own.of.dimensions.is_empty());
    pointers.extend(own.map(|own| own.name.as_str()));
    body.walk(&mut |stmt| {
        if let StmtKind::Declaration(all) = &stmt.kind {
            let own = all.iter().filter(|own| own.of.pointers > 0 && own.of.dimensions.is_empty());
            pointers.extend(own.map(|own| own.name.as_str()));
        }
    });
    let part = |place: &'a Expr| part_of(place, &pointers);
    let mut changed: FxHashSet<&str> = FxHashSet::default();
    body.walk_expressions(&mut |expr| {
        changed.extend(target_of(expr).and_then(part));
        let ExprKind::Call { function, arguments } = &expr.kind else { return };
        let name = function.as_name().unwrap_or_default();
        let by_reference = |at: usize| match env.function(name) {
            Some(_) => env.functions(name).any(|(_, callee)| {
                callee.parameters.get(at).is_none_or(|own| own.of.is_reference && !own.of.is_const)
            }),
            None => !is_by_value(name),
        };
        let lent = arguments.iter().enumerate().filter(|(at, _)| by_reference(*at));
        changed.extend(lent.filter_map(|(_, argument)| part(argument)));
    });
    body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Asm(asm) => {
            changed.extend(asm.outputs.iter().filter_map(|operand| part(operand.value.as_ref()?)));
        }
        StmtKind::ForEach { variable, .. } => {
            changed.insert(&variable.name);
        }
        // Another name may change it.
        StmtKind::Declaration(all) => {
            let references = all.iter().filter(|variable| variable.of.is_reference);
            changed.extend(references.filter_map(|variable| part(variable.value.as_ref()?)));
        }
        _ => {}
    });
    changed
}

/// The variable that a place is a part of; `None` if it is reached through a pointer.
fn part_of<'a>(place: &'a Expr, pointers: &FxHashSet<&str>) -> Option<&'a str> {
    match &place.kind {
        ExprKind::Name { name, .. } => Some(name),
        ExprKind::Field { of, is_arrow: false, .. } => part_of(of, pointers),
        ExprKind::Index { of, .. } => {
            part_of(of, pointers).filter(|_| !of.as_name().is_some_and(|name| pointers.contains(name)))
        }
        _ => None,
    }
}

fn declared_in(body: &Stmt) -> FxHashMap<&str, Option<&Variable>> {
    let mut found: FxHashMap<&str, Option<&Variable>> = FxHashMap::default();
    body.walk(&mut |stmt| {
        let all = match &stmt.kind {
            StmtKind::Declaration(all) => all.as_slice(),
            StmtKind::ForEach { variable, .. } => std::slice::from_ref(variable),
            _ => return,
        };
        for variable in all {
            found.entry(&variable.name).and_modify(|own| *own = None).or_insert(Some(variable));
        }
    });
    found
}

/// Whether a type by its name holds whole numbers.
fn is_whole(name: &str) -> bool {
    let is_word = |word: &str| {
        matches!(word, "int" | "unsigned" | "long" | "short" | "char" | "signed" | "size_t" | "uint" | "auto")
            || word.trim_start_matches("std::").trim_start_matches('u').starts_with("int")
                && word.ends_with("_t")
    };
    !name.is_empty() && name.split_whitespace().all(is_word)
}
