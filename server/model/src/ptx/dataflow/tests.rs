use crate::ptx::{Body, Globals, Module, Names, Operand, OperandKind, Ptx, Spread};
use std::fmt::Write;
use std::sync::Arc;
use syntax::ptx::Item;

fn parsed(body: &str) -> (Arc<Item>, Names, Globals) {
    let text = format!(
        ".version 8.0\n.target sm_90\n.global .align 8 .b8 outer[64];\n.entry k(.param .u64 n)\n{{\n.reg .pred p, q;\n\
         .reg .b32 r, s, t, u;\n.reg .b64 a, b;\n.shared .align 16 .b8 tile[256];\n{body}\n}}\n"
    );
    let module = Module::parse(&text);
    let item = module.items().iter().find(|item| item.function().is_some()).unwrap().clone();
    assert!(item.errors().is_empty(), "{:?}", item.errors());
    let names = Names::resolve(&item);
    (item, names, Globals::collect(&module))
}

/// Appends `ret` to the instructions in `text`, and calls `then` with the function's body and the index of the
/// instruction before `ret`.
fn with<T>(text: &str, then: impl FnOnce(&Body<'_>, u32, &Globals) -> T) -> T {
    let (item, names, globals) = parsed(&format!("{text} ret;"));
    let tables = Ptx::builtin();
    let body = Body::new(&item, &names, &tables).unwrap();
    let last = body.flow.nodes().len() as u32 - 2;
    then(&body, last, &globals)
}

/// Returns the instructions whose writes reach the last register that the last instruction reads.
fn writers(text: &str) -> Vec<u32> {
    with(text, |body, last, _| {
        let read = body.registers.reads(last).last().unwrap();
        let mut found: Vec<u32> = body
            .definitions()
            .reaching(&body.flow, last, read.register)
            .iter()
            .map(|&one| body.definitions().all()[one as usize].instruction)
            .collect();
        found.sort_unstable();
        found
    })
}

#[test]
fn a_write_under_a_guard_ends_none_before_it() {
    assert_eq!(writers("mov.u32 r, 1; mov.u32 r, 2; mov.u32 s, r;"), [1]);
    assert_eq!(writers("mov.u32 r, 1; @p mov.u32 r, 2; mov.u32 s, r;"), [0, 1]);
}

#[test]
fn both_ways_to_a_join_reach_it() {
    assert_eq!(writers("mov.u32 r, 1; @p bra L; mov.u32 r, 2; L: mov.u32 s, r;"), [0, 2]);
    assert_eq!(writers("mov.u32 r, 1; L: mov.u32 t, r; add.u32 r, r, 1; @p bra L; mov.u32 s, r;"), [2]);
}

/// Returns the spread of the last operand of the last instruction.
fn spread(text: &str) -> Spread {
    with(text, |body, last, _| {
        let operand = body.item.operands(body.statement(last)).last().unwrap();
        body.spread_of(last, &operand)
    })
}

#[test]
fn the_thread_index_differs_among_lanes_and_its_warp_among_warps() {
    assert_eq!(spread("mov.u32 r, %ctaid.x; mov.u32 s, r;"), Spread::Same);
    assert_eq!(spread("mov.u32 r, %tid.x; add.u32 r, r, 1; mov.u32 s, r;"), Spread::Lanes);
    assert_eq!(spread("mov.u32 r, %tid.x; shr.u32 r, r, 5; mov.u32 s, r;"), Spread::Warps);
    assert_eq!(spread("mov.u32 r, %tid.x; shr.u32 r, r, 4; mov.u32 s, r;"), Spread::Lanes);
    assert_eq!(spread("mov.u32 r, %tid.y; mov.u32 s, r;"), Spread::Warps);
    assert_eq!(spread("mov.u32 r, %tid.x; and.b32 r, r, -32; mov.u32 s, r;"), Spread::Warps);
    assert_eq!(spread("mov.u32 r, %tid.x; mov.u32 r, 4; mov.u32 s, r;"), Spread::Same);
}

#[test]
fn comparisons_with_multiples_of_a_warp_split_warps() {
    let selected = |compared: &str| spread(&format!("mov.u32 r, %tid.x; {compared}; selp.u32 s, 1, 2, p;"));
    assert_eq!(selected("setp.lt.u32 p, r, 64"), Spread::Warps);
    assert_eq!(selected("setp.gt.u32 p, r, 63"), Spread::Warps);
    assert_eq!(selected("setp.lt.u32 p, r, 16"), Spread::Lanes);
    assert_eq!(selected("setp.eq.u32 p, r, 32"), Spread::Lanes);
}

#[test]
fn what_a_divergent_branch_chooses_differs() {
    let chosen = |by: &str| {
        spread(&format!(
            "mov.u32 r, {by}; setp.eq.u32 p, r, 0; mov.u32 t, 1; @p bra L; mov.u32 t, 2; L: mov.u32 s, t;"
        ))
    };
    assert_eq!(chosen("%tid.x"), Spread::Lanes);
    assert_eq!(chosen("%ctaid.x"), Spread::Same);
}

#[test]
fn exchanges_among_lanes_have_their_own_spread() {
    assert_eq!(spread("mov.u32 r, %tid.x; shfl.sync.idx.b32 t, r, 0, 31, -1; mov.u32 s, t;"), Spread::Warps);
    assert_eq!(spread("mov.u32 r, %tid.x; shfl.sync.down.b32 t, r, 1, 31, -1; mov.u32 s, t;"), Spread::Lanes);
    assert_eq!(spread("atom.shared.add.u32 t, [tile], 1; mov.u32 s, t;"), Spread::Lanes);
    assert_eq!(spread("ld.shared.u32 t, [tile]; mov.u32 s, t;"), Spread::Same);
}

/// Returns the distance in bytes of the last instruction's address from the preceding multiple of 16; `None` if the
/// address may be a multiple of 16.
fn past(text: &str) -> Option<u64> {
    with(text, |body, last, globals| {
        let is_address = |operand: &Operand<'_>| operand.kind() == OperandKind::Address;
        let address = body.item.operands(body.statement(last)).find(is_address).unwrap();
        body.address_low_bits(globals, last, &address).past(16)
    })
}

#[test]
fn low_bits_of_addresses_follow_constants_and_multiples() {
    assert_eq!(past("ld.shared.u32 s, [tile];"), None);
    assert_eq!(past("ld.shared.u32 s, [tile+20];"), Some(4));
    assert_eq!(past("mov.u32 r, tile; add.u32 r, r, 12; ld.shared.u32 s, [r+-8];"), Some(4));
    assert_eq!(past("mov.u32 t, %tid.x; mad.lo.u32 r, t, 16, 8; ld.shared.u32 s, [r];"), Some(8));
    assert_eq!(
        past(
            "mov.u32 t, %tid.x; shl.b32 t, t, 4; mov.u32 r, tile; add.u32 r, r, t; ld.shared.u32 s, [r+32];"
        ),
        None
    );
    assert_eq!(
        past("mov.u32 t, %tid.x; add.u32 r, t, 4; ld.shared.u32 s, [r];"),
        None,
        "nothing is known of it"
    );
    assert_eq!(past("mov.u64 a, outer; ld.global.u32 s, [a+8];"), None, "it is aligned to 8 only");
    assert_eq!(past("mov.u64 a, outer; ld.global.u32 s, [a+4];"), Some(4));
}

#[test]
fn live_registers_are_counted_by_size() {
    with("mov.u32 r, 1; mov.u64 a, 2; st.shared.u64 [tile], a; st.shared.u32 [tile], r;", |body, _, _| {
        let sizes: Vec<u32> = body
            .registers
            .all()
            .iter()
            .map(|one| if body.names.symbols()[one.symbol as usize].name(body.item) == "a" { 2 } else { 1 })
            .collect();
        let mut counts = Vec::new();
        body.liveness().count(&body.flow, &body.registers, 0, &sizes, |at, live| counts.push((at, live)));
        assert_eq!(counts, [(4, 0), (3, 0), (2, 1), (1, 3), (0, 1)]);
    });
}

#[test]
fn writes_on_some_paths_differ_from_writes_on_every_path() {
    let written = |text: &str| {
        with(text, |body, last, _| {
            let register = body.registers.reads(last).last().unwrap().register;
            let block = body.flow.nodes()[last as usize].block;
            let mut found = None;
            body.written().walk(&body.flow, &body.registers, block, |at, is_written| {
                if at == last {
                    found = Some(is_written(register));
                }
            });
            found.unwrap()
        })
    };
    assert_eq!(written("mov.u32 s, r;"), (false, false));
    assert_eq!(written("@p mov.u32 r, 1; mov.u32 s, r;"), (true, true));
    assert_eq!(written("@p bra L; mov.u32 r, 1; L: mov.u32 s, r;"), (true, false));
}

/// Analyses `count` basic blocks that each write two registers which no other block writes, and branch to an arbitrary
/// block. Returns the number of nonzero words in the bit sets of all blocks.
fn rows_of(count: usize) -> usize {
    let mut text = String::from("mov.u32 r, %tid.x; setp.eq.u32 p, r, 5;\n");
    for at in 0..count {
        let to = at * 7_919 % count;
        let _ = writeln!(
            text,
            "L{at}: add.s32 %a{at}, r, {at}; add.s32 %b{at}, %a{at}, s; add.s32 r, r, %b{at}; @p bra L{to};"
        );
    }
    let (item, names, _) = parsed(&format!(".reg .b32 %a<{count}>; .reg .b32 %b<{count}>;\n{text} ret;"));
    let tables = Ptx::builtin();
    let body = Body::new(&item, &names, &tables).unwrap();
    body.definitions().size() + body.liveness().size()
}

/// With dense bit sets, eight times the blocks would take 64 times the memory.
#[test]
fn rows_of_eight_times_the_blocks_take_eight_times_as_much() {
    let (few, many) = (rows_of(500), rows_of(4_000));
    assert!(many < few * 12, "{few} words for 500 blocks, {many} for 4,000");
}

#[test]
fn addresses_of_a_thread_follow_its_index_and_a_parameter() {
    let past = |text: &str, thread: u32| {
        with(text, |body, last, globals| {
            let is_address = |operand: &Operand<'_>| operand.kind() == OperandKind::Address;
            let address = body.item.operands(body.statement(last)).find(is_address).unwrap();
            body.address_low_bits_in_thread(globals, last, &address, thread).past(4)
        })
    };
    let pairs = "ld.param.u64 a, [n]; mov.u32 t, %tid.x; mul.wide.u32 b, t, 6; add.s64 a, a, b; ld.global.u32 s, [a+2];";
    assert_eq!([0, 1, 2].map(|thread| past(pairs, thread)), [Some(2), None, Some(2)]);
    let offset = "ld.param.u64 a, [n]; ld.param.u64 b, [n]; add.s64 a, a, b; ld.global.u32 s, [a+2];";
    assert_eq!(past(offset, 0), None, "one of the two is an offset");
    assert_eq!(past("mov.u32 t, %tid.y; add.u32 r, t, 2; ld.shared.u32 s, [r];", 0), None);
}

#[test]
fn sums_of_sums_are_followed_for_a_while_alone() {
    let mut text = String::from("mov.u64 a, 2; ");
    for _ in 0..40 {
        text.push_str("add.s64 b, a, a; mov.u64 a, b; ");
    }
    assert_eq!(past(&format!("{text} ld.global.u32 s, [a+4];")), None);
}
