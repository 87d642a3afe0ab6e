//! The user's consent to running programs.

/// Proof that the user permitted running programs. No program runs without this value.
#[derive(Debug, Clone, Copy)]
pub struct Consent(());

impl Consent {
    /// Consent by command line: a user who names a file in a command gives consent.
    pub const fn by_command_line() -> Self {
        Self(())
    }

    /// Consent from an editor whose user trusts the workspace; `None` if `trusted` is false.
    pub const fn by_trusted_workspace(trusted: bool) -> Option<Self> {
        if trusted { Some(Self(())) } else { None }
    }
}
