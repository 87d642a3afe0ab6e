//! Tests on small kernels: positions of parameter values, selection of variants, and wording of results.

use super::lens::invitation;
use crate::predict::PredictError;
use crate::{Cancel, Config, Host, Language, LaunchFile, TextEdit};
use crate::{RankedBy, TunedKernel, TuningError, TuningOutcome, TuningPlan};

const TOML: &str = r#"
gpu = "h100-sxm"
[tune.sgemm]
shapes = [{ M = 256, N = 64 }]
grid = ["ceil(M / TILE_M)", "ceil(N / TILE_N)"]
block = ["TILE_N"]
params = ["ptr", "ptr", "M", "N"]
[tune.sgemm.parameters]
TILE_M = { values = [1, 2, 4], as = "block_m" }
TILE_N = [32, 64]
"#;

/// Kernel body that reads `TILE_M` rows per block.
const BODY: &str = "(const float *a, float *b, int m, int n) {
    int column = blockIdx.y * TILE_N + threadIdx.x;
    for (int row = 0; row < TILE_M; ++row) {
        int at = (blockIdx.x * TILE_M + row) * n + column;
        b[at] = 2 * a[at];
    }
}
";

fn host(text: &str, toml: &str) -> Host {
    let mut host = Host::default();
    host.set_launches(Some(LaunchFile::parse("warplens.toml", toml).expect("it is valid")))
        .expect("the GPU is known");
    host.open_as("k.cu", 1, Language::Cuda, text);
    host
}

fn kernels(text: &str) -> Vec<TunedKernel> {
    let host = host(text, TOML);
    let analysis = host.snapshot("k.cu", Cancel::default()).expect("it is open");
    analysis.tuned_kernels().expect("nothing cancels it")
}

fn planned(text: &str, toml: &str, most: usize) -> Result<TuningPlan, TuningError> {
    let host = host(text, toml);
    let analysis = host.snapshot("k.cu", Cancel::default()).expect("it is open");
    let shape = host.snapshot("k.cu", Cancel::default()).expect("it is open").tuned_kernels();
    let shape = shape.expect("nothing cancels it").remove(0).shape;
    analysis.plan_tuning("sgemm", &shape, most).expect("nothing cancels it")
}

/// The error for a variant that ptxas rejects.
fn refused() -> PredictError {
    PredictError::NotCompiled("ptxas refuses it".to_owned())
}

/// The source of the variant with these parameter values.
fn variant(text: &str, values: &[i64]) -> String {
    let plan = planned(text, TOML, 64).expect("it can be tuned");
    let found = plan.variants.iter().find(|planned| planned.variant.0 == values).expect("it is among them");
    TextEdit::apply(&found.edits, text)
}

#[test]
fn values_are_written_where_they_stand() {
    for (head, expected) in [
        (
            "#define TILE_M 1\n#define TILE_N 32\n__global__ void sgemm",
            "#define TILE_M 4\n#define TILE_N 64\n__global__ void sgemm",
        ),
        (
            "#define TILE_M (1) // rows\n#  define TILE_N 0x20u /* columns */\n__global__ void sgemm",
            "#define TILE_M (4) // rows\n#  define TILE_N 64 /* columns */\n__global__ void sgemm",
        ),
        (
            "#ifndef TILE_M\n#define TILE_M 1\n#endif\nconstexpr int TILE_N = 32;\n__global__ void sgemm",
            "#ifndef TILE_M\n#define TILE_M 4\n#endif\nconstexpr int TILE_N = 64;\n__global__ void sgemm",
        ),
        (
            "static const int TILE_M = 1, other = 1;\nenum { TILE_N = 32 };\n__global__ void sgemm",
            "static const int TILE_M = 4, other = 1;\nenum { TILE_N = 64 };\n__global__ void sgemm",
        ),
        (
            "template <int TILE_M = 1, int TILE_N = 32>\n__global__ void sgemm",
            "template <int TILE_M = 4, int TILE_N = 64>\n__global__ void sgemm",
        ),
    ] {
        let (before, after) = (format!("{head}{BODY}"), format!("{expected}{BODY}"));
        assert_eq!(variant(&before, &[4, 64]), after, "{head}");
        let own = &kernels(&before)[0];
        assert_eq!(own.title, "Tune `sgemm` for M=256 N=64", "{head}");
        assert_eq!(&before[own.range.clone()], "sgemm");
        let written: Vec<&str> = own.places.iter().map(|place| &before[place.clone()]).collect();
        assert_eq!(written[..2], ["sgemm", "1"], "{head}");
    }
}

