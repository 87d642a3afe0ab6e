// 36 launches of current code that test the predictor. Usage: held (run all, check), held list (print launches as TOML, needs no GPU).
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
__device__ __forceinline__ void wgmma_bf16_n256(float (&d)[128], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, p, 1, 1, 0, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_bf16_n128(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_bf16_n64_a_regs(float (&d)[32], const uint32_t (&a)[4], uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, p, 1, 1, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_tf32_n128(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_s8_n128(int (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p;\n}\n"
    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]), "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39]), "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]), "+r"(d[48]), "+r"(d[49]), "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]), "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59]), "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_e5m2_n192(float (&d)[96], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %98, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n192k32.f32.e5m2.e5m2 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95}, %96, %97, p, 1, 1;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
    : "l"(a), "l"(b), "r"(accumulate));
}

// ------------------------------------------------------------------ 1, 2: cp.async ring, A row-major, B row-major (K x N), ldmatrix.trans
template <int BM, int BN, int WM, int WN, int DEPTH>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32) ring_mma(const bf16* __restrict__ A, const bf16* __restrict__ B, float* __restrict__ C, int N, int K) {
  constexpr int THREADS = (BM / WM) * (BN / WN) * 32, SLOTS = DEPTH + 1, A_BYTES = BM * 64, B_BYTES = BN * 64, SLOT = A_BYTES + B_BYTES, BC = BN / 8;
  extern __shared__ __align__(128) uint8_t ring[];
  const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
  const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;
  const bf16* gA = A + (size_t)blockIdx.y * BM * K;
  const bf16* gB = B + (size_t)blockIdx.x * BN;
  const uint32_t base = smem_addr(ring);

  auto fetch = [&](int kt, int slot) {
    uint32_t sa = base + slot * SLOT, sb = sa + A_BYTES;
#pragma unroll
    for (int c = tid; c < BM * 4; c += THREADS) {
      int r = c >> 2, q = c & 3;
      cp16(sa + r * 64 + ((q ^ (r >> 1 & 3)) << 4), gA + (size_t)r * K + kt * 32 + q * 8);
    }
#pragma unroll
    for (int c = tid; c < 32 * BC; c += THREADS) {
      int r = c / BC, q = c % BC;
      cp16(sb + r * (BN * 2) + ((q ^ (r & 7)) << 4), gB + (size_t)(kt * 32 + r) * N + q * 8);
    }
  };

  float acc[WM / 16][WN / 8][4];
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) acc[i][j][e] = 0.f;

  const int kts = K / 32;
#pragma unroll
  for (int s = 0; s < DEPTH; ++s) {
    fetch(s, s);
    cp_commit();
  }
  int slot = 0, next = DEPTH;
  for (int kt = 0; kt < kts; ++kt) {
    if (kt + DEPTH < kts) fetch(kt + DEPTH, next);
    cp_commit();
    if (++next == SLOTS) next = 0;
    cp_wait<DEPTH>();
    __syncthreads();
    const uint32_t sa = base + slot * SLOT, sb = sa + A_BYTES;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t a[WM / 16][4], b[WN / 8][2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        int r = wm + i * 16 + (lane & 15), q = kk * 2 + (lane >> 4);
        ldsm_x4(a[i][0], a[i][1], a[i][2], a[i][3], sa + r * 64 + ((q ^ (r >> 1 & 3)) << 4));
      }
#pragma unroll
      for (int j = 0; j < WN / 16; ++j) {
        int r = kk * 16 + (lane & 15), q = (wn + j * 16) / 8 + (lane >> 4);
        ldsm_x4_trans(b[2 * j][0], b[2 * j][1], b[2 * j + 1][0], b[2 * j + 1][1], sb + r * (BN * 2) + ((q ^ (r & 7)) << 4));
      }
#pragma unroll
      for (int j = 0; j < WN / 8; ++j)
#pragma unroll
        for (int i = 0; i < WM / 16; ++i)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
    }
    if (++slot == SLOTS) slot = 0;
    __syncthreads();
  }
  const int r0 = blockIdx.y * BM + wm + lane / 4, c0 = blockIdx.x * BN + wn + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      float* p = C + (size_t)(r0 + i * 16) * N + c0 + j * 8;
      *(float2*)p = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2*)(p + (size_t)8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

// ------------------------------------------------------------------ 3: FIR filter of 33 taps; tiles of 512 samples by cp.async.ca of 4 bytes, two buffers
__global__ void __launch_bounds__(128) fir33(const float* __restrict__ x, const float* __restrict__ taps, float* __restrict__ y, int n, int tiles) {
  constexpr int T = 512, H = 16;
  __shared__ float buf[2][T + 2 * H];
  __shared__ float h[2 * H + 1];
  const int tid = threadIdx.x, first = blockIdx.x * tiles * T;
  if (tid < 2 * H + 1) h[tid] = taps[tid];
  auto fetch = [&](int t) {
    const int origin = first + t * T - H;
    for (int i = tid; i < T + 2 * H; i += 128) {
      int g = origin + i, ok = g >= 0 && g < n;
      cp4(smem_addr(&buf[t & 1][i]), x + (ok ? g : 0), ok ? 4 : 0);
    }
    cp_commit();
  };
  fetch(0);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      fetch(t + 1);
      cp_wait<1>();
    } else {
      cp_wait<0>();
    }
    __syncthreads();
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const float* b = buf[t & 1] + tid;
#pragma unroll 11
    for (int k = 0; k < 2 * H + 1; ++k) {
      float c = h[k];
      s0 = fmaf(c, b[k], s0);
      s1 = fmaf(c, b[k + 128], s1);
      s2 = fmaf(c, b[k + 256], s2);
      s3 = fmaf(c, b[k + 384], s3);
    }
    float* o = y + first + t * T + tid;
    o[0] = s0, o[128] = s1, o[256] = s2, o[384] = s3;
    __syncthreads();
  }
}

// ------------------------------------------------------------------ 4: embedding bags: weighted sums of gathered rows; each thread has a ring of its own (cp.async.cg, 16 bytes)
__global__ void __launch_bounds__(64) embedding_bag(const float4* __restrict__ table, const uint32_t* __restrict__ ids, const float* __restrict__ weights, float4* __restrict__ out, uint32_t mask, int per_bag) {
  __shared__ float4 ring[4][64];
  const int tid = threadIdx.x;
  const uint32_t* my_ids = ids + (size_t)blockIdx.x * per_bag;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int j = 0; j < 3; ++j) {
    cp16(smem_addr(&ring[j][tid]), table + (size_t)(my_ids[j] & mask) * 64 + tid);
    cp_commit();
  }
  for (int j = 0; j < per_bag; ++j) {
    int ahead = j + 3;
    if (ahead < per_bag) cp16(smem_addr(&ring[ahead & 3][tid]), table + (size_t)(my_ids[ahead] & mask) * 64 + tid);
    cp_commit();
    cp_wait<3>();
    float w = weights[j];
    float4 v = ring[j & 3][tid];
    sum.x += w * v.x;
    sum.y += w * v.y;
    sum.z += w * v.z;
    sum.w += w * v.w;
  }
  out[(size_t)blockIdx.x * 64 + tid] = sum;
}

// ------------------------------------------------------------------ 5-8: one consumer warpgroup and a producer warp; tile 64 x BN, 128 bytes of K a step
enum Kind { BF16, TF32, S8 };
template <Kind KIND, int BN, int SLOTS>
__global__ void __launch_bounds__(160) one_consumer(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, std::conditional_t<KIND == S8, int, float>* __restrict__ C, int N, int K) {
  using Acc = std::conditional_t<KIND == S8, int, float>;
  constexpr int ELEMS = KIND == BF16 ? 64 : KIND == TF32 ? 32 : 128, A_BYTES = 64 * 128, SLOT = A_BYTES + BN * 128;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * BN, kts = K / ELEMS;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(128);
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) {
      int s = 0;
      uint32_t phase = 1;  // a fresh barrier's "previous" phase counts as done
      for (int kt = 0; kt < kts; ++kt) {
        freed[s].wait(phase);
        filled[s].expect_bytes(SLOT);
        tma_load(base + s * SLOT, mapA, filled[s], kt * ELEMS, m0);
        tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], kt * ELEMS, n0);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    }
    return;
  }
  Acc acc[BN / 2];
#pragma unroll
  for (int i = 0; i < BN / 2; ++i) acc[i] = 0;
  int s = 0;
  uint32_t phase = 0;
  for (int kt = 0; kt < kts; ++kt) {
    filled[s].wait(phase);
    const uint64_t da = kmajor(base + s * SLOT), db = kmajor(base + s * SLOT + A_BYTES);
    keep(acc);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      if constexpr (KIND == BF16) wgmma_bf16_n256(acc, da + kk * 2, db + kk * 2, 1);
      if constexpr (KIND == TF32) wgmma_tf32_n128(acc, da + kk * 2, db + kk * 2, 1);
      if constexpr (KIND == S8) wgmma_s8_n128(acc, da + kk * 2, db + kk * 2, 1);
    }
    wg_commit();
    wg_wait<0>();
    freed[s].arrive();
    if (++s == SLOTS) s = 0, phase ^= 1;
  }
  keep(acc);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  Acc* top = C + (size_t)(m0 + warp * 16 + lane / 4) * N + n0 + lane % 4 * 2;
  Acc* bottom = top + (size_t)8 * N;
