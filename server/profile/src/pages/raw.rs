//! The raw page: a row of titles, a row of units, then one row per launch.

use super::head::{Head, is_of_launch};
use super::table::{cut, rows, value};
use crate::launch::{Instances, Launch, Metric, Profile};
use crate::limits::{MAX_COLUMNS, ReadLimits};
use crate::units::{base, scaled};
use std::sync::Arc;

/// Reads the page; `None` if the title row has no column for the kernel name.
pub(super) fn read(text: &str) -> Option<Profile> {
    let mut rows = rows(text);
    let titles: Vec<Arc<str>> = rows.next()?.iter().map(Arc::from).collect();
    let head = Head::from_titles(&titles)?;
    if titles.len() > MAX_COLUMNS {
        return None;
    }
    let units: Vec<(f64, String)> = rows.next()?.iter().map(base).collect();
    // The file was truncated inside an incomplete row.
    let whole = rows.filter(|row| row.len() == titles.len());
    let mut room = ReadLimits::default();
    let metric_columns = titles.iter().filter(|title| !is_of_launch(title)).count();
    let launches = whole.take_while(|_| room.take(metric_columns)).map(|row| {
        let metrics = titles.iter().zip(&units).zip(&row);
        let metrics = metrics.filter(|((title, _), _)| !is_of_launch(title));
        let metrics = metrics.map(|((title, (factor, unit)), text)| {
            let value = value(text).and_then(|value| scaled(value, *factor));
            let unit = (!unit.is_empty()).then(|| unit.clone());
            (Arc::clone(title), Metric { value, unit, instances: Instances::None })
        });
        Launch { metrics: metrics.collect(), ..head.launch(&row) }
    });
    let launches = launches.collect();
    Some(Profile { launches, cut: room.over.or_else(|| cut(text)) })
}
