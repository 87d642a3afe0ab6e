//! Compares marks with answers, and reports the differences in readable form.

use crate::fixture::Fixture;
use crate::mark::Mark;
use std::fmt::Write;

/// Returns the differences between a fixture's marks and the answers; empty if there are no differences.
pub(crate) fn differences(name: &str, fixture: &Fixture, answers: &[Vec<Mark>]) -> String {
    let mut report = String::new();
    for (line, answers) in fixture.lines().iter().zip(answers) {
        if line.marks == *answers {
            continue;
        }
        let _ = writeln!(report, "{name}:{}\n  {}", line.number, fixture.line_text(line));
        let missing = line.marks.iter().filter(|mark| !answers.contains(mark));
        let surplus = answers.iter().filter(|mark| !line.marks.contains(mark));
        let same = missing.clone().count() + surplus.clone().count() == 0;
        for (sign, mark) in missing.map(|mark| ('-', mark)).chain(surplus.map(|mark| ('+', mark))) {
            let mut written = String::new();
            mark.write(&mut written);
            for text in written.lines() {
                let _ = writeln!(report, "{sign} {text}");
            }
        }
        if same {
            report.push_str("  the same marks in another order, or another number of times\n");
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    fn report(text: &str, answers: &[Answer]) -> String {
        let fixture = Fixture::parse(text);
        differences("x", &fixture, &fixture.as_marks(answers))
    }

    #[test]
    fn an_unmatched_mark_and_an_unmarked_answer_both_differ() {
        let text = "    EXIT ;\n//  ^^^^ token: opcode\n";
        let opcode = Answer::at(4..8, "token", "opcode");
        assert_eq!(report(text, std::slice::from_ref(&opcode)), "");
        assert_eq!(report(text, &[]), "x:1\n      EXIT ;\n- //  ^^^^ token: opcode\n");
        assert_eq!(
            report("    EXIT ;\n", std::slice::from_ref(&opcode)),
            "x:1\n      EXIT ;\n+ //  ^^^^ token: opcode\n"
        );
        assert!(report(text, &[opcode.clone(), opcode]).contains("another number"));
        assert!(report(text, &[Answer::at(4..7, "token", "opcode")]).contains("+ //  ^^^ token"));
    }
}
