//! Tests of functions that share a name.

use super::accesses;

fn found(functions: &str, body: &str) -> Vec<String> {
    let text = format!("{functions}\n__global__ void k(float *a, int n) {{ int i = threadIdx.x; {body} }}");
    accesses(&text, [1, 1, 1], [32, 1, 1], &[])
}

#[test]
fn a_call_means_the_overload_that_its_arguments_fit() {
    let by_count =
        "__device__ int at(int i) { return i; } __device__ int at(int i, int step) { return i * step; }";
    assert_eq!(found(by_count, "a[at(i)] = 0;"), ["2 global store: 1 x 4 of 4"]);
    assert_eq!(found(by_count, "a[at(i, 8)] = 0;"), ["2 global store: 1 x 32 of 4"]);
    let by_type = "__device__ int at(int i) { return i; } __device__ int at(long long i) { return 8 * i; }";
    assert_eq!(found(by_type, "a[at(i)] = 0;"), ["2 global store: 1 x 4 of 4"]);
    assert_eq!(found(by_type, "a[at((long long)i)] = 0;"), ["2 global store: 1 x 32 of 4"]);
    // Neither overload fits exactly, and any template may be meant.
    assert_eq!(found(by_type, "a[at((short)i)] = 0;"), ["2 global store: ?"]);
    let templates = "template <class T> __device__ int at(T i) { return i; } template <class T> __device__ int at(T *i) { return 0; }";
    assert_eq!(found(templates, "a[at(i)] = 0;"), ["2 global store: ?"]);
    // Functions of the unit hide the built-in one of the same name.
    let own =
        "__device__ int min(int i, long n) { return 8 * i; } __device__ int min(long n, int i) { return i; }";
    assert_eq!(found(own, "a[min(i, 100)] = 0;"), ["2 global store: ?"]);
}

#[test]
fn declared_twice_the_first_body_counts() {
    let twice = "__device__ int at(int i);\n__device__ int at(int i) { return 8 * i; }\n__device__ int at(int i) { return i; }";
    assert_eq!(found(twice, "a[at(i)] = 0;"), ["4 global store: 1 x 32 of 4"]);
}
