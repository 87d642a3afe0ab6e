//! The table of rules, from the constants that describe them.

use super::file::{File, between, text};
use crate::repo::Repo;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::fs;

const FOLDER: &str = "server/advisor/src/rules";
const PAGE: &str = "server/docs/rules.md";

const BEGIN: &str = "<!-- generated: rules -->\n";
const END: &str = "<!-- /generated: rules -->";

/// What a rule says of itself.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    code: String,
    group: String,
    severity: String,
    summary: String,
    /// `SASS`, `PTX`, or both.
    languages: &'static str,
}

/// The page of rules, as it should be.
pub(super) fn files(repo: &Repo) -> Result<Vec<File>> {
    let order = text(repo, &format!("{FOLDER}/mod.rs"))?;
    let mut table = "| rule | group | severity | what | in |\n|---|---|---|---|---|\n".to_owned();
    for name in order.lines().filter_map(|line| line.trim().strip_suffix("::RULE,")) {
        let path = format!("{FOLDER}/{name}.rs");
        let page = text(repo, &format!("{FOLDER}/{name}.md"))?;
        let title = page.lines().next().and_then(|line| line.strip_prefix("# "));
        let rule = read(&text(repo, &path)?, title.context("a page has a title")?).context(path)?;
        let Rule { code, group, severity, summary, languages } = rule;
        writeln!(
            table,
            "| [{code}](../advisor/src/rules/{name}.md) | {group} | {severity} | {summary} | {languages} |"
        )?;
    }
    let known = fs::read_dir(repo.path(FOLDER))?.flatten();
    let pages = known.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "md"));
    let (rows, pages) = (table.lines().count() - 2, pages.count());
    if rows != pages {
        bail!("{rows} rules in {FOLDER}/mod.rs, {pages} pages beside it");
    }
    let page = between(&text(repo, PAGE)?, BEGIN, END, &table).context(PAGE)?;
    Ok(vec![(PAGE.to_owned(), page)])
}

/// Reads the constant `RULE`; the rule's code stands on its page.
fn read(source: &str, code: &str) -> Result<Rule> {
    let (_, rule) = source.split_once("const RULE: Rule = Rule {").context("no `const RULE`")?;
    let (rule, _) = rule.split_once("\n};").context("`RULE` has no end")?;
    let field = |name: &str| {
        let (_, rest) = rule.split_once(&format!("    {name}: ")).with_context(|| format!("no `{name}`"))?;
        Ok::<_, anyhow::Error>(rest.split_once(",\n").map_or(rest, |(value, _)| value))
    };
    let last = |name: &str| {
        Ok::<_, anyhow::Error>(field(name)?.rsplit("::").next().unwrap_or_default().to_lowercase())
    };
    let (_, checks) = rule.split_once("    checks: ").context("no `checks`")?;
    let has = |check: &str| checks.contains(check);
    let languages =
        match (has("Check::Kernel") || has("Check::Codes"), has("Check::Ptx") || has("Check::Heading")) {
            _ if has("Check::Parser") => "SASS, PTX",
            (_, true) if has("Check::Run") => "SASS, PTX also *estimated*",
            (true, true) => "SASS, PTX",
            (false, true) => "PTX",
            (_, false) if has("Check::Run") => "SASS, PTX *estimated*",
            (true, false) => "SASS",
            (false, false) => bail!("no check of any language"),
        };
    let summary = literal(field("summary")?).context("`summary` is no text")?;
    Ok(Rule { code: code.to_owned(), group: last("group")?, severity: last("severity")?, summary, languages })
}

/// Returns the value of a string literal, without its escaped line breaks.
fn literal(source: &str) -> Option<String> {
    let inner = source.trim().strip_prefix('"')?.strip_suffix('"')?;
    let parts: Vec<&str> = inner.split("\\\n").map(str::trim_start).collect();
    Some(parts.concat().replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_off_its_constant() {
        let source = "const RULE: Rule = Rule {\n    code: \"x\",\n    group: Group::Hazard,\n    severity: Severity::Error,\n    \
                      summary: \"One, \\\n              two.\",\n    checks: &[Check::Ptx(check)],\n};\n";
        let rule = read(source, "x").unwrap();
        assert_eq!((&*rule.group, &*rule.severity, &*rule.summary), ("hazard", "error", "One, two."));
        assert_eq!(rule.languages, "PTX");
        assert!(read("const RULE: Rule = Rule {\n};", "x").is_err());
    }
}
