// Launches of current code, a seventh set to judge predictions by. Usage: cuda (run all, check), cuda NAME (that one only), cuda list (print launches as TOML).
// SKIP: names to leave out, between commas. REPEAT: how often each launch is made (1). CHECK=0: no checks of results.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <unistd.h>

namespace cg = cooperative_groups;
using bf16 = __nv_bfloat16;
using bf16x2 = __nv_bfloat162;
using f16 = __half;
using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;
#define DEV __device__ __forceinline__

// ================================================================== words of PTX
DEV uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
DEV uint32_t ring_base(const void* p) { return (shared_address(p) + 1023u) & ~1023u; }

DEV void bar_init(uint64_t* bar, int arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(arrivals) : "memory"); }
DEV void bar_expect(uint64_t* bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory"); }
DEV void bar_arrive(uint64_t* bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory"); }
DEV void bar_wait(uint64_t* bar, uint32_t parity) {
  uint32_t done;
  do {
    asm volatile("{ .reg .pred yes; mbarrier.try_wait.parity.shared::cta.b64 yes, [%1], %2; selp.u32 %0, 1, 0, yes; }" : "=r"(done) : "r"(shared_address(bar)), "r"(parity) : "memory");
  } while (!done);
}
DEV void bar_wait_cluster(uint64_t* bar, uint32_t parity) {
  uint32_t done;
  do {
    asm volatile("{ .reg .pred yes; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 yes, [%1], %2; selp.u32 %0, 1, 0, yes; }" : "=r"(done) : "r"(shared_address(bar)), "r"(parity) : "memory");
  } while (!done);
}
DEV void publish_bars() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
DEV void publish_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

DEV void box_2d(uint32_t to, const CUtensorMap* map, uint64_t* bar, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(shared_address(bar)), "r"(x), "r"(y) : "memory");
}
DEV void bulk_in(uint32_t to, const void* from, uint32_t bytes, uint64_t* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(shared_address(bar)) : "memory");
}
DEV void stores_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
DEV void stores_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
DEV void stores_done() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

DEV void async_16(uint32_t to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }
DEV void async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> DEV void async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }
DEV void ldm_4(uint32_t (&r)[4], uint32_t from) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory"); }
DEV void meet(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

DEV void mul_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEV void mul_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> DEV void mul_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory"); }
template <class T, int N> DEV void pin(T (&d)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if constexpr (std::is_same_v<T, float>) asm volatile("" : "+f"(d[i])::"memory");
    else asm volatile("" : "+r"(d[i])::"memory");
  }
}
// Tiles in shared memory are rows of 128 bytes, swizzled, eight rows to a kilobyte; K runs along the rows.
DEV uint64_t along_k(uint32_t at) { return (uint64_t)(at >> 4 & 0x3FFF) | 1ull << 16 | 64ull << 32 | 1ull << 62; }

DEV uint32_t two_bf16(float a, float b) {
  bf16x2 v = __floats2bfloat162_rn(a, b);
  return reinterpret_cast<uint32_t&>(v);
}
DEV uint32_t two_f16(float a, float b) {
  __half2 v = __floats2half2_rn(a, b);
  return reinterpret_cast<uint32_t&>(v);
}
DEV float exp_2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
DEV float tanh_fast(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
DEV float quad_max(float v) {
  v = fmaxf(v, __shfl_xor_sync(~0u, v, 1));
  return fmaxf(v, __shfl_xor_sync(~0u, v, 2));
}
DEV float quad_sum(float v) {
  v += __shfl_xor_sync(~0u, v, 1);
  return v + __shfl_xor_sync(~0u, v, 2);
}

DEV void async_16_or_zero(uint32_t to, const void* from, bool there) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0) : "memory"); }
DEV void ldm_4_turned(uint32_t (&r)[4], uint32_t from) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory"); }
DEV void mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
DEV void mma_f16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
DEV void bulk_out(void* to, uint32_t from, uint32_t bytes) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory"); }
template <int LEFT> DEV void stores_read_but() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory"); }
DEV uint32_t at_rank(uint32_t address, uint32_t rank) {
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
DEV void store_async(uint32_t there, float v, uint32_t bar_there) { asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(there), "f"(v), "r"(bar_there) : "memory"); }
#define QUAD(c, d, i) c(d[i]), c(d[(i) + 1]), c(d[(i) + 2]), c(d[(i) + 3])
DEV void mul_bf16_128(float (&d)[64], uint64_t a, uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
               "}, %64, %65, go, 1, 1, 0, 0; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4), QUAD("+f", d, 8), QUAD("+f", d, 12), QUAD("+f", d, 16), QUAD("+f", d, 20), QUAD("+f", d, 24), QUAD("+f", d, 28), QUAD("+f", d, 32), QUAD("+f", d, 36), QUAD("+f", d, 40), QUAD("+f", d, 44), QUAD("+f", d, 48), QUAD("+f", d, 52), QUAD("+f", d, 56), QUAD("+f", d, 60)
               : "l"(a), "l"(b), "r"(more));
}
DEV void mul_f16_128(float (&d)[64], uint64_t a, uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
               "}, %64, %65, go, 1, 1, 0, 0; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4), QUAD("+f", d, 8), QUAD("+f", d, 12), QUAD("+f", d, 16), QUAD("+f", d, 20), QUAD("+f", d, 24), QUAD("+f", d, 28), QUAD("+f", d, 32), QUAD("+f", d, 36), QUAD("+f", d, 40), QUAD("+f", d, 44), QUAD("+f", d, 48), QUAD("+f", d, 52), QUAD("+f", d, 56), QUAD("+f", d, 60)
               : "l"(a), "l"(b), "r"(more));
}
DEV void mul_e5m2_e4m3_160(float (&d)[80], uint64_t a, uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %82, 0; wgmma.mma_async.sync.aligned.m64n160k32.f32.e5m2.e4m3 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63" ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
               "}, %80, %81, go, 1, 1; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4), QUAD("+f", d, 8), QUAD("+f", d, 12), QUAD("+f", d, 16), QUAD("+f", d, 20), QUAD("+f", d, 24), QUAD("+f", d, 28), QUAD("+f", d, 32), QUAD("+f", d, 36), QUAD("+f", d, 40), QUAD("+f", d, 44), QUAD("+f", d, 48), QUAD("+f", d, 52), QUAD("+f", d, 56), QUAD("+f", d, 60), QUAD("+f", d, 64), QUAD("+f", d, 68), QUAD("+f", d, 72), QUAD("+f", d, 76)
               : "l"(a), "l"(b), "r"(more));
}
DEV void mul_f16_128_registers(float (&d)[64], const uint32_t (&a)[4], uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %69, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
               "}, {%64, %65, %66, %67}, %68, go, 1, 1, 0; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4), QUAD("+f", d, 8), QUAD("+f", d, 12), QUAD("+f", d, 16), QUAD("+f", d, 20), QUAD("+f", d, 24), QUAD("+f", d, 28), QUAD("+f", d, 32), QUAD("+f", d, 36), QUAD("+f", d, 40), QUAD("+f", d, 44), QUAD("+f", d, 48), QUAD("+f", d, 52), QUAD("+f", d, 56), QUAD("+f", d, 60)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(more));
}
DEV void mul_f16_16_registers(float (&d)[8], const uint32_t (&a)[4], uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %13, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7"
               "}, {%8, %9, %10, %11}, %12, go, 1, 1, 0; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(more));
}

// ================================================================== 1: bf16, rows times themselves (A times A transposed): only tiles of 128 x 128 on and below the diagonal, persistent; zeros above the diagonal, a ridge on it
__global__ void __launch_bounds__(288, 1) gram_lower(const __grid_constant__ CUtensorMap a_map, bf16* __restrict__ c, int n, int tiles, int steps, float alpha, float ridge) {
  constexpr int STAGES = 5, STAGE = 32768;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = ring_base(dynamic);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 8);
    publish_bars();
  }
  __syncthreads();
  // tile t is in row r of the triangle if r (r + 1) / 2 <= t
  auto row_of = [](int t) {
    int r = (int)((sqrtf(8.f * t + 1) - 1) * 0.5f);
    if (r * (r + 1) / 2 > t) --r;
    if ((r + 1) * (r + 2) / 2 <= t) ++r;
    return r;
  };
  int s = 0;
  uint32_t parity = 0;
  if (warp == 8) {
    if (lane == 0)
      for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int i = row_of(t), j = t - i * (i + 1) / 2;
        for (int k = 0; k < steps; ++k) {
          bar_wait(empty + s, parity ^ 1);
          bar_expect(full + s, i == j ? STAGE / 2 : STAGE);
          box_2d(ring + s * STAGE, &a_map, full + s, k * 64, i * 128);
          if (i != j) box_2d(ring + s * STAGE + 16384, &a_map, full + s, k * 64, j * 128);
          if (++s == STAGES) s = 0, parity ^= 1;
        }
      }
    return;
  }
  float acc[64];
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int i = row_of(t), j = t - i * (i + 1) / 2;
    int before = 0;
    for (int k = 0; k < steps; ++k) {
      bar_wait(full + s, parity);
      const uint64_t a = along_k(ring + s * STAGE + warp / 4 * 8192), b = along_k(ring + s * STAGE + (i == j ? 0 : 16384));
      pin(acc);
      mul_fence();
#pragma unroll
      for (int q = 0; q < 4; ++q) mul_bf16_128(acc, a + q * 2, b + q * 2, k + q > 0);
      mul_commit();
      mul_wait<1>();
      if (k > 0 && lane == 0) bar_arrive(empty + before);
      before = s;
      if (++s == STAGES) s = 0, parity ^= 1;
    }
    mul_wait<0>();
    pin(acc);
    if (lane == 0) bar_arrive(empty + before);
    const int row = i * 128 + warp * 16 + lane / 4, col = j * 128 + lane % 4 * 2;
    auto at = [&](float v, int r, int c) { return c > r ? 0.f : c == r ? fmaf(v, alpha, ridge) : v * alpha; };
    bf16* to = c + (size_t)row * n + col;
#pragma unroll
    for (int q = 0; q < 16; ++q) {
      const int x = col + q * 8;
      *(uint32_t*)(to + q * 8) = two_bf16(at(acc[4 * q], row, x), at(acc[4 * q + 1], row, x + 1));
      *(uint32_t*)(to + (size_t)8 * n + q * 8) = two_bf16(at(acc[4 * q + 2], row + 8, x), at(acc[4 * q + 3], row + 8, x + 1));
    }
  }
}

