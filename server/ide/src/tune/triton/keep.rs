//! Edits of a list of configurations: those that are estimated best for the stated shapes stay, or those that can run.

use super::TunedTriton;
use super::rank::{Standing, placed};
use crate::TextEdit;
use crate::engine::cancel::{Cancel, Cancellable};
use crate::words::numbers::counted;
use model::Gpu;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::triton::Element;

/// Configurations of each shape that stay.
const KEPT_OF_SHAPE: usize = 3; // limit: few enough to be timed by Triton

/// A list of configurations without those that are not worth trying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptConfigurations {
    /// One line: what stays, and by whose word.
    pub title: String,
    /// The grounds for the edits, in one line.
    pub explanation: String,
    /// In the order of the text.
    pub edits: Vec<TextEdit>,
}

/// The edits that are worth offering; none where the list is not written out in one place, or nothing would go.
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
                // What nothing is known of stays.
                Standing::Idle(_) | Standing::Unknown => {
                    best.insert(number);
                    runs.insert(number);
                }
                Standing::CannotRun => {}
            }
        }
        // Those that a condition of one shape leaves out are for others.
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
        "Estimated by the static model for {part}, not compiled, not run. All configurations of the list are known by the text."
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

/// Removes all other elements from a list, each with its comma and, if nothing else is on it, its line. Comments stay.
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

/// Returns a range extended to its line if nothing else is on it, else to the blanks after it.
fn whole(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let behind = text.get(range.end..).unwrap_or_default();
    let rest = behind.find('\n').map_or(behind, |at| &behind[..at]);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    if line == 0 || !before[line..].trim().is_empty() || !rest.trim().is_empty() {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        return range.start..range.end + blanks;
    }
    // From the end of the line before to the end of its own; a line may end in two characters.
    let own = rest.trim_end_matches('\r').len();
    let start = line - 1 - usize::from(before[..line - 1].ends_with('\r'));
    start..range.end + own
}
