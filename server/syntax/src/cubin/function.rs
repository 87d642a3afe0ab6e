//! Kernels and device functions, with the resources that they need.

use super::CubinError;
use super::attributes::{
    self, Attribute, CLUSTER_DIMENSIONS, KPARAM_INFO, KPARAM_INFO_V2, MAX_THREADS, MAXREG_COUNT,
    MIN_STACK_SIZE, NUM_BARRIERS, REGCOUNT, REQUIRED_THREADS,
};
use super::elf::{Elf, Section};
use std::collections::HashMap;

/// A kernel or device function. Sizes are per thread, except that of shared memory, which is per block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CubinFunction {
    /// Mangled name, as printed in listings.
    pub name: String,
    pub kind: FunctionKind,
    pub binding: Binding,
    /// Offset of the function's first instruction in its code section.
    pub address: u32,
    pub code_bytes: u64,
    /// Registers per thread; `None` if the file does not state them, which is the case for functions inside a
    /// kernel's code.
    pub registers: Option<u32>,
    /// Static shared memory per block, in bytes. See [`super::Cubin::shared_has_reserved`].
    pub shared_bytes: u64,
    pub local_bytes: u64,
    /// Stack bytes per thread, excluding functions called through a pointer; `None` if the file does not
    /// state them.
    pub stack_bytes: Option<u32>,
    /// Constant banks by number; bank 0 holds the launch's parameters.
    pub constants: Vec<ConstantBank>,
    /// Number of named barriers; 1 if the code contains only `BAR.SYNC 0`.
    pub barriers: u32,
    /// Parameters in declaration order.
    pub params: Vec<Param>,
    /// Maximum block size in x, y and z (`__launch_bounds__`).
    pub max_threads: Option<[u32; 3]>,
    /// Required block size in x, y and z (`.reqntid`).
    pub required_threads: Option<[u32; 3]>,
    /// Blocks per cluster in x, y and z (`__cluster_dims__`).
    pub cluster: Option<[u32; 3]>,
    /// Register limit that was passed to the compiler.
    pub max_registers: Option<u32>,
}

/// Kind of a function: launched by the host, or called from GPU code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionKind {
    /// Launched by the host.
    Kernel,
    /// Called from GPU code.
    Device,
}

/// ELF binding of the function's symbol; bindings other than local and global count as weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    Local,
    Global,
    Weak,
}

/// A constant bank, `c[bank][...]` in listings, and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstantBank {
    pub bank: u8,
    pub bytes: u64,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    pub ordinal: u16,
    /// Offset in bytes from the first parameter.
    pub offset: u16,
    pub bytes: u32,
}

/// `STT_FUNC`.
const FUNCTION: u8 = 2; // Source: the ELF specification

/// `st_other` of functions that a host can launch: `STO_CUDA_ENTRY`.
const ENTRY: u8 = 0x10; // Source: `cuobjdump -elf`

