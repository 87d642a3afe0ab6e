// The greatest distance from the start that each of many random walkers reaches. A step to the left or
// to the right follows from the walker's own sequence of random numbers (xorshift). One block for each
// SM goes over all walkers.

#include "bench.h"

__global__ void random_walkers(const uint32_t *__restrict__ seeds, int *__restrict__ farthest, int walkers,
                               int steps) {
    for (int walker = blockIdx.x * blockDim.x + threadIdx.x; walker < walkers; walker += gridDim.x * blockDim.x) {
        uint32_t state = seeds[walker];
        int position = 0;
        int distance = 0;
        for (int step = 0; step < steps; step++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            position += state & 1 ? 1 : -1;
            distance = max(distance, abs(position));
        }
        farthest[walker] = distance;
    }
}

int main() {
    const int walkers = 1 << 20;
    const int steps = 512;

    Random random(19);
    std::vector<uint32_t> seeds(walkers);
    for (uint32_t &seed : seeds) {
        seed = random.bits() | 1u;
    }
    uint32_t *d_seeds = to_device(seeds);
    int *d_farthest = device_array<int>(walkers);

    const int block = 128;
    const int grid = 132;
    const float milliseconds =
        measure([&] { random_walkers<<<grid, block>>>(d_seeds, d_farthest, walkers, steps); });

    const std::vector<int> farthest = to_host(d_farthest, walkers);
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        const int walker = random.below(walkers);
        uint32_t state = seeds[walker];
        int position = 0;
        int distance = 0;
        for (int step = 0; step < steps; step++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            position += state & 1 ? 1 : -1;
            distance = std::max(distance, std::abs(position));
        }
        ok = ok && farthest[walker] == distance;
    }
    return report("random_walkers", ok, milliseconds);
}
