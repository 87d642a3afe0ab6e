//! A matrix's tiles: the elements that each thread loads, and their positions in shared memory.

use super::block::DepthRange;
use super::pipeline::{Pipeline, Tile};
use super::product::{WIDEST_BYTES, halves, memory_type, vector, zeros};
use super::writer::{Register, Target, Writer, ptx};
use crate::Element;
use machine::units::WAVEFRONT_BYTES;

/// The axis of a tile along which elements are contiguous in global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContiguousAxis {
    /// Rows of C for A, columns of C for B.
    Outer,
    /// The axis that is summed over.
    Depth,
}

/// A tile of `outer` x `depth` elements, which the threads of a block load together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperandTile {
    pub(crate) element: Element,
    pub(crate) contiguous: ContiguousAxis,
    pub(crate) vector: u32,
    pub(crate) outer: u32,
    pub(crate) depth: u32,
    pub(crate) threads: u32,
}

/// One load of a thread, as an offset in elements from the thread's first load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Load {
    outer: u32,
    depth: u32,
}

/// Maximum number of loads per thread for a tile of one operand.
pub(crate) const MAX_LOADS: u32 = 16; // limit: each load is unrolled and takes separate registers

impl OperandTile {
    /// Number of vectors of the tile along the contiguous axis.
    const fn width(&self) -> u32 {
        match self.contiguous {
            ContiguousAxis::Outer => self.outer / self.vector,
            ContiguousAxis::Depth => self.depth / self.vector,
        }
    }

    const fn loads_of_block(&self) -> u32 {
        self.outer * self.depth / self.vector
    }

    /// Loads per thread and tile.
    pub(crate) const fn loads_of_thread(&self) -> u32 {
        self.loads_of_block().div_ceil(self.threads)
    }

    /// Number of 32-bit registers for a tile's elements in flight.
    pub(crate) const fn registers(&self) -> u32 {
        self.loads_of_thread() * (self.vector * self.element.bytes()).div_ceil(4)
    }

    /// Stride in elements, in shared memory, between adjacent steps of the depth. It is padded if the lanes of a warp
    /// store along the depth, to minimise bank conflicts.
    pub(crate) fn pitch(&self) -> u32 {
        match self.contiguous {
            ContiguousAxis::Outer => self.outer,
            ContiguousAxis::Depth => {
                let apart = WAVEFRONT_BYTES / self.depth / self.element.bytes();
                self.outer + apart.max(WIDEST_BYTES / self.element.bytes())
            }
        }
    }

    pub(crate) fn bytes(&self) -> u32 {
        self.depth * self.pitch() * self.element.bytes()
    }

    pub(crate) fn is_legal(&self, pipeline: Pipeline, target: Target) -> bool {
        let bytes = self.vector * self.element.bytes();
        let contiguous = match self.contiguous {
            ContiguousAxis::Outer => self.outer,
            ContiguousAxis::Depth => self.depth,
        };
        if bytes > WIDEST_BYTES || contiguous < self.vector || self.loads_of_thread() > MAX_LOADS {
            return false;
        }
        // The elements of a vector along the depth are stored to several addresses.
        let to_one_place = self.contiguous == ContiguousAxis::Outer || self.vector == 1;
        !pipeline.is_asynchronous() || (to_one_place && target.copies(bytes))
    }

    fn loads(&self) -> Vec<Load> {
        let (width, threads) = (self.width(), self.threads);
        (0..self.loads_of_thread())
            .map(|number| {
                let (along, across) = if threads >= width {
                    (0, number * (threads / width))
                } else {
                    (number % (width / threads) * threads * self.vector, number / (width / threads))
                };
                match self.contiguous {
                    ContiguousAxis::Outer => Load { outer: along, depth: across },
                    ContiguousAxis::Depth => Load { outer: across, depth: along },
                }
            })
            .collect()
    }
}

/// Registers that locate a matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix {
    pub(crate) address: Register,
    /// Elements between adjacent columns.
    pub(crate) leading: Register,
    /// Rows or columns of C.
    pub(crate) extent: Register,
    /// The block's first row or column of C.
    pub(crate) first: Register,
    /// The block's range of the axis that is summed over.
    pub(crate) part: DepthRange,
}