// ================================================================== 2: each point's nearest centre (a step of k-means): f16, 128 points of 192 numbers stay in shared memory, centres pass in tiles of 128; two blocks a multiprocessor
__global__ void __launch_bounds__(288, 2) nearest_centres(const __grid_constant__ CUtensorMap p_map, const __grid_constant__ CUtensorMap c_map, const float* __restrict__ squares, int* __restrict__ best, float* __restrict__ score, int points, int centres) {
  constexpr int STAGES = 3, CHUNK = 16384;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES], ready;
  __shared__ float norm[1024];
  const uint32_t mine = ring_base(dynamic), ring = mine + 3 * CHUNK;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, m0 = blockIdx.x * 128, tiles = (centres + 127) / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 8);
    bar_init(&ready, 1);
    publish_bars();
  }
  for (int i = threadIdx.x; i < tiles * 128; i += 288) norm[i] = i < centres ? squares[i] : 1e30f;
  __syncthreads();
  if (warp == 8) {
    if (lane == 0) {
      bar_expect(&ready, 3 * CHUNK);
      for (int k = 0; k < 3; ++k) box_2d(mine + k * CHUNK, &p_map, &ready, k * 64, m0);
      for (int i = 0; i < tiles * 3; ++i) {
        const int s = i % STAGES;
        bar_wait(empty + s, i / STAGES % 2 ^ 1);
        bar_expect(full + s, CHUNK);
        box_2d(ring + s * CHUNK, &c_map, full + s, i % 3 * 64, i / 3 * 128);
      }
    }
    return;
  }
  float least[2] = {1e30f, 1e30f};
  int which[2] = {0, 0};
  float acc[64];
  bar_wait(&ready, 0);
  for (int t = 0; t < tiles; ++t) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      bar_wait(full + k, t % 2);
      const uint64_t a = along_k(mine + k * CHUNK + warp / 4 * 8192), b = along_k(ring + k * CHUNK);
      if (k == 0) pin(acc);
      mul_fence();
#pragma unroll
      for (int q = 0; q < 4; ++q) mul_f16_128(acc, a + q * 2, b + q * 2, k + q > 0);
      mul_commit();
    }
    mul_wait<0>();
    pin(acc);
    if (lane < 3) bar_arrive(empty + lane);
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const int c = t * 128 + j * 8 + lane % 4 * 2;
      const float2 add = *(const float2*)(norm + c);
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float x = fmaf(-2.f, acc[4 * j + 2 * h], add.x), y = fmaf(-2.f, acc[4 * j + 2 * h + 1], add.y);
        if (x < least[h]) least[h] = x, which[h] = c;
        if (y < least[h]) least[h] = y, which[h] = c + 1;
      }
    }
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
#pragma unroll
    for (int d = 1; d < 4; d *= 2) {
      const float v = __shfl_xor_sync(~0u, least[h], d);
      const int w = __shfl_xor_sync(~0u, which[h], d);
      if (v < least[h] || (v == least[h] && w < which[h])) least[h] = v, which[h] = w;
    }
    const int row = m0 + warp * 16 + lane / 4 + h * 8;
    if (lane % 4 == 0 && row < points) best[row] = which[h], score[row] = least[h];
  }
}

// ================================================================== 3: gradients in e5m2 times weights in e4m3, tile 128 x 160, a scale for each tensor, the greatest result goes to a counter; no warp of its own loads, two blocks a multiprocessor
__global__ void __launch_bounds__(256, 2) gradient_fp8(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, const float* __restrict__ scale_a, const float* __restrict__ scale_b, bf16* __restrict__ c, uint32_t* amax, int n, int steps) {
  constexpr int STAGES = 3, A_BYTES = 128 * 128, STAGE = A_BYTES + 160 * 128;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = ring_base(dynamic);
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 160, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  auto load = [&](int k, int s) {
    bar_expect(full + s, STAGE);
    box_2d(ring + s * STAGE, &a_map, full + s, k * 128, m0);
    box_2d(ring + s * STAGE + A_BYTES, &b_map, full + s, k * 128, n0);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 8);
    publish_bars();
    for (int s = 0; s < STAGES; ++s) load(s, s);
  }
  __syncthreads();
  float acc[80];
  int s = 0, before = 0;
  uint32_t parity = 0, parity_before = 0;
  for (int k = 0; k < steps; ++k) {
    bar_wait(full + s, parity);
    const uint64_t a = along_k(ring + s * STAGE + warp / 4 * 8192), b = along_k(ring + s * STAGE + A_BYTES);
    pin(acc);
    mul_fence();
#pragma unroll
    for (int q = 0; q < 4; ++q) mul_e5m2_e4m3_160(acc, a + q * 2, b + q * 2, k + q > 0);
    mul_commit();
    mul_wait<1>();
    if (k > 0) {
      if (lane == 0) bar_arrive(empty + before);
      if (threadIdx.x == 0 && k - 1 + STAGES < steps) {
        bar_wait(empty + before, parity_before);
        load(k - 1 + STAGES, before);
      }
    }
    before = s, parity_before = parity;
    if (++s == STAGES) s = 0, parity ^= 1;
  }
  mul_wait<0>();
  pin(acc);
  const float alpha = *scale_a * *scale_b;
  float most = 0;
  bf16* to = c + (size_t)(m0 + warp * 16 + lane / 4) * n + n0 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 20; ++j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) acc[4 * j + e] *= alpha, most = fmaxf(most, fabsf(acc[4 * j + e]));
    *(uint32_t*)(to + j * 8) = two_bf16(acc[4 * j], acc[4 * j + 1]);
    *(uint32_t*)(to + (size_t)8 * n + j * 8) = two_bf16(acc[4 * j + 2], acc[4 * j + 3]);
  }
  const uint32_t bits = __reduce_max_sync(~0u, __float_as_uint(most));
  if (lane == 0) atomicMax(amax, bits);
}

// ================================================================== 4: a small network of three layers (64, 128, 128, 16) whose activations never leave registers: weights in shared memory, each warpgroup feeds itself 64 rows at a time; persistent
__global__ void __launch_bounds__(256, 2) tiny_mlp(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap w1_map, const __grid_constant__ CUtensorMap w2_map, const __grid_constant__ CUtensorMap w3_map, f16* __restrict__ y, int tiles, float scale_1, float scale_2, float scale_3) {
  constexpr int W2 = 16384, W3 = W2 + 32768, X = W3 + 4096;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t weights, full[2][2];
  const uint32_t base = ring_base(dynamic);
  const int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32, warp = tid / 32, stride = gridDim.x * 2;
  if (threadIdx.x == 0) {
    bar_init(&weights, 1);
    for (int i = 0; i < 4; ++i) bar_init(&full[i / 2][i % 2], 1);
    publish_bars();
    bar_expect(&weights, X);
    box_2d(base, &w1_map, &weights, 0, 0);
    for (int k = 0; k < 2; ++k) {
      box_2d(base + W2 + k * 16384, &w2_map, &weights, k * 64, 0);
      box_2d(base + W3 + k * 2048, &w3_map, &weights, k * 64, 0);
    }
  }
  __syncthreads();
  const uint32_t mine = base + X + group * 16384;
  auto load = [&](int t, int s) {
    bar_expect(&full[group][s], 8192);
    box_2d(mine + s * 8192, &x_map, &full[group][s], 0, t * 64);
  };
  int t = blockIdx.x * 2 + group, s = 0;
  uint32_t parity = 0;
  if (tid == 0 && t < tiles) load(t, 0);
  bar_wait(&weights, 0);
  float h[64], out[8];
  uint32_t a[8][4];
  auto activate = [&](float scale) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) a[k][i] = two_f16(fmaxf(h[8 * k + 2 * i] * scale, 0.f), fmaxf(h[8 * k + 2 * i + 1] * scale, 0.f));
  };
  for (; t < tiles; t += stride) {
    if (tid == 0 && t + stride < tiles) load(t + stride, s ^ 1);
    bar_wait(&full[group][s], parity);
    pin(h);
    mul_fence();
#pragma unroll
    for (int k = 0; k < 4; ++k) mul_f16_128(h, along_k(mine + s * 8192) + k * 2, along_k(base) + k * 2, k > 0);
    mul_commit();
    mul_wait<0>();
    pin(h);
    activate(scale_1);
#pragma unroll
    for (int k = 0; k < 8; ++k) pin(a[k]);
    pin(h);
    mul_fence();
#pragma unroll
    for (int k = 0; k < 8; ++k) mul_f16_128_registers(h, a[k], along_k(base + W2 + k / 4 * 16384) + k % 4 * 2, k > 0);
    mul_commit();
    mul_wait<0>();
    pin(h);
    activate(scale_2);
#pragma unroll
    for (int k = 0; k < 8; ++k) pin(a[k]);
    pin(out);
    mul_fence();
#pragma unroll
    for (int k = 0; k < 8; ++k) mul_f16_16_registers(out, a[k], along_k(base + W3 + k / 4 * 2048) + k % 4 * 2, k > 0);
    mul_commit();
    mul_wait<0>();
    pin(out);
    f16* to = y + ((size_t)t * 64 + warp * 16 + lane / 4) * 16 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      *(uint32_t*)(to + j * 8) = two_f16(out[4 * j] * scale_3, out[4 * j + 1] * scale_3);
      *(uint32_t*)(to + 8 * 16 + j * 8) = two_f16(out[4 * j + 2] * scale_3, out[4 * j + 3] * scale_3);
    }
    meet(1 + group, 128);  // all four warps have read this buffer
    if (s == 1) parity ^= 1;
    s ^= 1;
  }
}

// ================================================================== 5: attention of an image's queries to 77 words of a text: f16, heads of 64, mma.sync; keys and values stay, four tiles of 64 queries pass, softmax in one go
__global__ void __launch_bounds__(128, 4) text_attention(const f16* __restrict__ q, const f16* __restrict__ k, const f16* __restrict__ v, f16* __restrict__ out, int length, int words, float scale) {
  constexpr int PITCH = 144, Q_BYTES = 64 * PITCH, K_BYTES = 80 * PITCH;
  extern __shared__ __align__(128) uint8_t dynamic[];
  const uint32_t k_at = shared_address(dynamic), v_at = k_at + K_BYTES, q_at = v_at + K_BYTES;
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, head = blockIdx.y;
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    const int x = i * 128 + tid, r = x / 8;
    const size_t from = ((size_t)head * words + min(r, words - 1)) * 64 + x % 8 * 8;
    async_16_or_zero(k_at + r * PITCH + x % 8 * 16, k + from, r < words);
    async_16_or_zero(v_at + r * PITCH + x % 8 * 16, v + from, r < words);
  }
  const size_t base = ((size_t)head * length + blockIdx.x * 256) * 64;
  auto load = [&](int t) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int x = i * 128 + tid;
      async_16(q_at + t % 2 * Q_BYTES + x / 8 * PITCH + x % 8 * 16, q + base + t * 4096 + x * 8);
    }
  };
  load(0);
  async_commit();
  const float scale_2 = scale * 1.44269504f;
  for (int t = 0; t < 4; ++t) {
    if (t < 3) load(t + 1);
    async_commit();
    async_wait<1>();
    __syncthreads();
    float p[10][4] = {};
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      uint32_t fq[4];
      ldm_4(fq, q_at + t % 2 * Q_BYTES + (warp * 16 + lane % 16) * PITCH + (kk * 2 + lane / 16) * 16);
#pragma unroll
      for (int j = 0; j < 5; ++j) {
        uint32_t fb[4];
        ldm_4(fb, k_at + (j * 16 + lane / 16 * 8 + lane % 8) * PITCH + (kk * 2 + lane / 8 % 2) * 16);
        mma_f16(p[2 * j], fq, fb[0], fb[1]);
        mma_f16(p[2 * j + 1], fq, fb[2], fb[3]);
      }
    }
    float total[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float top = -1e30f;
#pragma unroll
      for (int j = 0; j < 10; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          if (j * 8 + lane % 4 * 2 + e >= words) p[j][2 * h + e] = -1e30f;
          top = fmaxf(top, p[j][2 * h + e]);
        }
      top = quad_max(top) * scale_2;
      float sum = 0;
#pragma unroll
      for (int j = 0; j < 10; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) p[j][2 * h + e] = exp_2(fmaf(p[j][2 * h + e], scale_2, -top)), sum += p[j][2 * h + e];
      total[h] = __fdividef(1.f, quad_sum(sum));
    }
    float o[8][4] = {};
