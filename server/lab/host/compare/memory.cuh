// GPU memory: buffers filled from a seed, shared memory filled before a launch, and differences between two buffers.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "launches.h"

using Byte = unsigned char;
using Count = unsigned long long;

constexpr unsigned BLOCKS = 2048, THREADS = 256;

// Reason why a launch failed, or an error of the CUDA runtime. After most errors of a kernel, every later call in the process fails.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void check(cudaError_t error) {
    if (error != cudaSuccess) throw Failure(cudaGetErrorString(error));
}

// One step of splitmix64. Every bit of the result depends on every bit of `value`.
__device__ inline uint64_t mixed(uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

__device__ inline float unit(uint64_t random) { return float(random >> 40) * (1.0f / (1 << 24)); }

__device__ inline void put(Byte *buffer, size_t at, Filling filling, uint64_t random) {
    uint32_t *words = reinterpret_cast<uint32_t *>(buffer);
    float *floats = reinterpret_cast<float *>(buffer);
    switch (filling.content) {
        case Content::Zero: words[at] = 0; break;
        case Content::Clocks: reinterpret_cast<uint64_t *>(buffer)[at] = 0; break;
        case Content::Unit: floats[at] = unit(random); break;
        case Content::Signed: floats[at] = 2.0f * unit(random) - 1.0f; break;
        case Content::Double: reinterpret_cast<double *>(buffer)[at] = double(random >> 11) * 0x1p-53; break;
        case Content::Half: reinterpret_cast<__half *>(buffer)[at] = __float2half_rn(unit(random)); break;
        // The upper half of a 32-bit float.
        case Content::Brain: reinterpret_cast<uint16_t *>(buffer)[at] = uint16_t(__float_as_uint(unit(random)) >> 16); break;
        case Content::Bytes: buffer[at] = Byte(uint32_t(random >> 32) % filling.bound); break;
        case Content::Bits: words[at] = uint32_t(random); break;
        case Content::Below: words[at] = uint32_t(random >> 32) % filling.bound; break;
        case Content::Rows: words[at] = uint32_t(at) * filling.bound; break;
        case Content::UnevenRows: words[at] = uint32_t(at) * filling.bound + uint32_t(random >> 32) % filling.bound; break;
    }
}

// Fills several copies of a buffer with the same contents. The copies are `stride` bytes apart.
__global__ void fill(Byte *buffer, size_t count, size_t copies, size_t stride, Filling filling, uint64_t seed) {
    for (size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x; at < count * copies; at += size_t(gridDim.x) * blockDim.x)
        put(buffer + at / count * stride, at % count, filling, mixed(seed + at % count));
}

// Fills shared memory with a pattern that repeats every KiB, so that a block finds the same bytes at every allocation that begins at a
// multiple of 1 KiB.
__global__ void fill_shared(uint32_t words, uint64_t seed) {
    extern __shared__ volatile uint32_t shared[];
    for (uint32_t at = threadIdx.x; at < words; at += blockDim.x) shared[at] = uint32_t(mixed(seed + at % 256));
}

struct Difference {
    Count bytes, first;
};

// Compares each of several copies in `other` with the buffer `one`. `first` is the byte offset from the start of the first copy.
__global__ void differ(const Byte *one, const Byte *other, size_t bytes, size_t copies, size_t stride, Difference *found) {
    for (size_t each = size_t(blockIdx.x) * blockDim.x + threadIdx.x; each < bytes * copies; each += size_t(gridDim.x) * blockDim.x) {
        size_t at = each / bytes * stride + each % bytes;
        if (one[each % bytes] == other[at]) continue;
        atomicAdd(&found->bytes, Count(1));
        atomicMin(&found->first, Count(at));
    }
}

// A buffer in GPU memory, which the destructor frees. An error of the destructor is ignored, because the GPU may have failed before.
class Memory {
  public:
    explicit Memory(size_t bytes) { check(cudaMalloc(&at, bytes)); }
    Memory(Memory &&other) : at(other.at) { other.at = nullptr; }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory() { cudaFree(at); }

    Byte *get() const { return at; }

  private:
    Byte *at = nullptr;
};

inline Difference difference(const Memory &one, const Memory &other, size_t bytes, size_t copies, size_t stride) {
    static Memory *kept = new Memory(sizeof(Difference));
    Difference found{0, ~Count(0)};
    check(cudaMemcpy(kept->get(), &found, sizeof found, cudaMemcpyHostToDevice));
    differ<<<BLOCKS, THREADS>>>(one.get(), other.get(), bytes, copies, stride, reinterpret_cast<Difference *>(kept->get()));
    check(cudaGetLastError());
    check(cudaMemcpy(&found, kept->get(), sizeof found, cudaMemcpyDeviceToHost));
    return found;
}

inline int attribute(cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

inline void fill_all_shared(uint64_t seed) {
    static const int sms = attribute(cudaDevAttrMultiProcessorCount), bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    check(cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    // A block takes all shared memory of an SM, so four blocks per SM reach every SM.
    fill_shared<<<4 * sms, 1024, bytes>>>(uint32_t(bytes / 4), seed);
    check(cudaGetLastError());
}
