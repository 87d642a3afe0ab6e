// Which SMs share the reads of the L2 cache? All SMs read, in groups that read the same bytes at the same time.
// Prints how many bytes all SMs together load per cycle, by the size of the group and by how its SMs are chosen.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int WARPS = 16, ROUNDS = 24, REGION = 128 * 1024;

__device__ unsigned int smid() { unsigned int id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id)); return id; }

// Each block reads the region of its SM's group, `group[smid]`, into registers or by cp.async into shared memory. Blocks start together.
template <bool COPIES>
__global__ void __launch_bounds__(WARPS * 32, 1) load(const uint4 *data, const int *group, unsigned *arrived, unsigned blocks,
                                                      long long *cycles, unsigned *sink) {
  extern __shared__ __align__(128) uint4 tile[];
  const uint4 *own = data + size_t(group[smid()]) * (REGION / sizeof(uint4));
  const uint32_t to = uint32_t(__cvta_generic_to_shared(tile + threadIdx.x));
  uint4 sum = {};
  for (int round = 0; round < ROUNDS + 1; round++) {
    if (round == 1) {
      __syncthreads();
      if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < blocks) {}
      }
      __syncthreads();
      if (threadIdx.x == 0) cycles[smid() * 2] = clock64();
    }
#pragma unroll 8
    for (int at = threadIdx.x; at < REGION / int(sizeof(uint4)); at += WARPS * 32) {
      if (COPIES) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 8;" ::"r"(to + (at / (WARPS * 32)) % 16 * WARPS * 512), "l"(own + at));
        continue;
      }
      uint4 value;
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "l"(own + at));
      sum.x ^= value.x; sum.y ^= value.y; sum.z ^= value.z; sum.w ^= value.w;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[smid() * 2 + 1] = clock64();
  if (sum.x == 0x12345 && sum.y == sum.z) *sink = sum.w;
}

// The same with bulk copies to shared memory: pieces of 16 KB, eight in flight.
__global__ void __launch_bounds__(32, 1) bulk(const uint4 *data, const int *group, unsigned *arrived, unsigned blocks,
                                              long long *cycles, unsigned *) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ __align__(8) uint64_t full[8];
  const char *own = reinterpret_cast<const char *>(data) + size_t(group[smid()]) * REGION;
  if (threadIdx.x != 0) return;
  constexpr int PIECE = 16 * 1024, PIECES = REGION / PIECE;
  const uint32_t base = uint32_t(__cvta_generic_to_shared(shared)), bars = uint32_t(__cvta_generic_to_shared(full));
  for (int at = 0; at < 8; at++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bars + 8 * at));
  asm volatile("fence.mbarrier_init.release.cluster;");
  auto start = [&](int piece) {
    const uint32_t bar = bars + 8 * (piece % 8);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(PIECE));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(base + PIECE * (piece % 8)),
                 "l"(own + size_t(piece % PIECES) * PIECE), "r"(PIECE), "r"(bar) : "memory");
  };
  auto wait = [&](int piece) {
    uint32_t done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bars + 8 * (piece % 8)), "r"(uint32_t(piece / 8 % 2)) : "memory");
  };
  const int all = PIECES * (ROUNDS + 1);
  for (int piece = 0; piece < 8; piece++) start(piece);
  for (int piece = 0; piece < all; piece++) {
    wait(piece);
    if (piece == PIECES - 1) {
      atomicAdd(arrived, 1);
      while (*(volatile unsigned *)arrived < blocks) {}
      cycles[smid() * 2] = clock64();
    }
    if (piece + 8 < all) start(piece + 8);
  }
  cycles[smid() * 2 + 1] = clock64();
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  const int sms = device.multiProcessorCount;
  uint4 *data; int *group; unsigned *arrived, *sink; long long *cycles;
  cudaMalloc(&data, size_t(REGION) * sms);
  cudaMemset(data, 1, size_t(REGION) * sms);
  cudaMalloc(&group, sizeof(int) * 256); cudaMalloc(&arrived, 4); cudaMalloc(&sink, 4); cudaMalloc(&cycles, 16 * 256);
  cudaFuncSetAttribute(load<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
  cudaFuncSetAttribute(load<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
  cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
  printf("how,chosen,size,bytes_per_cycle\n");
  for (int how = 0; how < 3; how++)
    for (int chosen = 0; chosen < 2; chosen++)
      for (int size : {1, 2, 3, 4, 6, 8, 12, 16, 18, 32, 66, 132}) {
        std::vector<int> groups(256);
        // Neighbours by number, or SMs that are far apart in number.
        const int count = (sms + size - 1) / size;
        for (int sm = 0; sm < sms; sm++) groups[sm] = chosen == 0 ? sm / size : sm % count;
        cudaMemcpy(group, groups.data(), sizeof(int) * 256, cudaMemcpyHostToDevice);
        std::vector<double> rates;
        for (int run = 0; run < 5; run++) {
          cudaMemset(arrived, 0, 4);
          if (how == 0) load<false><<<sms, WARPS * 32, 200 * 1024>>>(data, group, arrived, sms, cycles, sink);
          else if (how == 1) load<true><<<sms, WARPS * 32, 200 * 1024>>>(data, group, arrived, sms, cycles, sink);
          else bulk<<<sms, 32, 200 * 1024>>>(data, group, arrived, sms, cycles, sink);
          if (cudaDeviceSynchronize() != cudaSuccess) { printf("%s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
          std::vector<long long> times(512);
          cudaMemcpy(times.data(), cycles, 16 * sms, cudaMemcpyDeviceToHost);
          double sum = 0;
          for (int sm = 0; sm < sms; sm++) sum += double(REGION) * ROUNDS / double(times[2 * sm + 1] - times[2 * sm]);
          rates.push_back(sum);
        }
        std::sort(rates.begin(), rates.end());
        printf("%s,%s,%d,%.0f\n", how == 0 ? "load" : how == 1 ? "cp.async" : "bulk", chosen == 0 ? "neighbours" : "apart", size, rates[2]);
      }
}
