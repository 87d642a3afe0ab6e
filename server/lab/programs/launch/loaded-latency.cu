// How much longer does a load take while DRAM serves other loads? Under ncu.
//
// Each warp loads, waits and loads again until 32 MiB are read; more blocks on an SM make more load. The cycles of a turn are
// those of the launch, divided by the turns of a warp.

#include "kernels.cuh"

template <int WIDTH>
static void with(const Byte *from, Byte *out) {
    for (int blocks : {1, 2, 4, 8, 16}) {
        dram_turns<WIDTH><<<blocks * sms(), 128>>>(from, out, 32 * MIB);
        const double count = 32.0 * MIB / (128.0 * WIDTH * blocks * sms());
        launched("%d bytes a lane, %d warps an SM, %.1f turns", WIDTH, 4 * blocks, count);
    }
}

int main() {
    Byte *from = buffer(32 * MIB), *out = buffer(4);
    with<4>(from, out);
    with<16>(from, out);
}
