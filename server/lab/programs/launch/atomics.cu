// How many operations of atomics on different sectors does the chip take in a cycle? Under ncu.
//
// Each thread adds once, then eight times: to words of its own, a warp's side by side (four operations a warp), or to words by
// chance in 1 MiB (32 operations a warp).

#include "launch.cuh"

__device__ __forceinline__ Word mixed(Word x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

__global__ void add(Byte *to, bool by_chance, int count) {
    const Word thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % 32;
    for (int i = 0; i < count; i++) {
        const Word own = (Word(i) * (gridDim.x * blockDim.x / 32) + thread / 32) * 32 + lane;
        const Word at = by_chance ? mixed(own) % (1 << 18) : own;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to + at * 4), "r"(lane) : "memory");
    }
}

int main() {
    Byte *to = buffer(256 * MIB);
    for (bool by_chance : {false, true})
        for (int count : {1, 8}) {
            add<<<8 * sms(), 256>>>(to, by_chance, count);
            launched("%s, %d each", by_chance ? "by chance in 1 MiB" : "own words", count);
        }
}