#[test]
fn arguments_of_templates_are_written_wherever_the_kernel_is_named() {
    let head = "template <typename T, int TILE_M, int TILE_N = 32>\n__global__ void sgemm";
    let host = "template __global__ void sgemm<float, 1, 32>(const float *, float *, int, int);
void run(float *a, float *b) {
    sgemm<float, 1, 32><<<256, 32>>>(a, b, 256, 64);
    cudaFuncSetAttribute(sgemm<float, 1, 32>, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
}
";
    let before = format!("{head}{BODY}{host}");
    assert_eq!(variant(&before, &[4, 64]), before.replace("<float, 1, 32>", "<float, 4, 64>"));
}

#[test]
fn what_cannot_be_written_is_reported_above_the_kernel() {
    let two = "void run(float *a) { sgemm<1><<<1, 1>>>(a, a, 1, 1); sgemm<2><<<1, 1>>>(a, a, 1, 1); }";
    for (head, tail, expected) in [
        (
            "#define TILE_N 32\n",
            "",
            "`TILE_M` is not a macro, constant or template parameter of `sgemm` in this file",
        ),
        (
            "#define TILE_M 1\nint f() { return 0; }\n#define TILE_M 2\n",
            "",
            "`TILE_M` is defined more than once",
        ),
        (
            "#define BASE 2\n#define TILE_M (BASE * 2)\n",
            "",
            "the value of `TILE_M` is not written as a number",
        ),
        ("#define TILE_M(x) x\n", "", "the value of `TILE_M` is not written as a number"),
        ("template <int TILE_M>\n", "", "nothing in this file instantiates `sgemm` with a value of `TILE_M`"),
        ("template <int TILE_M>\n", two, "`sgemm` is used with several values of `TILE_M`: 1 and 2"),
    ] {
        let text = format!("{head}__global__ void sgemm{BODY}{tail}");
        let found = kernels(&text);
        assert_eq!(found.len(), 1, "{head}");
        assert!(found[0].is_refused, "{head}");
        assert_eq!(found[0].title, format!("`sgemm` cannot be tuned: {expected}"), "{head}");
    }
}

const PLAIN: &str = "#define TILE_M 1\n#define TILE_N 32\n__global__ void sgemm";

#[test]
fn what_the_text_has_now_is_compiled_first() {
    let text = format!("{PLAIN}{BODY}");
    let plan = planned(&text, TOML, 64).expect("it can be tuned");
    let words: Vec<(&str, bool)> = plan.variants.iter().map(|own| (own.words.as_str(), own.is_now)).collect();
    assert_eq!(
        words,
        [
            ("TILE_M = 1, TILE_N = 32", true),
            ("TILE_M = 1, TILE_N = 64", false),
            ("TILE_M = 2, TILE_N = 32", false),
            ("TILE_M = 2, TILE_N = 64", false),
            ("TILE_M = 4, TILE_N = 32", false),
            ("TILE_M = 4, TILE_N = 64", false),
        ]
    );
    assert_eq!(
        (plan.of, plan.variants[5].launch.grid, plan.variants[5].launch.block),
        (6, [64, 1, 1], [64, 1, 1])
    );
    let because = "`[tune.sgemm]` does not state which problem the kernel computes".to_owned();
    assert_eq!(plan.ranked_by, RankedBy::Static { because });
    // The current value takes part even if the file does not list it.
    let other = text.replace("TILE_M 1", "TILE_M 8");
    let plan = planned(&other, TOML, 64).expect("it can be tuned");
    assert_eq!((plan.of, plan.variants[0].words.as_str()), (7, "TILE_M = 8, TILE_N = 32"));
}

#[test]
fn the_static_model_chooses_where_there_are_too_many() {
    // Threads read columns of memory: the wider the rows of a block, the fewer sectors.
    let text = "#define WIDTH 1
__global__ void sgemm(const float *a, float *b, int m, int n) {
    int x = threadIdx.x % WIDTH, y = threadIdx.x / WIDTH;
    int at = (blockIdx.x * (256 / WIDTH) + y) * n + blockIdx.y * WIDTH + x;
    b[at] = 2 * a[at];
}
";
    let toml = "gpu = \"h100-sxm\"\n[tune.sgemm]\nshapes = [{ M = 4096, N = 4096 }]\nblock = [256]\n\
                grid = [\"M / 256 * WIDTH\", \"N / WIDTH\"]\nparams = [\"ptr\", \"ptr\", \"M\", \"N\"]\n\
                [tune.sgemm.parameters]\nWIDTH = [2, 4, 8, 16, 32]\n";
    let plan = planned(text, toml, 4).expect("it can be tuned");
    let chosen: Vec<i64> = plan.variants.iter().map(|own| own.variant.0[0]).collect();
    assert_eq!((chosen, plan.of), (vec![1, 8, 16, 32], 6));
}

#[test]
fn an_outcome_reports_the_best_variant_and_the_reason() {
    let text = format!("{PLAIN}{BODY}");
    let plan = planned(&text, TOML, 64).expect("it can be tuned");
    let failed = vec![Err(refused()); plan.variants.len()];
    let outcome = TuningOutcome::new(&plan, &failed);
    assert_eq!(outcome.best().map(|row| &row.variant), None);
    assert_eq!(outcome.write_title(), None);
    assert!(
        outcome.title().starts_with("M=256 N=64: no variant has known cycles (6 of 6 variants compiled; ")
    );
    assert!(outcome.table().contains("* TILE_M = 1, TILE_N = 32  ptxas refuses it"), "{}", outcome.table());
    assert_eq!(invitation("k", "N=1", 3).0, "Tune `k` for N=1");
}

/// A row-major matrix product of A and B, which the tuner treats as the column-major product of B and A.
const TILED: &str = "#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
__global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[BK][BM], tile_b[BK][BN];
    float sums[TM][TN] = {};
    int threads = (BM / TM) * (BN / TN);
    int row = blockIdx.y * BM, column = blockIdx.x * BN;
    int x = threadIdx.x % (BN / TN), y = threadIdx.x / (BN / TN);
    for (int from = 0; from < k; from += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += threads)
            tile_a[i % BK][i / BK] = a[(row + i / BK) * k + from + i % BK];
        for (int i = threadIdx.x; i < BN * BK; i += threads)
            tile_b[i / BN][i % BN] = b[(from + i / BN) * n + column + i % BN];
        __syncthreads();
        for (int step = 0; step < BK; ++step)
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    sums[i][j] += tile_a[step][y * TM + i] * tile_b[step][x * TN + j];
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            c[(row + y * TM + i) * n + column + x * TN + j] = sums[i][j];
}
";

