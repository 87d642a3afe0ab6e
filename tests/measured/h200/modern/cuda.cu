// Kernels that use what Hopper added, each launched exactly once, as rows of measured truth: build for sm_90a, run `modern`, `modern list` or
// `modern only NAME`. Before a launch: launch,N,NAME,kernel,grid,block,dynamic shared,cluster,scalar arguments. After it: ok NAME or WRONG NAME.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>
namespace cg = cooperative_groups;

// ---- Words of PTX ----
__device__ __forceinline__ unsigned at(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
template <int BYTES> __device__ __forceinline__ void copy_async(unsigned to, const void* from, int valid = BYTES) {
  if constexpr (BYTES == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from), "r"(valid), "n"(BYTES) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait_copies() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ void load_matrices(unsigned (&r)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory");
}
__device__ __forceinline__ void store_matrices_turned(unsigned to, const unsigned (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
}
__device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void arrivals(uint64_t* b, unsigned count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory"); }
__device__ __forceinline__ void arrivals_visible() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void expect(uint64_t* b, unsigned bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory"); }
__device__ __forceinline__ void arrive(uint64_t* b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(b)) : "memory"); }
__device__ __forceinline__ void arrive_at(uint64_t* b, unsigned rank) {
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(at(b)), "r"(rank) : "memory");
}
__device__ __forceinline__ void wait(uint64_t* b, unsigned parity) {
  unsigned done;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
  while (!done);
}
__device__ __forceinline__ void tensor_copy(unsigned to, const CUtensorMap* map, int x, int y, uint64_t* b) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(at(b)) : "memory");
}
__device__ __forceinline__ void tensor_copy_to(unsigned short mask, unsigned to, const CUtensorMap* map, int x, int y, uint64_t* b) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(at(b)), "h"(mask) : "memory");
}
__device__ __forceinline__ void bulk_copy(unsigned to, const void* from, unsigned bytes, uint64_t* b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(at(b)) : "memory");
}
__device__ __forceinline__ void meet(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ void tell(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

// ---- wgmma: operands are K-major tiles in rows of 128 bytes, swizzled; 16-bit products step by 32 bytes. ----
#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9,"
#define LIST64 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60,%61,%62,%63}"
#define LIST128 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) "%120,%121,%122,%123,%124,%125,%126,%127}"
#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define D64(i) D16(i), D16(i + 16), D16(i + 32), D16(i + 48)
__device__ __forceinline__ uint64_t tile(unsigned address) { return (address & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62; }
template <class T> __device__ __forceinline__ void product(float (&d)[64], uint64_t a, uint64_t b, int keep) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " LIST64 ", %64, %65, p, 1, 1, 0, 0; }" : D64(0) : "l"(a), "l"(b), "r"(keep));
}
template <class T> __device__ __forceinline__ void product(float (&d)[128], uint64_t a, uint64_t b, int keep) {
  if constexpr (sizeof(T) == 2)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 " LIST128 ", %128, %129, p, 1, 1, 0, 0; }" : D64(0), D64(64) : "l"(a), "l"(b), "r"(keep));
  else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 " LIST128 ", %128, %129, p, 1, 1; }" : D64(0), D64(64) : "l"(a), "l"(b), "r"(keep));
}
__device__ __forceinline__ void product_of_registers(float (&d)[64], const unsigned (&a)[4], uint64_t b, int keep) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %69, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 " LIST64 ", {%64, %65, %66, %67}, %68, p, 1, 1, 0; }" : D64(0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep));
}
__device__ __forceinline__ void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void products_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory"); }
template <int N> __device__ __forceinline__ void pin(float (&d)[N]) {  // nothing that reads the sums moves above this
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : "+f"(d[i])::"memory");
}
// Writes the sums of one warpgroup, 64 rows.
template <int N> __device__ __forceinline__ void write_sums(const float (&d)[N], __half* c, int row, int column, int n) {
  int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  __half* to = c + size_t(row + warp * 16 + lane / 4) * n + column + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < N / 4; j++) {
    *reinterpret_cast<__half2*>(to + j * 8) = __floats2half2_rn(d[j * 4], d[j * 4 + 1]);
    *reinterpret_cast<__half2*>(to + j * 8 + size_t(8) * n) = __floats2half2_rn(d[j * 4 + 2], d[j * 4 + 3]);
  }
}
__device__ __forceinline__ unsigned aligned_shared(void* p) { return (at(p) + 1023) & ~1023u; }

