//! The colours of text output: the sixteen that every terminal theme defines, so that they fit each background.

use anstyle::{AnsiColor, Style};
use ide::Severity;

pub(super) const PLAIN: Style = Style::new();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const OPCODE: Style = AnsiColor::Cyan.on_default();
pub(super) const MEMORY_OPCODE: Style = AnsiColor::Magenta.on_default();
pub(super) const VARIABLE: Style = AnsiColor::Yellow.on_default();
pub(super) const DUAL: Style = AnsiColor::Green.on_default();

/// Green, yellow or red for a bottleneck from 0 (none) to 1 (all is lost to it), split in thirds.
pub(super) fn bottleneck(share: f64) -> Style {
    if share < 1.0 / 3.0 {
        AnsiColor::Green.on_default()
    } else if share < 2.0 / 3.0 {
        AnsiColor::Yellow.on_default()
    } else {
        AnsiColor::Red.on_default()
    }
}

pub(super) fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Info => AnsiColor::Blue.on_default().bold(),
        Severity::Hint => AnsiColor::Cyan.on_default().bold(),
    }
}
