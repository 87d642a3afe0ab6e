//! `--select`: which findings to report.

use super::super::failure::Failure;
use super::Finding;
use ide::RuleInfo;

/// The codes and groups of rules whose findings are reported. If empty, all findings are reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selection(Vec<String>);

impl Selection {
    /// Fails for a name that is neither a code nor a group of `rules`; the message lists the valid names.
    pub(super) fn parse(names: &[String], rules: &[RuleInfo]) -> Result<Self, Failure> {
        let names: Vec<String> =
            names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
        let known = |name: &String| {
            rules.iter().any(|rule| rule.code == name || rule.group == name) || name == super::compile::CODE
        };
        if let Some(unknown) = names.iter().find(|name| !known(name)) {
            let codes: Vec<&str> = rules.iter().map(|rule| rule.code).collect();
            let mut groups: Vec<&str> = rules.iter().map(|rule| rule.group).collect();
            groups.sort_unstable();
            groups.dedup();
            return Err(Failure::new(format!(
                "unknown code or group `{unknown}` in --select; expected groups ({}) or codes ({})",
                groups.join(", "),
                codes.join(", ")
            )));
        }
        Ok(Self(names))
    }

    pub(super) fn has(&self, finding: &Finding) -> bool {
        self.0.is_empty() || self.0.iter().any(|name| name == finding.code || name == finding.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(names: &[&str]) -> Result<Selection, Failure> {
        let rule = |code, group| RuleInfo { code, group, severity: ide::Severity::Error, summary: "" };
        let rules = [
            rule("syntax-error", "syntax"),
            rule("unknown-opcode", "syntax"),
            rule("read-too-early", "hazard"),
        ];
        Selection::parse(&names.iter().map(ToString::to_string).collect::<Vec<_>>(), &rules)
    }

    #[test]
    fn codes_and_groups_are_known() {
        assert!(parse(&["syntax", " read-too-early", ""]).is_ok());
        assert!(parse(&[]).is_ok());
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        expect_test::expect!["unknown code or group `bank-konflikt` in --select; expected groups (hazard, syntax) or codes (syntax-error, unknown-opcode, read-too-early)"].assert_eq(&parse(&["syntax", "bank-konflikt"]).unwrap_err().to_string());
    }
}
