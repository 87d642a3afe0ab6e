//! A place outside of this crate for predictions that outlive the process.

use std::fmt::Debug;

/// A place for predictions, by their keys: words of hexadecimal digits.
///
/// Its owner makes sure that no text of another version of the model comes back.
pub trait PredictionStore: Debug + Send + Sync {
    /// The text last written for a key; `None` without one.
    fn read(&self, key: &str) -> Option<String>;
    /// Takes a text. It may be dropped.
    fn write(&self, key: &str, text: &str);
}
