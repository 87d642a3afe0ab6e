// Measures the chip around its SMs: clock, L2 cache, DRAM, block starts. `warplens calibrate` builds and runs it on any GPU.
//
// Prints `NAME,NUMBER` for each measurement, from which chip.toml computes figures; no profiler is needed. Times of whole launches
// are measured with events, in cycles of the SM's clock, less those of an empty launch. Before each of these launches, the L2
// cache has only clean lines, because dirty ones would have to be written back during the measurement.

#include "kernels.cuh"

#include <cmath>

namespace {

constexpr Bytes LARGE = 256 * MIB;
constexpr int REPEATS = 5;

// Cycles between two clock reads around a load, less those from issue to use.
constexpr int AROUND = 5;

void print(const char *name, double number) { std::printf("%s,%lld\n", name, std::llround(number)); }

double median(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

__global__ void empty() {}

__global__ void spin(uint64_t *out, Bytes cycles) {
    uint64_t begin, end, first, last;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first)::"memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin)::"memory");
    do
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
    while (end - begin < cycles);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(last)::"memory");
    out[0] = end - begin;
    out[1] = last - first;
}

// Each block reads its part; then one lane reads it again, a line at a time, and counts loads of more than `long_cycles`.
__global__ void again(const Byte *from, Bytes bytes, Word long_cycles, Word *missed) {
    const Bytes own = bytes / gridDim.x / 128 * 128;
    const Byte *part = from + blockIdx.x * own;
    Word sum = 0;
    for (Bytes at = threadIdx.x * 32; at < own; at += blockDim.x * 32)
        sum ^= load<4, L2>(part + at);
    __syncthreads();
    if (threadIdx.x)
        return;
    Word misses = 0;
    for (Bytes at = 0; at < own; at += 128) {
        const Word begin = now();
        const Word value = load<4, L2>(part + at);
        const Word end = now_behind(value);
        misses += end - begin > long_cycles;
        sum ^= value;
    }
    missed[blockIdx.x] = misses + is_odd_one(sum);
}

// Stores when each block begins and ends, at least 2000 cycles later, and on which SM it runs.
__global__ void stay(Word *out) {
    const Word begin = now();
    Word sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    Word end = begin;
    while (end - begin < 2000)
        end = now();
    if (threadIdx.x == 0) {
        out[blockIdx.x * 3] = begin;
        out[blockIdx.x * 3 + 1] = sm;
        out[blockIdx.x * 3 + 2] = end;
    }
}

struct Chip {
    Byte *from = buffer(LARGE), *to = buffer(LARGE), *other = buffer(LARGE);
    Word *out = buffer<Word>(1 << 20);
    cudaEvent_t begin, end;
    double mhz = 0, empty_cycles = 0;

    Chip() {
        check(cudaEventCreate(&begin));
        check(cudaEventCreate(&end));
    }

    // Fills the L2 cache with clean lines of another buffer.
    void clean() { stream_read<<<int(LARGE / 16 / 256), 256>>>(other, to); }

    template <class Launch>
    double once(Launch launch) {
        clean();
        check(cudaEventRecord(begin));
        launch();
        check(cudaEventRecord(end));
        check(cudaGetLastError());
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        return double(milliseconds) * 1e3 * mhz;
    }

    // Cycles of a launch, less those of an empty one: the median of `REPEATS` launches, at least 1.
    template <class Launch>
    double cycles(Launch launch) {
        std::vector<double> all;
        for (int time = 0; time < REPEATS; time++)
            all.push_back(once(launch));
        return std::max(median(all) - empty_cycles, 1.0);
    }

    void clock() {
        auto *clocks = buffer<uint64_t>(16);
        uint64_t read[2] = {0, 1};
        // The clock rises under load, so the last of several measurements counts.
        for (int time = 0; time < 12; time++) {
            spin<<<1, 1>>>(clocks, 40'000'000);
            check(cudaMemcpy(read, clocks, 16, cudaMemcpyDeviceToHost));
        }
        mhz = double(read[0]) * 1e3 / double(read[1]);
        print("mhz", mhz);
        empty_cycles = 0;
        empty_cycles = cycles([] { empty<<<1, 32>>>(); });
    }

