// Cause: barriers in a loop in which each thread reads what it wrote itself. Cure: no barriers, and no shared memory.
// guide: needless-barriers

#include "pair.h"

__global__ void spin_chain(const float *angles, float *energies, int threads, int steps) {
    __shared__ float state[512];
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    state[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        const float angle = angles[(step % 8) * threads + own];
        const int rounds = 1 + (mix(step * 16 + threadIdx.x / 32) & 7);
        float next = state[threadIdx.x];
        for (int round = 0; round < rounds; round++) {
            next = next * 0.75f + angle;
        }
        __syncthreads();
        state[threadIdx.x] = next;
        __syncthreads();
    }
    energies[own] = state[threadIdx.x];
}

__global__ void spin_chain_cured(const float *angles, float *energies, int threads, int steps) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    float next = 0.0f;
    for (int step = 0; step < steps; step++) {
        const float angle = angles[(step % 8) * threads + own];
        const int rounds = 1 + (mix(step * 16 + threadIdx.x / 32) & 7);
        for (int round = 0; round < rounds; round++) {
            next = next * 0.75f + angle;
        }
    }
    energies[own] = next;
}

int main(int argc, char **argv) {
    const int threads = 132 * 2048, steps = 256;
    float *angles = random_floats(8 * (size_t)threads, 4);
    float *energies = device_array<float>(threads), *cured = device_array<float>(threads);
    return compare(
        argc, argv, "spin_chain", [&] { spin_chain<<<threads / 512, 512>>>(angles, energies, threads, steps); },
        [&] { spin_chain_cured<<<threads / 512, 512>>>(angles, cured, threads, steps); },
        [&] { return same(energies, cured, threads, 1e-5); });
}
