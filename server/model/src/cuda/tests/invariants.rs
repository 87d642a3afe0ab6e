//! Loads that have the same address in every iteration of a loop: loads that nvcc 13.5 leaves in the loop, and loads
//! that must not be reported.

use super::{POINTER, SourceSpan, launched, number};

/// Returns the source text of each invariant load that is found in a kernel `k` with this body.
fn found(more: &str, parameters: &str, body: &str) -> Vec<String> {
    let text = format!("{more}\n__global__ void k({parameters}) {{\n{body}\n}}");
    let count = parameters.split(',').count();
    let mut arguments = vec![POINTER; count];
    arguments[count - 1] = number(2000);
    let (run, source) = launched(&text, [2, 1, 1], [64, 1, 1], &arguments);
    let units = &source.unit().items;
    let shown = |place: &SourceSpan| text[units[place.item as usize].range(&place.range())].to_owned();
    run.invariant_loads.iter().map(|load| shown(&load.place)).collect()
}

const PLAIN: &str = "const float *a, const float *b, float *o, int n";

#[test]
fn loads_that_a_store_or_a_barrier_keeps_in_the_loop_are_found() {
    let shared =
        "__shared__ float t[256], u[256]; t[threadIdx.x] = b[threadIdx.x]; __syncthreads(); float s = 0;";
    let with = |body: &str| format!("{shared} {body} o[threadIdx.x] = s + u[0];");
    for (body, expected) in [
        ("for (int i = 0; i < n; i++) o[i * 32 + threadIdx.x] = b[i] * a[threadIdx.x];", "a[threadIdx.x]"),
        ("for (int i = 0; i < n; i++) { if (b[i] > 3) o[i] = a[0]; float x = a[1]; }", "a[1]"),
        ("for (int i = 0; i < n; i++) atomicAdd(o + i, b[i] * *a);", "*a"),
        (
            "float s = 0; for (int i = 0; i < n; i++) { s += a[threadIdx.x]; __syncthreads(); } o[0] = s;",
            "a[threadIdx.x]",
        ),
        (
            "float s = 0; for (int i = 0; i < n; i++) { s += a[threadIdx.x]; __syncwarp(); } o[0] = s;",
            "a[threadIdx.x]",
        ),
        (
            &with("for (int i = 0; i < n; i++) { s += t[threadIdx.x ^ 1]; __syncthreads(); }"),
            "t[threadIdx.x ^ 1]",
        ),
        (
            &with(
                "for (int i = 0; i < n; i++) { u[threadIdx.x] = b[i]; __syncthreads(); s += t[3]; __syncthreads(); }",
            ),
            "t[3]",
        ),
    ] {
        assert_eq!(found("", PLAIN, body), [expected], "{body}");
    }
}

#[test]
fn loads_that_the_compiler_moves_or_that_change_are_not_found() {
    let loops =
        |body: &str| format!("float s = 0; for (int i = 0; i < n; i++) {{ {body} }} o[threadIdx.x] = s;");
    for body in [
        // Hoisted by the compiler.
        "s += b[i] * a[threadIdx.x];",
        "o[i] = b[i] * __ldg(a + threadIdx.x);",
        "s += __shfl_xor_sync(~0u, a[threadIdx.x], 1);",
        // The array is written, or may be.
        "o[threadIdx.x] += b[i];",
        "o[i] = a[3]; float *q = (float *)a; if (i == 1990) q[3] = 1;",
        "o[i] = a[3]; unknown(a);",
        "o[i] = a[3]; asm volatile(\"\" :: \"l\"(a));",
        "o[i] = a[3]; __threadfence();",
        // The address changes later.
        "o[i] = a[i >> 10];",
        "int r = i / 1024; o[i] = a[r];",
        "o[i] = a[AT];",
        "int j = 0; unknown(j); o[i] = a[j];",
        // Not in every iteration.
        "o[i] = n > 5 ? a[3] : 0;",
        "if (i == 1000) continue; o[i] = a[3];",
        "if (a) o[i] = a[3];",
    ] {
        let found = found("#define AT (i >> 10)", PLAIN, &loops(body));
        assert!(found.is_empty(), "{found:?} in {body}");
    }
    for parameters in [
        "const float *__restrict__ a, const float *b, float *o, int n",
        "const float *a, const float *b, float *__restrict__ o, int n",
        "const volatile float *a, const float *b, float *o, int n",
    ] {
        let found = found("", parameters, &loops("o[i] = a[threadIdx.x];"));
        assert!(found.is_empty(), "{found:?} with {parameters}");
    }
    let tile = "__shared__ float t[256]; float s = 0; for (int i = 0; i < n; i++) { t[threadIdx.x] = b[i * 64 + threadIdx.x]; \
                __syncthreads(); s += t[threadIdx.x ^ 1]; __syncthreads(); } o[0] = s;";
    assert!(found("", PLAIN, tile).is_empty());
}
