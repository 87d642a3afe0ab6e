//! Affine forms of a function's expressions, derived from the source and a launch without running a warp.
//!
//! The interpreter (`crate::cuda::interpret`) reads the same expressions. Both the interpreter and the forms
//! use the constants of a translation unit from [`Environment::constant`]. The interpreter has a value per
//! lane at one point of the execution: it follows assignments, calls functions and expands macros with
//! parameters. A form is valid for all threads, blocks and iterations at once: it follows only variables that
//! keep their initial value, and may contain symbols for unknown sizes.

use super::quantity::{Dependence, Form, Quantity};
use super::scope::{changed_in, counter, declared_in};
use crate::cuda::source::builtins::BuiltInVariable;
use crate::cuda::source::environment::{Constant, Environment};
use crate::cuda::source::launch::{Argument, Configuration, TemplateValue};
use crate::cuda::source::syntactic::{has_effects, varies};
use crate::cuda::source::types::{IntType, Type, built_in};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, Loop, Memory, Stmt, UnaryOp, Variable};

/// Maximum nesting depth of the names and expressions that are evaluated.
// limit: hand-written subscripts are less deep; generated code may chain names without bound.
const DEEPEST: u32 = 24;

/// A function and what is known about its launch. Expressions of the function are evaluated to affine forms as far as
/// the source and the launch determine them.
#[derive(Clone)]
pub(crate) struct LaunchContext<'a> {
    pub(crate) env: &'a Environment,
    pub(crate) kernel: &'a Function,
    pub(crate) body: &'a Stmt,
    /// Number of blocks in the grid along each axis; `None` if unknown.
    pub(crate) grid: Option<[u32; 3]>,
    /// Number of threads in a block along each axis; `None` if unknown.
    pub(crate) block: Option<[u32; 3]>,
    /// Index of the only block that is considered; `None` for all blocks.
    running: Option<[u32; 3]>,
    /// Values of the parameters by position; a missing value is unknown.
    arguments: Rc<[Option<Form<'a>>]>,
    templates: &'a [TemplateValue],
    /// Names whose values the body may change.
    changed: Rc<FxHashSet<&'a str>>,
    /// For host code, the names that change between iterations of the analysed loop; `None` for a kernel.
    varying: Option<Rc<FxHashSet<&'a str>>>,
    /// Declarations in the enclosing statements, innermost last; `None` for a name that is declared twice.
    scopes: Rc<Vec<FxHashMap<&'a str, Option<&'a Variable>>>>,
    /// Counters of the enclosing loops with their forms, outermost first.
    counters: Rc<Vec<(&'a str, Form<'a>)>>,
    /// Memoized forms of the expressions that define names.
    known: RefCell<FxHashMap<*const Expr, Option<Form<'a>>>>,
}

