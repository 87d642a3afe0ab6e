// How long does a warp wait for L2, and how many requests does L2 serve per cycle?
//
// Each warp loads, waits and loads again, from a part of its SM's 128 KiB, which the SM has read before. With one warp per SM, a
// turn is the latency plus the loop around it. With 32 warps whose lanes access a line each, L2 is the limit.

#include "kernels.cuh"

int main() {
    const int blocks = sms();
    Byte *from = buffer(Bytes(blocks) * OWN_REGION);
    Word *out = buffer<Word>(4 * 32 * blocks);
    allow_shared(l2_turns<4>);
    allow_shared(l2_turns<16>);
    for (Word stride : {4, 16, 32, 128})
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            // 100 KiB of unused shared memory leave room for one block per SM.
            for (int time = 0; time < 2; time++)
                if (stride == 16)
                    l2_turns<16><<<blocks, 32 * warps, 100 * KIB>>>(from, out, stride);
                else
                    l2_turns<4><<<blocks, 32 * warps, 100 * KIB>>>(from, out, stride);
            check(cudaDeviceSynchronize());
            double sum = 0;
            for (Word cycles : fetched(out, blocks * warps))
                sum += cycles;
            const double turn = sum / (blocks * warps) / L2_TURNS;
            const int sectors = std::min(stride, 32u);
            std::printf("stride %u,%d warps,cycles a turn %.1f,sectors a cycle %.2f\n", stride, warps, turn,
                        sectors * double(blocks) * warps / turn);
        }
}
