//! The kernel of a tiling, as PTX.

use super::operand::{Contiguous, Matrix, Operand, OperandTile};
use super::output::Output;
use super::{Gemm, Tiling};
use crate::Element;
use crate::kernel::{
    Arrangement, Fragment, Parameters, Pipeline, Product, Register, Target, Tiles, WIDEST_BYTES, Writer, ptx,
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

/// What is the same for all shapes: a kernel's text depends on nothing else.
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

/// The parts of a kernel.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) threads: Arrangement,
    pub(super) a: OperandTile,
    pub(super) b: OperandTile,
    pub(super) pipeline: Pipeline,
    element: Element,
    sums: u32,
    steps: u32,
    rows: Fragment,
    columns: Fragment,
}

/// A thread's elements of an axis: vectors as wide as can be, those of all threads side by side.
fn fragment(of_thread: u32, of_block: u32, element: Element, pitch: u32) -> Fragment {
    let vector = of_thread.min(WIDEST_BYTES / element.bytes());
    let threads = of_block / of_thread;
    let vectors = (0..of_thread / vector).map(|number| number * threads * vector).collect();
    Fragment { vector, vectors, pitch }
}

impl Plan {
    pub(super) fn new(kind: Kind, tiling: &Tiling) -> Self {
        let element = kind.element;
        let threads = tiling.threads();
        let of = |transposed: bool| if transposed { Contiguous::Depth } else { Contiguous::Outer };
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
        let pipeline = Pipeline { stages: tiling.stages, stage_bytes: a.bytes() + b.bytes() };
        Self {
            threads,
            a,
            b,
            pipeline,
            element,
            sums: tiling.thread_k,
            steps: tiling.depth / tiling.block_k,
            rows: fragment(tiling.thread_m, tiling.block_m, element, a.pitch()),
            columns: fragment(tiling.thread_n, tiling.block_n, element, b.pitch()),
        }
    }

    fn product(&self) -> Product {
        Product {
            element: self.element,
            rows: self.rows.clone(),
            columns: self.columns.clone(),
            sums: self.sums,
            steps: self.steps,
        }
    }

    /// Bytes of shared memory of a block.
    pub(super) fn shared_bytes(&self) -> u32 {
        self.pipeline.bytes().max(self.product().reduction_bytes(self.threads))
    }
}

/// The tiles of both matrices.
struct Both {
    a: Operand,
    b: Operand,
}

impl Tiles for Both {
    fn fetch(&self, w: &mut Writer) -> Vec<Vec<Register>> {
        vec![self.a.fetch(w), self.b.fetch(w)]
    }

    fn store(&self, w: &mut Writer, fetched: &[Vec<Register>], slot: Register) {
        self.a.store(w, &fetched[0], slot);
        self.b.store(w, &fetched[1], slot);
    }

    fn copy(&self, w: &mut Writer, slot: Register) {
        self.a.copy(w, slot);
        self.b.copy(w, slot);
    }
}

