// What do stores take of the path from one SM to L2, and how many sectors does L2 take in a cycle? Under ncu.
//
// Threads store to 8 MiB over and over, which stay in L2. Lanes stand as far apart as they are wide (whole sectors, whole
// lines) or 128 bytes (a line each).

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
