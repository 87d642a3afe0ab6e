//! Reads of the SM's clock, which delimit the code that a program times.

use syntax::sass::{Chunk, TokenKind};

/// Returns the instructions that read the SM's clock, in text order. If the two halves are read separately, only the
/// read of the lower half is returned.
pub fn clock_reads(chunk: &Chunk) -> Vec<u32> {
    // Source of the names: the PTX ISA's %clock and %clock64 as ptxas writes them.
    const NAMES: [&str; 3] = ["SR_CLOCKLO", "SR_CLOCK_LO", "SR_CLOCK"];
    let reads = chunk.instructions().iter().enumerate().filter(|(_, instruction)| {
        let mut tokens = chunk.tokens(instruction.tokens).iter();
        tokens.any(|token| {
            token.kind == TokenKind::SpecialRegister
                && NAMES.contains(&chunk.token_text(instruction.line, token))
        })
    });
    reads.map(|(index, _)| index as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::sass::Listing;

    #[test]
    fn reads_of_the_clock_are_found_by_their_operand() {
        let text = "\tFunction : f\n\
             /*0000*/ CS2R R2, SR_CLOCKLO ;\n\
             /*0010*/ S2R R0, SR_TID.X ;\n\
             /*0020*/ S2UR UR4, SR_CLOCKHI ;\n\
             /*0030*/ CS2R.32 R3, SR_CLOCKLO ;\n\
             /*0040*/ CS2R R4, SR_GLOBALTIMERLO ;\n\
             /*0050*/ @P0 S2UR UR4, SR_CLOCKLO ;\n";
        let listing = Listing::parse(text);
        let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).unwrap();
        assert_eq!(clock_reads(chunk), [0, 3, 5]);
    }
}
