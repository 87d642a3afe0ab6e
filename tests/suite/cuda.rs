//! CUDA in an editor: findings, fixes, hovers, lenses, and the effect of edits on them.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Analysis, Diagnostic, Host, Language, LaunchFile, TextEdit};
use proptest::prelude::*;

const TEXT: &str = "\
constexpr int N = 1 << 20;
struct P { float x, y, z, w, m, n; };

__global__ void move(P *p, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].x += p[i].m * dt * 0.5;
}

__global__ void column(const float *in, float *out, int w) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * w + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * w + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  move<<<N / 256, 256>>>(nullptr, 0.1f, N);
  column<<<1, dim3(32, 32)>>>(nullptr, nullptr, 1024);
}
";

fn opened(text: &str) -> Host {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, text);
    host
}

fn findings(analysis: &Analysis) -> Vec<Diagnostic> {
    analysis.model_diagnostics().expect("nothing cancels it")
}

/// Each finding as its code and the text at its range.
fn shown(text: &str, found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|finding| format!("{}: {}", finding.code, &text[finding.range.clone()])).collect()
}

const ADVISED: &str = "\
constexpr int T = 24;
__global__ void product(float *y, const float *a, const float *b, int rows, int terms, int columns) {
  __shared__ float l[T][T], r[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty, column = blockIdx.x * T + tx;
  float sum = 0;
  for (int t = 0; t < terms / T; t++) {
    l[ty][tx] = row < rows ? a[row * terms + t * T + tx] : 0;
    r[ty][tx] = column < columns ? b[(t * T + ty) * columns + column] : 0;
    __syncthreads();
    for (int i = 0; i < T; i++) sum += l[ty][i] * r[i][tx];
    __syncthreads();
  }
  if (row < rows && column < columns) y[row * columns + column] = sum;
}
__global__ void shade(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int image = 0; image < 100; image++)
    if (i < n) y[image * n + i] = x[image * n + i] + 1;
}
__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
void host(float *p, float *q, float *r) {
  product<<<dim3(182, 1), dim3(T, T)>>>(p, q, r, 12, 48, 4356);
  shade<<<16, 256>>>(q, p, 4096);
  scale<<<4096, 256>>>(q, r, 1 << 20);
  scale<<<4096, 256>>>(r, p, 1 << 20);
}
";

#[test]
fn advice_on_launches_says_what_another_one_gains() {
    let found = findings(&snapshot(&opened(ADVISED)));
    let advice = ["idle-threads", "serial-loop", "separate-launches"];
    let reported = found.iter().filter(|finding| advice.contains(&finding.code));
    let reported: Vec<(usize, &str)> = reported
        .map(|finding| (ADVISED[..finding.range.start].matches('\n').count() + 1, &*finding.message))
        .collect();
    assert_eq!(
        reported,
        [
            (
                18,
                "the launch has 16 blocks for the GPU's 132 SMs, each of which holds at least 1 at once. The 100 iterations of this \
                 loop are independent: with `image` as a grid dimension the launch has 1600 blocks."
            ),
            (
                26,
                "blocks of 24 x 24 cover 4368 x 24 elements, but only 4356 x 12 exist: 50 % of all threads are out \
                 of bounds: they execute the loops but store nothing. Blocks of 16 x 16 would leave 25 % idle. A \
                 smaller tile reuses its shared memory less: measure both."
            ),
            (
                29,
                "each thread of `scale` reads the element of `r` that the same thread of `scale` wrote. A fused \
                 kernel keeps it in a register and saves 4.2 MB of loads, and the same number of bytes of stores if \
                 nothing else reads `r`."
            ),
        ]
    );
    // With different host code, the launch differs.
    let edited = ADVISED
        .replace("16, 256>>>(q", "4096, 256>>>(q")
        .replace("12, 48", "24, 48")
        .replace("(r, p,", "(q, p,");
    let found = findings(&snapshot(&opened(&edited)));
    assert!(!found.iter().any(|finding| advice.contains(&finding.code)), "{found:?}");
}

