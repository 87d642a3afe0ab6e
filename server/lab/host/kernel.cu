// The kernel whose code the programs replace. The compiled kernel provides everything else that they need: the parameters, space for
// code (each part is about 2.5 KiB), shared memory, one barrier, and more than `LIVE` registers, because `LIVE` values are loaded
// before the first of them is stored.

constexpr int LIVE = 80;
constexpr int PARTS = 6;
constexpr int SHARED_WORDS = 8192;

extern "C" __global__ void __launch_bounds__(128, 1)
    program(unsigned long long *clocks, const float *input, float *output, unsigned passes) {
    __shared__ float block[SHARED_WORDS];
    for (unsigned pass = 0; pass < passes; ++pass) {
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
            float live[LIVE];
#pragma unroll
            for (int at = 0; at < LIVE; ++at)
                asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(live[at]) : "l"(input + 32 * at));
#pragma unroll
            for (int at = 0; at < LIVE; ++at)
                asm volatile("st.volatile.global.f32 [%0], %1;" ::"l"(output + 32 * at), "f"(live[at]));
            block[threadIdx.x + part] += output[part];
            __syncthreads();
        }
    }
    clocks[threadIdx.x] = clock64();
}
