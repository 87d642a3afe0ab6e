//! Full figures of launches. A view shows a quick figure at once; full figures are simulated in the background, one at
//! a time, the latest request first.

use crate::server::documents::Documents;
use crate::server::documents::wanted_figures::{FigureSubject, WantedFigure};
use crate::server::documents::work::{Outcome, View};
use crate::server::transport::job_limits::Urgency;
use crate::server::transport::locked::locked;
use crate::server::transport::stale::StaleDisplay;
use ide::{Analysis, Cancelled, Language, LensSubject};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tower_lsp_server::jsonrpc::Result as Answer;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Minimum time between a request for a launch and its simulation. While the user types, each key press replaces the
/// version that the request was for.
const REST: Duration = Duration::from_millis(300);
/// Shortest time between two requests to the client to refresh its lenses.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time for which a panel waits for the full figures of its kernel.
const PATIENCE: Duration = Duration::from_millis(300);
/// Maximum number of waiting launches; beyond this limit, the oldest request is dropped.
const MAX_WAITING: usize = 256; // limit: minutes of simulation

impl Documents {
    /// Requests the full simulation of each lens's launch, in the order of `lenses`.
    pub(crate) fn want_figures(&self, view: &View, lenses: &[(usize, LensSubject)]) {
        self.want(view, lenses.iter().map(|(kernel, of)| FigureSubject::Lens(*kernel, *of)).collect());
    }

    fn want(&self, view: &View, places: Vec<FigureSubject>) {
        let asked = Instant::now();
        let (opening, version) = (view.opening, view.version);
        let mut figures = locked(&self.figures);
        for place in places.into_iter().rev() {
            let wanted = WantedFigure { uri: view.uri.clone(), opening, version, place, asked };
            figures.waiting.retain(|waiting| !waiting.is_same(&wanted));
            figures.waiting.push(wanted);
        }
        let excess = figures.waiting.len().saturating_sub(MAX_WAITING);
        figures.waiting.drain(..excess);
        if figures.waiting.is_empty() || std::mem::replace(&mut figures.is_under_way, true) {
            return;
        }
        drop(figures);
        let documents = self.clone();
        tokio::spawn(async move { documents.simulate_all().await });
    }

    /// Simulates requested launches until the queue is empty, and makes the client show the figures.
    async fn simulate_all(&self) {
        let mut news = None;
        let mut reported: Option<Instant> = None;
        while let Some(wanted) = self.next_wanted() {
            let rest = REST.saturating_sub(wanted.asked.elapsed());
            if !rest.is_zero() {
                sleep(rest).await;
            }
            if let Some(stale) = self.simulate(wanted).await {
                let hints = stale.hints || news.is_some_and(|news: StaleDisplay| news.hints);
                news = Some(StaleDisplay { hints, ..stale });
            }
            if reported.is_none_or(|reported| reported.elapsed() >= INTERVAL)
                && let Some(stale) = news.take()
            {
                self.refresh(stale);
                reported = Some(Instant::now());
            }
        }
        if let Some(stale) = news {
            self.refresh(stale);
        }
    }

    /// The next launch to simulate; `None` if no launch is waiting.
    fn next_wanted(&self) -> Option<WantedFigure> {
        let mut figures = locked(&self.figures);
        let next = figures.waiting.pop();
        figures.is_under_way = next.is_some();
        next
    }

    /// Simulates a launch. Returns the parts of the display that the client must refresh; `None` if no figure is new.
    async fn simulate(&self, wanted: WantedFigure) -> Option<StaleDisplay> {
        let uri = wanted.uri.clone();
        let job = move |view: &View| {
            if !wanted.is_of(view.opening, view.version) {
                return Ok(None);
            }
            let is_new = match wanted.place {
                FigureSubject::Lens(kernel, of) => view.analysis.simulate(kernel, of)?,
                FigureSubject::Kernel(position) => {
                    view.analysis.simulate_at(view.places().offset(position))?
                }
            };
            Ok(is_new.then(|| stale(view)))
        };
        match self.work(&uri, Urgency::Idle, job).await {
            Outcome::Done(stale) => stale,
            Outcome::Nothing | Outcome::Overtaken | Outcome::Panicked => None,
        }
    }

    /// Answers a request about the kernel at a position. If the first answer has quick figures, waits for the
    /// full figures for a limited time and queries again.
    pub(crate) async fn answer_in_full<T: Send + 'static>(
        &self,
        at: TextDocumentPositionParams,
        ask: fn(&Analysis, usize) -> Result<Option<T>, Cancelled>,
        is_quick: fn(&T) -> bool,
    ) -> Answer<Option<T>> {
        let asked = |at| self.answer_at(at, move |view, _, offset| ask(&view.analysis, offset));
        let found = asked(at.clone()).await?;
        if !found.as_ref().is_some_and(is_quick) {
            return Ok(found);
        }
        self.settle_figures(&at).await;
        asked(at).await
    }

    /// Waits up to [`PATIENCE`] for the full figures of the kernel at a position. Figures that take longer
    /// are computed in the background.
    async fn settle_figures(&self, at: &TextDocumentPositionParams) {
        let (uri, position) = (&at.text_document.uri, at.position);
        let job = move |view: &View| {
            let is_new = view.analysis.simulate_at(view.places().offset(position))?;
            Ok(is_new.then(|| stale(view)))
        };
        match timeout(PATIENCE, self.work(uri, Urgency::Idle, job)).await {
            Ok(Outcome::Done(Some(stale))) => self.refresh(stale),
            Ok(_) => {}
            Err(_) => {
                let documents = self.clone();
                let job = move |view: &View| {
                    documents.want(view, vec![FigureSubject::Kernel(position)]);
                    Ok(())
                };
                let _ = self.work(uri, Urgency::Request, job).await;
            }
        }
    }
}

/// Parts of the display that new figures make stale. Hints of a source show shares of a launch, whereas hints of a
/// listing depend only on its instructions.
fn stale(view: &View) -> StaleDisplay {
    StaleDisplay { hints: view.analysis.language() != Language::Sass, lenses: true, findings: false }
}
