// No fault: the FMA pipe is as busy as it can be. What may pass for a cure, smaller blocks, is of no use.
// guide: none

#include "pair.h"

__device__ void evaluate(const float *points, float *values) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const float point = points[at];
    float sums[8];
#pragma unroll
    for (int own = 0; own < 8; own++) {
        sums[own] = 0.125f * own;
    }
    for (int degree = 0; degree < 256; degree++) {
#pragma unroll
        for (int own = 0; own < 8; own++) {
            sums[own] = fmaf(sums[own], point, 0.01f * own);
        }
    }
    values[at] = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

__global__ void plain_polynomial(const float *points, float *values) { evaluate(points, values); }

__global__ void plain_polynomial_cured(const float *points, float *values) { evaluate(points, values); }

int main(int argc, char **argv) {
    const int count = 132 * 2048 * 16;
    float *points = random_floats(count, 32);
    float *values = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "plain_polynomial", [&] { plain_polynomial<<<count / 256, 256>>>(points, values); },
        [&] { plain_polynomial_cured<<<count / 128, 128>>>(points, cured); },
        [&] { return same(values, cured, count, 1e-6); });
}
