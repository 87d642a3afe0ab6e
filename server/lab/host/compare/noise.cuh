// Noise: a kernel in another stream that shares every SM with the compared kernel. Its warps issue, wait and occupy pipes at different
// times in each repetition, so that lucky timing does not hide a missing wait.
#pragma once

#include "memory.cuh"

constexpr unsigned NOISE_THREADS = 128, MOST_NOISE_BLOCKS_PER_SM = 3;
constexpr size_t NOISE_WORDS = 1 << 20;
// Maximum duration of the noise in cycles. A launch that does not fit on the SMs with the noise waits at most this long.
constexpr Count LONGEST_NOISE = 40'000'000;
constexpr unsigned POLL_NS = 10'000;

// The host's request to end the noise, and its copy in GPU memory. Loads from host memory delay all other loads of their SM, so only
// one warp reads `asked`. Noise number `own` ends when the request reaches this number.
struct Ending {
    const volatile uint32_t *asked;
    volatile uint32_t *known;
    uint32_t own;
};

__device__ inline void relay(Ending ending, Count cycles) {
    Count start = clock64();
    while (*ending.asked < ending.own && clock64() - start < cycles) __nanosleep(POLL_NS);
    *ending.known = ending.own;
}

// Keeps busy what the warps of an SM share: integer and single-precision arithmetic, special functions, double precision, and loads
// that bypass L1.
__global__ void __launch_bounds__(NOISE_THREADS, 8) noise(Ending ending, uint32_t *data, Count cycles, uint32_t seed) {
    if (blockIdx.x == 0 && threadIdx.x < 32) return relay(ending, cycles);
    uint32_t word = uint32_t(mixed(seed * 65536u + blockIdx.x * blockDim.x + threadIdx.x));
    // The warps of a block do different kinds of work, and the assignment differs between blocks.
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
        // Pauses that differ by warp and by repetition shift the phase of the next round.
        if (kind == 0 && (word & 63) == 0) __nanosleep(100);
        if (round % 8 == 0 && *ending.known >= ending.own) break;
    }
    // Practically never true. The store keeps the compiler from removing the work.
    if (word == 1 && single == 3 && twice == 5) data[threadIdx.x] = word;
}

// Number of noise blocks that fit on an SM together with one block of `kernel`: at most `MOST_NOISE_BLOCKS_PER_SM`, 0 if none fits.
inline unsigned noise_blocks_per_sm(cudaKernel_t kernel, unsigned threads, size_t dynamic_shared) {
    static const int registers = attribute(cudaDevAttrMaxRegistersPerMultiprocessor),
                     most_threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
                     shared = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
                     reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    cudaFuncAttributes its, noises;
    check(cudaFuncGetAttributes(&its, kernel));
    check(cudaFuncGetAttributes(&noises, noise));
    // Registers are allocated per warp in units of 256.
    auto taken = [](int each, unsigned threads) { return (each * 32 + 255) / 256 * 256 * int((threads + 31) / 32); };
    unsigned blocks = MOST_NOISE_BLOCKS_PER_SM;
    for (; blocks; --blocks)
        if (taken(its.numRegs, threads) + int(blocks) * taken(noises.numRegs, NOISE_THREADS) <= registers &&
            int(threads + blocks * NOISE_THREADS) <= most_threads &&
            int(its.sharedSizeBytes + dynamic_shared) + int(blocks + 1) * reserved <= shared)
            break;
    return blocks;
}

// Noise that runs from `start` to `end`, at most `LONGEST_NOISE` cycles.
class Noise {
  public:
    Noise() : data(4 * NOISE_WORDS), known(sizeof(uint32_t)) {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        check(cudaHostAlloc(&asked, sizeof *asked, cudaHostAllocMapped));
        *asked = 0;
        check(cudaMemset(data.get(), 1, 4 * NOISE_WORDS));
        check(cudaMemset(known.get(), 0, sizeof(uint32_t)));
        check(cudaFuncSetAttribute(noise, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    }

    void start(uint32_t seed, unsigned blocks_per_sm) {
        static const int sms = attribute(cudaDevAttrMultiProcessorCount);
        if (!blocks_per_sm) return;
        Ending ending{nullptr, reinterpret_cast<uint32_t *>(known.get()), ++own};
        check(cudaHostGetDevicePointer(const_cast<uint32_t **>(&ending.asked), const_cast<uint32_t *>(asked), 0));
        noise<<<blocks_per_sm * sms, NOISE_THREADS, 0, stream>>>(ending, reinterpret_cast<uint32_t *>(data.get()), LONGEST_NOISE, seed);
        check(cudaGetLastError());
    }

    bool is_running() const { return cudaStreamQuery(stream) == cudaErrorNotReady; }

    void end() {
        *asked = own;
        check(cudaStreamSynchronize(stream));
    }

  private:
    Memory data, known;
    cudaStream_t stream = nullptr;
    volatile uint32_t *asked = nullptr;
    uint32_t own = 0;
};