#pragma unroll
  for (int j = 0; j < BN / 8; ++j) {
    using Pair = std::conditional_t<KIND == S8, int2, float2>;
    *(Pair*)(top + j * 8) = Pair{acc[j * 4], acc[j * 4 + 1]};
    *(Pair*)(bottom + j * 8) = Pair{acc[j * 4 + 2], acc[j * 4 + 3]};
  }
}

// ------------------------------------------------------------------ 9: e5m2, producer warpgroup and two consumers with setmaxnreg, tile 128 x 192; one tile a block
__global__ void __launch_bounds__(384, 1) e5m2_two_consumers(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, bf16* __restrict__ C, int N, int K) {
  constexpr int SLOTS = 5, A_BYTES = 128 * 128, SLOT = A_BYTES + 192 * 128;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 192, kts = K / 128, wg = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(2);
    fence_init();
  }
  __syncthreads();
  if (wg == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 256) {
      for (int kt = 0; kt < kts; ++kt) {
        const int s = kt % SLOTS;
        freed[s].wait((kt / SLOTS & 1) ^ 1);
        filled[s].expect_bytes(SLOT);
        tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], kt * 128, n0);
        tma_load(base + s * SLOT, mapA, filled[s], kt * 128, m0);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    float acc[96];
    for (int kt = 0; kt < kts; ++kt) {
      const int s = kt % SLOTS;
      filled[s].wait(kt / SLOTS & 1);
      const uint64_t da = kmajor(base + s * SLOT + wg * 8192), db = kmajor(base + s * SLOT + A_BYTES);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_e5m2_n192(acc, da + kk * 2, db + kk * 2, kt | kk);
      wg_commit();
      if (kt > 0) {  // the step before this one is done once one group is left
        wg_wait<1>();
        asm volatile("bar.sync %0, 128;" ::"r"(wg + 1) : "memory");
        if (threadIdx.x % 128 == 0) freed[(kt - 1) % SLOTS].arrive();
      }
    }
    wg_wait<0>();
    keep(acc);
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    bf16* p = C + (size_t)(m0 + wg * 64 + warp * 16 + lane / 4) * N + n0 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 24; ++j) {
      *(__nv_bfloat162*)(p + j * 8) = __floats2bfloat162_rn(acc[4 * j], acc[4 * j + 1]);
      *(__nv_bfloat162*)(p + (size_t)8 * N + j * 8) = __floats2bfloat162_rn(acc[4 * j + 2], acc[4 * j + 3]);
    }
  }
}

// ------------------------------------------------------------------ 10: bf16, tile 256 x 128 of two consumers (128 x 128 each), tiles dealt out by a stride; 160 tiles on 132 blocks
__global__ void __launch_bounds__(384, 1) tall_persistent(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, float* __restrict__ C, int tiles, int tiles_n, int N, int K) {
  constexpr int SLOTS = 4, A_BYTES = 256 * 128, SLOT = A_BYTES + 128 * 128;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int wg = threadIdx.x >> 7, kts = K >> 6;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(256);
    fence_init();
  }
  __syncthreads();
  int s = 0;
  if (wg == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 32;");
    if (threadIdx.x != 0) return;
    uint32_t phase = 1;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      const int m0 = t / tiles_n * 256, n0 = t % tiles_n * 128;
      for (int k = 0; k < K; k += 64) {
        freed[s].wait(phase);
        filled[s].expect_bytes(SLOT);
        tma_load(base + s * SLOT, mapA, filled[s], k, m0);
        tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], k, n0);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  uint32_t phase = 0;
  const int part = wg - 1, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    float lo[64], hi[64];
    for (int kt = 0; kt < kts; ++kt) {
      filled[s].wait(phase);
      const uint32_t slot = base + s * SLOT;
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(lo, kmajor(slot + part * 16384 + kk * 32), kmajor(slot + A_BYTES + kk * 32), kt | kk);
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(hi, kmajor(slot + part * 16384 + 8192 + kk * 32), kmajor(slot + A_BYTES + kk * 32), kt | kk);
      wg_commit();
      wg_wait<0>();
      freed[s].arrive();
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    keep(lo);
    keep(hi);
    float* p = C + (size_t)(t / tiles_n * 256 + part * 128 + warp * 16 + lane / 4) * N + t % tiles_n * 128 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      *(float2*)(p + j * 8) = make_float2(lo[4 * j], lo[4 * j + 1]);
      *(float2*)(p + (size_t)8 * N + j * 8) = make_float2(lo[4 * j + 2], lo[4 * j + 3]);
      *(float2*)(p + (size_t)64 * N + j * 8) = make_float2(hi[4 * j], hi[4 * j + 1]);
      *(float2*)(p + (size_t)72 * N + j * 8) = make_float2(hi[4 * j + 2], hi[4 * j + 3]);
    }
  }
}

// ------------------------------------------------------------------ 11: split-K, tile 64 x 128, partial sums added to C by float RED; the warpgroup feeds itself
__global__ void __launch_bounds__(128) split_k(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, float* __restrict__ C, int N, int k_each) {
  constexpr int SLOTS = 6, SLOT = 64 * 128 + 128 * 128;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS];
  const uint32_t base = round1k(raw);
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128, k0 = blockIdx.z * k_each, kts = k_each / 64;
  const bool leader = threadIdx.x == 0;
  auto fetch = [&](int kt) {
    const int s = kt % SLOTS;
    filled[s].expect_bytes(SLOT);
    tma_load(base + s * SLOT, mapA, filled[s], k0 + kt * 64, m0);
    tma_load(base + s * SLOT + 8192, mapB, filled[s], k0 + kt * 64, n0);
  };
  if (leader) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1);
    fence_init();
    for (int kt = 0; kt < SLOTS - 1 && kt < kts; ++kt) fetch(kt);
  }
  __syncthreads();
  float acc[64];
  for (int kt = 0; kt < kts; ++kt) {
    const int s = kt % SLOTS;
    filled[s].wait(kt / SLOTS & 1);
    const uint64_t da = kmajor(base + s * SLOT), db = kmajor(base + s * SLOT + 8192);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
    wg_commit();
    wg_wait<0>();
    keep(acc);
    __syncthreads();
    if (leader && kt + SLOTS - 1 < kts) fetch(kt + SLOTS - 1);
  }
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float* p = C + (size_t)(m0 + warp * 16 + lane / 4) * N + n0 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    atomicAdd(p + j * 8, acc[4 * j]);
    atomicAdd(p + j * 8 + 1, acc[4 * j + 1]);
    atomicAdd(p + (size_t)8 * N + j * 8, acc[4 * j + 2]);
    atomicAdd(p + (size_t)8 * N + j * 8 + 1, acc[4 * j + 3]);
  }
}

// ------------------------------------------------------------------ 12: s8 weights become bf16 in registers (A of wgmma from registers), tile 64 x 64; a scale for each row
__global__ void __launch_bounds__(128) mixed_input(const __grid_constant__ CUtensorMap mapW, const __grid_constant__ CUtensorMap mapB, const float* __restrict__ scales, bf16* __restrict__ C, int N, int K) {
  constexpr int SLOTS = 4, W_BYTES = 64 * 64, SLOT = 8192 + W_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS];
  const uint32_t base = round1k(raw);
  const uint32_t weights = base + SLOTS * 8192;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, kts = K / 64, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1);
    fence_init();
  }
  __syncthreads();
  float acc[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) acc[i] = 0.f;
  for (int kt = -(SLOTS - 1); kt < kts; ++kt) {
    const int ahead = kt + SLOTS - 1;
    if (threadIdx.x == 0 && ahead < kts) {
      const int s = ahead % SLOTS;
      filled[s].expect_bytes(SLOT);
      tma_load(base + s * 8192, mapB, filled[s], ahead * 64, n0);
      tma_load(weights + s * W_BYTES, mapW, filled[s], ahead * 64, m0);
    }
    if (kt < 0) continue;
    const int s = kt % SLOTS;
    filled[s].wait(kt / SLOTS & 1);
    const uint32_t row = weights + s * W_BYTES + (warp * 16 + lane / 4) * 64 + lane % 4 * 2;
    uint32_t a[4][4];
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        uint16_t two;
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(two) : "r"(row + (e & 1) * 512 + kk * 16 + (e >> 1) * 8));
        __nv_bfloat162 pair = __floats2bfloat162_rn((float)(int8_t)(two & 0xff), (float)(int8_t)(two >> 8));
        a[kk][e] = *(uint32_t*)&pair;
      }
    keep(acc);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n64_a_regs(acc, a[kk], kmajor(base + s * 8192) + 2 * kk, 1);
    wg_commit();
    wg_wait<0>();
    keep(acc);
    __syncthreads();
  }
  const int r = m0 + warp * 16 + lane / 4;
  const float s0 = scales[r], s1 = scales[r + 8];
  bf16* p = C + (size_t)r * N + n0 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    *(__nv_bfloat162*)(p + j * 8) = __floats2bfloat162_rn(s0 * acc[4 * j], s0 * acc[4 * j + 1]);
    *(__nv_bfloat162*)(p + (size_t)8 * N + j * 8) = __floats2bfloat162_rn(s1 * acc[4 * j + 2], s1 * acc[4 * j + 3]);
  }
}

