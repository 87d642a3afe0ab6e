//! Metrics of a report, and their values.

use super::frames::MessageError;
use super::schema::{self, Element, MetricValue, unpacked};
use crate::launch::{Instances, Metric, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Decodes the metrics of a report, keyed by name.
pub(super) fn metrics(
    all: &[Vec<u8>],
    names: &[Arc<str>],
) -> Result<BTreeMap<Arc<str>, Metric>, MessageError> {
    let mut found = BTreeMap::new();
    for packed in all {
        let metric: schema::Metric = unpacked(packed)?;
        let Some(name) = names.get(metric.name as usize) else { continue };
        let value = metric.value.and_then(value);
        let instances = instances(&metric.parts)?;
        found.insert(Arc::clone(name), Metric { value, unit: None, instances });
    }
    Ok(found)
}

fn value(value: MetricValue) -> Option<Value> {
    let MetricValue { text, single, double, short, long } = value;
    let count = || long.or(short.map(u64::from)).map(Value::Count);
    let number = || double.or(single.map(f64::from)).and_then(Value::finite);
    text.map(schema::text).map(Value::Text).or_else(count).or_else(number)
}

fn instances(parts: &[Vec<u8>]) -> Result<Instances, MessageError> {
    let mut by_number = Vec::new();
    let mut by_name = Vec::new();
    for part in parts {
        let Element { key, value: of } = unpacked(part)?;
        let (Some(key), Some(value)) = (key.and_then(value), of.and_then(value)) else {
            continue;
        };
        match key {
            Value::Count(key) => by_number.push((key, value)),
            Value::Text(key) => by_name.push((key, value)),
            Value::Number(_) => {}
        }
    }
    Ok(match (by_number.is_empty(), by_name.is_empty()) {
        (true, true) => Instances::None,
        (false, _) => Instances::ByNumber(by_number),
        (true, false) => Instances::ByName(by_name),
    })
}
