// 18 launches of other current code that test the predictor. Usage: cuda (run all, check), cuda list (print launches as TOML, needs no GPU).
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace cg = cooperative_groups;
using bf16 = __nv_bfloat16;

// ------------------------------------------------------------------ small PTX helpers
__device__ __forceinline__ uint32_t smem_addr(const void* ptr) { return (uint32_t)__cvta_generic_to_shared(ptr); }

__device__ __forceinline__ void ldsm_x4(uint32_t& r0, uint32_t& r1, uint32_t& r2, uint32_t& r3, uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr) : "memory");
}
__device__ __forceinline__ void ldsm_x4_trans(uint32_t& r0, uint32_t& r1, uint32_t& r2, uint32_t& r3, uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr) : "memory");
}
__device__ __forceinline__ void cp16(uint32_t dst, const void* src) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(dst), "l"(src) : "memory"); }
__device__ __forceinline__ void cp4(uint32_t dst, const void* src, int bytes) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory"); }
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

struct Barrier {
  uint64_t word;
  __device__ __forceinline__ void init(int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_addr(this)), "r"(count) : "memory"); }
  __device__ __forceinline__ void expect_bytes(uint32_t n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_addr(this)), "r"(n) : "memory"); }
  __device__ __forceinline__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem_addr(this)) : "memory"); }
  __device__ __forceinline__ void arrive_remote(uint32_t cta) {
    asm volatile("{\n.reg .b32 ra;\nmapa.shared::cluster.u32 ra, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [ra];\n}" ::"r"(smem_addr(this)), "r"(cta) : "memory");
  }
  __device__ __forceinline__ void wait(uint32_t phase) {
    asm volatile(
        "{\n.reg .pred ready;\nWAIT_%=:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 ready, [%0], %1;\n@ready bra DONE_%=;\nbra WAIT_%=;\nDONE_%=:\n}" ::"r"(smem_addr(this)),
        "r"(phase)
        : "memory");
  }
};
__device__ __forceinline__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void tma_load(uint32_t dst, const CUtensorMap& map, Barrier& bar, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(dst), "l"(&map), "r"(smem_addr(&bar)), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void tma_load_multicast(uint32_t dst, const CUtensorMap& map, Barrier& bar, int x, int y, uint16_t ctas) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(dst), "l"(&map), "r"(smem_addr(&bar)), "r"(x), "r"(y), "h"(ctas)
               : "memory");
}
__device__ __forceinline__ void tma_store(const CUtensorMap& map, uint32_t src, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(src), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ void bulk_wait_all() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__device__ __forceinline__ void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wg_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wg_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
template <class T, int N> __device__ __forceinline__ void keep(T (&d)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if constexpr (std::is_same_v<T, int>) asm volatile("" : "+r"(d[i])::"memory");
    else asm volatile("" : "+f"(d[i])::"memory");
  }
}
// Descriptor of a K-major tile whose rows are 128 bytes, swizzle 128.
__device__ __forceinline__ uint64_t kmajor(uint32_t addr) {
  uint64_t desc = 0;
  desc |= (uint64_t)((addr & 0x3FFFF) >> 4);
  desc |= (uint64_t)1 << 16;
  desc |= (uint64_t)(1024 >> 4) << 32;
  desc |= (uint64_t)1 << 62;
  return desc;
}
__device__ __forceinline__ uint32_t round1k(const void* p) { return (smem_addr(p) + 1023u) / 1024u * 1024u; }

// wgmma with K-major operands
__device__ __forceinline__ void wgmma_f16_n192(float (&d)[96], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %98, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95}, %96, %97, p, 1, 1, 0, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_bf16_n192(float (&d)[96], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %98, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95}, %96, %97, p, 1, 1, 0, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_bf16_n128(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_e4m3_n128(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
    : "l"(a), "l"(b), "r"(accumulate));
}
// ------------------------------------------------------------------ pieces that several kernels use
__device__ __forceinline__ void stsm_x4(uint32_t addr, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(addr), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ __forceinline__ void cp16z(uint32_t dst, const void* src, int bytes) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory"); }
__device__ __forceinline__ void named_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ void named_arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ uint32_t pack_bf16(float lo, float hi) {
  __nv_bfloat162 v = __floats2bfloat162_rn(lo, hi);
  return *(uint32_t*)&v;
}
__device__ __forceinline__ uint32_t pack_f16(float lo, float hi) {
  __half2 v = __floats2half2_rn(lo, hi);
  return *(uint32_t*)&v;
}
__device__ __forceinline__ void tma_load_3d(uint32_t dst, const CUtensorMap& map, Barrier& bar, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(dst), "l"(&map), "r"(smem_addr(&bar)), "r"(x), "r"(y), "r"(z) : "memory");
}
__device__ __forceinline__ void mma_f16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// The sums of 64 rows by 8 * BLOCKS columns of a warpgroup go to tiles of 64 columns (128-byte rows, swizzled) in shared memory.
template <bool BRAIN, int N> __device__ __forceinline__ void sums_to_tiles(const float (&acc)[N], uint32_t tiles, uint32_t tile_bytes, int row0) {
  const int lane = threadIdx.x % 32, row = row0 + threadIdx.x / 32 % 4 * 16 + (lane & 15);
#pragma unroll
  for (int j = 0; j < N / 4; j += 2) {
    const int col = j + (lane >> 4);
    const uint32_t addr = tiles + col / 8 * tile_bytes + row * 128 + (((col & 7) ^ (row & 7)) << 4);
    if constexpr (BRAIN) stsm_x4(addr, pack_bf16(acc[4 * j], acc[4 * j + 1]), pack_bf16(acc[4 * j + 2], acc[4 * j + 3]), pack_bf16(acc[4 * j + 4], acc[4 * j + 5]), pack_bf16(acc[4 * j + 6], acc[4 * j + 7]));
    else stsm_x4(addr, pack_f16(acc[4 * j], acc[4 * j + 1]), pack_f16(acc[4 * j + 2], acc[4 * j + 3]), pack_f16(acc[4 * j + 4], acc[4 * j + 5]), pack_f16(acc[4 * j + 6], acc[4 * j + 7]));
  }
}

// ------------------------------------------------------------------ 1: f16, tile 64 x 192, a warpgroup that feeds itself with one product in flight; stmatrix and TMA store
__global__ void __launch_bounds__(128, 2) wide_store(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const __grid_constant__ CUtensorMap mapC, int kts) {
  constexpr int SLOTS = 3, A_BYTES = 8192, SLOT = A_BYTES + 24576;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS];
  const uint32_t base = round1k(raw);
  const int m0 = blockIdx.x * 64, n0 = blockIdx.y * 192;
  const bool leader = threadIdx.x == 0;
  auto fetch = [&](int kt, int s) {
    filled[s].expect_bytes(SLOT);
    tma_load(base + s * SLOT, mapA, filled[s], kt * 64, m0);
    tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], kt * 64, n0);
  };
  if (leader) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1);
    fence_init();
    for (int kt = 0; kt < SLOTS && kt < kts; ++kt) fetch(kt, kt);
  }
  __syncthreads();
  float acc[96];
  int s = 0, before = SLOTS - 1;
  uint32_t phase = 0;
  for (int kt = 0; kt < kts; ++kt) {
    filled[s].wait(phase);
    const uint64_t da = kmajor(base + s * SLOT), db = kmajor(base + s * SLOT + A_BYTES);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_f16_n192(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
    wg_commit();
    wg_wait<1>();
    __syncthreads();  // the step before is over in all warps
    if (leader && kt > 0 && kt - 1 + SLOTS < kts) fetch(kt - 1 + SLOTS, before);
    before = s;
    if (++s == SLOTS) s = 0, phase ^= 1;
  }
  wg_wait<0>();
  keep(acc);
  __syncthreads();
  sums_to_tiles<false>(acc, base, 8192, 0);
  fence_async();
  __syncthreads();
  if (leader) {
    for (int t = 0; t < 3; ++t) tma_store(mapC, base + t * 8192, n0 + t * 64, m0);
    bulk_commit();
    bulk_wait_all();
  }
}

