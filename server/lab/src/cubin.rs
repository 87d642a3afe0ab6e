//! Puts a program's code into the kernel that nvcc compiled.

use crate::measured::Error;
use object::elf::FileHeader64;
use object::read::elf::ElfFile;
use object::{LittleEndian, Object, ObjectSection};
use std::ops::Range;

/// The kernel's code section in `host/kernel.cu`'s cubin.
const SECTION: &str = ".text.program";

/// The cubin with this code at the start of its kernel.
///
/// The kernel already has what the code needs besides its instructions (registers, shared memory, parameters); the
/// original code after them is never reached.
pub(crate) fn with_code(cubin: &[u8], code: &[u8]) -> Result<Vec<u8>, Error> {
    in_section(cubin, SECTION, code).ok_or(Error::Kernel)
}

/// `None` where there is no such section, or no room in it.
pub(crate) fn in_section(cubin: &[u8], section: &str, code: &[u8]) -> Option<Vec<u8>> {
    let range = place(cubin, section)?;
    let mut patched = cubin.to_vec();
    patched.get_mut(range)?.get_mut(..code.len())?.copy_from_slice(code);
    Some(patched)
}

fn place(cubin: &[u8], name: &str) -> Option<Range<usize>> {
    let file = ElfFile::<FileHeader64<LittleEndian>>::parse(cubin).ok()?;
    let (start, length) = file.section_by_name(name)?.file_range()?;
    // Loading would change code that is still to be linked.
    let unlinked = file.section_by_name(&format!(".rela{name}")).is_some_and(|section| section.size() > 0);
    let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
    (!unlinked).then_some(start..start.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_compiled_kernel_is_patched() {
        // Kernels of another source: there is no `program` among them.
        let other = include_bytes!("../../syntax/tests/cubins/sm_90.cubin");
        assert!(matches!(with_code(other, &[0; 16]), Err(Error::Kernel)));
        assert!(matches!(with_code(b"no cubin", &[0; 16]), Err(Error::Kernel)));
    }
}
