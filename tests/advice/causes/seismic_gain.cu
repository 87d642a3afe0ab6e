// No fault: rows of 1001 words begin at sectors only by chance, but the caches take care of it. Rows of 1024 are no faster.
// guide: none

#include "pair.h"

__global__ void seismic_gain(const float *traces, float *gained, int pitch, int width) {
    const size_t row = (size_t)blockIdx.x * pitch;
    for (int at = threadIdx.x; at < width; at += blockDim.x) {
        gained[row + at] = traces[row + at] * (1.0f + 1e-3f * at);
    }
}

__global__ void seismic_gain_cured(const float *traces, float *gained, int pitch, int width) {
    const size_t row = (size_t)blockIdx.x * pitch;
    for (int at = threadIdx.x; at < width; at += blockDim.x) {
        gained[row + at] = traces[row + at] * (1.0f + 1e-3f * at);
    }
}

int main(int argc, char **argv) {
    const int rows = 1 << 15, width = 1001, padded = 1024;
    float *traces = random_floats((size_t)rows * width, 9);
    float *wide = device_array<float>((size_t)rows * padded);
    CHECK(cudaMemcpy2D(wide, padded * 4, traces, width * 4, width * 4, rows, cudaMemcpyDeviceToDevice));
    float *gained = device_array<float>((size_t)rows * width), *cured = device_array<float>((size_t)rows * padded);
    return compare(
        argc, argv, "seismic_gain", [&] { seismic_gain<<<rows, 256>>>(traces, gained, width, width); },
        [&] { seismic_gain_cured<<<rows, 256>>>(wide, cured, padded, width); },
        [&] { return same(gained + 5 * width, cured + 5 * padded, width, 0.0); });
}
