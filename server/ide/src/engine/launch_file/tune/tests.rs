//! Tests of the documented form of `[tune]`, and of each error that it can contain.

use super::*;
use crate::LaunchFile;
use proptest::prelude::*;

const TEXT: &str = r#"
[tune.sgemm]
shapes = [{ M = 2560, N = 16, K = 2560 }, { M = 512, N = 512, K = 512 }]
grid = ["ceil(M / TILE_M)", "ceil(N / TILE_N)"]
block = ["TILE_M * TILE_N / WORK"]
params = ["ptr", "ptr", "ptr", "M", "N", "K", "?", 1.5, true]
dynamic_shared = "4 * TILE_M * 8"
where = ["TILE_M >= TILE_N"]
[tune.sgemm.parameters]
TILE_M = { values = [32, 64, 128], as = "block_m" }
TILE_N = [16, 64]
WORK = [4, 16]
"#;

fn tuning() -> StatedTuning {
    let (file, problems) = LaunchFile::read(TEXT);
    assert_eq!(problems, []);
    file.tunings.into_iter().next().expect("the documented form is read")
}

#[test]
fn launches_follow_from_shapes_and_variants() {
    let tuning = tuning();
    assert_eq!(tuning.kernel, "sgemm");
    assert_eq!(tuning.parameters[0].known_as.as_deref(), Some("block_m"));
    assert_eq!(tuning.combinations(), 12);
    let shape = &tuning.shapes[0];
    assert_eq!(shape.to_string(), "M=2560 N=16 K=2560");
    let variant = Variant(vec![128, 16, 16]);
    let launch = tuning.launch(shape, &variant).expect("it is one");
    assert_eq!((launch.grid, launch.block, launch.dynamic_shared), ([20, 1, 1], [128, 1, 1], 4096));
    let params = launch.params.expect("they are stated");
    assert_eq!(params[3..6], [2560, 16, 2560].map(ParamValue::Integer));
    assert_eq!(params[6..], [ParamValue::Unknown, ParamValue::Float(1.5), ParamValue::Boolean(true)]);
    assert_eq!(tuning.in_words(&variant), "TILE_M = 128, TILE_N = 16, WORK = 16");
    // 32 x 64 violates the condition; 128 x 64 / 4 = 2048 threads are more than a block has.
    let all: Vec<Vec<i64>> = tuning.variants(shape).map(|variant| variant.0).collect();
    let mut expected = vec![
        vec![32, 16, 4],
        vec![32, 16, 16],
        vec![64, 16, 4],
        vec![64, 16, 16],
        vec![64, 64, 4],
        vec![64, 64, 16],
        vec![128, 16, 4],
        vec![128, 16, 16],
        vec![128, 64, 16],
    ];
    assert_eq!(all, expected);
    expected.retain(|values| tuning.launch(shape, &Variant(values.clone())).is_none());
    assert_eq!(expected, Vec::<Vec<i64>>::new());
}

/// Returns the messages about the documented text with `part` replaced by `other`, and whether the tuning is still
/// read.
fn with(part: &str, other: &str) -> (Vec<String>, bool) {
    assert!(TEXT.contains(part), "{part}");
    let text = TEXT.replacen(part, other, 1);
    let (file, problems) = LaunchFile::read(&text);
    let messages = problems.iter().map(|problem| {
        format!("{} @ {}", problem.message, text.get(problem.range.clone()).unwrap_or_default())
    });
    (messages.collect(), !file.tunings.is_empty())
}

#[test]
fn a_wrong_part_is_reported_at_its_position() {
    for (part, other, expected, is_kept) in [
        ("{ M = 2560, N", "{ M = 0, N", "`shapes.M`: expected a whole number of at least 1, not 0 @ 0", true),
        (
            "{ M = 512, N",
            "{ X = 512, N",
            "`shapes`: expected the same names as in the first shape: M, N, K @ {",
            true,
        ),
        (
            "[16, 64]",
            "[16, \"64\"]",
            "`parameters.TILE_N`: expected a whole number, not \"64\" @ \"64\"",
            true,
        ),
        (
            "[16, 64]",
            "[]",
            "`parameters.TILE_N`: expected a list of whole numbers such as [32, 64], not []",
            false,
        ),
        ("[16, 64]", "[16, 16]", "", true),
        ("\"block_m\"", "\"blockm\"", "`as`: expected \"thread_m\"", true),
        (
            "values",
            "value",
            "unknown key `value` in parameters.TILE_M; did you mean `values`? @ value",
            false,
        ),
        (
            "ceil(M / TILE_M)",
            "ceil(M / TILEM)",
            "`TILEM` is neither a size of the shapes nor a parameter; did you mean `TILE_M`? @ TILEM",
            false,
        ),
        ("ceil(M / TILE_M)", "ceil(M / TILE_M", "`grid`: expected `,` or `)`, not the end @ \"", false),
        (
            "ceil(M / TILE_M)",
            "round(M)",
            "`grid`: expected a function: ceil, floor, min or max, not `round` @ round",
            false,
        ),
        (
            "\"TILE_M >= TILE_N\"",
            "\"TILE_M = TILE_N\"",
            "`where`: expected a comparison: <=, <, >=, >, == or !=, not `=` @ =",
            false,
        ),
        ("block = [", "blok = [", "unknown key `blok` in [tune.sgemm]; did you mean `block`? @ blok", false),
        ("[tune.sgemm]", "[tune]", "expected the kernel's name in the header: `[tune.my_kernel]`", false),
        (
            "WORK = [4, 16]",
            "WORK = [4, 16]\nwhere = [\"WORK > 1\"]",
            "`where` belongs above `parameters`, in [tune.sgemm] @ where",
            true,
        ),
        (
            "dynamic_shared = \"4 * TILE_M * 8\"",
            "dynamic_shared = true",
            "`dynamic_shared`: expected a number of bytes or a formula, not true",
            false,
        ),
        ("grid = [", "grid = [1, 1, 1, ", "`grid`: expected one to three numbers or formulas", false),
    ] {
        let (messages, kept) = with(part, other);
        let is_reported = messages.iter().any(|message| message.starts_with(expected));
        assert!(is_reported || expected.is_empty() && messages.is_empty(), "{other}: {messages:?}");
        assert_eq!(kept, is_kept, "{other}: {messages:?}");
    }
}

