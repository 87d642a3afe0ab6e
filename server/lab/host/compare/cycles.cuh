// Cycles of a launch. If the program stores its clocks, they are counted from the earliest first clock to the latest second clock.
// For a whole kernel, they are the SM cycles from the end of a small kernel before the launch to the start of another one after it,
// less the same without a launch in between. Cycles do not depend on the clock frequency.
#pragma once

#include <algorithm>
#include <vector>

#include "memory.cuh"

constexpr size_t FLUSHED_BYTES = 256 << 20;
constexpr int MOST_SMS = 1024;

// Overwrites the contents of the L2 cache.
inline void flush() {
    static Memory *other = new Memory(FLUSHED_BYTES);
    check(cudaMemsetAsync(other->get(), 0, FLUSHED_BYTES));
}

// The earliest and the latest clock that the blocks of a stamp kernel read on each SM.
struct Stamp {
    Count first[MOST_SMS], last[MOST_SMS];
};

__global__ void stamp(Stamp *stamp) {
    Count clock;
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
    if (threadIdx.x || sm >= MOST_SMS) return;
    atomicMin(&stamp->first[sm], clock);
    atomicMax(&stamp->last[sm], clock);
}

template <class Number>
Number median(std::vector<Number> all) {
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    return all[all.size() / 2];
}

// The median over the SMs of the cycles from the end of a stamp before `work` to the start of a stamp after it. L2 is flushed first.
// `finish` waits for the launches.
template <class Work, class Finish>
Count cycles_between_stamps(Work work, Finish finish) {
    static const int sms = attribute(cudaDevAttrMultiProcessorCount);
    static Memory *memory = new Memory(2 * sizeof(Stamp));
    static std::vector<Stamp> stamps(2);
    for (Stamp &one : stamps) {
        std::fill_n(one.first, MOST_SMS, ~Count(0));
        std::fill_n(one.last, MOST_SMS, Count(0));
    }
    check(cudaMemcpy(memory->get(), stamps.data(), 2 * sizeof(Stamp), cudaMemcpyHostToDevice));
    Stamp *before = reinterpret_cast<Stamp *>(memory->get()), *after = before + 1;
    // The flush takes longer than the host needs to submit the three launches after it.
    flush();
    stamp<<<8 * sms, 32>>>(before);
    work();
    stamp<<<8 * sms, 32>>>(after);
    check(cudaGetLastError());
    finish();
    check(cudaMemcpy(stamps.data(), memory->get(), 2 * sizeof(Stamp), cudaMemcpyDeviceToHost));
    std::vector<Count> spans;
    for (int sm = 0; sm < MOST_SMS; ++sm)
        if (stamps[0].last[sm] && stamps[1].last[sm]) spans.push_back(stamps[1].first[sm] - stamps[0].last[sm]);
    if (spans.empty()) throw Failure("no SM ran both stamps");
    return median(spans);
}

// Cycles from the earliest first clock to the latest second clock. `clocks` has one pair per warp; a pair whose second clock is 0 is
// ignored.
inline Count span(const Byte *clocks, size_t count) {
    std::vector<Count> all(count);
    check(cudaMemcpy(all.data(), clocks, 8 * count, cudaMemcpyDeviceToHost));
    Count first = ~Count(0), last = 0;
    for (size_t at = 0; at + 1 < count; at += 2) {
        if (!all[at + 1]) continue;
        first = std::min(first, all[at]);
        last = std::max(last, all[at + 1]);
    }
    return last > first ? last - first : 0;
}
