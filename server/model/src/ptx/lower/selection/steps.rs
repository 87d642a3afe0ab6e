//! Emits the steps of an expansion, with registers, constants and addresses filled in.

use super::super::coalescing::Web;
use super::super::ir::{Address, Arg, Kind, NodeId};
use super::Selector;
use super::instruction::Fragment;
use super::operands::signed;
use machine::ptx::{Expansion, Name, Piece, RegisterSlot, Sign, Step};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Uniform registers that temporaries use in rotation. Lower-numbered uniform registers hold memory
/// descriptors.
pub(super) const UNIFORM: std::ops::Range<u8> = 6..62;

/// Temporaries of one node's expansion.
#[derive(Default)]
struct Temporaries {
    webs: FxHashMap<Name, Web>,
    uniform: FxHashMap<Name, u8>,
}

impl Selector<'_> {
    pub(super) fn steps(&mut self, id: NodeId, expansion: &Arc<Expansion>) {
        let mut temporaries = Temporaries::default();
        // Descriptors take uniform registers that follow each other.
        if usize::from(UNIFORM.end - self.uniform.min(UNIFORM.end)) < uniforms(expansion) {
            self.uniform = UNIFORM.start;
        }
        for step in &expansion.steps {
            self.step(id, step, &mut temporaries);
        }
    }

    fn step(&mut self, id: NodeId, step: &Step, temporaries: &mut Temporaries) {
        let node = &self.emitter.body.nodes[id as usize];
        let origin = node.origin;
        let mut guard = Vec::new();
        if let Some((slot, negated)) = step.guard {
            let register = self.slot(id, slot, temporaries, true, step);
            guard.push(Fragment::Text(if negated { "@!".into() } else { "@".into() }));
            guard.extend(register);
            guard.push(Fragment::text(" "));
        } else if let Some(own) = node.guard.filter(|_| !self.runs_always) {
            guard = self.emitter.guarded(own);
        }
        let reads = sources(step);
        let is_memory = step
            .operands
            .iter()
            .flatten()
            .any(|piece| matches!(piece, Piece::Slot(RegisterSlot { name: Name::Address(_), .. })));
        let mut immediates = 0;
        let mut operands = Vec::with_capacity(step.operands.len());
        for (at, operand) in step.operands.iter().enumerate() {
            let mut pieces = Vec::new();
            for piece in operand {
                match piece {
                    Piece::Text(text) => pieces.push(Fragment::Text(text.clone())),
                    Piece::Slot(slot) => {
                        let is_field = is_field(step, at);
                        let may_be_constant = is_field
                            || !is_memory
                                && immediates == 0
                                && (reads.len() == 1 || reads.first() != Some(&at));
                        let mut own = self.slot(id, *slot, temporaries, may_be_constant, step);
                        if counts_groups(step)
                            && matches!(&own[..], [Fragment::Text(text)] if **text == *"RZ")
                        {
                            own = vec![Fragment::text("0x0")];
                        }
                        let is_constant = own.iter().all(|piece| matches!(piece, Fragment::Text(text) if !matches!(&**text, "RZ" | "PT" | "!PT")));
                        immediates += u32::from(is_constant && !is_field);
                        pieces.extend(own);
                    }
                }
            }
            operands.push(pieces);
        }
        self.emitter.emit(origin, guard, &step.mnemonic, &operands);
    }

    fn slot(
        &mut self,
        id: NodeId,
        slot: RegisterSlot,
        temporaries: &mut Temporaries,
        constant: bool,
        step: &Step,
    ) -> Vec<Fragment> {
        let node = &self.emitter.body.nodes[id as usize];
        let high = u8::from(slot.high);
        match slot.name {
            Name::Result(at) => match node.results.get(usize::from(at)) {
                Some(&value) => {
                    let (web, word) = self.emitter.webs.of[value as usize];
                    signed(slot.sign, vec![self.emitter.place(web, word + high)])
                }
                None => vec![Fragment::Text(if at == 0 { "RZ".into() } else { "PT".into() })],
            },
            Name::Read(at) => {
                let Some(&arg) = node.args.get(usize::from(at)) else { return vec![Fragment::text("RZ")] };
                let arg = Arg { sign: joined(arg.sign, slot.sign), ..arg };
                self.emitter.read(arg, high, constant, step)
            }
            Name::Address(at) => {
                let address = node.addresses.get(usize::from(at)).copied();
                self.emitter.address(address.unwrap_or(Address { base: None, offset: 0, bank: None }), high)
            }
            Name::Word(_) | Name::Pair(_) | Name::Predicate(_) => {
                let words = match slot.name {
                    Name::Word(_) => 1,
                    Name::Pair(_) => 2,
                    _ => 0,
                };
                let webs = &mut *self.emitter.webs;
                let web = *temporaries.webs.entry(slot.name).or_insert_with(|| webs.new_web(words));
                signed(slot.sign, vec![self.emitter.place(web, high)])
            }
            Name::Uniform(_) | Name::UniformPredicate(_) => {
                let uniform = &mut self.uniform;
                let number = *temporaries.uniform.entry(slot.name).or_insert_with(|| {
                    let number = *uniform;
                    *uniform = if number + 1 < UNIFORM.end { number + 1 } else { UNIFORM.start };
                    number
                });
                let file = if matches!(slot.name, Name::Uniform(_)) { "UR" } else { "UP" };
                let number = if file == "UP" { number % 7 } else { number };
                vec![Fragment::Text(format!("{file}{number}").into())]
            }
            Name::Descriptor => {
                self.needs_descriptor |= !self.has_descriptor;
                vec![Fragment::text("UR4")]
            }
            Name::Target => match node.kind {
                Kind::Branch(block) => vec![Fragment::Block(block)],
                _ => vec![Fragment::text("0x0")],
            },
        }
    }
}

