//! Matrix and asynchronous instructions, compared with the SASS that ptxas 13.5 generates for them.

use super::opcodes;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Mnemonics that [`counts`] leaves out: address computations, constants, and the end of the kernel.
const LEFT_OUT: &[&str] = &[
    "ADD", "EXIT", "IADD3", "IMAD", "LDC", "LEA", "LOP3", "MOV", "R2UR", "S2R", "SHF", "ULDC", "VIADD",
    "PLOP3",
];

/// Returns the opcodes of a body with their counts, such as `HMMA.16816.F32 x2`.
fn counts(sm: u16, body: &str) -> String {
    let registers = ".reg .b32 %x<300>; .reg .f32 %y<300>; .reg .f64 %z<40>;";
    let setup = "ld.param.u64 %l0, [p]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [n];";
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for opcode in opcodes(sm, &format!("{registers}\n{setup}\n{body}")) {
        let mnemonic = opcode.split('.').next().unwrap_or_default().to_owned();
        if !LEFT_OUT.contains(&mnemonic.as_str()) {
            *counts.entry(opcode).or_default() += 1;
        }
    }
    let mut text = String::new();
    for (opcode, count) in counts {
        let _ = write!(text, "{opcode} x{count}, ");
    }
    text.trim_end_matches(", ").to_owned()
}

/// Returns a PTX vector of `count` registers with numbers from `first` on: `{%x0, %x1}`.
fn vector(letter: char, first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|at| format!("%{letter}{at}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Returns stores of registers, which keep the registers from being eliminated as dead.
fn stores(letter: char, first: usize, count: usize) -> String {
    let ty = if letter == 'z' { "b64" } else { "b32" };
    (first..first + count).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "st.local.{ty} [{}], %{letter}{at};", 8 * at);
        text
    })
}

/// Loads: the modifiers of `wmma.load`, the number of registers, their letter, and the expected instructions.
const LOADS: &[(&str, usize, char, &str)] = &[
    ("a.sync.aligned.row.m16n16k16.global.f16", 8, 'x', "LDG.E x4"),
    ("a.sync.aligned.col.m16n16k16.global.f16", 8, 'x', "LDG.E x4, MOVM.16.MT88 x4"),
    ("a.sync.aligned.row.m16n16k16.shared.f16", 8, 'x', "LDSM.16.M88.4 x1"),
    ("b.sync.aligned.row.m16n16k16.shared.f16", 8, 'x', "LDSM.16.MT88.4 x1"),
    ("a.sync.aligned.row.m8n32k16.shared.bf16", 2, 'x', "LDSM.16.M88.2 x1"),
    ("b.sync.aligned.col.m8n32k16.shared.bf16", 8, 'x', "LDSM.16.M88.4 x2"),
    ("b.sync.aligned.row.m8n32k16.global.bf16", 8, 'x', "LDG.E x8, MOVM.16.MT88 x8"),
    ("a.sync.aligned.row.m16n16k16.global.s8", 2, 'x', "LDG.E x2"),
    ("b.sync.aligned.row.m16n16k16.global.s8", 2, 'x', "LDG.E.U8 x8, PRMT x2"),
    ("a.sync.aligned.row.m32n8k16.shared.u8", 4, 'x', "LDSM.16.M88.2 x2"),
    ("b.sync.aligned.row.m32n8k16.shared.u8", 1, 'x', "LDS.U8 x4, PRMT x1"),
    ("a.sync.aligned.col.m16n16k8.shared.tf32", 4, 'x', "LDS x4"),
    ("b.sync.aligned.row.m16n16k8.global.tf32", 4, 'x', "LDG.E x4"),
    ("a.sync.aligned.row.m8n8k4.global.f64", 1, 'z', "LDG.E.64 x1"),
    ("c.sync.aligned.row.m16n16k16.global.f16", 4, 'x', "LDG.E x4"),
    ("c.sync.aligned.col.m16n16k16.shared.f16", 4, 'x', "LDS x4, MOVM.16.MT88 x4"),
    ("c.sync.aligned.row.m16n16k16.shared.f32", 8, 'y', "LDS.64 x4"),
    ("c.sync.aligned.col.m16n16k16.global.f32", 8, 'y', "LDG.E x8"),
    ("c.sync.aligned.row.m8n32k16.global.s32", 8, 'x', "LDG.E x8"),
    ("c.sync.aligned.row.m8n8k4.shared.f64", 2, 'z', "LDS.128 x1"),
    ("c.sync.aligned.col.m8n8k4.global.f64", 2, 'z', "LDG.E.64 x2"),
];

