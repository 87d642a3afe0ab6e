use super::*;
use crate::ptx::{Globals, Module};

/// Prints the blocks of a kernel with this body as `OPCODExCOUNT -> [SUCCESSORS]`, with the first opcode and the number of
/// instructions of each block, followed by ` leaves` and ` dead` where they apply.
fn blocks(body: &str) -> Vec<String> {
    let (item, flow) = flow(body);
    let text = |(block, index): (&Block, u32)| {
        let first = &item.statements()[flow.nodes()[block.instructions.start as usize].statement as usize];
        let next = flow.graph().successors(index);
        let mut text = format!("{}x{} -> {next:?}", item.opcode(first).unwrap(), block.instructions.len());
        if block.leaves {
            text.push_str(" leaves");
        }
        if !block.is_reached {
            text.push_str(" dead");
        }
        text
    };
    flow.blocks().iter().zip(0..).map(text).collect()
}

fn flow(body: &str) -> (std::sync::Arc<Item>, Flow) {
    let text = format!(
        ".version 8.0\n.target sm_90\n.entry k()\n{{\n.reg .pred p, q;\n.reg .b32 r, s;\n{body}\n}}\n"
    );
    let module = Module::parse(&text);
    assert!(Globals::collect(&module).find("k").is_some());
    let item = module.items().iter().find(|item| item.function().is_some()).unwrap().clone();
    assert!(item.errors().is_empty(), "{:?}", item.errors());
    let flow = Flow::build(&item, &Names::resolve(&item), &Ptx::builtin()).unwrap();
    (item, flow)
}

#[test]
fn a_guard_lets_control_go_on() {
    assert_eq!(
        blocks("@p bra L; mov.u32 r, 1; L: ret;"),
        ["brax1 -> [1, 2]", "movx1 -> [2]", "retx1 -> [] leaves"]
    );
    assert_eq!(blocks("@p ret; mov.u32 r, 1; exit;"), ["retx1 -> [1] leaves", "movx2 -> [] leaves"]);
}

#[test]
fn what_nothing_leads_to_is_not_reached() {
    assert_eq!(
        blocks("bra L; M: mov.u32 r, 1; bra M; L: ret;"),
        ["brax1 -> [2]", "movx2 -> [1] dead", "retx1 -> [] leaves"]
    );
}

#[test]
fn an_indexed_branch_goes_to_its_list() {
    let body = "ts: .branchtargets A, B; brx.idx r, ts; A: mov.u32 r, 1; B: ret;";
    assert_eq!(blocks(body), ["brxx1 -> [1, 2]", "movx1 -> [2]", "retx1 -> [] leaves"]);
}

#[test]
fn a_label_belongs_to_its_scope() {
    let body = "{ bra L; mov.u32 r, 1; L: mov.u32 r, 2; } bra L; mov.u32 r, 3; L: ret;";
    assert_eq!(
        blocks(body),
        ["brax1 -> [2]", "movx1 -> [2] dead", "movx2 -> [4]", "movx1 -> [4] dead", "retx1 -> [] leaves"]
    );
}

#[test]
fn a_jump_to_nowhere_is_not_whole() {
    assert!(flow("bra L; L: ret;").1.is_whole());
    assert!(!flow("bra L; ret;").1.is_whole());
}

/// Returns the blocks that directly or indirectly decide whether each block is executed.
fn deciders(body: &str) -> Vec<Vec<u32>> {
    let (_, flow) = flow(body);
    let control = Control::compute(&flow);
    (0..flow.blocks().len() as u32).map(|block| control.all_deciders(block).collect()).collect()
}

#[test]
fn a_branch_controls_the_blocks_before_the_join() {
    let body = "@p bra L; mov.u32 r, 1; @q bra M; mov.u32 r, 2; M: mov.u32 r, 3; L: mov.u32 s, r; ret;";
    assert_eq!(deciders(body), [vec![], vec![0], vec![0, 1], vec![0], vec![]]);
}

#[test]
fn a_thread_that_ends_decides_of_nothing() {
    assert_eq!(deciders("@p bra L; mov.u32 r, 1; L: ret;"), [vec![], vec![], vec![]]);
    assert_eq!(deciders("@p ret; mov.u32 r, 1; ret;"), [vec![], vec![]]);
    assert_eq!(deciders("@p bra L; mov.u32 r, 1; ret; L: mov.u32 s, 2; ret;"), [vec![], vec![], vec![]]);
}

#[test]
fn a_loop_decides_of_its_next_turn() {
    let body = "L: mov.u32 r, 1; @p bra L; mov.u32 s, r; ret;";
    assert_eq!(deciders(body), [vec![0], vec![]]);
    let endless = "L: mov.u32 r, 1; @p bra M; mov.u32 r, 2; M: bra L;";
    assert_eq!(deciders(endless)[1], [0]);
}
