// A signal as complex numbers, real and imaginary part in turn. The real part is the signal through a
// symmetric low-pass filter, the imaginary part is the signal through an antisymmetric (Hilbert)
// filter. Each thread computes one of the two parts of a sample.

#include "bench.h"

constexpr int TAPS = 32;

__constant__ float low_pass[TAPS];
__constant__ float hilbert[TAPS];

__global__ void analytic_signal(const float *__restrict__ signal, float *__restrict__ parts, int samples) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int sample = i / 2;
    if (sample < TAPS || sample >= samples - TAPS) {
        return;
    }

    float part;
    if (i % 2 == 0) {
        part = signal[sample];
        for (int k = 0; k < TAPS; k++) {
            part += low_pass[k] * (signal[sample - k - 1] + signal[sample + k + 1]);
        }
    } else {
        part = 0.0f;
        for (int k = 0; k < TAPS; k++) {
            part += hilbert[k] * (signal[sample - k - 1] - signal[sample + k + 1]);
        }
    }
    parts[i] = part;
}

int main() {
    const int samples = 1 << 24;

    Random random(11);
    std::vector<float> signal(samples), low(TAPS), high(TAPS);
    for (float &value : signal) {
        value = random.between(-1.0f, 1.0f);
    }
    for (int k = 0; k < TAPS; k++) {
        low[k] = 1.0f / (k + 2);
        high[k] = k % 2 ? 0.05f : 0.64f / (k + 1);
    }
    CHECK(cudaMemcpyToSymbol(low_pass, low.data(), TAPS * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(hilbert, high.data(), TAPS * sizeof(float)));
    float *d_signal = to_device(signal);
    float *d_parts = device_array<float>(2 * samples);

    const int block = 256;
    const int grid = 2 * samples / block;
    const float milliseconds =
        measure([&] { analytic_signal<<<grid, block>>>(d_signal, d_parts, samples); });

    const std::vector<float> parts = to_host(d_parts, 2 * samples);
    bool ok = true;
    for (int check = 0; check < 20000; check++) {
        const int sample = TAPS + random.below(samples - 2 * TAPS);
        double real = signal[sample], imaginary = 0.0;
        for (int k = 0; k < TAPS; k++) {
            const double before = signal[sample - k - 1], after = signal[sample + k + 1];
            real += low[k] * (before + after);
            imaginary += high[k] * (before - after);
        }
        ok = ok && close(parts[2 * sample], real, 1e-4, 1.0) && close(parts[2 * sample + 1], imaginary, 1e-4, 1.0);
    }
    return report("analytic_signal", ok, milliseconds);
}
