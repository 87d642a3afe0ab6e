// How many bytes does DRAM move for one sector? Under ncu.
//
// Each thread reads one word, far enough from its neighbour's that no two threads share a sector.

#include "launch.cuh"

__global__ void strided(const Byte *from, Byte *out, Bytes stride) {
    const Bytes thread = Bytes(blockIdx.x) * blockDim.x + threadIdx.x;
    const Word value = load<4, L1>(from + thread * stride);
    if (is_odd_one(value))
        out[thread] = value;
}

int main() {
    constexpr int THREADS = 1 << 20;
    Byte *from = buffer(THREADS * 256), *out = buffer(THREADS);
    for (Bytes stride : {32, 64, 128, 256}) {
        strided<<<THREADS / 256, 256>>>(from, out, stride);
        launched("%d sectors, %llu bytes apart", THREADS, stride);
    }
}
