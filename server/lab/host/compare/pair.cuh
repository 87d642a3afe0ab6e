// One launch of two cubins: the same inputs, all buffers compared; both timed in turn, or run beside noise.
#pragma once

#include <chrono>
#include <cstdio>

#include "cycles.cuh"
#include "noise.cuh"

constexpr uint64_t SEEDS = 4;
constexpr int TIMED_LAUNCHES = 21;
// Seeds of repetitions beside noise begin here.
constexpr uint64_t FIRST_CONTENDED_SEED = 1000;
// A program of one block runs so often at once, each with buffers of its own, in so many streams.
constexpr size_t COPIES = 64, STREAMS = 16;
constexpr size_t ALIGNMENT = 512;
// Whether the old code differs from itself is asked so often before the new code is called wrong.
constexpr int OWN_TRIALS = 5;
constexpr auto LONGEST_LAUNCH = std::chrono::seconds(4);

// Waits for what was launched, but not for ever.
inline void finish(cudaStream_t stream) {
    auto start = std::chrono::steady_clock::now();
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady)
        if (std::chrono::steady_clock::now() - start > LONGEST_LAUNCH) throw Failure("does not end");
    check(state);
}

inline void finish() { finish(nullptr); }

struct Cubin {
    // As notes call it.
    const char *name;
    cudaLibrary_t library;

    Cubin(const char *name, const char *path) : name(name) {
        cudaError_t error = cudaLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
        if (error) throw Failure(std::string(path) + ": " + cudaGetErrorString(error));
    }
};

struct Result {
    const char *identical = "yes";
    std::vector<Count> cycles_a, cycles_b;
    std::string note;
};

