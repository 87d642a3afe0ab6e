//! Findings: defects in SASS and PTX, and the text edits that fix them.

use crate::memory::Loss;
use std::fmt::Write as _;
use std::ops::Range;

/// Severity of a finding. Settings and outputs use lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

impl Severity {
    /// Returns the name used in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }
}

/// A defect at a position: a [`Site`] in a SASS kernel, a byte range in a PTX item.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding<P = Site> {
    pub code: &'static str,
    pub place: P,
    /// Severity, if it differs from the rule's default.
    pub severity: Option<Severity>,
    pub message: String,
    /// The requests that the message counts; `None` if the message counts no requests. The losses of findings on one
    /// source line are summed.
    pub loss: Option<Loss>,
    pub related: Vec<Related<P>>,
    pub fixes: Vec<Fix<P>>,
}

/// A defect in an item of PTX, at a byte range.
pub type ItemFinding = Finding<Range<u32>>;
/// A related position in an item of PTX, as a byte range.
pub type ItemRelated = Related<Range<u32>>;
/// A change that fixes a finding in an item of PTX, by byte ranges.
pub type ItemFix = Fix<Range<u32>>;
/// A replacement of a byte range in an item of PTX.
pub type ItemEdit = Edit<Range<u32>>;

/// A position in a SASS kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Index of the instruction.
    pub instruction: u32,
    /// Byte range in the instruction's line; `None` for the complete instruction.
    pub range: Option<Range<u16>>,
}

/// Another position that a finding refers to, with its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related<P = Site> {
    pub place: P,
    pub message: String,
}

/// A change to the text that fixes a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix<P = Site> {
    /// Title of the fix in the editor's menu.
    pub title: String,
    pub edits: Vec<Edit<P>>,
}

/// A replacement of a range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<P = Site> {
    /// The range to replace.
    pub place: P,
    pub text: String,
}

impl<P> Finding<P> {
    /// A finding without related positions and fixes, with its rule's severity.
    pub fn new(code: &'static str, place: P, message: String) -> Self {
        Self { code, place, severity: None, message, loss: None, related: Vec::new(), fixes: Vec::new() }
    }

    /// Returns all positions that the finding refers to.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut P> {
        let related = self.related.iter_mut().map(|related| &mut related.place);
        let edits = self.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.place);
        std::iter::once(&mut self.place).chain(related).chain(edits)
    }

    /// Adds "did you mean `word`?" to the message, and a fix that replaces the marked text with the word.
    pub(crate) fn suggest(&mut self, word: Option<&str>)
    where
        P: Clone,
    {
        let Some(word) = word else { return };
        let _ = write!(self.message, "; did you mean `{word}`?");
        self.offer(format!("Change to {word}"), word);
    }

    /// Adds a fix that replaces the marked text.
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

    /// A site that covers the whole instruction.
    pub(crate) fn whole(instruction: u32) -> Self {
        Self { instruction, range: None }
    }
}
