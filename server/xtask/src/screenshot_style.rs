//! The look of screenshots of an editor: the width of its window, and its theme.

/// The look of screenshots; the default is that of the READMEs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct ScreenshotStyle {
    /// Width of the window in pixels.
    #[arg(long, default_value_t = ScreenshotStyle::README.width)]
    pub(crate) width: u16,
    /// Uses the light theme.
    #[arg(long)]
    pub(crate) light: bool,
}

impl ScreenshotStyle {
    /// The look of the pictures in the READMEs.
    pub(crate) const README: Self = Self { width: 1280, light: false };

    /// Returns `light` or `dark`.
    pub(crate) const fn theme(self) -> &'static str {
        if self.light { "light" } else { "dark" }
    }

    /// Returns a name for a folder: `1600-light`.
    pub(crate) fn name(self) -> String {
        format!("{}-{}", self.width, self.theme())
    }
}
