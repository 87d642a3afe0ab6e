//! Configurations of a Triton kernel, listed in its source or stated in `warplens.toml`.

use super::TunedTriton;
use super::error::TritonError;
use syntax::triton::{Configuration, Setting};

/// Number of warps of a configuration that does not state it. Source: `triton.Config` of Triton 3.9.0.
const USUAL_WARPS: i64 = 4;
const USUAL_STAGES: i64 = 3; // Source: `triton.Config` of Triton 3.9.0

/// Name of the number of warps in configurations and in `parameters` of `warplens.toml`.
const WARPS: &str = "num_warps";
const STAGES: &str = "num_stages";

/// Largest number of configurations that `warplens.toml` may state.
const MAX: u64 = 4096; // limit: bounds memory and time; real lists have a few dozen

/// A configuration of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Parameter values by name, including `num_warps` and `num_stages`.
    pub values: Vec<(String, Setting)>,
    /// Index in the list in the source. `None` if the configuration is stated in `warplens.toml`.
    pub number: Option<usize>,
    pub warps: Setting,
    pub stages: Setting,
    /// A setting that the model does not support: several CTAs per cluster, or a register limit.
    pub beyond: Option<String>,
}

impl Candidate {
    /// Returns the values as text: `BLOCK_M = 128, BLOCK_N = 16, num_warps = 4, num_stages = 3`.
    pub(crate) fn words(&self) -> String {
        let pairs = self.values.iter().map(|(name, value)| format!("{name} = {}", in_words(value)));
        pairs.collect::<Vec<_>>().join(", ")
    }

    /// Returns the value of a parameter. `None` if the value is missing or not an integer.
    pub(crate) fn number_of(&self, name: &str) -> Option<i64> {
        match self.values.iter().find(|(own, _)| own == name)?.1 {
            Setting::Number(number) => Some(number),
            _ => None,
        }
    }
}

pub(super) fn in_words(setting: &Setting) -> String {
    match setting {
        Setting::Number(number) => number.to_string(),
        Setting::Other(text) => text.clone(),
        Setting::Unknown(_) => "?".to_owned(),
    }
}

/// Returns the configurations in the source, or the configurations of `warplens.toml` if the source has none. `Err` if
/// neither has a configuration.
pub(super) fn candidates(own: &TunedTriton<'_>) -> Result<Vec<Candidate>, TritonError> {
    let stated = own.kernel.configurations.as_ref();
    let all: Vec<Candidate> = match stated {
        Some(stated) if !stated.all.is_empty() => stated.all.iter().enumerate().map(of_text).collect(),
        _ => of_file(own),
    };
    if !all.is_empty() {
        return Ok(all);
    }
    let count = own.tuning.combinations();
    Err(match stated.map(|stated| stated.gaps.as_slice()) {
        _ if count > MAX && !own.tuning.parameters.is_empty() => TritonError::TooMany { count, most: MAX },
        Some([gap, ..]) => TritonError::UnknownList { gap: gap.clone() },
        Some([]) => TritonError::EmptyList,
        None => TritonError::NoList { kernel: own.kernel.name.clone() },
    })
}

fn of_text((number, own): (usize, &Configuration)) -> Candidate {
    let warps = own.num_warps.clone().unwrap_or(Setting::Number(USUAL_WARPS));
    let stages = own.num_stages.clone().unwrap_or(Setting::Number(USUAL_STAGES));
    let mut values = own.values.clone();
    values.push((WARPS.to_owned(), warps.clone()));
    values.push((STAGES.to_owned(), stages.clone()));
    let is_one = |ctas: &Setting| *ctas == Setting::Number(1);
    let clusters = own.num_ctas.as_ref().filter(|ctas| !is_one(ctas));
    let clusters = clusters.map(|ctas| format!("num_ctas = {}", in_words(ctas)));
    let limit = own.maxnreg.as_ref().map(|limit| format!("maxnreg = {}", in_words(limit)));
    Candidate { values, number: Some(number), warps, stages, beyond: clusters.or(limit) }
}

/// Returns all combinations of the values in `warplens.toml`. Empty if there are no parameters, or more than
/// [`MAX`] combinations.
fn of_file(own: &TunedTriton<'_>) -> Vec<Candidate> {
    let tuning = own.tuning;
    let count = tuning.combinations();
    if tuning.parameters.is_empty() || count > MAX {
        return Vec::new();
    }
    let made = (0..count).map(|number| {
        let variant = tuning.combination(number);
        let mut values: Vec<(String, Setting)> = tuning
            .parameters
            .iter()
            .zip(&variant.0)
            .map(|(parameter, value)| (parameter.name.clone(), Setting::Number(*value)))
            .collect();
        let mut of = |name: &str, usual: i64| {
            if let Some((_, value)) = values.iter().find(|(own, _)| own == name) {
                return value.clone();
            }
            values.push((name.to_owned(), Setting::Number(usual)));
            Setting::Number(usual)
        };
        let (warps, stages) = (of(WARPS, USUAL_WARPS), of(STAGES, USUAL_STAGES));
        Candidate { values, number: None, warps, stages, beyond: None }
    });
    made.collect()
}
