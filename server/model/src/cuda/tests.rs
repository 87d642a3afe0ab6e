//! Runs kernels in the interpreter, with the data of an H100, and checks the requests of each access.

mod depth;
mod doubted;
mod fragments;
mod fusion;
mod host_arrays;
mod instances;
mod invariants;
mod launch_loop;
mod macros;
mod methods;
mod numbers;
mod overloads;
mod passes;
mod strided;
mod tensor_maps;
mod tiles;
mod touched;

use super::*;
use machine::{Machine, MemorySpace};
use syntax::cuda::Source;

/// Returns the accesses of a launch of `k`, each as `line space kind: requests per warp x taken of ideal`. A `?` at
/// the end means that some requests are unknown; a `?` alone, that all are.
fn accesses(text: &str, grid: [u32; 3], block: [u32; 3], arguments: &[Argument]) -> Vec<String> {
    let (run, source) = launched(text, grid, block, arguments);
    let line = |site: &Site| {
        let at = source.unit().items[site.place.item as usize].start + site.place.start;
        text[..at as usize].matches('\n').count() + 1
    };
    let shown = |(site, used): &(Site, SiteUse)| {
        let space = if used.space == MemorySpace::Shared { "shared" } else { "global" };
        let kind = format!("{:?}", site.kind).to_lowercase();
        let line = line(site);
        if used.requests <= 0.0 {
            return format!("{line} {space} {kind}: ?");
        }
        let each = |sum: f64| (sum / used.requests * 100.0).round() / 100.0;
        let requests = (used.requests / run.warps as f64 * 100.0).round() / 100.0;
        let unknown = if used.unknown > 0.0 { " ?" } else { "" };
        format!("{line} {space} {kind}: {requests} x {} of {}{unknown}", each(used.taken), each(used.ideal))
    };
    run.uses.iter().map(shown).collect()
}

