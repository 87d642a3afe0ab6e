//! Loops in host code whose launches could be merged into one.

use super::*;

/// Returns the array in which each launch of the loop in `host` writes a separate section; `None` if the launches
/// cannot be combined.
fn array(host: &str) -> Option<String> {
    let text = format!(
        "#define BLOCKS(n) (((n) + 255) / 256)
         inline int blocks(int n) {{ int whole = n / 256; return whole + (n % 256 != 0); }}
         inline int printed(int n) {{ printf(\"%d\", n); return n; }}
         inline int counted(int n) {{ static int all = 0; return all += n; }}
         inline int endless(int n) {{ return endless(n - 1); }}
         __global__ void scale(const float *x, float *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }}
         __global__ void put(float *y, int b, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; y[b * n + i] = 1; }}
         __global__ void shifted(float *y, int from) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; y[from + i] = 1; }}
         __global__ void between(float *y, int a, int b) {{ y[100 * a - 100 * b + threadIdx.x] = 1; }}
         __global__ void rows(float *y, int n) {{ y[threadIdx.y * n + threadIdx.x] = 1; }}
         __global__ void rounded(float *y, int b, int n) {{
           int row = (n + 31) / 32 * 32; y[b * row + threadIdx.x] = 1; }}
         __global__ void halves(float *y, int b, int n) {{ y[b / 2 * n + threadIdx.x] = 1; }}
         __global__ void either(float *y, int b, int n) {{ y[(b > 4 ? b : 4) * n + threadIdx.x] = 1; }}
         __global__ void squares(float *y, int b) {{ y[b * b + threadIdx.x] = 1; }}
         __global__ void strided(float *y, int b) {{ y[b * threadIdx.x] = 1; }}
         __global__ void same(float *y, int b, int n) {{ y[(b + 1) * n - b * n + threadIdx.x] = 1; }}
         __global__ void by_grid(float *y, int b) {{
           y[(b * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = 1; }}
         __global__ void hidden(float *y, int b, int n) {{ {{ int n = 0; y[b * n + threadIdx.x] = 1; }} }}
         __global__ void summed(float *y, int b, int n) {{ atomicAdd(&y[b * n + threadIdx.x], 1.0f); }}
         __global__ void looped(float *y, int b, int n) {{
           for (int k = threadIdx.x; k < n; k += blockDim.x) y[b * n + k] = 1; }}
         __global__ void shared(float *y, int b, int n) {{ y[b * n + threadIdx.x] = y[threadIdx.x]; }}
         void host(float *x, float *y, int batch, int n, int m, dim3 g, dim3 t, S s) {{ {host} }}"
    );
    let source = Source::parse(&text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let found = launches(&environment, &arch, environment.function("host").unwrap().0);
    let own = found.last().unwrap();
    let (_, kernel) = environment.function(&own.function).unwrap();
    launch_loop(&environment, kernel, own).map(|found| found.array)
}

#[test]
fn passes_write_parts_of_their_own() {
    let loops = [
        "scale<<<16, 256>>>(x, y + b * n, n);",
        "float *part = &y[(size_t)b * n]; scale<<<16, 256>>>(x + b * n, part, n); cudaGetLastError();",
        "int off = b * n; int more = off + 4; scale<<<16, 256>>>(x, y + more, n);",
        "put<<<16, 256>>>(y, b, 4096);",
        "put<<<g, t>>>(y, b, n);",
        "shifted<<<16, 256>>>(y, b * n);",
        "shifted<<<16, 256>>>(y, b * s.stride);",
        "shifted<<<16, 256>>>(y, n - b * 4096);",
        "idx_t from = (idx_t)b * n; shifted<<<16, 256>>>(y, from);",
        "shifted<<<16, 256>>>(y, b * n + b * m);",
        "between<<<1, 100>>>(y, 2 * b, b);",
        "rows<<<4, dim3(32, 8)>>>(y + 8 * b * n, n);",
        "rounded<<<1, 32>>>(y, b, n);",
        "by_grid<<<8, 128>>>(y, b);",
        "by_grid<<<g, t>>>(y, b);",
        "looped<<<1, 32>>>(y, b, n);",
        // Sizes from macros and functions whose text is in the unit, and from functions that are known only by name.
        "scale<<<BLOCKS(n), 256>>>(x, y + b * n, n);",
        "scale<<<blocks(n), 256>>>(x, y + b * n, n);",
        "scale<<<min(CEIL_DIV(n, 256), 64), 256>>>(x, y + b * n, n);",
    ];
    for body in loops {
        let host = format!("for (int b = 0; b < batch; b++) {{ {body} }}");
        assert_eq!(array(&host).as_deref(), Some("y"), "{body}");
    }
    for host in [
        "for (int i = 0; i < n; i += 4096) scale<<<16, 256>>>(x + i, y + i, 4096);",
        "for (int i = 0; i < n; i += m) scale<<<16, 256>>>(x + i, y + i, m);",
        "for (int b = batch; b > 0; b--) scale<<<16, 256>>>(x, y + b * n, n);",
        "for (int b = 0; b < 8; b++) scale<<<4, 256>>>(x, y + b * 1024, 1024);",
        "int k = n; int o = 2 * k; k = 7; for (int b = 0; b < 8; b++) shifted<<<16, 256>>>(y, b * o - b * k);",
    ] {
        assert_eq!(array(host).as_deref(), Some("y"), "{host}");
    }
}

#[test]
fn passes_that_meet_or_may_meet_are_not_reported() {
    let loops = [
        // The same part each time, although a number changes.
        "scale<<<16, 256>>>(x, y, n);",
        "scale<<<16, 256>>>(x, y + b * 0, n);",
        "scale<<<16, 256>>>(x, y + (b - b) * n, n);",
        "between<<<1, 100>>>(y, b, b);",
        "same<<<1, 32>>>(y, b, n);",
        "hidden<<<1, 32>>>(y, b, n);",
        // Parts that overlap: by a few elements, by a row of threads of unknown size, by a block.
        "put<<<16, 256>>>(y, b, 100);",
        "rows<<<4, dim3(32, 8)>>>(y + b * n, n);",
        "rows<<<g, t>>>(y + b * n, n);",
        "shifted<<<16, 256>>>(y, b * 512);",
        // Distances that differ between iterations or between threads.
        "scale<<<4, 256>>>(x, y + b % 4 * n, n);",
        "halves<<<1, 32>>>(y, b, n);",
        "either<<<1, 32>>>(y, b, n);",
        "squares<<<1, 32>>>(y, b);",
        "strided<<<1, 32>>>(y, b);",
        "shifted<<<16, 256>>>(y, b * b);",
        "shifted<<<16, 256>>>(y, sizes[b]);",
        "shifted<<<16, 256>>>(y, (float)b * n);",
        // An iteration reads what another one wrote, or adds to it.
        "scale<<<16, 256>>>(y, y + b * n, n);",
        "shared<<<1, 32>>>(y, b, n);",
        "summed<<<1, 32>>>(y, b, n);",
        // The loop does more than launch.
        "scale<<<16, 256>>>(x, y + b * n, n); cudaDeviceSynchronize();",
        "scale<<<printed(n), 256>>>(x, y + b * n, n);",
        "scale<<<counted(n), 256>>>(x, y + b * n, n);",
        "scale<<<endless(n), 256>>>(x, y + b * n, n);",
        "scale<<<b + 1, 256>>>(x, y + b * n, n);",
        "scale<<<16, 256, 0, streams[b]>>>(x, y + b * n, n);",
    ];
    for body in loops {
        let host = format!("for (int b = 0; b < batch; b++) {{ {body} }}");
        assert_eq!(array(&host), None, "{body}");
    }
    for host in [
        "for (int i = 0; i < n; i += 100) scale<<<16, 256>>>(x + i, y + i, 4096);",
        "for (int b = 0; b < 1; b++) scale<<<16, 256>>>(x, y + b * n, n);",
        "for (int b = 1; b < n; b *= 2) scale<<<16, 256>>>(x, y + b * n, n);",
        "float *z = y; for (int b = 0; b < 8; b++) scale<<<16, 256>>>(z, y + b * n, n);",
        "x = y; for (int b = 0; b < 8; b++) scale<<<16, 256>>>(x, y + b * n, n);",
    ] {
        assert_eq!(array(host), None, "{host}");
    }
}
