//! Prints the SASS, with control codes, that a PTX file is lowered to: `lower FILE SM [FUNCTION]`.
#![expect(clippy::disallowed_methods, reason = "an example reads a file")]

use machine::Machine;
use model::ptx::Names;
use model::ptx::lower::{Facts, Lowered};
use syntax::ptx::Module;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&arguments[1]).expect("FILE is a readable text file");
    let sm = arguments[2].parse().expect("SM is an architecture such as sm_90");
    let module = Module::parse(&text);
    let facts = Facts::collect(&module);
    let arch = Machine::builtin().gpu_for_sm(sm).arch;
    for item in module.items().iter().filter(|item| item.function().is_some()) {
        if arguments.get(3).is_some_and(|name| item.name() != Some(name)) {
            continue;
        }
        // The first run also loads the tables.
        let mut time = std::time::Duration::MAX;
        let mut lowered = None;
        for _ in 0..3 {
            let begin = std::time::Instant::now();
            lowered = Lowered::lower(item, &Names::resolve(item), &facts, &arch);
            time = time.min(begin.elapsed());
        }
        let Some(lowered) = lowered else { continue };
        println!("{}", lowered.listing());
        println!(
            "// {} registers, spills {}, unknown {:?}, {} instructions, {time:?}",
            lowered.registers,
            lowered.spills,
            lowered.unknown,
            lowered.origin.len()
        );
    }
}