const LAUNCHED_FOR_EACH: &str = "\
struct Tensor { float *data; int shape[4]; };
__global__ void layer(const float *w, const float *x, float *y, int n, int terms) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < terms; t++) {
    tile[threadIdx.x] = x[t * n + i];
    __syncthreads();
    sum += w[t] * tile[255 - threadIdx.x];
    __syncthreads();
  }
  if (i < n) y[i] = sum;
}
__global__ void shade(const float *x, float *y, int image, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[image * n + i] = 2 * x[image * n + i];
}
void forward(Tensor &y, const Tensor &x, const Tensor &w) {
  const int images = x.shape[0], n = y.shape[1], terms = w.shape[1];
  for (int b = 0; b < images; b++) {
    layer<<<(n + 255) / 256, 256>>>(w.data, x.data + b * n * terms, y.data + b * n, n, terms);
  }
}
void host(float *p, float *q, int n) {
  for (int b = 0; b < 10; b++) shade<<<16, 256>>>(p, q, b, n);
}
";

#[test]
fn independent_launches_in_a_loop_are_reported() {
    let reported = |text: &str| -> Vec<(usize, String)> {
        let found = findings(&snapshot(&opened(text)));
        let found = found.into_iter().filter(|finding| finding.code == "launch-in-loop");
        found
            .map(|finding| (text[..finding.range.start].matches('\n').count() + 1, finding.message))
            .collect()
    };
    assert_eq!(
        reported(LAUNCHED_FOR_EACH),
        [
            (
                21,
                "the iterations of the loop around this launch are independent: each writes its own part of \
                 `y.data`. With `b` as a grid dimension, one launch does all the work in parallel. The change helps \
                 only if one launch fills little of the GPU, and the size of the launch is unknown here."
                    .to_owned()
            ),
            (
                25,
                "the 10 iterations of the loop around this launch are independent: each writes its own part of `q`. With `b` as a grid \
                 dimension, one launch does all the work in parallel. The launch has 16 blocks for the GPU's 132 SMs, each of which \
                 holds at least 1 at once."
                    .to_owned()
            ),
        ]
    );
    // The data of one iteration, or the same data for all; code between launches; a launch that fills the GPU; pointers
    // that are swapped.
    let edits = [
        ("x.data + b * n * terms", "y.data + (b - 1) * n"),
        ("y.data + b * n,", "y.data,"),
        ("y.data + b * n,", "y.data + b % 2 * n,"),
        ("n, terms);\n  }", "n, terms);\n    cudaDeviceSynchronize();\n  }"),
        ("(n + 255) / 256, 256>>>(w", "b + 1, 256>>>(w"),
        ("y[i] = sum", "y[i] += sum"),
        ("y[i] = sum", "atomicAdd(&y[i], sum)"),
        ("<<<16, 256>>>", "<<<16384, 256>>>"),
        ("y[image * n + i] =", "y[i] ="),
        ("y[image * n + i] =", "y[image * image + i] ="),
        ("(p, q, b, n);", "(p, q, b, n), std::swap(p, q);"),
        ("int n) {\n  for", "int n) {\n  p = q;\n  for"),
        ("b < 10; b++", "b < 1; b++"),
        ("b < 10; b++", "b < 10; b *= 2"),
    ];
    for (was, is) in edits {
        assert!(LAUNCHED_FOR_EACH.contains(was), "{was}");
        assert_eq!(reported(&LAUNCHED_FOR_EACH.replace(was, is)).len(), 1, "{is}");
    }
}

#[test]
fn launches_of_host_code_tell_what_accesses_cost() {
    let found = findings(&snapshot(&opened(TEXT)));
    assert_eq!(
        shown(TEXT, &found),
        [
            "uncoalesced-access: p[i].x",
            "uncoalesced-access: p[i].m",
            "double-constant: 0.5",
            "bank-conflict: tile[threadIdx.x][threadIdx.y]",
        ]
    );
    assert_eq!(found[0].function.as_deref(), Some("move"));
    assert!(found[3].message.starts_with(
        "32-way bank conflict, all lanes share bank 0: 32 wavefronts per request; 1 would suffice. Pad"
    ));
}

