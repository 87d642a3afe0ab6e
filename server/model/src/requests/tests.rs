//! Cases for every rule and GPU generation. The rules are also compared with a separate count over the lanes.

use super::{LANES, Request, Sectors, SharedKind, Wavefronts, banks, global, global_reduction, shared};
use SharedKind::{Atomic, CompareAndSwap, Copy, Increment, Load, Matrix, Store};
use machine::{Arch, Machine};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const ALL: u32 = u32::MAX;

fn arch(sm: u16) -> Arc<Arch> {
    Machine::builtin().gpu_for_sm(sm).arch
}

fn every_arch() -> Vec<Arc<Arch>> {
    Machine::builtin().archs.clone()
}

/// A Kepler architecture whose shared memory banks are in 8-byte mode, as set by a user's data file.
fn kepler_with_wide_words() -> Arc<Arch> {
    let text = "[sm_35.requests]\nshared_word = { value = 8, source = \"vendor:the mode of 8 bytes\" }\n";
    Machine::builtin().overlay("user.toml", text).unwrap().gpu_for_sm(35).arch
}

fn request(active: u32, address: impl Fn(u64) -> u64) -> Request {
    Request { active, addresses: std::array::from_fn(|lane| address(lane as u64)) }
}

/// Computes the address of a lane from the lane's index.
type Address = fn(u64) -> u64;

/// Name of the case, architectures, kind, bytes per lane, lanes, addresses; wavefronts taken and ideal.
type SharedCase = (&'static str, &'static [u16], SharedKind, u32, u32, Address, [u32; 2]);

const NEW: &[u16] = &[70, 75, 80, 86, 89, 90, 100, 120];
const OLD: &[u16] = &[52, 60, 61];
const SINCE_MAXWELL: &[u16] = &[52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120];
const KEPLER: &[u16] = &[35];
const EVERY: &[u16] = &[35, 52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120];

