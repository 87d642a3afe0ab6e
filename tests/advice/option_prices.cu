// Prices of European options by the formula of Black and Scholes.
//
// Re-written from NVIDIA's sample BlackScholes.

#include "bench.h"

// The cumulative normal distribution, by the polynomial of Abramowitz and Stegun (26.2.17).
__device__ float normal(float d) {
    const float k = 1.0 / (1.0 + 0.2316419 * fabsf(d));
    const float polynomial =
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const float tail = 0.39894228 * exp(-0.5 * d * d) * polynomial;
    return d > 0 ? 1.0 - tail : tail;
}

__global__ void option_prices(const float *spots, const float *strikes, const float *years, float *calls,
                              float *puts, float rate, float volatility, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }

    const float spread = volatility * sqrtf(years[i]);
    const float d1 = (logf(spots[i] / strikes[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread;
    const float d2 = d1 - spread;
    const float discounted = strikes[i] * expf(-rate * years[i]);
    calls[i] = spots[i] * normal(d1) - discounted * normal(d2);
    puts[i] = discounted * (1.0 - normal(d2)) - spots[i] * (1.0 - normal(d1));
}

int main() {
    const int count = 3 << 23;
    const float rate = 0.02f;
    const float volatility = 0.3f;

    Random random(7);
    std::vector<float> spots(count), strikes(count), years(count);
    for (int i = 0; i < count; i++) {
        spots[i] = random.between(5.0f, 30.0f);
        strikes[i] = random.between(1.0f, 100.0f);
        years[i] = random.between(0.25f, 10.0f);
    }
    float *d_spots = to_device(spots);
    float *d_strikes = to_device(strikes);
    float *d_years = to_device(years);
    float *d_calls = device_array<float>(count);
    float *d_puts = device_array<float>(count);

    const int block = 256;
    const int grid = (count + block - 1) / block;
    const float milliseconds = measure([&] {
        option_prices<<<grid, block>>>(d_spots, d_strikes, d_years, d_calls, d_puts, rate, volatility, count);
    });

    const std::vector<float> calls = to_host(d_calls, count);
    const std::vector<float> puts = to_host(d_puts, count);
    bool ok = true;
    for (int sample = 0; sample < 100000; sample++) {
        const int i = random.below(count);
        const double spread = volatility * std::sqrt((double)years[i]);
        const double d1 =
            (std::log((double)spots[i] / strikes[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread;
        const double d2 = d1 - spread;
        const double discounted = strikes[i] * std::exp(-(double)rate * years[i]);
        const double call = spots[i] * 0.5 * std::erfc(-d1 / std::sqrt(2.0)) -
                            discounted * 0.5 * std::erfc(-d2 / std::sqrt(2.0));
        const double put = call - spots[i] + discounted;
        ok = ok && close(calls[i], call, 1e-3, 0.1) && close(puts[i], put, 1e-3, 0.1);
    }
    return report("option_prices", ok, milliseconds);
}
