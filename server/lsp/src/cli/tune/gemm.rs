//! `warplens tune gemm`: all kernels for a matrix multiplication of one shape, ranked.

use super::search;
use crate::cli::failure::Failure;
use crate::cli::output::grouped;
use crate::cli::tune::args::TuneGemmArgs;
use lab::tune::Gemm;

/// Maximum number of elements in a matrix: kernels count elements in 32-bit signed integers.
const MAX_ELEMENTS: u64 = 1 << 31; // limit: kernels count elements in 32 bits with a sign

pub(super) fn run(args: &TuneGemmArgs) -> Result<(), Failure> {
    let gemm = Gemm {
        m: args.m,
        n: args.n,
        k: args.k,
        element: args.dtype,
        a_transposed: args.layout.a_transposed,
        b_transposed: args.layout.b_transposed,
    };
    check_sizes(&gemm)?;
    search::run(gemm, &args.search)
}

fn check_sizes(gemm: &Gemm) -> Result<(), Failure> {
    let [m, n, k] = [gemm.m, gemm.n, gemm.k].map(u64::from);
    let elements = [("A", m.checked_mul(k)), ("B", k.checked_mul(n)), ("C", m.checked_mul(n))];
    let large = elements.into_iter().find(|(_, count)| count.is_none_or(|count| count > MAX_ELEMENTS));
    let Some((name, count)) = large else { return Ok(()) };
    Err(Failure::new(format!(
        "tune gemm: {name} has {} elements; expected at most {}",
        count.map_or_else(|| "too many".to_owned(), grouped),
        grouped(MAX_ELEMENTS),
    )))
}