#[test]
fn fragments_are_loaded_as_ptxas_loads_them() {
    for &(form, count, letter, expected) in LOADS {
        let address = if form.contains("shared") { "%r0" } else { "%l0" };
        let own = vector(letter, 0, count);
        let body = format!("wmma.load.{form} {own}, [{address}], %r1;\n{}", stores(letter, 0, count));
        for sm in [80, 90] {
            let found = counts(sm, &body);
            let loads =
                found.split(", ").filter(|one| !one.starts_with("STL")).collect::<Vec<_>>().join(", ");
            assert_eq!(loads, expected, "{form} on sm_{sm}");
        }
    }
}

/// Stores: the modifiers of `wmma.store.d`, the number of registers, their letter, and the expected instructions.
const STORES: &[(&str, usize, char, &str)] = &[
    ("sync.aligned.row.m16n16k16.global.f32", 8, 'y', "STG.E.64 x4"),
    ("sync.aligned.col.m16n16k16.shared.f32", 8, 'y', "STS x8"),
    ("sync.aligned.row.m16n16k16.shared.f16", 4, 'x', "STS x4"),
    ("sync.aligned.col.m16n16k16.global.f16", 4, 'x', "MOVM.16.MT88 x4, STG.E x4"),
    ("sync.aligned.row.m8n8k4.global.f64", 2, 'z', "STG.E.128 x1"),
];

#[test]
fn fragments_are_stored_as_ptxas_stores_them() {
    for &(form, count, letter, expected) in STORES {
        let address = if form.contains("shared") { "%r0" } else { "%l0" };
        let own = vector(letter, 0, count);
        let body = format!("wmma.store.d.{form} [{address}], {own}, %r1;");
        for sm in [80, 90] {
            assert_eq!(counts(sm, &body), expected, "{form} on sm_{sm}");
        }
    }
}

/// A product: its opcode, the register letter and the number of registers of the result, the two factors and the sum, and
/// the expected instructions.
type Product = (&'static str, [(char, usize); 4], &'static str);

fn product((spelling, [to, first, second, sum], _): &Product) -> String {
    let vectors = [(to, 200), (first, 0), (second, 40), (sum, 80)]
        .map(|((letter, count), at)| vector(*letter, if *letter == 'z' { at / 10 } else { at }, *count));
    let at = if to.0 == 'z' { 20 } else { 200 };
    format!("{spelling} {};\n{}", vectors.join(", "), stores(to.0, at, to.1))
}

fn check_products(sm: u16, products: &[Product]) {
    for own in products {
        let found = counts(sm, &product(own));
        let found = found.split(", ").filter(|one| !one.starts_with("STL")).collect::<Vec<_>>().join(", ");
        assert_eq!(found, own.2, "{} on sm_{sm}", own.0);
    }
}

const F32: (char, usize) = ('y', 8);
const F16: (char, usize) = ('x', 8);

#[test]
fn products_of_fragments_are_tiles() {
    let x = |count: usize| ('x', count);
    let products: [Product; 9] = [
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", [F32, F16, F16, F32], "HMMA.16816.F32 x2"),
        ("wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16", [x(4), F16, F16, x(4)], "HMMA.16816.F16 x2"),
        (
            "wmma.mma.sync.aligned.row.row.m32n8k16.f32.bf16.bf16.f32",
            [F32, x(8), x(2), F32],
            "HMMA.16816.F32.BF16 x2",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16",
            [F32, F16, F16, x(4)],
            "HADD2.F32 x8, HMMA.16816.F32 x2",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32",
            [x(8), x(2), x(2), x(8)],
            "IMMA.16816.S8.S8 x2",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32.satfinite",
            [x(8), x(4), x(1), x(8)],
            "IMMA.16816.U8.U8.SAT x2",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32",
            [F32, x(4), x(4), F32],
            "HMMA.1684.F32.TF32 x4",
        ),
        (
            "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
            [x(2), x(1), x(1), x(2)],
            "BMMA.88128.AND.POPC x1",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32",
            [x(4), F16, F16, F32],
            "F2FP.F16.F32.PACK_AB x4, HMMA.16816.F32 x2",
        ),
    ];
    check_products(90, &products);
    check_products(80, &products[..8]);
    let double = |found| -> Product {
        let one = ('z', 1);
        ("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", [('z', 2), one, one, ('z', 2)], found)
    };
    check_products(90, &[double("DMMA.8x8x4 x1")]);
    check_products(80, &[double("DMMA.884 x1")]);
}

