// Runs the programs and prints the smallest number of cycles of each. The driver is loaded at run time, so the runner can be built
// on a computer without a GPU.
//
//   runner --device     prints `device,90,NVIDIA H100 80GB HBM3`, or `none,WHY`
//   runner LIST         prints `NAME,CYCLES` for each line `NAME FILE` of the list; stops at the first failure with `failed,NAME,WHY`

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr int LAUNCHES = 4;
constexpr unsigned PASSES = 3;
constexpr unsigned THREADS = 32;
constexpr size_t BUFFER_BYTES = 1 << 20;
constexpr auto LONGEST_LAUNCH = std::chrono::seconds(3);

struct Driver {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

    template <class... Arguments>
    CUresult call(const char *name, Arguments... arguments) {
        using Function = CUresult (*)(Arguments...);
        auto function = reinterpret_cast<Function>(dlsym(library, name));
        return function ? function(arguments...) : CUDA_ERROR_NOT_FOUND;
    }

    std::string why(CUresult error) {
        const char *text = nullptr;
        call("cuGetErrorString", error, &text);
        return text ? text : "error " + std::to_string(error);
    }
};

Driver driver;

std::string first_device(CUdevice &device) {
    if (!driver.library) return "no NVIDIA driver (libcuda.so.1) is installed";
    CUresult error = driver.call("cuInit", 0u);
    if (!error) error = driver.call("cuDeviceGet", &device, 0);
    return error ? "the driver reports: " + driver.why(error) : "";
}

int print_device() {
    CUdevice device;
    std::string why = first_device(device);
    if (!why.empty()) {
        std::printf("none,%s\n", why.c_str());
        return 0;
    }
    char name[256] = "";
    int major = 0, minor = 0;
    driver.call("cuDeviceGetName", &name[0], int(sizeof name), device);
    driver.call("cuDeviceGetAttribute", &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    driver.call("cuDeviceGetAttribute", &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    std::printf("device,%d,%s\n", 10 * major + minor, name);
    return 0;
}

struct Buffers {
    CUdeviceptr clocks = 0, input = 0, output = 0;
};

/// Waits for the launched kernel. Returns `CUDA_ERROR_LAUNCH_TIMEOUT` if it takes longer than `LONGEST_LAUNCH`.
CUresult finish() {
    auto start = std::chrono::steady_clock::now();
    CUresult state;
    while ((state = driver.call("cuStreamQuery", CUstream(nullptr))) == CUDA_ERROR_NOT_READY)
        if (std::chrono::steady_clock::now() - start > LONGEST_LAUNCH) return CUDA_ERROR_LAUNCH_TIMEOUT;
    return state;
}

CUresult measure(const std::vector<char> &cubin, Buffers buffers, unsigned long long &least) {
    CUmodule module;
    CUfunction kernel;
    CUresult error = driver.call("cuModuleLoadData", &module, static_cast<const void *>(cubin.data()));
    if (error) return error;
    error = driver.call("cuModuleGetFunction", &kernel, module, "program");
    least = ~0ull;
    for (int launch = 0; launch < LAUNCHES && !error; ++launch) {
        unsigned passes = PASSES;
        void *arguments[] = {&buffers.clocks, &buffers.input, &buffers.output, &passes};
        void **none = nullptr;
        error = driver.call("cuLaunchKernel", kernel, 1u, 1u, 1u, THREADS, 1u, 1u, 0u, CUstream(nullptr), &arguments[0], none);
        if (!error) error = finish();
        unsigned long long clocks[2] = {};
        if (!error) error = driver.call("cuMemcpyDtoH_v2", static_cast<void *>(clocks), buffers.clocks, sizeof clocks);
        if (!error) least = std::min(least, clocks[1] - clocks[0]);
    }
    if (!error) error = driver.call("cuModuleUnload", module);
    return error;
}

int run(const char *list) {
    CUdevice device;
    std::string why = first_device(device);
    if (!why.empty()) {
        std::fprintf(stderr, "%s\n", why.c_str());
        return 1;
    }
    CUcontext context;
    Buffers buffers;
    // Uses the primary context, because the signature of cuDevicePrimaryCtxRetain has never changed; that of cuCtxCreate has.
    CUresult error = driver.call("cuDevicePrimaryCtxRetain", &context, device);
    if (!error) error = driver.call("cuCtxSetCurrent", context);
    for (CUdeviceptr *buffer : {&buffers.clocks, &buffers.input, &buffers.output}) {
        if (!error) error = driver.call("cuMemAlloc_v2", buffer, BUFFER_BYTES);
        if (!error) error = driver.call("cuMemsetD8_v2", *buffer, static_cast<unsigned char>(0), BUFFER_BYTES);
    }
    if (error) {
        std::fprintf(stderr, "%s\n", driver.why(error).c_str());
        return 1;
    }
    std::ifstream programs(list);
    std::string name, path;
    while (programs >> name >> path) {
        std::ifstream file(path, std::ios::binary);
        std::vector<char> cubin{std::istreambuf_iterator<char>(file), {}};
        unsigned long long least;
        error = measure(cubin, buffers, least);
        if (error) {
            std::printf("failed,%s,%s\n", name.c_str(), driver.why(error).c_str());
            std::fflush(stdout);
            // The driver's cleanup at exit would wait for a launch that does not end.
            std::_Exit(0);
        }
        std::printf("%s,%llu\n", name.c_str(), least);
    }
    return 0;
}

}  // namespace

int main(int count, char **arguments) {
    if (count == 2 && !std::strcmp(arguments[1], "--device")) return print_device();
    if (count == 2) return run(arguments[1]);
    std::fprintf(stderr, "expected --device or a list of programs\n");
    return 2;
}
