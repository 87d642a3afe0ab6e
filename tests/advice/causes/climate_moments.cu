// Cause: four passes over data that no cache holds. Cure: one pass that does the work of all.
// guide: memory-bytes

#include "pair.h"

__global__ void climate_moments(const float *years, float *moments, int count, int stride) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    for (int power = 0; power < 4; power++) {
        float sum = 0.0f;
        for (int at = own; at < count; at += stride) {
            const float value = years[at];
            float term = value;
            for (int factor = 0; factor < power; factor++) {
                term *= value;
            }
            sum += term;
        }
        moments[power * stride + own] = sum;
    }
}

__global__ void climate_moments_cured(const float *years, float *moments, int count, int stride) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    float sums[4] = {};
    for (int at = own; at < count; at += stride) {
        const float value = years[at];
        float term = value;
        for (int power = 0; power < 4; power++) {
            sums[power] += term;
            term *= value;
        }
    }
    for (int power = 0; power < 4; power++) {
        moments[power * stride + own] = sums[power];
    }
}

int main(int argc, char **argv) {
    const int stride = 132 * 2048, count = stride * 256;
    float *years = random_floats(count, 25);
    float *moments = device_array<float>(4 * stride), *cured = device_array<float>(4 * stride);
    return compare(
        argc, argv, "climate_moments",
        [&] { climate_moments<<<stride / 256, 256>>>(years, moments, count, stride); },
        [&] { climate_moments_cured<<<stride / 256, 256>>>(years, cured, count, stride); },
        [&] { return same(moments, cured, 4 * stride, 1e-3); });
}
