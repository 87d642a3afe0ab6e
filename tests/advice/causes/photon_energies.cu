// No fault: atomics of all threads to few words of shared memory. Counting in registers first is slower here, as the hardware
// adds up the lanes of a warp.
// guide: none

#include "pair.h"

constexpr int BINS = 4;

__global__ void photon_energies(const float *energies, unsigned int *counts, int count) {
    __shared__ unsigned int own[BINS];
    if (threadIdx.x < BINS) {
        own[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        const float energy = energies[at];
        atomicAdd(&own[energy < 0.5f ? (energy < 0.1f ? 0 : 1) : (energy < 0.6f ? 2 : 3)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS) {
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
    }
}

__global__ void photon_energies_cured(const float *energies, unsigned int *counts, int count) {
    unsigned int own[BINS] = {};
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        const float energy = energies[at];
        own[0] += energy < 0.1f;
        own[1] += energy >= 0.1f && energy < 0.5f;
        own[2] += energy >= 0.5f && energy < 0.6f;
        own[3] += energy >= 0.6f;
    }
    for (int bin = 0; bin < BINS; bin++) {
        own[bin] = __reduce_add_sync(~0u, own[bin]);
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&counts[bin], own[bin]);
        }
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 24;
    float *energies = random_floats(count, 2);
    unsigned int *counts = device_array<unsigned int>(2 * BINS);
    return compare(
        argc, argv, "photon_energies",
        [&] {
            cudaMemsetAsync(counts, 0, 4 * BINS);
            photon_energies<<<8 * 132, 256>>>(energies, counts, count);
        },
        [&] {
            cudaMemsetAsync(counts + BINS, 0, 4 * BINS);
            photon_energies_cured<<<8 * 132, 256>>>(energies, counts + BINS, count);
        },
        [&] { return same(counts, counts + BINS, BINS, 0.0); });
}
