//! Tests with cubins compiled from `cubins/kernels.cu`, in the older and in the newer ELF format. The cubins are read
//! complete, truncated and with changed bytes.
//!
//! Expected figures are those that `cuobjdump -res-usage`, `cuobjdump -elf` and `nvdisasm -g` print for the same files.

use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use syntax::cubin::{
    Binding, Content, Cubin, CubinError, FunctionKind, Lines, MemberKind, Packing, content, members,
};

const OLDER: &[u8] = include_bytes!("cubins/sm_61.cubin");
const NEWER: &[u8] = include_bytes!("cubins/sm_90.cubin");

/// Unlinked code from `cubins/relocatable.cu`.
const RELOCATABLE: [(u16, &[u8]); 2] = [
    (75, include_bytes!("cubins/relocatable_sm_75.cubin")),
    (100, include_bytes!("cubins/relocatable_sm_100.cubin")),
];

/// Formats each kernel as one line: name, code size, registers, shared memory, stack, size of constant bank 0,
/// barriers, maximum block size, and the offset and size of each parameter.
fn kernels(cubin: &Cubin) -> Vec<String> {
    let show = |kernel: &syntax::cubin::CubinFunction| {
        let params: Vec<String> =
            kernel.params.iter().map(|param| format!("{}:{}", param.offset, param.bytes)).collect();
        let bank0 = kernel.constants.iter().find(|constant| constant.bank == 0).map(|bank| bank.bytes);
        format!(
            "{} {} R{} S{} stack {} c0 {} B{} {:?} ({})",
            kernel.name,
            kernel.code_bytes,
            kernel.registers.expect("the fixture states it"),
            kernel.shared_bytes,
            kernel.stack_bytes.expect("the fixture states it"),
            bank0.expect("the fixture states it"),
            kernel.barriers,
            kernel.max_threads.map_or(0, |threads| threads.iter().product()),
            params.join(" "),
        )
    };
    cubin.kernels().map(show).collect()
}

#[test]
fn resources_are_those_that_the_vendors_tools_print() {
    let older = Cubin::parse(OLDER).unwrap();
    assert_eq!(older.sm, 61);
    assert_eq!(
        kernels(&older),
        [
            "_Z5storeILi3EEvPf 128 R4 S0 stack 0 c0 328 B0 0 (0:8)",
            "stack 832 R19 S0 stack 128 c0 332 B0 0 (0:8 8:4)",
            "tile 320 R11 S256 stack 0 c0 333 B1 128 (0:8 8:4 12:1)",
        ]
    );
    let newer = Cubin::parse(NEWER).unwrap();
    assert_eq!(newer.sm, 90);
    assert_eq!(
        kernels(&newer),
        [
            "_Z5storeILi3EEvPf 256 R8 S0 stack 0 c0 536 B0 0 (0:8)",
            "stack 1408 R20 S0 stack 128 c0 540 B0 0 (0:8 8:4)",
            "tile 640 R14 S1280 stack 0 c0 541 B1 128 (0:8 8:4 12:1)",
        ]
    );
    for cubin in [&older, &newer] {
        let banks: Vec<_> = cubin.constants.iter().map(|constant| (constant.bank, constant.bytes)).collect();
        assert_eq!(banks, [(3, 64), (4, 8)]);
        assert_eq!(cubin.global_bytes, 4);
    }
    assert!(newer.shared_has_reserved && !older.shared_has_reserved);
}

#[test]
fn variables_without_bytes_in_a_relocatable_file_have_their_sizes() {
    for (sm, bytes) in RELOCATABLE {
        let cubin = Cubin::parse(bytes).unwrap();
        let resources = |name: &str| {
            let kernel = cubin.kernels().find(|kernel| kernel.name == name).unwrap();
            let bank0 = kernel.constants.iter().find(|constant| constant.bank == 0).map(|bank| bank.bytes);
            (kernel.registers, kernel.shared_bytes, bank0)
        };
        let (tile, plain) = if sm == 75 {
            ((Some(24), 4000, Some(364)), (Some(8), 0, Some(368)))
        } else {
            ((Some(24), 4000, Some(908)), (Some(10), 0, Some(912)))
        };
        assert_eq!((cubin.sm, resources("tile"), resources("plain")), (sm, tile, plain));
        assert_eq!(cubin.kernels().count(), 2, "sm_{sm}");
        assert_eq!(cubin.global_bytes, 400_016, "sm_{sm}: 400,000 of zeros and 16 that are filled");
        assert!(cubin.functions.iter().any(|function| function.name == "_Z7scratchPKfi"));
        drop(Lines::parse(bytes).unwrap());
    }
}

