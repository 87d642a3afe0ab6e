// Cause: a loop that may end after each load, so that one load is in flight at a time. Cure: eight loads, then eight tests.
// guide: serial-loads

#include "pair.h"

__global__ void first_crossing(const float *levels, int *crossings, int threads, int steps) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    int step = 0;
    while (step < steps && levels[(size_t)step * threads + own] < 0.999f) {
        step++;
    }
    crossings[own] = step;
}

__global__ void first_crossing_cured(const float *levels, int *crossings, int threads, int steps) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    int found = steps;
    for (int step = 0; step < steps && found == steps; step += 8) {
        float own_levels[8];
#pragma unroll
        for (int at = 0; at < 8; at++) {
            own_levels[at] = levels[(size_t)(step + at) * threads + own];
        }
#pragma unroll
        for (int at = 7; at >= 0; at--) {
            found = own_levels[at] >= 0.999f ? step + at : found;
        }
    }
    crossings[own] = found;
}

int main(int argc, char **argv) {
    const int threads = 132 * 256, steps = 1024;
    float *levels = random_floats((size_t)threads * steps, 27);
    int *crossings = device_array<int>(threads), *cured = device_array<int>(threads);
    return compare(
        argc, argv, "first_crossing",
        [&] { first_crossing<<<threads / 256, 256>>>(levels, crossings, threads, steps); },
        [&] { first_crossing_cured<<<threads / 256, 256>>>(levels, cured, threads, steps); },
        [&] { return same(crossings, cured, threads, 0.0); });
}