#[test]
fn products_of_registers_are_single_instructions() {
    let x = |count: usize| ('x', count);
    let (f, z) = (('y', 4), |count: usize| ('z', count));
    check_products(
        90,
        &[
            (
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                [f, x(4), x(2), f],
                "HMMA.1688.F32.TF32 x1",
            ),
            (
                "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",
                [z(4), z(8), z(4), z(4)],
                "DMMA.16x8x16 x1",
            ),
            (
                "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
                [x(4), x(4), x(2), x(4)],
                "BMMA.168256.AND.POPC x1",
            ),
            (
                "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
                [f, x(4), x(2), f],
                "F2FP.F16.E4M3.UNPACK_B x8, F2FP.F16.E5M2.UNPACK_B x4, FADD x4, HMMA.16816.F32 x2",
            ),
        ],
    );
    check_products(
        80,
        &[(
            "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32",
            [x(4), x(4), x(2), x(4)],
            "IMMA.16864.S4.U4.SAT x1",
        )],
    );
    let sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%y0, %y1, %y2, %y3}, \
                  {%x0, %x1, %x2, %x3}, {%x4, %x5, %x6, %x7}, {%y0, %y1, %y2, %y3}, %r0, 0x0; st.local.b32 [0], %y0;";
    assert_eq!(counts(90, sparse), "HMMA.SP.16832.F32 x1, STL x1");
}

#[test]
fn matrix_accesses_take_modifiers_in_any_order() {
    let load = "ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%x0, %x1, %x2, %x3}, [%r0];";
    let store = "stmatrix.sync.aligned.x4.m8n8.shared::cta.b16 [%r1], {%x0, %x1, %x2, %x3};";
    assert_eq!(counts(90, &format!("{load}\n{store}")), "LDSM.16.MT88.4 x1, STSM.16.M88.4 x1");
}

/// Each half of the four registers that `LDSM` loads is a matrix operand without a copy.
#[test]
fn halves_of_a_loaded_tile_are_not_copied() {
    let body = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%x0, %x1, %x2, %x3}, [%r0];
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%y0, %y1, %y2, %y3}, {%x4, %x5, %x6, %x7}, {%x0, %x1}, {%y0, %y1, %y2, %y3};
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%y4, %y5, %y6, %y7}, {%x4, %x5, %x6, %x7}, {%x2, %x3}, {%y4, %y5, %y6, %y7};";
    let own = opcodes(
        90,
        &format!(".reg .b32 %x<9>; .reg .f32 %y<9>; ld.param.u32 %r0, [n];\n{body}\n{}", stores('y', 0, 8)),
    );
    // The registers that no instruction writes are set to zero.
    assert_eq!(own.iter().filter(|opcode| opcode.contains("MOV")).count(), 12, "{own:?}");
}

#[test]
fn asynchronous_copies_and_their_groups() {
    let body =
        "cp.async.ca.shared.global [%r0], [%l0], 4; cp.async.cg.shared.global.L2::128B [%r1], [%l0], 16;
        cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all;";
    let expected = "DEPBAR.LE x2, LDGDEPBAR x2, LDGSTS.E x1, LDGSTS.E.BYPASS.128 x1";
    for sm in [80, 90] {
        assert_eq!(counts(sm, body), expected, "sm_{sm}");
    }
    let fill = "cp.async.cg.shared.global [%r0], [%l0], 16, %r1;";
    assert_eq!(counts(90, fill), "ISETP.NE.U32.AND x1, LDGSTS.E.BYPASS.128.ZFILL x1");
}

