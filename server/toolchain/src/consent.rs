//! Who has allowed that programs run.

/// Proof that running programs is permitted and was asked for. Nothing runs without one.
#[derive(Debug, Clone, Copy)]
pub struct Consent(());

impl Consent {
    /// The person at the command line has named the file: calling the program is the consent.
    pub const fn by_command_line() -> Self {
        Self(())
    }

    /// The editor says whether its user trusts the workspace; `None` where he does not.
    pub const fn by_trusted_workspace(trusted: bool) -> Option<Self> {
        if trusted { Some(Self(())) } else { None }
    }
}
