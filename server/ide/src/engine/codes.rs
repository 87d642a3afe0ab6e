//! Codes of findings.

use advisor::top_down::is_guide;

/// Code of findings about predictions that are far from the measurement.
pub(crate) const MODEL_FAR_OFF: &str = "model-far-off";

/// True if findings can have this code: that of a rule, of a guide, or of a model that is far from the measurement.
pub(crate) fn is_code(code: &str) -> bool {
    code == MODEL_FAR_OFF || advisor::rule(code).is_some() || is_guide(code)
}
