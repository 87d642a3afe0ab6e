// Cause: an array of a thread that is indexed by a variable lies in local memory. Cure: steps that are known when compiling.
// guide: local-arrays

#include "pair.h"

constexpr int WINDOW = 15;

__global__ void median_window(const float *signal, float *medians, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sorted[WINDOW];
    int length = 0;
#pragma unroll 1
    for (int offset = 0; offset < WINDOW; offset++) {
        const float value = signal[at + offset];
        int place = length++;
        while (place > 0 && sorted[place - 1] > value) {
            sorted[place] = sorted[place - 1];
            place--;
        }
        sorted[place] = value;
    }
    if (at < count) {
        medians[at] = sorted[WINDOW / 2];
    }
}

__global__ void median_window_cured(const float *signal, float *medians, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sorted[WINDOW];
#pragma unroll
    for (int offset = 0; offset < WINDOW; offset++) {
        sorted[offset] = signal[at + offset];
    }
#pragma unroll
    for (int round = 0; round < WINDOW; round++) {
#pragma unroll
        for (int place = round % 2; place + 1 < WINDOW; place += 2) {
            const float less = fminf(sorted[place], sorted[place + 1]);
            sorted[place + 1] = fmaxf(sorted[place], sorted[place + 1]);
            sorted[place] = less;
        }
    }
    if (at < count) {
        medians[at] = sorted[WINDOW / 2];
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 23;
    float *signal = random_floats(count + WINDOW, 16);
    float *medians = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "median_window", [&] { median_window<<<count / 256, 256>>>(signal, medians, count); },
        [&] { median_window_cured<<<count / 256, 256>>>(signal, cured, count); },
        [&] { return same(medians, cured, count, 0.0); });
}
