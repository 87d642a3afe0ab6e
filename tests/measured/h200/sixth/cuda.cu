// Launches of current code, a sixth set to judge predictions by. Usage: cuda (run all, check), cuda NAME (that one only), cuda list (print launches as TOML).
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
#define DEV __device__ __forceinline__

// ================================================================== words of PTX
DEV uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
DEV uint32_t ring_base(const void* p) { return (shared_address(p) + 1023u) & ~1023u; }

DEV void bar_init(uint64_t* bar, int arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(arrivals) : "memory"); }
DEV void bar_expect(uint64_t* bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory"); }
DEV void bar_arrive(uint64_t* bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory"); }
DEV void bar_arrive_at(uint64_t* bar, uint32_t rank) {
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(bar)), "r"(rank) : "memory");
}
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
DEV void box_2d_hint(uint32_t to, const CUtensorMap* map, uint64_t* bar, int x, int y, uint64_t policy) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(map), "r"(shared_address(bar)), "r"(x), "r"(y), "l"(policy)
               : "memory");
}
DEV void box_2d_to_all(uint32_t to, const CUtensorMap* map, uint64_t* bar, int x, int y, uint16_t ranks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(map), "r"(shared_address(bar)), "r"(x), "r"(y), "h"(ranks)
               : "memory");
}
DEV void box_3d(uint32_t to, const CUtensorMap* map, uint64_t* bar, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to), "l"(map), "r"(shared_address(bar)), "r"(x), "r"(y), "r"(z) : "memory");
}
DEV void store_box_2d(const CUtensorMap* map, uint32_t from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(from), "r"(x), "r"(y) : "memory");
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
DEV void stm_4(uint32_t to, uint32_t a, uint32_t b, uint32_t c, uint32_t d) { asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d) : "memory"); }
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
// Tiles in shared memory are rows of 128 bytes, swizzled, eight rows to a kilobyte. K runs along the rows:
DEV uint64_t along_k(uint32_t at) { return (uint64_t)(at >> 4 & 0x3FFF) | 1ull << 16 | 64ull << 32 | 1ull << 62; }
// K runs down the rows; the next 64 columns are `next` bytes on:
DEV uint64_t across_k(uint32_t at, uint32_t next) { return (uint64_t)(at >> 4 & 0x3FFF) | (uint64_t)(next >> 4) << 16 | 64ull << 32 | 1ull << 62; }

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
#define FEWER_REGISTERS(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";")
#define MORE_REGISTERS(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";")

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
DEV float4 load_there(uint32_t there) {
  float4 v;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(there) : "memory");
  return v;
}
DEV void store_async(uint32_t there, float v, uint32_t bar_there) { asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(there), "f"(v), "r"(bar_there) : "memory"); }
DEV float root(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#define QUAD(c, d, i) c(d[i]), c(d[(i) + 1]), c(d[(i) + 2]), c(d[(i) + 3])
DEV void mul_bf16_96(float (&d)[48], uint64_t a, uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %50, 0; wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
               "}, %48, %49, go, 1, 1, 0, 0; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4), QUAD("+f", d, 8), QUAD("+f", d, 12), QUAD("+f", d, 16), QUAD("+f", d, 20), QUAD("+f", d, 24), QUAD("+f", d, 28), QUAD("+f", d, 32), QUAD("+f", d, 36), QUAD("+f", d, 40), QUAD("+f", d, 44)
               : "l"(a), "l"(b), "r"(more));
}
DEV void mul_s8_192(int (&d)[96], uint64_t a, uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %98, 0; wgmma.mma_async.sync.aligned.m64n192k32.s32.s8.s8 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63" ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79" ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
               "}, %96, %97, go; }"
               : QUAD("+r", d, 0), QUAD("+r", d, 4), QUAD("+r", d, 8), QUAD("+r", d, 12), QUAD("+r", d, 16), QUAD("+r", d, 20), QUAD("+r", d, 24), QUAD("+r", d, 28), QUAD("+r", d, 32), QUAD("+r", d, 36), QUAD("+r", d, 40), QUAD("+r", d, 44), QUAD("+r", d, 48), QUAD("+r", d, 52), QUAD("+r", d, 56), QUAD("+r", d, 60), QUAD("+r", d, 64), QUAD("+r", d, 68), QUAD("+r", d, 72), QUAD("+r", d, 76), QUAD("+r", d, 80), QUAD("+r", d, 84), QUAD("+r", d, 88), QUAD("+r", d, 92)
               : "l"(a), "l"(b), "r"(more));
}
DEV void mul_f16_128(float (&d)[64], uint64_t a, uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
               "}, %64, %65, go, 1, 1, 0, 0; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4), QUAD("+f", d, 8), QUAD("+f", d, 12), QUAD("+f", d, 16), QUAD("+f", d, 20), QUAD("+f", d, 24), QUAD("+f", d, 28), QUAD("+f", d, 32), QUAD("+f", d, 36), QUAD("+f", d, 40), QUAD("+f", d, 44), QUAD("+f", d, 48), QUAD("+f", d, 52), QUAD("+f", d, 56), QUAD("+f", d, 60)
               : "l"(a), "l"(b), "r"(more));
}
DEV void mul_e4m3_96(float (&d)[48], uint64_t a, uint64_t b, int more) {
  asm volatile("{ .reg .pred go; setp.ne.b32 go, %50, 0; wgmma.mma_async.sync.aligned.m64n96k32.f32.e4m3.e4m3 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31" ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
               "}, %48, %49, go, 1, 1; }"
               : QUAD("+f", d, 0), QUAD("+f", d, 4), QUAD("+f", d, 8), QUAD("+f", d, 12), QUAD("+f", d, 16), QUAD("+f", d, 20), QUAD("+f", d, 24), QUAD("+f", d, 28), QUAD("+f", d, 32), QUAD("+f", d, 36), QUAD("+f", d, 40), QUAD("+f", d, 44)
               : "l"(a), "l"(b), "r"(more));
}

// ================================================================== 1: bf16, two products of the same rows (gate and up), tiles 128 x 96 of both, SwiGLU; results go through shared memory
__global__ void __launch_bounds__(288, 1) gated_pair(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap g_map, const __grid_constant__ CUtensorMap u_map, bf16* __restrict__ y, int n, int steps, float alpha) {
  constexpr int STAGES = 4, X_BYTES = 128 * 128, W_BYTES = 96 * 128, STAGE = X_BYTES + 2 * W_BYTES, PITCH = 208;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = ring_base(dynamic);
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 96, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 8);
    publish_bars();
  }
  __syncthreads();
  if (warp == 8) {
    if (lane == 0)
      for (int k = 0; k < steps; ++k) {
        const int s = k % STAGES;
        bar_wait(empty + s, k / STAGES % 2 ^ 1);
        bar_expect(full + s, STAGE);
        box_2d(ring + s * STAGE, &x_map, full + s, k * 64, m0);
        box_2d(ring + s * STAGE + X_BYTES, &g_map, full + s, k * 64, n0);
        box_2d(ring + s * STAGE + X_BYTES + W_BYTES, &u_map, full + s, k * 64, n0);
      }
    return;
  }
  const int role = warp / 4;
  float g[48], u[48];
  for (int k = 0; k < steps; ++k) {
    const int s = k % STAGES;
    bar_wait(full + s, k / STAGES % 2);
    const uint64_t x = along_k(ring + s * STAGE + role * 8192), of_g = along_k(ring + s * STAGE + X_BYTES), of_u = along_k(ring + s * STAGE + X_BYTES + W_BYTES);
    pin(g), pin(u);
    mul_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      mul_bf16_96(g, x + i * 2, of_g + i * 2, k + i > 0);
      mul_bf16_96(u, x + i * 2, of_u + i * 2, k + i > 0);
    }
    mul_commit();
    mul_wait<1>();
    if (k > 0 && lane == 0) bar_arrive(empty + (k - 1) % STAGES);
  }
  mul_wait<0>();
  pin(g), pin(u);
  auto gated = [&](int i) {
    const float v = g[i] * alpha;
    return __fdividef(v, 1 + exp_2(-1.44269504f * v)) * (u[i] * alpha);
  };
  const uint32_t staging = ring + STAGES * STAGE + role * 64 * PITCH;
  const int r_in = warp % 4 * 16 + lane % 16;
#pragma unroll
  for (int j = 0; j < 12; j += 2)
    stm_4(staging + r_in * PITCH + (j + lane / 16) * 16, two_bf16(gated(4 * j), gated(4 * j + 1)), two_bf16(gated(4 * j + 2), gated(4 * j + 3)), two_bf16(gated(4 * j + 4), gated(4 * j + 5)), two_bf16(gated(4 * j + 6), gated(4 * j + 7)));
  meet(1 + role, 128);
  const uint8_t* from = dynamic + (staging - shared_address(dynamic));
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    const int x = i * 128 + threadIdx.x % 128, r = x / 12, q = x % 12;
    *(uint4*)(y + (size_t)(m0 + role * 64 + r) * n + n0 + q * 8) = *(const uint4*)(from + r * PITCH + q * 16);
  }
}

