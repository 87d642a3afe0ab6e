//! Parser for the output of ptxas: messages about the text, and the resource usage of each function, which `-v`
//! reports.

/// A message about the PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// 1-based line of the text; `None` if the message states no line.
    pub line: Option<u32>,
    pub severity: Severity,
    /// Text as printed by ptxas.
    pub text: String,
}

/// Severity of a message, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// An error, including fatal ones: ptxas writes no code.
    Error,
    Warning,
    Info,
}

/// Resource usage of a function, as reported by `-v`; `None` for a figure that is not reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The function's name, as in the PTX text.
    pub function: String,
    pub registers: Option<u32>,
    pub barriers: Option<u32>,
    /// Bytes of shared memory per block; 0 if the report has other figures but no shared memory.
    pub shared_bytes: Option<u32>,
    /// Bytes of stack per thread.
    pub stack_bytes: Option<u32>,
    pub spill_store_bytes: Option<u32>,
    pub spill_load_bytes: Option<u32>,
}

/// The last line that ptxas prints after errors. It is dropped if a preceding message states an error.
const SUMMARY: &str = "Ptx assembly aborted due to errors";

/// Reads all output of ptxas. A line that does not start a message belongs to the preceding message. Before
/// the first message, such a line becomes a separate message.
pub(super) fn read(text: &str) -> (Vec<Message>, Vec<Usage>) {
    let mut messages: Vec<Message> = Vec::new();
    let mut usage: Vec<Usage> = Vec::new();
    let mut reporting = false;
    for line in text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
        let Some(message) = message(line) else {
            let report = usage.last_mut().filter(|_| reporting);
            if report.is_some_and(|usage| take_stack(usage, line.trim())) {
                continue;
            }
            match messages.last_mut() {
                Some(last) if !reporting => {
                    last.text.push(' ');
                    last.text.push_str(line.trim());
                }
                _ => messages.push(Message {
                    line: None,
                    severity: Severity::Info,
                    text: line.trim().to_owned(),
                }),
            }
            continue;
        };
        reporting = message.severity == Severity::Info && message.line.is_none();
        if reporting && is_report(&message.text, &mut usage) {
            continue;
        }
        reporting = false;
        if message.text != SUMMARY && !messages.contains(&message) {
            messages.push(message);
        }
    }
    let says_why = messages.iter().any(|message| message.severity == Severity::Error);
    if !says_why && text.contains(SUMMARY) {
        messages.push(Message { line: None, severity: Severity::Error, text: SUMMARY.to_owned() });
    }
    (messages, usage)
}

/// Parses `ptxas code.ptx, line 12; error   : Unknown symbol '%r1'` or `ptxas info    : ...`; `None` for any
/// other line.
fn message(line: &str) -> Option<Message> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, said) = match rest.split_once("; ") {
        Some((place, said)) if place.contains(", line ") => (Some(place), said),
        _ => (None, rest),
    };
    let (word, text) = said.split_once(':')?;
    let severity = match word.trim() {
        "error" | "fatal" => Severity::Error,
        "warning" => Severity::Warning,
        "info" | "advisory" => Severity::Info,
        _ => return None,
    };
    let text = text.trim();
    let line = match place {
        Some(place) => place.rsplit_once(", line ")?.1.trim().parse().ok(),
        // `Unexpected EOF encountered on line 12`
        None => text.rsplit_once(" on line ").and_then(|(_, number)| number.parse().ok()),
    };
    Some(Message { line: line.filter(|line| *line > 0), severity, text: text.to_owned() })
}

/// True if an info line belongs to the resource report of `-v`. Adds the figures of the line to `usage`.
fn is_report(text: &str, usage: &mut Vec<Usage>) -> bool {
    if let Some(rest) = text.strip_prefix("Compiling entry function ") {
        if let Some(name) = rest.split('\'').nth(1) {
            usage.push(Usage { function: name.to_owned(), ..Usage::default() });
        }
        return true;
    }
    if let Some(name) = text.strip_prefix("Function properties for ") {
        let name = name.trim().trim_matches('\'');
        if usage.last().is_none_or(|last| last.function != name) {
            usage.push(Usage { function: name.to_owned(), ..Usage::default() });
        }
        return true;
    }
    if let Some(rest) = text.strip_prefix("Used ") {
        if let Some(last) = usage.last_mut() {
            take_used(last, rest);
        }
        return true;
    }
    text.starts_with("Compile time") || is_memory(text)
}

/// True for the line that reports the memory of the entire module: `64 bytes gmem, 80 bytes cmem[3]`.
fn is_memory(text: &str) -> bool {
    text.split(", ").all(|part| {
        let mut words = part.split(' ');
        let is_number = words.next().is_some_and(|word| word.parse::<u64>().is_ok());
        is_number && words.next() == Some("bytes")
    })
}

/// Reads the figures of `32 registers, used 1 barriers, 16384 bytes smem, 360 bytes cmem[0]`.
fn take_used(usage: &mut Usage, text: &str) {
    usage.shared_bytes = Some(0);
    for part in text.split(", ") {
        let part = part.strip_prefix("used ").unwrap_or(part);
        let Some((number, what)) = part.split_once(' ') else { continue };
        // Older releases list requested memory and system memory separately: `1024+16 bytes smem`.
        let number = number.split('+').try_fold(0_u32, |sum, number| {
            number.parse().ok().and_then(|number: u32| sum.checked_add(number))
        });
        match what {
            "registers" => usage.registers = number,
            "barriers" => usage.barriers = number,
            "bytes smem" => usage.shared_bytes = number,
            _ => {}
        }
    }
}

