//! The boundary between the engine and its clients: plain data in, plain data out.
//!
//! A [`Host`] holds the open documents and the configuration; [`Host::snapshot`] returns an immutable
//! [`Analysis`] of one document, and the [`Analysis`] answers all queries. Positions are byte offsets
//! in the document's text. The crate uses no editor types.

mod answers;
pub mod binary;
mod compiled;
mod cuda;
mod engine;
mod host;
mod kernels;
mod launch_text;
mod launch_view;
mod measured;
pub mod profiles;
mod ptx;
mod questions;
mod sass;
mod tune;
mod words;

pub use engine::names;
pub use kernels::{cycles, predict, report};

pub use answers::*;
pub use compiled::compare::{
    Change, Changes, Comparison, InstructionChange, KernelChange, KernelFigures, LineChange,
};
pub use compiled::ptx_line_map;
pub use cuda::report::{TextAccess, TextBranch, TextKernel, TextOccupancy, TextReport};
pub use engine::cancel::{Cancel, Cancelled};
pub use engine::code::{CodePart, Compiled, CompiledFrom, ListedCode, NoListing};
pub use engine::config::{
    CompileSettings, Config, ConfigError, ControlPicture, HintKinds, Limits, ModelChoice, Optimization,
    PtxasSettings, RuleLevel, TuneSettings,
};
pub use engine::cubins::{CubinPattern, PathPattern};
pub use engine::headers::{HeaderFiles, Headers, IncludeSearch};
pub use engine::language::{Language, SHARED, SharedLanguage};
pub use engine::launch_file::{
    Condition, DataFileReader, Formula, LaunchEntry, LaunchFile, LaunchReader, ParamValue, Problem,
    RefusedLaunch, Shape, StatedArgument, StatedBuild, StatedCompiler, StatedLaunch, StatedLimits,
    StatedParameter, StatedProblem, StatedProfile, StatedRun, StatedTrips, StatedTuning, Suggestion,
    TunedParameter, Variant,
};
pub use engine::listings::ListingPattern;
pub use engine::other_launches::OtherLaunches;
pub use engine::plain::{
    AdviceAction, AdviceEdit, Assembler, CallItem, CallSite, Completion, CompletionKind, Completions,
    CopiedInstructions, Diagnostic, Fix, Fold, FoldKind, Heat, HeatMap, Hint, HintKind, Hover, KnownGpu,
    Lens, LensLocation, LensSubject, NavigationTarget, NotScheduled, Reference, Refusal, RegisterLife,
    Related, RelatedInstruction, Relations, ScheduleAction, ScheduleScope, SemanticKind, SemanticToken,
    Severity, Signature, SignatureOperand, SourceLink, Symbol, SymbolKind, TextEdit, Usage,
};
pub use engine::prediction_store::PredictionStore;
pub use engine::profiles::AttachedProfile;
pub use engine::rules::{RuleInfo, reader_page, rule_page, rules};
pub use engine::sass_view::SassView;
pub use engine::size::{MAX_BYTES, MAX_CUDA_TOKENS, MAX_TOKENS_PER_LINE, TooLarge};
pub use engine::surroundings::Surroundings;
pub use host::{DocumentId, Host};
pub use kernels::access::{AccessRow, DrawnAccess, LaunchAccesses, Picture};
pub use kernels::occupancy_curves::{OccupancyCurve, OccupancyCurves, OccupancyPoint};
pub use kernels::search::{FoundSymbol, NamedFunction};
pub use kernels::selection::SelectionCycles;
pub use kernels::summary::Summary;
pub use launch_view::LaunchFileView;
pub use measured::change::MeasuredChange;
pub use measured::fixes::AdviceFixes;
pub use measured::trees::{MeasuredLaunch, ProfilesView};
pub use model::DataFile;
pub use model::launch::DeclaredResources;
pub use ptx::{LineMap, MappedFunction, PtxFunction, PtxSource};
pub use sass::schedule::{AllowedChanges, PlacedInstruction, PredictedCycles, ScheduledKernel};
pub use syntax::cuda::included_paths;
pub use syntax::{STACK_BYTES, with_stack};
pub use tune::outcome::{TuningOutcome, TuningRow, VariantPrediction};
pub use tune::plan::{PlannedVariant, TuningPlan};
pub use tune::ranking::RankedBy;
pub use tune::triton::{KeptConfigurations, TritonError};
pub use tune::{NotTuned, TunedKernel, TuningError};
pub use words::to_state::UnstatedInputs;