// ================================================================== 2: int8, tile 128 x 192, scales of rows and of channels and a bias, f16 results; persistent
__global__ void __launch_bounds__(384, 1) channels_s8(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, const float* __restrict__ row_scale, const float* __restrict__ channel_scale, const float* __restrict__ bias, f16* __restrict__ c, int n, int tiles_n, int tiles, int steps, float alpha) {
  constexpr int STAGES = 5, A_BYTES = 128 * 128, STAGE = A_BYTES + 192 * 128;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = ring_base(dynamic);
  const int role = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 8);
    publish_bars();
  }
  __syncthreads();
  int s = 0;
  uint32_t parity = 0;
  if (role == 0) {
    FEWER_REGISTERS(24);
    if (threadIdx.x == 0)
      for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int m0 = t / tiles_n * 128, n0 = t % tiles_n * 192;
        for (int k = 0; k < steps; ++k) {
          bar_wait(empty + s, parity ^ 1);
          bar_expect(full + s, STAGE);
          box_2d(ring + s * STAGE, &a_map, full + s, k * 128, m0);
          box_2d(ring + s * STAGE + A_BYTES, &b_map, full + s, k * 128, n0);
          if (++s == STAGES) s = 0, parity ^= 1;
        }
      }
    return;
  }
  MORE_REGISTERS(240);
  const int lane = threadIdx.x % 32;
  int acc[96];
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    int before = 0;
    for (int k = 0; k < steps; ++k) {
      bar_wait(full + s, parity);
      const uint64_t a = along_k(ring + s * STAGE + (role - 1) * 8192), b = along_k(ring + s * STAGE + A_BYTES);
      pin(acc);
      mul_fence();
#pragma unroll
      for (int i = 0; i < 4; ++i) mul_s8_192(acc, a + i * 2, b + i * 2, k + i > 0);
      mul_commit();
      mul_wait<1>();
      if (k > 0 && lane == 0) bar_arrive(empty + before);
      before = s;
      if (++s == STAGES) s = 0, parity ^= 1;
    }
    mul_wait<0>();
    pin(acc);
    if (lane == 0) bar_arrive(empty + before);
    const int row = t / tiles_n * 128 + (threadIdx.x / 32 - 4) * 16 + lane / 4, col = t % tiles_n * 192 + lane % 4 * 2;
    const float up = row_scale[row] * alpha, low = row_scale[row + 8] * alpha;
    f16* to = c + (size_t)row * n + col;
#pragma unroll
    for (int j = 0; j < 24; ++j) {
      const float2 scale = *(const float2*)(channel_scale + col + j * 8), add = *(const float2*)(bias + col + j * 8);
      *(uint32_t*)(to + j * 8) = two_f16(fmaf((float)acc[4 * j], up * scale.x, add.x), fmaf((float)acc[4 * j + 1], up * scale.y, add.y));
      *(uint32_t*)(to + (size_t)8 * n + j * 8) = two_f16(fmaf((float)acc[4 * j + 2], low * scale.x, add.x), fmaf((float)acc[4 * j + 3], low * scale.y, add.y));
    }
  }
}

// ================================================================== 3: f16 with a long K: four blocks of a cluster share a tile of 128 x 128, a quarter of K each, sums are joined through distributed shared memory; two blocks a multiprocessor
__global__ void __launch_bounds__(288, 2) cluster_split(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, f16* __restrict__ c, int n, int steps, float alpha) {
  constexpr int STAGES = 3, STAGE = 32768, PITCH = 136 * 4;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = ring_base(dynamic), rank = cg::this_cluster().block_rank();
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x / 4 * 128, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 8);
    publish_bars();
  }
  __syncthreads();
  int s = 0;
  uint32_t parity = 0;
  float acc[64];
  if (warp == 8) {
    if (lane == 0)
      for (int k = 0; k < steps; ++k) {
        const int x = ((int)rank * steps + k) * 64;
        bar_wait(empty + s, parity ^ 1);
        bar_expect(full + s, STAGE);
        box_2d(ring + s * STAGE, &a_map, full + s, x, m0);
        box_2d(ring + s * STAGE + 16384, &b_map, full + s, x, n0);
        if (++s == STAGES) s = 0, parity ^= 1;
      }
    __syncwarp();
  } else {
    int before = 0;
    for (int k = 0; k < steps; ++k) {
      bar_wait(full + s, parity);
      const uint64_t a = along_k(ring + s * STAGE + warp / 4 * 8192), b = along_k(ring + s * STAGE + 16384);
      pin(acc);
      mul_fence();
#pragma unroll
      for (int i = 0; i < 4; ++i) mul_f16_128(acc, a + i * 2, b + i * 2, k + i > 0);
      mul_commit();
      mul_wait<1>();
      if (k > 0 && lane == 0) bar_arrive(empty + before);
      before = s;
      if (++s == STAGES) s = 0, parity ^= 1;
    }
    mul_wait<0>();
    pin(acc);
  }
  __syncthreads();  // all that was loaded is consumed: the ring's memory takes the sums
  if (warp < 8) {
    uint8_t* to = dynamic + (ring - shared_address(dynamic)) + (warp * 16 + lane / 4) * PITCH + lane % 4 * 8;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      *(float2*)(to + j * 32) = make_float2(acc[4 * j], acc[4 * j + 1]);
      *(float2*)(to + 8 * PITCH + j * 32) = make_float2(acc[4 * j + 2], acc[4 * j + 3]);
    }
  }
  cg::this_cluster().sync();
  if (warp < 8) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int r = (int)rank * 32 + i * 8 + warp;
      const uint32_t at = ring + r * PITCH + lane * 16;
      float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
      for (int from = 0; from < 4; ++from) {
        const float4 v = load_there(at_rank(at, from));
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
      *(uint2*)(c + (size_t)(m0 + r) * n + n0 + lane * 4) = make_uint2(two_f16(sum.x * alpha, sum.y * alpha), two_f16(sum.z * alpha, sum.w * alpha));
    }
  }
  cg::this_cluster().sync();  // others still read
}

// ================================================================== 4: e4m3 whose sums are promoted every 128 of K: two halves of 96 columns by turns; pairs of blocks along N share A (each loads half and multicasts it), tile 128 x 192
__global__ void __launch_bounds__(384, 1) promoted_pairs(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, bf16* __restrict__ c, int n, int steps, float alpha) {
  constexpr int STAGES = 5, A_BYTES = 128 * 128, STAGE = A_BYTES + 192 * 128;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = ring_base(dynamic), rank = cg::this_cluster().block_rank();
  const int role = threadIdx.x / 128, m0 = blockIdx.y * 128, n0 = blockIdx.x * 192;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 16);
    publish_bars();
  }
  cg::this_cluster().sync();
  int s = 0;
  uint32_t parity = 0;
  if (role == 2) {
    FEWER_REGISTERS(24);
    if (threadIdx.x == 256)
      for (int k = 0; k < steps; ++k) {
        bar_wait_cluster(empty + s, parity ^ 1);
        bar_expect(full + s, STAGE);
        box_2d_to_all(ring + s * STAGE + rank * 8192, &a_map, full + s, k * 128, m0 + rank * 64, 3);
        box_2d(ring + s * STAGE + A_BYTES, &b_map, full + s, k * 128, n0);
        if (++s == STAGES) s = 0, parity ^= 1;
      }
  } else {
    MORE_REGISTERS(240);
    const int lane = threadIdx.x % 32;
    float first[48], second[48], left[48], right[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) left[i] = right[i] = 0;
    for (int k = 0; k < steps; ++k) {
      bar_wait(full + s, parity);
      const uint64_t a = along_k(ring + s * STAGE + role * 8192), b = along_k(ring + s * STAGE + A_BYTES);
      pin(first), pin(second);
      mul_fence();
#pragma unroll
      for (int i = 0; i < 4; ++i) mul_e4m3_96(first, a + i * 2, b + i * 2, i > 0);
      mul_commit();
#pragma unroll
      for (int i = 0; i < 4; ++i) mul_e4m3_96(second, a + i * 2, b + 768 + i * 2, i > 0);
      mul_commit();
      mul_wait<1>();
      pin(first);
#pragma unroll
      for (int i = 0; i < 48; ++i) left[i] += first[i];
      mul_wait<0>();
      pin(second);
      if (lane < 2) bar_arrive_at(empty + s, lane);
#pragma unroll
      for (int i = 0; i < 48; ++i) right[i] += second[i];
      if (++s == STAGES) s = 0, parity ^= 1;
    }
    bf16* to = c + (size_t)(m0 + threadIdx.x / 32 * 16 + lane / 4) * n + n0 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 12; ++j) {
      *(uint32_t*)(to + j * 8) = two_bf16(left[4 * j] * alpha, left[4 * j + 1] * alpha);
      *(uint32_t*)(to + (size_t)8 * n + j * 8) = two_bf16(left[4 * j + 2] * alpha, left[4 * j + 3] * alpha);
      *(uint32_t*)(to + 96 + j * 8) = two_bf16(right[4 * j] * alpha, right[4 * j + 1] * alpha);
      *(uint32_t*)(to + (size_t)8 * n + 96 + j * 8) = two_bf16(right[4 * j + 2] * alpha, right[4 * j + 3] * alpha);
    }
  }
  cg::this_cluster().sync();  // no block exits while arrivals are in flight
}