// ---- 1-5: ring of cp.async, ldmatrix, mma.sync. C = A times B transposed; rows of a tile are 64 bytes. ----
template <class T, class C, class SUM, int STAGES> __global__ void __launch_bounds__(256) gemm_ring(const T* a, const T* b, C* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  constexpr int CHUNK = 16 / sizeof(T), STAGE = 16384;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row0 = blockIdx.y * 128, column0 = blockIdx.x * 128;
  int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32, steps = k / (4 * CHUNK);
  auto place = [](int row, int chunk) { return row * 64 + (chunk ^ row / 2 % 4) * 16; };
  auto load = [&](int step) {
    unsigned to = at(shared) + step % STAGES * STAGE;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int row = (threadIdx.x + i * 256) / 4, chunk = threadIdx.x % 4;
      copy_async<16>(to + place(row, chunk), a + size_t(row0 + row) * k + (step * 4 + chunk) * CHUNK);
      copy_async<16>(to + 8192 + place(row, chunk), b + size_t(column0 + row) * k + (step * 4 + chunk) * CHUNK);
    }
  };
  for (int step = 0; step < STAGES - 1; step++) { load(step); commit(); }
  SUM sum[4][4][4] = {};
  for (int step = 0; step < steps; step++) {
    wait_copies<STAGES - 2>();
    __syncthreads();
    if (step + STAGES - 1 < steps) load(step + STAGES - 1);
    commit();
    unsigned from = at(shared) + step % STAGES * STAGE;
#pragma unroll
    for (int part = 0; part < 2; part++) {
      unsigned fa[4][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 4; i++) load_matrices(fa[i], from + place(warp_row + i * 16 + lane % 16, part * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; j++) load_matrices(fb[j], from + 8192 + place(warp_column + j * 16 + lane / 16 * 8 + lane % 8, part * 2 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        C* to = c + size_t(row0 + warp_row + i * 16 + lane / 4 + h * 8) * n + column0 + warp_column + j * 8 + lane % 4 * 2;
        if constexpr (sizeof(C) == 2) *reinterpret_cast<__half2*>(to) = __floats2half2_rn(sum[i][j][h * 2], sum[i][j][h * 2 + 1]);
        else *reinterpret_cast<int2*>(to) = make_int2(sum[i][j][h * 2], sum[i][j][h * 2 + 1]);
      }
}

// ---- 6: stencil of nine points; the tile and its edge come by copies of 4 bytes, zeros outside of the picture. ----
__global__ void __launch_bounds__(256) stencil_async(const float* in, float* out, int width, int height, float middle, float side, float corner) {
  constexpr int W = 64, H = 16;
  __shared__ float block[H + 2][W + 2];
  int x0 = blockIdx.x * W - 1, y0 = blockIdx.y * H - 1;
  for (int i = threadIdx.x; i < (H + 2) * (W + 2); i += 256) {
    int x = i % (W + 2), y = i / (W + 2);
    bool inside = unsigned(x0 + x) < unsigned(width) && unsigned(y0 + y) < unsigned(height);
    copy_async<4>(at(&block[y][x]), inside ? in + size_t(y0 + y) * width + x0 + x : in, inside ? 4 : 0);
  }
  commit();
  wait_copies<0>();
  __syncthreads();
  int x = threadIdx.x % W + 1;
  for (int y = threadIdx.x / W + 1; y <= H; y += 256 / W) {
    float sides = block[y][x - 1] + block[y][x + 1] + block[y - 1][x] + block[y + 1][x];
    float corners = block[y - 1][x - 1] + block[y - 1][x + 1] + block[y + 1][x - 1] + block[y + 1][x + 1];
    if (x0 + x < width && y0 + y < height) out[size_t(y0 + y) * width + x0 + x] = middle * block[y][x] + side * sides + corner * corners;
  }
}

// ---- 7: one warpgroup copies and multiplies; tile 128x128x64, four stages. ----
__global__ void __launch_bounds__(128) gemm_plain(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, __half* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ uint64_t full[4];
  constexpr int STAGES = 4, STAGE = 32768;
  unsigned base = aligned_shared(shared);
  int row0 = blockIdx.y * 128, column0 = blockIdx.x * 128, steps = k / 64;
  auto load = [&](int step) {
    unsigned to = base + step % STAGES * STAGE;
    uint64_t* b = &full[step % STAGES];
    expect(b, STAGE);
    tensor_copy(to, &ma, step * 64, row0, b);
    tensor_copy(to + 16384, &mb, step * 64, column0, b);
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) arrivals(&full[i], 1);
    arrivals_visible();
    for (int step = 0; step < STAGES - 1 && step < steps; step++) load(step);
  }
  __syncthreads();
  float upper[64], lower[64];
  for (int step = 0; step < steps; step++) {
    wait(&full[step % STAGES], step / STAGES & 1);
    unsigned from = base + step % STAGES * STAGE;
    products_begin();
#pragma unroll
    for (int i = 0; i < 4; i++) {
      product<__half>(upper, tile(from) + 2 * i, tile(from + 16384) + 2 * i, step + i);
      product<__half>(lower, tile(from + 8192) + 2 * i, tile(from + 16384) + 2 * i, step + i);
    }
    products_commit();
    products_wait<1>();
    __syncthreads();  // the products before these have been read by all warps
    if (threadIdx.x == 0 && step + STAGES - 1 < steps) load(step + STAGES - 1);
  }
  products_wait<0>();
  pin(upper);
  pin(lower);
  write_sums(upper, c, row0, column0, n);
  write_sums(lower, c, row0 + 64, column0, n);
}

// ---- 8-10: a thread that copies, two warpgroups that multiply; tile 128x256 by 128 bytes, four stages. ----
template <class T, bool PERSISTENT> __global__ void __launch_bounds__(384, 1) gemm_special(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, __half* c, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ uint64_t full[4], empty[4];
  constexpr int STAGES = 4, STAGE = 49152, DEPTH = 128 / sizeof(T);
  unsigned base = aligned_shared(shared);
  int rows = m / 128, tiles = rows * (n / 256), steps = k / DEPTH, group = threadIdx.x / 128;
  int next = PERSISTENT ? gridDim.x : tiles;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) { arrivals(&full[i], 1); arrivals(&empty[i], 8); }
    arrivals_visible();
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    unsigned turn = 0;
    if (threadIdx.x == 0)
      for (int t = blockIdx.x; t < tiles; t += next)
        for (int step = 0; step < steps; step++, turn++) {
          int slot = turn % STAGES;
          if (turn >= STAGES) wait(&empty[slot], (turn / STAGES - 1) & 1);
          expect(&full[slot], STAGE);
          tensor_copy(base + slot * STAGE, &ma, step * DEPTH, t % rows * 128, &full[slot]);
          tensor_copy(base + slot * STAGE + 16384, &mb, step * DEPTH, t / rows * 256, &full[slot]);
        }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    unsigned turn = 0;
    for (int t = blockIdx.x; t < tiles; t += next) {
      float d[128];
      for (int step = 0; step < steps; step++, turn++) {
        int slot = turn % STAGES;
        wait(&full[slot], turn / STAGES & 1);
        uint64_t a = tile(base + slot * STAGE + (group - 1) * 8192), b = tile(base + slot * STAGE + 16384);
        products_begin();
#pragma unroll
        for (int i = 0; i < 4; i++) product<T>(d, a + 2 * i, b + 2 * i, step + i);
        products_commit();
        products_wait<1>();
        if (step > 0 && threadIdx.x % 32 == 0) arrive(&empty[(turn - 1) % STAGES]);
      }
      products_wait<0>();
      pin(d);
      if (threadIdx.x % 32 == 0) arrive(&empty[(turn - 1) % STAGES]);
      write_sums(d, c, t % rows * 128 + (group - 1) * 64, t / rows * 256, n);
    }
  }
}

