// How much of the data that all SMs read does L2 hold? Under ncu.
//
// Two passes over a number of MiB, with each line read by one SM. Bytes that DRAM reads again did not stay in L2.

#include "launch.cuh"

__global__ void passes(const Byte *from, Byte *out, Bytes bytes) {
    Word sum = 0;
    const Bytes step = Bytes(gridDim.x) * blockDim.x * 16;
    for (int pass = 0; pass < 2; pass++)
        for (Bytes at = (Bytes(blockIdx.x) * blockDim.x + threadIdx.x) * 16; at < bytes; at += step * 4) {
            Word values[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                values[i] = 0;
                if (at + i * step < bytes)
                    values[i] = load<16, L2>(from + at + i * step);
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                sum ^= values[i];
        }
    if (is_odd_one(sum))
        out[0] = sum;
}

int main() {
    Byte *from = buffer(64 * MIB), *out = buffer(4);
    for (Bytes size : {16, 20, 24, 28, 32, 36, 40, 44, 48, 64}) {
        passes<<<8 * sms(), 256>>>(from, out, size * MIB);
        launched("%llu MiB twice", size);
    }
}
