//! Texts of measuring programs: the lines of each program, with repetitions expanded.
//!
//! A file is a sequence of programs, in CuAssembler's notation with four additions: `.program NAME` starts a
//! program, `.rept N` and `.endr` enclose lines that are repeated N times, and `name:` is a branch target.
//! Lines before the first program precede every program. Comments directly above a program describe the
//! program.

/// One program of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: String,
    /// The comments above the program.
    pub(crate) summary: String,
    pub(crate) lines: Vec<ProgramLine>,
}

/// A line and its 1-based number in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramLine {
    pub(crate) number: usize,
    pub(crate) text: String,
}

/// An error in a program file, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramError {
    pub(crate) line: usize,
    pub(crate) expected: String,
}

/// A program file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    /// The comment at the start of the file, which states the question that the programs answer.
    pub(crate) question: String,
    pub(crate) programs: Vec<Program>,
}

impl File {
    pub(crate) fn parse(text: &str) -> Result<Self, ProgramError> {
        let mut file = Self { question: String::new(), programs: Vec::new() };
        let mut before = Vec::new();
        let mut comment = String::new();
        let mut repeated: Option<(usize, Vec<ProgramLine>)> = None;
        for (number, text) in (1..).zip(text.lines()) {
            let wrong = |expected: &str| ProgramError { line: number, expected: expected.to_owned() };
            let text = text.trim();
            let lines = file.programs.last_mut().map_or(&mut before, |program| &mut program.lines);
            if let Some(words) = text.strip_prefix("//") {
                if !comment.is_empty() && !words.is_empty() {
                    comment.push(' ');
                }
                comment.push_str(words.trim());
                continue;
            }
            if text.is_empty() {
                if file.question.is_empty() && before.is_empty() {
                    file.question = std::mem::take(&mut comment);
                }
                comment.clear();
            } else if let Some(name) = text.strip_prefix(".program ") {
                if repeated.is_some() {
                    return Err(wrong("`.endr` before the next program"));
                }
                let name = name.trim().to_owned();
                let summary = std::mem::take(&mut comment);
                file.programs.push(Program { name, summary, lines: before.clone() });
            } else if let Some(count) = text.strip_prefix(".rept ") {
                let count = count.trim().parse().map_err(|_| wrong("a number after `.rept`"))?;
                if repeated.replace((count, Vec::new())).is_some() {
                    return Err(wrong("`.endr` before the next `.rept`"));
                }
            } else if text == ".endr" {
                let (count, inner) = repeated.take().ok_or_else(|| wrong("`.rept` before `.endr`"))?;
                lines.extend(std::iter::repeat_n(inner, count).flatten());
            } else {
                let line = ProgramLine { number, text: text.to_owned() };
                repeated.as_mut().map_or(lines, |(_, inner)| inner).push(line);
            }
        }
        match repeated {
            Some(_) => Err(ProgramError { line: text.lines().count(), expected: "`.endr`".to_owned() }),
            None => Ok(file),
        }
    }
}

/// The lines of the frame, with the program's lines in place of `.body`.
pub(crate) fn framed(frame: &str, body: &[ProgramLine]) -> Vec<ProgramLine> {
    let mut lines = Vec::new();
    for (number, text) in (1..).zip(frame.lines()) {
        let text = text.trim();
        if text == ".body" {
            lines.extend_from_slice(body);
        } else if !text.is_empty() && !text.starts_with("//") {
            lines.push(ProgramLine { number, text: text.to_owned() });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(program: &Program) -> Vec<&str> {
        program.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn repetitions_are_expanded_after_the_common_prefix() {
        let file = File::parse(
            "// How often?\n//\n// In detail.\n\n// why\nlead ;\n\n// One.\n.program a\nx ;\n\n// Two\n// lines.\n\
             .program b\n.rept 2\ny ;\nz ;\n.endr\nend:\n",
        );
        let file = file.unwrap();
        assert_eq!(file.question, "How often? In detail.");
        let [a, b] = &file.programs[..] else { panic!("{:?}", file.programs) };
        assert_eq!((a.name.as_str(), a.summary.as_str()), ("a", "One."));
        assert_eq!(b.summary, "Two lines.");
        assert_eq!(texts(a), ["lead ;", "x ;"]);
        assert_eq!(texts(b), ["lead ;", "y ;", "z ;", "y ;", "z ;", "end:"]);
        assert_eq!(b.lines[1].number, 16);
    }

    #[test]
    fn what_is_not_closed_is_said() {
        for (text, line) in
            [(".program a\n.rept 2\nx ;", 3), (".rept x", 1), (".endr", 1), (".rept 2\n.rept 2", 2)]
        {
            assert_eq!(File::parse(text).unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn a_body_is_placed_in_its_frame() {
        let body = [ProgramLine { number: 9, text: "x ;".into() }];
        let lines = framed("// note\nfirst ;\n.body\n\nlast ;\n", &body);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["first ;", "x ;", "last ;"]);
    }
}
