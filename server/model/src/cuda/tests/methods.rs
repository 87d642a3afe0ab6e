//! Tests of methods of structures.

use super::{POINTER, accesses, number};

/// Returns the accesses of a kernel whose source follows that of a structure, for one block of 32 threads.
fn of(structure: &str, kernel: &str) -> Vec<String> {
    let text =
        format!("{structure}\n__global__ void k(float *x, int n) {{ int i = threadIdx.x;\n{kernel}\n}}");
    accesses(&text, [1, 1, 1], [32, 1, 1], &[POINTER, number(1 << 20)])
}

const TILE: &str = "template <int W> struct Tile { static constexpr int PAD = 1; float data[32 * (W + PAD)]; \
  __device__ float get(int r, int c) const { return\n data[r * (W + PAD) + c]; } \
  __device__ float twice(int i) { return get(i, 0) + this->get(i, 1); } \
  __device__ float &operator()(int r, int c) { return\n data[r * (W + PAD) + c]; } \
  __device__ float &operator [](int i) { return data[i]; } };";

#[test]
fn accesses_of_a_method_stand_at_its_own_lines() {
    assert_eq!(
        of(TILE, "__shared__ Tile<32> t;\nx[i] = t.get(i, 0);\n"),
        ["2 shared load: 1 x 1 of 1", "6 global store: 1 x 4 of 4"]
    );
    assert_eq!(
        of(TILE, "__shared__ Tile<31> t;\nx[i] = t.get(i, 0);\n"),
        ["2 shared load: 1 x 32 of 1", "6 global store: 1 x 4 of 4"]
    );
    assert_eq!(of(TILE, "__shared__ Tile<31> t[2];\n(&t[1])->twice(i);")[0], "2 shared load: 2 x 32 of 1");
}

#[test]
fn a_reference_that_a_method_returns_is_accessed_by_its_caller() {
    assert_eq!(of(TILE, "__shared__ Tile<31> t;\nt(i, 0) = 1;"), ["6 shared store: 1 x 32 of 1"]);
    assert_eq!(
        of(TILE, "__shared__ Tile<31> t;\nt[i * 2] += 1;"),
        ["6 shared load: 1 x 2 of 1", "6 shared store: 1 x 2 of 1"]
    );
}

#[test]
fn fields_of_an_object_keep_what_is_known_of_them() {
    let view = "struct View { float *p; int step; __device__ void set(int i) { p[i * step] = 0; } \
      __device__ void widen() { step *= 2; } __device__ void both(int i) { this->widen(); set(i); } };";
    assert_eq!(of(view, "View v{x, 2};\nv.set(i);"), ["1 global store: 1 x 8 of 4"]);
    assert_eq!(of(view, "View v = {x, 2};\nv.widen(); v.set(i);"), ["1 global store: 1 x 16 of 4"]);
    assert_eq!(of(view, "View v = {x, 1}; View *q = &v;\nv.both(i);"), ["1 global store: ?"]);
    assert_eq!(of(view, "View v = {x, 1};\nv.both(i);"), ["1 global store: 1 x 8 of 4"]);
}

#[test]
fn what_is_not_known_of_a_method_is_never_guessed() {
    for structure in [
        // A constructor, two overloads, a missing body, a host method, a base class, and `this` as an argument.
        "struct S { float *p; int n; __device__ S(float *p, int n) : p(p), n(n * 0) {} __device__ void f(int i) { p[i * n] = 0; } };",
        "struct S { float *p; int n; __device__ void f(int i) { p[i * n] = 0; } __device__ void f(long i) { p[i] = 0; } };",
        "struct S { float *p; int n; __device__ void f(int i); };",
        "struct S { float *p; int n; void f(int i) { p[i * n] = 0; } };",
        "struct B {}; struct S : B { float *p; int n; __device__ void f(int i) { p[i * n] = 0; } };",
        "__device__ void g(void *); struct S { float *p; int n; __device__ void f(int i) { g(this); p[i * n] = 0; } };",
    ] {
        let found = of(structure, "S s{x, 32};\ns.f(i);");
        assert!(found.iter().all(|access| access.ends_with('?')), "{structure}: {found:?}");
    }
    // A method without a body may change the object.
    let structure =
        "struct S { float *p; int n; __device__ void h(); __device__ void f(int i) { p[i * n] = 0; } };";
    assert_eq!(of(structure, "S s{x, 32};\ns.h(); s.f(i);"), ["1 global store: ?"]);
    let recursive = "struct S { float *p; __device__ void f(int i) { f(i); p[i] = 0; } };";
    assert!(of(recursive, "S s{x};\ns.f(i);").len() <= 1);
}

#[test]
fn bodies_outside_of_their_structures_are_read() {
    let view = "struct View { float *p; int step; __device__ void set(int i); __device__ float &operator()(int i); \
      __device__ static int twice(int i); };\n\
      __device__ void View::set(int i) { p[i * step] = 0; }\n\
      __device__ float &View::operator ()(int i) { return p[twice(i)]; }\n\
      __device__ int View::twice(int i) { return 2 * i; }";
    assert_eq!(of(view, "View v{x, 2};\nv.set(i);"), ["2 global store: 1 x 8 of 4"]);
    assert_eq!(of(view, "View v{x, 2};\nv(i) = 0;"), ["7 global store: 1 x 8 of 4"]);
    assert_eq!(of(view, "x[View::twice(i)] = 0;"), ["6 global store: 1 x 8 of 4"]);
    let template = "template <int W> struct Tile { float data[64 * W]; __device__ float get(int i) const; };\n\
      template <int N> __device__ float Tile<N>::get(int i) const { return data[i * N]; }";
    assert_eq!(of(template, "__shared__ Tile<4> t;\nx[i] = t.get(i);")[0], "2 shared load: 1 x 4 of 1");
}

#[test]
fn a_method_is_no_function_of_its_name() {
    let structures = "struct One { __device__ int at(int i); }; struct Two { __device__ int at(int i); };\n\
      __device__ int One::at(int i) { return 8 * i; }\n\
      __device__ int at(int i) { return i; }\n\
      __device__ int Two::at(int i) { return 2 * i; }";
    assert_eq!(of(structures, "x[at(i)] = 0;"), ["6 global store: 1 x 4 of 4"]);
    assert_eq!(of(structures, "Two two;\nx[two.at(i)] = 0;"), ["7 global store: 1 x 8 of 4"]);
}
