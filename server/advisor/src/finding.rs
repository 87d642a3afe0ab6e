//! Defects in SASS and in PTX.

use crate::memory::Loss;
use std::fmt::Write as _;
use std::ops::Range;

/// How grave a finding is; settings and outputs write it in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

impl Severity {
    /// Returns its name as settings write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }
}

/// A defect at a place: in a kernel of SASS a [`Site`], in an item of PTX a range of its bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding<P = Site> {
    pub code: &'static str,
    pub place: P,
    /// Severity that is not the rule's own.
    pub severity: Option<Severity>,
    pub message: String,
    /// The requests that the message counts, where it counts any: of a source line they are added up.
    pub loss: Option<Loss>,
    pub related: Vec<Related<P>>,
    pub fixes: Vec<Fix<P>>,
}

/// A defect in an item of PTX, by its bytes.
pub type ItemFinding = Finding<Range<u32>>;
/// Another place in an item of PTX that a finding speaks of, by its bytes.
pub type ItemRelated = Related<Range<u32>>;
/// A change that mends a finding in an item of PTX, by its bytes.
pub type ItemFix = Fix<Range<u32>>;
/// A replacement of bytes of an item of PTX.
pub type ItemEdit = Edit<Range<u32>>;

/// A place in a kernel of SASS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Index of the instruction.
    pub instruction: u32,
    /// Bytes in the instruction's line; `None` for all of the instruction.
    pub range: Option<Range<u16>>,
}

/// Another place that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related<P = Site> {
    pub place: P,
    pub message: String,
}

/// A change of the text that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix<P = Site> {
    /// Name of the change, as a menu shows it.
    pub title: String,
    pub edits: Vec<Edit<P>>,
}

/// A replacement of one piece of the text by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<P = Site> {
    /// The text that gives way.
    pub place: P,
    pub text: String,
}

impl<P> Finding<P> {
    /// One without other places and fixes, as grave as its rule.
    pub fn new(code: &'static str, place: P, message: String) -> Self {
        Self { code, place, severity: None, message, loss: None, related: Vec::new(), fixes: Vec::new() }
    }

    /// Returns all places in the text that it names.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut P> {
        let related = self.related.iter_mut().map(|related| &mut related.place);
        let edits = self.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.place);
        std::iter::once(&mut self.place).chain(related).chain(edits)
    }

    /// Asks whether a known word was meant, and offers to write it over all that the finding marks.
    pub(crate) fn suggest(&mut self, word: Option<&str>)
    where
        P: Clone,
    {
        let Some(word) = word else { return };
        let _ = write!(self.message, "; did you mean `{word}`?");
        self.offer(format!("Change to {word}"), word);
    }

    /// Offers to write a text over all that the finding marks.
    pub(crate) fn offer(&mut self, title: String, text: &str)
    where
        P: Clone,
    {
        let edits = vec![Edit { place: self.place.clone(), text: text.to_owned() }];
        self.fixes.push(Fix { title, edits });
    }
}

impl Site {
    pub(crate) fn new(instruction: u32, range: Range<u16>) -> Self {
        Self { instruction, range: Some(range) }
    }

    /// All of an instruction.
    pub(crate) fn whole(instruction: u32) -> Self {
        Self { instruction, range: None }
    }
}
