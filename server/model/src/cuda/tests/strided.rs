//! Accesses whose lane addresses are a multiple of an unknown stride apart.

use super::launched;

/// Returns, for each access of `k` with an unknown stride, the stride as a source expression and the sectors per
/// request for a stride of 1, 2, 8 and 2^20.
fn strided(body: &str, block: [u32; 3]) -> Vec<(String, Vec<u32>)> {
    let text = format!(
        "__global__ void k(float *a, const double *b, int n, int m) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    );
    let (run, _) = launched(&text, [64, 64, 1], block, &[]);
    let requests = run.uses.iter().filter_map(|(_, used)| used.strided.as_deref());
    let of =
        |number: i64, sectors: &[(i64, u32, u32)]| sectors.iter().find(|each| each.0 == number).unwrap().1;
    requests
        .map(|request| {
            let taken = [1, 2, 8, 1 << 20].map(|number| of(number, &request.sectors)).to_vec();
            (request.number.clone(), taken)
        })
        .collect()
}

/// Body of a kernel, block size, and the expected result of [`strided`].
type Case<'t> = (&'t str, [u32; 3], &'t [(&'t str, [u32; 4])]);

#[test]
fn lanes_are_a_multiple_of_a_parameter_apart() {
    let line = [256, 1, 1];
    let cases: &[Case<'_>] = &[
        ("a[i * n] = 0;", line, &[("n", [4, 8, 32, 32])]),
        ("a[n * i + 3] = 0;", line, &[("n", [5, 9, 32, 32])]),
        ("for (int k = 0; k < n; ++k) a[i * n + k] = 0;", line, &[("n", [4, 8, 32, 32])]),
        ("float *row = a + i * n; row[m] = 0;", line, &[("n", [4, 8, 32, 32])]),
        ("if (i < m) a[i * n] = 0;", line, &[("n", [4, 8, 32, 32])]),
        // A product of parameters, a sum, a multiple.
        ("a[i * n * m] = 0;", line, &[]),
        ("a[i * (n * m)] = 0;", line, &[("n * m", [4, 8, 32, 32])]),
        ("a[i * (n + 1)] = 0;", line, &[("n", [8, 12, 32, 32])]),
        ("a[i * (2 * n)] = 0;", line, &[("n", [8, 16, 32, 32])]),
        ("a[(i << 1) * n] = 0;", line, &[("n", [8, 16, 32, 32])]),
        ("size_t at = (size_t)i * n; a[at] = b[at];", line, &[("n", [4, 8, 32, 32]), ("n", [8, 16, 32, 32])]),
        // Other terms that all lanes share only hide the alignment to sectors.
        ("a[(m + i) * n] = 0;", line, &[("n", [4, 8, 32, 32])]),
        ("a[(m - 1 - i) * n] = 0;", line, &[("n", [4, 8, 32, 32])]),
        ("a[i * (n + m)] = 0;", line, &[("(n + m)", [4, 8, 32, 32])]),
        // Rows of a block that is narrower than a warp.
        ("a[threadIdx.y * n + threadIdx.x] = 0;", [16, 16, 1], &[("n", [3, 3, 3, 4])]),
        ("a[threadIdx.x * n + threadIdx.y] = 0;", [16, 16, 1], &[("n", [3, 4, 16, 16])]),
        ("a[blockIdx.x * n + i] = 0;", line, &[]),
        ("a[i * n - i * n + i] = 0;", line, &[]),
        // Two unspecified numbers, and numbers from memory.
        ("a[i * n + i * m] = 0;", line, &[]),
        ("a[i * (int)b[0]] = 0;", line, &[]),
        ("int at = i; if (b[i] > 0) at = i * n; a[at] = 0;", line, &[]),
        ("char at = i * n; a[at] = 0;", line, &[]),
    ];
    for (body, block, expected) in cases {
        let expected: Vec<_> =
            expected.iter().map(|(number, taken)| ((*number).to_owned(), taken.to_vec())).collect();
        assert_eq!(strided(body, *block), expected, "{body}");
    }
}
