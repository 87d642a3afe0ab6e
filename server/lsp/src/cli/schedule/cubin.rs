//! New code in a copy of a cubin.

use crate::cli::failure::Failure;
use ide::binary::{CodePatch, Cubin, PatchedInstruction, with_code};
use ide::{PlacedInstruction, ScheduledKernel};

/// First compute capability whose instructions contain their own control codes.
const FIRST_SM: u16 = 70; // Source: NVIDIA CUDA binary utilities: Volta, 128-bit instructions

/// True if new code can be written into a file of this format.
pub(super) fn is_written(bytes: &[u8]) -> bool {
    Cubin::parse(bytes).is_ok_and(|cubin| cubin.sm >= FIRST_SM)
}

/// Returns the file with the kernels' new code. Fails for code before Volta, and if the listing does not belong to this
/// file.
pub(super) fn patched(name: &str, bytes: &[u8], kernels: &[ScheduledKernel]) -> Result<Vec<u8>, Failure> {
    let broken = |error| Failure::new(format!("`{name}`: {error}"));
    let sm = Cubin::parse(bytes).map_err(broken)?.sm;
    if sm < FIRST_SM {
        return Err(Failure::new(format!(
            "`{name}` is sm_{sm} code; expected sm_{FIRST_SM} or later to write a cubin, or no -o for the listing"
        )));
    }
    let patches: Vec<CodePatch> = kernels.iter().map(patch).collect();
    if let Some(kernel) = kernels.iter().find(|kernel| kernel.code.is_empty()) {
        return Err(Failure::new(format!("`{}`: the disassembler printed no encodings", kernel.name)));
    }
    with_code(bytes, &patches).map_err(broken)
}

fn patch(kernel: &ScheduledKernel) -> CodePatch {
    let instruction = |placed: &PlacedInstruction| PatchedInstruction {
        address: placed.address,
        from: placed.from,
        old_words: placed.old_words,
        words: placed.words,
    };
    CodePatch { function: kernel.name.clone(), instructions: kernel.code.iter().map(instruction).collect() }
}