#[rustfmt::skip]
const SHARED: &[SharedCase] = &[
    ("one row", EVERY, Load, 4, ALL, |n| 4 * n, [1, 1]),
    ("one word for all", EVERY, Load, 4, ALL, |_| 64, [1, 1]),
    ("one word for all", EVERY, Store, 4, ALL, |_| 64, [1, 1]),
    ("backwards", EVERY, Load, 4, ALL, |n| 4 * (31 - n), [1, 1]),
    ("a column", SINCE_MAXWELL, Load, 4, ALL, |n| 128 * n, [32, 1]),
    ("a column, padded", EVERY, Load, 4, ALL, |n| 132 * n, [1, 1]),
    ("every second word", SINCE_MAXWELL, Load, 4, ALL, |n| 8 * n, [2, 1]),
    ("half of a column", SINCE_MAXWELL, Store, 4, 0xffff, |n| 128 * n, [16, 1]),
    ("two columns", SINCE_MAXWELL, Load, 4, ALL, |n| n / 2 * 128 + n % 2 * 4, [16, 1]),
    ("no whole row", SINCE_MAXWELL, Load, 4, ALL, |n| 4 * n + 68, [1, 1]),
    ("bytes of a word", EVERY, Load, 1, ALL, |n| n, [1, 1]),
    ("bytes of a word", EVERY, Store, 1, ALL, |n| n, [1, 1]),
    ("bytes of words of a bank", SINCE_MAXWELL, Load, 1, ALL, |n| 128 * n + n % 4, [32, 1]),
    ("halves of words", EVERY, Load, 2, ALL, |n| 2 * n, [1, 1]),

    ("64 bits, in halves", SINCE_MAXWELL, Load, 8, ALL, |n| 8 * n, [2, 2]),
    ("64 bits, in halves", SINCE_MAXWELL, Store, 8, ALL, |n| 8 * n, [2, 2]),
    ("64 bits, half of the lanes", EVERY, Load, 8, 0xffff, |n| 8 * n, [1, 1]),
    ("64 bits, every second", SINCE_MAXWELL, Store, 8, ALL, |n| 16 * n, [4, 2]),
    ("64 bits, a column", SINCE_MAXWELL, Load, 8, ALL, |n| 128 * n, [32, 2]),
    ("64 bits, pairs n ^ 1", NEW, Load, 8, ALL, |n| n / 2 * 8, [1, 1]),
    ("64 bits, pairs n ^ 2", NEW, Load, 8, ALL, |n| (n % 2 + n / 4 * 2) * 8, [1, 1]),
    ("64 bits, pairs n ^ 4 are none", NEW, Load, 8, ALL, |n| (n % 4 + n / 8 * 4) * 8, [2, 2]),
    ("64 bits, pairs in part of the warp are none", NEW, Load, 8, ALL, |n| if n < 2 { n * 8 } else { n / 2 * 8 }, [2, 2]),
    ("64 bits, a store has no pairs", NEW, Store, 8, ALL, |n| n / 2 * 8, [2, 2]),
    ("64 bits, nothing merges", OLD, Load, 8, ALL, |n| n / 2 * 8, [2, 2]),
    ("64 bits, lanes without a neighbour", NEW, Load, 8, 0x5555_5555, |n| 8 * n, [2, 1]),
    ("64 bits, pairs in conflict", NEW, Load, 8, ALL, |n| n / 2 * 16, [2, 1]),

    ("128 bits, in quarters", SINCE_MAXWELL, Load, 16, ALL, |n| 16 * n, [4, 4]),
    ("128 bits, in quarters", SINCE_MAXWELL, Store, 16, ALL, |n| 16 * n, [4, 4]),
    ("128 bits, one for all", NEW, Load, 16, ALL, |_| 32, [2, 2]),
    ("128 bits, one for all", OLD, Load, 16, ALL, |_| 32, [4, 4]),
    ("128 bits, one for all", SINCE_MAXWELL, Store, 16, ALL, |_| 32, [4, 4]),
    ("128 bits, every second", SINCE_MAXWELL, Load, 16, ALL, |n| 32 * n, [8, 4]),
    ("128 bits, a row of 144 bytes each", SINCE_MAXWELL, Load, 16, ALL, |n| 144 * n, [4, 4]),
    ("128 bits, a column", SINCE_MAXWELL, Store, 16, ALL, |n| 128 * n, [32, 4]),

    ("rows of one matrix", NEW, Matrix, 4, ALL, |n| 16 * n, [1, 1]),
    ("rows of four matrices", NEW, Matrix, 16, ALL, |n| 16 * n, [4, 4]),
    ("rows of 128 bytes", NEW, Matrix, 16, ALL, |n| 128 * n, [32, 4]),
    ("rows of 144 bytes", NEW, Matrix, 16, ALL, |n| 144 * n, [4, 4]),
    ("rows of two matrices, the other lanes' are not looked at", NEW, Matrix, 8, ALL, |n| if n < 16 { 16 * n } else { 128 * n }, [2, 2]),
    ("one row for all", NEW, Matrix, 8, ALL, |_| 0, [2, 2]),

    ("atomics on words of a row", SINCE_MAXWELL, Atomic, 4, ALL, |n| 4 * n, [1, 1]),
    ("atomics on one word", SINCE_MAXWELL, Atomic, 4, ALL, |_| 4, [32, 1]),
    ("atomics, two on each word", SINCE_MAXWELL, Atomic, 4, ALL, |n| n / 2 * 4, [2, 1]),
    ("atomics on 64 bits", SINCE_MAXWELL, Atomic, 8, ALL, |n| 8 * n, [2, 2]),
    ("increments of one word", SINCE_MAXWELL, Increment, 4, ALL, |_| 4, [1, 1]),
    ("increments of words of one bank", SINCE_MAXWELL, Increment, 4, ALL, |n| n / 4 * 128, [8, 1]),
    ("compare and swap", SINCE_MAXWELL, CompareAndSwap, 4, ALL, |n| 4 * n, [2, 2]),
    ("compare and swap on one word", SINCE_MAXWELL, CompareAndSwap, 4, ALL, |_| 4, [64, 2]),

    ("copies of 4 bytes", &[80, 86, 89, 90, 100, 120], Copy, 4, ALL, |n| 4 * n, [1, 1]),
    ("copies of 16 bytes", &[80, 86, 89, 90, 100, 120], Copy, 16, ALL, |n| 16 * n, [4, 4]),
    ("copies to one word", &[80, 86, 89, 90, 100, 120], Copy, 4, ALL, |_| 0, [32, 1]),
    ("copies to rows of 128 bytes", &[80, 86, 89, 90, 100, 120], Copy, 16, ALL, |n| 128 * n, [32, 4]),

    ("words 32 apart in a row of 64", KEPLER, Load, 4, ALL, |n| n % 2 * 128 + n / 2 * 4, [1, 1]),
    ("every second word", KEPLER, Load, 4, ALL, |n| 8 * n, [1, 1]),
    ("every fourth word", KEPLER, Load, 4, ALL, |n| 16 * n, [2, 1]),
    ("a column of rows of 64 words", KEPLER, Load, 4, ALL, |n| 256 * n, [32, 1]),
    ("a column of rows of 32 words", KEPLER, Load, 4, ALL, |n| 128 * n, [16, 1]),
    ("64 bits at once", KEPLER, Load, 8, ALL, |n| 8 * n, [1, 1]),
    ("128 bits in halves", KEPLER, Load, 16, ALL, |n| 16 * n, [2, 2]),
    ("128 bits, one for all", KEPLER, Load, 16, ALL, |_| 0, [2, 2]),
];