// ------------------------------------------------------------------ 13: star stencil of radius 2; boxes 68 x 20 with halo by TMA, results stored by TMA; four tiles a block
__global__ void __launch_bounds__(256) tma_star(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, float w0, float w1, float w2) {
  constexpr int TW = 64, TH = 16, BW = TW + 4, BH = TH + 4;
  __shared__ __align__(128) float box[2][1376];  // 68 * 20, up to a multiple of 128 bytes
  __shared__ __align__(128) float result[2][TH * TW];
  __shared__ Barrier ready[2];
  const int x0 = blockIdx.x * TW, y0 = blockIdx.y * TH * 4;
  if (threadIdx.x == 0) {
    ready[0].init(1), ready[1].init(1);
    fence_init();
    ready[0].expect_bytes(BW * BH * 4);
    tma_load(smem_addr(box[0]), in, ready[0], x0 - 2, y0 - 2);
  }
  __syncthreads();
  for (int t = 0; t < 4; ++t) {
    const int b = t & 1;
    if (threadIdx.x == 0) {
      if (t < 3) {
        ready[b ^ 1].expect_bytes(BW * BH * 4);
        tma_load(smem_addr(box[b ^ 1]), in, ready[b ^ 1], x0 - 2, y0 + (t + 1) * TH - 2);
      }
      bulk_wait_read<1>();  // the store before the last one has left its buffer
    }
    __syncthreads();
    ready[b].wait(t >> 1);
    const int x = threadIdx.x % TW;
#pragma unroll
    for (int y = threadIdx.x / TW; y < TH; y += 256 / TW) {
      const float* c = &box[b][(y + 2) * BW + x + 2];
      result[b][y * TW + x] = w0 * c[0] + w1 * (c[-1] + c[1] + c[-BW] + c[BW]) + w2 * (c[-2] + c[2] + c[-2 * BW] + c[2 * BW]);
    }
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      tma_store(out, smem_addr(result[b]), x0, y0 + t * TH);
      bulk_commit();
    }
  }
  if (threadIdx.x == 0) bulk_wait_all();
}

// ------------------------------------------------------------------ 14: transpose of floats; four tiles of 32 x 32 come by TMA (swizzle 128) and leave by TMA
__global__ void __launch_bounds__(256) tma_transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
  __shared__ __align__(1024) float from[4][1024], to[4][1024];
  __shared__ Barrier ready[4];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 128, tid = threadIdx.x;
  if (tid == 0) {
    for (int t = 0; t < 4; ++t) ready[t].init(1);
    fence_init();
    for (int t = 0; t < 4; ++t) {
      ready[t].expect_bytes(4096);
      tma_load(smem_addr(from[t]), in, ready[t], x0, y0 + t * 32);
    }
  }
  __syncthreads();
  auto at = [](int r, int c) { return r * 32 + ((c / 4) ^ (r % 8)) * 4 + c % 4; };
  for (int t = 0; t < 4; ++t) {
    ready[t].wait(0);
    const int lane = tid % 32;
    for (int c = tid / 32; c < 32; c += 8) to[t][at(c, lane)] = from[t][at(lane, c)];
    fence_async();
    __syncthreads();
    if (tid == 0) {
      tma_store(out, smem_addr(to[t]), y0 + t * 32, x0);
      bulk_commit();
    }
  }
  if (tid == 0) bulk_wait_all();
}

// ------------------------------------------------------------------ 15: gradient rows are scaled and added to their rows of a table by cp.reduce.async.bulk
__global__ void __launch_bounds__(128) scatter_rows(const float* __restrict__ grad, const uint32_t* __restrict__ ids, float* __restrict__ table, uint32_t mask, float rate) {
  constexpr int ROWS = 16, D = 128;
  __shared__ __align__(128) float rows[ROWS][D];
  __shared__ Barrier ready;
  const size_t first = (size_t)blockIdx.x * ROWS;
  if (threadIdx.x == 0) {
    ready.init(1);
    fence_init();
    ready.expect_bytes(ROWS * D * 4);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem_addr(rows)), "l"(grad + first * D), "r"(ROWS * D * 4), "r"(smem_addr(&ready)) : "memory");
  }
  __syncthreads();
  ready.wait(0);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) rows[r][threadIdx.x] *= rate;
  fence_async();
  __syncthreads();
  if (threadIdx.x < ROWS) {
    uint32_t id = ids[first + threadIdx.x] & mask;
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(table + (size_t)id * D), "r"(smem_addr(rows[threadIdx.x])), "r"(D * 4) : "memory");
    bulk_commit();
    bulk_wait_all();
  }
}

// ------------------------------------------------------------------ 16: clusters of 4 along M share B: each block loads a quarter and multicasts it; tile 64 x 128 a block
__global__ void __launch_bounds__(160) multicast_quarters(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, bf16* __restrict__ C, int N, int K) {
  constexpr int SLOTS = 4, SLOT = 8192 + 16384;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t base = round1k(raw), rank = cluster.block_rank();
  const int m0 = blockIdx.x * 64, n0 = blockIdx.y * 128, kts = K / 64;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(16);
    fence_init();
  }
  cluster.sync();
  if (threadIdx.x < 128) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float acc[64];
    int s = 0;
    uint32_t phase = 0;
    for (int kt = 0; kt < kts; ++kt) {
      filled[s].wait(phase);
      const uint64_t da = kmajor(base + s * SLOT), db = kmajor(base + s * SLOT + 8192);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk);
      wg_commit();
      wg_wait<0>();
      if (lane < 4) freed[s].arrive_remote(lane);
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    keep(acc);
    bf16* p = C + (size_t)(m0 + warp * 16 + lane / 4) * N + n0 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      *(__nv_bfloat162*)(p + j * 8) = __floats2bfloat162_rn(acc[4 * j], acc[4 * j + 1]);
      *(__nv_bfloat162*)(p + (size_t)8 * N + j * 8) = __floats2bfloat162_rn(acc[4 * j + 2], acc[4 * j + 3]);
    }
  } else {
    if (threadIdx.x == 128) {
      int s = 0;
      uint32_t phase = 1;
      for (int kt = 0; kt < kts; ++kt) {
        freed[s].wait(phase);
        filled[s].expect_bytes(SLOT);
        tma_load(base + s * SLOT, mapA, filled[s], kt * 64, m0);
        tma_load_multicast(base + s * SLOT + 8192 + rank * 4096, mapB, filled[s], kt * 64, n0 + rank * 32, 0xF);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    }
    __syncwarp();
  }
  cluster.sync();
}

// ------------------------------------------------------------------ 17: squared norms of rows; the row after the next one is prefetched to L2 in bulk
__global__ void __launch_bounds__(256) prefetch_norms(const float4* __restrict__ x, float* __restrict__ norms, int rows, int quads) {
  __shared__ float partial[8];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const int later = r + 2 * gridDim.x;
    if (threadIdx.x == 0 && later < rows) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(x + (size_t)later * quads), "r"(quads * 16) : "memory");
    float s = 0;
    for (int i = threadIdx.x; i < quads; i += 256) {
      float4 v = x[(size_t)r * quads + i];
      s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 8) {
      s = partial[threadIdx.x];
      for (int o = 4; o > 0; o >>= 1) s += __shfl_down_sync(0xffu, s, o);
      if (threadIdx.x == 0) norms[r] = s;
    }
    __syncthreads();
  }
}

// ------------------------------------------------------------------ 18: softmax of rows of 16384, one row a cluster of 4; maxima and sums are read from the other blocks' shared memory
__global__ void __launch_bounds__(256) cluster_softmax(const float4* __restrict__ x, float4* __restrict__ y) {
  __shared__ float warp_part[8], mine[2];
  cg::cluster_group cluster = cg::this_cluster();
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const size_t first = (size_t)blockIdx.x * 1024 + tid;
  float4 v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = x[first + i * 256];
  float m = -FLT_MAX;
#pragma unroll
  for (int i = 0; i < 4; ++i) m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (lane == 0) warp_part[warp] = m;
  __syncthreads();
  if (tid == 0) {
    for (int i = 1; i < 8; ++i) m = fmaxf(m, warp_part[i]);
    mine[0] = m;
  }
  cluster.sync();
  m = mine[0];
#pragma unroll
  for (int r = 0; r < 4; ++r) m = fmaxf(m, *cluster.map_shared_rank(&mine[0], r));
  float s = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i].x = __expf(v[i].x - m), v[i].y = __expf(v[i].y - m), v[i].z = __expf(v[i].z - m), v[i].w = __expf(v[i].w - m);
    s += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0) warp_part[warp] = s;
  __syncthreads();
  if (tid == 0) {
    for (int i = 1; i < 8; ++i) s += warp_part[i];
    mine[1] = s;
  }
  cluster.sync();
  s = 0;