// ------------------------------------------------------------------ 2: ping-pong: two warpgroups take tiles of 128 x 128 in turn, one multiplies while the other stores by TMA; persistent
__global__ void __launch_bounds__(384, 1) ping_pong(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const __grid_constant__ CUtensorMap mapC, int tiles, int tiles_m, int kts) {
  constexpr int SLOTS = 4, A_BYTES = 16384, SLOT = 2 * A_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(4);
    fence_init();
  }
  __syncthreads();
  const int group = threadIdx.x / 128;
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 256) {
      int s = 0;
      uint32_t phase = 1;
      for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int m0 = t % tiles_m * 128, n0 = t / tiles_m * 128;
        for (int kt = 0; kt < kts; ++kt) {
          freed[s].wait(phase);
          filled[s].expect_bytes(SLOT);
          tma_load(base + s * SLOT, mapA, filled[s], kt * 64, m0);
          tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], kt * 64, n0);
          if (++s == SLOTS) s = 0, phase ^= 1;
        }
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const uint32_t staging = base + SLOTS * SLOT + group * 32768;
  const bool leader = threadIdx.x % 128 == 0, chief = threadIdx.x % 32 == 0;
  float lo[64], hi[64];
  int index = group;
  for (int t = blockIdx.x + group * gridDim.x; t < tiles; t += 2 * gridDim.x, index += 2) {
    const int first = index * kts;
    int s = first % SLOTS;
    uint32_t phase = first / SLOTS & 1;
    if (index > 0) named_sync(1 + group, 256);  // my turn to multiply
    int before = -1;
    for (int kt = 0; kt < kts; ++kt) {
      filled[s].wait(phase);
      const uint64_t da = kmajor(base + s * SLOT), db = kmajor(base + s * SLOT + A_BYTES);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) {
        wgmma_bf16_n128(lo, da + 2 * kk, db + 2 * kk, kt + kk > 0);
        wgmma_bf16_n128(hi, da + 512 + 2 * kk, db + 2 * kk, kt + kk > 0);
      }
      wg_commit();
      wg_wait<1>();
      if (chief && before >= 0) freed[before].arrive();
      before = s;
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    if (t + (int)gridDim.x < tiles) named_arrive(2 - group, 256);
    wg_wait<0>();
    keep(lo);
    keep(hi);
    if (chief) freed[before].arrive();
    if (leader) bulk_wait_read<0>();
    named_sync(3 + group, 128);
    sums_to_tiles<true>(lo, staging, 16384, 0);
    sums_to_tiles<true>(hi, staging, 16384, 64);
    fence_async();
    named_sync(3 + group, 128);
    if (leader) {
      tma_store(mapC, staging, t / tiles_m * 128, t % tiles_m * 128);
      tma_store(mapC, staging + 16384, t / tiles_m * 128 + 64, t % tiles_m * 128);
      bulk_commit();
    }
  }
  if (leader) bulk_wait_all();
}

// ------------------------------------------------------------------ 3: pairs of blocks along N share A by multicast of halves; tile 128 x 192, two consumers, epilogue through the ring's memory and TMA
__global__ void __launch_bounds__(384, 1) multicast_a(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const __grid_constant__ CUtensorMap mapC, int kts) {
  constexpr int SLOTS = 5, A_BYTES = 16384, SLOT = A_BYTES + 24576;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw), rank = cg::this_cluster().block_rank();
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 192, group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(16);
    fence_init();
  }
  cg::this_cluster().sync();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      int s = 0;
      uint32_t phase = 1;
      for (int kt = 0; kt < kts; ++kt) {
        freed[s].wait(phase);  // in both blocks
        filled[s].expect_bytes(SLOT);
        tma_load_multicast(base + s * SLOT + rank * 8192, mapA, filled[s], kt * 64, m0 + rank * 64, 3);
        tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], kt * 64, n0);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float acc[96];
    int s = 0, before = -1;
    uint32_t phase = 0;
    for (int kt = 0; kt < kts; ++kt) {
      filled[s].wait(phase);
      const uint64_t da = kmajor(base + s * SLOT + (group - 1) * 8192), db = kmajor(base + s * SLOT + A_BYTES);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n192(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
      wg_commit();
      wg_wait<1>();
      if (threadIdx.x % 32 < 2 && before >= 0) freed[before].arrive_remote(threadIdx.x % 32);
      before = s;
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    wg_wait<0>();
    keep(acc);
    named_sync(1, 256);
    sums_to_tiles<true>(acc, base, 16384, (group - 1) * 64);
    fence_async();
    named_sync(1, 256);
    if (threadIdx.x == 128) {
      for (int t = 0; t < 3; ++t) tma_store(mapC, base + t * 16384, n0 + t * 64, m0);
      bulk_commit();
      bulk_wait_all();
    }
  }
  cg::this_cluster().sync();  // no block exits while arrivals are in flight
}

// ------------------------------------------------------------------ 4: stream-K: every block gets the same number of K steps; pieces that don't begin a tile go to a workspace, the tile's first block waits for them
__global__ void __launch_bounds__(288, 1) stream_k(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, float* __restrict__ C, float* workspace, uint32_t* flags, int N, int kts, int tiles_n, int total, int per) {
  constexpr int SLOTS = 6, A_BYTES = 16384, SLOT = 2 * A_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int begin = blockIdx.x * per, end = min(total, begin + per), tid = threadIdx.x;
  if (tid == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(8);
    fence_init();
  }
  __syncthreads();
  int s = 0;
  if (tid >= 256) {
    if (tid == 256) {
      uint32_t phase = 1;
      for (int it = begin; it < end; ++it) {
        const int tile = it / kts, k = it % kts * 64;
        freed[s].wait(phase);
        filled[s].expect_bytes(SLOT);
        tma_load(base + s * SLOT, mapA, filled[s], k, tile / tiles_n * 128);
        tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], k, tile % tiles_n * 128);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    }
    return;
  }
  uint32_t phase = 0;
  const int group = tid / 128;
  for (int it = begin; it < end;) {
    const int tile = it / kts, k0 = it % kts, k1 = min(kts, k0 + end - it);
    float acc[64];
    int before = -1;
    for (int k = k0; k < k1; ++k) {
      filled[s].wait(phase);
      const uint64_t da = kmajor(base + s * SLOT + group * 8192), db = kmajor(base + s * SLOT + A_BYTES);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(acc, da + 2 * kk, db + 2 * kk, k > k0 || kk > 0);
      wg_commit();
      wg_wait<1>();
      if (tid % 32 == 0 && before >= 0) freed[before].arrive();
      before = s;
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    wg_wait<0>();
    keep(acc);
    if (tid % 32 == 0) freed[before].arrive();
    it += k1 - k0;
    if (k0 > 0) {  // a piece for the tile's first block
      float4* w = (float4*)workspace + (size_t)blockIdx.x * 4096 + tid;
#pragma unroll
      for (int i = 0; i < 16; ++i) w[i * 256] = make_float4(acc[4 * i], acc[4 * i + 1], acc[4 * i + 2], acc[4 * i + 3]);
      __threadfence();
      named_sync(1, 256);
      if (tid == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flags + blockIdx.x) : "memory");
    } else {
      for (int peer = blockIdx.x + 1; peer * per < (tile + 1) * kts && k1 < kts; ++peer) {
        if (tid == 0) {
          uint32_t ready;
          do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(flags + peer) : "memory");
          while (ready == 0);
        }
        named_sync(1, 256);
        const float4* w = (const float4*)workspace + (size_t)peer * 4096 + tid;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          const float4 v = __ldcg(w + i * 256);
          acc[4 * i] += v.x, acc[4 * i + 1] += v.y, acc[4 * i + 2] += v.z, acc[4 * i + 3] += v.w;
        }
      }
      const int lane = tid % 32;
      float* p = C + (size_t)(tile / tiles_n * 128 + tid / 32 * 16 + lane / 4) * N + tile % tiles_n * 128 + lane % 4 * 2;
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        *(float2*)(p + j * 8) = make_float2(acc[4 * j], acc[4 * j + 1]);
        *(float2*)(p + (size_t)8 * N + j * 8) = make_float2(acc[4 * j + 2], acc[4 * j + 3]);
      }
    }
  }
}

// ------------------------------------------------------------------ 5: e4m3 with a scale for each row and 128 of K (A) and each 128 x 128 block (B); partial sums are scaled and added in registers; 48 blocks
__global__ void __launch_bounds__(288, 1) block_scaled(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const float* __restrict__ scale_a, const float* __restrict__ scale_b, bf16* __restrict__ C, int N, int kts) {
  constexpr int SLOTS = 5, A_BYTES = 16384, SLOT = 2 * A_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 128, tid = threadIdx.x;
  if (tid == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(256);
    fence_init();
  }
  __syncthreads();
  int s = 0;
  if (tid >= 256) {
    uint32_t phase = 1;
    if (tid == 256)
      for (int kt = 0; kt < kts; ++kt) {
        freed[s].wait(phase);
        filled[s].expect_bytes(SLOT);
        tma_load(base + s * SLOT, mapA, filled[s], kt * 128, m0);
        tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], kt * 128, n0);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    return;
  }
  const int lane = tid % 32, row = m0 + tid / 32 * 16 + lane / 4;
  const float *sa = scale_a + (size_t)row * kts, *sb = scale_b + blockIdx.x * kts;
  float part[64], total[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) total[i] = 0;
  uint32_t phase = 0;
  for (int kt = 0; kt < kts; ++kt) {
    const float b = sb[kt], upper = sa[kt] * b, lower = sa[8 * kts + kt] * b;
    filled[s].wait(phase);
    const uint64_t da = kmajor(base + s * SLOT + tid / 128 * 8192), db = kmajor(base + s * SLOT + A_BYTES);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_e4m3_n128(part, da + 2 * kk, db + 2 * kk, kk > 0);
    wg_commit();
    wg_wait<0>();
    keep(part);
    freed[s].arrive();
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      total[4 * j] = fmaf(part[4 * j], upper, total[4 * j]);
      total[4 * j + 1] = fmaf(part[4 * j + 1], upper, total[4 * j + 1]);
      total[4 * j + 2] = fmaf(part[4 * j + 2], lower, total[4 * j + 2]);
      total[4 * j + 3] = fmaf(part[4 * j + 3], lower, total[4 * j + 3]);
    }
    if (++s == SLOTS) s = 0, phase ^= 1;
  }
  uint32_t* p = (uint32_t*)(C + (size_t)row * N + n0 + lane % 4 * 2);
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    p[j * 4] = pack_bf16(total[4 * j], total[4 * j + 1]);
    p[(size_t)4 * N + j * 4] = pack_bf16(total[4 * j + 2], total[4 * j + 3]);
  }
}