/// Reads the figures of `32 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads`; false for any other line.
fn take_stack(usage: &mut Usage, line: &str) -> bool {
    let mut taken = false;
    for part in line.split(", ") {
        let Some((number, what)) = part.split_once(" bytes ") else { return taken };
        let number = number.parse().ok();
        match what {
            "stack frame" => usage.stack_bytes = number,
            "spill stores" => usage.spill_store_bytes = number,
            "spill loads" => usage.spill_load_bytes = number,
            _ => continue,
        }
        taken = true;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: impl Into<Option<u32>>, text: &str) -> Message {
        Message { line: line.into(), severity: Severity::Error, text: text.to_owned() }
    }

    #[test]
    fn messages_have_their_lines() {
        let text = "ptxas code.ptx, line 21; error   : Arguments mismatch for instruction 'add'\n\
                    ptxas code.ptx, line 21; error   : Arguments mismatch for instruction 'add'\n\
                    ptxas code.ptx, line 7; warning : Something: odd\n\
                    ptxas code.ptx, line 9; fatal   : Parsing error near '%r;x': syntax error\r\n\
                    ptxas fatal   : Unexpected EOF encountered on line 12\n\
                    ptxas fatal   : Ptx assembly aborted due to errors\n";
        let (messages, usage) = read(text);
        let warning =
            Message { line: Some(7), severity: Severity::Warning, text: "Something: odd".to_owned() };
        let expected = [
            error(21, "Arguments mismatch for instruction 'add'"),
            warning,
            error(9, "Parsing error near '%r;x': syntax error"),
            error(12, "Unexpected EOF encountered on line 12"),
        ];
        assert_eq!(messages, expected);
        assert!(usage.is_empty());
    }

    #[test]
    fn what_names_no_line_keeps_its_text() {
        let text = "something else\nptxas error   : Entry function 'k' uses too much shared data (0xf423f bytes, \
                    0xc000 max)\n  and more\nptxas odd; error\n";
        let (messages, _) = read(text);
        assert_eq!(messages[0].text, "something else");
        assert_eq!((messages[0].line, messages[0].severity), (None, Severity::Info));
        let all = "Entry function 'k' uses too much shared data (0xf423f bytes, 0xc000 max) and more ptxas odd; error";
        assert_eq!(messages[1..], [error(None, all)]);
        // A summary without preceding messages is kept.
        assert_eq!(read("ptxas fatal   : Ptx assembly aborted due to errors").0, [error(None, SUMMARY)]);
        assert_eq!(read("").0, []);
        assert_eq!(read("ptxas code.ptx, line 0; error : x").0, [error(None, "x")]);
    }

    #[test]
    fn a_file_name_does_not_hide_the_line() {
        let text = "ptxas /a b/dä, line 3.ptx, line 21; error   : Unknown symbol 'x'";
        assert_eq!(read(text).0, [error(21, "Unknown symbol 'x'")]);
    }

    #[test]
    fn reports_of_functions_are_no_messages() {
        let text = "ptxas info    : 64 bytes gmem, 80 bytes cmem[3]\n\
                    ptxas info    : Function properties for helper\n    \
                    24 bytes stack frame, 20 bytes spill stores, 28 bytes spill loads\n\
                    ptxas info    : Compile time = 1.541 ms\n\
                    ptxas info    : Compiling entry function 'tile' for 'sm_90'\n\
                    ptxas info    : Function properties for tile\n    \
                    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                    ptxas info    : Used 56 registers, used 1 barriers, 16384 bytes smem, 360 bytes cmem[0]\n\
                    ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n";
        let (messages, usage) = read(text);
        let helper = Usage {
            function: "helper".to_owned(),
            stack_bytes: Some(24),
            spill_store_bytes: Some(20),
            spill_load_bytes: Some(28),
            ..Usage::default()
        };
        let tile = Usage {
            function: "tile".to_owned(),
            registers: Some(56),
            barriers: Some(1),
            shared_bytes: Some(16384),
            stack_bytes: Some(0),
            spill_store_bytes: Some(0),
            spill_load_bytes: Some(0),
        };
        assert_eq!(usage, [helper, tile]);
        assert_eq!(messages.len(), 1);
        assert!(messages[0].text.starts_with("(C7510)") && messages[0].severity == Severity::Info);
    }

    #[test]
    fn no_text_makes_it_fall() {
        let text = "ptxas ü, line 3; error   : 'x' on line 9\nptxas info    : Used 1+2 registers, used 3 barriers\n    \
                    1 bytes stack frame, 2 bytes spill stores\nptxas info : Function properties for 'f'\n; ptxas : ,";
        for start in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            for end in (start..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (messages, _) = read(&text[start..end]);
                assert!(messages.iter().all(|message| message.line != Some(0)), "{:?}", &text[start..end]);
            }
        }
    }
}
