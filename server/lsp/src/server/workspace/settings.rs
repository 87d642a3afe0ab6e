//! The settings of a running server: accepts them from the client, and refreshes the display after a change.

use crate::server::documents::Documents;
use crate::server::transport::connection::Connection;
use crate::server::transport::locked::locked;
use crate::server::transport::outgoing::Outgoing;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::tools::Tools;
use ide::Config;
use serde_json::Value;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard};
use tower_lsp_server::ls_types::{ConfigurationItem, MessageType};

/// The section of warplens's settings in a client's configuration.
const SECTION: &str = "warplens";

/// A handle to the settings; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    documents: Documents,
    origin: Arc<Mutex<SettingsOrigin>>,
}

/// Inputs from which the current settings were computed. The engine's host has the settings themselves.
#[derive(Debug, Default)]
struct SettingsOrigin {
    /// `initializationOptions`. Their values apply to settings that later configurations do not name.
    options: Value,
    /// Number of the latest request to the client; an answer to an earlier request is outdated.
    asked: u64,
    /// One line about the problems of the latest settings; `None` if they have none.
    complaint: Option<String>,
}

impl Settings {
    pub(crate) fn new(documents: Documents) -> Self {
        Self { documents, origin: Arc::default() }
    }

    /// One line about the problems of the latest settings; `None` if they have none.
    pub(crate) fn complaint(&self) -> Option<String> {
        locked(&self.origin).complaint.clone()
    }

    pub(crate) fn take_options(&self, options: Value) {
        let problems = Tools::problems(&options);
        let mut origin = locked(&self.origin);
        origin.options = own(options);
        self.put_in_force(origin, Value::Null, problems);
    }

    /// Applies settings from a client, which override the options. `sent` may be the whole tree of the
    /// client's settings.
    pub(crate) fn take_settings(&self, sent: Value) {
        self.put_in_force(locked(&self.origin), only_ours(sent), Vec::new());
    }

    /// Applies settings. An invalid setting keeps its current value and is reported together with `problems`.
    fn put_in_force(
        &self,
        mut origin: MutexGuard<'_, SettingsOrigin>,
        sent: Value,
        mut problems: Vec<String>,
    ) {
        let merged = over(origin.options.clone(), sent);
        let mut state = self.documents.lock();
        let before = state.host.config().clone();
        let (mut config, wrong) = Config::read(&merged, &before);
        problems.extend(wrong.iter().map(ToString::to_string));
        if config != before
            && let Err(unknown) = state.host.configure(config.clone())
        {
            problems.push(format!("settings: `gpu`: {unknown}"));
            config.gpu.clone_from(&before.gpu);
            // Cannot fail: this GPU was accepted before, and the machine's data are the same.
            drop(state.host.configure(config));
        }
        let after = state.host.config().clone();
        origin.complaint = complaint(&problems);
        if let Some(text) = &origin.complaint {
            self.connection().send(Outgoing::Message(MessageType::WARNING, text.clone()));
        }
        drop((state, origin));
        self.connection().status_may_have_changed();
        if after != before {
            self.documents.recheck();
            self.documents.refresh(StaleDisplay::between(&before, &after));
        }
    }

    /// Asks the client for its settings, which take effect when it answers.
    pub(crate) fn ask_for_settings(&self) {
        let number = self.connection().number();
        locked(&self.origin).asked = number;
        let settings = self.clone();
        tokio::spawn(async move {
            let item = ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) };
            let Ok(answer) = settings.connection().client().configuration(vec![item]).await else { return };
            let sent = only_ours(answer.into_iter().next().unwrap_or_default());
            let origin = locked(&settings.origin);
            if origin.asked == number {
                settings.put_in_force(origin, sent, Vec::new());
            }
        });
    }

    const fn connection(&self) -> &Connection {
        &self.documents.connection
    }
}

/// One line about all problems; `None` if there are none.
fn complaint(problems: &[String]) -> Option<String> {
    const SHOWN: usize = 3; // limit: room in a message
    let (first, others) = problems.split_first()?;
    let mut text = first.clone();
    for other in others.iter().take(SHOWN - 1) {
        text.push_str("; ");
        text.push_str(other.strip_prefix("settings: ").unwrap_or(other));
    }
    if problems.len() > SHOWN {
        let _ = write!(text, "; and {} more", problems.len() - SHOWN);
    }
    text.push_str("; all other settings are applied");
    Some(text)
}

/// Extracts the settings of warplens from what a client sends: the section `warplens` if there is one. Otherwise `sent`
/// may contain the settings of other programs, too, so tables with unknown names are dropped without an error.
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

/// The section `warplens` of a client's settings; the complete value if there is no such section.
fn own(mut sent: Value) -> Value {
    match sent.get_mut(SECTION) {
        Some(section) => section.take(),
        None => sent,
    }
}

/// Merges `upper` over `lower`, key by key. Null does not override a value.
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
        assert_eq!(StaleDisplay::between(&before, &gpu), StaleDisplay::ALL);
        let mut ptxas = before.clone();
        ptxas.ptxas.time_limit += 1;
        assert_eq!(
            StaleDisplay::between(&before, &ptxas),
            StaleDisplay { hints: false, lenses: false, findings: false }
        );
        let lens = Config { code_lens: false, ..before.clone() };
        assert_eq!(
            StaleDisplay::between(&before, &lens),
            StaleDisplay { hints: false, lenses: true, findings: false }
        );
        let lens = Config { loop_lens: false, ..before.clone() };
        assert_eq!(
            StaleDisplay::between(&before, &lens),
            StaleDisplay { hints: false, lenses: true, findings: false }
        );
        let findings = Config { diagnostics: false, ..before.clone() };
        assert_eq!(
            StaleDisplay::between(&before, &findings),
            StaleDisplay { hints: false, lenses: false, findings: true }
        );
    }
}