// ------------------------------------------------------------------ 6: weights of 8 bits become f16 in registers (byte permutes, one scale for 128 of K) before mma.sync; ring of three by cp.async; M has a tail
__global__ void __launch_bounds__(128) weight_only(const __half* __restrict__ A, const int8_t* __restrict__ W, const __half* __restrict__ scales, __half* __restrict__ C, int M, int N, int K) {
  constexpr int SLOTS = 3, A_ROW = 160, W_ROW = 80, A_BYTES = 64 * A_ROW, SLOT = A_BYTES + 128 * W_ROW;
  extern __shared__ __align__(16) uint8_t raw[];
  const uint32_t base = smem_addr(raw);
  const int tid = threadIdx.x, lane = tid % 32, wm = tid / 64 * 32, wn = tid / 32 % 2 * 64, m0 = blockIdx.y * 64, n0 = blockIdx.x * 128, kts = K / 64;
  auto fetch = [&](int kt) {
    if (kt < kts) {
      const uint32_t at = base + kt % SLOTS * SLOT;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int r = (i * 128 + tid) / 8, q = tid % 8, ok = m0 + r < M;
        cp16z(at + r * A_ROW + q * 16, A + (size_t)(ok ? m0 + r : 0) * K + kt * 64 + q * 8, ok ? 16 : 0);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int r = (i * 128 + tid) / 4, q = tid % 4;
        cp16(at + A_BYTES + r * W_ROW + q * 16, W + (size_t)(n0 + r) * K + kt * 64 + q * 16);
      }
    }
    cp_commit();
  };
  float acc[2][8][4] = {};
  __half2 sc[8];
  fetch(0);
  fetch(1);
  for (int kt = 0; kt < kts; ++kt) {
    if (kt % 2 == 0)
#pragma unroll
      for (int j = 0; j < 8; ++j) sc[j] = __half2half2(scales[(size_t)(n0 + wn + j * 8 + lane / 4) * (K / 128) + kt / 2]);
    cp_wait<1>();
    __syncthreads();
    fetch(kt + 2);
    const uint8_t *a_tile = raw + kt % SLOTS * SLOT, *w_tile = a_tile + A_BYTES;
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {  // a thread's four words of K are neighbours, in A and in W
      uint32_t a[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint8_t* p = a_tile + (wm + i * 16 + lane / 4) * A_ROW + kk * 32 + lane % 4 * 8;
        const uint2 up = *(const uint2*)p, down = *(const uint2*)(p + 8 * A_ROW);
        a[i][0] = up.x, a[i][1] = down.x, a[i][2] = up.y, a[i][3] = down.y;
      }
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const uint32_t w = *(const uint32_t*)(w_tile + (wn + j * 8 + lane / 4) * W_ROW + kk * 16 + lane % 4 * 4) ^ 0x80808080u;
        const uint32_t lo = __byte_perm(w, 0x64646464u, 0x4140), hi = __byte_perm(w, 0x64646464u, 0x4342);
        const __half2 bias = __half2half2(__float2half(1152.f));
        const __half2 b0 = __hmul2(__hsub2(*(const __half2*)&lo, bias), sc[j]), b1 = __hmul2(__hsub2(*(const __half2*)&hi, bias), sc[j]);
#pragma unroll
        for (int i = 0; i < 2; ++i) mma_f16(acc[i][j], a[i], *(const uint32_t*)&b0, *(const uint32_t*)&b1);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int r = m0 + wm + i * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      __half* p = C + (size_t)r * N + n0 + wn + j * 8 + lane % 4 * 2;
      if (r < M) *(uint32_t*)p = pack_f16(acc[i][j][0], acc[i][j][1]);
      if (r + 8 < M) *(uint32_t*)(p + (size_t)8 * N) = pack_f16(acc[i][j][2], acc[i][j][3]);
    }
  }
}

// ------------------------------------------------------------------ 7: grouped product: groups differ in rows and in K, both computed from the group's number; the next tile's loads are under way while a tile is stored
__host__ __device__ inline int group_m_tiles(int g) { return 2 + g * 5 % 7 * 2; }
__host__ __device__ inline int group_k_steps(int g) { return 4 + g * 3 % 5 * 2; }
__global__ void __launch_bounds__(128, 2) grouped_relu(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const float* __restrict__ bias, bf16* __restrict__ C, int groups, int N) {
  constexpr int SLOTS = 4, SLOT = 8192 + 16384;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS];
  const uint32_t base = round1k(raw);
  const int tid = threadIdx.x, tiles_n = N / 128;
  int g = 0, first = 0, row_tiles = 0;  // group, its first tile, tiles of rows before it
  struct Tile { int m0, n0, row_b, kts; };
  auto find = [&](int t, Tile& tile) {
    while (g < groups && t >= first + group_m_tiles(g) * tiles_n) first += group_m_tiles(g) * tiles_n, row_tiles += group_m_tiles(g), ++g;
    if (g == groups) return false;
    const int in = t - first;
    tile.m0 = (row_tiles + in / tiles_n) * 64, tile.n0 = in % tiles_n * 128, tile.row_b = g * N + tile.n0, tile.kts = group_k_steps(g);
    return true;
  };
  int issued = 0, used = 0;  // steps since the beginning
  auto fetch = [&](const Tile& tile, int kt) {
    const int s = issued++ % SLOTS;
    if (tid == 0) {
      filled[s].expect_bytes(SLOT);
      tma_load(base + s * SLOT, mapA, filled[s], kt * 64, tile.m0);
      tma_load(base + s * SLOT + 8192, mapB, filled[s], kt * 64, tile.row_b);
    }
  };
  if (tid == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1);
    fence_init();
  }
  __syncthreads();
  Tile tile, next;
  int t = blockIdx.x;
  bool more = find(t, tile);
  if (more)
    for (int kt = 0; kt < SLOTS - 1; ++kt) fetch(tile, kt);  // each group has at least four steps
  while (more) {
    float acc[64];
    for (int kt = 0; kt < tile.kts; ++kt, ++used) {
      const int s = used % SLOTS;
      filled[s].wait(used / SLOTS & 1);
      const uint64_t da = kmajor(base + s * SLOT), db = kmajor(base + s * SLOT + 8192);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
      wg_commit();
      wg_wait<0>();
      __syncthreads();
      if (kt + SLOTS - 1 < tile.kts) fetch(tile, kt + SLOTS - 1);
    }
    keep(acc);
    t += gridDim.x;
    more = find(t, next);
    if (more)
      for (int kt = 0; kt < SLOTS - 1; ++kt) fetch(next, kt);
    const int lane = tid % 32;
    bf16* p = C + (size_t)(tile.m0 + tid / 32 * 16 + lane / 4) * N + tile.n0 + lane % 4 * 2;
    const float* b = bias + tile.row_b + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const float2 v = *(const float2*)(b + j * 8);
      *(uint32_t*)(p + j * 8) = pack_bf16(fmaxf(acc[4 * j] + v.x, 0.f), fmaxf(acc[4 * j + 1] + v.y, 0.f));
      *(uint32_t*)(p + (size_t)8 * N + j * 8) = pack_bf16(fmaxf(acc[4 * j + 2] + v.x, 0.f), fmaxf(acc[4 * j + 3] + v.y, 0.f));
    }
    tile = next;
  }
}

