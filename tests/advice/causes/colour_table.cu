// Cause: lanes read different words of constant memory, one word at a time. Cure: the table in shared memory.
// guide: divided-constants

#include "pair.h"

__constant__ float table[1024];

__global__ void colour_table(const uint32_t *indices, float *colours, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t index = indices[at];
    float sum = 0.0f;
    for (int step = 0; step < 16; step++) {
        sum += table[index];
        index = (index * 5 + 1) % 1024;
    }
    colours[at] = sum;
}

__global__ void colour_table_cured(const uint32_t *indices, float *colours, int count, const float *entries) {
    __shared__ float own[1024];
    for (int at = threadIdx.x; at < 1024; at += blockDim.x) {
        own[at] = entries[at];
    }
    __syncthreads();
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t index = indices[at];
    float sum = 0.0f;
    for (int step = 0; step < 16; step++) {
        sum += own[index];
        index = (index * 5 + 1) % 1024;
    }
    colours[at] = sum;
}

int main(int argc, char **argv) {
    const int count = 1 << 21;
    uint32_t *indices = random_words(count, 28, 1024);
    float *entries = random_floats(1024, 29);
    CHECK(cudaMemcpyToSymbol(table, entries, 4096, 0, cudaMemcpyDeviceToDevice));
    float *colours = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "colour_table", [&] { colour_table<<<count / 1024, 1024>>>(indices, colours, count); },
        [&] { colour_table_cured<<<count / 1024, 1024>>>(indices, cured, count, entries); },
        [&] { return same(colours, cured, count, 1e-5); });
}