// ================================================================== 5: causal attention with ALiBi by mma.sync: bf16, heads of 96, four warps of 16 queries, 64 keys at a time, two buffers by cp.async
__global__ void __launch_bounds__(128, 3) alibi_attention(const bf16* __restrict__ q, const bf16* __restrict__ k, const bf16* __restrict__ v, bf16* __restrict__ out, int length, int heads, float scale) {
  constexpr int PITCH = 208, TILE = 64 * PITCH;
  extern __shared__ __align__(128) uint8_t dynamic[];
  const uint32_t q_at = shared_address(dynamic), ring = q_at + TILE;
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, tile = gridDim.x - 1 - blockIdx.x, head = blockIdx.y;
  const size_t base = (size_t)head * length * 96;
  auto load = [&](uint32_t to, const bf16* from) {
#pragma unroll
    for (int i = 0; i < 6; ++i) {
      const int x = i * 128 + tid;
      async_16(to + x / 12 * PITCH + x % 12 * 16, from + x * 8);
    }
  };
  load(q_at, q + base + (size_t)tile * 64 * 96);
  load(ring, k + base);
  load(ring + TILE, v + base);
  async_commit();
  const float scale_2 = scale * 1.44269504f, slope = exp_2(-8.f * (head + 1) / heads) * 1.44269504f;
  const int row = tile * 64 + warp * 16 + lane / 4;
  uint32_t fq[6][4];
  float o[12][4] = {}, top[2] = {-1e30f, -1e30f}, total[2] = {0, 0};
  for (int t = 0; t <= tile; ++t) {
    if (t < tile) {
      const uint32_t to = ring + (t + 1) % 2 * 2 * TILE;
      load(to, k + base + (size_t)(t + 1) * 64 * 96);
      load(to + TILE, v + base + (size_t)(t + 1) * 64 * 96);
    }
    async_commit();
    async_wait<1>();
    __syncthreads();
    if (t == 0)
#pragma unroll
      for (int kk = 0; kk < 6; ++kk) ldm_4(fq[kk], q_at + (warp * 16 + lane % 16) * PITCH + (kk * 2 + lane / 16) * 16);
    const uint32_t k_at = ring + t % 2 * 2 * TILE + (lane / 16 * 8 + lane % 8) * PITCH + lane / 8 % 2 * 16, v_at = ring + t % 2 * 2 * TILE + TILE + lane % 16 * PITCH + lane / 16 * 16;
    float p[8][4] = {};
#pragma unroll
    for (int kk = 0; kk < 6; ++kk)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t fb[4];
        ldm_4(fb, k_at + j * 16 * PITCH + kk * 32);
        mma_bf16(p[2 * j], fq[kk], fb[0], fb[1]);
        mma_bf16(p[2 * j + 1], fq[kk], fb[2], fb[3]);
      }
    const int ahead = t * 64 + lane % 4 * 2 - row;  // of key before query, negative as a rule
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float now = top[h];
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int distance = ahead + j * 8 + e - h * 8;
          float x = fmaf(p[j][2 * h + e], scale_2, slope * (float)distance);
          if (t == tile && distance > 0) x = -1e30f;
          p[j][2 * h + e] = x;
          now = fmaxf(now, x);
        }
      now = quad_max(now);
      const float shrink = exp_2(top[h] - now);
      top[h] = now;
      float sum = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) p[j][2 * h + e] = exp_2(p[j][2 * h + e] - now), sum += p[j][2 * h + e];
      total[h] = total[h] * shrink + sum;
#pragma unroll
      for (int j = 0; j < 12; ++j) o[j][2 * h] *= shrink, o[j][2 * h + 1] *= shrink;
    }
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      const uint32_t a[4] = {two_bf16(p[2 * kk][0], p[2 * kk][1]), two_bf16(p[2 * kk][2], p[2 * kk][3]), two_bf16(p[2 * kk + 1][0], p[2 * kk + 1][1]), two_bf16(p[2 * kk + 1][2], p[2 * kk + 1][3])};
#pragma unroll
      for (int j = 0; j < 6; ++j) {
        uint32_t fb[4];
        ldm_4_turned(fb, v_at + kk * 16 * PITCH + j * 32);
        mma_bf16(o[2 * j], a, fb[0], fb[1]);
        mma_bf16(o[2 * j + 1], a, fb[2], fb[3]);
      }
    }
    __syncthreads();  // the next load takes this place
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const float share = __fdividef(1.f, quad_sum(total[h]));
    bf16* to = out + base + (size_t)(row + h * 8) * 96 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 12; ++j) *(uint32_t*)(to + j * 8) = two_bf16(o[j][2 * h] * share, o[j][2 * h + 1] * share);
  }
}

// ================================================================== 6: linear attention with a decay, by chunks of 64 tokens one after the other: the state (64 x 64) stays in registers of four warps, mma.sync f16
__global__ void __launch_bounds__(128, 2) chunk_recurrence(const f16* __restrict__ q, const f16* __restrict__ k, const f16* __restrict__ v, f16* __restrict__ out, int chunks, float scale) {
  constexpr int PITCH = 144, TILE = 64 * PITCH;
  extern __shared__ __align__(128) uint8_t dynamic[];
  const uint32_t state_at = shared_address(dynamic), ring = state_at + TILE;
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, head = blockIdx.x;
  const size_t base = (size_t)head * chunks * 4096;
  const float rate = (1 + head % 4) * (1.f / 64);  // log2 of a token's decay
  auto load = [&](int c) {
    const uint32_t to = ring + c % 2 * 3 * TILE;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int x = i * 128 + tid;
      const uint32_t at = to + x / 8 * PITCH + x % 8 * 16;
      const size_t from = base + (size_t)c * 4096 + x * 8;
      async_16(at, q + from);
      async_16(at + TILE, k + from);
      async_16(at + 2 * TILE, v + from);
    }
  };
  load(0);
  async_commit();
  for (int i = tid; i < TILE / 16; i += 128) *(uint4*)(dynamic + i * 16) = make_uint4(0, 0, 0, 0);
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  const float up = exp_2(-rate * (row + 1)) * scale, low = exp_2(-rate * (row + 9)) * scale, whole = exp_2(-rate * 64);
  __half2 weight[8];  // of eight tokens each: how much of a key is left at the chunk's end
#pragma unroll
  for (int i = 0; i < 8; ++i) weight[i] = __floats2half2_rn(exp_2(-rate * (63 - i * 8 - col)), exp_2(-rate * (62 - i * 8 - col)));
  float state[8][4] = {};
  for (int c = 0; c < chunks; ++c) {
    if (c + 1 < chunks) load(c + 1);
    async_commit();
    async_wait<1>();
    __syncthreads();
    const uint32_t q_at = ring + c % 2 * 3 * TILE, k_at = q_at + TILE, v_at = k_at + TILE;
    uint32_t fq[4][4];
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) ldm_4(fq[kk], q_at + (warp * 16 + lane % 16) * PITCH + (kk * 2 + lane / 16) * 16);
    float p[8][4] = {}, o[8][4] = {};
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t fb[4];
        ldm_4(fb, k_at + (j * 16 + lane / 16 * 8 + lane % 8) * PITCH + (kk * 2 + lane / 8 % 2) * 16);
        mma_f16(p[2 * j], fq[kk], fb[0], fb[1]);
        mma_f16(p[2 * j + 1], fq[kk], fb[2], fb[3]);
        ldm_4_turned(fb, state_at + (kk * 16 + lane % 16) * PITCH + (j * 2 + lane / 16) * 16);
        mma_f16(o[2 * j], fq[kk], fb[0], fb[1]);
        mma_f16(o[2 * j + 1], fq[kk], fb[2], fb[3]);
      }
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        o[j][e] *= e < 2 ? up : low;
        const int distance = row + e / 2 * 8 - (j * 8 + col + e % 2);
        p[j][e] = distance >= 0 ? p[j][e] * scale * exp_2(-rate * distance) : 0.f;
        state[j][e] *= whole;
      }
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      const uint32_t a[4] = {two_f16(p[2 * kk][0], p[2 * kk][1]), two_f16(p[2 * kk][2], p[2 * kk][3]), two_f16(p[2 * kk + 1][0], p[2 * kk + 1][1]), two_f16(p[2 * kk + 1][2], p[2 * kk + 1][3])};
      uint32_t fk[4];  // keys, turned: 16 of their components by 16 tokens
      ldm_4_turned(fk, k_at + (kk * 16 + lane / 16 * 8 + lane % 8) * PITCH + (warp * 2 + lane / 8 % 2) * 16);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const __half2 w = __hmul2(reinterpret_cast<__half2&>(fk[i]), weight[kk * 2 + i / 2]);
        fk[i] = reinterpret_cast<const uint32_t&>(w);
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t fb[4];
        ldm_4_turned(fb, v_at + (kk * 16 + lane % 16) * PITCH + (j * 2 + lane / 16) * 16);
        mma_f16(o[2 * j], a, fb[0], fb[1]);
        mma_f16(o[2 * j + 1], a, fb[2], fb[3]);
        mma_f16(state[2 * j], fk, fb[0], fb[1]);
        mma_f16(state[2 * j + 1], fk, fb[2], fb[3]);
      }
    }
    __syncthreads();  // the state and this chunk are read
    f16* to = out + base + (size_t)c * 4096 + row * 64 + col;
    uint8_t* keep = dynamic + row * PITCH + col * 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      *(uint32_t*)(keep + j * 16) = two_f16(state[j][0], state[j][1]);
      *(uint32_t*)(keep + 8 * PITCH + j * 16) = two_f16(state[j][2], state[j][3]);
      *(uint32_t*)(to + j * 8) = two_f16(o[j][0], o[j][1]);
      *(uint32_t*)(to + 512 + j * 8) = two_f16(o[j][2], o[j][3]);
    }
  }
}