// ------------------------------------------------------------------ 8: 3 x 3 convolution as a product: boxes of 64 channels x 16 x 8 pixels by TMA of 3 dimensions, zeros beyond the edge
__global__ void __launch_bounds__(288, 1) conv_boxes(const __grid_constant__ CUtensorMap image, const __grid_constant__ CUtensorMap weights, bf16* __restrict__ out, int width, int channels, int outs) {
  constexpr int SLOTS = 5, A_BYTES = 16384, SLOT = 2 * A_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8, n0 = blockIdx.z * 128, pieces = channels / 64, kts = 9 * pieces, tid = threadIdx.x;
  if (tid == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(8);
    fence_init();
  }
  __syncthreads();
  int s = 0;
  if (tid >= 256) {
    if (tid == 256) {
      uint32_t phase = 1;
      int step = 0;
      for (int v = -1; v <= 1; ++v)
        for (int u = -1; u <= 1; ++u)
          for (int c = 0; c < pieces; ++c, ++step) {
            freed[s].wait(phase);
            filled[s].expect_bytes(SLOT);
            tma_load_3d(base + s * SLOT, image, filled[s], c * 64, x0 + u, y0 + v);
            tma_load(base + s * SLOT + A_BYTES, weights, filled[s], step * 64, n0);
            if (++s == SLOTS) s = 0, phase ^= 1;
          }
    }
    return;
  }
  float acc[64];
  uint32_t phase = 0;
  int before = -1;
  for (int kt = 0; kt < kts; ++kt) {
    filled[s].wait(phase);
    const uint64_t da = kmajor(base + s * SLOT + tid / 128 * 8192), db = kmajor(base + s * SLOT + A_BYTES);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
    wg_commit();
    wg_wait<1>();
    if (tid % 32 == 0 && before >= 0) freed[before].arrive();
    before = s;
    if (++s == SLOTS) s = 0, phase ^= 1;
  }
  wg_wait<0>();
  keep(acc);
  const int lane = tid % 32;  // a warp has one row of 16 pixels
  bf16* p = out + ((size_t)(y0 + tid / 32) * width + x0 + lane / 4) * outs + n0 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    *(uint32_t*)(p + j * 8) = pack_bf16(fmaxf(acc[4 * j], 0.f), fmaxf(acc[4 * j + 1], 0.f));
    *(uint32_t*)(p + (size_t)8 * outs + j * 8) = pack_bf16(fmaxf(acc[4 * j + 2], 0.f), fmaxf(acc[4 * j + 3], 0.f));
  }
}

// ------------------------------------------------------------------ 9: attention forward with mma.sync and cp.async, 64 queries by 64 keys, heads of 64, two buffers; the length has a tail
__global__ void __launch_bounds__(128) flash_mma(const __half* __restrict__ Q, const __half* __restrict__ K, const __half* __restrict__ V, __half* __restrict__ O, int T, float scale_log2) {
  extern __shared__ __align__(16) uint8_t raw[];  // Q, then twice K and V; 8192 bytes each
  const uint32_t base = smem_addr(raw);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, q0 = blockIdx.x * 64;
  const size_t head = (size_t)blockIdx.y * T * 64;
  auto fetch = [&](uint32_t dst, const __half* src, int t0) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int r = (i * 128 + tid) / 8, q = tid % 8, ok = t0 + r < T;
      cp16z(dst + r * 128 + ((q ^ (r & 7)) << 4), src + head + (size_t)(ok ? t0 + r : 0) * 64 + q * 8, ok ? 16 : 0);
    }
  };
  const int blocks = (T + 63) / 64;
  fetch(base, Q, q0);
  fetch(base + 8192, K, 0);
  fetch(base + 16384, V, 0);
  cp_commit();
  uint32_t q[4][4];
  float o[8][4] = {}, top[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
  for (int b = 0; b < blocks; ++b) {
    const uint32_t kt = base + 8192 + (b & 1) * 16384, vt = kt + 8192;
    if (b + 1 < blocks) {
      const uint32_t to = base + 8192 + (b + 1 & 1) * 16384;
      fetch(to, K, b * 64 + 64);
      fetch(to + 8192, V, b * 64 + 64);
    }
    cp_commit();
    cp_wait<1>();
    __syncthreads();
    if (b == 0)
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) {
        const int r = warp * 16 + (lane & 15), c = kk * 2 + (lane >> 4);
        ldsm_x4(q[kk][0], q[kk][1], q[kk][2], q[kk][3], base + r * 128 + ((c ^ (r & 7)) << 4));
      }
    float s[8][4] = {};
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int r = j * 16 + (lane & 7) + ((lane >> 4) << 3), c = kk * 2 + (lane >> 3 & 1);
        uint32_t k0, k1, k2, k3;
        ldsm_x4(k0, k1, k2, k3, kt + r * 128 + ((c ^ (r & 7)) << 4));
        mma_f16(s[2 * j], q[kk], k0, k1);
        mma_f16(s[2 * j + 1], q[kk], k2, k3);
      }
    if (b == blocks - 1)
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (b * 64 + j * 8 + lane % 4 * 2 + (e & 1) >= T) s[j][e] = -1e30f;
    uint32_t p[4][4];
#pragma unroll
    for (int h = 0; h < 2; ++h) {  // upper and lower row
      float m = top[h];
#pragma unroll
      for (int j = 0; j < 8; ++j) m = fmaxf(m, fmaxf(s[j][2 * h], s[j][2 * h + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      const float shrink = exp2f((top[h] - m) * scale_log2), shift = m * scale_log2;
      top[h] = m;
      float part = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const float e0 = exp2f(fmaf(s[j][2 * h], scale_log2, -shift)), e1 = exp2f(fmaf(s[j][2 * h + 1], scale_log2, -shift));
        part += e0 + e1;
        p[j / 2][(j & 1) * 2 + h] = pack_f16(e0, e1);
        o[j][2 * h] *= shrink, o[j][2 * h + 1] *= shrink;
      }
      sum[h] = sum[h] * shrink + part;
    }
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int r = kk * 16 + (lane & 15), c = j * 2 + (lane >> 4);
        uint32_t v0, v1, v2, v3;
        ldsm_x4_trans(v0, v1, v2, v3, vt + r * 128 + ((c ^ (r & 7)) << 4));
        mma_f16(o[2 * j], p[kk], v0, v1);
        mma_f16(o[2 * j + 1], p[kk], v2, v3);
      }
    __syncthreads();
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
    sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
    const int r = q0 + warp * 16 + lane / 4 + h * 8;
    const float inverse = 1.f / sum[h];
    if (r < T)
#pragma unroll
      for (int j = 0; j < 8; ++j) *(uint32_t*)(O + head + (size_t)r * 64 + j * 8 + lane % 4 * 2) = pack_f16(o[j][2 * h] * inverse, o[j][2 * h + 1] * inverse);
  }
}

// ------------------------------------------------------------------ 10: decode attention, keys split among blocks; a half warp a key, four queries share it; the last block of a head joins the splits
template <int SPLITS> __global__ void __launch_bounds__(128) decode_split(const __half* __restrict__ q, const uint4* __restrict__ keys, const uint4* __restrict__ values, float* part, float2* stats, uint32_t* tickets, float* __restrict__ out, int T, float scale) {
  constexpr int G = 4;
  __shared__ float sums[8][G][128];
  __shared__ float2 ml[8][G];
  __shared__ bool last;
  const int tid = threadIdx.x, half = tid / 16, l = tid % 16, heads = gridDim.y, kvh = blockIdx.y, seq = blockIdx.z, unit = seq * heads + kvh, each = (T + SPLITS - 1) / SPLITS;
  const int begin = blockIdx.x * each, end = min(T, begin + each);
  float qv[G][8], acc[G][8] = {}, m[G], sum[G] = {};
#pragma unroll
  for (int g = 0; g < G; ++g) {
    m[g] = -1e30f;
    const uint4 w = ((const uint4*)q)[(unit * G + g) * 16 + l];
    const __half2* h = (const __half2*)&w;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 f = __half22float2(h[i]);
      qv[g][2 * i] = f.x * scale, qv[g][2 * i + 1] = f.y * scale;
    }
  }
  auto place = [&](int t) { return ((size_t)(seq * T + t) * heads + kvh) * 16 + l; };
  const int rounds = (end - begin + 7) / 8;  // the same for both halves of a warp
  uint4 kn = make_uint4(0, 0, 0, 0), vn = kn;
  if (begin + half < end) kn = keys[place(begin + half)], vn = values[place(begin + half)];
  for (int r = 0; r < rounds; ++r) {
    const int t = begin + r * 8 + half;
    const uint4 kw = kn, vw = vn;
    if (t + 8 < end) kn = keys[place(t + 8)], vn = values[place(t + 8)];
    float k[8], v[8];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 a = __half22float2(((const __half2*)&kw)[i]), b = __half22float2(((const __half2*)&vw)[i]);
      k[2 * i] = a.x, k[2 * i + 1] = a.y, v[2 * i] = b.x, v[2 * i + 1] = b.y;
    }
#pragma unroll
    for (int g = 0; g < G; ++g) {
      float d = 0;
#pragma unroll
      for (int i = 0; i < 8; ++i) d = fmaf(qv[g][i], k[i], d);
#pragma unroll
      for (int w = 8; w; w /= 2) d += __shfl_xor_sync(~0u, d, w);
      if (t >= end) d = -1e30f;
      const float top = fmaxf(m[g], d), shrink = __expf(m[g] - top), e = t < end ? __expf(d - top) : 0.f;
      m[g] = top;
      sum[g] = sum[g] * shrink + e;
#pragma unroll
      for (int i = 0; i < 8; ++i) acc[g][i] = fmaf(acc[g][i], shrink, e * v[i]);
    }
  }
