//! The best kernel as PTX, with a comment on how it is launched.

use lab::tune::{Gemm, Gpu, Launch, Target, Tiling, gemm};
use std::fmt::Write;

const ENTRY: &str = "gemm";
/// Dynamic shared memory that a launch has without an attribute. Source: CUDA C++ programming guide, shared memory.
const USUAL_SHARED_BYTES: u32 = 48 << 10;
/// The line of a module that the comment stands behind: readers of PTX expect `.version` first.
const BEFORE: &str = ".address_size 64\n";

pub(super) fn ptx(shape: &Gemm, gpu: &Gpu, tiling: &Tiling) -> String {
    let text = gemm::kernel(shape.into(), tiling, Target { sm: gpu.part.sm }, ENTRY);
    let place = text.find(BEFORE).map_or(0, |at| at + BEFORE.len());
    let (head, body) = text.split_at(place);
    format!("{head}{}{body}", comment(shape, tiling))
}

fn comment(shape: &Gemm, tiling: &Tiling) -> String {
    let Gemm { m, n, k, element, .. } = shape;
    let Launch { grid, threads, shared_bytes, adds } = tiling.launch(shape);
    let grid = grid.map(|blocks| blocks.to_string()).join(", ");
    let [lda, ldb, ldc] = shape.leading();
    let op = |name: &str, transposed: bool| format!("{name}{}", if transposed { "^T" } else { "" });
    let (a, b) = (op("A", shape.a_transposed), op("B", shape.b_transposed));
    let mut text = format!(
        "\n// C = {a} {b}, {element}, column-major, for M = {m}, N = {n}, K = {k}.\n\
         // {tiling}\n\
         // Launch `{ENTRY}` with a grid of ({grid}), {threads} threads and {shared_bytes} bytes of dynamic shared memory.\n\
         // Parameters: the addresses of A, B and C; M, N, K; the leading dimensions of A, B and C in elements,\n\
         // at least {lda}, {ldb} and {ldc}. Those of A and B are multiples of {} and {},\n\
         // the addresses of 16 bytes.\n",
        tiling.vector_a, tiling.vector_b,
    );
    if adds {
        text += "// C must be zero before: blocks add to it.\n";
    }
    if shared_bytes > USUAL_SHARED_BYTES {
        let _ =
            writeln!(text, "// Before: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = {shared_bytes}.");
    }
    text
}
