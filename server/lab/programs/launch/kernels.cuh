// Kernels that several programs of this folder launch, among them chip.cu, which `warplens calibrate` runs.
#pragma once

#include "launch.cuh"

constexpr Word LOADS = 2048;

// One lane loads a word of a random line, waits for it and goes on to the next.
__global__ void chase(const Byte *from, Word *out, Bytes lines, Word passes) {
    Word value = 0;
    for (Word pass = 0; pass < passes; pass++) {
        uint64_t chance = 88172645463325252ull;
        for (Word i = 0; i < LOADS; i++) {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            const Byte *at = from + ((chance + value) & (lines - 1)) * 128;
            const Word begin = now();
            const Word loaded = load<4, L2>(at);
            const Word end = now_behind(loaded);
            value = loaded & 1;
            out[i] = end - begin + value;
        }
    }
}

constexpr int L2_TURNS = 32;
constexpr Word OWN_REGION = 128 * KIB;

// Each warp loads, waits and loads again, from its part of the SM's region, which the SM has read before.
template <int WIDTH>
__global__ void l2_turns(const Byte *from, Word *out, Word stride) {
    const Word warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const Byte *own = from + static_cast<Bytes>(blockIdx.x) * OWN_REGION;
    Word last = 0;
    for (Word at = threadIdx.x * 32; at < OWN_REGION; at += blockDim.x * 32)
        last ^= load<4, L2>(own + at);
    __syncthreads();
    Word at = warp * 32 * stride + lane * stride;
    const Word begin = now();
#pragma unroll 1
    for (int i = 0; i < L2_TURNS; i++) {
        const Word value = load<WIDTH, L2>(own + (at & (OWN_REGION - 1)));
        at += warps * 32 * stride + (value & 1);
        last = value;
    }
    const Word end = now_behind(last);
    if (lane == 0)
        out[blockIdx.x * warps + warp] = end - begin;
}

// Threads store repeatedly to 8 MiB, which stay in L2.
template <int WIDTH>
__global__ void stores(Byte *to, Bytes stride, int count) {
    const Word thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    Word at = thread * Word(stride);
    const Word step = threads * Word(stride), mask = 8 * MIB - 1;
#pragma unroll 4
    for (int i = 0; i < count; i++) {
        store<WIDTH>(to + (at & mask), i);
        at += step;
    }
}

// Each warp writes one word in each of 32 rows of a matrix.
__global__ void columns(Byte *to, Bytes side) {
    const Bytes row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 8 + threadIdx.y;
    store<4>(to + (row * side + column) * 4, Word(row));
}

// Each thread reads its own 16 bytes once.
__global__ void stream_read(const Byte *from, Byte *out) {
    const Bytes thread = Bytes(blockIdx.x) * blockDim.x + threadIdx.x;
    const Word value = load<16, L1>(from + thread * 16);
    if (is_odd_one(value))
        out[thread] = value;
}

// Each thread reads its own 16 bytes and writes them to its part of the other buffer.
__global__ void stream_copy(const Byte *from, Byte *to) {
    const Bytes at = (Bytes(blockIdx.x) * blockDim.x + threadIdx.x) * 16;
    store<16>(to + at, load<16, L1>(from + at));
}

__device__ __forceinline__ Word mixed(Word x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

// Each thread adds `count` times, to its own words or to random words in 1 MiB.
__global__ void atomic_adds(Byte *to, bool by_chance, int count) {
    const Word thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % 32;
    for (int i = 0; i < count; i++) {
        const Word own = (Word(i) * (gridDim.x * blockDim.x / 32) + thread / 32) * 32 + lane;
        const Word at = by_chance ? mixed(own) % (1 << 18) : own;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to + at * 4), "r"(lane) : "memory");
    }
}

// Each warp loads, waits and loads again until all bytes are read.
template <int WIDTH>
__global__ void dram_turns(const Byte *from, Byte *out, Bytes bytes) {
    const Bytes step = Bytes(gridDim.x) * blockDim.x * WIDTH;
    Word sum = 0;
    for (Bytes at = (Bytes(blockIdx.x) * blockDim.x + threadIdx.x) * WIDTH; at < bytes; at += step)
        sum ^= load<WIDTH, L1>(from + at);
    if (is_odd_one(sum))
        out[0] = sum;
}

// The first thread of each block stores the clock at its start, the SM, and the clock after that.
__global__ void stamp(Word *out) {
    const Word cycle = now();
    Word sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) {
        out[blockIdx.x * 3] = cycle;
        out[blockIdx.x * 3 + 1] = sm;
        out[blockIdx.x * 3 + 2] = now();
    }
}
