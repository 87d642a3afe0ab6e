// Reductions to random words of a small array by all SMs: cycles of the chip per request of a warp, by type, active lanes, words and the
// distance between words.
#include "bench.cuh"
template <class T> __global__ void reduce(unsigned* out, T* to, unsigned words, unsigned apart, int each, int lanes) {
  unsigned x = mixed(blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < each; i++) { x = mixed(x + i); if (threadIdx.x % 32 < lanes) atomicAdd(to + size_t(x % words) * apart, T(1)); }
}
template <class T> static void cases(const char* name, unsigned* out, void* to) {
  for (int lanes : {32, 8}) for (unsigned apart : {1u, 8u, 128u}) for (unsigned words = 2; words <= (1u << 20); words *= 2) {
    if (size_t(words) * apart * sizeof(T) > (64u << 20)) continue;
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    float time[2]; int counts[2] = {16, 144};
    for (int turn = 0; turn < 2; turn++)
      for (int k = 0; k < 2; k++) {
        cudaEventRecord(a); reduce<T><<<264, 256>>>(out, (T*)to, words, apart, counts[k], lanes); cudaEventRecord(b);
        cudaEventSynchronize(b); cudaEventElapsedTime(&time[k], a, b);
      }
    printf("reduce,%s,lanes %d,apart %u,words %u,%.3f\n", name, lanes, apart, words, (time[1] - time[0]) * 1.98e6 / (128.0 * 264 * 8));
  }
}
int main() {
  unsigned* out; void* to;
  cudaMalloc(&out, 4096); cudaMalloc(&to, 64 << 20); cudaMemset(to, 0, 64 << 20);
  cases<unsigned>("u32", out, to); cases<float>("f32", out, to); cases<double>("f64", out, to);
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
