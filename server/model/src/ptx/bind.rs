//! Matches an instruction to a form in the instruction set. The form determines the role of each operand.

mod arrange;

use arrange::{FormWithModifiers, OperandAssignment, Shape};
use machine::ptx::{
    Form, FormBinding, Mismatch, MismatchKind, Operand as Role, OperandKind as RoleKind, Ptx, Target,
    TypeSource, Version,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use syntax::ptx::{Item, Operand, Statement, StatementKind};

pub use arrange::OperandMismatch;

/// An instruction with its form, its modifiers and its operands.
#[derive(Debug, Clone)]
pub struct Instruction<'a, 'p> {
    pub form: &'p Form,
    /// The modifier in each slot of the form.
    pub words: Rc<FormBinding<'p>>,
    /// The operands, in source order.
    pub arguments: Vec<Argument<'a, 'p>>,
    /// Mismatch between the shapes of the operands and the form. `None` if the operands fit.
    pub misfit: Option<OperandMismatch>,
    /// Token indices of modifiers that ptxas ignores because they are repeated or have no effect here.
    pub passed_over: Vec<(u32, MismatchKind)>,
}

/// An operand and its role.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a, 'p> {
    pub operand: Operand<'a>,
    /// Role of the operand in the form; `None` if the form has no such operand.
    pub role: Option<&'p Role>,
}

/// Reason why an instruction matches no form of the instruction set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotBound<'p> {
    /// The opcode does not exist.
    UnknownOpcode,
    /// The modifier at this token index fits no form. If a modifier is missing, the index is that of the last
    /// token of the opcode.
    Modifier { token: u32, mismatch: Mismatch<'p> },
}

/// Matches an instruction to a form. `None` if the statement is not an instruction, and if the opcode is missing.
pub fn bind<'a, 'p>(
    ptx: &'p Ptx,
    item: &'a Item,
    statement: &Statement,
) -> Option<Result<Instruction<'a, 'p>, NotBound<'p>>> {
    Binder::new(ptx).bind(item, statement)
}

/// Binds many instructions. Each spelling is looked up once, and operands of the same shapes are matched
/// once.
#[derive(Debug)]
pub struct Binder<'p> {
    ptx: &'p Ptx,
    /// Version and target of the module. Forms that the module may use are preferred.
    module: Option<(Version, Target)>,
    known: FxHashMap<Box<str>, Spelled<'p>>,
    /// Reused buffers for the spelling and the shapes of an instruction's operands.
    key: String,
    shapes: Vec<Shape>,
}

/// Forms that match an opcode and its modifiers, regardless of the operands. `Err(None)` if the opcode is unknown.
type Spelled<'p> = Rc<Result<Forms<'p>, Option<Mismatch<'p>>>>;

#[derive(Debug)]
struct Forms<'p> {
    /// Forms that differ only in their operands.
    all: Vec<FormWithModifiers<'p>>,
    /// Memoized results by operand shapes.
    arranged: RefCell<Vec<BestForm>>,
    /// Indices of modifiers that ptxas ignores.
    passed_over: Vec<(usize, MismatchKind)>,
}

/// Best form for operands of these shapes: its index, and the assignment of operands to roles.
#[derive(Debug)]
struct BestForm {
    shapes: Box<[Shape]>,
    form: usize,
    arranged: Rc<OperandAssignment>,
}

impl<'p> Binder<'p> {
    /// Creates a binder with an empty cache that prefers no version or target.
    pub fn new(ptx: &'p Ptx) -> Self {
        Self { ptx, module: None, known: FxHashMap::default(), key: String::new(), shapes: Vec::new() }
    }

    /// Sets the version and the target of the module. If several forms fit, a form that this module may use is preferred.
    #[must_use]
    pub fn of_module(mut self, version: Option<Version>, target: Option<Target>) -> Self {
        self.module = version.zip(target);
        self
    }

