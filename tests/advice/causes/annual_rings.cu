// Cause: a few blocks more than the GPU holds at a time, so that they run by themselves in the end. Cure: shorter blocks.
// guide: tail-wave

#include "pair.h"

constexpr int STEPS = 4096, PARTS = 16;
// An SM holds two blocks.
constexpr int BYTES = 100 * 1024;

__device__ float growth(float seed, int first, int steps) {
    float state = seed + first;
    for (int step = 0; step < steps; step++) {
        for (int season = 0; season < 4; season++) {
            state = fmaf(state, 0.25f, seed);
            state = fmaf(state, -0.5f, 0.125f);
        }
    }
    return state;
}

__global__ void annual_rings(const float *seeds, float *rings) {
    extern __shared__ float years[];
    years[threadIdx.x] = seeds[threadIdx.x];
    __syncthreads();
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    for (int part = 0; part < PARTS; part++) {
        rings[own * PARTS + part] = growth(seeds[own] * years[part], part, STEPS / PARTS);
    }
}

__global__ void annual_rings_cured(const float *seeds, float *rings) {
    extern __shared__ float years[];
    years[threadIdx.x] = seeds[threadIdx.x];
    __syncthreads();
    const int own = blockIdx.x * blockDim.x + threadIdx.x, part = own % PARTS;
    rings[own] = growth(seeds[own / PARTS] * years[part], part, STEPS / PARTS);
}

int main(int argc, char **argv) {
    const int grid = 132 * 2 + 8, threads = grid * 256;
    float *seeds = random_floats(threads, 5);
    float *rings = device_array<float>((size_t)threads * PARTS), *cured = device_array<float>((size_t)threads * PARTS);
    CHECK(cudaFuncSetAttribute(annual_rings, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    CHECK(cudaFuncSetAttribute(annual_rings_cured, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    return compare(
        argc, argv, "annual_rings", [&] { annual_rings<<<grid, 256, BYTES>>>(seeds, rings); },
        [&] { annual_rings_cured<<<grid * PARTS, 256, BYTES>>>(seeds, cured); },
        [&] { return same(rings, cured, (size_t)threads * PARTS, 1e-4); });
}
