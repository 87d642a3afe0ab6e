// Cause: remainders of 64-bit integers by a parameter. Cure: numbers of 32 bits, as they are small enough.
// guide: integer-divisions

#include "pair.h"

__global__ void hash_slots(const uint32_t *keys, uint32_t *slots, int count, unsigned long long size) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        unsigned long long slot = keys[at];
        for (int probe = 0; probe < 4; probe++) {
            slot = (slot * 5 + 1) % size;
        }
        slots[at] = (uint32_t)slot;
    }
}

__global__ void hash_slots_cured(const uint32_t *keys, uint32_t *slots, int count, uint32_t size) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        uint32_t slot = keys[at];
        for (int probe = 0; probe < 4; probe++) {
            slot = (slot * 5 + 1) % size;
        }
        slots[at] = slot;
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 24;
    uint32_t *keys = random_words(count, 15, 1u << 28);
    uint32_t *slots = device_array<uint32_t>(count), *cured = device_array<uint32_t>(count);
    return compare(
        argc, argv, "hash_slots", [&] { hash_slots<<<count / 256, 256>>>(keys, slots, count, 1000003ull); },
        [&] { hash_slots_cured<<<count / 256, 256>>>(keys, cured, count, 1000003u); },
        [&] { return same(slots, cured, count, 0.0); });
}
