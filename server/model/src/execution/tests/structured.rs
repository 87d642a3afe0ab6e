//! Random programs of branches, loops and calls. The execution of a warp is compared with that of each thread alone.

use super::Kernel;
use super::threads::{Action, Threads, of_lane};
use proptest::prelude::*;

/// A piece of a source program.
#[derive(Debug, Clone)]
enum Tree {
    Work,
    /// Threads whose number, with some bits masked out, is below a limit take one side.
    If {
        mask: u32,
        limit: u32,
        then: Vec<Tree>,
        other: Vec<Tree>,
    },
    /// A loop whose trip count is the thread's number masked with `mask`, plus `more`. `leaves` is a limit and an iteration:
    /// threads whose number is below the limit leave the loop in that iteration.
    Loop {
        mask: u32,
        more: u32,
        leaves: Option<(u32, u32)>,
        body: Vec<Tree>,
    },
    ExitBelow {
        mask: u32,
        limit: u32,
    },
    Call,
}

fn trees() -> impl Strategy<Value = Vec<Tree>> {
    let mask = || prop::sample::select(vec![1_u32, 3, 7, 0x10, 0x18, 0x1f, 0]);
    let leaf = prop_oneof![
        3 => Just(Tree::Work),
        1 => (mask(), 0..9_u32).prop_map(|(mask, limit)| Tree::ExitBelow { mask, limit }),
        1 => Just(Tree::Call),
    ];
    let tree = leaf.prop_recursive(3, 16, 3, move |inner| {
        let inner = move || prop::collection::vec(inner.clone(), 0..3);
        let leaves = prop::option::of((0..9_u32, 0..4_u32));
        prop_oneof![
            (mask(), 0..9_u32, inner(), inner()).prop_map(|(mask, limit, then, other)| Tree::If {
                mask,
                limit,
                then,
                other
            }),
            (prop::sample::select(vec![0_u32, 1, 3, 6]), 0..3_u32, leaves, inner())
                .prop_map(|(mask, more, leaves, body)| Tree::Loop { mask, more, leaves, body }),
        ]
    });
    prop::collection::vec(tree, 0..5)
}

/// Writes a program with the control-flow instructions that compilers use for an architecture.
struct Writer {
    threads: Threads,
    is_old: bool,
    function: usize,
    /// Number of enclosing barriers.
    barriers: u8,
    /// Number of registers of enclosing loops; each loop has two.
    loops: u8,
}

const WORK: Action = Action::Add { to: 1, from: 0, number: 3 };

impl Writer {
    fn new(sm: u16) -> Self {
        let mut threads = Threads::default();
        let function = threads.label();
        Self { threads, is_old: sm < 70, function, barriers: 0, loops: 0 }
    }

    fn compare(&mut self, mask: u32, limit: u32) {
        self.threads.push(Action::And { to: 2, from: 0, number: mask });
        self.threads.push(Action::LessThan { predicate: 0, a: 2, number: limit });
    }

    fn write(&mut self, trees: &[Tree]) {
        for tree in trees {
            match tree {
                Tree::Work => self.threads.push(WORK),
                Tree::Call => self.threads.push(Action::Call(self.function)),
                Tree::ExitBelow { mask, limit } => {
                    self.compare(*mask, *limit);
                    self.threads.push_if(0, true, Action::Exit);
                }
                Tree::If { mask, limit, then, other } => self.branch(*mask, *limit, then, other),
                Tree::Loop { mask, more, leaves, body } => self.repeat(*mask, *more, *leaves, body),
            }
        }
    }

    /// Writes the start of a region whose lanes reconverge at `end`, or of a loop that ends there.
    fn open(&mut self, kind: &'static str, end: usize) {
        if self.is_old {
            self.threads.push(Action::Push(kind, end));
        } else {
            self.threads.push(Action::Text(format!("BSSY B{}, (l{end}x)", self.barriers)));
        }
        self.barriers += 1;
    }

    fn close(&mut self, end: usize) {
        self.barriers -= 1;
        self.threads.push(Action::Label(end));
        if !self.is_old {
            self.threads.push(Action::Text(format!("BSYNC B{}", self.barriers)));
        }
    }

