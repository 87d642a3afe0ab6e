// How long does a request occupy the path from one SM to L2?
//
// One SM reads 8 MiB that are in L2, bypassing its L1 cache. It has enough warps, with eight loads in flight each, to make the
// path the limit. Lanes are 4 bytes (one line, four sectors) to 128 bytes apart (one sector in each of 32 lines).

#include "launch.cuh"

constexpr int FLIGHT = 8;
constexpr Word REGION = 8 * MIB;

__global__ void misses(const Byte *from, Word *out, Word stride, int count) {
    Word sum = 0;
    for (Word at = threadIdx.x * 32; at < REGION; at += blockDim.x * 32)
        sum ^= load<4, L2>(from + at);
    const Word warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
    const Word begin = now();
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        Word values[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            values[f] = load<4, L2>(from + (((Word(i * FLIGHT + f) * warps + warp) * 32 * stride + lane * stride) & (REGION - 1)));
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            sum ^= values[f];
    }
    const Word end = now();
    if (is_odd_one(sum))
        out[0] = sum;
    __syncthreads();
    if (lane == 0) {
        out[2 * warp] = begin;
        out[2 * warp + 1] = end;
    }
}

int main() {
    Byte *from = buffer(REGION);
    Word *out = buffer<Word>(4 * 64);
    for (Word stride : {4, 8, 16, 32, 64, 128})
        for (int warps : {8, 16, 32}) {
            const int count = std::clamp<int>(REGION / (32 * stride) / FLIGHT / warps, 1, 64);
            for (int time = 0; time < 2; time++)
                misses<<<1, 32 * warps>>>(from, out, stride, count);
            check(cudaDeviceSynchronize());
            const auto clocks = fetched(out, 2 * warps);
            Word first = clocks[0], last = clocks[1];
            for (int warp = 0; warp < warps; warp++) {
                first = std::min(first, clocks[2 * warp], is_before);
                last = std::max(last, clocks[2 * warp + 1], is_before);
            }
            std::printf("stride %u,%d warps,cycles a request %.3f\n", stride, warps, double(last - first) / (count * FLIGHT * warps));
        }
}
