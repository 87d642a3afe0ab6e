//! Statements: who of a warp runs them.

use super::frame::{Binding, Running};
use super::interpreter::Interpreter;
use crate::cuda::source::types::Type;
use crate::cuda::values::lanes::Truth;
use crate::cuda::values::value::Value;
use syntax::cuda::{BinaryOp, Expr, Memory, Stmt, StmtKind, Variable};

impl<'a> Interpreter<'a> {
    /// Runs a statement for the active lanes.
    pub(crate) fn statement(&mut self, stmt: &'a Stmt) {
        if self.deeper(|all| all.run_statement(stmt)).is_none() {
            // What it does is unknown, and so is what follows.
            self.watch_unclear();
        }
    }

    fn run_statement(&mut self, stmt: &'a Stmt) {
        if self.active == 0 || !self.step() {
            return;
        }
        if !matches!(
            stmt.kind,
            StmtKind::Block(_) | StmtKind::Loop(_) | StmtKind::ForEach { .. } | StmtKind::Empty
        ) {
            self.count_statement();
        }
        match &stmt.kind {
            StmtKind::Block(all) => self.block(all),
            StmtKind::Expression(expr) => {
                self.value(expr);
            }
            StmtKind::Declaration(all) => all.iter().for_each(|variable| self.variable(variable)),
            StmtKind::If { init, condition, then, otherwise } => {
                let scope = self.open_scope();
                if let Some(init) = init {
                    self.statement(init);
                }
                let truth = self.truth(condition);
                let sides = otherwise.as_ref().map(|otherwise| [then.range.clone(), otherwise.range.clone()]);
                self.count_branch(truth, &condition.range, sides);
                self.branch(truth, truth.holds | truth.unknown, |all| all.statement(then));
                if let Some(otherwise) = otherwise {
                    self.branch(truth, !truth.holds, |all| all.statement(otherwise));
                }
                self.close_scope(scope);
            }
            StmtKind::Loop(of) => self.run_loop(of),
            StmtKind::ForEach { variable, of, body } => {
                self.value(of);
                let scope = self.open_scope();
                let held = self.type_of(&variable.of);
                self.declare(&variable.name, held.clone(), Value::unknown(&held));
                let barriers: Vec<f64> = self.tally.barriers.iter().map(|barrier| barrier.passed).collect();
                self.run_unknown(body, None, Truth::UNKNOWN);
                self.tally.barriers_go_on(&barriers);
                self.close_scope(scope);
            }
            StmtKind::Switch { value, cases } => self.switch(value, cases),
            StmtKind::Break => self.leave(|running, lanes| running.left |= lanes, |_| true),
            StmtKind::Continue => {
                self.leave(|running, lanes| running.waiting |= lanes, |running| running.is_loop);
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) if self.frame().returns_place => {
                        self.return_place(value);
                        None
                    }
                    value => value.as_ref().map(|value| self.value(value)),
                };
                let (active, doubt) = (self.active, (self.doubt | self.maybe) & self.active);
                let frame = self.frame();
                if let Some(value) = value {
                    let mut merged = match &frame.result {
                        Some(before) => before.merged(active, &value),
                        None => value,
                    };
                    merged.forget(doubt);
                    frame.result = Some(merged);
                }
                frame.returned |= active & !doubt;
                frame.doubted |= doubt;
            }
            StmtKind::Asm(asm) => {
                self.watch_unclear();
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
                self.uses.release(None);
            }
            StmtKind::Empty => {}
            // Jumps are not followed, and what does not parse may do anything: from here on it is unknown which lanes run.
            StmtKind::Goto | StmtKind::Unknown | StmtKind::Preprocessor(_) => {
                let active = self.active;
                self.frame().doubted |= active;
                self.watch_unclear();
            }
        }
    }

    fn block(&mut self, all: &'a [Stmt]) {
        let (entry, doubt) = (self.active, self.doubt);
        let scope = self.open_scope();
        for stmt in all {
            self.active = entry & !self.gone();
            if self.active == 0 {
                break;
            }
            self.doubt |= self.doubted() & self.active;
            self.statement(stmt);
        }
        self.close_scope(scope);
        (self.active, self.doubt) = (entry, doubt);
    }

    /// Lanes that have left what is running in this frame.
    pub(super) fn gone(&mut self) -> u32 {
        let frame = self.frame();
        frame.loops.iter().fold(frame.returned, |gone, running| gone | running.left | running.waiting)
    }

    /// Lanes that may have left what is running in this frame.
    pub(super) fn doubted(&mut self) -> u32 {
        let frame = self.frame();
        frame.loops.iter().fold(frame.doubted, |doubted, running| doubted | running.doubted)
    }

    /// Runs one side of a branch. If all lanes go the same way, their accesses are known even if the way is not.
    fn branch(&mut self, truth: Truth, lanes: u32, work: impl FnOnce(&mut Self)) {
        let unknown = truth.unknown & self.active;
        if truth.is_shared {
            let before = self.maybe;
            self.maybe |= unknown;
            self.with_lanes(lanes, 0, work);
            self.maybe = before;
        } else {
            self.with_lanes(lanes, unknown, work);
        }
    }

    fn leave(&mut self, how: impl Fn(&mut Running, u32), which: impl Fn(&Running) -> bool) {
        let (active, doubt) = (self.active, (self.doubt | self.maybe) & self.active);
        let frame = self.frame();
        match frame.loops.iter_mut().rev().find(|running| which(running)) {
            Some(running) => {
                how(running, active & !doubt);
                running.doubted |= doubt;
            }
            None => frame.doubted |= doubt,
        }
    }

    /// The names and values so far; what comes later is dropped when the scope is closed.
    pub(super) fn open_scope(&mut self) -> (usize, usize) {
        let frame = self.frame();
        (frame.names.len(), frame.values.len())
    }

    pub(super) fn close_scope(&mut self, (names, values): (usize, usize)) {
        let frame = self.frame();
        frame.names.truncate(names);
        frame.values.truncate(values);
    }

    fn variable(&mut self, variable: &'a Variable) {
        if variable.memory == Memory::Shared {
            let pointer = self.shared_variable(variable);
            self.frame().names.push((&variable.name, Binding::Memory(pointer)));
            return;
        }
        if variable.of.is_reference
            && let Some(value) = &variable.value
        {
            let place = self.place(value);
            self.frame().names.push((&variable.name, Binding::Alias(place)));
            return;
        }
        let mut of = self.type_of(&variable.of);
        let value = match &variable.value {
            Some(value) if variable.of.name.starts_with("auto") || of == Type::Unknown => {
                let value = self.value(value);
                of = value.value_type();
                value
            }
            Some(value) => self.initial(&of, value),
            None => Value::unknown(&of),
        };
        self.declare(&variable.name, of, value);
    }

    fn switch(&mut self, value: &'a Expr, cases: &'a [(Option<Expr>, Vec<Stmt>)]) {
        let value = self.value(value);
        let entry = self.active;
        let mut truths = Vec::new();
        let mut others = Truth::ALL;
        for (case, _) in cases {
            let truth = case.as_ref().map(|case| {
                let case = self.value(case);
                let equal = self.binary(BinaryOp::Equal, &value, &case);
                self.is_true(&equal)
            });
            if let Some(truth) = truth {
                others = others.both(truth.not());
            }
            truths.push(truth);
        }
        self.frame().loops.push(Running::default());
        let (mut holds, mut unknown) = (0, 0);
        for ((_, body), truth) in cases.iter().zip(truths) {
            let truth = truth.unwrap_or(others);
            holds |= truth.holds;
            unknown |= truth.unknown;
            self.active = entry & !self.gone();
            let own = Truth { holds, unknown: unknown & !holds, is_shared: truth.is_shared };
            self.branch(own, holds | unknown, |all| all.block(body));
        }
        self.frame().loops.pop();
        self.active = entry;
    }
}
