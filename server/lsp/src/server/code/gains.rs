//! Gains of code actions: the text after each action is compiled in the background, and the resulting code is
//! compared with the code of the current text.

use crate::build::NoCode;
use crate::server::code::Code;
use crate::server::code::live::compile;
use crate::server::documents::OpenDocuments;
use crate::server::documents::known_gains::{Edits, KnownGains};
use ide::{Analysis, TextEdit};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use toolchain::Consent;
use tower_lsp_server::ls_types::Uri;

/// Time for which the cursor must not move before anything is compiled.
const PAUSE: Duration = Duration::from_millis(300);
/// Maximum time for which the menu of code actions is delayed until gains are known.
const WAIT: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(50);

/// Returns the gain of each code action, in the order of `wanted`; `None` for a gain that is not known yet. Starts to
/// compile the actions without a known gain in the background. If `waits` is true, because the user has opened the
/// menu, waits up to [`WAIT`] for these gains.
pub(crate) async fn gains(
    code: &Code,
    uri: &Uri,
    analysis: &Analysis,
    wanted: Vec<Edits>,
    waits: bool,
) -> Vec<Option<Arc<str>>> {
    let pause = if waits { Duration::ZERO } else { PAUSE };
    let is_known = begin_gains(code, uri, analysis, &wanted, pause);
    let end = Instant::now() + WAIT;
    while waits && !is_known && Instant::now() < end && !are_known(code, uri, &wanted) {
        sleep(POLL).await;
    }
    let state = code.documents.lock();
    let gains = state.by_uri.get(uri).and_then(|document| document.gains.as_ref());
    wanted.iter().map(|edits| gains?.find(edits)?.clone()).collect()
}

fn are_known(code: &Code, uri: &Uri, wanted: &[Edits]) -> bool {
    let state = code.documents.lock();
    let gains = state.by_uri.get(uri).and_then(|document| document.gains.as_ref());
    gains.is_none_or(|gains| wanted.iter().all(|edits| gains.find(edits).is_some()))
}

/// Starts to compile the actions whose gain is unknown, and gives up actions of earlier requests that are not compiled
/// yet. Returns true if no compilation has to be awaited.
fn begin_gains(code: &Code, uri: &Uri, analysis: &Analysis, wanted: &[Edits], pause: Duration) -> bool {
    let Some(consent) = Consent::by_trusted_workspace(code.connection().facts().tools.trusted) else {
        return true;
    };
    let mut state = code.documents.lock();
    let settings = &state.host.config().compile;
    if wanted.is_empty()
        || !settings.live
        || !settings.gains
        || !state.host.is_current(uri.as_str(), analysis)
    {
        return true;
    }
    let round = code.connection().number();
    let OpenDocuments { host, by_uri, .. } = &mut *state;
    let Some(document) = by_uri.get_mut(uri) else { return true };
    let is_of_this = |gains: &KnownGains| host.is_current(uri.as_str(), &gains.of);
    let gains = document.gains.take().filter(is_of_this);
    let gains = document.gains.insert(gains.unwrap_or_else(|| KnownGains::new(analysis.clone())));
    let open: Vec<Edits> = wanted.iter().filter(|edits| gains.find(edits).is_none()).cloned().collect();
    if open.is_empty() || open.iter().all(|edits| gains.under_way.contains(edits)) {
        return open.is_empty();
    }
    (gains.round, gains.under_way) = (round, open.clone());
    let opening = document.opening;
    drop(state);
    let (code, uri, analysis) = (code.clone(), uri.clone(), analysis.clone());
    tokio::spawn(async move {
        sleep(pause).await;
        for edits in open {
            if compile_gain(&code, consent, &uri, opening, &analysis, edits, round).await.is_none() {
                return;
            }
        }
    });
    false
}

/// Compiles the text after one action and records the gain; `None` if the result is no longer wanted.
async fn compile_gain(
    code: &Code,
    consent: Consent,
    uri: &Uri,
    opening: u64,
    before: &Analysis,
    edits: Edits,
    round: u64,
) -> Option<()> {
    let turn = code.compiling.acquire().await;
    // The task is created before the check, so the check covers the task's text: the edits belong to that
    // text.
    let (mut task, ticket) = code.task(uri, opening)?;
    {
        let state = code.documents.lock();
        let gains = state.by_uri.get(uri)?.gains.as_ref()?;
        if gains.round != round || !state.host.is_current(uri.as_str(), before) {
            return None;
        }
    }
    task.order.text = TextEdit::apply(&edits, &task.order.text);
    task.analysis = task.analysis.with_edits(&edits);
    let earlier = before.clone();
    let work = move || {
        let compiled = compile(consent, &task)?;
        task.analysis.gain_over(&earlier, compiled).map_err(|_| NoCode::Cancelled)
    };
    let made = spawn_blocking(work).await.unwrap_or(Err(NoCode::Cancelled));
    drop((ticket, turn));
    let words = match made {
        Err(NoCode::Cancelled) => return None,
        Err(why) => {
            tracing::info!("a code action on {} is not compiled: {}", uri.as_str(), why.in_words());
            None
        }
        Ok(words) => words.map(Arc::from),
    };
    let mut state = code.documents.lock();
    let gains = state.by_uri.get_mut(uri)?.gains.as_mut().filter(|gains| gains.round == round)?;
    gains.known.push((edits, words));
    Some(())
}
