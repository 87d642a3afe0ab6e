//! Compares two profiles of the same kernels, recorded before and after a change.

use crate::engine::profile_launch::is_of;
use crate::profiles::{Launch, Profile, Thresholds, Tree, UnknownGpu, tree};
use serde::Serialize;

/// Two profiles, compared launch by launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedProfiles {
    /// Launches in both profiles, in the order of the later profile.
    pub launches: Vec<ComparedLaunch>,
    /// Launches that are only in the earlier profile.
    pub only_before: Vec<LaunchName>,
    /// Launches that are only in the later profile.
    pub only_after: Vec<LaunchName>,
}

/// Kernel, grid and block of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaunchName {
    pub kernel: String,
    pub grid: Option<[u64; 3]>,
    pub block: Option<[u64; 3]>,
}

/// A launch before and after the change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedLaunch {
    pub before: LaunchName,
    pub after: LaunchName,
    /// Speed-up: duration before divided by duration after. Null if either duration is unknown.
    pub times_as_fast: Option<f64>,
    pub figures: Vec<ComparedFigure>,
    /// Stalls by reason, largest change first.
    pub stalls: Vec<ComparedStall>,
}

/// A figure of a launch in both profiles. Null for a profile without the figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedFigure {
    pub name: &'static str,
    /// Readable name, for display.
    pub title: &'static str,
    /// Unit, such as `ns`, `cycle` or `%`. Empty for a ratio.
    pub unit: &'static str,
    pub before: Option<f64>,
    pub after: Option<f64>,
}

/// Stalls for a single reason in both profiles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedStall {
    pub reason: String,
    /// Readable name of the reason, for display.
    pub title: String,
    /// Share of all stalls, 0 to 1.
    pub share_before: f64,
    pub share_after: f64,
    /// Cycles in which a scheduler issued nothing for this reason. Null if the profile does not contain cycles.
    pub cycles_before: Option<f64>,
    pub cycles_after: Option<f64>,
}

/// Launch figures that are metrics: name, title, unit, and the metrics to read, preferred metric first.
const FIGURES: [(&str, &str, &str, &[&str]); 6] = [
    ("duration", "duration", "ns", &["gpu__time_duration.sum"]),
    (
        "cycles",
        "duration",
        "cycle",
        &["sm__cycles_elapsed.max", "smsp__cycles_elapsed.max", "gpc__cycles_elapsed.max"],
    ),
    ("registers", "registers per thread", "register", &["launch__registers_per_thread"]),
    ("shared_memory", "shared memory per block", "byte", &["launch__shared_mem_per_block"]),
    ("theoretical_occupancy", "theoretical occupancy", "%", &["sm__maximum_warps_per_active_cycle_pct"]),
    ("achieved_occupancy", "achieved occupancy", "%", &["sm__warps_active.avg.pct_of_peak_sustained_active"]),
];

/// Compares the launches of two profiles. Launches of the same kernel are paired first if their grid and block are
/// equal. Other launches of the kernel are paired in order.
///
/// `gpu` is the GPU to assume for a profile that does not name one. `Err` if this GPU is unknown.
pub fn compare(
    before: &Profile,
    after: &Profile,
    gpu: Option<&str>,
    thresholds: &Thresholds,
) -> Result<ComparedProfiles, UnknownGpu> {
    let pairs = pairs(&before.launches, &after.launches);
    let compared = |(one, other): &(usize, usize)| {
        let (before, after) = (&before.launches[*one], &after.launches[*other]);
        Ok(launch(&(before, tree(before, gpu, thresholds)?), &(after, tree(after, gpu, thresholds)?)))
    };
    let launches = pairs.iter().map(compared).collect::<Result<_, UnknownGpu>>()?;
    let rest = |all: &[Launch], is_paired: &dyn Fn(usize) -> bool| -> Vec<LaunchName> {
        let own = all.iter().enumerate().filter(|(at, _)| !is_paired(*at));
        own.map(|(_, launch)| name(launch)).collect()
    };
    Ok(ComparedProfiles {
        launches,
        only_before: rest(&before.launches, &|at| pairs.iter().any(|(one, _)| *one == at)),
        only_after: rest(&after.launches, &|at| pairs.iter().any(|(_, other)| *other == at)),
    })
}