#pragma unroll
    for (int kk = 0; kk < 5; ++kk) {
      const uint32_t a[4] = {two_f16(p[2 * kk][0], p[2 * kk][1]), two_f16(p[2 * kk][2], p[2 * kk][3]), two_f16(p[2 * kk + 1][0], p[2 * kk + 1][1]), two_f16(p[2 * kk + 1][2], p[2 * kk + 1][3])};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t fb[4];
        ldm_4_turned(fb, v_at + (kk * 16 + lane % 16) * PITCH + (j * 2 + lane / 16) * 16);
        mma_f16(o[2 * j], a, fb[0], fb[1]);
        mma_f16(o[2 * j + 1], a, fb[2], fb[3]);
      }
    }
    f16* to = out + base + (size_t)(t * 64 + warp * 16 + lane / 4) * 64 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      *(uint32_t*)(to + j * 8) = two_f16(o[j][0] * total[0], o[j][1] * total[0]);
      *(uint32_t*)(to + 8 * 64 + j * 8) = two_f16(o[j][2] * total[1], o[j][3] * total[1]);
    }
    __syncthreads();  // the next load takes this place
  }
}

// ================================================================== 6: transposed convolution of 2 x 2 with stride 2: bf16, channels last, a tile of 128 pixels x 96 channels for each of four places, K by 32 through a cp.async ring of three; bias and a skip connection
__global__ void __launch_bounds__(256, 2) upsample_conv(const bf16* __restrict__ x, const bf16* __restrict__ w, const bf16* __restrict__ bias, const bf16* __restrict__ skip, bf16* __restrict__ out, int height, int width, int channels) {
  constexpr int PITCH = 80, STAGES = 3, X_BYTES = 128 * PITCH, STAGE = X_BYTES + 96 * PITCH;
  extern __shared__ __align__(128) uint8_t dynamic[];
  const uint32_t ring = shared_address(dynamic);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, m0 = blockIdx.x * 128, place = blockIdx.y, steps = channels / 32;
  const bf16* from_x = x + (size_t)(m0 + tid / 4) * channels + tid % 4 * 8;
  const bf16* from_w = w + (size_t)(place * 96 + tid / 4) * channels + tid % 4 * 8;
  auto load = [&](int k) {
    const uint32_t to = ring + k % STAGES * STAGE + tid / 4 * PITCH + tid % 4 * 16;
    async_16(to, from_x + k * 32);
    async_16(to + 64 * PITCH, from_x + (size_t)64 * channels + k * 32);
    async_16(to + X_BYTES, from_w + k * 32);
    if (tid < 128) async_16(to + X_BYTES + 64 * PITCH, from_w + (size_t)64 * channels + k * 32);
  };
  load(0);
  async_commit();
  load(1);
  async_commit();
  const int row = warp / 2 * 32, col = warp % 2 * 48;
  float acc[2][6][4] = {};
  for (int k = 0; k < steps; ++k) {
    async_wait<1>();
    __syncthreads();
    if (k + 2 < steps) load(k + 2);
    async_commit();
    const uint32_t at = ring + k % STAGES * STAGE;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t fa[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) ldm_4(fa[i], at + (row + i * 16 + lane % 16) * PITCH + (kk * 2 + lane / 16) * 16);
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        uint32_t fb[4];
        ldm_4(fb, at + X_BYTES + (col + j * 16 + lane / 16 * 8 + lane % 8) * PITCH + (kk * 2 + lane / 8 % 2) * 16);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          mma_bf16(acc[i][2 * j], fa[i], fb[0], fb[1]);
          mma_bf16(acc[i][2 * j + 1], fa[i], fb[2], fb[3]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int m = m0 + row + i * 8 + lane / 4, px = m % width, line = m / width;  // lines of all images, each becomes two
    const size_t to = (((size_t)line * 2 + place / 2) * width * 2 + px * 2 + place % 2) * 96 + col + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 6; ++j) {
      const float2 b = __bfloat1622float2(*(const bf16x2*)(bias + col + j * 8 + lane % 4 * 2)), r = __bfloat1622float2(*(const bf16x2*)(skip + to + j * 8));
      *(uint32_t*)(out + to + j * 8) = two_bf16(acc[i / 2][j][i % 2 * 2] + b.x + r.x, acc[i / 2][j][i % 2 * 2 + 1] + b.y + r.y);
    }
  }
}

// ================================================================== 7: weights of e4m3 with a scale for each row, times 16 tokens: weights come straight into registers and become f16, mma.sync; four warps share K and join their sums
DEV uint32_t widen(uint32_t two) {
  uint32_t v;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(v) : "h"((uint16_t)two));
  return v;
}
__global__ void __launch_bounds__(128) few_rows_e4m3(const uint4* __restrict__ w, const float* __restrict__ scales, const uint4* __restrict__ x, f16* __restrict__ y, int n, int k) {
  __shared__ float sums[4][32][17];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.x * 32 + lane / 4, chunks = k / 256;
  // of each 64 numbers of K a lane holds 16 that lie together; the order of K is the same for weights and tokens
  const uint4* from_w = w + (size_t)row * (k / 16) + warp * chunks * 4 + lane % 4;
  const uint4* from_x = x + (size_t)(lane / 4) * (k / 8) + (warp * chunks * 4 + lane % 4) * 2;
  float acc[2][2][4] = {};
#pragma unroll 2
  for (int c = 0; c < chunks; ++c) {
    uint4 fw[4], fx[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) fw[i] = from_w[(size_t)i * 8 * (k / 16) + c * 4];
#pragma unroll
    for (int t = 0; t < 2; ++t)
#pragma unroll
      for (int h = 0; h < 2; ++h) fx[t][h] = from_x[(size_t)t * 8 * (k / 8) + c * 8 + h];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      auto part = [&](const uint4& v) { return s == 0 ? v.x : s == 1 ? v.y : s == 2 ? v.z : v.w; };
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint32_t up = part(fw[2 * i]), low = part(fw[2 * i + 1]);
        const uint32_t a[4] = {widen(up & 0xFFFF), widen(low & 0xFFFF), widen(up >> 16), widen(low >> 16)};
#pragma unroll
        for (int t = 0; t < 2; ++t) {
          const uint4& v = fx[t][s / 2];
          mma_f16(acc[i][t], a, s % 2 ? v.z : v.x, s % 2 ? v.w : v.y);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int t = 0; t < 2; ++t)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[warp][i * 16 + e / 2 * 8 + lane / 4][t * 8 + lane % 4 * 2 + e % 2] = acc[i][t][e];
  __syncthreads();
  const float scale = scales[blockIdx.x * 32 + lane];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int token = warp * 4 + i;
    y[(size_t)token * n + blockIdx.x * 32 + lane] = __float2half((sums[0][lane][token] + sums[1][lane][token] + sums[2][lane][token] + sums[3][lane][token]) * scale);
  }
}

// ================================================================== 8: prefix sums of rows of 30000 words: eight blocks of a cluster a row, each tells the blocks after it its total through distributed shared memory
__global__ void __launch_bounds__(256) cluster_scan(const uint4* __restrict__ in, uint4* __restrict__ out, int vectors) {
  __shared__ uint32_t of_warps[4][8], totals[8];
  cg::cluster_group cluster = cg::this_cluster();
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, rank = cluster.block_rank(), row = blockIdx.x / 8;
  const size_t base = (size_t)row * vectors;
  const int first = rank * 1024 + tid;
  cluster.barrier_arrive();
  uint4 v[4];
  uint32_t run[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = first + i * 256 < vectors ? in[base + first + i * 256] : make_uint4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i].y += v[i].x, v[i].z += v[i].y, v[i].w += v[i].z;
    run[i] = v[i].w;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const uint32_t before = __shfl_up_sync(~0u, run[i], d);
      if (lane >= d) run[i] += before;
    }
    if (lane == 31) of_warps[i][warp] = run[i];
    run[i] -= v[i].w;
  }
  __syncthreads();
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      if (w == warp) run[i] += sum;
      sum += of_warps[i][w];
    }
  cluster.barrier_wait();  // all eight have begun
  if (tid > rank && tid < 8) cluster.map_shared_rank(totals, tid)[rank] = sum;
  cluster.sync();
  uint32_t before = 0;
#pragma unroll
  for (int r = 0; r < 7; ++r)
    if (r < rank) before += totals[r];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint32_t add = before + run[i];
    if (first + i * 256 < vectors) out[base + first + i * 256] = make_uint4(v[i].x + add, v[i].y + add, v[i].z + add, v[i].w + add);
  }
}

// ================================================================== 9: a recurrent layer of 256 units, step by step: four blocks of a cluster hold the weights in registers and send each new state to all four with st.async
__global__ void __launch_bounds__(256, 2) recurrent_cluster(const float* __restrict__ x, const float4* __restrict__ w, float* __restrict__ out, int steps, float scale) {
  __shared__ __align__(16) float state[2][256];
  __shared__ uint64_t full[2];
  cg::cluster_group cluster = cg::this_cluster();
  const int tid = threadIdx.x, part = tid % 4, unit = cluster.block_rank() * 64 + tid / 4;
  const size_t base = (size_t)(blockIdx.x / 4) * steps * 256 + unit;
  float4 own[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    own[i] = w[unit * 64 + i * 4 + part];
    own[i].x *= scale, own[i].y *= scale, own[i].z *= scale, own[i].w *= scale;
  }
  if (tid == 0) {
    bar_init(full, 1), bar_init(full + 1, 1);
    publish_bars();
  }
  state[1][tid] = 0;  // what the first step reads
  cluster.sync();
  const uint32_t there = at_rank(shared_address(&state[0][unit]), part), bar_there = at_rank(shared_address(full), part);
  float in = x[base];
  for (int t = 0; t < steps; ++t) {
    const int now = t % 2;
    if (tid == 0) bar_expect(full + now, 1024);
    float sum = 0;
    const float4* h = (const float4*)state[now ^ 1];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float4 v = h[i * 4 + part];
      sum = fmaf(own[i].x, v.x, fmaf(own[i].y, v.y, fmaf(own[i].z, v.z, fmaf(own[i].w, v.w, sum))));
    }
    const float next = tanh_fast(quad_sum(sum) + in);
    store_async(there + now * 1024, next, bar_there + now * 8);
    if (part == 0) out[base + (size_t)t * 256] = next;
    if (t + 1 < steps) in = x[base + (size_t)(t + 1) * 256];
    bar_wait_cluster(full + now, t / 2 % 2);
  }
  cluster.sync();  // no block exits while others send
}