/// All functions, ordered by section and address.
pub(super) fn functions(elf: &Elf<'_>) -> Result<Vec<CubinFunction>, CubinError> {
    let mut found = Vec::new();
    for (index, symbol) in elf.symbols.iter().enumerate() {
        let section = elf.sections.get(usize::from(symbol.section));
        if symbol.kind == FUNCTION
            && symbol.section != 0
            && let Some(section) = section
        {
            found.push((symbol.section, symbol.value, index, section));
        }
    }
    found.sort_by_key(|(section, address, index, _)| (*section, *address, *index));
    let mut functions = Vec::with_capacity(found.len());
    // Indices into `functions`: by symbol index, and by name for functions with their own section.
    let (mut by_symbol, mut by_name) = (HashMap::new(), HashMap::new());
    for (place, (_, address, index, section)) in found.into_iter().enumerate() {
        let symbol = &elf.symbols[index];
        by_symbol.insert(index as u32, place);
        let is_whole_section = section.name.strip_prefix(".text.") == Some(symbol.name);
        if is_whole_section {
            by_name.insert(symbol.name, place);
        }
        let of_header = (elf.is_older && is_whole_section).then_some(section);
        functions.push(CubinFunction {
            name: symbol.name.to_owned(),
            kind: if symbol.other & ENTRY != 0 { FunctionKind::Kernel } else { FunctionKind::Device },
            binding: match symbol.binding {
                0 => Binding::Local,
                1 => Binding::Global,
                _ => Binding::Weak,
            },
            address: u32::try_from(address).unwrap_or(u32::MAX),
            code_bytes: symbol.bytes,
            registers: of_header.map(|section| section.info >> 24),
            shared_bytes: 0,
            local_bytes: 0,
            stack_bytes: None,
            constants: Vec::new(),
            barriers: of_header.map_or(0, |section| (section.flags >> 20) as u32 & 0x7f),
            params: Vec::new(),
            max_threads: None,
            required_threads: None,
            cluster: None,
            max_registers: None,
        });
    }
    for section in &elf.sections {
        if section.name == ".nv.info" {
            for attribute in attributes::attributes(section)? {
                let function = attribute.word(0).and_then(|symbol| by_symbol.get(&symbol));
                if let (Some(&place), Some(value)) = (function, attribute.word(1)) {
                    functions[place].take_listed(attribute.code, value);
                }
            }
        } else if let Some((part, name)) = owned(section.name)
            && let Some(&place) = by_name.get(name)
        {
            functions[place].take_section(part, section)?;
        }
    }
    for function in &mut functions {
        function.params.sort_by_key(|param| param.ordinal);
        function.constants.sort_by_key(|constant| constant.bank);
    }
    Ok(functions)
}

/// Splits the name of a function's section: `("shared", "k")` for `.nv.shared.k`.
fn owned(section: &str) -> Option<(&str, &str)> {
    section.strip_prefix(".nv.")?.split_once('.')
}

impl CubinFunction {
    /// Applies an attribute of this function from `.nv.info`, the section that covers all functions.
    fn take_listed(&mut self, code: u8, value: u32) {
        match code {
            REGCOUNT => self.registers = Some(value),
            MIN_STACK_SIZE => self.stack_bytes = Some(value),
            _ => {}
        }
    }

    fn take_section(&mut self, part: &str, section: &Section<'_>) -> Result<(), CubinError> {
        match part {
            "shared" => self.shared_bytes = section.bytes,
            "local" => self.local_bytes = section.bytes,
            "info" => attributes::attributes(section)?.iter().for_each(|attribute| self.take(attribute)),
            _ => {
                if let Some(bank) = part.strip_prefix("constant").and_then(|bank| bank.parse().ok()) {
                    self.constants.push(ConstantBank { bank, bytes: section.bytes });
                }
            }
        }
        Ok(())
    }

    /// Applies an attribute from the function's own `.nv.info` section.
    fn take(&mut self, attribute: &Attribute<'_>) {
        match attribute.code {
            MAX_THREADS => self.max_threads = attribute.extents(),
            REQUIRED_THREADS => self.required_threads = attribute.extents(),
            CLUSTER_DIMENSIONS => self.cluster = attribute.extents(),
            MAXREG_COUNT => self.max_registers = attribute.half(0).map(u32::from),
            NUM_BARRIERS => self.barriers = attribute.value.first().copied().unwrap_or(0).into(),
            KPARAM_INFO => {
                // The upper 14 bits hold the size. The lower 18 bits hold alignment, space and bank.
                self.params.extend(param(attribute, |attribute| Some(attribute.word(2)? >> 18)));
            }
            KPARAM_INFO_V2 => {
                self.params.extend(param(attribute, |attribute| attribute.half(4).map(u32::from)));
            }
            _ => {}
        }
    }
}

fn param(attribute: &Attribute<'_>, bytes: impl Fn(&Attribute<'_>) -> Option<u32>) -> Option<Param> {
    Some(Param { ordinal: attribute.half(2)?, offset: attribute.half(3)?, bytes: bytes(attribute)? })
}
