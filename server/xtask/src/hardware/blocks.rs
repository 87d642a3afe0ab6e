//! Generates launch descriptions for programs that time themselves. Each program runs as one block and reads the SM's
//! clock before and after the measured code, its body.
//!
//! Parameters: `(out, time, in, outer)`. In `time`, each warp stores its two clock reads from the last of the `outer`
//! passes.

use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Size of `out` in words: 1024 threads store there, the last one at byte 221184 + 8 * 1023.
const OUT_WORDS: u32 = 57_344;
/// Clock reads: two for each of 32 warps.
const CLOCKS: u32 = 64;
/// Size of `in` in words: the words of 1024 threads begin at byte 65536, and each thread stores up to 1920 + 16 bytes
/// past its own word.
const IN_WORDS: u32 = 18_432;
/// Passes over the body. All passes except the first find code and data in the caches.
const PASSES: u32 = 4;

/// The launches as text, one line per row of the CSV (`name,warps,...`), with facts from the program's PTX.
///
/// A program without a loop runs with one warp. With more warps, its few cycles would mainly measure the
/// order in which the barrier releases the warps.
pub(super) fn description(csv: &str, ptx: &str) -> Result<String> {
    let programs: HashMap<&str, Program> =
        ptx.split(".visible .entry ").skip(1).filter_map(Program::parse).collect();
    let mut text = String::new();
    for (at, line) in csv.lines().enumerate() {
        if line.starts_with('#') || line.starts_with("name,") {
            continue;
        }
        let number = at + 1;
        let mut cells = line.split(',');
        let (Some(name), Some(warps)) = (cells.next(), cells.next()) else {
            bail!("line {number}: expected a name and a number of warps");
        };
        let warps: u32 = warps.parse().with_context(|| format!("line {number}: `{warps}` warps"))?;
        let program = programs.get(name).with_context(|| format!("line {number}: no {name} in the ptx"))?;
        if warps == 1 || program.is_loop() {
            writeln!(text, "{}", program.launch(name, warps))?;
        }
    }
    Ok(text)
}

/// A program's PTX, from which facts about its launches are read.
struct Program<'p> {
    body: &'p str,
}

impl<'p> Program<'p> {
    fn parse(entry: &'p str) -> Option<(&'p str, Self)> {
        let (name, body) = entry.split_once('(')?;
        Some((name, Self { body }))
    }

    fn has(&self, any: &[&str]) -> bool {
        any.iter().any(|text| self.body.contains(text))
    }

    fn is_loop(&self) -> bool {
        self.has(&["\nBODY:"])
    }

    fn reads_shared(&self) -> bool {
        self.has(&["ld.shared", "ldmatrix", "atom.shared"])
    }

    /// True if the program writes shared memory, where all warps use the same words.
    fn writes_shared(&self) -> bool {
        self.has(&["st.shared", "atom.shared"])
    }

    /// True if the program stores into the input, after the words that it reads. Warps share the stored
    /// words.
    fn stores_input(&self) -> bool {
        self.has(&["st.global.f32 [%g3"])
    }

    fn launch(&self, name: &str, warps: u32) -> String {
        let racing = |races: bool| if races && warps > 1 { "racing:" } else { "" };
        let stale = if self.reads_shared() { " stale-shared=1" } else { "" };
        let (out, input) = (racing(self.writes_shared()), racing(self.stores_input()));
        let threads = 32 * warps;
        format!(
            "{name} {name} block={threads}{stale} {out}zero:{OUT_WORDS} clocks:{CLOCKS} {input}unit|bits:{IN_WORDS} i32:{PASSES}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 9.0
.visible .entry sums(.param .u64 p_out)
LOOP:
  add.f32 %f0, %f1, %f2;
.visible .entry shares(.param .u64 p_out)
LOOP:
BODY:
  st.shared.f32 [%s0+0], %f1;
  ld.shared.f32 %f0, [%s0+0];
.visible .entry stores(.param .u64 p_out)
BODY:
  st.global.f32 [%g3+0], %f1;
";

    #[test]
    fn several_warps_for_loops_alone_and_races_named() {
        let csv =
            "# a GPU\nname,warps,first_min\nsums,1,30\nsums,2,31\nshares,1,40\nshares,4,50\nstores,2,9\n";
        let text = description(csv, PTX).unwrap();
        let expected = "\
sums sums block=32 zero:57344 clocks:64 unit|bits:18432 i32:4
shares shares block=32 stale-shared=1 zero:57344 clocks:64 unit|bits:18432 i32:4
shares shares block=128 stale-shared=1 racing:zero:57344 clocks:64 unit|bits:18432 i32:4
stores stores block=64 zero:57344 clocks:64 racing:unit|bits:18432 i32:4
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_row_without_a_program_is_named() {
        let error = |csv: &str| format!("{:#}", description(csv, PTX).unwrap_err());
        assert_eq!(error("name,warps\nlost,1\n"), "line 2: no lost in the ptx");
        assert_eq!(error("sums\n"), "line 1: expected a name and a number of warps");
        assert!(error("sums,many\n").starts_with("line 1: `many` warps"));
    }
}
