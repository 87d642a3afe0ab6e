//! Following advice: builds, runs and profiles the program of `warplens.toml` again, and compares the claimed gain with the
//! measured one.

mod words;

use crate::read::BINARY_BYTES;
use crate::server::profiles::Profiles;
use crate::server::profiles::files::{self, WrittenReport, write_report};
use crate::server::transport::locked::locked;
use crate::server::transport::tickets::WorkKey;
use ide::profiles::{function_name, read};
use ide::{Cancel, MeasuredChange, ProfilesView, StatedRun};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::{JoinError, spawn_blocking};
use toolchain::{Consent, Limits, Profiler, ProfilerRun, Search, ToolError};
use tower_lsp_server::ls_types::{MessageActionItem, MessageType, Uri};

/// Advice that a code action has applied to the text.
#[derive(Debug, Deserialize)]
pub(crate) struct FollowedAdvice {
    pub(crate) uri: Uri,
    /// The kernel, as the profile names it.
    pub(crate) kernel: String,
    /// Code of the guide.
    pub(crate) advice: String,
    /// Largest speedup that the advice claimed: 2 for twice as fast.
    pub(crate) claimed: Option<f64>,
}

/// The outcome of following advice.
#[derive(Debug, Default, Serialize)]
pub(crate) struct FollowOutcome {
    /// One line for the user; `None` if the user has declined.
    message: Option<String>,
    /// Shell command that would produce a profile, if no command was run.
    command: Option<String>,
    /// Measured speedup: 2 for twice as fast; `None` if the speedup was not measured.
    measured: Option<f64>,
}

impl FollowOutcome {
    fn saying(message: String) -> Self {
        Self { message: Some(message), ..Self::default() }
    }
}

/// The run that measures the effect of the advice.
#[derive(Debug, Clone)]
struct MeasurementRun {
    kernel: String,
    claimed: Option<f64>,
    run: StatedRun,
    /// The folder of the `warplens.toml`, in which the command runs.
    folder: PathBuf,
    /// The profiles attached before the run.
    before: ProfilesView,
}

/// The report of the run, and how the kernel's measured time changed.
#[derive(Debug)]
struct MeasuredEffect {
    report: WrittenReport,
    change: MeasuredChange,
}

/// Reason why the effect was not measured.
#[derive(Debug)]
enum NoMeasurement {
    Tool(ToolError),
    /// The profiler's file cannot be read.
    Unreadable(String),
    /// The kernel is not in the report.
    NoKernel,
    /// The report cannot be written to the folder in which profiles are found.
    NotWritten(String),
}

impl Profiles {
    /// Asks the user, runs the command of `[run]` under the profiler, and shows the report in place of the
    /// previous profile.
    ///
    /// Must be called in a separate task because it waits for the client. The run stops when the future is
    /// dropped. `Err` if the job of the run panicked.
    pub(crate) async fn follow(&self, followed: FollowedAdvice) -> Result<FollowOutcome, JoinError> {
        let advice = followed.advice.clone();
        let outcome = self.follow_or_say_why(followed).await?;
        tracing::info!("{advice} was followed: {}", outcome.message.as_deref().unwrap_or("not measured"));
        Ok(outcome)
    }