#[test]
fn a_stated_launch_goes_before_those_of_host_code() {
    let mut host = opened(TEXT);
    let stated = "[[launch]]\nname = \"one row\"\nfunction = \"_Z6columnPKfPfi\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n\
                  params = [\"ptr\", \"ptr\", 1024]\n[rules]\nuncoalesced-access = \"off\"\n";
    let file = LaunchFile::parse("w.toml", stated).expect("the launches are right");
    host.set_launches(Some(file)).expect("their GPU is known");
    let found = findings(&snapshot(&host));
    assert_eq!(
        shown(TEXT, &found),
        ["double-constant: 0.5", "bank-conflict: tile[threadIdx.x][threadIdx.y]"]
    );
    let lenses = snapshot(&host).lenses().expect("nothing cancels it");
    let titles: Vec<&str> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "grid 4096, block 256 (from host code) · 8 warps per block",
            "one row: grid 1, block 32 (stated) · 1 warp per block · 4096 B shared · 1 barrier",
        ]
    );
}

#[test]
fn a_hover_says_what_an_access_takes_and_a_fix_mends_a_constant() {
    let analysis = snapshot(&opened(TEXT));
    let at = TEXT.rfind("tile[").expect("it exists");
    let hover = analysis.hover(at + 2).expect("nothing cancels it").expect("there is an access");
    assert!(
        hover.markdown.starts_with(
            "- `column` (block 32 x 32 x 1): Shared load, 4 bytes per lane: 32 wavefronts per request, 1 would suffice."
        ),
        "{}",
        hover.markdown
    );
    assert!(analysis.hover(0).expect("nothing cancels it").is_none());
    let found = findings(&analysis);
    let fixes = analysis.fixes("double-constant", found[2].range.clone()).expect("nothing cancels it");
    assert_eq!(fixes[0].title, "Make the constant single precision");
    assert_eq!((fixes[0].edits[0].text.as_str(), fixes[0].preferred), ("f", true));
    assert_eq!(fixes[0].edits[0].range.start, TEXT.find("0.5").expect("it exists") + 3);
    assert_eq!(fixes.len(), 3, "and two comments that allow it");
}

#[test]
fn comments_allow_findings_and_lines_that_do_not_parse_have_none() {
    let allowed =
        TEXT.replace("  if (i < n)\n", "  if (i < n)\n    // warplens: allow(uncoalesced-access)\n");
    let found = findings(&snapshot(&opened(&allowed)));
    assert_eq!(shown(&allowed, &found)[0], "double-constant: 0.5");
    let broken = TEXT.replace("p[i].x += p[i].m", "p[i].x += (p[i].m");
    let line = broken.find("p[i].x").expect("it exists");
    let line = line..line + broken[line..].find('\n').expect("it ends");
    for finding in findings(&snapshot(&opened(&broken))) {
        assert!(!line.contains(&finding.range.start), "{finding:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn edits_leave_what_a_fresh_document_says(
        edits in proptest::collection::vec((0..TEXT.len(), 0..12_usize, "[a-z0-9\\[\\](){};+*<>=. \n\"/#]{0,6}"), 1..5)
    ) {
        let mut text = TEXT.to_owned();
        let mut host = opened(&text);
        for (version, (at, length, new)) in (2..).zip(edits) {
            let start = at.min(text.len());
            let range = start..(start + length).min(text.len());
            text.replace_range(range.clone(), &new);
            host.edit(DOCUMENT, version, &[TextEdit { range, text: new }]);
            let edited = findings(&snapshot(&host));
            // While a declaration is half typed, the other declarations keep their findings, however the
            // parser reads the remaining text.
            if syntax::cuda::Source::parse(&text).is_whole() {
                prop_assert_eq!(shown(&text, &edited), shown(&text, &findings(&snapshot(&opened(&text)))));
            }
        }
    }
}

const LAUNCHES: &str = "\
__global__ void rows(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = 1;
}