/// Returns the number of uniform registers that an expansion uses as temporaries.
fn uniforms(expansion: &Expansion) -> usize {
    let pieces = expansion.steps.iter().flat_map(|step| step.operands.iter().flatten());
    let names = pieces.filter_map(|piece| match piece {
        Piece::Slot(RegisterSlot { name: name @ Name::Uniform(_), .. }) => Some(*name),
        _ => None,
    });
    names.collect::<FxHashSet<Name>>().len()
}

/// Returns the indices of the operands that a step reads: the operands with registers, except results and a
/// leading temporary.
fn sources(step: &Step) -> Vec<usize> {
    let is_result = |at: usize, operand: &[Piece]| {
        let names_result =
            matches!(operand.first(), Some(Piece::Slot(RegisterSlot { name: Name::Result(_), .. })));
        let is_temporary = matches!(
            operand,
            [Piece::Slot(RegisterSlot {
                name: Name::Word(_) | Name::Pair(_) | Name::Predicate(_) | Name::Uniform(_),
                ..
            })]
        );
        names_result || at == 0 && is_temporary
    };
    let operands = step.operands.iter().enumerate();
    operands
        .filter(|(at, operand)| {
            let reads = operand.iter().any(|piece| match piece {
                Piece::Slot(_) => true,
                Piece::Text(text) => matches!(&**text, "RZ" | "-RZ"),
            });
            reads && !is_result(*at, operand)
        })
        .map(|(at, _)| at)
        .collect()
}

/// True if the operand at index `at` is an immediate field of the instruction that no register can replace.
fn is_field(step: &Step, at: usize) -> bool {
    match step.mnemonic.split('.').next().unwrap_or_default() {
        "LOP3" | "LEA" => at + 2 >= step.operands.len() && at >= 3,
        "SHFL" => at >= 3,
        "BAR" | "DEPBAR" | "NANOSLEEP" | "WARPSYNC" | "WARPGROUP" | "USETMAXREG" => true,
        _ => false,
    }
}

/// True if the instruction waits for groups of asynchronous operations. The number of groups is an immediate field.
fn counts_groups(step: &Step) -> bool {
    step.mnemonic.starts_with("DEPBAR") || step.mnemonic.starts_with("WARPGROUP.DEPBAR")
}

/// Combines the sign of a value with an outer sign.
fn joined(inner: Sign, outer: Sign) -> Sign {
    if outer.absolute {
        return Sign { minus: outer.minus, not: outer.not, absolute: true };
    }
    Sign { minus: inner.minus ^ outer.minus, not: inner.not ^ outer.not, absolute: inner.absolute }
}
