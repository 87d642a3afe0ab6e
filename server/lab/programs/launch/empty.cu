// How long does a launch take that does nothing? Under ncu.
//
// Grids of empty blocks, and of blocks that read a parameter: the time of a single block, the time that one block on each SM
// adds, and the time of the whole chip that each further block adds.

#include "launch.cuh"

__global__ void empty() {}

__global__ void parameter(int *out) {
    if (out)
        *out = 1;
}

int main() {
    for (int blocks : {1, sms(), 8 * sms(), 8192, 65536, 262144})
        for (int threads : {32, 128, 256}) {
            empty<<<blocks, threads>>>();
            launched("%d empty blocks of %d threads", blocks, threads);
            parameter<<<blocks, threads>>>(nullptr);
            launched("%d blocks of %d threads that read a parameter", blocks, threads);
        }
}
