//! Reports for the statements of PTX, made from those for the instructions of its hidden listing.

use super::{DependsOnReport, InstructionReport, SassReport, StallReport};
use crate::engine::origin::{Placed, main_of};
use model::Program;
use rustc_hash::FxHashMap;

/// One row per PTX instruction, in text order: the figures of its most significant SASS instruction, and all SASS
/// instructions it is expected to become. The figures are absent if it becomes none.
pub(super) fn by_statement(
    source: &Placed,
    program: &Program,
    instructions: &[InstructionReport],
) -> Vec<InstructionReport> {
    let mut own: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
    for inst in 0..instructions.len() as u32 {
        if let Some(statement) = source.statement(inst) {
            own.entry(statement).or_default().push(inst);
        }
    }
    let lines = Lines { source, program };
    let row = |statement: usize| {
        let own = own.get(&statement).map_or(&[][..], Vec::as_slice);
        let main = main_of(source, program, own).map(|inst| &instructions[inst as usize]);
        let main = main.cloned().unwrap_or_default();
        let sass = own.iter().map(|&inst| {
            let InstructionReport { address, text, pipe, issue_cycle, .. } = &instructions[inst as usize];
            SassReport {
                address: *address,
                text: text.clone(),
                pipe: pipe.clone(),
                issue_cycle: *issue_cycle,
            }
        });
        let depends_on = main.depends_on.into_iter();
        let depends_on = depends_on.map(|one| DependsOnReport { line: lines.line_at(one.address), ..one });
        InstructionReport {
            address_printed: false,
            line: source.line(statement),
            text: source.printed(statement),
            opcode: source.spelled(statement),
            // Control codes of a hidden listing are generated here, not the compiler's.
            control: None,
            starts_block: Some(source.starts_block(statement)),
            stall: main.stall.map(|stall| StallReport {
                on_line: stall.on_address.and_then(|on| lines.line_at(on)),
                ..stall
            }),
            depends_on: depends_on.collect(),
            sass: Some(sass.collect()),
            ..main
        }
    };
    source.statements().map(row).collect()
}

/// Finds the PTX line of the instruction at an address of the hidden listing.
struct Lines<'a> {
    source: &'a Placed,
    program: &'a Program,
}

impl Lines<'_> {
    fn line_at(&self, address: u32) -> Option<u32> {
        let at = self.program.instructions.binary_search_by_key(&address, |inst| inst.address).ok()?;
        Some(self.source.line_of(at as u32))
    }
}
