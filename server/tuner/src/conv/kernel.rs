//! The kernel of a tiling, as PTX.

use super::input::{Image, Input, InputTile};
use super::pixels::{AXES, Pixels};
use super::{Conv, Tiling};
use crate::Element;
use crate::kernel::{
    Axis, Block, ContiguousAxis, DepthRange, Destination, Fragment, Limits, Matrix, Operand, OperandTile,
    Output, Pipeline, Register, Target, Writer, ptx,
};
use std::fmt;

/// Parameters that are addresses: input, filter, output and table.
const ADDRESSES: [&str; 4] = ["a", "b", "c", "t"];

type Size = (&'static str, fn(&Conv) -> u32);

/// Parameters that are integers, in the order in which they follow the addresses.
const SIZES: [Size; 13] = [
    ("n", |conv| conv.n),
    ("p", Conv::p),
    ("q", Conv::q),
    ("k", |conv| conv.k),
    ("steps", Conv::steps),
    ("image", |conv| conv.c * conv.h * conv.w),
    ("h", |conv| conv.h),
    ("w", |conv| conv.w),
    ("r", |conv| conv.r),
    ("s", |conv| conv.s),
    ("pad", |conv| conv.pad),
    ("stride", |conv| conv.stride),
    ("pixels", |conv| conv.p() * conv.q()),
];

/// The argument for one parameter of a kernel. It displays in the notation of the harness in `lab`: `a`, `b`,
/// `c`, `t` or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Input,
    Filter,
    Output,
    /// [`super::table()`], aligned to 16 bytes.
    Table,
    Size(u32),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input => f.write_str(ADDRESSES[0]),
            Self::Filter => f.write_str(ADDRESSES[1]),
            Self::Output => f.write_str(ADDRESSES[2]),
            Self::Table => f.write_str(ADDRESSES[3]),
            Self::Size(size) => write!(f, "{size}"),
        }
    }
}

/// The arguments of any kernel for a shape, in the order of its parameters.
pub fn arguments(conv: &Conv) -> Vec<Argument> {
    let addresses = [Argument::Input, Argument::Filter, Argument::Output, Argument::Table];
    addresses.into_iter().chain(SIZES.iter().map(|(_, of)| Argument::Size(of(conv)))).collect()
}

/// The components of a kernel.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) pixels: Pixels,
    pub(super) input: InputTile,
    pub(super) filter: OperandTile,
    pub(super) block: Block,
}

impl Plan {
    /// An upper estimate of the registers per thread.
    pub(super) fn registers(&self) -> u32 {
        let Self { input, filter, block, .. } = self;
        let of_filter = if block.pipeline.is_asynchronous() { 0 } else { filter.registers() };
        block.registers(input.registers(block.pipeline) + of_filter)
    }

    pub(super) fn new(element: Element, tiling: &Tiling) -> Self {
        let pixels = Pixels::new(tiling.thread_pixels(), tiling.block_pixels(), element);
        let threads = tiling.threads();
        let (depth, threads_of_block) = (tiling.depth, threads.threads());
        let input = InputTile { element, pixels: pixels.count(), depth, threads: threads_of_block };
        let filter = OperandTile {
            element,
            contiguous: ContiguousAxis::Depth,
            vector: tiling.vector_filter,
            outer: tiling.block_k,
            depth,
            threads: threads_of_block,
        };
        let block = Block {
            element,
            threads,
            pipeline: Pipeline { stages: tiling.stages, stage_bytes: input.bytes() + filter.bytes() },
            rows_bytes: input.bytes(),
            sums: tiling.thread_c,
            steps: depth / tiling.block_c,
            rows: pixels.fragment(element),
            columns: Fragment::interleaved(tiling.thread_k, threads.columns, element, filter.pitch()),
        };
        Self { pixels, input, filter, block }
    }
}

