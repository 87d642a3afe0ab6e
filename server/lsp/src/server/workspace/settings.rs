//! Settings while the server runs: what the client sends, and which notifications their changes cause.

use crate::server::transport::outgoing::Outgoing;
use crate::server::session::Session;
use crate::server::transport::stale::Stale;
use crate::server::transport::tools::Tools;
use ide::Config;
use serde_json::Value;
use std::fmt::Write;
use tower_lsp_server::ls_types::{ConfigurationItem, MessageType};

/// The section that a client keeps our settings in.
const SECTION: &str = "warplens";

impl Session {
    pub(crate) fn take_options(&self, options: Value) {
        let problems = Tools::problems(&options);
        self.lock().settings.options = own(options);
        self.put_in_force(Value::Null, problems);
    }

    /// Puts settings in force that a client sends, which may be the whole tree of its settings, over the options.
    pub(crate) fn take_settings(&self, sent: Value) {
        self.put_in_force(only_ours(sent), Vec::new());
    }

    /// Puts settings in force. A wrong setting keeps its present value; it is reported together with `problems`.
    fn put_in_force(&self, sent: Value, mut problems: Vec<String>) {
        let mut state = self.lock();
        let merged = over(state.settings.options.clone(), sent);
        let before = state.host.config().clone();
        let (mut config, wrong) = Config::read(&merged, &before);
        problems.extend(wrong.iter().map(ToString::to_string));
        if config != before
            && let Err(unknown) = state.host.configure(config.clone())
        {
            problems.push(format!("settings: `gpu`: {unknown}"));
            config.gpu.clone_from(&before.gpu);
            // The GPU was known when it was put in force, and the machines are the same.
            drop(state.host.configure(config));
        }
        let after = state.host.config().clone();
        state.settings.complaint = complaint(&problems);
        if let Some(text) = &state.settings.complaint {
            self.say(Outgoing::Message(MessageType::WARNING, text.clone()));
        }
        drop(state);
        self.status_may_have_changed();
        if after != before {
            self.recheck();
            self.refresh(Stale::between(&before, &after));
        }
    }

    /// Asks the client for its settings; they come in force when it answers.
    pub(crate) fn ask_for_settings(&self) {
        let mut state = self.lock();
        let number = state.number();
        state.settings.asked = number;
        drop(state);
        let session = self.clone();
        tokio::spawn(async move {
            let item = ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) };
            let Ok(answer) = session.client().configuration(vec![item]).await else { return };
            if session.lock().settings.asked == number {
                session.take_settings(answer.into_iter().next().unwrap_or_default());
            }
        });
    }

    /// Has the client ask again for what it shows, where it can and shows anything.
    pub(crate) fn refresh(&self, stale: Stale) {
        if self.lock().documents.is_empty() {
            return;
        }
        let client = self.client();
        if stale.findings && self.abilities().pulls_findings {
            let client = client.clone();
            tokio::spawn(async move { client.workspace_diagnostic_refresh().await });
        }
        if stale.hints && self.abilities().refreshes_hints {
            let client = client.clone();
            tokio::spawn(async move { client.inlay_hint_refresh().await });
        }
        if stale.lenses && self.abilities().refreshes_lenses {
            tokio::spawn(async move { client.code_lens_refresh().await });
        }
    }
}

/// One line on all that is wrong.
fn complaint(problems: &[String]) -> Option<String> {
    const SHOWN: usize = 3;
    let (first, others) = problems.split_first()?;
    let mut text = first.clone();
    for other in others.iter().take(SHOWN - 1) {
        text.push_str("; ");
        text.push_str(other.strip_prefix("settings: ").unwrap_or(other));
    }
    if problems.len() > SHOWN {
        let _ = write!(text, "; and {} more", problems.len() - SHOWN);
    }
    text.push_str("; all other settings are in force");
    Some(text)
}

/// Our members of what a client sends. Without a section of ours it is either ours or the tree of other programs'
/// settings: a table whose name is not ours is one of theirs, and not an error.
fn only_ours(sent: Value) -> Value {
    let has_section = sent.get(SECTION).is_some();
    match own(sent) {
        Value::Object(mut members) if !has_section => {
            members.retain(|name, value| !value.is_object() || Config::may_mean(name));
            Value::Object(members)
        }
        own => own,
    }
}

/// Our section, or the whole if it has no such section.
fn own(mut sent: Value) -> Value {
    match sent.get_mut(SECTION) {
        Some(section) => section.take(),
        None => sent,
    }
}

/// `upper` over `lower`, key by key; null says nothing.
fn over(lower: Value, upper: Value) -> Value {
    match (lower, upper) {
        (lower, Value::Null) => lower,
        (Value::Object(mut lower), Value::Object(upper)) => {
            for (key, value) in upper {
                let below = lower.remove(&key).unwrap_or_default();
                lower.insert(key, over(below, value));
            }
            Value::Object(lower)
        }
        (_, upper) => upper,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn later_settings_keep_what_they_do_not_name() {
        let options = json!({"gpu": "t4", "hints": {"latency": false, "dualIssue": true}});
        let sent = only_ours(json!({"warplens": {"hints": {"dualIssue": false}, "gpu": null}, "other": 1}));
        assert_eq!(
            over(options, sent),
            json!({"gpu": "t4", "hints": {"latency": false, "dualIssue": false}})
        );
    }

    #[test]
    fn settings_of_other_programs_are_left_out() {
        let tree = json!({"python": {"path": "x"}, "hint": {}, "gpuu": 1, "hints": {"latency": true}});
        assert_eq!(only_ours(tree), json!({"hint": {}, "gpuu": 1, "hints": {"latency": true}}));
        let section = json!({"python": {}, "warplens": {"python": {}}});
        assert_eq!(only_ours(section), json!({"python": {}}));
        assert_eq!(only_ours(Value::Null), Value::Null);
    }

    #[test]
    fn only_what_may_have_changed_is_stale() {
        let before = Config::default();
        let gpu = Config { gpu: "t4".to_owned(), ..before.clone() };
        assert_eq!(Stale::between(&before, &gpu), Stale::ALL);
        let mut ptxas = before.clone();
        ptxas.ptxas.time_limit += 1;
        assert_eq!(Stale::between(&before, &ptxas), Stale { hints: false, lenses: false, findings: false });
        let lens = Config { code_lens: false, ..before.clone() };
        assert_eq!(Stale::between(&before, &lens), Stale { hints: false, lenses: true, findings: false });
        let lens = Config { loop_lens: false, ..before.clone() };
        assert_eq!(Stale::between(&before, &lens), Stale { hints: false, lenses: true, findings: false });
        let findings = Config { diagnostics: false, ..before.clone() };
        assert_eq!(Stale::between(&before, &findings), Stale { hints: false, lenses: false, findings: true });
    }
}
