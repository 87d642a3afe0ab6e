//! Cooperative groups: the block and its tiles.

use crate::cuda::notes::Notes;
use crate::cuda::source::builtins::GroupMethod;
use crate::cuda::source::types::{Field, IntType, RecordType, Type};
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::Value;
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::BinaryOp;

/// Names of the records that represent groups. They contain a single colon, so no C++ type has such a name.
const BLOCK: &str = "group:block";
const TILE: &str = "group:tile";
/// Fields of the records that represent groups.
const FIELDS: [&str; 4] = ["size", "rank", "meta_size", "meta_rank"];

/// Returns the group of all threads of the block; `None` if the block size is unknown.
pub(super) fn block(warp: &mut WarpState<'_>) -> Option<Value> {
    let (size, rank) = block_and_rank(warp)?;
    Some(group(BLOCK, [size, rank, Lanes::all(IntType::UNSIGNED, 1), Lanes::all(IntType::UNSIGNED, 0)]))
}

/// Returns each thread's tile of a group that is split into tiles of `size` threads; `None` if the value is
/// not a group.
pub(super) fn tile(warp: &mut WarpState<'_>, of: &Value, size: i64) -> Option<Value> {
    let [Value::Int(whole), Value::Int(rank), ..] = fields(of)? else { return None };
    let size = Lanes::all(IntType::UNSIGNED, size);
    let own = warp.calculate(BinaryOp::Remainder, rank, &size);
    let count = warp.calculate(BinaryOp::Divide, whole, &size);
    let number = warp.calculate(BinaryOp::Divide, rank, &size);
    Some(group(TILE, [size, own, count, number]))
}

/// Evaluates a method of a group.
pub(super) fn method<'a>(
    warp: &WarpState<'a>,
    notes: &mut Notes<'a>,
    method: GroupMethod,
    of: &Value,
    range: &Range<u32>,
) -> Value {
    let field = match method {
        GroupMethod::Barrier => {
            barrier(warp, notes, of, range);
            return Value::Unknown(Type::Void);
        }
        GroupMethod::Size => 0,
        GroupMethod::Rank => 1,
        GroupMethod::GroupCount => 2,
        GroupMethod::GroupRank => 3,
        GroupMethod::Pure => return Value::Unknown(Type::Unknown),
    };
    fields(of).and_then(|fields| fields.get(field)).cloned().unwrap_or(Value::Unknown(Type::Unknown))
}

/// Records a barrier of a group: a block barrier if the group is known to be the entire block, otherwise a group
/// barrier.
pub(super) fn barrier<'a>(warp: &WarpState<'a>, notes: &mut Notes<'a>, group: &Value, range: &Range<u32>) {
    if matches!(group, Value::Record(record, _) if record.name == BLOCK) {
        notes.block_barrier(warp, range, false);
    } else {
        notes.group_barrier(warp, range);
    }
}

/// Returns the number of threads of the block, and the rank of each thread within the block. The x index
/// varies fastest. `None` if the indices are unknown.
fn block_and_rank(warp: &mut WarpState<'_>) -> Option<(Lanes, Lanes)> {
    let [thread, _, block, _] = warp.indices.clone()?;
    let (Value::Record(_, thread), Value::Record(_, block)) = (thread, block) else { return None };
    let all = |values: &[Value]| -> Option<[Lanes; 3]> {
        let lanes: Option<Vec<Lanes>> = values.iter().map(|value| value.as_lanes().cloned()).collect();
        lanes?.try_into().ok()
    };
    let ([x, y, z], [width, height, depth]) = (all(&thread)?, all(&block)?);
    let plane = warp.calculate(BinaryOp::Multiply, &width, &height);
    let size = warp.calculate(BinaryOp::Multiply, &plane, &depth);
    let row = warp.calculate(BinaryOp::Multiply, &y, &width);
    let layer = warp.calculate(BinaryOp::Multiply, &z, &plane);
    let rank = warp.calculate(BinaryOp::Add, &x, &row);
    Some((size, warp.calculate(BinaryOp::Add, &rank, &layer)))
}

/// Returns the fields of a group; `None` for other values.
fn fields(of: &Value) -> Option<&[Value]> {
    match of {
        Value::Record(record, fields) if [BLOCK, TILE].contains(&record.name.as_str()) => Some(fields),
        _ => None,
    }
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
