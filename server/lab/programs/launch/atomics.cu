// How many operations of atomics on different sectors does the chip take in a cycle? Under ncu.
//
// Each thread adds once, then eight times: to words of its own, a warp's side by side (four operations a warp), or to words by
// chance in 1 MiB (32 operations a warp).

#include "kernels.cuh"

int main() {
    Byte *to = buffer(256 * MIB);
    for (bool by_chance : {false, true})
        for (int count : {1, 8}) {
            atomic_adds<<<8 * sms(), 256>>>(to, by_chance, count);
            launched("%s, %d each", by_chance ? "by chance in 1 MiB" : "own words", count);
        }
}
