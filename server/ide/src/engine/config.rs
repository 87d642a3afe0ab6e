//! The settings, in the same form for all clients.

mod read;

use crate::Severity;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use syntax::sass::Notation;
use thiserror::Error;

/// All settings. An unknown setting or an invalid value is reported and does not affect the other settings.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent setting")]
pub struct Config {
    /// The assumed GPU, by name (`h100-sxm`) or by architecture (`sm_90`). If empty, the usual GPU of the
    /// architecture that the file names.
    pub gpu: String,
    /// The model that predicts instruction latencies and issue cycles.
    pub model: ModelChoice,
    /// Inlay hints. Each hint type has its own switch.
    pub hints: HintKinds,
    /// Shows a lens above each kernel: registers, shared memory, occupancy, cycles, bottlenecks.
    pub code_lens: bool,
    /// Shows a lens above each innermost loop: cycles per iteration, bottleneck, and the number of warps that
    /// hide the loop's latency.
    pub loop_lens: bool,
    /// Reports recommendations derived from attached profiles as findings.
    pub measured_findings: bool,
    /// Uses the counts of attached profiles in predictions.
    pub predict_with_profile: bool,
    /// Stores full launch predictions in the user's cache folder for later sessions.
    pub cache_predictions: bool,
    /// Shows diagnostics of all types.
    pub diagnostics: bool,
    /// Proposes completions while typing.
    pub completion: bool,
    /// Shows the meaning of an opcode's operands while the user types them.
    pub signature_help: bool,
    /// Aligns the columns of hand-written sources when the editor requests formatting.
    pub formatting: bool,
    /// Names of languages that other servers handle. Documents in these languages get no answers.
    pub leave_alone: Vec<String>,
    /// Fraction of global loads that miss all caches in Equation 7 (`paper` model), 0 to 1.
    pub miss_ratio: f64,
    /// Factors above which memory accesses are reported.
    pub limits: Limits,
    /// Levels of individual rules, like `[rules]` in `warplens.toml`.
    pub rules: BTreeMap<String, RuleLevel>,
    /// Options for compiling PTX to SASS with ptxas.
    pub ptxas: PtxasSettings,
    /// Options for compiling sources while they are edited.
    pub compile: CompileSettings,
    pub tune: TuneSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            gpu: String::new(),
            model: ModelChoice::default(),
            hints: HintKinds::default(),
            code_lens: true,
            loop_lens: true,
            measured_findings: true,
            predict_with_profile: true,
            cache_predictions: true,
            diagnostics: true,
            completion: true,
            signature_help: true,
            formatting: true,
            leave_alone: Vec::new(),
            miss_ratio: 1.0,
            limits: Limits::default(),
            rules: BTreeMap::new(),
            ptxas: PtxasSettings::default(),
            compile: CompileSettings::default(),
            tune: TuneSettings::default(),
        }
    }
}

/// The model that predicts instruction latencies and issue cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelChoice {
    /// `pipeline` if the GPU has pipeline data and the listing has control codes, otherwise `paper`.
    #[default]
    Auto,
    /// Always `paper`.
    Paper,
    /// Always `pipeline`. Where the model does not apply, no issue cycles are shown.
    Pipeline,
}

/// Switches for the inlay hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent setting")]
pub struct HintKinds {
    /// The control code, in this notation. The listing itself may use another notation.
    pub control_code: ControlPicture,
    /// Cycles until the result of an instruction can be used.
    pub latency: bool,
    /// The predicted issue cycle.
    pub issue_cycle: bool,
    /// The partner of a dual-issued pair.
    pub dual_issue: bool,
    /// Number of live registers at each instruction.
    pub live_registers: bool,
    /// Cost of each source line in compiled code.
    pub line_cost: bool,
    /// Samples and stall reasons in attached profiles.
    pub measured: bool,
}

impl Default for HintKinds {
    fn default() -> Self {
        Self {
            control_code: ControlPicture::default(),
            latency: true,
            issue_cycle: true,
            dual_issue: true,
            live_registers: false,
            line_cost: true,
            measured: true,
        }
    }
}

/// The notation in which control codes are shown next to instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlPicture {
    #[default]
    Off,
    /// Notation of CuAssembler: `B--2---:R-:W0:Y:S08`.
    CuAssembler,
    /// Notation of maxas: `04:-:1:Y:8`.
    Maxas,
    /// Notation of TuringAs: `04:-:0:Y:8`.
    TuringAs,
}

impl ControlPicture {
    pub(crate) const fn notation(self) -> Option<Notation> {
        match self {
            Self::Off => None,
            Self::CuAssembler => Some(Notation::CuAssembler),
            Self::Maxas => Some(Notation::Maxas),
            Self::TuringAs => Some(Notation::TuringAs),
        }
    }
}

/// Factors by which a memory access may exceed the minimum traffic for its bytes before it is reported. At
/// least 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Factor for shared-memory wavefronts, used by `bank-conflict`.
    pub wavefronts: f64,
    /// Factor for global-memory sectors, used by `uncoalesced-access`.
    pub sectors: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { wavefronts: 1.25, sectors: 1.5 }
    }
}

/// Options for compiling PTX with ptxas. The path of ptxas is excluded, because a workspace may supply these
/// settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PtxasSettings {
    /// Architecture to compile for, such as `sm_90a`. If empty, the architecture in the module's `.target`.
    pub architecture: String,
    pub optimization: Optimization,
    /// Additional ptxas arguments.
    pub arguments: Vec<String>,
    /// Time limit of ptxas in seconds, at least 1.
    pub time_limit: u32,
    /// Compiles again when the PTX file is saved while its SASS is open.
    pub on_save: bool,
}

