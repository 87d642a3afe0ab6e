// One launch of two cubins on the same inputs. The outputs are compared, and the cubins are timed in turn or run with noise.
#pragma once

#include <chrono>
#include <cstdio>
#include <map>

#include "cycles.cuh"
#include "noise.cuh"
#include "tensor_map.cuh"

constexpr uint64_t SEEDS = 4;
constexpr int TIMED_LAUNCHES = 21;
// The first seed of the repetitions with noise.
constexpr uint64_t FIRST_CONTENDED_SEED = 1000;
// A program of one block runs in `COPIES` concurrent copies with separate buffers, in `STREAMS` streams.
constexpr size_t COPIES = 64, STREAMS = 16;
constexpr size_t ALIGNMENT = 512;
// Number of further runs of the old code, and then of the new code, after an output has differed with noise.
constexpr int TRIALS = 100;
constexpr auto LONGEST_LAUNCH = std::chrono::seconds(4);

// Waits for the launches of a stream. Throws if they take longer than `LONGEST_LAUNCH`.
inline void finish(cudaStream_t stream) {
    auto start = std::chrono::steady_clock::now();
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady)
        if (std::chrono::steady_clock::now() - start > LONGEST_LAUNCH) throw Failure("did not end in time");
    check(state);
}

inline void finish() { finish(nullptr); }

struct Cubin {
    // The name in notes: `a` or `b`.
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
    // If `is_contended`, a program of one block runs in many concurrent copies.
    Pair(const Cubin &a, const Cubin &b, const Launch &launch, bool is_contended)
        : a(a), b(b), launch(launch), is_contended(is_contended), copies(is_contended && launch.blocks() == 1 ? COPIES : 1) {
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

    // Compares the outputs of `repetitions` runs with noise, each on other inputs. No repetition begins after the deadline.
    Result contended(int repetitions, std::chrono::steady_clock::time_point deadline) {
        static Noise *noise = new Noise;
        Result result;
        if (!has_compared()) result.identical = "unordered";
        limit_copies_if_they_differ(*noise);
        int done = 0;
        runs_during_noise = 0;
        for (; done < repetitions && has_compared() && std::chrono::steady_clock::now() < deadline; ++done) {
            uint64_t seed = FIRST_CONTENDED_SEED + uint64_t(done);
            reference_of(seed);
            run_with_noise(*noise, b, seed);
            result.note = first_difference();
            if (result.note.empty()) continue;
            int old_ones = again(*noise, a, seed), new_ones = again(*noise, b, seed);
            result.identical = old_ones ? "unsteady" : "no";
            result.note = "repetition " + std::to_string(done) + " " + result.note + "; " + std::to_string(new_ones) + " of " +
                          std::to_string(TRIALS) + " more runs differ, " + std::to_string(old_ones) + " with the old code";
            return result;
        }
        result.note = std::to_string(done) + (copies > 1 ? " repetitions of " + std::to_string(copies) + " copies" : " repetitions") +
                      ", " + std::to_string(runs_during_noise) + " with noise";
        return result;
    }

  private:
    const Cubin &a, &b;
    const Launch &launch;
    const bool is_contended;
    size_t copies;
    // Number of runs that ended during the noise. Blocks that do not fit on an SM with the noise run after it.
    int runs_during_noise = 0;
    std::vector<size_t> strides;
    std::vector<Memory> live, reference;
    std::map<const Cubin *, cudaKernel_t> kernels;

    bool has_compared() const {
        return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                           [](const Argument &argument) { return argument.is_compared(); });
    }

    // Limits the launch to one copy if concurrent copies differ: shared memory left by earlier blocks may differ from copy to copy.
    void limit_copies_if_they_differ(Noise &noise) {
        if (copies == 1 || !launch.reads_stale_shared || !has_compared()) return;
        reference_of(FIRST_CONTENDED_SEED);
        run_with_noise(noise, a, FIRST_CONTENDED_SEED);
        if (!first_difference().empty()) copies = 1;
    }

