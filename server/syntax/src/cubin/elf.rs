//! Sections and symbols of an ELF file. Every byte range is checked once, on reading.

use super::CubinError;
use object::LittleEndian;
use object::elf::{ELFCLASS64, ELFDATA2LSB, FileHeader64, SHT_NOBITS, SHT_SYMTAB};
use object::read::elf::{FileHeader, SectionHeader, Sym};

/// `e_machine` of code for NVIDIA GPUs.
pub(super) const EM_CUDA: u16 = 190; // Source: the ELF specification

/// `EI_OSABI` up to CUDA 12: the architecture is in the low byte of the flags, and the headers of code sections hold
/// registers and barriers. From CUDA 13 on `EI_OSABI` is 0x41, and the architecture is in the second byte. nvcc 13.5
/// wrote both for sm_75 and sm_90.
const OLDER_ABI: u8 = 0x33; // Source: cubins of nvcc up to CUDA 12

/// Section types of uninitialised variables in unlinked code: `.nv.global` and `.nv.shared.*`. Linked code
/// uses `SHT_NOBITS` instead. For all three types the section size is a size in memory, and the file holds no
/// bytes: in output of ptxas 12.8 and 13.5 with `-c` for sm_50 to sm_120, the next section starts at the same
/// offset.
const SHT_CUDA_GLOBAL: u32 = 0x7000_0007; // Source: cubins of ptxas 12.8 and 13.5
const SHT_CUDA_SHARED: u32 = 0x7000_000a; // Source: cubins of ptxas 12.8 and 13.5

/// Maximum number of times that the bytes of a file are read, as names and as section data. Names may share suffixes,
/// and a linker reuses bytes at most this often. In a broken file every name may share all bytes, and reading the names
/// would take quadratic time.
const MAX_READINGS: usize = 4; // limit: time is linear in the length of a broken file

type Header = FileHeader64<LittleEndian>;

/// A cubin's tables.
#[derive(Debug)]
pub(super) struct Elf<'a> {
    pub sm: u16,
    /// True if section headers hold the register and barrier counts.
    pub is_older: bool,
    /// Sections by index.
    pub sections: Vec<Section<'a>>,
    /// Symbols by index.
    pub symbols: Vec<Symbol<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'a> {
    pub name: &'a str,
    pub kind: u32,
    pub flags: u64,
    pub info: u32,
    /// Size in memory, in bytes.
    pub bytes: u64,
    /// Contents in the file; empty if the file stores none.
    pub data: &'a [u8],
    /// Offset of `data` in the file, in bytes.
    pub offset: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol<'a> {
    pub name: &'a str,
    /// Symbol type, `STT_...`.
    pub kind: u8,
    /// Symbol binding, `STB_...`.
    pub binding: u8,
    pub other: u8,
    pub section: u16,
    pub value: u64,
    pub bytes: u64,
}

impl<'a> Elf<'a> {
    /// Reads a cubin's tables. Returns an error for any other ELF file.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, CubinError> {
        let header = header(bytes)?;
        let machine = header.e_machine(LittleEndian);
        if machine.0 != EM_CUDA {
            return Err(CubinError::OtherMachine(machine.0));
        }
        let is_older = header.e_ident().os_abi.0 == OLDER_ABI;
        let flags = header.e_flags(LittleEndian).0;
        let sm = if is_older { flags & 0xff } else { flags >> 8 & 0xff };
        let (sections, symbols) = tables(header, bytes)?;
        Ok(Self { sm: sm as u16, is_older, sections, symbols })
    }

    pub(super) fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// The header of a 64-bit ELF file, for any machine.
pub(super) fn header(bytes: &[u8]) -> Result<&Header, CubinError> {
    let starts = bytes.starts_with(b"\x7fELF");
    if !starts || bytes.get(4..6) != Some(&[ELFCLASS64.0, ELFDATA2LSB.0]) {
        return Err(CubinError::NotElf);
    }
    Header::parse(bytes).map_err(|error| CubinError::broken("ELF header", error))
}

/// Sections of an ELF file, for any machine.
pub(super) fn sections(bytes: &[u8]) -> Result<Vec<Section<'_>>, CubinError> {
    Ok(tables(header(bytes)?, bytes)?.0)
}

type Tables<'a> = (Vec<Section<'a>>, Vec<Symbol<'a>>);

fn tables<'a>(header: &'a Header, bytes: &'a [u8]) -> Result<Tables<'a>, CubinError> {
    let in_headers = |error| CubinError::broken("section headers", error);
    let table = header.sections(LittleEndian, bytes).map_err(in_headers)?;
    let mut sections = Vec::with_capacity(table.len());
    let (mut names, mut contents) = (Allowance::new(bytes), Allowance::new(bytes));
    for (index, section) in table.enumerate() {
        let wrong = |error: String| CubinError::broken(format!("section {}", index.0), error);
        let name = table.section_name(LittleEndian, section).map_err(|error| wrong(error.to_string()))?;
        let name = names.text(name).map_err(|error| wrong(error.to_owned()))?;
        let kind = section.sh_type(LittleEndian);
        let data = if index.0 == 0 || has_no_bytes(kind.0) {
            &[]
        } else {
            let data = section.data(LittleEndian, bytes);
            data.map_err(|error| CubinError::in_section(name, error))?
        };
        if !contents.take(data.len()) {
            return Err(CubinError::in_section(name, "expected sections that do not overlap"));
        }
        sections.push(Section {
            name,
            kind: kind.0,
            flags: section.sh_flags(LittleEndian).0,
            info: section.sh_info(LittleEndian),
            bytes: section.sh_size(LittleEndian),
            data,
            offset: section.sh_offset(LittleEndian),
        });
    }
    let in_symbols = |error| CubinError::broken("symbol table", error);
    let table = table.symbols(LittleEndian, bytes, SHT_SYMTAB).map_err(in_symbols)?;
    let mut symbols = Vec::with_capacity(table.len());
    let mut names = Allowance::new(bytes);
    // The first entry is not a symbol. It is kept so that indices match.
    for symbol in table.symbols() {
        let name = symbol.name(LittleEndian, table.strings()).map_err(in_symbols)?;
        let name = names.text(name).map_err(|error| CubinError::broken("symbol table", error))?;
        symbols.push(Symbol {
            name,
            kind: symbol.st_type().0,
            binding: symbol.st_bind().0,
            other: symbol.st_other().0,
            section: symbol.st_shndx(LittleEndian).0,
            value: symbol.st_value(LittleEndian),
            bytes: symbol.st_size(LittleEndian),
        });
    }
    Ok((sections, symbols))
}

/// True if a section of this type occupies no bytes in the file.
fn has_no_bytes(kind: u32) -> bool {
    matches!(kind, SHT_CUDA_GLOBAL | SHT_CUDA_SHARED) || kind == SHT_NOBITS.0
}

/// Number of bytes that may still be read.
struct Allowance(usize);

impl Allowance {
    fn new(file: &[u8]) -> Self {
        Self(file.len().saturating_mul(MAX_READINGS))
    }

    /// Subtracts this number of bytes. Returns false if fewer are left.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }

    fn text<'a>(&mut self, name: &'a [u8]) -> Result<&'a str, &'static str> {
        if !self.take(name.len()) {
            return Err("expected names that do not overlap");
        }
        str::from_utf8(name).map_err(|_| "expected a name in UTF-8")
    }
}
