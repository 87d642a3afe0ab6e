//! Which PTX version and which target something needs, in words.

use crate::ptx::view::View;
use machine::ptx::Need;

/// `PTX 7.8 and sm_90 or later`.
pub(super) fn in_words(need: &Need) -> String {
    let targets: Vec<String> = need.targets.iter().map(ToString::to_string).collect();
    format!("PTX {} and {}", need.ptx, targets.join(", or "))
}

/// Returns what the module lacks of a need: `this module is written for PTX 7.0 and sm_80`. `None` where it has all, or
/// does not say what it is written for.
pub(super) fn lack(view: &View<'_>, need: &Need) -> Option<String> {
    let (version, target) = view.written_for()?;
    let lacks_version = version < need.ptx;
    let lacks_target = !need.targets.iter().any(|range| range.holds(target));
    Some(match (lacks_version, lacks_target) {
        (true, true) => format!("the module says `.version {version}` and `.target {target}`"),
        (true, false) => format!("the module says `.version {version}`"),
        (false, true) => format!("the module says `.target {target}`"),
        (false, false) => return None,
    })
}
