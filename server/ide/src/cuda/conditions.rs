//! Parts of a text that the preprocessor may leave out.

use std::ops::Range;

/// The parts of a text under conditions, in the order of their ends.
#[derive(Debug, Default)]
pub(super) struct Conditions(Vec<Part>);

#[derive(Debug)]
struct Part {
    range: Range<usize>,
    /// `#if 0`: no compiler sees it.
    is_dead: bool,
}

/// A part that has not ended.
struct Open {
    start: usize,
    is_dead: bool,
    /// `#if 1`: what comes after `#else` is dead.
    is_always: bool,
}

impl Conditions {
    pub(super) fn read(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        for at in memchr::memchr_iter(b'#', text.as_bytes()) {
            let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
            if !text[line_start..at].trim_ascii().is_empty() {
                continue;
            }
            let line = text[at + 1..].lines().next().unwrap_or_default().trim_start();
            let (word, rest) = line.split_at(line.find(|c: char| !c.is_alphabetic()).unwrap_or(line.len()));
            let mut words = rest.split_whitespace();
            let condition = words.next().filter(|_| words.next().is_none_or(|word| word.starts_with('/')));
            match word {
                "if" | "ifdef" | "ifndef" => {
                    let is = |wanted| word == "if" && condition == Some(wanted);
                    open.push(Open { start: at, is_dead: is("0"), is_always: is("1") });
                }
                "else" | "elif" | "elifdef" | "elifndef" => {
                    if let Some(top) = open.last_mut() {
                        parts.push(Part { range: top.start..at, is_dead: top.is_dead });
                        *top = Open { start: at, is_dead: top.is_always, is_always: top.is_always };
                    }
                }
                "endif" => {
                    if let Some(Open { start, is_dead, .. }) = open.pop() {
                        parts.push(Part { range: start..at, is_dead });
                    }
                }
                _ => {}
            }
        }
        // One that does not end reaches to the end of the text.
        parts.extend(
            open.into_iter().map(|Open { start, is_dead, .. }| Part { range: start..text.len(), is_dead }),
        );
        Self(parts)
    }

    /// True where no compiler sees the place.
    pub(super) fn is_dead(&self, at: usize) -> bool {
        self.around(at).any(|part| part.is_dead)
    }

    /// True where some compilations leave the place out.
    pub(super) fn is_conditional(&self, at: usize) -> bool {
        self.around(at).next().is_some()
    }

    fn around(&self, at: usize) -> impl Iterator<Item = &Part> {
        self.0.iter().filter(move |part| part.range.contains(&at))
    }
}

#[cfg(test)]
mod tests {
    use super::Conditions;

    #[test]
    fn what_no_compiler_sees_is_dead() {
        let text = "\na\n#if 0\nb\n # else // x\nc\n#endif\nd\n#ifdef X\n#if 1 // y\ne\n#else\nf\n#endif\n#endif\ng #if 0\nh\n#if 0\ni";
        let conditions = Conditions::read(text);
        let of = |letter: &str| {
            let at = text.find(&format!("\n{letter}\n")).map_or(text.len() - 1, |at| at + 1);
            (conditions.is_conditional(at), conditions.is_dead(at))
        };
        let found = ["a", "b", "c", "d", "e", "f", "h", "i"].map(of);
        let (plain, dead, maybe) = ((false, false), (true, true), (true, false));
        assert_eq!(found, [plain, dead, maybe, plain, maybe, dead, plain, dead]);
    }
}
