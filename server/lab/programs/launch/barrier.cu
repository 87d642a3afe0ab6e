// How long do warps take to meet at a barrier? Under ncu.
//
// A loop of barriers and nothing else. The time of a round of all warps of an SM has a part that grows with their number,
// `interval` per warp, and a constant part.

#include "launch.cuh"

__global__ void barriers(float *out, int count) {
    for (int i = 0; i < count; i++)
        __syncthreads();
    if (threadIdx.x == 9999)
        out[0] = count;
}

int main() {
    float *out = buffer<float>(4);
    for (int blocks : {1, 4, 8}) {
        barriers<<<blocks * sms(), 256>>>(out, 256);
        launched("256 barriers of 8 warps in %d blocks an SM", blocks);
    }
    barriers<<<sms(), 1024>>>(out, 256);
    launched("256 barriers of 32 warps in 1 block an SM");
}
