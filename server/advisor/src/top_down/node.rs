//! Nodes of the tree, with their facts, instructions and advice.

use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A share of the cycles in which no instruction was issued.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    /// Name that is unique among siblings: `device_memory`, `long_scoreboard`, `l2`.
    pub name: Cow<'static, str>,
    /// The title for readers: `device memory`.
    pub title: Cow<'static, str>,
    /// Share of the parent's stalls, 0 to 1. The shares of siblings sum to 1.
    pub share: f64,
    /// Share of all stalls, 0 to 1: the product of the shares from the root to this node.
    pub of_stalls: f64,
    /// Share of all issue slots, 0 to 1; `None` if the profile does not count stalled slots.
    pub of_cycles: Option<f64>,
    /// The figures from which the share was computed, and other figures of the unit.
    pub facts: Vec<Fact>,
    pub children: Vec<Node>,
    /// The instructions with the most samples of a stall reason, in descending order.
    pub places: Vec<Hotspot>,
    pub advice: Vec<Advice>,
}

impl Node {
    /// Returns a node with this share of its parent. [`Node::weigh`] sets the other shares.
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'static, str>>,
        share: f64,
    ) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            share,
            of_stalls: share,
            of_cycles: None,
            facts: Vec::new(),
            children: Vec::new(),
            places: Vec::new(),
            advice: Vec::new(),
        }
    }

    /// Multiplies the shares down the tree, starting from the parent's shares of all stalls and issue slots.
    pub(super) fn weigh(&mut self, of_stalls: f64, of_cycles: Option<f64>) {
        self.of_stalls = self.share * of_stalls;
        self.of_cycles = of_cycles.map(|of_cycles| self.share * of_cycles);
        let (of_stalls, of_cycles) = (self.of_stalls, self.of_cycles);
        self.children.iter_mut().for_each(|child| child.weigh(of_stalls, of_cycles));
    }

    /// Calls `change` for the node and all its descendants, parents before children.
    pub(super) fn walk_mut(&mut self, change: &mut impl FnMut(&mut Node)) {
        change(self);
        self.children.iter_mut().for_each(|child| child.walk_mut(change));
    }

    /// The node and all its descendants, parents before children.
    pub fn walk(&self) -> impl Iterator<Item = &Node> {
        let mut waiting = vec![self];
        std::iter::from_fn(move || {
            let node = waiting.pop()?;
            waiting.extend(node.children.iter().rev());
            Some(node)
        })
    }
}

/// Nodes for these amounts, in descending order. Their shares sum to 1. Empty if all amounts are zero.
pub(super) fn siblings(
    parts: impl IntoIterator<Item = (Cow<'static, str>, Cow<'static, str>, f64)>,
) -> Vec<Node> {
    let mut parts: Vec<_> = parts.into_iter().filter(|(.., amount)| *amount > 0.0).collect();
    let total: f64 = parts.iter().map(|(.., amount)| amount).sum();
    parts.sort_by(|(.., one), (.., other)| other.total_cmp(one));
    parts.into_iter().map(|(name, title, amount)| Node::new(name, title, amount / total)).collect()
}

/// A figure and its source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    /// Name of the figure: `shared_load_conflicts`.
    pub name: &'static str,
    /// The title for readers.
    pub title: &'static str,
    pub value: f64,
    /// Unit: `%`, `cycle`, `warp`; empty for a ratio.
    pub unit: &'static str,
    /// The metrics from which the value was computed, or its source in the machine data.
    pub source: String,
}

/// An instruction with its share of a stall reason's samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hotspot {
    /// Offset in bytes from the start of the kernel.
    pub address: u64,
    /// Text of the instruction; `None` if the profile has no text.
    pub text: Option<String>,
    /// Source file of the instruction; `None` if the profile has no source lines.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Share of the samples with this stall reason, 0 to 1.
    pub share: f64,
    pub samples: u64,
}

