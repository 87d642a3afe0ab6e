//! Selection ranges around an offset: token, operand, instruction, basic block, loops, kernel.

use crate::engine::plain::grow;
use crate::engine::sass_view::SassView;
use model::Program;
use std::ops::Range;
use syntax::sass::{Chunk, LineKind};

/// Returns the ranges around an offset, innermost first. Each range contains the preceding range and is
/// larger.
pub(crate) fn around(sass: &SassView, offset: usize) -> Vec<Range<usize>> {
    let Some(index) = sass.listing().chunk_at(offset) else { return Vec::new() };
    let chunk: &Chunk = &sass.listing().chunks()[index];
    let start = sass.start(index);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut add = |range: Range<usize>| grow(&mut ranges, offset, range);
    if let Some(place) = sass.line_at(offset) {
        let line_range = sass.line_range(index, place.line);
        let bytes = |from: u16, to: usize| place.start + from as usize..place.start + to;
        let holds = |range: &Range<usize>| range.start <= offset && offset <= range.end;
        // If two tokens touch at the offset, the right token is used.
        let token = place.tokens().iter().map(|token| place.range(token)).rev().find(holds);
        token.into_iter().for_each(&mut add);
        if let Some(inst) = place.instruction() {
            let instruction = &chunk.instructions()[inst];
            let spans = chunk
                .operands(instruction)
                .filter_map(|operand| Some(bytes(operand.first()?.start, operand.last()?.end())));
            spans.filter(holds).for_each(&mut add);
            let all = chunk.tokens(instruction.tokens);
            if let (Some(first), Some(last)) = (all.first(), all.last()) {
                add(bytes(first.start, last.end()));
            }
            add(line_range);
            let model = sass.model(chunk, &sass.target(chunk));
            for stretch in stretches(&model.program, inst as u32) {
                let line = |inst: u32| chunk.instructions()[inst as usize].line as usize;
                let first = sass.line_range(index, line(stretch.start)).start;
                add(first..sass.line_range(index, line(stretch.end - 1)).end);
            }
        } else {
            add(line_range);
        }
    }
    let filled = (0..chunk.lines().len()).rev().find(|&line| chunk.lines()[line].kind != LineKind::Blank);
    let end = filled.map_or(start + chunk.text().len(), |line| sass.line_range(index, line).end);
    add(start..end);
    add(0..sass.listing().len());
    ranges
}

/// Returns the basic block and the loops around an instruction, smallest first. A loop extends from the
/// target of a backward branch to the branch.
fn stretches(program: &Program, inst: u32) -> Vec<Range<u32>> {
    let block = program.instructions[inst as usize].block;
    let mut stretches = vec![program.blocks[block as usize].instructions.clone()];
    for (from, target) in program.flow.edges() {
        let branch = &program.blocks[from as usize].instructions;
        let first = program.blocks[target as usize].instructions.start;
        let around = first..branch.end;
        if around.contains(&inst) && first <= branch.start {
            stretches.push(around);
        }
    }
    stretches.sort_by_key(Range::len);
    stretches
}
