// How long does a load take that depends on the previous load?
//
// One lane loads a word of a random line, waits for it and goes on to the next. All words are zero, and each address depends on
// the previous word. The cycles are those between two clock reads, 5 more than from issue to use.

#include "kernels.cuh"

static void report(const char *what, const Word *out) {
    auto cycles = fetched(out, LOADS);
    std::sort(cycles.begin(), cycles.end());
    double sum = 0;
    for (Word each : cycles)
        sum += each;
    const auto late = cycles.end() - std::lower_bound(cycles.begin(), cycles.end(), 1000u);
    std::printf("%s,mean %.1f,least %u", what, sum / LOADS, cycles[0]);
    for (int percent : {10, 25, 50, 75, 90, 95})
        std::printf(",%d %% %u", percent, cycles[LOADS * percent / 100]);
    std::printf(",most %u,over 1000: %.1f %%\n", cycles[LOADS - 1], 100.0 * late / LOADS);
}

int main() {
    Byte *from = buffer(256 * MIB);
    Word *out = buffer<Word>(4 * LOADS);
    for (Bytes bytes : {16 * MIB, 64 * MIB, 256 * MIB}) {
        flush();
        chase<<<1, 1>>>(from, out, bytes / 128, 1);
        check(cudaDeviceSynchronize());
        std::printf("%llu MiB ", bytes / MIB);
        report("from DRAM", out);
    }
    chase<<<1, 1>>>(from, out, 4 * MIB / 128, 5);
    check(cudaDeviceSynchronize());
    report("4 MiB from L2", out);
}
