//! Requirements on PTX version and target, in words.

use crate::ptx::view::View;
use machine::ptx::Need;

/// A requirement in words: `PTX 7.8 and sm_90 or later`.
pub(super) fn in_words(need: &Need) -> String {
    let targets: Vec<String> = need.targets.iter().map(ToString::to_string).collect();
    format!("PTX {} and {}", need.ptx, targets.join(", or "))
}

/// Reason why the module does not meet a requirement: ``the module says `.target sm_80` ``. `None` if it meets it, or
/// does not state its version and target.
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