/// Returns the PTX of a legal tiling, with one entry named `name` for any convolution with this element type.
///
/// The parameters of the entry are listed by [`arguments`]. If `C_G` is greater than 1, the kernel adds to
/// the output, which must be zero before the launch. The kernel computes the shapes for which
/// [`crate::Problem::fits`] is true.
pub fn kernel(element: Element, tiling: &Tiling, target: Target, name: &str) -> String {
    let plan = Plan::new(element, tiling);
    let mut w = Writer::default();
    let w = &mut w;
    let [input, filter, output, table] = ADDRESSES.map(|name| w.address(name));
    let size = |w: &mut Writer, name: &str| w.word("ld.param.u32", format_args!("[{name}]"));
    let extents = ["n", "p", "q"].map(|name| size(w, name));
    let [filters, steps, stride, pad] = ["k", "steps", "stride", "pad"].map(|name| size(w, name));
    let thread = w.word("mov.u32", format_args!("%tid.x"));
    let block_number = w.word("mov.u32", format_args!("%ctaid.x"));
    let first = first_pixel(w, block_number, extents, tiling.block_pixels());
    let block_filter = w.word("mov.u32", format_args!("%ctaid.y"));
    let first_filter = w.word("mul.lo.u32", format_args!("{block_filter}, {}", tiling.block_k));

    let part = DepthRange::for_block(w, steps, tiling.depth, tiling.grid_c > 1);
    let image = Image {
        address: input,
        table,
        elements: size(w, "image"),
        size: ["h", "w"].map(|name| size(w, name)),
        filter: ["r", "s"].map(|name| size(w, name)),
        pad,
        stride,
        steps,
        extents,
        first,
        part,
    };
    let input = Input::begin(w, plan.input, &image, &plan.pixels, thread);
    let matrix = Matrix { address: filter, leading: steps, extent: filters, first: first_filter, part };
    let filter = Operand::begin(w, plan.filter, matrix, thread, plan.block.rows_bytes);
    let (sums, _) = plan.block.multiply(w, thread, part.tiles, [&input, &filter]);

    // The positions of a thread's sums are computed again, from numbers that ptxas cannot prove equal: the
    // count of remaining tiles is zero here. Otherwise ptxas would keep the positions in registers throughout
    // the loop, and spill.
    ptx!(w, "add.u32 {thread}, {thread}, {}", part.tiles);
    ptx!(w, "add.u32 {block_number}, {block_number}, {}", part.tiles);
    let place = plan.block.threads.place(w, thread);
    let written = Output {
        element,
        columns: &plan.block.columns,
        sums: &sums,
        place,
        threads: plan.block.threads,
        adds: tiling.grid_c > 1,
        target,
    };
    written.write(w, |w| {
        let first = first_pixel(w, block_number, extents, tiling.block_pixels());
        let Fragment { vector, .. } = plan.block.rows;
        let row = w.word("mul.lo.u32", format_args!("{}, {vector}", place.row));
        let pixel = plan.pixels.locate(w, row, plan.pixels.threads * vector);
        for (own, first) in pixel.iter().zip(first) {
            ptx!(w, "add.u32 {own}, {own}, {first}");
        }
        let vector = plan.block.columns.vector;
        let column = w.word("mad.lo.u32", format_args!("{}, {vector}, {first_filter}", place.column));
        let [image, row, first] = pixel;
        let [_, rows, line] = extents;
        let index = w.word("mad.lo.u32", format_args!("{image}, {filters}, {column}"));
        ptx!(w, "mad.lo.u32 {index}, {index}, {rows}, {row}");
        ptx!(w, "mad.lo.u32 {index}, {index}, {line}, {first}");
        let bytes = element.bytes();
        let address = w.long("mad.wide.u32", format_args!("{index}, {bytes}, {output}"));
        let pixels = size(w, "pixels");
        let image_stride = w.word("mul.lo.u32", format_args!("{filters}, {pixels}"));
        let [images_left, rows_left, left] = [0, 1, 2]
            .map(|axis: usize| w.word("sub.s32", format_args!("{}, {}", extents[axis], pixel[axis])));
        let columns_left = w.word("sub.s32", format_args!("{filters}, {column}"));
        Destination {
            address,
            extent: line,
            left,
            width: plan.pixels.run,
            columns: Axis { stride: pixels, left: columns_left },
            axes: vec![
                Axis { stride: image_stride, left: images_left },
                Axis { stride: line, left: rows_left },
            ],
            lines: plan.pixels.lines(&plan.block.rows),
        }
    });
    let sizes = SIZES.iter().map(|(name, _)| (*name, "u32"));
    let parameters: Vec<_> = ADDRESSES.into_iter().map(|name| (name, "u64")).chain(sizes).collect();
    let limits = Limits { threads: plan.block.threads.threads(), registers: Some(plan.registers()) };
    std::mem::take(w).module(name, target, &parameters, limits)
}

/// The first pixel of the block with this number. Block numbers count along columns first, then rows, then images.
fn first_pixel(
    w: &mut Writer,
    number: Register,
    extents: [Register; AXES],
    block: [u32; AXES],
) -> [Register; AXES] {
    let mut left = number;
    let mut tile = |w: &mut Writer, axis: usize| {
        let all = w.word("add.u32", format_args!("{}, {}", extents[axis], block[axis] - 1));
        let tiles = w.word("shr.u32", format_args!("{all}, {}", block[axis].trailing_zeros()));
        let following = w.word("div.u32", format_args!("{left}, {tiles}"));
        let whole = w.word("mul.lo.u32", format_args!("{following}, {tiles}"));
        let tile = w.word("sub.u32", format_args!("{left}, {whole}"));
        left = following;
        tile
    };
    let (column, row) = (tile(w, 2), tile(w, 1));
    let tiles = [left, row, column];
    [0, 1, 2].map(|axis: usize| w.word("mul.lo.u32", format_args!("{}, {}", tiles[axis], block[axis])))
}
