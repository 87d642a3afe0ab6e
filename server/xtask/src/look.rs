//! How pictures of an editor are taken: the width of its window, and its theme.

/// The look of the pictures in the READMEs is the default one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct Look {
    /// Pixels from side to side of the window.
    #[arg(long, default_value_t = Look::README.width)]
    pub(crate) width: u16,
    /// Takes the light theme.
    #[arg(long)]
    pub(crate) light: bool,
}

impl Look {
    /// The look of the pictures in the READMEs.
    pub(crate) const README: Self = Self { width: 1280, light: false };

    /// Returns `light` or `dark`.
    pub(crate) const fn theme(self) -> &'static str {
        if self.light { "light" } else { "dark" }
    }

    /// Returns its name as a folder's: `1600-light`.
    pub(crate) fn name(self) -> String {
        format!("{}-{}", self.width, self.theme())
    }
}