impl Default for PtxasSettings {
    fn default() -> Self {
        Self {
            architecture: String::new(),
            optimization: Optimization::default(),
            arguments: Vec::new(),
            time_limit: 60,
            on_save: false,
        }
    }
}

/// Options for compiling CUDA and PTX in the background.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompileSettings {
    /// Compiles whenever typing pauses.
    pub live: bool,
    /// Compiles the edited source of each code action, to show the gain of the action.
    pub gains: bool,
    /// Time limit of a compiler in seconds, at least 1.
    pub time_limit: u32,
}

impl Default for CompileSettings {
    fn default() -> Self {
        Self { live: true, gains: true, time_limit: 60 }
    }
}

/// Settings for tuning the kernels that `warplens.toml` lists under `[tune]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TuneSettings {
    /// Shows a lens above each tuned kernel for each problem shape.
    pub lens: bool,
    /// Largest number of variants to compile per problem shape, at least 1.
    pub variants: u32,
}

impl Default for TuneSettings {
    fn default() -> Self {
        Self { lens: true, variants: 64 }
    }
}

/// Optimisation level of ptxas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimization {
    /// The default level of ptxas.
    #[default]
    Default,
    #[serde(rename = "0")]
    None,
    #[serde(rename = "1")]
    Some,
    #[serde(rename = "2")]
    More,
    #[serde(rename = "3")]
    Most,
}

impl Optimization {
    /// Returns the number of the level for ptxas. `None` for the default level of ptxas.
    pub const fn level(self) -> Option<u8> {
        match self {
            Self::Default => None,
            Self::None => Some(0),
            Self::Some => Some(1),
            Self::More => Some(2),
            Self::Most => Some(3),
        }
    }
}

/// Level of a rule: `"off"`, or the severity to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    Off,
    Error,
    Warning,
    Info,
    Hint,
}

impl RuleLevel {
    /// Returns the severity to show. `None` if the rule is off.
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Info => Some(Severity::Info),
            Self::Hint => Some(Severity::Hint),
        }
    }
}

/// An error in settings or in a launches file. The message is one line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    /// Creates an error with the message on one line. Names in the message may contain line breaks.
    pub(crate) fn new(message: &str) -> Self {
        let words = message.split(|c: char| c.is_whitespace() || c.is_control());
        Self(words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
    }
}

impl Config {
    /// Reads settings like [`Self::read`]. `Err` is the first error.
    pub fn from_json(value: &serde_json::Value) -> Result<Self, ConfigError> {
        let (config, problems) = Self::read(value, &Self::default());
        problems.into_iter().next().map_or(Ok(config), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_come_alone_or_under_their_name() {
        let alone = Config::from_json(&json!({ "gpu": "t4", "hints": { "latency": false } })).expect("right");
        assert_eq!(alone.gpu, "t4");
        assert!(!alone.hints.latency && alone.hints.issue_cycle);
        assert_eq!(
            Config::from_json(&json!({ "warplens": { "gpu": "t4", "hints": { "latency": false } } })),
            Ok(alone)
        );
        assert_eq!(
            Config::from_json(&json!({ "gpu": null, "hints": { "latency": null } })),
            Ok(Config::default())
        );
        assert_eq!(Config::from_json(&json!(null)), Ok(Config::default()));
        assert!(Config::from_json(&json!({ "somebodyElses": 1 })).is_err());
    }

    #[test]
    fn wrong_settings_say_what_was_expected() {
        for wrong in [
            json!({ "gpu": 3 }),
            json!({ "missRatio": 2 }),
            json!({ "model": "oracle" }),
            json!({ "rules": { "x\ny": "off" } }),
            json!({ "ptxas": { "architecture": "90" } }),
            json!({ "ptxas": { "architecture": "sm_a" } }),
            json!({ "ptxas": { "timeLimit": 0 } }),
            json!({ "ptxas": { "timeLimit": 0.5 } }),
            json!({ "ptxas": { "arguments": "-c" } }),
            json!({ "ptxas": { "optimization": "4" } }),
            json!([1]),
        ] {
            let message = Config::from_json(&wrong).unwrap_err().to_string();
            assert!(message.starts_with("settings: ") && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn ptxas_gets_the_settings() {
        let set =
            json!({ "ptxas": { "architecture": "sm_90a", "optimization": "1", "path": "/usr/bin/ptxas" } });
        let ptxas = Config::from_json(&set).expect("right").ptxas;
        assert_eq!((ptxas.architecture.as_str(), ptxas.optimization.level()), ("sm_90a", Some(1)));
        assert_eq!(PtxasSettings::default().optimization.level(), None);
    }

    /// Returns the settings table that the editors' settings are generated from, as an object.
    fn table() -> serde_json::Value {
        let table: toml::Table = toml::from_str(include_str!("settings.toml")).expect("the table is TOML");
        let mut settings = json!({});
        for setting in table["setting"].as_array().expect("the settings are a list") {
            let name = setting["name"].as_str().expect("a setting has a name");
            let place = name.split('.').fold(&mut settings, |place, part| &mut place[part]);
            assert!(place.is_null(), "{name} is listed twice");
            *place = serde_json::to_value(&setting["default"]).expect("a default is plain data");
            for text in ["short", "description", "scope", "type"] {
                assert!(setting[text].as_str().is_some_and(|text| !text.is_empty()), "{name}: {text}");
            }
        }
        settings
    }

    #[test]
    fn the_table_of_settings_has_every_setting_with_its_default() {
        let defaults = serde_json::to_value(Config::default()).expect("settings are plain data");
        assert_eq!(table(), defaults);
        assert_eq!(Config::from_json(&table()), Ok(Config::default()));
    }
}
