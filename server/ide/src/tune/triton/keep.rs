//! Edits that reduce a list of configurations to the configurations estimated to be fastest for each stated shape, or
//! to the configurations that can run.

use super::TunedTriton;
use super::rank::{RowRank, placed};
use crate::TextEdit;
use crate::engine::cancel::{Cancel, Cancellable};
use crate::words::numbers::counted;
use model::Gpu;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::triton::Element;

/// Number of configurations to keep per problem shape.
const KEPT_OF_SHAPE: usize = 3; // limit: few enough to be timed by Triton

/// An offer to remove configurations that are estimated to be slow, or that cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptConfigurations {
    /// One line that states which configurations are kept or removed, and on what basis.
    pub title: String,
    /// One line with the reasons for the edits.
    pub explanation: String,
    /// Edits in text order.
    pub edits: Vec<TextEdit>,
}

/// Returns the reductions to offer. Empty if the list is not a single literal, or if nothing would be
/// removed.
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
                RowRank::Timed(_) => {
                    timed += 1;
                    runs.insert(number);
                    if timed <= KEPT_OF_SHAPE {
                        best.insert(number);
                    }
                }
                // Keep configurations without any estimate.
                RowRank::Idle(_) | RowRank::Unknown => {
                    best.insert(number);
                    runs.insert(number);
                }
                RowRank::CannotRun => {}
            }
        }
        // Keep configurations that `where` excludes for this shape, because they may be fast for another
        // shape.
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
        "Estimated by the static model for {part}; nothing was compiled or run. All configurations of the list are \
         written out in the source."
    );
    let mut offered = Vec::new();
    if is_timed && best.len() < count {
        offered.push(KeptConfigurations {
            title: format!(
                "Keep the {} (of {count}) estimated to be fastest for {shapes} on {part} (not run)",
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

/// Returns edits that remove all elements of a list except `kept`. An element is removed with its comma, and
/// with its line if the line has no other text.
fn edits(elements: &[Element], text: &str, kept: &BTreeSet<usize>) -> Vec<TextEdit> {
    let gone = elements.iter().enumerate().filter(|(number, _)| !kept.contains(number));
    let ranges = gone.flat_map(|(_, element)| {
        let Element { range, with_comma } = element;
        let between = text.get(range.end..with_comma.end).unwrap_or_default();
        if between.trim_matches([',', ' ', '\t']).is_empty() {
            return [Some(whole(text, range.start..with_comma.end)), None];
        }
        // A comment between an element and its comma is not removed.
        [Some(whole(text, range.clone())), Some(with_comma.end - 1..with_comma.end)]
    });
    let ranges = ranges.flatten();
    ranges.map(|range| TextEdit { range, text: String::new() }).collect()
}

/// Extends a range to its whole line if the line has no other text. Otherwise extends it over the blanks
/// after the range.
fn whole(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let following = text.get(range.end..).unwrap_or_default();
    let rest = following.find('\n').map_or(following, |at| &following[..at]);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    if line == 0 || !before[line..].trim().is_empty() || !rest.trim().is_empty() {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        return range.start..range.end + blanks;
    }
    // The range covers the line break before the line, which may be `\r\n`, and the line without its own line
    // break.
    let own = rest.trim_end_matches('\r').len();
    let start = line - 1 - usize::from(before[..line - 1].ends_with('\r'));
    start..range.end + own
}
