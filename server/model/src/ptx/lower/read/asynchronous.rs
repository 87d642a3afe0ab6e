//! Translates asynchronous instructions: copies that fill with zeros, bulk copies, and warpgroup matrix products.

use super::super::ir::{Address, Arg, Kind, Node, NodeId, Operation, ValueId};
use super::builder::Builder;
use super::matrix;
use super::values::integer;
use syntax::ptx::{Operand, OperandKind};

/// Maximum number of bytes that one thread copies with `cp.async`. The number of bytes that the source lacks is this size
/// minus the size of the source.
const MAX_COPIED: u64 = 16; // Source: the PTX ISA, cp.async

/// Translates a `cp.async` that states the size of the source. ptxas advances the source address by the number of bytes
/// that the source lacks. Returns false for other instructions. Source: SASS that ptxas 13.5 generates for `sm_80` and
/// `sm_90`.
pub(super) fn fill<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
    guard: Option<(ValueId, bool)>,
) -> bool {
    let (["async", "ca" | "cg", ..], [to, from, size, own, ..]) = (words, operands) else { return false };
    let Some(bytes) = integer(size) else { return false };
    let own = Arg::plain(builder.value(own, "u32").value);
    let [to, mut from] = [to, from].map(|operand| builder.address(operand));
    let constant = |builder: &mut Builder<'a>, bits: u64| Arg::plain(builder.body.constant(bits, 1));
    let all = constant(builder, MAX_COPIED);
    let missing = matrix::spelled(builder, "sub.s32", &[all.value, own.value], 1);
    let mask = constant(builder, MAX_COPIED - 1);
    let missing = builder.pure(Operation::And, "b32", &[Arg::plain(missing), mask], 1);
    if let Some(base) = from.base.filter(|&base| builder.body.words(base) == 2) {
        let wide = Arg::plain(builder.with_zeros(missing));
        from.base = Some(builder.pure(Operation::Add, "s64", &[wide, Arg::plain(base)], 2));
    }
    let zero = constant(builder, 0);
    let has_bytes = matrix::spelled(builder, "setp.ne.u32", &[own.value, zero.value], 0);
    let spelling = format!("cp.{}.zfill.{bytes}", words.join("."));
    let opcode = builder.body.opcodes.spelled(&spelling);
    let args = [constant(builder, bytes as u64), Arg::plain(has_bytes)];
    let mut node =
        Node { guard, ..Node::new(opcode, Kind::Effect, builder.block, builder.origin) }.with(args);
    node.addresses.extend([to, from]);
    builder.body.add(node, &[]);
    true
}

/// Translates bulk copies and copies of tensor tiles. Returns false for other instructions.
pub(super) fn bulk<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
    guard: Option<(ValueId, bool)>,
) -> bool {
    let Some(rest) = words.strip_prefix(&["async", "bulk"]) else { return false };
    let is_store = rest.contains(&"bulk_group");
    let (spelling, args) = match (rest.first(), operands, is_store) {
        (Some(&"tensor"), [to, map, barrier, ..], false) => {
            let (pointer, coordinates) = tile(builder, map);
            let place = [to, barrier].map(|operand| pointer_of(builder, operand, 1));
            let spelling = format!(".tensor.load.{}d", coordinates.len());
            let mut args = [vec![pointer], place.into()].concat();
            if let Some(mask) = rest.contains(&"multicast::cluster").then(|| operands.last()).flatten() {
                args.push(receivers(builder, mask));
                args.extend(coordinates);
                (format!("{spelling}.multicast"), args)
            } else {
                args.extend(coordinates);
                (spelling, args)
            }
        }
        (Some(&"tensor"), [map, from, ..], true) => {
            let (pointer, coordinates) = tile(builder, map);
            let place = pointer_of(builder, from, 1);
            (format!(".tensor.store.{}d", coordinates.len()), [vec![pointer, place], coordinates].concat())
        }
        (_, [to, from, size, barrier, ..], false) if rest.contains(&"mbarrier::complete_tx::bytes") => {
            let (to, from) = (pointer_of(builder, to, 1), pointer_of(builder, from, 2));
            let size = units(builder, size);
            (".bulk.load".to_owned(), vec![to, from, pointer_of(builder, barrier, 1), size])
        }
        (_, [to, from, size, ..], true) => {
            let (to, from) = (pointer_of(builder, to, 2), pointer_of(builder, from, 1));
            (".bulk.store".to_owned(), vec![to, from, units(builder, size)])
        }
        _ => return false,
    };
    let opcode = builder.body.opcodes.spelled(&spelling);
    let node = Node { guard, ..Node::new(opcode, Kind::Effect, builder.block, builder.origin) };
    builder.body.add(node.with(args.into_iter().map(Arg::plain)), &[]);
    true
}

/// Translates `st.async` and `red.async`. The SASS instruction takes the destination address and the address of the barrier
/// object in one register pair. Returns false for other instructions.
pub(super) fn remote<'a>(
    builder: &mut Builder<'a>,
    opcode: &str,
    words: &[&str],
    operands: &[Operand<'a>],
    guard: Option<(ValueId, bool)>,
) -> bool {
    let (["async", rest @ .., ty], [to, stored, barrier]) = (words, operands) else { return false };
    let Some(values) = matrix::values(builder, stored, ty) else { return false };
    let pointers = [to, barrier].map(|operand| pointer_of(builder, operand, 1));
    let pair = builder.pack(pointers.into());
    let value = builder.pack(values);
    let spelling = match (opcode, rest) {
        ("red", [.., operation]) => format!(".remote.red.{operation}.{ty}"),
        _ => format!(".remote.st.{}", builder.body.words(value)),
    };
    let opcode = builder.body.opcodes.spelled(&spelling);
    let mut node = Node { guard, ..Node::new(opcode, Kind::Effect, builder.block, builder.origin) }
        .with([Arg::plain(value)]);
    node.addresses.push(Address { base: Some(pair), offset: 0, bank: None });
    builder.body.add(node, &[]);
    true
}

