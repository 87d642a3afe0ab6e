// A kernel and its cure: data, timing and comparison that all programs here share.
#pragma once

#include "../bench.h"

#include <cstring>

// Well mixed bits of a number.
__host__ __device__ inline uint32_t mix(uint32_t number) {
    number = (number ^ (number >> 16)) * 0x7feb352du;
    number = (number ^ (number >> 15)) * 0x846ca68bu;
    return number ^ (number >> 16);
}

static __global__ void fill_floats(float *array, size_t count, uint32_t seed, float low, float high) {
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at < count) {
        array[at] = low + (high - low) * (mix((uint32_t)at + seed * 0x9e3779b9u) >> 8) * (1.0f / 16777216.0f);
    }
}

static __global__ void fill_words(uint32_t *array, size_t count, uint32_t seed, uint32_t limit) {
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at < count) {
        array[at] = mix((uint32_t)at + seed * 0x9e3779b9u) % limit;
    }
}

// Random numbers in [low, high), made on the GPU.
inline float *random_floats(size_t count, uint32_t seed, float low = 0.0f, float high = 1.0f) {
    float *array = device_array<float>(count);
    fill_floats<<<(unsigned)((count + 255) / 256), 256>>>(array, count, seed, low, high);
    return array;
}

// Random integers in [0, limit), made on the GPU.
inline uint32_t *random_words(size_t count, uint32_t seed, uint32_t limit) {
    uint32_t *array = device_array<uint32_t>(count);
    fill_words<<<(unsigned)((count + 255) / 256), 256>>>(array, count, seed, limit);
    return array;
}

// Whether two arrays of the GPU have the same numbers, up to rounding, and not only zeros.
template <typename T> bool same(const T *one, const T *other, size_t count, double tolerance) {
    const std::vector<T> left = to_host(one, count), right = to_host(other, count);
    double scale = 0.0;
    for (size_t at = 0; at < count; at++) {
        scale = std::max(scale, std::fabs((double)left[at]));
    }
    for (size_t at = 0; at < count; at++) {
        if (!close((double)right[at], (double)left[at], tolerance, 0.01 * scale)) {
            std::fprintf(stderr, "at %zu: %g and %g\n", at, (double)left[at], (double)right[at]);
            return false;
        }
    }
    return scale > 0.0;
}

// Launches a kernel and its cure, and prints the name, whether their results agree, and the milliseconds of both. With the
// argument `once` each is launched once, for a profiler.
template <typename Slow, typename Cured, typename Agree>
int compare(int count, char **words, const char *name, Slow slow, Cured cured, Agree agree) {
    if (count > 1 && std::strcmp(words[1], "once") == 0) {
        slow();
        cured();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    const float before = measure(slow), after = measure(cured);
    const bool ok = agree();
    std::printf("%s,%s,%.4f,%.4f\n", name, ok ? "ok" : "wrong", before, after);
    return ok ? 0 : 1;
}
