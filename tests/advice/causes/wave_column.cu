// Cause: each thread walks a row of 64 words of shared memory, and all rows begin in one bank. Cure: rows of 65 words.
// guide: shared-load-conflicts

#include "pair.h"

template <int PITCH> __device__ void smooth(const float *waves, float *smoothed) {
    __shared__ float tile[64 * PITCH];
    const float *own = waves + (size_t)blockIdx.x * 64 * 64;
    for (int at = threadIdx.x; at < 64 * 64; at += 64) {
        tile[at / 64 * PITCH + at % 64] = own[at];
    }
    __syncthreads();
    float state = 0.0f, sum = 0.0f;
    for (int pass = 0; pass < 4; pass++) {
        for (int at = 0; at < 64; at++) {
            state = 0.75f * state + tile[threadIdx.x * PITCH + at];
            sum += state;
        }
    }
    smoothed[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void wave_column(const float *waves, float *smoothed) { smooth<64>(waves, smoothed); }

__global__ void wave_column_cured(const float *waves, float *smoothed) { smooth<65>(waves, smoothed); }

int main(int argc, char **argv) {
    const int blocks = 1 << 13;
    float *waves = random_floats((size_t)blocks * 64 * 64, 19);
    float *smoothed = device_array<float>(blocks * 64), *cured = device_array<float>(blocks * 64);
    return compare(
        argc, argv, "wave_column", [&] { wave_column<<<blocks, 64>>>(waves, smoothed); },
        [&] { wave_column_cured<<<blocks, 64>>>(waves, cured); },
        [&] { return same(smoothed, cured, blocks * 64, 1e-5); });
}