#[test]
fn shared_requests_take_what_the_rules_say() {
    for &(name, sms, kind, bytes, active, address, [taken, ideal]) in SHARED {
        for &sm in sms {
            let found = shared(&arch(sm), kind, bytes, &request(active, address));
            assert_eq!(found, Some(Wavefronts { taken, ideal }), "sm_{sm}: {name}, {kind:?} {bytes}");
        }
    }
}

#[test]
fn kepler_has_a_mode_of_wide_words() {
    let arch = kepler_with_wide_words();
    let cases: [(u32, Address, u32); 5] = [
        (4, |n| 4 * n, 1),
        // Both halves of an 8-byte word, but not words that are 32 words apart.
        (4, |n| n / 2 * 8 + n % 2 * 4, 1),
        (4, |n| n * 128, 16),
        (8, |n| 8 * n, 1),
        (8, |n| 16 * n, 2),
    ];
    for (bytes, address, taken) in cases {
        let found = shared(&arch, Load, bytes, &request(ALL, address)).map(|found| found.taken);
        assert_eq!(found, Some(taken), "{bytes}: {:?}", request(ALL, address));
    }
}

/// Name of the case, architectures, bytes per lane, lanes, addresses; sectors, ideal, lines, tag wavefronts.
type GlobalCase = (&'static str, &'static [u16], u32, u32, Address, [u32; 4]);

#[rustfmt::skip]
const GLOBAL: &[GlobalCase] = &[
    ("one line", EVERY, 4, ALL, |n| 4 * n, [4, 4, 1, 1]),
    ("one word for all", EVERY, 4, ALL, |_| 8, [1, 1, 1, 1]),
    ("shifted by a word", EVERY, 4, ALL, |n| 4 * n + 4, [5, 4, 2, 1]),
    ("backwards", EVERY, 4, ALL, |n| 4 * (31 - n), [4, 4, 1, 1]),
    ("bytes", EVERY, 1, ALL, |n| n, [1, 1, 1, 1]),
    ("halves", EVERY, 2, ALL, |n| 2 * n, [2, 2, 1, 1]),
    ("64 bits", SINCE_MAXWELL, 8, ALL, |n| 8 * n, [8, 8, 2, 1]),
    ("every second word", SINCE_MAXWELL, 4, ALL, |n| 8 * n, [8, 4, 2, 1]),
    ("a sector each", SINCE_MAXWELL, 4, ALL, |n| 32 * n, [32, 4, 8, 2]),
    ("a line each", &[90], 4, ALL, |n| 128 * n, [32, 4, 32, 8]),
    ("five lines each", &[90], 4, ALL, |n| 640 * n, [32, 4, 32, 10]),
    ("five lines each", &[120], 4, ALL, |n| 640 * n, [32, 4, 32, 21]),
    ("128 bits", SINCE_MAXWELL, 16, ALL, |n| 16 * n, [16, 16, 4, 1]),
    ("128 bits, shifted by 16 bytes", &[90, 120], 16, ALL, |n| 16 * n + 16, [17, 16, 5, 2]),
    ("a lane", EVERY, 16, 1 << 7, |n| 16 * n, [1, 1, 1, 1]),
    ("one for all, in parts", KEPLER, 16, ALL, |_| 0, [4, 4, 1, 4]),
    ("one for all, in parts", KEPLER, 8, ALL, |_| 0, [2, 2, 1, 2]),
    ("one for all", SINCE_MAXWELL, 16, ALL, |_| 0, [1, 1, 1, 1]),
];

