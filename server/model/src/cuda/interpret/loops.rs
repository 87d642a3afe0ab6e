//! Loops: a few trips are run, the others are stepped over where all that changes from trip to trip grows by the same step.

use super::frame::{Binding, Held, Running};
use super::interpreter::Interpreter;
use crate::cuda::notes::tally::TallyCounters;
use crate::cuda::notes::uses::Counters;
use crate::cuda::notes::watch::Watch;
use crate::cuda::source::syntactic::{has_effects, root_through_macros, target_of};
use crate::cuda::values::lanes::{Lanes, Truth};
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::per_lane::PerLane;
use crate::cuda::values::value::{Pointer, Value};
use syntax::cuda::{Expr, Loop, Stmt};

/// Trips that are run before others are stepped over: patterns of two and of four trips are seen whole.
const FIRST_TRIPS: usize = 5;
/// Trips that are run of a loop whose variables do not grow evenly.
const MOST_TRIPS: usize = 64;
/// Trip count from which a loop is endless: only a size of unknown value ends it.
const ENDLESS: i64 = 1 << 30;

/// State after a trip.
struct Trip {
    lanes: u32,
    values: Vec<Held>,
    counters: Counters,
    tally: TallyCounters,
}

/// A variable's step from trip to trip.
enum Step {
    None,
    By(PerLane),
}

impl<'a> Interpreter<'a> {
    pub(super) fn run_loop(&mut self, of: &'a Loop) {
        let (entry, doubt, maybe) = (self.active, self.doubt, self.maybe);
        let scope = self.open_scope();
        if let Some(init) = &of.init {
            self.statement(init);
        }
        self.frame().loops.push(Running { is_loop: true, ..Running::default() });
        self.watches.push(Watch::new(Some(of), self.frames.len()));
        let barriers: Vec<f64> = self.tally.barriers.iter().map(|barrier| barrier.passed).collect();
        if !self.trips(of, entry) {
            self.tally.barriers_go_on(&barriers);
        }
        self.watch_end();
        self.frame().loops.pop();
        self.close_scope(scope);
        (self.active, self.doubt, self.maybe) = (entry, doubt, maybe);
    }

    /// Runs the trips of a loop; false if the trip count is unknown.
    fn trips(&mut self, of: &'a Loop, entry: u32) -> bool {
        let may_step = !of.condition.as_ref().is_some_and(has_effects);
        let doubted = self.doubted();
        let mut history: Vec<Trip> = Vec::new();
        let mut count = 0;
        loop {
            self.release_waiting();
            self.active = entry & !self.gone();
            if self.active == 0 || !self.step() {
                return true;
            }
            self.watch_trip(self.active);
            if history.is_empty() {
                // Of the code before the first condition only the counters matter.
                history.push(self.trip(0, Vec::new()));
            }
            if let Some(condition) = of.condition.as_ref().filter(|_| !of.is_do || count > 0) {
                self.count_statement();
                let truth = self.truth(condition);
                let unknown = truth.unknown & self.active;
                if unknown != 0 {
                    self.active &= truth.holds | truth.unknown;
                    self.run_unknown(&of.body, Some(condition), truth);
                    return self.give_up(of);
                }
                let active = self.active;
                if let Some(running) = self.frame().loops.last_mut() {
                    running.left |= active & !truth.holds;
                }
                self.active &= truth.holds;
                self.watch_lanes(self.active);
                if self.active == 0 {
                    return true;
                }
                let returned = self.frame().returned;
                self.count_pass(entry & !returned, &condition.range);
            }
            let lanes = self.active;
            self.statement(&of.body);
            self.release_waiting();
            self.active = lanes & !self.gone();
            if let Some(step) = of.step.as_ref().filter(|_| self.active != 0) {
                self.value(step);
            }
            count += 1;
            if self.doubted() & !doubted & entry != 0 {
                // Some lanes may have left, and it is unknown which.
                return self.give_up(of);
            }
            let values = self.frame().values.clone();
            history.push(self.trip(lanes, values));
            if history.len() > FIRST_TRIPS {
                if may_step && self.step_over(of, &history) {
                    return self.give_up(of);
                }
                history.remove(0);
            }
            if count >= MOST_TRIPS {
                return self.give_up(of);
            }
        }
    }

    fn release_waiting(&mut self) {
        if let Some(running) = self.frame().loops.last_mut() {
            running.waiting = 0;
        }
    }

    fn trip(&self, lanes: u32, values: Vec<Held>) -> Trip {
        Trip { lanes, values, counters: self.uses.counters(), tally: self.tally.counters() }
    }

    /// Runs the body and then the condition of a loop with an unknown trip count once, with nothing known of what it changes.
    pub(super) fn run_unknown(&mut self, body: &'a Stmt, condition: Option<&'a Expr>, truth: Truth) {
        let unknown = truth.unknown & self.active;
        let (doubt, maybe) = (self.doubt, self.maybe);
        if truth.is_shared {
            self.maybe |= unknown;
        } else {
            self.doubt |= unknown;
            self.count_open_loop();
        }
        self.forget_assigned(body, condition);
        self.frame().loops.push(Running { is_loop: true, ..Running::default() });
        self.watches.push(Watch::new(None, self.frames.len()));
        self.statement(body);
        self.watch_end();
        self.frame().loops.pop();
        if let Some(condition) = condition {
            self.truth(condition);
        }
        (self.doubt, self.maybe) = (doubt, maybe);
    }

