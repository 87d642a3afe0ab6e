//! Preprocessor conditions: the ranges of a source text that are compiled for a GPU, and the ranges that are
//! skipped.

mod definitions;
mod evaluate;
#[cfg(test)]
mod tests;

use super::line_start::LineStart;
pub(super) use definitions::HeaderMacros;
use definitions::{Definitions, Meaning};
use evaluate::value;
use std::ops::Range;

/// Compilation pass for which conditions are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pass {
    /// GPU code. `sm` is the architecture number, 90 for `sm_90`; `None` if not specified.
    Device { sm: Option<u16> },
    /// CPU code, for which `__CUDA_ARCH__` is undefined.
    Host,
}

/// Result of evaluating the condition around a range of a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    Taken,
    LeftOut,
    /// The condition depends on more than the text and the GPU architecture.
    Unknown,
}

/// Ranges of a source text under conditions, as evaluated for one compilation.
#[derive(Debug, Default)]
pub struct Conditions {
    /// The state of the branch after each `#if`, `#elif` and `#else`, with the byte offset of its `#`, in
    /// text order.
    states: Vec<(usize, State)>,
    /// Byte ranges that are not compiled, in order and disjoint.
    left_out: Vec<Range<usize>>,
    /// Byte ranges that may or may not be compiled, in order and disjoint.
    unknown: Vec<Range<usize>>,
}

/// A condition whose `#endif` has not been reached.
struct OpenCondition<'t> {
    /// Byte offset of the `#` that begins the current branch.
    start: usize,
    state: State,
    /// True if an enclosing condition excludes this condition from compilation.
    is_within_left_out: bool,
    /// Depth of the innermost enclosing condition whose current branch is in state [`State::Unknown`].
    doubted_around: Option<usize>,
    /// True if an earlier branch is compiled.
    is_decided: bool,
    /// True if an earlier branch may be compiled.
    is_doubted: bool,
    /// Names that the current branch defines or undefines, with their previous meanings. Recorded only for
    /// branches in state [`State::Unknown`].
    changed: Vec<(&'t str, Option<Meaning<'t>>)>,
    /// Names that earlier branches in state [`State::Unknown`] define or undefine.
    doubted: Vec<&'t str>,
}

impl Conditions {
    /// Evaluates the `#if` conditions in a source text in order, with the macros that the text and its headers define.
    ///
    /// Any other name is unknown: the command line or a header that was not read may define it. The exception is the
    /// name of an include guard.
    pub(super) fn read(text: &str, pass: Pass, headers: Option<&HeaderMacros>) -> Self {
        Self::with(text, Definitions::new(pass, headers))
    }

    /// Evaluates the conditions of a compilation that defines no other name on its command line.
    pub(super) fn by_default(text: &str, pass: Pass, headers: Option<&HeaderMacros>) -> Self {
        Self::with(text, Definitions::new(pass, headers).assuming_undefined())
    }

    fn with(text: &str, definitions: Definitions<'_>) -> Self {
        let mut reader =
            Reader { text, found: Self::default(), definitions, open: Vec::new(), deeper: Vec::new() };
        let mut line = LineStart::from(0);
        let bytes = text.as_bytes();
        for at in memchr::memchr2_iter(b'#', b'*', bytes) {
            if at < line.start {
                continue;
            }
            line.go_on(bytes, at);
            if bytes[at] == b'#' {
                if line.is_blank {
                    reader.directive(at);
                }
            } else if line.ends_in_slash && !line.is_comment && !line.is_string {
                let end = text[at + 1..].find("*/").map_or(text.len(), |length| at + length + 3);
                line = LineStart::from(end);
            }
        }
        reader.finish()
    }

    /// The state of the branch after a directive, given the byte offset of the directive's `#`.
    pub fn state(&self, directive: usize) -> State {
        let found = self.states.binary_search_by_key(&directive, |(at, _)| *at);
        found.map_or(State::Unknown, |at| self.states[at].1)
    }

