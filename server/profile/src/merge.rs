//! Merges profiles of several GPUs or runs into one profile. Kernels of the same name are merged, and so are their
//! instructions at the same offsets (Hao et al., DrGPU, ICPE 2023, "Profile Coalesce").

use crate::instructions::{Instructions, is_count};
use crate::launch::{Function, Instances, Launch, Metric, Profile, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns one launch per kernel name, in order of first occurrence. Counts are summed over all launches.
/// Maxima and minima are kept. All other figures are means, weighted by the number of launches.
pub fn merged(profiles: &[Profile]) -> Vec<Launch> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<&Launch>> = Vec::new();
    for launch in profiles.iter().flat_map(|profile| &profile.launches) {
        let at = *places.entry(&launch.kernel.demangled).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(launch);
    }
    groups.iter().map(|group| merge(group)).collect()
}

/// Aggregation of a metric's values from several launches.
#[derive(Clone, Copy, PartialEq)]
enum Aggregation {
    Sum,
    Largest,
    Least,
    Mean,
}

impl Aggregation {
    fn from_launches(metric: &str, launches: &[&Launch]) -> Self {
        match metric.split_once('.').map(|(_, kind)| kind) {
            Some("sum") => Self::Sum,
            Some("max") => Self::Largest,
            Some("min") => Self::Least,
            None if is_count(metric) && launches.iter().any(|launch| launch.has_counts(metric)) => Self::Sum,
            Some(_) | None => Self::Mean,
        }
    }

    /// The aggregate of pairs of weight and value; `None` if there are no pairs, or if the values are different texts.
    fn value(self, values: &[(u64, &Value)]) -> Option<Value> {
        let first = values.first()?.1;
        let counts: Option<Vec<u64>> = values.iter().map(|(_, value)| value.count()).collect();
        let numbers: Option<Vec<f64>> = values.iter().map(|(_, value)| value.number()).collect();
        let Some(numbers) = numbers else {
            // Texts that differ have no aggregate.
            return values.iter().all(|(_, value)| *value == first).then(|| first.clone());
        };
        match (self, counts) {
            (Self::Sum, Some(counts)) => {
                Some(Value::Count(counts.iter().fold(0, |sum, own| sum.saturating_add(*own))))
            }
            (Self::Sum, None) => Value::finite(numbers.iter().sum()),
            (Self::Largest, Some(counts)) => counts.into_iter().max().map(Value::Count),
            (Self::Largest, None) => numbers.into_iter().reduce(f64::max).map(Value::Number),
            (Self::Least, Some(counts)) => counts.into_iter().min().map(Value::Count),
            (Self::Least, None) => numbers.into_iter().reduce(f64::min).map(Value::Number),
            (Self::Mean, _) if values.iter().all(|(_, value)| *value == first) => Some(first.clone()),
            (Self::Mean, _) => {
                let weights: f64 = values.iter().map(|(weight, _)| *weight as f64).sum();
                let sum: f64 =
                    values.iter().zip(&numbers).map(|((weight, _), own)| *weight as f64 * own).sum();
                Value::finite(sum / weights)
            }
        }
    }
}

/// A value that is equal in all launches; `None` if the launches differ.
fn shared<T: Clone + PartialEq>(launches: &[&Launch], part: impl Fn(&Launch) -> Option<T>) -> Option<T> {
    let first = part(launches.first()?)?;
    launches.iter().all(|launch| part(launch).as_ref() == Some(&first)).then_some(first)
}

fn merge(launches: &[&Launch]) -> Launch {
    if let [only] = launches {
        return Launch::clone(only);
    }
    let weight = |launch: &Launch| launch.averaged.unwrap_or(1);
    let mut values: BTreeMap<&Arc<str>, Vec<(u64, &Value)>> = BTreeMap::new();
    for launch in launches {
        for (name, metric) in &launch.metrics {
            let own = values.entry(name).or_default();
            own.extend(metric.value.as_ref().map(|value| (weight(launch), value)));
        }
    }
    let unit = |name: &str| shared(launches, |launch| launch.metrics.get(name)?.unit.clone());
    let metrics = values.into_iter().map(|(name, values)| {
        let value = Aggregation::from_launches(name, launches).value(&values);
        (Arc::clone(name), Metric { value, unit: unit(name), instances: Instances::None })
    });
    let first = launches[0];
    let mut named: BTreeMap<&Option<Arc<str>>, Vec<(u64, &Function)>> = BTreeMap::new();
    for launch in launches {
        for function in &launch.functions {
            named.entry(&function.name).or_default().push((weight(launch), function));
        }
    }
    let functions = named.into_iter().map(|(name, own)| {
        let lines = own[0].1.lines.clone();
        let own: Vec<_> =
            own.into_iter().map(|(weight, function)| (weight, &function.instructions)).collect();
        Function { name: name.clone(), instructions: instructions(&own), lines }
    });
    let own: Vec<_> = launches.iter().map(|launch| (weight(launch), &launch.instructions)).collect();
    Launch {
        kernel: first.kernel.clone(),
        averaged: Some(launches.iter().fold(0, |sum, launch| sum.saturating_add(weight(launch)))),
        grid: shared(launches, |launch| launch.grid),
        block: shared(launches, |launch| launch.block),
        device: shared(launches, |launch| launch.device),
        device_name: shared(launches, |launch| launch.device_name.clone()),
        capability: shared(launches, |launch| launch.capability),
        metrics: metrics.collect(),
        instructions: instructions(&own),
        lines: first.lines.clone(),
        functions: functions.collect(),
        code: shared(launches, |launch| launch.code.clone()),
        sources: shared(launches, |launch| Some(Arc::clone(&launch.sources))).unwrap_or_default(),
        details: Vec::new(),
    }
}

