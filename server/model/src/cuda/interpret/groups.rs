//! Cooperative groups: the threads of a block, and tiles of them.

use super::interpreter::Interpreter;
use crate::cuda::source::types::{Field, IntType, RecordType, Type};
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::Value;
use std::sync::Arc;
use syntax::cuda::{Argument, BinaryOp, Expr};

/// Names of the records that represent groups: no name of C++ begins like this.
const BLOCK: &str = "group:block";
const TILE: &str = "group:tile";
/// Their fields.
const FIELDS: [&str; 4] = ["size", "rank", "meta_size", "meta_rank"];

impl<'a> Interpreter<'a> {
    /// The value of a call to a function of cooperative groups; `None` for other functions.
    pub(super) fn group_call(
        &mut self,
        name: &str,
        templates: &'a [Argument],
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Option<Value> {
        self.indices.as_ref()?;
        match (crate::cuda::source::environment::last_part(name), templates, arguments) {
            ("this_thread_block", [], []) => {
                let (size, rank) = self.block_and_rank()?;
                Some(group(
                    BLOCK,
                    [size, rank, Lanes::all(IntType::UNSIGNED, 1), Lanes::all(IntType::UNSIGNED, 0)],
                ))
            }
            ("tiled_partition", [size, ..], [of]) => {
                let Value::Record(record, fields) = self.value(of) else { return None };
                let Argument::Value(size) = size else { return None };
                let size = self.constant(size).filter(|size| *size > 0)?;
                let [Value::Int(whole), Value::Int(rank), ..] = fields.as_slice() else { return None };
                if !is_group(&record) {
                    return None;
                }
                let size = Lanes::all(IntType::UNSIGNED, size);
                let mut of = |op, left: &Lanes| left.binary(op, &size, self.active, &mut self.symbols);
                let own = of(BinaryOp::Remainder, rank);
                let (count, number) = (of(BinaryOp::Divide, whole), of(BinaryOp::Divide, rank));
                Some(group(TILE, [size, own, count, number]))
            }
            ("sync", [], [of]) if name.contains("::") => {
                let value = self.value(of);
                self.group_sync(&value, expr);
                Some(Value::Unknown(Type::Void))
            }
            _ => None,
        }
    }

    /// The value of a method of a group; `None` for other methods.
    pub(super) fn group_method(&mut self, of: &'a Expr, name: &str, expr: &'a Expr) -> Option<Value> {
        if matches!(name, "sync" | "barrier_arrive" | "barrier_wait") {
            let value = self.value(of);
            self.group_sync(&value, expr);
            return Some(Value::Unknown(Type::Void));
        }
        let field = match name {
            "size" | "num_threads" => 0,
            "thread_rank" => 1,
            "meta_group_size" => 2,
            "meta_group_rank" => 3,
            _ => return None,
        };
        match self.value(of) {
            Value::Record(record, fields) if is_group(&record) => fields.into_iter().nth(field),
            _ => Some(Value::Unknown(Type::Unknown)),
        }
    }

    fn group_sync(&mut self, group: &Value, expr: &'a Expr) {
        let is_block = matches!(group, Value::Record(record, _) if record.name == BLOCK);
        if is_block {
            self.barrier(expr);
        } else {
            self.uses.release(None);
            self.watch_barrier(&expr.range, false);
        }
    }

    /// Threads of the block, and the number of each in it: x counts first.
    fn block_and_rank(&mut self) -> Option<(Lanes, Lanes)> {
        let [thread, _, block, _] = self.indices.clone()?;
        let (Value::Record(_, thread), Value::Record(_, block)) = (thread, block) else { return None };
        let all = |values: &[Value]| -> Option<[Lanes; 3]> {
            let lanes: Option<Vec<Lanes>> = values.iter().map(|value| value.as_lanes().cloned()).collect();
            lanes?.try_into().ok()
        };
        let ([x, y, z], [width, height, depth]) = (all(&thread)?, all(&block)?);
        let mut of = |op, left: &Lanes, right: &Lanes| left.binary(op, right, self.active, &mut self.symbols);
        let plane = of(BinaryOp::Multiply, &width, &height);
        let size = of(BinaryOp::Multiply, &plane, &depth);
        let row = of(BinaryOp::Multiply, &y, &width);
        let layer = of(BinaryOp::Multiply, &z, &plane);
        let rank = of(BinaryOp::Add, &x, &row);
        Some((size, of(BinaryOp::Add, &rank, &layer)))
    }
}

fn is_group(record: &RecordType) -> bool {
    [BLOCK, TILE].contains(&record.name.as_str())
}

fn group(name: &str, values: [Lanes; 4]) -> Value {
    let field = |(name, at): (&&str, u64)| Field {
        name: (*name).to_owned(),
        offset: 4 * at,
        of: Type::Int(IntType::UNSIGNED),
    };
    let fields = FIELDS.iter().zip(0..).map(field).collect();
    let record = RecordType {
        name: name.to_owned(),
        fields,
        size: 16,
        alignment: 4,
        templates: Vec::new(),
        has_constructor: false,
    };
    Value::Record(Arc::new(record), values.into_iter().map(Value::Int).collect())
}
