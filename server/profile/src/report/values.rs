//! Metrics of a report and their values.

use super::schema::{self, Element, MetricValue};
use crate::launch::{Instances, Metric, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The metrics, by their names.
pub(super) fn metrics(all: Vec<schema::Metric>, names: &[Arc<str>]) -> BTreeMap<Arc<str>, Metric> {
    let named = all.into_iter().filter_map(|metric| {
        let name = names.get(metric.name as usize)?;
        let value = metric.value.and_then(value);
        Some((Arc::clone(name), Metric { value, unit: None, instances: instances(metric.parts) }))
    });
    named.collect()
}

fn value(value: MetricValue) -> Option<Value> {
    let MetricValue { text, single, double, short, long } = value;
    let count = || long.or(short.map(u64::from)).map(Value::Count);
    let number = || double.or(single.map(f64::from)).and_then(Value::finite);
    text.map(schema::text).map(Value::Text).or_else(count).or_else(number)
}

fn instances(parts: Vec<Element>) -> Instances {
    let mut by_number = Vec::new();
    let mut by_name = Vec::new();
    for part in parts {
        let (Some(key), Some(value)) = (part.key.and_then(value), part.value.and_then(value)) else {
            continue;
        };
        match key {
            Value::Count(key) => by_number.push((key, value)),
            Value::Text(key) => by_name.push((key, value)),
            Value::Number(_) => {}
        }
    }
    match (by_number.is_empty(), by_name.is_empty()) {
        (true, true) => Instances::None,
        (false, _) => Instances::ByNumber(by_number),
        (true, false) => Instances::ByName(by_name),
    }
}
