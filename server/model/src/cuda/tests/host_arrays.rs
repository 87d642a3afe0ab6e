//! Pointers in host code that point into separate arrays.

use super::*;
use crate::cuda::affine::numbers::LaunchContext;
use crate::cuda::host::host_arrays::HostArrays;
use rustc_hash::FxHashSet;

/// The array that the initial value of a host variable `v` points into.
fn array(body: &str) -> Option<String> {
    let text = format!("void host(float *x, float *y, State s, State *p, int n) {{ {body} }}");
    let source = Source::parse(&text);
    let environment = Environment::new(source.unit());
    let (_, host) = environment.function("host").unwrap();
    let at = LaunchContext::in_host(&environment, host, FxHashSet::default()).unwrap();
    let arrays = HostArrays::new(host, &at).unwrap();
    arrays.array(at.variable("v")?.value.as_ref()?)
}

#[test]
fn pointers_lead_into_arrays() {
    let cases = [
        ("float *v = x;", Some("x")),
        ("float *v = x + 4 * n - 1;", Some("x")),
        ("float *v = &y[n];", Some("y")),
        ("float *v = (float *)s.data;", Some("s.data")),
        ("float *v = p->data + n;", Some("p->data")),
        ("float *a = x + n; float *b = a; float *v = b + 1;", Some("x")),
        ("float *a = (float *)malloc(n); float *v = a;", Some("a")),
        ("float *a = nullptr; cudaMalloc(&a, n); float *v = a;", Some("a")),
        // Assigned another array, or changed by reference.
        ("x = y; float *v = x;", None),
        ("float *&r = x; float *v = x;", None),
        ("std::swap(x, y); float *v = y;", None),
        ("swap_pointers(&x, &y); float *v = x;", None),
        ("x++; float *v = x;", None),
        // One of two arrays, a pointer from memory, and a name that refers to itself.
        ("float *v = n ? x : y;", None),
        ("float *v = *tables;", None),
        ("float *v = v;", None),
        // Allocated again: still a separate array.
        ("x = (float *)malloc(n); float *v = x;", Some("x")),
    ];
    for (body, expected) in cases {
        assert_eq!(array(body).as_deref(), expected, "{body}");
    }
}
