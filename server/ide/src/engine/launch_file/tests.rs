//! Tests of the documented form of a launches file, and of each error that a file can contain.

use super::tensor::written;
use super::*;
use crate::engine::parameters::types::ParamValue;
use model::{Contents, DataFile, Element, Numbers, StatedTensor};
use proptest::prelude::*;

#[test]
fn the_documented_form_is_read() {
    let text = r#"
gpu = "h100-sxm"
listings = ["build/**/*.sass", "kernels.sass"]
[rules]
unknown-opcode = "off"
[limits]
sectors = 2
[[launch]]
name = "gemm-2048"
function = "_Z8sgemm_nnPKfS0_Pfi"
grid = [16, 16, 1]
block = [256]
dynamic_shared = 0
params = ["ptr", "ptr", "?", 2048]
const = { "0x174" = 2048, "376" = 0x1_0000_0000 }
trips = { "0x2a0" = 128, ".L_x_1" = 0 }
registers = 128
static_shared = 8192
hit_rate = { l1 = 0.0, l2 = 0.5 }
convolution = { n = 16, c = 1, h = 72, w = 72, k = 12, r = 7, s = 7, pad = 3 }
"#;
    let file = LaunchFile::parse("warplens.toml", text).expect("the file is right");
    assert_eq!(file.gpu.as_deref(), Some("h100-sxm"));
    let listings: Vec<&str> = file.listings.iter().map(ListingPattern::text).collect();
    assert_eq!(listings, ["build/**/*.sass", "kernels.sass"]);
    assert_eq!(file.rules["unknown-opcode"], RuleLevel::Off);
    assert_eq!(file.limits, StatedLimits { wavefronts: None, sectors: Some(2.0) });
    let launch = file.launches_of("_Z8sgemm_nnPKfS0_Pfi").next().expect("a launch");
    assert_eq!((launch.grid, launch.block, launch.registers), ([16, 16, 1], [256, 1, 1], Some(128)));
    assert_eq!((launch.trips["0x2a0"], launch.trips[".L_x_1"]), (128, 0));
    let pointer = ParamValue::Pointer;
    let params = [pointer.clone(), pointer, ParamValue::Unknown, ParamValue::Integer(2048)];
    assert_eq!(launch.params.as_deref(), Some(&params[..]));
    let constants = [(0x174, ParamValue::Integer(2048)), (376, ParamValue::Integer(1 << 32))];
    assert_eq!(launch.constants, constants.into());
    assert_eq!((launch.hit_rate.l1, launch.hit_rate.l2), (Some(0.0), Some(0.5)));
    let layer = launch.convolution.expect("its sizes are all there");
    assert_eq!((layer.output_rows(), layer.pad, layer.stride.get()), (72, 3, 1));
}

#[test]
fn profiles_and_the_command_that_makes_them_are_stated() {
    let text = "[profile]\nreports = [\"a.ncu-rep\"]\n[profile.thresholds]\nlow_warps = 12\nno_such = 1\n\
                [run]\ncommand = [\"make\", \"bench\"]\ntimeout = 60\n";
    let (file, problems) = LaunchFile::read(text);
    assert_eq!(file.profile.reports, ["a.ncu-rep"]);
    assert_eq!(file.profile.thresholds, BTreeMap::from([("low_warps".to_owned(), 12.0)]));
    assert_eq!((file.run.command.len(), file.run.time_limit().as_secs()), (2, 60));
    assert_eq!(LaunchFile::default().run.time_limit().as_secs(), 600);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.starts_with("unknown threshold `no_such`; "), "{}", problems[0].message);
    let text = "[run]\ncommand = [\"rm\", 1, \"file\"]\n";
    assert!(
        LaunchFile::read(text).0.run.command.is_empty(),
        "without one of its words, it would be a different command"
    );
}

