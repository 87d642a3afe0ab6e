// Cause: each thread follows four chains of indices one after another. Cure: it follows them at the same time.
// guide: serial-loads

#include "pair.h"

constexpr int CHAINS = 4, LENGTH = 32;

__global__ void family_lines(const uint32_t *parents, uint32_t *roots, int threads) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int chain = 0; chain < CHAINS; chain++) {
        uint32_t at = chain * threads + own;
#pragma unroll 1
        for (int step = 0; step < LENGTH; step++) {
            at = parents[at];
        }
        roots[chain * threads + own] = at;
    }
}

__global__ void family_lines_cured(const uint32_t *parents, uint32_t *roots, int threads) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t at[CHAINS];
    for (int chain = 0; chain < CHAINS; chain++) {
        at[chain] = chain * threads + own;
    }
#pragma unroll 1
    for (int step = 0; step < LENGTH; step++) {
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++) {
            at[chain] = parents[at[chain]];
        }
    }
    for (int chain = 0; chain < CHAINS; chain++) {
        roots[chain * threads + own] = at[chain];
    }
}

int main(int argc, char **argv) {
    const int threads = 132 * 256;
    const int count = threads * CHAINS;
    uint32_t *parents = random_words(count, 24, count);
    uint32_t *roots = device_array<uint32_t>(count), *cured = device_array<uint32_t>(count);
    return compare(
        argc, argv, "family_lines", [&] { family_lines<<<threads / 256, 256>>>(parents, roots, threads); },
        [&] { family_lines_cured<<<threads / 256, 256>>>(parents, cured, threads); },
        [&] { return same(roots, cured, count, 0.0); });
}