fn launched(text: &str, grid: [u32; 3], block: [u32; 3], arguments: &[Argument]) -> (Run, Source) {
    let source = Source::parse(text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let arguments = arguments.to_vec();
    let launch = Configuration { grid, block, arguments, templates: Vec::new() };
    let (kernel, _) = environment.function("k").unwrap();
    (run(&environment, &arch, kernel, &launch).unwrap(), source)
}

const POINTER: Argument = Argument::Pointer;

fn number(value: i64) -> Argument {
    Argument::Number(value)
}

#[test]
fn lanes_side_by_side_fill_their_sectors() {
    let text = "__global__ void k(float *x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)\n    x[i] = 1;\n}";
    assert_eq!(
        accesses(text, [64, 1, 1], [256, 1, 1], &[POINTER, number(1 << 14)]),
        ["4 global store: 1 x 4 of 4"]
    );
    // An unspecified size counts as larger than any index.
    assert_eq!(accesses(text, [64, 1, 1], [256, 1, 1], &[]), ["4 global store: 1 x 4 of 4"]);
}

#[test]
fn macros_templates_and_shared_tiles() {
    let text = "#define IDX(r, c) ((r) * w + (c))\n\
                template <int PAD> __device__ void tile(float *o, const float *i, int w) {\n\
                __shared__ float t[32][32 + PAD];\n\
                t[threadIdx.y][threadIdx.x] = i[IDX(threadIdx.y, threadIdx.x)];\n\
                __syncthreads();\n\
                o[IDX(threadIdx.y, threadIdx.x)] = t[threadIdx.x][threadIdx.y];\n\
                }\n\
                __global__ void k(float *o, const float *i, int w) { tile<PADDING>(o, i, w); }";
    let arguments = [POINTER, POINTER, number(1024)];
    for (padding, taken) in [("0", "32"), ("1", "1")] {
        let text = text.replace("PADDING", padding);
        let found = accesses(&text, [1, 1, 1], [32, 32, 1], &arguments);
        let expected = [
            "4 shared store: 1 x 1 of 1".to_owned(),
            "4 global load: 1 x 4 of 4".to_owned(),
            "6 global store: 1 x 4 of 4".to_owned(),
            format!("6 shared load: 1 x {taken} of 1"),
        ];
        let mut sorted = (found, expected.to_vec());
        sorted.0.sort();
        sorted.1.sort();
        assert_eq!(sorted.0, sorted.1);
    }
}

#[test]
fn long_loops_are_stepped_over_and_counted_whole() {
    let text = "__global__ void k(const float *a, float *s, int n) {\n  float sum = 0;\n  for (int i = 0; i < n; i++)\n    sum += a[threadIdx.x * n + i];\n  for (int i = threadIdx.x; i < 4 * n; i += 32)\n    s[i] = sum;\n}";
    assert_eq!(
        accesses(text, [1, 1, 1], [32, 1, 1], &[POINTER, POINTER, number(4096)]),
        ["4 global load: 4096 x 32 of 4", "6 global store: 512 x 4 of 4"]
    );
}

#[test]
fn what_memory_decides_is_unknown_and_what_it_does_not_is_known() {
    let text = "__global__ void k(const int *p, float *x, float *y) {\n  int i = threadIdx.x;\n  int j = p[i];\n  x[j] = 1;\n  if (x[i] > 0) y[i * 8] = 1;\n  y[i * 8] = 2;\n  while (p[i] > 3) i++;\n  y[i] = 3;\n}";
    assert_eq!(
        accesses(text, [1, 1, 1], [32, 1, 1], &[POINTER, POINTER, POINTER]),
        [
            "3 global load: 1 x 4 of 4",
            "4 global store: ?",
            "5 global load: 1 x 4 of 4",
            "5 global store: ?",
            "6 global store: 1 x 32 of 4",
            "7 global load: 1 x 4 of 4 ?",
            "8 global store: ?",
        ]
    );
}

#[test]
fn all_lanes_take_the_same_unknown_side() {
    let text = "__global__ void k(const int *p, float *x) {\n  if (p[0] > 3)\n    x[threadIdx.x * 2] = 1;\n}";
    assert_eq!(
        accesses(text, [1, 1, 1], [32, 1, 1], &[POINTER, POINTER]),
        ["2 global load: 1 x 1 of 1", "3 global store: 1 x 8 of 4"]
    );
}

#[test]
fn vectors_structures_and_atomics() {
    let text = "struct P { float x, y, z; };\n__global__ void k(const float4 *v, P *p, int *n, float *f) {\n  float4 a = v[threadIdx.x];\n  P q = p[threadIdx.x];\n  p[threadIdx.x].y = a.x;\n  atomicAdd(n, 1);\n  atomicAdd(f, q.x);\n}";
    assert_eq!(
        accesses(text, [1, 1, 1], [32, 1, 1], &[POINTER, POINTER, POINTER, POINTER]),
        [
            "3 global load: 1 x 16 of 16",
            "4 global load: 3 x 12 of 4",
            "5 global store: 1 x 12 of 4",
            "6 global atomic: 1 x 1 of 1",
            "7 global atomic: 1 x 32 of 4",
        ]
    );
}

#[test]
fn barriers_are_counted_and_divergent_barriers_are_noted() {
    let text = "__global__ void k() {\n  if (threadIdx.x >= 40) return;\n  __syncthreads();\n  if (threadIdx.x % 2) __syncthreads();\n  for (int i = 0; i < 3; i++) __syncthreads();\n}";
    let (run, source) = launched(text, [1, 1, 1], [64, 1, 1], &[]);
    let lines: Vec<usize> = run
        .divergent_barriers
        .iter()
        .map(|place| {
            let at = source.unit().items[place.item as usize].start + place.start;
            text[..at as usize].matches('\n').count() + 1
        })
        .collect();
    assert_eq!(lines, [4]);
}

#[test]
fn barriers_of_trips_that_are_stepped_over_are_counted() {
    let text = "__global__ void k(int n) {\n  for (int i = 0; i < n; i++) {\n    __syncthreads();\n    for (int j = 0; j < 100; j++) __syncthreads();\n  }\n}";
    let (run, _) = launched(text, [4, 1, 1], [64, 1, 1], &[number(1000)]);
    let each: Vec<u64> = run.barriers_by_place.iter().map(|barrier| barrier.passed.round() as u64).collect();
    assert_eq!((run.barriers.round() as u64, each), (101_000, vec![1000, 100_000]));
    assert!(run.whole_barriers().is_some());
    let (run, _) = launched(text, [4, 1, 1], [64, 1, 1], &[]);
    assert!(run.whole_barriers().is_none(), "the value of n is unknown");
}

#[test]
fn branches_on_which_lanes_part_are_counted() {
    let text = "__global__ void k(float *x, int n) {\n  int i = threadIdx.x;\n  if (i % 2) x[i] = 1; else x[i] = 2;\n  if (i < n) x[i] = 3;\n  for (int j = 0; j < i; j++) x[j] = 4;\n  if (i / 32) x[i] = 5;\n}";
    let (run, _) = launched(text, [1, 1, 1], [64, 1, 1], &[POINTER, number(48)]);
    let shown: Vec<_> = run
        .divergent_branches
        .iter()
        .map(|branch| {
            (
                &text[branch.place.start as usize..branch.place.end as usize],
                branch.warps,
                branch.taken / branch.lanes,
                branch.is_alternating,
            )
        })
        .collect();
    let loop_share = (31.0 * 32.0 / 2.0 + 32.0 * 32.0 + 31.0 * 32.0 / 2.0) / (94.0 * 32.0);
    assert_eq!(shown[0], ("i % 2", 2, 0.5, true));
    assert_eq!(shown[1], ("i < n", 1, 0.75, false));
    assert_eq!((shown[2].0, shown[2].1, shown[2].3), ("j < i", 2, false));
    assert!((shown[2].2 - loop_share).abs() < 0.01, "{} for {loop_share}", shown[2].2);
    assert_eq!(shown.len(), 3);
    assert!(run.warp_efficiency.is_some_and(|share| share > 0.5 && share < 0.9));
}

#[test]
fn groups_of_threads_are_known() {
    let text = "namespace cg = cooperative_groups;\n__global__ void k(float *x) {\n  cg::thread_block block = cg::this_thread_block();\n  auto tile = cg::tiled_partition<16>(block);\n  x[block.thread_rank() * 2] = 1;\n  x[tile.meta_group_rank() * 16 + tile.thread_rank()] = 2;\n  block.sync();\n  tile.sync();\n  if (tile.thread_rank() == 0) block.sync();\n}";
    assert_eq!(
        accesses(text, [1, 1, 1], [32, 4, 1], &[POINTER]),
        ["5 global store: 1 x 8 of 4", "6 global store: 1 x 4 of 4"]
    );
    let (run, _) = launched(text, [1, 1, 1], [32, 4, 1], &[POINTER]);
    assert_eq!((run.barriers.round() as u64, run.divergent_barriers.len()), (2, 1));
}

#[test]
fn divisions_by_run_time_values_are_noted() {
    let text = "template <int W> __device__ int row(int i, int pitch) { return i / pitch + i % W; }\n__global__ void k(int *x, const int *size, int n, int bits) {\n  int width = 2 * n, few = 8, w = size[0];\n  for (int i = threadIdx.x; i < n; i += 32) {\n    x[i] = i / width + i % few + i / (1 << bits) + n / width;\n    x[i] = i % w;\n    x[i] = row<3>(i, n);\n    x[i] %= gridDim.x;\n  }\n  x[0] = n / width;\n}";
    let (run, source) = launched(text, [1, 1, 1], [32, 1, 1], &[POINTER, POINTER, number(1000), number(3)]);
    let shown: Vec<_> = run
        .divisions
        .iter()
        .map(|one| {
            let start = source.unit().items[one.place.item as usize].start;
            let range = (start + one.place.start) as usize..(start + one.place.end) as usize;
            (&text[range], one.is_remainder, one.bytes, one.is_signed)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("i / pitch", false, 4, true),
            ("i / width", false, 4, true),
            ("i % w", true, 4, true),
            ("x[i]", true, 4, false),
        ]
    );
}

#[test]
fn a_remainder_and_its_quotient_are_one_division() {
    let text = "__global__ void k(int *x, int n, int d, int e) {\n  for (int i = threadIdx.x; i < n; i += 32) {\n    const int q = i / d, r = i % d;\n    x[q] = r + i % e;\n  }\n}";
    let (run, _) = launched(text, [1, 1, 1], [32, 1, 1], &[POINTER, number(1000), number(7), number(9)]);
    let shown: Vec<_> =
        run.divisions.iter().map(|one| &text[one.place.start as usize..one.place.end as usize]).collect();
    assert_eq!(shown, ["i / d", "i % e"]);
}

#[test]
fn double_constants_are_those_that_the_compiler_computes_with_in_double_precision() {
    let cases: &[(&str, &[&str])] = &[
        ("p[0] = 1.0 / x", &[]),
        ("p[0] = x * 0.25", &[]),
        ("p[0] = x / 3.0", &[]),
        ("p[0] = x * y + 1.0", &[]),
        ("p[0] = -(x - 1.0)", &[]),
        ("x += 1.0", &[]),
        ("if (x > 0.5) p[0] = 0", &[]),
        ("if (x > 1.0 && y == 0.0) p[0] = 0", &[]),
        ("p[0] = x * 0.1", &["0.1"]),
        ("x *= 0.1", &["0.1"]),
        ("p[0] = x + 16777217.0", &["16777217.0"]),
        ("if (x > 0.1) p[0] = 0", &["0.1"]),
        ("if (-0.1 < x) p[0] = 0", &["0.1"]),
        ("p[0] = 0.5 * x + y", &["0.5"]),
        ("p[0] = (x + 1.0) * 2.0", &["1.0"]),
        ("p[0] += x * 0.5", &["0.5"]),
        ("if (x * 0.5 > y) p[0] = 0", &["0.5"]),
    ];
    for (statement, constants) in cases {
        let text = format!(
            "__global__ void k(float *p) {{ float x = p[threadIdx.x], y = p[threadIdx.x + 32]; {statement}; }}"
        );
        let (run, _) = launched(&text, [1, 1, 1], [32, 1, 1], &[POINTER]);
        let shown: Vec<_> = run
            .double_constants
            .iter()
            .map(|place| &text[place.start as usize..place.end as usize])
            .collect();
        assert_eq!(shown, *constants, "{statement}");
    }
}

#[test]
fn barriers_that_lanes_may_jump_over_are_not_plain() {
    let text = "__global__ void k(int *x) {\n  if (x[threadIdx.x]) goto out;\n  __syncthreads();\nout:\n  x[0] = 1;\n}";
    assert!(launched(text, [1, 1, 1], [32, 1, 1], &[POINTER]).0.plain_barriers.is_empty());
    let text = "__global__ void k(int *x) {\n  x[threadIdx.x] = 0;\n  __syncthreads();\n  x[0] = 1;\n}";
    assert_eq!(launched(text, [1, 1, 1], [32, 1, 1], &[POINTER]).0.plain_barriers.len(), 1);
}

#[test]
fn adjacent_elements_are_accessed_in_runs() {
    let text = "__global__ void k(float *x) {\n  __shared__ float s[4096];\n  for (int e = 0; e < 4; e++) s[threadIdx.x * 4 + e] = 0;\n  for (int e = 0; e < 6; e++) x[e] = s[threadIdx.x * 8 + e];\n}";
    let (run, _) = launched(text, [1, 1, 1], [64, 1, 1], &[POINTER]);
    let runs: Vec<_> = run
        .uses
        .iter()
        .filter(|(_, used)| used.space == MemorySpace::Shared)
        .map(|(_, used)| (used.is_in_runs_of(2), used.is_in_runs_of(4)))
        .collect();
    assert_eq!(runs, [(true, true), (true, false)]);
}

#[test]
fn launches_are_found_with_the_constants_that_flow_into_them() {
    let text = "constexpr int N = 1 << 20;\n#define DIV(a, b) (((a) + (b) - 1) / (b))\ntemplate <typename T, int B> __global__ void k(T *p, int n) {}\nint main() {\n  float *p;\n  dim3 block(16, 16);\n  dim3 grid = dim3(DIV(N, 16), 4);\n  k<float, 8><<<grid, block, 1024>>>(p, N);\n  for (int i = 0; i < 3; i++) k<int, 4><<<i + 1, 32>>>(nullptr, i);\n  auto f = [=] { k<int, 2><<<N / 256, 256>>>(nullptr, 3); };\n}";
    let source = Source::parse(text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let found: Vec<_> = (0..environment.unit().items.len() as u32)
        .flat_map(|item| launches(&environment, &arch, item))
        .collect();
    let shown: Vec<_> =
        found.iter().map(|one| (one.grid, one.block, one.shared, one.arguments.len())).collect();
    assert_eq!(
        shown,
        [
            (Some([65_536, 4, 1]), Some([16, 16, 1]), Some(1024), 2),
            (Some([1, 1, 1]), Some([32, 1, 1]), Some(0), 2),
            (Some([4096, 1, 1]), Some([256, 1, 1]), Some(0), 2),
        ]
    );
    assert_eq!(found[0].templates, [TemplateValue::Type(Type::Float(4)), TemplateValue::Number(8)]);
    assert_eq!(found[0].arguments[1], Argument::Number(1 << 20));
}

#[test]
fn text_that_never_ends_or_makes_no_sense_ends() {
    for body in [
        "for (;;) x[threadIdx.x] = 1;",
        "while (true) { if (x[0] > 1) break; }",
        "int i = 0; do { i ^= 5; } while (i != 3);",
        "goto a; a: x[threadIdx.x] = 2;",
        "x[threadIdx.x / 0] = 1; x[1 << 77] = 2; x[-9223372036854775807 - 1] = 3;",
        "int a[2] = {1, 2}; a[9] = a[-1]; x[a[threadIdx.x]] = 1;",
        "k(x); x[",
        "switch (threadIdx.x) { case 0: x[0] = 1; case 1: break; default: continue; }",
        "#define A B\n#define B A\n x[A] = 1;",
        "for (int i = 0; i < 100000; i++) for (int j = 0; j < 100000; j ^= i) x[j] = 1;",
    ] {
        let text = format!("__global__ void k(float *x) {{\n{body}\n}}");
        launched(&text, [1, 1, 1], [64, 1, 1], &[POINTER]);
    }
}

#[test]
fn an_address_as_a_number_counts_bytes() {
    let cases = [
        ("*(float *)((uintptr_t)x + 8 * i) = 1;", "1 global store: 1 x 8 of 4"),
        ("*(float *)((size_t)(x + 2 * i) + 4 * i) = 1;", "1 global store: 1 x 12 of 4"),
        (
            "unsigned long long p = (unsigned long long)x; p += 4 * i; *(float *)p = 1;",
            "1 global store: 1 x 4 of 4",
        ),
        ("size_t p = reinterpret_cast<size_t>(x) + 16; ((float *)p)[i] = 1;", "1 global store: 1 x 5 of 4"),
    ];
    for (body, expected) in cases {
        let text = format!("__global__ void k(float *x) {{ int i = threadIdx.x; {body} }}");
        assert_eq!(accesses(&text, [1, 1, 1], [32, 1, 1], &[POINTER]), [expected], "{body}");
    }
}
