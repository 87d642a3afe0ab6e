//! Line tables: the source line and the PTX line of each instruction.

use super::CubinError;
use super::elf::{Elf, Section};
use crate::source_path;
use gimli::{AttributeValue, DebugLine, DebugLineOffset, EndianSlice, FileEntry, LineProgramHeader};
use std::collections::{BTreeMap, HashMap};

/// The line tables of a cubin; empty if it was compiled without `-lineinfo`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    /// Paths of the source files as written by the compiler: absolute, or relative to the compiler's working
    /// directory.
    pub files: Vec<String>,
    /// Tables from `.debug_line`, one per code section that has lines.
    pub source: Vec<LineTable>,
    /// Tables from `.nv_debug_line_sass`: lines of the PTX from which the code was compiled.
    pub ptx: Vec<LineTable>,
}

/// Lines of one code section, sorted by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTable {
    /// Mangled name of the function whose code is in the section.
    pub function: String,
    pub rows: Vec<LineRow>,
}

/// Source line of the code from this address up to the address of the next row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRow {
    /// Offset in the code section.
    pub address: u32,
    /// Index in [`Lines::files`]; `None` for PTX, and for rows without a file.
    pub file: Option<u32>,
    /// 1-based line; 0 at the end of the code, and for code without a line.
    pub line: u32,
}

type Bytes<'a> = EndianSlice<'a, gimli::LittleEndian>;

/// Maximum accepted length of a path in bytes. The paths of a table have a total limit, too.
const MAX_PATH_BYTES: usize = 4096; // limit: a broken table must not fill the memory
const MAX_FILES_BYTES: usize = 8 << 20; // limit: a broken table must not fill the memory

/// First address bit that holds a section index while a table is read.
const SECTION_SHIFT: u32 = 32; // limit: addresses within a section have 32 bits

const SHT_RELA: u32 = 4; // Source: the ELF specification
const SHT_REL: u32 = 9; // Source: the ELF specification

impl Lines {
    /// Reads both tables of a cubin. Accepts DWARF 2 to 5; the vendor's tools write version 2.
    pub fn parse(bytes: &[u8]) -> Result<Self, CubinError> {
        let elf = Elf::parse(bytes)?;
        let mut files = Files::default();
        let source = read(&elf, ".debug_line", &mut files, true)?;
        let ptx = read(&elf, ".nv_debug_line_sass", &mut files, false)?;
        Ok(Self { files: files.paths, source, ptx })
    }

    /// Source file and line of an instruction; `None` if the tables have no line for it.
    pub fn source_of(&self, function: &str, address: u32) -> Option<(&str, u32)> {
        let table = self.source.iter().find(|table| table.function == function)?;
        let row = table.rows[..table.rows.partition_point(|row| row.address <= address)].last()?;
        let file = self.files.get(row.file? as usize)?;
        (row.line != 0).then_some((file.as_str(), row.line))
    }
}

/// Paths in the order of their first use by a row.
#[derive(Default)]
struct Files {
    paths: Vec<String>,
    known: HashMap<String, u32>,
    bytes: usize,
}

impl Files {
    fn is_full(&self) -> bool {
        self.bytes > MAX_FILES_BYTES
    }

    fn index(&mut self, path: String) -> u32 {
        *self.known.entry(path).or_insert_with_key(|path| {
            let index = self.paths.len() as u32;
            self.bytes += path.len();
            self.paths.push(path.clone());
            index
        })
    }
}

