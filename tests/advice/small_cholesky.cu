// The Cholesky factors of many small symmetric matrices. A thread does a matrix, and keeps the lower
// triangle in registers. Entry by entry, those of all matrices lie side by side.
//
// Re-written from PolyBench's cholesky, for many matrices in place of one.

#include "bench.h"

constexpr int SIZE = 10;
constexpr int ENTRIES = SIZE * (SIZE + 1) / 2;
constexpr int BLOCK = 256;

// Where an entry of the lower triangle lies.
__host__ __device__ constexpr int entry(int row, int column) { return row * (row + 1) / 2 + column; }

// Eight blocks of 256 threads fill an SM.
__global__ void __launch_bounds__(BLOCK, 8)
    small_cholesky(const float *__restrict__ matrices, float *__restrict__ factors, int count) {
    const int matrix = blockIdx.x * blockDim.x + threadIdx.x;
    if (matrix >= count) {
        return;
    }

    float l[ENTRIES];
#pragma unroll
    for (int e = 0; e < ENTRIES; e++) {
        l[e] = matrices[e * count + matrix];
    }

#pragma unroll
    for (int column = 0; column < SIZE; column++) {
        const float scale = rsqrtf(l[entry(column, column)]);
#pragma unroll
        for (int row = column; row < SIZE; row++) {
            l[entry(row, column)] *= scale;
        }
#pragma unroll
        for (int right = column + 1; right < SIZE; right++) {
#pragma unroll
            for (int row = right; row < SIZE; row++) {
                l[entry(row, right)] -= l[entry(row, column)] * l[entry(right, column)];
            }
        }
    }

#pragma unroll
    for (int e = 0; e < ENTRIES; e++) {
        factors[e * count + matrix] = l[e];
    }
}

int main() {
    const int count = 1 << 20;

    Random random(23);
    std::vector<float> matrices((size_t)ENTRIES * count);
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column <= row; column++) {
            for (int matrix = 0; matrix < count; matrix++) {
                matrices[(size_t)entry(row, column) * count + matrix] =
                    row == column ? random.between(SIZE, SIZE + 2.0f) : random.between(-1.0f, 1.0f);
            }
        }
    }
    float *d_matrices = to_device(matrices);
    float *d_factors = device_array<float>(matrices.size());

    const int grid = (count + BLOCK - 1) / BLOCK;
    const float milliseconds = measure([&] { small_cholesky<<<grid, BLOCK>>>(d_matrices, d_factors, count); });

    const std::vector<float> factors = to_host(d_factors, matrices.size());
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        const int matrix = random.below(count);
        double l[ENTRIES];
        for (int row = 0; row < SIZE; row++) {
            for (int column = 0; column <= row; column++) {
                double rest = matrices[(size_t)entry(row, column) * count + matrix];
                for (int k = 0; k < column; k++) {
                    rest -= l[entry(row, k)] * l[entry(column, k)];
                }
                l[entry(row, column)] = row == column ? std::sqrt(rest) : rest / l[entry(column, column)];
                const float factor = factors[(size_t)entry(row, column) * count + matrix];
                ok = ok && close(factor, l[entry(row, column)], 1e-4, 1.0);
            }
        }
    }
    return report("small_cholesky", ok, milliseconds);
}
