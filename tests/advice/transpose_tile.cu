// The transpose of a matrix, tile by tile through shared memory.
//
// Re-written from NVIDIA's transpose tutorial ("Optimizing Matrix Transpose in CUDA").

#include "bench.h"

constexpr int TILE = 32;
constexpr int ROWS_PER_PASS = 8;

__global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS_PER_PASS) {
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    }
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS_PER_PASS) {
        out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
    }
}

int main() {
    const int width = 8192;
    const int height = 8192;

    std::vector<float> in((size_t)width * height);
    Random random(2);
    for (float &value : in) {
        value = random.between(-1.0f, 1.0f);
    }
    float *d_in = to_device(in);
    float *d_out = device_array<float>(in.size());

    const dim3 block(TILE, ROWS_PER_PASS);
    const dim3 grid(width / TILE, height / TILE);
    const float milliseconds = measure([&] { transpose<<<grid, block>>>(d_in, d_out, width, height); });

    const std::vector<float> out = to_host(d_out, in.size());
    bool ok = true;
    for (int sample = 0; sample < 100000; sample++) {
        const int x = random.below(width);
        const int y = random.below(height);
        ok = ok && out[(size_t)x * height + y] == in[(size_t)y * width + x];
    }
    return report("transpose_tile", ok, milliseconds);
}