/// Tiles of one matrix that a thread helps to load.
#[derive(Debug)]
pub(crate) struct Operand {
    tile: OperandTile,
    leading: Register,
    /// The thread's first element of the next tile.
    address: Register,
    /// Number of elements from the thread's first element to the edge of the matrix; negative past the edge.
    outer_left: Register,
    depth_left: Register,
    /// Predicate that is true if the loads are inside the matrix along the outer axis. Used if all loads of
    /// the thread have the same outer index.
    is_inside: Register,
    /// Predicate that is true if this thread has loads. `None` if the block does not have more threads than
    /// loads.
    is_busy: Option<Register>,
    /// The thread's first element in shared memory.
    shared: Register,
}

impl Operand {
    /// Emits the code that computes each thread's registers. The tiles are `shared_bytes` bytes after the start of
    /// shared memory.
    pub(crate) fn begin(
        w: &mut Writer,
        tile: OperandTile,
        matrix: Matrix,
        thread: Register,
        shared_bytes: u32,
    ) -> Self {
        let bytes = tile.element.bytes();
        let (across, along) = w.split(thread, tile.width());
        let along = w.word("mul.lo.u32", format_args!("{along}, {}", tile.vector));
        let (outer, depth) = match tile.contiguous {
            ContiguousAxis::Outer => (along, across),
            ContiguousAxis::Depth => (across, along),
        };
        let row = w.word("add.u32", format_args!("{outer}, {}", matrix.first));
        let step = w.word("add.u32", format_args!("{depth}, {}", matrix.part.begin));
        let (near, far) = match tile.contiguous {
            ContiguousAxis::Outer => (row, step),
            ContiguousAxis::Depth => (step, row),
        };
        let index = w.long("mul.wide.u32", format_args!("{far}, {}", matrix.leading));
        let near = w.long("cvt.u64.u32", format_args!("{near}"));
        ptx!(w, "add.u64 {index}, {index}, {near}");
        ptx!(w, "mad.lo.u64 {index}, {index}, {bytes}, {}", matrix.address);
        let outer_left = w.word("sub.s32", format_args!("{}, {row}", matrix.extent));
        let depth_left = w.word("sub.s32", format_args!("{}, {step}", matrix.part.end));
        let is_busy = (tile.threads > tile.loads_of_block()).then(|| {
            let busy = w.predicate("setp.lt.u32", format_args!("{thread}, {}", tile.loads_of_block()));
            ptx!(w, "selp.s32 {outer_left}, {outer_left}, 0, {busy}");
            busy
        });
        let is_inside = w.predicate("setp.gt.s32", format_args!("{outer_left}, 0"));
        let shared = w.word("mov.u32", format_args!("tiles"));
        let place = w.word("mad.lo.u32", format_args!("{depth}, {}, {outer}", tile.pitch()));
        ptx!(w, "mad.lo.u32 {shared}, {place}, {bytes}, {shared}");
        ptx!(w, "add.u32 {shared}, {shared}, {shared_bytes}");
        Self {
            tile,
            leading: matrix.leading,
            address: index,
            outer_left,
            depth_left,
            is_inside,
            is_busy,
            shared,
        }
    }

    /// The sources of each load of the next tile: the load, its address, an offset in bytes, and a predicate
    /// that is true inside the matrix.
    fn sources(&self, w: &mut Writer) -> Vec<(Load, Register, u32, Register)> {
        let bytes = self.tile.element.bytes();
        let loads = self.tile.loads();
        let is_at_one_place = loads.iter().all(|load| load.outer == 0);
        let mut by_depth: Vec<(u32, Register)> = Vec::new();
        let mut by_distance: Vec<(u32, Register)> = vec![(0, self.address)];
        loads
            .into_iter()
            .map(|load| {
                let (near, far) = match self.tile.contiguous {
                    ContiguousAxis::Outer => (load.outer, load.depth),
                    ContiguousAxis::Depth => (load.depth, load.outer),
                };
                let address = found_or(&mut by_distance, far, || {
                    w.long(
                        "mad.wide.u32",
                        format_args!("{}, {}, {}", self.leading, far * bytes, self.address),
                    )
                });
                let takes = if is_at_one_place {
                    w.predicate(
                        "setp.gt.and.s32",
                        format_args!("{}, {}, {}", self.depth_left, load.depth, self.is_inside),
                    )
                } else {
                    let deep = found_or(&mut by_depth, load.depth, || {
                        w.predicate("setp.gt.s32", format_args!("{}, {}", self.depth_left, load.depth))
                    });
                    w.predicate(
                        "setp.gt.and.s32",
                        format_args!("{}, {}, {deep}", self.outer_left, load.outer),
                    )
                };
                (load, address, near * bytes, takes)
            })
            .collect()
    }

