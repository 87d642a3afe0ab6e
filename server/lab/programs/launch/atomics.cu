// How many atomic operations on different sectors does the chip serve per cycle? Under ncu.
//
// Each thread adds once, then eight times: to its own words, which are adjacent within a warp (four sectors per warp), or to
// random words in 1 MiB (32 sectors per warp).

#include "kernels.cuh"

int main() {
    Byte *to = buffer(256 * MIB);
    for (bool by_chance : {false, true})
        for (int count : {1, 8}) {
            atomic_adds<<<8 * sms(), 256>>>(to, by_chance, count);
            launched("%s, %d each", by_chance ? "by chance in 1 MiB" : "own words", count);
        }
}
