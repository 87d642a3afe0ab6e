// Stores that fill lines piece by piece, reductions over a warp, and matrix products of a warp.
#include <cstdint>
#include <cstdio>
// Every warp stores tiles of R rows; the line of a row, 128 bytes, is filled by several stores of W bytes a lane.
template <int R, int W> __global__ void rows(char* out, long long pitch, int tiles, long long* cycles) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  constexpr int PER = 32 / R, BYTES = W * PER, STEPS = 128 / BYTES;
  long long t0 = clock64();
  for (int t = 0; t < tiles; t++) {
    char* base = out + ((long long)t * warps + warp) * R * 128;
    char* at = base + (lane / PER) * 128 + (lane % PER) * W;
    long long tile = (long long)t * warps + warp;
    // Rows of a matrix of 16 lines, instead of adjacent ones.
    if (pitch) at = out + tile / 16 * (R * 2048) + tile % 16 * 128 + (lane / PER) * 2048 + (lane % PER) * W;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
      if (W == 4) *(volatile unsigned*)(at + s * BYTES) = s;
      else if (W == 8) { asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at + s * BYTES), "r"(s)); }
      else { asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at + s * BYTES), "r"(s)); }
    }
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
}
template <int R, int W> void run(char* out, long long* c, int pitch, int blocks) {
  int threads = 512, warps = blocks * threads / 32, tiles = (8 << 20) / (warps * R * 128);
  if (tiles < 1) tiles = 1;
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  float best = 1e9; 
  for (int i = 0; i < 4; i++) { cudaEventRecord(a); rows<R, W><<<blocks, threads>>>(out, pitch, tiles, c); cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); if (ms < best) best = ms; }
  static long long h[1024]; cudaMemcpy(h, c, blocks * 8, cudaMemcpyDeviceToHost);
  double mean = 0; for (int i = 0; i < blocks; i++) mean += h[i]; mean /= blocks;
  constexpr int PER = 32 / R, BYTES = W * PER, STEPS = 128 / BYTES;
  double stores = (double)tiles * warps * STEPS, requests = stores * R, sectors = (double)tiles * warps * R * 4;
  double per_sm = blocks < 132 ? blocks : 132;
  printf("rows,%d,width %d,pitch %d,blocks %d,cycles %.0f,us %.1f,cycles per line request and SM %.2f,per sector %.2f,per store %.2f\n", R, W, pitch, blocks, mean, best * 1000, mean / (requests / per_sm), mean / (sectors / per_sm), mean / (stores / per_sm));
}
__global__ void redux(unsigned* o, int n) { unsigned v = threadIdx.x; long long t0 = clock64(); for (int i = 0; i < n; i++) v = __reduce_add_sync(~0u, v) + 1; long long t1 = clock64(); if (threadIdx.x == 0) o[0] = t1 - t0; o[1 + threadIdx.x] = v; }
__global__ void redux_free(unsigned* o, int n) { unsigned v = threadIdx.x, s = 0; long long t0 = clock64(); for (int i = 0; i < n; i++) s ^= __reduce_add_sync(~0u, v + i); long long t1 = clock64(); if (threadIdx.x == 0) o[0] = t1 - t0; o[1 + threadIdx.x] = s; }
#define MMA(NAME, TEXT, REGS) __global__ void NAME(unsigned* o, int n) { int d[4][4] = {}; unsigned a0 = threadIdx.x, b0 = n; long long t0 = clock64(); for (int i = 0; i < n; i++) { _Pragma("unroll") for (int k = 0; k < 4; k++) asm volatile(TEXT : "+r"(d[k][0]), "+r"(d[k][1]), "+r"(d[k][2]), "+r"(d[k][3]) : "r"(a0), "r"(b0)); } long long t1 = clock64(); if (threadIdx.x == 0) o[0] = t1 - t0; int s = 0; for (int k = 0; k < 4; k++) s += d[k][0] + d[k][1] + d[k][2] + d[k][3]; o[1 + threadIdx.x] = s; }
MMA(i16832, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};", 4)
MMA(i16816, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};", 4)
MMA(bf16816, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};", 4)
MMA(tf1688, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};", 4)
MMA(tf1684, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};", 4)
MMA(e16832, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};", 4)
__global__ void dmma(unsigned* o, int n) { double d[4][2] = {}; double a = threadIdx.x, b = n; long long t0 = clock64(); for (int i = 0; i < n; i++) { _Pragma("unroll") for (int k = 0; k < 4; k++) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d[k][0]), "+d"(d[k][1]) : "d"(a), "d"(b)); } long long t1 = clock64(); if (threadIdx.x == 0) o[0] = t1 - t0; double s = 0; for (int k = 0; k < 4; k++) s += d[k][0] + d[k][1]; o[1 + threadIdx.x] = s; }
template <class K> void time(const char* name, K k, unsigned* o, int per) { for (int warps : {1, 4, 8, 16}) { unsigned t[2]; for (int i = 0; i < 2; i++) { int n[2] = {64, 320}; for (int q = 0; q < 2; q++) { k<<<1, warps * 32>>>(o, n[q]); unsigned h; cudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost); t[q] = h; } } printf("%s,warps %d,cycles each %.2f\n", name, warps, (t[1] - t[0]) / 256.0 / per); } }
int main() {
  char* out; long long* c; unsigned* o; cudaMalloc(&out, 64 << 20); cudaMalloc(&c, 8192); cudaMalloc(&o, 65536);
  for (int blocks : {132, 264, 1}) for (int pitch : {0, 1}) {
    run<1, 4>(out, c, pitch, blocks); run<2, 4>(out, c, pitch, blocks); run<4, 4>(out, c, pitch, blocks); run<8, 4>(out, c, pitch, blocks); run<16, 4>(out, c, pitch, blocks); run<32, 4>(out, c, pitch, blocks);
    run<8, 8>(out, c, pitch, blocks); run<8, 16>(out, c, pitch, blocks); run<4, 16>(out, c, pitch, blocks); run<32, 16>(out, c, pitch, blocks);
  }
  time("redux", redux, o, 1); time("redux_free", redux_free, o, 1);
  time("imma_16832", i16832, o, 4); time("imma_16816", i16816, o, 4); time("hmma_bf16_16816", bf16816, o, 4); time("hmma_tf32_1688", tf1688, o, 4); time("hmma_tf32_1684", tf1684, o, 4); time("qmma_16832", e16832, o, 4); time("dmma", dmma, o, 4);
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
