//! Edits of a list of configurations: those that are estimated best for the stated shapes stay, or those that can run.

use super::TunedTriton;
use super::rank::{Standing, placed};
use crate::TextEdit;
use crate::engine::cancel::{Answer, Cancel};
use crate::words::numbers::counted;
use model::Gpu;
use std::collections::BTreeSet;
use syntax::triton::Element;

/// Configurations of each shape that stay.
const KEPT_OF_SHAPE: usize = 3;

/// A list of configurations without those that are not worth trying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptConfigurations {
    /// One line: what stays, and by whose word.
    pub title: String,
    /// What the edits are taken by, in one line.
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
) -> Answer<Vec<KeptConfigurations>> {
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

/// Takes all other elements out of a list, each with its comma and, where nothing else stands there, its line. Comments stay.
fn edits(elements: &[Element], text: &str, kept: &BTreeSet<usize>) -> Vec<TextEdit> {
    let gone = elements.iter().enumerate().filter(|(number, _)| !kept.contains(number));
    let cut = gone.map(|(_, Element { range, with_comma })| {
        let between = text.get(range.end..with_comma.end).unwrap_or_default();
        let is_plain = between.trim_matches([',', ' ', '\t']).is_empty();
        // A comment between an element and its comma stays; the comma goes with the element.
        let end = if is_plain { with_comma.end } else { range.end };
        let mut ranges = vec![range.start..end];
        if !is_plain {
            ranges.push(with_comma.end - 1..with_comma.end);
        }
        let before = text.get(..range.start).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let behind = text.get(end..).unwrap_or_default();
        let rest = behind.find('\n').map_or(behind, |at| &behind[..at]);
        if text.get(line..range.start).is_some_and(|own| own.trim().is_empty())
            && rest.trim().is_empty()
            && line > 0
        {
            // From the end of the line before to the end of its own.
            ranges[0] = line - 1..end + rest.len();
            if before[..line - 1].ends_with('\r') {
                ranges[0] = line - 2..end + rest.trim_end_matches('\r').len();
            }
        } else if rest.starts_with(' ') {
            ranges[0].end += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
        ranges
    });
    let ranges = cut.flatten();
    ranges.map(|range| TextEdit { range, text: String::new() }).collect()
}