// ---- 11: A goes through registers, where it is scaled; two warpgroups, tile 128x128x64. ----
__global__ void __launch_bounds__(256) gemm_registers(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, __half* c, int n, int k, float scale) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ uint64_t full[4];
  constexpr int STAGES = 4, STAGE = 32768;
  unsigned base = aligned_shared(shared);
  int row0 = blockIdx.y * 128, column0 = blockIdx.x * 128, steps = k / 64, lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;
  __nv_bfloat162 factor = __float2bfloat162_rn(scale);
  auto load = [&](int step) {
    unsigned to = base + step % STAGES * STAGE;
    uint64_t* b = &full[step % STAGES];
    expect(b, STAGE);
    tensor_copy(to, &ma, step * 64, row0, b);
    tensor_copy(to + 16384, &mb, step * 64, column0, b);
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) arrivals(&full[i], 1);
    arrivals_visible();
    for (int step = 0; step < STAGES - 1 && step < steps; step++) load(step);
  }
  __syncthreads();
  float d[64];
  for (int step = 0; step < steps; step++) {
    wait(&full[step % STAGES], step / STAGES & 1);
    unsigned from = base + step % STAGES * STAGE, fragment[4][4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      load_matrices(fragment[i], from + row * 128 + ((i * 2 + lane / 16) ^ row % 8) * 16);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        __nv_bfloat162 scaled = __hmul2(*reinterpret_cast<__nv_bfloat162*>(&fragment[i][j]), factor);
        fragment[i][j] = *reinterpret_cast<unsigned*>(&scaled);
      }
    }
    products_begin();
#pragma unroll
    for (int i = 0; i < 4; i++) product_of_registers(d, fragment[i], tile(from + 16384) + 2 * i, step + i);
    products_commit();
    products_wait<0>();
    pin(d);
    __syncthreads();
    if (threadIdx.x == 0 && step + STAGES - 1 < steps) load(step + STAGES - 1);
  }
  write_sums(d, c, row0 + threadIdx.x / 128 * 64, column0, n);
}

// ---- 12: y = a x + y; one warp copies pieces of 2048 to a ring of four, eight warps use them. ----
__global__ void __launch_bounds__(288) stream_bulk(const float* x, float* y, float a, int pieces) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ uint64_t full[4], empty[4];
  constexpr int PIECE = 2048, BYTES = PIECE * 4;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; i++) { arrivals(&full[i], 1); arrivals(&empty[i], 8); }
    arrivals_visible();
  }
  __syncthreads();
  unsigned turn = 0;
  if (threadIdx.x >= 256) {
    if (threadIdx.x == 256)
      for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x, turn++) {
        int slot = turn % 4;
        if (turn >= 4) wait(&empty[slot], (turn / 4 - 1) & 1);
        expect(&full[slot], 2 * BYTES);
        bulk_copy(at(shared) + slot * 2 * BYTES, x + size_t(piece) * PIECE, BYTES, &full[slot]);
        bulk_copy(at(shared) + slot * 2 * BYTES + BYTES, y + size_t(piece) * PIECE, BYTES, &full[slot]);
      }
  } else
    for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x, turn++) {
      int slot = turn % 4;
      wait(&full[slot], turn / 4 & 1);
      const float4* from = reinterpret_cast<const float4*>(shared + slot * 2 * BYTES);
      float4* to = reinterpret_cast<float4*>(y + size_t(piece) * PIECE);
#pragma unroll
      for (int i = threadIdx.x; i < PIECE / 4; i += 256) {
        float4 u = from[i], v = from[i + PIECE / 4];
        to[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(&empty[slot]);
    }
}

// ---- 13: sums of 32 rows of 1024 columns, stored in bulk and added in bulk to the total. ----
__global__ void __launch_bounds__(256) sums_bulk(const float* in, float* partial, float* total, int width, int rows) {
  __shared__ __align__(128) float4 sums[256];
  int column = blockIdx.x * 1024;
  const float4* from = reinterpret_cast<const float4*>(in + size_t(blockIdx.y) * rows * width + column) + threadIdx.x;
  float4 s = {};
#pragma unroll 8
  for (int i = 0; i < rows; i++) {
    float4 v = __ldg(from + size_t(i) * width / 4);
    s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
  }
  sums[threadIdx.x] = s;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(partial + size_t(blockIdx.y) * width + column), "r"(at(sums)), "r"(4096) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(total + column), "r"(at(sums)), "r"(4096) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// ---- 14: two blocks share the tile of B: each copies half of it to both. Tile 128x128x64 a block, four stages, a warp that copies. ----
__global__ void __launch_bounds__(288) gemm_multicast(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, __half* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ uint64_t full[4], empty[4];
  constexpr int STAGES = 4, STAGE = 32768;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned base = aligned_shared(shared), rank = cluster.block_rank();
  int row0 = blockIdx.x * 128, column0 = blockIdx.y * 128, steps = k / 64;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) { arrivals(&full[i], 1); arrivals(&empty[i], 16); }
    arrivals_visible();
  }
  cluster.sync();
  if (threadIdx.x >= 256) {
    if (threadIdx.x == 256)
      for (int step = 0; step < steps; step++) {
        int slot = step % STAGES;
        unsigned to = base + slot * STAGE;
        if (step >= STAGES) wait(&empty[slot], (step / STAGES - 1) & 1);
        expect(&full[slot], STAGE);
        tensor_copy(to, &ma, step * 64, row0, &full[slot]);
        tensor_copy_to(3, to + 16384 + rank * 8192, &mb, step * 64, column0 + rank * 64, &full[slot]);
      }
    __syncwarp();
  } else {
    float d[64];
    int group = threadIdx.x / 128, lane = threadIdx.x % 32;
    for (int step = 0; step < steps; step++) {
      wait(&full[step % STAGES], step / STAGES & 1);
      unsigned from = base + step % STAGES * STAGE;
      products_begin();
#pragma unroll
      for (int i = 0; i < 4; i++) product<__half>(d, tile(from + group * 8192) + 2 * i, tile(from + 16384) + 2 * i, step + i);
      products_commit();
      products_wait<1>();
      if (step > 0 && lane < 2) arrive_at(&empty[(step - 1) % STAGES], lane);
    }
    products_wait<0>();
    pin(d);
    write_sums(d, c, row0 + group * 64, column0, n);
  }
  cluster.sync();  // no block leaves while the other writes or signals to it
}