/// Returns the indices of paired launches, `(before, after)`, in the order of the later profile.
fn pairs(before: &[Launch], after: &[Launch]) -> Vec<(usize, usize)> {
    let mut is_taken = vec![false; before.len()];
    let mut partners: Vec<Option<usize>> = vec![None; after.len()];
    let is_same_kernel = |one: &Launch, other: &Launch| {
        one.kernel.demangled == other.kernel.demangled || is_of(one, &other.kernel.demangled)
    };
    for by_size in [true, false] {
        for (own, partner) in after.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let fits = |at: &usize| {
                let other = &before[*at];
                let is_same_size = (other.grid, other.block) == (own.grid, own.block);
                !is_taken[*at] && (is_same_size || !by_size) && is_same_kernel(other, own)
            };
            if let Some(found) = (0..before.len()).find(fits) {
                is_taken[found] = true;
                *partner = Some(found);
            }
        }
    }
    let paired = partners.into_iter().enumerate();
    paired.filter_map(|(after, before)| Some((before?, after))).collect()
}

fn name(launch: &Launch) -> LaunchName {
    LaunchName { kernel: launch.kernel.demangled.clone(), grid: launch.grid, block: launch.block }
}

/// A launch and its top-down tree. `None` if its profile has no stall reasons.
type LaunchTree<'a> = (&'a Launch, Option<Tree>);

fn launch(before: &LaunchTree<'_>, after: &LaunchTree<'_>) -> ComparedLaunch {
    let figures = figures(before, after);
    let pair = |name: &str| {
        let own = figures.iter().find(|figure| figure.name == name)?;
        own.before.zip(own.after).filter(|(_, after)| *after > 0.0)
    };
    let times_as_fast = pair("duration").or_else(|| pair("cycles")).map(|(before, after)| before / after);
    ComparedLaunch {
        before: name(before.0),
        after: name(after.0),
        times_as_fast,
        stalls: stalls(before, after),
        figures,
    }
}

fn metric(launch: &Launch, names: &[&str]) -> Option<f64> {
    names.iter().find_map(|name| launch.metric(name)).filter(|value| value.is_finite())
}

/// Returns the figures in either profile: first figures from metrics, then figures from the top-down trees.
fn figures(before: &LaunchTree<'_>, after: &LaunchTree<'_>) -> Vec<ComparedFigure> {
    let mut figures: Vec<ComparedFigure> = FIGURES
        .iter()
        .map(|(name, title, unit, metrics)| ComparedFigure {
            name,
            title,
            unit,
            before: metric(before.0, metrics),
            after: metric(after.0, metrics),
        })
        .collect();
    for (is_before, (_, tree)) in [(true, before), (false, after)] {
        let facts = tree.iter().flat_map(|tree| tree.root.facts.iter().chain(&tree.figures));
        for fact in facts {
            let at = figures.iter().position(|own| own.name == fact.name).unwrap_or_else(|| {
                let (name, title, unit) = (fact.name, fact.title, fact.unit);
                figures.push(ComparedFigure { name, title, unit, before: None, after: None });
                figures.len() - 1
            });
            let own = &mut figures[at];
            let value = if is_before { &mut own.before } else { &mut own.after };
            value.get_or_insert(fact.value);
        }
    }
    figures.retain(|figure| figure.before.is_some() || figure.after.is_some());
    figures
}

/// Returns the stalls by reason, largest change first.
fn stalls(before: &LaunchTree<'_>, after: &LaunchTree<'_>) -> Vec<ComparedStall> {
    let mut stalls: Vec<ComparedStall> = Vec::new();
    for (is_before, (launch, tree)) in [(true, before), (false, after)] {
        let cycles = metric(launch, FIGURES[1].3);
        for node in tree.iter().flat_map(|tree| &tree.root.children).flat_map(|category| &category.children) {
            let at = stalls.iter().position(|own| own.reason == *node.name).unwrap_or_else(|| {
                stalls.push(ComparedStall {
                    reason: node.name.to_string(),
                    title: node.title.to_string(),
                    share_before: 0.0,
                    share_after: 0.0,
                    cycles_before: None,
                    cycles_after: None,
                });
                stalls.len() - 1
            });
            let stalled = cycles.zip(node.of_cycles).map(|(cycles, share)| cycles * share);
            let own = &mut stalls[at];
            if is_before {
                (own.share_before, own.cycles_before) = (node.of_stalls, stalled);
            } else {
                (own.share_after, own.cycles_after) = (node.of_stalls, stalled);
            }
        }
    }
    // A stall reason that is missing in a profile took 0 cycles, if this profile has cycles for other
    // reasons.
    let states = |side: fn(&ComparedStall) -> Option<f64>| stalls.iter().any(|own| side(own).is_some());
    let (before, after) = (states(|own| own.cycles_before), states(|own| own.cycles_after));
    for own in &mut stalls {
        own.cycles_before = own.cycles_before.or(before.then_some(0.0));
        own.cycles_after = own.cycles_after.or(after.then_some(0.0));
    }
    stalls.sort_by(|one, other| other.change().total_cmp(&one.change()));
    stalls
}

