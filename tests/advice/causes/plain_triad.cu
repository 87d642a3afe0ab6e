// No fault: device memory is as busy as it can be. What may pass for a cure, wider loads, is of no use.
// guide: none

#include "pair.h"

__global__ void plain_triad(const float *one, const float *other, float *sum, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        sum[at] = one[at] + 3.0f * other[at];
    }
}

__global__ void plain_triad_cured(const float4 *one, const float4 *other, float4 *sum, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        const float4 left = one[at], right = other[at];
        sum[at] = make_float4(left.x + 3.0f * right.x, left.y + 3.0f * right.y, left.z + 3.0f * right.z,
                              left.w + 3.0f * right.w);
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 25;
    float *one = random_floats(count, 30), *other = random_floats(count, 31);
    float *sum = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "plain_triad", [&] { plain_triad<<<count / 512, 512>>>(one, other, sum, count); },
        [&] {
            plain_triad_cured<<<count / 4 / 256, 256>>>((const float4 *)one, (const float4 *)other, (float4 *)cured,
                                                        count / 4);
        },
        [&] { return same(sum, cured, count, 1e-6); });
}