// ---- 15: histogram of 4096 bins, 1024 in each block of a cluster of four. ----
__global__ void __launch_bounds__(256) __cluster_dims__(4, 1, 1) histogram_cluster(const unsigned* in, unsigned* out, int count) {
  __shared__ unsigned bins[1024];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 1024; i += 256) bins[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
    unsigned bin = in[i] >> 20;
    atomicAdd(cluster.map_shared_rank(bins, bin >> 10) + (bin & 1023), 1u);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 1024; i += 256)
    if (bins[i]) atomicAdd(out + cluster.block_rank() * 1024 + i, bins[i]);
}

// ---- 16: a cluster of eight sums 64 rows of 2048 columns: 8 rows a block, then each block adds 256 columns of all blocks. ----
__global__ void __launch_bounds__(256) __cluster_dims__(8, 1, 1) sums_cluster(const float* in, float* out, int rows) {
  __shared__ float4 sums[512];
  cg::cluster_group cluster = cg::this_cluster();
  const float4* from = reinterpret_cast<const float4*>(in) + size_t(blockIdx.x) * rows * 512;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    float4 s = {};
#pragma unroll 4
    for (int i = 0; i < rows; i++) {
      float4 v = __ldg(from + i * 512 + half * 256 + threadIdx.x);
      s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
    }
    sums[half * 256 + threadIdx.x] = s;
  }
  cluster.sync();
  int column = cluster.block_rank() * 256 + threadIdx.x;
  float total = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) total += cluster.map_shared_rank(reinterpret_cast<float*>(sums), i)[column];
  out[size_t(blockIdx.x / 8) * 2048 + column] = total;
  cluster.sync();
}

// The sum of a value over a block of 256, in all threads.
__device__ float block_sum(float v, float* scratch) {
  for (int i = 16; i; i /= 2) v += __shfl_xor_sync(~0u, v, i);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int i = 0; i < 8; i++) v += scratch[i];
  return v;
}

// ---- 17: mean, spread and normal form of a whole vector, with two meetings of the grid. ----
__global__ void __launch_bounds__(256) normalise_grid(const float* in, float* out, float* sums, int count, float epsilon) {
  __shared__ float scratch[8];
  cg::grid_group grid = cg::this_grid();
  int first = blockIdx.x * 256 + threadIdx.x, step = gridDim.x * 256;
  float s = 0;
  for (int i = first; i < count; i += step) s += in[i];
  s = block_sum(s, scratch);
  if (threadIdx.x == 0) atomicAdd(sums, s);
  grid.sync();
  float mean = __ldcg(sums) / count;
  s = 0;
  for (int i = first; i < count; i += step) { float v = in[i] - mean; s += v * v; }
  s = block_sum(s, scratch);
  if (threadIdx.x == 0) atomicAdd(sums + 1, s);
  grid.sync();
  float scale = rsqrtf(__ldcg(sums + 1) / count + epsilon);
  for (int i = first; i < count; i += step) out[i] = (in[i] - mean) * scale;
}

// ---- 18: a picture turned about its middle, bilinear. ----
__global__ void __launch_bounds__(256) turn_texture(cudaTextureObject_t in, float* out, int width, int height, float cosine, float sine) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float dx = x - width * 0.5f, dy = y - height * 0.5f;
  out[size_t(y) * width + x] = tex2D<float>(in, width * 0.5f + cosine * dx - sine * dy + 0.5f, height * 0.5f + sine * dx + cosine * dy + 0.5f);
}

// ---- 19: surface to surface, transposed through shared memory. ----
__global__ void __launch_bounds__(256) transpose_surface(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int size) {
  __shared__ float block[32][33];
  int x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (int i = threadIdx.y; i < 32; i += 8) block[i][threadIdx.x] = surf2Dread<float>(in, (x + threadIdx.x) * 4, y + i);
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) surf2Dwrite(block[threadIdx.x][i], out, (y + threadIdx.x) * 4, x + i);
}

// ---- 20: tiles of 64x64 16-bit words, turned by stmatrix. ----
__global__ void __launch_bounds__(256) transpose_matrices(const __half* in, __half* out, int size) {
  __shared__ __align__(128) __half block[64][72], turned[64][72];
  int x = blockIdx.x * 64, y = blockIdx.y * 64, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 512; i += 256) *reinterpret_cast<uint4*>(&block[i / 8][i % 8 * 8]) = *reinterpret_cast<const uint4*>(in + size_t(y + i / 8) * size + x + i % 8 * 8);
  __syncthreads();
#pragma unroll
  for (int half = 0; half < 2; half++) {
    unsigned r[4];
    int column = half * 32 + lane / 8 * 8;
    load_matrices(r, at(&block[warp * 8 + lane % 8][column]));
    store_matrices_turned(at(&turned[column + lane % 8][warp * 8]), r);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 256) *reinterpret_cast<uint4*>(out + size_t(x + i / 8) * size + y + i % 8 * 8) = *reinterpret_cast<uint4*>(&turned[i / 8][i % 8 * 8]);
}

// ---- 21: keeps the words below a limit, in any order of warps, and counts the words of each of 16 kinds. ----
__global__ void __launch_bounds__(256) compact_warp(const unsigned* in, unsigned* out, unsigned* counters, int count, unsigned limit) {
  int lane = threadIdx.x % 32;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
    unsigned v = in[i], kept = __ballot_sync(~0u, v < limit), place = 0;
    if (lane == 0 && kept) place = atomicAdd(counters, __popc(kept));
    place = __shfl_sync(~0u, place, 0) + __popc(kept & ((1u << lane) - 1));
    if (v < limit) out[place] = v;
    unsigned kind = v & 15, same = __match_any_sync(~0u, kind);
    if (lane == __ffs(same) - 1) atomicAdd(counters + 1 + kind, __popc(same));
  }
}

