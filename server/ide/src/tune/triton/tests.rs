//! Tests on small Triton kernels: lenses, rankings, and reduced lists of configurations.

use crate::{Cancel, Config, Host, Language, LaunchFile, TextEdit, TuningOutcome};

const TOML: &str = r#"
gpu = "h100-sxm"
[tune.matmul]
shapes = [{ M = 4096, N = 4096, K = 4096 }, { M = 2560, N = 16, K = 2560 }]
problem = { kind = "gemm", m = "M", n = "N", k = "K", element = "f16" }
"#;

const LIST: &str = "[
    triton.Config({'BLOCK_M': 128, 'BLOCK_N': 256, 'BLOCK_K': 64}, num_warps=8, num_stages=3),
    # For small shapes.
    triton.Config({'BLOCK_M': 64, 'BLOCK_N': 16, 'BLOCK_K': 64}, num_warps=4, num_stages=4),
    triton.Config({'BLOCK_M': 32, 'BLOCK_N': 32, 'BLOCK_K': 32}, num_warps=2),
    triton.Config({'BLOCK_M': 256, 'BLOCK_N': 256, 'BLOCK_K': 128}, num_warps=8, num_stages=4),
    triton.Config({'BLOCK_M': size(), 'BLOCK_N': 16, 'BLOCK_K': 64}),
]";

fn text(list: &str) -> String {
    format!(
        "import triton\nimport triton.language as tl\n
@triton.autotune(configs={list}, key=['M', 'N', 'K'])
@triton.jit
def matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    acc = tl.dot(a, b)
"
    )
}

fn host(text: &str, toml: &str) -> Host {
    let mut host = Host::default();
    host.set_launches(Some(LaunchFile::parse("warplens.toml", toml).expect("it is valid")))
        .expect("the GPU is known");
    host.open_as("k.py", 1, Language::detect("python", "", ""), text);
    host
}

/// Titles of the lenses of a text.
fn titles(text: &str, toml: &str) -> Vec<String> {
    let analysis = host(text, toml).snapshot("k.py", Cancel::default()).expect("it is open");
    let all = analysis.tuned_kernels().expect("nothing cancels it");
    all.into_iter().map(|own| own.title).collect()
}

fn ranked(text: &str, toml: &str, shape: usize) -> TuningOutcome {
    let analysis = host(text, toml).snapshot("k.py", Cancel::default()).expect("it is open");
    let own = analysis.tuned_kernels().expect("nothing cancels it").swap_remove(shape);
    let ranked = analysis.rank_configurations(&own.kernel, &own.shape).expect("it is Python");
    ranked.expect("nothing cancels it").expect("it can be ranked")
}

#[test]
fn a_kernel_has_a_line_for_each_shape() {
    assert_eq!(
        titles(&text(LIST), TOML),
        [
            "Tune `matmul` for M=4096 N=4096 K=4096: ranks 5 configurations",
            "Tune `matmul` for M=2560 N=16 K=2560: ranks 5 configurations",
        ]
    );
    // No lens without the word `triton`, nor for a kernel of another name.
    assert!(titles(&text(LIST).replace("triton", "numba"), TOML).is_empty());
    assert!(titles(&text(LIST).replace("def matmul", "def other"), TOML).is_empty());
    let mut host = host(&text(LIST), TOML);
    host.configure(Config { code_lens: false, ..Config::default() }).expect("no GPU is named");
    let analysis = host.snapshot("k.py", Cancel::default()).expect("it is open");
    assert!(analysis.tuned_kernels().expect("nothing cancels it").is_empty());
    // Python gets no other answers.
    assert!(analysis.syntax_diagnostics().expect("nothing cancels it").is_empty());
    assert!(analysis.lenses().expect("nothing cancels it").is_empty());
}

#[test]
fn the_order_is_that_of_the_estimates_and_what_cannot_run_is_last() {
    let large = ranked(&text(LIST), TOML, 0);
    let small = ranked(&text(LIST), TOML, 1);
    let first = |outcome: &TuningOutcome| outcome.rows[0].variant.clone();
    assert_eq!(first(&large), "BLOCK_M = 128, BLOCK_N = 256, BLOCK_K = 64, num_warps = 8, num_stages = 3");
    assert_ne!(first(&small), first(&large));
    let problems: Vec<&str> = large.rows.iter().filter_map(|row| row.problem.as_deref()).collect();
    assert_eq!(
        problems,
        [
            "unknown: BLOCK_M is `size()`",
            "cannot run: the tiles need 524288 bytes of shared memory; the limit is 232448",
        ]
    );
    let title = large.title();
    assert!(title.contains("estimated best") && title.contains("on H100 SXM5 80 GB"), "{title}");
    assert!(title.ends_with("not compiled, not run"), "{title}");
    let table = large.table();
    assert!(table.contains("limited by") && table.contains("SMs") && table.contains("wgmma"), "{table}");
}