#pragma unroll
  for (int g = 0; g < G; ++g) {
    if (l == 0) ml[half][g] = make_float2(m[g], sum[g]);
#pragma unroll
    for (int i = 0; i < 8; i += 4) *(float4*)&sums[half][g][l * 8 + i] = make_float4(acc[g][i], acc[g][i + 1], acc[g][i + 2], acc[g][i + 3]);
  }
  __syncthreads();
  const int slot = unit * SPLITS + blockIdx.x;
  for (int g = 0; g < G; ++g) {
    float top = -1e30f, total = 0, v = 0;
    for (int h = 0; h < 8; ++h) top = fmaxf(top, ml[h][g].x);
    for (int h = 0; h < 8; ++h) {
      const float w = __expf(ml[h][g].x - top);
      total += w * ml[h][g].y, v += w * sums[h][g][tid];
    }
    part[(slot * G + g) * 128 + tid] = v;
    if (tid == 0) stats[slot * G + g] = make_float2(top, total);
  }
  __threadfence();
  __syncthreads();
  if (tid == 0) last = atomicAdd(tickets + unit, 1u) == SPLITS - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int g = 0; g < G; ++g) {
    float top = -1e30f, total = 0, v = 0;
    float2 st[SPLITS];
#pragma unroll
    for (int i = 0; i < SPLITS; ++i) st[i] = __ldcg(stats + (unit * SPLITS + i) * G + g), top = fmaxf(top, st[i].x);
#pragma unroll
    for (int i = 0; i < SPLITS; ++i) {
      const float w = __expf(st[i].x - top);
      total += w * st[i].y, v += w * __ldcg(part + ((unit * SPLITS + i) * G + g) * 128 + tid);
    }
    out[(unit * G + g) * 128 + tid] = v / total;
  }
}

// ------------------------------------------------------------------ 11: sum with the residual, then RMS norm; a row of 4096 stays in registers
__global__ void __launch_bounds__(256) residual_rms(const uint4* __restrict__ x, const uint4* __restrict__ r, const uint4* __restrict__ weight, uint4* __restrict__ sum_out, uint4* __restrict__ y, float eps) {
  __shared__ float warps[8];
  const int tid = threadIdx.x;
  const size_t row = (size_t)blockIdx.x * 512;
  float v[16], squares = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const uint4 a = x[row + i * 256 + tid], b = r[row + i * 256 + tid];
    uint4 s;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(((const __nv_bfloat162*)&a)[e]), g = __bfloat1622float2(((const __nv_bfloat162*)&b)[e]);
      const float p = f.x + g.x, q = f.y + g.y;
      v[i * 8 + e * 2] = p, v[i * 8 + e * 2 + 1] = q;
      squares = fmaf(p, p, fmaf(q, q, squares));
      ((uint32_t*)&s)[e] = pack_bf16(p, q);
    }
    sum_out[row + i * 256 + tid] = s;
  }
#pragma unroll
  for (int w = 16; w; w /= 2) squares += __shfl_xor_sync(~0u, squares, w);
  if (tid % 32 == 0) warps[tid / 32] = squares;
  __syncthreads();
  squares = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) squares += warps[w];
  const float scale = rsqrtf(squares / 4096 + eps);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const uint4 a = weight[i * 256 + tid];
    uint4 s;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(((const __nv_bfloat162*)&a)[e]);
      ((uint32_t*)&s)[e] = pack_bf16(v[i * 8 + e * 2] * scale * f.x, v[i * 8 + e * 2 + 1] * scale * f.y);
    }
    y[row + i * 256 + tid] = s;
  }
}

// ------------------------------------------------------------------ 12: log-softmax, a warp a row of odd length: maximum and sum in one pass, joined by shuffles
__global__ void __launch_bounds__(192) log_softmax_online(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 6 + threadIdx.x / 32;
  if (row >= rows) return;
  const float* in = x + (size_t)row * n;
  float m = -1e30f, s = 0;
#pragma unroll 4
  for (int i = lane; i < n; i += 32) {
    const float v = in[i], top = fmaxf(m, v);
    s = fmaf(s, __expf(m - top), __expf(v - top));
    m = top;
  }
#pragma unroll
  for (int w = 16; w; w /= 2) {
    const float m2 = __shfl_xor_sync(~0u, m, w), s2 = __shfl_xor_sync(~0u, s, w), top = fmaxf(m, m2);
    s = s * __expf(m - top) + s2 * __expf(m2 - top);
    m = top;
  }
  const float shift = m + __logf(s);
#pragma unroll 4
  for (int i = lane; i < n; i += 32) y[(size_t)row * n + i] = in[i] - shift;
}

// ------------------------------------------------------------------ 13: the 32 greatest of 1024 words by a bitonic sort in shared memory
__global__ void __launch_bounds__(256) top_bitonic(const uint4* __restrict__ in, uint32_t* __restrict__ out) {
  __shared__ uint32_t v[1024];
  const int tid = threadIdx.x;
  ((uint4*)v)[tid] = in[(size_t)blockIdx.x * 256 + tid];
  for (int size = 2; size <= 1024; size *= 2)
    for (int gap = size / 2; gap > 0; gap /= 2) {
      __syncthreads();
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int c = e * 256 + tid, i = 2 * c - (c & gap - 1), j = i + gap;
        const uint32_t a = v[i], b = v[j], lo = min(a, b), hi = max(a, b);
        const bool down = (i & size) == 0;
        v[i] = down ? hi : lo, v[j] = down ? lo : hi;
      }
    }
  __syncthreads();
  if (tid < 32) out[blockIdx.x * 32 + tid] = v[tid];
}

// ------------------------------------------------------------------ 14: prefix sum in one pass, decoupled look-back of a warp over 32 tiles at a time; tiles of 4096 by tickets, the last one is partial
__global__ void __launch_bounds__(256) look_back(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, unsigned long long* status, uint32_t* ticket, int n) {
  __shared__ uint32_t warps[8], shared_tile, shared_prefix;
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  if (tid == 0) shared_tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const int tile = shared_tile, at = tile * 4096 + tid * 16;
  uint32_t v[16];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    uint4 w = make_uint4(0, 0, 0, 0);
    if (at + i * 4 < n) w = *(const uint4*)(in + at + i * 4);
    v[i * 4] = w.x, v[i * 4 + 1] = w.y, v[i * 4 + 2] = w.z, v[i * 4 + 3] = w.w;
  }
#pragma unroll
  for (int i = 1; i < 16; ++i) v[i] += v[i - 1];
  uint32_t scan = v[15];
#pragma unroll
  for (int w = 1; w < 32; w *= 2) {
    const uint32_t other = __shfl_up_sync(~0u, scan, w);
    if (lane >= w) scan += other;
  }
  if (lane == 31) warps[warp] = scan;
  __syncthreads();
  uint32_t before = 0, whole = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) before += w < warp ? warps[w] : 0, whole += warps[w];
  if (warp == 0) {
    if (lane == 0) atomicExch(status + tile, (tile == 0 ? 2ull : 1ull) << 32 | whole);
    uint32_t prefix = 0;
    for (int end = tile; end > 0; end -= 32) {
      const int look = end - 1 - lane;
      unsigned long long st = 2ull << 32;
      if (look >= 0)
        do st = *(volatile unsigned long long*)(status + look);
        while (st >> 32 == 0);
      __syncwarp();
      const uint32_t done = __ballot_sync(~0u, st >> 32 == 2);
      const int nearest = done ? __ffs(done) - 1 : 31;
      prefix += __reduce_add_sync(~0u, lane <= nearest ? (uint32_t)st : 0u);
      if (done) break;
    }
    if (lane == 0) {
      if (tile > 0) atomicExch(status + tile, 2ull << 32 | prefix + whole);
      shared_prefix = prefix;
    }
  }
  __syncthreads();
  const uint32_t add = shared_prefix + before + scan - v[15];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (at + i * 4 < n) *(uint4*)(out + at + i * 4) = make_uint4(v[i * 4] + add, v[i * 4 + 1] + add, v[i * 4 + 2] + add, v[i * 4 + 3] + add);
}

// ------------------------------------------------------------------ 15: counts of all four digits of radix sort in one pass, shared atomics, two copies of the bins
__global__ void __launch_bounds__(512) digit_counts(const uint4* __restrict__ keys, uint32_t* __restrict__ counts, int quads) {
  __shared__ uint32_t bins[2][4][256];
  const int tid = threadIdx.x;
  for (int i = tid; i < 2048; i += 512) ((uint32_t*)bins)[i] = 0;
  __syncthreads();
  auto mine = bins[tid / 32 & 1];
  for (int i = blockIdx.x * 512 + tid; i < quads; i += gridDim.x * 512) {
    const uint4 k = keys[i];
    const uint32_t w[4] = {k.x, k.y, k.z, k.w};
#pragma unroll
    for (int e = 0; e < 4; ++e)
#pragma unroll
      for (int d = 0; d < 4; ++d) atomicAdd(&mine[d][w[e] >> 8 * d & 255], 1u);
  }
  __syncthreads();
  for (int i = tid; i < 1024; i += 512) atomicAdd(counts + i, bins[0][i / 256][i % 256] + bins[1][i / 256][i % 256]);
}

