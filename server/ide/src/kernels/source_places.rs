//! Source lines of a listing's instructions.

use crate::engine::code::{SourcePlace, Stack};
use crate::kernels::source_links::named_places;
use std::sync::Arc;
use syntax::sass::Chunk;

/// Path that nvdisasm prints for PTX stored in a cubin.
const KEPT_PTX: &str = ".nv_debug_ptx";

/// Returns the source lines of each instruction of a chunk. The source lines come from comments above
/// the instruction or at the end of its line: `//## File "x.cu", line 7`.
pub(crate) fn stacks(chunk: &Chunk) -> Vec<Stack> {
    let text = chunk.text();
    let mut paths: Vec<Arc<str>> = Vec::new();
    let mut path_of = |path: &str| {
        if let Some(known) = paths.iter().find(|known| ***known == *path) {
            return Arc::clone(known);
        }
        let new: Arc<str> = path.into();
        paths.push(Arc::clone(&new));
        new
    };
    let mut comments = text.match_indices("//## File \"").map(|(at, _)| at).peekable();
    let mut stack: Stack = Arc::default();
    let mut stacks = Vec::with_capacity(chunk.instructions().len());
    for instruction in chunk.instructions() {
        let line = &chunk.lines()[instruction.line as usize];
        let end = (line.start + line.len) as usize;
        let mut above: Vec<SourcePlace> = Vec::new();
        let mut has_comment = false;
        while let Some(at) = comments.next_if(|at| *at < end) {
            has_comment = true;
            let line = text[at..].lines().next().unwrap_or_default();
            let next = line.get(1..).and_then(|rest| rest.find("//## File \""));
            let line = next.map_or(line, |next| &line[..=next]);
            for (path, line) in named_places(line) {
                let place = SourcePlace { path: path_of(&path), line };
                // The comment for a call repeats the location at which the preceding function was
                // inlined.
                if above.last() != Some(&place) && !path.starts_with(KEPT_PTX) {
                    above.push(place);
                }
            }
        }
        if has_comment {
            stack = above.into();
        }
        stacks.push(Arc::clone(&stack));
    }
    stacks[code_end(chunk)..].fill(Arc::default());
    stacks
}

/// Returns the index after the last instruction that was compiled from source code. Compilers append a branch to
/// itself, and NOPs up to the end of the cache line.
pub(crate) fn code_end(chunk: &Chunk) -> usize {
    let all = chunk.instructions();
    let mnemonic = |index: usize| chunk.mnemonic(&all[index]);
    let filled = (0..all.len()).rev().find(|index| mnemonic(*index) != "NOP").map_or(0, |last| last + 1);
    let ends_flow = |index: usize| matches!(mnemonic(index), "EXIT" | "RET" | "BRA" | "JMP");
    let has_stop = filled >= 2 && mnemonic(filled - 1) == "BRA" && ends_flow(filled - 2);
    filled - usize::from(has_stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::sass::Listing;

    #[test]
    fn an_instruction_has_the_lines_that_stand_over_it() {
        let listing = Listing::parse(
            "\t.target\tsm_90\n.text.k:\n        /*0000*/                   NOP ;\n\t//## File \"/p/a.cu\", line 4\n        \
             /*0010*/                   NOP ;\n        /*0020*/                   NOP ;\n\t//## File \"/p/a.cu\", line 2 inlined at \
             \"/p/a.cu\", line 7\n\t//## File \"/p/a.cu\", line 7\n        /*0030*/                   EXIT ;\n        \
             /*0040*/                   NOP ;\n",
        );
        let all: Vec<Vec<u32>> = listing
            .chunks()
            .iter()
            .flat_map(|chunk| stacks(chunk))
            .map(|stack| stack.iter().map(|place| place.line).collect())
            .collect();
        assert_eq!(all, [vec![], vec![4], vec![4], vec![2, 7], vec![]]);
    }
}