#[test]
fn what_nothing_is_known_of_says_why() {
    let own = |toml: &str, list: &str| titles(&text(list), toml);
    let without = TOML.replace("problem = ", "grid = [\"M\"]\nproblem = ");
    assert_eq!(own(&without, LIST).len(), 2);
    for (toml, list, why) in [
        (TOML, "get()", "the source does not determine the configurations of `get()`"),
        (TOML, "[]", "its list of configurations is empty"),
    ] {
        assert_eq!(own(toml, list), [format!("`matmul` cannot be ranked: {why}")]);
    }
    let cuda = "[tune.matmul]\nshapes = [{ M = 1 }]\ngrid = [1]\nblock = [1]\nparameters = { T = [1] }\n";
    assert_eq!(
        own(cuda, LIST),
        ["`matmul` cannot be ranked: `[tune.matmul]` has a `block`, but Triton sets the block size"]
    );
    let other = text(LIST).replace("BLOCK_K", "DEPTH");
    let why = "`matmul` cannot be ranked: no parameter is known to be the depth of a tile along K; name one in \
               `[tune.matmul.parameters]`, such as NAME = { as = \"depth\" }";
    assert_eq!(titles(&other, TOML), [why]);
    for word in ["depth", "block_k"] {
        let stated = format!("{TOML}\n[tune.matmul.parameters]\nDEPTH = {{ as = \"{word}\" }}\n");
        assert_eq!(titles(&other, &stated).len(), 2);
        assert!(ranked(&other, &stated, 0).best().is_some());
    }
}

#[test]
fn values_may_stand_in_the_file() {
    let plain = text(LIST);
    let start = plain.find("@triton.autotune").expect("it is there");
    let end = plain.find("@triton.jit").expect("it is there");
    let untuned = format!("{}{}", &plain[..start], &plain[end..]);
    assert_eq!(
        titles(&untuned, TOML),
        [
            "`matmul` cannot be ranked: `matmul` has no `triton.autotune`; state `values` in `[tune.matmul.parameters]`"
        ]
    );
    let stated = format!(
        "{TOML}where = [\"BLOCK_M >= BLOCK_N\"]\n[tune.matmul.parameters]\nBLOCK_M = [64, 128]\nBLOCK_N = [64, 128]\nBLOCK_K = [32]\nnum_warps = [4, 8]\n"
    );
    let own = ranked(&untuned, &stated, 0);
    assert_eq!(own.rows.len(), 6);
    assert!(own.title().contains("configurations from `warplens.toml`"), "{}", own.title());
}

#[test]
fn without_a_problem_the_grid_alone_ranks() {
    let toml = "gpu = \"a100\"\n[tune.add]\nshapes = [{ n = 100000 }]\ngrid = [\"ceil(n / BLOCK)\"]\n[tune.add.parameters]\nBLOCK = {}\n";
    let text = "import triton\nimport triton.language as tl
@triton.autotune([triton.Config({'BLOCK': b}) for b in [1024, 65536]], key=['n'])
@triton.jit
def add(x, n, BLOCK: tl.constexpr):\n    pass\n";
    let own = ranked(text, toml, 0);
    assert!(own.best().is_none() && own.rows[0].variant.starts_with("BLOCK = 1024"), "{}", own.table());
    assert!(own.title().contains("no configuration has a known time"), "{}", own.title());
    assert!(
        own.rows[0].problem.as_deref().is_some_and(|why| why.starts_with("time unknown without `problem`"))
    );
    let nothing = toml.replace("grid = [\"ceil(n / BLOCK)\"]\n", "");
    assert_eq!(
        titles(text, &nothing),
        ["`add` cannot be ranked: `[tune.add]` states neither `problem` nor `grid`"]
    );
}

#[test]
fn a_list_is_cut_to_what_is_worth_trying() {
    let edited = |list: &str| -> Vec<(String, String)> {
        let text = text(list);
        let analysis = host(&text, TOML).snapshot("k.py", Cancel::default()).expect("it is open");
        let kept = analysis.kept_configurations("matmul").expect("nothing cancels it");
        kept.into_iter().map(|kept| (kept.title, TextEdit::apply(&kept.edits, &text))).collect()
    };
    let own = edited(LIST);
    let titles: Vec<&str> = own.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Keep the 4 configurations (of 5) estimated to be fastest for the 2 shapes of warplens.toml on H100 SXM5 80 GB (not run)"
        ]
    );
    let line =
        "    triton.Config({'BLOCK_M': 256, 'BLOCK_N': 256, 'BLOCK_K': 128}, num_warps=8, num_stages=4),\n";
    assert_eq!(own[0].1, text(&LIST.replace(line, "")));
    let crlf = edited(&LIST.replace('\n', "\r\n"));
    assert_eq!(crlf[0].1, text(&LIST.replace(line, "").replace('\n', "\r\n")));
    // A list on one line, with a comment before a comma.
    let one = "[triton.Config({'BLOCK_M': 256, 'BLOCK_N': 256, 'BLOCK_K': 128}), triton.Config({'BLOCK_M': 64, 'BLOCK_N': 64, 'BLOCK_K': 32}), triton.Config({'BLOCK_M': 256, 'BLOCK_N': 256, 'BLOCK_K': 256}) # large\n    , ]";
    assert_eq!(
        edited(one)[0].1,
        text("[triton.Config({'BLOCK_M': 64, 'BLOCK_N': 64, 'BLOCK_K': 32}), # large\n     ]")
    );
    // Nothing is offered for a list comprehension.
    assert!(
        edited(
            "[triton.Config({'BLOCK_M': m, 'BLOCK_N': 64, 'BLOCK_K': 32}) for m in [32, 64, 128, 256, 512]]"
        )
        .is_empty()
    );
}
