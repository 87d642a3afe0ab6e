// How long is an SM idle between a block and the next? Under ncu.
//
// 200 KiB of unused shared memory let one block of 128 threads run on an SM at a time. Between two blocks the SM is idle, which
// its active cycles do not include. Blocks that load take long. Blocks that store end at once, so the time from one to the next
// is the idle time plus the life of a block that does nothing.

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
