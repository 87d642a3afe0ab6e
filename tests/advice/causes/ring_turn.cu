// No fault: each of 32 heads computes sines and powers anew, but device memory is the limit.
// guide: none

#include "pair.h"

constexpr int HEADS = 32, PAIRS = 64;

__global__ void ring_turn(float2 *values, int tokens) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int pair = at % PAIRS, token = at / PAIRS / HEADS;
    if (token < tokens) {
        const float angle = (float)(token % 512) * powf(10000.0f, -(float)pair / PAIRS);
        float sine, cosine;
        sincosf(angle, &sine, &cosine);
        const float2 value = values[at];
        values[at] = make_float2(value.x * cosine - value.y * sine, value.x * sine + value.y * cosine);
    }
}

__global__ void ring_turn_cured(float2 *values, int tokens) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int pair = at % PAIRS, token = at / PAIRS;
    if (token < tokens) {
        const float angle = (float)(token % 512) * powf(10000.0f, -(float)pair / PAIRS);
        float sine, cosine;
        sincosf(angle, &sine, &cosine);
#pragma unroll 4
        for (int head = 0; head < HEADS; head++) {
            const size_t own = ((size_t)token * HEADS + head) * PAIRS + pair;
            const float2 value = values[own];
            values[own] = make_float2(value.x * cosine - value.y * sine, value.x * sine + value.y * cosine);
        }
    }
}

int main(int argc, char **argv) {
    const int tokens = 8192;
    const size_t count = (size_t)tokens * HEADS * PAIRS;
    float2 *values = (float2 *)random_floats(2 * count, 12), *cured = (float2 *)random_floats(2 * count, 12);
    return compare(
        argc, argv, "ring_turn", [&] { ring_turn<<<(unsigned)(count / 256), 256>>>(values, tokens); },
        [&] { ring_turn_cured<<<tokens * PAIRS / 256, 256>>>(cured, tokens); },
        [&] { return same((float *)values, (float *)cured, 2 * count, 1e-3); });
}
