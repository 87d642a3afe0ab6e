//! Execution of small kernels, compared with arithmetic on numbers and with single threads.

mod control;
mod counted;
mod differential;
mod integers;
mod memory;
mod newer_opcodes;
mod opcodes;
mod random;
mod structured;
mod survey;
mod threads;
mod traffic;

use super::{AccessState, Code, IssuedInstruction, Warp};
use crate::address::WarpThreads;
use crate::launch::DeclaredResources;
use crate::requests::Request;
use crate::{Addresses, Launch, Program};
use machine::{Gpu, Machine};
use std::fmt::Write;
use syntax::sass::{Chunk, Listing, SmVersion};

/// A kernel and the GPU that it is written for.
struct Kernel {
    listing: Listing,
    program: Program,
    gpu: Gpu,
}

/// An instruction that a warp has run, with its memory request.
type Event = (IssuedInstruction, Request);

impl Kernel {
    /// Builds a kernel from one instruction per line; `name:` on a line is a label, which branches refer to by
    /// `(name)`.
    fn new(sm: u16, lines: &[impl AsRef<str>]) -> Self {
        let bytes = SmVersion::new(sm).encoding().instruction_bytes() as usize;
        let is_label = |line: &&str| line.ends_with(':');
        let mut labels = Vec::new();
        let mut count = 0;
        for line in lines.iter().map(AsRef::as_ref) {
            if is_label(&line) {
                labels.push((format!("({})", line.trim_end_matches(':')), format!("{:#x}", count * bytes)));
            } else {
                count += 1;
            }
        }
        let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
        for (at, line) in lines.iter().map(AsRef::as_ref).filter(|line| !is_label(line)).enumerate() {
            let mut line = line.to_owned();
            for (label, address) in &labels {
                line = line.replace(label, address);
            }
            writeln!(text, "        /*{:04x}*/                   {line} ;", at * bytes).unwrap();
        }
        Self::of_text(sm, &text)
    }

    fn of_text(sm: u16, text: &str) -> Self {
        let listing = Listing::parse(text);
        let gpu = Machine::builtin().gpu_for_sm(sm);
        let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty());
        let program = Program::decode(chunk.expect("there is a kernel"), &gpu.arch);
        Self { listing, program, gpu }
    }

    fn chunk(&self) -> &Chunk {
        self.listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).unwrap()
    }

    fn launch(&self, grid: [u32; 3], block: [u32; 3]) -> Launch {
        Launch { grid, block, ..Launch::assumed(&self.program, &self.gpu, DeclaredResources::default()) }
    }

    fn code(&self, launch: &Launch) -> Code {
        Code::new(self.chunk(), &self.program, &launch.trips)
    }

    fn addresses(&self) -> Addresses {
        Addresses::compute(self.chunk(), &self.program)
    }

    /// Runs a warp to its end; returns each instruction that it ran, with its request.
    fn run(&self, launch: &Launch, place: &WarpThreads) -> Vec<Event> {
        let code = self.code(launch);
        let mut warp = Warp::new(&code, launch, place);
        let mut events = Vec::new();
        while let Some(ran) = warp.step(&code) {
            events.push((ran, *warp.request()));
            assert!(events.len() < 200_000, "it does not end");
        }
        events
    }

    /// Does the work of [`Self::run`] for a block of one warp.
    fn run_one(&self) -> Vec<Event> {
        let block = [32, 1, 1];
        self.run(&self.launch([1; 3], block), &WarpThreads::first(block))
    }
}

/// Returns the registers of each lane of a full warp after these instructions; `None` if they are not known. Words of
/// constant bank 0 are given by offset.
fn registers(
    sm: u16,
    constants: &[(u32, u32)],
    lines: &[impl AsRef<str>],
    asked: &[u8],
) -> Vec<Option<[u32; 32]>> {
    let mut lines: Vec<String> = lines.iter().map(|line| line.as_ref().to_owned()).collect();
    lines.extend(asked.iter().map(|register| format!("LDS.U8 R200, [R{register}]")));
    lines.push("EXIT".into());
    let kernel = Kernel::new(sm, &lines);
    for (inst, line) in
        kernel.program.instructions.iter().zip(lines.iter().filter(|line| !line.ends_with(':')))
    {
        assert!(inst.opcode.is_some(), "sm_{sm} has no {line}");
    }
    let block = [32, 1, 1];
    let mut launch = kernel.launch([1; 3], block);
    launch.constants.extend(constants.iter().copied());
    let events = kernel.run(&launch, &WarpThreads::first(block));
    let loads = &events[events.len() - 1 - asked.len()..events.len() - 1];
    loads
        .iter()
        .map(|(ran, request)| (ran.access == AccessState::Known).then(|| request.addresses.map(|a| a as u32)))
        .collect()
}
