//! Cubins, the ELF files that hold GPU code. Kernels, their resources and line tables are read from the
//! file's bytes.
//!
//! Any bytes are accepted. Unreadable input returns a [`CubinError`] with the expected contents, and never
//! panics. NVIDIA does not document the format. Results were compared with the output of `cuobjdump` and
//! `nvdisasm` for code of sm_50 to sm_121.

mod attributes;
mod container;
mod elf;
mod error;
mod function;
mod lines;
mod packing;
mod patch;

pub use container::{Content, Member, MemberKind, content, members};
pub use error::CubinError;
pub use function::{Binding, ConstantBank, CubinFunction, FunctionKind, Param};
pub use lines::{LineRow, LineTable, Lines};
pub use packing::Packing;
pub use patch::{CodePatch, PatchedInstruction, with_code};

use elf::Elf;

/// Contents of a cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cubin {
    /// Target architecture: 90 for sm_90.
    pub sm: u16,
    /// Kernels and device functions, in file order.
    pub functions: Vec<CubinFunction>,
    /// Constant banks that all kernels share: bank 3 holds `__constant__` variables, bank 4 holds addresses.
    pub constants: Vec<ConstantBank>,
    /// Bytes of `__device__` variables.
    pub global_bytes: u64,
    /// True if the shared memory size of a kernel includes the bytes that the driver reserves in every block.
    /// This applies to linked code from Hopper on, for kernels that use shared memory. `ncu` counts the
    /// reserved bytes separately, as driver shared memory.
    pub shared_has_reserved: bool,
}

impl Cubin {
    /// Reads a cubin without its line tables, which [`Lines::parse`] reads.
    pub fn parse(bytes: &[u8]) -> Result<Self, CubinError> {
        let elf = Elf::parse(bytes)?;
        let functions = function::functions(&elf)?;
        let shared_bank = |section: &elf::Section<'_>| {
            let bank = section.name.strip_prefix(".nv.constant")?.parse().ok()?;
            Some(ConstantBank { bank, bytes: section.bytes })
        };
        let constants = elf.sections.iter().filter_map(shared_bank).collect();
        let is_global = |name: &str| matches!(name, ".nv.global" | ".nv.global.init");
        let globals = elf.sections.iter().filter(|section| is_global(section.name));
        let global_bytes = globals.fold(0_u64, |sum, section| sum.saturating_add(section.bytes));
        let shared_has_reserved = elf.section(".nv.shared.reserved.0").is_some();
        Ok(Self { sm: elf.sm, functions, constants, global_bytes, shared_has_reserved })
    }

    /// The functions that a host can launch.
    pub fn kernels(&self) -> impl Iterator<Item = &CubinFunction> {
        self.functions.iter().filter(|function| function.kind == FunctionKind::Kernel)
    }
}