    std::vector<Word> chased(Bytes bytes, Word passes) {
        clean();
        chase<<<1, 1>>>(from, out, bytes / 128, passes);
        check(cudaDeviceSynchronize());
        auto cycles = fetched(out, LOADS);
        std::sort(cycles.begin(), cycles.end());
        return cycles;
    }

    // Latencies: the lower and upper quartiles of loads from DRAM, the late ones among these, and loads from the L2 cache.
    void latency() {
        const auto dram = chased(LARGE, 1), l2 = chased(4 * MIB, 5);
        const Word near = dram[LOADS / 4], far = dram[LOADS * 3 / 4];
        const auto late = std::lower_bound(dram.begin(), dram.end(), far + far / 3);
        const auto lates = dram.end() - late;
        print("near", near - AROUND);
        print("far", far - AROUND);
        print("late", (lates ? late[lates / 2] : dram.back()) - AROUND);
        print("late_percent", 100.0 * double(lates) / LOADS);
        print("l2_hit", l2[LOADS / 2] - AROUND);
        print("dram_hit", dram[LOADS / 2] - AROUND);
        capacity((l2[LOADS * 95 / 100] + dram[LOADS / 10]) / 2);
    }

    // KiB that stay in the L2 cache: the size at which a tenth of the lines miss when they are read again.
    void capacity(Word long_cycles) {
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, 0));
        const Bytes step = Bytes(properties.l2CacheSize) / 32;
        print("l2_bytes", double(properties.l2CacheSize));
        double kept = 0, before = 0;
        for (Bytes bytes = 8 * step; bytes <= std::min<Bytes>(40 * step, LARGE); bytes += step) {
            clean();
            again<<<sms(), 1024>>>(from, bytes, long_cycles, out);
            check(cudaDeviceSynchronize());
            double missed = 0;
            for (Word each : fetched(out, sms()))
                missed += each;
            const double share = missed / (double(bytes) / 128);
            if (std::getenv("VERBOSE"))
                std::printf("# %.1f MiB: %.4f\n", bytes / double(MIB), share);
            if (share > 0.1) {
                // Interpolated between this size and the previous one.
                const double part = share > before ? (0.1 - before) / (share - before) : 1;
                kept = double(bytes) - double(step) * (1 - std::clamp(part, 0.0, 1.0));
                break;
            }
            before = share;
        }
        if (kept > 0)
            print("l2_kept_kib", kept / KIB);
    }

    void l2() {
        const int blocks = sms();
        auto turn = [&](Word stride, int warps) {
            allow_shared_of(l2_turns<4>);
            for (int time = 0; time < 2; time++)
                l2_turns<4><<<blocks, 32 * warps, most_shared()>>>(from, out, stride);
            check(cudaDeviceSynchronize());
            double sum = 0;
            for (Word cycles : fetched(out, size_t(blocks) * warps))
                sum += cycles;
            return sum / (blocks * warps) / L2_TURNS;
        };
        // chip.toml subtracts the cycles of the loop around the load.
        print("l2_turn", turn(4, 1));
        print("l2_requests", 32.0 * blocks * 32 / turn(128, 32));
        const double once = cycles([&] { stores<4><<<8 * blocks, 256>>>(to, 4, 256); });
        const double twice = cycles([&] { stores<4><<<8 * blocks, 256>>>(to, 4, 512); });
        print("l2_stored_sectors", 8.0 * blocks * 8 * 256 * 4 / (twice - once));
        const double words = cycles([&] { columns<<<dim3(128, 512), dim3(32, 8)>>>(to, 4096); });
        print("l2_stored_lines", 4096.0 * 4096 / words);
        const double few = cycles([&] { atomic_adds<<<8 * blocks, 256>>>(to, true, 8); });
        const double many = cycles([&] { atomic_adds<<<8 * blocks, 256>>>(to, true, 16); });
        print("l2_atomics", 8.0 * blocks * 8 * 8 * 32 / (many - few));
    }

    void dram() {
        const int blocks = int(LARGE / 16 / 256);
        print("read_cycles", cycles([&] { stream_read<<<blocks, 256>>>(from, to); }));
        print("copy_cycles", cycles([&] { stream_copy<<<blocks, 256>>>(from, to); }));
        print("streamed_bytes", double(LARGE));
        // Rates and turns under growing load, and their best fit: turn = idle + wait * rate / (full - rate).
        std::vector<double> rates, turns;
        for (int each : {1, 2, 4, 8}) {
            const double launch = cycles([&] { dram_turns<16><<<each * sms(), 128>>>(from, to, LARGE); });
            rates.push_back(double(LARGE) / launch);
            turns.push_back(launch * 128.0 * 16 * each * sms() / double(LARGE));
            if (std::getenv("VERBOSE"))
                std::printf("# %d: rate %.1f turn %.1f\n", each, rates.back(), turns.back());
        }
        double best = 1e300, wait = 0, full = 0;
        const double most = rates.back();
        for (double trial = 1.02 * most; trial < 3 * most; trial += 0.005 * most) {
            // Least squares of the relative errors, for the two linear parameters.
            double xx = 0, x1 = 0, n1 = 0, xy = 0, y1 = 0;
            for (size_t at = 0; at < rates.size(); at++) {
                const double weight = 1 / turns[at], x = rates[at] / (trial - rates[at]) * weight;
                xx += x * x, x1 += x * weight, n1 += weight * weight, xy += x, y1 += weight;
            }
            const double determinant = xx * n1 - x1 * x1;
            const double slope = (xy * n1 - x1 * y1) / determinant, idle = (xx * y1 - x1 * xy) / determinant;
            double error = 0;
            for (size_t at = 0; at < rates.size(); at++) {
                const double said = idle + slope * rates[at] / (trial - rates[at]);
                error += (said / turns[at] - 1) * (said / turns[at] - 1);
            }
            if (slope > 0 && error < best)
                best = error, wait = slope, full = trial;
        }
        if (wait > 0) {
            print("dram_wait", wait);
            print("dram_full", full);
        }
    }

    void starts() {
        const double few = cycles([] { empty<<<8192, 128>>>(); }), many = cycles([] { empty<<<262144, 128>>>(); });
        print("between_thousandths", 1000 * (many - few) / (262144 - 8192));
        for (int threads : {32, 512}) {
            const int blocks = 8 * sms(), resident = 2048 / threads < 8 ? 2048 / threads : 8;
            for (int time = 0; time < 2; time++)
                stamp<<<blocks, threads>>>(out);
            print(threads == 32 ? "start_of_1" : "start_of_16", between_starts(blocks, resident));
        }
        allow_shared_of(stay);
        const int blocks = 16 * sms();
        stay<<<blocks, 128, most_shared()>>>(out);
        print("turn", empty_place(blocks));
    }

    // The begin and end of each block of a launch, by SM, in the order of their begins.
    std::vector<std::vector<std::pair<Word, Word>>> by_sm(int blocks) {
        check(cudaDeviceSynchronize());
        const auto stamps = fetched(out, size_t(3) * blocks);
        std::vector<std::vector<std::pair<Word, Word>>> all(1024);
        for (int block = 0; block < blocks; block++)
            if (stamps[3 * block + 1] < all.size())
                all[stamps[3 * block + 1]].push_back({stamps[3 * block], stamps[3 * block + 2]});
        for (auto &one : all)
            std::sort(one.begin(), one.end(), [](auto &a, auto &b) { return is_before(a.first, b.first); });
        return all;
    }

    double between_starts(int blocks, size_t resident) {
        std::vector<double> all;
        for (const auto &one : by_sm(blocks))
            if (one.size() >= resident)
                all.push_back(double(one[resident - 1].first - one[0].first) / double(resident - 1));
        return all.empty() ? 0 : median(all);
    }

    double empty_place(int blocks) {
        std::vector<double> all;
        for (const auto &one : by_sm(blocks))
            for (size_t at = 1; at < one.size(); at++)
                all.push_back(double(one[at].first - one[at - 1].second));
        return all.empty() ? 0 : median(all);
    }

    // Bytes of unused shared memory that leave room for one block per SM.
    int most_shared() {
        int bytes = 0;
        check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
        return bytes;
    }

    template <class Kernel>
    void allow_shared_of(Kernel kernel) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared()));
    }
};

} // namespace

int main() {
    print("sms", sms());
    // As stated by the driver, in kHz and bits. The bus transfers data twice per cycle.
    int memory_khz = 0, bus_bits = 0;
    check(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    check(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    print("dram_bytes_per_second", 2e3 * memory_khz * bus_bits / 8);
    Chip chip;
    chip.clock();
    chip.latency();
    chip.l2();
    chip.dram();
    chip.starts();
}
