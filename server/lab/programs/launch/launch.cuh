// Shared code of the programs of this folder: accesses of a given width, reads of the SM's clock, buffers, names of launches.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

using Byte = unsigned char;
using Word = uint32_t;
using Bytes = unsigned long long;

constexpr Bytes KIB = 1 << 10;
constexpr Bytes MIB = 1 << 20;

// Caches that a load looks into: L1 and then L2, or only L2.
enum From { L1, L2 };

__device__ __forceinline__ Word now() {
    uint64_t cycle;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycle)::"memory");
    return static_cast<Word>(cycle);
}

// Reads the clock when `value` is available. Two reads around nothing are 9 cycles apart, around a load 5 more than issue to use.
__device__ __forceinline__ Word now_behind(Word value) {
    uint64_t cycle = 0;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0x12345678; @p mov.u64 %0, %%clock64;}" : "+l"(cycle) : "r"(value) : "memory");
    return static_cast<Word>(cycle);
}

// Unknown to the compiler, and never true for the zeros that buffers hold: keeps loads whose values are not used.
__device__ __forceinline__ bool is_odd_one(Word value) { return value == 0x12345678u; }

// Loads WIDTH bytes per lane and returns the first word.
template <int WIDTH, From from>
__device__ __forceinline__ Word load(const Byte *at) {
    Word a, b = 0, c = 0, d = 0;
    if (WIDTH == 4 && from == L1)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(at));
    if (WIDTH == 4 && from == L2)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(at));
    if (WIDTH == 16 && from == L1)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    if (WIDTH == 16 && from == L2)
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    return a;
}

template <int WIDTH>
__device__ __forceinline__ void store(Byte *at, Word value) {
    if (WIDTH == 4)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    if (WIDTH == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(value) : "memory");
}

inline void check(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

// Allocates memory of the GPU, filled with zeros.
template <class T = Byte>
T *buffer(Bytes bytes) {
    T *memory = nullptr;
    check(cudaMalloc(&memory, bytes));
    check(cudaMemset(memory, 0, bytes));
    check(cudaDeviceSynchronize());
    return memory;
}

// Overwrites the L2 cache, as ncu does between launches.
inline void flush() {
    static Byte *other = buffer(256 * MIB);
    check(cudaMemset(other, 0, 256 * MIB));
    check(cudaDeviceSynchronize());
}

inline std::vector<Word> fetched(const Word *from, size_t count) {
    std::vector<Word> words(count);
    check(cudaMemcpy(words.data(), from, 4 * count, cudaMemcpyDeviceToHost));
    return words;
}

// Compares two values of the clock, which wraps after 2^32 cycles.
inline bool is_before(Word one, Word other) { return static_cast<int32_t>(one - other) < 0; }

inline int sms() {
    int count = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

template <class Kernel>
void allow_shared(Kernel kernel) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * KIB));
}

// Waits for the previous launch and prints `launch,ID,WHAT`, with the ID that ncu gives it.
inline void launched(const char *what, ...) {
    static int id = 0;
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::printf("launch,%d,", id++);
    va_list arguments;
    va_start(arguments, what);
    std::vprintf(what, arguments);
    va_end(arguments);
    std::printf("\n");
}