    async fn follow_or_say_why(&self, followed: FollowedAdvice) -> Result<FollowOutcome, JoinError> {
        let Some(order) = self.order(&followed) else {
            return Ok(FollowOutcome::saying(words::nothing_to_run(&followed.kernel)));
        };
        let tools = &self.connection().facts().tools;
        let search = Search::from_environment(tools.ncu.clone());
        let folder = order.folder.clone();
        let look = move || (Profiler::find(&search), files::next_report(&folder));
        let (profiler, next) = spawn_blocking(look).await?;
        let by_hand = |why: &str| FollowOutcome {
            message: Some(words::not_run(&order.kernel, why)),
            command: words::by_hand(&order.run.command, &order.folder, &next),
            measured: None,
        };
        let Some(consent) = Consent::by_trusted_workspace(tools.trusted) else {
            return Ok(by_hand("the workspace is not trusted, so no program runs"));
        };
        let profiler = match profiler {
            Ok(profiler) => profiler,
            Err(why) => return Ok(by_hand(&why.to_string())),
        };
        if !self.is_agreed(&order).await {
            return Ok(FollowOutcome::default());
        }
        let Ok(turn) = Arc::clone(&self.profiling).try_acquire_owned() else {
            return Ok(FollowOutcome::saying(words::not_run(&order.kernel, "another run is in progress")));
        };
        let reports = Uri::from_file_path(files::reports(&order.folder)).unwrap_or(followed.uri);
        let tickets = self.connection().tickets();
        let work = tickets.begin_instead(WorkKey::Profiling(reports.clone()), Cancel::default());
        let (cancel, ordered) = (work.cancel(), order.clone());
        let progress = self.connection().follow_work_in_words(&reports, words::under_way(&order.run.command));
        let measure = move || {
            let measured = ordered.measure(consent, &profiler, &cancel);
            // A cancelled run holds the semaphore until the run has stopped.
            drop(turn);
            measured
        };
        let measured = spawn_blocking(measure).await;
        drop((progress, work));
        Ok(match measured? {
            Ok(MeasuredEffect { report, change }) => {
                self.show_report(report, &order.kernel, change.number).await;
                FollowOutcome {
                    message: Some(words::measured(&order.kernel, &change, order.claimed)),
                    command: None,
                    measured: words::times(&change),
                }
            }
            Err(why) => FollowOutcome::saying(words::unmeasured(&order.kernel, &order.run, &why)),
        })
    }

    /// The run that the document's `warplens.toml` states, with the current profiles; `None` if the file
    /// states no run.
    fn order(&self, followed: &FollowedAdvice) -> Option<MeasurementRun> {
        let folders = self.workspace.lock();
        let root = folders.root_around(&followed.uri).or(folders.roots.first())?;
        let run = &root.launches.as_ref()?.run;
        (!run.command.is_empty()).then(|| MeasurementRun {
            kernel: followed.kernel.clone(),
            claimed: followed.claimed,
            run: run.clone(),
            folder: root.path.clone(),
            before: self.documents.lock().host.profiles(),
        })
    }

    /// Asks the user for consent, unless the user has already agreed to the same command in the same folder.
    async fn is_agreed(&self, order: &MeasurementRun) -> bool {
        const RUN: &str = "Run";
        let own = (order.folder.clone(), order.run.command.clone());
        if locked(&self.agreed).contains(&own) {
            return true;
        }
        let action = |title: &str| MessageActionItem { title: title.to_owned(), properties: HashMap::new() };
        let actions = vec![action(RUN), action("Not now")];
        let question = words::question(&order.run.command);
        let client = self.connection().client();
        let answer = client.show_message_request(MessageType::INFO, question, Some(actions)).await;
        let agreed = answer.ok().flatten().is_some_and(|chosen| chosen.title == RUN);
        if agreed {
            locked(&self.agreed).insert(own);
        }
        agreed
    }
}

impl MeasurementRun {
    /// Runs the command under the profiler and keeps the report if it contains the kernel.
    fn measure(
        &self,
        consent: Consent,
        profiler: &Profiler,
        cancel: &Cancel,
    ) -> Result<MeasuredEffect, NoMeasurement> {
        let command: Vec<_> = self.run.command.iter().map(Into::into).collect();
        let output_bytes = usize::try_from(BINARY_BYTES).unwrap_or(usize::MAX);
        let limits = Limits { time: self.run.time_limit(), output_bytes, ..Limits::default() };
        let kernel = Some(function_name(&self.kernel));
        let profiled = ProfilerRun { command: &command, folder: &self.folder, kernel, limits };
        let report = profiler
            .profile(consent, profiled, &|line| tracing::debug!("ncu: {line}"), &|| cancel.is_cancelled())
            .map_err(NoMeasurement::Tool)?;
        let profile = read(&report).map_err(|why| NoMeasurement::Unreadable(why.to_string()))?;
        let change = self.before.change(&self.kernel, &profile).ok_or(NoMeasurement::NoKernel)?;
        let kept = write_report(&self.folder, &report, profile);
        let report = kept.map_err(|why| NoMeasurement::NotWritten(not_written(&self.folder, &why)))?;
        Ok(MeasuredEffect { report, change })
    }
}

fn not_written(folder: &Path, why: &std::io::Error) -> String {
    format!("{}: {why}", files::reports(folder).display())
}