#[test]
fn the_table_of_keys_has_every_key_that_is_read() {
    let table: toml::Table = toml::from_str(include_str!("../launch_file.toml")).expect("the table is TOML");
    let keys = table["key"].as_array().expect("the keys are a list");
    let described: Vec<&str> = keys.iter().filter_map(|key| key["name"].as_str()).collect();
    let within =
        |table: &str, keys: &[&str]| keys.iter().map(|key| format!("{table}{key}")).collect::<Vec<_>>();
    let mut read = [
        within("", &KEYS),
        within("compile.", &COMPILE),
        within("profile.", &PROFILE),
        within("run.", &RUN),
        within("limits.", &LIMITS),
        within("launch.", &entry::KEYS),
        within("launch.hit_rate.", &entry::HIT_RATES),
        within("launch.convolution.", &entry::LAYER),
        within("tune.*.", &tune::KEYS),
        within("tune.*.problem.", &tune::PROBLEM),
        within("tune.*.parameters.*.", &tune::PARAMETER),
    ]
    .concat();
    let mut described: Vec<String> = described.into_iter().map(str::to_owned).collect();
    described.sort();
    read.sort();
    assert_eq!(described, read);
    // The keys documented as required are those whose absence is reported.
    let required: Vec<&str> = keys
        .iter()
        .filter(|key| key.get("required").is_some())
        .filter_map(|key| key["name"].as_str()?.strip_prefix("launch."))
        .filter(|key| !key.contains('.'))
        .collect();
    let problems = LaunchFile::read("[[launch]]\n").1;
    assert_eq!(required.len(), problems.len(), "{problems:?}");
    for (key, problem) in required.iter().zip(&problems) {
        assert!(problem.message.starts_with(&format!("a launch needs `{key}`")), "{problem:?}");
    }
}

const LAUNCH: &str = "[[launch]]\nfunction = \"_Z1kPfic\"\ngrid = [1]\nblock = [1]\n";