const TILED_TOML: &str = r#"
gpu = "h100-sxm"
[tune.sgemm]
shapes = [{ M = 512, N = 256, K = 128 }]
grid = ["ceil(N / BN)", "ceil(M / BM)"]
block = ["BM / TM * BN / TN"]
params = ["ptr", "ptr", "ptr", "M", "N", "K"]
problem = { kind = "gemm", m = "N", n = "M", k = "K", element = "f32" }
[tune.sgemm.parameters]
BM = { values = [32, 64, 128], as = "block_n" }
BN = { values = [32, 64], as = "block_m" }
BK = { values = [8, 16], as = "depth" }
TM = { values = [2, 4, 8], as = "thread_n" }
TN = { values = [4], as = "thread_m" }
"#;

fn ranked_by(toml: &str) -> String {
    let plan = planned(TILED, toml, 4).expect("it can be tuned");
    TuningOutcome::estimated(&plan).ranked_by
}

#[test]
fn the_network_chooses_where_the_problem_is_stated() {
    let all = planned(TILED, TILED_TOML, 64).expect("it can be tuned");
    assert_eq!((all.of, all.variants.len()), (36, 36));
    let mut known: Vec<(f64, &str)> = all
        .variants
        .iter()
        .filter(|own| !own.is_now)
        .map(|own| (own.estimated_seconds.expect("every variant has an estimate"), own.words.as_str()))
        .collect();
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let plan = planned(TILED, TILED_TOML, 6).expect("it can be tuned");
    let now = "BM = 64, BN = 64, BK = 8, TM = 4, TN = 4";
    let mut expected: Vec<&str> = known[..5].iter().map(|(_, words)| *words).chain([now]).collect();
    let mut chosen: Vec<&str> = plan.variants.iter().map(|own| own.words.as_str()).collect();
    assert_eq!(chosen[0], now, "the current variant is compiled first");
    expected.sort_unstable();
    chosen.sort_unstable();
    assert_eq!(chosen, expected);
    let outcome = TuningOutcome::new(&plan, &vec![Err(refused()); 6]);
    let start = "6 of 36 variants compiled; chosen by the network for H100 SXM5 80 GB (trained on ";
    let end = " launches of generated kernels, so the times of this kernel are estimates)";
    assert!(outcome.basis().starts_with(start) && outcome.basis().ends_with(end), "{}", outcome.basis());
    assert_eq!((outcome.estimated_by, outcome.best().is_none()), ("network", true));
    let reported = "\nCycles are predicted from the code of each variant, not by the network.\n";
    assert!(outcome.table().contains(reported), "{}", outcome.table());
    // Nothing is left out if all variants are compiled.
    let outcome = TuningOutcome::new(&all, &vec![Err(refused()); 36]);
    let start = "36 of 36 variants compiled; estimated before compilation by the network for ";
    assert!(outcome.basis().starts_with(start), "{}", outcome.basis());
}

