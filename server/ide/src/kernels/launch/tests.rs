//! Tests of parameters against code that reads each of them, and against the binaries of measured kernels.

use super::*;
use crate::binary::Cubin;
use crate::engine::launch_file::{LaunchFile, ParamValue};
use crate::engine::parameters::{layout, types};
use crate::{Cancel, Host};
use machine::Machine;
use model::address::{Addresses, Symbol};
use model::launch::Array;
use std::path::Path;
use std::sync::Arc;
use syntax::sass::Listing;

/// Returns the first launch of the first kernel in a text. `launches` is the text of the launches file.
fn launch(text: &str, launches: &str) -> Launch {
    let mut host = Host::default();
    let file = LaunchFile::parse("launches", launches).expect("the launches are right");
    host.set_launches((!launches.is_empty()).then_some(file)).expect("it names no GPU");
    host.open("x", 1, text);
    first_launch(&host)
}

fn first_launch(host: &Host) -> Launch {
    let sass = host.snapshot("x", Cancel::default()).and_then(|analysis| analysis.sass());
    let sass = sass.expect("it is open, and SASS");
    let (index, _) = sass.kernels().next().expect("there is a kernel");
    launches(&sass.kernel(index)).swap_remove(0).0
}

/// Each thread has a row of its own in shared memory, and reads a column of global memory.
const ROWS: &str = "\tcode for sm_90\n\t\tFunction : _Z4rowsPfi\n\
    /*0000*/ S2R R0, SR_TID.X ;\n\
    /*0010*/ IMAD.SHL.U32 R2, R0, 0x80, RZ ;\n\
    /*0020*/ IMAD.WIDE.U32 R4, R0, 0x80, c[0x0][0x210] ;\n\
    /*0030*/ LDG.E R6, desc[UR4][R4.64] ;\n\
    /*0040*/ STS [R2+0x400], R6 ;\n\
    /*0050*/ EXIT ;\n";

const ROWS_LAUNCH: &str =
    "[[launch]]\nfunction = \"_Z4rowsPfi\"\ngrid = [8]\nblock = [32]\nparams = [\"ptr\", 1]\n";

#[test]
fn shared_memory_that_depends_on_a_guessed_block_is_unknown() {
    let guessed = launch(ROWS, "");
    assert!(guessed.is_guess());
    assert_eq!((guessed.shared.value, guessed.shared.by), (0, StatedBy::Assumed));
    let stated = launch(ROWS, ROWS_LAUNCH);
    assert_eq!((stated.shared.value, stated.shared.by), (31 * 128 + 4, StatedBy::Inferred));
    // A table shared by all threads has the same size for any block: it does not limit the occupancy of an assumed
    // launch.
    let table = ROWS
        .replace("IMAD.SHL.U32 R2, R0, 0x80, RZ", "IMAD.SHL.U32 R2, R0, 0x0, RZ")
        .replace("R2+0x400", "R2+0x9000");
    let guessed = launch(&table, "");
    assert_eq!(guessed.shared.by, StatedBy::Inferred);
    let gpu = Machine::builtin().gpu_for_sm(90);
    let mut host = Host::default();
    host.open("x", 1, &table);
    let sass = host.snapshot("x", Cancel::default()).and_then(|analysis| analysis.sass()).expect("SASS");
    let (index, _) = sass.kernels().next().expect("there is a kernel");
    let (_, times) = launches(&sass.kernel(index)).swap_remove(0);
    assert_eq!(times.occupancy.active_warps, gpu.arch.resources.max_warps.value);
}

#[test]
fn a_guessed_block_raises_no_warning() {
    use crate::Severity::{Info, Warning};
    let severities = |launches: &str| {
        let mut host = Host::default();
        let file = LaunchFile::parse("launches", launches).expect("the launches are right");
        host.set_launches((!launches.is_empty()).then_some(file)).expect("it names no GPU");
        host.open("x", 1, ROWS);
        let found = host.snapshot("x", Cancel::default()).expect("it is open").model_diagnostics().unwrap();
        let memory = ["bank-conflict", "uncoalesced-access"];
        let mut all: Vec<_> = found
            .into_iter()
            .filter(|finding| memory.contains(&finding.code))
            .map(|finding| (finding.code, finding.severity))
            .collect();
        all.sort_by_key(|(code, _)| *code);
        all
    };
    assert_eq!(severities(""), [("bank-conflict", Info), ("uncoalesced-access", Info)]);
    assert_eq!(severities(ROWS_LAUNCH), [("bank-conflict", Warning), ("uncoalesced-access", Warning)]);
}

