//! Tiles on their way from global to shared memory while the ones before are multiplied.

use super::writer::{Register, Writer, ptx};

/// The tiles of A and B that a thread helps to bring in: each call goes on to the next.
pub(crate) trait Tiles {
    /// Loads this thread's elements of the next tiles into registers.
    fn fetch(&self, w: &mut Writer) -> Vec<Vec<Register>>;
    /// Writes them to shared memory, so many bytes behind the first tiles.
    fn store(&self, w: &mut Writer, fetched: &[Vec<Register>], slot: Register);
    /// Copies this thread's elements of the next tiles to shared memory, without waiting.
    fn copy(&self, w: &mut Writer, slot: Register);
}

/// Tiles in shared memory, one stage behind the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pipeline {
    /// 1 and 2 are filled through registers, more by asynchronous copies.
    pub(crate) stages: u32,
    /// Bytes of the tiles of A and B together.
    pub(crate) stage_bytes: u32,
}

impl Pipeline {
    pub(crate) const fn is_asynchronous(self) -> bool {
        self.stages > 2
    }

    pub(crate) const fn bytes(self) -> u32 {
        self.stages * self.stage_bytes
    }

    /// Brings in this number of tiles and has each multiplied where it lies.
    pub(crate) fn run(
        self,
        w: &mut Writer,
        tiles: Register,
        source: &dyn Tiles,
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
        source: &dyn Tiles,
        multiply: &dyn Fn(&mut Writer, Register),
    ) {
        let slot = w.word("mov.u32", format_args!("0"));
        let first = source.fetch(w);
        source.store(w, &first, slot);
        ptx!(w, "bar.sync 0");
        let again = w.label();
        w.place(again);
        let fetched = source.fetch(w);
        multiply(w, slot);
        if self.stages == 1 {
            ptx!(w, "bar.sync 0");
        } else {
            ptx!(w, "sub.u32 {slot}, {}, {slot}", self.stage_bytes);
        }
        source.store(w, &fetched, slot);
        ptx!(w, "bar.sync 0");
        repeat(w, tiles, again);
    }

    fn run_asynchronously(
        self,
        w: &mut Writer,
        tiles: Register,
        source: &dyn Tiles,
        multiply: &dyn Fn(&mut Writer, Register),
    ) {
        let ahead = self.stages - 1;
        for stage in 0..ahead {
            let slot = w.word("mov.u32", format_args!("{}", stage * self.stage_bytes));
            source.copy(w, slot);
            ptx!(w, "cp.async.commit_group");
        }
        let read = w.word("mov.u32", format_args!("0"));
        let write = w.word("mov.u32", format_args!("{}", ahead * self.stage_bytes));
        let again = w.label();
        w.place(again);
        ptx!(w, "cp.async.wait_group {}", ahead - 1);
        // All copies of this tile are seen by all threads, and all have multiplied the tile that is overwritten next.
        ptx!(w, "bar.sync 0");
        source.copy(w, write);
        ptx!(w, "cp.async.commit_group");
        multiply(w, read);
        for slot in [read, write] {
            ptx!(w, "add.u32 {slot}, {slot}, {}", self.stage_bytes);
            let over = w.predicate("setp.eq.u32", format_args!("{slot}, {}", self.bytes()));
            ptx!(w, "selp.u32 {slot}, 0, {slot}, {over}");
        }
        repeat(w, tiles, again);
        // Copies behind the last tile bring zeros, which must not arrive in what is stored there next.
        ptx!(w, "cp.async.wait_all");
    }
}

/// Counts down and goes back to the label until nothing is left.
fn repeat(w: &mut Writer, left: Register, again: super::writer::Label) {
    ptx!(w, "sub.u32 {left}, {left}, 1");
    let more = w.predicate("setp.ne.u32", format_args!("{left}, 0"));
    ptx!(w, "@{more} bra {again}");
}
