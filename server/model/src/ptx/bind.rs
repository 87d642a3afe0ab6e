//! Which form of the instruction set an instruction is, and what each of its operands stands for.

mod arrange;

use machine::ptx::{
    Bound, Form, Mismatch, MismatchKind, Operand as Role, OperandKind as RoleKind, Ptx, Target, TypeOf,
    Version,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use syntax::ptx::{Item, Operand, Statement, StatementKind};

pub use arrange::Misfit;

/// An instruction with what its words and operands are.
#[derive(Debug, Clone)]
pub struct Instruction<'a, 'p> {
    pub form: &'p Form,
    /// Which modifier stands in which slot of the form.
    pub words: Bound<'p>,
    /// The operands, in text order.
    pub arguments: Vec<Argument<'a, 'p>>,
    /// What keeps the operands from being those of the form, judged by their shapes. `None` where they fit.
    pub misfit: Option<Misfit>,
    /// Indices of modifiers' tokens that ptxas passes over: they stand there twice or mean nothing here.
    pub passed_over: Rc<[(u32, MismatchKind)]>,
}

/// An operand and what it stands for.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a, 'p> {
    pub operand: Operand<'a>,
    /// `None` for one that the form does not have.
    pub role: Option<&'p Role>,
}

/// Why an instruction is none of the instruction set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotBound<'p> {
    /// There is no such opcode.
    UnknownOpcode,
    /// The modifier at this index of the item's tokens fits no form; where one is missing, the last token of the opcode.
    Modifier { token: u32, mismatch: Mismatch<'p> },
}

/// The form that an instruction is. `None` for other statements and where the opcode is missing.
pub fn bind<'a, 'p>(
    ptx: &'p Ptx,
    item: &'a Item,
    statement: &Statement,
) -> Option<Result<Instruction<'a, 'p>, NotBound<'p>>> {
    Binder::new(ptx).bind(item, statement)
}

/// Binds many instructions: what is spelled alike is looked up once.
#[derive(Debug)]
pub struct Binder<'p> {
    ptx: &'p Ptx,
    /// Forms that this module may use go first.
    module: Option<(Version, Target)>,
    known: FxHashMap<Box<str>, Spelled<'p>>,
}

/// What the opcode and the modifiers say alone.
type Spelled<'p> = Rc<Result<Forms<'p>, Option<Mismatch<'p>>>>;

#[derive(Debug)]
struct Forms<'p> {
    /// They differ in their operands.
    all: Vec<(&'p Form, Bound<'p>)>,
    /// Indices of modifiers that ptxas passes over.
    passed_over: Vec<(usize, MismatchKind)>,
}

impl<'p> Binder<'p> {
    pub fn new(ptx: &'p Ptx) -> Self {
        Self { ptx, module: None, known: FxHashMap::default() }
    }

    /// Where several forms fit, those that a module of this version and target may use go before the others.
    #[must_use]
    pub fn of_module(mut self, version: Option<Version>, target: Option<Target>) -> Self {
        self.module = version.zip(target);
        self
    }

    /// See [`bind`].
    pub fn bind<'a>(
        &mut self,
        item: &'a Item,
        statement: &Statement,
    ) -> Option<Result<Instruction<'a, 'p>, NotBound<'p>>> {
        let StatementKind::Instruction { opcode, operands } = statement.kind else { return None };
        let word = item.opcode(statement)?;
        let spelled = self.spelled(item, statement, word);
        let forms = match &*spelled {
            Ok(forms) => forms,
            Err(None) => return Some(Err(NotBound::UnknownOpcode)),
            Err(Some(mismatch)) => {
                let token = (opcode + 1 + mismatch.at as u32).min(operands.saturating_sub(1));
                return Some(Err(NotBound::Modifier { token, mismatch: mismatch.clone() }));
            }
        };
        let given: Vec<Operand<'a>> = item.operands(statement).collect();
        let (at, arranged) = arrange::best(&forms.all, &given)?;
        Some(Ok(forms.instruction(at, arranged, &given, opcode)))
    }

    /// Every form whose places an instruction's operands fit by their shapes, the best first; at least the one that
    /// [`bind`] gives. Empty where there is none.
    pub(super) fn bind_all<'a>(&mut self, item: &'a Item, statement: &Statement) -> Vec<Instruction<'a, 'p>> {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { return Vec::new() };
        let Some(word) = item.opcode(statement) else { return Vec::new() };
        let spelled = self.spelled(item, statement, word);
        let Ok(forms) = &*spelled else { return Vec::new() };
        let given: Vec<Operand<'a>> = item.operands(statement).collect();
        let all = arrange::all(&forms.all, &given);
        all.into_iter().map(|(at, arranged)| forms.instruction(at, arranged, &given, opcode)).collect()
    }

    fn spelled(&mut self, item: &Item, statement: &Statement, opcode: &str) -> Spelled<'p> {
        let modifiers: Vec<&str> = item.modifiers(statement).collect();
        let key = std::iter::once(opcode).chain(modifiers.iter().copied()).collect::<Vec<_>>().join(".");
        if let Some(known) = self.known.get(&*key) {
            return Rc::clone(known);
        }
        let mut found = find(self.ptx, opcode, modifiers);
        if let (Ok(forms), Some((version, target))) = (&mut found, self.module) {
            forms.all.sort_by_key(|(form, words)| form.lacks(words, version, target).is_some());
        }
        let found = Rc::new(found);
        self.known.insert(key.into(), Rc::clone(&found));
        found
    }
}