/// Reads the documented text with a `problem` added: the messages, and the tuning if it is read.
fn with_problem(problem: &str) -> (Vec<String>, Option<StatedTuning>) {
    let text = TEXT.replacen("dynamic_shared", &format!("problem = {problem}\ndynamic_shared"), 1);
    let (file, problems) = LaunchFile::read(&text);
    let messages = problems.iter().map(|problem| {
        format!("{} @ {}", problem.message, text.get(problem.range.clone()).unwrap_or_default())
    });
    (messages.collect(), file.tunings.into_iter().next())
}

#[test]
fn a_problem_has_sizes_and_a_tiling() {
    let (messages, tuning) = with_problem(
        "{ kind = \"gemm\", m = \"N\", n = \"2 * M\", k = 64, element = \"f16\", layout = \"nt\", tiling = { thread_n = \"TILE_N / 4\" } }",
    );
    assert_eq!(messages, [""; 0]);
    let tuning = tuning.expect("it is right");
    let problem = tuning.problem.as_ref().expect("it is stated");
    assert_eq!((problem.kind, problem.element), (tuner::ProblemKind::Gemm, tuner::Element::F16));
    assert_eq!(problem.transposed, [false, true]);
    let shape = &tuning.shapes[1];
    let sizes = ["m", "n", "k", "c"].map(|name| problem.size(name, shape));
    assert_eq!(sizes, [Some(512), Some(1024), Some(64), None]);
    let known = tuning.tiling(shape, &Variant(vec![128, 16, 4]));
    assert_eq!(known, [("block_m".to_owned(), 128), ("thread_n".to_owned(), 4)]);
    let conv = "{ kind = \"conv\", n = 8, c = 3, h = \"M\", w = \"M\", k = \"N\", r = 3, s = 3, stride = 2, element = \"f32\" }";
    let (messages, tuning) = with_problem(conv);
    // `block_m` is no parameter of a convolution's kernel.
    assert!(
        messages.len() == 1 && messages[0].starts_with("`as`: expected \"thread_k\", \"thread_p\", "),
        "{messages:?}"
    );
    let problem = tuning.and_then(|tuning| tuning.problem).expect("it is stated");
    let sizes = ["h", "k", "pad", "stride", "m"].map(|name| problem.size(name, shape));
    assert_eq!(sizes, [Some(512), Some(512), Some(0), Some(2), None]);
}

