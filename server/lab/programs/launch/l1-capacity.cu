// How much does the L1 cache hold in addition to the shared memory of a block? Under ncu.
//
// A block of 1024 threads on each SM reads a number of KiB four times. Three of four reads can hit, so the hit rate is at most
// 75 %; the largest size with that rate fits. The driver chooses the carve-out by the shared memory that a block requests.

#include "launch.cuh"

__global__ void passes(const Byte *from, Byte *out, Word bytes) {
    extern __shared__ Word block[];
    Word sum = 0;
    for (int pass = 0; pass < 4; pass++) {
        for (Word at = threadIdx.x * 4; at < bytes; at += blockDim.x * 4)
            sum ^= load<4, L1>(from + at);
        __syncthreads();
    }
    if (is_odd_one(sum)) {
        block[0] = sum;
        __syncthreads();
        out[0] = block[threadIdx.x & 1];
    }
}

int main() {
    Byte *from = buffer(MIB), *out = buffer(4);
    allow_shared(passes);
    for (int shared : {0, 8, 16, 32, 64, 100, 132, 164})
        for (int read : {48, 80, 112, 128, 144, 160, 176, 192, 208, 224, 232, 240, 248, 256}) {
            passes<<<sms(), 1024, shared * KIB>>>(from, out, read * KIB);
            launched("%d KiB shared: %d KiB read", shared, read);
        }
}