#[test]
fn functions_within_a_kernel_are_distinguished() {
    for (bytes, address, code_bytes) in [(OLDER, 0xc0, 640), (NEWER, 0x110, 1136)] {
        let cubin = Cubin::parse(bytes).unwrap();
        let inner: Vec<_> =
            cubin.functions.iter().filter(|function| function.kind == FunctionKind::Device).collect();
        assert_eq!(inner.len(), 1);
        assert_eq!((inner[0].name.as_str(), inner[0].binding), ("$stack$_Z7scratchfi", Binding::Local));
        assert_eq!((inner[0].address, inner[0].code_bytes), (address, code_bytes));
        assert_eq!(inner[0].registers, None);
    }
    assert_eq!(Cubin::parse(OLDER).unwrap().functions[0].binding, Binding::Weak);
}

#[test]
fn an_instruction_leads_to_its_source_line() {
    let newer = Lines::parse(NEWER).unwrap();
    assert_eq!(newer.files, ["/src/kernels.cu"]);
    let line = |function, address| newer.source_of(function, address).map(|(_, line)| line);
    assert_eq!(line("tile", 0), Some(11));
    assert_eq!(line("tile", 0x40), Some(13));
    assert_eq!(line("tile", 0x160), Some(14));
    assert_eq!(line("tile", 0x1a0), Some(16));
    assert_eq!(line("stack", 0x450), Some(7));
    assert_eq!(line("stack", 0x460), Some(8));
    assert_eq!(line("_Z5storeILi3EEvPf", 0), Some(23));
    assert_eq!(line("stack", 0x9000), None);
    assert_eq!(line("nobody", 0), None);
    assert!(newer.ptx.iter().any(|table| table.function == "tile" && table.rows.len() > 10));

    let older = Lines::parse(OLDER).unwrap();
    let line = |function, address| older.source_of(function, address).map(|(_, line)| line);
    assert_eq!(line("tile", 0xd8), Some(14));
    assert_eq!(line("tile", 0xd0), Some(13));
    assert_eq!(line("stack", 0xb8), Some(21));
    assert_eq!(line("stack", 0xc8), Some(7));
}

/// A fat binary with one cubin member (kind 2) per architecture, with the given packing.
fn fat_binary(cubins: &[(u32, &[u8], Packing)]) -> Vec<u8> {
    let mut inside = Vec::new();
    for (sm, cubin, packing) in cubins {
        let (flags, stored) = match packing {
            Packing::Plain => (0x11_u64, cubin.to_vec()),
            Packing::Lz4 => (0x2011, lz4_flex::block::compress(cubin)),
            Packing::Zstandard => (0x8011, compress_to_vec(*cubin, CompressionLevel::Fastest)),
            Packing::Unknown => (0x1011, cubin.to_vec()),
        };
        let (packed, unpacked) = match packing {
            Packing::Plain => (0, 0),
            _ => (stored.len() as u32, cubin.len() as u64),
        };
        // Compressed data is padded with zeros to a multiple of eight bytes.
        let padded = if packed == 0 { stored.len() } else { stored.len().next_multiple_of(8) };
        inside.extend([2_u16, 0x101].map(u16::to_le_bytes).concat());
        inside.extend(64_u32.to_le_bytes());
        inside.extend((padded as u64).to_le_bytes());
        inside.extend([packed, 0, 0x1_0008, *sm, 0, 0].map(u32::to_le_bytes).concat());
        inside.extend([flags, 0, unpacked].map(u64::to_le_bytes).concat());
        inside.extend(&stored);
        inside.resize(inside.len() + padded - stored.len(), 0);
    }
    let mut all = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0].to_vec();
    all.extend((inside.len() as u64).to_le_bytes());
    all.extend(inside);
    all
}

#[test]
fn members_of_fat_binaries_are_unpacked() {
    let packings = [Packing::Plain, Packing::Lz4, Packing::Zstandard, Packing::Unknown];
    let fat = fat_binary(&packings.map(|packing| (90, NEWER, packing)));
    assert_eq!(content(&fat), Content::FatBinary);
    let found = members(&fat).unwrap();
    assert_eq!(found.iter().map(|member| member.packing).collect::<Vec<_>>(), packings);
    assert!(found.iter().all(|member| member.kind == MemberKind::Cubin && member.sm == 90));
    let opened: Vec<_> = found.iter().map(|member| member.cubin(&fat).unwrap()).collect();
    assert!(opened[..3].iter().all(|code| code.as_deref() == Ok(NEWER)), "as they were packed");
    let reported = opened[3].as_ref().unwrap_err().to_string();
    assert_eq!(reported, "broken binary: compressed member: expected LZ4 or Zstandard");
    // Two fat binaries in a row, separated by zeros as a linker leaves them.
    let mut both = fat.clone();
    both.extend([0; 8]);
    both.extend(&fat);
    assert_eq!(members(&both).unwrap().len(), 8);
}

