//! A fixture: a text with marks, and the settings in its head.

use crate::answer::{Answer, MarkedPart};
use crate::mark::Mark;
use std::ops::Range;

/// A marked text, as read from its file.
#[derive(Debug)]
pub struct Fixture {
    text: String,
    lines: Vec<FixtureLine>,
}

/// A line that is not a mark, with the marks below it.
#[derive(Debug)]
pub(crate) struct FixtureLine {
    /// Byte range in the text, without the line ending.
    pub range: Range<usize>,
    /// End of the line and the marks below it, as a byte offset.
    end: usize,
    /// 1-based line number.
    pub number: usize,
    pub marks: Vec<Mark>,
}

impl FixtureLine {
    /// Adds the next line of the file if it is a mark or continues a mark. Returns false for other lines.
    fn take(&mut self, line: &str) -> bool {
        if let Some(mark) = Mark::read(line) {
            self.marks.push(mark);
            return true;
        }
        let Some(mark) = self.marks.last_mut() else { return false };
        let Some(further) = Mark::read_continuation(line) else { return false };
        mark.text.push('\n');
        mark.text.push_str(further);
        true
    }
}

impl Fixture {
    /// Reads a marked text.
    pub fn parse(text: &str) -> Self {
        let mut lines: Vec<FixtureLine> = Vec::new();
        let mut at = 0;
        for (index, whole) in text.split_inclusive('\n').enumerate() {
            let line = whole.trim_end_matches(['\n', '\r']);
            let range = at..at + line.len();
            at += whole.len();
            let above = lines.last_mut();
            if let Some(above) = above
                && above.take(line)
            {
                above.end = at;
            } else {
                lines.push(FixtureLine { range, end: at, number: index + 1, marks: Vec::new() });
            }
        }
        Self { text: text.to_owned(), lines }
    }

    /// Returns the text for the engine: all of it, including marks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the values of the lines `//! key: …`, in text order. A fixture's head states its settings in this form.
    pub fn stated<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = self.lines.iter().map(|line| &self.text[line.range.clone()]);
        lines.filter_map(move |line| {
            let value = line.strip_prefix("//! ")?.strip_prefix(key)?.strip_prefix(':')?;
            Some(value.strip_prefix(' ').unwrap_or(value))
        })
    }

    /// Returns the ranges to which marks with this tag point, as byte ranges of the text: the positions to query.
    pub fn asked<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.lines.iter().flat_map(move |line| {
            let asked = line.marks.iter().filter(move |mark| mark.tag == tag);
            asked.filter_map(|mark| Some(self.bytes(line, mark.columns.as_ref()?)))
        })
    }

    /// The last line in a byte range that is not a mark, without surrounding blanks.
    pub fn last_line_in(&self, range: &Range<usize>) -> &str {
        let mut inside = self.lines.iter().filter(|line| line.range.start < range.end.max(range.start + 1));
        inside.next_back().map_or("", |line| self.text[line.range.clone()].trim())
    }

    pub(crate) fn lines(&self) -> &[FixtureLine] {
        &self.lines
    }

    pub(crate) fn line_text(&self, line: &FixtureLine) -> &str {
        &self.text[line.range.clone()]
    }

    /// Converts answers to marks, for each line. Answers about the line of a mark are dropped, because they
    /// concern only the notation of the test.
    pub(crate) fn as_marks(&self, answers: &[Answer]) -> Vec<Vec<Mark>> {
        let mut marks: Vec<Vec<Mark>> = self.lines.iter().map(|_| Vec::new()).collect();
        for answer in answers {
            let start = answer.range.start;
            let Some(index) = self.lines.partition_point(|line| line.range.start <= start).checked_sub(1)
            else {
                continue;
            };
            let line = &self.lines[index];
            if start > line.range.end {
                continue;
            }
            let columns = (answer.place == MarkedPart::Range).then(|| {
                let end = answer.range.end.clamp(start, line.range.end);
                let column = |byte: usize| self.text[line.range.start..byte].chars().count();
                column(start)..column(end).max(column(start) + 1)
            });
            let text = answer.text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            marks[index].push(Mark {
                columns,
                tag: answer.tag.clone(),
                text: text.trim_matches('\n').trim_start().to_owned(),
            });
        }
        marks
    }

    /// The fixture's text with these marks instead of its own.
    pub(crate) fn with_marks(&self, marks: &[Vec<Mark>]) -> String {
        let mut text = String::new();
        for (line, marks) in self.lines.iter().zip(marks) {
            let ending_end = self.text[line.range.end..line.end].find('\n').map(|at| line.range.end + at + 1);
            let ending_end = ending_end.unwrap_or(line.range.end);
            text.push_str(&self.text[line.range.start..ending_end]);
            if !marks.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            for mark in marks {
                mark.write(&mut text);
            }
        }
        text
    }

    fn bytes(&self, line: &FixtureLine, columns: &Range<usize>) -> Range<usize> {
        let text = self.line_text(line);
        let byte = |column: usize| {
            line.range.start + text.char_indices().nth(column).map_or(text.len(), |(byte, _)| byte)
        };
        byte(columns.start)..byte(columns.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! setting: {\"a\": 1}\n    é EXIT ;\n//  ^ token: name\n//    ^^^^ token: opcode\n//   : twice\n  RET ;\n";

    #[test]
    fn marks_belong_to_the_line_above() {
        let fixture = Fixture::parse(TEXT);
        assert_eq!(fixture.stated("setting").collect::<Vec<_>>(), ["{\"a\": 1}"]);
        let asked: Vec<_> = fixture.asked("token").map(|range| &TEXT[range]).collect();
        assert_eq!(asked, ["é", "EXIT"]);
        assert_eq!(fixture.lines()[1].marks[1].text, "opcode\ntwice");
        assert_eq!(fixture.last_line_in(&(0..40)), "é EXIT ;");
    }

    #[test]
    fn marks_are_rewritten_in_place() {
        let fixture = Fixture::parse(TEXT);
        let ret = TEXT.find("RET").unwrap();
        let answers = [
            Answer::at(ret..ret + 3, "token", "opcode"),
            Answer::at(ret..ret, "hint", "@0"),
            // This answer is on a mark's line, so it is dropped.
            Answer::at(TEXT.find("^ token").unwrap()..40, "token", "comment"),
        ];
        let blessed = fixture.with_marks(&fixture.as_marks(&answers));
        assert_eq!(
            blessed,
            "//! setting: {\"a\": 1}\n    é EXIT ;\n  RET ;\n  // <-- token: opcode\n  // < hint: @0\n"
        );
        let again = Fixture::parse(&blessed);
        assert_eq!(again.lines()[2].marks.len(), 2);
    }
}
