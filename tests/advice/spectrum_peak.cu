// The strongest channel of each of many spectra. A block does a spectrum: it compares channels two by
// two until one is left. Of equal channels the first counts.

#include "bench.h"

constexpr int CHANNELS = 512;

__global__ void spectrum_peak(const float *spectra, int *peaks) {
    __shared__ float strength[CHANNELS];
    __shared__ int channel[CHANNELS];

    const int thread = threadIdx.x;
    strength[thread] = spectra[blockIdx.x * CHANNELS + thread];
    channel[thread] = thread;
    __syncthreads();

    for (int half = CHANNELS / 2; half > 0; half /= 2) {
        if (thread < half) {
            const float other = strength[thread + half];
            const int other_channel = channel[thread + half];
            if (other > strength[thread] || (other == strength[thread] && other_channel < channel[thread])) {
                strength[thread] = other;
                channel[thread] = other_channel;
            }
        }
        __syncthreads();
    }

    if (thread == 0) {
        peaks[blockIdx.x] = channel[0];
    }
}

int main() {
    const int count = 1 << 17;

    Random random(17);
    std::vector<float> spectra((size_t)count * CHANNELS);
    for (float &value : spectra) {
        value = random.between(0.0f, 1.0f);
    }
    float *d_spectra = to_device(spectra);
    int *d_peaks = device_array<int>(count);

    const float milliseconds = measure([&] { spectrum_peak<<<count, CHANNELS>>>(d_spectra, d_peaks); });

    const std::vector<int> peaks = to_host(d_peaks, count);
    bool ok = true;
    for (int spectrum = 0; spectrum < count; spectrum++) {
        const float *first = spectra.data() + (size_t)spectrum * CHANNELS;
        ok = ok && peaks[spectrum] == (int)(std::max_element(first, first + CHANNELS) - first);
    }
    return report("spectrum_peak", ok, milliseconds);
}