#pragma unroll
  for (int r = 0; r < 4; ++r) s += *cluster.map_shared_rank(&mine[1], r);
  const float scale = __fdividef(1.f, s);
#pragma unroll
  for (int i = 0; i < 4; ++i) y[first + i * 256] = make_float4(v[i].x * scale, v[i].y * scale, v[i].z * scale, v[i].w * scale);
  cluster.sync();
}

// ------------------------------------------------------------------ 19: greatest value of each of 2048 groups; groups live in both blocks of a cluster, max by remote shared atomics; 64 blocks
__global__ void __launch_bounds__(512) cluster_group_max(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int n) {
  __shared__ uint32_t best[1024];
  cg::cluster_group cluster = cg::this_cluster();
  best[threadIdx.x] = 0, best[threadIdx.x + 512] = 0;
  uint32_t* even = cluster.map_shared_rank(best, 0);
  uint32_t* odd = cluster.map_shared_rank(best, 1);
  cluster.sync();
  const int stride = gridDim.x * 512;
#pragma unroll 4
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += stride) {
    uint32_t w = in[i], group = w & 2047;
    atomicMax((group & 1 ? odd : even) + (group >> 1), w >> 11);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 1024; i += 512) atomicMax(out + i * 2 + cluster.block_rank(), best[i]);
}

// ------------------------------------------------------------------ 20: heat in rods of 8192 points, 1024 a block of a cluster of 8; ends are read from the neighbours' shared memory
__global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(256) cluster_rods(const float* __restrict__ in, float* __restrict__ out, int steps, float rate) {
  __shared__ float rod[2][1024];
  cg::cluster_group cluster = cg::this_cluster();
  const int tid = threadIdx.x, rank = cluster.block_rank();
  const size_t first = (size_t)blockIdx.x * 1024;
  for (int i = tid; i < 1024; i += 256) rod[0][i] = in[first + i];
  for (int s = 0; s < steps; ++s) {
    cluster.sync();
    float* now = rod[s & 1];
    float* then = rod[~s & 1];
    for (int i = tid; i < 1024; i += 256) {
      float left = i > 0 ? now[i - 1] : rank > 0 ? cluster.map_shared_rank(now, rank - 1)[1023] : 0.f;
      float right = i < 1023 ? now[i + 1] : rank < 7 ? cluster.map_shared_rank(now, rank + 1)[0] : 0.f;
      then[i] = now[i] + rate * (left - 2.f * now[i] + right);
    }
  }
  cluster.sync();
  for (int i = tid; i < 1024; i += 256) out[first + i] = rod[steps & 1][i];
}

// ------------------------------------------------------------------ 21: sparse matrix (16 entries a row, stored by columns) times a vector read by tex1Dfetch
__global__ void __launch_bounds__(192) ell_spmv(const float* __restrict__ val, const uint32_t* __restrict__ col, cudaTextureObject_t x, float* __restrict__ y, int rows) {
  const int i = blockIdx.x * 192 + threadIdx.x;
  if (i >= rows) return;
  float s = 0;
#pragma unroll 4
  for (int j = 0; j < 16; ++j) {
    size_t e = (size_t)j * rows + i;
    int c = (i + (col[e] & 4095)) % rows;
    s = fmaf(val[e], tex1Dfetch<float>(x, c), s);
  }
  y[i] = s;
}

// ------------------------------------------------------------------ 22: bilinear resize by tex2D
__global__ void __launch_bounds__(256) resize_bilinear(cudaTextureObject_t in, float* __restrict__ out, int w, int h, float sx, float sy) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const float u = (x + 0.5f) * sx;
  for (int y = blockIdx.y * 64 + threadIdx.y; y < min(h, (int)blockIdx.y * 64 + 64); y += 16)
    if (x < w) out[y * w + x] = tex2D<float>(in, u, (y + 0.5f) * sy);
}

// ------------------------------------------------------------------ 23: vertical blur from surface to surface
__global__ void __launch_bounds__(128) surface_blur(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int rows, float a, float b) {
  const int x = (blockIdx.x * 128 + threadIdx.x) * 4, y0 = blockIdx.y * rows;
  float up = surf2Dread<float>(in, x, y0 - 1, cudaBoundaryModeClamp), mid = surf2Dread<float>(in, x, y0);
  for (int y = y0; y < y0 + rows; ++y) {
    float down = surf2Dread<float>(in, x, y + 1, cudaBoundaryModeClamp);
    surf2Dwrite(a * mid + b * (up + down), out, x, y);
    up = mid, mid = down;
  }
}

// ------------------------------------------------------------------ 24: dot product in two phases of a cooperative grid
__global__ void __launch_bounds__(512) grid_dot(const float4* __restrict__ a, const float4* __restrict__ b, float* partial, float* result, int quads) {
  __shared__ float s[16];
  auto total = [&](float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < 16 ? s[threadIdx.x] : 0.f;
    for (int o = 8; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
  };
  float sum = 0;
  for (int i = blockIdx.x * 512 + threadIdx.x; i < quads; i += gridDim.x * 512) {
    float4 p = a[i], q = b[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  sum = total(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  cg::this_grid().sync();
  if (blockIdx.x == 0) {
    sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += 512) sum += __ldcg(partial + i);
    sum = total(sum);
    if (threadIdx.x == 0) *result = sum;
  }
}

// ------------------------------------------------------------------ 25: Jacobi iterations between two arrays with a grid barrier after each
__global__ void __launch_bounds__(256) grid_jacobi(float* a, float* b, int w, int h, int iterations) {
  cg::grid_group grid = cg::this_grid();
  float* from = a;
  float* to = b;
  for (int it = 0; it < iterations; ++it) {
    for (int y = 1 + blockIdx.x; y < h - 1; y += gridDim.x)
      for (int x = 1 + threadIdx.x; x < w - 1; x += 256) {
        const float* c = from + y * w + x;
        to[y * w + x] = 0.25f * (__ldcg(c - 1) + __ldcg(c + 1) + __ldcg(c - w) + __ldcg(c + w));
      }
    grid.sync();
    float* t = from;
    from = to, to = t;
  }
}

// ------------------------------------------------------------------ 26: counts of skewed keys, one atomic for each distinct key of a warp
__global__ void __launch_bounds__(256) aggregated_counts(const uint32_t* __restrict__ in, uint32_t* counts, int n) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    uint32_t w = in[i], key = w & (w >> 8) & (w >> 16) & 255;
    uint32_t peers = __match_any_sync(__activemask(), key);
    if ((peers & ((1u << (threadIdx.x & 31)) - 1)) == 0) atomicAdd(&counts[key], (uint32_t)__popc(peers));
  }
}

// ------------------------------------------------------------------ 27: stream compaction: ballots of 8 items a thread, a prefix over 64 ballots, one atomic a block
__global__ void __launch_bounds__(256) ballot_compact(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, uint32_t* counter, uint32_t modulus) {
  __shared__ uint32_t offset[64], start;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  uint32_t v[8], votes[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) v[j] = in[(size_t)blockIdx.x * 2048 + j * 256 + tid];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    votes[j] = __ballot_sync(~0u, v[j] % modulus == 0);
    if (lane == 0) offset[j * 8 + warp] = __popc(votes[j]);
  }
  __syncthreads();
  if (warp == 0) {
    uint32_t p = offset[2 * lane], q = offset[2 * lane + 1], sum = p + q;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      uint32_t t = __shfl_up_sync(~0u, sum, o);
      if (lane >= o) sum += t;
    }
    offset[2 * lane] = sum - p - q, offset[2 * lane + 1] = sum - q;
    if (lane == 31) start = atomicAdd(counter, sum);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 8; ++j)
    if (votes[j] >> lane & 1) out[start + offset[j * 8 + warp] + __popc(votes[j] & ((1u << lane) - 1))] = v[j];
}

// ------------------------------------------------------------------ 28: least, range and common bits of each 32 words by redux
__global__ void __launch_bounds__(128) redux_groups(const uint32_t* __restrict__ in, uint4* __restrict__ out, int groups) {
  const int lane = threadIdx.x & 31;
  for (int g = (blockIdx.x * 128 + threadIdx.x) >> 5; g < groups; g += gridDim.x * 4) {
    uint32_t v = in[(size_t)g * 32 + lane];
    uint32_t lo = __reduce_min_sync(~0u, v), hi = __reduce_max_sync(~0u, v), common = __reduce_and_sync(~0u, v | 0x0f0f0f0fu), sum = __reduce_add_sync(~0u, v >> 8);
    if (lane == 0) out[g] = make_uint4(lo, hi - lo, common, sum);
  }
}