// ================================================================== 7: convolution 3 x 3 of stride 2, channels last, 96 channels in: implicit product by mma.sync, tile 128 pixels x 96 channels x 32, cp.async ring of four with zeros at the edges; bias and ReLU
__global__ void __launch_bounds__(256, 2) conv_stride_2(const f16* __restrict__ x, const f16* __restrict__ w, const f16* __restrict__ bias, f16* __restrict__ y, int pixels, int height, int width, int channels) {
  constexpr int STAGES = 4, STAGE = 224 * 64, STEPS = 27;
  extern __shared__ __align__(128) uint8_t dynamic[];
  const uint32_t ring = shared_address(dynamic);
  const int tid = threadIdx.x, lane = tid % 32, wm = tid / 64, wn = tid / 32 % 2, m0 = blockIdx.x * 128, n0 = blockIdx.y * 96;
  const int high = height / 2, wide = width / 2;
  int top[2], left[2], origin[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int m = m0 + i * 64 + tid / 4, image = m / (high * wide), rest = m % (high * wide);
    top[i] = m < pixels ? rest / wide * 2 - 1 : -10, left[i] = rest % wide * 2 - 1;
    origin[i] = ((image * height + top[i]) * width + left[i]) * 96;
  }
  auto load = [&](int step) {
    const uint32_t to = ring + step % STAGES * STAGE;
    const int q = tid % 4, r = tid / 4, tap = step / 3, dy = tap / 3, dx = tap % 3, c = step % 3 * 32 + q * 8;
    const uint32_t turned = to + r * 64 + ((q ^ (r >> 1 & 3)) << 4);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const bool there = (unsigned)(top[i] + dy) < (unsigned)height && (unsigned)(left[i] + dx) < (unsigned)width;
      async_16_or_zero(turned + i * 4096, x + (there ? origin[i] + (dy * width + dx) * 96 + c : 0), there);
    }
    async_16(turned + 8192, w + (size_t)(n0 + r) * 864 + step * 32 + q * 8);
    if (tid < 128) async_16(turned + 12288, w + (size_t)(n0 + 64 + r) * 864 + step * 32 + q * 8);
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) load(s), async_commit();
  float acc[2][6][4] = {};
  for (int step = 0; step < STEPS; ++step) {
    async_wait<STAGES - 2>();
    __syncthreads();
    if (step + STAGES - 1 < STEPS) load(step + STAGES - 1);
    async_commit();
    const uint32_t at = ring + step % STAGES * STAGE;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t fa[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int r = wm * 32 + i * 16 + lane % 16, q = kk * 2 + lane / 16;
        ldm_4(fa[i], at + r * 64 + ((q ^ (r >> 1 & 3)) << 4));
      }
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        uint32_t fb[4];
        const int r = 128 + wn * 48 + j * 16 + lane / 16 * 8 + lane % 8, q = kk * 2 + lane / 8 % 2;
        ldm_4(fb, at + r * 64 + ((q ^ (r >> 1 & 3)) << 4));
#pragma unroll
        for (int i = 0; i < 2; ++i) mma_f16(acc[i][2 * j], fa[i], fb[0], fb[1]), mma_f16(acc[i][2 * j + 1], fa[i], fb[2], fb[3]);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    const int col = n0 + wn * 48 + j * 8 + lane % 4 * 2;
    const float2 add = __half22float2(*(const __half2*)(bias + col));
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int m = m0 + wm * 32 + i * 16 + lane / 4 + h * 8;
        if (m < pixels) *(uint32_t*)(y + (size_t)m * channels + col) = two_f16(fmaxf(acc[i][j][2 * h] + add.x, 0.f), fmaxf(acc[i][j][2 * h + 1] + add.y, 0.f));
      }
  }
}

// ================================================================== 8: a batch of bf16 matrices of 1280 columns times a vector each: 40 rows a block, five a warp, the vector in registers
__global__ void __launch_bounds__(256) gemv_batch(const uint4* __restrict__ w, const uint4* __restrict__ x, float* __restrict__ y, int rows) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, batch = blockIdx.y, r0 = blockIdx.x * 40;
  auto low = [](uint32_t v) { return __uint_as_float(v << 16); };
  auto high = [](uint32_t v) { return __uint_as_float(v & 0xFFFF0000u); };
  float xs[5][8];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    const uint4 v = x[batch * 160 + i * 32 + lane];
    xs[i][0] = low(v.x), xs[i][1] = high(v.x), xs[i][2] = low(v.y), xs[i][3] = high(v.y), xs[i][4] = low(v.z), xs[i][5] = high(v.z), xs[i][6] = low(v.w), xs[i][7] = high(v.w);
  }
#pragma unroll 1
  for (int r = warp; r < 40; r += 8) {
    const uint4* row = w + ((size_t)batch * rows + r0 + r) * 160 + lane;
    uint4 v[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) v[i] = __ldcs(row + i * 32);
    float even = 0, odd = 0;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      even = fmaf(low(v[i].x), xs[i][0], even), odd = fmaf(high(v[i].x), xs[i][1], odd);
      even = fmaf(low(v[i].y), xs[i][2], even), odd = fmaf(high(v[i].y), xs[i][3], odd);
      even = fmaf(low(v[i].z), xs[i][4], even), odd = fmaf(high(v[i].z), xs[i][5], odd);
      even = fmaf(low(v[i].w), xs[i][6], even), odd = fmaf(high(v[i].w), xs[i][7], odd);
    }
    even += odd;
#pragma unroll
    for (int d = 16; d; d /= 2) even += __shfl_xor_sync(~0u, even, d);
    if (lane == 0) y[(size_t)batch * rows + r0 + r] = even;
  }
}

// ================================================================== 9: softmax and top-p sampling of rows of 12000 that stay in registers: the threshold by 14 halvings, the token by prefix sums
DEV float sum_of_block(float v, float* sums) {  // of 512 threads
#pragma unroll
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) v += sums[i];
  return v;
}
__global__ void __launch_bounds__(512, 2) sample_top_p(const float4* __restrict__ logits, const float* __restrict__ draws, int* __restrict__ tokens, float* __restrict__ shares, int n4, float heat, float most) {
  __shared__ float sums[2][16];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const float4* row = logits + (size_t)blockIdx.x * n4;
  float p[24], top = -1e30f;
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    const int i = j * 512 + tid;
    const float4 v = i < n4 ? row[i] : make_float4(-1e30f, -1e30f, -1e30f, -1e30f);
    p[4 * j] = v.x, p[4 * j + 1] = v.y, p[4 * j + 2] = v.z, p[4 * j + 3] = v.w;
    top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
#pragma unroll
  for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  if (lane == 0) sums[0][warp] = top;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; ++i) top = fmaxf(top, sums[0][i]);
  float own = 0;
#pragma unroll
  for (int i = 0; i < 24; ++i) p[i] = exp_2((p[i] - top) * heat), own += p[i];
  const float total = sum_of_block(own, sums[1]);
  float low = 0, high = 1;
#pragma unroll 1
  for (int turn = 0; turn < 14; ++turn) {
    const float middle = (low + high) * 0.5f;
    own = 0;
#pragma unroll
    for (int i = 0; i < 24; ++i) own += p[i] >= middle ? p[i] : 0.f;
    const bool enough = sum_of_block(own, sums[turn % 2]) >= most * total;
    low = enough ? middle : low, high = enough ? high : middle;
  }
  own = 0;
#pragma unroll
  for (int i = 0; i < 24; ++i) own += p[i] >= low ? p[i] : 0.f;
  float upto = own;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += before;
  }
  if (lane == 31) sums[0][warp] = upto;
  __syncthreads();
  float kept = 0, before = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    before += i < warp ? sums[0][i] : 0.f;
    kept += sums[0][i];
  }
  const float target = draws[blockIdx.x] * kept * 0.9999f;
  float run = before + upto - own;
  if (run <= target && target < before + upto) {
    int token = -1;
    float share = 0;
#pragma unroll
    for (int i = 0; i < 24; ++i) {
      run += p[i] >= low ? p[i] : 0.f;
      if (token < 0 && run > target) token = (i / 4 * 512 + tid) * 4 + i % 4, share = p[i];
    }
    tokens[blockIdx.x] = token, shares[blockIdx.x] = __fdividef(share, total);
  }
}

