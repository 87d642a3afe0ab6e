// Timing, checking and reporting that all programs here share.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

// Ends the program with the name of the call and the reason if a call of the runtime fails.
#define CHECK(call)                                                                         \
    do {                                                                                    \
        const cudaError_t status = (call);                                                  \
        if (status != cudaSuccess) {                                                        \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,              \
                         cudaGetErrorString(status));                                       \
            std::exit(2);                                                                   \
        }                                                                                   \
    } while (0)

constexpr int WARM_UPS = 2;
constexpr int TIMED_LAUNCHES = 20;

// A sequence of numbers that is the same in every run and on every machine.
class Random {
public:
    explicit Random(uint32_t seed) : state(seed * 2654435761u + 1u) {}

    // The next 32 bits (xorshift).
    uint32_t bits() {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state;
    }

    // The next integer in [0, limit).
    uint32_t below(uint32_t limit) { return (uint32_t)(((uint64_t)bits() * limit) >> 32); }

    // The next number in [low, high).
    float between(float low, float high) {
        return low + (high - low) * (float)(bits() >> 8) * (1.0f / 16777216.0f);
    }

private:
    uint32_t state;
};

// An array in the memory of the GPU. It is freed with the process.
template <typename T> T *device_array(size_t count) {
    T *array = nullptr;
    CHECK(cudaMalloc((void **)&array, count * sizeof(T)));
    CHECK(cudaMemset(array, 0, count * sizeof(T)));
    return array;
}

// A copy of an array in the memory of the GPU.
template <typename T> T *to_device(const std::vector<T> &host) {
    T *array = device_array<T>(host.size());
    CHECK(cudaMemcpy(array, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return array;
}

// A copy of an array of the GPU in the memory of the host.
template <typename T> std::vector<T> to_host(const T *device, size_t count) {
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

// The mean time of a launch in milliseconds, after some launches that are not timed.
template <typename Launch> float measure(Launch launch) {
    for (int run = 0; run < WARM_UPS; run++) {
        launch();
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    for (int run = 0; run < TIMED_LAUNCHES; run++) {
        launch();
    }
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaGetLastError());

    float milliseconds = 0.0f;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds / TIMED_LAUNCHES;
}

// Whether two numbers differ by no more than `tolerance` of the expected one. Near zero, a
// difference of `tolerance * scale` passes, where `scale` is the usual size of the numbers.
inline bool close(double actual, double expected, double tolerance, double scale) {
    const double size = std::fmax(std::fabs(expected), scale);
    return std::isfinite(actual) && std::fabs(actual - expected) <= tolerance * size;
}

// Prints the line of results, and returns the exit status of the program.
inline int report(const char *name, bool ok, float milliseconds) {
    std::printf("%s,%s,%.4f\n", name, ok ? "ok" : "wrong", milliseconds);
    return ok ? 0 : 1;
}