    /// Leaves a loop whose end is unknown; false.
    fn give_up(&mut self, of: &'a Loop) -> bool {
        self.active = u32::MAX;
        self.forget_assigned(&of.body, of.step.as_ref().into_iter().chain(&of.condition));
        false
    }

    /// Forgets the variables that statements and expressions change.
    fn forget_assigned(&mut self, body: &'a Stmt, more: impl IntoIterator<Item = &'a Expr>) {
        let mut changed: Vec<&'a Expr> = Vec::new();
        let mut note = |expr: &'a Expr| {
            if let Some(target) = target_of(expr) {
                changed.push(target);
            }
        };
        body.walk_expressions(&mut note);
        for expr in more {
            expr.walk(&mut note);
        }
        body.walk(&mut |stmt| {
            if let syntax::cuda::StmtKind::Asm(asm) = &stmt.kind {
                changed.extend(asm.outputs.iter().filter_map(|operand| operand.value.as_ref()));
            }
        });
        let active = self.active;
        for target in changed {
            let Some(name) = root_through_macros(target, self.env) else { continue };
            let Some(binding) = self.lookup(name).cloned() else { continue };
            let variable = match binding {
                Binding::Variable(variable) => Some((self.frames.len() - 1, variable)),
                Binding::Alias(Lvalue::Variable { frame, variable, .. }) => Some((frame, variable)),
                _ => None,
            };
            let held = variable
                .and_then(|(frame, variable)| self.frames.get_mut(frame)?.values.get_mut(variable as usize));
            if let Some(held) = held {
                held.value.forget(active);
            }
        }
    }

    /// Skips the trips that all lanes make in the same way. True if their number is unknown.
    fn step_over(&mut self, of: &'a Loop, history: &[Trip]) -> bool {
        let [.., before, earlier, last] = history else { return false };
        if before.lanes != last.lanes || earlier.lanes != last.lanes {
            return false;
        }
        let lanes = last.lanes & !self.gone();
        if lanes != last.lanes || lanes == 0 {
            return false;
        }
        let count = before.values.len().min(last.values.len());
        let mut steps = Vec::with_capacity(count);
        for at in 0..count {
            let [one, two, three] = [before, earlier, last].map(|trip| &trip.values[at].value);
            match step_of(one, two, three, lanes) {
                Some(step) => steps.push(step),
                None => return false,
            }
        }
        let Some(condition) = &of.condition else { return true };
        let values = last.values.clone();
        let mut holds_after = |trips: i64| {
            self.move_on(&values, &steps, trips);
            let (counts, left) = (std::mem::replace(&mut self.counts, false), self.steps);
            self.active = lanes;
            let truth = self.truth(condition);
            (self.counts, self.steps) = (counts, left.saturating_sub(8));
            truth.holds & lanes == lanes
        };
        if !holds_after(0) {
            self.move_on(&values, &steps, 0);
            return false;
        }
        // The first power of two after which it does not hold, then the first trip.
        let mut high = 1;
        while holds_after(high) {
            high *= 2;
            if high > ENDLESS {
                self.move_on(&values, &steps, 0);
                return true;
            }
        }
        let mut low = high / 2;
        while high - low > 1 {
            let middle = low.midpoint(high);
            if holds_after(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.move_on(&values, &steps, high);
        let added = history.len() - 1;
        let times = high as f64 / added as f64;
        self.uses.repeat(&history[0].counters, &last.counters, times);
        self.tally.repeat(&history[0].tally, &last.tally, times);
        false
    }

    /// Advances the variables by `trips` trips from the values given.
    fn move_on(&mut self, values: &[Held], steps: &[Step], trips: i64) {
        let frame = self.frame();
        for ((held, step), before) in frame.values.iter_mut().zip(steps).zip(values) {
            let Step::By(step) = step else { continue };
            let moved = |lanes: &Lanes| {
                let at = lanes.at.with(step, |at, by| {
                    let next = at.wrapping_add(by.wrapping_mul(trips));
                    if lanes.base.is_none() { lanes.of.wrap(next) } else { next }
                });
                Lanes { at, ..lanes.clone() }
            };
            match &before.value {
                Value::Int(lanes) => held.value = Value::Int(moved(lanes)),
                Value::Pointer(pointer) => {
                    held.value =
                        Value::Pointer(Pointer { offset: moved(&pointer.offset), ..pointer.clone() });
                }
                _ => {}
            }
        }
    }
}

/// The step of a value over three trips; `None` where it does not grow evenly.
fn step_of(one: &Value, two: &Value, three: &Value, mask: u32) -> Option<Step> {
    let step = |one: &Lanes, two: &Lanes, three: &Lanes| {
        let known = three.known & mask;
        if one.known & mask != known || two.known & mask != known {
            return None;
        }
        if known == 0 {
            return Some(Step::None);
        }
        if one.base != two.base || two.base != three.base {
            return None;
        }
        let last = three.at.with(&two.at, i64::wrapping_sub);
        let first = two.at.with(&one.at, i64::wrapping_sub);
        if first.holds(&last, |first, last| first == last) & known != known {
            return None;
        }
        let step = PerLane::All(0).replaced(known, &last);
        Some(if step == PerLane::All(0) { Step::None } else { Step::By(step) })
    };
    match (one, two, three) {
        (Value::Int(one), Value::Int(two), Value::Int(three)) => step(one, two, three),
        (Value::Pointer(one), Value::Pointer(two), Value::Pointer(three))
            if one.place == two.place && two.place == three.place =>
        {
            step(&one.offset, &two.offset, &three.offset)
        }
        _ => (one == two && two == three).then_some(Step::None),
    }
}
