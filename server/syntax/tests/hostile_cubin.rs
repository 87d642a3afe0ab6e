//! Tests with cubins whose names, sections or paths share bytes. Without limits, the time to read such a file would
//! grow faster than its length.

use syntax::cubin::{Cubin, Lines, members};

const NEWER: &[u8] = include_bytes!("cubins/sm_90.cubin");

/// A section: name, type and contents.
type Section<'a> = (&'a str, u32, &'a [u8]);

const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;

/// A cubin for sm_90 with these sections, numbered from 1. A symbol table takes its names from the following section.
fn cubin(sections: &[Section<'_>]) -> Vec<u8> {
    let mut names = vec![0];
    let mut headers = vec![0; 64];
    let mut data = Vec::new();
    let mut add = |name: &[u8], kind: u32, link: u32, bytes: &[u8], data: &mut Vec<u8>| {
        headers.extend(
            [u32::try_from(names.len()).expect("a short table"), kind].map(u32::to_le_bytes).concat(),
        );
        headers.extend([0, 0, 64 + data.len() as u64, bytes.len() as u64].map(u64::to_le_bytes).concat());
        headers.extend([link, 0].map(u32::to_le_bytes).concat());
        headers.extend([1_u64, if kind == SYMTAB { 24 } else { 0 }].map(u64::to_le_bytes).concat());
        names.extend(name);
        names.push(0);
        data.extend(bytes);
        names.clone()
    };
    for (number, &(name, kind, bytes)) in (1..).zip(sections) {
        add(name.as_bytes(), kind, if kind == SYMTAB { number + 1 } else { 0 }, bytes, &mut data);
    }
    let names = add(b".shstrtab", STRTAB, 0, &[], &mut data);
    // The last section holds the names; its length is known only now.
    let of_names = headers.len() - 64;
    headers[of_names + 32..of_names + 40].copy_from_slice(&(names.len() as u64).to_le_bytes());
    data.extend(&names);
    let count = u16::try_from(sections.len() + 2).expect("a few sections");
    let mut file = b"\x7fELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0".to_vec();
    file.extend([2_u16, 190].map(u16::to_le_bytes).concat());
    file.extend(1_u32.to_le_bytes());
    file.extend([0, 0, 64 + data.len() as u64].map(u64::to_le_bytes).concat());
    file.extend(0x5a00_u32.to_le_bytes());
    file.extend([64_u16, 0, 0, 64, count, count - 1].map(u16::to_le_bytes).concat());
    file.extend(data);
    file.extend(headers);
    file
}

/// Returns the bytes of a symbol table entry: a function in section 1 whose name is at offset `name` of the string
/// table.
fn function(name: u32) -> Vec<u8> {
    let mut symbol = name.to_le_bytes().to_vec();
    symbol.extend([0x12, 0x10, 1, 0]);
    symbol.extend([0; 16]);
    symbol
}

#[test]
fn names_may_share_their_ends_but_not_all_their_bytes() {
    let read = |length: u32| {
        let mut names = vec![b'k'; length as usize];
        names.push(0);
        let symbols: Vec<u8> = (0..length).flat_map(function).collect();
        Cubin::parse(&cubin(&[
            (".text.k", PROGBITS, &[]),
            (".symtab", SYMTAB, &symbols),
            (".strtab", STRTAB, &names),
        ]))
    };
    let few = read(20).unwrap();
    assert_eq!((few.sm, few.functions.len()), (90, 20));
    assert_eq!((few.functions[0].name.len(), few.functions[19].name.as_str()), (20, "k"));
    let error = read(5_000).unwrap_err().to_string();
    assert_eq!(error, "broken binary: symbol table: expected names that do not overlap");
}

#[test]
fn sections_do_not_share_the_whole_file() {
    let place = |at: usize| u64::from_le_bytes(NEWER[at..at + 8].try_into().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes(NEWER[at..at + 2].try_into().unwrap()));
    let (table, count, names) = (place(40), half(60), half(62));
    let mut bytes = NEWER.to_vec();
    for section in (1..count).filter(|section| *section != names) {
        let header = table + section * 64;
        bytes[header + 24..header + 32].fill(0);
        bytes[header + 32..header + 40].copy_from_slice(&(NEWER.len() as u64).to_le_bytes());
    }
    for error in
        [Cubin::parse(&bytes).unwrap_err(), Lines::parse(&bytes).unwrap_err(), members(&bytes).unwrap_err()]
    {
        assert!(error.to_string().ends_with("expected sections that do not overlap"), "{error}");
    }
}

#[test]
fn a_name_with_a_line_break_is_shown_on_one_line() {
    let function_name = format!("a\nb{}", "k".repeat(1000));
    let error = Cubin::parse(&cubin(&[
        (&format!(".text.{function_name}"), PROGBITS, &[]),
        (".symtab", SYMTAB, &function(0)),
        (".strtab", STRTAB, format!("{function_name}\0").as_bytes()),
        (&format!(".nv.info.{function_name}"), PROGBITS, &[9; 4]),
    ]));
    let line = error.unwrap_err().to_string();
    assert!(line.starts_with("broken binary: section .nv.info.a\\nbkkk"), "{line}");
    assert!(line.ends_with("k: record at 0x0: expected format 1 to 4, found 9"), "{line}");
    assert!(line.len() < 200, "{line}");
}

/// A DWARF 5 line table with one directory and this number of files, each of which has one line.
fn line_table(directory: &str, files: u32) -> Vec<u8> {
    const STRING: u8 = 0x08;
    const UDATA: u8 = 0x0f;
    let mut tables = vec![1, 1, STRING, 1];
    tables.extend(directory.as_bytes());
    tables.push(0);
    tables.extend([2, 1, STRING, 2, UDATA]);
    leb(files, &mut tables);
    for file in 0..files {
        tables.extend(format!("{file}\0\0").into_bytes());
    }
    let mut program = Vec::new();
    for file in 0..files {
        // Set the file, and copy the row.
        program.push(4);
        leb(file, &mut program);
        program.push(1);
    }
    program.extend([0, 1, 1]);
    let mut header = vec![1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
    header.extend(tables);
    let mut unit = vec![5, 0, 8, 0];
    unit.extend((header.len() as u32).to_le_bytes());
    unit.extend(header);
    unit.extend(program);
    let mut all = (unit.len() as u32).to_le_bytes().to_vec();
    all.extend(unit);
    all
}

fn leb(mut number: u32, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

#[test]
fn paths_do_not_unfold_to_more_than_is_of_use() {
    let paths = |directory: usize, files: u32| {
        let table = line_table(&"d".repeat(directory), files);
        Lines::parse(&cubin(&[(".debug_line", PROGBITS, &table)])).unwrap().files
    };
    assert_eq!(paths(3, 2), ["ddd/0", "ddd/1"]);
    assert_eq!(paths(5_000, 10), [""; 0], "no path has so many bytes");
    let bytes: usize = paths(4_000, 20_000).iter().map(String::len).sum();
    assert!((8 << 20..9 << 20).contains(&bytes), "{bytes} bytes of paths");
}
