//! Collects the accesses to global memory in a kernel's source, each with the enclosing conditions and loops.

use super::numbers::LaunchContext;
use super::quantity::Form;
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::builtins::{Operation, is_meeting};
use crate::cuda::source::syntactic::{root_of, target_of};
use std::cell::Cell;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, Loop, Memory, Stmt, StmtKind, UnaryOp};

/// An access to global memory.
#[derive(Debug, Clone)]
pub(crate) struct GlobalAccess<'a> {
    pub kind: AccessKind,
    /// Name of the kernel parameter or translation-unit variable whose memory is accessed; `None` if unknown.
    pub pointer: Option<&'a str>,
    /// Offset in elements from the start of the pointer's array, as the terms of a sum; `None` if unknown.
    pub offsets: Option<Vec<&'a Expr>>,
    pub range: Range<u32>,
    pub context: Context<'a>,
}

impl<'a> GlobalAccess<'a> {
    /// Returns the element offset of the access as an affine form, in which the counters of all enclosing loops are
    /// symbols; `None` if unknown.
    pub(crate) fn place(&self, at: &LaunchContext<'a>) -> Option<Form<'a>> {
        let Some((first, rest)) = self.context.loops.split_first() else { return self.place_in(at) };
        let scope = rest.iter().try_fold(at.within(first)?, |scope, of| scope.within(of))?;
        self.place_in(&scope)
    }

    /// Like [`Self::place`], for a context `at` that already includes all loops around the access.
    pub(crate) fn place_in(&self, at: &LaunchContext<'a>) -> Option<Form<'a>> {
        at.sum(self.offsets.as_ref()?)
    }
}

/// Conditions and loops that enclose code in a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context<'a> {
    /// Conditions, each with the value that it must have for the code to run.
    pub conditions: Vec<(&'a Expr, bool)>,
    /// Enclosing loops, outermost first.
    pub loops: Vec<&'a Loop>,
}

/// Global accesses, loops and synchronization in a kernel's source.
#[derive(Debug, Default)]
pub(crate) struct KernelAccesses<'a> {
    pub all: Vec<GlobalAccess<'a>>,
    /// Loops, each with its statement and context.
    pub loops: Vec<(&'a Loop, &'a Stmt, Context<'a>)>,
    /// Byte ranges of barriers and of data exchanges between threads, each with its context.
    pub meetings: Vec<(Range<u32>, Context<'a>)>,
    pub uses_shared: bool,
    /// True if the kernel may access global memory through accesses that are not in `all`.
    pub is_unclear: bool,
}

/// Maximum length of a chain of pointer variables that is followed through initializers.
// limit: each initializer may name the previous variable twice.
const MAX_NAMES: u32 = 12;

/// Collects the global accesses, loops and synchronization of a kernel.
pub(crate) fn touches<'a>(at: &LaunchContext<'a>) -> KernelAccesses<'a> {
    let (found, context) = (KernelAccesses::default(), Context::default());
    let mut walk = Walk { at, found, context, names: Cell::new(0) };
    walk.statement(at.body);
    walk.found
}

struct Walk<'w, 'a> {
    at: &'w LaunchContext<'a>,
    found: KernelAccesses<'a>,
    context: Context<'a>,
    /// Current length of the chain of pointer variables that is followed through initializers.
    names: Cell<u32>,
}

/// Kind of memory that a pointer points into.
enum PointedMemory<'a> {
    /// Shared, constant or thread-local memory.
    Other,
    Global {
        pointer: Option<&'a str>,
        offsets: Option<Vec<&'a Expr>>,
    },
}

