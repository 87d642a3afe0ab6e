// Cause: loads and stores of single bytes. Cure: sixteen at a time.
// guide: narrow-loads

#include "pair.h"

__global__ void night_blend(const uint8_t *one, const uint8_t *other, uint8_t *blend, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        blend[at] = (uint8_t)((one[at] + other[at] + 1) / 2);
    }
}

__global__ void night_blend_cured(const uint4 *one, const uint4 *other, uint4 *blend, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        const uint4 left = one[at], right = other[at];
        blend[at] = make_uint4(__vavgu4(left.x, right.x), __vavgu4(left.y, right.y), __vavgu4(left.z, right.z),
                               __vavgu4(left.w, right.w));
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 26;
    const uint8_t *one = (const uint8_t *)random_words(count / 4, 10, ~0u);
    const uint8_t *other = (const uint8_t *)random_words(count / 4, 11, ~0u);
    uint8_t *blend = device_array<uint8_t>(count), *cured = device_array<uint8_t>(count);
    return compare(
        argc, argv, "night_blend", [&] { night_blend<<<count / 256, 256>>>(one, other, blend, count); },
        [&] {
            night_blend_cured<<<count / 16 / 256, 256>>>((const uint4 *)one, (const uint4 *)other, (uint4 *)cured,
                                                         count / 16);
        },
        [&] { return same(blend, cured, count, 0.0); });
}
