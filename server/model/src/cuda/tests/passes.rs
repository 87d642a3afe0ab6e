//! Kernel loops whose iterations could run in parallel.

use super::tiles::read;
use super::*;

fn free(body: &str) -> Option<u64> {
    let text = format!(
        "#define WIDTH 32
         __global__ void k(float *y, const float *x, int n, int m) {{ int t = threadIdx.x; {body} }}"
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
        // Iterations overlap, or read what others wrote.
        "for (int i = 0; i < n; i++) for (int k = 0; k <= m; k++) y[i * m + k] = x[k];",
        "for (int i = 0; i < n; i++) y[i + 1] = y[i];",
        "for (int i = 0; i < n; i++) y[t] = x[i];",
        "for (int i = 0; i < n; i++) y[int(x[i])] = 1;",
        // Iterations depend on each other, leave the loop, or synchronize threads.
        "float s = 0; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; }",
        "for (int i = 0; i < n; i++) { if (x[i] > 0) break; y[i] = 1; }",
        "for (int i = 0; i < n; i++) { atomicAdd(&y[i], 1.0f); }",
        "for (int i = 0; i < n; i++) { y[i] = 1; __syncthreads(); }",
        "for (int i = 0; i < n; i++) { y[i] = x[i]; g(y); }",
        // Written again after the loop; another loop; bounds that differ between threads.
        "for (int i = 0; i < n; i++) y[i] = 1; y[0] = 2;",
        "float s = 0; for (int i = 0; i < n; i++) s += x[i]; for (int i = 0; i < n; i++) y[i] = s;",
        "for (int i = t; i < n; i++) y[i * 32] = 1;",
    ] {
        assert_eq!(free(bound), None, "{bound}");
    }
}

#[test]
fn passes_are_apart_by_more_than_they_reach() {
    let cases = [
        // Backwards, from another start, by larger steps, on both sides of the middle.
        ("for (int i = 0; i < n; i++) y[3200 - i * 32 + t] = x[i];", Some(100)),
        ("for (int i = 0; i < n; i += 4) for (int k = 2; k < 6; k++) y[i + k] = 1;", Some(25)),
        ("for (int i = 0; i < n; i++) { y[4 * i - 1] = 1; y[4 * i + 2] = 2; }", Some(100)),
        ("for (int i = 0; i < n; i++) { y[4 * i - 1] = 1; y[4 * i + 3] = 2; }", None),
        // Each of two inner loops fits in the step of the outer one, but both together do not.
        (
            "for (int i = 0; i < n; i++) { for (int k = 0; k < 4; k++) y[4 * i + k] = 1;
             for (int k = 4; k < 8; k++) y[4 * i + k] = 2; }",
            None,
        ),
        (
            "for (int i = 0; i < n; i++) { for (int k = 0; k < 4; k++) y[8 * i + k] = 1;
             for (int k = 4; k < 8; k++) y[8 * i + k] = 2; }",
            Some(100),
        ),
        // Names: a macro, a variable that hides a parameter, and one that hides the counter.
        ("for (int i = 0; i < n; i++) y[i * WIDTH + t] = 1;", Some(100)),
        ("for (int i = 0; i < n; i++) { int m = 0; y[i * m] = 1; }", None),
        ("for (int i = 0; i < n; i++) { int i = 0; y[i] = 1; }", None),
        // Products and quotients of indices.
        ("for (int i = 0; i < n; i++) y[i * i] = 1;", None),
        ("for (int i = 0; i < n; i++) y[i * t] = 1;", None),
        ("for (int i = 0; i < n; i++) y[i / 2] = 1;", None),
        // A loop that counts down, or that compares with `!=`, has no known trip count.
        ("for (int i = n; i > 0; i--) y[i] = 1;", None),
        ("for (int i = 0; i != n; i++) y[i] = 1;", None),
    ];
    for (body, passes) in cases {
        assert_eq!(free(body), passes, "{body}");
    }
}