// ------------------------------------------------------------------ 16: Fourier transforms of 1024 complex numbers, five passes of radix 4 through shared memory
__global__ void __launch_bounds__(256) fft_1024(const float2* __restrict__ in, float2* __restrict__ out) {
  __shared__ float2 buf[1024];
  const int j = threadIdx.x;
  const size_t row = (size_t)blockIdx.x * 1024;
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) v[r] = in[row + r * 256 + j];
#pragma unroll
  for (int pass = 0; pass < 5; ++pass) {
    const int stride = 1 << 2 * pass, k = j & stride - 1;
    if (pass > 0) {
#pragma unroll
      for (int r = 0; r < 4; ++r) v[r] = buf[r * 256 + j];
      __syncthreads();
#pragma unroll
      for (int r = 1; r < 4; ++r) {
        float s, c;
        __sincosf(-6.283185307f * (k * r) / (4 * stride), &s, &c);
        v[r] = make_float2(v[r].x * c - v[r].y * s, v[r].x * s + v[r].y * c);
      }
    }
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);  // -i (v1 - v3)
    v[0] = make_float2(a.x + c.x, a.y + c.y), v[1] = make_float2(b.x + d.x, b.y + d.y);
    v[2] = make_float2(a.x - c.x, a.y - c.y), v[3] = make_float2(b.x - d.x, b.y - d.y);
    const int to = (j >> 2 * pass) * 4 * stride + k;
    if (pass < 4) {
#pragma unroll
      for (int r = 0; r < 4; ++r) buf[to + r * stride] = v[r];
      __syncthreads();
    } else {
#pragma unroll
      for (int r = 0; r < 4; ++r) out[row + to + r * stride] = v[r];
    }
  }
}

// ------------------------------------------------------------------ 17: sparse (24 entries a row, columns computed from row and entry) times a matrix of 64 columns; a warp a row
__host__ __device__ inline uint32_t ell_column(uint32_t row, uint32_t j) { return (row * 7u + j * j * 131u + j * 17u) & 16383u; }
__global__ void __launch_bounds__(256) ell_spmm(const float* __restrict__ entries, const float2* __restrict__ dense, float2* __restrict__ out, int rows) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const float mine = lane < 24 ? entries[(size_t)row * 24 + lane] : 0.f;
  float2 s = make_float2(0, 0);
#pragma unroll 8
  for (int j = 0; j < 24; ++j) {
    const float w = __shfl_sync(~0u, mine, j);
    const float2 v = dense[(size_t)ell_column(row, j) * 32 + lane];
    s.x = fmaf(w, v.x, s.x), s.y = fmaf(w, v.y, s.y);
  }
  out[(size_t)row * 32 + lane] = s;
}

// ------------------------------------------------------------------ 18: inverses of 8 x 8 matrices (after adding a diagonal), eight lanes a matrix, a column a lane, Gauss-Jordan in registers by shuffles
__global__ void __launch_bounds__(128) inverse_8(const float* __restrict__ in, float* __restrict__ out, float diagonal, int matrices) {
  const int c = threadIdx.x % 8, step = gridDim.x * 16;
  for (int m = blockIdx.x * 16 + threadIdx.x / 8; m < matrices; m += step) {
    const float* p = in + (size_t)m * 64 + c;
    float a[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) a[r] = p[r * 8] + (r == c ? diagonal : 0.f);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float pivot = __frcp_rn(__shfl_sync(~0u, a[k], k, 8));
      float f[8];
#pragma unroll
      for (int r = 0; r < 8; ++r) f[r] = __shfl_sync(~0u, a[r], k, 8);
      const float row = c == k ? pivot : a[k] * pivot;
#pragma unroll
      for (int r = 0; r < 8; ++r) a[r] = r == k ? row : fmaf(-f[r], row, c == k ? 0.f : a[r]);
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) out[(size_t)m * 64 + r * 8 + c] = a[r];
  }
}

// ================================================================== host
static bool listing = false;
static int wrongs = 0, launches = 0;
constexpr size_t COUNT = (size_t)1 << 24, HALF = COUNT / 2;
static std::vector<uint8_t> level;   // 0..6
static std::vector<uint32_t> words;  // random
static double val(size_t i) { return (level[i] - 3) * 0.5; }
static std::vector<std::string> map_text;

static void cuda_ok(cudaError_t e, const char* what) {
  if (e != cudaSuccess) { printf("wrong %s: %s\n", what, cudaGetErrorString(e)); fflush(stdout); exit(1); }
}
static std::string text(int v) { return std::to_string(v); }
static std::string text(uint32_t v) { return std::to_string(v); }
static std::string text(cudaTextureObject_t v) { return std::to_string(v); }
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
// A pointer and the contents of its memory; printed instead of "ptr".
struct Holds {
  const void* p;
  const char* what;
  template <class T> operator T*() const { return (T*)p; }
};
static std::string text(const CUtensorMap& m) { return map_text[((const uint64_t*)&m)[0]]; }

template <class P, class A> static std::string shown(const A& a) {
  if constexpr (std::is_same_v<A, Holds>) return a.what;
  else return text((P)a);
}