#[test]
fn barriers_in_shared_memory_and_bulk_copies() {
    let body = "mbarrier.init.shared::cta.b64 [%r0], 1; fence.proxy.async.shared::cta;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 4096; mbarrier.arrive.release.cta.shared.b64 _, [%r0];
        mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r0], %r1;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%l0], 4096, [%r1];
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%l0, {%r1, %r1}], [%r1];
        cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%l0, {%r1, %r1}], [%r0];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;";
    assert_eq!(
        counts(90, body),
        "DEPBAR.LE x1, FENCE.VIEW.ASYNC.S x1, MEMBAR.ALL.CTA x1, SYNCS.ARRIVE.TRANS64 x1, SYNCS.ARRIVE.TRANS64.A1T0 x1, \
         SYNCS.EXCH.64 x1, SYNCS.PHASECHK.TRANS64.TRYWAIT x1, UBLKCP.S.G x1, UTMACMDFLUSH x1, UTMALDG.2D x1, UTMASTG.2D x1"
    );
}

/// Consecutive products accumulate in the same registers, and only the last product of a group closes the group.
#[test]
fn products_of_a_warpgroup() {
    let sums = vector('y', 0, 32);
    let one =
        |shape: &str| format!("wgmma.mma_async.sync.aligned.{shape} {sums}, %l0, %l0, 1, 1, 1, 0, 0;\n");
    let body = format!(
        "wgmma.fence.sync.aligned;\n{0}{0}wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n{1}",
        one("m64n64k16.f32.f16.f16"),
        stores('y', 0, 32)
    );
    assert_eq!(
        counts(90, &body),
        "HGMMA.64x64x16.F32 x2, STL x32, WARPGROUP.ARRIVE x1, WARPGROUP.DEPBAR.LE x1"
    );
    let own = opcodes(90, &format!(".reg .f32 %y<40>; ld.param.u64 %l0, [p];\n{body}"));
    // The first sums, which no instruction writes, are set to zero.
    assert_eq!(own.iter().filter(|opcode| opcode.contains("MOV")).count(), 32, "{own:?}");
}

#[test]
fn operations_of_a_warp() {
    let body = "redux.sync.max.s32 %x0, %r0, -1; redux.sync.xor.b32 %x1, %r0, -1; movmatrix.sync.aligned.m8n8.trans.b16 %x2, %r0;
        elect.sync _|%p1, -1; setmaxnreg.dec.sync.aligned.u32 40; st.local.b32 [0], %x2;";
    assert_eq!(
        counts(90, body),
        "ELECT x1, MOVM.16.MT88 x1, REDUX.MAX.S32 x1, REDUX.XOR x1, STL x1, USETMAXREG.DEALLOC.CTAPOOL x1"
    );
}

/// Lowers beginnings of a text whose operands have the wrong widths and counts.
#[test]
fn malformed_operands_are_lowered_all_the_same() {
    let body = "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%p0, %l1, %f0}, [%p1], %l0;
        wmma.load.a.sync.aligned.row.m0n16k16.shared.f16 {%r0}, [%l1]; wmma.load.c.sync.aligned.col.m16n16k16.s8 {}, [%l1], 99999999999;
        wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r2, %r3, _}, [%r1+7], %p2; wmma.store.d.sync.aligned.row.m16n16k16.f32 [%l1], {%p0, %l1};
        wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0}, {%p0, %p1}, {%r0}, {%l1}; wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 %f1, %f2, %f3, %f4;
        mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1}, {%l1, %p0}, {%r1}, {}; mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1}, {%r1}, {%r1}, {%f2};
        wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%p0, %l0}, %r1, %p1, 1; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {}, %l0, %l1, 1;
        wgmma.commit_group.sync.aligned; cp.async.cg.shared.global [%p0], [%r1], 16, %l1; cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%p0, {%p1}], [%l0];
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [5], [%p1+3], %p1, [%l1]; mbarrier.init.shared.b64 [%p1], %l1; redux.sync.add.s32 %p1, %l1, 3;
        st.global.f32 [%l1], %f0; st.global.f32 [%l1], %f1; st.global.u32 [%l1], %r2;";
    for end in (0..=body.len()).rev().filter(|end| end % 7 == 0 || *end == body.len()) {
        let own = opcodes(90, &body[..end]);
        assert!(own.iter().any(|opcode| opcode == "EXIT"), "{own:?}");
    }
}