#[test]
fn the_static_model_says_why_no_network_has_answered() {
    let with = |part: &str, other: &str| {
        assert!(TILED_TOML.contains(part), "{part}");
        TILED_TOML.replace(part, other)
    };
    let problem = "problem = { kind = \"gemm\", m = \"N\", n = \"M\", k = \"K\", element = \"f32\" }\n";
    for (toml, because) in [
        (with(problem, ""), "`[tune.sgemm]` does not state which problem the kernel computes"),
        (with("h100-sxm", "v100"), "no trained model for Tesla V100-SXM2-16GB"),
        (
            with("m = \"N\"", "m = \"N / 3\""),
            "the tuner has no kernel for the `problem` of `[tune.sgemm]` at M=512 N=256 K=128",
        ),
        (with("as = \"block_m\"", ""), "`[tune.sgemm]` does not state block_m"),
        // No kernel with a depth of 5 or 24 was measured.
        (with("values = [8, 16]", "values = [5, 8, 24]"), "the network covers only 18 of the 54 variants"),
        // A grid with one block per row is that of another kernel.
        (with("\"ceil(M / BM)\"", "\"M\""), "the network covers only 0 of the 36 variants"),
    ] {
        assert_eq!(ranked_by(&toml), format!("estimated by the static model alone: {because}"));
    }
}

#[test]
fn variants_that_the_network_does_not_know_come_last() {
    // No kernel with a depth of 24 was measured.
    let toml = TILED_TOML.replace("[8, 16], as = \"depth\"", "[24, 8, 16], as = \"depth\"");
    let unknown = |most: usize| {
        let plan = planned(TILED, &toml, most).expect("it can be tuned");
        let unknown = plan.variants.iter().filter(|own| own.estimated_seconds.is_none());
        assert!(unknown.clone().all(|own| own.words.contains("BK = 24")));
        (plan.of, plan.ranked_by.name(), plan.variants.len(), unknown.count())
    };
    assert_eq!(unknown(36), (54, "network", 36, 0));
    assert_eq!(unknown(40), (54, "network", 40, 4));
}

#[test]
fn tilings_follow_from_formulas_and_from_the_launch() {
    let same = |toml: &str| {
        let plan = planned(TILED, toml, 64).expect("it can be tuned");
        plan.variants.iter().map(|own| own.estimated_seconds).collect::<Vec<_>>()
    };
    let stated = same(TILED_TOML);
    assert!(stated.iter().all(Option::is_some), "{stated:?}");
    // The columns per thread follow from its rows and from the block.
    let by_launch = TILED_TOML.replace("{ values = [2, 4, 8], as = \"thread_n\" }", "[2, 4, 8]");
    assert_eq!(same(&by_launch), stated);
    let by_formula = TILED_TOML.replace("{ values = [4], as = \"thread_m\" }", "[4]");
    let by_formula = by_formula.replace("element =", "tiling = { thread_m = \"2 * TN / 2\" }, element =");
    assert_eq!(same(&by_formula), stated);
    // Vector loads and a second tile make it another kernel.
    let other = TILED_TOML.replace("element =", "tiling = { vector_a = 4, stages = 2 }, element =");
    assert!(same(&other).iter().zip(&stated).all(|(other, own)| other.is_some() && other != own));
}

#[test]
fn estimates_are_ranked_without_code() {
    let plan = planned(TILED, TILED_TOML, 64).expect("it can be tuned");
    let outcome = TuningOutcome::estimated(&plan);
    let times: Vec<f64> = outcome.rows.iter().filter_map(crate::TuningRow::time).collect();
    assert!(times.len() == 36 && times.is_sorted(), "{times:?}");
    assert!(outcome.rows.iter().all(|row| row.cycles.is_none() && row.microseconds.is_none()));
    let now = outcome.rows.iter().find(|row| row.is_now).expect("it is among them");
    assert_eq!(now.times_as_fast, Some(1.0));
    let title = outcome.title();
    assert!(
        title.contains(" times as fast as now (estimated, ~") || now.variant == outcome.rows[0].variant,
        "{title}"
    );
    assert!(title.contains(" · 36 variants, none compiled; estimated by the network for H100 SXM5 80 GB ("));
    assert!(
        outcome.table().contains("  variant ") && !outcome.table().contains("cycles"),
        "{}",
        outcome.table()
    );
}

#[test]
fn the_lens_can_be_switched_off() {
    let mut host = host(&format!("{PLAIN}{BODY}"), TOML);
    let mut config = Config::default();
    config.tune.lens = false;
    host.configure(config).expect("the settings are right");
    let analysis = host.snapshot("k.cu", Cancel::default()).expect("it is open");
    assert_eq!(analysis.tuned_kernels(), Ok(Vec::new()));
}