__global__ void sums(const float *x, float *y, int n) {
  __shared__ float part[8192];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    part[threadIdx.x] = x[i];
    __syncthreads();
    if (threadIdx.x < 16) s += part[threadIdx.x] + part[threadIdx.x + 16];
    __syncthreads();
  }
  y[blockIdx.x] = s;
}

void host(float *x, int n) {
  rows<<<(n + 99) / 100, 100>>>(x, n);
  sums<<<64, 256, 32768>>>(x, x, 4096);
}
";

#[test]
fn launches_tell_their_occupancy_their_barriers_and_their_lanes() {
    let analysis = snapshot(&opened(LAUNCHES));
    let lenses = analysis.lenses().expect("nothing cancels it");
    let titles: Vec<&str> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "grid 512, block 100 (grid assumed) · 4 warps per block · about 78 % of lanes active",
            "grid 64, block 256 (from host code) · 8 warps per block · 32768 B shared · 32 barriers · at most 38 % occupancy: \
             shared memory 64 KB",
        ]
    );
    let at = LAUNCHES.find("__syncthreads").expect("it exists");
    let hover = analysis.hover(at + 2).expect("nothing cancels it").expect("there is a barrier");
    assert!(
        hover.markdown.starts_with(
            "- `sums` (block 256 x 1 x 1): about 16 times per block, 1,024 times in the launch."
        ),
        "{}",
        hover.markdown
    );
    assert_eq!(&LAUNCHES[hover.range], "__syncthreads()");
    let report = analysis.text_report().expect("nothing cancels it").expect("it is CUDA");
    let sums = &report.kernels[1];
    assert_eq!((sums.barriers, sums.barriers_of_launch), (Some(32.0), Some(2048.0)));
    assert_eq!((sums.occupancy.limit, sums.occupancy.blocks, sums.occupancy.shared), ("shared", 3, 65_536));
    let branches: Vec<_> = sums
        .divergent_branches
        .iter()
        .map(|branch| (branch.line, branch.text.as_str(), branch.passed))
        .collect();
    assert_eq!(branches, [(13, "threadIdx.x < 16", 384.0)]);
}

#[test]
fn a_kernel_with_many_instances_has_one_lens() {
    let lenses = |launches: u32| {
        let launch = |at: u32| format!("  k<float, {at}><<<8, 64>>>(x);\n");
        let body: Vec<String> = (0..launches).map(launch).collect();
        let kernel = "template <typename T, int N> __global__ void k(T *x) { x[threadIdx.x + N] = 1; }";
        let text = format!("{kernel}\nvoid run(float *x) {{\n{}}}\n", body.concat());
        let lenses = snapshot(&opened(&text)).lenses().expect("nothing cancels it");
        lenses.into_iter().map(|lens| (lens.title, lens.detail)).collect::<Vec<_>>()
    };
    let few = lenses(2);
    assert_eq!(few.len(), 2);
    assert_eq!(few[1].0, "<float, 1>: grid 8, block 64 (from host code) · 2 warps per block");
    let many = lenses(9);
    assert_eq!(many.len(), 1);
    assert!(many[0].0.starts_with("9 launches, the first: <float, 0>: grid 8, block 64"), "{}", many[0].0);
    assert!(many[0].1.contains("\n- `<float, 8>`: grid 8, block 64"), "{}", many[0].1);
}

