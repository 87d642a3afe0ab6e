// Reductions to random words of a small array, by all SMs: cycles of the launch per request of a warp, by type and number of words.
#include "bench.cuh"
__device__ unsigned mixed(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
template <class T> __global__ void reduce(unsigned* out, T* to, unsigned words, int each) {
  unsigned x = mixed(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned start = tick();
  for (int i = 0; i < each; i++) { x = mixed(x + i); atomicAdd(to + x % words, T(1)); }
  __threadfence();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = tick() - start;
}
template <class T> static void cases(const char* name, unsigned* out, void* to) {
  for (int blocks : {1, 264}) for (unsigned words : {1u, 4u, 16u, 64u, 256u, 1024u, 16384u, 1u << 20}) {
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    float time[2]; int counts[2] = {16, 80};
    for (int turn = 0; turn < 2; turn++)
      for (int k = 0; k < 2; k++) {
        cudaEventRecord(a); reduce<T><<<blocks, 256>>>(out, (T*)to, words, counts[k]); cudaEventRecord(b);
        cudaEventSynchronize(b); cudaEventElapsedTime(&time[k], a, b);
      }
    printf("reduce,%s,blocks %d,words %u,cycles a request of the chip %.3f\n", name, blocks, words, (time[1] - time[0]) * 1.98e6 / (64.0 * blocks * 8));
  }
}
int main() {
  unsigned* out; void* to;
  cudaMalloc(&out, 4096); cudaMalloc(&to, 8 << 20); cudaMemset(to, 0, 8 << 20);
  cases<unsigned>("u32", out, to); cases<float>("f32", out, to); cases<double>("f64", out, to); cases<unsigned long long>("u64", out, to);
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
