//! Messages about a run that follows advice, one line each.

use super::NoMeasurement;
use crate::printable::printable;
use ide::{MeasuredChange, StatedRun};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use toolchain::{Profiler, ToolError};

/// End of each message about a run that produced no profile: the attached profile does not change.
const STAYS: &str = "the previous profile stays";

/// The question to the user before a command runs for the first time.
pub(super) fn question(command: &[String]) -> String {
    format!("Run `{}` under ncu?", line(command))
}

/// The text shown while the command runs.
pub(super) fn under_way(command: &[String]) -> String {
    format!("running `{}` under ncu", line(command))
}

/// The message if `warplens.toml` has no `[run]`.
pub(super) fn nothing_to_run(kernel: &str) -> String {
    format!(
        "`{}` was not measured: no program that runs it is known. Name one under `[run]` in warplens.toml: \
         command = [\"make\", \"bench\"]",
        name(kernel)
    )
}

pub(super) fn not_run(kernel: &str, why: &str) -> String {
    format!("`{}` was not measured: {why}.", name(kernel))
}

/// The shell command that profiles `command` and writes the report where the server finds it. `None` for arguments that
/// cannot be quoted for a shell.
pub(super) fn by_hand(command: &[String], folder: &Path, report: &Path) -> Option<String> {
    let relative = report.strip_prefix(folder).ok()?;
    let program: Vec<OsString> = command.iter().map(OsString::from).collect();
    let mut words = vec!["ncu".to_owned()];
    let arguments = Profiler::arguments(&program, relative);
    words.extend(arguments.iter().map(|word| word.to_string_lossy().into_owned()));
    let quoted = |words: &[&str]| shlex::try_join(words.iter().copied()).ok();
    let reports = relative.parent()?.to_str()?;
    let (enter, make) = (quoted(&["cd", folder.to_str()?])?, quoted(&["mkdir", "-p", reports])?);
    let run = quoted(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
    Some(format!("{enter} && {make} && {run}"))
}

pub(super) fn unmeasured(kernel: &str, run: &StatedRun, why: &NoMeasurement) -> String {
    let command = line(&run.command);
    match why {
        NoMeasurement::Tool(ToolError::Cancelled { .. }) => format!("`{command}` was stopped; {STAYS}."),
        NoMeasurement::Tool(ToolError::TooLong { limit, .. }) => {
            format!("`{command}` took longer than {} s and was stopped; {STAYS}.", limit.as_secs_f64())
        }
        NoMeasurement::Tool(ToolError::Failed { status, message, .. }) => {
            format!(
                "`{command}` failed under ncu ({status}): {}; {STAYS}.",
                printable(message.trim_end_matches('.'))
            )
        }
        NoMeasurement::Tool(other) => format!("`{command}` was not profiled: {other}; {STAYS}."),
        NoMeasurement::Unreadable(why) => {
            format!("The report of `{command}` cannot be read: {why}; {STAYS}.")
        }
        NoMeasurement::NoKernel => {
            format!("`{}` is not in the report of `{command}`; {STAYS}.", name(kernel))
        }
        NoMeasurement::NotWritten(why) => {
            format!("The report of `{command}` cannot be kept: {why}; {STAYS}.")
        }
    }
}

/// The message with the measured times before and after, and the claimed speedup.
pub(super) fn measured(kernel: &str, change: &MeasuredChange, claimed: Option<f64>) -> String {
    let name = name(kernel);
    let claimed = claimed.filter(|claimed| claimed.is_finite());
    let claimed = claimed.map(|times| format!(" (claimed: about {})", digits(times))).unwrap_or_default();
    let Some(after) = change.after_ns else {
        return format!("`{name}` was profiled again, but the report has no time for the kernel{claimed}.");
    };
    let Some((before, times)) = change.before_ns.zip(times(change)) else {
        return format!("`{name}`: {} now; no earlier profile has its time{claimed}.", time(after));
    };
    let other =
        if change.is_same_size { "" } else { " Its launch sizes differ from those of the earlier profile." };
    format!("`{name}`: {} -> {}, {}{claimed}.{other}", time(before), time(after), speed(times))
}

/// The measured speedup, 2 for twice as fast. `None` if a time is unknown.
pub(super) fn times(change: &MeasuredChange) -> Option<f64> {
    Some(change.before_ns? / change.after_ns?)
}

fn speed(times: f64) -> String {
    match (digits(times), digits(1.0 / times)) {
        (faster, slower) if faster == slower => "as fast as before".to_owned(),
        (faster, _) if times > 1.0 => format!("{faster} times as fast"),
        (_, slower) => format!("{slower} times as slow"),
    }
}

/// A speedup: `2.1`, or `1.04` if it is below 1.1.
fn digits(times: f64) -> String {
    if times < 1.1 { format!("{times:.2}") } else { format!("{times:.1}") }
}

/// Formats a time: `334 µs`.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    match value {
        value if value < 10.0 => format!("{value:.2} {unit}"),
        value if value < 100.0 => format!("{value:.1} {unit}"),
        value => format!("{value:.0} {unit}"),
    }
}