/// `place(char *out, short s, int n, char c, double d, unsigned m)` as nvcc 13.5 compiles it. It stores to
/// `out[blockDim.x + 3 * blockDim.y + 5 * blockDim.z + 7 * gridDim.x + 11 * gridDim.y + 13 * gridDim.z + 17 * n + 19 * m]`.
const PLACES: [(u16, &str); 7] = [
    (75, include_str!("place/sm_75.sass")),
    (80, include_str!("place/sm_80.sass")),
    (86, include_str!("place/sm_86.sass")),
    (89, include_str!("place/sm_89.sass")),
    (90, include_str!("place/sm_90.sass")),
    (100, include_str!("place/sm_100.sass")),
    (120, include_str!("place/sm_120.sass")),
];

#[test]
fn the_words_are_those_that_the_code_reads() {
    let launches = "[[launch]]\nfunction = \"_Z5placePcsicdj\"\ngrid = [100, 10, 3]\nblock = [32, 4, 2]\n\
                    params = [\"ptr\", -1, 1000, 7, 0.5, 4000000]\n";
    for (sm, text) in PLACES {
        let text = text.replace("place", "_Z5placePcsicdj");
        let launch = launch(&text, launches);
        let mut host = Host::default();
        host.open("x", 1, &text);
        let sass = host.snapshot("x", Cancel::default()).and_then(|analysis| analysis.sass());
        let sass = sass.expect("it is open, and SASS");
        let (_, chunk) = sass.kernels().next().expect("there is a kernel");
        let arch = Machine::builtin().gpu_for_sm(sm).arch;
        let program = Program::decode(chunk, &arch);
        let addresses = Addresses::compute(chunk, &program);
        let form = (0..program.instructions.len()).find_map(|inst| addresses.access(inst)).expect("a store");
        let word = |offset| launch.constant(&arch, offset).map(i64::from);
        let address = addresses.evaluate(form, |symbol| match symbol {
            Symbol::Param(offset) => word(offset),
            Symbol::Pointer(offset) => Some(word(offset + 4)? << 32 | word(offset)?),
            _ => None,
        });
        let index = 32 + 3 * 4 + 5 * 2 + 7 * 100 + 11 * 10 + 13 * 3 + 17 * 1000 + 19 * 4_000_000;
        assert_eq!(address, Some(Launch::ARRAY_SPACING as i64 + index), "sm_{sm}");
        // Words that no address depends on.
        let first = arch.constant_bank.parameters.value;
        assert_eq!(launch.constant(&arch, first + 8), Some(0xffff));
        assert_eq!(launch.constant(&arch, first + 16), Some(7));
        assert_eq!(launch.constant(&arch, first + 28), Some(0x3fe0_0000));
        assert_eq!(launch.constant(&arch, first + 36), None);
        assert_eq!(launch.arrays, [Array { offset: first, label: "arg0".into(), contents: None }]);
        let before = program.instructions[0].line as usize;
        let stack = format!("c[0x0][{:#x}]", arch.constant_bank.stack.value);
        assert!(chunk.line_text(before).contains(&stack), "sm_{sm}: {}", chunk.line_text(before));
    }
}

/// Kernels of `extern "C"` as nvcc 13.5 compiles them, which take the same values in parameters of different widths:
/// `wide(float *, long, int)`, `narrow(float *, int, int)`, `lower(float *, long, int)` that uses only the lower half,
/// `real(double *, double, int)`, `product(float *, long, int)`.
const WIDTHS: [(u16, &str); 7] = [
    (75, include_str!("widths/sm_75.sass")),
    (80, include_str!("widths/sm_80.sass")),
    (86, include_str!("widths/sm_86.sass")),
    (89, include_str!("widths/sm_89.sass")),
    (90, include_str!("widths/sm_90.sass")),
    (100, include_str!("widths/sm_100.sass")),
    (120, include_str!("widths/sm_120.sass")),
];

