// Cause: 64 blocks for 132 SMs. Cure: each block takes a part of the loop.
// guide: small-grid

#include "pair.h"

__global__ void terrain_sight(const float *heights, float *highest, int width, int rows) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0.0f;
    for (int row = 0; row < rows; row++) {
        most = fmaxf(most, heights[(size_t)row * width + column] - 1e-5f * row);
    }
    highest[column] = most;
}

__global__ void terrain_sight_cured(const float *heights, float *highest, int width, int rows) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, part = rows / gridDim.y;
    float most = 0.0f;
    for (int row = blockIdx.y * part; row < (blockIdx.y + 1) * part; row++) {
        most = fmaxf(most, heights[(size_t)row * width + column] - 1e-5f * row);
    }
    // Positive floats are ordered as integers are.
    atomicMax((int *)&highest[column], __float_as_int(most));
}

int main(int argc, char **argv) {
    const int width = 64 * 256, rows = 2048;
    float *heights = random_floats((size_t)rows * width, 7, 0.5f, 1.5f);
    float *highest = device_array<float>(width), *cured = device_array<float>(width);
    return compare(
        argc, argv, "terrain_sight", [&] { terrain_sight<<<64, 256>>>(heights, highest, width, rows); },
        [&] {
            cudaMemsetAsync(cured, 0, width * sizeof(float));
            terrain_sight_cured<<<dim3(64, 32), 256>>>(heights, cured, width, rows);
        },
        [&] { return same(highest, cured, width, 0.0); });
}
