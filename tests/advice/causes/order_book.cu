// Cause: a fence for the whole GPU after each store, though no other thread reads the data. Cure: no fence.
// guide: fence-scope

#include "pair.h"

__global__ void order_book(const float *prices, float *levels, int threads, int steps) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    float level = 0.0f;
    for (int step = 0; step < steps; step++) {
        level = 0.9f * level + prices[step * threads + own];
        levels[step * threads + own] = level;
        __threadfence();
    }
}

__global__ void order_book_cured(const float *prices, float *levels, int threads, int steps) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    float level = 0.0f;
    for (int step = 0; step < steps; step++) {
        level = 0.9f * level + prices[step * threads + own];
        levels[step * threads + own] = level;
    }
}

int main(int argc, char **argv) {
    const int threads = 132 * 1024, steps = 64;
    const size_t count = (size_t)threads * steps;
    float *prices = random_floats(count, 3);
    float *levels = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "order_book", [&] { order_book<<<threads / 256, 256>>>(prices, levels, threads, steps); },
        [&] { order_book_cured<<<threads / 256, 256>>>(prices, cured, threads, steps); },
        [&] { return same(levels, cured, count, 1e-5); });
}