fn read(elf: &Elf<'_>, name: &str, files: &mut Files, has_files: bool) -> Result<Vec<LineTable>, CubinError> {
    let Some(section) = elf.section(name) else { return Ok(Vec::new()) };
    let wrong = |error: gimli::Error| CubinError::in_section(name, error);
    let data = relocated(elf, section);
    let strings = elf.section(".debug_line_str").map_or(&[][..], |section| section.data);
    let table = DebugLine::new(&data, gimli::LittleEndian);
    let mut rows: BTreeMap<u64, Vec<LineRow>> = BTreeMap::new();
    let mut offset = 0;
    while offset < data.len() {
        // Addresses in GPU code have eight bytes in every cubin.
        let program = table.program(DebugLineOffset(offset), 8, None, None).map_err(wrong)?;
        let header = program.header();
        let length_bytes = usize::from(header.format().initial_length_size());
        let unit = header.unit_length().saturating_add(length_bytes);
        let mut of_program: HashMap<u64, Option<u32>> = HashMap::new();
        let mut program = program.rows();
        while let Some((header, row)) = program.next_row().map_err(wrong)? {
            let file = if has_files && !row.end_sequence() {
                *of_program.entry(row.file_index()).or_insert_with(|| {
                    let has_room = !files.is_full();
                    let path = has_room.then(|| path(header, row.file(header)?, strings)).flatten();
                    path.map(|path| files.index(path))
                })
            } else {
                None
            };
            let line = row.line().filter(|_| !row.end_sequence()).map_or(0, |line| line.get() as u32);
            let row_of = LineRow { address: row.address() as u32, file, line };
            rows.entry(row.address() >> SECTION_SHIFT).or_default().push(row_of);
        }
        offset = offset.saturating_add(unit.max(1));
    }
    let mut tables = Vec::with_capacity(rows.len());
    for (index, mut rows) in rows {
        let section = usize::try_from(index).ok().and_then(|index| elf.sections.get(index));
        let Some(function) = section.and_then(|section| section.name.strip_prefix(".text.")) else {
            continue;
        };
        // At an address where one sequence ends and the next begins, the row of the next sequence is kept.
        rows.sort_by_key(|row| (row.address, row.line != 0));
        rows.dedup_by(|later, earlier| {
            let same = later.address == earlier.address;
            if same {
                *earlier = *later;
            }
            same
        });
        tables.push(LineTable { function: function.to_owned(), rows });
    }
    Ok(tables)
}

/// Bytes of a line table section after relocation. The upper half of each address holds the index of the code
/// section, and the lower half the offset in that section.
fn relocated(elf: &Elf<'_>, section: &Section<'_>) -> Vec<u8> {
    let mut data = section.data.to_vec();
    for relocations in &elf.sections {
        let (entry_bytes, prefix) = match relocations.kind {
            SHT_RELA => (24, ".rela"),
            SHT_REL => (16, ".rel"),
            _ => continue,
        };
        if relocations.name.strip_prefix(prefix) != Some(section.name) {
            continue;
        }
        for entry in relocations.data.chunks_exact(entry_bytes) {
            let field = |at: usize| entry.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
            let (Some(offset), Some(info)) = (field(0), field(8)) else { continue };
            let Some(symbol) = elf.symbols.get((info >> 32) as usize) else { continue };
            let place = usize::try_from(offset).ok().and_then(|offset| data.get_mut(offset..));
            let Some(place) = place.and_then(<[u8]>::first_chunk_mut::<8>) else { continue };
            // `.rel` stores the addend in the relocated field itself.
            let addend = field(16).unwrap_or(u64::from_le_bytes(*place));
            let address = addend.wrapping_add(symbol.value) & u64::from(u32::MAX);
            *place = (u64::from(symbol.section) << SECTION_SHIFT | address).to_le_bytes();
        }
    }
    data
}

/// Path of a file, joined with its directory if the table states one; `None` if the path is too long.
fn path<'a>(
    header: &LineProgramHeader<Bytes<'a>>,
    file: &FileEntry<Bytes<'a>>,
    strings: &'a [u8],
) -> Option<String> {
    let text = |value: AttributeValue<Bytes<'a>>| match value {
        AttributeValue::String(bytes) => Some(bytes.slice()),
        AttributeValue::DebugLineStrRef(offset) => string(strings, offset.0),
        _ => None,
    };
    let name = text(file.path_name())?;
    let directory = file.directory(header).and_then(text).unwrap_or_default();
    if name.len() + directory.len() > MAX_PATH_BYTES {
        return None;
    }
    let (name, directory) = (String::from_utf8_lossy(name), String::from_utf8_lossy(directory));
    Some(if directory.is_empty() || name.starts_with('/') {
        source_path(&name).into_owned()
    } else {
        source_path(&format!("{directory}/{name}")).into_owned()
    })
}

/// The null-terminated string at this offset; `None` if it exceeds the length limit of a path.
fn string(strings: &[u8], offset: usize) -> Option<&[u8]> {
    let from = strings.get(offset..)?;
    let within = &from[..from.len().min(MAX_PATH_BYTES + 1)];
    Some(&within[..memchr::memchr(0, within)?])
}
