//! Tests of the address analysis with the measured programs. A subset of these programs is part of this repository.

#![expect(
    clippy::disallowed_methods,
    reason = "not part of the crate: it reads the files that it is given and a clock"
)]

use machine::{Flow, Machine, MemorySpace};
use model::address::{Addresses, WarpThreads};
use model::{Chunk, Program};
use std::fmt::Write;
use syntax::sass::Listing;

/// The measured blocks have one row of threads.
const BLOCK: [u32; 3] = [256, 1, 1];

/// Passes every kernel of a file to `look`, with its program and addresses, from the largest set available.
fn each(file: &str, mut look: impl FnMut(&Chunk, &Program, &Addresses)) {
    let folder = testkit::measured("blocks").pop().expect("the subset is there");
    let text = std::fs::read_to_string(folder.join(file)).expect("the file is there");
    let gpu = Machine::builtin().gpu_for_sm(90);
    let listing = Listing::parse(&text);
    for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
        let program = Program::decode(chunk, &gpu.arch);
        look(chunk, &program, &Addresses::compute(chunk, &program));
    }
}

/// Returns the indices of backward branches, without the branch to itself that follows a kernel's last instruction.
fn branches_back(program: &Program) -> impl Iterator<Item = usize> {
    let all = program.instructions.iter().enumerate();
    all.filter(|(at, inst)| {
        inst.flow == Flow::Branch && inst.target.is_some_and(|target| (target as usize) < *at)
    })
    .map(|(at, _)| at)
}

/// Each program has a loop with a constant trip count between two reads of the clock; the compiler has removed a few of
/// these loops. An outer loop contains both reads, and its trip count is a parameter of the launch.
#[test]
fn constant_loops_of_the_measured_programs_are_counted() {
    let (mut kernels, mut between, mut counted, mut around) = (0, 0, 0, 0);
    each("loops.sass", |chunk, program, addresses| {
        kernels += 1;
        for branch in branches_back(program) {
            let text = |at: usize| chunk.line_text(program.instructions[at].line as usize);
            let clocks = (0..branch).filter(|&at| text(at).contains("SR_CLOCKLO")).count();
            let trips = addresses.trips(branch);
            if clocks == 1 {
                between += 1;
                counted += u32::from(trips.is_some());
            } else {
                around += 1;
                assert_eq!(trips, None, "the launch says how often {}", text(branch));
            }
        }
    });
    println!("{kernels} kernels: {counted} of {between} loops between clocks counted, {around} around them");
    assert!(counted == between && between >= 25, "{counted} of {between}");
}

#[test]
fn requests_of_the_measured_programs_are_known() {
    let (mut shared, mut shared_known, mut global, mut global_known) = (0, 0, 0, 0);
    each("straight.sass", |chunk, program, addresses| {
        for (at, inst) in program.instructions.iter().enumerate() {
            let lanes = WarpThreads::first(BLOCK);
            let is_known = match inst.memory.map(|memory| memory.space) {
                Some(MemorySpace::Shared) => {
                    shared += 1;
                    let found = addresses.wavefronts(at, &lanes);
                    shared_known += u32::from(found.is_some());
                    found.is_some()
                }
                Some(MemorySpace::Global) => {
                    global += 1;
                    let found = addresses.lines(at, &lanes);
                    global_known += u32::from(found.is_some());
                    found.is_some()
                }
                _ => continue,
            };
            if !is_known {
                println!("{}: {}", chunk.name().unwrap_or(""), chunk.line_text(inst.line as usize).trim());
            }
        }
    });
    println!("wavefronts of {shared_known} of {shared}, lines of {global_known} of {global}");
    assert!(shared_known * 20 >= shared * 19 && global_known * 20 >= global * 19);
}

/// Analysing a long kernel with many loops takes no longer than parsing it.
#[test]
fn long_kernels_take_little_time() {
    let mut text = "\tcode for sm_90\n\t\tFunction : kernel\n".to_owned();
    let pass =
        ["IMAD R2, R2, R3, R4", "VIADD R5, R5, 0x4", "LDS R6, [R2]", "ISETP.GE.AND P0, PT, R5, 0x40, PT"];
    for index in 0..100_000 {
        let inner = index / 5 * 5 * 16;
        let line =
            pass.get(index % 5).map_or_else(|| format!("@!P0 BRA {inner:#x}"), |line| (*line).to_owned());
        writeln!(text, "        /*{:04x}*/                   {line} ;", index * 16).unwrap();
    }
    let listing = Listing::parse(&text);
    let chunk =
        listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("there is a kernel");
    let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
    let start = std::time::Instant::now();
    let addresses = Addresses::compute(chunk, &program);
    let took = start.elapsed();
    println!("100,000 instructions, 20,000 loops: {took:?}");
    assert!(addresses.trips(4).is_none(), "nothing is known of R5 before");
    assert!(took.as_secs() < 5, "{took:?}");
}

/// Name of an adversarial text, and a function for its numbered lines.
type Hostile = (&'static str, fn(usize) -> String);

/// Text that no compiler writes: a block for each instruction, every register, endless jumps and loops.
#[test]
fn hostile_kernels_take_little_time() {
    let all = "UMOV UR254, 0x4\nMOV R254, R253\n";
    let cases: [Hostile; 5] = [
        ("exits", |_| "EXIT".into()),
        ("branches to one place", |_| "@P0 BRA 0x100000".into()),
        ("calls", |at| format!("CALL.REL.NOINC {:#x}", (at * 7919 % 50_000) * 16)),
        ("nested loops", |at| format!("@P0 BRA {:#x}", 50_000_usize.saturating_sub(at) * 16)),
        ("jumps at random", |at| format!("@P0 BRA {:#x}", (at * 7919 % 50_000) * 16)),
    ];
    for (name, line) in cases {
        let mut text = "\tcode for sm_90\n\t\tFunction : kernel\n".to_owned();
        let lines = all.lines().map(str::to_owned).chain((2..50_000).map(line));
        for (at, line) in lines.enumerate() {
            writeln!(text, "        /*{:04x}*/                   {line} ;", at * 16).unwrap();
        }
        let listing = Listing::parse(&text);
        let chunk = listing
            .chunks()
            .iter()
            .find(|chunk| !chunk.instructions().is_empty())
            .expect("there is a kernel");
        let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(90).arch);
        let start = std::time::Instant::now();
        let addresses = Addresses::compute(chunk, &program);
        let took = start.elapsed();
        println!("{name}: {took:?}");
        assert!(addresses.access(0).is_none());
        assert!(took.as_secs() < 20, "{name}: {took:?}");
    }
}