    fn branch(&mut self, mask: u32, limit: u32, then: &[Tree], other: &[Tree]) {
        let (middle, end) = (self.threads.label(), self.threads.label());
        self.compare(mask, limit);
        self.open("SSY", end);
        self.threads.push_if(0, true, Action::Branch(middle));
        self.write(other);
        self.threads.push(if self.is_old { Action::Pop("SYNC") } else { Action::Branch(end) });
        self.threads.push(Action::Label(middle));
        self.write(then);
        if self.is_old {
            self.threads.push(Action::Pop("SYNC"));
        }
        self.close(end);
    }

    fn repeat(&mut self, mask: u32, more: u32, leaves: Option<(u32, u32)>, body: &[Tree]) {
        let (head, end, following) = (self.threads.label(), self.threads.label(), self.threads.label());
        let (pass, last) = (30 + 2 * self.loops, 31 + 2 * self.loops);
        self.threads.push(Action::And { to: last, from: 0, number: mask });
        self.threads.push(Action::Add { to: last, from: last, number: more });
        self.threads.push(Action::Add { to: pass, from: 255, number: 0 });
        // Lanes that leave a barrier meet the others at the enclosing one.
        let is_left = leaves.is_some() && !self.is_old;
        if is_left {
            self.open("", following);
        }
        self.open("PBK", end);
        self.loops += 1;
        self.threads.push(Action::Label(head));
        self.write(body);
        if let Some((limit, at)) = leaves {
            // Lanes below the limit leave in that iteration, so they are missing in later ones.
            self.threads.push(Action::LessThan { predicate: 1, a: pass, number: at });
            self.threads.push(Action::LessThan { predicate: 0, a: 0, number: limit });
            self.threads.push_if(1, true, Action::LessThan { predicate: 0, a: 0, number: 0 });
            if self.is_old {
                self.threads.push_if(0, true, Action::Pop("BRK"));
            } else {
                self.threads.push_if(0, true, Action::Text(format!("BREAK B{}", self.barriers - 1)));
                self.threads.push_if(0, true, Action::Branch(following));
            }
        }
        self.loops -= 1;
        self.threads.push(Action::Add { to: pass, from: pass, number: 1 });
        self.threads.push(Action::Less { predicate: 0, a: pass, b: last });
        self.threads.push_if(0, true, Action::Branch(head));
        if self.is_old {
            self.threads.push(Action::Pop("BRK"));
        }
        self.close(end);
        if is_left {
            self.close(following);
        }
    }

    fn finish(mut self, trees: &[Tree]) -> Threads {
        self.write(trees);
        self.threads.push(Action::Exit);
        self.threads.push(Action::Label(self.function));
        self.threads.push(WORK);
        self.threads.push(Action::Return);
        self.threads
    }
}

/// True if no thread exits before the end of the program.
fn keeps_all(trees: &[Tree]) -> bool {
    trees.iter().all(|tree| match tree {
        Tree::ExitBelow { .. } => false,
        Tree::If { then, other, .. } => keeps_all(then) && keeps_all(other),
        Tree::Loop { body, .. } => keeps_all(body),
        Tree::Work | Tree::Call => true,
    })
}

proptest! {
    #[test]
    fn each_lane_goes_the_way_of_its_thread(trees in trees(), sm in prop::sample::select(vec![52_u16, 75, 90])) {
        let threads = Writer::new(sm).finish(&trees);
        let text = threads.text(sm);
        let kernel = Kernel::new(sm, &text);
        prop_assert!(kernel.program.instructions.iter().all(|inst| inst.opcode.is_some()), "{:#?}", text);
        let events = kernel.run_one();
        for lane in 0..32 {
            let found = of_lane(&events, lane, kernel.program.instructions.len());
            prop_assert_eq!(found, threads.run(lane), "lane {} of {:#?}", lane, text);
        }
        if keeps_all(&trees) {
            let (end, _) = events.last().unwrap();
            prop_assert_eq!(end.lanes, u32::MAX, "all lanes end together in {:#?}", text);
        }
    }
}