#[test]
fn the_code_says_how_wide_the_parameters_of_c_are() {
    let double = 2.5_f64.to_bits();
    let real = [Some(double as u32), Some((double >> 32) as u32), Some(3)];
    for (sm, text) in WIDTHS {
        let first = Machine::builtin().gpu_for_sm(sm).arch.constant_bank.parameters.value;
        for (function, number, words) in [
            ("wide", "1000", [Some(1000), Some(0), Some(3)]),
            ("narrow", "1000", [Some(1000), Some(3), None]),
            ("lower", "1000", [Some(1000), Some(0), Some(3)]),
            ("real", "2.5", real),
            ("product", "-1", [Some(u32::MAX), Some(u32::MAX), Some(3)]),
        ] {
            let stated = format!(
                "[[launch]]\nfunction = \"{function}\"\ngrid = [8]\nblock = [32]\nparams = [\"ptr\", {number}, 3]\n"
            );
            let mut host = Host::default();
            host.set_launches(Some(LaunchFile::parse("launches", &stated).expect("they are right")))
                .expect("they name no GPU");
            host.open("x", 1, text);
            let sass = host.snapshot("x", Cancel::default()).and_then(|analysis| analysis.sass());
            let sass = sass.expect("it is open, and SASS");
            let is_it = |(_, chunk): &(usize, &Arc<Chunk>)| chunk.name() == Some(function);
            let (index, _) = sass.kernels().find(is_it).expect("it is there");
            let kernel = sass.kernel(index);
            let launch = launches(&kernel).swap_remove(0).0;
            let known = [8, 12, 16].map(|offset| launch.constants.get(&(first + offset)).copied());
            assert_eq!(known, words, "{function} of sm_{sm}");
            let doubtful = doubtful_widths(&kernel, 0);
            assert_eq!(doubtful, [0; 0], "{function} of sm_{sm}");
        }
    }
}

#[test]
fn a_width_that_the_code_leaves_open_is_assumed_and_said() {
    // Two words that are loaded together and multiplied: two numbers of 32 bits, or one of 64 bits before a parameter
    // that is not read.
    let text = "\tcode for sm_90\n\t\tFunction : open\n\
                \x20       /*0000*/                   LDC.64 R4, c[0x0][0x218] ;\n\
                \x20       /*0010*/                   IMAD R5, R5, R4, RZ ;\n\
                \x20       /*0020*/                   LDC.64 R2, c[0x0][0x210] ;\n\
                \x20       /*0030*/                   ULDC.64 UR4, c[0x0][0x208] ;\n\
                \x20       /*0040*/                   IMAD.WIDE R2, R5, 0x4, R2 ;\n\
                \x20       /*0050*/                   STG.E desc[UR4][R2.64], R5 ;\n\
                \x20       /*0060*/                   EXIT ;\n";
    let assumed = |more: &str| {
        let launches = format!(
            "gpu = \"h100-sxm\"\n[[launch]]\nfunction = \"open\"\ngrid = [8]\nblock = [32]\n\
             params = [\"ptr\", 1000, 3]\n{more}"
        );
        let mut host = Host::default();
        let file = LaunchFile::parse("launches", &launches).expect("they are right");
        host.set_launches(Some(file)).expect("the GPU is known");
        host.open("x", 1, text);
        let sass = host.snapshot("x", Cancel::default()).and_then(|analysis| analysis.sass());
        let sass = sass.expect("it is open, and SASS");
        let stated = sass.stated_launches(None);
        let predicted = stated.predict(0, 1000).expect("nothing cancels it").expect("it can be timed");
        predicted.assumed.into_iter().filter(|of| of.starts_with("width")).collect::<Vec<_>>()
    };
    assert_eq!(assumed(""), ["width:arg1", "width:arg2"]);
    assert_eq!(assumed("const = { \"0x218\" = 1000, \"0x21c\" = 3 }\n"), [""; 0]);
}

