// Runs generated kernels. It times them, or compares their results with sums in double precision.
//
//   measure --device    prints `device,90,NVIDIA H100 80GB HBM3`, or `none,WHY`, then `driver,13.0` and `clock,1980` (MHz)
//   measure LIST        prints a line for each launch in the list; stops at the first failure with `failed,ID,WHY`
//
// Lines of the list have words separated by spaces. Consecutive lines with the same file load it once:
//
//   table NAME COUNT VALUE...
//       integers in GPU memory; a parameter of this name, which begins with `t`, is their address
//   time ID FILE ELEMENT GX GY GZ THREADS SHARED ZEROED PARAMETER...
//       prints `ID,MICROSECONDS,REGISTERS`; a parameter is `a`, `b`, `c`, a table's name or an integer; the first ZEROED bytes of `c` are
//       set to zero before each launch
//   gemm ID FILE ELEMENT GX GY GZ THREADS SHARED ADDS M N K LDA LDB LDC A_TRANSPOSED B_TRANSPOSED
//   conv ID FILE ELEMENT GX GY GZ THREADS SHARED ADDS N C H W K R S PAD STRIDE PARAMETER...
//       prints `ID,WRONG`: the number of elements of C that are not exact, or that were written outside the problem's bounds
//
// A file is a cubin with one entry point, `kernel`.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "reference.cuh"

namespace {

// Size of the buffer of each matrix.
constexpr size_t BUFFER_BYTES = size_t(1) << 30;
// Approximate duration of a series of launches. The time includes the gaps between launches, which a user's program has as well.
constexpr float LEAST_MICROSECONDS = 300;
constexpr int MOST_LAUNCHES = 24;
constexpr int REPEATS = 3;
// A series of a launch that takes at least this long runs once instead of `REPEATS` times.
constexpr float LONG_MICROSECONDS = 1000;

struct Failure {
    std::string why;
};

void check(cudaError_t error) {
    if (error) throw Failure{cudaGetErrorString(error)};
}

struct Kernel {
    cudaLibrary_t library = nullptr;
    cudaKernel_t kernel = nullptr;
    std::string file;
    int registers = 0;

    void load(const std::string &path) {
        if (file == path) return;
        unload();
        check(cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
        check(cudaLibraryGetKernel(&kernel, library, "kernel"));
        cudaFuncAttributes attributes;
        check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel)));
        registers = attributes.numRegs;
        file = path;
    }

    void unload() {
        if (library) check(cudaLibraryUnload(library));
        library = nullptr;
        file.clear();
    }
};

struct Launch {
    dim3 grid;
    unsigned threads = 0, shared = 0;
    std::vector<uint64_t> values;

    void run(const Kernel &kernel, cudaStream_t stream) const {
        cudaLaunchConfig_t config = {};
        config.gridDim = grid;
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared;
        config.stream = stream;
        std::vector<void *> arguments;
        for (const uint64_t &value : values) arguments.push_back(const_cast<uint64_t *>(&value));
        check(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel.kernel), arguments.data()));
    }
};

struct Bench {
    Kernel kernel;
    char *a = nullptr, *b = nullptr, *c = nullptr;
    std::map<std::string, int *> tables;
    unsigned *wrong = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
    // Element type of the random values in the inputs; empty if they have other contents.
    std::string filled;

    Bench() {
        for (char **buffer : {&a, &b, &c}) check(cudaMalloc(buffer, BUFFER_BYTES));
        check(cudaMalloc(&wrong, sizeof *wrong));
        check(cudaStreamCreate(&stream));
        check(cudaEventCreate(&begin));
        check(cudaEventCreate(&end));
    }

    void fill(const std::string &element) {
        if (filled == element) return;
        by_element(element, [&](auto zero) {
            using T = decltype(zero);
            for (char *buffer : {a, b}) random_values<<<1024, 256, 0, stream>>>(reinterpret_cast<T *>(buffer), BUFFER_BYTES / sizeof(T));
        });
        check(cudaStreamSynchronize(stream));
        filled = element;
    }

    uint64_t value(const std::string &word) const {
        if (word == "a") return reinterpret_cast<uint64_t>(a);
        if (word == "b") return reinterpret_cast<uint64_t>(b);
        if (word == "c") return reinterpret_cast<uint64_t>(c);
        auto table = tables.find(word);
        if (table != tables.end()) return reinterpret_cast<uint64_t>(table->second);
        return std::stoull(word);
    }

