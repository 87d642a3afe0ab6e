//! Documents for the tests.

use std::fmt::Write;

pub(crate) const ONE: &str = "file:///one.sass";
pub(crate) const OTHER: &str = "file:///other.sass";

/// The listing of a small Hopper kernel with this number of additions, as `cuobjdump -sass` prints it.
pub(crate) fn listing(additions: usize) -> String {
    let mut text = "\tcode for sm_90\n\t\tFunction : saxpy\n\t.headerflags\t@\"EF_CUDA_SM90\"\n".to_owned();
    let mut address = 0;
    let mut line = |instruction: &str, low: &str, high: &str| {
        let _ = writeln!(text, "        /*{address:04x}*/                   {instruction:<45} /* {low} */");
        let _ = writeln!(text, "{:81}/* {high} */", "");
        address += 16;
    };
    line("S2R R0, SR_TID.X ;", "0x0000000000007919", "0x000e240000002100");
    // The first addition waits for the scoreboard that S2R sets.
    for at in 0..additions {
        let code = if at == 0 { "0x001fc40007ffe0ff" } else { "0x000fc40007ffe0ff" };
        line("IADD3 R4, R0, 0x1, RZ ;", "0x0000000100047810", code);
    }
    let code = if additions == 0 { "0x001fea0003800000" } else { "0x000fea0003800000" };
    line("EXIT ;", "0x000000000000794d", code);
    text.push_str("\t\t..........\n");
    text
}

/// The line of the first addition in [`listing`].
pub(crate) const FIRST_ADDITION: u32 = 5;
/// Column of a line of [`listing`] at which the instruction's text starts.
pub(crate) const COLUMN: u32 = 35;

/// Pseudo-random numbers, the same in every run (the generator of Knuth's MMIX).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }
}
