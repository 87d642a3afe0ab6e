// How many shared loads does a sub-core send ahead of the one that is being served?
//
// One warp in each sub-core issues loads back to back, with all lanes in one bank. The SM serves such a load in 32 cycles and
// the four warps in turn, so a load of each warp starts every 128 cycles. When the last load issues, one load has started per
// 128 cycles until then. The others before it wait, in the queue (`mio.depth`) and beyond it.

#include "launch.cuh"

constexpr int WARPS = 4;
constexpr int SERVED = 128;

template <int LOADS>
__global__ void conflicted(Word *out) {
    __shared__ Word block[32 * 32];
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
        block[i] = 0;
    const Word lane = threadIdx.x % 32;
    const Word at = static_cast<Word>(__cvta_generic_to_shared(block)) + lane * 128;
    Word values[LOADS];
    __syncthreads();
    const Word begin = now();
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(values[i]) : "r"(at) : "memory");
    // Depends on the lane: a read of the clock that is the same for all lanes would go through the measured queue.
    const Word end = now_behind(lane);
    Word sum = 0;
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        sum ^= values[i];
    if (lane == 0 || is_odd_one(sum))
        out[threadIdx.x / 32] = end - begin;
}

template <int LOADS>
static void with(Word *out) {
    for (int time = 0; time < 2; time++)
        conflicted<LOADS><<<1, 32 * WARPS>>>(out);
    check(cudaDeviceSynchronize());
    for (Word cycles : fetched(out, WARPS))
        std::printf("%d loads,cycles until the last issues %u,waiting %.1f\n", LOADS, cycles, LOADS - 1 - double(cycles) / SERVED);
}

int main() {
    Word *out = buffer<Word>(4 * WARPS);
    with<24>(out);
    with<32>(out);
    with<40>(out);
}
