//! Guides: advice on the stalls of a node. Each guide is a page that states its conditions (DrGPU, "Guidance
//! Generation").

use super::figures::{self, Figures};
use super::node::Advice;
use super::pages::PAGES;
use super::reasons::REASONS;
use super::thresholds::Thresholds;
use super::units::is_unit;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A guide: its advice, its conditions, and the share of stalls that its advice removes.
#[derive(Debug)]
pub(super) struct Guide {
    /// Code of the guide: `shared-load-conflicts`.
    pub(super) code: &'static str,
    /// The advice in one sentence.
    pub(super) text: &'static str,
    pub(super) head: Head,
}

/// The TOML block at the start of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// Position among advice with equal gain: a lower rank comes first.
    pub(super) rank: u32,
    /// Nodes to which the guide applies: names of stall reasons, or `stalls` for the root.
    pub(super) at: Vec<String>,
    /// Conditions that must all be true: `figure > threshold`.
    pub(super) when: Vec<Condition>,
    /// Conditions that must be false. If one is true, another guide is more specific.
    #[serde(default)]
    pub(super) unless: Vec<Condition>,
    /// Largest share of the node's stalls that the guide removes.
    #[serde(default)]
    pub(super) removes: RemovedShare,
    /// The source of the gain.
    #[serde(default)]
    pub(super) gain: GainSource,
    /// True if the gain is an upper bound.
    #[serde(default)]
    pub(super) bound: bool,
    /// True if the guide spreads work over idle or less busy SMs.
    #[serde(default)]
    pub(super) balances: bool,
    /// Assumption about the change that leads to the gain: `half of the bytes`.
    #[serde(default)]
    pub(super) assumes: Option<String>,
    /// Figures to show in addition to the figures in the conditions.
    #[serde(default)]
    pub(super) shows: Vec<String>,
    /// Units that do less work after the change. Each name is mapped to the figure that states the reduction in
    /// percent.
    #[serde(default)]
    pub(super) relieves: BTreeMap<String, String>,
    /// Two metrics. Advice points to the instruction with the largest difference between them. If the page names no
    /// metrics, advice points to the instruction with the most stalls.
    #[serde(default)]
    pub(super) place: Option<[String; 2]>,
    /// Rules of the static analysis that find the code to change.
    #[serde(default)]
    pub(super) rules: Vec<String>,
    /// Sources of the guide: `DrGPU 3` is the third condition in the program of the DrGPU paper.
    pub(super) source: Vec<String>,
}

/// Largest share of a node's stalls that following a guide removes.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RemovedShare {
    #[default]
    All,
    /// The figure with this name, in percent.
    Percent(String),
}

impl RemovedShare {
    /// The figure for the removed share; `None` if all stalls are removed.
    pub(super) fn figure(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Percent(figure) => Some(figure),
        }
    }
}

/// Reason why a launch is faster after following a guide.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum GainSource {
    /// At most the removed stalls. The gain depends on facts that the profile does not contain.
    #[default]
    Unknown,
    /// The removed stalls, and the stalls on a saturated unit that the guide relieves.
    Stalls,
    /// Only the removed stalls. Other stalls on a unit that the guide relieves remain.
    OwnStalls,
    /// The removed stalls, minus the latency that memory requests have even without contention.
    Unloaded,
    /// Stalls on memory, if the guide relieves a unit that limits the launch.
    Units,
    /// Instructions that are no longer executed. The figure is a percentage of all instructions.
    Instructions(String),
    /// The remaining time. The figure is in percent.
    Time(String),
}

/// A comparison of a figure with a threshold: `shared_load_conflicts > conflicts`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Condition {
    /// Name of a figure. `stalls.` followed by a stall reason names the reason's share of all stalls.
    pub(super) figure: String,
    pub(super) comparison: Comparison,
    pub(super) threshold: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

impl Comparison {
    const fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }

    fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Self::Below => value < threshold,
            Self::AtMost => value <= threshold,
            Self::Above => value > threshold,
            Self::AtLeast => value >= threshold,
        }
    }
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (Some(figure), Some(sign), Some(threshold), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(format!("expected `figure > threshold`, not `{text}`"));
        };
        let signs = [Comparison::Below, Comparison::AtMost, Comparison::Above, Comparison::AtLeast];
        let comparison = signs.into_iter().find(|own| own.sign() == sign);
        let comparison = comparison.ok_or_else(|| format!("expected <, <=, > or >=, not `{sign}`"))?;
        let is_known = match figure.strip_prefix("stalls.") {
            Some(reason) => REASONS.iter().any(|own| own.name == reason),
            None => figures::names().any(|own| own == figure),
        };
        if !is_known {
            return Err(format!("unknown figure `{figure}`"));
        }
        Ok(Self { figure: figure.to_owned(), comparison, threshold: threshold.to_owned() })
    }
}