/// Weights and counts of instructions, by offset.
type Column = BTreeMap<u64, Vec<(u64, Value)>>;

/// Merges the instructions of several launches, each with its weight.
fn instructions(parts: &[(u64, &Instructions)]) -> Instructions {
    let all = || parts.iter().map(|(_, own)| *own);
    let mut merged = Instructions::at(all().flat_map(Instructions::offsets).copied().collect());
    if let Some(own) = all().find(|own| own.offsets() == merged.offsets() && own.text(0).is_some()) {
        merged.set_texts((0..own.len()).filter_map(|at| own.text(at)).map(Into::into).collect());
    }
    let mut columns: BTreeMap<Arc<str>, Column> = BTreeMap::new();
    for (weight, own) in parts {
        for metric in own.metrics() {
            let column = columns.entry(metric.into()).or_default();
            for (offset, count) in own.counts(metric) {
                column.entry(offset).or_default().push((*weight, Value::Number(count)));
            }
        }
    }
    for (metric, column) in columns {
        let way = if is_count(&metric) { Aggregation::Sum } else { Aggregation::Mean };
        let counts = column.into_iter().filter_map(|(offset, values)| {
            let values: Vec<(u64, &Value)> = values.iter().map(|(weight, value)| (*weight, value)).collect();
            Some((offset, way.value(&values)?.number()?))
        });
        merged.add(metric, counts);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Kernel;

    fn launch(
        kernel: &str,
        averaged: Option<u64>,
        metrics: &[(&str, Value)],
        samples: &[(u64, f64)],
    ) -> Launch {
        let mut instructions = Instructions::at(samples.iter().map(|(offset, _)| *offset).collect());
        instructions.add("inst_executed".into(), samples.iter().copied());
        let metric = |value: &Value| Metric { value: Some(value.clone()), ..Metric::default() };
        Launch {
            kernel: Kernel { mangled: None, demangled: kernel.to_owned() },
            averaged,
            grid: Some([8, 1, 1]),
            metrics: metrics.iter().map(|(name, value)| (Arc::from(*name), metric(value))).collect(),
            instructions,
            ..Launch::default()
        }
    }

    #[test]
    fn counts_add_up_and_the_rest_is_a_mean_over_launches() {
        let text = |text: &str| Value::Text(text.to_owned());
        let one = [
            ("a.sum", Value::Count(10)),
            ("b.pct", Value::Number(50.0)),
            ("c.max", Value::Count(3)),
            ("c.min", Value::Number(1.5)),
            ("inst_executed", Value::Count(4)),
            ("name", text("x")),
        ];
        let two = [
            ("a.sum", Value::Count(5)),
            ("b.pct", Value::Number(90.0)),
            ("c.max", Value::Count(7)),
            ("c.min", Value::Number(0.5)),
            ("inst_executed", Value::Count(2)),
            ("name", text("y")),
        ];
        let profile = |launches: Vec<Launch>| Profile { launches, cut: None };
        let profiles = [
            profile(vec![launch("k", None, &one, &[(0, 3.0), (16, 1.0)]), launch("other", None, &[], &[])]),
            profile(vec![launch("k", Some(3), &two, &[(16, 2.0), (32, 5.0)])]),
        ];
        let all = merged(&profiles);
        assert_eq!(all.iter().map(|launch| launch.averaged).collect::<Vec<_>>(), [Some(4), None]);
        let value = |name: &str| all[0].metrics[name].value.clone();
        assert_eq!((value("a.sum"), value("b.pct")), (Some(Value::Count(15)), Some(Value::Number(80.0))));
        assert_eq!((value("c.max"), value("c.min")), (Some(Value::Count(7)), Some(Value::Number(0.5))));
        assert_eq!((value("inst_executed"), value("name")), (Some(Value::Count(6)), None));
        assert_eq!(all[0].grid, Some([8, 1, 1]));
        let own = &all[0].instructions;
        let counts: Vec<_> = (0..own.len()).map(|at| own.count("inst_executed", at)).collect();
        assert_eq!((own.offsets(), counts), (&[0, 16, 32][..], vec![Some(3.0), Some(3.0), Some(5.0)]));
    }

    #[test]
    fn a_metric_that_no_launch_has_stays_without_a_value() {
        let one = |averaged| {
            let mut launch = launch("k", averaged, &[("zero", Value::Number(1.0))], &[]);
            launch.metrics.extend(["a.sum", "b.pct"].map(|name| (Arc::from(name), Metric::default())));
            Profile { launches: vec![launch], cut: None }
        };
        let all = merged(&[one(Some(u64::MAX)), one(Some(u64::MAX))]);
        assert_eq!((all[0].metric("a.sum"), all[0].metric("b.pct")), (None, None));
        assert_eq!((all[0].metric("zero"), all[0].averaged), (Some(1.0), Some(u64::MAX)));
        let mut of_none = [one(Some(0)), one(Some(0))];
        of_none[0].launches[0]
            .metrics
            .insert("zero".into(), Metric { value: Some(Value::Count(7)), ..Metric::default() });
        assert_eq!(merged(&of_none)[0].metric("zero"), None);
    }
}
