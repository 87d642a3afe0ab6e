// How fast is code fetched that no SM has fetched before? Under ncu, which also empties the instruction caches.
//
// Straight-line code of N instructions that could issue at one per cycle, run three times: the first run is cold, the third is
// warm. One warp per SM.

#include "launch.cuh"

template <int N>
__global__ void straight(Word *out, float x) {
    float a = x, b = x + 1, c = x + 2, d = x + 3;
#pragma unroll 1
    for (int time = 0; time < 3; time++) {
        const Word begin = now();
#pragma unroll
        for (int i = 0; i < N / 4; i++) {
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(b));
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(c));
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(d));
        }
        const Word end = now();
        if (threadIdx.x == 0 && out)
            out[blockIdx.x * 4 + time] = end - begin;
    }
    if (a + b + c + d == 12345.0f)
        out[3] = 1;
}

template <int N>
static void with(Word *out) {
    straight<N><<<sms(), 32>>>(out, 1.0f);
    launched("%d bytes", 16 * N);
    const auto cycles = fetched(out, 4 * sms());
    for (int time : {0, 2}) {
        std::vector<Word> all;
        for (int sm = 0; sm < sms(); sm++)
            all.push_back(cycles[4 * sm + time]);
        std::sort(all.begin(), all.end());
        std::printf("%d bytes,%s,cycles in the middle %u\n", 16 * N, time == 0 ? "cold" : "warm", all[all.size() / 2]);
    }
}

int main() {
    Word *out = buffer<Word>(16 * sms());
    with<32>(out);
    with<128>(out);
    with<512>(out);
    with<1024>(out);
    with<2048>(out);
}
