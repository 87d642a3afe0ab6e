// How long does the place of a block stay empty? Under ncu.
//
// 200 KiB of shared memory, which nobody uses, let one block of 128 threads run on an SM at a time. Between two blocks the SM is
// idle, and its active cycles do not count that. Blocks that load are there for long; those that store go on at once, so that
// from one to the next it is the empty place and the life of a block that does nothing.

#include "launch.cuh"

__global__ void read(const Byte *from, Byte *out) {
    const Bytes thread = Bytes(blockIdx.x) * blockDim.x + threadIdx.x;
    const Word value = load<4, L1>(from + thread * 4);
    if (is_odd_one(value))
        out[thread] = value;
}

__global__ void write(Byte *to) {
    const Bytes thread = Bytes(blockIdx.x) * blockDim.x + threadIdx.x;
    store<4>(to + thread * 4, Word(thread));
}

int main() {
    Byte *from = buffer(32 * MIB), *out = buffer(32 * MIB);
    allow_shared(read);
    const int blocks = 32 * MIB / 4 / 128;
    read<<<blocks, 128, 200 * KIB>>>(from, out);
    launched("%d blocks that read, %.1f an SM", blocks, double(blocks) / sms());
    allow_shared(write);
    write<<<64 * sms(), 128, 200 * KIB>>>(out);
    launched("64 blocks an SM that write");
}