// ================================================================== 10: step of a wave equation, star of 25 points: planes of 40 x 24 with their edges by cp.async into a ring of three, columns along z in registers, blocks march along z
__global__ void __launch_bounds__(256) wave_step(const float* __restrict__ u, const float* __restrict__ before, float* __restrict__ after, int nx, int ny, int nz, int depth, float strength) {
  __shared__ __align__(16) float plane[3][24][40];
  const int tid = threadIdx.x, tx = tid % 32, ty = tid / 32, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, z0 = blockIdx.z * depth;
  const int layer = nx * ny, fy = y0 - 4 + tid / 10, fx = x0 - 4 + tid % 10 * 4;
  const bool inside = tid < 240 && fy >= 0 && fy < ny && fx >= 0 && fx < nx;
  const float* from = u + (inside ? fy * nx + fx : 0);
  const uint32_t to = shared_address(&plane[0][0][0]) + tid * 16;
  auto load = [&](int z, int slot) {
    if (tid < 240) async_16_or_zero(to + slot * 3840, from + (inside && z < nz ? (size_t)z * layer : 0), inside && z < nz);
    async_commit();
  };
  load(z0, 0);
  load(z0 + 1, 1);
  const float c0 = -205.f / 24, c1 = 8.f / 5, c2 = -1.f / 5, c3 = 8.f / 315, c4 = -1.f / 560;
  float column[2][9];
  bool there[2];
  size_t at[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int y = y0 + ty + h * 8;
    there[h] = y < ny, at[h] = (size_t)(there[h] ? y : 0) * nx + x0 + tx;
#pragma unroll
    for (int i = 0; i < 8; ++i) column[h][i] = z0 - 4 + i >= 0 && z0 - 4 + i < nz ? u[at[h] + (size_t)(z0 - 4 + i) * layer] : 0.f;
  }
  int slot = 0;
  const int end = min(z0 + depth, nz);
  for (int z = z0; z < end; ++z) {
    float old[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      column[h][8] = z + 4 < nz ? u[at[h] + (size_t)(z + 4) * layer] : 0.f;
      old[h] = before[at[h] + (size_t)z * layer];
    }
    async_wait<1>();
    __syncthreads();
    load(z + 2, slot == 0 ? 2 : slot - 1);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float* p = &plane[slot][ty + h * 8 + 4][tx + 4];
      const float* c = column[h];
      float sum = c0 * c[4];
      sum = fmaf(c1, p[-1] + p[1] + p[-40] + p[40] + c[3] + c[5], sum);
      sum = fmaf(c2, p[-2] + p[2] + p[-80] + p[80] + c[2] + c[6], sum);
      sum = fmaf(c3, p[-3] + p[3] + p[-120] + p[120] + c[1] + c[7], sum);
      sum = fmaf(c4, p[-4] + p[4] + p[-160] + p[160] + c[0] + c[8], sum);
      if (there[h]) after[at[h] + (size_t)z * layer] = 2 * c[4] - old[h] + strength * sum;
#pragma unroll
      for (int i = 0; i < 8; ++i) column[h][i] = column[h][i + 1];
    }
    slot = slot == 2 ? 0 : slot + 1;
  }
}

// ================================================================== 11: two sorted arrays become one: blocks and then threads find their share by binary searches along diagonals, eight numbers a thread
__global__ void __launch_bounds__(256) merge_sorted(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out, int na, int nb) {
  __shared__ __align__(16) int keys[2048 + 16];
  __shared__ int cuts[2];
  const int tid = threadIdx.x, first = blockIdx.x * 2048, last = min(first + 2048, na + nb);
  if (tid % 32 == 0 && tid < 64) {
    const int diagonal = tid == 0 ? first : last;
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
      const int middle = (low + high) / 2;
      if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
      else high = middle;
    }
    cuts[tid / 32] = low;
  }
  __syncthreads();
  const int a0 = cuts[0], ma = cuts[1] - a0, b0 = first - a0, count = last - first, mb = count - ma;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int x = i * 256 + tid;
    if (x < count) keys[x] = x < ma ? a[a0 + x] : b[b0 + x - ma];
  }
  __syncthreads();
  const int diagonal = min(tid * 8, count);
  int low = max(0, diagonal - mb), high = min(diagonal, ma);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (keys[middle] <= keys[ma + diagonal - 1 - middle]) low = middle + 1;
    else high = middle;
  }
  int i = low, j = ma + diagonal - low, merged[8];
  int x = keys[i], y = keys[j];
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const bool of_a = j >= count || (i < ma && x <= y);
    merged[n] = of_a ? x : y;
    const int next = keys[of_a ? ++i : ++j];
    x = of_a ? next : x, y = of_a ? y : next;
  }
  __syncthreads();
  *(int4*)&keys[tid * 8] = make_int4(merged[0], merged[1], merged[2], merged[3]);
  *(int4*)&keys[tid * 8 + 4] = make_int4(merged[4], merged[5], merged[6], merged[7]);
  __syncthreads();
#pragma unroll
  for (int n = 0; n < 8; ++n)
    if (n * 256 + tid < count) out[first + n * 256 + tid] = keys[n * 256 + tid];
}

// ================================================================== 12: probes of a Bloom filter of 4 MiB before a join, three bits a key; keys that pass are packed, a ticket for each block's step
__global__ void __launch_bounds__(256) bloom_probe(const uint4* __restrict__ keys, const uint32_t* __restrict__ filter, uint32_t* __restrict__ passed, int* __restrict__ total, int n4, int mask) {
  __shared__ int counts[8], place;
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  auto set = [&](uint32_t h) { return filter[h >> 12 & mask] >> (h >> 5 & 31) & 1; };
  for (int base = blockIdx.x * 256; base < n4; base += gridDim.x * 256) {
    const int i = base + tid;
    uint32_t key[4];
    int pass = 0;
    if (i < n4) {
      const uint4 v = keys[i];
      key[0] = v.x, key[1] = v.y, key[2] = v.z, key[3] = v.w;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        bool yes = set(key[e] * 0x9E3779B1u);
        if (yes) yes = set((key[e] ^ key[e] >> 15) * 0x85EBCA6Bu);
        if (yes) yes = set((key[e] ^ key[e] >> 13) * 0xC2B2AE35u);
        pass |= (int)yes << e;
      }
    }
    int upto = __popc(pass);
    const int own = upto;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const int before = __shfl_up_sync(~0u, upto, d);
      if (lane >= d) upto += before;
    }
    if (lane == 31) counts[warp] = upto;
    __syncthreads();
    if (tid == 0) {
      int sum = 0;
#pragma unroll
      for (int w = 0; w < 8; ++w) {
        const int c = counts[w];
        counts[w] = sum, sum += c;
      }
      place = atomicAdd(total, sum);
    }
    __syncthreads();
    int to = place + counts[warp] + upto - own;
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (pass >> e & 1) passed[to++] = key[e];
    __syncthreads();
  }
}

// ================================================================== 13: Cholesky factors of many matrices 32 x 32, a warp each, a row a lane in registers; logarithms of determinants
__global__ void __launch_bounds__(128) cholesky_32(const float4* __restrict__ in, float4* __restrict__ out, float* __restrict__ logs, int count, float shift) {
  __shared__ float tiles[4][32][33];
  const int lane = threadIdx.x % 32, m = blockIdx.x * 4 + threadIdx.x / 32;
  float(*tile)[33] = tiles[threadIdx.x / 32];
  if (m >= count) return;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float4 v = in[(size_t)m * 256 + i * 32 + lane];
    float* to = &tile[i * 4 + lane / 8][lane % 8 * 4];
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  }
  __syncwarp();
  float a[32], mine = 1;
#pragma unroll
  for (int j = 0; j < 32; ++j) a[j] = tile[lane][j] + (j == lane ? shift : 0.f);
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const float pivot = __shfl_sync(~0u, a[k], k), inverse = rsqrtf(pivot), l = lane >= k ? a[k] * inverse : 0.f;
    a[k] = l;
    mine = lane == k ? pivot : mine;
#pragma unroll
    for (int j = k + 1; j < 32; ++j) a[j] = fmaf(-l, __shfl_sync(~0u, l, j), a[j]);
  }
  float log = __logf(mine);
#pragma unroll
  for (int d = 16; d; d /= 2) log += __shfl_xor_sync(~0u, log, d);
  if (lane == 0) logs[m] = log;
#pragma unroll
  for (int j = 0; j < 32; ++j) tile[lane][j] = a[j];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float* from = &tile[i * 4 + lane / 8][lane % 8 * 4];
    out[(size_t)m * 256 + i * 32 + lane] = make_float4(from[0], from[1], from[2], from[3]);
  }
}

