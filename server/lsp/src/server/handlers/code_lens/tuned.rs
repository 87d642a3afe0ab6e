//! Lenses of kernels that `warplens.toml` tunes.

use super::whole_line;
use crate::server::documents::work::View;
use crate::server::handlers::tune::TuneParams;
use crate::server::session::Session;
use ide::Cancelled;
use serde_json::json;
use tower_lsp_server::ls_types::{CodeLens, Command};

/// The client's command that requests the tuning of a kernel.
const TUNE: &str = "warplens.tune";
/// The server's command that tunes a kernel, for clients without the command [`TUNE`].
pub(in super::super) const TUNE_KERNEL: &str = "warplens.tuneKernel";

/// The lenses of kernels that `warplens.toml` tunes: each shows a known outcome, or requests an outcome.
pub(super) fn tuned(session: &Session, view: &View) -> Result<Vec<CodeLens>, Cancelled> {
    let kernels = view.analysis.tuned_kernels()?;
    if kernels.is_empty() {
        return Ok(Vec::new());
    }
    let known = session.tuning.known(&view.uri, &view.analysis);
    let facts = session.connection.facts();
    let command = match (facts.tunes, facts.costs_only) {
        (true, _) => TUNE,
        (false, false) => TUNE_KERNEL,
        (false, true) => "",
    };
    let mut places = view.places();
    let lenses = kernels.into_iter().map(|own| {
        let shape = own.shape.to_string();
        let outcome = known.iter().find(|known| known.kernel == own.kernel && known.shape == shape);
        let title = outcome.map_or(own.title, |outcome| outcome.title());
        let detail = outcome.map_or(own.detail, |outcome| format!("```text\n{}```", outcome.table()));
        let asked = TuneParams { uri: view.uri.clone(), kernel: own.kernel, shape };
        let (command, arguments) =
            if own.is_refused { ("", None) } else { (command, Some(vec![json!(asked)])) };
        CodeLens {
            range: whole_line(places.range(&own.range)),
            command: Some(Command { title, command: command.to_owned(), arguments }),
            data: Some(json!({ "detail": detail, "isOfLoop": false, "tune": asked })),
        }
    });
    Ok(lenses.collect())
}
