//! Python values that occur in lists of configurations.

use super::{Configuration, Setting};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Nothing,
    Boolean(bool),
    Integer(i64),
    Text(String),
    /// Any other literal, as written, such as a floating-point number.
    Other(String),
    /// A list or a tuple. An unknown element represents any number of elements.
    List(Vec<Value>),
    /// A dictionary with string keys.
    Dictionary(Vec<(String, Value)>),
    Configuration(Box<Configuration>),
    /// An expression with an unknown value, shortened.
    Unknown(String),
}

impl Value {
    /// Truth value in Python; `None` if it is unknown.
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

    /// The value as an integer operand; `None` for other types.
    pub(super) fn as_number(&self) -> Option<i64> {
        match self {
            Self::Boolean(is_true) => Some(i64::from(*is_true)),
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Converts the value to the setting of a parameter. `text` is the expression as written.
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