#[test]
fn global_requests_touch_what_the_rules_say() {
    for &(name, sms, bytes, active, address, [taken, ideal, lines, tag_wavefronts]) in GLOBAL {
        for &sm in sms {
            let found = global(&arch(sm), bytes, &request(active, address));
            let expected = Sectors { taken, ideal, lines, tag_wavefronts };
            assert_eq!(found, Some(expected), "sm_{sm}: {name}, {bytes}");
        }
    }
}

#[test]
fn reductions_of_one_word_go_one_after_another() {
    let arch = arch(90);
    let cases: [(Address, [u32; 4]); 4] = [
        (|n| 4 * n, [4, 4, 1, 1]),
        (|_| 0, [32, 4, 1, 32]),
        (|n| n / 2 * 4, [4, 4, 1, 2]),
        (|n| n % 8 * 128, [32, 4, 8, 8]),
    ];
    for (address, [taken, ideal, lines, tag_wavefronts]) in cases {
        let found = global_reduction(&arch, 4, &request(ALL, address));
        assert_eq!(
            found,
            Some(Sectors { taken, ideal, lines, tag_wavefronts }),
            "{:?}",
            request(ALL, address)
        );
    }
    assert_eq!(global_reduction(&arch, 4, &request(0, |n| n)), None);
}

#[test]
fn words_tell_the_kinds_apart() {
    let cases = [
        ("ADD", Atomic),
        ("EXCH.64", Atomic),
        ("POPC.INC.32", Increment),
        ("CAS", CompareAndSwap),
        ("CAST.SPIN.64", CompareAndSwap),
        ("", Atomic),
    ];
    for (modifiers, kind) in cases {
        assert_eq!(SharedKind::decode("ATOMS", modifiers.split('.'), true, true), kind, "{modifiers}");
        assert!(kind.is_atomic());
    }
    let others = [
        ("LDS", (true, false), Load),
        ("STS", (false, true), Store),
        ("LDSM", (true, false), Matrix),
        ("STSM", (false, true), Matrix),
        ("LDGSTS", (true, true), Copy),
    ];
    for (mnemonic, (loads, stores), kind) in others {
        assert_eq!(SharedKind::decode(mnemonic, std::iter::empty(), loads, stores), kind, "{mnemonic}");
        assert!(!kind.is_atomic());
    }
}

#[test]
fn what_is_no_request_takes_nothing() {
    for arch in every_arch() {
        for kind in [Load, Store, Atomic, Increment, CompareAndSwap, Matrix, Copy] {
            assert_eq!(shared(&arch, kind, 4, &request(0, |n| 16 * n)), None, "no lane");
            assert_eq!(shared(&arch, kind, 0, &request(ALL, |n| 16 * n)), None, "no bytes");
            let too_many = shared(&arch, kind, u32::MAX, &request(ALL, |n| 16 * n));
            assert_eq!(
                too_many,
                shared(&arch, kind, 16, &request(ALL, |n| 16 * n)).filter(|_| kind == Matrix)
            );
            assert_eq!(shared(&arch, kind, 4, &request(ALL, |n| 16 * n + 2)), None, "not aligned");
            assert_eq!(banks(&arch, kind, 4, &request(0, |n| 16 * n)), None);
        }
        assert_eq!(shared(&arch, Load, 8, &request(ALL, |n| 8 * n + 4)), None);
        assert_eq!(global(&arch, 4, &request(0, |n| n)), None);
        assert_eq!(global(&arch, 0, &request(ALL, |n| n)), None);
        assert_eq!(global(&arch, u32::MAX, &request(ALL, |n| n)), None);
        assert_eq!(global(&arch, 4, &request(ALL, |n| 4 * n + 1)), None);
        let aside = request(1, |n| if n == 0 { 4 } else { 1 });
        assert_eq!(
            shared(&arch, Load, 4, &aside),
            Some(Wavefronts { taken: 1, ideal: 1 }),
            "other lanes' addresses"
        );
    }
}