/// The PTX of a legal tiling, with one entry of this name for `C = op(A) op(B)`.
///
/// Its parameters are the addresses of A, B and C, then M, N, K and the three leading dimensions, all in elements. Where `K_G` is over 1
/// it adds to C, which must be zero before. Of a shape it needs [`Tiling::fits`].
pub fn kernel(kind: Kind, tiling: &Tiling, target: Target, name: &str) -> String {
    let plan = Plan::new(kind, tiling);
    let mut w = Writer::default();
    let w = &mut w;
    let address = |w: &mut Writer, name: &str| {
        let generic = w.long("ld.param.u64", format_args!("[{name}]"));
        w.long("cvta.to.global.u64", format_args!("{generic}"))
    };
    let (a, b, c) = (address(w, "a"), address(w, "b"), address(w, "c"));
    let [m, n, k, lda, ldb, ldc] =
        ["m", "n", "k", "lda", "ldb", "ldc"].map(|name| w.word("ld.param.u32", format_args!("[{name}]")));
    let thread = w.word("mov.u32", format_args!("%tid.x"));
    let block_row = w.word("mov.u32", format_args!("%ctaid.x"));
    let block_column = w.word("mov.u32", format_args!("%ctaid.y"));
    let first_row = w.word("mul.lo.u32", format_args!("{block_row}, {}", tiling.block_m));
    let first_column = w.word("mul.lo.u32", format_args!("{block_column}, {}", tiling.block_n));

    let (depth_begin, depth_end, tiles) = depth_of_block(w, k, tiling);
    let matrix =
        |address, leading, extent, first| Matrix { address, leading, extent, first, depth_begin, depth_end };
    let source = Both {
        a: Operand::begin(w, plan.a, matrix(a, lda, m, first_row), thread, 0),
        b: Operand::begin(w, plan.b, matrix(b, ldb, n, first_column), thread, plan.a.bytes()),
    };

    let place = plan.threads.place(w, thread);
    let bytes = kind.element.bytes();
    let read = |w: &mut Writer, at: Register, fragment: &Fragment, behind: u32| {
        let first = w.word("mul.lo.u32", format_args!("{at}, {}", fragment.vector));
        let group = plan.steps * fragment.pitch;
        ptx!(w, "mad.lo.u32 {first}, {}, {group}, {first}", place.group);
        let address = w.word("mov.u32", format_args!("tiles"));
        ptx!(w, "mad.lo.u32 {address}, {first}, {bytes}, {address}");
        w.word("add.u32", format_args!("{address}, {behind}"))
    };
    let rows = read(w, place.row, &plan.rows, 0);
    let columns = read(w, place.column, &plan.columns, plan.a.bytes());

    let product = plan.product();
    let sums = product.zeroed(w);
    plan.pipeline.run(w, tiles, &source, &|w, slot| {
        let rows = w.word("add.u32", format_args!("{rows}, {slot}"));
        let columns = w.word("add.u32", format_args!("{columns}, {slot}"));
        product.add(w, &sums, rows, columns);
    });
    product.reduce(w, &sums, plan.threads, place);
    let output = Output {
        product: &product,
        sums: &sums,
        place,
        threads: plan.threads,
        adds: tiling.grid_k > 1,
        target,
    };
    output.write(w, c, ldc, [(m, first_row), (n, first_column)]);
    std::mem::take(w).module(name, target, PARAMETERS, plan.threads.threads())
}

/// The block's part of the depth (`K_G`), and its number of tiles: one at least, whose elements may all lie behind the edge.
fn depth_of_block(w: &mut Writer, k: Register, tiling: &Tiling) -> (Register, Register, Register) {
    let log_depth = tiling.depth.trailing_zeros();
    let all = w.word("add.u32", format_args!("{k}, {}", tiling.depth - 1));
    let tiles = w.word("shr.u32", format_args!("{all}, {log_depth}"));
    if tiling.grid_k == 1 {
        let begin = w.word("mov.u32", format_args!("0"));
        return (begin, k, tiles);
    }
    // The number of parts is the launch's, so that one kernel serves all.
    let parts = w.word("mov.u32", format_args!("%nctaid.z"));
    let part = w.word("mov.u32", format_args!("%ctaid.z"));
    ptx!(w, "add.u32 {tiles}, {tiles}, {parts}");
    ptx!(w, "sub.u32 {tiles}, {tiles}, 1");
    ptx!(w, "div.u32 {tiles}, {tiles}, {parts}");
    let each = w.word("shl.b32", format_args!("{tiles}, {log_depth}"));
    let begin = w.word("mul.lo.u32", format_args!("{part}, {each}"));
    let end = w.word("add.u32", format_args!("{begin}, {each}"));
    let end = w.word("min.u32", format_args!("{end}, {k}"));
    (begin, end, tiles)
}
