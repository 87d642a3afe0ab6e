//! Reason why a compiler rejected a unit.

use crate::run::FinishedRun;

/// The first error that a compiler reports, with its line; `None` if the compiler reports no error. `source`
/// is the file that was compiled in place of the file at `path`.
pub(super) fn refusal(ended: &FinishedRun, path: &str, source: &str) -> Option<String> {
    let errors = String::from_utf8_lossy(&ended.errors);
    let output = String::from_utf8_lossy(&ended.output);
    errors.lines().chain(output.lines()).find_map(|line| error_in(line, path, source))
}

/// Converts `x.cu(7): error: no such name` or `x.cu:7:10: fatal error: no such name` to `line 7: no such name`; `None`
/// for a line that reports no error.
fn error_in(line: &str, path: &str, source: &str) -> Option<String> {
    if line.starts_with("ptxas ") {
        return of_ptxas(line);
    }
    let (place, message) = line.split_once(" error: ").or_else(|| line.split_once(" error : "))?;
    let place = place.trim_end_matches("fatal").trim_end().trim_end_matches(':');
    let message = message.trim();
    // An error without a position starts with the program name of clang.
    if place.starts_with("clang") && !place.contains(['/', ':']) {
        return Some(message.to_owned());
    }
    let at = place.strip_prefix(path).map(|rest| rest.trim_start_matches(['(', ':']));
    let number = at.map(|at| at.chars().take_while(char::is_ascii_digit).collect::<String>());
    Some(match number.filter(|number| !number.is_empty()) {
        Some(number) => format!("line {number}: {message}"),
        None => format!("{}: {message}", place.replace(source, "the unit")),
    })
}

/// Converts `ptxas fatal   : Unresolved extern function 'f'` and `ptxas /tmp/x.s, line 7; error   : Unknown
/// symbol`. The line number is dropped, because it refers to an intermediate text that is never shown.
fn of_ptxas(line: &str) -> Option<String> {
    let (before, message) = line.split_once(" : ")?;
    let is_error = before.trim_end().ends_with("fatal") || before.trim_end().ends_with("error");
    is_error.then(|| format!("ptxas: {}", message.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_error_is_that_of_the_unit() {
        for (line, expected) in [
            (
                "/p/x.cu(12): error: identifier \"y\" is undefined",
                Some("line 12: identifier \"y\" is undefined"),
            ),
            (
                "/p/x.cu:3:10: fatal error: h.h: No such file or directory",
                Some("line 3: h.h: No such file or directory"),
            ),
            ("/p/h.h(2): error: expected a \";\"", Some("/p/h.h(2): expected a \";\"")),
            ("/p/x.cu(12): warning #177-D: variable was declared but never referenced", None),
            (
                "/p/x.cu:5:13: error: use of undeclared identifier 'm'",
                Some("line 5: use of undeclared identifier 'm'"),
            ),
            (
                "clang++: error: unsupported CUDA gpu architecture: sm_190",
                Some("unsupported CUDA gpu architecture: sm_190"),
            ),
            (
                "ptxas fatal   : Unresolved extern function '_Z5otherf'",
                Some("ptxas: Unresolved extern function '_Z5otherf'"),
            ),
            ("ptxas /tmp/k.s, line 12; error   : Unknown symbol 'f'", Some("ptxas: Unknown symbol 'f'")),
            ("ptxas info    : 0 bytes gmem", None),
            ("1 error generated when compiling for sm_90.", None),
            ("1 error detected in the compilation of \"code.cu\".", None),
        ] {
            assert_eq!(error_in(line, "/p/x.cu", "code.cu").as_deref(), expected, "{line}");
        }
    }
}