class Pair {
  public:
    // `is_contended`: small programs run many times at once.
    Pair(const Cubin &a, const Cubin &b, const Launch &launch, bool is_contended)
        : a(a), b(b), launch(launch), copies(is_contended && launch.blocks() == 1 ? COPIES : 1) {
        for (const Argument &argument : launch.arguments) {
            size_t bytes = std::max<size_t>(argument.bytes, 8);
            strides.push_back((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
            live.emplace_back(argument.is_buffer() ? strides.back() * copies : bytes);
            reference.emplace_back(bytes);
        }
    }

    Result result() {
        Result result;
        compare(result);
        time(result);
        return result;
    }

    // Compares the outputs of so many repetitions beside noise, each on other inputs; none begins after the deadline.
    Result contended(int repetitions, std::chrono::steady_clock::time_point deadline) {
        static Noise *noise = new Noise;
        Result result;
        if (!has_compared()) result.identical = "unordered";
        alone_if_they_meet(*noise);
        int done = 0;
        for (; done < repetitions && has_compared() && std::chrono::steady_clock::now() < deadline; ++done) {
            uint64_t seed = FIRST_CONTENDED_SEED + uint64_t(done);
            reference_of(seed);
            beside(*noise, b, seed);
            result.note = first_difference();
            if (result.note.empty()) continue;
            result.note = "repetition " + std::to_string(done) + " " + result.note;
            result.identical = "no";
            for (int trial = 0; trial < OWN_TRIALS; ++trial) {
                beside(*noise, a, seed);
                if (!first_difference().empty()) result.identical = "unsteady";
            }
            return result;
        }
        result.note = std::to_string(done) + (copies > 1 ? " repetitions of " + std::to_string(copies) + " at once" : " repetitions");
        return result;
    }

  private:
    const Cubin &a, &b;
    const Launch &launch;
    size_t copies;
    std::vector<size_t> strides;
    std::vector<Memory> live, reference;

    bool has_compared() const {
        return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                           [](const Argument &argument) { return argument.is_compared(); });
    }

    // What reads shared memory that an earlier block has left differs from copy to copy: such a program runs alone.
    void alone_if_they_meet(Noise &noise) {
        if (copies == 1 || !launch.reads_stale_shared || !has_compared()) return;
        reference_of(FIRST_CONTENDED_SEED);
        beside(noise, a, FIRST_CONTENDED_SEED);
        if (!first_difference().empty()) copies = 1;
    }

    // The old code alone, and its buffers kept.
    void reference_of(uint64_t seed) {
        run(a, seed, true);
        keep();
    }

    void keep() {
        for (size_t at = 0; at < live.size(); ++at)
            check(cudaMemcpy(reference[at].get(), live[at].get(), launch.arguments[at].bytes, cudaMemcpyDeviceToDevice));
    }

    // All copies at once, beside noise that began before.
    void beside(Noise &noise, const Cubin &cubin, uint64_t seed) {
        static std::vector<cudaStream_t> streams = some_streams();
        of(cubin, [&] {
            prepare(seed, seed % 2);
            finish();
            noise.start(uint32_t(seed));
            for (size_t copy = 0; copy < copies; ++copy) start(cubin, copy, streams[copy % STREAMS]);
            for (cudaStream_t stream : streams) finish(stream);
            noise.end();
        });
    }

    static std::vector<cudaStream_t> some_streams() {
        std::vector<cudaStream_t> streams(STREAMS);
        for (cudaStream_t &stream : streams) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        return streams;
    }

    // A flush is a kernel like any other, so shared memory is filled last.
    void prepare(uint64_t seed, bool is_cold) {
        for (size_t at = 0; at < live.size(); ++at) {
            const Argument &argument = launch.arguments[at];
            if (!argument.is_buffer()) continue;
            Filling filling = argument.fillings[seed % argument.fillings.size()];
            fill<<<BLOCKS, THREADS>>>(live[at].get(), argument.count, copies, strides[at], filling, mixed_seed(seed, at));
        }
        check(cudaGetLastError());
        if (is_cold) flush();
        if (launch.reads_stale_shared) fill_all_shared(seed << 40);
    }

    // Far apart, however large the buffers.
    static uint64_t mixed_seed(uint64_t seed, size_t at) { return (seed * 64 + at) << 40; }

    void start(const Cubin &cubin, size_t copy = 0, cudaStream_t stream = nullptr) {
        cudaKernel_t kernel;
        if (cudaLibraryGetKernel(&kernel, cubin.library, launch.function.c_str()))
            throw Failure("has no function " + launch.function);
        if (launch.dynamic_shared)
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(launch.dynamic_shared)));
        // Another share of the L1 cache would move what `fill_shared` left.
        if (launch.reads_stale_shared)
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
        std::vector<uint64_t> values;
        for (size_t at = 0; at < live.size(); ++at) {
            const Argument &argument = launch.arguments[at];
            values.push_back(argument.is_buffer() ? reinterpret_cast<uint64_t>(live[at].get() + copy * strides[at]) : argument.number);
        }
        std::vector<void *> arguments;
        for (uint64_t &value : values) arguments.push_back(&value);
        dim3 grid(launch.grid[0], launch.grid[1], launch.grid[2]), block(launch.block[0], launch.block[1], launch.block[2]);
        check(cudaLaunchKernel(kernel, grid, block, arguments.data(), launch.dynamic_shared, stream));
    }

    // Whatever goes wrong is named after the cubin.
    template <class Work>
    void of(const Cubin &cubin, Work work) {
        try {
            work();
        } catch (const Failure &failure) {
            throw Failure(std::string(cubin.name) + ": " + failure.what());
        }
    }

    void run(const Cubin &cubin, uint64_t seed, bool is_cold) {
        of(cubin, [&] {
            prepare(seed, is_cold);
            start(cubin);
            finish();
        });
    }

    void compare(Result &result) {
        for (uint64_t seed = 0; seed < SEEDS; ++seed) {
            reference_of(seed);
            // What is read too early may be there in one state of the caches and not in the other.
            for (bool is_cold : {true, false}) {
                run(b, seed, is_cold);
                result.note = first_difference();
                if (result.note.empty()) continue;
                result.note = "seed " + std::to_string(seed) + (is_cold ? " cold " : " warm ") + result.note;
                run(a, seed, !is_cold);
                result.identical = first_difference().empty() ? "no" : "unsteady";
                return;
            }
        }
        if (!has_compared()) result.identical = "unordered";
    }

    // Empty where there is none.
    std::string first_difference() {
        for (size_t at = 0; at < live.size(); ++at) {
            const Argument &argument = launch.arguments[at];
            if (!argument.is_compared()) continue;
            Difference found = difference(reference[at], live[at], argument.bytes, copies, strides[at]);
            if (!found.bytes) continue;
            Count word = found.first % strides[at] / 4 * 4, copy = found.first / strides[at] * strides[at];
            uint32_t one = 0, other = 0;
            size_t bytes = std::min<size_t>(4, argument.bytes - word);
            check(cudaMemcpy(&one, reference[at].get() + word, bytes, cudaMemcpyDeviceToHost));
            check(cudaMemcpy(&other, live[at].get() + copy + word, bytes, cudaMemcpyDeviceToHost));
            char text[160];
            std::snprintf(text, sizeof text, "argument %zu: %llu bytes differ from 0x%llx on: %08x became %08x", at, found.bytes, word,
                          one, other);
            return text;
        }
        return "";
    }

    Count timed(const Cubin &cubin) {
        Count cycles = 0;
        of(cubin, [&] {
            for (size_t at = 0; at < live.size(); ++at) {
                if (!launch.arguments[at].is_clocks()) continue;
                start(cubin);
                finish();
                cycles = span(live[at].get(), launch.arguments[at].count);
                return;
            }
            static const Count nothing = of_nothing();
            Count between = cycles_between_stamps([&] { start(cubin); }, [] { finish(); });
            cycles = between > nothing ? between - nothing : 0;
        });
        return cycles;
    }

    static Count of_nothing() {
        std::vector<Count> all;
        for (int launch = 0; launch < TIMED_LAUNCHES; ++launch) all.push_back(cycles_between_stamps([] {}, [] { finish(); }));
        return median(all);
    }

    void time(Result &result) {
        prepare(0, false);
        finish();
        for (int round = 0; round < TIMED_LAUNCHES; ++round) {
            // Each is first as often as the other.
            if (round % 2) {
                result.cycles_b.push_back(timed(b));
                result.cycles_a.push_back(timed(a));
            } else {
                result.cycles_a.push_back(timed(a));
                result.cycles_b.push_back(timed(b));
            }
        }
    }
};
