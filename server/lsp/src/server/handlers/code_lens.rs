//! `textDocument/codeLens`.

mod tuned;

pub(super) use tuned::TUNE_KERNEL;

use crate::server::documents::work::View;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use ide::LensSubject;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeLens, CodeLensOptions, CodeLensParams, Command, Position, Range, ServerCapabilities,
    TextDocumentIdentifier, TextDocumentPositionParams, Uri,
};
use tuned::tuned;

/// Maximum number of lines in a document for which all lenses are sent with titles. For a longer document, the client
/// requests each title.
const SHORT_LINES: usize = 20_000; // limit: up to there one answer costs less than a question for each lens

/// Maximum number of launches that are simulated before lenses are sent. If there are more, the client requests the
/// titles of the lenses that it shows.
const FEW_LAUNCHES: usize = 2; // limit: time until the client shows any lens

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.code_lens_provider = Some(CodeLensOptions { resolve_provider: Some(true) });
}

/// Identifies the lens to resolve.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UnresolvedLens {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) kernel: usize,
    pub(super) of: LensSubject,
}

pub(in crate::server) struct CodeLensRequest;

impl Task for CodeLensRequest {
    type Params = CodeLensParams;
    type Reply = Option<Vec<CodeLens>>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let asked = session.clone();
        let answer = session.documents.answer(&params.text_document.uri, move |view| {
            // The lens of a tuning is first in its line: its text is short, and the figures that follow it
            // may be cut.
            let tuned = tuned(&asked, view)?;
            let mut places = view.places();
            let is_quick = view.analysis.launches_stated() <= FEW_LAUNCHES;
            if is_quick && view.text.len_lines() <= SHORT_LINES {
                let lenses = view.analysis.lenses()?;
                if lenses.iter().any(|lens| lens.is_quick) {
                    let all = view.analysis.lens_places()?;
                    let all: Vec<_> = all.into_iter().map(|place| (place.kernel, place.of)).collect();
                    asked.documents.want_figures(view, &all);
                }
                let lenses = lenses.into_iter();
                let lenses =
                    lenses.map(|lens| code_lens(&asked, view, whole_line(places.range(&lens.range)), lens));
                return Ok(tuned.into_iter().chain(lenses).collect());
            }
            let lenses = view.analysis.lens_places()?.into_iter().map(|place| CodeLens {
                range: whole_line(places.range(&place.range)),
                command: None,
                data: serde_json::to_value(UnresolvedLens {
                    uri: view.uri.clone(),
                    version: view.version,
                    kernel: place.kernel,
                    of: place.of,
                })
                .ok(),
            });
            Ok(tuned.into_iter().chain(lenses).collect())
        });
        Ok(Some(answer.await?.unwrap_or_default()))
    }
}

/// Extends a range to the line's start. Neovim indents a lens to the start of its range and cuts off text
/// that does not fit the window.
fn whole_line(range: Range) -> Range {
    Range { start: Position { character: 0, ..range.start }, ..range }
}

/// The client command that opens the panel of a kernel.
const SHOW_PANEL: &str = "warplens.showPanel";

/// The server's command that states a launch of a kernel.
pub(super) const STATE_LAUNCH: &str = "warplens.stateLaunch";

/// Converts a lens for the client, which shows it as the title of a command. An empty command makes it plain text that
/// cannot be clicked.
pub(super) fn code_lens(session: &Session, view: &View, range: Range, lens: ide::Lens) -> CodeLens {
    let (features, facts) = (session.connection.features(), session.connection.facts());
    let states = features.applies_edits && !facts.costs_only;
    let (command, arguments) = if states && lens.to_state.is_some_and(|open| open.is_for_launch_file()) {
        let at = TextDocumentPositionParams {
            text_document: TextDocumentIdentifier { uri: view.uri.clone() },
            position: view.places().position(lens.range.start),
        };
        (STATE_LAUNCH.to_owned(), Some(vec![json!(at)]))
    } else if facts.shows_panel {
        (SHOW_PANEL.to_owned(), Some(vec![json!(view.uri), json!(range.start.line)]))
    } else {
        (String::new(), None)
    };
    CodeLens {
        range,
        // A title is plain text to every client.
        command: Some(Command { title: lens.title.replace('`', ""), command, arguments }),
        data: Some(json!({ "detail": lens.detail, "isOfLoop": lens.is_of_loop })),
    }
}
