//! Arguments of `warplens rule`.

use crate::cli::shared_args::ColorArg;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(in crate::cli) struct RuleArgs {
    /// The rule's code, such as `bank-conflict`
    pub(in crate::cli) code: Option<String>,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, default_value_t = RuleFormat::Text, value_name = "FORMAT")]
    format: RuleFormat,

    #[command(flatten)]
    pub(in crate::cli) color: ColorArg,
}

impl RuleArgs {
    pub(in crate::cli) fn json(&self) -> bool {
        self.format == RuleFormat::Json
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleFormat {
    Text,
    Json,
}
