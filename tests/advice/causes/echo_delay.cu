// Cause: a block asks for far more shared memory than it uses, so that an SM holds two blocks of two warps. Cure: as much
// as it uses.
// guide: unused-shared-memory

#include "pair.h"

__device__ void delay(const float *signal, const uint32_t *delays, float *echo, float *weights) {
    const int at = blockIdx.x * 64 + threadIdx.x;
    weights[threadIdx.x] = 1.0f / (1.0f + threadIdx.x);
    __syncthreads();
    float sum = 0.0f;
    for (int tap = 0; tap < 32; tap++) {
        sum += weights[tap] * signal[at + delays[blockIdx.x % 64 * 32 + tap]];
    }
    echo[at] = sum;
}

__global__ void echo_delay(const float *signal, const uint32_t *delays, float *echo) {
    extern __shared__ float weights[];
    delay(signal, delays, echo, weights);
}

__global__ void echo_delay_cured(const float *signal, const uint32_t *delays, float *echo) {
    extern __shared__ float weights[];
    delay(signal, delays, echo, weights);
}

int main(int argc, char **argv) {
    const int count = 1 << 22, bytes = 100 * 1024;
    float *signal = random_floats(count + (1 << 16), 17);
    uint32_t *delays = random_words(64 * 32, 18, 1 << 16);
    float *echo = device_array<float>(count), *cured = device_array<float>(count);
    CHECK(cudaFuncSetAttribute(echo_delay, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return compare(
        argc, argv, "echo_delay", [&] { echo_delay<<<count / 64, 64, bytes>>>(signal, delays, echo); },
        [&] { echo_delay_cured<<<count / 64, 64, 256>>>(signal, delays, cured); },
        [&] { return same(echo, cured, count, 1e-5); });
}
