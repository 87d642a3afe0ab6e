//! Overloads: which function of a name a call means.

use super::interpreter::Interpreter;
use crate::cuda::source::syntactic::has_effects;
use crate::cuda::source::types::Type;
use syntax::cuda::{Expr, Function};

impl<'a> Interpreter<'a> {
    /// The function with a body that a call resolves to, with the index of its item; `None` if no function fits, or if the number and the
    /// types of the arguments leave several.
    pub(super) fn overload(&mut self, name: &str, arguments: &'a [Expr]) -> Option<(u32, &'a Function)> {
        let env = self.env;
        let mut all = env.functions(name).filter(|(_, function)| function.body.is_some());
        let first = all.next()?;
        if all.next().is_none() {
            return Some(first);
        }
        let fits = |function: &Function| function.parameters.len() == arguments.len();
        let fitting: Vec<(u32, &'a Function)> = env
            .functions(name)
            .filter(|(_, function)| function.body.is_some() && function.is_on_device() && fits(function))
            .collect();
        // Parts of conditions may declare the same function over and over.
        let (first, others) = fitting.split_first()?;
        if others.iter().all(|(_, other)| other.has_parameters_of(first.1)) {
            return Some(*first);
        }
        let types: Vec<Type> = arguments.iter().map(|argument| self.type_of_argument(argument)).collect();
        let mut meant = fitting.into_iter().filter(|(_, function)| self.takes(function, &types));
        meant.next().filter(|_| meant.next().is_none())
    }

    fn type_of_argument(&mut self, argument: &'a Expr) -> Type {
        if has_effects(argument) {
            return Type::Unknown;
        }
        let (counts, steps) = (std::mem::replace(&mut self.counts, false), self.steps);
        let of = self.value(argument).value_type();
        (self.counts, self.steps) = (counts, steps.saturating_sub(1));
        of
    }

    /// Whether a function's parameters have just these types. A template's may have any, and is taken by none.
    fn takes(&mut self, function: &'a Function, types: &[Type]) -> bool {
        let mut parameters = function.parameters.iter().zip(types);
        function.templates.is_empty()
            && parameters.all(|(parameter, of)| *of != Type::Unknown && self.type_of(&parameter.of) == *of)
    }
}
