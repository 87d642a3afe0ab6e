//! The GPU to which the numbers apply, and the reason for its choice.

use crate::session::check;
use testkit::Answer;

#[test]
fn the_gpu_is_named_with_its_reason() {
    check("gpu", |_, analysis| vec![Answer::on_line(0..0, "gpu", analysis.gpu_name())]);
}
