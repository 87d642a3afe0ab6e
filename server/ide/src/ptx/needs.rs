//! Requirements on the PTX version and the target, formatted for display.

use crate::ptx::view::View;
use machine::ptx::Need;

/// Formats a requirement: `PTX 7.8 and sm_90 or later`.
pub(super) fn in_words(need: &Need) -> String {
    let targets: Vec<String> = need.targets.iter().map(ToString::to_string).collect();
    format!("PTX {} and {}", need.ptx, targets.join(", or "))
}

/// Explains why the module does not meet a requirement: ``the module has `.target sm_80` ``. `None` if
/// the module meets the requirement, or does not state its version and target.
pub(super) fn lack(view: &View<'_>, need: &Need) -> Option<String> {
    let (version, target) = view.written_for()?;
    let lacks_version = version < need.ptx;
    let lacks_target = !need.targets.iter().any(|range| range.holds(target));
    Some(match (lacks_version, lacks_target) {
        (true, true) => format!("the module has `.version {version}` and `.target {target}`"),
        (true, false) => format!("the module has `.version {version}`"),
        (false, true) => format!("the module has `.target {target}`"),
        (false, false) => return None,
    })
}