// ================================================================== 10: six channels of sound become two: bulk copies into a ring of three, a warp that loads, soft limiting, interleaved results leave by bulk copies; persistent
__global__ void __launch_bounds__(160) mix_channels(const float* __restrict__ in, float* __restrict__ out, int samples, float gain) {
  constexpr int STAGES = 3, STAGE = 6 * 4096;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = shared_address(dynamic);
  const int tid = threadIdx.x, chunks = samples / 1024;
  if (tid == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 128);
    publish_bars();
  }
  __syncthreads();
  int s = 0;
  uint32_t parity = 0;
  if (tid >= 128) {
    if (tid == 128)
      for (int c = blockIdx.x; c < chunks; c += gridDim.x) {
        bar_wait(empty + s, parity ^ 1);
        bar_expect(full + s, STAGE);
        for (int i = 0; i < 6; ++i) bulk_in(ring + s * STAGE + i * 4096, in + (size_t)i * samples + c * 1024, 4096, full + s);
        if (++s == STAGES) s = 0, parity ^= 1;
      }
    return;
  }
  auto limit = [&](float v) {
    v *= gain;
    return v * rsqrtf(fmaf(v, v, 1.f));
  };
  int turn = 0;
  for (int c = blockIdx.x; c < chunks; c += gridDim.x, turn ^= 1) {
    bar_wait(full + s, parity);
    float4 left[2], right[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float4 v[6];  // left, right, centre, bass, two from behind
#pragma unroll
      for (int i = 0; i < 6; ++i) v[i] = *(const float4*)(dynamic + s * STAGE + i * 4096 + (h * 128 + tid) * 16);
      auto mix = [&](float a, float centre, float bass, float behind) { return limit(fmaf(0.70710678f, centre + behind, fmaf(0.5f, bass, a))); };
      left[h] = make_float4(mix(v[0].x, v[2].x, v[3].x, v[4].x), mix(v[0].y, v[2].y, v[3].y, v[4].y), mix(v[0].z, v[2].z, v[3].z, v[4].z), mix(v[0].w, v[2].w, v[3].w, v[4].w));
      right[h] = make_float4(mix(v[1].x, v[2].x, v[3].x, v[5].x), mix(v[1].y, v[2].y, v[3].y, v[5].y), mix(v[1].z, v[2].z, v[3].z, v[5].z), mix(v[1].w, v[2].w, v[3].w, v[5].w));
    }
    bar_arrive(empty + s);
    if (++s == STAGES) s = 0, parity ^= 1;
    const int at = STAGES * STAGE + turn * 8192;
    if (tid == 0) stores_read_but<1>();  // the copy before the last has read its buffer
    meet(1, 128);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float4* to = (float4*)(dynamic + at + (h * 128 + tid) * 32);
      to[0] = make_float4(left[h].x, right[h].x, left[h].y, right[h].y);
      to[1] = make_float4(left[h].z, right[h].z, left[h].w, right[h].w);
    }
    publish_shared();
    meet(1, 128);
    if (tid == 0) {
      bulk_out(out + (size_t)c * 2048, ring + at, 8192);
      stores_commit();
    }
  }
  if (tid == 0) stores_done();
}

// ================================================================== 11: median of 3 x 3 bytes, edges repeat: a thread four columns wide goes down 15 rows, two bytes a register, columns are sorted first
struct Columns {
  uint32_t v[5];  // columns -1 0, 0 1, 1 2, 2 3 and 3 4 of four, 16 bits each
};
DEV Columns columns_of(const uint32_t* __restrict__ row, int x, int words) {
  const uint32_t mid = row[x], left = x > 0 ? row[x - 1] : mid << 24, right = x + 1 < words ? row[x + 1] : mid >> 24;
  const uint32_t low = __byte_perm(mid, left, 0x2107), high = __byte_perm(mid, right, 0x4321);  // columns -1 to 2, 1 to 4
  Columns c;
  c.v[0] = __byte_perm(low, 0, 0x4140);
  c.v[1] = __byte_perm(mid, 0, 0x4140);
  c.v[2] = __byte_perm(mid, 0, 0x4241);
  c.v[3] = __byte_perm(mid, 0, 0x4342);
  c.v[4] = __byte_perm(high, 0, 0x4342);
  return c;
}
__global__ void __launch_bounds__(128) median_3x3(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int words, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * 15;
  if (x >= words) return;
  Columns a = columns_of(in + (size_t)max(y0 - 1, 0) * words, x, words), b = columns_of(in + (size_t)y0 * words, x, words);
#pragma unroll 3
  for (int i = 0; i < 15; ++i) {
    const Columns c = columns_of(in + (size_t)min(y0 + i + 1, height - 1) * words, x, words);
    uint32_t low[5], middle[5], high[5];
#pragma unroll
    for (int j = 0; j < 5; ++j) {
      const uint32_t less = __vminu2(a.v[j], b.v[j]), more = __vmaxu2(a.v[j], b.v[j]), rest = __vminu2(more, c.v[j]);
      high[j] = __vmaxu2(more, c.v[j]), low[j] = __vminu2(less, rest), middle[j] = __vmaxu2(less, rest);
    }
    uint32_t m[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int l = 2 * j, r = 2 * j + 2;
      const uint32_t most = __vmaxu2(low[l], __vmaxu2(low[l + 1], low[r])), least = __vminu2(high[l], __vminu2(high[l + 1], high[r]));
      const uint32_t centre = __vmaxu2(__vminu2(middle[l], middle[l + 1]), __vminu2(__vmaxu2(middle[l], middle[l + 1]), middle[r]));
      m[j] = __vmaxu2(__vminu2(most, centre), __vminu2(__vmaxu2(most, centre), least));
    }
    out[(size_t)(y0 + i) * words + x] = __byte_perm(m[0], m[1], 0x6420);
    a = b, b = c;
  }
}

// ================================================================== 12: a student's divergence from its teacher (Kullback-Leibler, softened): rows of 32000 logits in f16 stay in registers of 1024 threads
__global__ void __launch_bounds__(1024, 1) distill_loss(const uint4* __restrict__ student, const uint4* __restrict__ teacher, float* __restrict__ loss, int vectors, float inverse) {
  __shared__ float parts[3][32];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const size_t base = (size_t)blockIdx.x * vectors;
  uint4 s[4], t[4];
  constexpr uint32_t LOWEST = 0xFBFFFBFFu;  // twice the lowest f16
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int at = i * 1024 + tid;
    const bool in = at < vectors;
    s[i] = in ? student[base + at] : make_uint4(LOWEST, LOWEST, LOWEST, LOWEST);
    t[i] = in ? teacher[base + at] : make_uint4(LOWEST, LOWEST, LOWEST, LOWEST);
  }
  auto two = [](const uint4& v, int e) {
    const uint32_t w = e == 0 ? v.x : e == 1 ? v.y : e == 2 ? v.z : v.w;
    return reinterpret_cast<const __half2&>(w);
  };
  __half2 top_s = two(s[0], 0), top_t = two(t[0], 0);
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e) top_s = __hmax2(top_s, two(s[i], e)), top_t = __hmax2(top_t, two(t[i], e));
  float most_s = fmaxf(__low2float(top_s), __high2float(top_s)), most_t = fmaxf(__low2float(top_t), __high2float(top_t));
#pragma unroll
  for (int d = 16; d; d /= 2) most_s = fmaxf(most_s, __shfl_xor_sync(~0u, most_s, d)), most_t = fmaxf(most_t, __shfl_xor_sync(~0u, most_t, d));
  if (lane == 0) parts[0][warp] = most_s, parts[1][warp] = most_t;
  __syncthreads();
  most_s = parts[0][lane], most_t = parts[1][lane];
#pragma unroll
  for (int d = 16; d; d /= 2) most_s = fmaxf(most_s, __shfl_xor_sync(~0u, most_s, d)), most_t = fmaxf(most_t, __shfl_xor_sync(~0u, most_t, d));
  __syncthreads();  // all have read
  const float f = inverse * 1.44269504f, add_s = -most_s * f, add_t = -most_t * f;
  float sum_s = 0, sum_t = 0, cross = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 a = __half22float2(two(s[i], e)), b = __half22float2(two(t[i], e));
      const float ax = fmaf(a.x, f, add_s), ay = fmaf(a.y, f, add_s), bx = fmaf(b.x, f, add_t), by = fmaf(b.y, f, add_t), px = exp_2(bx), py = exp_2(by);
      sum_s += exp_2(ax) + exp_2(ay);
      sum_t += px + py;
      cross = fmaf(px, bx - ax, fmaf(py, by - ay, cross));
    }
#pragma unroll
  for (int d = 16; d; d /= 2) sum_s += __shfl_xor_sync(~0u, sum_s, d), sum_t += __shfl_xor_sync(~0u, sum_t, d), cross += __shfl_xor_sync(~0u, cross, d);
  if (lane == 0) parts[0][warp] = sum_s, parts[1][warp] = sum_t, parts[2][warp] = cross;
  __syncthreads();
  if (warp > 0) return;
  sum_s = parts[0][lane], sum_t = parts[1][lane], cross = parts[2][lane];
#pragma unroll
  for (int d = 16; d; d /= 2) sum_s += __shfl_xor_sync(~0u, sum_s, d), sum_t += __shfl_xor_sync(~0u, sum_t, d), cross += __shfl_xor_sync(~0u, cross, d);
  if (lane == 0) loss[blockIdx.x] = 0.69314718f * (cross / sum_t + log2f(sum_s) - log2f(sum_t));
}

// ================================================================== 13: lattice Boltzmann (D3Q19, one relaxation time) of a periodic box: each cell pulls nineteen numbers, collides and stores them
__host__ __device__ constexpr int direction(int i, int axis) {
  constexpr int8_t d[19][3] = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
  return d[i][axis];
}
__host__ __device__ constexpr float share(int i) { return i == 0 ? 1.f / 3 : i < 7 ? 1.f / 18 : 1.f / 36; }
__global__ void __launch_bounds__(240) boltzmann_d3q19(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, float omega) {
  const int x = threadIdx.x, y = blockIdx.x * 2 + threadIdx.y, z = blockIdx.y, cells = nx * ny * nz;
  // the place before and after along each axis
  const int xs[3] = {x == 0 ? nx - 1 : x - 1, x, x == nx - 1 ? 0 : x + 1};
  const int ys[3] = {(y == 0 ? ny - 1 : y - 1) * nx, y * nx, (y == ny - 1 ? 0 : y + 1) * nx};
  const int zs[3] = {(z == 0 ? nz - 1 : z - 1) * nx * ny, z * nx * ny, (z == nz - 1 ? 0 : z + 1) * nx * ny};
  float f[19], mass = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int i = 0; i < 19; ++i) f[i] = in[(size_t)i * cells + xs[1 - direction(i, 0)] + ys[1 - direction(i, 1)] + zs[1 - direction(i, 2)]];