impl ComparedStall {
    /// Returns the absolute change. The change is in cycles if both profiles have cycles, otherwise it is the
    /// change of the share.
    fn change(&self) -> f64 {
        let cycles = self.cycles_before.zip(self.cycles_after);
        cycles.map_or_else(
            || (self.share_after - self.share_before).abs(),
            |(before, after)| (after - before).abs(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Kernel, Metric, Value};

    fn launch(kernel: &str, grid: u64, metrics: &[(&str, f64)]) -> Launch {
        let metric = |value: f64| Metric { value: Some(Value::Number(value)), ..Metric::default() };
        Launch {
            kernel: Kernel { mangled: None, demangled: kernel.to_owned() },
            grid: Some([grid, 1, 1]),
            block: Some([256, 1, 1]),
            metrics: metrics.iter().map(|(name, value)| ((*name).into(), metric(*value))).collect(),
            ..Launch::default()
        }
    }

    fn compared(before: Vec<Launch>, after: Vec<Launch>) -> ComparedProfiles {
        let profile = |launches| Profile { launches, cut: None };
        compare(&profile(before), &profile(after), None, &Thresholds::default()).unwrap()
    }

    #[test]
    fn launches_belong_together_by_their_size_else_by_their_order() {
        let of = |sizes: &[u64]| sizes.iter().map(|grid| launch("k(int)", *grid, &[])).collect::<Vec<_>>();
        let found = compared(of(&[1, 2, 3, 4]), of(&[3, 5, 1]));
        let pairs: Vec<_> = found
            .launches
            .iter()
            .map(|own| (own.before.grid.unwrap()[0], own.after.grid.unwrap()[0]))
            .collect();
        assert_eq!(pairs, [(3, 3), (2, 5), (1, 1)]);
        assert_eq!(found.only_before, [name(&launch("k(int)", 4, &[]))]);
        let found = compared(vec![launch("one()", 1, &[])], vec![launch("two()", 1, &[])]);
        assert_eq!((found.launches.len(), found.only_before.len(), found.only_after.len()), (0, 1, 1));
    }

    #[test]
    fn figures_and_stalls_have_both_sides() {
        let reason = |name: &str| format!("smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio");
        let (memory, wait) = (reason("long_scoreboard"), reason("wait"));
        let ipc = "sm__inst_executed.avg.per_cycle_active";
        let before = launch(
            "k()",
            1,
            &[
                (&memory, 3.0),
                (&wait, 1.0),
                (ipc, 1.0),
                ("gpu__time_duration.sum", 300.0),
                ("sm__cycles_elapsed.max", 400.0),
            ],
        );
        let after = launch(
            "k()",
            1,
            &[(&wait, 1.0), (ipc, 2.0), ("gpu__time_duration.sum", 200.0), ("sm__cycles_elapsed.max", 300.0)],
        );
        let found = compared(vec![before], vec![after]);
        let own = &found.launches[0];
        assert_eq!(own.times_as_fast, Some(1.5));
        let stalls: Vec<_> = own
            .stalls
            .iter()
            .map(|own| (&*own.reason, own.share_before, own.share_after, own.cycles_before, own.cycles_after))
            .collect();
        assert_eq!(
            stalls,
            [
                ("long_scoreboard", 0.75, 0.0, Some(225.0), Some(0.0)),
                ("wait", 0.25, 1.0, Some(75.0), Some(150.0))
            ]
        );
        let figure = own.figures.iter().find(|figure| figure.name == "ipc").unwrap();
        assert_eq!((figure.before, figure.after), (Some(1.0), Some(2.0)));
    }
}
