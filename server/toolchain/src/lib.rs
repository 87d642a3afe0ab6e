//! The one place that runs other programs.
