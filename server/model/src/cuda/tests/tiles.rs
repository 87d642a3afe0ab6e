//! Bounds on thread positions, found in the source without running the kernel.

use super::*;

/// Calls `ask` with the kernel `k` of a source and a launch of it.
pub(super) fn read<T>(
    text: &str,
    [grid, block]: [[u32; 3]; 2],
    numbers: &[i64],
    ask: impl FnOnce(&Environment, &syntax::cuda::Function, &Configuration) -> T,
) -> T {
    let source = Source::parse(text);
    let environment = Environment::new(source.unit());
    let (_, kernel) = environment.function("k").unwrap();
    let mut numbers = numbers.iter();
    let arguments = kernel.parameters.iter().map(|parameter| match parameter.of.pointers {
        0 => numbers.next().map_or(Argument::Unknown, |number| Argument::Number(*number)),
        _ => Argument::Pointer,
    });
    let launch = Configuration { grid, block, arguments: arguments.collect(), templates: Vec::new() };
    ask(&environment, kernel, &launch)
}

/// Returns the bound and the number of tiles of each bounded axis, such as `66 by 5, 70 by 5, along`. The word
/// `along` means that threads beyond the bounds execute loops or barriers.
fn bounds(body: &str, launch: [[u32; 3]; 2], numbers: &[i64]) -> Option<String> {
    let text = format!(
        "#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
         __device__ float at(const float *p, int i) {{ return p[i] + 1; }}
         __device__ void set(float *p, int i) {{ p[i] = 1; }}
         __global__ void k(float *y, const float *x, int w, int h) {{ {body} }}"
    );
    let tiles = read(&text, launch, numbers, tiles)?;
    let axes = tiles.axes.iter().flatten().map(|axis| format!("{} by {}", axis.extent, axis.tiles));
    let along = tiles.go_along.then(|| "along".to_owned());
    Some(axes.chain(along).collect::<Vec<_>>().join(", "))
}

#[test]
fn bounds_that_guard_all_stores_are_read() {
    let launch = [[5, 5, 1], [16, 16, 1]];
    let place = "int u = blockIdx.x * blockDim.x + threadIdx.x; const int v = threadIdx.y + 16 * blockIdx.y;";
    let read = |rest: &str| bounds(&format!("{place} {rest}"), launch, &[66, 70]);
    assert_eq!(read("if (u < w && v < h) y[v * w + u] = 1;").as_deref(), Some("66 by 5, 70 by 5"));
    assert_eq!(
        read("if (u >= w || v > h - 1) return; y[v * w + u] = 1;").as_deref(),
        Some("66 by 5, 70 by 5")
    );
    let summed = "float s = 0; for (int i = 0; i < 9; i++) s += x[i]; if (!(u >= w)) y[u] = s;";
    assert_eq!(read(summed).as_deref(), Some("66 by 5, along"));
    assert_eq!(read("float s = at(x, v); if (u < w) y[u] = s;").as_deref(), Some("66 by 5"));
    assert_eq!(read("set(y, v); if (u < w) y[u] = 1;"), None);
    // Another store, more tiles than the bound requires, a bound from memory, a variable that changes.
    assert_eq!(read("if (u < w) y[u] = 1; y[v] = 2;"), None);
    assert_eq!(read("if (u < w / 2) y[u] = 1;"), None);
    assert_eq!(read("if (u < x[0]) y[u] = 1;"), None);
    assert_eq!(read("if (u < w) y[u] = 1; u++;"), None);
    // A position within the block is not a position in the problem.
    assert_eq!(read("if (threadIdx.x < w) y[u] = 1;"), None);
}

#[test]
fn tiles_of_one_grid_axis_are_distinguished() {
    let body = "int tiles = (w + 15) / 16; int u = blockIdx.z % tiles * 16 + threadIdx.x;
        int v = blockIdx.z / tiles * 16 + threadIdx.y; if (u < w && v < w) y[u * w + v] = 1;";
    let tiles = |grid| bounds(body, [grid, [16, 16, 1]], &[66]);
    assert_eq!(tiles([1000, 12, 25]).as_deref(), Some("66 by 5, 66 by 5"));
    assert_eq!(tiles([1000, 12, 24]), None);
}

#[test]
fn idle_lanes_count_where_their_warps_work() {
    let text = "__global__ void k(float *y, int w) { int u = blockIdx.x * blockDim.x + threadIdx.x;
        int v = blockIdx.y * blockDim.y + threadIdx.y; if (u < w && v < w) y[u] = 1; }";
    let tiles = read(text, [[5, 5, 1], [16, 16, 1]], &[66], tiles).unwrap();
    let share = |x, y| (100.0 * tiles.idle_share([x, y, 1], 32)).round() as u32;
    // In blocks of 16 x 16, a warp has 2 rows. Warps with none of the 66 rows return at once.
    assert_eq!([share(16, 16), share(32, 8), share(66, 1)], [18, 31, 31]);
    assert_eq!(
        tiles.threads_below(&Configuration {
            grid: [5, 5, 7],
            block: [16, 16, 1],
            arguments: Vec::new(),
            templates: Vec::new(),
        }),
        66 * 66 * 7
    );
}

#[test]
fn bounds_are_read_by_what_they_say() {
    let launch = [[5, 5, 1], [16, 16, 1]];
    let place = "int u = blockIdx.x * blockDim.x + threadIdx.x; int v = threadIdx.y + 16 * blockIdx.y;";
    let cases = [
        ("if (w > u) y[u] = 1;", Some("66 by 5")),
        ("if (u + 0 <= w - 1) y[u] = 1;", Some("66 by 5")),
        ("if (ROW < w) y[u] = 1;", Some("66 by 5")),
        ("index_t a = u; if (a < w) y[a] = 1;", Some("66 by 5")),
        ("if (!(u >= w || v >= h)) y[u] = 1;", Some("66 by 5, 70 by 5")),
        // Either side may hold.
        ("if (u < w || v < h) y[u] = 1;", None),
        ("if (!(u >= w && v >= h)) y[u] = 1;", None),
        // Bounds below 0, which unsigned arithmetic would wrap, and bounds beyond the grid.
        ("if (u < w - 100u) y[u] = 1;", None),
        ("if (u < w * w) y[u] = 1;", None),
        // Positions that run backwards, twice as fast, from an offset in memory, or by two thread indices.
        ("if (w - u > 0) y[u] = 1;", None),
        ("if (2 * u < w) y[u] = 1;", None),
        ("if (u + int(x[0]) < w) y[u] = 1;", None),
        ("if (u + threadIdx.y < w) y[u] = 1;", None),
        ("if (u * v < w) y[u] = 1;", None),
        // Another variable of that name, and one that hides an index.
        ("{ int w = 3; if (u < w) y[u] = 1; }", None),
        ("{ uint3 blockIdx; int a = blockIdx.x * 16 + threadIdx.x; if (a < w) y[a] = 1; }", None),
        ("if (u < w) { if (u < h) y[u] = 1; }", None),
    ];
    for (rest, expected) in cases {
        assert_eq!(bounds(&format!("{place} {rest}"), launch, &[66, 70]).as_deref(), expected, "{rest}");
    }
}
