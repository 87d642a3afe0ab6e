//! Executes statements for the active lanes of a warp.
//!
//! Only a few iterations of a loop are run. The other iterations are skipped if every variable grows by the
//! same step in each iteration.

use super::driver;
use super::evaluate::Interpreter;
use super::induction::{self, IterationState};
use super::limits::Nesting;
use crate::cuda::source::syntactic::{has_effects, root_through_macros, selects_few};
use crate::cuda::source::types::{IntType, Type};
use crate::cuda::state::frame::{Binding, RunningStatement};
use crate::cuda::values::convert::assembled;
use crate::cuda::values::lanes::{LaneCondition, Lanes};
use crate::cuda::values::value::{MemoryRegion, Pointer, Value};
use std::sync::Arc;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Loop, Memory, Stmt, StmtKind, Variable};

/// Number of iterations that are run before the remaining iterations are skipped. Patterns that repeat every two or
/// four iterations are then complete.
const FIRST_TRIPS: usize = 5; // limit: a pattern of four, and one more
/// Maximum number of iterations that are run if the variables of a loop do not grow by constant steps.
const MAX_TRIPS: usize = 64; // limit: time
/// Steps charged for each evaluation of a loop condition in the search for the trip count.
const STEPS_OF_CONDITION: u32 = 8; // limit: time

impl<'a> Interpreter<'a> {
    /// Runs a statement for the active lanes.
    pub(crate) fn statement(&mut self, stmt: &'a Stmt) {
        if self.deeper(Nesting::Evaluation, |all| all.run_statement(stmt)).is_none() {
            // The effects of the statement are unknown, and so are the effects of all later statements.
            self.notes.unclear();
        }
    }

