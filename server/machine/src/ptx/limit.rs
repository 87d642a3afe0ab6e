//! Constants that an operand accepts.

use crate::any_of;

/// The constants that an operand of an instruction accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Name of the instruction, or the first words of its name.
    pub(super) name: Box<str>,
    /// Modifiers that the instruction must have, joined by `+`; empty for any modifiers.
    pub(super) word: Box<str>,
    pub(super) operand: Box<str>,
    pub values: Values,
}

/// A set of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// Multiples of the third number, from the first number to the second (both inclusive).
    Range(i128, i128, i128),
    Listed(Box<[i128]>),
}

impl Values {
    /// Parses a set of values; `None` for any other text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let Some((first, rest)) = text.split_once("..") else {
            let listed: Option<Box<[i128]>> = text.split_whitespace().map(|one| one.parse().ok()).collect();
            return listed.filter(|listed| !listed.is_empty()).map(Self::Listed);
        };
        let (last, step) = rest.split_once('/').unwrap_or((rest, "1"));
        let step = step.parse().ok().filter(|step| *step > 0)?;
        Some(Self::Range(first.parse().ok()?, last.parse().ok()?, step))
    }

    /// True if the set contains this number. A range contains only multiples of its step.
    pub fn holds(&self, value: i128) -> bool {
        match self {
            Self::Range(first, last, step) => (*first..=*last).contains(&value) && value % step == 0,
            Self::Listed(all) => all.contains(&value),
        }
    }
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Range(_, last, step) if *step > 1 && *last > i128::from(u16::MAX) => {
                write!(f, "a multiple of {step}")
            }
            Self::Range(first, last, 1) => write!(f, "{first} to {last}"),
            Self::Range(first, last, step) => write!(f, "a multiple of {step} from {first} to {last}"),
            Self::Listed(all) => f.write_str(&any_of(all.iter().map(ToString::to_string))),
        }
    }
}
