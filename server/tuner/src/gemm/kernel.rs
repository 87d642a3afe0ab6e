//! The kernel of a tiling, as PTX.

use super::{Gemm, Tiling};
use crate::Element;
use crate::kernel::{
    Axis, Block, ContiguousAxis, DepthRange, Destination, Fragment, Limits, Matrix, Operand, OperandTile,
    Output, OutputLine, Parameters, Pipeline, Register, Target, Writer, ptx,
};

const PARAMETERS: &Parameters = &[
    ("a", "u64"),
    ("b", "u64"),
    ("c", "u64"),
    ("m", "u32"),
    ("n", "u32"),
    ("k", "u32"),
    ("lda", "u32"),
    ("ldb", "u32"),
    ("ldc", "u32"),
];

/// Properties of a problem that determine the text of a kernel. The shape is passed as arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind {
    pub element: Element,
    pub a_transposed: bool,
    pub b_transposed: bool,
}

impl From<&Gemm> for Kind {
    fn from(gemm: &Gemm) -> Self {
        Self { element: gemm.element, a_transposed: gemm.a_transposed, b_transposed: gemm.b_transposed }
    }
}

/// The components of a kernel.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) a: OperandTile,
    pub(super) b: OperandTile,
    pub(super) block: Block,
}

impl Plan {
    /// An upper estimate of the registers per thread.
    pub(super) fn registers(&self) -> u32 {
        let is_asynchronous = self.block.pipeline.is_asynchronous();
        let on_their_way = if is_asynchronous { 0 } else { self.a.registers() + self.b.registers() };
        self.block.registers(on_their_way)
    }

    pub(super) fn new(kind: Kind, tiling: &Tiling) -> Self {
        let element = kind.element;
        let threads = tiling.threads();
        let of = |transposed: bool| if transposed { ContiguousAxis::Depth } else { ContiguousAxis::Outer };
        let tile = |contiguous, vector, outer| OperandTile {
            element,
            contiguous,
            vector,
            outer,
            depth: tiling.depth,
            threads: threads.threads(),
        };
        let a = tile(of(kind.a_transposed), tiling.vector_a, tiling.block_m);
        // B's rows are along the depth.
        let b = tile(of(!kind.b_transposed), tiling.vector_b, tiling.block_n);
        let block = Block {
            element,
            threads,
            pipeline: Pipeline { stages: tiling.stages, stage_bytes: a.bytes() + b.bytes() },
            rows_bytes: a.bytes(),
            sums: tiling.thread_k,
            steps: tiling.depth / tiling.block_k,
            rows: Fragment::interleaved(tiling.thread_m, threads.rows, element, a.pitch()),
            columns: Fragment::interleaved(tiling.thread_n, threads.columns, element, b.pitch()),
        };
        Self { a, b, block }
    }
}

/// Returns the PTX of a legal tiling, with one entry named `name` for `C = op(A) op(B)`.
///
/// The parameters of the entry are the addresses of A, B and C, then M, N, K and the three leading
/// dimensions, all in elements. If `K_G` is greater than 1, the kernel adds to C, which must be zero before
/// the launch. The kernel computes the shapes for which [`crate::Problem::fits`] is true.
pub fn kernel(kind: Kind, tiling: &Tiling, target: Target, name: &str) -> String {
    let Plan { a: a_tile, b: b_tile, block } = Plan::new(kind, tiling);
    let mut w = Writer::default();
    let w = &mut w;
    let [a, b, c] = ["a", "b", "c"].map(|name| w.address(name));
    let [rows, columns, depth, lda, ldb, ldc] =
        ["m", "n", "k", "lda", "ldb", "ldc"].map(|name| w.word("ld.param.u32", format_args!("[{name}]")));
    let thread = w.word("mov.u32", format_args!("%tid.x"));
    let block_row = w.word("mov.u32", format_args!("%ctaid.x"));
    let block_column = w.word("mov.u32", format_args!("%ctaid.y"));
    let first_row = w.word("mul.lo.u32", format_args!("{block_row}, {}", tiling.block_m));
    let first_column = w.word("mul.lo.u32", format_args!("{block_column}, {}", tiling.block_n));

    let part = DepthRange::for_block(w, depth, tiling.depth, tiling.grid_k > 1);
    let matrix = |address, leading, extent, first| Matrix { address, leading, extent, first, part };
    let a = Operand::begin(w, a_tile, matrix(a, lda, rows, first_row), thread, 0);
    let b = Operand::begin(w, b_tile, matrix(b, ldb, columns, first_column), thread, block.rows_bytes);
    let (sums, place) = block.multiply(w, thread, part.tiles, [&a, &b]);

    let output = Output {
        element: kind.element,
        columns: &block.columns,
        sums: &sums,
        place,
        threads: block.threads,
        adds: tiling.grid_k > 1,
        target,
    };
    output.write(w, |w| {
        let first = |w: &mut Writer, at: Register, fragment: &Fragment, extent: Register, first: Register| {
            let own = w.word("mad.lo.u32", format_args!("{at}, {}, {first}", fragment.vector));
            (own, w.word("sub.s32", format_args!("{extent}, {own}")))
        };
        let (row, rows_left) = first(w, place.row, &block.rows, rows, first_row);
        let (column, columns_left) = first(w, place.column, &block.columns, columns, first_column);
        let index = w.long("mul.wide.u32", format_args!("{column}, {ldc}"));
        let row = w.long("cvt.u64.u32", format_args!("{row}"));
        ptx!(w, "add.u64 {index}, {index}, {row}");
        ptx!(w, "mad.lo.u64 {index}, {index}, {}, {c}", kind.element.bytes());
        Destination {
            address: index,
            extent: rows,
            left: rows_left,
            width: block.rows.vector,
            columns: Axis { stride: ldc, left: columns_left },
            axes: Vec::new(),
            lines: vec![OutputLine { at: Vec::new(), rows: block.rows.offsets().enumerate().collect() }],
        }
    });
    let limits = Limits { threads: block.threads.threads(), registers: None };
    std::mem::take(w).module(name, target, PARAMETERS, limits)
}
