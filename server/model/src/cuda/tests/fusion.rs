//! Pairs of launches that could be fused.

use super::*;

/// Returns the array that a fusion of the last launch of `host` with the preceding launch keeps in registers, and the
/// bytes that the second kernel no longer reads.
fn fused(host: &str) -> Option<(String, u64)> {
    let text = format!(
        "__global__ void scale(const float *x, float *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }}
         __global__ void k(const float *a, float *b, int n) {{
           int i = threadIdx.x + blockDim.x * blockIdx.x; if (i >= n) return; b[i] += a[i]; }}
         __global__ void shift(const float *a, float *b, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i + 1 < n) b[i] = a[i + 1]; }}
         __global__ void halves(const float *x, float *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i / 2] = x[i]; }}
         __global__ void row(const float *x, float *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 1000) y[i * n] = x[i]; }}
         __global__ void summed(const float *x, float *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&y[i], x[i]); }}
         __global__ void wide(const float *x, double *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }}
         __global__ void either(const float *x, float *y, int n) {{
           int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n || x[i] > 0) y[i] = x[i]; }}
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
    // In place, too, since each element is accessed by a single thread.
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

#[test]
fn elements_of_two_threads_are_not_kept_in_registers() {
    let saved = |first: &str| fused(&format!("{first} k<<<4, 256>>>(q, r, 1000);"));
    // Not fused, unless each thread of the first kernel writes the element that the same thread of the second reads.
    for first in [
        "halves<<<4, 256>>>(p, q, 1000);",
        "row<<<4, 256>>>(p, q, 0);",
        "summed<<<4, 256>>>(p, q, 1000);",
        "wide<<<4, 256>>>(p, (double *)q, 1000);",
        "either<<<4, 256>>>(p, q, 1000);",
    ] {
        assert_eq!(saved(first), None, "{first}");
    }
    assert_eq!(saved("row<<<4, 256>>>(p, q, 1);"), Some(("q".to_owned(), 4000)));
}