#pragma unroll
  for (int i = 0; i < 19; ++i) mass += f[i], ux += direction(i, 0) * f[i], uy += direction(i, 1) * f[i], uz += direction(i, 2) * f[i];
  const float each = 1.f / mass;
  ux *= each, uy *= each, uz *= each;
  const float square = 1.f - 1.5f * (ux * ux + uy * uy + uz * uz);
  const size_t to = xs[1] + ys[1] + zs[1];
#pragma unroll
  for (int i = 0; i < 19; ++i) {
    const float along = 3.f * (direction(i, 0) * ux + direction(i, 1) * uy + direction(i, 2) * uz);
    const float rest = share(i) * mass * (square + along + 0.5f * along * along);
    out[(size_t)i * cells + to] = f[i] + omega * (rest - f[i]);
  }
}

// ================================================================== 14: number-theoretic transforms of 2048 words modulo 998244353: a block each, three stages at a time in registers, exchanges through shared memory; results in the order of reversed bits
constexpr uint32_t PRIME = 998244353;
template <int STRIDE, int STAGES> DEV void butterflies(uint32_t (&v)[8], const uint2* __restrict__ roots, int place) {
#pragma unroll
  for (int half = STAGES == 3 ? 4 : 2; half; half /= 2)
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (i & half) continue;
      const uint2 w = roots[(place + i % half * STRIDE) * (1024 / (half * STRIDE))];
      const uint32_t a = v[i], b = v[i + half], sum = a + b, less = a - b + PRIME;
      v[i] = min(sum, sum - PRIME);
      const uint32_t r = less * w.x - __umulhi(less, w.y) * PRIME;
      v[i + half] = min(r, r - PRIME);
    }
}
__global__ void __launch_bounds__(256) ntt_2048(const uint32_t* __restrict__ in, const uint2* __restrict__ roots, uint4* __restrict__ out) {
  __shared__ __align__(16) uint32_t all[2048 + 256];
  const int tid = threadIdx.x;
  auto at = [](int i) { return i + i / 32 * 4; };
  uint32_t v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = in[(size_t)blockIdx.x * 2048 + tid + i * 256];
  butterflies<256, 3>(v, roots, tid);
#pragma unroll
  for (int i = 0; i < 8; ++i) all[at(tid + i * 256)] = v[i];
  __syncthreads();
  const int second = tid / 32 * 256 + tid % 32;
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = all[at(second + i * 32)];
  butterflies<32, 3>(v, roots, tid % 32);
  __syncwarp();  // from here on each warp keeps to its 256 words
#pragma unroll
  for (int i = 0; i < 8; ++i) all[at(second + i * 32)] = v[i];
  __syncwarp();
  const int third = tid / 4 * 32 + tid % 4;
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = all[at(third + i * 4)];
  butterflies<4, 3>(v, roots, tid % 4);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 8; ++i) all[at(third + i * 4)] = v[i];
  __syncwarp();
  const uint4* last = (const uint4*)(all + at(tid * 8));
  const uint4 a = last[0], b = last[1];
  v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w, v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
  butterflies<1, 2>(v, roots, 0);
  uint4* to = out + (size_t)blockIdx.x * 512 + tid * 2;
  to[0] = make_uint4(v[0], v[1], v[2], v[3]);
  to[1] = make_uint4(v[4], v[5], v[6], v[7]);
}

// ================================================================== 15: a graph's neighbours (compressed rows) are averaged: 128 numbers of f16 a node, a warp a node
__global__ void __launch_bounds__(192) graph_mean(const int* __restrict__ starts, const int* __restrict__ neighbours, const uint2* __restrict__ features, uint2* __restrict__ out, int nodes) {
  const int lane = threadIdx.x % 32, node = blockIdx.x * 6 + threadIdx.x / 32;
  if (node >= nodes) return;
  const int first = starts[node], end = starts[node + 1];
  float sum[4] = {};
  for (int i = first; i < end; i += 32) {
    const int own = i + lane < end ? neighbours[i + lane] : 0, count = min(32, end - i);
#pragma unroll 4
    for (int j = 0; j < count; ++j) {
      const uint2 v = features[(size_t)__shfl_sync(~0u, own, j) * 32 + lane];
      const float2 a = __half22float2(reinterpret_cast<const __half2&>(v.x)), b = __half22float2(reinterpret_cast<const __half2&>(v.y));
      sum[0] += a.x, sum[1] += a.y, sum[2] += b.x, sum[3] += b.y;
    }
  }
  const float each = __fdividef(1.f, (float)max(end - first, 1));
  out[(size_t)node * 32 + lane] = make_uint2(two_f16(sum[0] * each, sum[1] * each), two_f16(sum[2] * each, sum[3] * each));
}

// ================================================================== 16: particles leave their charge in the four nearest points of a grid (cloud in cell): positions are 16 bits each way
__global__ void __launch_bounds__(128) splat_points(const uint32_t* __restrict__ places, const float* __restrict__ charge, float* grid, int points, int width, int height) {
  for (int i = blockIdx.x * 128 + threadIdx.x; i < points; i += gridDim.x * 128) {
    const uint32_t p = places[i], x = (p & 0xFFFF) * (width - 1), y = (p >> 16) * (height - 1);
    const float q = charge[i], fx = (float)(x & 0xFFFF) * (1.f / 65536), fy = (float)(y & 0xFFFF) * (1.f / 65536), low = q * fy, up = q - low;
    float* to = grid + (y >> 16) * width + (x >> 16);
    atomicAdd(to, up - up * fx);
    atomicAdd(to + 1, up * fx);
    atomicAdd(to + width, low - low * fx);
    atomicAdd(to + width + 1, low * fx);
  }
}

// ================================================================== 17: Conway's game of life, 32 cells a word on a torus, several steps with the whole grid in between
DEV void add_cells(uint32_t& ones, uint32_t& twos, uint32_t& fours, uint32_t v) {
  const uint32_t carry = ones & v;
  ones ^= v;
  fours |= twos & carry;
  twos ^= carry;
}
__global__ void __launch_bounds__(512) life_steps(const uint32_t* start, uint32_t* even, uint32_t* odd, int words, int height, int steps) {
  for (int step = 0; step < steps; ++step) {
    const uint32_t* from = step == 0 ? start : step % 2 ? odd : even;
    uint32_t* to = step % 2 ? even : odd;
    for (int i = blockIdx.x * 512 + threadIdx.x; i < words * height; i += gridDim.x * 512) {
      const int x = i % words, y = i / words, left = x == 0 ? words - 1 : x - 1, right = x == words - 1 ? 0 : x + 1;
      uint32_t ones = 0, twos = 0, fours = 0, own = 0;
#pragma unroll
      for (int d = -1; d <= 1; ++d) {
        const int at = y + d < 0 ? height - 1 : y + d == height ? 0 : y + d;
        const uint32_t* row = from + at * words;
        const uint32_t mid = row[x], before = row[left], after = row[right];
        add_cells(ones, twos, fours, __funnelshift_l(before, mid, 1));
        add_cells(ones, twos, fours, __funnelshift_r(mid, after, 1));
        if (d != 0) add_cells(ones, twos, fours, mid);
        else own = mid;
      }
      to[i] = twos & ~fours & (ones | own);
    }
    cg::this_grid().sync();
  }
}

// ================================================================== 18: structure factors of charged atoms: a wave vector a thread, atoms in tiles of shared memory, the atoms are split in ten
__global__ void __launch_bounds__(128) structure_factors(const float4* __restrict__ atoms, const float4* __restrict__ waves, float2* __restrict__ out, int each, int count) {
  __shared__ float4 tile[128];
  const int tid = threadIdx.x, k = blockIdx.x * 128 + tid, first = blockIdx.y * each;
  const float4 wave = waves[min(k, count - 1)];
  float re = 0, im = 0;
  for (int t = 0; t < each; t += 128) {
    __syncthreads();
    tile[tid] = t + tid < each ? atoms[first + t + tid] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 128; ++i) {
      const float4 a = tile[i];
      float s, c;
      __sincosf(fmaf(a.x, wave.x, fmaf(a.y, wave.y, a.z * wave.z)), &s, &c);
      re = fmaf(a.w, c, re), im = fmaf(a.w, s, im);
    }
  }
  if (k < count) out[(size_t)blockIdx.y * count + k] = make_float2(re, im);
}

// ================================================================== 19: Viterbi decoder's forward pass (convolutional code of rate 1/2 and length 7, soft bits): a warp a frame, two of 64 states a lane, decisions by votes
__global__ void __launch_bounds__(64) viterbi_forward(const float2* __restrict__ soft, uint2* __restrict__ decisions, float* __restrict__ best, int frames, int steps) {
  const int lane = threadIdx.x % 32, frame = blockIdx.x * 2 + threadIdx.x / 32;
  if (frame >= frames) return;
  // what the code sends on the way from state 2 lane with a zero: the other three ways send it or its opposite
  const float sign_0 = __popc(lane * 2 & 0171) & 1 ? -1.f : 1.f, sign_1 = __popc(lane * 2 & 0133) & 1 ? -1.f : 1.f;
  const int from = lane * 2 & 31;
  const bool lower = lane < 16;
  float m0 = lane == 0 ? 0.f : -1000.f, m1 = -1000.f;
  for (int t0 = 0; t0 < steps; t0 += 32) {
    const float2 own = soft[(size_t)frame * steps + t0 + lane];
    uint2 kept = make_uint2(0, 0);
#pragma unroll 8
    for (int t = 0; t < 32; ++t) {
      const float g = sign_0 * __shfl_sync(~0u, own.x, t) + sign_1 * __shfl_sync(~0u, own.y, t);
      const float a0 = __shfl_sync(~0u, m0, from), a1 = __shfl_sync(~0u, m1, from), b0 = __shfl_sync(~0u, m0, from + 1), b1 = __shfl_sync(~0u, m1, from + 1);
      const float a = lower ? a0 : a1, b = lower ? b0 : b1;
      const float p = a + g, q = b - g, r = a - g, s = b + g;
      const uint32_t zero = __ballot_sync(~0u, q > p), one = __ballot_sync(~0u, s > r);
      m0 = fmaxf(p, q), m1 = fmaxf(r, s);
      if (lane == t) kept = make_uint2(zero, one);
    }
    decisions[(size_t)frame * steps + t0 + lane] = kept;
  }
  float most = fmaxf(m0, m1);
#pragma unroll
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (lane == 0) best[frame] = most;
}

