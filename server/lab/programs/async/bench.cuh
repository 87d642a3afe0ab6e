// Shared code of the programs of this folder: the SM's clock, a hash, mbarriers, and launches that return what was written.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned tick() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
// Mixes the bits of a number.
__device__ __forceinline__ unsigned mixed(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void barrier_init(uint64_t* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ __forceinline__ void barrier_expect(uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ bool barrier_try(uint64_t* barrier, unsigned parity) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
  return done;
}
__device__ __forceinline__ void barrier_wait(uint64_t* barrier, unsigned parity) {
  while (!barrier_try(barrier, parity)) {}
}

constexpr int SHARED = 200 * 1024;
constexpr int TURNS = 4;

// Launches a kernel and copies the first `count` words of its output to `host`. Prints an error if there is one.
template <class K, class... A> static void launch(K kernel, dim3 grid, dim3 block, unsigned cluster, unsigned* host, int count, unsigned* out, A... rest) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaMemset(out, 0, 4096);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = SHARED;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = cluster > 1;
  cudaLaunchKernelEx(&config, kernel, out, rest...);
  cudaMemcpy(host, out, 4 * count, cudaMemcpyDeviceToHost);
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
