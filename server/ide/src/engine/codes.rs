//! Codes of findings.

use advisor::top_down::is_guide;

/// The code of findings where the model is far off what was measured.
pub(crate) const MODEL_FAR_OFF: &str = "model-far-off";

/// Whether findings have that code: those of rules, of guides from what was measured, and of the model that is far off.
pub(crate) fn is_code(code: &str) -> bool {
    code == MODEL_FAR_OFF || advisor::rule(code).is_some() || is_guide(code)
}