// ================================================================== 20: SHA-256 of pairs of hashes, a level of a Merkle tree: a pair a thread, the second block is the padding
__constant__ uint32_t SHA[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
DEV uint32_t turn_right(uint32_t v, int n) { return __funnelshift_r(v, v, n); }
DEV void compress(uint32_t (&h)[8], uint32_t (&w)[16]) {
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], i = h[7];
#pragma unroll 1
  for (int r = 0; r < 64; r += 16) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      if (r > 0) {
        const uint32_t x = w[(j + 1) % 16], y = w[(j + 14) % 16];
        w[j] += (turn_right(x, 7) ^ turn_right(x, 18) ^ x >> 3) + w[(j + 9) % 16] + (turn_right(y, 17) ^ turn_right(y, 19) ^ y >> 10);
      }
      const uint32_t t = i + (turn_right(e, 6) ^ turn_right(e, 11) ^ turn_right(e, 25)) + ((e & f) ^ (~e & g)) + SHA[r + j] + w[j];
      i = g, g = f, f = e, e = d + t;
      const uint32_t u = (turn_right(a, 2) ^ turn_right(a, 13) ^ turn_right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      d = c, c = b, b = a, a = t + u;
    }
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += i;
}
__global__ void __launch_bounds__(192) sha_parents(const uint4* __restrict__ in, uint4* __restrict__ out, int pairs) {
  const int p = blockIdx.x * 192 + threadIdx.x;
  if (p >= pairs) return;
  uint32_t w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint4 v = in[(size_t)p * 4 + i];
    w[4 * i] = v.x, w[4 * i + 1] = v.y, w[4 * i + 2] = v.z, w[4 * i + 3] = v.w;
  }
  compress(h, w);
#pragma unroll
  for (int i = 0; i < 16; ++i) w[i] = i == 0 ? 0x80000000u : i == 15 ? 512u : 0u;
  compress(h, w);
  out[(size_t)p * 2] = make_uint4(h[0], h[1], h[2], h[3]);
  out[(size_t)p * 2 + 1] = make_uint4(h[4], h[5], h[6], h[7]);
}

// ================================================================== host
static bool listing = false, checking = true;
static const char* only = nullptr;  // the one launch to make
static int wrongs = 0, launches = 0, turn_now = 0, turns = 1;
static std::string rows;  // of the CSV, without what is measured
constexpr size_t COUNT = (size_t)1 << 24, HALF = COUNT / 2;
static std::vector<uint8_t> level;   // 0 to 6
static std::vector<uint32_t> words;  // random
static double val(size_t i) { return (level[i] - 3) * 0.5; }
static std::vector<std::string> maps;  // what a listing says of tensor maps

