// A symmetric rank-k update of a matrix: C = alpha A A^T + beta C, tile by tile through shared memory.
// A tile is 16 by 16 words, so that every other row begins in the same bank.
//
// Re-written from PolyBench-GPU's syrk.

#include "bench.h"

constexpr int TILE = 16;

__global__ void rank_update(const float *a, const float *c, float *updated, int size, int rank, float alpha,
                            float beta) {
    __shared__ float left[TILE][TILE];
    __shared__ float right[TILE][TILE];

    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    // Row of A that this thread loads for the right factor: it becomes a column of the transpose.
    const int right_row = blockIdx.x * TILE + threadIdx.y;

    float sum = 0.0f;
    for (int start = 0; start < rank; start += TILE) {
        left[threadIdx.y][threadIdx.x] = a[row * rank + start + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = a[right_row * rank + start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += left[threadIdx.y][k] * right[threadIdx.x][k];
        }
        __syncthreads();
    }
    updated[row * size + column] = alpha * sum + beta * c[row * size + column];
}

int main() {
    const int size = 2048;
    const int rank = 1024;
    const float alpha = 0.5f;
    const float beta = 2.0f;

    Random random(15);
    std::vector<float> a(size * rank), c(size * size);
    for (float &value : a) {
        value = random.between(-1.0f, 1.0f);
    }
    for (float &value : c) {
        value = random.between(-10.0f, 10.0f);
    }
    float *d_a = to_device(a);
    float *d_c = to_device(c);
    float *d_updated = device_array<float>(c.size());

    const dim3 block(TILE, TILE);
    const dim3 grid(size / TILE, size / TILE);
    const float milliseconds =
        measure([&] { rank_update<<<grid, block>>>(d_a, d_c, d_updated, size, rank, alpha, beta); });

    const std::vector<float> updated = to_host(d_updated, c.size());
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        const int row = random.below(size);
        const int column = random.below(size);
        double sum = 0.0;
        for (int k = 0; k < rank; k++) {
            sum += (double)a[row * rank + k] * a[column * rank + k];
        }
        const double expected = alpha * sum + (double)beta * c[row * size + column];
        ok = ok && close(updated[row * size + column], expected, 1e-4, 10.0);
    }
    return report("rank_update", ok, milliseconds);
}