    // Number of runs with noise, of `TRIALS` on the same inputs, whose outputs differ from the reference.
    int again(Noise &noise, const Cubin &cubin, uint64_t seed) {
        int found = 0;
        for (int trial = 0; trial < TRIALS; ++trial) {
            run_with_noise(noise, cubin, seed);
            found += !first_difference().empty();
        }
        return found;
    }

    // Runs the old code alone and keeps its buffers as the reference.
    void reference_of(uint64_t seed) {
        run(a, seed, true);
        keep();
    }

    void keep() {
        for (size_t at = 0; at < live.size(); ++at)
            check(cudaMemcpy(reference[at].get(), live[at].get(), launch.arguments[at].bytes, cudaMemcpyDeviceToDevice));
    }

    // Runs all copies concurrently, after the noise has been started.
    void run_with_noise(Noise &noise, const Cubin &cubin, uint64_t seed) {
        static std::vector<cudaStream_t> streams = some_streams();
        of(cubin, [&] {
            prepare(seed, seed % 2);
            finish();
            noise.start(uint32_t(seed), noise_blocks_per_sm(ready(cubin), launch.threads(), launch.dynamic_shared));
            for (size_t copy = 0; copy < copies; ++copy) start(cubin, copy, streams[copy % STREAMS]);
            for (cudaStream_t stream : streams) finish(stream);
            runs_during_noise += noise.is_running();
            noise.end();
        });
    }

    static std::vector<cudaStream_t> some_streams() {
        std::vector<cudaStream_t> streams(STREAMS);
        for (cudaStream_t &stream : streams) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        return streams;
    }

    // Shared memory is filled last, because the other kernels, including that of the flush, may change it.
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

    // Seeds of two buffers are at least 2^40 apart, so that the values of large buffers do not overlap.
    static uint64_t mixed_seed(uint64_t seed, size_t at) { return (seed * 64 + at) << 40; }

    // The function of the launch in a cubin, with its attributes set. It is kept, because looking it up is slow and repetitions start it
    // many times.
    cudaKernel_t ready(const Cubin &cubin) {
        cudaKernel_t &kernel = kernels[&cubin];
        if (kernel) return kernel;
        if (cudaLibraryGetKernel(&kernel, cubin.library, launch.function.c_str()))
            throw Failure("has no function " + launch.function);
        if (launch.dynamic_shared)
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(launch.dynamic_shared)));
        // A different carve-out would change what `fill_shared` left, and an SM that runs noise accepts no block with another carve-out.
        if (launch.reads_stale_shared || is_contended)
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
        return kernel;
    }

    void start(const Cubin &cubin, size_t copy = 0, cudaStream_t stream = nullptr) {
        cudaKernel_t kernel = ready(cubin);
        std::vector<uint64_t> values(live.size());
        std::vector<CUtensorMap> maps(live.size());
        std::vector<void *> arguments;
        for (size_t at = 0; at < live.size(); ++at) {
            const Argument &argument = launch.arguments[at];
            uint8_t *base = live[at].get() + copy * strides[at];
            values[at] = argument.is_buffer() ? reinterpret_cast<uint64_t>(base) : argument.number;
            if (!argument.map.sides.empty()) maps[at] = encoded(argument.map, base);
            arguments.push_back(argument.map.sides.empty() ? static_cast<void *>(&values[at]) : &maps[at]);
        }
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
        config.blockDim = dim3(launch.block[0], launch.block[1], launch.block[2]);
        config.dynamicSmemBytes = launch.dynamic_shared;
        config.stream = stream;
        config.attrs = &cluster;
        config.numAttrs = launch.is_clustered() ? 1 : 0;
        check(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), arguments.data()));
    }

    // Runs `work`. The message of a failure gets the cubin's name as a prefix.
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
            // Data that are read too early may be available in one state of the caches and not in the other.
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

    // A description of the first difference from the reference; empty if the outputs are equal.
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
            // The two run first in alternate rounds.
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