const SM_90: &str = PLACES[4].1;

#[test]
fn unstated_parameters_are_assumed_to_be_pointers() {
    let arrays = |text: &str, launches: &str| {
        let launch = launch(text, launches);
        assert_eq!(launch.constants.len(), 2 * launch.arrays.len(), "numbers are not known");
        launch.arrays.into_iter().map(|array| (array.offset, array.label)).collect::<Vec<_>>()
    };
    // The name of a C function does not give the types, but the code shows the pointer.
    assert_eq!(arrays(SM_90, ""), [(0x210, "c[0x0][0x210]".to_owned())]);
    let grid = "grid = [1]\nblock = [32]\n";
    let stated = format!("[[launch]]\nfunction = \"place\"\n{grid}");
    assert_eq!(arrays(SM_90, &stated), [(0x210, "c[0x0][0x210]".to_owned())]);
    for gpu in ["k20m", "b200"] {
        // The code is decoded for its own architecture, even if another GPU's times apply.
        let expected = [(0x210, "c[0x0][0x210]".to_owned())];
        assert_eq!(arrays(SM_90, &format!("gpu = \"{gpu}\"\n{stated}")), expected, "{gpu}");
        assert_eq!(arrays(SM_90, &format!("gpu = \"{gpu}\"\n")), expected, "{gpu}");
    }
    assert_eq!(arrays(SM_90, &format!("{stated}params = [\"?\"]\n")), []);
    let named = SM_90.replace("place", "_Z1kPfiS_");
    assert_eq!(arrays(&named, ""), [(0x210, "arg0".to_owned()), (0x220, "arg2".to_owned())]);
    assert_eq!(arrays(&SM_90.replace("place", "_Z1k1P"), ""), [(0x210, "c[0x0][0x210]".to_owned())]);
}

#[test]
fn constants_go_over_parameters() {
    let launch = launch(
        SM_90,
        "[[launch]]\nfunction = \"place\"\ngrid = [1]\nblock = [32]\nhit_rate = { l2 = 0.25 }\n\
         params = [\"ptr\", \"ptr\", 5, 6]\n\
         const = { \"0x214\" = 1, \"0x220\" = 0x1_0000_0002, \"0x230\" = \"ptr\", \"0x240\" = 1.0, \"0\" = 64 }\n",
    );
    let arch = Machine::builtin().gpu_for_sm(90).arch;
    let words = [0x210, 0x214, 0x218, 0x21c, 0x220, 0x224, 0x228, 0x230, 0x234, 0x240, 0, 4, 2];
    let known = words.map(|offset| launch.constant(&arch, offset));
    assert_eq!(
        known,
        [
            None,
            Some(1),
            Some(0),
            Some(256),
            Some(2),
            Some(1),
            None,
            Some(0),
            Some(512),
            Some(0x3f80_0000),
            Some(64),
            Some(1),
            None
        ]
    );
    let labels: Vec<&str> = launch.arrays.iter().map(|array| array.label.as_str()).collect();
    assert_eq!(labels, ["arg1", "c[0x0][0x230]"]);
    assert_eq!((launch.hit_rate.l1, launch.hit_rate.l2), (None, Some(0.25)));
}

