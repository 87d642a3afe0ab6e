//! Stages tiles from global memory in shared memory while the previous tiles are multiplied.

use super::writer::{Register, Writer, ptx};

/// The tiles of one operand that a thread helps to load. Each call advances to the next tile.
pub(crate) trait Tile {
    /// Emits loads of this thread's elements of the next tile into registers.
    fn fetch(&self, w: &mut Writer) -> Vec<Register>;
    /// Emits stores of the fetched registers to shared memory, `slot` bytes after the first tile.
    fn store(&self, w: &mut Writer, fetched: &[Register], slot: Register);
    /// Emits asynchronous copies of this thread's elements of the next tile to shared memory.
    fn copy(&self, w: &mut Writer, slot: Register);
}

/// The tiles of both operands.
pub(crate) type Tiles<'a> = [&'a dyn Tile; 2];

/// Tiles in shared memory, in consecutive stages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pipeline {
    /// Number of stages. One or two stages are filled through registers, three or more by asynchronous
    /// copies.
    pub(crate) stages: u32,
    /// Bytes of the tiles of both operands together.
    pub(crate) stage_bytes: u32,
}

impl Pipeline {
    pub(crate) const fn is_asynchronous(self) -> bool {
        self.stages > 2
    }

    pub(crate) const fn bytes(self) -> u32 {
        self.stages * self.stage_bytes
    }

    /// Emits the main loop. It loads `tiles` tiles and calls `multiply` with the offset of each tile in
    /// shared memory.
    pub(crate) fn run(
        self,
        w: &mut Writer,
        tiles: Register,
        source: Tiles<'_>,
        multiply: &dyn Fn(&mut Writer, Register),
    ) {
        if self.is_asynchronous() {
            self.run_asynchronously(w, tiles, source, multiply);
        } else {
            self.run_through_registers(w, tiles, source, multiply);
        }
    }

    fn run_through_registers(
        self,
        w: &mut Writer,
        tiles: Register,
        source: Tiles<'_>,
        multiply: &dyn Fn(&mut Writer, Register),
    ) {
        let slot = w.word("mov.u32", format_args!("0"));
        let first = source.map(|tile| tile.fetch(w));
        store(w, source, &first, slot);
        ptx!(w, "bar.sync 0");
        let again = w.label();
        w.place(again);
        let fetched = source.map(|tile| tile.fetch(w));
        multiply(w, slot);
        if self.stages == 1 {
            ptx!(w, "bar.sync 0");
        } else {
            ptx!(w, "sub.u32 {slot}, {}, {slot}", self.stage_bytes);
        }
        store(w, source, &fetched, slot);
        ptx!(w, "bar.sync 0");
        repeat(w, tiles, again);
    }

    fn run_asynchronously(
        self,
        w: &mut Writer,
        tiles: Register,
        source: Tiles<'_>,
        multiply: &dyn Fn(&mut Writer, Register),
    ) {
        let ahead = self.stages - 1;
        for stage in 0..ahead {
            let slot = w.word("mov.u32", format_args!("{}", stage * self.stage_bytes));
            copy(w, source, slot);
            ptx!(w, "cp.async.commit_group");
        }
        let read = w.word("mov.u32", format_args!("0"));
        let write = w.word("mov.u32", format_args!("{}", ahead * self.stage_bytes));
        let again = w.label();
        w.place(again);
        ptx!(w, "cp.async.wait_group {}", ahead - 1);
        // All threads see all copies of this tile, and all threads have multiplied the tile that is
        // overwritten next.
        ptx!(w, "bar.sync 0");
        copy(w, source, write);
        ptx!(w, "cp.async.commit_group");
        multiply(w, read);
        for slot in [read, write] {
            ptx!(w, "add.u32 {slot}, {slot}, {}", self.stage_bytes);
            let over = w.predicate("setp.eq.u32", format_args!("{slot}, {}", self.bytes()));
            ptx!(w, "selp.u32 {slot}, 0, {slot}, {over}");
        }
        repeat(w, tiles, again);
        // Copies after the last tile write zeros. They must complete before the memory is reused.
        ptx!(w, "cp.async.wait_all");
    }
}

fn store(w: &mut Writer, source: Tiles<'_>, fetched: &[Vec<Register>; 2], slot: Register) {
    for (tile, fetched) in source.iter().zip(fetched) {
        tile.store(w, fetched, slot);
    }
}

fn copy(w: &mut Writer, source: Tiles<'_>, slot: Register) {
    for tile in source {
        tile.copy(w, slot);
    }
}

/// Emits the end of the loop: decrements `left`, and branches back to the label unless `left` is zero.
fn repeat(w: &mut Writer, left: Register, again: super::writer::Label) {
    ptx!(w, "sub.u32 {left}, {left}, 1");
    let more = w.predicate("setp.ne.u32", format_args!("{left}, 0"));
    ptx!(w, "@{more} bra {again}");
}
