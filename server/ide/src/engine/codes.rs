//! Diagnostic codes.

use advisor::top_down::is_guide;

/// Code of the finding that a prediction is far from the measurement.
pub(crate) const MODEL_FAR_OFF: &str = "model-far-off";

/// True if a finding can have this code: the code of a rule, of a guide, or [`MODEL_FAR_OFF`].
pub(crate) fn is_code(code: &str) -> bool {
    code == MODEL_FAR_OFF || advisor::rule(code).is_some() || is_guide(code)
}