// ================================================================== 14: bf16 becomes int4 with a scale for 32 numbers: a warp brings pieces of 16 KiB by bulk copies into a ring, eight warps pack them, results leave by bulk copies
__global__ void __launch_bounds__(288) pack_int4(const bf16* __restrict__ x, uint8_t* __restrict__ packed, bf16* __restrict__ scales, int pieces) {
  constexpr int STAGES = 4, STAGE = 16384;
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t ring = shared_address(dynamic);
  const int tid = threadIdx.x, warp = tid / 32;
  if (tid == 0) {
    for (int s = 0; s < STAGES; ++s) bar_init(full + s, 1), bar_init(empty + s, 8);
    publish_bars();
  }
  __syncthreads();
  int s = 0;
  uint32_t parity = 0;
  if (warp == 8) {
    if (tid == 256)
      for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        bar_wait(empty + s, parity ^ 1);
        bar_expect(full + s, STAGE);
        bulk_in(ring + s * STAGE, x + (size_t)piece * 8192, STAGE, full + s);
        if (++s == STAGES) s = 0, parity ^= 1;
      }
    return;
  }
  const int turned = tid / 2 + tid / 8;  // the order in which a thread takes its four words of 16 bytes: no bank conflicts
  int half = 0;
  for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    bar_wait(full + s, parity);
    uint4 raw[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) raw[i] = *(const uint4*)(dynamic + s * STAGE + tid * 64 + (i + turned & 3) * 16);
    __syncwarp();
    if (tid % 32 == 0) bar_arrive(empty + s);
    if (++s == STAGES) s = 0, parity ^= 1;
    bf16x2 most = __float2bfloat162_rn(1e-6f);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t w[4] = {raw[i].x, raw[i].y, raw[i].z, raw[i].w};
#pragma unroll
      for (int e = 0; e < 4; ++e) most = __hmax2(most, __habs2(reinterpret_cast<const bf16x2&>(w[e])));
    }
    const float top = fmaxf(__low2float(most), __high2float(most)), inverse = __fdividef(7.f, top);
    uint32_t to[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t w[4] = {raw[i].x, raw[i].y, raw[i].z, raw[i].w};
      to[i] = 0;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float a = __uint_as_float(w[e] << 16) * inverse, b = __uint_as_float(w[e] & 0xFFFF0000u) * inverse;
        to[i] |= (uint32_t)(__float2int_rn(a) + 8) << (e * 8) | (uint32_t)(__float2int_rn(b) + 8) << (e * 8 + 4);
      }
    }
    scales[(size_t)piece * 256 + tid] = __float2bfloat16(top * (1.f / 7));
    if (tid == 0) stores_read_but<1>();  // the store before the last has left
    meet(1, 256);
    uint8_t* staging = dynamic + STAGES * STAGE + half * 4096;
#pragma unroll
    for (int i = 0; i < 4; ++i) *(uint32_t*)(staging + tid * 16 + (i + turned & 3) * 4) = to[i];
    publish_shared();
    meet(1, 256);
    if (tid == 0) {
      bulk_out(packed + (size_t)piece * 4096, shared_address(staging), 4096);
      stores_commit();
    }
    half ^= 1;
  }
  if (tid == 0) stores_done();
}

// ================================================================== 15: log softmax of rows of 65536 that stay in registers: four blocks of a cluster a row; maxima and sums go to all four by st.async
__global__ void __launch_bounds__(256, 2) long_log_softmax(const float4* __restrict__ x, float4* __restrict__ y, float heat) {
  __shared__ uint64_t bars[2];
  __shared__ float tops[4], totals[4], mine[8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const uint32_t rank = cg::this_cluster().block_rank();
  if (tid == 0) {
    bar_init(bars, 1), bar_init(bars + 1, 1);
    publish_bars();
    bar_expect(bars, 16), bar_expect(bars + 1, 16);
  }
  cg::this_cluster().sync();
  const size_t base = (size_t)blockIdx.x * 4096 + tid;  // blocks of a cluster follow each other
  float4 v[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = __ldcs(x + base + i * 256);
  float top = -1e30f;
#pragma unroll
  for (int i = 0; i < 16; ++i) top = fmaxf(top, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
#pragma unroll
  for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  if (lane == 0) mine[warp] = top;
  __syncthreads();
  if (tid < 4) {
#pragma unroll
    for (int i = 0; i < 8; ++i) top = fmaxf(top, mine[i]);
    store_async(at_rank(shared_address(tops + rank), tid), top, at_rank(shared_address(bars), tid));
  }
  bar_wait_cluster(bars, 0);
  top = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3])) * heat;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    v[i].x = fmaf(v[i].x, heat, -top), v[i].y = fmaf(v[i].y, heat, -top), v[i].z = fmaf(v[i].z, heat, -top), v[i].w = fmaf(v[i].w, heat, -top);
    sum += exp_2(v[i].x) + exp_2(v[i].y) + exp_2(v[i].z) + exp_2(v[i].w);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  __syncthreads();  // the maxima of warps are read
  if (lane == 0) mine[warp] = sum;
  __syncthreads();
  if (tid < 4) {
    sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += mine[i];
    store_async(at_rank(shared_address(totals + rank), tid), sum, at_rank(shared_address(bars + 1), tid));
  }
  bar_wait_cluster(bars + 1, 0);
  const float less = __log2f(totals[0] + totals[1] + totals[2] + totals[3]), back = 0.693147181f;
#pragma unroll
  for (int i = 0; i < 16; ++i) __stcs(y + base + i * 256, make_float4((v[i].x - less) * back, (v[i].y - less) * back, (v[i].z - less) * back, (v[i].w - less) * back));
}

// ================================================================== 16: price of an Asian option by Monte Carlo: Philox, normal numbers by Box and Muller, antithetic paths of 64 steps, three a thread
DEV void philox(uint32_t (&c)[4], uint32_t k0, uint32_t k1) {
#pragma unroll
  for (int i = 0; i < 10; ++i) {
    const uint32_t h0 = __umulhi(0xD2511F53u, c[0]), l0 = 0xD2511F53u * c[0], h1 = __umulhi(0xCD9E8D57u, c[2]), l1 = 0xCD9E8D57u * c[2];
    c[0] = h1 ^ c[1] ^ k0, c[1] = l1, c[2] = h0 ^ c[3] ^ k1, c[3] = l0;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
}
__global__ void __launch_bounds__(256) asian_paths(float* __restrict__ sums, int paths, int steps, int seed, float strike, float drift, float spread) {
  __shared__ float all[8];
  const int tid = threadIdx.x;
  float sum = 0;
  for (int path = 0; path < paths; ++path) {
    float up = 1, down = 1, mean_up = 0, mean_down = 0;
    for (int step = 0; step < steps; step += 4) {
      uint32_t c[4] = {(uint32_t)(blockIdx.x * 256 + tid), (uint32_t)path, (uint32_t)step, 0};
      philox(c, (uint32_t)seed, 77);
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float u = fmaf((float)(c[2 * h] >> 8), 5.9604645e-8f, 2.9802322e-8f), turn = (float)(c[2 * h + 1] >> 8) * (5.9604645e-8f * 6.2831853f);
        const float r = root(-2 * __logf(u)), z[2] = {r * __cosf(turn), r * __sinf(turn)};
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          up *= exp_2(fmaf(spread, z[e], drift)), down *= exp_2(fmaf(-spread, z[e], drift));
          mean_up += up, mean_down += down;
        }
      }
    }
    const float each = __fdividef(1.f, (float)steps);
    sum += fmaxf(mean_up * each - strike, 0.f) + fmaxf(mean_down * each - strike, 0.f);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (tid % 32 == 0) all[tid / 32] = sum;
  __syncthreads();
  if (tid == 0) {
    sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += all[i];
    sums[blockIdx.x] = sum;
  }
}