#[test]
fn a_block_that_is_no_multiple_of_a_warp_is_rounded_up() {
    let analysis = snapshot(&opened(LAUNCHES));
    let found = findings(&analysis);
    assert_eq!(shown(LAUNCHES, &found), ["partial-warp: rows<<<(n + 99) / 100, 100>>>(x, n)"]);
    let fixes = analysis.fixes("partial-warp", found[0].range.clone()).expect("nothing cancels it");
    let edit = &fixes[0].edits[0];
    assert_eq!((&LAUNCHES[edit.range.clone()], edit.text.as_str()), ("100", "128"));
    // A kernel that depends on its thread's index in the block, and a kernel that does not allow a larger
    // block.
    for (from, to) in [
        ("x[i] = 1", "x[i] = threadIdx.x"),
        ("void rows(", "void __launch_bounds__(100) rows("),
        ("if (i >= n) return;", "if (i > 3) return;"),
        ("int i = blockIdx.x * blockDim.x", "int i = blockIdx.x * 100"),
    ] {
        let text = LAUNCHES.replacen(from, to, 1);
        let analysis = snapshot(&opened(&text));
        let found = findings(&analysis);
        let fixes = analysis.fixes("partial-warp", found[0].range.clone()).expect("nothing cancels it");
        let is_offered = fixes.iter().any(|fix| fix.title.starts_with("Use "));
        assert_eq!(is_offered, from == "if (i >= n) return;", "{text}");
    }
}

#[test]
fn findings_follow_launches_that_are_not_run() {
    let text = LAUNCHES.replacen("100>>>", "128>>>", 1);
    let mut host = opened(&text);
    assert_eq!(shown(&text, &findings(&snapshot(&host))), Vec::<String>::new());
    let start = text.find("128>>>").expect("it exists");
    host.edit(DOCUMENT, 2, &[TextEdit { range: start..start + 3, text: "100".to_owned() }]);
    assert_eq!(shown(LAUNCHES, &findings(&snapshot(&host))).len(), 1);
}