/// Advice that lowers the stalls of a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Code of the guide: `shared-load-conflicts`.
    pub code: &'static str,
    /// The advice as one sentence.
    pub text: &'static str,
    /// The figures, as text, that the advice is based on: `L1 throughput is 95 %`.
    pub because: Vec<String>,
    /// The gain and its reasons: `Up to 6.3x faster (estimated): L1 throughput is 95 %, and it explains 85 %
    /// of ...`
    pub sentence: String,
    /// True if the profile shows only the stalls and not their cause. The gain is then an upper bound.
    pub general: bool,
    /// Assumption about the change that leads to the gain; `None` if the guide's text states it.
    pub assumes: Option<&'static str>,
    /// Largest share of all stalls that is removed if the advice is followed at all its nodes, 0 to 1.
    pub removes: f64,
    /// Gain if the advice is followed at all its nodes; `None` if the profile lacks the figures.
    pub gain: Option<Gain>,
    /// Offset in bytes of the instruction that the advice points to; `None` for the node's instruction with
    /// the most stalls.
    pub address: Option<u64>,
    /// Rules of the static analysis that find the code to change.
    pub rules: &'static [String],
    /// Sources of the guide: `DrGPU 3` is the third condition of the paper's program.
    pub source: &'static [String],
}

/// The estimated gain of a changed launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// Current time divided by the expected time: 2 means half the time. At least 1.
    pub times: f64,
    /// True if the gain is an upper bound, because the profile does not determine the exact gain.
    pub is_bound: bool,
    /// The unit that limits the changed launch, with its current utilisation; `None` if the remaining stalls
    /// limit the launch.
    pub limit: Option<Fact>,
}

/// Gains below this fraction are negligible.
const SLIGHT: f64 = 0.05; // limit: less is not worth a mention

impl Gain {
    /// True if the expected gain is not negligible.
    pub fn is_worthwhile(&self) -> bool {
        self.times >= 1.0 + SLIGHT
    }
}

/// Prints, for example, `Up to 2.3x faster (estimated)`.
impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = if self.is_bound { "Up to" } else { "About" };
        let times = self.times;
        let digits = usize::from(times < 10.0);
        write!(f, "{words} {times:.digits$}x faster (estimated)")
    }
}

/// Prints, for example, `L1 throughput is 95 %`, `7.80 active warps per SM` or `waves of blocks: 0.06`.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, value, unit, .. } = self;
        let number = match value.abs() {
            size if size >= 10.0 || value.fract() == 0.0 => format!("{value:.0}"),
            _ => format!("{value:.2}"),
        };
        match *unit {
            "" if self.name.ends_with("_miss_ratio") => write!(f, "{title} are {:.0} %", 100.0 * value),
            "%" => write!(f, "{title} is {number} %"),
            unit if !unit.is_empty() && title.contains(unit) => write!(f, "{number} {title}"),
            "" => write!(f, "{title}: {number}"),
            unit => write!(f, "{title}: {number} {unit}{}", if number == "1" { "" } else { "s" }),
        }
    }
}

impl Advice {
    /// Order of advice: specific before general, then by descending gain, then by the share of stalls removed.
    pub(super) fn by_gain(&self, other: &Self) -> Ordering {
        let times = |own: &Self| own.gain.as_ref().map_or(0.0, |gain| gain.times);
        let by_gain = times(other).total_cmp(&times(self)).then(other.removes.total_cmp(&self.removes));
        self.general.cmp(&other.general).then(by_gain)
    }

    /// Sets [`Self::sentence`]: the gain, its reasons, and the unit that limits the changed launch.
    pub(super) fn say(&mut self) {
        let mut reasons = self.because.clone();
        if self.removes < 1.0 {
            let share = format!("it explains {:.0} % of the stalls", 100.0 * self.removes);
            reasons.push(share);
        }
        let mut gain = self.gain.as_ref().map_or_else(|| "Gain unknown".to_owned(), Gain::to_string);
        if let (Some(_), Some(assumes)) = (&self.gain, self.assumes) {
            gain = gain.replace("(estimated)", &format!("(estimated, with {assumes})"));
        }
        let reasons = match &reasons[..] {
            [] => String::new(),
            [only] => format!(": {only}"),
            [first @ .., last] => format!(": {}, and {last}", first.join(", ")),
        };
        let limit = self.gain.as_ref().and_then(|gain| gain.limit.as_ref());
        let limit = limit.map_or_else(String::new, |limit| {
            format!(" Then {} is the limit ({:.0} % now).", limit.title, limit.value)
        });
        self.sentence = format!("{gain}{reasons}.{limit}");
    }
}
