// The present value of a loan for each of many discount factors: the sum of its monthly payments,
// each discounted by its month, by Horner's scheme. One block for each SM goes over all factors.

#include "bench.h"

constexpr int MONTHS = 360;

__constant__ float payments[MONTHS];

__global__ void loan_value(float *values, int count, float lowest, float step) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float factor = lowest + step * i;
        float value = 0.0f;
        for (int month = MONTHS - 1; month >= 0; month--) {
            value = value * factor + payments[month];
        }
        values[i] = value;
    }
}

int main() {
    const int count = 1 << 23;
    const float lowest = 0.99f;
    const float step = 0.01f / count;

    Random random(6);
    std::vector<float> monthly(MONTHS);
    for (float &payment : monthly) {
        payment = random.between(900.0f, 1100.0f);
    }
    CHECK(cudaMemcpyToSymbol(payments, monthly.data(), MONTHS * sizeof(float)));
    float *d_values = device_array<float>(count);

    const int block = 128;
    const int grid = 132;
    const float milliseconds =
        measure([&] { loan_value<<<grid, block>>>(d_values, count, lowest, step); });

    const std::vector<float> values = to_host(d_values, count);
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        const int i = random.below(count);
        const double factor = (double)lowest + (double)step * i;
        double expected = 0.0;
        for (int month = MONTHS - 1; month >= 0; month--) {
            expected = expected * factor + monthly[month];
        }
        ok = ok && close(values[i], expected, 1e-3, 1.0);
    }
    return report("loan_value", ok, milliseconds);
}
