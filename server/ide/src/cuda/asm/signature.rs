//! Signature help in the strings of `asm` statements.

use super::at_cursor::CodeAtCursor;
use crate::Signature;
use crate::cuda::view::CudaView;
use crate::ptx::signature as of_ptx;

/// Returns the signature of the instruction whose operands are at an offset. `None` outside of the strings.
pub(crate) fn signature(view: &CudaView<'_>, offset: usize) -> Option<Signature> {
    let code = CodeAtCursor::new(view, offset)?;
    let cursor = code.cursor(offset)?;
    code.ask(view, |view| of_ptx::signature(view, cursor))
}