/// Referent of a name or of a built-in index.
enum Referent<'a> {
    Form(Form<'a>),
    /// The value of another expression plus a constant.
    Same(&'a Expr, i64),
}

impl<'a> LaunchContext<'a> {
    /// Creates the context of a kernel's body at a launch, outside all loops. `None` if the kernel has no body.
    pub(crate) fn new(env: &'a Environment, kernel: &'a Function, launch: &'a Configuration) -> Option<Self> {
        let number = |argument: &Argument| match argument {
            Argument::Number(number) => Some(Form::from_constant(*number)),
            _ => None,
        };
        let arguments = launch.arguments.iter().map(number).collect();
        Self::with_arguments(
            env,
            kernel,
            [Some(launch.grid), Some(launch.block)],
            arguments,
            &launch.templates,
        )
    }

    /// Creates the context of a kernel's body at a launch whose grid, block and arguments may be unknown. `None` if
    /// the kernel has no body.
    pub(crate) fn with_arguments(
        env: &'a Environment,
        kernel: &'a Function,
        [grid, block]: [Option<[u32; 3]>; 2],
        arguments: Rc<[Option<Form<'a>>]>,
        templates: &'a [TemplateValue],
    ) -> Option<Self> {
        let body = kernel.body.as_ref()?;
        Some(Self {
            env,
            kernel,
            body,
            grid,
            block,
            running: None,
            arguments,
            templates,
            changed: Rc::new(changed_in(env, kernel, body)),
            varying: None,
            scopes: Rc::new(vec![declared_in(body)]),
            counters: Rc::default(),
            known: RefCell::default(),
        })
    }

    /// Creates the context of a host loop that changes the names in `varying`. Values that the loop does not change
    /// have forms even if they are unknown.
    pub(crate) fn in_host(
        env: &'a Environment,
        host: &'a Function,
        varying: FxHashSet<&'a str>,
    ) -> Option<Self> {
        let at = Self::with_arguments(env, host, [None; 2], Rc::default(), &[])?;
        Some(Self { varying: Some(Rc::new(varying)), ..at })
    }

    /// Extends this context by the body of a counted loop. Declarations in the body take precedence. `None` if the
    /// loop has no counter.
    pub(crate) fn within(&self, of: &'a Loop) -> Option<Self> {
        let index = u8::try_from(self.counters.len()).ok()?;
        self.within_as(of, Form::of_symbol(Quantity::Counter(index)))
    }

    /// Like [`Self::within`], but with `value` as the form of the loop counter.
    pub(crate) fn within_as(&self, of: &'a Loop, value: Form<'a>) -> Option<Self> {
        let counter = counter(of)?;
        let mut inner = Self { known: RefCell::default(), ..self.clone() };
        Rc::make_mut(&mut inner.scopes).push(declared_in(&of.body));
        Rc::make_mut(&mut inner.counters).push((&counter.name, value));
        Some(inner)
    }

    /// Restricts this context to a single block of the grid. Block indices are then constants.
    pub(crate) fn in_block(&self, block: [u32; 3]) -> Self {
        Self { running: Some(block), known: RefCell::default(), ..self.clone() }
    }

    /// Returns the initial value of a local scalar that never changes; `None` for other variables.
    pub(crate) fn settled(&self, name: &str) -> Option<&'a Expr> {
        let variable = self.variable(name)?;
        let is_plain =
            variable.memory == Memory::Local && !variable.is_static && variable.of.dimensions.is_empty();
        variable.value.as_ref().filter(|_| is_plain && !self.changed.contains(name))
    }

    /// Returns the variable with this name in the body; `None` if several variables or a parameter have this
    /// name.
    pub(crate) fn variable(&self, name: &str) -> Option<&'a Variable> {
        let own = self.scopes.iter().rev().find_map(|scope| scope.get(name))?;
        let is_parameter = self.kernel.parameters.iter().any(|parameter| parameter.name == name);
        own.filter(|_| !is_parameter)
    }

    /// True if the body may change the value of a name.
    pub(crate) fn is_changed(&self, name: &str) -> bool {
        self.changed.contains(name)
    }

    /// Returns the constant value of an expression; `None` if the value is unknown or differs between
    /// threads, blocks or iterations.
    pub(crate) fn number(&self, expr: &'a Expr) -> Option<i64> {
        self.form(expr)?.as_constant()
    }

    /// Returns the form of a sum of expressions; `None` if an expression has no form.
    pub(crate) fn sum(&self, exprs: &[&'a Expr]) -> Option<Form<'a>> {
        exprs.iter().try_fold(Form::default(), |sum, expr| sum.plus(&self.form(expr)?, 1))
    }

    /// Returns an expression as an affine form of indices and unknown numbers. `None` if the expression depends on
    /// anything else, such as memory contents.
    pub(crate) fn form(&self, expr: &'a Expr) -> Option<Form<'a>> {
        self.form_at(expr, 0)
    }

    fn form_at(&self, expr: &'a Expr, depth: u32) -> Option<Form<'a>> {
        if depth > DEEPEST {
            return None;
        }
        self.read(expr, depth).or_else(|| self.unchanged(expr))
    }

    fn read(&self, expr: &'a Expr, depth: u32) -> Option<Form<'a>> {
        let of = |expr: &'a Expr| self.form_at(expr, depth + 1);
        let term = |operands: &[&Form<'a>]| {
            Form::of_symbol(Quantity::Term(expr, Dependence::from_forms(operands.iter().copied())))
        };
        match &expr.kind {
            ExprKind::Integer { value, .. } => i64::try_from(*value).ok().map(Form::from_constant),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (of(left)?, of(right)?);
                match (op, left.as_constant(), right.as_constant()) {
                    (BinaryOp::Add, ..) => left.plus(&right, 1),
                    (BinaryOp::Subtract, ..) => left.plus(&right, -1),
                    (BinaryOp::Multiply, ..) => left.multiply(&right),
                    (_, Some(left), Some(right)) => op.applied(left, right).map(Form::from_constant),
                    _ => Some(term(&[&left, &right])),
                }
            }
            ExprKind::Unary { op: UnaryOp::Plus, of: inner } => of(inner),
            ExprKind::Unary { op: UnaryOp::Minus, of: inner } => of(inner)?.times(-1),
            ExprKind::Cast { to, of: inner } if to.pointers == 0 && self.is_whole(&to.name) => of(inner),
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = of(condition)?;
                match condition.as_constant() {
                    Some(0) => of(otherwise),
                    Some(_) => of(then),
                    None => Some(term(&[&condition, &of(then)?, &of(otherwise)?])),
                }
            }
            _ => match self.meaning(expr)? {
                Referent::Form(form) => Some(form),
                Referent::Same(value, more) => {
                    let known = self.known.borrow().get(&std::ptr::from_ref(value)).cloned();
                    let form = known.unwrap_or_else(|| {
                        let form = of(value);
                        self.known.borrow_mut().insert(value, form.clone());
                        form
                    });
                    form?.plus(&Form::from_constant(more), 1)
                }
            },
        }
    }

    /// Returns a symbol for a host expression whose value the loop does not change; `None` for other expressions and
    /// in a kernel.
    fn unchanged(&self, expr: &'a Expr) -> Option<Form<'a>> {
        let varying = self.varying.as_ref()?;
        if varies(expr, varying) || has_effects(expr) {
            return None;
        }
        Some(Form::of_symbol(match expr.as_name().filter(|name| !self.is_changed(name)) {
            Some(name) => Quantity::Named(name),
            // The same expression may have a different value elsewhere in the function.
            None => Quantity::Term(expr, Dependence::default()),
        }))
    }

    fn meaning(&self, expr: &'a Expr) -> Option<Referent<'a>> {
        match &expr.kind {
            ExprKind::Field { of, name, is_arrow: false } => {
                let axis = ["x", "y", "z"].iter().position(|own| own == name)?;
                let of = of.as_name().filter(|of| !self.scopes.iter().any(|scope| scope.contains_key(of)))?;
                let index = axis as u8;
                let known = |size: Option<[u32; 3]>, unknown| {
                    size.map_or_else(|| Form::of_symbol(unknown), |all| Form::from_constant(all[axis].into()))
                };
                Some(Referent::Form(match BuiltInVariable::named(of)? {
                    BuiltInVariable::ThreadIndex => Form::of_symbol(Quantity::Thread(index)),
                    BuiltInVariable::BlockIndex => known(self.running, Quantity::Block(index)),
                    BuiltInVariable::BlockSize => known(self.block, Quantity::BlockSize(index)),
                    BuiltInVariable::GridSize => known(self.grid, Quantity::GridSize(index)),
                    BuiltInVariable::Lanes => return None,
                }))
            }
            ExprKind::Name { name, .. } => self.named(name),
            _ => None,
        }
    }

    fn named(&self, name: &str) -> Option<Referent<'a>> {
        if let Some((_, value)) = self.counters.iter().rfind(|(own, _)| *own == name) {
            return Some(Referent::Form(value.clone()));
        }
        if self.scopes.iter().any(|scope| scope.contains_key(name)) {
            let is_number =
                self.variable(name).is_some_and(|own| own.of.pointers == 0 && self.is_whole(&own.of.name));
            return self.settled(name).filter(|_| is_number).map(|value| Referent::Same(value, 0));
        }
        if let Some(at) = self.kernel.parameters.iter().position(|parameter| parameter.name == name) {
            let argument = self.arguments.get(at).cloned().flatten();
            return argument.filter(|_| !self.is_changed(name)).map(Referent::Form);
        }
        if let Some(at) = self.kernel.templates.iter().position(|template| template.name == name) {
            return match (self.templates.get(at), &self.kernel.templates[at].default) {
                (Some(TemplateValue::Number(number)), _) => {
                    Some(Referent::Form(Form::from_constant(*number)))
                }
                (None, Some(syntax::cuda::Argument::Value(value))) => Some(Referent::Same(value, 0)),
                _ => None,
            };
        }
        match self.env.constant(name)? {
            Constant::Enumerator(None, number) => Some(Referent::Form(Form::from_constant(number))),
            Constant::Enumerator(Some(value), more) => Some(Referent::Same(value, more)),
            Constant::Macro(value) => value.map(|value| Referent::Same(value, 0)),
            Constant::Variable(value) => Some(Referent::Same(value, 0)),
        }
    }

    /// True if a name denotes an integer type. A type that the translation unit does not declare is assumed
    /// to be an integer type.
    fn is_whole(&self, name: &str) -> bool {
        match built_in(name) {
            Some(Type::Int(of)) => of != IntType::BOOL && !name.starts_with("__nv_fp8"),
            Some(_) => false,
            None => match self.env.alias(name).map(|alias| &alias.of) {
                Some(of) => {
                    of.pointers == 0
                        && of.name != name
                        && built_in(&of.name).is_none_or(|of| matches!(of, Type::Int(_)))
                }
                None => self.env.record(name).is_none(),
            },
        }
    }
}
