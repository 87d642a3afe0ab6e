// Work of another stream that shares every SM with what is compared: warps that issue, wait and hold pipes at other times in
// each repetition, so that nothing a program leaves to a wait is there by luck.
#pragma once

#include "memory.cuh"

constexpr unsigned NOISE_THREADS = 128, NOISE_BLOCKS_PER_SM = 3;
constexpr size_t NOISE_WORDS = 1 << 20;
// It ends by itself after so many cycles: what finds no room beside it waits no longer.
constexpr Count LONGEST_NOISE = 40'000'000;

// Mixes what the warps of an SM share: arithmetic of all pipes, special functions, double precision, loads that miss.
__global__ void __launch_bounds__(NOISE_THREADS, 8) noise(const volatile uint32_t *ends, uint32_t own, uint32_t *data, Count cycles, uint32_t seed) {
    Count start = clock64();
    uint32_t word = uint32_t(mixed(seed * 65536u + blockIdx.x * blockDim.x + threadIdx.x));
    // Warps of a block differ in what they do, and blocks in which warps do it.
    uint32_t kind = (threadIdx.x / 32 + blockIdx.x + seed) % 5;
    float single = 1.0f + float(word & 255);
    double twice = single;
    for (uint32_t round = 0;; ++round) {
        for (uint32_t step = 0; step < 16 + (seed + blockIdx.x) % 32; ++step) {
            switch (kind) {
                case 0: word = word * 1664525u + 1013904223u ^ word >> 7; break;
                case 1: single = __expf(-single) + __frcp_rn(single + 1.5f) + __sinf(single); break;
                case 2: twice = twice * 0.999 + 1.25; break;
                case 3: word += __ldcg(&data[word % NOISE_WORDS]) + (word >> 3); break;
                default: single = fmaf(single, 0.5f, float(word & 15)), word = word >> 1 | word << 31;
            }
        }
        // A clock that differs by SM and by repetition moves the phase of the next round.
        if (kind == 0 && (word & 63) == 0) __nanosleep(100);
        bool is_over = clock64() - start > cycles;
        if (round % 8 == 0 && *ends >= own) is_over = true;
        if (is_over) break;
    }
    // Never so: the compiler must not know.
    if (word == 1 && single == 3 && twice == 5) data[threadIdx.x] = word;
}

// Noise from `start` until `end`, or as long as it lasts.
class Noise {
  public:
    Noise() : data(4 * NOISE_WORDS) {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        check(cudaHostAlloc(&ends, sizeof *ends, cudaHostAllocMapped));
        *ends = 0;
        check(cudaMemset(data.get(), 1, 4 * NOISE_WORDS));
    }

    void start(uint32_t seed) {
        static const int sms = attribute(cudaDevAttrMultiProcessorCount);
        uint32_t *flag = nullptr;
        check(cudaHostGetDevicePointer(&flag, const_cast<uint32_t *>(ends), 0));
        check(cudaFuncSetAttribute(noise, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
        noise<<<NOISE_BLOCKS_PER_SM * sms, NOISE_THREADS, 0, stream>>>(flag, ++own, reinterpret_cast<uint32_t *>(data.get()),
                                                                      LONGEST_NOISE, seed);
        check(cudaGetLastError());
    }

    void end() {
        *ends = own;
        check(cudaStreamSynchronize(stream));
    }

  private:
    Memory data;
    cudaStream_t stream = nullptr;
    volatile uint32_t *ends = nullptr;
    uint32_t own = 0;
};
