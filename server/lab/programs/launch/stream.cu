// How many bytes does DRAM move per cycle, and when does it write stored data? Under ncu.
//
// Each thread reads its own 16 bytes once, writes them, or both.

#include "kernels.cuh"

__global__ void write(Byte *to) {
    const Bytes thread = Bytes(blockIdx.x) * blockDim.x + threadIdx.x;
    store<16>(to + thread * 16, Word(thread));
}

__global__ void add(const Byte *from, const Byte *other, Byte *to) {
    const Bytes at = (Bytes(blockIdx.x) * blockDim.x + threadIdx.x) * 16;
    const Word a = load<16, L1>(from + at), b = load<16, L1>(other + at);
    store<16>(to + at, a + b);
}

int main() {
    Byte *from = buffer(256 * MIB), *other = buffer(256 * MIB), *to = buffer(256 * MIB);
    for (Bytes size : {16, 64, 128, 256}) {
        const int blocks = size * MIB / 16 / 256;
        stream_read<<<blocks, 256>>>(from, to);
        launched("read %llu MiB", size);
        write<<<blocks, 256>>>(to);
        launched("write %llu MiB", size);
        stream_copy<<<blocks, 256>>>(from, to);
        launched("copy %llu MiB", size);
        add<<<blocks, 256>>>(from, other, to);
        launched("add two of %llu MiB", size);
    }
}