#[test]
fn a_member_that_lies_about_its_length_is_no_cubin() {
    for packing in [Packing::Lz4, Packing::Zstandard] {
        let fat = fat_binary(&[(90, NEWER, packing)]);
        for length in [0, NEWER.len() as u64 - 1, NEWER.len() as u64 + 1, 1 << 20, 1 << 40] {
            let mut lying = fat.clone();
            lying[16 + 56..][..8].copy_from_slice(&length.to_le_bytes());
            let is_read = members(&lying).is_ok_and(|all| all[0].cubin(&lying).unwrap().is_ok());
            assert!(!is_read, "{packing:?} of {length} bytes");
        }
    }
}

#[test]
fn members_that_unpack_to_many_times_their_file_are_rejected() {
    let zeros = vec![0; 4 << 20];
    let few = fat_binary(&[(90, &zeros[..], Packing::Zstandard); 2]);
    assert_eq!(members(&few).map(|all| all.len()), Ok(2));
    let many = fat_binary(&[(90, &zeros[..], Packing::Zstandard); 20]);
    assert!(many.len() < 1 << 20, "{} bytes", many.len());
    let reported = members(&many).unwrap_err().to_string();
    assert_eq!(
        reported,
        "broken binary: fat binary: expected members of at most 64 MiB when unpacked, but their headers say 80 MiB"
    );
}

#[test]
fn other_files_are_recognised_by_their_first_bytes() {
    assert_eq!(content(OLDER), Content::Cubin);
    assert_eq!(content(NEWER), Content::Cubin);
    assert_eq!(content(b""), Content::Other);
    assert_eq!(content(b"\t.target\tsm_90\n"), Content::Other);
    let mut host = NEWER.to_vec();
    host[18] = 62;
    assert_eq!(content(&host), Content::Host);
    assert_eq!(Cubin::parse(&host), Err(CubinError::OtherMachine(62)));
    assert_eq!(members(&host), Ok(Vec::new()));
    assert_eq!(Cubin::parse(b"text"), Err(CubinError::NotElf));
    assert_eq!(members(b"text"), Err(CubinError::NotElf));
}

#[test]
fn a_file_cut_anywhere_is_an_error_of_one_line() {
    for whole in [OLDER, NEWER, RELOCATABLE[0].1] {
        for length in 0..whole.len() {
            let cut = &whole[..length];
            if let Err(error) = Cubin::parse(cut) {
                let line = error.to_string();
                assert!(line.lines().count() == 1 && line.len() > 20, "{line}");
            }
            drop((Lines::parse(cut), members(cut)));
        }
        assert!(Cubin::parse(&whole[..whole.len() / 2]).is_err());
    }
}

fn read_all(bytes: &[u8]) {
    drop((content(bytes), Cubin::parse(bytes), Lines::parse(bytes), members(bytes)));
    for member in members(bytes).unwrap_or_default() {
        drop(member.cubin(bytes).map(|code| code.map(|code| Cubin::parse(&code))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
        read_all(&bytes);
    }

    #[test]
    fn a_broken_cubin_is_read_without_a_panic(
        whole in prop::sample::select(vec![OLDER, NEWER, RELOCATABLE[0].1, RELOCATABLE[1].1]),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
        in_headers in any::<bool>(),
    ) {
        let mut bytes = whole.to_vec();
        // Section headers are at the end of the older form and in the middle of the newer one; the file's header gives
        // their offset.
        let table = u64::from_le_bytes(whole[40..48].try_into().unwrap()) as usize;
        let count = usize::from(u16::from_le_bytes(whole[60..62].try_into().unwrap()));
        for (at, value) in changes {
            let at = if in_headers { table + at.index(count * 64) } else { at.index(bytes.len()) };
            bytes[at] = value;
        }
        read_all(&bytes);
    }

    #[test]
    fn a_broken_fat_binary_is_read_without_a_panic(
        packing in prop::sample::select(vec![Packing::Plain, Packing::Lz4, Packing::Zstandard]),
        changes in proptest::collection::vec((0_usize..320, any::<u8>()), 1..8),
    ) {
        let mut bytes = fat_binary(&[(61, OLDER, packing), (90, NEWER, packing)]);
        for (at, value) in changes {
            bytes[at] = value;
        }
        read_all(&bytes);
    }
}
