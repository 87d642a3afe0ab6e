// The correlation of each of many records of a sensor with itself, for lags of 0 to 127 samples. A block
// does a record, and a thread a lag. The record goes through shared memory in pieces.

#include "bench.h"

constexpr int LAGS = 128;
constexpr int TILE = 20480;

__global__ void lag_correlation(const float *records, float *correlations, int length) {
    // A piece of the record, and as much of what follows as the largest lag reaches.
    extern __shared__ float tile[];

    const float *record = records + (size_t)blockIdx.x * length;
    const int lag = threadIdx.x;

    float sum = 0.0f;
    for (int start = 0; start < length; start += TILE) {
        for (int i = threadIdx.x; i < TILE + LAGS; i += LAGS) {
            tile[i] = start + i < length ? record[start + i] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += tile[i] * tile[i + lag];
        }
        __syncthreads();
    }
    correlations[blockIdx.x * LAGS + lag] = sum;
}

int main() {
    const int records = 1056;
    const int length = 61440;

    Random random(16);
    std::vector<float> samples((size_t)records * length);
    for (float &value : samples) {
        value = random.between(-1.0f, 1.0f);
    }
    float *d_samples = to_device(samples);
    float *d_correlations = device_array<float>(records * LAGS);

    const size_t shared = (TILE + LAGS) * sizeof(float);
    CHECK(cudaFuncSetAttribute(lag_correlation, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    const float milliseconds =
        measure([&] { lag_correlation<<<records, LAGS, shared>>>(d_samples, d_correlations, length); });

    const std::vector<float> correlations = to_host(d_correlations, records * LAGS);
    bool ok = true;
    for (int sample = 0; sample < 1000; sample++) {
        const int record = random.below(records);
        // Every tenth sample is the largest correlation, that without a lag.
        const int lag = sample % 10 ? random.below(LAGS) : 0;
        const float *values = samples.data() + (size_t)record * length;
        double expected = 0.0;
        for (int i = 0; i + lag < length; i++) {
            expected += (double)values[i] * values[i + lag];
        }
        ok = ok && close(correlations[record * LAGS + lag], expected, 1e-3, 100.0);
    }
    return report("lag_correlation", ok, milliseconds);
}