/// Accesses of a column of a tile, each in one of the branches of a preprocessor condition.
const CONDITIONS: &str = "\
#define WIDE 1
#if __CUDA_ARCH__ >= 800
#define STEP 32
#else
#define STEP 1
#endif
__global__ void k(float *x) {
  __shared__ float tile[1024];
  int i = threadIdx.x;
#if __CUDA_ARCH__ < 700
  tile[i * 8] = 0;
#elif __CUDA_ARCH__ >= 900 && WIDE
  tile[i * STEP] = 1;
#else
  tile[i * 16] = 2;
#endif
  if (i < 4) {
#ifdef __CUDA_ARCH__
    x[i] = tile[i];
#else
    x[i * 8] = tile[i * 32];
#endif
  }
}
#if __CUDA_ARCH__ >= 900
__global__ void newer(float *x) { x[threadIdx.x * 32] = 0; asm volatile(\"mov.u32 %1, 1;\" :: \"r\"(1)); }
#else
__global__ void older(float *x) { x[threadIdx.x * 32] = 0; asm volatile(\"mov.u32 %1, 1;\" :: \"r\"(1)); }
#endif
#ifndef __CUDA_ARCH__
void host(float *x) { k<<<1, 32>>>(x); newer<<<1, 32>>>(x); older<<<1, 32>>>(x); }
#endif
";

fn on(gpu: &str, text: &str) -> Vec<String> {
    let mut host = opened(text);
    let config = ide::Config::from_json(&serde_json::json!({ "gpu": gpu })).expect("a setting is right");
    host.configure(config).expect("its GPU is known");
    shown(text, &findings(&snapshot(&host)))
}

#[test]
fn the_gpu_that_is_set_decides_which_parts_of_conditions_are_read() {
    assert_eq!(
        on("sm_90", CONDITIONS),
        [
            "bank-conflict: tile[i * STEP]",
            "uncoalesced-access: x[threadIdx.x * 32]",
            "unknown-asm-operand: %1",
        ]
    );
}

#[test]
fn a_part_that_is_taken_has_the_findings_of_the_same_text_without_conditions() {
    let plain = |lines: &str| {
        format!(
            "__global__ void k(float *x) {{\n{lines}\n  x[threadIdx.x * 32] = 1;\n}}\nvoid host(float *x) {{ k<<<1, 32>>>(x); }}\n"
        )
    };
    let expected = on("sm_90", &plain("x[threadIdx.x * 16] = 0;"));
    for lines in [
        "#if __CUDA_ARCH__ >= 900\nx[threadIdx.x * 16] = 0;\n#endif",
        "#if __CUDA_ARCH__ < 900\nx[threadIdx.x * 8] = 0;\n#else\nx[threadIdx.x * 16] = 0;\n#endif",
        "#if 0\n#elif defined(__CUDA_ARCH__)\n#if __CUDA_ARCH__ == 900\nx[threadIdx.x * 16] = 0;\n#endif\n#endif",
    ] {
        assert_eq!(on("sm_90", &plain(lines)), expected, "{lines}");
    }
    assert_eq!(on("sm_80", &plain("#if __CUDA_ARCH__ == 900\nx[threadIdx.x * 16] = 0;\n#endif")).len(), 1);
}

const ROWS: &str = "\
#include <mma.h>
__global__ void rows(const float *in, const half *a, float *out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  out[row] = in[row * width];
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> f;
  nvcuda::wmma::load_matrix_sync(f, a, width);
}
";

/// Messages for lanes whose distance depends on a parameter that no launch states.
#[test]
fn strided_lanes_are_reported_with_their_stride_parameter() {
    let host = opened(ROWS);
    let analysis = snapshot(&host);
    let messages: Vec<String> = findings(&analysis).into_iter().map(|found| found.message).collect();
    assert_eq!(
        messages,
        [
            "up to 32 sectors per request for any `width` of 2 or more; 4 would suffice (assumed launch: block 256 x 1 x 1): lanes are \
             4 * `width` bytes apart. Let adjacent threadIdx.x access adjacent addresses, or transpose a tile through shared memory.",
        ]
    );
    let at = ROWS.find("in[row").expect("the text contains it");
    let hover = analysis.hover(at + 2).expect("nothing cancels it").expect("there is an access");
    assert!(
        hover.markdown.starts_with(
            "- `rows` (assumed launch: block 256 x 1 x 1): Global load; no launch states `width`; sectors per request: 4 if it is 1, \
             8 if it is 2, 32 if it is large (4 would suffice)."
        ),
        "{}",
        hover.markdown
    );
    // The hardware determines the addresses of a fragment's lanes: only a hover states their cost.
    let at = ROWS.find("load_matrix").expect("the text contains it");
    let hover = analysis.hover(at).expect("nothing cancels it").expect("there is an access");
    assert!(
        hover
            .markdown
            .contains("no launch states `width`; sectors per request: 8 if it is large (4 would suffice)"),
        "{}",
        hover.markdown
    );
}

const SHARED_NAME: &str = "\
namespace one { __global__ void k(float *a, int n) { a[threadIdx.x] = n; } }
namespace two { __global__ void k(float *a, int n, int m) { a[threadIdx.x * m] = n; } }

int main() {
  one::k<<<1, 32>>>(nullptr, 8);
  two::k<<<1, 64>>>(nullptr, 1, 16);
}
";

/// Kernels with the same name have separate launches and findings.
#[test]
fn kernels_of_one_name_are_distinguished_by_their_arguments() {
    let host = opened(SHARED_NAME);
    let analysis = snapshot(&host);
    assert_eq!(shown(SHARED_NAME, &findings(&analysis)), ["uncoalesced-access: a[threadIdx.x * m]"]);
    let at = SHARED_NAME.find("m] = n").expect("the text contains it");
    let hover = analysis.hover(at).expect("nothing cancels it").expect("there is an access");
    assert!(
        hover.markdown.starts_with("- `k` (block 64 x 1 x 1): Global store, 4 bytes per lane: 32 sectors"),
        "{}",
        hover.markdown
    );
}

/// The findings of a text, each as its code and its message.
fn said(text: &str) -> Vec<(&'static str, String)> {
    let found = findings(&snapshot(&opened(text)));
    found.into_iter().map(|finding| (finding.code, finding.message)).collect()
}

#[test]
fn elements_that_the_compiler_reads_at_once_are_no_findings() {
    let three = "__global__ void k(const float4 *p, float *d) {\n  int g = blockIdx.x * blockDim.x + threadIdx.x;\n  \
                 d[g] = p[g].x + p[g].y * p[g].w;\n}\n";
    assert_eq!(said(three), []);
    let two = three.replace(" * p[g].w", "");
    assert_eq!(said(&two).len(), 2, "half of the bytes");
    let unrolled = "__global__ void k(float *out) {\n  __shared__ float s[4096];\n  int c = threadIdx.x % 32 * 4;\n\
                    #pragma unroll\n  for (int e = 0; e < 4; e++) s[c + e] = 0.0f;\n  __syncthreads();\n  \
                    float sum = 0;\n  for (int e = 0; e < 4; e++) sum += s[threadIdx.x % 32 * 4 + e];\n  \
                    out[threadIdx.x] = sum;\n}\n";
    assert_eq!(said(unrolled), []);
    let strided = unrolled.replace("s[c + e]", "s[c + 8 * e]");
    assert_eq!(said(&strided).len(), 1, "they are not adjacent");
}

#[test]
fn advice_names_what_makes_lanes_lie_apart() {
    let kernel = |statement: &str| {
        format!(
            "struct P {{ float x, y; }};\n__global__ void k(float *x, P *p) {{\n  int t = threadIdx.x;\n  {statement}\n}}\n"
        )
    };
    let advice = |statement: &str| {
        let mut all = said(&kernel(statement));
        assert!(!all.is_empty(), "{statement}");
        all.remove(0).1
    };
    let divergent = advice("if (t % 2) x[t] = x[t] * 2; else x[t] = x[t] + 1;");
    assert!(divergent.contains("lanes between these are inactive"), "{divergent}");
    let plain = advice("x[2 * t] = 1;");
    assert!(plain.contains("Each lane uses 4 of 8 bytes") && !plain.contains("structure"), "{plain}");
    let of_structure = advice("p[t].x = 1;");
    assert!(of_structure.contains("use a structure of arrays"), "{of_structure}");
    let tree = advice("__shared__ float s[512]; s[4 * t] = 1; __syncthreads(); x[t] = s[t];");
    assert!(tree.contains("adjacent words") && !tree.contains("structure"), "{tree}");
}

#[test]
fn an_assumed_block_is_one_that_the_bounds_allow() {
    let text =
        "#define MOST 32\n__global__ void __launch_bounds__(MOST) k(float *x) { x[threadIdx.x * 2] = 1; }\n";
    let found = said(text);
    assert!(found[0].1.contains("(assumed launch: block 32 x 1 x 1)"), "{found:?}");
    let rows =
        "__global__ void __launch_bounds__(64) k(float *x) { x[threadIdx.x * 2 + threadIdx.y * 512] = 1; }\n";
    let found = said(rows);
    assert!(found[0].1.contains("block 32 x 2 x 1"), "{found:?}");
}

#[test]
fn a_wide_access_at_a_narrow_offset_is_found() {
    let text = "__global__ void k(uint1 *out, const short *in) {\n  if (threadIdx.x < 8)\n    \
                out[threadIdx.x] = ((const uint1 *)(in + threadIdx.x * 3 + 1))[0];\n}\n";
    let found = said(text);
    let misaligned: Vec<_> = found.iter().filter(|(code, _)| *code == "misaligned-vector-access").collect();
    assert_eq!(misaligned.len(), 1, "{found:?}");
    assert!(misaligned[0].1.contains("lane 0 is 2 bytes off"), "{misaligned:?}");
    assert_eq!(
        said(&text.replace("* 3 + 1", "* 4 + 2")).iter().filter(|(code, _)| code.starts_with("mis")).count(),
        0
    );
}