// ---- 22: sum, least, most and union by redux, then in shared memory, then in global. ----
__global__ void __launch_bounds__(256) reduce_redux(const unsigned* in, unsigned* out, int count) {
  __shared__ unsigned total[4];
  if (threadIdx.x < 4) total[threadIdx.x] = threadIdx.x == 1 ? ~0u : 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
    unsigned v = in[i], sum = __reduce_add_sync(~0u, v & 0xffff), least = __reduce_min_sync(~0u, v), most = __reduce_max_sync(~0u, v), any = __reduce_or_sync(~0u, v & v >> 3);
    if (threadIdx.x % 32 == 0) {
      atomicAdd(total, sum);
      atomicMin(total + 1, least);
      atomicMax(total + 2, most);
      atomicOr(total + 3, any);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, total[0]);
  if (threadIdx.x == 1) atomicMax(out + 1, ~total[1]);
  if (threadIdx.x == 2) atomicMax(out + 2, total[2]);
  if (threadIdx.x == 3) atomicOr(out + 3, total[3]);
}

// ---- 23: gradients of a layer norm's weights: sums of columns over the rows of a block, then red to global. ----
__global__ void __launch_bounds__(256) layernorm_gradient(const float* x, const float* dy, const float* mean, const float* scale, float* dw, float* db, int width, int rows) {
  int row0 = blockIdx.y * rows, column = blockIdx.x * 256 + threadIdx.x;
  float w = 0, b = 0;
#pragma unroll 4
  for (int i = row0; i < row0 + rows; i++) {
    float g = dy[size_t(i) * width + column];
    w += g * (x[size_t(i) * width + column] - __ldg(mean + i)) * __ldg(scale + i);
    b += g;
  }
  atomicAdd(dw + column, w);
  atomicAdd(db + column, b);
}

// ---- 24: each thread counts its words in 32 counters of its own, in local memory. ----
__global__ void __launch_bounds__(256) count_local(const unsigned* in, unsigned* out, int each) {
  unsigned counters[32] = {};
  int threads = gridDim.x * 256, me = blockIdx.x * 256 + threadIdx.x;
  for (int i = 0; i < each; i++) counters[in[size_t(i) * threads + me] >> 27]++;
  unsigned most = 0;
  for (int i = 0; i < 32; i++) most = max(most, counters[i] * 32 + i);
  out[me] = most;
}

// ---- 25: each thread goes down a column with five rows in registers. ----
__global__ void __launch_bounds__(128) stencil_column(const float* in, float* out, int width, int height, int rows, float c0, float c1, float c2) {
  int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * rows;
  auto read = [&](int y) { return y >= 0 && y < height ? __ldg(in + size_t(y) * width + x) : 0.f; };
  float a = read(y0 - 2), b = read(y0 - 1), c = read(y0), d = read(y0 + 1);
#pragma unroll 4
  for (int y = y0; y < y0 + rows; y++) {
    float e = read(y + 2);
    out[size_t(y) * width + x] = c0 * c + c1 * (b + d) + c2 * (a + e);
    a = b, b = c, c = d, d = e;
  }
}

// ---- 26: doubles added to 64 words. ----
__global__ void __launch_bounds__(256) atomics_double(const unsigned* in, double* out, int count) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
    unsigned v = in[i];
    atomicAdd(out + (v & 63), double(v >> 16));
  }
}

// ---- 27: softmax of rows of 2048; four warps read rows to two slots, four warps work on them; named barriers join them. ----
__global__ void __launch_bounds__(256) softmax_special(const float* in, float* out, int rows) {
  __shared__ float4 slots[2][512];
  __shared__ float scratch[2][4];
  constexpr int FULL = 1, EMPTY = 3, TEAM = 5;
  int me = threadIdx.x % 128, warp = me / 32;
  if (threadIdx.x < 128) {
    for (int row = blockIdx.x, turn = 0; row < rows; row += gridDim.x, turn ^= 1) {
      const float4* from = reinterpret_cast<const float4*>(in) + size_t(row) * 512 + me;
      float4 v[4];
#pragma unroll
      for (int i = 0; i < 4; i++) v[i] = __ldg(from + i * 128);
      meet(EMPTY + turn, 256);
#pragma unroll
      for (int i = 0; i < 4; i++) slots[turn][me + i * 128] = v[i];
      __threadfence_block();
      tell(FULL + turn, 256);
    }
    return;
  }
  if (blockIdx.x < rows) tell(EMPTY, 256);
  if (blockIdx.x + gridDim.x < rows) tell(EMPTY + 1, 256);
  for (int row = blockIdx.x, turn = 0; row < rows; row += gridDim.x, turn ^= 1) {
    float4 v[4];
    float most = -INFINITY, sum = 0;
    meet(FULL + turn, 256);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      v[i] = slots[turn][me + i * 128];
      most = fmaxf(fmaxf(fmaxf(most, v[i].x), fmaxf(v[i].y, v[i].z)), v[i].w);
    }
    if (row + 2 * gridDim.x < rows) tell(EMPTY + turn, 256);
    for (int i = 16; i; i /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, i));
    if (me % 32 == 0) scratch[0][warp] = most;
    meet(TEAM, 128);
    most = fmaxf(fmaxf(scratch[0][0], scratch[0][1]), fmaxf(scratch[0][2], scratch[0][3]));
#pragma unroll
    for (int i = 0; i < 4; i++) {
      v[i] = make_float4(__expf(v[i].x - most), __expf(v[i].y - most), __expf(v[i].z - most), __expf(v[i].w - most));
      sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    for (int i = 16; i; i /= 2) sum += __shfl_xor_sync(~0u, sum, i);
    if (me % 32 == 0) scratch[1][warp] = sum;
    meet(TEAM, 128);
    float scale = 1 / (scratch[1][0] + scratch[1][1] + scratch[1][2] + scratch[1][3]);
    float4* to = reinterpret_cast<float4*>(out) + size_t(row) * 512 + me;
#pragma unroll
    for (int i = 0; i < 4; i++) to[i * 128] = make_float4(v[i].x * scale, v[i].y * scale, v[i].z * scale, v[i].w * scale);
  }
}

// ---- Host ----
static bool listing;
static const char* only;
static int launched, failures;
constexpr int COOPERATIVE = 0;

static void show(float v) { printf(",%g", v); }
static void show(int v) { printf(",%d", v); }
static void show(unsigned v) { printf(",%u", v); }
template <class T> static void show(const T&) {}  // pointers, maps and handles