// ------------------------------------------------------------------ 29: inclusive sums over segments of 2048, 8 words a thread
__global__ void __launch_bounds__(256) segment_scan(const uint4* __restrict__ in, uint4* __restrict__ out) {
  __shared__ uint32_t warp_sum[8];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const size_t at = (size_t)blockIdx.x * 512 + tid * 2;
  uint4 a = in[at], b = in[at + 1];
  a.y += a.x, a.z += a.y, a.w += a.z;
  b.x += a.w, b.y += b.x, b.z += b.y, b.w += b.z;
  uint32_t sum = b.w;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    uint32_t t = __shfl_up_sync(~0u, sum, o);
    if (lane >= o) sum += t;
  }
  if (lane == 31) warp_sum[warp] = sum;
  __syncthreads();
  uint32_t before = sum - b.w;
  for (int i = 0; i < warp; ++i) before += warp_sum[i];
  out[at] = make_uint4(a.x + before, a.y + before, a.z + before, a.w + before);
  out[at + 1] = make_uint4(b.x + before, b.y + before, b.z + before, b.w + before);
}

// ------------------------------------------------------------------ 30: each thread sorts 24 words by 4 bits with counters and a result in local memory
__global__ void __launch_bounds__(128) local_sort(const uint32_t* __restrict__ in, uint32_t* __restrict__ out) {
  uint32_t place[17], sorted[24];
  const int threads = gridDim.x * 128, me = blockIdx.x * 128 + threadIdx.x;
  for (int k = 0; k < 17; ++k) place[k] = 0;
  for (int i = 0; i < 24; ++i) place[(in[i * threads + me] & 15) + 1]++;
  for (int k = 1; k < 17; ++k) place[k] += place[k - 1];
  for (int i = 0; i < 24; ++i) {
    uint32_t v = in[i * threads + me];
    sorted[place[v & 15]++] = v;
  }
  for (int i = 0; i < 24; ++i) out[i * threads + me] = sorted[i];
}

// ------------------------------------------------------------------ 31: seven points in three dimensions, marching along z with three planes in registers
__global__ void __launch_bounds__(256) march_z(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, float c, float s) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, plane = nx * ny;
  if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;
  const float* p = in + (size_t)y * nx + x;
  float* q = out + (size_t)y * nx + x;
  float below = p[0], here = p[plane];
  for (int z = 1; z < nz - 1; ++z) {
    p += plane, q += plane;
    float above = p[plane];
    *q = c * here + s * (below + above + p[-1] + p[1] + p[-nx] + p[nx]);
    below = here, here = above;
  }
}

// ------------------------------------------------------------------ 32: forces of springs between random nodes: two float REDs an edge
__global__ void __launch_bounds__(256) spring_forces(const uint32_t* __restrict__ ends, const float* __restrict__ position, float* __restrict__ force, int edges, uint32_t mask, float stiffness) {
  const int e = blockIdx.x * 256 + threadIdx.x;
  if (e >= edges) return;
  uint32_t w = ends[e], i = w & mask, j = w >> 12 & mask;
  float f = stiffness * (position[j] - position[i]);
  atomicAdd(force + i, f);
  atomicAdd(force + j, -f);
}

// ------------------------------------------------------------------ 33: double matrix product with mma.sync m16n8k4, tile 64 x 64 x 16, next tile in registers meanwhile
__global__ void __launch_bounds__(128) dmma_gemm(const double* __restrict__ A, const double* __restrict__ B, double* __restrict__ C, int N, int K) {
  __shared__ double sA[64][18], sB[16][68];
  const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31, wm = (warp & 1) * 32, wn = (warp >> 1) * 32, g = lane >> 2, q = lane & 3;
  const double* gA = A + (size_t)(blockIdx.y * 64 + tid / 2) * K + (tid & 1) * 8;
  const double* gB = B + (size_t)(tid / 8) * N + blockIdx.x * 64 + (tid & 7) * 8;
  double2 ra[4], rb[4];
  double acc[2][4][4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) ra[i] = *(const double2*)(gA + 2 * i), rb[i] = *(const double2*)(gB + 2 * i);
  for (int k0 = 0; k0 < K; k0 += 16) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      *(double2*)&sA[tid / 2][(tid & 1) * 8 + 2 * i] = ra[i];
      *(double2*)&sB[tid / 8][(tid & 7) * 8 + 2 * i] = rb[i];
    }
    __syncthreads();
    if (k0 + 16 < K) {
      gA += 16, gB += (size_t)16 * N;
#pragma unroll
      for (int i = 0; i < 4; ++i) ra[i] = *(const double2*)(gA + 2 * i), rb[i] = *(const double2*)(gB + 2 * i);
    }
#pragma unroll
    for (int kk = 0; kk < 16; kk += 4) {
      double a[2][2], b[4];
#pragma unroll
      for (int i = 0; i < 2; ++i) a[i][0] = sA[wm + i * 16 + g][kk + q], a[i][1] = sA[wm + i * 16 + 8 + g][kk + q];
#pragma unroll
      for (int j = 0; j < 4; ++j) b[j] = sB[kk + q][wn + j * 8 + g];
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                       : "+d"(acc[i][j][0]), "+d"(acc[i][j][1]), "+d"(acc[i][j][2]), "+d"(acc[i][j][3])
                       : "d"(a[i][0]), "d"(a[i][1]), "d"(b[j]));
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      double* p = C + (size_t)(blockIdx.y * 64 + wm + i * 16 + g) * N + blockIdx.x * 64 + wn + j * 8 + q * 2;
      *(double2*)p = make_double2(acc[i][j][0], acc[i][j][1]);
      *(double2*)(p + (size_t)8 * N) = make_double2(acc[i][j][2], acc[i][j][3]);
    }
}

// ------------------------------------------------------------------ 34: layer norm of rows of 1024, a warp a row, result in half
__global__ void __launch_bounds__(256) warp_layernorm(const float4* __restrict__ x, const float4* __restrict__ gamma, const float4* __restrict__ beta, __half2* __restrict__ y, int rows, float eps) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float4 v[8];
  float s = 0, ss = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = __ldcs(x + (size_t)row * 256 + i * 32 + lane);
    s += v[i].x + v[i].y + v[i].z + v[i].w;
  }
#pragma unroll
  for (int o = 1; o < 32; o *= 2) s += __shfl_xor_sync(~0u, s, o);
  const float mean = s * (1.f / 1024);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i].x -= mean, v[i].y -= mean, v[i].z -= mean, v[i].w -= mean;
    ss += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
  }
#pragma unroll
  for (int o = 1; o < 32; o *= 2) ss += __shfl_xor_sync(~0u, ss, o);
  const float inv = rsqrtf(ss * (1.f / 1024) + eps);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float4 g = gamma[i * 32 + lane], b = beta[i * 32 + lane];
    __half2 lo = __floats2half2_rn(v[i].x * inv * g.x + b.x, v[i].y * inv * g.y + b.y), hi = __floats2half2_rn(v[i].z * inv * g.z + b.z, v[i].w * inv * g.w + b.w);
    *(uint2*)(y + (size_t)row * 512 + (i * 32 + lane) * 2) = make_uint2(*(uint32_t*)&lo, *(uint32_t*)&hi);
  }
}

// ------------------------------------------------------------------ 35: softmax of rows of 3072 with loads of 16 bytes; a block takes rows in turn
__global__ void __launch_bounds__(256) vector_softmax(const float4* __restrict__ x, float4* __restrict__ y, int rows) {
  __shared__ float red[2][8];
  const int tid = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float4* src = x + (size_t)row * 768;
    float4 a = src[tid], b = src[tid + 256], c = src[tid + 512];
    float m = fmaxf(fmaxf(fmaxf(fmaxf(a.x, a.y), fmaxf(a.z, a.w)), fmaxf(fmaxf(b.x, b.y), fmaxf(b.z, b.w))), fmaxf(fmaxf(c.x, c.y), fmaxf(c.z, c.w)));
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (tid % 32 == 0) red[0][tid / 32] = m;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) m = fmaxf(m, red[0][i]);
    auto e4 = [&](float4& v) {
      v = make_float4(__expf(v.x - m), __expf(v.y - m), __expf(v.z - m), __expf(v.w - m));
      return v.x + v.y + v.z + v.w;
    };
    float s = e4(a) + e4(b) + e4(c);
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (tid % 32 == 0) red[1][tid / 32] = s;
    __syncthreads();
    s = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) s += red[1][i];
    const float inv = 1.f / s;
    auto put = [&](float4* to, float4 v) { __stcs(to, make_float4(v.x * inv, v.y * inv, v.z * inv, v.w * inv)); };
    float4* dst = y + (size_t)row * 768;
    put(dst + tid, a), put(dst + tid + 256, b), put(dst + tid + 512, c);
  }
}