#[test]
fn the_picture_shows_who_shares_the_busiest_bank() {
    let arch = arch(90);
    let picture = banks(&arch, Load, 4, &request(ALL, |n| n % 4 * 4 + n / 4 * 128)).unwrap();
    assert_eq!((picture.bank, picture.lanes, picture.words), (0, 0x1111_1111, 8));
    assert_eq!((picture.first_bank[6], picture.row[6], picture.banks_per_lane), (2, 1, 1));

    // The second quarter has the conflict: lanes 8 and 12 access different words of banks 4 to 7.
    let wide = |n| if n == 12 { 128 + 16 } else { 16 * (n % 8) + if n == 8 { 16 } else { 0 } };
    let picture = banks(&arch, Store, 16, &request(ALL & !(1 << 9), wide)).unwrap();
    assert_eq!((picture.bank, picture.words, picture.banks_per_lane), (4, 2, 4));
    assert_eq!((picture.lanes, picture.group), (1 << 8 | 1 << 12, 0xfd00));

    let picture = banks(&arch, Atomic, 4, &request(0xff, |n| n / 4 * 4)).unwrap();
    assert_eq!((picture.bank, picture.lanes, picture.words), (0, 0xf, 4));
}

/// Divides the active lanes into the groups that the hardware serves together, by the rules of the GPU generation.
fn groups(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Vec<Vec<usize>> {
    let takes_part = |lane: usize| request.active >> lane & 1 == 1;
    let mut together = match (arch.sm, bytes) {
        (..50, 16) => 16,
        (..50, _) | (_, ..=4) => 32,
        (_, 8) => 16,
        _ => 8,
    };
    let mut lanes = LANES;
    if kind == Matrix {
        together = if arch.sm < 50 { 16 } else { 8 };
        lanes = (bytes * 2) as usize;
    }
    if kind == Load && arch.sm >= 70 && together < 32 {
        let paired = |apart: usize| {
            (0..LANES).all(|lane| {
                let other = lane ^ apart;
                !takes_part(lane) || !takes_part(other) || request.addresses[lane] == request.addresses[other]
            })
        };
        together *= if paired(1) || paired(2) { 2 } else { 1 };
    }
    let all: Vec<usize> = (0..lanes).collect();
    all.chunks(together)
        .map(|group| group.iter().copied().filter(|&lane| takes_part(lane)).collect())
        .collect()
}

/// Counts wavefronts by assigning every accessed byte to its bank. `word` is the width of a bank's word in bytes.
fn counted(arch: &Arch, kind: SharedKind, bytes: u32, word: u64, request: &Request) -> u32 {
    let row_bytes = if arch.sm < 50 { 256 } else { 128 };
    let moved = if kind == Matrix { 16 } else { u64::from(bytes) };
    let mut total = 0;
    for group in groups(arch, kind, bytes, request) {
        let mut rows: BTreeMap<u64, BTreeSet<(u64, usize)>> = BTreeMap::new();
        for lane in group {
            for byte in request.addresses[lane]..request.addresses[lane] + moved {
                // Lanes that do not share a word are counted separately.
                let who = if matches!(kind, Atomic | CompareAndSwap | Copy) { lane } else { 0 };
                rows.entry(byte / word % 32).or_default().insert((byte / row_bytes, who));
            }
        }
        total += rows.values().map(BTreeSet::len).max().unwrap_or(0) as u32;
    }
    total * if kind == CompareAndSwap { 2 } else { 1 }
}

/// An affine address pattern: base address; strides of lane, row and column; base-2 logarithm of the row length in
/// lanes; mask of the active lanes.
fn affine() -> impl Strategy<Value = (u64, [i64; 3], u32, u32)> {
    let stride = || prop_oneof![-6_i64..=6, -80_i64..=80, Just(32), Just(33), Just(128)];
    let mask = prop_oneof![
        Just(ALL),
        any::<u32>(),
        Just(0xffff),
        Just(0x5555_5555),
        (0_u32..32).prop_map(|n| 1 << n)
    ];
    (0_u64..4096, [stride(), stride(), stride()], 0_u32..=5, mask)
}

fn addresses((base, [lane, row, column], shift, active): (u64, [i64; 3], u32, u32), bytes: u64) -> Request {
    request(active, |n| {
        let (row_at, column_at) = (n >> shift, n & ((1 << shift) - 1));
        let units = n as i64 * lane + row_at as i64 * row + column_at as i64 * column;
        (1_u64 << 32).wrapping_add(base * bytes).wrapping_add((units * bytes as i64) as u64)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn wavefronts_are_those_of_counting(shape in affine(), width in 0_u32..5, kind in 0_usize..7) {
        let kind = [Load, Store, Atomic, Increment, CompareAndSwap, Matrix, Copy][kind];
        let bytes = if kind == Matrix { 4 << (width % 3) } else { 1 << width };
        let request = addresses(shape, if kind == Matrix { 16 } else { u64::from(bytes) });
        let check = |arch: &Arch, word: u64| {
            let expected = counted(arch, kind, bytes, word, &request);
            let found = shared(arch, kind, bytes, &request);
            prop_assert_eq!(found.map_or(0, |found| found.taken), expected, "sm_{} {:?} {}", arch.sm, kind, bytes);
            prop_assert!(found.is_none_or(|found| 0 < found.ideal && found.ideal <= found.taken));
            let picture = banks(arch, kind, bytes, &request);
            prop_assert_eq!(picture.is_some(), found.is_some());
            if let Some(picture) = picture {
                prop_assert!(picture.lanes & !picture.group == 0 && picture.group & !request.active == 0);
                prop_assert!(picture.words <= expected && picture.words <= picture.lanes.count_ones());
            }
            Ok(())
        };
        for arch in every_arch() {
            check(&arch, 4)?;
        }
        check(&kepler_with_wide_words(), 8)?;
    }

    #[test]
    fn sectors_are_those_of_counting(shape in affine(), width in 0_u32..6, scattered in any::<Option<[u16; 32]>>()) {
        let bytes = 1_u32 << width;
        let mut request = addresses(shape, u64::from(bytes));
        if let Some(scattered) = scattered {
            request.addresses = scattered.map(|at| u64::from(at) * u64::from(bytes));
        }
        for arch in every_arch() {
            let together = if arch.sm < 50 && bytes > 4 { (128 / bytes) as usize } else { LANES };
            let (mut taken, mut lines) = (0, BTreeSet::new());
            let all: Vec<usize> = (0..LANES).collect();
            for part in all.chunks(together) {
                let mut sectors = BTreeSet::new();
                for &lane in part.iter().filter(|&&lane| request.active >> lane & 1 == 1) {
                    for byte in request.addresses[lane]..request.addresses[lane] + u64::from(bytes) {
                        sectors.insert(byte / 32);
                        lines.insert(byte / 128);
                    }
                }
                taken += sectors.len() as u32;
            }
            let found = global(&arch, bytes, &request);
            prop_assert_eq!(found.map_or((0, 0), |found| (found.taken, found.lines)), (taken, lines.len() as u32));
            prop_assert_eq!(found.is_some(), request.active != 0);
            if let Some(found) = found {
                let moved = request.active.count_ones() * bytes;
                prop_assert_eq!(found.ideal, moved.div_ceil(32).min(taken));
                prop_assert!(found.tag_wavefronts >= found.lines.div_ceil(4).max(1));
                prop_assert!(found.tag_wavefronts <= taken);
            }
        }
    }

    #[test]
    fn any_numbers_are_taken(active: u32, addresses: [u64; 32], bytes: u32) {
        let request = Request { active, addresses };
        let aligned = Request { active, addresses: addresses.map(|address| address & !15) };
        for arch in every_arch() {
            for bytes in [bytes, bytes % 64, 16] {
                for kind in [Load, Store, Atomic, Increment, CompareAndSwap, Matrix, Copy] {
                    shared(&arch, kind, bytes, &request);
                    shared(&arch, kind, bytes, &aligned);
                    banks(&arch, kind, bytes, &aligned);
                }
                global(&arch, bytes, &request);
                global(&arch, bytes, &aligned);
                global_reduction(&arch, bytes, &aligned);
            }
        }
    }
}