#[test]
fn a_binary_says_what_a_name_does_not() {
    let head = "//--------------------- .nv.info.place           --------------------------\n";
    let attribute = |ordinal: u16, offset: u16, bytes: u16| {
        format!(
            "\t//----- nvinfo : EIATTR_KPARAM_INFO_V2\n\t.short\t{ordinal:#06x}\n\t.short\t{offset:#06x}\n\
             \t.short\t{bytes:#06x}\n"
        )
    };
    let info = [attribute(0, 0, 24), attribute(1, 24, 8), attribute(2, 32, 8), attribute(3, 40, 2)].concat();
    let body = "//--------------------- .text.place              --------------------------\n.text.place:\n\
                \x20       /*0000*/                   ULDC.64 UR4, c[0x0][0x208] ;\n\
                \x20       /*0010*/                   LDC.64 R2, c[0x0][0x218] ;\n\
                \x20       /*0020*/                   LDG.E R4, desc[UR4][R2.64] ;\n";
    let text = format!("\t.target\tsm_90\n{head}{info}{body}");
    let launch = launch(
        &text,
        "[[launch]]\nfunction = \"place\"\ngrid = [1]\nblock = [32]\nparams = [\"?\", \"ptr\", 2.0, 3]\n",
    );
    let arch = Machine::builtin().gpu_for_sm(90).arch;
    let known = [0x210, 0x228, 0x22c, 0x230, 0x234, 0x238].map(|offset| launch.constant(&arch, offset));
    assert_eq!(known, [None, Some(0), Some(256), Some(0), Some(0x4000_0000), Some(3)]);
    assert_eq!(launch.arrays.len(), 1, "{:?}", launch.arrays);
}

#[test]
fn the_measured_launches_have_the_places_of_their_binary() {
    let folder = testkit::measured("kernels").swap_remove(0);
    #[expect(clippy::disallowed_methods, reason = "a test that compares with files that are given")]
    let read = |name: &str| std::fs::read(folder.join(name)).expect("the file is there");
    let (launches, cubin) = (read("launches.toml"), read("kernels.cubin"));
    let launches = String::from_utf8(launches).expect("it is text");
    let (file, problems) = LaunchFile::read(&launches);
    assert_eq!((file.launches.len(), problems), (28, Vec::new()));
    let cubin = Cubin::parse(&cubin).expect("it can be read");
    let by_binary = crate::engine::cubin_facts::places(&cubin);
    for entry in &file.launches {
        let kinds = types::parameter_types(&entry.function).expect("its name tells its types");
        let values = entry.params.as_deref().expect("it states them");
        assert_eq!(kinds.len(), values.len());
        let by_name = layout::places(0, kinds.iter().map(|of| of.kind.extent()));
        let expected = &by_binary.iter().find(|(name, _)| *name == entry.function).expect("it is there").1;
        let by_name: Option<Vec<_>> = by_name.into_iter().collect();
        assert_eq!(by_name.as_ref(), Some(expected), "{}", entry.function);
        for (value, place) in values.iter().zip(expected) {
            assert_eq!(*value == ParamValue::Pointer, place.bytes == 8, "{}", entry.function);
        }
    }
}

#[test]
fn the_corpus_reads_the_stack_and_the_block_where_the_data_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/samples");
    let mut seen = 0;
    for arch in &Machine::builtin().archs {
        let file = folder.join(format!("sm_{}/features.nvdisasm-hex-c.txt", arch.sm));
        #[expect(clippy::disallowed_methods, reason = "a test that compares with files that are given")]
        let Ok(text) = std::fs::read_to_string(&file) else {
            testkit::left_out(&format!("{} is not here", file.display()));
            continue;
        };
        seen += 1;
        let listing = Listing::parse(&text);
        let kernels = listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty());
        let bank = &arch.constant_bank;
        let word = |offset: u32| match offset {
            0 => "c[0x0][0x0]|c[0x0][RZ]".to_owned(),
            _ => format!("c[0x0][{offset:#x}]|c[0x0] [{offset:#x}]"),
        };
        let reads = |line: &str, word: &str| word.split('|').any(|word| line.contains(word));
        let (stack, block) = (word(bank.stack.value), word(bank.block.value));
        let mut blocks = 0;
        for chunk in kernels {
            let lines: Vec<&str> =
                chunk.instructions().iter().map(|inst| chunk.line_text(inst.line as usize)).collect();
            assert!(lines[..lines.len().min(4)].iter().any(|line| reads(line, &stack)), "{}", file.display());
            blocks += lines.iter().filter(|line| reads(line, &block)).count();
        }
        assert!(blocks > 0, "{} has kernels that read blockDim.x", file.display());
    }
    assert!(seen == 0 || seen >= 8, "{seen} of the architectures are there");
}