    fn run_statement(&mut self, stmt: &'a Stmt) {
        if self.warp.active() == 0 || !self.limits.step() {
            return;
        }
        if !matches!(
            stmt.kind,
            StmtKind::Block(_) | StmtKind::Loop(_) | StmtKind::ForEach { .. } | StmtKind::Empty
        ) {
            self.notes.statement(&self.warp);
        }
        match &stmt.kind {
            StmtKind::Block(all) => self.block(all),
            StmtKind::Expression(expr) => {
                self.value(expr);
            }
            StmtKind::Declaration(all) => all.iter().for_each(|variable| self.variable(variable)),
            StmtKind::If { is_constexpr, init, condition, then, otherwise } => {
                let scope = self.warp.frame().open_scope();
                if let Some(init) = init {
                    self.statement(init);
                }
                let mut truth = self.truth(condition);
                truth.is_shared |= *is_constexpr;
                let sides = otherwise.as_ref().map(|otherwise| [then.range.clone(), otherwise.range.clone()]);
                self.notes.branch(&self.warp, truth, &condition.range, sides);
                let few = |is_then: bool| if selects_few(condition, is_then) { truth.unknown } else { 0 };
                self.branch(truth, truth.holds | truth.unknown, |all| {
                    all.warp.lanes.add_few(few(true));
                    all.statement(then);
                });
                if let Some(otherwise) = otherwise {
                    self.branch(truth, !truth.holds, |all| {
                        all.warp.lanes.add_few(few(false));
                        all.statement(otherwise);
                    });
                }
                self.warp.frame().close_scope(scope);
            }
            StmtKind::Loop(of) => self.run_loop(of),
            StmtKind::ForEach { variable, of, body } => {
                self.value(of);
                let scope = self.warp.frame().open_scope();
                let held = self.type_of(&variable.of);
                self.warp.declare(&variable.name, held.clone(), Value::unknown(&held));
                self.run_unknown(body, None, LaneCondition::UNKNOWN);
                self.warp.frame().close_scope(scope);
            }
            StmtKind::Switch { value, cases } => self.switch(value, cases),
            StmtKind::Break => self.leave(|running, lanes| running.left |= lanes, |_| true),
            StmtKind::Continue => {
                self.leave(|running, lanes| running.waiting |= lanes, |running| running.is_loop);
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) if self.warp.frame().returns_place => {
                        self.return_place(value);
                        None
                    }
                    value => value.as_ref().map(|value| self.value(value)),
                };
                let (active, unsure) = (self.warp.active(), self.warp.unsure_active());
                // A tensor map that is not encoded is returned after an error. No launch uses it.
                let value = value.filter(|value| unsure == 0 || !driver::is_blank(value));
                self.warp.frame().leave(active, unsure, value);
            }
            StmtKind::Asm(asm) => {
                for operand in &asm.inputs {
                    if let Some(value) = &operand.value {
                        self.value(value);
                    }
                }
                for operand in &asm.outputs {
                    if let Some(value) = &operand.value {
                        let place = self.place(value);
                        self.write(&place, &Value::Unknown(Type::Unknown), &value.range);
                    }
                }
                self.notes.fence();
            }
            StmtKind::Empty => {}
            // Jumps are not followed, and a statement that does not parse may have any effect. After such a
            // statement, the active lanes are unknown.
            StmtKind::Goto | StmtKind::Unknown | StmtKind::Preprocessor(_) => {
                let active = self.warp.active();
                self.warp.frame().doubted |= active;
                self.notes.unclear();
            }
        }
    }

    fn block(&mut self, statements: &'a [Stmt]) {
        let entry = self.warp.active();
        let scope = self.warp.frame().open_scope();
        self.scoped(|all| {
            for stmt in statements {
                let is_on_device = all.warp.is_on_device();
                let frame = all.warp.frame();
                let gone = frame.gone();
                // A host statement after an unknown `return` runs only if the function did not return.
                let doubt = if is_on_device { frame.may_be_gone() } else { frame.may_have_left_loop() };
                all.warp.lanes.set_active(entry & !gone);
                if all.warp.active() == 0 {
                    break;
                }
                all.warp.lanes.add_doubt(doubt);
                all.statement(stmt);
            }
        });
        self.warp.frame().close_scope(scope);
    }

    /// Runs one side of a branch. If all lanes take the same side, their accesses are known even if it is
    /// unknown which side they take.
    fn branch(&mut self, truth: LaneCondition, lanes: u32, work: impl FnOnce(&mut Self)) {
        self.scoped(|all| {
            all.warp.lanes.add_unknown(truth);
            all.warp.lanes.retain(lanes);
            if all.warp.active() != 0 {
                work(all);
            }
        });
    }

    /// Makes the active lanes leave the innermost loop or `switch` for which `which` returns true.
    fn leave(&mut self, how: impl Fn(&mut RunningStatement, u32), which: impl Fn(&RunningStatement) -> bool) {
        let (active, unsure) = (self.warp.active(), self.warp.lanes.unsure_active());
        let frame = self.warp.frame();
        match frame.loops.iter_mut().rev().find(|running| which(running)) {
            Some(running) => {
                how(running, active & !unsure);
                running.doubted |= unsure;
            }
            None => frame.doubted |= unsure,
        }
    }

    fn variable(&mut self, variable: &'a Variable) {
        if variable.memory == Memory::Shared {
            let pointer = self.shared_variable(variable);
            self.warp.frame().names.push((&variable.name, Binding::Memory(pointer)));
            return;
        }
        if variable.of.is_reference
            && let Some(value) = &variable.value
        {
            let place = self.place(value);
            self.warp.frame().names.push((&variable.name, Binding::Alias(place)));
            return;
        }
        if let Some(value) = &variable.value
            && let Some(kernel) = self.kernel_of(value)
            && !self.is_assigned(&variable.name)
        {
            self.warp.frame().names.push((&variable.name, Binding::Kernel(kernel)));
            return;
        }
        let mut of = self.type_of(&variable.of);
        let value = match &variable.value {
            Some(value) if variable.of.name.starts_with("auto") || of == Type::Unknown => {
                let value = self.value(value);
                of = value.value_type();
                value
            }
            Some(value) => {
                if let (Type::Array(element, 0), ExprKind::List(values)) = (&of, &value.kind)
                    && !self.warp.is_on_device()
                {
                    of = Type::Array(Arc::clone(element), values.len() as u64);
                }
                self.initial(&of, value)
            }
            None if driver::is_tensor_map(&of) => assembled(&of, Vec::new()),
            None => Value::unknown(&of),
        };
        self.warp.declare(&variable.name, of, value);
    }

    /// True if the running function assigns to a variable with this name.
    pub(super) fn is_assigned(&self, name: &str) -> bool {
        let body = self.warp.env.function_at(self.warp.item()).and_then(|function| function.body.as_ref());
        body.is_none_or(|body| {
            induction::assigned(body, []).iter().any(|place| place.as_name() == Some(name))
        })
    }

    fn switch(&mut self, value: &'a Expr, cases: &'a [(Option<Expr>, Vec<Stmt>)]) {
        let value = self.value(value);
        let entry = self.warp.active();
        let mut truths = Vec::new();
        let mut others = LaneCondition::ALL;
        for (case, _) in cases {
            let truth = case.as_ref().map(|case| {
                let case = self.value(case);
                let equal = self.warp.binary(BinaryOp::Equal, &value, &case);
                self.warp.is_true(&equal)
            });
            if let Some(truth) = truth {
                others = others.both(truth.not());
            }
            truths.push(truth);
        }
        self.warp.frame().loops.push(RunningStatement::default());
        let (mut holds, mut unknown) = (0, 0);
        for ((_, body), truth) in cases.iter().zip(truths) {
            let truth = truth.unwrap_or(others);
            holds |= truth.holds;
            unknown |= truth.unknown;
            let gone = self.warp.frame().gone();
            self.warp.lanes.set_active(entry & !gone);
            let own = LaneCondition { holds, unknown: unknown & !holds, is_shared: truth.is_shared };
            self.branch(own, holds | unknown, |all| all.block(body));
        }
        self.warp.frame().loops.pop();
        self.warp.lanes.set_active(entry);
    }

    /// Returns the address of a variable in shared memory. Each instance of a template has separate
    /// variables.
    fn shared_variable(&mut self, variable: &'a Variable) -> Pointer {
        let of = self.type_of(&variable.of);
        let frame = self.warp.frame();
        let start = (frame.item, variable.name_range.start, frame.instance);
        let start = self.warp.shared.start_of(start, &of);
        let offset = Lanes::all(IntType::LONG, i64::try_from(start).unwrap_or(0));
        Pointer { place: MemoryRegion::Shared, offset, to: of, within: 0 }
    }

    fn run_loop(&mut self, of: &'a Loop) {
        let entry = self.warp.active();
        let scope = self.warp.frame().open_scope();
        self.scoped(|all| {
            if let Some(init) = &of.init {
                all.statement(init);
            }
            all.running(Some(of), |all| all.trips(of, entry));
        });
        self.warp.frame().close_scope(scope);
    }

    /// Runs a loop through `work`, which returns false if the trip count is unknown. `of` is `None` if one
    /// iteration represents all iterations.
    fn running(&mut self, of: Option<&'a Loop>, work: impl FnOnce(&mut Self) -> bool) {
        self.warp.frame().loops.push(RunningStatement { is_loop: true, ..RunningStatement::default() });
        let begun = self.notes.begin_loop(&self.warp, of);
        let is_counted = work(self);
        self.notes.end_loop(&self.warp, &begun, is_counted);
        self.warp.frame().loops.pop();
    }

    /// Runs the iterations of a loop. Returns false if the trip count is unknown.
    fn trips(&mut self, of: &'a Loop, entry: u32) -> bool {
        let may_step = !of.condition.as_ref().is_some_and(has_effects);
        let doubted = self.warp.frame().may_be_gone();
        let mut history: Vec<IterationState> = Vec::new();
        let mut count = 0;
        loop {
            self.begin_next(entry);
            if self.warp.active() == 0 || !self.limits.step() {
                return true;
            }
            self.notes.begin_trip(&self.warp);
            if history.is_empty() {
                // This entry represents the code before the first condition: only its counters matter.
                history.push(IterationState {
                    lanes: 0,
                    values: Vec::new(),
                    counters: self.notes.snapshot(),
                });
            }
            if let Some(condition) = of.condition.as_ref().filter(|_| !of.is_do || count > 0) {
                self.notes.statement(&self.warp);
                let truth = self.truth(condition);
                if truth.unknown & self.warp.active() != 0 {
                    self.warp.lanes.retain(truth.holds | truth.unknown);
                    self.run_unknown(&of.body, Some(condition), truth);
                    return self.give_up(of);
                }
                let active = self.warp.active();
                if let Some(running) = self.warp.frame().loops.last_mut() {
                    running.left |= active & !truth.holds;
                }
                self.warp.lanes.retain(truth.holds);
                let returned = self.warp.frame().returned;
                self.notes.trip(&self.warp, entry & !returned, &condition.range);
                if self.warp.active() == 0 {
                    return true;
                }
            }
            let lanes = self.warp.active();
            self.statement(&of.body);
            self.begin_next(lanes);
            if let Some(step) = of.step.as_ref().filter(|_| self.warp.active() != 0) {
                self.value(step);
            }
            count += 1;
            if self.warp.frame().may_be_gone() & !doubted & entry != 0 {
                // Some lanes may have left the loop, and it is unknown which lanes.
                return self.give_up(of);
            }
            let values = self.warp.frame().values.clone();
            history.push(IterationState { lanes, values, counters: self.notes.snapshot() });
            if history.len() > FIRST_TRIPS {
                if may_step && self.step_over(of, &history) {
                    return self.give_up(of);
                }
                history.remove(0);
            }
            if count >= MAX_TRIPS {
                return self.give_up(of);
            }
        }
    }

    /// Begins the next iteration: activates the lanes in `lanes` that have not left the loop, including lanes
    /// that wait at a `continue`.
    fn begin_next(&mut self, lanes: u32) {
        let frame = self.warp.frame();
        frame.release_waiting();
        let gone = frame.gone();
        self.warp.lanes.set_active(lanes & !gone);
    }

    /// Runs the body and the condition of a loop once, because its trip count is unknown. Variables that the loop
    /// changes are unknown.
    fn run_unknown(&mut self, body: &'a Stmt, condition: Option<&'a Expr>, truth: LaneCondition) {
        self.scoped(|all| {
            all.warp.lanes.add_unknown(truth);
            if !truth.is_shared {
                all.notes.open_loop(&all.warp);
            }
            all.forget_assigned(body, condition);
            all.running(None, |all| {
                all.statement(body);
                false
            });
            if let Some(condition) = condition {
                all.truth(condition);
            }
        });
    }

    /// Exits a loop with an unknown trip count. Returns false, the result of [`Self::trips`].
    fn give_up(&mut self, of: &'a Loop) -> bool {
        self.warp.lanes.set_active(u32::MAX);
        self.forget_assigned(&of.body, of.step.as_ref().into_iter().chain(&of.condition));
        false
    }

    /// Marks as unknown all variables that the given statements and expressions change.
    fn forget_assigned(&mut self, body: &'a Stmt, more: impl IntoIterator<Item = &'a Expr>) {
        for target in induction::assigned(body, more) {
            // An element of an array in memory is no part of the pointer to it.
            let is_element = !matches!(target.kind, ExprKind::Name { .. } | ExprKind::Call { .. });
            if let Some(name) = root_through_macros(target, self.warp.env)
                && !(is_element && self.warp.is_pointer(name))
            {
                self.warp.forget(name);
            }
        }
    }

    /// Skips the iterations that all lanes execute in the same way. Returns true if the trip count is
    /// unknown.
    fn step_over(&mut self, of: &'a Loop, history: &[IterationState]) -> bool {
        let gone = self.warp.frame().gone();
        let Some((last, lanes, steps)) = induction::steps(history, gone) else { return false };
        let Some(condition) = &of.condition else { return true };
        let mut holds_after = |trips: i64| {
            induction::advance(self.warp.frame(), &last.values, &steps, trips);
            let left = self.limits.steps;
            self.warp.lanes.set_active(lanes);
            let truth = self.uncounted(|all| all.truth(condition));
            self.limits.steps = left.saturating_sub(STEPS_OF_CONDITION);
            truth.holds & lanes == lanes
        };
        let trips = induction::trips_while(&mut holds_after);
        let is_endless = trips.is_none();
        let trips = trips.unwrap_or(0);
        induction::advance(self.warp.frame(), &last.values, &steps, trips);
        if trips > 0 {
            let added = history.len() - 1;
            self.notes.repeat(&history[0].counters, &last.counters, trips as f64 / added as f64);
        }
        is_endless
    }
}
