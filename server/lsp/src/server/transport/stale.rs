//! The parts of a client's display that may be outdated without an edit.

use ide::Config;

/// Parts of a client's display that may be outdated without an edit, such as after a change of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StaleDisplay {
    pub(crate) hints: bool,
    pub(crate) lenses: bool,
    pub(crate) findings: bool,
}

impl StaleDisplay {
    pub(crate) const ALL: Self = Self { hints: true, lenses: true, findings: true };

    pub(crate) fn between(before: &Config, after: &Config) -> Self {
        // With equal settings of hints, lenses and findings, any remaining difference changes the numbers.
        let same = Config {
            hints: before.hints,
            code_lens: before.code_lens,
            loop_lens: before.loop_lens,
            diagnostics: before.diagnostics,
            rules: before.rules.clone(),
            ptxas: before.ptxas.clone(),
            tune: before.tune.clone(),
            cache_predictions: before.cache_predictions,
            ..after.clone()
        };
        let numbers = same != *before;
        Self {
            hints: numbers || before.hints != after.hints,
            lenses: numbers
                || before.code_lens != after.code_lens
                || before.loop_lens != after.loop_lens
                || before.tune != after.tune,
            findings: numbers || before.diagnostics != after.diagnostics || before.rules != after.rules,
        }
    }
}
