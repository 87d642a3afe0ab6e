// Cause: a double-precision constant and function in code of floats. Cure: `f` and `sqrtf`.
// guide: double-by-accident

#include "pair.h"

__global__ void lens_flux(const float *x, const float *y, float *flux, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        float sum = 0.0f;
        for (int ring = 1; ring <= 16; ring++) {
            const float r = sqrt(x[at] * x[at] + y[at] * y[at] + 0.01 * ring);
            sum += (r * r + 2.0) / (r * sqrtf(r * r + 4.0f));
        }
        flux[at] = sum;
    }
}

__global__ void lens_flux_cured(const float *x, const float *y, float *flux, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        float sum = 0.0f;
        for (int ring = 1; ring <= 16; ring++) {
            const float r = sqrtf(x[at] * x[at] + y[at] * y[at] + 0.01f * ring);
            sum += (r * r + 2.0f) / (r * sqrtf(r * r + 4.0f));
        }
        flux[at] = sum;
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 20;
    float *x = random_floats(count, 13), *y = random_floats(count, 14);
    float *flux = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "lens_flux", [&] { lens_flux<<<count / 256, 256>>>(x, y, flux, count); },
        [&] { lens_flux_cured<<<count / 256, 256>>>(x, y, cured, count); },
        [&] { return same(flux, cured, count, 1e-4); });
}
