//! Figures of a details page. Metrics requested by name are printed under their names, and other figures
//! under titles.

use crate::launch::{Detail, Instances, Launch, Metric, Value};
use crate::units::{base, scaled};
use std::sync::Arc;

/// True if a title is the name of a metric: `sm__inst_executed.avg.per_cycle_active`.
pub(super) fn is_metric(title: &str) -> bool {
    title.contains("__") && !title.contains(char::is_whitespace)
}

/// Adds a figure to a launch: a metric under its name in its base unit, or a detail under its title.
pub(super) fn add(launch: &mut Launch, section: &Arc<str>, title: &str, unit: &str, value: Option<Value>) {
    if is_metric(title) {
        let (factor, unit) = base(unit);
        let value = value.and_then(|value| scaled(value, factor));
        let metric = Metric { value, unit: (!unit.is_empty()).then_some(unit), instances: Instances::None };
        launch.metrics.insert(title.into(), metric);
    } else {
        let unit = (!unit.is_empty()).then(|| unit.into());
        launch.details.push(Detail { section: Arc::clone(section), title: title.into(), unit, value });
    }
}
