//! Assigns operands to the operand slots of a form, based only on the operand shapes.

use machine::ptx::{Count, Form, FormBinding, Operand as Role, OperandKind as RoleKind, Predicate, Presence};
use std::rc::Rc;
use syntax::ptx::{Operand, OperandKind};

/// Mismatch between the operands of an instruction and those of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandMismatch {
    /// The number of operands is outside the range `least` to `most`.
    Count { least: usize, most: usize },
    /// The shape of the operand at this index differs from the shape that the form requires.
    Shape { operand: usize },
}

/// Assignment of an instruction's operands to the operand slots of a form, by index.
#[derive(Debug, Clone)]
pub(super) struct OperandAssignment {
    pub(super) roles: Vec<Option<usize>>,
    pub(super) misfit: Option<OperandMismatch>,
}

/// Properties of an operand that determine the operand slots that it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    kind: OperandKind,
    /// True if the operand is a single token.
    is_alone: bool,
    /// The two components of `p|q`; `None` for other operands.
    pair: Option<Pair>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    first: OperandKind,
    first_is_alone: bool,
    second: OperandKind,
}

impl Shape {
    pub(super) fn from_operand(operand: &Operand<'_>) -> Self {
        let kind = operand.kind();
        let is_alone = operand.tokens().len() == 1;
        let pair = if kind == OperandKind::Pair { operand.pair() } else { None };
        let pair = pair.map(|(first, second)| Pair {
            first: first.kind(),
            first_is_alone: first.tokens().len() == 1,
            second: second.kind(),
        });
        Self { kind, is_alone, pair }
    }
}

/// A form with the modifiers that fill its slots.
pub(super) type FormWithModifiers<'p> = (&'p Form, Rc<FormBinding<'p>>);