/// The command in shell syntax, on one line and shortened.
fn line(command: &[String]) -> String {
    let joined = shlex::try_join(command.iter().map(String::as_str)).unwrap_or_else(|_| command.join(" "));
    let mut shown: String = printable(&joined).chars().take(MAX_CHARS).collect();
    let left = joined.chars().count().saturating_sub(MAX_CHARS);
    if left > 0 {
        // Writing to a string does not fail.
        let _ = write!(shown, "… and {left} more characters");
    }
    shown
}

/// Maximum number of characters of a command that are shown.
const MAX_CHARS: usize = 400; // limit: room in a dialog

/// The kernel's name without parameters and result type: `gemm<4>` for `void gemm<4>(float *)`.
fn name(kernel: &str) -> String {
    let own = without_parameters(kernel);
    let mut depth = 0_i32;
    let start = own.rfind(|c: char| {
        match c {
            '>' | ')' => depth += 1,
            '<' | '(' => depth -= 1,
            _ => {}
        }
        c == ' ' && depth == 0
    });
    printable(&own[start.map_or(0, |at| at + 1)..]).into_owned()
}

/// The text without the parenthesised list at its end.
fn without_parameters(kernel: &str) -> &str {
    if !kernel.ends_with(')') {
        return kernel;
    }
    let mut depth = 0_i32;
    let start = kernel.rfind(|c: char| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    start.map(|at| &kernel[..at]).filter(|own| !own.is_empty()).unwrap_or(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn change(before_ns: Option<f64>, after_ns: Option<f64>) -> MeasuredChange {
        MeasuredChange { before_ns, after_ns, is_same_size: true, number: 0 }
    }

    const KERNEL: &str = "void transpose(float *, const float *)";

    #[test]
    fn the_claimed_gain_is_next_to_the_measured_gain() {
        let words = |before, after, claimed| measured(KERNEL, &change(before, after), claimed);
        assert_eq!(
            words(Some(334e3), Some(159e3), Some(2.3)),
            "`transpose`: 334 µs -> 159 µs, 2.1 times as fast (claimed: about 2.3)."
        );
        assert_eq!(
            words(Some(1.5e6), Some(3.1e6), None),
            "`transpose`: 1.50 ms -> 3.10 ms, 2.1 times as slow."
        );
        assert_eq!(
            words(Some(1000.0), Some(1001.0), Some(1.05)),
            "`transpose`: 1.00 µs -> 1.00 µs, as fast as before (claimed: about 1.05)."
        );
        assert_eq!(
            words(None, Some(5e4), Some(2.0)),
            "`transpose`: 50.0 µs now; no earlier profile has its time (claimed: about 2.0)."
        );
        assert!(words(Some(1.0), None, None).contains("no time for the kernel"));
        let other = MeasuredChange { is_same_size: false, ..change(Some(2e4), Some(1e4)) };
        assert!(
            measured(KERNEL, &other, None)
                .ends_with("2.0 times as fast. Its launch sizes differ from those of the earlier profile.")
        );
    }

    #[test]
    fn names_stand_without_their_parameters() {
        for (kernel, expected) in [
            ("transpose(float *)", "transpose"),
            ("void ns::gemm<(int)4, float (*)(int)>(const float *)", "ns::gemm<(int)4, float (*)(int)>"),
            ("void (anonymous namespace)::f(void (*)(int))", "(anonymous namespace)::f"),
            ("plain", "plain"),
            ("(a)", "(a)"),
        ] {
            assert_eq!(name(kernel), expected);
        }
    }

    #[test]
    fn what_went_wrong_is_one_line() {
        let run = StatedRun { command: ["make", "a b"].map(str::to_owned).to_vec(), timeout: None };
        let failed = |status: &str, message: &str| {
            NoMeasurement::Tool(ToolError::Failed {
                program: "ncu".into(),
                status: status.into(),
                message: message.into(),
            })
        };
        assert_eq!(
            unmeasured(KERNEL, &run, &failed("exit status: 2", "make: *** Error 2")),
            "`make 'a b'` failed under ncu (exit status: 2): make: *** Error 2; the previous profile stays."
        );
        let long = ToolError::TooLong { program: "ncu".into(), limit: Duration::from_millis(500) };
        assert_eq!(
            unmeasured(KERNEL, &run, &NoMeasurement::Tool(long)),
            "`make 'a b'` took longer than 0.5 s and was stopped; the previous profile stays."
        );
    }

    #[test]
    fn a_long_command_is_cut_and_says_so() {
        let asked = question(&["make".to_owned(), "a".repeat(100_000)]);
        assert!(asked.chars().count() < 500 && asked.contains("… and 99605 more characters"), "{asked}");
    }

    #[test]
    fn the_manual_command_writes_its_report_where_it_is_found() {
        let command = ["make", "a b"].map(str::to_owned);
        let folder = Path::new("/my work");
        let by_hand = by_hand(&command, folder, Path::new("/my work/.warplens/followed-3.ncu-rep")).unwrap();
        assert!(by_hand.starts_with("cd '/my work' && mkdir -p .warplens && ncu --section "), "{by_hand}");
        assert!(by_hand.ends_with(" --export .warplens/followed-3.ncu-rep make 'a b'"), "{by_hand}");
    }
}
