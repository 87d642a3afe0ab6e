//! Compiled code of documents: compiled in the background, read from what a build leaves, or assembled on request.

pub(crate) mod code_changed;
pub(crate) mod cubin_index;
pub(crate) mod cubin_watch;
pub(crate) mod cubins;
pub(crate) mod dense;
pub(crate) mod gains;
pub(crate) mod kernels_text;
pub(crate) mod live;
pub(crate) mod sass_run;
pub(crate) mod tool_work;