/// All guides, sorted by rank.
pub(super) static GUIDES: LazyLock<Vec<Guide>> = LazyLock::new(|| {
    let mut guides: Vec<Guide> =
        PAGES.iter().map(|page| read(page).expect("a test reads all pages")).collect();
    guides.sort_by_key(|guide| guide.head.rank);
    guides
});

/// True if a guide with this code exists.
pub fn is_guide(code: &str) -> bool {
    GUIDES.iter().any(|guide| guide.code == code)
}

/// The text of a guide's page for readers: its code, the advice and the explanation. `None` if no guide has
/// this code.
pub fn guide_page(code: &str) -> Option<String> {
    let page = PAGES
        .iter()
        .find(|page| page.lines().next().and_then(|title| title.strip_prefix("# ")) == Some(code))?;
    let (title, rest) = page.split_once("```toml")?;
    // The TOML block contains the conditions, and the launches at the end are tests.
    let (_, text) = rest.split_once("```")?;
    let text = text.split_once("\nReported for").map_or(text, |(text, _)| text);
    Some(format!("{}\n\n{}\n", title.trim(), text.trim()))
}

/// Reads a page. The title is the code, the TOML block is the head, and the first paragraph is the advice.
pub(super) fn read(page: &'static str) -> Result<Guide, String> {
    let (title, rest) = page.split_once('\n').ok_or("expected a title")?;
    let code = title.strip_prefix("# ").ok_or("expected `# code`")?;
    let (_, rest) =
        rest.split_once("```toml\n").ok_or_else(|| format!("{code}: expected a block of TOML"))?;
    let (head, rest) = rest.split_once("```").ok_or_else(|| format!("{code}: the block is not closed"))?;
    let head: Head = toml::from_str(head).map_err(|error| format!("{code}: {error}"))?;
    let thresholds = Thresholds::default();
    for condition in head.when.iter().chain(&head.unless) {
        if thresholds.get(&condition.threshold).is_none() {
            return Err(format!("{code}: unknown threshold `{}`", condition.threshold));
        }
    }
    let part = match &head.gain {
        GainSource::Instructions(figure) | GainSource::Time(figure) => Some(figure),
        _ => None,
    };
    let removed = head.removes.figure();
    for figure in head
        .relieves
        .values()
        .map(String::as_str)
        .chain(part.map(String::as_str))
        .chain(removed)
        .chain(head.shows.iter().map(String::as_str))
    {
        if !figures::names().any(|own| own == figure) {
            return Err(format!("{code}: unknown figure `{figure}`"));
        }
    }
    if let Some(unit) = head.relieves.keys().find(|unit| !is_unit(unit)) {
        return Err(format!("{code}: unknown unit `{unit}`"));
    }
    let text = rest.trim_start().lines().next().unwrap_or_default();
    Ok(Guide { code, text, head })
}

/// Advice at a node, from the guides whose conditions are true. `share` returns a stall reason's share of all
/// stalls.
pub(super) fn advice(
    node: &str,
    of_stalls: f64,
    figures: &Figures<'_>,
    share: &dyn Fn(&str) -> f64,
    thresholds: &Thresholds,
) -> Vec<Advice> {
    if of_stalls < thresholds.known("present").value {
        return Vec::new();
    }
    let value = |figure: &str| match figure.strip_prefix("stalls.") {
        Some(reason) => Some(share(reason)),
        None => Some(figures.get(figure)?.value),
    };
    let holds = |condition: &Condition| {
        let (value, threshold) = (value(&condition.figure)?, thresholds.get(&condition.threshold)?.value);
        condition.comparison.holds(value, threshold).then_some(())
    };
    let own = |guide: &'static Guide| {
        let is_here = guide.head.at.iter().any(|at| at == node);
        if !is_here || guide.head.unless.iter().any(|condition| holds(condition).is_some()) {
            return None;
        }
        guide.head.when.iter().try_for_each(&holds)?;
        // The GPU is already known, and a condition of the form "any" explains little.
        let explains = |own: &&Condition| own.figure != "capability" && own.threshold != "any";
        let shown = guide.head.when.iter().filter(explains).map(|condition| &condition.figure);
        let mut because: Vec<String> = Vec::new();
        for fact in shown.chain(&guide.head.shows).filter_map(|figure| figures.get(figure)) {
            let words = fact.to_string();
            if !because.contains(&words) {
                because.push(words);
            }
        }
        let part = match &guide.head.removes {
            RemovedShare::All => 1.0,
            RemovedShare::Percent(figure) => value(figure).map_or(1.0, |percent| percent / 100.0),
        };
        let removes = of_stalls * part.clamp(0.0, 1.0);
        let Guide { code, text, head } = guide;
        let address = head.place.as_ref().and_then(|[count, least]| figures.address_of_max(count, least));
        let (rules, source) = (&head.rules, &head.source);
        Some(Advice {
            code,
            text,
            because,
            sentence: String::new(),
            general: head.gain == GainSource::Unknown,
            assumes: head.assumes.as_deref(),
            removes,
            gain: None,
            address,
            rules,
            source,
        })
    };
    GUIDES.iter().filter_map(own).collect()
}
