//! `tune kernel`, with scripts that replace nvcc and nvdisasm and give the same code for all values.

use super::run::Folder;

const KERNEL: &str = "\
#define BLOCK 256
__global__ void scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i * 8] = 2.0f * x[i];
    }
}
";

const TOML: &str = "\
gpu = \"h100-sxm\"
[tune.scale]
shapes = [{ N = 16384 }, { N = 1024 }]
grid = [\"ceil(N / BLOCK)\"]
block = [\"BLOCK\"]
params = [\"ptr\", \"ptr\", \"N\"]
where = [\"BLOCK <= N\"]
[tune.scale.parameters]
BLOCK = [64, 1024, 2048]
";

fn folder() -> Folder {
    Folder::new().file("k.cu", KERNEL).file("warplens.toml", TOML)
}

/// Returns a `tune kernel --compile` command that runs the fake nvcc and nvdisasm.
fn compiling(rest: &str) -> String {
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/stand_in");
    format!("tune kernel k.cu --compile --nvcc {tools}/nvcc --disassembler {tools}/nvdisasm {rest}")
}

#[test]
fn each_shape_has_its_table() {
    let text = folder().run(&compiling("")).ok();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("scale for ")).collect();
    assert_eq!(heads, ["scale for N=16384 on H100 SXM5 80 GB", "scale for N=1024 on H100 SXM5 80 GB"]);
    let basis = "3 of 3 variants compiled, in the order of their predicted cycles; estimated before compilation by the static model alone: `[tune.scale]` does not state which problem the kernel computes";
    assert_eq!(text.lines().filter(|line| *line == basis).count(), 2, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("* BLOCK = 256 ")).count(), 2, "{text}");
    assert!(
        text.lines().last().is_some_and(|line| line.starts_with("Best for all shapes: BLOCK = ")),
        "{text}"
    );
}

#[test]
fn programs_get_rows_and_pictures() {
    let csv = folder().run(&compiling("--shape N=4096 --format csv")).ok();
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].starts_with("kernel,shape,variant,now,cycles,microseconds,times_as_fast,"), "{csv}");
    assert_eq!(rows.len(), 4, "{csv}");
    assert!(rows[1..].iter().all(|row| row.starts_with("scale,N=4096,BLOCK = ")), "{csv}");
    let svg = folder().run(&compiling("--format svg")).ok();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains(">N=16384</text>") && svg.contains(">N=1024</text>"), "{svg}");
}

#[test]
fn fewer_variants_say_how_many_and_which_model_chose() {
    let text = folder().run(&compiling("--variants 2 --shape N=1024")).ok();
    assert!(text.contains("\n2 of 3 variants compiled, in the order of their predicted cycles; chosen by the static model alone: "), "{text}");
}

#[test]
fn variants_are_estimated_without_a_compiler() {
    let text = folder().run("tune kernel k.cu --shape N=16384").ok();
    let lines: Vec<&str> = text.lines().collect();
    let basis = "3 variants, none compiled; estimated by the static model alone: `[tune.scale]` does not state which problem the kernel computes";
    assert_eq!(lines[..2], ["scale for N=16384 on H100 SXM5 80 GB", basis], "{text}");
    let head: Vec<&str> = lines[3].split_whitespace().collect();
    assert_eq!(head, ["variant", "µs", "speedup", "threads", "blocks"], "{text}");
    let now: Vec<&str> = lines[4..7].iter().find(|line| line.starts_with('*')).unwrap().split(' ').collect();
    assert!(now.starts_with(&["*", "BLOCK", "=", "256"]) && now.contains(&"1.00"), "{text}");
    let csv = folder().run("tune kernel k.cu --format csv").ok();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][14..], ["estimated_microseconds", "estimated_by"]);
    assert_eq!(rows.len(), 7, "{csv}");
    for row in &rows[1..] {
        assert!(
            row[4..6] == ["", ""] && row[14].parse::<f64>().unwrap() > 0.0 && row[15] == "static",
            "{csv}"
        );
    }
    let svg = folder().run("tune kernel k.cu --format svg").ok();
    assert!(
        svg.contains("scale on H100 SXM5 80 GB: variants by shape, estimated without compiling"),
        "{svg}"
    );
}