impl<'a> Walk<'_, 'a> {
    fn under(&mut self, condition: &'a Expr, holds: bool, work: impl FnOnce(&mut Self)) {
        self.context.conditions.push((condition, holds));
        work(self);
        self.context.conditions.pop();
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Block(all) => {
                let before = self.context.conditions.len();
                for stmt in all {
                    self.statement(stmt);
                    // Threads that continue did not take the branch that returns.
                    if let StmtKind::If { condition, then, otherwise: None, .. } = &stmt.kind
                        && returns(then)
                    {
                        self.context.conditions.push((condition, false));
                    }
                }
                self.context.conditions.truncate(before);
            }
            StmtKind::If { init, condition, then, otherwise, .. } => {
                if let Some(init) = init {
                    self.statement(init);
                }
                self.expression(condition);
                self.under(condition, true, |walk| walk.statement(then));
                if let Some(otherwise) = otherwise {
                    self.under(condition, false, |walk| walk.statement(otherwise));
                }
            }
            StmtKind::Loop(of) => {
                if let Some(init) = &of.init {
                    self.statement(init);
                }
                self.found.loops.push((of, stmt, self.context.clone()));
                self.context.loops.push(of);
                of.condition.iter().chain(&of.step).for_each(|expr| self.expression(expr));
                self.statement(&of.body);
                self.context.loops.pop();
            }
            StmtKind::ForEach { of, body, .. } => {
                self.found.is_unclear = true;
                self.expression(of);
                self.statement(body);
            }
            StmtKind::Switch { value, cases } => {
                self.expression(value);
                cases.iter().flat_map(|(_, body)| body).for_each(|stmt| self.statement(stmt));
            }
            StmtKind::Declaration(all) => {
                for variable in all {
                    self.found.uses_shared |= variable.memory == Memory::Shared;
                    self.found.is_unclear |= variable.of.is_reference;
                    if let Some(value) = &variable.value {
                        self.expression(value);
                    }
                }
            }
            StmtKind::Asm(_) | StmtKind::Goto | StmtKind::Unknown => self.found.is_unclear = true,
            _ => stmt.expressions().into_iter().for_each(|expr| self.expression(expr)),
        }
    }

    fn expression(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Assign { op, left, right } => {
                self.expression(right);
                if op.is_some() {
                    self.place(left, AccessKind::Load);
                }
                self.place(left, AccessKind::Store);
                self.below(left);
            }
            ExprKind::Unary {
                op:
                    UnaryOp::Increment | UnaryOp::Decrement | UnaryOp::IncrementAfter | UnaryOp::DecrementAfter,
                of,
            } => {
                self.place(of, AccessKind::Load);
                self.place(of, AccessKind::Store);
                self.below(of);
            }
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => {
                // The address may be used for anything. Calls of known functions check their arguments
                // themselves.
                self.found.is_unclear |=
                    !matches!(self.memory_of_place(of), None | Some(PointedMemory::Other));
                self.below(of);
            }
            ExprKind::Call { function, arguments } => self.call(function, arguments, expr),
            ExprKind::Lambda(_) | ExprKind::Launch { .. } => self.found.is_unclear = true,
            _ if self.memory_of_place(expr).is_some() => {
                self.place(expr, AccessKind::Load);
                self.below(expr);
            }
            _ => expr.children().into_iter().for_each(|child| self.expression(child)),
        }
    }

    /// Visits the expressions in an lvalue that are evaluated to locate it: subscripts, and offsets of pointers.
    fn below(&mut self, place: &'a Expr) {
        match &place.kind {
            ExprKind::Index { of, index } => {
                self.expression(index);
                self.below(of);
            }
            ExprKind::Field { of, .. } | ExprKind::Unary { of, .. } | ExprKind::Cast { of, .. } => {
                self.below(of);
            }
            ExprKind::Binary { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Name { .. } => {}
            _ => self.expression(place),
        }
    }

    fn place(&mut self, expr: &'a Expr, kind: AccessKind) {
        if let Some(PointedMemory::Global { pointer, offsets }) = self.memory_of_place(expr) {
            let context = self.context.clone();
            self.found.all.push(GlobalAccess { kind, pointer, offsets, range: expr.range.clone(), context });
        }
    }

    fn call(&mut self, function: &'a Expr, arguments: &'a [Expr], expr: &'a Expr) {
        let Some(name) = function.as_name() else {
            // Methods of cooperative groups may synchronize.
            self.found.meetings.push((expr.range.clone(), self.context.clone()));
            let is_harmless = arguments.iter().all(|argument| self.pointed(argument).is_none());
            self.found.is_unclear |= !is_harmless;
            return arguments.iter().for_each(|argument| self.expression(argument));
        };
        let last = name.rsplit("::").next().unwrap_or(name);
        let by_pointer = match Operation::of_function(last) {
            Some(Operation::Atomic | Operation::CombinedAtomic) => Some(AccessKind::Atomic),
            Some(Operation::Load) => Some(AccessKind::Load),
            Some(Operation::Store) => Some(AccessKind::Store),
            _ => None,
        };
        if self.at.env.function(name).is_none()
            && let (Some(kind), Some((pointer, rest))) = (by_pointer, arguments.split_first())
        {
            match self.pointed(pointer) {
                Some(PointedMemory::Global { pointer, offsets }) => {
                    let context = self.context.clone();
                    self.found.all.push(GlobalAccess {
                        kind,
                        pointer,
                        offsets,
                        range: expr.range.clone(),
                        context,
                    });
                }
                Some(PointedMemory::Other) => {}
                None => self.found.is_unclear = true,
            }
            match &pointer.kind {
                ExprKind::Unary { op: UnaryOp::AddressOf, of } => self.below(of),
                _ => self.below(pointer),
            }
            return rest.iter().for_each(|argument| self.expression(argument));
        }
        if is_meeting(last) || name.contains("::") {
            self.found.meetings.push((expr.range.clone(), self.context.clone()));
        }
        if self.at.env.function(name).is_some() {
            self.found.is_unclear |=
                !self.at.env.functions(name).all(|(_, callee)| is_of_values(self.at, callee));
            // The function reads through its pointer arguments, at unknown offsets.
            if arguments.iter().any(|argument| self.pointed(argument).is_some()) {
                let context = self.context.clone();
                let (kind, range) = (AccessKind::Load, expr.range.clone());
                self.found.all.push(GlobalAccess { kind, pointer: None, offsets: None, range, context });
            }
        } else if self.at.env.macro_named(name).is_some() {
            self.found.is_unclear = true;
        } else if !matches!(last, "printf" | "assert") {
            self.found.is_unclear |= arguments.iter().any(|argument| self.pointed(argument).is_some());
        }
        for argument in arguments {
            self.expression(argument);
        }
    }

    /// Returns the memory that an lvalue expression accesses; `None` if the expression accesses no memory.
    fn memory_of_place(&self, expr: &'a Expr) -> Option<PointedMemory<'a>> {
        match &expr.kind {
            ExprKind::Index { of, index } => Some(match self.pointed(of) {
                Some(of) => following(of, Some(index)),
                // A row of an array, or unknown memory.
                None => match self.memory_of_place(of) {
                    Some(PointedMemory::Global { pointer, .. }) => {
                        PointedMemory::Global { pointer, offsets: None }
                    }
                    Some(PointedMemory::Other) => PointedMemory::Other,
                    None if self.is_own(of) => PointedMemory::Other,
                    None => PointedMemory::Global { pointer: None, offsets: None },
                },
            }),
            ExprKind::Unary { op: UnaryOp::Dereference, of } | ExprKind::Field { of, is_arrow: true, .. } => {
                Some(self.pointed(of).unwrap_or(PointedMemory::Global { pointer: None, offsets: None }))
            }
            ExprKind::Field { of, is_arrow: false, .. } => self.memory_of_place(of),
            ExprKind::Name { name, .. } => {
                let (_, variable) = self.unit_variable(name)?;
                let is_value = variable.of.dimensions.is_empty() && variable.of.pointers == 0;
                (is_value && variable.memory == Memory::Global)
                    .then(|| PointedMemory::Global { pointer: Some(name), offsets: Some(Vec::new()) })
            }
            _ => None,
        }
    }

    /// Returns the memory that a pointer expression points into; `None` if the expression is not recognized
    /// as a pointer.
    fn pointed(&self, expr: &'a Expr) -> Option<PointedMemory<'a>> {
        match &expr.kind {
            ExprKind::Name { name, .. } => self.named(name),
            ExprKind::Binary { op: BinaryOp::Add, left, right } => match self.pointed(left) {
                Some(of) => Some(following(of, Some(right))),
                None => self.pointed(right).map(|of| following(of, Some(left))),
            },
            ExprKind::Binary { op: BinaryOp::Subtract, left, .. } => {
                self.pointed(left).map(|of| following(of, None))
            }
            ExprKind::Cast { to, of } if to.pointers > 0 => self.pointed(of).map(|of| following(of, None)),
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => match self.memory_of_place(of) {
                None if self.is_own(of) => Some(PointedMemory::Other),
                found => found,
            },
            ExprKind::Call { arguments, .. }
                if arguments.iter().any(|argument| self.pointed(argument).is_some()) =>
            {
                Some(PointedMemory::Global { pointer: None, offsets: None })
            }
            _ => None,
        }
    }

    fn named(&self, name: &'a str) -> Option<PointedMemory<'a>> {
        let unknown = PointedMemory::Global { pointer: None, offsets: None };
        if let Some(parameter) = self.at.kernel.parameters.iter().find(|parameter| parameter.name == name) {
            let is_pointer = parameter.of.pointers == 1 && parameter.of.dimensions.is_empty()
                || parameter.of.pointers == 0 && parameter.of.dimensions.len() == 1;
            let offsets = (!self.at.is_changed(name)).then(Vec::new);
            return match (is_pointer, usize::from(parameter.of.pointers) + parameter.of.dimensions.len()) {
                (true, _) => Some(PointedMemory::Global { pointer: Some(name), offsets }),
                (false, 0) => None,
                (false, _) => Some(unknown),
            };
        }
        if let Some(variable) = self.at.variable(name) {
            if variable.memory == Memory::Shared || !variable.of.dimensions.is_empty() {
                return Some(PointedMemory::Other);
            }
            let is_pointer = variable.of.pointers > 0;
            let is_auto = variable.of.name == "auto";
            if !is_pointer && !is_auto {
                return None;
            }
            // An initializer may name the previous variable several times, or its own variable.
            if self.names.get() >= MAX_NAMES {
                return Some(unknown);
            }
            self.names.set(self.names.get() + 1);
            let start = variable.value.as_ref().and_then(|value| self.pointed(value));
            self.names.set(self.names.get() - 1);
            return match (start, self.at.is_changed(name)) {
                (Some(PointedMemory::Global { pointer, .. }), true) if is_pointer => {
                    Some(PointedMemory::Global { pointer, offsets: None })
                }
                (Some(start), false) => Some(start),
                (Some(PointedMemory::Other), true) if is_pointer => Some(unknown),
                _ => is_pointer.then_some(unknown),
            };
        }
        let (_, variable) = self.unit_variable(name)?;
        match variable.memory {
            Memory::Shared | Memory::Constant => Some(PointedMemory::Other),
            Memory::Global if variable.of.dimensions.len() == 1 && variable.of.pointers == 0 => {
                Some(PointedMemory::Global { pointer: Some(name), offsets: Some(Vec::new()) })
            }
            Memory::Global if variable.of.pointers > 0 || !variable.of.dimensions.is_empty() => Some(unknown),
            Memory::Global | Memory::Local => None,
        }
    }

    fn unit_variable(&self, name: &str) -> Option<(u32, &'a syntax::cuda::Variable)> {
        let is_local = self.at.variable(name).is_some()
            || self.at.kernel.parameters.iter().any(|parameter| parameter.name == name);
        self.at.env.variable(name).filter(|_| !is_local)
    }

    /// True if the root of an lvalue is a variable of the body, a `__constant__` variable or a parameter
    /// passed by value.
    fn is_own(&self, place: &Expr) -> bool {
        root_of(place).is_some_and(|name| {
            self.at.variable(name).is_some_and(|variable| variable.of.pointers == 0)
                || self.at.env.variable(name).is_some_and(|(_, variable)| variable.memory == Memory::Constant)
                || self
                    .at
                    .kernel
                    .parameters
                    .iter()
                    .any(|own| own.name == name && own.of.pointers == 0 && own.of.dimensions.is_empty())
        })
    }
}

/// Adds `offset` elements to the offset of a memory access. The result has an unknown offset if `offset` is
/// `None`.
fn following<'a>(of: PointedMemory<'a>, offset: Option<&'a Expr>) -> PointedMemory<'a> {
    match of {
        PointedMemory::Other => PointedMemory::Other,
        PointedMemory::Global { pointer, offsets } => {
            let offsets = offsets.zip(offset).map(|(mut all, offset)| {
                all.push(offset);
                all
            });
            PointedMemory::Global { pointer, offsets }
        }
    }
}

/// True if a statement is a `return` without a value, or a block that ends in such a `return`.
fn returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(None) => true,
        StmtKind::Block(all) => all.last().is_some_and(returns),
        _ => false,
    }
}

/// True if a function has no side effects: it writes only its own variables, and calls no function or macro
/// of the translation unit.
fn is_of_values(at: &LaunchContext<'_>, callee: &Function) -> bool {
    let Some(body) = &callee.body else { return false };
    let is_value = |of: &syntax::cuda::TypeName| {
        let is_read = of.pointers == 0 || of.pointers == 1 && of.is_const;
        is_read && of.dimensions.is_empty() && (!of.is_reference || of.is_const)
    };
    let is_template = |name: &str| callee.templates.iter().any(|own| own.is_type && own.name == name);
    let mut is_plain =
        callee.parameters.iter().all(|parameter| is_value(&parameter.of) && !is_template(&parameter.of.name));
    let mut own: Vec<&str> = callee.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Declaration(all) => {
            is_plain &=
                all.iter().all(|variable| variable.memory == Memory::Local && variable.of.pointers == 0);
            own.extend(all.iter().map(|variable| variable.name.as_str()));
        }
        StmtKind::Asm(_) | StmtKind::Goto | StmtKind::Unknown | StmtKind::ForEach { .. } => is_plain = false,
        _ => {}
    });
    body.walk_expressions(&mut |expr| {
        is_plain &= match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Dereference | UnaryOp::AddressOf, .. }
            | ExprKind::Field { is_arrow: true, .. }
            | ExprKind::Lambda(_)
            | ExprKind::Unknown => false,
            ExprKind::Index { of, .. } => root_of(of).is_some_and(|name| own.contains(&name)),
            ExprKind::Call { function, .. } => function.as_name().is_some_and(|name| {
                at.env.function(name).is_none() && at.env.macro_named(name).is_none() && !is_meeting(name)
            }),
            ExprKind::Name { name, .. } => {
                at.env.variable(name).is_none_or(|(_, variable)| variable.memory == Memory::Local)
            }
            _ => target_of(expr).is_none_or(|of| root_of(of).is_some_and(|name| own.contains(&name))),
        };
    });
    is_plain
}