impl<'p> Forms<'p> {
    fn instruction<'a>(
        &self,
        at: usize,
        arranged: arrange::Arranged,
        given: &[Operand<'a>],
        opcode: u32,
    ) -> Instruction<'a, 'p> {
        let (form, words) = &self.all[at];
        let arguments = given.iter().zip(arranged.roles);
        let passed_over = self.passed_over.iter();
        Instruction {
            form,
            words: words.clone(),
            arguments: arguments
                .map(|(&operand, role)| Argument { operand, role: role.map(|role| &form.operands[role]) })
                .collect(),
            misfit: arranged.misfit,
            passed_over: passed_over.map(|(at, kind)| (opcode + 1 + *at as u32, *kind)).collect(),
        }
    }
}

/// The forms of a spelling, without the modifiers that ptxas passes over.
fn find<'p>(ptx: &'p Ptx, opcode: &str, mut modifiers: Vec<&str>) -> Result<Forms<'p>, Option<Mismatch<'p>>> {
    let mut passed_over: Vec<(usize, MismatchKind)> = Vec::new();
    loop {
        match ptx.find(opcode, &modifiers) {
            None => return Err(None),
            Some(Ok(all)) => return Ok(Forms { all, passed_over }),
            Some(Err(mut mismatch)) => {
                let is_harmless = match mismatch.kind {
                    MismatchKind::Ignored => true,
                    MismatchKind::Repeated => {
                        modifiers.get(mismatch.at).is_some_and(|word| ptx.is_repeatable(word))
                    }
                    _ => false,
                };
                let before = passed_over.iter().filter(|(at, _)| *at <= mismatch.at).count();
                if !is_harmless || mismatch.at >= modifiers.len() {
                    mismatch.at += before;
                    return Err(Some(mismatch));
                }
                modifiers.remove(mismatch.at);
                passed_over.push((mismatch.at + before, mismatch.kind));
                passed_over.sort_unstable_by_key(|(at, _)| *at);
            }
        }
    }
}

impl<'p> Instruction<'_, 'p> {
    /// The type that an operand of that role has: `u32`. `None` for what has none, and of [`TypeOf::Part`].
    pub fn type_of(&self, role: &'p Role) -> Option<&'p str> {
        match &role.kind {
            RoleKind::Value { of, .. } | RoleKind::Immediate(of) => self.type_word(of),
            _ => None,
        }
    }

    fn type_word(&self, of: &'p TypeOf) -> Option<&'p str> {
        match of {
            TypeOf::Slot(slot) => self.words.word(slot),
            TypeOf::Fixed(word) => Some(word),
            TypeOf::TwiceSlot(slot) => Some(match self.words.word(slot)? {
                "u16" => "u32",
                "s16" => "s32",
                "u32" => "u64",
                "s32" => "s64",
                other => other,
            }),
            TypeOf::Part => None,
        }
    }

    /// How many values stand in the place of an operand: 4 of `.v4`. `None` where its shape says it.
    pub fn count_of(&self, role: &Role) -> Option<u32> {
        match &role.kind {
            RoleKind::Value { count, .. } => arrange::count(count, &self.words),
            _ => Some(1),
        }
    }

    /// The word of the first modifier that names a state space: `shared::cta`.
    pub fn space_word(&self) -> Option<&'p str> {
        self.words.slots().iter().flatten().copied().find(|word| super::Space::of(word).is_some())
    }
}