#[test]
fn a_network_is_asked_where_the_problem_is_stated() {
    // A block of 32 x 8 threads computes 2 x 4 values per thread; the network knows nothing else of the kernel.
    let kernel = "\
#define TILE 64
#define DEPTH 8
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
    c[blockIdx.x * TILE + threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
}
";
    let toml = "\
gpu = \"h100-sxm\"
[tune.product]
shapes = [{ M = 1024, N = 512, K = 256 }]
grid = [\"ceil(M / TILE)\", \"ceil(N / 32)\"]
block = [\"TILE * 32 / 8\"]
params = [\"ptr\", \"ptr\", \"ptr\", \"M\", \"N\", \"K\"]
[tune.product.problem]
kind = \"gemm\"
m = \"M\"
n = \"N\"
k = \"K\"
element = \"f32\"
tiling = { block_n = 32, thread_m = 2 }
[tune.product.parameters]
TILE = { values = [32, 64, 128], as = \"block_m\" }
DEPTH = { values = [8, 16], as = \"depth\" }
";
    let with = |toml: &str| Folder::new().file("k.cu", kernel).file("warplens.toml", toml);
    let text = with(toml).run("tune kernel k.cu --variants 4").ok();
    let start = "6 variants, none compiled; estimated by the network for H100 SXM5 80 GB (";
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with(start)), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("TILE = ")).count(), 4, "{text}");
    let csv = with(toml).run("tune kernel k.cu --format csv").ok();
    assert_eq!(csv.lines().filter(|line| line.ends_with(",network")).count(), 6, "{csv}");
    let other = with(toml).run("tune kernel k.cu --gpu v100").ok();
    assert!(
        other.contains("estimated by the static model alone: no trained model for Tesla V100-SXM2-16GB\n"),
        "{other}"
    );
    let wrong = with(&toml.replace("element", "elemnt")).run("tune kernel k.cu").refusal();
    let expected = "unknown key `elemnt` in a problem of kind \"gemm\"; did you mean `element`?";
    assert!(wrong.ends_with(expected), "{wrong}");
}

#[test]
fn what_is_missing_takes_one_line() {
    let several = TOML.replace("[tune.scale]", "[tune.other]").replace("[tune.scale.", "[tune.other.");
    for (command, expected) in [
        ("tune kernel k.cu --kernel scal", "no kernel `scal` is tuned; expected one of: scale"),
        (
            "tune kernel k.cu --compile --shape M=4",
            "--shape: expected whole numbers such as N=16384, not M=4",
        ),
        (
            "tune kernel k.cu --compile --shape N=0",
            "--shape: expected whole numbers such as N=16384, not N=0",
        ),
        ("tune kernel absent.cu", "no such file: `absent.cu`; expected a path, or `-` for standard input"),
    ] {
        assert_eq!(folder().run(command).refusal(), expected, "{command}");
    }
    let other = Folder::new().file("k.cu", KERNEL).file("warplens.toml", &several);
    let expected = "`k.cu` has no kernel that is tuned; expected CUDA or a Triton kernel in Python (.py), and [tune.KERNEL] in warplens.toml";
    assert_eq!(other.run("tune kernel k.cu").refusal(), expected);
    let macros =
        Folder::new().file("k.cu", KERNEL.replace("BLOCK 256", "BLOCK (4 * 64)")).file("warplens.toml", TOML);
    let expected = "`scale` cannot be tuned: the value of `BLOCK` is not written as a number";
    assert_eq!(macros.run("tune kernel k.cu").refusal(), expected);
    assert!(folder().run("tune").refusal().contains("kernel"), "the subcommands are named");
}

const MATMUL: &str = "\
import triton
import triton.language as tl

def get_configs():
    return [
        triton.Config({'BLOCK_SIZE_M': 128, 'BLOCK_SIZE_N': 256, 'BLOCK_SIZE_K': 64}, num_stages=3, num_warps=8),
        triton.Config({'BLOCK_SIZE_M': 64, 'BLOCK_SIZE_N': 16, 'BLOCK_SIZE_K': 64}, num_stages=4, num_warps=4),
        triton.Config({'BLOCK_SIZE_M': 256, 'BLOCK_SIZE_N': 256, 'BLOCK_SIZE_K': 128}, num_stages=4, num_warps=8),
    ]

@triton.autotune(configs=get_configs(), key=['M', 'N', 'K'])
@triton.jit
def matmul(a, b, c, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr):
    acc = tl.dot(a, b)
";

const MATMUL_TOML: &str = "\
gpu = \"h100-sxm\"
[tune.matmul]
shapes = [{ M = 4096, N = 4096, K = 4096 }, { M = 2560, N = 16, K = 2560 }]
problem = { kind = \"gemm\", m = \"M\", n = \"N\", k = \"K\", element = \"f16\" }
";

#[test]
fn configurations_of_triton_are_ranked_without_a_compiler() {
    let folder = || Folder::new().file("k.py", MATMUL).file("warplens.toml", MATMUL_TOML);
    let text = folder().run("tune kernel k.py").ok();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "matmul for M=4096 N=4096 K=4096 on H100 SXM5 80 GB", "{text}");
    let basis = "3 configurations estimated by the static model for H100 SXM5 80 GB (f16 with f32 sums); not compiled, not run";
    assert_eq!(lines[1], basis, "{text}");
    let first = "  BLOCK_SIZE_M = 128, BLOCK_SIZE_N = 256, BLOCK_SIZE_K = 64, num_warps = 8, num_stages = 3 ";
    assert!(lines[4].starts_with(first), "{text}");
    assert!(
        lines[6].ends_with("cannot run: the tiles need 524288 bytes of shared memory; the limit is 232448"),
        "{text}"
    );
    assert!(text.contains("\nBest for all shapes: BLOCK_SIZE_M = "), "{text}");
    let csv = folder().run("tune kernel k.py --shape M=64,N=64,K=64 --format csv").ok();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 4, "{csv}");
    assert!(rows[1].starts_with("matmul,M=64 N=64 K=64,\"BLOCK_SIZE_M = "), "{csv}");
    assert!(rows[1..].iter().all(|row| row.ends_with(",static")), "{csv}");
    let svg = folder().run("tune kernel k.py --format svg").ok();
    assert!(
        svg.contains("estimated without compiling") && svg.contains(">M=2560 N=16 K=2560</text>"),
        "{svg}"
    );
    let other = folder().run("tune kernel k.py --gpu b200");
    assert!(
        other.stdout.contains("unknown: no figures for products in tensor memory (tcgen05) on B200"),
        "{}",
        other.stdout
    );
    assert!(other.stderr.contains("no configuration has a known time"), "{}", other.stderr);
    let none = Folder::new()
        .file("k.py", "import triton\n")
        .file("warplens.toml", MATMUL_TOML)
        .run("tune kernel k.py");
    let expected = "`k.py` has no kernel that is tuned; expected CUDA or a Triton kernel in Python (.py), and [tune.KERNEL] in warplens.toml";
    assert!(none.refusal().ends_with(expected));
}
