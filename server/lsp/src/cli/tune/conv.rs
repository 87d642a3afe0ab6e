//! `warplens tune conv`: all kernels for a convolution of one shape, ranked.

use super::search;
use crate::cli::failure::Failure;
use crate::cli::tune::args::TuneConvArgs;
use lab::tune::Conv;

pub(super) fn run(args: &TuneConvArgs) -> Result<(), Failure> {
    let &TuneConvArgs { n, c, h, w, k, r, s, pad, stride, dtype, ref search } = args;
    let conv = Conv { n, c, h, w, k, r, s, pad, stride, element: dtype };
    let conv = conv.checked().map_err(|error| Failure::new(format!("tune conv: {error}")))?;
    search::run(conv, search)
}
