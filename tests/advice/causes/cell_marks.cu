// Cause: hundreds of thousands of blocks of one warp, of which an SM holds 32. Cure: blocks of eight warps.
// guide: one-warp-blocks

#include "pair.h"

__global__ void cell_marks(const float *cells, float *marks, int width) {
    const int row = blockIdx.x;
    float most = 0.0f;
    for (int column = threadIdx.x; column < width; column += 32) {
        most = fmaxf(most, cells[(size_t)row * width + column]);
    }
    for (int half = 16; half > 0; half /= 2) {
        most = fmaxf(most, __shfl_xor_sync(~0u, most, half));
    }
    if (threadIdx.x == 0) {
        marks[row] = most;
    }
}

__global__ void cell_marks_cured(const float *cells, float *marks, int width) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = 0.0f;
    for (int column = lane; column < width; column += 32) {
        most = fmaxf(most, cells[(size_t)row * width + column]);
    }
    for (int half = 16; half > 0; half /= 2) {
        most = fmaxf(most, __shfl_xor_sync(~0u, most, half));
    }
    if (lane == 0) {
        marks[row] = most;
    }
}

int main(int argc, char **argv) {
    const int rows = 480000, width = 64;
    float *cells = random_floats((size_t)rows * width, 6);
    float *marks = device_array<float>(rows), *cured = device_array<float>(rows);
    return compare(
        argc, argv, "cell_marks", [&] { cell_marks<<<rows, 32>>>(cells, marks, width); },
        [&] { cell_marks_cured<<<rows / 8, 256>>>(cells, cured, width); },
        [&] { return same(marks, cured, rows, 0.0); });
}
