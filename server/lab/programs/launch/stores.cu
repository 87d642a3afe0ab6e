// How long do stores occupy the path from one SM to L2, and how many sectors does L2 accept per cycle? Under ncu.
//
// Threads store repeatedly to 8 MiB, which stay in L2. Lanes are as far apart as their stores are wide (whole sectors, whole
// lines) or 128 bytes apart (a line each).

#include "kernels.cuh"

int main() {
    Byte *to = buffer(9 * MIB);
    for (int blocks : {1, 8 * sms()})
        for (Bytes stride : {4, 16, 128}) {
            const int count = blocks == 1 ? 256 : 64;
            if (stride == 16)
                stores<16><<<blocks, 256>>>(to, stride, count);
            else
                stores<4><<<blocks, 256>>>(to, stride, count);
            launched("%d blocks of 8 warps, %d stores a thread, stride %llu", blocks, count, stride);
        }
}