#[test]
fn a_wrong_problem_is_reported_at_its_position() {
    const WHOLE: &str = "{ kind = \"gemm\", m = \"M\", n = \"N\", k = \"K\", element = \"f32\" }";
    assert_eq!(with_problem(WHOLE).0, [""; 0]);
    for (part, other, expected) in [
        (WHOLE, "\"gemm\"", "`problem`: expected a table, not \"gemm\" @ \"gemm\""),
        ("kind = \"gemm\", ", "", "`problem` of [tune.sgemm] needs `kind`, such as kind = \"gemm\" @ {"),
        (
            "\"gemm\"",
            "\"gem\"",
            "`kind`: expected \"gemm\" or \"conv\", not \"gem\"; did you mean \"gemm\"? @ \"gem\"",
        ),
        ("\"gemm\"", "1", "`kind`: expected a string in quotes, not 1 @ 1"),
        (
            "\"f32\"",
            "\"float\"",
            "`element`: expected \"f16\", \"f32\" or \"f64\", not \"float\" @ \"float\"",
        ),
        ("k = \"K\", ", "", "a problem of kind \"gemm\" in [tune.sgemm] needs k @ {"),
        (
            "element",
            "elemnt",
            "unknown key `elemnt` in a problem of kind \"gemm\"; did you mean `element`? @ elemnt",
        ),
        ("kind = \"gemm\"", "kind = \"gemm\", c = 3", "unknown key `c` in a problem of kind \"gemm\"; "),
        (
            "\"gemm\"",
            "\"gemm\", layout = \"row\"",
            "`layout`: expected \"nn\", \"nt\", \"tn\" or \"tt\", not \"row\"",
        ),
        ("\"K\"", "\"TILE_M\"", "`TILE_M` is not a size of the shapes; known: M, N, K @ TILE_M"),
        ("\"K\"", "\"K +\"", "`problem.k`: expected a whole number, a name or `(`, not the end"),
        ("\"K\"", "true", "`problem.k`: expected a whole number or a formula such as \"M\", not true @ true"),
        (
            "\"f32\"",
            "\"f32\", tiling = { block_m = 8 }",
            "`tiling.block_m`: `TILE_M` already corresponds to `block_m` @ 8",
        ),
        (
            "\"f32\"",
            "\"f32\", tiling = { block_p = 8 }",
            "unknown key `block_p` in problem.tiling; did you mean `block_",
        ),
        (
            "\"f32\"",
            "\"f32\", tiling = { depth = \"TILE\" }",
            "`TILE` is neither a size of the shapes nor a parameter; ",
        ),
    ] {
        assert!(WHOLE.contains(part), "{part}");
        let (messages, tuning) = with_problem(&WHOLE.replacen(part, other, 1));
        assert!(messages.len() == 1 && messages[0].starts_with(expected), "{other}: {messages:?}");
        assert_eq!(tuning, None, "{other}: a formula that is wrong leaves the tuning out");
    }
    let (messages, kept) = with("[16, 64]", "{ values = [16, 64], as = \"block_m\" }");
    assert_eq!(
        (messages, kept),
        (vec!["`as`: `TILE_M` already corresponds to `block_m` @ TILE_N".to_owned()], true)
    );
}

#[test]
fn what_is_missing_is_named_and_nothing_else_is_lost() {
    let (messages, kept) = with("block = [\"TILE_M * TILE_N / WORK\"]\n", "");
    assert_eq!(messages, ["[tune.sgemm] needs `block`, such as block = [256] @ sgemm"]);
    assert!(!kept);
    let text =
        format!("{TEXT}[tune.other]\nshapes = 3\n[[launch]]\nfunction = \"f\"\ngrid = [1]\nblock = [1]\n");
    let (file, problems) = LaunchFile::read(&text);
    assert_eq!((file.tunings.len(), file.launches.len(), problems.len()), (1, 1, 4));
    // No TOML in one line.
    let text = TEXT.replacen("WORK = [4, 16]", "WORK = [4, 16", 1);
    let (file, problems) = LaunchFile::read(&text);
    assert!(!problems.is_empty() && file.tunings.is_empty());
}

#[test]
fn too_many_combinations_are_refused() {
    let values: Vec<String> = (1..=60).map(|value| value.to_string()).collect();
    let list = format!("[{}]", values.join(", "));
    let (messages, kept) = with("[16, 64]\nWORK = [4, 16]", &format!("{list}\nWORK = {list}\nMORE = {list}"));
    let expected = "the parameters of [tune.sgemm] have 648000 combinations; the maximum is 65536 @ sgemm";
    assert_eq!(messages, [expected]);
    assert!(!kept);
}

/// A matrix multiplication with its optional keys, a layout and a tiling.
const PROBLEM: &str = "{ kind = \"gemm\", m = \"M\", n = \"N * 2\", k = 8, element = \"f32\", layout = \"nt\", \
                       tiling = { depth = \"WORK / 4\", block_n = \"TILE_N\" } }";

proptest! {
    #[test]
    fn any_edit_of_the_text_is_read(
        at in 0..TEXT.len() + PROBLEM.len(),
        end in 0..TEXT.len() + PROBLEM.len(),
        text in "[\\[\\]{}=\", A-Z0-9.]{0,6}",
    ) {
        let whole = TEXT.replacen("dynamic_shared", &format!("problem = {PROBLEM}\ndynamic_shared"), 1);
        let (start, end) = (at.min(end), at.max(end));
        let edited = format!("{}{text}{}", &whole[..start], &whole[end..]);
        let (file, _) = LaunchFile::read(&edited);
        for tuning in &file.tunings {
            for shape in &tuning.shapes {
                for variant in tuning.variants(shape).take(100) {
                    prop_assert!(tuning.launch(shape, &variant).is_some());
                    let known = tuning.tiling(shape, &variant);
                    let is_reported = |(name, _): &(String, i64)| tuner_parameters(None).contains(&name.as_str());
                    prop_assert!(known.iter().all(is_reported), "{known:?}");
                }
            }
        }
    }

    #[test]
    fn any_formula_is_read(text in "[-+*/%(),<>=! 0-9MNceilmax_é]{0,60}") {
        let names = |name: &str| (name == "M").then_some(i64::MAX);
        if let Ok(formula) = Formula::parse(&text) {
            let _ = formula.value(&names);
        }
        if let Ok(condition) = Condition::parse(&text) {
            let _ = condition.holds(&names);
        }
    }
}