// Launches, or prints the launch as TOML. `function` is a part of the mangled name that make_toml.py looks for in the cubin.
template <class... P, class... A> static bool launch(const char* name, const char* function, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, int cluster, bool cooperative, A... args) {
  if (listing) {
    std::string params;
    ((params += (params.empty() ? "" : ", ") + shown<P>(args)), ...);
    printf("[[launch]]\nname = \"%s\"\nfunction = \"%s\"\ngrid = [%u, %u, %u]\nblock = [%u, %u, %u]\n", name, function, grid.x, grid.y, grid.z, block.x, block.y, block.z);
    if (cluster > 1) printf("cluster = [%d]\n", cluster);
    printf("registers = 0\ndynamic_shared = %zu\nparams = [%s]\n\n", shared, params.c_str());
    return false;
  }
  const char* skip = getenv("HELD_SKIP");  // names to leave out, between commas
  if (skip && strstr(("," + std::string(skip) + ",").c_str(), ("," + std::string(name) + ",").c_str())) return false;
  printf("launch,%d,%s\n", launches++, name);
  fflush(stdout);
  if (shared > 48 * 1024) cuda_ok(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared), name);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute = {};
  if (cooperative) attribute.id = cudaLaunchAttributeCooperative, attribute.val.cooperative = 1;
  else attribute.id = cudaLaunchAttributeClusterDimension, attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = cooperative || cluster > 1;
  cuda_ok(cudaLaunchKernelEx(&config, kernel, (P)args...), name);
  cuda_ok(cudaDeviceSynchronize(), name);
  return true;
}
static void judge(const char* name, bool right) {
  if (right) printf("right %s\n", name);
  else printf("wrong %s\n", name), ++wrongs;
  fflush(stdout);
}
template <class T> static std::vector<T> download(const void* p, size_t n) {
  std::vector<T> v(n);
  cuda_ok(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost), "download");
  return v;
}
static bool close_to(double got, double want, double rel, double abs) {
  if (std::fabs(got - want) <= abs + rel * std::fabs(want)) return true;
  printf("  got %g, want %g\n", got, want);
  return false;
}
template <class T, class F> static T* upload(F convert) {
  T* d = nullptr;
  if (listing) return d;
  std::vector<T> h(COUNT);
  T codes[7];
  for (int i = 0; i < 7; ++i) codes[i] = convert((i - 3) * 0.5f);
  for (size_t i = 0; i < COUNT; ++i) h[i] = codes[level[i]];
  cuda_ok(cudaMalloc(&d, COUNT * sizeof(T)), "malloc");
  cuda_ok(cudaMemcpy(d, h.data(), COUNT * sizeof(T), cudaMemcpyHostToDevice), "upload");
  return d;
}
static CUtensorMap tensor(const char* type_name, CUtensorMapDataType type, int bytes, void* p, uint64_t w, uint64_t h, uint32_t bw, uint32_t bh, bool swizzle) {
  CUtensorMap m = {};
  if (listing) {
    char s[200];
    snprintf(s, sizeof s, "{ tensor_map = { type = \"%s\", shape = [%d, %d], box = [%u, %u], swizzle = %d } }", type_name, (int)w, (int)h, bw, bh, swizzle ? 128 : 0);
    ((uint64_t*)&m)[0] = map_text.size();
    map_text.push_back(s);
    return m;
  }
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static Encode encode = (Encode)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTensorMapEncodeTiled");
  cuuint64_t dims[2] = {w, h}, stride[1] = {w * bytes};
  cuuint32_t box[2] = {bw, bh}, one[2] = {1, 1};
  CUresult r = encode ? encode(&m, type, 2, p, dims, stride, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                      : CUDA_ERROR_NOT_FOUND;
  if (r != CUDA_SUCCESS) printf("wrong tensor map %d\n", (int)r), ++wrongs;
  return m;
}// A box of a tensor of three dimensions (innermost first), swizzle 128.
static CUtensorMap tensor_3d(const char* type_name, CUtensorMapDataType type, int bytes, void* p, uint64_t w, uint64_t h, uint64_t d, uint32_t bw, uint32_t bh, uint32_t bd) {
  CUtensorMap m = {};
  if (listing) {
    char s[200];
    snprintf(s, sizeof s, "{ tensor_map = { type = \"%s\", shape = [%d, %d, %d], box = [%u, %u, %u], swizzle = 128 } }", type_name, (int)w, (int)h, (int)d, bw, bh, bd);
    ((uint64_t*)&m)[0] = map_text.size();
    map_text.push_back(s);
    return m;
  }
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static Encode encode = (Encode)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTensorMapEncodeTiled");
  cuuint64_t dims[3] = {w, h, d}, stride[2] = {w * bytes, w * h * bytes};
  cuuint32_t box[3] = {bw, bh, bd}, one[3] = {1, 1, 1};
  CUresult r = encode ? encode(&m, type, 3, p, dims, stride, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                      : CUDA_ERROR_NOT_FOUND;
  if (r != CUDA_SUCCESS) printf("wrong tensor map %d\n", (int)r), ++wrongs;
  return m;
}
static float number(__half v) { return __half2float(v); }
static float number(bf16 v) { return __bfloat162float(v); }
static float number(float v) { return v; }
// Checks some of the n results at p by a function of the index.
template <class T, class F> static void check(const char* name, const void* p, size_t n, double rel, double abs, F want) {
  std::vector<T> got = download<T>(p, n);
  bool right = true;
  for (size_t s = 0; s < 160 && right; ++s) {
    size_t i = s == 0 ? 0 : s == 1 ? n - 1 : s * 2654435761ull % n;
    right = close_to(number(got[i]), want(i), rel, abs);
    if (!right) printf("  at %zu\n", i);
  }
  judge(name, right);
}
static double gemm(size_t i, size_t j, int width, int K) {  // A at 0, B (N x K) at HALF
  double s = 0;
  for (int k = 0; k < K; ++k) s += val(i * width + k) * val(HALF + j * width + k);
  return s;
}

int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (!listing) {
    level.resize(COUNT), words.resize(COUNT);
    uint64_t state = 20261130;
    for (size_t i = 0; i < COUNT; ++i) {
      uint64_t z = (state += 0x9E3779B97F4A7C15ull);
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull, z ^= z >> 31;
      words[i] = (uint32_t)z, level[i] = (z >> 40) % 7;
    }
  }
  bf16* brains = upload<bf16>([](float v) { return __float2bfloat16(v); });
  float* floats = upload<float>([](float v) { return v; });
  __half* halves = upload<__half>([](float v) { return __float2half(v); });
  int8_t* bytes = upload<int8_t>([](float v) { return (int8_t)(v * 2); });
  __nv_fp8_e4m3* eighths = upload<__nv_fp8_e4m3>([](float v) { return __nv_fp8_e4m3(v); });
  uint32_t* ints = nullptr;
  float *out = nullptr, *more = nullptr;
  if (!listing) {
    cuda_ok(cudaMalloc(&ints, COUNT * 4), "malloc");
    cuda_ok(cudaMemcpy(ints, words.data(), COUNT * 4, cudaMemcpyHostToDevice), "upload");
    cuda_ok(cudaMalloc(&out, COUNT * 4), "malloc");
    cuda_ok(cudaMalloc(&more, COUNT * 4), "malloc");
  }
  auto clear = [&] {
    if (listing) return;
    cuda_ok(cudaMemset(out, 0, COUNT * 4), "clear");
    cuda_ok(cudaMemset(more, 0, COUNT * 4), "clear");
    cuda_ok(cudaDeviceSynchronize(), "clear");
  };
  const CUtensorMapDataType B16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, F16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, U8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  auto bmap = [&](bf16* p, int w, int h, int bw, int bh) { return tensor("bf16", B16, 2, p, w, h, bw, bh, true); };
  auto hmap = [&](__half* p, int w, int h, int bw, int bh) { return tensor("f16", F16, 2, p, w, h, bw, bh, true); };
  __half* out_h = (__half*)out;
  bf16* out_b = (bf16*)out;
  uint32_t* out_u = (uint32_t*)out;
  // What memory holds where it decides addresses or branches.
  const Holds any_words{ints, "{ holds = { range = [0, 4294967296], type = \"u32\" } }"};
#define RUN(name, ...) clear(); if (launch(name, __VA_ARGS__))

  {  // 1
    auto a = hmap(halves, 2048, 1536, 64, 64), b = hmap(halves + HALF, 2048, 2304, 64, 192), c = hmap(out_h, 2304, 1536, 64, 64);
    RUN("wide_store", "wide_store", wide_store, dim3(24, 12), 128, 3 * 32768 + 1024, 1, false, a, b, c, 32)
    check<__half>("wide_store", out, (size_t)1536 * 2304, 2e-3, 0.02, [&](size_t i) { return gemm(i / 2304, i % 2304, 2048, 2048); });
  }
  {  // 2
    auto a = bmap(brains, 1024, 2048, 64, 128), b = bmap(brains + HALF, 1024, 3200, 64, 128), c = bmap(out_b, 3200, 2048, 64, 128);
    RUN("ping_pong", "ping_pong", ping_pong, 132, 384, 4 * 32768 + 65536 + 1024, 1, false, a, b, c, 400, 16, 16)
    check<bf16>("ping_pong", out, (size_t)2048 * 3200, 1e-2, 0.02, [&](size_t i) { return gemm(i / 3200, i % 3200, 1024, 1024); });
  }
  {  // 3
    auto a = bmap(brains, 1536, 2048, 64, 64), b = bmap(brains + HALF, 1536, 3072, 64, 192), c = bmap(out_b, 3072, 2048, 64, 128);
    RUN("multicast_a", "multicast_a", multicast_a, dim3(16, 16), 384, 5 * 40960 + 1024, 2, false, a, b, c, 24)
    check<bf16>("multicast_a", out, (size_t)2048 * 3072, 1e-2, 0.02, [&](size_t i) { return gemm(i / 3072, i % 3072, 1536, 1536); });
  }
  {  // 4: flags begin as zeros, blocks set them to one and wait for one; all 132 blocks must run at once (3960 steps, 30 a block)
    auto a = bmap(brains, 2112, 1536, 64, 128), b = bmap(brains + HALF, 2112, 1280, 64, 128);
    RUN("stream_k", "stream_k", stream_k, 132, 288, 6 * 32768 + 1024, 1, false, a, b, out, more, (uint32_t*)(more + HALF), 1280, 33, 10, 120 * 33, 30)
    check<float>("stream_k", out, (size_t)1536 * 1280, 1e-3, 0.01, [&](size_t i) { return gemm(i / 1280, i % 1280, 2112, 2112); });
  }
  {  // 5
    auto a = tensor("u8", U8, 1, eighths, 4096, 384, 128, 128, true), b = tensor("u8", U8, 1, eighths + HALF, 4096, 2048, 128, 128, true);
    RUN("block_scaled", "block_scaled", block_scaled, dim3(16, 3), 288, 5 * 32768 + 1024, 1, false, a, b, floats, floats + HALF, out_b, 2048, 32)
    check<bf16>("block_scaled", out, (size_t)384 * 2048, 1e-2, 0.3, [&](size_t i) {
      size_t r = i / 2048, c = i % 2048;
      double total = 0;
      for (size_t kt = 0; kt < 32; ++kt) {
        double s = 0;
        for (size_t k = kt * 128; k < kt * 128 + 128; ++k) s += val(r * 4096 + k) * val(HALF + c * 4096 + k);
        total += s * val(r * 32 + kt) * val(HALF + c / 128 * 32 + kt);
      }
      return total;
    });
  }
  RUN("weight_only", "weight_only", weight_only, dim3(24, 8), 128, 3 * (64 * 160 + 128 * 80), 1, false, halves, bytes + HALF, halves + HALF, out_h, 500, 3072, 2048)
  check<__half>("weight_only", out, (size_t)500 * 3072, 5e-3, 0.1, [&](size_t i) {
    double s = 0;
    for (size_t k = 0; k < 2048; ++k) s += val(i / 3072 * 2048 + k) * 2 * val(HALF + i % 3072 * 2048 + k) * val(HALF + i % 3072 * 16 + k / 128);
    return s;
  });
  {  // 7
    int row_tiles = 0;
    for (int g = 0; g < 10; ++g) row_tiles += group_m_tiles(g);
    auto a = bmap(brains, 768, row_tiles * 64, 64, 64), b = bmap(brains + HALF, 768, 10 * 1024, 64, 128);
    RUN("grouped_relu", "grouped_relu", grouped_relu, 264, 128, 4 * 24576 + 1024, 1, false, a, b, floats, out_b, 10, 1024)
    check<bf16>("grouped_relu", out, (size_t)row_tiles * 64 * 1024, 1e-2, 0.02, [&](size_t i) {
      size_t r = i / 1024, c = i % 1024, before = 0;
      int g = 0;
      while (r >= before + group_m_tiles(g) * 64) before += group_m_tiles(g++) * 64;
      double s = val(g * 1024 + c);
      for (int k = 0; k < group_k_steps(g) * 64; ++k) s += val(r * 768 + k) * val(HALF + (g * 1024 + c) * 768 + k);
      return std::max(s, 0.0);
    });
  }
  {  // 8
    auto a = tensor_3d("bf16", B16, 2, brains, 128, 112, 104, 64, 16, 8), b = bmap(brains + HALF, 1152, 384, 64, 128);
    RUN("conv_boxes", "conv_boxes", conv_boxes, dim3(7, 13, 3), 288, 5 * 32768 + 1024, 1, false, a, b, out_b, 112, 128, 384)
    check<bf16>("conv_boxes", out, (size_t)112 * 104 * 384, 1e-2, 0.02, [&](size_t i) {
      int o = i % 384, x = i / 384 % 112, y = i / 384 / 112;
      double s = 0;
      for (int tap = 0; tap < 9; ++tap) {
        int u = x + tap % 3 - 1, v = y + tap / 3 - 1;
        if (u < 0 || v < 0 || u >= 112 || v >= 104) continue;
        for (int c = 0; c < 128; ++c) s += val(((size_t)v * 112 + u) * 128 + c) * val(HALF + (size_t)o * 1152 + tap * 128 + c);
      }
      return std::max(s, 0.0);
    });
  }
  {  // 9
    const int T = 1000, HEADS = 24;
    const size_t K0 = (size_t)1 << 22, V0 = HALF;
    RUN("flash_mma", "flash_mma", flash_mma, dim3((T + 63) / 64, HEADS), 128, 5 * 8192, 1, false, halves, halves + K0, halves + V0, out_h, T, 0.125f * 1.44269504f)
    check<__half>("flash_mma", out, (size_t)HEADS * T * 64, 1e-2, 3e-3, [&](size_t i) {
      size_t head = i / 64 / T * T * 64, row = i / 64 * 64;
      double s = 0, total = 0;
      for (size_t t = 0; t < T; ++t) {
        double d = 0;
        for (size_t k = 0; k < 64; ++k) d += val(row + k) * val(K0 + head + t * 64 + k);
        d = std::exp(d * 0.125);
        total += d, s += d * val(V0 + head + t * 64 + i % 64);
      }
      return s / total;
    });
  }
  {  // 10: tickets begin as zeros; the block that draws the last one of its head joins the parts
    const int T = 1000;
    RUN("decode_split", "decode_splitILi7E", decode_split<7>, dim3(7, 8, 8), 128, 0, 1, false, halves + 77 * 128, (const uint4*)halves, (const uint4*)(halves + HALF), more, (float2*)(more + (1 << 22)), (uint32_t*)(more + HALF), out, T, 0.0883883f)
    check<float>("decode_split", out, 64 * 4 * 128, 1e-3, 1e-3, [&](size_t i) {
      size_t d = i % 128, head = i / 128, unit = head / 4, seq = unit / 8, kvh = unit % 8;
      double s = 0, total = 0;
      for (size_t t = 0; t < T; ++t) {
        size_t at = ((seq * T + t) * 8 + kvh) * 128;
        double w = 0;
        for (size_t k = 0; k < 128; ++k) w += val(77 * 128 + head * 128 + k) * val(at + k);
        w = std::exp(w * 0.0883883);
        total += w, s += w * val(HALF + at + d);
      }
      return s / total;
    });
  }
  RUN("residual_rms", "residual_rms", residual_rms, 2000, 256, 0, 1, false, (const uint4*)brains, (const uint4*)(brains + HALF), (const uint4*)(brains + 4096), (uint4*)more, (uint4*)out, 1e-6f) {
    auto sum = [&](size_t i) { return val(i) + val(HALF + i); };
    check<bf16>("residual_rms", out, (size_t)2000 * 4096, 1e-2, 1e-2, [&](size_t i) {
      double s = 0;
      for (size_t k = 0; k < 4096; ++k) s += sum(i / 4096 * 4096 + k) * sum(i / 4096 * 4096 + k);
      return sum(i) / std::sqrt(s / 4096 + 1e-6) * val(4096 + i % 4096);
    });
    check<bf16>("residual_rms sums", more, (size_t)2000 * 4096, 1e-2, 1e-2, sum);
  }
  RUN("log_softmax_online", "log_softmax_online", log_softmax_online, (5003 + 5) / 6, 192, 0, 1, false, floats, out, 5003, 1543)
  check<float>("log_softmax_online", out, (size_t)5003 * 1543, 1e-4, 1e-3, [&](size_t i) {
    double s = 0;
    for (size_t k = 0; k < 1543; ++k) s += std::exp(val(i / 1543 * 1543 + k));
    return val(i) - std::log(s);
  });
  RUN("top_bitonic", "top_bitonic", top_bitonic, 4096, 256, 0, 1, false, (const uint4*)ints, out_u) {
    std::vector<uint32_t> got = download<uint32_t>(out, 4096 * 32);
    bool right = true;
    for (size_t b = 5; b < 4096; b += 97) {
      std::vector<uint32_t> v(words.begin() + b * 1024, words.begin() + (b + 1) * 1024);
      std::sort(v.begin(), v.end(), std::greater<uint32_t>());
      right &= std::equal(v.begin(), v.begin() + 32, got.begin() + b * 32);
    }
    judge("top_bitonic", right);
  }
  {  // 14: states begin as zeros, the ticket too; blocks wait for the states of the tiles before theirs
    const int n = 5000000;
    RUN("look_back", "look_back", look_back, (n + 4095) / 4096, 256, 0, 1, false, ints, out_u, (unsigned long long*)more, (uint32_t*)(more + HALF), n) {
      std::vector<uint32_t> got = download<uint32_t>(out, n);
      bool right = true;
      uint32_t s = 0;
      for (int i = 0; i < n; ++i) right &= got[i] == (s += words[i]);
      judge("look_back", right);
    }
  }
  RUN("digit_counts", "digit_counts", digit_counts, 264, 512, 0, 1, false, any_words, out_u, 1 << 21) {  // keys: { holds = { range = [0, 4294967296], type = "u32" } }
    std::vector<uint32_t> want(1024);
    for (size_t i = 0; i < HALF; ++i)
      for (int d = 0; d < 4; ++d) want[d * 256 + (words[i] >> 8 * d & 255)]++;
    judge("digit_counts", download<uint32_t>(out, 1024) == want);
  }
  RUN("fft_1024", "fft_1024", fft_1024, 4096, 256, 0, 1, false, (const float2*)floats, (float2*)out)
  check<float>("fft_1024", out, HALF, 1e-3, 0.02, [&](size_t i) {
    size_t row = i / 2048 * 2048, f = i % 2048 / 2;
    double re = 0, im = 0;
    for (size_t k = 0; k < 1024; ++k) {
      double angle = -2 * M_PI * (f * k % 1024) / 1024, x = val(row + 2 * k), y = val(row + 2 * k + 1);
      re += x * std::cos(angle) - y * std::sin(angle), im += x * std::sin(angle) + y * std::cos(angle);
    }
    return i % 2 ? im : re;
  });
  RUN("ell_spmm", "ell_spmm", ell_spmm, (50001 + 7) / 8, 256, 0, 1, false, floats, (const float2*)(floats + HALF), (float2*)out, 50001)
  check<float>("ell_spmm", out, (size_t)50001 * 64, 1e-4, 1e-3, [&](size_t i) {
    double s = 0;
    for (size_t j = 0; j < 24; ++j) s += val(i / 64 * 24 + j) * val(HALF + (size_t)ell_column(i / 64, j) * 64 + i % 64);
    return s;
  });
  RUN("inverse_8", "inverse_8", inverse_8, 792, 128, 0, 1, false, floats, out, 12.f, 1 << 17) {
    std::vector<float> got = download<float>(out, HALF);
    bool right = true;
    for (size_t m = 0; m < 1 << 17 && right; m += 1009)
      for (int r = 0; r < 8 && right; ++r)
        for (int c = 0; c < 8 && right; ++c) {
          double s = 0;
          for (int k = 0; k < 8; ++k) s += (val(m * 64 + r * 8 + k) + (r == k ? 12 : 0)) * got[m * 64 + k * 8 + c];
          right = close_to(s, r == c, 0, 1e-4);
        }
    judge("inverse_8", right);
  }
  if (!listing) printf("%d launches, %d wrong\n", launches, wrongs);
  return wrongs != 0;
}
