// One launch of two cubins: the same inputs, all buffers compared, both timed in turn.
#pragma once

#include <chrono>
#include <cstdio>

#include "cycles.cuh"

constexpr uint64_t SEEDS = 4;
constexpr int TIMED_LAUNCHES = 21;
constexpr auto LONGEST_LAUNCH = std::chrono::seconds(4);

// Waits for what was launched, but not for ever.
inline void finish() {
    auto start = std::chrono::steady_clock::now();
    cudaError_t state;
    while ((state = cudaStreamQuery(nullptr)) == cudaErrorNotReady)
        if (std::chrono::steady_clock::now() - start > LONGEST_LAUNCH) throw Failure("does not end");
    check(state);
}

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
    Pair(const Cubin &a, const Cubin &b, const Launch &launch) : a(a), b(b), launch(launch) {
        for (const Argument &argument : launch.arguments) {
            live.emplace_back(std::max<size_t>(argument.bytes, 8));
            reference.emplace_back(std::max<size_t>(argument.bytes, 8));
        }
    }

    Result result() {
        Result result;
        compare(result);
        time(result);
        return result;
    }

  private:
    const Cubin &a, &b;
    const Launch &launch;
    std::vector<Memory> live, reference;

    // A flush is a kernel like any other, so shared memory is filled last.
    void prepare(uint64_t seed, bool is_cold) {
        for (size_t at = 0; at < live.size(); ++at) {
            const Argument &argument = launch.arguments[at];
            if (!argument.is_buffer()) continue;
            Filling filling = argument.fillings[seed % argument.fillings.size()];
            fill<<<BLOCKS, THREADS>>>(live[at].get(), argument.count, filling, (seed * 64 + at) << 40);
        }
        check(cudaGetLastError());
        if (is_cold) flush();
        if (launch.reads_stale_shared) fill_all_shared(seed << 40);
    }

    void start(const Cubin &cubin) {
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
            values.push_back(argument.is_buffer() ? reinterpret_cast<uint64_t>(live[at].get()) : argument.number);
        }
        std::vector<void *> arguments;
        for (uint64_t &value : values) arguments.push_back(&value);
        dim3 grid(launch.grid[0], launch.grid[1], launch.grid[2]), block(launch.block[0], launch.block[1], launch.block[2]);
        check(cudaLaunchKernel(kernel, grid, block, arguments.data(), launch.dynamic_shared, nullptr));
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
        bool is_any = std::any_of(launch.arguments.begin(), launch.arguments.end(),
                                  [](const Argument &argument) { return argument.is_compared(); });
        for (uint64_t seed = 0; seed < SEEDS; ++seed) {
            run(a, seed, true);
            for (size_t at = 0; at < live.size(); ++at)
                check(cudaMemcpy(reference[at].get(), live[at].get(), launch.arguments[at].bytes, cudaMemcpyDeviceToDevice));
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
        if (!is_any) result.identical = "unordered";
    }

    // Empty where there is none.
    std::string first_difference() {
        for (size_t at = 0; at < live.size(); ++at) {
            const Argument &argument = launch.arguments[at];
            if (!argument.is_compared()) continue;
            Difference found = difference(reference[at], live[at], argument.bytes);
            if (!found.bytes) continue;
            Count word = found.first / 4 * 4;
            uint32_t one = 0, other = 0;
            size_t bytes = std::min<size_t>(4, argument.bytes - word);
            check(cudaMemcpy(&one, reference[at].get() + word, bytes, cudaMemcpyDeviceToHost));
            check(cudaMemcpy(&other, live[at].get() + word, bytes, cudaMemcpyDeviceToHost));
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
            Count between = cycles_between_stamps([&] { start(cubin); }, finish);
            cycles = between > nothing ? between - nothing : 0;
        });
        return cycles;
    }

    static Count of_nothing() {
        std::vector<Count> all;
        for (int launch = 0; launch < TIMED_LAUNCHES; ++launch) all.push_back(cycles_between_stamps([] {}, finish));
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
