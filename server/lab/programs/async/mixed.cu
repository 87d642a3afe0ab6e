// Shared memory and global memory side by side: does an SM serve both at the same time? Cycles of one round of every warp.
#include "bench.cuh"
enum { HIT, MISS, STORE, ATOMIC };
// `own` accesses to shared memory, with `ways` lanes in each bank, and `other` accesses to global memory a round.
template <int KIND, int OWN, int OTHER> __global__ void mixed(unsigned* out, float* data, int rounds, int ways, int apart) {
  extern __shared__ float s[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0;
  const float* at = s + (ways == 1 ? lane : ways == 32 ? lane * 32 : lane / (32 / ways) + lane % (32 / ways) * 32 * ways / ways) % 8192;
  float* there = data + (size_t)blockIdx.x * (1 << 20) + (size_t)warp * apart + lane;
  float sum = 0;
  for (int turn = 0; turn < 2; turn++) {
    __syncthreads();
    unsigned start = tick();
    for (int r = 0; r < rounds; r++) {
      float a[OWN + 1], b[OTHER + 1];
#pragma unroll
      for (int k = 0; k < OWN; k++) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(a[k]) : "r"(shared_address(at) + k * 4096 % 16384));
#pragma unroll
      for (int k = 0; k < OTHER; k++) {
        float* address = there + (KIND == HIT ? (r % 4 * OTHER + k) * 32 : ((size_t)r * OTHER + k) * 32);
        if (KIND == HIT || KIND == MISS) asm volatile("ld.global.f32 %0, [%1];" : "=f"(b[k]) : "l"(address));
        if (KIND == STORE) asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(sum));
      }
#pragma unroll
      for (int k = 0; k < OWN; k++) sum += a[k];
      if (KIND == HIT || KIND == MISS) {
#pragma unroll
        for (int k = 0; k < OTHER; k++) sum += b[k];
      }
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[turn] = tick() - start;
  }
  if (sum == 7) out[3] = 1;
}
template <int KIND, int OWN, int OTHER> static void cases(unsigned* out, float* data, const char* name) {
  for (int blocks : {1, 132}) for (int warps : {4, 16, 32}) for (int ways : {1, 2, 32}) {
    if (OWN == 0 && ways > 1) continue;
    auto kernel = mixed<KIND, OWN, OTHER>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 33 * 1024);
    unsigned few[2], many[2];
    kernel<<<blocks, 32 * warps, 33 * 1024>>>(out, data, 8, ways, 32 * 40 * 8); cudaMemcpy(few, out, 8, cudaMemcpyDeviceToHost);
    kernel<<<blocks, 32 * warps, 33 * 1024>>>(out, data, 40, ways, 32 * 40 * 8); cudaMemcpy(many, out, 8, cudaMemcpyDeviceToHost);
    printf("mixed,%s,shared %d,global %d,blocks %d,warps %d,ways %d,%.2f\n", name, OWN, OTHER, blocks, warps, ways, (many[1] - few[1]) / 32.0 / warps);
  }
}
// Stores of one word a lane, `apart` words apart, to fresh lines each time.
__global__ void strided(unsigned* out, float* data, int rounds, int apart) {
  size_t warp = (size_t)blockIdx.x * blockDim.x / 32 + threadIdx.x / 32, warps = (size_t)gridDim.x * blockDim.x / 32;
  __syncthreads();
  unsigned start = tick();
  for (int r = 0; r < rounds; r++) asm volatile("st.global.f32 [%0], %1;" ::"l"(data + ((r * warps + warp) * 32 + threadIdx.x % 32) * apart), "f"(1.f));
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = tick() - start;
}
// Fences of the GPU by four warps, while a fifth loads `bytes` in bulk `ahead` times at once (kind 0), or while 8 more warps load (1) or
// store (2) words.
__global__ void fenced(unsigned* out, char* data, int count, int kind, int bytes, int ahead) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ uint64_t barriers[8];
  __shared__ volatile int done;
  if (threadIdx.x == 0) { for (auto& barrier : barriers) barrier_init(&barrier, 1); done = 0; }
  __syncthreads();
  int warp = threadIdx.x / 32;
  char* mine = data + (size_t)blockIdx.x * (1 << 20);
  if (warp < 4) {
    unsigned start = tick();
    for (int i = 0; i < count; i++) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    unsigned end = tick();
    if (threadIdx.x == 0) { out[blockIdx.x * 2] = end - start; done = 1; }
  } else if (kind == 0 && warp == 4) {
    if (threadIdx.x % 32 == 0 && ahead > 0) {
      unsigned loads = 0;
      while (!done || loads < ahead) {
        int slot = loads % ahead;
        if (loads >= ahead) barrier_wait(&barriers[slot], (loads / ahead - 1) & 1);
        barrier_expect(&barriers[slot], bytes);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(shared) + slot * bytes), "l"(mine + loads * bytes % (1 << 20)), "r"(bytes), "r"(shared_address(&barriers[slot])) : "memory");
        loads++;
      }
      for (int k = 0; k < ahead; k++) { barrier_wait(&barriers[loads % ahead], (loads / ahead - 1) & 1); loads++; }
      out[blockIdx.x * 2 + 1] = loads - ahead;
    }
  } else if (kind > 0) {
    float sum = 0; unsigned loads = 0;
    while (!done) {
      float* at = (float*)mine + (loads * 256 + threadIdx.x - 128) % (1 << 18);
      if (kind == 1) { for (int k = 0; k < ahead; k++) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(at + k * 4096)); sum += v; } }
      else for (int k = 0; k < ahead; k++) asm volatile("st.global.f32 [%0], %1;" ::"l"(at + k * 4096), "f"(sum));
      loads++;
    }
    if (threadIdx.x == 128) out[blockIdx.x * 2 + 1] = loads * ahead;
    if (sum == 7) out[0] = 0;
  }
}
int main() {
  unsigned* out; float* data;
  cudaMalloc(&out, 4096); cudaMalloc(&data, 640 << 20); cudaMemset(data, 0, 640 << 20);
  cases<HIT, 8, 0>(out, data, "hit"); cases<HIT, 0, 8>(out, data, "hit"); cases<HIT, 8, 8>(out, data, "hit"); cases<HIT, 4, 8>(out, data, "hit");
  cases<MISS, 0, 8>(out, data, "miss"); cases<MISS, 8, 8>(out, data, "miss"); cases<MISS, 8, 1>(out, data, "miss"); cases<MISS, 2, 1>(out, data, "miss");
  cases<STORE, 0, 8>(out, data, "store"); cases<STORE, 8, 8>(out, data, "store"); cases<STORE, 8, 1>(out, data, "store"); cases<STORE, 2, 1>(out, data, "store");
  for (int blocks : {1, 132}) for (int apart : {1, 2, 3, 4, 6, 8, 16, 32}) {
    unsigned few, many;
    for (int k = 0; k < 2; k++) {
      strided<<<blocks, 512>>>(out, data, 16, apart); cudaMemcpy(&few, out, 4, cudaMemcpyDeviceToHost);
      strided<<<blocks, 512>>>(out, data, 64, apart); cudaMemcpy(&many, out, 4, cudaMemcpyDeviceToHost);
    }
    printf("strided,blocks %d,apart %d,cycles a store %.2f\n", blocks, apart, (many - few) / 48.0 / 16);
  }
  for (int blocks : {1, 132}) for (int kind : {0, 1, 2}) for (int bytes : {2048, 8192, 24576}) for (int ahead : {0, 1, 2, 4, 8}) {
    if (kind > 0 && (bytes > 2048 || ahead == 0) || ahead * bytes > 200 * 1024) continue;
    cudaFuncSetAttribute(fenced, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
    unsigned t[2];
    for (int k = 0; k < 2; k++) fenced<<<blocks, kind ? 384 : 160, 200 * 1024>>>(out, (char*)data, 40, kind, bytes, ahead);
    cudaMemcpy(t, out, 8, cudaMemcpyDeviceToHost);
    printf("fenced,blocks %d,kind %d,bytes %d,ahead %d,cycles a fence %.1f,transfers a fence %.2f\n", blocks, kind, bytes, ahead, t[0] / 40.0, t[1] / 40.0);
  }
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
