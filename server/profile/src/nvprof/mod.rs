//! What nvprof prints of metrics, of events and of the GPU's trace, as csv or as plain tables.
//!
//! nvprof runs on no GPU since sm_75, and people keep its logs. The forms are those of logs that are public: metrics as csv of a Tesla K20c
//! (the benchmarks of the Forma compiler), plain tables of a GeForce GTX 1070 and a Tesla V100 (solutions of exercises from books),
//! traces as csv of a GeForce RTX 2080 Ti (the tests of a profiler for reinforcement learning).

mod plain;
mod tables;
#[cfg(test)]
mod tests;

use crate::{Instances, Kernel, Launch, Metric, Profile, Value, whole_lines};

/// Reads a log; `None` where it has none of these tables.
pub(super) fn read(text: &str) -> Option<Profile> {
    let whole = whole_lines(text);
    if !whole.lines().any(|line| tables::is_head(line) || plain::is_head(line)) {
        return None;
    }
    let mut launches = tables::read(whole);
    launches.extend(plain::read(whole));
    let cut = (whole.len() < text.len()).then(|| format!("the log ends in line {}", text.lines().count()));
    Some(Profile { launches, cut })
}

/// A figure with its unit: `14.079GB/s`, `100.00%`, `Idle (0)`, `5.4000e+10`.
fn metric(text: &str) -> Metric {
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
    Metric { value, unit, instances: Instances::None }
}

/// Name and number of a GPU: `Tesla K20c (0)`.
fn device(text: &str) -> (Option<String>, Option<u64>) {
    let text = text.trim().trim_matches('"');
    let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    match parts.map(|(name, number)| (name, number.parse())) {
        Some((name, Ok(number))) => (Some(name.to_owned()), Some(number)),
        _ => ((!text.is_empty()).then(|| text.to_owned()), None),
    }
}

/// The launch that averages of a kernel on a GPU are kept in.
fn launch_of<'l>(
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
