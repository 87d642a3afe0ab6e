//! `tune kernel`, with scripts that stand for nvcc and nvdisasm: whatever the values are, they make the same code.

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

/// The command with the stand-ins.
fn compiling(rest: &str) -> String {
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/stand_in");
    format!("tune kernel k.cu --compile --nvcc {tools}/nvcc --disassembler {tools}/nvdisasm {rest}")
}

#[test]
fn each_shape_has_its_table() {
    let text = folder().run(&compiling("")).ok();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("scale for ")).collect();
    assert_eq!(heads, ["scale for N=16384 on H100 SXM5 80 GB", "scale for N=1024 on H100 SXM5 80 GB"]);
    let basis = "3 of 3 variants compiled; ranked by the static model alone: `[tune.scale]` does not say which problem it computes";
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
    assert!(text.contains("\n2 of 3 variants compiled; ranked by the static model alone: "), "{text}");
}

#[test]
fn what_is_missing_takes_one_line() {
    let several = TOML.replace("[tune.scale]", "[tune.other]").replace("[tune.scale.", "[tune.other.");
    for (command, expected) in [
        ("tune kernel k.cu", "`k.cu` is CUDA, whose cycles come from compiled code; expected --compile"),
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
    let expected = "`k.cu` has no kernel that is tuned; expected CUDA, and [tune.KERNEL] in warplens.toml";
    assert_eq!(other.run("tune kernel k.cu").refusal(), expected);
    let macros =
        Folder::new().file("k.cu", KERNEL.replace("BLOCK 256", "BLOCK (4 * 64)")).file("warplens.toml", TOML);
    let expected = "`scale` cannot be tuned: the value of `BLOCK` is not written as a number";
    assert_eq!(macros.run("tune kernel k.cu").refusal(), expected);
    assert!(folder().run("tune").refusal().contains("kernel"), "the subcommands are named");
}
