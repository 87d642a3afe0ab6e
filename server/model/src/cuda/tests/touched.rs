//! Accesses to global memory, found in the source without running the kernel.

use super::numbers::reading;
use crate::cuda::affine::kernel_accesses::touches;

/// Returns the accesses of a body, each as `kind pointer: offset` with `if` or `unless` for each condition.
/// Properties of the body follow: `meets` (threads synchronize), `shares` (shared memory is used) and `unclear`.
fn touched(body: &str) -> String {
    reading(body, true, |at| {
        let found = touches(at);
        let each = found.all.iter().map(|touch| {
            let place = touch.place(at).map_or("?".to_owned(), |place| place.to_string());
            let conditions =
                touch.context.conditions.iter().map(|(_, holds)| if *holds { " if" } else { " unless" });
            let kind = format!("{:?}", touch.kind).to_lowercase();
            format!("{kind} {}: {place}{}", touch.pointer.unwrap_or("?"), conditions.collect::<String>())
        });
        let meets = (!found.meetings.is_empty()).then(|| "meets".to_owned());
        let shares = found.uses_shared.then(|| "shares".to_owned());
        let unclear = found.is_unclear.then(|| "unclear".to_owned());
        each.chain(meets).chain(shares).chain(unclear).collect::<Vec<_>>().join("; ")
    })
}

#[test]
fn accesses_have_pointers_and_places() {
    let cases = [
        ("y[threadIdx.x] = x[n];", "load x: 100; store y: thread.x"),
        ("y[1] += 2;", "load y: 1; store y: 1"),
        ("(*(y + n))++;", "load y: 100; store y: 100"),
        ("*(n + y) = 1;", "store y: 100"),
        ("float *p = y + threadIdx.x; p += 4; p[1] = 1;", "store y: ?"),
        ("float *p = &y[2 * n]; p[1] = 1;", "store y: 201; unclear"),
        ("auto p = x + 1; y[0] = p[1];", "load x: 2; store y: 0"),
        ("((float4 *)y)[threadIdx.x] = v;", "store y: ?"),
        ("y[-(int)threadIdx.x] = 1;", "store y: -thread.x"),
        ("y[threadIdx.x * threadIdx.y] = 1;", "store y: thread.x * thread.y"),
        ("y[table[3]] = 1;", "store y: ?; load table: 3"),
        ("atomicAdd(&y[4], __ldg(x + 1));", "atomic y: 4; load x: 1"),
        ("y[0] = weights[3];", "store y: 0"),
        ("float a[4]; a[0] = x[1]; y[0] = a[1];", "load x: 1; store y: 0"),
        (
            "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) y[i * n + j] = 1;",
            "store y: 100 * counter0 + counter1",
        ),
        ("for (int i = 0; i < n; i++) { int n = 2; y[i * n] = 1; }", "store y: ?"),
        // A parameter that the body changes.
        ("y++; y[0] = 1;", "store y: ?"),
        // A pointer from memory.
        ("float **p = (float **)x; p[0][1] = 1;", "store x: ?"),
    ];
    for (body, expected) in cases {
        assert_eq!(touched(body), expected, "{body}");
    }
}

#[test]
fn conditions_go_with_what_they_guard() {
    let cases = [
        ("if (n) y[0] = 1; else y[1] = 1;", "store y: 0 if; store y: 1 unless"),
        ("if (n > 3 || m) return; y[0] = 1;", "store y: 0 unless"),
        ("if (n) { if (m) { return; } y[0] = 1; } y[1] = 1;", "store y: 0 if unless; store y: 1"),
        ("if (x[0] > 1) y[0] = 1;", "load x: 0; store y: 0 if"),
        ("if (n) return; else y[0] = 1; y[1] = 1;", "store y: 0 unless; store y: 1"),
    ];
    for (body, expected) in cases {
        assert_eq!(touched(body), expected, "{body}");
    }
}

#[test]
fn what_is_not_seen_is_unclear() {
    let cases = [
        ("y[0] = at(x, 1);", "load ?: ?; store y: 0"),
        ("put(y);", "load ?: ?; unclear"),
        ("unknown(y);", "unclear"),
        ("y[0] = TWICE(n);", "store y: 0; unclear"),
        ("float &a = y[1]; a = 1;", "load y: 1; unclear"),
        ("float **p = &y;", ""),
        ("auto p = &x[n];", "unclear"),
        ("asm volatile(\"\" :: \"l\"(y));", "unclear"),
        ("auto f = [&]() { y[0] = 1; };", "unclear"),
        ("__shared__ float s[32]; s[0] = 1; __syncthreads();", "meets; shares"),
        ("y[0] = __shfl_sync(~0u, n, 0);", "store y: 0; meets"),
        ("printf(\"%p\", y);", ""),
    ];
    for (body, expected) in cases {
        assert_eq!(touched(body), expected, "{body}");
    }
}
