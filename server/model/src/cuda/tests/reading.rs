//! Bounds, loops and pairs of launches that are read without a run.

use super::*;

/// The kernel `k` of a text at a launch, as a question answers.
fn read<T>(
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

/// `66 by 5, 66 by 5, along`: bounds and tiles by axis, and whether threads beyond them go along.
fn bounds(body: &str, launch: [[u32; 3]; 2], numbers: &[i64]) -> Option<String> {
    let text = format!(
        "__device__ float at(const float *p, int i) {{ return p[i] + 1; }}
         __device__ void set(float *p, int i) {{ p[i] = 1; }}
         __global__ void k(float *y, const float *x, int w, int h) {{ {body} }}"
    );
    let tiles = read(&text, launch, numbers, tiles)?;
    let axes = tiles.axes.iter().flatten().map(|axis| format!("{} by {}", axis.extent, axis.tiles));
    let along = tiles.go_along.then(|| "along".to_owned());
    Some(axes.chain(along).collect::<Vec<_>>().join(", "))
}

#[test]
fn bounds_are_read_where_all_stores_stand_behind_them() {
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
    // Another store, more tiles than the bound needs, a bound that only memory tells, a variable that changes.
    assert_eq!(read("if (u < w) y[u] = 1; y[v] = 2;"), None);
    assert_eq!(read("if (u < w / 2) y[u] = 1;"), None);
    assert_eq!(read("if (u < x[0]) y[u] = 1;"), None);
    assert_eq!(read("if (u < w) y[u] = 1; u++;"), None);
    // A place within the block is no place in what there is.
    assert_eq!(read("if (threadIdx.x < w) y[u] = 1;"), None);
}

#[test]
fn tiles_of_one_axis_of_the_grid_are_told_apart() {
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
    // Of 16 x 16, warps are 2 rows: those that have none of the 66 rows leave at once.
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

fn free(body: &str) -> Option<u64> {
    let text = format!(
        "__global__ void k(float *y, const float *x, int n, int m) {{ int t = threadIdx.x; {body} }}"
    );
    read(&text, [[4, 1, 1], [32, 1, 1]], &[100, 10], free_loop).map(|found| found.passes)
}

#[test]
fn passes_are_free_where_they_keep_to_their_own_elements() {
    assert_eq!(free("for (int i = 0; i < n; i++) y[i * 32 + t] = x[i];"), Some(100));
    assert_eq!(
        free("for (int i = 0; i < n; i += 2) { float s = 0; s += x[i]; y[i + t * n] += s; }"),
        Some(50)
    );
    assert_eq!(
        free("for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) y[i * m + k] = x[k];"),
        Some(100)
    );
    assert_eq!(
        free("for (int i = 0; i < n; i++) { float *row = y + i * m; row[0] = 1; row[9] = 2; }"),
        Some(100)
    );
    for bound in [
        // Passes overlap, or read what others wrote.
        "for (int i = 0; i < n; i++) for (int k = 0; k <= m; k++) y[i * m + k] = x[k];",
        "for (int i = 0; i < n; i++) y[i + 1] = y[i];",
        "for (int i = 0; i < n; i++) y[t] = x[i];",
        "for (int i = 0; i < n; i++) y[int(x[i])] = 1;",
        // Something goes from pass to pass, out of the loop, or to all threads.
        "float s = 0; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; }",
        "for (int i = 0; i < n; i++) { if (x[i] > 0) break; y[i] = 1; }",
        "for (int i = 0; i < n; i++) { atomicAdd(&y[i], 1.0f); }",
        "for (int i = 0; i < n; i++) { y[i] = 1; __syncthreads(); }",
        "for (int i = 0; i < n; i++) { y[i] = x[i]; g(y); }",
        // Read again behind the loop; another loop; bounds that differ among threads.
        "for (int i = 0; i < n; i++) y[i] = 1; y[0] = 2;",
        "float s = 0; for (int i = 0; i < n; i++) s += x[i]; for (int i = 0; i < n; i++) y[i] = s;",
        "for (int i = t; i < n; i++) y[i * 32] = 1;",
    ] {
        assert_eq!(free(bound), None, "{bound}");
    }
}

/// The array and the bytes that fusing the last launch of `host` with the one before saves.
fn fused(host: &str) -> Option<(String, u64)> {
    let text = format!(
        "__global__ void scale(const float *x, float *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }}
         __global__ void k(const float *a, float *b, int n) {{
           int i = threadIdx.x + blockDim.x * blockIdx.x; if (i >= n) return; b[i] += a[i]; }}
         __global__ void shift(const float *a, float *b, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i + 1 < n) b[i] = a[i + 1]; }}
         void host(float *p, float *q, float *r) {{ {host} }}"
    );
    let source = Source::parse(&text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let item = environment.function("host").unwrap().0;
    let found = launches(&environment, &arch, item);
    let found: Vec<&FoundLaunch> = found.iter().collect();
    let last = *found.last()?;
    let (_, kernel) = environment.function(&last.function)?;
    fusible(&environment, kernel, last, &found).map(|own| (own.array, own.elements * own.bytes))
}

#[test]
fn launches_are_fused_where_each_thread_reads_its_own() {
    let first = "scale<<<4, 256>>>(p, q, 1000);";
    let saved = |rest: &str| fused(&format!("{first} {rest}"));
    assert_eq!(saved("k<<<4, 256>>>(q, r, 1000);"), Some(("q".to_owned(), 4000)));
    assert_eq!(
        saved("CHECK(cudaGetLastError()); k<<<4, 256, 0, 0>>>(q, r, 900);"),
        Some(("q".to_owned(), 3600))
    );
    // In place, too: each element is its thread's alone.
    assert_eq!(saved("k<<<4, 256>>>(q, p, 1000);"), Some(("q".to_owned(), 4000)));
    for other in [
        "shift<<<4, 256>>>(q, r, 1000);",
        "k<<<2, 512>>>(q, r, 1000);",
        "k<<<4, 256, 0, stream>>>(q, r, 1000);",
        "k<<<4, 256>>>(p, r, 1000);",
        "k<<<4, 256>>>(q + 1, r, 1000);",
        "cudaDeviceSynchronize(); k<<<4, 256>>>(q, r, 1000);",
    ] {
        assert_eq!(saved(other), None, "{other}");
    }
}