static void must(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  printf("wrong %s: %s\n", what, cudaGetErrorString(e));
  fflush(stdout);
  _exit(1);
}
static std::string text(int v) { return std::to_string(v); }
static std::string text(float v) {
  char s[40];
  for (int digits = 6; digits <= 9; ++digits) {
    snprintf(s, sizeof s, "%.*g", digits, v);
    if (strtof(s, nullptr) == v) break;
  }
  if (!strpbrk(s, ".e")) strcat(s, ".0");
  return s;
}
template <class T> static std::string text(T*) { return "\"ptr\""; }
static std::string text(const CUtensorMap& m) { return maps[((const uint64_t*)&m)[0]]; }
// A pointer and the contents of its memory.
struct Holds {
  const void* p;
  const char* what;
  template <class T> operator T*() const { return (T*)p; }
};
template <class P, class A> static std::string shown(const A& a) {
  if constexpr (std::is_same_v<A, Holds>) return a.what;
  else return text((P)a);
}
static bool wanted(const char* name) {
  if (listing) return true;
  if (only) return !strcmp(only, name);
  const char* skip = getenv("SKIP");
  return !(skip && strstr(("," + std::string(skip) + ",").c_str(), ("," + std::string(name) + ",").c_str()));
}
// Launches (a cooperative grid if the cluster is 0); true if results are to be checked. When listing: prints the launch as TOML.
template <class... P, class... A> static bool launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, int cluster, A... args) {
  if (listing) {
    std::string params, numbers;
    for (const std::string& v : std::vector<std::string>{shown<P>(args)...}) {
      params += (params.empty() ? "" : ", ") + v;
      if (v[0] != '"' && v[0] != '{') numbers += (numbers.empty() ? "" : " ") + v;
    }
    // The type of the kernel's pointer is "PFv" + parameters + "E", its name "_Z" + length + name + parameters.
    const std::string type = typeid(kernel).name(), mangled = "_Z" + std::to_string(strlen(name)) + name + type.substr(3, type.size() - 4);
    cudaFuncAttributes attributes = {};
    const int registers = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess ? attributes.numRegs : 0;
    printf("[[launch]]\nname = \"%s\"\nfunction = \"%s\"\ngrid = [%u, %u, %u]\nblock = [%u, %u, %u]\n", name, mangled.c_str(), grid.x, grid.y, grid.z, block.x, block.y, block.z);
    if (cluster > 1) printf("cluster = [%d]\n", cluster);
    printf("registers = %d\ndynamic_shared = %zu\nparams = [%s]\n\n", registers, shared, params.c_str());
    char row[400];
    snprintf(row, sizeof row, "# %s,%s,%u %u %u,%u %u %u,%zu,%d,,,,,,%s\n", name, name, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, std::max(1, cluster), numbers.c_str());
    rows += row;
    return false;
  }
  if (!wanted(name)) return false;
  printf("launch,%d,%s\n", launches++, name);
  fflush(stdout);
  if (shared > 40 * 1024) must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared), name);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  if (cluster == 0) attribute.id = cudaLaunchAttributeCooperative, attribute.val.cooperative = 1;
  config.attrs = &attribute, config.numAttrs = cluster != 1;
  must(cudaLaunchKernelEx(&config, kernel, (P)args...), name);
  must(cudaDeviceSynchronize(), name);
  return checking && turn_now + 1 == turns;
}
static void judge(const char* name, bool right) {
  printf("%s %s\n", right ? "right" : "wrong", name);
  wrongs += !right;
  fflush(stdout);
}
template <class T> static std::vector<T> fetch(const void* p, size_t n) {
  std::vector<T> v(n);
  must(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost), "fetch");
  return v;
}
static bool near(double got, double want, double rel, double abs) {
  if (std::fabs(got - want) <= abs + rel * std::fabs(want)) return true;
  printf("  got %g, want %g\n", got, want);
  return false;
}
static float number(uint8_t v) { return v; }
static float number(f16 v) { return __half2float(v); }
static float number(bf16 v) { return __bfloat162float(v); }
static float number(float v) { return v; }
// Compares some of the n results at p with a function of the index.
template <class T, class F> static void check(const char* name, const void* p, size_t n, double rel, double abs, F want, size_t samples = 160) {
  const std::vector<T> got = fetch<T>(p, n);
  bool right = true;
  for (size_t s = 0; s < samples && right; ++s) {
    const size_t i = s == 0 ? 0 : s == 1 ? n - 1 : s * 2654435761ull % n;
    right = near(number(got[i]), want(i), rel, abs);
    if (!right) printf("  at %zu\n", i);
  }
  judge(name, right);
}
template <class T, class F> static T* fill(F convert) {
  T* d = nullptr;
  if (listing) return d;
  std::vector<T> h(COUNT);
  T codes[7];
  for (int i = 0; i < 7; ++i) codes[i] = convert((i - 3) * 0.5f);
  for (size_t i = 0; i < COUNT; ++i) h[i] = codes[level[i]];
  must(cudaMalloc(&d, COUNT * sizeof(T)), "malloc");
  must(cudaMemcpy(d, h.data(), COUNT * sizeof(T), cudaMemcpyHostToDevice), "fill");
  return d;
}
template <class T> static T* table(const std::vector<T>& v) {
  T* d = nullptr;
  if (listing || v.empty()) return d;
  must(cudaMalloc(&d, v.size() * sizeof(T)), "malloc");
  must(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "table");
  return d;
}
// Boxes of a tensor of two or three dimensions, the innermost first.
static CUtensorMap boxes(const char* name, CUtensorMapDataType type, int bytes, void* p, std::vector<uint64_t> shape, std::vector<uint32_t> box, bool swizzle) {
  CUtensorMap m = {};
  if (listing) {
    auto join = [](const auto& v) {
      std::string s;
      for (auto x : v) s += (s.empty() ? "" : ", ") + std::to_string(x);
      return s;
    };
    ((uint64_t*)&m)[0] = maps.size();
    maps.push_back("{ tensor_map = { type = \"" + std::string(name) + "\", shape = [" + join(shape) + "], box = [" + join(box) + "], swizzle = " + (swizzle ? "128" : "0") + " } }");
    return m;
  }
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  static Encode encode = library ? (Encode)dlsym(library, "cuTensorMapEncodeTiled") : nullptr;
  cuuint64_t dims[3], strides[3], stride = bytes;
  cuuint32_t sizes[3], ones[3] = {1, 1, 1};
  for (size_t i = 0; i < shape.size(); ++i) dims[i] = shape[i], sizes[i] = box[i], stride *= shape[i], strides[i] = stride;
  const CUresult r = encode ? encode(&m, type, (cuuint32_t)shape.size(), p, dims, strides, sizes, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                            : CUDA_ERROR_NOT_FOUND;
  if (r != CUDA_SUCCESS) printf("wrong tensor map %d\n", (int)r), ++wrongs;
  return m;
}
static uint32_t draw() {
  static uint64_t state = 5;
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}
static std::vector<int> randoms(int n, int below) {
  std::vector<int> v(n);
  for (int& x : v) x = draw() % below;
  return v;
}
// n numbers from 0 to `most`, in order, both ends among them
static std::vector<int> ascending(int n, int most) {
  std::vector<int> v = randoms(n, most + 1);
  v[0] = 0, v[1] = most;
  std::sort(v.begin(), v.end());
  return v;
}
// where in 16 Mi numbers the i-th of 48 Mi is
static size_t big_at(size_t i) { return (i + (i / COUNT) * 1000000) % COUNT; }
template <class T> static T* big_of(const T* p) {
  T* d = nullptr;
  if (listing) return d;
  must(cudaMalloc(&d, 3 * COUNT * sizeof(T)), "malloc");
  for (size_t c = 0; c < 3; ++c) {
    const size_t cut = c * 1000000;
    must(cudaMemcpy(d + c * COUNT, p + cut, (COUNT - cut) * sizeof(T), cudaMemcpyDeviceToDevice), "fill");
    if (cut) must(cudaMemcpy(d + (c + 1) * COUNT - cut, p, cut * sizeof(T), cudaMemcpyDeviceToDevice), "fill");
  }
  return d;
}
static double product(size_t a, size_t b, int k) {  // of k numbers each
  double s = 0;
  for (int i = 0; i < k; ++i) s += val(a + i) * val(b + i);
  return s;
}

int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (argc > 1 && !listing) only = argv[1];
  if (const char* s = getenv("REPEAT")) turns = std::max(1, atoi(s));
  if (const char* s = getenv("CHECK")) checking = atoi(s);
  if (listing) {
    printf("# The launches of cuda.cu, in their order.\n\n");
  } else {
    level.resize(COUNT), words.resize(COUNT);
    uint64_t state = 20270521;
    for (size_t i = 0; i < COUNT; ++i) {
      uint64_t z = (state += 0x9E3779B97F4A7C15ull);
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull, z ^= z >> 31;
      words[i] = (uint32_t)z, level[i] = (z >> 40) % 7;
    }
  }
  bf16* brains = fill<bf16>([](float v) { return __float2bfloat16(v); });
  float* floats = fill<float>([](float v) { return v; });
  f16* halves = fill<f16>([](float v) { return __float2half(v); });
  e4m3* eighths = fill<e4m3>([](float v) { return e4m3(v); });
  e5m2* quarters = fill<e5m2>([](float v) { return e5m2(v); });
  float* logs = fill<float>([](float v) { return 8 + 0.25f * v; });
  f16* halves_3 = big_of(halves);
  uint32_t* ints = nullptr;
  float *out = nullptr, *more = nullptr;
  if (!listing) {
    must(cudaMalloc(&ints, COUNT * 4), "malloc");
    must(cudaMemcpy(ints, words.data(), COUNT * 4, cudaMemcpyHostToDevice), "fill");
    must(cudaMalloc(&out, COUNT * 4), "malloc");
    must(cudaMalloc(&more, COUNT * 4), "malloc");
  }
  auto clear = [&](const char* name) {
    if (listing || !wanted(name)) return;
    must(cudaMemset(out, 0, COUNT * 4), "clear");
    must(cudaMemset(more, 0, COUNT * 4), "clear");
    must(cudaDeviceSynchronize(), "clear");
  };
  auto map_b = [&](const bf16* p, std::vector<uint64_t> shape, std::vector<uint32_t> box) { return boxes("bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void*)p, shape, box, true); };
  auto map_h = [&](const f16* p, std::vector<uint64_t> shape, std::vector<uint32_t> box) { return boxes("f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void*)p, shape, box, true); };
  auto map_e = [&](const e4m3* p, std::vector<uint64_t> shape, std::vector<uint32_t> box) { return boxes("u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, (void*)p, shape, box, true); };
  f16* out_h = (f16*)out;
  bf16* out_b = (bf16*)out;
#define RUN(name, ...) clear(#name); if (launch(#name, name, __VA_ARGS__))
  // what memory holds where it decides addresses or results, the same in each turn
  std::vector<int> starts, neighbours;
  std::vector<uint32_t> residues;
  std::vector<uint2> roots;
  std::vector<float> squares, waves;
  const size_t C0 = 12000000;  // where centres begin
  auto power = [](uint64_t b, uint64_t e) {
    uint64_t r = 1;
    for (b %= PRIME; e; e /= 2, b = b * b % PRIME)
      if (e % 2) r = r * b % PRIME;
    return r;
  };
  const uint64_t root_of_2048 = power(3, (PRIME - 1) / 2048);
  if (!listing) {
    if (wanted("graph_mean")) starts = ascending(20001, 300000), neighbours = randoms(300000, 20000);
    if (wanted("ntt_2048")) {
      residues.resize(3000 * 2048);
      for (size_t i = 0; i < residues.size(); ++i) residues[i] = words[i] % PRIME;
      uint64_t w = 1;
      for (int i = 0; i < 1024; ++i, w = w * root_of_2048 % PRIME) roots.push_back(make_uint2((uint32_t)w, (uint32_t)((w << 32) / PRIME)));
    }
    for (int c = 0; c < 1000; ++c) squares.push_back((float)product(C0 + c * 192, C0 + c * 192, 192));
    for (int k = 0; k < 6000; ++k)
      for (int e = 0; e < 4; ++e) waves.push_back(e == 3 ? 0.f : ((int)(words[k * 3 + e] % 17) - 8) * 1.9039955f);
  }
  const int *starts_d = table(starts), *neighbours_d = table(neighbours);
  const uint32_t* residues_d = table(residues);
  const uint2* roots_d = table(roots);
  const float *squares_d = table(squares), *waves_d = table(waves);
  uint32_t* out_u = (uint32_t*)out;

  for (turn_now = 0; turn_now < turns; ++turn_now) {
    {  // 1
      auto a = map_b(brains, {1280, 2304}, {64, 128});
      RUN(gram_lower, 132, 288, 1024 + 5 * 32768, 1, a, out_b, 2304, 171, 20, 0.03125f, 2.f)
      check<bf16>("gram_lower", out, (size_t)2304 * 2304, 1e-2, 1e-2, [&](size_t i) {
        const size_t r = i / 2304, c = i % 2304;
        return c > r ? 0.0 : product(r * 1280, c * 1280, 1280) * 0.03125 + (r == c ? 2 : 0);
      });
    }
    {  // 2
      auto p = map_h(halves, {192, 23900}, {64, 128}), c = map_h(halves + C0, {192, 1000}, {64, 128});
      RUN(nearest_centres, 187, 288, 1024 + 6 * 16384, 1, p, c, squares_d, (int*)out, more, 23900, 1000) {
        const std::vector<int> best = fetch<int>(out, 23900);
        const std::vector<float> score = fetch<float>(more, 23900);
        bool right = true;
        for (size_t row = 0; row < 23900 && right; row += 239) {
          double least = 1e30, of_best = 0;
          for (int c = 0; c < 1000; ++c) {
            const double d = squares[c] - 2 * product(row * 192, C0 + c * 192, 192);
            least = std::min(least, d);
            if (c == best[row]) of_best = d;
          }
          right = near(score[row], least, 1e-5, 1e-3) && near(of_best, least, 1e-5, 1e-3);
        }
        judge("nearest_centres", right);
      }
    }
    {  // 3
      auto a = boxes("u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, (void*)quarters, {1792, 1920}, {128, 128}, true), b = map_e(eighths + HALF, {1792, 1760}, {128, 160});
      RUN(gradient_fp8, dim3(11, 15), 256, 1024 + 3 * 36864, 1, a, b, logs + 40, logs + 50, out_b, (uint32_t*)more, 1760, 14) {
        auto want = [&](size_t i) { return product(i / 1760 * 1792, HALF + i % 1760 * 1792, 1792) * (8 + 0.25 * val(40)) * (8 + 0.25 * val(50)); };
        check<bf16>("gradient_fp8", out, (size_t)1920 * 1760, 1e-2, 0.5, want);
        double most = 0;
        for (bf16 v : fetch<bf16>(out, (size_t)1920 * 1760)) most = std::max(most, std::fabs((double)__bfloat162float(v)));
        judge("gradient_fp8 most", near(fetch<float>(more, 1)[0], most, 5e-3, 0));
      }
    }
    {  // 4
      const size_t W1 = 13000000, W2 = 13100000, W3 = 13200000;
      auto x = map_h(halves, {64, 200000}, {64, 64}), w1 = map_h(halves + W1, {64, 128}, {64, 128}), w2 = map_h(halves + W2, {128, 128}, {64, 128}), w3 = map_h(halves + W3, {128, 16}, {64, 16});
      RUN(tiny_mlp, 264, 256, 1024 + 53248 + 32768, 1, x, w1, w2, w3, out_h, 3125, 0.125f, 0.125f, 0.0625f)
      check<f16>("tiny_mlp", out, (size_t)200000 * 16, 1e-2, 1e-2, [&](size_t i) {
        double h[128], sum = 0;
        for (int u = 0; u < 128; ++u) h[u] = std::max(0.0, product(i / 16 * 64, W1 + u * 64, 64) * 0.125);
        for (int u = 0; u < 128; ++u) {
          double s = 0;
          for (int e = 0; e < 128; ++e) s += h[e] * val(W2 + u * 128 + e);
          sum += std::max(0.0, s * 0.125) * val(W3 + i % 16 * 128 + u);
        }
        return sum * 0.0625;
      });
    }
    {  // 5
      const size_t T = 3072, K0 = 9000000, V0 = 10000000;
      RUN(text_attention, dim3(12, 40), 128, 2 * 80 * 144 + 2 * 64 * 144, 1, halves, halves + K0, halves + V0, out_h, 3072, 77, 0.125f)
      check<f16>("text_attention", out, 40 * T * 64, 1e-2, 4e-3, [&](size_t i) {
        const size_t h = i / (T * 64);
        double s = 0, total = 0;
        for (size_t n = h * 77; n < h * 77 + 77; ++n) {
          const double p = std::exp(product(i / 64 * 64, K0 + n * 64, 64) * 0.125);
          total += p, s += p * val(V0 + n * 64 + i % 64);
        }
        return s / total;
      });
    }
    {  // 6: 12 images of 40 x 56 become 80 x 112
      const size_t W0 = 5000000, B0 = 5100000, S0 = 5200000;
      RUN(upsample_conv, dim3(210, 4), 256, 3 * 224 * 80, 1, brains, brains + W0, brains + B0, brains + S0, out_b, 40, 56, 160)
      check<bf16>("upsample_conv", out, (size_t)26880 * 384, 1e-2, 2e-2, [&](size_t i) {
        const size_t o = i % 96, x = i / 96 % 112, line = i / 96 / 112, place = line % 2 * 2 + x % 2;
        return product((line / 2 * 56 + x / 2) * 160, W0 + (place * 96 + o) * 160, 160) + val(B0 + o) + val(S0 + i);
      });
    }
    {  // 7
      RUN(few_rows_e4m3, 240, 128, 0, 1, (const uint4*)eighths, logs, (const uint4*)(halves + HALF), out_h, 7680, 2048)
      check<f16>("few_rows_e4m3", out, (size_t)16 * 7680, 2e-3, 0.1, [&](size_t i) { return product(i % 7680 * 2048, HALF + i / 7680 * 2048, 2048) * (8 + 0.25 * val(i % 7680)); });
    }
    RUN(cluster_scan, 2560, 256, 0, 8, (const uint4*)ints, (uint4*)out, 7500) {
      const std::vector<uint32_t> got = fetch<uint32_t>(out, (size_t)320 * 30000);
      bool right = true;
      for (size_t row = 0; row < 320; ++row)
        for (uint32_t i = 0, sum = 0; i < 30000; ++i) right = right && got[row * 30000 + i] == (sum += words[row * 30000 + i]);
      judge("cluster_scan", right);
    }
    RUN(recurrent_cluster, 264, 256, 0, 4, floats, (const float4*)(floats + HALF), out, 40, 0.03f) {
      const std::vector<float> got = fetch<float>(out, (size_t)66 * 40 * 256);
      bool right = true;
      for (size_t q = 0; q < 66 && right; q += 13) {
        std::vector<double> h(256, 0), next(256);
        for (size_t t = 0; t < 40 && right; ++t) {
          for (size_t u = 0; u < 256; ++u) {
            double s = 0;
            for (size_t e = 0; e < 256; ++e) s += val(HALF + u * 256 + e) * h[e];
            next[u] = std::tanh(s * 0.03 + val((q * 40 + t) * 256 + u));
          }
          h = next;
          for (size_t u = 0; u < 256 && right; u += 17) right = near(got[(q * 40 + t) * 256 + u], h[u], 0, 5e-3);
        }
      }
      judge("recurrent_cluster", right);
    }
    RUN(mix_channels, 264, 160, 3 * 24576 + 2 * 8192, 1, floats, out, 1499136, 0.35f)
    check<float>("mix_channels", out, (size_t)2 * 1499136, 1e-3, 1e-3, [&](size_t i) {
      const size_t n = 1499136, t = i / 2, side = i % 2;
      const double v = 0.35 * (val(side * n + t) + 0.70710678 * (val(2 * n + t) + val((4 + side) * n + t)) + 0.5 * val(3 * n + t));
      return v / std::sqrt(1 + v * v);
    });
    {  // 11
      const int W = 4000, H = 2250;
      RUN(median_3x3, dim3(8, 150), 128, 0, 1, ints, out_u, 1000, 2250)
      check<uint8_t>("median_3x3", out, (size_t)W * H, 0, 0, [&](size_t i) {
        const uint8_t* image = (const uint8_t*)words.data();
        const int x = (int)(i % W), y = (int)(i / W);
        std::vector<uint8_t> v;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) v.push_back(image[(size_t)std::clamp(y + dy, 0, H - 1) * W + std::clamp(x + dx, 0, W - 1)]);
        std::sort(v.begin(), v.end());
        return (double)v[4];
      }, 4000);
    }
    {  // 12
      const size_t T0 = 24000000;
      RUN(distill_loss, 330, 1024, 0, 1, (const uint4*)halves_3, (const uint4*)(halves_3 + T0), out, 4000, 0.5f)
      check<float>("distill_loss", out, 330, 1e-3, 1e-4, [&](size_t row) {
        double zs = 0, zt = 0, cross = 0;
        for (size_t i = 0; i < 32000; ++i) {
          const double s = val(big_at(row * 32000 + i)) * 0.5, t = val(big_at(T0 + row * 32000 + i)) * 0.5;
          zs += std::exp(s), zt += std::exp(t), cross += std::exp(t) * (t - s);
        }
        return cross / zt + std::log(zs) - std::log(zt);
      });
    }
    {  // 13
      const int X = 120, Y = 96, Z = 64, N = X * Y * Z;
      RUN(boltzmann_d3q19, dim3(48, 64), dim3(120, 2), 0, 1, logs, out, X, Y, Z, 1.6f)
      check<float>("boltzmann_d3q19", out, (size_t)19 * N, 1e-4, 1e-3, [&](size_t at) {
        const int own = (int)(at / N), cell = (int)(at % N), x = cell % X, y = cell / X % Y, z = cell / X / Y;
        double mass = 0, u[3] = {}, f = 0, along = 0;
        for (int i = 0; i < 19; ++i) {
          const int d[3] = {direction(i, 0), direction(i, 1), direction(i, 2)};
          const double v = 8 + 0.25 * val((size_t)i * N + (((z - d[2] + Z) % Z) * Y + (y - d[1] + Y) % Y) * X + (x - d[0] + X) % X);
          mass += v;
          for (int a = 0; a < 3; ++a) u[a] += d[a] * v;
          if (i == own) f = v;
        }
        double square = 0;
        for (int a = 0; a < 3; ++a) u[a] /= mass, square += u[a] * u[a], along += 3 * direction(own, a) * u[a];
        return f + 1.6 * (share(own) * mass * (1 - 1.5 * square + along + 0.5 * along * along) - f);
      });
    }
    RUN(ntt_2048, 3000, 256, 0, 1, residues_d, roots_d, (uint4*)out) {
      const std::vector<uint32_t> got = fetch<uint32_t>(out, (size_t)3000 * 2048);
      bool right = true;
      for (size_t n = 0; n < 500 && right; ++n) {
        const size_t i = n * 2654435761ull % got.size();
        uint32_t k = 0;
        for (int b = 0; b < 11; ++b) k |= (i >> b & 1) << (10 - b);
        const uint64_t w = power(root_of_2048, k);
        uint64_t sum = 0;
        for (int j = 2047; j >= 0; --j) sum = (sum * w + residues[i / 2048 * 2048 + j]) % PRIME;
        right = sum == got[i];
      }
      judge("ntt_2048", right);
    }
    RUN(graph_mean, 3334, 192, 0, 1, Holds{starts_d, "{ holds = { sorted = [0, 300001], count = 20001 } }"}, Holds{neighbours_d, "{ holds = { range = [0, 20000] } }"}, (const uint2*)halves, (uint2*)out, 20000)
    check<f16>("graph_mean", out, (size_t)20000 * 128, 2e-3, 2e-3, [&](size_t i) {
      double s = 0;
      const int a = starts[i / 128], b = starts[i / 128 + 1];
      for (int e = a; e < b; ++e) s += val((size_t)neighbours[e] * 128 + i % 128);
      return s / std::max(1, b - a);
    });
    RUN(splat_points, 528, 128, 0, 1, Holds{ints, "{ holds = { range = [0, 4294967296], type = \"u32\" } }"}, floats, out, 600000, 700, 500) {
      std::vector<double> want(700 * 500, 0);
      for (size_t i = 0; i < 600000; ++i) {
        const uint32_t x = (words[i] & 0xFFFF) * 699, y = (words[i] >> 16) * 499;
        const double fx = (x & 0xFFFF) / 65536.0, fy = (y & 0xFFFF) / 65536.0;
        double* to = want.data() + (y >> 16) * 700 + (x >> 16);
        to[0] += val(i) * (1 - fx) * (1 - fy), to[1] += val(i) * fx * (1 - fy), to[700] += val(i) * (1 - fx) * fy, to[701] += val(i) * fx * fy;
      }
      check<float>("splat_points", out, want.size(), 1e-3, 1e-3, [&](size_t i) { return want[i]; }, 20000);
    }
    RUN(life_steps, 132, 512, 0, 0, ints, out_u, (uint32_t*)more, 125, 2600, 10) {
      const int W = 125, H = 2600;
      std::vector<uint8_t> cells((size_t)W * 32 * H), next(cells.size());
      for (size_t i = 0; i < cells.size(); ++i) cells[i] = words[i / 32] >> (i % 32) & 1;
      for (int step = 0; step < 10; ++step) {
        for (int y = 0; y < H; ++y)
          for (int x = 0; x < W * 32; ++x) {
            const int l = x ? x - 1 : W * 32 - 1, r = x + 1 == W * 32 ? 0 : x + 1;
            const uint8_t *a = &cells[(size_t)(y ? y - 1 : H - 1) * W * 32], *b = &cells[(size_t)y * W * 32], *c = &cells[(size_t)(y + 1 == H ? 0 : y + 1) * W * 32];
            const int count = a[l] + a[x] + a[r] + b[l] + b[r] + c[l] + c[x] + c[r];
            next[(size_t)y * W * 32 + x] = count == 3 || (count == 2 && b[x]);
          }
        cells.swap(next);
      }
      const std::vector<uint32_t> got = fetch<uint32_t>(out, (size_t)W * H);
      bool right = true;
      for (size_t i = 0; i < cells.size(); ++i) right = right && cells[i] == (got[i / 32] >> (i % 32) & 1);
      judge("life_steps", right);
    }
    RUN(structure_factors, dim3(47, 10), 128, 0, 1, (const float4*)floats, (const float4*)waves_d, (float2*)out, 600, 6000)
    check<float>("structure_factors", out, (size_t)2 * 10 * 6000, 1e-3, 2e-2, [&](size_t i) {
      const size_t k = i / 2 % 6000, split = i / 2 / 6000;
      double s = 0;
      for (size_t a = split * 600; a < split * 600 + 600; ++a) {
        double phase = 0;
        for (int e = 0; e < 3; ++e) phase += val(a * 4 + e) * (double)waves[k * 4 + e];
        s += val(a * 4 + 3) * (i % 2 ? std::sin(phase) : std::cos(phase));
      }
      return s;
    });
    RUN(viterbi_forward, 2000, 64, 0, 1, (const float2*)floats, (uint2*)out, more, 4000, 192) {
      const std::vector<uint64_t> decisions = fetch<uint64_t>(out, (size_t)4000 * 192);
      const std::vector<float> best = fetch<float>(more, 4000);
      bool right = true;
      for (size_t frame = 0; frame < 4000 && right; frame += 37) {
        std::vector<double> m(64, -1000), next(64);
        m[0] = 0;
        for (size_t t = 0; t < 192 && right; ++t) {
          uint64_t bits = 0;
          const double y0 = val((frame * 192 + t) * 2), y1 = val((frame * 192 + t) * 2 + 1);
          for (int to = 0; to < 64; ++to) {
            double path[2];
            for (int e = 0; e < 2; ++e) {
              const int from = to % 32 * 2 + e, all = to / 32 * 64 + from;
              path[e] = m[from] + (__builtin_parity(all & 0171) ? -y0 : y0) + (__builtin_parity(all & 0133) ? -y1 : y1);
            }
            next[to] = std::max(path[0], path[1]);
            bits |= (uint64_t)(path[1] > path[0]) << to;
          }
          m = next;
          right = bits == decisions[frame * 192 + t];
        }
        right = right && *std::max_element(m.begin(), m.end()) == best[frame];
      }
      judge("viterbi_forward", right);
    }
    RUN(sha_parents, 3646, 192, 0, 1, (const uint4*)ints, (uint4*)out, 700000) {
      const std::vector<uint32_t> got = fetch<uint32_t>(out, (size_t)700000 * 8);
      // fractional parts of the roots of the first primes
      std::vector<uint32_t> k, first;
      for (int p = 2; k.size() < 64; ++p) {
        bool prime = true;
        for (int d = 2; d * d <= p; ++d) prime = prime && p % d;
        if (!prime) continue;
        const long double r = cbrtl(p), q = sqrtl(p);
        k.push_back((uint32_t)((r - floorl(r)) * 4294967296.0L));
        if (first.size() < 8) first.push_back((uint32_t)((q - floorl(q)) * 4294967296.0L));
      }
      auto right_by = [](uint32_t v, int n) { return v >> n | v << (32 - n); };
      bool right = true;
      for (size_t n = 0; n < 1000 && right; ++n) {
        const size_t p = n == 0 ? 699999 : n * 2654435761ull % 700000;
        std::vector<uint32_t> h = first;
        for (int block = 0; block < 2; ++block) {
          std::vector<uint32_t> w(64, 0);
          for (int i = 0; i < 16; ++i) w[i] = block == 0 ? words[p * 16 + i] : i == 0 ? 1u << 31 : i == 15 ? 512 : 0;
          for (int i = 16; i < 64; ++i) w[i] = w[i - 16] + (right_by(w[i - 15], 7) ^ right_by(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] + (right_by(w[i - 2], 17) ^ right_by(w[i - 2], 19) ^ w[i - 2] >> 10);
          std::vector<uint32_t> s = h;
          for (int i = 0; i < 64; ++i) {
            const uint32_t t = s[7] + (right_by(s[4], 6) ^ right_by(s[4], 11) ^ right_by(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
            const uint32_t u = (right_by(s[0], 2) ^ right_by(s[0], 13) ^ right_by(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s = {t + u, s[0], s[1], s[2], s[3] + t, s[4], s[5], s[6]};
          }
          for (int i = 0; i < 8; ++i) h[i] += s[i];
        }
        for (int i = 0; i < 8; ++i) right = right && h[i] == got[p * 8 + i];
      }
      judge("sha_parents", right);
    }
  }
  if (listing) printf("# name,kernel,grid,block,dynamic_shared,cluster,registers,cycles,nanoseconds,instructions,dram_bytes,arguments\n%s", rows.c_str());
  else printf("%d launches, %d wrong\n", launches, wrongs);
  fflush(stdout);
  _exit(wrongs != 0);
}