// ================================================================== 17: gradient of an embedding of sorted tokens: the warp at a token's first place adds up all its rows (256 bf16, where they are is in memory)
__global__ void __launch_bounds__(256) embedding_gradient(const int* __restrict__ ids, const int* __restrict__ order, const uint4* __restrict__ rows, float4* __restrict__ out, int n) {
  const int lane = threadIdx.x % 32;
  int i = blockIdx.x * 8 + threadIdx.x / 32;
  if (i >= n) return;
  const int id = ids[i];
  if (i > 0 && ids[i - 1] == id) return;
  float sum[8] = {};
  do {
    const uint4 v = rows[(size_t)order[i] * 32 + lane];
    const uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[2 * e] += __uint_as_float(w[e] << 16), sum[2 * e + 1] += __uint_as_float(w[e] & 0xFFFF0000u);
    ++i;
  } while (i < n && ids[i] == id);
  out[(size_t)id * 64 + lane * 2] = make_float4(sum[0], sum[1], sum[2], sum[3]);
  out[(size_t)id * 64 + lane * 2 + 1] = make_float4(sum[4], sum[5], sum[6], sum[7]);
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
// Launches; true if results are to be checked. When listing: prints the launch as TOML.
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
    snprintf(row, sizeof row, "# %s,%s,%u %u %u,%u %u %u,%zu,%d,,,,,,%s\n", name, name, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, cluster, numbers.c_str());
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
  config.attrs = &attribute, config.numAttrs = cluster > 1;
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
static float number(int8_t v) { return v; }
static float number(int v) { return v; }
static float number(e4m3 v) { return (float)v; }
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
static std::vector<int> permutation(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  for (int i = n - 1; i > 0; --i) std::swap(v[i], v[draw() % (i + 1)]);
  return v;
}
// a number between -1 and 1, more of them near 0
static float smooth(size_t i) { return (float)((words[i] & 0xFFFF) + (words[i] >> 16)) / 65536.f - 1; }
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
    uint64_t state = 20270117;
    for (size_t i = 0; i < COUNT; ++i) {
      uint64_t z = (state += 0x9E3779B97F4A7C15ull);
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull, z ^= z >> 31;
      words[i] = (uint32_t)z, level[i] = (z >> 40) % 7;
    }
  }
  bf16* brains = fill<bf16>([](float v) { return __float2bfloat16(v); });
  float* floats = fill<float>([](float v) { return v; });
  f16* halves = fill<f16>([](float v) { return __float2half(v); });
  int8_t* bytes = fill<int8_t>([](float v) { return (int8_t)(v * 2); });
  e4m3* eighths = fill<e4m3>([](float v) { return e4m3(v); });
  float* logs = fill<float>([](float v) { return 8 + 0.25f * v; });
  bf16* brains_3 = big_of(brains);
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
  auto map_f = [&](const float* p, std::vector<uint64_t> shape, std::vector<uint32_t> box, bool swizzle) { return boxes("f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, (void*)p, shape, box, swizzle); };
  f16* out_h = (f16*)out;
  bf16* out_b = (bf16*)out;
  auto map_s = [&](const int8_t* p, std::vector<uint64_t> shape, std::vector<uint32_t> box) { return boxes("u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, (void*)p, shape, box, true); };
#define RUN(name, ...) clear(#name); if (launch(#name, name, __VA_ARGS__))

  // what memory holds where it decides addresses or branches, the same in each turn
  std::vector<float> smooths;
  std::vector<int> left, right, ids, order;
  if (!listing) {
    smooths.resize(COUNT);
    for (size_t i = 0; i < COUNT; ++i) smooths[i] = smooth(i);
    if (wanted("merge_sorted")) left = ascending(2100000, 1 << 30), right = ascending(1900000, 1 << 30);
    if (wanted("embedding_gradient")) ids = ascending(100000, 29999), order = permutation(100000);
  }
  std::vector<float> draws(250);
  for (float& u : draws) u = (draw() >> 8) / 16777216.f;
  const float* smooths_d = table(smooths);
  const float* draws_d = table(draws);
  const int *left_d = table(left), *right_d = table(right), *ids_d = table(ids), *order_d = table(order);

  for (turn_now = 0; turn_now < turns; ++turn_now) {
    {  // 1
      const size_t G0 = 3 << 20;
      auto x = map_b(brains, {1216, 1792}, {64, 128}), g = map_b(brains + G0, {1216, 2112}, {64, 96}), u = map_b(brains + HALF, {1216, 2112}, {64, 96});
      RUN(gated_pair, dim3(22, 14), 288, 1024 + 4 * 40960 + 128 * 208, 1, x, g, u, out_b, 2112, 19, 0.03125f)
      check<bf16>("gated_pair", out, (size_t)1792 * 2112, 1.5e-2, 5e-3, [&](size_t i) {
        const double a = product(i / 2112 * 1216, G0 + i % 2112 * 1216, 1216) * 0.03125, b = product(i / 2112 * 1216, HALF + i % 2112 * 1216, 1216) * 0.03125;
        return a / (1 + std::exp(-a)) * b;
      });
    }
    {  // 2
      auto a = map_s(bytes, {1536, 1920}, {128, 128}), b = map_s(bytes + HALF, {1536, 2688}, {128, 192});
      RUN(channels_s8, 132, 384, 1024 + 5 * 40960, 1, a, b, floats + 111, floats + 4096, floats + 9000, out_h, 2688, 14, 210, 12, 0.015625f)
      check<f16>("channels_s8", out, (size_t)1920 * 2688, 2e-3, 1e-2, [&](size_t i) {
        const size_t row = i / 2688, col = i % 2688;
        return 4 * product(row * 1536, HALF + col * 1536, 1536) * val(111 + row) * val(4096 + col) * 0.015625 + val(9000 + col);
      });
    }
    {  // 3
      auto a = map_h(halves, {5120, 768}, {64, 128}), b = map_h(halves + HALF, {5120, 1280}, {64, 128});
      RUN(cluster_split, dim3(40, 6), 288, 1024 + 3 * 32768, 4, a, b, out_h, 1280, 20, 0.25f)
      check<f16>("cluster_split", out, (size_t)768 * 1280, 2e-3, 1e-2, [&](size_t i) { return product(i / 1280 * 5120, HALF + i % 1280 * 5120, 5120) * 0.25; });
    }
    {  // 4
      auto a = map_e(eighths, {2048, 1536}, {128, 64}), b = map_e(eighths + HALF, {2048, 1920}, {128, 192});
      RUN(promoted_pairs, dim3(10, 12), 384, 1024 + 5 * 40960, 2, a, b, out_b, 1920, 16, 0.25f)
      check<bf16>("promoted_pairs", out, (size_t)1536 * 1920, 1e-2, 2e-2, [&](size_t i) { return product(i / 1920 * 2048, HALF + i % 1920 * 2048, 2048) * 0.25; });
    }
    {  // 5
      const size_t T = 1600, HEADS = 18, K0 = 5 << 20, V0 = 10 << 20;
      RUN(alibi_attention, dim3(25, 18), 128, 5 * 64 * 208, 1, brains, brains + K0, brains + V0, out_b, 1600, 18, 0.10206207f)
      check<bf16>("alibi_attention", out, HEADS * T * 96, 2e-2, 1e-2, [&](size_t i) {
        const size_t h = i / (T * 96), base = h * T * 96, t = i / 96 % T;
        double s = 0, total = 0;
        for (size_t n = 0; n <= t; ++n) {
          const double p = std::exp(product(base + t * 96, K0 + base + n * 96, 96) * 0.10206207 - std::exp2(-8.0 * (h + 1) / 18) * (double)(t - n));
          total += p, s += p * val(V0 + base + n * 96 + i % 96);
        }
        return s / total;
      });
    }
    {  // 6
      RUN(chunk_recurrence, 200, 128, 7 * 64 * 144, 1, halves_3, halves_3 + COUNT, halves_3 + 2 * COUNT, out_h, 16, 0.125f)
      check<f16>("chunk_recurrence", out, (size_t)200 * 65536, 1e-2, 4e-2, [&](size_t i) {
        const size_t h = i / 65536, t = i / 64 % 1024;
        double s = 0;
        for (size_t j = 0; j <= t; ++j) {
          double dot = 0;
          for (size_t e = 0; e < 64; ++e) dot += val(big_at(h * 65536 + t * 64 + e)) * val(big_at(COUNT + h * 65536 + j * 64 + e));
          s += std::exp2(-(1.0 + h % 4) / 64 * (double)(t - j)) * dot * 0.125 * val(big_at(2 * COUNT + h * 65536 + j * 64 + i % 64));
        }
        return s;
      });
    }
    {  // 7: 44 images of 56 x 56
      const size_t W0 = 14000000, B0 = 14500000;
      RUN(conv_stride_2, dim3(270, 2), 256, 4 * 224 * 64, 1, halves, halves + W0, halves + B0, out_h, 34496, 56, 56, 192)
      check<f16>("conv_stride_2", out, (size_t)34496 * 192, 2e-3, 2e-2, [&](size_t i) {
        const int m = (int)(i / 192), o = (int)(i % 192), image = m / 784, oy = m / 28 % 28, ox = m % 28;
        double s = val(B0 + o);
        for (int tap = 0; tap < 9; ++tap) {
          const int y = oy * 2 - 1 + tap / 3, x = ox * 2 - 1 + tap % 3;
          if (y >= 0 && y < 56 && x >= 0 && x < 56) s += product(((size_t)(image * 56 + y) * 56 + x) * 96, W0 + o * 864 + tap * 96, 96);
        }
        return std::max(0.0, s);
      });
    }
    RUN(gemv_batch, dim3(21, 44), 256, 0, 1, (const uint4*)brains_3, (const uint4*)(brains + 5000000), out, 840)
    check<float>("gemv_batch", out, 44 * 840, 1e-3, 1e-2, [&](size_t i) {
      double s = 0;
      for (size_t c = 0; c < 1280; ++c) s += val(big_at(i * 1280 + c)) * val(5000000 + i / 840 * 1280 + c);
      return s;
    });
    RUN(sample_top_p, 250, 512, 0, 1, (const float4*)smooths_d, draws_d, (int*)out, more, 3000, 6 * 1.44269504f, 0.9f) {
      const std::vector<int> tokens = fetch<int>(out, 250);
      const std::vector<float> shares = fetch<float>(more, 250);
      bool right = true;
      for (size_t row = 0; row < 250 && right; row += 3) {
        std::vector<double> p(12000);
        double top = -9, total = 0, low = 0, high = 1, kept = 0, run = 0;
        for (size_t i = 0; i < 12000; ++i) top = std::max(top, (double)smooths[row * 12000 + i]);
        for (size_t i = 0; i < 12000; ++i) p[i] = std::exp((smooths[row * 12000 + i] - top) * 6), total += p[i];
        for (int turn = 0; turn < 14; ++turn) {
          double sum = 0, middle = (low + high) / 2;
          for (double x : p) sum += x >= middle ? x : 0;
          (sum >= 0.9 * total ? low : high) = middle;
        }
        for (double x : p) kept += x >= low ? x : 0;
        const int token = tokens[row];
        right = token >= 0 && token < 12000;
        if (!right) break;
        // in the order of threads, 24 numbers each
        for (int t = 0; t < 512; ++t)
          for (int i = 0; i < 24; ++i) {
            const int at = (i / 4 * 512 + t) * 4 + i % 4;
            if (at >= 12000) continue;
            const double x = p[at] >= low ? p[at] : 0, target = draws[row] * kept * 0.9999;
            if (at == token) right = p[at] >= low * 0.999 && target >= run - 0.002 * kept && target <= run + x + 0.002 * kept;
            run += x;
          }
        right = right && near(shares[row], p[token] / total, 1e-3, 1e-7);
      }
      judge("sample_top_p", right);
    }
    {  // 10
      const int X = 352, Y = 200, Z = 160;
      RUN(wave_step, dim3(11, 13, 4), 256, 0, 1, floats, logs, out, X, Y, Z, 40, 0.05f)
      check<float>("wave_step", out, (size_t)X * Y * Z, 1e-4, 1e-3, [&](size_t i) {
        const int x = i % X, y = i / X % Y, z = i / X / Y;
        auto at = [&](int x, int y, int z) { return x < 0 || y < 0 || z < 0 || x >= X || y >= Y || z >= Z ? 0.0 : val(((size_t)z * Y + y) * X + x); };
        const double c[5] = {-205.0 / 24, 1.6, -0.2, 8.0 / 315, -1.0 / 560};
        double s = c[0] * val(i);
        for (int d = 1; d <= 4; ++d) s += c[d] * (at(x - d, y, z) + at(x + d, y, z) + at(x, y - d, z) + at(x, y + d, z) + at(x, y, z - d) + at(x, y, z + d));
        return 2 * val(i) - (8 + 0.25 * val(i)) + 0.05 * s;
      });
    }
    RUN(merge_sorted, (4000000 + 2047) / 2048, 256, 0, 1, Holds{left_d, "{ holds = { sorted = [0, 1073741825], count = 2100000 } }"}, Holds{right_d, "{ holds = { sorted = [0, 1073741825], count = 1900000 } }"}, (int*)out, 2100000, 1900000) {
      std::vector<int> want(4000000);
      std::merge(left.begin(), left.end(), right.begin(), right.end(), want.begin());
      judge("merge_sorted", want == fetch<int>(out, 4000000));
    }
    {  // 12
      const size_t K0 = 4 << 20;
      const char* any = "{ holds = { range = [0, 4294967296], type = \"u32\" } }";
      RUN(bloom_probe, 528, 256, 0, 1, Holds{ints + (listing ? 0 : K0), any}, Holds{ints, any}, (uint32_t*)out, (int*)more, 1500000, (1 << 20) - 1) {
        const int total = fetch<int>(more, 1)[0];
        auto set = [&](uint32_t h) { return words[h >> 12] >> (h >> 5 & 31) & 1; };
        std::vector<uint32_t> want, got = fetch<uint32_t>(out, 6000000);
        for (size_t i = 0; i < 6000000; ++i) {
          const uint32_t key = words[K0 + i];
          if (set(key * 0x9E3779B1u) && set((key ^ key >> 15) * 0x85EBCA6Bu) && set((key ^ key >> 13) * 0xC2B2AE35u)) want.push_back(key);
        }
        printf("# %zu of 6000000 keys pass\n", want.size());
        got.resize(std::max(0, std::min(6000000, total)));
        std::sort(want.begin(), want.end()), std::sort(got.begin(), got.end());
        judge("bloom_probe", want == got);
      }
    }
    RUN(cholesky_32, 2250, 128, 0, 1, (const float4*)floats, (float4*)out, more, 9000, 24.f) {
      auto factor = [&](size_t m, double (&l)[32][32]) {
        double logs = 0;
        for (int i = 0; i < 32; ++i)
          for (int j = 0; j <= i; ++j) {
            double s = val(m * 1024 + i * 32 + j) + (i == j ? 24 : 0);
            for (int k = 0; k < j; ++k) s -= l[i][k] * l[j][k];
            l[i][j] = i == j ? std::sqrt(s) : s / l[j][j];
            if (i == j) logs += std::log(s);
          }
        return logs;
      };
      check<float>("cholesky_32 logs", more, 9000, 1e-3, 1e-3, [&](size_t i) {
        double l[32][32];
        return factor(i, l);
      });
      check<float>("cholesky_32", out, (size_t)9000 * 1024, 1e-3, 1e-3, [&](size_t i) {
        double l[32][32] = {};
        factor(i / 1024, l);
        return l[i / 32 % 32][i % 32];
      });
    }
    RUN(pack_int4, 396, 288, 4 * 16384 + 2 * 4096, 1, brains_3, (uint8_t*)out, (bf16*)more, 5000) {
      auto top = [&](size_t group) {
        double most = 1e-6;
        for (size_t i = group * 32; i < group * 32 + 32; ++i) most = std::max(most, std::fabs(val(big_at(i))));
        return most;
      };
      check<bf16>("pack_int4 scales", more, (size_t)5000 * 256, 1e-2, 0, [&](size_t i) { return top(i) / 7; });
      const std::vector<uint8_t> got = fetch<uint8_t>(out, (size_t)5000 * 4096);
      bool right = true;
      for (size_t s = 0; s < 100000 && right; ++s) {
        const size_t i = s == 0 ? 40959999 : s * 2654435761ull % 40960000;
        right = near((got[i / 2] >> (i % 2 * 4) & 15) - 8, val(big_at(i)) / top(i / 32) * 7, 0, 0.51);
      }
      judge("pack_int4", right);
    }
    {  // 15
      std::vector<double> less(200, 0);  // of rows, once each
      RUN(long_log_softmax, 800, 256, 0, 4, (const float4*)smooths_d, (float4*)out, 4 * 1.44269504f)
      check<float>("long_log_softmax", out, (size_t)200 * 65536, 1e-4, 1e-3, [&](size_t i) {
        double& sum = less[i / 65536];
        if (sum == 0)
          for (size_t j = i / 65536 * 65536, n = 0; n < 65536; ++n, ++j) sum += std::exp(4.0 * smooths[j]);
        return 4.0 * smooths[i] - std::log(sum);
      });
    }
    RUN(asian_paths, 792, 256, 0, 1, out, 3, 64, 20270117, 1.f, 0.0005f, 0.03f)
    check<float>("asian_paths", out, 792, 2e-3, 1e-2, [&](size_t block) {
      double sum = 0;
      for (uint32_t thread = 0; thread < 256; ++thread)
        for (uint32_t path = 0; path < 3; ++path) {
          double up = 1, down = 1, mean_up = 0, mean_down = 0;
          for (uint32_t step = 0; step < 64; step += 4) {
            uint32_t c[4] = {(uint32_t)block * 256 + thread, path, step, 0}, k0 = 20270117u, k1 = 77;
            for (int i = 0; i < 10; ++i) {
              const uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
              c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0, c[1] = (uint32_t)b, c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1, c[3] = (uint32_t)a;
              k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
            }
            for (int h = 0; h < 2; ++h) {
              const double u = ((c[2 * h] >> 8) + 0.5) / 16777216, turn = (c[2 * h + 1] >> 8) / 16777216.0 * 6.28318530718, r = std::sqrt(-2 * std::log(u));
              for (int e = 0; e < 2; ++e) {
                const double z = r * (e ? std::sin(turn) : std::cos(turn));
                up *= std::exp2(0.03f * z + 0.0005f), down *= std::exp2(-0.03f * z + 0.0005f), mean_up += up, mean_down += down;
              }
            }
          }
          sum += std::max(0.0, mean_up / 64 - 1) + std::max(0.0, mean_down / 64 - 1);
        }
      return sum;
    }, 6);
    RUN(embedding_gradient, 12500, 256, 0, 1, Holds{ids_d, "{ holds = { sorted = [0, 30000], count = 100000 } }"}, Holds{order_d, "{ holds = { permutation = 100000 } }"}, (const uint4*)brains_3, (float4*)out, 100000)
    check<float>("embedding_gradient", out, (size_t)30000 * 256, 1e-3, 1e-3, [&](size_t i) {
      const auto [a, b] = std::equal_range(ids.begin(), ids.end(), (int)(i / 256));
      double s = 0;
      for (auto p = a; p != b; ++p) s += val(big_at((size_t)order[p - ids.begin()] * 256 + i % 256));
      return s;
    });
  }
  if (listing) printf("# name,kernel,grid,block,dynamic_shared,cluster,registers,cycles,nanoseconds,instructions,dram_bytes,arguments\n%s", rows.c_str());
  else printf("%d launches, %d wrong\n", launches, wrongs);
  fflush(stdout);
  _exit(wrongs != 0);
}
