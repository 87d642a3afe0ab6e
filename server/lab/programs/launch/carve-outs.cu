// How much of the L1 cache does the driver reserve as shared memory? Under ncu.
//
// `launch__shared_mem_config_size` of launches whose blocks differ in threads and shared memory. The kernel itself is irrelevant.

#include "launch.cuh"

__global__ void nothing(Byte *out) {
    extern __shared__ Word block[];
    if (out)
        out[0] = block[threadIdx.x];
}

int main() {
    allow_shared(nothing);
    for (int threads : {32, 64, 128, 192, 256, 384, 512, 768, 1024})
        for (int shared : {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 100, 128, 160, 200, 224}) {
            nothing<<<1, threads, shared * KIB>>>(nullptr);
            launched("%d threads, %d KiB shared", threads, shared);
        }
}
