//! Addresses of functions in memory.

use object::LittleEndian;
use object::elf::{FileHeader64, SHT_SYMTAB, STT_FUNC};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Symbols of functions by start address.
pub(super) type SymbolsByAddress = BTreeMap<u64, Arc<str>>;

/// Addresses and symbols of functions in the code's symbol table; empty if the symbol values are section
/// offsets.
///
/// Before 2022, Nsight Compute wrote the addresses into the code's symbols. Later versions list the addresses
/// separately.
pub(super) fn places_in_code(code: &[u8]) -> Vec<(u64, String)> {
    first_of_sections(code).unwrap_or_default().into_values().collect()
}

/// Size in bytes of each function's code section, by symbol; empty if the data is not an ELF file.
pub(super) fn sizes_in_code(code: &[u8]) -> BTreeMap<String, u64> {
    section_sizes(code).unwrap_or_default()
}

fn section_sizes(code: &[u8]) -> object::Result<BTreeMap<String, u64>> {
    let endian = LittleEndian;
    let header = FileHeader64::<LittleEndian>::parse(code)?;
    let sections = header.sections(endian, code)?;
    let mut sizes = BTreeMap::new();
    for section in sections.iter() {
        let name = String::from_utf8_lossy(sections.section_name(endian, section)?);
        if let Some(function) = name.strip_prefix(".text.") {
            // Unlike a stated size, the length of the data cannot exceed the file size.
            sizes.insert(function.to_owned(), section.data(endian, code)?.len() as u64);
        }
    }
    Ok(sizes)
}

/// The first function of each section, by section index. The other functions of a section are subroutines of
/// its first function.
fn first_of_sections(code: &[u8]) -> object::Result<BTreeMap<usize, (u64, String)>> {
    let endian = LittleEndian;
    let header = FileHeader64::<LittleEndian>::parse(code)?;
    let sections = header.sections(endian, code)?;
    let symbols = sections.symbols(endian, code, SHT_SYMTAB)?;
    let mut found: BTreeMap<usize, (u64, String)> = BTreeMap::new();
    for (index, symbol) in symbols.enumerate() {
        let Some(section) = symbols.symbol_section(endian, symbol, index)? else { continue };
        let address = symbol.st_value(endian);
        let is_address = address >= sections.section(section)?.sh_size(endian);
        let is_first = found.get(&section.0).is_none_or(|(first, _)| address < *first);
        if symbol.st_type() == STT_FUNC && is_address && is_first {
            let name = String::from_utf8_lossy(symbols.symbol_name(endian, symbol)?).into_owned();
            found.insert(section.0, (address, name));
        }
    }
    Ok(found)
}
