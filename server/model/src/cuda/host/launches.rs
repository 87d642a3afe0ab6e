//! Launches in host code, with the constants that flow into their configurations and arguments.

use crate::cuda::interpret::Interpreter;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::FoundLaunch;
use crate::cuda::state::frame::Frame;
use crate::cuda::values::convert::decayed;
use crate::cuda::values::value::Value;
use machine::Arch;

/// Maximum number of expressions and statements evaluated per host function.
const STEPS: u32 = 20_000; // limit: time

/// Returns the launches of a host function in source order, one per source position. Empty for other items.
pub fn launches(env: &Environment, arch: &Arch, item: u32) -> Vec<FoundLaunch> {
    let Some(placed) = env.unit().item(item) else { return Vec::new() };
    let syntax::cuda::ItemKind::Function(function) = &placed.item.kind else { return Vec::new() };
    let Some(body) = function.body.as_ref().filter(|_| !function.is_on_device()) else { return Vec::new() };
    let mut host = Interpreter::new(env, arch, &[]);
    host.begin_warp(u32::MAX, None, STEPS);
    let mut frame = Frame::new(item);
    host.bind_templates(&mut frame, &function.templates, &[], &[]);
    host.warp.frames.push(frame);
    for parameter in &function.parameters {
        let of = decayed(host.type_of(&parameter.of));
        host.warp.declare(&parameter.name, of.clone(), Value::unknown(&of));
    }
    host.statement(body);
    let mut found = host.notes.launches;
    found.sort_by_key(|launch| (launch.place.item, launch.place.start));
    found.dedup_by(|later, earlier| {
        let is_same = (later.place, &later.templates) == (earlier.place, &earlier.templates);
        if is_same {
            // A block size that changes between iterations is unknown. The first grid represents all
            // iterations.
            earlier.block = earlier.block.filter(|block| later.block == Some(*block));
        }
        is_same
    });
    found
}
