//! Words for a problem family and its tilings.

use lab::tune::{Conv, Family, Gemm};

/// A problem family as `warplens tune` prints it.
pub(super) trait PrintedFamily: Family {
    /// The subcommand.
    const COMMAND: &'static str;
    /// Titles of a tiling's columns.
    const TITLES: &'static [&'static str];
    /// Name of the output: `C`.
    const OUTPUT: &'static str;

    /// The shape in a few words: `M=2560 N=16 K=2560 f32 nn`.
    fn words(&self) -> String;
    /// The texts under [`Self::TITLES`].
    fn cells(tiling: &Self::Tiling) -> Vec<String>;
    /// Lines that describe what a kernel computes, and its parameters.
    fn formula(&self) -> String;
    fn parameters(&self, tiling: &Self::Tiling) -> Vec<String>;
}

impl PrintedFamily for Gemm {
    const COMMAND: &'static str = "tune gemm";
    const TITLES: &'static [&'static str] = &["block", "thread", "split", "vectors", "stages"];
    const OUTPUT: &'static str = "C";

    fn words(&self) -> String {
        format!("M={} N={} K={} {} {}", self.m, self.n, self.k, self.element, self.layout())
    }

    fn cells(tiling: &Self::Tiling) -> Vec<String> {
        vec![
            format!("{}x{}x{}", tiling.block_m, tiling.block_n, tiling.depth),
            format!("{}x{}", tiling.thread_m, tiling.thread_n),
            format!("{}/{}/{}", tiling.thread_k, tiling.block_k, tiling.grid_k),
            format!("{}/{}", tiling.vector_a, tiling.vector_b),
            tiling.stages.to_string(),
        ]
    }

    fn formula(&self) -> String {
        let Self { m, n, k, element, .. } = self;
        let op = |name: &str, transposed: bool| format!("{name}{}", if transposed { "^T" } else { "" });
        let (a, b) = (op("A", self.a_transposed), op("B", self.b_transposed));
        format!("C = {a} {b}, {element}, column-major, for M = {m}, N = {n}, K = {k}.")
    }

    fn parameters(&self, tiling: &Self::Tiling) -> Vec<String> {
        let [lda, ldb, ldc] = self.leading();
        vec![
            "Parameters: the addresses of A, B and C; M, N, K; the leading dimensions of A, B and C in elements.".to_owned(),
            format!(
                "The leading dimensions are at least {lda}, {ldb} and {ldc}; those of A and B are multiples of {} and {}.",
                tiling.vector_a, tiling.vector_b
            ),
            "The addresses are multiples of 16 bytes.".to_owned(),
        ]
    }
}

impl PrintedFamily for Conv {
    const COMMAND: &'static str = "tune conv";
    const TITLES: &'static [&'static str] = &["block", "thread", "split", "vectors", "stages"];
    const OUTPUT: &'static str = "the output";

    fn words(&self) -> String {
        let Self { n, c, h, w, k, r, s, pad, stride, element } = self;
        format!("N={n} C={c} H={h} W={w} K={k} R={r} S={s} pad={pad} stride={stride} {element} nchw")
    }

    fn cells(tiling: &Self::Tiling) -> Vec<String> {
        let pixels = |n, p, q| format!("{n}.{p}.{q}");
        vec![
            format!(
                "{}x{}x{}",
                tiling.block_k,
                pixels(tiling.block_n, tiling.block_p, tiling.block_q),
                tiling.depth
            ),
            format!("{}x{}", tiling.thread_k, pixels(tiling.thread_n, tiling.thread_p, tiling.thread_q)),
            format!("{}/{}/{}", tiling.thread_c, tiling.block_c, tiling.grid_c),
            tiling.vector_filter.to_string(),
            tiling.stages.to_string(),
        ]
    }

    fn formula(&self) -> String {
        let Self { n, c, h, w, k, r, s, pad, stride, element } = self;
        format!(
            "Convolution of {n} x {c} x {h} x {w} with {k} x {c} x {r} x {s}, padding {pad}, stride {stride}, {element}, \
             NCHW: the output is {n} x {k} x {} x {}.",
            self.p(),
            self.q()
        )
    }

    fn parameters(&self, _: &Self::Tiling) -> Vec<String> {
        let table = Family::table(self);
        let arguments: Vec<String> = Family::parameters(self).into_iter().skip(4).collect();
        vec![
            "Parameters: the addresses of input, filter and output, each a multiple of 16 bytes; the address of a \
             table, also a multiple of 16 bytes; then".to_owned(),
            format!("{}.", arguments.join(", ")),
            format!(
                "The table has {} pairs of 32-bit integers, one for each step of the sum (over c, then r, then s): the offset in elements,",
                table.len() / 2
            ),
            "c H W + r W + s, and the value 0x80008000 + 65536 r + s. All pairs after the last step are 0 and -1.".to_owned(),
        ]
    }
}