    fn advance(&self, w: &mut Writer) {
        let bytes = self.tile.depth * self.tile.element.bytes();
        match self.tile.contiguous {
            ContiguousAxis::Outer => {
                ptx!(w, "mad.wide.u32 {}, {}, {bytes}, {}", self.address, self.leading, self.address);
            }
            ContiguousAxis::Depth => ptx!(w, "add.u64 {}, {}, {bytes}", self.address, self.address),
        }
        ptx!(w, "sub.s32 {}, {}, {}", self.depth_left, self.depth_left, self.tile.depth);
    }

    /// Byte offset from the thread's first element in shared memory.
    fn offset(&self, outer: u32, depth: u32) -> u32 {
        (depth * self.tile.pitch() + outer) * self.tile.element.bytes()
    }
}

impl Tile for Operand {
    // Emits loads that return zeros outside the edges of the matrix.
    fn fetch(&self, w: &mut Writer) -> Vec<Register> {
        let element = self.tile.element;
        let load_bytes = self.tile.vector * element.bytes();
        let mut all = Vec::new();
        for (_, address, offset, takes) in self.sources(w) {
            let (into, of) = zeros(w, element, load_bytes);
            let (names, suffix) = vector(&into);
            ptx!(w, "@{takes} ld.global.nc{suffix}.{of} {names}, [{address}+{offset}]");
            all.extend(into);
        }
        self.advance(w);
        all
    }

    fn store(&self, w: &mut Writer, fetched: &[Register], slot: Register) {
        let (element, vector_size) = (self.tile.element, self.tile.vector);
        let to = w.word("add.u32", format_args!("{}, {slot}", self.shared));
        let guard = self.is_busy.map_or_else(String::new, |busy| format!("@{busy} "));
        let loads = self.tile.loads();
        for (load, registers) in loads.iter().zip(fetched.chunks(fetched.len() / loads.len())) {
            match self.tile.contiguous {
                ContiguousAxis::Outer => {
                    let at = self.offset(load.outer, load.depth);
                    if vector_size * element.bytes() == 2 {
                        ptx!(w, "{guard}st.shared.b16 [{to}+{at}], {}", registers[0]);
                        continue;
                    }
                    let (names, suffix) = vector(registers);
                    ptx!(w, "{guard}st.shared{suffix}.{} [{to}+{at}], {names}", memory_type(element));
                }
                ContiguousAxis::Depth => {
                    let elements = match element {
                        Element::F16 if vector_size > 1 => halves(w, registers),
                        _ => registers.to_vec(),
                    };
                    let of = if element == Element::F16 { "b16" } else { memory_type(element) };
                    for (step, register) in elements.iter().enumerate() {
                        let at = self.offset(load.outer, load.depth + step as u32);
                        ptx!(w, "{guard}st.shared.{of} [{to}+{at}], {register}");
                    }
                }
            }
        }
    }

    fn copy(&self, w: &mut Writer, slot: Register) {
        let bytes = self.tile.vector * self.tile.element.bytes();
        // Only copies of 16 bytes may bypass the L1 cache.
        let cache = if bytes == WIDEST_BYTES { "cg" } else { "ca" };
        let to = w.word("add.u32", format_args!("{}, {slot}", self.shared));
        let guard = self.is_busy.map_or_else(String::new, |busy| format!("@{busy} "));
        for (load, address, offset, takes) in self.sources(w) {
            let at = self.offset(load.outer, load.depth);
            let size = w.word("selp.u32", format_args!("{bytes}, 0, {takes}"));
            ptx!(
                w,
                "{guard}cp.async.{cache}.shared.global [{to}+{at}], [{address}+{offset}], {bytes}, {size}"
            );
        }
        self.advance(w);
    }
}

fn found_or(known: &mut Vec<(u32, Register)>, key: u32, make: impl FnOnce() -> Register) -> Register {
    if let Some((_, register)) = known.iter().find(|(of, _)| *of == key) {
        return *register;
    }
    let register = make();
    known.push((key, register));
    register
}