// Prints a row and launches it; true if there are results to check.
template <class... P, class... A> static bool row(const char* name, const char* kernel_name, void (*kernel)(P...), dim3 grid, dim3 block, int shared, int cluster, A... arguments) {
  printf("launch,%d,%s,%s,%ux%ux%u,%ux%ux%u,%d,%d", launched++, name, kernel_name, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, cluster ? cluster : 1);
  (show(P(arguments)), ...);
  printf("\n");
  fflush(stdout);
  if (listing || (only && strcmp(only, name))) return false;
  if (shared > 48 * 1024) cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (cluster == COOPERATIVE) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), grid, block, pointers, shared, nullptr);
  } else {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {unsigned(cluster), 1, 1};
    config.attrs = &attribute;
    config.numAttrs = cluster > 1;
    cudaLaunchKernelEx(&config, kernel, P(arguments)...);
  }
  cudaError_t e = cudaGetLastError();
  if (!e) e = cudaDeviceSynchronize();
  if (e) { printf("error %s %s\n", name, cudaGetErrorString(e)); failures++; }
  return !e;
}
static void verdict(const char* name, bool right) {
  printf("%s %s\n", right ? "ok" : "WRONG", name);
  failures += !right;
}
static bool near(double got, double want, double relative = 2e-3, double absolute = 1e-3) { return std::abs(got - want) <= absolute + relative * std::abs(want); }
template <class T> static T get(const T* device, size_t i) {
  T v;
  cudaMemcpy(&v, device + i, sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}
template <class T> static std::vector<T> get_all(const T* device, size_t count) {
  std::vector<T> v(count);
  cudaMemcpy(v.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}

// The inputs: every array holds the same values, multiples of 1/4 from -1 to 1 (times 4 in s8), or words.
constexpr size_t COUNT = size_t(1) << 23;
static std::vector<unsigned> words;
static std::vector<unsigned char> indices;
static float value(size_t i) { return (indices[i] - 4) * 0.25f; }
template <class T, class F> static T* upload(F encode) {
  T codes[9], *device = nullptr;
  for (int i = 0; i < 9; i++) codes[i] = encode((i - 4) * 0.25f);
  std::vector<T> host(COUNT);
  for (size_t i = 0; i < COUNT; i++) host[i] = codes[indices[i]];
  cudaMalloc(&device, COUNT * sizeof(T));
  cudaMemcpy(device, host.data(), COUNT * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}
static CUtensorMap map_of(void* data, CUtensorMapDataType type, int element, uint64_t width, uint64_t height, unsigned box_y) {
  CUtensorMap map = {};
  if (listing) return map;
  static auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTensorMapEncodeTiled"));
  cuuint64_t shape[] = {width, height}, strides[] = {width * element};
  cuuint32_t box[] = {unsigned(128 / element), box_y}, steps[] = {1, 1};
  if (!encode || encode(&map, type, 2, data, shape, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
    printf("error map\n");
  return map;
}
// B of a product begins in the middle of the array.
constexpr size_t B0 = COUNT / 2;
template <class C> static bool product_right(const C* c, int m, int n, int k, double scale, double relative) {
  for (int s = 0; s < 96; s++) {
    size_t i = size_t(s) * 2654435761u % m, j = (size_t(s) * 40503u + 17) % n;
    double want = 0;
    for (int l = 0; l < k; l++) want += double(value(i * k + l)) * value(B0 + j * k + l);
    double got = double(float(get(c, i * n + j)));
    if (!near(got, want * scale, relative, 1e-2)) { printf("  at %zu %zu: %g, not %g\n", i, j, got, want * scale); return false; }
  }
  return true;
}
static bool agree(const float* got, size_t count, size_t stride, double (*want)(size_t), double relative = 1e-3, double absolute = 1e-3) {
  for (size_t i = 3; i < count; i += stride)
    if (!near(get(got, i), want(i), relative, absolute)) { printf("  at %zu: %g, not %g\n", i, get(got, i), want(i)); return false; }
  return true;
}
template <class T> static T* make(size_t count) {
  T* p = nullptr;
  if (!listing) { cudaMalloc(&p, count * sizeof(T)); cudaMemset(p, 0, count * sizeof(T)); }
  return p;
}

int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  only = argc > 2 && !strcmp(argv[1], "only") ? argv[2] : nullptr;
  __half* halves = nullptr;
  __nv_bfloat16* brains = nullptr;
  int8_t* bytes = nullptr;
  __nv_fp8_e4m3* eighths = nullptr;
  float* floats = nullptr;
  unsigned* ints = nullptr;
  if (!listing) {
    words.resize(COUNT);
    indices.resize(COUNT);
    unsigned state = 12345;
    for (size_t i = 0; i < COUNT; i++) {
      state = state * 1664525u + 1013904223u;
      unsigned w = (state ^ state >> 15) * 0x85ebca6bu;
      words[i] = w ^= w >> 13;
      indices[i] = (w >> 8) % 9;
    }
    halves = upload<__half>([](float v) { return __float2half(v); });
    brains = upload<__nv_bfloat16>([](float v) { return __float2bfloat16(v); });
    bytes = upload<int8_t>([](float v) { return int8_t(v * 4); });
    eighths = upload<__nv_fp8_e4m3>([](float v) { return __nv_fp8_e4m3(v); });
    floats = upload<float>([](float v) { return v; });
    cudaMalloc(&ints, COUNT * 4);
    cudaMemcpy(ints, words.data(), COUNT * 4, cudaMemcpyHostToDevice);
  }
  const int M = 4096, N = 4096, K = 1024;
  __half* c16 = make<__half>(size_t(M) * N);
  int* c32 = make<int>(size_t(M) * N);
  float* out = make<float>(COUNT);
  float* more = make<float>(COUNT);
  auto clear = [&] {
    if (listing) return;
    cudaMemset(c16, 0xff, size_t(M) * N * 2);
    cudaMemset(c32, 0, size_t(M) * N * 4);
    cudaMemset(out, 0, COUNT * 4);
    cudaMemset(more, 0, COUNT * 4);
  };
  auto half_map = [&](size_t first, int width, int height, unsigned box_y) { return map_of(halves + first, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, width, height, box_y); };

#define RING(S) \
  clear(); \
  if (row("mma_ring_" #S, "gemm_ring", gemm_ring<__half, __half, float, S>, dim3(N / 128, M / 128), 256, S * 16384, 1, halves, halves + B0, c16, N, K)) verdict("mma_ring_" #S, product_right(c16, M, N, K, 1, 2e-3));
  RING(2) RING(3) RING(4) RING(5)
  clear();
  if (row("mma_int8", "gemm_ring", gemm_ring<int8_t, int, int, 4>, dim3(N / 128, M / 128), 256, 4 * 16384, 1, bytes, bytes + B0, c32, N, K)) verdict("mma_int8", product_right(c32, M, N, K, 16, 0));

  clear();
  if (row("stencil_async", "stencil_async", stencil_async, dim3(2048 / 64, 2048 / 16), 256, 0, 1, floats, out, 2048, 2048, 0.5f, 0.1f, 0.025f))
    verdict("stencil_async", agree(out, 2048 * 2048, 50021, [](size_t i) {
      int x = i % 2048, y = i / 2048;
      double sum = 0;
      for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
          if (unsigned(x + u) < 2048 && unsigned(y + v) < 2048) sum += value((y + v) * 2048 + x + u) * (u && v ? 0.025 : u || v ? 0.1 : 0.5);
      return sum;
    }));

  CUtensorMap a128 = half_map(0, K, M, 128), b64 = half_map(B0, K, N, 64), b128 = half_map(B0, K, N, 128), b256 = half_map(B0, K, N, 256);
  clear();
  if (row("wgmma_plain", "gemm_plain", gemm_plain, dim3(N / 128, M / 128), 128, 4 * 32768 + 1024, 1, a128, b128, c16, N, K)) verdict("wgmma_plain", product_right(c16, M, N, K, 1, 2e-3));
  const int special = 4 * 49152 + 1024, tiles = M / 128 * (N / 256);
  clear();
  if (row("wgmma_special", "gemm_special", gemm_special<__half, false>, tiles, 384, special, 1, a128, b256, c16, M, N, K)) verdict("wgmma_special", product_right(c16, M, N, K, 1, 2e-3));
  clear();
  if (row("wgmma_persistent", "gemm_special", gemm_special<__half, true>, 132, 384, special, 1, a128, b256, c16, M, N, K)) verdict("wgmma_persistent", product_right(c16, M, N, K, 1, 2e-3));
  CUtensorMap a8 = map_of(eighths, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, K, M, 128), b8 = map_of(eighths + B0, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, K, N, 256);
  clear();
  if (row("wgmma_e4m3", "gemm_special", gemm_special<__nv_fp8_e4m3, false>, tiles, 384, special, 1, a8, b8, c16, M, N, K)) verdict("wgmma_e4m3", product_right(c16, M, N, K, 1, 1e-2));
  CUtensorMap abf = map_of(brains, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, M, 128), bbf = map_of(brains + B0, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, N, 128);
  clear();
  if (row("wgmma_registers", "gemm_registers", gemm_registers, dim3(N / 128, M / 128), 256, 4 * 32768 + 1024, 1, abf, bbf, c16, N, K, 0.5f)) verdict("wgmma_registers", product_right(c16, M, N, K, 0.5, 2e-3));

  clear();
  if (!listing) cudaMemcpy(out, floats, COUNT * 4, cudaMemcpyDeviceToDevice);
  if (row("stream_bulk", "stream_bulk", stream_bulk, 264, 288, 65536, 1, floats, out, 3.f, int(COUNT / 2048)))
    verdict("stream_bulk", agree(out, COUNT, 100003, [](size_t i) { return 4.0 * value(i); }));

  clear();
  if (row("sums_bulk", "sums_bulk", sums_bulk, dim3(2, 128), 256, 0, 1, floats, more, out, 2048, 32)) {
    auto total = [](size_t i) { double s = 0; for (int y = 0; y < 4096; y++) s += value(size_t(y) * 2048 + i); return s; };
    auto part = [](size_t i) { double s = 0; for (int y = 0; y < 32; y++) s += value((i / 2048 * 32 + y) * 2048 + i % 2048); return s; };
    verdict("sums_bulk", agree(out, 2048, 37, total) && agree(more, 128 * 2048, 4001, part));
  }
  clear();
  if (row("wgmma_multicast", "gemm_multicast", gemm_multicast, dim3(M / 128, N / 128), 288, 4 * 32768 + 1024, 2, a128, b64, c16, N, K)) verdict("wgmma_multicast", product_right(c16, M, N, K, 1, 2e-3));

  unsigned* counts = reinterpret_cast<unsigned*>(out);
  const int INTS = 1 << 22;
  clear();
  if (row("histogram_cluster", "histogram_cluster", histogram_cluster, 256, 256, 0, 4, ints, counts, INTS)) {
    std::vector<unsigned> want(4096);
    for (int i = 0; i < INTS; i++) want[words[i] >> 20]++;
    verdict("histogram_cluster", get_all(counts, 4096) == want);
  }
  clear();
  if (row("sums_cluster", "sums_cluster", sums_cluster, 512, 256, 0, 8, floats, out, 8))
    verdict("sums_cluster", agree(out, 64 * 2048, 1009, [](size_t i) { double s = 0; for (int y = 0; y < 64; y++) s += value((i / 2048 * 64 + y) * 2048 + i % 2048); return s; }));

  clear();
  if (row("normalise_grid", "normalise_grid", normalise_grid, 264, 256, 0, COOPERATIVE, floats, out, more, INTS, 1e-5f))
    verdict("normalise_grid", agree(out, INTS, 50021, [](size_t i) {
      static double mean = 0, spread = 0;
      if (!spread) {
        for (int j = 0; j < INTS; j++) mean += value(j);
        mean /= INTS;
        for (int j = 0; j < INTS; j++) spread += (value(j) - mean) * (value(j) - mean);
      }
      return (value(i) - mean) / std::sqrt(spread / INTS + 1e-5);
    }));

  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t from = 0, to = 0;
  cudaArray_t first = nullptr, second = nullptr;
  if (!listing) {
    auto format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&first, &format, 2048, 2048, cudaArraySurfaceLoadStore);
    cudaMallocArray(&second, &format, 2048, 2048, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(first, 0, 0, floats, 8192, 8192, 2048, cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = first;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaCreateSurfaceObject(&from, &resource);
    resource.res.array.array = second;
    cudaCreateSurfaceObject(&to, &resource);
  }
  clear();
  if (row("turn_texture", "turn_texture", turn_texture, dim3(64, 256), dim3(32, 8), 0, 1, texture, out, 2048, 2048, 0.8f, 0.6f))
    verdict("turn_texture", agree(out, 2048 * 2048, 50021, [](size_t i) {
      double dx = double(i % 2048) - 1024, dy = double(i / 2048) - 1024, u = 1024 + 0.8 * dx - 0.6 * dy, v = 1024 + 0.6 * dx + 0.8 * dy;
      auto clamp = [](double t) { return size_t(t < 0 ? 0 : t > 2047 ? 2047 : t); };
      auto texel = [&](double x, double y) { return double(value(clamp(y) * 2048 + clamp(x))); };
      double x = std::floor(u), y = std::floor(v), p = u - x, q = v - y;
      return (texel(x, y) * (1 - p) + texel(x + 1, y) * p) * (1 - q) + (texel(x, y + 1) * (1 - p) + texel(x + 1, y + 1) * p) * q;
    }, 0, 0.03));
  if (row("transpose_surface", "transpose_surface", transpose_surface, dim3(64, 64), dim3(32, 8), 0, 1, from, to, 2048)) {
    cudaMemcpy2DFromArray(out, 8192, second, 0, 0, 8192, 2048, cudaMemcpyDeviceToDevice);
    verdict("transpose_surface", agree(out, 2048 * 2048, 50021, [](size_t i) { return double(value(i % 2048 * 2048 + i / 2048)); }));
  }
  clear();
  if (row("transpose_matrices", "transpose_matrices", transpose_matrices, dim3(32, 32), 256, 0, 1, halves, c16, 2048)) {
    bool right = true;
    for (size_t i = 3; i < 2048 * 2048; i += 50021) right &= float(get(c16, i)) == value(i % 2048 * 2048 + i / 2048);
    verdict("transpose_matrices", right);
  }

  unsigned* tallies = reinterpret_cast<unsigned*>(more);
  clear();
  if (row("compact_warp", "compact_warp", compact_warp, 528, 256, 0, 1, ints, counts, tallies, INTS, 0x40000000u)) {
    std::vector<unsigned> want(17);
    unsigned sum = 0, got = 0;
    for (int i = 0; i < INTS; i++) {
      want[1 + (words[i] & 15)]++;
      if (words[i] < 0x40000000u) { want[0]++; sum += words[i]; }
    }
    bool right = get_all(tallies, 17) == want;
    for (unsigned v : get_all(counts, want[0])) got += v;
    verdict("compact_warp", right && got == sum);
  }
  clear();
  if (row("reduce_redux", "reduce_redux", reduce_redux, 528, 256, 0, 1, ints, counts, INTS)) {
    std::vector<unsigned> want = {0, 0, 0, 0};
    for (int i = 0; i < INTS; i++) {
      unsigned v = words[i];
      want[0] += v & 0xffff;
      want[1] = ~v > want[1] ? ~v : want[1];
      want[2] = v > want[2] ? v : want[2];
      want[3] |= v & v >> 3;
    }
    verdict("reduce_redux", get_all(counts, 4) == want);
  }

  clear();
  if (!listing) {
    std::vector<float> scale(2048, 2.f), mean(2048, 0.125f);
    cudaMemcpy(more + 8192, mean.data(), 8192, cudaMemcpyHostToDevice);
    cudaMemcpy(more + 16384, scale.data(), 8192, cudaMemcpyHostToDevice);
  }
  if (row("layernorm_gradient", "layernorm_gradient", layernorm_gradient, dim3(8, 64), 256, 0, 1, floats, floats + B0, more + 8192, more + 16384, out, out + 2048, 2048, 32))
    verdict("layernorm_gradient", agree(out, 4096, 61, [](size_t i) {
      double s = 0;
      for (int y = 0; y < 2048; y++) {
        double g = value(B0 + size_t(y) * 2048 + i % 2048);
        s += i < 2048 ? g * (value(size_t(y) * 2048 + i) - 0.125) * 2 : g;
      }
      return s;
    }, 1e-3, 1e-2));

  clear();
  if (row("count_local", "count_local", count_local, 264, 256, 0, 1, ints, counts, 96)) {
    bool right = true;
    for (int t = 5; t < 264 * 256; t += 701) {
      unsigned counters[32] = {}, most = 0;
      for (int i = 0; i < 96; i++) counters[words[size_t(i) * 264 * 256 + t] >> 27]++;
      for (int i = 0; i < 32; i++) most = counters[i] * 32 + i > most ? counters[i] * 32 + i : most;
      right &= get(counts, t) == most;
    }
    verdict("count_local", right);
  }
  clear();
  if (row("stencil_column", "stencil_column", stencil_column, dim3(16, 32), 128, 0, 1, floats, out, 2048, 2048, 64, 0.5f, 0.2f, 0.05f))
    verdict("stencil_column", agree(out, 2048 * 2048, 50021, [](size_t i) {
      int x = i % 2048, y = i / 2048;
      double sum = 0, c[] = {0.5, 0.2, 0.05};
      for (int v = -2; v <= 2; v++)
        if (unsigned(y + v) < 2048) sum += c[v < 0 ? -v : v] * value((y + v) * 2048 + x);
      return sum;
    }));
  double* doubles = reinterpret_cast<double*>(out);
  clear();
  if (row("atomics_double", "atomics_double", atomics_double, 264, 256, 0, 1, ints, doubles, 1 << 20)) {
    std::vector<double> want(64);
    for (int i = 0; i < 1 << 20; i++) want[words[i] & 63] += words[i] >> 16;
    verdict("atomics_double", get_all(doubles, 64) == want);
  }
  clear();
  if (row("softmax_special", "softmax_special", softmax_special, 528, 256, 0, 1, floats, out, 4096))
    verdict("softmax_special", agree(out, 4096 * 2048, 500029, [](size_t i) {
      double sum = 0;
      for (int x = 0; x < 2048; x++) sum += std::exp(double(value(i / 2048 * 2048 + x)));
      return std::exp(double(value(i))) / sum;
    }, 1e-3, 1e-7));
  printf("%d rows, %d failures\n", launched, failures);
  return failures != 0;
}