/// Returns the mask of the blocks that receive a multicast copy, shifted to the upper half of a word, where `UTMALDG`
/// expects it.
fn receivers<'a>(builder: &mut Builder<'a>, mask: &Operand<'a>) -> ValueId {
    const PLACE: u64 = 16; // Source: the SASS that ptxas generates for multicast::cluster
    let mask = builder.value(mask, "b16");
    if let Some(bits) = builder.body.constant_of(mask.value) {
        return builder.body.constant(bits << PLACE, 1);
    }
    let place = builder.body.constant(PLACE, 1);
    builder.pure(Operation::ShiftLeft, "b32", &[mask, Arg::plain(place)], 1)
}

/// Converts a size in bytes to the 16-byte units in which bulk copy instructions take it.
fn units<'a>(builder: &mut Builder<'a>, size: &Operand<'a>) -> ValueId {
    /// Binary logarithm of the number of bytes in a unit.
    const UNIT: u64 = 4; // Source: the SASS that ptxas generates for cp.async.bulk
    let size = builder.value(size, "u32");
    if let Some(bytes) = builder.body.constant_of(size.value) {
        return builder.body.constant(bytes >> UNIT, 1);
    }
    let shift = builder.body.constant(UNIT, 1);
    builder.pure(Operation::ShiftRight, "u32", &[size, Arg::plain(shift)], 1)
}

/// Returns the address of a tensor's descriptor and the coordinates of a tile.
fn tile<'a>(builder: &mut Builder<'a>, operand: &Operand<'a>) -> (ValueId, Vec<ValueId>) {
    let mut coordinates = Vec::new();
    for part in operand.elements().filter(|part| part.kind() == OperandKind::Vector) {
        coordinates.extend(part.elements().map(|own| builder.value(&own, "s32").value));
    }
    (pointer_of(builder, operand, 2), coordinates)
}

/// Returns the address in an operand, including its offset, as a value of `words` registers.
fn pointer_of<'a>(builder: &mut Builder<'a>, operand: &Operand<'a>, words: u8) -> ValueId {
    let address = builder.address(operand);
    let Some(base) = address.base else { return builder.body.constant(address.offset as u64, words) };
    let base = match (builder.body.words(base), words) {
        (2, 1) => builder.part(base, 0, 1),
        (1, 2) => builder.with_zeros(base),
        (0, _) => builder.body.undefined(words),
        _ => base,
    };
    if address.offset == 0 {
        return base;
    }
    let offset = builder.body.constant(address.offset as u64, words);
    let ty = if words == 2 { "s64" } else { "s32" };
    builder.pure(Operation::Add, ty, &[Arg::plain(base), Arg::plain(offset)], words)
}

/// Translates `wgmma.mma_async` and `wgmma.commit_group`. `last` is the last product that no group contains yet. Returns
/// false for other instructions.
pub(super) fn wgmma<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
    last: &mut Option<NodeId>,
) -> bool {
    match (words, operands) {
        (["commit_group", ..], _) => {
            // The last product of a group names the counter of groups.
            if let Some(id) = last.take() {
                let spelling = format!(
                    "{}.commit",
                    builder.body.opcodes.get(builder.body.nodes[id as usize].opcode).spelling
                );
                builder.body.nodes[id as usize].opcode = builder.body.opcodes.spelled(&spelling);
            }
            true
        }
        (["mma_async", rest @ ..], [to, first, second, scale, ..]) if !rest.contains(&"sp") => {
            let id = product(builder, rest, to, [first, second, scale]);
            *last = id.or(*last);
            id.is_some()
        }
        _ => false,
    }
}

/// Adds a warpgroup matrix product. `None` if an operand is not a vector of words.
fn product<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    to: &Operand<'a>,
    [first, second, scale]: [&Operand<'a>; 3],
) -> Option<NodeId> {
    let sums = matrix::values(builder, to, "b32").filter(|sums| !sums.is_empty())?;
    let is_zero = |value: &ValueId| builder.body.constant_of(*value) == Some(0);
    let starts_at_zero = sums.iter().all(is_zero) || integer(scale) == Some(0);
    let is_register = first.kind() == OperandKind::Vector;
    let first = if is_register {
        let parts = matrix::values(builder, first, "b32")?;
        builder.pack(parts)
    } else {
        builder.value(first, "b64").value
    };
    let second = builder.value(second, "b64").value;
    let names: Vec<&str> =
        words.iter().copied().filter(|word| !matches!(*word, "sync" | "aligned" | "satfinite")).collect();
    let source = if is_register { "regs" } else { "desc" };
    let zero = if starts_at_zero { ".zero" } else { "" };
    let opcode = builder.body.opcodes.spelled(&format!("wgmma.{source}{zero}.{}", names.join(".")));
    let count = sums.len() as u8;
    let mut node =
        Node::new(opcode, Kind::Effect, builder.block, builder.origin).with([first, second].map(Arg::plain));
    if !starts_at_zero {
        // The sums stay in their registers.
        node.previous.push(builder.pack(sums));
    }
    let id = builder.body.add(node, &[count]);
    let result = builder.body.nodes[id as usize].results[0];
    let parts: Vec<ValueId> = (0..count).map(|at| builder.part(result, at, 1)).collect();
    matrix::write(builder, to, &parts);
    Some(id)
}
