//! Checks that the elements of a vector in braces have the same width and kind.

use super::code::Code;
use super::facts::Facts;
use super::findings::Findings;
use super::value::ScalarKind;
use machine::ptx::TypeClass;
use syntax::ptx::{Operand, OperandKind};

/// Properties that all elements of a vector share.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedProperties {
    /// True if the vector contains a register, which determines the type of its constants.
    pub(super) has_register: bool,
}

/// Marker for a vector with an error that has been reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct InvalidVector;

/// Kinds of elements that ptxas distinguishes within one vector. Bit types are compatible with any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind<'a> {
    Integer,
    Float(&'a str),
    /// A floating-point constant, which matches any floating-point type.
    FloatConstant,
}

impl Kind<'_> {
    fn goes_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::FloatConstant, Self::Float(_)) | (Self::Float(_), Self::FloatConstant) => true,
            _ => self == other,
        }
    }
}

/// Checks that ptxas 13.5 accepts the elements as one vector. Otherwise reports an error and returns `Err`.
pub(super) fn together<'a>(
    out: &mut Findings<'a>,
    operand: &Operand<'a>,
    elements: &[Operand<'a>],
    spelled: &str,
) -> Result<SharedProperties, InvalidVector> {
    let facts = out.facts;
    if !elements.is_empty() && elements.iter().all(|element| element.kind() == OperandKind::Sink) {
        let message = "at least one element of a vector must be a register, so that its width is known";
        out.error(Code::OperandKind, operand, message);
        return Err(InvalidVector);
    }
    if let Some(wrong) = elements.iter().find(|element| !may_be_element(facts, element)) {
        let message = format!("an element in braces is one register or constant, not `{}`", wrong.text());
        out.error(Code::OperandKind, wrong, message);
        return Err(InvalidVector);
    }
    let mut widest: Option<(&Operand<'a>, u16)> = None;
    let mut kind: Option<(&Operand<'a>, Kind<'a>)> = None;
    for element in elements {
        let given = facts.given(element);
        if let Some(bits) = bits(facts, &given) {
            let (other, have) = *widest.get_or_insert((element, bits));
            if have != bits {
                let message = format!(
                    "`{}` has {bits} bits and `{}` {have}, but all elements in braces must have the same width",
                    element.text(),
                    other.text()
                );
                out.error(Code::OperandType, element, message);
                return Err(InvalidVector);
            }
        }
        let Some(own) = kind_of(&given) else { continue };
        let (other, have) = *kind.get_or_insert((element, own));
        if !own.goes_with(have) {
            let message = format!(
                "`{}` and `{}` have different kinds, which {spelled} does not accept in one vector",
                other.text(),
                element.text()
            );
            out.error(Code::OperandType, element, message);
            return Err(InvalidVector);
        }
    }
    Ok(SharedProperties { has_register: widest.is_some() })
}

/// False for a vector, an address, a label or a register with a sign.
fn may_be_element<'a>(facts: Facts<'a>, element: &Operand<'a>) -> bool {
    match element.kind() {
        OperandKind::Vector | OperandKind::Address | OperandKind::List | OperandKind::Pair => false,
        OperandKind::Name => {
            let given = facts.given(element);
            let is_register = matches!(given, ScalarKind::Register(_) | ScalarKind::Special(..));
            !(is_register && element.sign().is_some() || matches!(given, ScalarKind::Label))
        }
        // `%r1+1` is accepted, but not the address of a variable.
        OperandKind::Expression => {
            let (base, _) = element.base_and_offset();
            !(base.kind() == OperandKind::Name && matches!(facts.given(&base), ScalarKind::Register(_)))
        }
        _ => true,
    }
}

/// Returns a register's width in bits. `None` for a vector, a predicate or an operand without a fixed width.
fn bits<'a>(facts: Facts<'a>, given: &ScalarKind<'a>) -> Option<u16> {
    match given {
        ScalarKind::Register(register)
            if register.vector <= 1
                && register.selector.is_none()
                && register.ty.class != TypeClass::Predicate =>
        {
            Some(register.ty.bits)
        }
        ScalarKind::Special(special, is_named) if *is_named || special.components.is_empty() => {
            facts.context.tables.type_of(&special.ty).map(|ty| ty.bits)
        }
        _ => None,
    }
}

fn kind_of<'a>(given: &ScalarKind<'a>) -> Option<Kind<'a>> {
    match given {
        ScalarKind::Register(register) => match register.ty.class {
            TypeClass::Unsigned | TypeClass::Signed => Some(Kind::Integer),
            TypeClass::Float => Some(Kind::Float(register.word)),
            _ => None,
        },
        ScalarKind::Integer => Some(Kind::Integer),
        ScalarKind::Single | ScalarKind::Double | ScalarKind::Decimal => Some(Kind::FloatConstant),
        _ => None,
    }
}