    /// Returns the roles of an instruction's operands. `None` if its opcode and modifiers match no form.
    pub(super) fn roles(&mut self, item: &Item, statement: &Statement) -> Option<Roles<'p>> {
        let word = item.opcode(statement)?;
        let spelled = self.spelled(item, statement, word);
        let forms = spelled.as_ref().as_ref().ok()?;
        let (at, arranged) = forms.best(self.shapes_of(item, statement))?;
        Some(Roles { form: forms.all[at].0, arranged })
    }

    fn shapes_of(&mut self, item: &Item, statement: &Statement) -> &[Shape] {
        self.shapes.clear();
        self.shapes.extend(item.operands(statement).map(|operand| Shape::from_operand(&operand)));
        &self.shapes
    }

    /// Matches an instruction to a form, see [`bind`].
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
        let (at, arranged) = forms.best(self.shapes_of(item, statement))?;
        Some(Ok(forms.instruction(at, &arranged, item.operands(statement), opcode)))
    }

    /// Returns every form whose operand shapes match the instruction, including the form that [`bind`]
    /// returns. Empty if no form fits.
    pub fn bind_all<'a>(&mut self, item: &'a Item, statement: &Statement) -> Vec<Instruction<'a, 'p>> {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { return Vec::new() };
        let Some(word) = item.opcode(statement) else { return Vec::new() };
        let spelled = self.spelled(item, statement, word);
        let Ok(forms) = &*spelled else { return Vec::new() };
        let operands = item.operands(statement);
        let shapes: Vec<Shape> = operands.clone().map(|operand| Shape::from_operand(&operand)).collect();
        let all = arrange::all(&forms.all, &shapes);
        all.iter().map(|(at, arranged)| forms.instruction(*at, arranged, operands.clone(), opcode)).collect()
    }

    fn spelled(&mut self, item: &Item, statement: &Statement, opcode: &str) -> Spelled<'p> {
        self.key.clear();
        self.key.push_str(opcode);
        for modifier in item.modifiers(statement) {
            self.key.push('.');
            self.key.push_str(modifier);
        }
        if let Some(known) = self.known.get(&*self.key) {
            return Rc::clone(known);
        }
        let mut found = find(self.ptx, opcode, item.modifiers(statement).collect());
        if let (Ok(forms), Some((version, target))) = (&mut found, self.module) {
            forms.all.sort_by_key(|(form, words)| form.lacks(words, version, target).is_some());
        }
        let found = Rc::new(found);
        self.known.insert(self.key.as_str().into(), Rc::clone(&found));
        found
    }
}

/// Roles of an instruction's operands.
pub(super) struct Roles<'p> {
    form: &'p Form,
    arranged: Rc<OperandAssignment>,
}

impl<'p> Roles<'p> {
    /// Returns the role of an operand; `None` if the form has no such operand.
    pub(super) fn get(&self, operand: usize) -> Option<&'p Role> {
        let role = self.arranged.roles.get(operand).copied().flatten();
        role.map(|role| &self.form.operands[role])
    }
}

impl<'p> Forms<'p> {
    /// Returns the index of the form that operands of these shapes fit best, and the assignment of operands
    /// to roles.
    fn best(&self, shapes: &[Shape]) -> Option<(usize, Rc<OperandAssignment>)> {
        let mut known = self.arranged.borrow_mut();
        if let Some(best) = known.iter().find(|best| *best.shapes == *shapes) {
            return Some((best.form, Rc::clone(&best.arranged)));
        }
        let (form, arranged) = arrange::best(&self.all, shapes)?;
        let arranged = Rc::new(arranged);
        known.push(BestForm { shapes: shapes.into(), form, arranged: Rc::clone(&arranged) });
        Some((form, arranged))
    }

    fn instruction<'a>(
        &self,
        at: usize,
        arranged: &OperandAssignment,
        given: impl Iterator<Item = Operand<'a>>,
        opcode: u32,
    ) -> Instruction<'a, 'p> {
        let (form, words) = &self.all[at];
        let arguments = given.zip(&arranged.roles);
        let passed_over = self.passed_over.iter();
        Instruction {
            form,
            words: Rc::clone(words),
            arguments: arguments
                .map(|(operand, role)| Argument { operand, role: role.map(|role| &form.operands[role]) })
                .collect(),
            misfit: arranged.misfit,
            passed_over: passed_over.map(|(at, kind)| (opcode + 1 + *at as u32, *kind)).collect(),
        }
    }
}

/// Returns the forms that match an opcode and its modifiers, after removing the modifiers that ptxas ignores. `Err(None)`
/// if the opcode is unknown.
fn find<'p>(ptx: &'p Ptx, opcode: &str, mut modifiers: Vec<&str>) -> Result<Forms<'p>, Option<Mismatch<'p>>> {
    let mut passed_over: Vec<(usize, MismatchKind)> = Vec::new();
    loop {
        match ptx.find(opcode, &modifiers) {
            None => return Err(None),
            Some(Ok(all)) => {
                let all = all.into_iter().map(|(form, words)| (form, Rc::new(words))).collect();
                return Ok(Forms { all, arranged: RefCell::default(), passed_over });
            }
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
    /// Returns the type of an operand with this role, such as `u32`. `None` if the operand has no type, and
    /// for [`TypeSource::Part`].
    pub fn type_of(&self, role: &'p Role) -> Option<&'p str> {
        match &role.kind {
            RoleKind::Value { of, .. } | RoleKind::Immediate(of) => self.type_word(of),
            _ => None,
        }
    }

    fn type_word(&self, of: &'p TypeSource) -> Option<&'p str> {
        match of {
            TypeSource::Slot(slot) => self.words.word(slot),
            TypeSource::Fixed(word) => Some(word),
            TypeSource::Part => None,
        }
    }

    /// Returns the number of values of an operand: 4 for `.v4`. `None` if the operand's shape determines the
    /// number.
    pub fn count_of(&self, role: &Role) -> Option<u32> {
        match &role.kind {
            RoleKind::Value { count, .. } => arrange::count(count, &self.words),
            _ => Some(1),
        }
    }
}
