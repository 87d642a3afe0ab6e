//! Figures as nvprof prints them, and the launches that they describe.

use crate::launch::{Instances, Kernel, Launch, Metric, Value};
use crate::units::nanoseconds;

/// Reads a figure with its unit: `14.079GB/s`, `100.00%`, `Idle (0)`, `5.4000e+10`.
pub(super) fn metric(text: &str) -> Metric {
    let text = text.trim();
    let length = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | 'e')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(length);
    let value = match (digits.parse::<u64>(), digits.parse::<f64>()) {
        (Ok(count), _) => Some(Value::Count(count)),
        (_, Ok(number)) if number.is_finite() => Some(Value::Number(number)),
        _ if text.is_empty() || text.starts_with('<') => None,
        _ => Some(Value::Text(text.to_owned())),
    };
    let is_number = matches!(value, Some(Value::Count(_) | Value::Number(_)));
    let unit = (is_number && !unit.is_empty()).then(|| unit.to_owned());
    in_nanoseconds(Metric { value, unit, instances: Instances::None })
}

/// Converts a time to nanoseconds. Other figures are returned unchanged.
pub(super) fn in_nanoseconds(metric: Metric) -> Metric {
    let Some(count) = metric.unit.as_deref().and_then(nanoseconds) else { return metric };
    let value = metric.value.and_then(|value| Value::finite(value.number()? * count));
    Metric { value, unit: Some("ns".to_owned()), instances: metric.instances }
}

/// Reads the name and number of a GPU: `Tesla K20c (0)`.
pub(super) fn device(text: &str) -> (Option<String>, Option<u64>) {
    let text = text.trim().trim_matches('"');
    let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    match parts.map(|(name, number)| (name, number.parse())) {
        Some((name, Ok(number))) => (Some(name.to_owned()), Some(number)),
        _ => ((!text.is_empty()).then(|| text.to_owned()), None),
    }
}

/// Returns the launch in `launches` that holds the averages of this kernel on this GPU. Adds the launch if it is
/// missing.
pub(super) fn launch_of<'l>(
    launches: &'l mut Vec<Launch>,
    kernel: &str,
    device_name: Option<String>,
    device: Option<u64>,
    averaged: Option<u64>,
) -> &'l mut Launch {
    let is_own = |launch: &Launch| launch.kernel.demangled == kernel && launch.device == device;
    let at = launches.iter().position(is_own).unwrap_or_else(|| {
        let kernel = Kernel { mangled: None, demangled: kernel.to_owned() };
        launches.push(Launch { kernel, averaged, device, device_name, ..Launch::default() });
        launches.len() - 1
    });
    &mut launches[at]
}
