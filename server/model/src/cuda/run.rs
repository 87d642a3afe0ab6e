//! Runs a sample of the warps in a launch.

use super::interpret::Interpreter;
use super::notes::Run;
use super::source::environment::Environment;
use super::source::launch::{Argument, Configuration};
use super::source::types::{IntType, Type, built_in};
use super::state::frame::Frame;
use super::values::convert::{converted, decayed};
use super::values::lanes::Lanes;
use super::values::per_lane::LANES;
use super::values::value::{MemoryRegion, Pointer, Value};
use crate::execution::sample;
use machine::Arch;
use std::sync::Arc;

/// Maximum number of warps that are run per launch.
const WARPS: u64 = 24; // limit: time
/// Maximum number of expressions and statements evaluated per warp.
const STEPS: u32 = 60_000; // limit: time
/// Maximum number of expressions and statements evaluated over all warps. No other warp starts once less
/// than half of one warp's step limit is left.
const ALL_STEPS: u32 = 120_000; // limit: time
/// Number of warps and number of steps after which no other warp starts, if both are reached. The result is then
/// accurate enough for display while the user types.
const ENOUGH: (u64, u32) = (8, 30_000);
/// Number of the first array of a pointer in a field of a parameter.
const FIRST_OF_FIELDS: u32 = 1 << 16; // limit: kernels load fewer pointers
/// Maximum number of expressions and statements evaluated for a kernel with syntax errors. The loops of
/// such a kernel might never end.
const STEPS_OF_BROKEN: u32 = 8_000; // limit: time

/// Runs a sample of a launch's warps for the kernel at index `item`. `None` if the item is not a device
/// function with a body.
pub fn run(env: &Environment, arch: &Arch, item: u32, launch: &Configuration) -> Option<Run> {
    let kernel = env.function_at(item)?;
    let body = kernel.body.as_ref().filter(|_| kernel.is_on_device())?;
    let blocks = launch.grid.iter().map(|size| u64::from(*size)).product::<u64>().max(1);
    let threads = launch.block.iter().map(|size| u64::from(*size)).product::<u64>().max(1);
    let per_block = threads.div_ceil(LANES as u64);
    let all_warps = blocks.saturating_mul(per_block);
    let warps = all_warps.min(WARPS);
    let parses = env.unit().item(item).is_some_and(|placed| placed.item.errors.is_empty());
    let (steps, all_steps) = if parses { (STEPS, ALL_STEPS) } else { (STEPS_OF_BROKEN, STEPS_OF_BROKEN) };
    let mut interpreter = Interpreter::new(env, arch, &kernel.parameters);
    let mut is_whole = true;
    let mut steps_left = all_steps;
    let mut done = 0;
    for index in 0..warps {
        let is_enough = done >= ENOUGH.0 && all_steps - steps_left >= ENOUGH.1;
        if steps_left < steps / 2 || is_enough {
            break;
        }
        done += 1;
        let (block, warp) = sample::sampled(index, warps, blocks, per_block);
        let active = u32::MAX >> (LANES as u64 - (threads - warp * LANES as u64).min(LANES as u64));
        interpreter.begin_warp(active, Some(indices(launch, block, warp)), steps);
        let mut frame = Frame::new(item);
        interpreter.bind_templates(&mut frame, &kernel.templates, &launch.templates, &[]);
        interpreter.warp.frames.push(frame);
        let mut arrays = FIRST_OF_FIELDS;
        for (at, parameter) in kernel.parameters.iter().enumerate() {
            let of = decayed(interpreter.type_of(&parameter.of));
            let stated = launch.arguments.get(at).copied().unwrap_or(Argument::Unknown);
            let value = match (&of, stated) {
                (Type::Pointer(to), _) => {
                    let offset = Lanes::all(IntType::LONG, 0);
                    Value::Pointer(Pointer {
                        place: MemoryRegion::Parameter(at as u32),
                        offset,
                        to: (**to).clone(),
                        within: 0,
                    })
                }
                (_, Argument::Number(number)) => {
                    converted(&of, Value::Int(Lanes::all(IntType::LONG, number).runtime()))
                }
                _ => unstated(&mut interpreter, &parameter.name, &of, &mut arrays),
            };
            interpreter.warp.declare(&parameter.name, of, value.runtime());
        }
        interpreter.statement(body);
        is_whole &= interpreter.steps_left() > 0;
        steps_left = steps_left.saturating_sub(steps - interpreter.steps_left());
    }
    let shared_bytes = interpreter.warp.shared.bytes();
    Some(Run { all_warps, is_whole, shared_bytes, ..interpreter.notes.finish(done) })
}

/// Returns `threadIdx`, `blockIdx`, `blockDim` and `gridDim` of a warp. The x index varies fastest between
/// threads.
fn indices(launch: &Configuration, block: u64, warp: u64) -> [Value; 4] {
    let sizes = launch.block.map(|size| u64::from(size.max(1)));
    let mut threads = [[0_i64; LANES]; 3];
    for lane in 0..LANES {
        let thread = warp * LANES as u64 + lane as u64;
        let [x, y, z] = &mut threads;
        x[lane] = (thread % sizes[0]) as i64;
        y[lane] = (thread / sizes[0] % sizes[1]) as i64;
        z[lane] = (thread / sizes[0] / sizes[1]) as i64;
    }
    let grid = launch.grid.map(|size| u64::from(size.max(1)));
    let place = [block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]];
    let all = |numbers: [u64; 3]| {
        three(numbers.map(|number| Lanes::all(IntType::UNSIGNED, number as i64).runtime()))
    };
    [three(threads.map(unsigned)), all(place), all(sizes), all(grid)]
}

/// Returns the value of a parameter, or of a field of one, with an unknown argument: a named symbol for an integer, an
/// array of its own for a pointer, an unknown value for other types. `arrays` is the number of the next array.
fn unstated(interpreter: &mut Interpreter<'_>, name: &str, of: &Type, arrays: &mut u32) -> Value {
    match of {
        Type::Int(of) => {
            let symbols = &mut interpreter.warp.symbols;
            // A parameter of one byte is a flag.
            let symbol = if of.bytes > 1 { symbols.named(name) } else { symbols.flag(name) };
            Value::Int(Lanes::symbol(*of, symbol))
        }
        Type::Pointer(to) => {
            let place = MemoryRegion::Loaded(*arrays);
            *arrays += 1;
            let offset = Lanes::all(IntType::LONG, 0);
            Value::Pointer(Pointer { place, offset, to: (**to).clone(), within: 0 })
        }
        Type::Record(record) if !record.has_constructor => {
            let fields = record.fields.iter();
            let fields = fields
                .map(|field| unstated(interpreter, &format!("{name}.{}", field.name), &field.of, arrays));
            Value::Record(Arc::clone(record), fields.collect())
        }
        other => Value::unknown(other),
    }
}

/// Builds a `uint3`, the type of `threadIdx` and similar variables.
fn three(numbers: [Lanes; 3]) -> Value {
    match built_in("uint3") {
        Some(Type::Record(of)) => Value::Record(of, numbers.into_iter().map(Value::Int).collect()),
        _ => Value::Unknown(Type::Unknown),
    }
}

/// Builds a value with one unsigned number per lane.
fn unsigned(at: [i64; LANES]) -> Lanes {
    Lanes { at: at.into(), ..Lanes::all(IntType::UNSIGNED, 0).runtime() }
}
