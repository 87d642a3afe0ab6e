// Cause: atomic additions of all threads to one address. Cure: a sum for each block first.
// guide: global-atomics

#include "pair.h"

__global__ void field_energy(const float *field, float *energy, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        atomicAdd(energy, 0.5f * field[at] * field[at]);
    }
}

__global__ void field_energy_cured(const float *field, float *energy, int count) {
    float own = 0.0f;
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        own += 0.5f * field[at] * field[at];
    }
    for (int half = 16; half > 0; half /= 2) {
        own += __shfl_down_sync(~0u, own, half);
    }
    __shared__ float sums[8];
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = own;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++) {
            own += sums[warp];
        }
        atomicAdd(energy, own);
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 22;
    float *field = random_floats(count, 1);
    float *energy = device_array<float>(2);
    return compare(
        argc, argv, "field_energy",
        [&] {
            cudaMemsetAsync(energy, 0, 4);
            field_energy<<<count / 256, 256>>>(field, energy, count);
        },
        [&] {
            cudaMemsetAsync(energy + 1, 0, 4);
            field_energy_cured<<<8 * 132, 256>>>(field, energy + 1, count);
        },
        [&] { return same(energy, energy + 1, 1, 2e-2); });
}