/// Returns the index of the form that these operands fit best, and the assignment of the operands. `None` if
/// there are no forms.
pub(super) fn best(
    forms: &[FormWithModifiers<'_>],
    operands: &[Shape],
) -> Option<(usize, OperandAssignment)> {
    let mut best: Option<(usize, OperandAssignment, usize)> = None;
    for (at, (form, words)) in forms.iter().enumerate() {
        let arranged = arrange(form, words, operands);
        let fit = match arranged.misfit {
            None => return Some((at, arranged)),
            Some(OperandMismatch::Shape { operand }) => operand + 1,
            Some(OperandMismatch::Count { .. }) => 0,
        };
        if best.as_ref().is_none_or(|(_, _, have)| fit > *have) {
            best = Some((at, arranged, fit));
        }
    }
    best.map(|(at, arranged, _)| (at, widened(forms, at, arranged)))
}

/// Returns the index and the assignment of every form that these operands fit.
pub(super) fn all(forms: &[FormWithModifiers<'_>], operands: &[Shape]) -> Vec<(usize, OperandAssignment)> {
    let arranged = forms.iter().enumerate().map(|(at, (form, words))| (at, arrange(form, words, operands)));
    arranged.filter(|(_, arranged)| arranged.misfit.is_none()).collect()
}

/// Widens the expected operand count of a mismatch to the limits of all forms.
fn widened(forms: &[FormWithModifiers<'_>], at: usize, mut arranged: OperandAssignment) -> OperandAssignment {
    if let Some(OperandMismatch::Count { least, most }) = &mut arranged.misfit {
        for (form, words) in forms {
            let (fewest, all) = limits(form, words);
            *least = (*least).min(fewest);
            *most = (*most).max(all);
        }
    }
    debug_assert!(at < forms.len());
    arranged
}

/// Returns the minimum and maximum number of operands that a form accepts with these modifiers.
fn limits(form: &Form, words: &FormBinding<'_>) -> (usize, usize) {
    let mut limits = (0, 0);
    for role in &form.operands {
        let (least, most) = presence(role, words);
        limits.0 += usize::from(least);
        limits.1 += usize::from(most);
    }
    limits
}

/// Returns whether an operand is required, and whether it is allowed.
fn presence(role: &Role, words: &FormBinding<'_>) -> (bool, bool) {
    match &role.presence {
        Presence::Always => (true, true),
        Presence::Optional => (false, true),
        Presence::With(any) => {
            let is_there = any.iter().any(|word| words.has(word));
            (is_there, is_there)
        }
    }
}

fn arrange(form: &Form, words: &FormBinding<'_>, operands: &[Shape]) -> OperandAssignment {
    let places: Vec<(usize, bool)> = form
        .operands
        .iter()
        .enumerate()
        .filter_map(|(at, role)| {
            let (must, may) = presence(role, words);
            may.then_some((at, must))
        })
        .collect();
    let least = places.iter().filter(|(_, must)| *must).count();
    let given = operands.len();
    if given < least || given > places.len() {
        // The operands fill the slots in order, as far as there are slots.
        let roles = (0..given).map(|at| places.get(at).map(|(role, _)| *role)).collect();
        return OperandAssignment {
            roles,
            misfit: Some(OperandMismatch::Count { least, most: places.len() }),
        };
    }
    let mut search = Search {
        form,
        words,
        operands,
        places: &places,
        chosen: Vec::with_capacity(given),
        furthest: Vec::new(),
    };
    if search.place(0, places.len() - given) {
        let roles = search.chosen.into_iter().map(Some).collect();
        return OperandAssignment { roles, misfit: None };
    }
    let operand = search.furthest.len();
    let mut roles: Vec<Option<usize>> = search.furthest.iter().copied().map(Some).collect();
    // The remaining operands fill the following slots in source order.
    let mut next = search.furthest.last().map_or(0, |role| role + 1);
    while roles.len() < given {
        roles.push((next < form.operands.len()).then_some(next));
        next += 1;
    }
    OperandAssignment { roles, misfit: Some(OperandMismatch::Shape { operand }) }
}

struct Search<'s> {
    form: &'s Form,
    words: &'s FormBinding<'s>,
    operands: &'s [Shape],
    places: &'s [(usize, bool)],
    chosen: Vec<usize>,
    furthest: Vec<usize>,
}

impl Search<'_> {
    /// Fills the operand slots from index `place` on and leaves `spare` of them empty. Returns false if this
    /// is not possible.
    fn place(&mut self, place: usize, spare: usize) -> bool {
        let Some(&(role, must)) = self.places.get(place) else { return true };
        let at = self.chosen.len();
        let here = self.operands.get(at);
        let fits = here.is_some_and(|&shape| shape_fits(&self.form.operands[role], self.words, shape));
        if fits {
            self.chosen.push(role);
            if self.chosen.len() > self.furthest.len() {
                self.furthest.clone_from(&self.chosen);
            }
            if self.place(place + 1, spare) {
                return true;
            }
            self.chosen.pop();
        }
        !must && spare > 0 && self.place(place + 1, spare - 1)
    }
}

/// True if an operand of this shape can have this role.
fn shape_fits(role: &Role, words: &FormBinding<'_>, shape: Shape) -> bool {
    let kind = shape.kind;
    match &role.kind {
        RoleKind::Value { count: of, predicate, .. } => {
            if let Some(pair) = shape.pair {
                let is_place = matches!(pair.second, OperandKind::Name | OperandKind::Sink);
                return *predicate != Predicate::None
                    && is_place
                    && value_fits(of, words, pair.first, pair.first_is_alone, true);
            }
            let is_sink = kind == OperandKind::Sink;
            *predicate != Predicate::Always && value_fits(of, words, kind, shape.is_alone, is_sink)
        }
        RoleKind::Immediate(_) => {
            matches!(
                kind,
                OperandKind::Integer | OperandKind::Float | OperandKind::Expression | OperandKind::Name
            )
        }
        RoleKind::Address(_) => matches!(kind, OperandKind::Address | OperandKind::Element),
        RoleKind::Label | RoleKind::Targets | RoleKind::Function => kind == OperandKind::Name,
        RoleKind::Arguments => kind == OperandKind::List,
    }
}

fn value_fits(
    of: &Count,
    words: &FormBinding<'_>,
    kind: OperandKind,
    is_alone: bool,
    may_be_sink: bool,
) -> bool {
    let is_scalar = matches!(
        kind,
        OperandKind::Name | OperandKind::Integer | OperandKind::Float | OperandKind::Expression
    ) || kind == OperandKind::Sink && may_be_sink;
    // A single name may denote a vector register.
    let is_vector = kind == OperandKind::Vector || kind == OperandKind::Name && is_alone;
    match (of, count(of, words)) {
        (Count::One, _) => is_scalar,
        (Count::Fixed(_), Some(_)) => is_vector,
        // A single value may also be in braces.
        (_, None | Some(1)) => is_scalar || kind == OperandKind::Vector,
        (_, Some(_)) => is_vector || kind == OperandKind::Sink && may_be_sink,
    }
}

/// Returns the number of values that a count denotes with these modifiers. `None` if the operand's shape
/// determines the number.
pub(super) fn count(of: &Count, words: &FormBinding<'_>) -> Option<u32> {
    match of {
        Count::One => Some(1),
        Count::Fixed(number) => Some(u32::from(*number)),
        Count::Any => None,
        Count::BySlot { slot, times, by } => {
            let number = match words.word(slot) {
                None => 1,
                // Three-dimensional coordinates are passed in a vector of four elements.
                Some("3d") if &**slot == "G" => 4,
                Some(word) => number_in(word)?,
            };
            Some(number * u32::from(*times) / u32::from(*by))
        }
    }
}

/// Returns the number in a modifier: 4 for `v4`, 8 for `x8`, 128 for `m64n128k16`, 2 for `2d`.
fn number_in(word: &str) -> Option<u32> {
    let digits = |text: &str| -> Option<u32> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..end].parse().ok()
    };
    match word.as_bytes().first()? {
        b'm' => digits(word.split_once('n')?.1),
        b'0'..=b'9' => digits(word),
        _ => digits(&word[1..]),
    }
}
