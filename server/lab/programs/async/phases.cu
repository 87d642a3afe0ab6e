// Do SMs that alternate between a copy and a pause fall out of step? All SMs copy bytes from L2, wait for them, pause, and repeat.
// Prints the mean time of the rounds and the spread of the SMs, by bytes, pause and kind of copy.
#include <algorithm>
#include <vector>
#include "bench.cuh"

constexpr int ROUNDS = 128, THREADS = 256;

__device__ void meet(unsigned *arrived, unsigned blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*(volatile unsigned *)arrived < blocks) {}
  }
  __syncthreads();
}

__global__ void __launch_bounds__(THREADS, 1) bulk(const char *data, unsigned bytes, unsigned regions, unsigned pause, unsigned *arrived, unsigned *ends) {
  extern __shared__ __align__(128) unsigned char tile[];
  __shared__ __align__(8) uint64_t full;
  const uint32_t to = uint32_t(__cvta_generic_to_shared(tile)), bar = uint32_t(__cvta_generic_to_shared(&full));
  const char *first = data + size_t(blockIdx.x) * bytes * regions;
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  meet(arrived, gridDim.x);
  for (int round = 0; round < ROUNDS; round++) {
    const char *own = first + size_t(round % regions) * bytes;
    if (threadIdx.x == 0) {
      barrier_expect(&full, bytes);
      for (unsigned at = 0; at < bytes; at += 8192)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to + at), "l"(own + at), "r"(8192), "r"(bar) : "memory");
    }
    barrier_wait(&full, round & 1);
    for (unsigned start = tick(); tick() - start < pause;) {}
    __syncthreads();
    if (threadIdx.x == 0) ends[blockIdx.x * ROUNDS + round] = tick();
  }
}

__global__ void __launch_bounds__(THREADS, 1) async(const char *data, unsigned bytes, unsigned regions, unsigned pause, unsigned *arrived, unsigned *ends) {
  extern __shared__ __align__(128) unsigned char tile[];
  const uint32_t to = uint32_t(__cvta_generic_to_shared(tile));
  const char *first = data + size_t(blockIdx.x) * bytes * regions;
  meet(arrived, gridDim.x);
  for (int round = 0; round < ROUNDS; round++) {
    const char *own = first + size_t(round % regions) * bytes;
    for (unsigned at = threadIdx.x * 16; at < bytes; at += THREADS * 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + at), "l"(own + at) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned start = tick(); tick() - start < pause;) {}
    __syncthreads();
    if (threadIdx.x == 0) ends[blockIdx.x * ROUNDS + round] = tick();
  }
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  const int sms = device.multiProcessorCount;
  char *data; unsigned *arrived, *ends;
  cudaMalloc(&data, size_t(sms) << 18); cudaMemset(data, 1, size_t(sms) << 18);
  cudaMalloc(&arrived, 4); cudaMalloc(&ends, 4 * sms * ROUNDS);
  printf("copy,sms,bytes,regions,pause,rounds_2,rounds_3_4,rounds_5_8,rounds_9_16,rounds_17_32,rounds_33_64,rounds_65_128,least,quarter,median,three_quarters,most\n");
  for (auto [name, kernel] : {std::pair{"bulk", bulk}, std::pair{"async", async}}) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
    for (int blocks : {1, sms / 4, sms / 2, sms})
      for (unsigned bytes : {8192u, 16384u, 24576u, 32768u, 49152u, 65536u, 98304u, 131072u})
       for (unsigned regions : {1u, 4u})
        for (unsigned pause : {0u, 500u, 1000u, 1500u, 2000u, 4000u}) {
          if (blocks < sms && pause != 0 && pause != 1000) continue;
          if (regions > 1 && (bytes != 16384 && bytes != 32768)) continue;
          std::vector<unsigned> host(blocks * ROUNDS);
          for (int turn = 0; turn < 2; turn++) {
            cudaMemset(arrived, 0, 4);
            kernel<<<blocks, THREADS, 200 * 1024>>>(data, bytes, regions, pause, arrived, ends);
          }
          cudaMemcpy(host.data(), ends, 4 * host.size(), cudaMemcpyDeviceToHost);
          auto mean = [&](int from, int to) {  // of the rounds after `from` up to `to`
            double all = 0;
            for (int b = 0; b < blocks; b++) all += host[b * ROUNDS + to - 1] - host[b * ROUNDS + from - 1];
            return all / blocks / (to - from);
          };
          std::vector<double> each;
          for (int b = 0; b < blocks; b++) each.push_back((host[b * ROUNDS + 95] - host[b * ROUNDS + 31]) / 64.0);
          std::sort(each.begin(), each.end());
          printf("%s,%d,%u,%u,%u,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", name, blocks, bytes, regions, pause, mean(1, 2), mean(2, 4), mean(4, 8), mean(8, 16), mean(16, 32), mean(32, 64), mean(64, 128),
                 each[0], each[each.size() / 4], each[each.size() / 2], each[each.size() * 3 / 4], each.back());
        }
  }
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
