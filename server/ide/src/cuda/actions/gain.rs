//! Gain of a source change, from simulations of the launches before and after the change.

use super::place::EditSite;
use crate::TextEdit;
use crate::cuda::kernels::subject;
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use advisor::cuda::Subject;
use advisor::memory::counted;
use model::MemorySpace;
use model::cuda::Site;
use std::ops::Range;

/// Total cost of a set of memory accesses in all simulated launches.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// Number of requests with a known cost.
    requests: f64,
    /// Number of sectors or wavefronts of these requests.
    taken: f64,
    /// Number of requests with an unknown cost.
    unknown: f64,
}

/// Compares a kernel before and after edits. `None` if a warp cannot be simulated to its end in either
/// version, or if the comparison returns `None`.
pub(super) fn compare<T>(
    place: &EditSite<'_>,
    edits: &[TextEdit],
    comparison: impl FnOnce(&Subject<'_>, &Subject<'_>) -> Option<T>,
) -> Cancellable<Option<T>> {
    let gpu = place.view.target_gpu().gpu;
    let before = subject(place.view, place.item, place.function, &gpu)?;
    // Apply the last edit first, so that the ranges of earlier edits stay valid.
    let text = edits
        .iter()
        .rev()
        .fold(place.view.text.clone(), |text, edit| text.edit(edit.range.clone(), &edit.text));
    let view = CudaView { text: &text, ..*place.view };
    let Some((item, _, kernel)) = view.kernels().find(|(item, ..)| *item == place.item) else {
        return Ok(None);
    };
    let after = subject(&view, item, kernel, &gpu)?;
    let is_whole =
        |subject: &Subject<'_>| !subject.launches.is_empty() && subject.runs().all(|run| run.is_whole);
    Ok(if is_whole(&before) && is_whole(&after) { comparison(&before, &after) } else { None })
}

/// Returns the total cost of a kernel's accesses to a memory space that satisfy `is_meant`.
pub(super) fn cost(subject: &Subject<'_>, space: MemorySpace, is_meant: impl Fn(&Site) -> bool) -> Cost {
    let mut sum = Cost::default();
    for (site, used) in subject.runs().flat_map(|run| &run.uses) {
        if used.space == space && is_meant(site) {
            sum.requests += used.requests;
            sum.taken += used.taken;
            sum.unknown += used.unknown;
        }
    }
    sum
}

impl Cost {
    /// Returns the average number of sectors or wavefronts per request.
    pub(super) fn a_request(self) -> f64 {
        self.taken / self.requests.max(1.0)
    }

    /// Returns the cost per request before and after: `32 -> 1`. `None` if the cost does not fall, or if more
    /// requests have an unknown cost after the change.
    pub(super) fn falls_to(self, after: Self) -> Option<String> {
        let a_request = |of: Self| counted(of.taken / of.requests);
        let is_known = self.requests > 0.0 && after.requests > 0.0 && after.unknown <= self.unknown;
        let (before, now) = (a_request(self), a_request(after));
        (is_known && after.taken < self.taken && before != now).then(|| format!("{before} -> {now}"))
    }

    /// Returns this cost with the request count limited to that of `other`. Use this if one request of `other` replaces
    /// several requests of this cost, so that the averages per request refer to the same number of requests.
    pub(super) fn joined_like(self, other: Self) -> Self {
        Self { requests: self.requests.min(other.requests), ..self }
    }

    /// True if the cost is at most that of `before`, and no more requests than before have an unknown cost.
    pub(super) fn is_no_more_than(self, before: Self) -> bool {
        self.taken <= before.taken && self.unknown <= before.unknown
    }
}

/// Returns the position of a range after the edits that precede it are applied.
pub(super) fn moved(range: &Range<usize>, edits: &[TextEdit]) -> Range<usize> {
    let mut moved = range.clone();
    for edit in edits.iter().filter(|edit| edit.range.end <= range.start) {
        moved.start = moved.start + edit.text.len() - edit.range.len();
        moved.end = moved.end + edit.text.len() - edit.range.len();
    }
    moved
}
