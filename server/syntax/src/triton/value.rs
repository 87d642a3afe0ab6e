//! Values of Python, as far as lists of configurations are made of them.

use super::{Configuration, Setting};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Nothing,
    Boolean(bool),
    Integer(i64),
    Text(String),
    /// Any other literal, such as a floating-point number, as written.
    Other(String),
    /// A list or a tuple. An unknown element represents any number of elements.
    List(Vec<Value>),
    /// Items with names for keys.
    Dictionary(Vec<(String, Value)>),
    Configuration(Box<Configuration>),
    /// Its expression, shortened.
    Unknown(String),
}

impl Value {
    /// True if Python takes it for true; `None` where that is not known.
    pub(super) fn is_true(&self) -> Option<bool> {
        match self {
            Self::Nothing => Some(false),
            Self::Boolean(is_true) => Some(*is_true),
            Self::Integer(number) => Some(*number != 0),
            Self::Text(text) => Some(!text.is_empty()),
            Self::List(items) if items.iter().any(|item| matches!(item, Self::Unknown(_))) => None,
            Self::List(items) => Some(!items.is_empty()),
            Self::Dictionary(items) => Some(!items.is_empty()),
            Self::Configuration(_) => Some(true),
            Self::Other(_) | Self::Unknown(_) => None,
        }
    }

    /// The number that it is in arithmetic.
    pub(super) fn as_number(&self) -> Option<i64> {
        match self {
            Self::Boolean(is_true) => Some(i64::from(*is_true)),
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a parameter; `text` is what is written.
    pub(super) fn setting(self, text: &str) -> Setting {
        match self {
            Self::Integer(number) => Setting::Number(number),
            Self::Boolean(is_true) => Setting::Other(if is_true { "True" } else { "False" }.to_owned()),
            Self::Nothing => Setting::Other("None".to_owned()),
            Self::Text(text) => Setting::Other(super::shortened(&format!("\"{text}\""))),
            Self::Other(text) => Setting::Other(text),
            Self::List(_) | Self::Dictionary(_) | Self::Configuration(_) => {
                Setting::Other(super::shortened(text))
            }
            Self::Unknown(why) => Setting::Unknown(why),
        }
    }
}