    /// True if the code at this byte offset is not compiled.
    pub fn is_left_out(&self, at: usize) -> bool {
        is_in(&self.left_out, at)
    }

    /// True if it is unknown whether the code at this byte offset is compiled.
    pub fn is_unknown(&self, at: usize) -> bool {
        is_in(&self.unknown, at)
    }
}

/// Maximum nesting depth of evaluated conditions. Names with an unknown meaning are passed from each level to the
/// enclosing level.
const MAX_NESTED: usize = 200; // limit: time grows with the square of the levels

fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let following = ranges.partition_point(|range| range.start <= at);
    following.checked_sub(1).is_some_and(|last| at < ranges[last].end)
}

struct Reader<'t> {
    text: &'t str,
    found: Conditions,
    definitions: Definitions<'t>,
    /// Open conditions, the innermost last.
    open: Vec<OpenCondition<'t>>,
    /// Byte offsets of open conditions that are nested deeper than [`MAX_NESTED`] levels. All code in these conditions
    /// is in state [`State::Unknown`].
    deeper: Vec<usize>,
}

impl<'t> Reader<'t> {
    /// Reads the directive whose `#` is at byte `at`.
    fn directive(&mut self, at: usize) {
        let line = logical_line(&self.text[at + 1..]).trim_start();
        let (word, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
        match word {
            "if" | "ifdef" | "ifndef" if self.open.len() >= MAX_NESTED => {
                self.deeper.push(at);
                self.found.states.push((at, State::Unknown));
            }
            "else" | "elif" | "elifdef" | "elifndef" if !self.deeper.is_empty() => {
                self.found.states.push((at, State::Unknown));
            }
            "endif" if !self.deeper.is_empty() => self.end_deeper(at),
            "if" | "ifdef" | "ifndef" => {
                let state = if self.is_left_out() {
                    State::LeftOut
                } else if word == "ifndef" && self.is_guard(rest, at) {
                    State::Taken
                } else {
                    self.decide(word, rest)
                };
                let own = self.open.len().checked_sub(1);
                let doubted = own.filter(|own| self.open[*own].state == State::Unknown);
                self.open.push(OpenCondition {
                    start: at,
                    state,
                    is_within_left_out: self.is_left_out(),
                    doubted_around: doubted.or(self.open.last().and_then(|top| top.doubted_around)),
                    is_decided: state == State::Taken,
                    is_doubted: state == State::Unknown,
                    changed: Vec::new(),
                    doubted: Vec::new(),
                });
                self.found.states.push((at, state));
            }
            "else" | "elif" | "elifdef" | "elifndef" => {
                self.end_part(at);
                let Some(top) = self.open.last() else { return };
                let (is_decided, is_doubted) = (top.is_decided, top.is_doubted);
                let own = if is_decided || self.is_left_out_around() {
                    State::LeftOut
                } else if word == "else" {
                    State::Taken
                } else {
                    self.decide(word, rest)
                };
                let state = if is_doubted && own == State::Taken { State::Unknown } else { own };
                if let Some(top) = self.open.last_mut() {
                    (top.start, top.state) = (at, state);
                    top.is_decided |= own == State::Taken;
                    top.is_doubted |= state == State::Unknown;
                }
                self.found.states.push((at, state));
            }
            "endif" => {
                self.end_part(at);
                for name in self.open.pop().map(|top| top.doubted).unwrap_or_default() {
                    self.set(name, Meaning::Unknown);
                }
            }
            "define" if !self.is_left_out() => {
                let rest = rest.trim_start();
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let (name, value) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
                let meaning = if !self.deeper.is_empty() {
                    Meaning::Unknown
                } else if value.starts_with('(') {
                    Meaning::Function
                } else {
                    Meaning::Text(value)
                };
                self.set(name, meaning);
            }
            "undef" if !self.is_left_out() => {
                let name = rest.split_whitespace().next().unwrap_or_default();
                let is_certain = self.deeper.is_empty();
                self.set(name, if is_certain { Meaning::Undefined } else { Meaning::Unknown });
            }
            _ => {}
        }
    }

    fn decide(&self, word: &str, rest: &str) -> State {
        let truth = if word.ends_with("def") {
            let name = rest.split_whitespace().next().unwrap_or_default();
            let name = name.split("/*").next().unwrap_or_default().split("//").next().unwrap_or_default();
            self.definitions.is_defined(name).map(|is_defined| is_defined != word.ends_with("ndef"))
        } else {
            value(rest, &self.definitions).map(|value| value != 0)
        };
        match truth {
            Some(true) => State::Taken,
            Some(false) => State::LeftOut,
            None => State::Unknown,
        }
    }

    /// True if the `#ifndef` at byte `at` is the include guard of a header: the next line defines the name without a
    /// text.
    fn is_guard(&self, name: &str, at: usize) -> bool {
        let name = name.split_whitespace().next().unwrap_or_default();
        let mut following = self.text[at..].lines().skip(1).map(str::trim).filter(|line| !line.is_empty());
        let define =
            following.next().and_then(|line| line.strip_prefix('#')?.trim_start().strip_prefix("define"));
        self.definitions.stated(name).is_none() && define.is_some_and(|define| define.trim() == name)
    }

    fn is_left_out(&self) -> bool {
        self.open.last().is_some_and(|top| top.is_within_left_out || top.state == State::LeftOut)
    }

    /// True if an enclosing condition excludes the innermost condition, and so all its branches, from
    /// compilation.
    fn is_left_out_around(&self) -> bool {
        self.open.last().is_some_and(|top| top.is_within_left_out)
    }

    fn set(&mut self, name: &'t str, meaning: Meaning<'t>) {
        let before = self.definitions.set(name, Some(meaning));
        let Some(top) = self.open.len().checked_sub(1) else { return };
        let is_own = self.open[top].state == State::Unknown;
        if let Some(at) = Some(top).filter(|_| is_own).or(self.open[top].doubted_around) {
            self.open[at].changed.push((name, before));
        }
    }

    /// Ends the current branch of the innermost condition. Restores the previous meanings of the names that a branch in
    /// state [`State::Unknown`] changed.
    fn end_part(&mut self, at: usize) {
        let Some(top) = self.open.last_mut() else { return };
        for (name, before) in std::mem::take(&mut top.changed).into_iter().rev() {
            self.definitions.set(name, before);
            top.doubted.push(name);
        }
        let ranges = match top.state {
            State::Taken => return,
            State::LeftOut => &mut self.found.left_out,
            State::Unknown => &mut self.found.unknown,
        };
        // The new range includes the ranges of nested branches.
        while ranges.pop_if(|inner| inner.start >= top.start).is_some() {}
        ranges.push(top.start..at);
    }

    /// Ends the innermost of the conditions that are nested deeper than [`MAX_NESTED`] levels.
    fn end_deeper(&mut self, at: usize) {
        let Some(start) = self.deeper.pop() else { return };
        if self.deeper.is_empty() && !self.is_left_out() {
            self.found.unknown.push(start..at);
        }
    }

    fn finish(mut self) -> Conditions {
        while !self.deeper.is_empty() {
            self.end_deeper(self.text.len());
        }
        // An unclosed condition reaches to the end of the text.
        while !self.open.is_empty() {
            self.end_part(self.text.len());
            self.open.pop();
        }
        self.found
    }
}

/// The first logical line of a text: its first line and the lines that backslashes join to it.
fn logical_line(text: &str) -> &str {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes());
    let end = ends.into_iter().find(|end| {
        let line = &text[..*end];
        !line.strip_suffix('\r').unwrap_or(line).ends_with('\\')
    });
    &text[..end.unwrap_or(text.len())]
}