// ------------------------------------------------------------------ 36: silu(x) + r in half2, 8 halves a thread
__global__ void __launch_bounds__(256) silu_residual(const uint4* __restrict__ x, const uint4* __restrict__ r, uint4* __restrict__ y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  uint4 a = x[i], b = r[i];
  __half2* pa = reinterpret_cast<__half2*>(&a);
  const __half2* pb = reinterpret_cast<const __half2*>(&b);
  const __half2 one = __float2half2_rn(1.f);
#pragma unroll
  for (int j = 0; j < 4; ++j) pa[j] = __hfma2(pa[j], h2rcp(__hadd2(one, h2exp(__hneg2(pa[j])))), pb[j]);
  y[i] = a;
}

// ================================================================== host
static bool listing = false;
static int wrongs = 0, launches = 0;
constexpr size_t COUNT = (size_t)1 << 23, HALF = COUNT / 2;
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
static std::string text(const CUtensorMap& m) { return map_text[((const uint64_t*)&m)[0]]; }

// Launches, or prints the launch as TOML. `function` is a part of the mangled name that make_toml.py looks for in the cubin.
template <class... P, class... A> static bool launch(const char* name, const char* function, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, int cluster, bool cooperative, A... args) {
  if (listing) {
    std::string params;
    ((params += (params.empty() ? "" : ", ") + text((P)args)), ...);
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
}
// A is M x K at 0; B is N x K (or K x N) at HALF.
template <class T> static bool gemm_right(const void* c, int M, int N, int K, double scale, double rel, bool b_rows_k) {
  for (int s = 0; s < 64; ++s) {
    size_t i = (size_t)s * 7919 % M, j = ((size_t)s * 104729 + 11) % N;
    double want = 0;
    for (int k = 0; k < K; ++k) want += val(i * K + k) * val(HALF + (b_rows_k ? (size_t)k * N + j : j * K + k));
    T got;
    cuda_ok(cudaMemcpy(&got, (const T*)c + i * N + j, sizeof(T), cudaMemcpyDeviceToHost), "check");
    if (!close_to((double)(float)got, want * scale, rel, 0.01)) { printf("  at %zu %zu\n", i, j); return false; }
  }
  return true;
}

int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (!listing) {
    level.resize(COUNT), words.resize(COUNT);
    uint64_t state = 20260117;
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
  __nv_fp8_e5m2* fifths = upload<__nv_fp8_e5m2>([](float v) { return __nv_fp8_e5m2(v); });
  uint32_t* ints = nullptr;
  float *out = nullptr, *more = nullptr;
  double* doubles = nullptr;
  if (!listing) {
    cuda_ok(cudaMalloc(&ints, COUNT * 4), "malloc");
    cuda_ok(cudaMemcpy(ints, words.data(), COUNT * 4, cudaMemcpyHostToDevice), "upload");
    cuda_ok(cudaMalloc(&out, COUNT * 4), "malloc");
    cuda_ok(cudaMalloc(&more, COUNT * 4), "malloc");
    std::vector<double> d(COUNT / 4);
    for (size_t i = 0; i < d.size(); ++i) d[i] = val(i) + 1e-3 * (words[i] % 1000);
    cuda_ok(cudaMalloc(&doubles, d.size() * 8), "malloc");
    cuda_ok(cudaMemcpy(doubles, d.data(), d.size() * 8, cudaMemcpyHostToDevice), "upload");
  }
  auto clear = [&] {
    if (listing) return;
    cuda_ok(cudaMemset(out, 0, COUNT * 4), "clear");
    cuda_ok(cudaMemset(more, 0, COUNT * 4), "clear");
    cuda_ok(cudaDeviceSynchronize(), "clear");
  };
  uint32_t* out_u = (uint32_t*)out;
  bf16* out_b = (bf16*)out;
  const CUtensorMapDataType F32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, B16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, U8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;
#define RUN(name, ...) clear(); if (launch(name, __VA_ARGS__))
  // Checks some results of a float array by a function of the index.
  auto sample = [&](const char* name, const float* p, size_t n, double rel, double abs, auto want) {
    std::vector<float> got = download<float>(p, n);
    bool right = true;
    for (size_t s = 0; s < 200 && right; ++s) {
      size_t i = s == 0 ? 0 : s == 1 ? n - 1 : s * 2654435761ull % n;
      right = close_to(got[i], want(i), rel, abs);
      if (!right) printf("  at %zu\n", i);
    }
    judge(name, right);
  };

  RUN("ring_mma_256_64_d1", "ring_mmaILi256ELi64E", ring_mma<256, 64, 64, 32, 1>, dim3(1536 / 64, 2048 / 256), 256, 2 * (256 + 64) * 64, 1, false, brains, brains + HALF, out, 1536, 1024)
  judge("ring_mma_256_64_d1", gemm_right<float>(out, 2048, 1536, 1024, 1, 1e-4, true));
  RUN("ring_mma_64_128_d3", "ring_mmaILi64ELi128E", ring_mma<64, 128, 32, 64, 3>, dim3(2304 / 128, 1024 / 64), 128, 4 * (64 + 128) * 64, 1, false, brains, brains + HALF, out, 2304, 1536)
  judge("ring_mma_64_128_d3", gemm_right<float>(out, 1024, 2304, 1536, 1, 1e-4, true));
  const int fir_n = 1 << 22;
  RUN("fir33", "fir33", fir33, fir_n / (512 * 8), 128, 0, 1, false, floats, floats + HALF, out, fir_n, 8)
  sample("fir33", out, fir_n, 1e-4, 1e-3, [&](size_t i) {
    double s = 0;
    for (int k = 0; k < 33; ++k) { long g = (long)i + k - 16; if (g >= 0 && g < fir_n) s += val(HALF + k) * val(g); }
    return s;
  });
  RUN("embedding_bag", "embedding_bag", embedding_bag, 4096, 64, 0, 1, false, (const float4*)floats, ints, floats, (float4*)out, 32767u, 20)
  sample("embedding_bag", out, 4096 * 256, 1e-4, 1e-3, [&](size_t i) {
    double s = 0;
    for (int j = 0; j < 20; ++j) s += val(j) * val((size_t)(words[i / 256 * 20 + j] & 32767) * 256 + i % 256);
    return s;
  });

  auto bmap = [&](size_t at, int w, int h, int bw, int bh) { return tensor("bf16", B16, 2, brains + at, w, h, bw, bh, true); };
  {
    auto a = bmap(0, 1024, 1024, 64, 64), b = bmap(HALF, 1024, 4096, 64, 256);
    RUN("wgmma_64_256", "one_consumerIL4Kind0E", one_consumer<BF16, 256, 4>, dim3(16, 16), 160, 4 * 40960 + 1024, 1, false, a, b, out, 4096, 1024)
    judge("wgmma_64_256", gemm_right<float>(out, 1024, 4096, 1024, 1, 1e-4, false));
  }
  {
    auto a = bmap(0, 128, 3072, 64, 64), b = bmap(HALF, 128, 2048, 64, 256);
    RUN("wgmma_64_256_small_k", "one_consumerIL4Kind0E", one_consumer<BF16, 256, 4>, dim3(8, 48), 160, 4 * 40960 + 1024, 1, false, a, b, out, 2048, 128)
    judge("wgmma_64_256_small_k", gemm_right<float>(out, 3072, 2048, 128, 1, 1e-4, false));
  }
  {
    auto a = tensor("f32", F32, 4, floats, 512, 1024, 32, 64, true), b = tensor("f32", F32, 4, floats + HALF, 512, 2048, 32, 128, true);
    RUN("wgmma_tf32", "one_consumerIL4Kind1E", one_consumer<TF32, 128, 4>, dim3(16, 16), 160, 4 * 24576 + 1024, 1, false, a, b, out, 2048, 512)
    judge("wgmma_tf32", gemm_right<float>(out, 1024, 2048, 512, 1, 1e-3, false));
  }
  {
    auto a = tensor("u8", U8, 1, bytes, 8192, 512, 128, 64, true), b = tensor("u8", U8, 1, bytes + HALF, 8192, 512, 128, 128, true);
    RUN("wgmma_s8_large_k", "one_consumerIL4Kind2E", one_consumer<S8, 128, 6>, dim3(4, 8), 160, 6 * 24576 + 1024, 1, false, a, b, (int*)out, 512, 8192)
    judge("wgmma_s8_large_k", gemm_right<int>(out, 512, 512, 8192, 4, 0, false));
  }
  {
    auto a = tensor("u8", U8, 1, fifths, 1536, 2048, 128, 128, true), b = tensor("u8", U8, 1, fifths + HALF, 1536, 2304, 128, 192, true);
    RUN("e5m2_two_consumers", "e5m2_two_consumers", e5m2_two_consumers, dim3(12, 16), 384, 5 * 40960 + 1024, 1, false, a, b, out_b, 2304, 1536)
    judge("e5m2_two_consumers", gemm_right<bf16>(out, 2048, 2304, 1536, 1, 2e-2, false));
  }
  {
    auto a = bmap(0, 768, 2048, 64, 256), b = bmap(HALF, 768, 2560, 64, 128);
    RUN("tall_persistent", "tall_persistent", tall_persistent, 132, 384, 4 * 49152 + 1024, 1, false, a, b, out, 160, 20, 2560, 768)
    judge("tall_persistent", gemm_right<float>(out, 2048, 2560, 768, 1, 1e-4, false));
  }
  {
    auto a = bmap(0, 8192, 512, 64, 64), b = bmap(HALF, 8192, 512, 64, 128);
    RUN("split_k", "split_k", split_k, dim3(4, 8, 8), 128, 6 * 24576 + 1024, 1, false, a, b, out, 512, 1024)
    judge("split_k", gemm_right<float>(out, 512, 512, 8192, 1, 1e-3, false));
  }
  {
    auto w = tensor("u8", U8, 1, bytes, 1024, 1024, 64, 64, false), b = bmap(HALF, 1024, 2048, 64, 64);
    if (!listing) {
      std::vector<float> scales(1024, 0.5f);
      clear();
      cuda_ok(cudaMemcpy(more, scales.data(), 4096, cudaMemcpyHostToDevice), "scales");
    }
    if (launch("mixed_input", "mixed_input", mixed_input, dim3(32, 16), 128, 4 * (8192 + 4096) + 1024, 1, false, w, b, more, out_b, 2048, 1024))
      judge("mixed_input", gemm_right<bf16>(out, 1024, 2048, 1024, 1, 1e-2, false));
  }

  {
    auto in = tensor("f32", F32, 4, floats, 2048, 2048, 68, 20, false), to = tensor("f32", F32, 4, out, 2048, 2048, 64, 16, false);
    RUN("tma_star", "tma_star", tma_star, dim3(32, 32), 256, 0, 1, false, in, to, 0.5f, 0.1f, 0.025f)
    sample("tma_star", out, 2048 * 2048, 1e-4, 1e-4, [&](size_t i) {
      int x = i % 2048, y = i / 2048;
      auto at = [&](int u, int v) { return u < 0 || v < 0 || u > 2047 || v > 2047 ? 0.0 : val((size_t)v * 2048 + u); };
      return 0.5 * at(x, y) + 0.1 * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) + 0.025 * (at(x - 2, y) + at(x + 2, y) + at(x, y - 2) + at(x, y + 2));
    });
  }
  {
    auto in = tensor("f32", F32, 4, floats, 1024, 4096, 32, 32, true), to = tensor("f32", F32, 4, out, 4096, 1024, 32, 32, true);
    RUN("tma_transpose", "tma_transpose", tma_transpose, dim3(32, 32), 256, 0, 1, false, in, to)
    sample("tma_transpose", out, 4096 * 1024, 0, 0, [&](size_t i) { return val(i % 4096 * 1024 + i / 4096); });
  }
  RUN("scatter_rows", "scatter_rows", scatter_rows, 1024, 128, 0, 1, false, floats, ints, out, 1023u, 0.5f) {
    std::vector<double> want(1024 * 128);
    for (size_t r = 0; r < 16384; ++r)
      for (int d = 0; d < 128; ++d) want[(words[r] & 1023) * 128 + d] += 0.5 * val(r * 128 + d);
    sample("scatter_rows", out, want.size(), 1e-5, 1e-4, [&](size_t i) { return want[i]; });
  }
  {
    auto a = bmap(0, 1024, 2048, 64, 64), b = bmap(HALF, 1024, 1024, 64, 32);
    RUN("multicast_quarters", "multicast_quarters", multicast_quarters, dim3(32, 8), 160, 4 * 24576 + 1024, 4, false, a, b, out_b, 1024, 1024)
    judge("multicast_quarters", gemm_right<bf16>(out, 2048, 1024, 1024, 1, 1e-2, false));
  }
  RUN("prefetch_norms", "prefetch_norms", prefetch_norms, 264, 256, 0, 1, false, (const float4*)floats, out, 2048, 1024)
  sample("prefetch_norms", out, 2048, 1e-4, 1e-3, [&](size_t r) { double s = 0; for (int i = 0; i < 4096; ++i) s += val(r * 4096 + i) * val(r * 4096 + i); return s; });

  RUN("cluster_softmax", "cluster_softmax", cluster_softmax, 2048, 256, 0, 4, false, (const float4*)floats, (float4*)out)
  sample("cluster_softmax", out, COUNT, 1e-3, 1e-8, [&](size_t i) {
    double s = 0;
    for (int k = 0; k < 16384; ++k) s += std::exp(val(i / 16384 * 16384 + k));
    return std::exp(val(i)) / s;
  });
  RUN("cluster_group_max", "cluster_group_max", cluster_group_max, 64, 512, 0, 2, false, ints, out_u, 1 << 21) {
    std::vector<uint32_t> want(2048);
    for (int i = 0; i < 1 << 21; ++i) want[words[i] & 2047] = std::max(want[words[i] & 2047], words[i] >> 11);
    judge("cluster_group_max", download<uint32_t>(out, 2048) == want);
  }
  RUN("cluster_rods", "cluster_rods", cluster_rods, 256, 256, 0, 8, false, floats, out, 24, 0.25f) {
    std::vector<double> now(8192), then(8192);
    const size_t rod = 5;
    for (int i = 0; i < 8192; ++i) now[i] = val(rod * 8192 + i);
    for (int s = 0; s < 24; ++s, now.swap(then))
      for (int i = 0; i < 8192; ++i) then[i] = now[i] + 0.25 * ((i ? now[i - 1] : 0) - 2 * now[i] + (i < 8191 ? now[i + 1] : 0));
    std::vector<float> got = download<float>(out + rod * 8192, 8192);
    bool right = true;
    for (int i = 0; i < 8192 && right; ++i) right = close_to(got[i], now[i], 1e-4, 1e-4);
    judge("cluster_rods", right);
  }

  cudaTextureObject_t line = 1, picture = 1;
  cudaSurfaceObject_t surface_in = 1, surface_out = 2;
  cudaArray_t array_in = nullptr, array_out = nullptr;
  const int rows = 262144;
  if (!listing) {
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = floats + HALF;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = (size_t)rows * 4;
    cuda_ok(cudaCreateTextureObject(&line, &r, &t, nullptr), "texture");
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cuda_ok(cudaMallocArray(&array_in, &f, 2048, 2048, cudaArraySurfaceLoadStore), "array");
    cuda_ok(cudaMallocArray(&array_out, &f, 2048, 2048, cudaArraySurfaceLoadStore), "array");
    cuda_ok(cudaMemcpy2DToArray(array_in, 0, 0, floats, 8192, 8192, 2048, cudaMemcpyDeviceToDevice), "array");
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array_in;
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
    t.filterMode = cudaFilterModeLinear;
    cuda_ok(cudaCreateTextureObject(&picture, &r, &t, nullptr), "texture");
    cuda_ok(cudaCreateSurfaceObject(&surface_in, &r), "surface");
    r.res.array.array = array_out;
    cuda_ok(cudaCreateSurfaceObject(&surface_out, &r), "surface");
  }
  RUN("ell_spmv", "ell_spmv", ell_spmv, (rows + 191) / 192, 192, 0, 1, false, floats, ints, line, out, rows)
  sample("ell_spmv", out, rows, 1e-4, 1e-3, [&](size_t i) {
    double s = 0;
    for (size_t j = 0; j < 16; ++j) s += val(j * rows + i) * val(HALF + (i + (words[j * rows + i] & 4095)) % rows);
    return s;
  });
  RUN("resize_bilinear", "resize_bilinear", resize_bilinear, dim3(96, 18), dim3(16, 16), 0, 1, false, picture, out, 1536, 1152, 2048.f / 1536, 2048.f / 1152)
  sample("resize_bilinear", out, 1536 * 1152, 0, 0.05, [&](size_t i) {
    double u = (i % 1536 + 0.5) * 2048 / 1536 - 0.5, v = (i / 1536 + 0.5) * 2048 / 1152 - 0.5, x = std::floor(u), y = std::floor(v), p = u - x, q = v - y;
    auto at = [&](double a, double b) { return val((size_t)std::min(2047.0, std::max(0.0, b)) * 2048 + (size_t)std::min(2047.0, std::max(0.0, a))); };
    return (at(x, y) * (1 - p) + at(x + 1, y) * p) * (1 - q) + (at(x, y + 1) * (1 - p) + at(x + 1, y + 1) * p) * q;
  });
  RUN("surface_blur", "surface_blur", surface_blur, dim3(16, 64), 128, 0, 1, false, surface_in, surface_out, 32, 0.5f, 0.25f) {
    cuda_ok(cudaMemcpy2DFromArray(out, 8192, array_out, 0, 0, 8192, 2048, cudaMemcpyDeviceToDevice), "surface");
    sample("surface_blur", out, 2048 * 2048, 1e-5, 1e-5, [&](size_t i) {
      size_t x = i % 2048, y = i / 2048;
      return 0.5 * val(i) + 0.25 * (val((y ? y - 1 : 0) * 2048 + x) + val((y < 2047 ? y + 1 : 2047) * 2048 + x));
    });
  }

  RUN("grid_dot", "grid_dot", grid_dot, 264, 512, 0, 1, true, (const float4*)floats, (const float4*)(floats + HALF), more, out, 1 << 20) {
    double want = 0;
    for (size_t i = 0; i < HALF; ++i) want += val(i) * val(HALF + i);
    judge("grid_dot", close_to(download<float>(out, 1)[0], want, 1e-4, 0.5));
  }
  clear();
  if (!listing) {
    cuda_ok(cudaMemcpy(out, floats, 768 * 768 * 4, cudaMemcpyDeviceToDevice), "copy");
    cuda_ok(cudaMemcpy(more, floats, 768 * 768 * 4, cudaMemcpyDeviceToDevice), "copy");
  }
  if (launch("grid_jacobi", "grid_jacobi", grid_jacobi, 256, 256, 0, 1, true, out, more, 768, 768, 7)) {
    std::vector<double> now(768 * 768), then;
    for (size_t i = 0; i < now.size(); ++i) now[i] = val(i);
    then = now;
    for (int it = 0; it < 7; ++it, now.swap(then))
      for (int y = 1; y < 767; ++y)
        for (int x = 1; x < 767; ++x) then[y * 768 + x] = 0.25 * (now[y * 768 + x - 1] + now[y * 768 + x + 1] + now[y * 768 + x - 768] + now[y * 768 + x + 768]);
    sample("grid_jacobi", more, 768 * 768, 1e-4, 1e-4, [&](size_t i) { return now[i]; });
  }

  RUN("aggregated_counts", "aggregated_counts", aggregated_counts, 512, 256, 0, 1, false, ints, out_u, 1 << 20) {
    std::vector<uint32_t> want(256);
    for (int i = 0; i < 1 << 20; ++i) want[words[i] & (words[i] >> 8) & (words[i] >> 16) & 255]++;
    judge("aggregated_counts", download<uint32_t>(out, 256) == want);
  }
  RUN("ballot_compact", "ballot_compact", ballot_compact, 2048, 256, 0, 1, false, ints, out_u, (uint32_t*)more, 3u) {
    uint32_t count = 0, sum = 0, got = 0;
    for (size_t i = 0; i < HALF; ++i)
      if (words[i] % 3 == 0) ++count, sum += words[i];
    bool right = download<uint32_t>(more, 1)[0] == count;
    for (uint32_t v : download<uint32_t>(out, count)) got += v;
    judge("ballot_compact", right && got == sum);
  }
  RUN("redux_groups", "redux_groups", redux_groups, 1056, 128, 0, 1, false, ints, (uint4*)out, 1 << 17) {
    std::vector<uint32_t> got = download<uint32_t>(out, (size_t)4 << 17);
    bool right = true;
    for (size_t g = 0; g < 1 << 17; g += 97) {
      uint32_t lo = ~0u, hi = 0, common = ~0u, sum = 0;
      for (int k = 0; k < 32; ++k) { uint32_t v = words[g * 32 + k]; lo = std::min(lo, v), hi = std::max(hi, v), common &= v | 0x0f0f0f0fu, sum += v >> 8; }
      right &= got[g * 4] == lo && got[g * 4 + 1] == hi - lo && got[g * 4 + 2] == common && got[g * 4 + 3] == sum;
    }
    judge("redux_groups", right);
  }
  RUN("segment_scan", "segment_scan", segment_scan, 2048, 256, 0, 1, false, (const uint4*)ints, (uint4*)out) {
    std::vector<uint32_t> got = download<uint32_t>(out, HALF);
    bool right = true;
    for (size_t b = 0; b < 2048; b += 89) {
      uint32_t s = 0;
      for (int i = 0; i < 2048; ++i) right &= got[b * 2048 + i] == (s += words[b * 2048 + i]);
    }
    judge("segment_scan", right);
  }
  RUN("local_sort", "local_sort", local_sort, 512, 128, 0, 1, false, ints, out_u) {
    std::vector<uint32_t> got = download<uint32_t>(out, 24 * 65536);
    bool right = true;
    for (size_t t = 3; t < 65536; t += 997) {
      std::vector<uint32_t> v(24);
      for (size_t i = 0; i < 24; ++i) v[i] = words[i * 65536 + t];
      std::stable_sort(v.begin(), v.end(), [](uint32_t a, uint32_t b) { return (a & 15) < (b & 15); });
      for (size_t i = 0; i < 24; ++i) right &= got[i * 65536 + t] == v[i];
    }
    judge("local_sort", right);
  }
  RUN("march_z", "march_z", march_z, dim3(4, 64), dim3(64, 4), 0, 1, false, floats, out, 256, 256, 96, 0.4f, 0.1f)
  sample("march_z", out, 256 * 256 * 96, 1e-4, 1e-4, [&](size_t i) {
    int x = i % 256, y = i / 256 % 256, z = i / 65536;
    if (x == 0 || y == 0 || z == 0 || x == 255 || y == 255 || z == 95) return 0.0;
    return 0.4 * val(i) + 0.1 * (val(i - 1) + val(i + 1) + val(i - 256) + val(i + 256) + val(i - 65536) + val(i + 65536));
  });
  RUN("spring_forces", "spring_forces", spring_forces, 2048, 256, 0, 1, false, ints, floats, out, 1 << 19, 65535u, 0.5f) {
    std::vector<double> want(65536);
    for (int e = 0; e < 1 << 19; ++e) {
      uint32_t w = words[e], i = w & 65535, j = w >> 12 & 65535;
      double f = 0.5 * (val(j) - val(i));
      want[i] += f, want[j] -= f;
    }
    sample("spring_forces", out, 65536, 1e-5, 1e-4, [&](size_t i) { return want[i]; });
  }
  RUN("dmma_gemm", "dmma_gemm", dmma_gemm, dim3(16, 16), 128, 0, 1, false, doubles, doubles + (1 << 20), (double*)out, 1024, 512) {
    auto d = [&](size_t i) { return val(i) + 1e-3 * (words[i] % 1000); };
    std::vector<double> got = download<double>(out, 1 << 20);
    bool right = true;
    for (int s = 0; s < 100 && right; ++s) {
      size_t i = (size_t)s * 7919 % 1024, j = (size_t)s * 104729 % 1024;
      double want = 0;
      for (size_t k = 0; k < 512; ++k) want += d(i * 512 + k) * d((1 << 20) + k * 1024 + j);
      right = close_to(got[i * 1024 + j], want, 1e-10, 1e-9);
    }
    judge("dmma_gemm", right);
  }
  RUN("warp_layernorm", "warp_layernorm", warp_layernorm, 1000, 256, 0, 1, false, (const float4*)floats, (const float4*)(floats + HALF), (const float4*)(floats + HALF + 1024), (__half2*)out, 8000, 1e-5f) {
    std::vector<__half> got = download<__half>(out, 8000 * 1024);
    bool right = true;
    for (size_t r = 1; r < 8000 && right; r += 331) {
      double m = 0, v = 0;
      for (int i = 0; i < 1024; ++i) m += val(r * 1024 + i) / 1024;
      for (int i = 0; i < 1024; ++i) v += (val(r * 1024 + i) - m) * (val(r * 1024 + i) - m) / 1024;
      for (int i = 0; i < 1024 && right; i += 13) right = close_to(__half2float(got[r * 1024 + i]), (val(r * 1024 + i) - m) / std::sqrt(v + 1e-5) * val(HALF + i) + val(HALF + 1024 + i), 2e-3, 2e-3);
    }
    judge("warp_layernorm", right);
  }
  RUN("vector_softmax", "vector_softmax", vector_softmax, 660, 256, 0, 1, false, (const float4*)floats, (float4*)out, 2600)
  sample("vector_softmax", out, (size_t)2600 * 3072, 1e-3, 1e-8, [&](size_t i) {
    double s = 0;
    for (int k = 0; k < 3072; ++k) s += std::exp(val(i / 3072 * 3072 + k));
    return std::exp(val(i)) / s;
  });
  RUN("silu_residual", "silu_residual", silu_residual, 2048, 256, 0, 1, false, (const uint4*)halves, (const uint4*)(halves + HALF), (uint4*)out, 1 << 19) {
    std::vector<__half> got = download<__half>(out, HALF);
    bool right = true;
    for (size_t i = 0; i < HALF && right; i += 4099) right = close_to(__half2float(got[i]), val(i) / (1 + std::exp(-val(i))) + val(HALF + i), 5e-3, 5e-3);
    judge("silu_residual", right);
  }
  if (!listing) printf("%d launches, %d wrong\n", launches, wrongs);
  return wrongs != 0;
}