#[test]
fn a_wrong_file_gets_one_line_that_says_where_and_what() {
    // Each row: the text, the start of the message, and a part of the message.
    for (text, start, part) in [
        ("gpu = \"t4\"\n[[launch]]\nfunction = \"f\"\ngrid = [0]\nblock = [1]\n", "w.toml:4: ", "positive"),
        ("gpu = \"t4\"\n[[launch]]\nfunction = \"f\"\nblock = [1]\n", "w.toml:2: ", "`grid`"),
        ("gpu = 3\n", "w.toml:1: ", "`gpu`: expected a string in quotes, not 3"),
        ("\n[rules]\nno-such-rule = \"off\"\n", "w.toml:3: ", "such as bank-conflict"),
        ("\n[rules]\nunknown-opcde = \"off\"\n", "w.toml:3: ", "; did you mean `unknown-opcode`?"),
        ("listing = []\n", "w.toml:1: unknown key `listing` in the file; did you mean `listings`?", ""),
        ("[rules]\nsyntax-error = \"loud\"\n", "w.toml:2: ", "\"info\" or \"hint\", not \"loud\""),
        ("[limits]\nsectors = 0.5\n", "w.toml:2: ", "1.0 or more, not 0.5"),
        ("[limits]\nsectors = nan\n", "w.toml:2: ", "1.0 or more, not nan"),
        ("gpu = \"t4\"\nlistings = [\n  \"good.sass\",\n  \"[bad\",\n]\n", "w.toml:4: ", "[bad"),
        ("listings = \"a.sass\"\n", "w.toml:1: ", "a list"),
        ("wrong = 1\n", "w.toml:1: unknown key `wrong` in the file; known: gpu, ", "launch"),
        ("[launch]\nfunction = \"f\"\n", "w.toml:1: ", "`[[launch]]`"),
        ("launch = 3\n", "w.toml:1: ", "`[[launch]]` tables"),
        ("\u{1f680}", "w.toml:1: ", ""),
        ("grid = ", "w.toml:1: ", ""),
    ] {
        let message = LaunchFile::parse("w.toml", text).unwrap_err().to_string();
        assert!(message.starts_with(start) && message.contains(part), "{text}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

/// Reads a launch of a kernel with this parameter, and returns the parameter or the message.
fn only_param(function: &str, param: &str) -> Result<ParamValue, String> {
    let text =
        format!("[[launch]]\nfunction = \"{function}\"\ngrid = [1]\nblock = [1]\nparams = [{param}]\n");
    let file = LaunchFile::parse("w.toml", &text).map_err(|error| error.to_string())?;
    match file.launches[0].params.as_deref() {
        Some([param]) => Ok(param.clone()),
        other => panic!("{other:?}"),
    }
}

/// Reads a launch with a pointer to these contents, and returns them or the message.
fn contents(holds: &str) -> Result<Contents, String> {
    match only_param("_Z6gatherPKi", &format!("{{ holds = {holds} }}"))? {
        ParamValue::Holding(contents) => Ok(contents),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contents_of_memory_are_stated_with_their_type() {
    for (holds, bytes, is_float, numbers) in [
        ("{ range = [0, 4096] }", 4, false, Numbers::Range { low: 0.0, high: 4096.0 }),
        ("{ normal = [0, 1.5], type = \"f64\" }", 8, true, Numbers::Normal { mean: 0.0, deviation: 1.5 }),
        ("{ sorted = [0, 50], count = 11 }", 4, false, Numbers::Sorted { low: 0.0, high: 50.0, count: 11 }),
    ] {
        let element = Element { bytes, is_float };
        assert_eq!(contents(holds), Ok(Contents::Generated { element, numbers }));
    }
    for (holds, message) in [
        ("{ sorted = [0, 50] }", "`sorted` needs `count`, the number of elements"),
        (
            "{ type = \"s32\" }",
            "`holds` needs one of range, permutation, sorted, normal, zipf, constant, file",
        ),
        ("{ range = [0, 4], file = \"a\" }", "`holds` needs one of range, permutation"),
        ("{ file = 3 }", "`file`: expected a string in quotes, not 3"),
        ("{ range = [4, 0] }", "`range`: expected the smaller number first"),
    ] {
        let error = contents(holds).unwrap_err();
        assert!(error.contains(message), "{holds}: {error}");
    }
}

/// Reads a launch with a pointer to these contents. `files` has the names and bytes of the files that exist.
/// Returns the pointer, and each problem with the text in its range.
fn stored(holds: &str, files: &[(&str, &[u8])]) -> (ParamValue, Vec<String>) {
    let text =
        format!("[[launch]]\nfunction = \"f\"\ngrid = [1]\nblock = [1]\nparams = [{{ holds = {holds} }}]\n");
    let read = |path: &str| match files.iter().find(|(name, _)| *name == path) {
        Some((_, bytes)) => Ok(Some(DataFile::new(bytes.to_vec()))),
        None => Err("no such file".to_owned()),
    };
    let (file, problems) = LaunchFile::parse_with("w.toml", &text, &read).expect("it has only warnings");
    let in_words = problems.into_iter().map(|problem| {
        assert_eq!((problem.severity, problem.line), (Severity::Warning, 5));
        format!("{} at {}", problem.message, &text[problem.range])
    });
    (file.launches[0].params.as_ref().expect("they are stated")[0].clone(), in_words.collect())
}

#[test]
fn contents_of_memory_are_read_from_files() {
    let mut array = b"\x93NUMPY\x01\x00\x3a\x00".to_vec();
    array.extend(b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n");
    array.extend([7; 24]);
    let files: &[(&str, &[u8])] = &[("k.bin", &[1; 12]), ("a.npy", &array), ("text.npy", b"1, 2, 3")];
    let held = |at: usize, elements| {
        ParamValue::Holding(Contents::Stored { file: DataFile::new(files[at].1.to_vec()), elements })
    };
    assert_eq!(stored("{ file = \"k.bin\" }", files), (held(0, 0..12), vec![]));
    assert_eq!(stored("{ file = \"k.bin\", type = \"u16\" }", files), (held(0, 0..12), vec![]));
    assert_eq!(stored("{ file = \"a.npy\" }", files), (held(1, 68..92), vec![]));
    let (value, problems) = stored("{ file = \"a.npy\", type = \"s64\" }", files);
    assert_eq!(value, held(1, 68..92));
    assert_eq!(problems, ["`type` has no effect: a .npy file states the type of its elements at \"s64\""]);
    for (holds, message) in [
        ("{ file = \"b.npy\" }", "b.npy: no such file"),
        (
            "{ file = \"k.bin\", type = \"f64\" }",
            "k.bin: expected elements of 8 bytes each, not 12 bytes in all",
        ),
        ("{ file = \"text.npy\" }", "text.npy: expected NumPy's format, which begins with \\x93NUMPY"),
    ] {
        let name = message.split(':').next().unwrap();
        let message = format!("`file`: {message}; the contents count as unknown at \"{name}\"");
        assert_eq!(stored(holds, files), (ParamValue::Pointer, vec![message]));
    }
    // Without a reader of files, the contents are unknown and there is no message.
    assert_eq!(only_param("f", "{ holds = { file = \"b.npy\" } }"), Ok(ParamValue::Pointer));
}

/// Reads a launch with a tensor map, and returns the map or the message.
fn tensor_map(map: &str) -> Result<StatedTensor, String> {
    match only_param("_Z4gemm14CUtensorMap_st", &format!("{{ tensor_map = {map} }}"))? {
        ParamValue::Tensor(tensor) => Ok(tensor),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tensor_map_is_stated_as_for_the_driver() {
    let tensor = tensor_map("{ type = \"f16\", shape = [100, 50], box = [64, 8] }").unwrap();
    assert_eq!((tensor.element_bytes, tensor.dimensions), (2, 2));
    assert_eq!((tensor.shape[..2].to_vec(), tensor.tile[..2].to_vec()), (vec![100, 50], vec![64, 8]));
    assert_eq!(tensor.strides[0], 208, "rows start at multiples of 16 bytes");
    let map = "{ type = \"u8\", shape = [64, 8, 2], strides = [128, 1024], box = [64, 8, 1], swizzle = 64 }";
    let tensor = tensor_map(map).unwrap();
    assert_eq!(tensor.strides[..2], [128, 1024]);
    assert_eq!(written(&tensor), format!("{{ tensor_map = {map} }}"));
    let row = tensor_map("{ type = \"f32\", shape = [8], box = [8] }").unwrap();
    assert_eq!(written(&row), "{ tensor_map = { type = \"f32\", shape = [8], box = [8], swizzle = 0 } }");
    for (map, part) in [
        ("{ type = \"f17\", shape = [8], box = [8] }", "\"f16\""),
        ("{ type = \"f16\", shape = [8] }", "a tensor map needs `type`, `shape` and `box`"),
        ("{ type = \"f16\", shape = [8, 8], box = [8] }", "the same number of sizes"),
        ("{ type = \"f16\", shape = [8, 8], box = [8, 512] }", "numbers from 1 to 256"),
        ("{ type = \"f16\", shape = [8, 8], strides = [16, 16], box = [8, 8] }", "expected 1 numbers"),
        ("{ type = \"f16\", shape = [8], box = [8], swizle = 128 }", "did you mean `swizzle`?"),
        ("3", "expected a table"),
    ] {
        let message = tensor_map(map).unwrap_err();
        assert!(message.contains(part) && !message.contains('\n'), "{map}: {message}");
    }
}

#[test]
fn a_wrong_launch_says_what_was_expected() {
    for (line, part) in [
        ("hit_rate = { l2 = 2.0 }", "`l2`: expected a share, 0.0 to 1.0, not 2.0"),
        ("hit_rate = { l3 = 0.5 }", "unknown key `l3` in hit_rate; did you mean `l1`?"),
        ("params = [\"ptr\", 1]", "`params` has 2 values; `_Z1kPfic` takes 3: (float*, int, char)"),
        ("params = [\"ptr\", 1, 2, 3]", "has 4 values"),
        (
            "params = [1, 1, 1]",
            "`params`: parameter 1 has type `float*`: expected \"ptr\", 0 or \"?\", not 1",
        ),
        (
            "params = [\"ptr\", \"ptr\", 1]",
            "parameter 2 has type `int`: expected an integer of 4 bytes or \"?\", not \"ptr\"",
        ),
        ("params = [\"ptr\", 1.5, 1]", "an integer of 4 bytes or \"?\", not 1.5"),
        ("params = [\"ptr\", 1, 256]", "parameter 3 has type `char`: expected an integer of 1 bytes"),
        (
            "params = [\"ptr\", \"many\", 1]",
            "expected \"ptr\", \"?\", a number, a boolean, { holds = { … } } or { tensor_map = { … } }, not \"many\"",
        ),
        ("params = \"ptr\"", "a list such as"),
        ("const = { \"0x3\" = 1 }", "a multiple of 4"),
        ("const = { \"0x10000\" = 1 }", "not `0x10000`"),
        ("const = { first = 1 }", "not `first`"),
        ("const = { \"0x8\" = [1] }", "not [1]"),
        ("const = { \"0x8\" = 99999999999999999999 }", "64 bits"),
        ("trips = { \"0x40\" = -1 }", "`trips.0x40`: expected a loop count, 0 to 1099511627776, not -1"),
        ("trips = { \"0x40\" = 1099511627777 }", "not 1099511627777"),
        ("registers = 1.5", "`registers`: expected 1 to 255 registers, not 1.5"),
        ("registers = 0", "1 to 255 registers, not 0"),
        ("registers = 256", "1 to 255 registers, not 256"),
        ("registers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]", "not a list"),
        ("dynamic_shared = 5000000000", "a number of bytes, not 5000000000"),
        (
            "convolution = { n = 1, c = 0, h = 1, w = 1, k = 1, r = 1, s = 1 }",
            "`c`: expected a number from 1 to 1048576, not 0",
        ),
        ("convolution = { n = 1, c = 3, w = 1, k = 1, r = 1 }", "missing: h, s"),
        (
            "convolution = { n = 1, c = 3, h = 1, w = 1, k = 1, r = 1, s = 1, x = 3 }",
            "unknown key `x` in convolution; known: n, c",
        ),
        ("grid_dim = [1]", "unknown key `grid_dim` in [[launch]]; did you mean `grid`?"),
    ] {
        let message = LaunchFile::parse("w.toml", &format!("{LAUNCH}{line}\n")).unwrap_err().to_string();
        assert!(message.starts_with("w.toml:5: ") && message.contains(part), "{line}: {message}");
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_its_place() {
    let text =
        "gpu = 3\nrules = 1\n[[launch]]\nfunction = \"f\"\ngrid = [0]\nblock = 2\n[[launch]]\nname = \"x\"\n";
    let (file, problems) = LaunchFile::read(text);
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [1, 2, 5, 6, 7, 7, 7], "{problems:?}");
    assert_eq!(&text[problems[2].range.clone()], "[0]");
    assert!(file.launches.is_empty(), "a launch with anything wrong in it is left out");
    // A text that does not parse as TOML does not hide the problems of the rest.
    let (_, problems) = LaunchFile::read("gpu = \nlistings = 4\n");
    assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [1, 2], "{problems:?}");
    let (_, problems) = LaunchFile::read("gpu = \n");
    assert_eq!(problems.len(), 1, "{problems:?}");
    let (_, problems) = LaunchFile::read_for("\ngpu = \"h100-smx\"\n", Some(&Machine::builtin()), NO_FILES);
    assert_eq!((problems.len(), problems[0].line), (1, 2));
    assert!(problems[0].message.ends_with("did you mean `h100-sxm`?"), "{problems:?}");
    let (_, problems) = LaunchFile::read_for("gpu = \"voodoo\"\n", Some(&Machine::builtin()), NO_FILES);
    assert!(problems[0].message.len() < 120, "{problems:?}");
}

#[test]
fn a_launch_is_one_that_a_gpu_takes() {
    for (line, part) in [
        ("block = [1025]", "`block`: expected at most 1024 along x, not 1025"),
        ("block = [1, 1, 65]", "`block`: expected at most 64 along z, not 65"),
        ("block = [64, 32]", "`block`: expected at most 1024 threads, not 64 x 32 x 1 = 2048"),
        ("block = [2147483647]", "at most 1024 along x, not 2147483647"),
        ("grid = [2147483648]", "`grid`: expected at most 2147483647 along x, not 2147483648"),
        ("grid = [1, 65536]", "`grid`: expected at most 65535 along y, not 65536"),
        ("grid = [1, 1, 99999999999999999999]", "at most 65535 along z, not 99999999999999999999"),
        ("grid = [1, 1, 1, 1]", "`grid`: expected one to three positive numbers"),
        ("grid = [-1]", "`grid`: expected one to three positive numbers, such as [16, 16, 1], not [-1]"),
        ("grid = []", "one to three positive numbers"),
        ("grid = [1.5]", "one to three positive numbers"),
    ] {
        let other =
            if line.starts_with("grid") { "block = [1024]" } else { "grid = [2147483647, 65535, 65535]" };
        let text = format!("[[launch]]\nfunction = \"k\"\n{other}\n{line}\n");
        let (file, problems) = LaunchFile::read(&text);
        assert!(file.launches.is_empty(), "{line}");
        assert!(problems.len() == 1 && problems[0].message.contains(part), "{line}: {problems:?}");
        assert_eq!(problems[0].line, 4);
    }
    for right in ["[1024]", "[32, 32]", "[4, 4, 64]", "[1, 1024, 1]"] {
        let text =
            format!("[[launch]]\nfunction = \"k\"\ngrid = [2147483647, 65535, 65535]\nblock = {right}\n");
        assert_eq!(LaunchFile::read(&text).1, [], "{right}");
    }
}

#[test]
fn valid_entries_count_despite_invalid_ones() {
    let text = format!(
        "{LAUNCH}[[launch]]\nfunction = \"g\"\ngrid = [0]\nblock = [1]\n[rules]\nbank-conflct = \"off\"\n\
         dead-write = \"loud\"\nunknown-opcode = \"hint\"\n[limits]\nsectors = 0\nwavefronts = 2\n"
    );
    let (file, problems) = LaunchFile::read(&text);
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(problems.iter().all(|problem| !problem.breaks_file));
    assert_eq!(file.launches.iter().map(|launch| &*launch.function).collect::<Vec<_>>(), ["_Z1kPfic"]);
    assert_eq!(file.rules, [("unknown-opcode".to_owned(), RuleLevel::Hint)].into());
    assert_eq!(file.limits, StatedLimits { wavefronts: Some(2.0), sectors: None });
    // A key with an invalid value keeps its earlier value; an invalid launch does not keep its earlier state.
    let earlier =
        "gpu = \"t4\"\n[rules]\ndead-write = \"off\"\nbank-conflict = \"off\"\n[limits]\nsectors = 4\n";
    let (earlier, _) = LaunchFile::read(earlier);
    let (file, problems) = LaunchFile::read(&format!("gpu = 3\n{text}"));
    let file = file.or_earlier(&earlier, &problems);
    assert_eq!((file.gpu.as_deref(), file.limits.sectors, file.rules.len()), (Some("t4"), Some(4.0), 2));
    assert_eq!((file.rules["dead-write"], file.launches.len()), (RuleLevel::Off, 1));
    // A text that is not TOML is marked as breaking the file.
    assert!(LaunchFile::read("gpu = \n").1[0].breaks_file);
    let deep = format!("a = {}\n", "[".repeat(10_000));
    let (_, problems) = LaunchFile::read(&deep);
    assert!(problems[0].breaks_file && !problems[0].message.contains("recurs"), "{problems:?}");
}

/// Returns the line of each problem, and the suggested replacement.
fn suggested(text: &str) -> Vec<(usize, Option<String>)> {
    let problems = LaunchFile::read_for(text, Some(&Machine::builtin()), NO_FILES).1;
    problems.into_iter().map(|one| (one.line, one.suggestion.map(|own| own.text))).collect()
}

#[test]
fn what_was_meant_is_suggested() {
    for (text, expected) in [
        ("listing = []\n", "listings"),
        ("gpu = \"H100-smx\"\n", "\"h100-sxm\""),
        ("gpu = t4\n", "\"t4\""),
        ("[compile]\ncompiler = \"clan\"\n", "\"clang\""),
        ("[rules]\nbank-conflct = \"off\"\n", "bank-conflict"),
        ("[rules]\nbank-conflict = \"of\"\n", "\"off\""),
        ("[limits]\nsectors = 0.5\n", "1.0"),
        ("listings = \"a.sass\"\n", "[\"a.sass\"]"),
        ("[profile.thresholds]\nlow_warp = 1\n", "low_warps"),
    ] {
        let [(_, Some(found))] = &suggested(text)[..] else { panic!("{text}: {:?}", suggested(text)) };
        assert_eq!(found, expected, "{text}");
    }
    for (line, expected) in [
        ("registers = 300", "255"),
        ("registers = 0", "1"),
        ("hit_rate = { l2 = 2 }", "1.0"),
        ("hit_rate = { l2 = -1 }", "0.0"),
        ("args = []", "params"),
        ("dynamic_share = 8", "dynamic_shared"),
        ("trips = { a = -1 }", "0"),
    ] {
        let found = suggested(&format!("{LAUNCH}{line}\n"));
        assert_eq!(found, [(5, Some(expected.to_owned()))], "{line}");
    }
    assert_eq!(suggested("[run]\ntimeout = 0\n"), [(2, None)]);
    assert_eq!(suggested("[run]\ntimeout = 1e18\n"), [(2, Some("604800.0".to_owned()))]);
    for program in ["--export", "-f", ""] {
        let text = format!("[run]\ncommand = [\"{program}\", \"x\"]\n");
        let (file, problems) = LaunchFile::read(&text);
        assert!(file.run.command.is_empty() && problems[0].message.contains("a dash"), "{problems:?}");
    }
    assert_eq!(suggested("wrong = 0\n"), [(1, None)]);
}

#[test]
fn a_text_with_a_part_that_is_no_toml_counts_without_that_part() {
    let text = format!(
        "gpu = \"t4\"\nlistings = [\n  \"a.sass\",\n[rules]\ndead-write = off\nunknown-opcode = \"hint\"\n\
         {LAUNCH}[[launch]]\nfunction = \"g\"\ngrid = [1\nblock = [32]\n[launch.hit_rate]\nl1 = 0.5\n\
         [limits\nsectors = 2\n[run]\ncommand = [\"make\"]\n"
    );
    let (file, problems) = LaunchFile::read(&text);
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.is_syntax && !problem.breaks_file), "{problems:?}");
    assert_eq!(file.gpu.as_deref(), Some("t4"));
    assert_eq!(file.rules, [("unknown-opcode".to_owned(), RuleLevel::Hint)].into());
    assert_eq!(file.launches.iter().map(|launch| &*launch.function).collect::<Vec<_>>(), ["_Z1kPfic"]);
    assert_eq!(file.refused.iter().map(|launch| &*launch.function).collect::<Vec<_>>(), ["g"]);
    assert_eq!((file.limits.sectors, file.run.command.len()), (None, 1));
    // Statements that do not parse keep their earlier value.
    let earlier = "listings = [\"b.sass\"]\n[rules]\ndead-write = \"off\"\n[limits]\nsectors = 4\n";
    let file = file.or_earlier(&LaunchFile::read(earlier).0, &problems);
    assert_eq!((file.listings.len(), file.rules.len(), file.limits.sectors), (1, 2, Some(4.0)));
}

#[test]
fn a_duplicate_key_removes_only_its_launch() {
    let (file, problems) = LaunchFile::read(&format!(
        "{LAUNCH}[[launch]]\nfunction = \"g\"\ngrid = [1]\ngrid = [2]\nblock = [1]\n[rules]\n[rules]\n\
         dead-write = \"off\"\n"
    ));
    assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [8, 11], "{problems:?}");
    assert_eq!((file.launches.len(), file.refused.len(), file.rules.len()), (1, 1, 0));
}

#[test]
fn a_launch_that_is_left_out_names_its_kernel_where_that_can_be_read() {
    for (text, expected) in [
        ("function = \"k\"\ngrid = [0]\nblock = [1]", Some((3, "`grid`"))),
        ("kernel = \"k\"\ngrid = [1]\nblock = [1]", Some((2, "unknown key `kernel`"))),
        ("grid = [1\nfunction = \"k\"\nblock = [1]", Some((2, ""))),
        ("grid = [0]\nblock = [1]", None),
    ] {
        let file = LaunchFile::read(&format!("[[launch]]\n{text}\n")).0;
        assert!(file.launches.is_empty());
        let refused = file.refused_of("k");
        assert_eq!(refused.is_some(), expected.is_some(), "{text}");
        if let (Some(launch), Some((line, why))) = (refused, expected) {
            // The parser may report an error at the end of a line at the start of the next one.
            assert!((line..=line + 1).contains(&launch.line), "{launch:?}");
            assert!(launch.why.starts_with(why), "{launch:?}");
        }
    }
    let text = "[launch]\nfunction = \"k\"\ngrid = [1]\nblock = [1]\n";
    assert!(LaunchFile::read(text).0.refused_of("k").is_some());
    assert_eq!(suggested(text), [(1, Some("[[launch]]".to_owned()))]);
}

/// Files of almost the largest size that is read, each filled with one kind of statement.
#[test]
#[expect(clippy::disallowed_methods, reason = "it is a matter of time")]
fn a_hostile_file_is_read_in_bounded_time_and_space() {
    const SIZE: usize = 1 << 20;
    let start = std::time::Instant::now();
    let many = |line: &str| line.repeat(SIZE / line.len());
    let numbered = |line: fn(usize) -> String| {
        let mut text = String::with_capacity(SIZE);
        for number in 0.. {
            text.push_str(&line(number));
            if text.len() > SIZE {
                break;
            }
        }
        text
    };
    let launches = many("[[launch]]\nfunction=\"k\"\ngrid=[1]\nblock=[1]\n");
    let (file, problems) = LaunchFile::read(&launches);
    assert_eq!((file.launches.len(), problems.len()), (MAX_LAUNCHES, 1), "{problems:?}");
    let patterns = format!("listings = [{}]\n", many("\"*\","));
    let (file, problems) = LaunchFile::read(&patterns);
    assert_eq!((file.listings.len(), problems.len()), (MAX_PATTERNS, 1));
    let within = |inner: String| format!("{LAUNCH}{inner}\n");
    for (name, text) in [
        ("launches with errors", many("[[launch]]\n")),
        ("unknown keys", numbered(|n| format!("k{n}=1\n"))),
        ("unknown rules", format!("[rules]\n{}", numbered(|n| format!("k{n}=1\n")))),
        ("broken lines", many("= \n")),
        ("long key", format!("{}=1\n", "k".repeat(SIZE))),
        ("long rule", format!("[rules]\n{}=1\n", "k".repeat(SIZE))),
        ("long pattern", format!("listings=[\"{}\"]\n", "{a,".repeat(SIZE / 3))),
        ("params", within(format!("params=[{}]", many("1,")))),
        ("trips", within(format!("trips={{{}}}", numbered(|n| format!("a{n}=1,"))))),
        ("const", within(format!("const={{{}}}", numbered(|n| format!("{n}=1,"))))),
        ("grid", within(format!("registers=[{}]", many("1,")))),
        (
            "function",
            format!("[[launch]]\nfunction=\"_Z{}\"\ngrid=[1]\nblock=[1]\nparams=[1]\n", many("N1k")),
        ),
        ("comment", format!("#{}", "x".repeat(SIZE))),
        ("nested", format!("a={}\n", "{a=".repeat(SIZE / 3))),
        ("open lists", many("a = [\n")),
        ("open quotes", many("a = \"\"\"\n'''\n")),
        ("launches that are no TOML", many("[[launch]]\nfunction=\"k\"\ngrid=[\n")),
        ("headers that are no TOML", many("[a\n")),
        ("duplicate tables", many("[rules]\n")),
    ] {
        let before = start.elapsed();
        let (_, problems) = LaunchFile::read_for(&text, Some(&Machine::builtin()), NO_FILES);
        let took = start.elapsed().checked_sub(before).unwrap();
        assert!(
            problems.len() <= 100 && problems.iter().all(|problem| problem.message.len() < 1000),
            "{name}"
        );
        assert!(took.as_secs() < 20, "{name} took {took:?}");
        eprintln!("{name}: {took:?}, {} problems", problems.len());
    }
}

#[test]
fn a_place_that_is_not_known_is_said_once() {
    let warnings = |function: &str, params: &str| {
        let text =
            format!("[[launch]]\nfunction = \"{function}\"\ngrid = [1]\nblock = [1]\nparams = {params}\n");
        LaunchFile::parse("w.toml", &text).expect("a warning is no error");
        let problems = LaunchFile::read(&text).1;
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
    };
    let of_struct = warnings("_Z1ki1PPf", "[1, \"?\", \"ptr\"]");
    assert!(of_struct.len() == 1 && of_struct[0].contains("`P`, has an unknown size"), "{of_struct:?}");
    assert_eq!(warnings("f", "[1, \"?\", \"ptr\"]").len(), 1);
    for (function, params) in [
        ("_Z1kiPf1P", "[1, \"ptr\", \"?\"]"),
        ("_Z1ki1PPf", "[1, 4, \"ptr\"]"),
        ("_Z1ki1PPf", "[1, \"?\", \"?\"]"),
        ("f", "[\"ptr\", 1.0, \"?\"]"),
    ] {
        assert_eq!(warnings(function, params), [""; 0], "{function} {params}");
    }
}

/// Generates texts that resemble a launches file, and texts that do not.
fn texts() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("\"ptr\"".to_owned()),
        Just("\"?\"".to_owned()),
        Just("\"_Z1kPfi6float21Pd\"".to_owned()),
        Just("[\"ptr\", 1, \"?\", 2.5, -1]".to_owned()),
        Just("{ \"0x2a0\" = 1, l1 = 0.5, label = 99999999999999999999999 }".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| number.to_string()),
        "[\\PC\n]{0,8}",
    ];
    let keys: Vec<&str> = KEYS
        .into_iter()
        .chain(LIMITS)
        .chain(PROFILE)
        .chain(RUN)
        .chain(entry::KEYS)
        .chain(entry::HIT_RATES)
        .chain(entry::LAYER)
        .collect();
    let line = prop_oneof![
        8 => (prop::sample::select(keys), value).prop_map(|(key, value)| format!("{key} = {value}\n")),
        2 => Just("[[launch]]\n".to_owned()),
        1 => Just("[limits]\n".to_owned()),
        1 => Just("[profile]\n".to_owned()),
        1 => Just("[run]\n".to_owned()),
        1 => Just("[rules]\n".to_owned()),
        1 => Just("grid = [\n".to_owned()),
        1 => Just("[launch\n".to_owned()),
        1 => Just("a = \"\"\"\n".to_owned()),
        1 => "\\PC{0,12}\n",
    ];
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn any_text_gives_a_value_or_one_line(text in texts()) {
        let (file, problems) = LaunchFile::read_for(&text, Some(&Machine::builtin()), NO_FILES);
        for problem in &problems {
            prop_assert!(!problem.message.contains(['\n', '\r']) && !problem.message.is_empty());
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            prop_assert!((1..=lines).contains(&problem.line));
            prop_assert!(text.get(problem.range.clone()).is_some(), "{:?} in {text:?}", problem.range);
        }
        match LaunchFile::parse("w.toml", &text) {
            // Without a machine to check against, a GPU may have any name.
            Ok(read) => prop_assert!(read == file || !problems.is_empty(), "{:?}", problems),
            Err(error) => prop_assert!(error.to_string().starts_with("w.toml:")),
        }
    }
}

#[test]
fn the_compiler_of_units_is_one_of_two() {
    let text = "[compile]\ncompiler = \"clang\"\narguments = [\"-Iinclude\"]\n";
    let (file, problems) = LaunchFile::read(text);
    assert_eq!((file.compile.compiler, problems.len()), (Some(StatedCompiler::Clang), 0));
    let (file, problems) = LaunchFile::read("[compile]\ncompiler = \"gcc\"\n");
    assert_eq!((file.compile.compiler, problems.len()), (None, 1));
    assert!(problems[0].message.contains("\"nvcc\" or \"clang\""), "{}", problems[0].message);
}
