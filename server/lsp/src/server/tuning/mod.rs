//! Tunes a kernel for a shape on request: compiles its variants one after another in the background and
//! predicts the cycles of each.
//!
//! This module owns the variants' code. Its lock is taken before the locks of all layers below. Known
//! outcomes belong to the document.

mod variant_codes;

use crate::build::NoCode;
use crate::server::code::Code;
use crate::server::code::live::{Task, compile};
use crate::server::documents::Documents;
use crate::server::documents::known_tunings::KnownTunings;
use crate::server::transport::connection::Connection;
use crate::server::transport::locked::locked;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::tickets::{Ticket, WorkKey};
use ide::predict::PredictError;
use ide::{Analysis, Cancel, Compiled, PlannedVariant, TunedKernel, TuningOutcome, TuningPlan};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use toolchain::Consent;
use tower_lsp_server::ls_types::Uri;
use variant_codes::VariantCodes;

/// The reason why a tuning has no outcome.
#[derive(Debug)]
pub(crate) enum NoOutcome {
    /// The reason, in one line for the user.
    Because(String),
    /// The text was edited, or the user has stopped the tuning.
    Cancelled,
}

impl From<ide::Cancelled> for NoOutcome {
    fn from(_: ide::Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A handle to the tunings; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Tuning {
    documents: Documents,
    code: Code,
    /// Code of compiled variants, for all documents.
    variants: Arc<Mutex<VariantCodes>>,
}

impl Tuning {
    pub(crate) fn new(code: Code) -> Self {
        Self { documents: code.documents.clone(), code, variants: Arc::default() }
    }

    const fn connection(&self) -> &Connection {
        &self.documents.connection
    }

    /// Returns the outcome for a kernel of a document and a shape, written as `M=2560 N=16 K=2560`. A known
    /// outcome is returned at once. Dropping the future stops the tuning.
    pub(crate) async fn tune(
        &self,
        uri: &Uri,
        kernel: &str,
        shape: &str,
    ) -> Result<Arc<TuningOutcome>, NoOutcome> {
        let because = |why: &str| NoOutcome::Because(why.to_owned());
        if let Some(outcome) = self.rank_configurations(uri, kernel, shape).await? {
            return Ok(outcome);
        }
        let trusted = self.connection().facts().tools.trusted;
        let consent = Consent::by_trusted_workspace(trusted)
            .ok_or_else(|| because("the workspace is not trusted, so no compiler runs"))?;
        let opening = self.documents.lock().by_uri.get(uri).map(|document| document.opening);
        let task = opening.and_then(|opening| self.code.task(uri, opening));
        let (task, _ticket) = task.ok_or_else(|| because("expected a CUDA document that is open"))?;
        let analysis = task.analysis.clone();
        let all = analysis.tuned_kernels()?;
        let Some(wanted) = all.into_iter().find(|own| own.kernel == kernel && own.shape.to_string() == shape)
        else {
            return Err(NoOutcome::Because(format!("`warplens.toml` has no `[tune.{kernel}]` with {shape}")));
        };
        let ticket = match self.begin_tuning(uri, &analysis, &wanted, task.cancel()) {
            TuningState::Known(outcome) => return Ok(outcome),
            TuningState::UnderWay => {
                return Err(because("this kernel is already being tuned for this shape"));
            }
            TuningState::Now(ticket) => ticket,
        };
        let outcome = self.run_tuning(consent, uri, Arc::new(task), &wanted).await?;
        let outcome = Arc::new(outcome);
        self.insert_outcome(uri, analysis, &outcome);
        drop(ticket);
        self.documents.refresh(StaleDisplay { hints: false, lenses: true, findings: false });
        Ok(outcome)
    }

    /// Ranks the configurations of a Triton kernel for a shape, without compiling. `None` for a document that is not
    /// Python.
    async fn rank_configurations(
        &self,
        uri: &Uri,
        kernel: &str,
        shape: &str,
    ) -> Result<Option<Arc<TuningOutcome>>, NoOutcome> {
        let analysis = self.documents.lock().host.snapshot(uri.as_str(), Cancel::default());
        let Some(analysis) = analysis.filter(Analysis::is_python) else { return Ok(None) };
        let asked = analysis.clone();
        let (own, words) = (kernel.to_owned(), shape.to_owned());
        let work = move || {
            let all = asked.tuned_kernels()?;
            let wanted =
                all.into_iter().find(|wanted| wanted.kernel == own && wanted.shape.to_string() == words);
            let missing =
                || NoOutcome::Because(format!("`warplens.toml` has no `[tune.{own}]` with {words}"));
            let wanted = wanted.ok_or_else(missing)?;
            let ranked = asked.rank_configurations(&wanted.kernel, &wanted.shape).ok_or_else(missing)??;
            ranked.map(Arc::new).map_err(|why| NoOutcome::Because(why.to_string()))
        };
        let outcome = blocking(work).await??;
        self.insert_outcome(uri, analysis, &outcome);
        self.documents.refresh(StaleDisplay { hints: false, lenses: true, findings: false });
        Ok(Some(outcome))
    }

    /// Stores an outcome for a document if the document still has the text that was tuned.
    fn insert_outcome(&self, uri: &Uri, analysis: Analysis, outcome: &Arc<TuningOutcome>) {
        let mut state = self.documents.lock();
        let state = &mut *state;
        let host = &state.host;
        if !host.is_of_same_text(uri.as_str(), &analysis) {
            return;
        }
        let Some(document) = state.by_uri.get_mut(uri) else { return };
        let is_of_this = |tunings: &KnownTunings| host.is_of_same_text(uri.as_str(), &tunings.of);
        let tunings = document.tunings.take().filter(is_of_this);
        let tunings = document.tunings.insert(tunings.unwrap_or_else(|| KnownTunings::new(analysis)));
        tunings.insert(Arc::clone(outcome));
    }

    /// The known outcomes for the current text of a document.
    pub(crate) fn known(&self, uri: &Uri, analysis: &Analysis) -> Vec<Arc<TuningOutcome>> {
        let state = self.documents.lock();
        let tunings = state.by_uri.get(uri).and_then(|document| document.tunings.as_ref());
        let is_current = state.host.is_of_same_text(uri.as_str(), analysis);
        let of_this =
            tunings.filter(|tunings| is_current && state.host.is_of_same_text(uri.as_str(), &tunings.of));
        of_this.map(|tunings| tunings.known.clone()).unwrap_or_default()
    }

    /// The known outcomes of a kernel, in the order in which they were requested.
    pub(crate) fn known_of(&self, uri: &Uri, kernel: &str) -> Vec<Arc<TuningOutcome>> {
        let state = self.documents.lock();
        let tunings = state.by_uri.get(uri).and_then(|document| document.tunings.as_ref());
        let known = tunings.map_or(&[][..], |tunings| &tunings.known);
        known.iter().filter(|known| known.kernel == kernel).cloned().collect()
    }

    fn begin_tuning(
        &self,
        uri: &Uri,
        analysis: &Analysis,
        wanted: &TunedKernel,
        cancel: Cancel,
    ) -> TuningState {
        let TunedKernel { kernel, shape, .. } = wanted;
        let key = WorkKey::Tuning { uri: uri.clone(), kernel: kernel.clone(), shape: shape.to_string() };
        let tickets = self.connection().tickets();
        let begin = || tickets.begin(key.clone(), cancel);
        let mut state = self.documents.lock();
        let state = &mut *state;
        let host = &state.host;
        let is_current = host.is_of_same_text(uri.as_str(), analysis);
        let document = state.by_uri.get_mut(uri).filter(|_| is_current);
        let Some(document) = document else { return TuningState::Now(begin()) };
        let is_of_this = |tunings: &KnownTunings| host.is_of_same_text(uri.as_str(), &tunings.of);
        let tunings = document.tunings.take().filter(is_of_this);
        // Tunings under way for another text or other settings do not count.
        let is_under_way = tunings.is_some() && tickets.count(&key) > 0;
        let tunings = document.tunings.insert(tunings.unwrap_or_else(|| KnownTunings::new(analysis.clone())));
        if let Some(known) = tunings.find(kernel, shape) {
            return TuningState::Known(Arc::clone(known));
        }
        if is_under_way { TuningState::UnderWay } else { TuningState::Now(begin()) }
    }

    async fn run_tuning(
        &self,
        consent: Consent,
        uri: &Uri,
        task: Arc<Task>,
        wanted: &TunedKernel,
    ) -> Result<TuningOutcome, NoOutcome> {
        let TunedKernel { kernel, shape, .. } = wanted;
        let (say, words) = watch::channel(format!("tuning {kernel} for {shape}"));
        let progress = self.connection().follow_steps(uri, words);
        let most = self.documents.lock().host.config().tune.variants as usize;
        let analysis = task.analysis.clone();
        let (asked, of) = (kernel.clone(), shape.clone());
        let plan = blocking(move || analysis.plan_tuning(&asked, &of, most)).await?;
        let plan = plan?.map_err(|why| NoOutcome::Because(why.to_string()))?;
        let plan = Arc::new(plan);
        let mut predictions = Vec::with_capacity(plan.variants.len());
        for (number, variant) in plan.variants.iter().enumerate() {
            let count = plan.variants.len();
            say.send_replace(format!("tuning {kernel} for {shape}: variant {} of {count}", number + 1));
            let own = Arc::new(task.with_edits(&variant.edits));
            let code = self.variant_code(consent, &own).await?;
            predictions.push(match code {
                Ok(compiled) => predict(&own, &plan, number, compiled).await?,
                Err(why) => Err(PredictError::NotCompiled(why.in_words())),
            });
        }
        drop(progress);
        Ok(TuningOutcome::new(&plan, &predictions))
    }

    /// Returns the code of a variant, and compiles the variant if its code is not cached. Returns `Ok(Err)`
    /// with the compiler's reason if the compiler refused the variant.
    async fn variant_code(
        &self,
        consent: Consent,
        task: &Arc<Task>,
    ) -> Result<Result<Compiled, NoCode>, NoOutcome> {
        let key = {
            let variants = locked(&self.variants);
            let key = variants.key(&task.origin());
            if let Some(known) = variants.find(key) {
                return Ok(known.clone());
            }
            key
        };
        // Only one compiler runs at a time, for any number of open documents.
        let turn = self.code.compiling.acquire().await;
        if task.cancel().is_cancelled() {
            return Err(NoOutcome::Cancelled);
        }
        let own = Arc::clone(task);
        let code = blocking(move || compile(consent, &own)).await?;
        drop(turn);
        match &code {
            Ok(_) | Err(NoCode::Refused(..)) => {}
            Err(NoCode::Cancelled) => return Err(NoOutcome::Cancelled),
            // Without the compiler, no variant can be compiled.
            Err(why @ NoCode::Tool(_)) => return Err(NoOutcome::Because(why.in_words())),
        }
        locked(&self.variants).insert(key, code.clone());
        Ok(code)
    }
}

async fn predict(
    task: &Arc<Task>,
    plan: &Arc<TuningPlan>,
    number: usize,
    compiled: Compiled,
) -> Result<ide::VariantPrediction, NoOutcome> {
    let (task, plan) = (Arc::clone(task), Arc::clone(plan));
    let work = move || {
        let variant: &PlannedVariant = &plan.variants[number];
        task.analysis.predict_variant(&plan.kernel, variant, &compiled)
    };
    Ok(blocking(work).await??)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, NoOutcome> {
    spawn_blocking(work)
        .await
        .map_err(|_| NoOutcome::Because("the tuning failed; the log has the details".to_owned()))
}

/// State of a tuning when it is requested.
enum TuningState {
    Known(Arc<TuningOutcome>),
    UnderWay,
    Now(Ticket),
}