    Launch launch(std::istream &words) {
        Launch launch;
        words >> launch.grid.x >> launch.grid.y >> launch.grid.z >> launch.threads >> launch.shared;
        check(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel.kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, int(launch.shared)));
        return launch;
    }

    void parameters(Launch &launch, std::istream &words) const {
        for (std::string word; words >> word;) launch.values.push_back(value(word));
    }

    // Time of one launch in microseconds: the mean of `launches` consecutive ones, and the minimum of `repeats` such means.
    float microseconds(int launches, const Launch &launch, size_t zeroed, int repeats) {
        cudaGraph_t graph;
        cudaGraphExec_t runnable;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (int number = 0; number < launches; ++number) {
            if (zeroed) check(cudaMemsetAsync(c, 0, zeroed, stream));
            launch.run(kernel, stream);
        }
        check(cudaStreamEndCapture(stream, &graph));
        check(cudaGraphInstantiate(&runnable, graph, 0));
        float least = 1e30f;
        for (int repeat = 0; repeat < repeats; ++repeat) {
            check(cudaEventRecord(begin, stream));
            check(cudaGraphLaunch(runnable, stream));
            check(cudaEventRecord(end, stream));
            check(cudaEventSynchronize(end));
            float milliseconds;
            check(cudaEventElapsedTime(&milliseconds, begin, end));
            least = std::min(least, 1000 * milliseconds / launches);
        }
        check(cudaGraphExecDestroy(runnable));
        check(cudaGraphDestroy(graph));
        return least;
    }

    void time(const std::string &id, std::istream &words) {
        std::string file, element;
        size_t zeroed;
        words >> file >> element;
        kernel.load(file);
        Launch launch = this->launch(words);
        words >> zeroed;
        parameters(launch, words);
        fill(element);
        check(cudaEventRecord(begin, stream));
        if (zeroed) check(cudaMemsetAsync(c, 0, zeroed, stream));
        launch.run(kernel, stream);
        check(cudaEventRecord(end, stream));
        check(cudaEventSynchronize(end));
        float milliseconds;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        float found = 1000 * milliseconds;
        int launches = std::clamp(int(LEAST_MICROSECONDS / found), 1, MOST_LAUNCHES);
        found = microseconds(launches, launch, zeroed, found < LONG_MICROSECONDS ? REPEATS : 1);
        std::printf("%s,%.4f,%d\n", id.c_str(), found, kernel.registers);
    }

    // Runs the launch on exact inputs and prints the number of wrong elements of its output.
    template <class Problem>
    void compare(const std::string &id, const Problem &problem, const std::string &element, const Launch &launch, bool adds) {
        filled.clear();
        by_element(element, [&](auto zero) {
            using T = decltype(zero);
            T *at_a = reinterpret_cast<T *>(a), *at_b = reinterpret_cast<T *>(b), *at_c = reinterpret_cast<T *>(c);
            problem.fill(at_a, at_b, at_c, adds, stream);
            launch.run(kernel, stream);
            check(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream));
            problem.compare(at_a, at_b, at_c, wrong, stream);
        });
        check(cudaGetLastError());
        unsigned found = 0;
        check(cudaMemcpyAsync(&found, wrong, sizeof found, cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        std::printf("%s,%u\n", id.c_str(), found);
    }

    void gemm(const std::string &id, std::istream &words) {
        std::string file, element;
        bool adds;
        Gemm gemm;
        words >> file >> element;
        kernel.load(file);
        Launch launch = this->launch(words);
        words >> adds >> gemm.m >> gemm.n >> gemm.k >> gemm.lda >> gemm.ldb >> gemm.ldc >> gemm.a_transposed >> gemm.b_transposed;
        for (uint64_t value : {value("a"), value("b"), value("c"), uint64_t(gemm.m), uint64_t(gemm.n), uint64_t(gemm.k),
                               uint64_t(gemm.lda), uint64_t(gemm.ldb), uint64_t(gemm.ldc)})
            launch.values.push_back(value);
        compare(id, gemm, element, launch, adds);
    }

    void conv(const std::string &id, std::istream &words) {
        std::string file, element;
        bool adds;
        Conv conv;
        words >> file >> element;
        kernel.load(file);
        Launch launch = this->launch(words);
        words >> adds >> conv.n >> conv.c >> conv.h >> conv.w >> conv.k >> conv.r >> conv.s >> conv.pad >> conv.stride;
        parameters(launch, words);
        compare(id, conv, element, launch, adds);
    }

    void add_table(std::istream &words) {
        std::string name;
        size_t count;
        words >> name >> count;
        std::vector<int> values(count);
        for (int &value : values) words >> value;
        int *&table = tables[name];
        check(cudaMalloc(&table, std::max<size_t>(count, 1) * sizeof *table));
        check(cudaMemcpy(table, values.data(), count * sizeof *table, cudaMemcpyHostToDevice));
    }
};

int print_device() {
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error) {
        std::printf("none,%s\n", cudaGetErrorString(error));
        return 0;
    }
    int driver = 0, kilohertz = 0;
    check(cudaDriverGetVersion(&driver));
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    std::printf("device,%d,%s\n", 10 * properties.major + properties.minor, properties.name);
    std::printf("driver,%d.%d\nclock,%d\n", driver / 1000, driver % 1000 / 10, kilohertz / 1000);
    return 0;
}

int run(const char *list) {
    Bench bench;
    std::ifstream lines(list);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string what, id;
        words >> what;
        if (what == "table") {
            bench.add_table(words);
            continue;
        }
        words >> id;
        try {
            if (what == "time") bench.time(id, words);
            else if (what == "gemm") bench.gemm(id, words);
            else if (what == "conv") bench.conv(id, words);
            else throw Failure{"unknown operation `" + what + "`"};
        } catch (const Failure &failure) {
            std::printf("failed,%s,%s\n", id.c_str(), failure.why.c_str());
            std::fflush(stdout);
            // The failure may have corrupted the CUDA context.
            std::_Exit(0);
        }
    }
    return 0;
}

}  // namespace

int main(int count, char **arguments) {
    try {
        if (count == 2 && !std::strcmp(arguments[1], "--device")) return print_device();
        if (count == 2) return run(arguments[1]);
    } catch (const Failure &failure) {
        std::fprintf(stderr, "%s\n", failure.why.c_str());
        return 1;
    }
    std::fprintf(stderr, "expected --device or a list\n");
    return 2;
}
