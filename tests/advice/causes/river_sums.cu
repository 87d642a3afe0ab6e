// Cause: the blocks with the most work start last, so that few SMs work in the end. Cure: they start first.
// guide: unbalanced-blocks

#include "pair.h"

constexpr int BLOCKS = 132 * 16 * 4;

__device__ void river(const float *heights, float *sums, int row) {
    const int length = row + (row >= BLOCKS - 64 ? 24000 : 0);
    float sum = 0.0f, state = heights[threadIdx.x];
    for (int at = 0; at <= length; at++) {
        state = fmaf(state, 0.5f, heights[(at % 64) * 128 + threadIdx.x]);
        sum += state * state;
    }
    sums[row * 128 + threadIdx.x] = sum;
}

__global__ void river_sums(const float *heights, float *sums) { river(heights, sums, blockIdx.x); }

__global__ void river_sums_cured(const float *heights, float *sums) { river(heights, sums, BLOCKS - 1 - blockIdx.x); }

int main(int argc, char **argv) {
    float *heights = random_floats(64 * 128, 26);
    const size_t count = (size_t)BLOCKS * 128;
    float *sums = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "river_sums", [&] { river_sums<<<BLOCKS, 128>>>(heights, sums); },
        [&] { river_sums_cured<<<BLOCKS, 128>>>(heights, cured); },
        [&] { return same(sums, cured, count, 1e-5); });
}
