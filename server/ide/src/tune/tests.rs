//! Variants of small kernels: where their values are written, which of them are compiled, and what is told of the result.

use super::lens::invitation;
use crate::{Cancel, Config, Host, Language, LaunchFile, TextEdit};
use crate::{TunedKernel, TuningOutcome, TuningPlan};

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

/// The body of a kernel that reads rows with a stride, the longer the larger `TILE_M` is.
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
    host.set_launches(Some(LaunchFile::parse("warplens.toml", toml).expect("it is right"))).expect("a GPU");
    host.open_as("k.cu", 1, Language::Cuda, text);
    host
}

fn kernels(text: &str) -> Vec<TunedKernel> {
    let host = host(text, TOML);
    let analysis = host.snapshot("k.cu", Cancel::default()).expect("it is open");
    analysis.tuned_kernels().expect("nobody cancels")
}

fn planned(text: &str, toml: &str, most: usize) -> Result<TuningPlan, String> {
    let host = host(text, toml);
    let analysis = host.snapshot("k.cu", Cancel::default()).expect("it is open");
    let shape = host.snapshot("k.cu", Cancel::default()).expect("it is open").tuned_kernels();
    let shape = shape.expect("nobody cancels").remove(0).shape;
    analysis.plan_tuning("sgemm", &shape, most).expect("nobody cancels")
}

/// The text of the variant with those values.
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
fn what_cannot_be_written_is_told_over_the_kernel() {
    let two = "void run(float *a) { sgemm<1><<<1, 1>>>(a, a, 1, 1); sgemm<2><<<1, 1>>>(a, a, 1, 1); }";
    for (head, tail, expected) in [
        (
            "#define TILE_N 32\n",
            "",
            "`TILE_M` is no macro, constant or template parameter of `sgemm` in this file",
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
    assert_eq!(plan.ranked_by, "ranked by the static model alone: no trained model for H100 SXM5 80 GB");
    // A value that the file does not list is compared with, too.
    let other = text.replace("TILE_M 1", "TILE_M 8");
    let plan = planned(&other, TOML, 64).expect("it can be tuned");
    assert_eq!((plan.of, plan.variants[0].words.as_str()), (7, "TILE_M = 8, TILE_N = 32"));
}

#[test]
fn the_static_model_chooses_where_there_are_too_many() {
    // Threads read columns of memory: the wider the rows of a block are, the fewer sectors.
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
fn an_outcome_tells_the_best_and_why() {
    let text = format!("{PLAIN}{BODY}");
    let plan = planned(&text, TOML, 64).expect("it can be tuned");
    let failed = vec![Err("ptxas refuses it".to_owned()); plan.variants.len()];
    let outcome = TuningOutcome::new(&plan, &failed);
    assert_eq!(outcome.best().map(|row| &row.variant), None);
    assert_eq!(outcome.write_title(), None);
    assert!(
        outcome.title().starts_with("M=256 N=64: no variant has known cycles (6 of 6 variants compiled; ")
    );
    assert!(outcome.table().contains("* TILE_M = 1, TILE_N = 32  ptxas refuses it"), "{}", outcome.table());
    assert_eq!(invitation("k", "N=1", 3).0, "Tune `k` for N=1");
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
