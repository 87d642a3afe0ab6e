//! The colours of text output: the sixteen that every terminal theme defines, so that they fit each background.

use anstyle::{AnsiColor, Style};
use ide::Severity;

/// The style of each part of a text. The choice of a palette determines whether the text has colour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette {
    pub(super) plain: Style,
    pub(super) dim: Style,
    pub(super) strong: Style,
    pub(super) opcode: Style,
    pub(super) memory_opcode: Style,
    pub(super) variable: Style,
    pub(super) dual: Style,
    /// Styles for a share in the lowest, middle and highest third of 0 to 1.
    shares: [Style; 3],
    /// Styles for errors, warnings, infos and hints, in the order of [`Severity`].
    severities: [Style; 4],
}

impl Palette {
    pub(super) const COLOURED: Self = Self {
        plain: Style::new(),
        dim: Style::new().dimmed(),
        strong: Style::new().bold(),
        opcode: AnsiColor::Cyan.on_default(),
        memory_opcode: AnsiColor::Magenta.on_default(),
        variable: AnsiColor::Yellow.on_default(),
        dual: AnsiColor::Green.on_default(),
        shares: [AnsiColor::Green.on_default(), AnsiColor::Yellow.on_default(), AnsiColor::Red.on_default()],
        severities: [
            AnsiColor::Red.on_default().bold(),
            AnsiColor::Yellow.on_default().bold(),
            AnsiColor::Blue.on_default().bold(),
            AnsiColor::Cyan.on_default().bold(),
        ],
    };

    pub(super) const PLAIN: Self = Self {
        plain: Style::new(),
        dim: Style::new(),
        strong: Style::new(),
        opcode: Style::new(),
        memory_opcode: Style::new(),
        variable: Style::new(),
        dual: Style::new(),
        shares: [Style::new(); 3],
        severities: [Style::new(); 4],
    };

    /// Green, yellow or red for a bottleneck from 0 (none) to 1 (total), split in thirds.
    pub(super) fn bottleneck(&self, share: f64) -> Style {
        self.shares[((share * 3.0).max(0.0) as usize).min(2)]
    }

    pub(super) fn severity(&self, severity: Severity) -> Style {
        self.severities[severity as usize]
    }
}
