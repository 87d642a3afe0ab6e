//! Checks that links within the repository's Markdown have a target.

use crate::command::Run;
use crate::repo::Repo;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the targets of inline links and images, except those on other sites.
fn targets(page: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    page.lines()
        .filter(move |line| {
            in_code ^= line.trim_start().starts_with("```");
            !in_code
        })
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .filter(|target| !target.contains("://") && !target.contains(' '))
}

/// Returns the anchor that GitHub generates for a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn has_anchor(page: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(page).unwrap_or_default();
    text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == wanted)
}

#[test]
fn every_link_leads_somewhere() {
    let repo = Repo::find().unwrap();
    let mut list = Command::new("git");
    list.current_dir(repo.path("")).args(["ls-files", "-co", "--exclude-standard", "*.md"]);
    let pages = list.text().unwrap();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for name in pages.lines().filter(|name| repo.path(name).exists()) {
        let page = repo.path(name);
        for target in targets(&fs::read_to_string(&page).unwrap()) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let to = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let to = if to.exists() { to } else { page.parent().unwrap().join(file) };
            let leads = to.exists() && (heading.is_empty() || has_anchor(&to, heading));
            if !leads {
                wrong.push(format!("{name}: {target}"));
            }
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
    assert!(seen > 100, "{seen} links");
}

#[test]
fn headings_are_linked_as_github_links_them() {
    assert_eq!(anchor("## Launches and rules: `warplens.toml`"), "launches-and-rules-warplenstoml");
    let page = "[a](b.md#c) ![d](e.png) [f](https://g)\n```\n[h](i)\n```\n";
    assert_eq!(targets(page).collect::<Vec<_>>(), ["b.md#c", "e.png"]);
}
