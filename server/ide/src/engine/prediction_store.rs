//! An interface to a store for predictions that outlive the process.

use std::fmt::Debug;

/// A key-value store of texts, whose keys consist of hexadecimal digits.
///
/// The owner must ensure that it returns no text written by another version of the model.
pub trait PredictionStore: Debug + Send + Sync {
    /// Returns the text last written for a key; `None` without one.
    fn read(&self, key: &str) -> Option<String>;
    /// Stores a text for a key. The store may drop it.
    fn write(&self, key: &str, text: &str);
}
