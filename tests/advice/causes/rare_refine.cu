// Cause: one value in eight, anywhere, needs a long loop, and its warp waits for it. Cure: the block gathers those values first.
// guide: divided-warps

#include "pair.h"

__device__ float refine(float value) {
    for (int step = 0; step < 256; step++) {
        value = fmaf(value, 0.5f, 1.0f / (1.0f + value));
    }
    return value;
}

__global__ void rare_refine(const float *values, float *refined, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[at];
    if (value < 0.125f) {
        value = refine(value);
    }
    refined[at] = value;
}

__global__ void rare_refine_cured(const float *values, float *refined, int count) {
    __shared__ int rare[1024];
    __shared__ int length;
    if (threadIdx.x == 0) {
        length = 0;
    }
    __syncthreads();
    const int first = blockIdx.x * 1024;
    for (int at = threadIdx.x; at < 1024; at += blockDim.x) {
        const float value = values[first + at];
        if (value < 0.125f) {
            rare[atomicAdd(&length, 1)] = at;
        } else {
            refined[first + at] = value;
        }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < length; at += blockDim.x) {
        refined[first + rare[at]] = refine(values[first + rare[at]]);
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 22;
    float *values = random_floats(count, 20);
    float *refined = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "rare_refine", [&] { rare_refine<<<count / 256, 256>>>(values, refined, count); },
        [&] { rare_refine_cured<<<count / 1024, 128>>>(values, cured, count); },
        [&] { return same(refined, cured, count, 1e-4); });
}
