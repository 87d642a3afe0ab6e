//! Edits that reduce a list of configurations to the estimated best for the stated shapes, or to those that can run.

use super::TunedTriton;
use super::rank::{Standing, placed};
use crate::TextEdit;
use crate::engine::cancel::{Cancel, Cancellable};
use crate::words::numbers::counted;
use model::Gpu;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::triton::Element;

/// Number of configurations kept per shape.
const KEPT_OF_SHAPE: usize = 3; // limit: few enough to be timed by Triton

/// An offer to remove the configurations that are not worth trying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptConfigurations {
    /// One line on what is kept or removed, and on what basis.
    pub title: String,
    /// One line on the grounds for the edits.
    pub explanation: String,
    /// Edits in text order.
    pub edits: Vec<TextEdit>,
}

/// Reductions to offer; empty if the list is not a literal in one place, or nothing would be removed.
pub(crate) fn kept(
    own: &TunedTriton<'_>,
    text: &str,
    gpu: &Gpu,
    cancel: &Cancel,
) -> Cancellable<Vec<KeptConfigurations>> {
    let Some(list) = own.kernel.configurations.as_ref().filter(|list| !list.elements.is_empty()) else {
        return Ok(Vec::new());
    };
    let count = list.elements.len();
    let mut best = BTreeSet::new();
    let mut runs = BTreeSet::new();
    let mut is_timed = true;
    for shape in &own.tuning.shapes {
        let Ok(rows) = placed(own, shape, gpu, cancel)? else { return Ok(Vec::new()) };
        let mut timed = 0;
        for row in &rows {
            let Some(number) = row.number else { continue };
            match row.standing {
                Standing::Timed(_) => {
                    timed += 1;
                    runs.insert(number);
                    if timed <= KEPT_OF_SHAPE {
                        best.insert(number);
                    }
                }
                // Keep configurations about which nothing is known.
                Standing::Idle(_) | Standing::Unknown => {
                    best.insert(number);
                    runs.insert(number);
                }
                Standing::CannotRun => {}
            }
        }
        // Keep configurations that `where` excludes for this shape: they may serve another one.
        let ranked: BTreeSet<usize> = rows.iter().filter_map(|row| row.number).collect();
        runs.extend((0..count).filter(|number| !ranked.contains(number)));
        is_timed &= timed > 0;
    }
    let part = &gpu.part.name;
    let shapes = match own.tuning.shapes.as_slice() {
        [only] => only.to_string(),
        several => format!("the {} shapes of warplens.toml", several.len()),
    };
    let explanation = format!(
        "Estimated by the static model for {part}, not compiled, not run. The text states all configurations of the list."
    );
    let mut offered = Vec::new();
    if is_timed && best.len() < count {
        offered.push(KeptConfigurations {
            title: format!(
                "Keep the {} of {count} that are estimated best for {shapes} on {part} (not run)",
                counted(best.len(), "configuration")
            ),
            explanation: explanation.clone(),
            edits: edits(&list.elements, text, &best),
        });
    }
    if !runs.is_empty() && runs.len() < count && runs.len() != best.len() {
        offered.push(KeptConfigurations {
            title: format!(
                "Remove the {} that cannot run well on {part} (estimated)",
                counted(count - runs.len(), "configuration")
            ),
            explanation,
            edits: edits(&list.elements, text, &runs),
        });
    }
    Ok(offered)
}

/// Edits that remove elements from a list, except `kept`, each with its comma and its line if it is alone there.
fn edits(elements: &[Element], text: &str, kept: &BTreeSet<usize>) -> Vec<TextEdit> {
    let gone = elements.iter().enumerate().filter(|(number, _)| !kept.contains(number));
    let ranges = gone.flat_map(|(_, element)| {
        let Element { range, with_comma } = element;
        let between = text.get(range.end..with_comma.end).unwrap_or_default();
        if between.trim_matches([',', ' ', '\t']).is_empty() {
            return [Some(whole(text, range.start..with_comma.end)), None];
        }
        // A comment between an element and its comma stays.
        [Some(whole(text, range.clone())), Some(with_comma.end - 1..with_comma.end)]
    });
    let ranges = ranges.flatten();
    ranges.map(|range| TextEdit { range, text: String::new() }).collect()
}

/// A range extended to its whole line if nothing else is on it, or else over the blanks after it.
fn whole(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let behind = text.get(range.end..).unwrap_or_default();
    let rest = behind.find('\n').map_or(behind, |at| &behind[..at]);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    if line == 0 || !before[line..].trim().is_empty() || !rest.trim().is_empty() {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        return range.start..range.end + blanks;
    }
    // From the end of the preceding line, which may be `\r\n`, to the end of this one.
    let own = rest.trim_end_matches('\r').len();
    let start = line - 1 - usize::from(before[..line - 1].ends_with('\r'));
    start..range.end + own
}
