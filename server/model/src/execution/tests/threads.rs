//! Programs with control flow: their text, and their execution by a single thread, without warps.

use super::Event;

/// One instruction: its text and its meaning.
#[derive(Debug, Clone)]
pub(super) struct ThreadStatement {
    /// A predicate, and the value for which the thread executes the instruction.
    pub guard: Option<(u8, bool)>,
    pub action: Action,
}

#[derive(Debug, Clone)]
pub(super) enum Action {
    /// `to = from + number`.
    Add {
        to: u8,
        from: u8,
        number: u32,
    },
    /// `to = from & number`.
    And {
        to: u8,
        from: u8,
        number: u32,
    },
    /// `predicate = a < b`.
    Less {
        predicate: u8,
        a: u8,
        b: u8,
    },
    /// `predicate = a < number`.
    LessThan {
        predicate: u8,
        a: u8,
        number: u32,
    },
    Branch(usize),
    Exit,
    /// Announces where lanes reconverge or a loop ends: `SSY`, `PBK`.
    Push(&'static str, usize),
    Pop(&'static str),
    Call(usize),
    Return,
    /// Text that has no effect on a single thread.
    Text(String),
    /// The label of a position; it is not an instruction.
    Label(usize),
}

/// A program in which positions are numbered.
#[derive(Debug, Clone, Default)]
pub(super) struct Threads {
    pub lines: Vec<ThreadStatement>,
    labels: usize,
}

impl Threads {
    /// Appends an instruction. `R0` is the thread's number, `R255` reads as 0.
    pub(super) fn push(&mut self, action: Action) {
        self.lines.push(ThreadStatement { guard: None, action });
    }

    pub(super) fn push_if(&mut self, predicate: u8, value: bool, action: Action) {
        self.lines.push(ThreadStatement { guard: Some((predicate, value)), action });
    }

    pub(super) fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    pub(super) fn text(&self, sm: u16) -> Vec<String> {
        let register = |register: u8| if register == 255 { "RZ".to_owned() } else { format!("R{register}") };
        let add = if sm < 70 { ("IADD", "") } else { ("IADD3", ", RZ") };
        let line = |line: &ThreadStatement| {
            let text = match &line.action {
                Action::Add { to, from, number } => {
                    format!("{} R{to}, {}, {number:#x}{}", add.0, register(*from), add.1)
                }
                Action::And { to, from, number } if sm < 70 => {
                    format!("LOP32I.AND R{to}, R{from}, {number:#x}")
                }
                Action::And { to, from, number } => {
                    format!("LOP3.LUT R{to}, R{from}, {number:#x}, RZ, 0xc0, !PT")
                }
                Action::Less { predicate, a, b } => {
                    format!("ISETP.LT.U32.AND P{predicate}, PT, R{a}, R{b}, PT")
                }
                Action::LessThan { predicate, a, number } => {
                    format!("ISETP.LT.U32.AND P{predicate}, PT, R{a}, {number:#x}, PT")
                }
                Action::Branch(label) => format!("BRA (l{label}x)"),
                Action::Exit => "EXIT".to_owned(),
                Action::Push(kind, label) => format!("{kind} (l{label}x)"),
                Action::Pop(kind) => (*kind).to_owned(),
                Action::Call(label) if sm < 70 => format!("CAL (l{label}x)"),
                Action::Call(label) => format!("CALL.REL.NOINC (l{label}x)"),
                Action::Return if sm < 70 => "RET".to_owned(),
                Action::Return => "RET.REL.NODEC R20 0x0".to_owned(),
                Action::Text(text) => text.clone(),
                Action::Label(label) => return format!("l{label}x:"),
            };
            match line.guard {
                Some((predicate, value)) => format!("@{}P{predicate} {text}", if value { "" } else { "!" }),
                None => text,
            }
        };
        let first = "S2R R0, SR_TID.X".to_owned();
        [first].into_iter().chain(self.lines.iter().map(line)).collect()
    }

    /// For each instruction, returns how often the thread reaches it, and how often its guard is true there.
    pub(super) fn run(&self, thread: u32) -> Vec<(u32, u32)> {
        let mut indices = Vec::new();
        let mut count = 1;
        for line in &self.lines {
            indices.push(count);
            count += usize::from(!matches!(line.action, Action::Label(_)));
        }
        let place = |label: usize| {
            self.lines
                .iter()
                .position(|line| matches!(line.action, Action::Label(here) if here == label))
                .unwrap()
        };
        let mut counts = vec![(0, 0); count];
        counts[0] = (1, 1);
        let mut registers = [0_u32; 256];
        registers[0] = thread;
        let mut predicates = [false; 7];
        let mut frames: Vec<(&str, usize)> = Vec::new();
        let mut at = 0;
        while let Some(line) = self.lines.get(at) {
            let index = indices[at];
            at += 1;
            if matches!(line.action, Action::Label(_)) {
                continue;
            }
            counts[index].0 += 1;
            assert!(counts[index].0 < 10_000, "it does not end");
            if line.guard.is_some_and(|(predicate, value)| predicates[usize::from(predicate)] != value) {
                continue;
            }
            counts[index].1 += 1;
            let register = |register: u8| registers[usize::from(register)];
            match &line.action {
                Action::Add { to, from, number } => {
                    registers[usize::from(*to)] = register(*from).wrapping_add(*number);
                }
                Action::And { to, from, number } => registers[usize::from(*to)] = register(*from) & number,
                Action::Less { predicate, a, b } => {
                    predicates[usize::from(*predicate)] = register(*a) < register(*b);
                }
                Action::LessThan { predicate, a, number } => {
                    predicates[usize::from(*predicate)] = register(*a) < *number;
                }
                Action::Branch(label) => at = place(*label),
                Action::Exit => break,
                Action::Push(kind, label) => frames.push((kind, place(*label))),
                Action::Pop(kind) => {
                    let of = if *kind == "SYNC" { "SSY" } else { "PBK" };
                    let frame = frames.iter().rposition(|(kind, _)| *kind == of).unwrap();
                    at = frames[frame].1;
                    frames.truncate(frame);
                }
                Action::Call(label) => {
                    frames.push(("CALL", at));
                    at = place(*label);
                }
                Action::Return => {
                    let frame = frames.iter().rposition(|(kind, _)| *kind == "CALL").unwrap();
                    at = frames[frame].1;
                    frames.truncate(frame);
                }
                Action::Text(_) | Action::Label(_) => {}
            }
        }
        counts
    }
}

/// For each instruction, returns how often a lane of a warp reaches it, and how often the lane is active there.
pub(super) fn of_lane(events: &[Event], lane: u32, instructions: usize) -> Vec<(u32, u32)> {
    let mut counts = vec![(0, 0); instructions];
    for (ran, _) in events {
        let (came, took_part) = &mut counts[ran.inst as usize];
        *came += ran.lanes >> lane & 1;
        *took_part += ran.active >> lane & 1;
    }
    counts
}
