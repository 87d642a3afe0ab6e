// Cause: lanes store at addresses that lie a row apart. Cure: a tile in shared memory turns them.
// guide: excess-sectors

#include "pair.h"

__global__ void spectrum_stack(const float *spectra, float *stack, int rows, int columns) {
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8) {
        const float value = spectra[(size_t)(row + step) * columns + column];
        stack[(size_t)column * rows + row + step] = value * value;
    }
}

__global__ void spectrum_stack_cured(const float *spectra, float *stack, int rows, int columns) {
    __shared__ float tile[32][33];
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8) {
        const float value = spectra[(size_t)(row + step) * columns + column];
        tile[threadIdx.y + step][threadIdx.x] = value * value;
    }
    __syncthreads();
    const int to = blockIdx.y * 32 + threadIdx.x, from = blockIdx.x * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8) {
        stack[(size_t)(from + step) * rows + to] = tile[threadIdx.x][threadIdx.y + step];
    }
}

int main(int argc, char **argv) {
    const int rows = 8192, columns = 4096;
    const size_t count = (size_t)rows * columns;
    float *spectra = random_floats(count, 21);
    float *stack = device_array<float>(count), *cured = device_array<float>(count);
    const dim3 grid(columns / 32, rows / 32), block(32, 8);
    return compare(
        argc, argv, "spectrum_stack", [&] { spectrum_stack<<<grid, block>>>(spectra, stack, rows, columns); },
        [&] { spectrum_stack_cured<<<grid, block>>>(spectra, cured, rows, columns); },
        [&] { return same(stack, cured, count, 0.0); });
}
