//! Compares the requests of matrix fragments with those of the code that nvcc generates.

use super::{POINTER, accesses, number};

/// The accesses of `k`, which moves fragments with lines `step` elements apart.
fn moved(declarations: &str, body: &str, step: i64) -> Vec<String> {
    let text = format!(
        "__global__ void k(half *a, float *c, int n) {{ using namespace nvcuda; __shared__ half s[4096]; {declarations}\n{body} }}"
    );
    accesses(&text, [4, 1, 1], [32, 1, 1], &[POINTER, POINTER, number(step)])
}

#[test]
fn fragments_ask_for_their_lines() {
    let a = "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;";
    let wide = "nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 32, 8, 16, half, nvcuda::wmma::col_major> f;";
    let sum = "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f[2];";
    let bytes = "wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> f;";
    let cases = [
        (a, "wmma::load_matrix_sync(f, a, n);", 1024, "2 global load: 4 x 8 of 4"),
        // One `ldmatrix`: rows of 16 bytes, 32 and 48 bytes apart.
        (a, "wmma::load_matrix_sync(f, s, 16);", 16, "2 shared load: 1 x 8 of 4"),
        (a, "wmma::load_matrix_sync(f, s, 24);", 16, "2 shared load: 1 x 4 of 4"),
        (a, "wmma::load_matrix_sync(f, s, 64);", 16, "2 shared load: 1 x 32 of 4"),
        (wide, "load_matrix_sync(f, s, 40);", 16, "2 shared load: 2 x 4 of 4"),
        (sum, "wmma::store_matrix_sync(c, f[0], n, wmma::mem_row_major);", 512, "2 global store: 4 x 8 of 8"),
        (sum, "wmma::store_matrix_sync(c, f[1], n, wmma::mem_col_major);", 512, "2 global store: 8 x 4 of 4"),
        // Unknown requests are not counted.
        (bytes, "wmma::load_matrix_sync(f, (signed char *)a, n);", 512, "2 global load: ?"),
        (a, "if (threadIdx.x < 16) wmma::load_matrix_sync(f, a, n);", 512, "2 global load: ?"),
        ("Other<matrix_a, 16, 16, 16, half> f;", "load_matrix_sync(f, a, n);", 512, ""),
    ];
    for (declarations, body, step, expected) in cases {
        let expected: Vec<&str> = Some(expected).filter(|text| !text.is_empty()).into_iter().collect();
        assert_eq!(moved(declarations, body, step), expected, "{body}");
    }
}
