//! Replaces the code of an nvcc-compiled kernel with the code of a measuring program.

use crate::measured::Error;
use object::elf::FileHeader64;
use object::read::elf::ElfFile;
use object::{LittleEndian, Object, ObjectSection};
use std::ops::Range;

/// Name of the kernel's code section in the cubin of `host/kernel.cu`.
const SECTION: &str = ".text.program";

/// Returns the cubin with `code` at the start of its kernel.
///
/// The kernel already has the resources that the code needs (registers, shared memory, parameters). The
/// original code after the new instructions is never reached.
pub(crate) fn with_code(cubin: &[u8], code: &[u8]) -> Result<Vec<u8>, Error> {
    in_section(cubin, SECTION, code).ok_or(Error::Kernel)
}

/// Returns the file with `code` at the start of a section; `None` if the section is missing or too small.
pub(crate) fn in_section(cubin: &[u8], section: &str, code: &[u8]) -> Option<Vec<u8>> {
    let range = place(cubin, section)?;
    let mut patched = cubin.to_vec();
    patched.get_mut(range)?.get_mut(..code.len())?.copy_from_slice(code);
    Some(patched)
}

fn place(cubin: &[u8], name: &str) -> Option<Range<usize>> {
    let file = ElfFile::<FileHeader64<LittleEndian>>::parse(cubin).ok()?;
    let (start, length) = file.section_by_name(name)?.file_range()?;
    // The linker would change code that has relocations.
    let unlinked = file.section_by_name(&format!(".rela{name}")).is_some_and(|section| section.size() > 0);
    let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
    (!unlinked).then_some(start..start.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_compiled_kernel_is_patched() {
        // Kernels of another source file. They do not include `program`.
        let other = include_bytes!("../../syntax/tests/cubins/sm_90.cubin");
        assert!(matches!(with_code(other, &[0; 16]), Err(Error::Kernel)));
        assert!(matches!(with_code(b"no cubin", &[0; 16]), Err(Error::Kernel)));
    }
}
