// Launches of other current code that test the predictor. Usage: fourth (run all, check), fourth NAME (that one only), fourth list (print launches as TOML, needs no GPU).
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

// wgmma: operands K-major unless the name says otherwise
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
__device__ __forceinline__ void wgmma_f16_n128(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
    : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_e4m3_n112(float (&d)[56], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %58, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n112k32.f32.e4m3.e4m3 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55}, %56, %57, p, 1, 1;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
    : "l"(a), "l"(b), "r"(accumulate));
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
__device__ __forceinline__ void wgmma_bf16_n128_registers(float (&d)[64], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, {%64,%65,%66,%67}, %68, p, 1, 1, 0;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
    : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_bf16_n128_registers_rows(float (&d)[64], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint64_t b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, {%64,%65,%66,%67}, %68, p, 1, 1, 1;\n}\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
    : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(accumulate));
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

__device__ __forceinline__ void tma_load_4d(uint32_t dst, const CUtensorMap& map, Barrier& bar, int x, int y, int z, int w) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(dst), "l"(&map), "r"(smem_addr(&bar)), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}
__device__ __forceinline__ void tma_store_3d(const CUtensorMap& map, uint32_t src, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(src), "r"(x), "r"(y), "r"(z) : "memory");
}
__device__ __forceinline__ void tma_add(const CUtensorMap& map, uint32_t src, int x, int y) {
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(src), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void bulk_load(uint32_t dst, const void* src, uint32_t bytes, Barrier& bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(dst), "l"(src), "r"(bytes), "r"(smem_addr(&bar)) : "memory");
}
__device__ __forceinline__ void bulk_store(void* dst, uint32_t src, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst), "r"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ void stsm_x4_trans(uint32_t addr, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(addr), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ __forceinline__ void mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma_s8(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ float lds_f32(uint32_t addr) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(addr) : "memory");
  return v;
}
__device__ __forceinline__ uint2 lds_v2(uint32_t addr) {
  uint2 v;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(addr) : "memory");
  return v;
}
__device__ __forceinline__ uint4 lds_v4(uint32_t addr) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(addr) : "memory");
  return v;
}
__device__ __forceinline__ void sts_v4(uint32_t addr, uint4 v) { asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(addr), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory"); }
__device__ __forceinline__ void sts_f2(uint32_t addr, float a, float b) { asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(addr), "f"(a), "f"(b) : "memory"); }
// Descriptor of a tile whose rows run along N (64 columns of 16 bits, 128 bytes, swizzle 128); `next` bytes to the following 64 columns.
__device__ __forceinline__ uint64_t nmajor(uint32_t addr, uint32_t next) {
  uint64_t desc = 0;
  desc |= (uint64_t)((addr & 0x3FFFF) >> 4);
  desc |= (uint64_t)(next >> 4) << 16;
  desc |= (uint64_t)(1024 >> 4) << 32;
  desc |= (uint64_t)1 << 62;
  return desc;
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int w = 16; w; w /= 2) v += __shfl_xor_sync(~0u, v, w);
  return v;
}
// ------------------------------------------------------------------ 1: bf16, persistent, both consumers share a tile of 128 x 256, tiles in groups of six rows, the result goes out by TMA in four pieces of 64 columns with two buffers
__global__ void __launch_bounds__(384, 1) cooperative_256(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const __grid_constant__ CUtensorMap mapC, int tiles_m, int tiles_n, int kts) {
  constexpr int SLOTS = 4, A_BYTES = 16384, SLOT = A_BYTES + 32768, GROUP = 6;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int tiles = tiles_m * tiles_n, group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(8);
    fence_init();
  }
  __syncthreads();
  auto place = [&](int t, int& m0, int& n0) {
    const int span = GROUP * tiles_n, g = t / span, rows = min(GROUP, tiles_m - g * GROUP), in = t - g * span;
    m0 = (g * GROUP + in % rows) * 128, n0 = in / rows * 256;
  };
  int s = 0, m0, n0;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      uint32_t phase = 1;
      for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        place(t, m0, n0);
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
  const bool leader = threadIdx.x % 128 == 0, chief = threadIdx.x % 32 == 0;
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + (lane & 15);
  const uint32_t staging = base + SLOTS * SLOT + (group - 1) * 16384;
  float acc[128];
  uint32_t phase = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    place(t, m0, n0);
    int before = -1;
    for (int kt = 0; kt < kts; ++kt) {
      filled[s].wait(phase);
      const uint64_t da = kmajor(base + s * SLOT + (group - 1) * 8192), db = kmajor(base + s * SLOT + A_BYTES);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n256(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
      wg_commit();
      wg_wait<1>();
      if (chief && before >= 0) freed[before].arrive();
      before = s;
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    wg_wait<0>();
    keep(acc);
    if (chief) freed[before].arrive();
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      const uint32_t to = staging + (p & 1) * 8192;
      if (leader) bulk_wait_read<1>();
      named_sync(group, 128);
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        const float* v = acc + p * 32 + j * 4;
        stsm_x4(to + row * 128 + ((j + (lane >> 4) ^ (row & 7)) << 4), pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3]), pack_bf16(v[4], v[5]), pack_bf16(v[6], v[7]));
      }
      fence_async();
      named_sync(group, 128);
      if (leader) {
        tma_store(mapC, to, n0 + p * 64, m0 + (group - 1) * 64);
        bulk_commit();
      }
    }
  }
  if (leader) bulk_wait_all();
}

// ------------------------------------------------------------------ 2: e4m3 as DeepGEMM does it: tile 128 x 112, a K step of 128, scales of A by TMA and of B through shared memory, sums promoted each step; B multicast to pairs; persistent
__global__ void __launch_bounds__(384, 1) deep_scales(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const __grid_constant__ CUtensorMap mapS, const __grid_constant__ CUtensorMap mapC, const float* __restrict__ scale_b, int pairs_m, int tiles_n, int kts, int blocks_n) {
  constexpr int SLOTS = 6, B_AT = 16384, S_AT = 30720, SLOT = 31744, BYTES = 16384 + 14336 + 512, MOST = 64;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  __shared__ float sb[2 * MOST];
  const uint32_t base = round1k(raw), rank = cg::this_cluster().block_rank();
  const int group = threadIdx.x / 128, tiles = pairs_m * tiles_n, step = gridDim.x / 2;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(16);
    fence_init();
  }
  cg::this_cluster().sync();
  int s = 0;
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 256) {
      uint32_t phase = 1;
      for (int t = blockIdx.x / 2; t < tiles; t += step) {
        const int m0 = t % pairs_m * 256 + rank * 128, n0 = t / pairs_m * 112;
        for (int kt = 0; kt < kts; ++kt) {
          freed[s].wait(phase);
          filled[s].expect_bytes(BYTES);
          tma_load(base + s * SLOT, mapA, filled[s], kt * 128, m0);
          tma_load_multicast(base + s * SLOT + B_AT + rank * 7168, mapB, filled[s], kt * 128, n0 + rank * 56, 3);
          tma_load(base + s * SLOT + S_AT, mapS, filled[s], m0, kt);
          if (++s == SLOTS) s = 0, phase ^= 1;
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 % 4 * 16, row = group * 64 + warp_row + lane / 4;
    const uint32_t staging = base + SLOTS * SLOT + group * 14336;
    const bool leader = threadIdx.x % 128 == 0;
    uint32_t phase = 0;
    for (int t = blockIdx.x / 2; t < tiles; t += step) {
      const int m0 = t % pairs_m * 256 + rank * 128, n0 = t / pairs_m * 112;
      const int first = n0 / 128, second = min(first + 1, blocks_n - 1), former = min(14, (128 - n0 % 128) / 8);
      named_sync(1, 256);  // the previous scales are not needed any more
      for (int i = threadIdx.x; i < 2 * kts; i += 256) sb[i] = scale_b[(i < kts ? first : second) * kts + (i < kts ? i : i - kts)];
      named_sync(1, 256);
      float part[56], total[56];
#pragma unroll
      for (int i = 0; i < 56; ++i) total[i] = 0;
      for (int kt = 0; kt < kts; ++kt) {
        const float b0 = sb[kt], b1 = sb[kts + kt];
        filled[s].wait(phase);
        const float a0 = lds_f32(base + s * SLOT + S_AT + row * 4), a1 = lds_f32(base + s * SLOT + S_AT + row * 4 + 32);
        const uint64_t da = kmajor(base + s * SLOT + group * 8192), db = kmajor(base + s * SLOT + B_AT);
        wg_fence();
#pragma unroll
        for (int kk = 0; kk < 4; ++kk) wgmma_e4m3_n112(part, da + 2 * kk, db + 2 * kk, kk > 0);
        wg_commit();
        wg_wait<0>();
        keep(part);
        if (lane < 2) freed[s].arrive_remote(lane);
        const float up0 = a0 * b0, up1 = a0 * b1, low0 = a1 * b0, low1 = a1 * b1;
#pragma unroll
        for (int j = 0; j < 14; ++j) {
          const float up = j < former ? up0 : up1, low = j < former ? low0 : low1;
          total[4 * j] = fmaf(part[4 * j], up, total[4 * j]), total[4 * j + 1] = fmaf(part[4 * j + 1], up, total[4 * j + 1]);
          total[4 * j + 2] = fmaf(part[4 * j + 2], low, total[4 * j + 2]), total[4 * j + 3] = fmaf(part[4 * j + 3], low, total[4 * j + 3]);
        }
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
      if (leader) bulk_wait_read<0>();
      named_sync(2 + group, 128);
#pragma unroll
      for (int j = 0; j < 14; j += 2) {
        const float* v = total + j * 4;
        stsm_x4(staging + (warp_row + (lane & 15)) * 224 + (j + (lane >> 4)) * 16, pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3]), pack_bf16(v[4], v[5]), pack_bf16(v[6], v[7]));
      }
      fence_async();
      named_sync(2 + group, 128);
      if (leader) {
        tma_store(mapC, staging, n0, m0 + group * 64);
        bulk_commit();
      }
    }
    if (leader) bulk_wait_all();
  }
  cg::this_cluster().sync();  // no block exits while arrivals are in flight
}

// ------------------------------------------------------------------ 3: weights of 4 bits (packed by tiles, bulk copies) become bf16 in registers and are wgmma's A, activations by TMA are B; the result is turned by stmatrix; tokens have a tail
__global__ void __launch_bounds__(288, 1) int4_registers(const __grid_constant__ CUtensorMap mapX, const uint8_t* __restrict__ W, const bf16* __restrict__ scales, bf16* __restrict__ C, int tokens, int rows, int kts) {
  constexpr int SLOTS = 6, X_BYTES = 16384, SLOT = X_BYTES + 4096, PITCH = 272;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw);
  const int m0 = blockIdx.x * 128, t0 = blockIdx.y * 128, tid = threadIdx.x;
  if (tid == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(8);
    fence_init();
  }
  __syncthreads();
  if (tid >= 256) {
    if (tid == 256) {
      int s = 0;
      uint32_t phase = 1;
      for (int kt = 0; kt < kts; ++kt) {
        freed[s].wait(phase);
        filled[s].expect_bytes(SLOT);
        tma_load(base + s * SLOT, mapX, filled[s], kt * 64, t0);
        bulk_load(base + s * SLOT + X_BYTES, W + ((size_t)blockIdx.x * kts + kt) * 4096, 4096, filled[s]);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    }
    return;
  }
  const int lane = tid % 32, row = tid / 32 * 16 + lane / 4;
  const bf16* sp = scales + m0 + row;
  float acc[64];
  uint32_t a[2][16];
  bf16 next_up = sp[0], next_down = sp[8];
  __nv_bfloat162 up_scale, down_scale;
  auto widen = [&](uint32_t w, int shift, __nv_bfloat162 scale) {
    const uint32_t v = w >> shift & 0x000F000Fu | 0x43004300u;  // 128 + the four bits
    const __nv_bfloat162 r = __hmul2(__hsub2(*(const __nv_bfloat162*)&v, __float2bfloat162_rn(136.f)), scale);
    return *(const uint32_t*)&r;
  };
  auto decode = [&](int kt, uint32_t (&to)[16]) {
    const int s = kt % SLOTS;
    if (kt % 2 == 0) {
      up_scale = __bfloat162bfloat162(next_up), down_scale = __bfloat162bfloat162(next_down);
      if (kt + 2 < kts) next_up = sp[(size_t)(kt / 2 + 1) * rows], next_down = sp[(size_t)(kt / 2 + 1) * rows + 8];
    }
    filled[s].wait(kt / SLOTS & 1);
    const uint32_t at = base + s * SLOT + X_BYTES + row * 32 + lane % 4 * 8;
    const uint2 up = lds_v2(at), down = lds_v2(at + 256);
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      const uint32_t u = kk < 2 ? up.x : up.y, d = kk < 2 ? down.x : down.y;
      to[kk * 4] = widen(u, kk % 2 * 8, up_scale), to[kk * 4 + 1] = widen(d, kk % 2 * 8, down_scale);
      to[kk * 4 + 2] = widen(u, kk % 2 * 8 + 4, up_scale), to[kk * 4 + 3] = widen(d, kk % 2 * 8 + 4, down_scale);
    }
  };
  auto multiply = [&](int kt, uint32_t (&from)[16]) {
    const uint64_t db = kmajor(base + kt % SLOTS * SLOT);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128_registers(acc, from[kk * 4], from[kk * 4 + 1], from[kk * 4 + 2], from[kk * 4 + 3], db + 2 * kk, kt + kk > 0);
    wg_commit();
  };
  decode(0, a[0]);
  for (int kt = 0; kt < kts; kt += 2) {  // the number of steps is even
    multiply(kt, a[0]);
    decode(kt + 1, a[1]);
    multiply(kt + 1, a[1]);
    wg_wait<1>();
    if (lane == 0) freed[kt % SLOTS].arrive();
    if (kt + 2 < kts) decode(kt + 2, a[0]);
    wg_wait<0>();
    if (lane == 0) freed[(kt + 1) % SLOTS].arrive();
  }
  keep(acc);
  named_sync(1, 256);
#pragma unroll
  for (int j = 0; j < 16; j += 2) {
    const int token = (j + (lane >> 4)) * 8 + (lane & 7);
    stsm_x4_trans(base + token * PITCH + tid / 32 * 32 + (lane >> 3 & 1) * 16, pack_bf16(acc[4 * j], acc[4 * j + 1]), pack_bf16(acc[4 * j + 2], acc[4 * j + 3]), pack_bf16(acc[4 * j + 4], acc[4 * j + 5]),
                  pack_bf16(acc[4 * j + 6], acc[4 * j + 7]));
  }
  named_sync(1, 256);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int token = i * 16 + tid / 16, c = tid % 16;
    if (t0 + token < tokens) *(uint4*)(C + (size_t)(t0 + token) * rows + m0 + c * 8) = lds_v4(base + token * PITCH + c * 16);
  }
}

// ------------------------------------------------------------------ 4: int8 with scales of rows and columns; persistent, the producer draws tiles from a global counter and hands them to the consumers through shared memory
__global__ void __launch_bounds__(384, 1) int8_tickets(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const float* __restrict__ row_scale, const float* __restrict__ column_scale, bf16* __restrict__ C, uint32_t* ticket, int tiles_m, int tiles, int N, int kts) {
  constexpr int SLOTS = 6, A_BYTES = 16384, SLOT = 2 * A_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS], told[2], heard[2];
  __shared__ int tile_ring[2];
  const uint32_t base = round1k(raw);
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(8);
    for (int s = 0; s < 2; ++s) told[s].init(1), heard[s].init(8);
    fence_init();
  }
  __syncthreads();
  int s = 0;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      uint32_t phase = 1;
      for (int i = 0;; ++i) {
        const int t = (int)atomicAdd(ticket, 1u);
        heard[i & 1].wait((i >> 1 & 1) ^ 1);
        *(volatile int*)&tile_ring[i & 1] = t;
        told[i & 1].arrive();
        if (t >= tiles) break;
        const int m0 = t % tiles_m * 128, n0 = t / tiles_m * 128;
        for (int kt = 0; kt < kts; ++kt) {
          freed[s].wait(phase);
          filled[s].expect_bytes(SLOT);
          tma_load(base + s * SLOT, mapA, filled[s], kt * 128, m0);
          tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], kt * 128, n0);
          if (++s == SLOTS) s = 0, phase ^= 1;
        }
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int lane = threadIdx.x % 32;
  uint32_t phase = 0;
  for (int i = 0;; ++i) {
    told[i & 1].wait(i >> 1 & 1);
    const int t = *(volatile int*)&tile_ring[i & 1];
    __syncwarp();
    if (lane == 0) heard[i & 1].arrive();
    if (t >= tiles) break;
    const int m0 = t % tiles_m * 128, n0 = t / tiles_m * 128;
    int acc[64], before = -1;
    for (int kt = 0; kt < kts; ++kt) {
      filled[s].wait(phase);
      const uint64_t da = kmajor(base + s * SLOT + (group - 1) * 8192), db = kmajor(base + s * SLOT + A_BYTES);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_s8_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
      wg_commit();
      wg_wait<1>();
      if (lane == 0 && before >= 0) freed[before].arrive();
      before = s;
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    wg_wait<0>();
    keep(acc);
    if (lane == 0) freed[before].arrive();
    const int row = m0 + (group - 1) * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const float up = row_scale[row], low = row_scale[row + 8];
    const float* cs = column_scale + n0 + lane % 4 * 2;
    uint32_t* p = (uint32_t*)(C + (size_t)row * N + n0 + lane % 4 * 2);
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const float2 c = *(const float2*)(cs + j * 8);
      p[j * 4] = pack_bf16(acc[4 * j] * up * c.x, acc[4 * j + 1] * up * c.y);
      p[(size_t)4 * N + j * 4] = pack_bf16(acc[4 * j + 2] * low * c.x, acc[4 * j + 3] * low * c.y);
    }
  }
}

// ------------------------------------------------------------------ 5: tf32 by wgmma without TMA: cp.async writes the swizzled tiles, a proxy fence before each step, one product in flight; bias and ReLU
__global__ void __launch_bounds__(256, 1) tf32_async(const float* __restrict__ A, const float* __restrict__ B, const float* __restrict__ bias, float* __restrict__ C, int N, int K) {
  constexpr int SLOTS = 4, SLOT = 32768;
  extern __shared__ uint8_t raw[];
  const uint32_t base = round1k(raw);
  const int tid = threadIdx.x, m0 = blockIdx.y * 128, n0 = blockIdx.x * 128, kts = K / 32;
  auto fetch = [&](int kt) {
    if (kt < kts) {
      const uint32_t at = base + kt % SLOTS * SLOT;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int r = i * 32 + tid / 8, c = tid % 8;
        const uint32_t to = at + r * 128 + ((c ^ (r & 7)) << 4);
        cp16(to, A + (size_t)(m0 + r) * K + kt * 32 + c * 4);
        cp16(to + 16384, B + (size_t)(n0 + r) * K + kt * 32 + c * 4);
      }
    }
    cp_commit();
  };
  float acc[64];
  fetch(0);
  fetch(1);
  for (int kt = 0; kt < kts; ++kt) {
    cp_wait<1>();
    fence_async();
    __syncthreads();  // this step's tiles are there; the product of two steps ago is over in all warps
    const uint64_t da = kmajor(base + kt % SLOTS * SLOT + tid / 128 * 8192), db = kmajor(base + kt % SLOTS * SLOT + 16384);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_tf32_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
    wg_commit();
    fetch(kt + 2);
    wg_wait<1>();
  }
  wg_wait<0>();
  keep(acc);
  const int lane = tid % 32;
  float* p = C + (size_t)(m0 + tid / 32 * 16 + lane / 4) * N + n0 + lane % 4 * 2;
  const float* b = bias + n0 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    const float2 v = *(const float2*)(b + j * 8);
    *(float2*)(p + j * 8) = make_float2(fmaxf(acc[4 * j] + v.x, 0.f), fmaxf(acc[4 * j + 1] + v.y, 0.f));
    *(float2*)(p + (size_t)8 * N + j * 8) = make_float2(fmaxf(acc[4 * j + 2] + v.x, 0.f), fmaxf(acc[4 * j + 3] + v.y, 0.f));
  }
}

// ------------------------------------------------------------------ 15: f16, four blocks make 2 x 2 tiles of 128 x 128, halves of A and of B are multicast along rows and columns of the square
__global__ void __launch_bounds__(384, 1) multicast_square(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, __half* __restrict__ C, int squares_m, int N, int kts) {
  constexpr int SLOTS = 5, A_BYTES = 16384, SLOT = 2 * A_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = round1k(raw), rank = cg::this_cluster().block_rank(), ri = rank >> 1, ci = rank & 1;
  const int square = blockIdx.x / 4, m0 = (square % squares_m * 2 + ri) * 128, n0 = (square / squares_m * 2 + ci) * 128, group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(24);
    fence_init();
  }
  cg::this_cluster().sync();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      const uint16_t row_mates = 3 << 2 * ri, column_mates = 5 << ci;
      int s = 0;
      uint32_t phase = 1;
      for (int kt = 0; kt < kts; ++kt) {
        freed[s].wait(phase);  // here and in both neighbours
        filled[s].expect_bytes(SLOT);
        tma_load_multicast(base + s * SLOT + ci * 8192, mapA, filled[s], kt * 64, m0 + ci * 64, row_mates);
        tma_load_multicast(base + s * SLOT + A_BYTES + ri * 8192, mapB, filled[s], kt * 64, n0 + ri * 64, column_mates);
        if (++s == SLOTS) s = 0, phase ^= 1;
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = threadIdx.x % 32;
    const uint32_t mate = rank ^ lane;  // lanes 0, 1 and 2
    float acc[64];
    int s = 0, before = -1;
    uint32_t phase = 0;
    for (int kt = 0; kt < kts; ++kt) {
      filled[s].wait(phase);
      const uint64_t da = kmajor(base + s * SLOT + (group - 1) * 8192), db = kmajor(base + s * SLOT + A_BYTES);
      wg_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) wgmma_f16_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
      wg_commit();
      wg_wait<1>();
      if (lane < 3 && before >= 0) freed[before].arrive_remote(mate);
      before = s;
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    wg_wait<0>();
    keep(acc);
    __half* p = C + (size_t)(m0 + (group - 1) * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4) * N + n0 + lane % 4 * 2;
    auto leaky = [](float v) { return fmaxf(v, 0.125f * v); };
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      *(uint32_t*)(p + j * 8) = pack_f16(leaky(acc[4 * j]), leaky(acc[4 * j + 1]));
      *(uint32_t*)(p + (size_t)8 * N + j * 8) = pack_f16(leaky(acc[4 * j + 2]), leaky(acc[4 * j + 3]));
    }
  }
  cg::this_cluster().sync();  // no block exits while arrivals or copies are in flight
}

// ------------------------------------------------------------------ 18: bf16, K split among blocks, one thread feeds both warpgroups; sums are added to the result in memory by TMA
__global__ void __launch_bounds__(256, 1) split_add(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, const __grid_constant__ CUtensorMap mapC, int kts) {
  constexpr int SLOTS = 5, A_BYTES = 16384, SLOT = 2 * A_BYTES;
  extern __shared__ uint8_t raw[];
  __shared__ Barrier filled[SLOTS];
  const uint32_t base = round1k(raw);
  const int tid = threadIdx.x, n0 = blockIdx.x * 128, m0 = blockIdx.y * 128, first = blockIdx.z * kts;
  auto fetch = [&](int kt) {
    const int s = kt % SLOTS;
    filled[s].expect_bytes(SLOT);
    tma_load(base + s * SLOT, mapA, filled[s], (first + kt) * 64, m0);
    tma_load(base + s * SLOT + A_BYTES, mapB, filled[s], (first + kt) * 64, n0);
  };
  if (tid == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1);
    fence_init();
    for (int kt = 0; kt < SLOTS - 1 && kt < kts; ++kt) fetch(kt);
  }
  __syncthreads();
  float acc[64];
  for (int kt = 0; kt < kts; ++kt) {
    filled[kt % SLOTS].wait(kt / SLOTS & 1);
    const uint64_t da = kmajor(base + kt % SLOTS * SLOT + tid / 128 * 8192), db = kmajor(base + kt % SLOTS * SLOT + A_BYTES);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_bf16_n128(acc, da + 2 * kk, db + 2 * kk, kt + kk > 0);
    wg_commit();
    wg_wait<1>();
    __syncthreads();  // the step before is over in both warpgroups
    if (tid == 0 && kt + SLOTS - 1 < kts) fetch(kt + SLOTS - 1);
  }
  wg_wait<0>();
  keep(acc);
  __syncthreads();
  const int lane = tid % 32, row = tid / 32 * 16 + lane / 4;  // four tiles of 32 columns, 128 rows of 128 bytes, swizzled
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    const int chunk = j % 4 * 2 + lane % 4 / 2;
    const uint32_t at = base + j / 4 * 16384 + row * 128 + ((chunk ^ (row & 7)) << 4) + lane % 2 * 8;
    sts_f2(at, acc[4 * j], acc[4 * j + 1]);
    sts_f2(at + 1024, acc[4 * j + 2], acc[4 * j + 3]);
  }
  fence_async();
  __syncthreads();
  if (tid < 4) {
    tma_add(mapC, base + tid * 16384, n0 + tid * 32, m0);
    bulk_commit();
    bulk_wait_all();
  }
}
// ------------------------------------------------------------------ 6: causal attention as FlashAttention 3 does it: a producer warp with TMA, two consumers of 64 queries that take turns, the product with V runs while the next scores become probabilities
__global__ void __launch_bounds__(384, 1) flash3_causal(const __grid_constant__ CUtensorMap mapQ, const __grid_constant__ CUtensorMap mapK, const __grid_constant__ CUtensorMap mapV, const __grid_constant__ CUtensorMap mapO, float scale_log2) {
  extern __shared__ uint8_t raw[];
  __shared__ Barrier q_full, k_full[2], v_full[2], k_free[2], v_free[2];
  const uint32_t base = round1k(raw), keys = base + 32768, values = base + 98304;
  const int tile = gridDim.x - 1 - blockIdx.x, head = blockIdx.y, blocks = tile + 1, tid = threadIdx.x;
  if (tid == 0) {
    q_full.init(1);
    for (int s = 0; s < 2; ++s) k_full[s].init(1), v_full[s].init(1), k_free[s].init(8), v_free[s].init(8);
    fence_init();
  }
  __syncthreads();
  if (tid < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (tid == 0) {
      q_full.expect_bytes(32768);
      tma_load_3d(base, mapQ, q_full, 0, tile * 128, head);
      tma_load_3d(base + 16384, mapQ, q_full, 64, tile * 128, head);
      for (int i = 0; i < blocks; ++i) {
        const int n0 = (blocks - 1 - i) * 128, s = i & 1;
        const uint32_t phase = (i >> 1 & 1) ^ 1;
        k_free[s].wait(phase);
        k_full[s].expect_bytes(32768);
        tma_load_3d(keys + s * 32768, mapK, k_full[s], 0, n0, head);
        tma_load_3d(keys + s * 32768 + 16384, mapK, k_full[s], 64, n0, head);
        v_free[s].wait(phase);
        v_full[s].expect_bytes(32768);
        tma_load_3d(values + s * 32768, mapV, v_full[s], 0, n0, head);
        tma_load_3d(values + s * 32768 + 16384, mapV, v_full[s], 64, n0, head);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  const int group = tid / 128 - 1, lane = tid % 32, row = group * 64 + tid / 32 % 4 * 16 + lane / 4;
  float o[64], s[64], top[2], sum[2], shrink[2];
  uint32_t p[32];
#pragma unroll
  for (int i = 0; i < 64; ++i) o[i] = 0;
  auto scores = [&](int slot) {
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) wgmma_bf16_n128(s, kmajor(base + kk / 4 * 16384 + group * 8192) + 2 * (kk % 4), kmajor(keys + slot * 32768 + kk / 4 * 16384) + 2 * (kk % 4), kk > 0);
    wg_commit();
  };
  auto weighted = [&](int slot) {
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) wgmma_bf16_n128_registers_rows(o, p[4 * kk], p[4 * kk + 1], p[4 * kk + 2], p[4 * kk + 3], nmajor(values + slot * 32768 + kk * 2048, 16384), 1);
    wg_commit();
  };
  auto soften = [&](bool first) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float m = first ? -1e30f : top[h];
#pragma unroll
      for (int j = 0; j < 16; ++j) m = fmaxf(m, fmaxf(s[4 * j + 2 * h], s[4 * j + 2 * h + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      shrink[h] = first ? 0.f : exp2f((top[h] - m) * scale_log2);
      top[h] = m;
      const float shift = m * scale_log2;
      float part = 0;
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        s[4 * j + 2 * h] = exp2f(fmaf(s[4 * j + 2 * h], scale_log2, -shift));
        s[4 * j + 2 * h + 1] = exp2f(fmaf(s[4 * j + 2 * h + 1], scale_log2, -shift));
        part += s[4 * j + 2 * h] + s[4 * j + 2 * h + 1];
      }
      sum[h] = first ? part : fmaf(sum[h], shrink[h], part);
    }
  };
  auto pack = [&] {
#pragma unroll
    for (int j = 0; j < 16; ++j) p[2 * j] = pack_bf16(s[4 * j], s[4 * j + 1]), p[2 * j + 1] = pack_bf16(s[4 * j + 2], s[4 * j + 3]);
  };
  if (group == 1 && blocks > 1) named_arrive(1, 256);  // the first turn
  q_full.wait(0);
  k_full[0].wait(0);
  scores(0);
  wg_wait<0>();
  keep(s);
  if (lane == 0) k_free[0].arrive();
#pragma unroll
  for (int j = 0; j < 16; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (j * 8 + lane % 4 * 2 + (e & 1) > row + (e >> 1) * 8) s[4 * j + e] = -1e30f;
  soften(true);
  pack();
  for (int i = 1; i < blocks; ++i) {
    const int slot = i & 1, former = slot ^ 1;
    k_full[slot].wait(i >> 1 & 1);
    named_sync(1 + group, 256);
    scores(slot);
    v_full[former].wait(i - 1 >> 1 & 1);
    weighted(former);
    if (group == 0 || i < blocks - 1) named_arrive(2 - group, 256);
    wg_wait<1>();
    keep(s);
    if (lane == 0) k_free[slot].arrive();
    soften(false);
    wg_wait<0>();
    keep(o);
    if (lane == 0) v_free[former].arrive();
    pack();
#pragma unroll
    for (int j = 0; j < 16; ++j) o[4 * j] *= shrink[0], o[4 * j + 1] *= shrink[0], o[4 * j + 2] *= shrink[1], o[4 * j + 3] *= shrink[1];
  }
  v_full[blocks - 1 & 1].wait(blocks - 1 >> 1 & 1);
  weighted(blocks - 1 & 1);
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
    sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
    sum[h] = 1.f / sum[h];
  }
  wg_wait<0>();
  keep(o);
#pragma unroll
  for (int j = 0; j < 16; ++j) o[4 * j] *= sum[0], o[4 * j + 1] *= sum[0], o[4 * j + 2] *= sum[1], o[4 * j + 3] *= sum[1];
  named_sync(3 + group, 128);
  sums_to_tiles<true>(o, base + group * 8192, 16384, 0);  // over this group's queries
  fence_async();
  named_sync(3 + group, 128);
  if (tid % 128 == 0) {
    tma_store_3d(mapO, base + group * 8192, 0, tile * 128 + group * 64, head);
    tma_store_3d(mapO, base + group * 8192 + 16384, 64, tile * 128 + group * 64, head);
    bulk_commit();
    bulk_wait_all();
  }
}

// ------------------------------------------------------------------ 7: causal attention as FlashAttention 2 does it: 128 queries by 64 keys, heads of 128, one buffer each for K and V, three query heads share a head of keys, sequences differ in length
__global__ void __launch_bounds__(256, 1) flash2_lengths(const bf16* __restrict__ Q, const bf16* __restrict__ K, const bf16* __restrict__ V, bf16* __restrict__ O, const int* __restrict__ lengths, int most, int heads, int share, float scale_log2) {
  extern __shared__ __align__(128) uint8_t raw[];  // Q: 32768 bytes, K and V: 16384 each; rows of 256 bytes
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, q0 = (gridDim.x - 1 - blockIdx.x) * 128, head = blockIdx.y, seq = blockIdx.z, length = lengths[seq];
  if (q0 >= length) return;
  const uint32_t base = smem_addr(raw), kt = base + 32768, vt = base + 49152;
  const int kv_heads = heads / share;
  const bf16* q = Q + ((size_t)seq * most * heads + head) * 128;
  const bf16* k = K + ((size_t)seq * most * kv_heads + head / share) * 128;
  const bf16* v = V + ((size_t)seq * most * kv_heads + head / share) * 128;
  auto fetch = [&](uint32_t dst, const bf16* src, int t0, int rows, int stride) {
#pragma unroll 4
    for (int i = 0; i < rows / 16; ++i) {
      const int r = i * 16 + tid / 16, c = tid % 16, ok = t0 + r < length;
      cp16z(dst + r * 256 + ((c ^ (r & 7)) << 4), src + (size_t)(ok ? t0 + r : 0) * stride + c * 8, ok ? 16 : 0);
    }
  };
  const int last = (min(q0 + 128, length) - 1) / 64, own = q0 + warp * 16 + lane / 4;
  fetch(base, q, q0, 128, heads * 128);
  fetch(kt, k, last * 64, 64, kv_heads * 128);
  cp_commit();
  float o[16][4] = {}, top[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
  for (int b = last; b >= 0; --b) {
    cp_wait<0>();
    __syncthreads();  // K is there, V is free
    fetch(vt, v, b * 64, 64, kv_heads * 128);
    cp_commit();
    float s[8][4] = {};
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      uint32_t a[4];
      const int ar = warp * 16 + (lane & 15), ac = kk * 2 + (lane >> 4);
      ldsm_x4(a[0], a[1], a[2], a[3], base + ar * 256 + ((ac ^ (ar & 7)) << 4));
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int r = j * 16 + (lane & 7) + ((lane >> 4) << 3), c = kk * 2 + (lane >> 3 & 1);
        uint32_t k0, k1, k2, k3;
        ldsm_x4(k0, k1, k2, k3, kt + r * 256 + ((c ^ (r & 7)) << 4));
        mma_bf16(s[2 * j], a, k0, k1);
        mma_bf16(s[2 * j + 1], a, k2, k3);
      }
    }
    cp_wait<0>();
    __syncthreads();  // V is there, K is free
    if (b > 0) fetch(kt, k, b * 64 - 64, 64, kv_heads * 128);
    cp_commit();
    if (b * 64 + 63 > q0 + warp * 16)
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (b * 64 + j * 8 + lane % 4 * 2 + (e & 1) > own + (e >> 1) * 8) s[j][e] = -1e30f;
    uint32_t p[4][4];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float m = top[h];
#pragma unroll
      for (int j = 0; j < 8; ++j) m = fmaxf(m, fmaxf(s[j][2 * h], s[j][2 * h + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      const float shrink = exp2f((top[h] - m) * scale_log2), shift = m < -1e29f ? 0.f : m * scale_log2;
      top[h] = m;
      float part = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const float e0 = exp2f(fmaf(s[j][2 * h], scale_log2, -shift)), e1 = exp2f(fmaf(s[j][2 * h + 1], scale_log2, -shift));
        part += e0 + e1;
        p[j / 2][(j & 1) * 2 + h] = pack_bf16(e0, e1);
      }
      sum[h] = sum[h] * shrink + part;
#pragma unroll
      for (int j = 0; j < 16; ++j) o[j][2 * h] *= shrink, o[j][2 * h + 1] *= shrink;
    }
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const int r = kk * 16 + (lane & 15), c = j * 2 + (lane >> 4);
        uint32_t v0, v1, v2, v3;
        ldsm_x4_trans(v0, v1, v2, v3, vt + r * 256 + ((c ^ (r & 7)) << 4));
        mma_bf16(o[2 * j], p[kk], v0, v1);
        mma_bf16(o[2 * j + 1], p[kk], v2, v3);
      }
  }
  cp_wait<0>();
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
    sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
    const float inverse = 1.f / sum[h];
    const int r = own + h * 8;
    if (r < length)
#pragma unroll
      for (int j = 0; j < 16; ++j)
        *(uint32_t*)(O + (((size_t)seq * most + r) * heads + head) * 128 + j * 8 + lane % 4 * 2) = pack_bf16(o[j][2 * h] * inverse, o[j][2 * h + 1] * inverse);
  }
}

// ------------------------------------------------------------------ 8: gradients of K and V of causal attention: 128 keys a block stay in registers, queries and their gradients stream through two buffers of 64 rows; heads of 64
__global__ void __launch_bounds__(256, 1) flash2_gradients(const __half* __restrict__ Q, const __half* __restrict__ K, const __half* __restrict__ V, const __half* __restrict__ dO, const float* __restrict__ lse, const float* __restrict__ delta, __half* __restrict__ dK, __half* __restrict__ dV, int T, float scale) {
  extern __shared__ __align__(128) uint8_t raw[];  // twice Q, dO (8192 each), lse, delta (256 each); K and V pass through at first
  constexpr int SLOT = 16384 + 512;
  const uint32_t base = smem_addr(raw);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, k0 = blockIdx.x * 128;
  const size_t head = (size_t)blockIdx.y * T * 64;
  auto rows = [&](uint32_t dst, const __half* src, int t0, int n) {
#pragma unroll
    for (int i = 0; i < n / 32; ++i) {
      const int r = i * 32 + tid / 8, c = tid % 8, ok = t0 + r < T;
      cp16z(dst + r * 128 + ((c ^ (r & 7)) << 4), src + head + (size_t)(ok ? t0 + r : 0) * 64 + c * 8, ok ? 16 : 0);
    }
  };
  rows(base, K, k0, 128);
  rows(base + 16384, V, k0, 128);
  cp_commit();
  cp_wait<0>();
  __syncthreads();
  uint32_t k[4][4], v[4][4];
#pragma unroll
  for (int kk = 0; kk < 4; ++kk) {
    const int r = warp * 16 + (lane & 15), c = kk * 2 + (lane >> 4);
    const uint32_t at = base + r * 128 + ((c ^ (r & 7)) << 4);
    ldsm_x4(k[kk][0], k[kk][1], k[kk][2], k[kk][3], at);
    ldsm_x4(v[kk][0], v[kk][1], v[kk][2], v[kk][3], at + 16384);
  }
  __syncthreads();
  const float scale_log2 = scale * 1.44269504f;
  auto fetch = [&](int b) {
    const uint32_t at = base + (b & 1) * SLOT;
    rows(at, Q, b * 64, 64);
    rows(at + 8192, dO, b * 64, 64);
    if (tid < 32) {
      const float* src = (tid < 16 ? lse : delta) + (size_t)blockIdx.y * T + b * 64 + tid % 16 * 4;
      cp16(at + 16384 + tid * 16, src);
    }
  };
  const int blocks = T / 64, first = k0 / 64;
  float dk[8][4] = {}, dv[8][4] = {};
  fetch(first);
  cp_commit();
  for (int b = first; b < blocks; ++b) {
    if (b + 1 < blocks) fetch(b + 1);
    cp_commit();
    cp_wait<1>();
    __syncthreads();
    const uint32_t qt = base + (b & 1) * SLOT, gt = qt + 8192;
    const float* stats = (const float*)(raw + (b & 1) * SLOT + 16384);
    float s[8][4] = {}, dp[8][4] = {};
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int r = j * 16 + (lane & 7) + ((lane >> 4) << 3), c = kk * 2 + (lane >> 3 & 1);
        const uint32_t at = r * 128 + ((c ^ (r & 7)) << 4);
        uint32_t b0, b1, b2, b3;
        ldsm_x4(b0, b1, b2, b3, qt + at);
        mma_f16(s[2 * j], k[kk], b0, b1);
        mma_f16(s[2 * j + 1], k[kk], b2, b3);
        ldsm_x4(b0, b1, b2, b3, gt + at);
        mma_f16(dp[2 * j], v[kk], b0, b1);
        mma_f16(dp[2 * j + 1], v[kk], b2, b3);
      }
    uint32_t p[4][4], ds[4][4];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int column = j * 8 + lane % 4 * 2;
      const float2 l = *(const float2*)(stats + column), d = *(const float2*)(stats + 64 + column);
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int key = k0 + warp * 16 + lane / 4 + h * 8, query = b * 64 + column;
        const float p0 = query >= key ? exp2f(fmaf(s[j][2 * h], scale_log2, -l.x * 1.44269504f)) : 0.f, p1 = query + 1 >= key ? exp2f(fmaf(s[j][2 * h + 1], scale_log2, -l.y * 1.44269504f)) : 0.f;
        p[j / 2][(j & 1) * 2 + h] = pack_f16(p0, p1);
        ds[j / 2][(j & 1) * 2 + h] = pack_f16(p0 * (dp[j][2 * h] - d.x), p1 * (dp[j][2 * h + 1] - d.y));
      }
    }
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int r = kk * 16 + (lane & 15), c = j * 2 + (lane >> 4);
        const uint32_t at = r * 128 + ((c ^ (r & 7)) << 4);
        uint32_t b0, b1, b2, b3;
        ldsm_x4_trans(b0, b1, b2, b3, gt + at);
        mma_f16(dv[2 * j], p[kk], b0, b1);
        mma_f16(dv[2 * j + 1], p[kk], b2, b3);
        ldsm_x4_trans(b0, b1, b2, b3, qt + at);
        mma_f16(dk[2 * j], ds[kk], b0, b1);
        mma_f16(dk[2 * j + 1], ds[kk], b2, b3);
      }
    __syncthreads();
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int key = k0 + warp * 16 + lane / 4 + h * 8;
    if (key < T)
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const size_t at = head + (size_t)key * 64 + j * 8 + lane % 4 * 2;
        *(uint32_t*)(dK + at) = pack_f16(dk[j][2 * h] * scale, dk[j][2 * h + 1] * scale);
        *(uint32_t*)(dV + at) = pack_f16(dv[j][2 * h], dv[j][2 * h + 1]);
      }
  }
}

// ------------------------------------------------------------------ 9: decoding over a paged cache: pages of 16 keys, eight query heads (rows of mma.sync) share a head of keys, each warp streams its own pages by cp.async; partial results and their log-sums
__global__ void __launch_bounds__(128) paged_parts(const __half* __restrict__ Q, const __half* __restrict__ K, const __half* __restrict__ V, const int* __restrict__ table, const int* __restrict__ lengths, float* __restrict__ part, float* __restrict__ lse, int most_pages, float scale_log2) {
  constexpr int G = 8;
  extern __shared__ __align__(128) uint8_t raw[];  // a warp: twice K and V of a page, 4096 bytes each
  __shared__ float2 stats[4][G];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, splits = gridDim.x, kv_head = blockIdx.y, kv_heads = gridDim.y, seq = blockIdx.z, length = lengths[seq];
  const int pages = (length + 15) / 16, each = (pages + splits - 1) / splits, begin = blockIdx.x * each, end = min(pages, begin + each);
  const uint32_t base = smem_addr(raw) + warp * 16384;
  const int* pages_of = table + (size_t)seq * most_pages;
  auto fetch = [&](int page, int buffer) {
    const size_t at = ((size_t)pages_of[page] * kv_heads + kv_head) * 2048;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int r = i * 2 + lane / 16, c = lane % 16;
      const uint32_t to = base + buffer * 8192 + r * 256 + ((c ^ (r & 7)) << 4);
      cp16(to, K + at + r * 128 + c * 8);
      cp16(to + 4096, V + at + r * 128 + c * 8);
    }
  };
  uint32_t q[8][2];
  const __half* qp = Q + ((size_t)(seq * kv_heads + kv_head) * G + lane / 4) * 128 + lane % 4 * 2;
#pragma unroll
  for (int kk = 0; kk < 8; ++kk) q[kk][0] = *(const uint32_t*)(qp + kk * 16), q[kk][1] = *(const uint32_t*)(qp + kk * 16 + 8);
  float o[16][4] = {}, top = -1e30f, sum = 0;
  if (begin + warp < end) fetch(begin + warp, 0);
  cp_commit();
  for (int page = begin + warp, buffer = 0; page < end; page += 4, buffer ^= 1) {
    if (page + 4 < end) fetch(page + 4, buffer ^ 1);
    cp_commit();
    cp_wait<1>();
    __syncwarp();
    const uint32_t kt = base + buffer * 8192, vt = kt + 4096;
    float s[2][4] = {};
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      const int r = (lane & 7) + ((lane >> 4) << 3), c = kk * 2 + (lane >> 3 & 1);
      uint32_t k0, k1, k2, k3;
      ldsm_x4(k0, k1, k2, k3, kt + r * 256 + ((c ^ (r & 7)) << 4));
      const uint32_t a[4] = {q[kk][0], 0, q[kk][1], 0};
      mma_f16(s[0], a, k0, k1);
      mma_f16(s[1], a, k2, k3);
    }
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        if (page * 16 + j * 8 + lane % 4 * 2 + e >= length) s[j][e] = -1e30f;
    float m = fmaxf(fmaxf(s[0][0], s[0][1]), fmaxf(s[1][0], s[1][1]));
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
    m = fmaxf(top, fmaxf(m, __shfl_xor_sync(~0u, m, 2)));
    const float shrink = exp2f((top - m) * scale_log2), shift = m * scale_log2;
    top = m;
    float e[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) e[i] = exp2f(fmaf(s[i / 2][i % 2], scale_log2, -shift));
    sum = sum * shrink + (e[0] + e[1]) + (e[2] + e[3]);
    const uint32_t p[4] = {pack_f16(e[0], e[1]), 0, pack_f16(e[2], e[3]), 0};
#pragma unroll
    for (int j = 0; j < 16; ++j) o[j][0] *= shrink, o[j][1] *= shrink;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int r = lane & 15, c = j * 2 + (lane >> 4);
      uint32_t v0, v1, v2, v3;
      ldsm_x4_trans(v0, v1, v2, v3, vt + r * 256 + ((c ^ (r & 7)) << 4));
      mma_f16(o[2 * j], p, v0, v1);
      mma_f16(o[2 * j + 1], p, v2, v3);
    }
    __syncwarp();
  }
  cp_wait<0>();
  sum += __shfl_xor_sync(~0u, sum, 1);
  sum += __shfl_xor_sync(~0u, sum, 2);
  if (lane % 4 == 0) stats[warp][lane / 4] = make_float2(top, sum);
  __syncthreads();
  float* sums = (float*)raw;  // [warp][8][128]
#pragma unroll
  for (int j = 0; j < 16; ++j) *(float2*)(sums + (warp * G + lane / 4) * 128 + j * 8 + lane % 4 * 2) = make_float2(o[j][0], o[j][1]);
  __syncthreads();
#pragma unroll
  for (int g = 0; g < G; ++g) {
    float most = -1e30f, total = 0, v = 0;
#pragma unroll
    for (int w = 0; w < 4; ++w) most = fmaxf(most, stats[w][g].x);
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const float f = exp2f((stats[w][g].x - most) * scale_log2);
      total += f * stats[w][g].y, v += f * sums[(w * G + g) * 128 + tid];
    }
    const size_t slot = (size_t)((seq * kv_heads + kv_head) * G + g) * splits + blockIdx.x;
    part[slot * 128 + tid] = v / total;
    if (tid == 0) lse[slot] = most * scale_log2 + log2f(total);
  }
}

// ------------------------------------------------------------------ 10: joins the partial results of decoding, a warp for each head of a query, log-sums (base 2) by shuffles
__global__ void __launch_bounds__(256) join_parts(const float4* __restrict__ part, const float* __restrict__ lse, __half* __restrict__ out, int rows, int splits) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const float mine = lane < splits ? lse[(size_t)row * splits + lane] : -1e30f;
  float m = mine;
#pragma unroll
  for (int w = 16; w; w /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, w));
  const float e = exp2f(mine - m), weight = e / warp_sum(e);
  float4 s = make_float4(0, 0, 0, 0);
#pragma unroll 4
  for (int i = 0; i < splits; ++i) {
    const float w = __shfl_sync(~0u, weight, i);
    const float4 v = part[((size_t)row * splits + i) * 32 + lane];
    s.x = fmaf(w, v.x, s.x), s.y = fmaf(w, v.y, s.y), s.z = fmaf(w, v.z, s.z), s.w = fmaf(w, v.w, s.w);
  }
  *(uint2*)(out + (size_t)row * 128 + lane * 4) = make_uint2(pack_f16(s.x, s.y), pack_f16(s.z, s.w));
}
// ------------------------------------------------------------------ 11: mixture of experts: rows of A gathered by token numbers, an expert for each 64 rows, cp.async ring of four, results scaled and scattered
__global__ void __launch_bounds__(128) expert_gather(const __half* __restrict__ A, const __half* __restrict__ W, const int* __restrict__ ids, const int* __restrict__ expert_of, const float* __restrict__ weight, __half* __restrict__ C, int N, int K) {
  constexpr int SLOTS = 4, SLOT = 4096 + 8192;  // rows of 64 bytes
  __shared__ __align__(128) uint8_t ring[SLOTS * SLOT];
  const uint32_t base = smem_addr(ring);
  const int tid = threadIdx.x, lane = tid % 32, wm = tid / 64 * 32, wn = tid / 32 % 2 * 64, m0 = blockIdx.y * 64, n0 = blockIdx.x * 128, kts = K / 32, r0 = tid / 4, c0 = tid % 4;
  const __half* w = W + ((size_t)expert_of[blockIdx.y] * N + n0 + r0) * K + c0 * 8;
  const __half* rows[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) rows[i] = A + (size_t)(ids[m0 + r0 + i * 32] / 2) * K + c0 * 8;
  auto spot = [](int r, int c) { return (uint32_t)(r * 64 + ((c ^ (r >> 1 & 3)) << 4)); };
  auto fetch = [&](int kt) {
    if (kt < kts) {
      const uint32_t at = base + kt % SLOTS * SLOT;
#pragma unroll
      for (int i = 0; i < 2; ++i) cp16(at + spot(r0 + i * 32, c0), rows[i] + kt * 32);
#pragma unroll
      for (int i = 0; i < 4; ++i) cp16(at + 4096 + spot(r0 + i * 32, c0), w + (size_t)i * 32 * K + kt * 32);
    }
    cp_commit();
  };
  float acc[2][8][4] = {};
  fetch(0);
  fetch(1);
  fetch(2);
  for (int kt = 0; kt < kts; ++kt) {
    cp_wait<2>();
    __syncthreads();
    fetch(kt + 3);
    const uint32_t at = base + kt % SLOTS * SLOT, bt = at + 4096;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t a[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) ldsm_x4(a[i][0], a[i][1], a[i][2], a[i][3], at + spot(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t b0, b1, b2, b3;
        ldsm_x4(b0, b1, b2, b3, bt + spot(wn + j * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + (lane >> 3 & 1)));
#pragma unroll
        for (int i = 0; i < 2; ++i) mma_f16(acc[i][2 * j], a[i], b0, b1), mma_f16(acc[i][2 * j + 1], a[i], b2, b3);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int id = ids[m0 + wm + i * 8 + lane / 4];
    const float f = weight[id];
    __half* p = C + (size_t)id * N + n0 + wn + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) *(uint32_t*)(p + j * 8) = pack_f16(acc[i / 2][j][i % 2 * 2] * f, acc[i / 2][j][i % 2 * 2 + 1] * f);
  }
}

// ------------------------------------------------------------------ 12: f16, both operands row-major, tile 128 x 256 x 32, cp.async ring of four with two groups in flight, fragments in two sets of registers as CUTLASS for Ampere does it
__global__ void __launch_bounds__(256, 1) fragments_ahead(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int N, int K, int tiles_m) {
  constexpr int SLOTS = 4, SLOT = 8192 + 16384;  // A: 128 rows of 64 bytes, B: 32 rows of 512 bytes
  extern __shared__ __align__(128) uint8_t raw[];
  const uint32_t base = smem_addr(raw);
  const int tid = threadIdx.x, lane = tid % 32, wm = tid / 128 * 64, wn = tid / 32 % 4 * 64, m0 = blockIdx.x % tiles_m * 128, n0 = blockIdx.x / tiles_m * 256, kts = K / 32;
  auto spot_a = [](int r, int c) { return (uint32_t)(r * 64 + ((c ^ (r >> 1 & 3)) << 4)); };
  auto spot_b = [](int r, int c) { return (uint32_t)(8192 + r * 512 + ((c ^ (r & 7)) << 4)); };
  const __half *pa = A + (size_t)(m0 + tid / 4) * K + tid % 4 * 8, *pb = B + (size_t)(tid / 32) * N + n0 + lane * 8;
  auto fetch = [&](int kt) {
    if (kt < kts) {
      const uint32_t at = base + kt % SLOTS * SLOT;
#pragma unroll
      for (int i = 0; i < 2; ++i) cp16(at + spot_a(i * 64 + tid / 4, tid % 4), pa + (size_t)i * 64 * K + kt * 32);
#pragma unroll
      for (int i = 0; i < 4; ++i) cp16(at + spot_b(i * 8 + tid / 32, lane), pb + (size_t)(kt * 32 + i * 8) * N);
    }
    cp_commit();
  };
  uint32_t a[2][4][4], b[2][8][2];
  auto load = [&](int kt, int kk, uint32_t (&fa)[4][4], uint32_t (&fb)[8][2]) {
    const uint32_t at = base + kt % SLOTS * SLOT;
#pragma unroll
    for (int i = 0; i < 4; ++i) ldsm_x4(fa[i][0], fa[i][1], fa[i][2], fa[i][3], at + spot_a(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
    for (int j = 0; j < 4; ++j) ldsm_x4_trans(fb[2 * j][0], fb[2 * j][1], fb[2 * j + 1][0], fb[2 * j + 1][1], at + spot_b(kk * 16 + (lane & 15), wn / 8 + j * 2 + (lane >> 4)));
  };
  float acc[4][8][4] = {};
  auto multiply = [&](uint32_t (&fa)[4][4], uint32_t (&fb)[8][2]) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j) mma_f16(acc[i][j], fa[i], fb[j][0], fb[j][1]);
  };
  fetch(0);
  fetch(1);
  fetch(2);
  cp_wait<2>();
  __syncthreads();
  load(0, 0, a[0], b[0]);
  for (int kt = 0; kt < kts; ++kt) {
    load(kt, 1, a[1], b[1]);
    fetch(kt + 3);
    multiply(a[0], b[0]);
    cp_wait<2>();
    __syncthreads();
    if (kt + 1 < kts) load(kt + 1, 0, a[0], b[0]);
    multiply(a[1], b[1]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    __half* p = C + (size_t)(m0 + wm + i * 16 + lane / 4) * N + n0 + wn + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      *(uint32_t*)(p + j * 8) = pack_f16(acc[i][j][0], acc[i][j][1]);
      *(uint32_t*)(p + (size_t)8 * N + j * 8) = pack_f16(acc[i][j][2], acc[i][j][3]);
    }
  }
}

// ------------------------------------------------------------------ 13: int8 by mma.sync, tile 256 x 128 x 64, cp.async ring of three with one group in flight, sums scaled, rounded and clamped to int8
__global__ void __launch_bounds__(256, 1) requantise(const int8_t* __restrict__ A, const int8_t* __restrict__ B, int8_t* __restrict__ C, int N, int K, float scale) {
  constexpr int SLOTS = 3, SLOT = 16384 + 8192;  // rows of 64 bytes
  extern __shared__ __align__(128) uint8_t raw[];
  const uint32_t base = smem_addr(raw);
  const int tid = threadIdx.x, lane = tid % 32, wm = tid / 64 * 64, wn = tid / 32 % 2 * 64, m0 = blockIdx.y * 256, n0 = blockIdx.x * 128, kts = K / 64;
  auto spot = [](int r, int c) { return (uint32_t)(r * 64 + ((c ^ (r >> 1 & 3)) << 4)); };
  const int8_t *pa = A + (size_t)(m0 + tid / 4) * K + tid % 4 * 16, *pb = B + (size_t)(n0 + tid / 4) * K + tid % 4 * 16;
  auto fetch = [&](int kt) {
    if (kt < kts) {
      const uint32_t at = base + kt % SLOTS * SLOT;
#pragma unroll
      for (int i = 0; i < 4; ++i) cp16(at + spot(i * 64 + tid / 4, tid % 4), pa + (size_t)i * 64 * K + kt * 64);
#pragma unroll
      for (int i = 0; i < 2; ++i) cp16(at + 16384 + spot(i * 64 + tid / 4, tid % 4), pb + (size_t)i * 64 * K + kt * 64);
    }
    cp_commit();
  };
  int acc[4][8][4] = {};
  fetch(0);
  fetch(1);
  for (int kt = 0; kt < kts; ++kt) {
    cp_wait<1>();
    __syncthreads();
    fetch(kt + 2);
    const uint32_t at = base + kt % SLOTS * SLOT, bt = at + 16384;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t a[4][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) ldsm_x4(a[i][0], a[i][1], a[i][2], a[i][3], at + spot(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t b0, b1, b2, b3;
        ldsm_x4(b0, b1, b2, b3, bt + spot(wn + j * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + (lane >> 3 & 1)));
#pragma unroll
        for (int i = 0; i < 4; ++i) mma_s8(acc[i][2 * j], a[i], b0, b1), mma_s8(acc[i][2 * j + 1], a[i], b2, b3);
      }
    }
  }
  auto narrow = [&](int x, int y) {
    const int p = __float2int_rn(fminf(fmaxf(x * scale, -128.f), 127.f)), q = __float2int_rn(fminf(fmaxf(y * scale, -128.f), 127.f));
    return (uint16_t)(p & 255 | (q & 255) << 8);
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int8_t* p = C + (size_t)(m0 + wm + i * 16 + lane / 4) * N + n0 + wn + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      *(uint16_t*)(p + j * 8) = narrow(acc[i][j][0], acc[i][j][1]);
      *(uint16_t*)(p + (size_t)8 * N + j * 8) = narrow(acc[i][j][2], acc[i][j][3]);
    }
  }
}
// ------------------------------------------------------------------ 14: layer norm of long rows, four blocks of a cluster a row; partial sums go to all four by st.async, whose bytes an mbarrier counts
__global__ void __launch_bounds__(256) cluster_norm(const uint4* __restrict__ x, const float4* __restrict__ weight, const float4* __restrict__ bias, uint4* __restrict__ y, float eps) {
  constexpr int EACH = 3;  // words of 16 bytes a thread: 24 numbers
  __shared__ Barrier arrived;
  __shared__ __align__(16) float2 sums[4];
  __shared__ float2 warps[8];
  const int tid = threadIdx.x, lane = tid % 32;
  const uint32_t rank = cg::this_cluster().block_rank();
  if (tid == 0) {
    arrived.init(1);
    fence_init();
    arrived.expect_bytes(32);
  }
  const size_t place = (size_t)blockIdx.x * EACH * 256;
  float v[EACH * 8], s = 0, ss = 0;
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const uint4 w = x[place + i * 256 + tid];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(((const __nv_bfloat162*)&w)[e]);
      v[i * 8 + e * 2] = f.x, v[i * 8 + e * 2 + 1] = f.y;
      s += f.x + f.y, ss = fmaf(f.x, f.x, fmaf(f.y, f.y, ss));
    }
  }
  s = warp_sum(s), ss = warp_sum(ss);
  if (lane == 0) warps[tid / 32] = make_float2(s, ss);
  cg::this_cluster().sync();  // barriers are ready everywhere
  if (tid < 4) {
    s = ss = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) s += warps[w].x, ss += warps[w].y;
    asm volatile(
        "{\n.reg .b32 to, bar;\nmapa.shared::cluster.u32 to, %0, %2;\nmapa.shared::cluster.u32 bar, %1, %2;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [to], {%3, %4}, [bar];\n}" ::"r"(smem_addr(&sums[rank])),
        "r"(smem_addr(&arrived)), "r"(tid), "f"(s), "f"(ss)
        : "memory");
  }
  arrived.wait(0);
  const float4 a = *(const float4*)&sums[0], b = *(const float4*)&sums[2];
  constexpr float N = EACH * 8 * 256 * 4;
  const float mean = (a.x + a.z + b.x + b.z) / N, scale = rsqrtf((a.y + a.w + b.y + b.w) / N - mean * mean + eps);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int c = (rank * EACH * 256 + i * 256 + tid) * 2;
    const float4 w0 = weight[c], w1 = weight[c + 1], b0 = bias[c], b1 = bias[c + 1];
    const float* p = v + i * 8;
    y[place + i * 256 + tid] = make_uint4(pack_bf16(fmaf((p[0] - mean) * scale, w0.x, b0.x), fmaf((p[1] - mean) * scale, w0.y, b0.y)), pack_bf16(fmaf((p[2] - mean) * scale, w0.z, b0.z), fmaf((p[3] - mean) * scale, w0.w, b0.w)),
                                          pack_bf16(fmaf((p[4] - mean) * scale, w1.x, b1.x), fmaf((p[5] - mean) * scale, w1.y, b1.y)), pack_bf16(fmaf((p[6] - mean) * scale, w1.z, b1.z), fmaf((p[7] - mean) * scale, w1.w, b1.w)));
  }
}

// ------------------------------------------------------------------ 16: depthwise convolution 7 x 7, channels last: boxes of 32 channels x 14 x 14 pixels by TMA of 4 dimensions (zeros beyond the edge), two buffers over the images of a batch, a column of 8 results a thread
__global__ void __launch_bounds__(128, 3) depthwise_boxes(const __grid_constant__ CUtensorMap image, const float* __restrict__ weight, bf16* __restrict__ out, int width, int height, int channels, int tiles_x, int images) {
  constexpr int SIDE = 14, BYTES = SIDE * SIDE * 64;
  __shared__ __align__(128) uint8_t tile[2][BYTES];
  __shared__ Barrier filled[2];
  const int tid = threadIdx.x, pair = tid % 16, column = tid / 16, x0 = blockIdx.x % tiles_x * 8, y0 = blockIdx.x / tiles_x * 8, c0 = blockIdx.y * 32, first = blockIdx.z * images;
  auto fetch = [&](int i) {
    filled[i & 1].expect_bytes(BYTES);
    tma_load_4d(smem_addr(tile[i & 1]), image, filled[i & 1], c0, x0 - 3, y0 - 3, first + i);
  };
  if (tid == 0) {
    filled[0].init(1), filled[1].init(1);
    fence_init();
    fetch(0);
    if (images > 1) fetch(1);
  }
  float2 w[49];
#pragma unroll
  for (int i = 0; i < 49; ++i) w[i] = *(const float2*)(weight + (size_t)i * channels + c0 + pair * 2);
  __syncthreads();
  for (int i = 0; i < images; ++i) {
    filled[i & 1].wait(i >> 1 & 1);
    const __nv_bfloat162* in = (const __nv_bfloat162*)tile[i & 1] + column * 16 + pair;
    float2 acc[8] = {};
#pragma unroll
    for (int r = 0; r < SIDE; ++r)
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        const float2 v = __bfloat1622float2(in[(r * SIDE + u) * 16]);
#pragma unroll
        for (int o = 0; o < 8; ++o)
          if (r >= o && r - o < 7) acc[o].x = fmaf(v.x, w[(r - o) * 7 + u].x, acc[o].x), acc[o].y = fmaf(v.y, w[(r - o) * 7 + u].y, acc[o].y);
      }
    __syncthreads();
    if (tid == 0 && i + 2 < images) fetch(i + 2);
#pragma unroll
    for (int o = 0; o < 8; ++o)
      if (x0 + column < width && y0 + o < height) *(uint32_t*)(out + (((size_t)(first + i) * height + y0 + o) * width + x0 + column) * channels + c0 + pair * 2) = pack_bf16(acc[o].x, acc[o].y);
  }
}

// ------------------------------------------------------------------ 17: rows of an embedding gathered by bulk copies into a ring of four, positions added in place by four warps, results out by bulk copies
__global__ void __launch_bounds__(160) gather_bulk(const __half* __restrict__ rows, const int* __restrict__ tokens, const __half* __restrict__ positions, __half* __restrict__ out, int groups, int period) {
  constexpr int SLOTS = 4, WIDTH = 384, ROW = WIDTH * 2, COUNT_ROWS = 32, SLOT = COUNT_ROWS * ROW;
  extern __shared__ __align__(128) uint8_t raw[];
  __shared__ Barrier filled[SLOTS], freed[SLOTS];
  const uint32_t base = smem_addr(raw);
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid == 0) {
    for (int s = 0; s < SLOTS; ++s) filled[s].init(1), freed[s].init(1);
    fence_init();
  }
  __syncthreads();
  int s = 0;
  if (tid >= 128) {
    uint32_t phase = 1;
    for (int g = blockIdx.x; g < groups; g += gridDim.x) {
      const int token = tokens[g * COUNT_ROWS + lane];
      freed[s].wait(phase);
      if (lane == 0) filled[s].expect_bytes(SLOT);
      __syncwarp();
      bulk_load(base + s * SLOT + lane * ROW, rows + (size_t)token * WIDTH, ROW, filled[s]);
      if (++s == SLOTS) s = 0, phase ^= 1;
    }
    return;
  }
  uint32_t phase = 0;
  int before = -1;
  for (int g = blockIdx.x; g < groups; g += gridDim.x) {
    filled[s].wait(phase);
    const uint4* p = (const uint4*)(positions + (size_t)(g * COUNT_ROWS % period) * WIDTH);
#pragma unroll 4
    for (int i = 0; i < SLOT / 16 / 128; ++i) {
      const int at = i * 128 + tid;
      uint4 v = lds_v4(base + s * SLOT + at * 16);
      const uint4 q = p[at];
      __half2 *a = (__half2*)&v, *b = (__half2*)&q;
#pragma unroll
      for (int e = 0; e < 4; ++e) a[e] = __hadd2(a[e], b[e]);
      sts_v4(base + s * SLOT + at * 16, v);
    }
    fence_async();
    named_sync(1, 128);
    if (tid == 0) {
      bulk_store(out + (size_t)g * COUNT_ROWS * WIDTH, base + s * SLOT, SLOT);
      bulk_commit();
      bulk_wait_read<1>();
      if (before >= 0) freed[before].arrive();
    }
    before = s;
    if (++s == SLOTS) s = 0, phase ^= 1;
  }
  if (tid == 0) bulk_wait_all();
}

// ------------------------------------------------------------------ 19: power iteration on a dense matrix, a grid barrier for each step; the vector, normalised, goes through shared memory
__global__ void __launch_bounds__(256) grid_power(const float4* __restrict__ A, const float* __restrict__ start, float* y0, float* y1, float* squares, int n, int steps) {
  extern __shared__ float4 x4[];
  __shared__ float part[8];
  float* x = (float*)x4;
  const int tid = threadIdx.x, lane = tid % 32, warps = gridDim.x * 8, warp = blockIdx.x * 8 + tid / 32;
  for (int step = 0; step < steps; ++step) {
    const float* from = step == 0 ? start : step & 1 ? y0 : y1;
    float* to = step & 1 ? y1 : y0;
    const float scale = step == 0 ? 1.f : rsqrtf(__ldcg(squares + step - 1));
    for (int i = tid; i < n; i += 256) x[i] = __ldcg(from + i) * scale;
    __syncthreads();
    float own = 0;
    for (int r = warp; r < n; r += warps) {
      const float4* row = A + (size_t)r * (n / 4);
      float s = 0;
#pragma unroll 7
      for (int i = lane; i < n / 4; i += 32) {
        const float4 a = row[i], b = x4[i];
        s = fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, s))));
      }
      s = warp_sum(s);
      if (lane == 0) to[r] = s;
      own = fmaf(s, s, own);
    }
    if (lane == 0) part[tid / 32] = own;
    __syncthreads();
    if (tid == 0) {
      float s = 0;
      for (int w = 0; w < 8; ++w) s += part[w];
      atomicAdd(squares + step, s);
    }
    cg::this_grid().sync();
  }
}

// ------------------------------------------------------------------ 20: one pass of a radix sort over a digit of 8 bits: ranks in warps by votes, order by digit in shared memory, places in the result drawn from global counters
__global__ void __launch_bounds__(256) radix_scatter(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, uint32_t* places, int shift) {
  __shared__ uint32_t counts[8][256], ordered[4096], start[256], goal[256], warp_sums[8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const uint32_t* in = keys + (size_t)blockIdx.x * 4096 + warp * 512 + lane;
  uint32_t key[16], rank[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) key[i] = in[i * 32];
#pragma unroll
  for (int w = 0; w < 8; ++w) counts[w][tid] = 0;
  __syncthreads();
  const uint32_t lower = (1u << lane) - 1;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const uint32_t d = key[i] >> shift & 255;
    uint32_t same = ~0u;
#pragma unroll
    for (int b = 0; b < 8; ++b) {
      const bool bit = d >> b & 1;
      const uint32_t vote = __ballot_sync(~0u, bit);
      same &= bit ? vote : ~vote;
    }
    const int first = __ffs(same) - 1;
    uint32_t before = 0;
    if (lane == first) {
      before = counts[warp][d];
      counts[warp][d] = before + __popc(same);
    }
    rank[i] = __shfl_sync(~0u, before, first) + __popc(same & lower);
    __syncwarp();
  }
  __syncthreads();
  uint32_t total = 0;  // a thread a digit
#pragma unroll
  for (int w = 0; w < 8; ++w) {
    const uint32_t c = counts[w][tid];
    counts[w][tid] = total;
    total += c;
  }
  uint32_t scan = total;
#pragma unroll
  for (int w = 1; w < 32; w *= 2) {
    const uint32_t other = __shfl_up_sync(~0u, scan, w);
    if (lane >= w) scan += other;
  }
  if (lane == 31) warp_sums[warp] = scan;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < 8; ++w) scan += w < warp ? warp_sums[w] : 0;
  start[tid] = scan - total;
  goal[tid] = atomicAdd(places + tid, total) - (scan - total);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const uint32_t d = key[i] >> shift & 255;
    ordered[start[d] + counts[warp][d] + rank[i]] = key[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const uint32_t k = ordered[i * 256 + tid];
    out[goal[k >> shift & 255] + i * 256 + tid] = k;
  }
}

// ------------------------------------------------------------------ 21: gate of a mixture of experts: softmax over 256, the eight greatest by redux and votes, weights normalised among them; a warp a token
__global__ void __launch_bounds__(256) gate_top8(const float4* __restrict__ logits, float* __restrict__ weights, int* __restrict__ experts, int tokens) {
  const int lane = threadIdx.x % 32, token = blockIdx.x * 8 + threadIdx.x / 32;
  if (token >= tokens) return;
  uint32_t key[8];
  float v[8];
#pragma unroll
  for (int i = 0; i < 2; ++i) *(float4*)(v + i * 4) = logits[(size_t)token * 64 + i * 32 + lane];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const uint32_t u = __float_as_uint(v[i]);
    key[i] = u ^ ((int)u < 0 ? ~0u : 1u << 31);  // ordered as the numbers are
  }
  auto number_of = [](uint32_t k) { return __uint_as_float(k ^ ((int)k < 0 ? 1u << 31 : ~0u)); };
  float top = 0, total = 0, mine = 0;
  int expert = 0;
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    uint32_t best = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) best = max(best, key[i]);
    const uint32_t all = __reduce_max_sync(~0u, best);
    if (r == 0) {
      top = number_of(all);
#pragma unroll
      for (int i = 0; i < 8; ++i) total += __expf(v[i] - top);
      total = warp_sum(total);
    }
    const int winner = __ffs(__ballot_sync(~0u, best == all)) - 1;
    int which = 0;
#pragma unroll
    for (int i = 7; i >= 0; --i) which = key[i] == all ? i : which;
#pragma unroll
    for (int i = 0; i < 8; ++i) key[i] = lane == winner && i == which ? 0 : key[i];
    which = __shfl_sync(~0u, which / 4 * 128 + lane * 4 + which % 4, winner);
    if (lane == r) mine = __expf(number_of(all) - top) / total, expert = which;
  }
  float chosen = lane < 8 ? mine : 0.f;
#pragma unroll
  for (int w = 4; w; w /= 2) chosen += __shfl_xor_sync(~0u, chosen, w);
  if (lane < 8) weights[token * 8 + lane] = mine / chosen, experts[token * 8 + lane] = expert;
}

// ------------------------------------------------------------------ 22: RMS norm, then e4m3 with a scale for each 128 numbers; a row of 5120 stays in registers, scales are stored by columns
__global__ void __launch_bounds__(320) rms_to_e4m3(const uint4* __restrict__ x, const uint4* __restrict__ weight, uint4* __restrict__ y, float* __restrict__ scales, float eps, int rows) {
  __shared__ float warps[10];
  const int tid = threadIdx.x, row = blockIdx.x;
  float v[16], squares = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const uint4 a = x[(size_t)row * 640 + tid * 2 + i];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(((const __nv_bfloat162*)&a)[e]);
      v[i * 8 + e * 2] = f.x, v[i * 8 + e * 2 + 1] = f.y;
      squares = fmaf(f.x, f.x, fmaf(f.y, f.y, squares));
    }
  }
  squares = warp_sum(squares);
  if (tid % 32 == 0) warps[tid / 32] = squares;
  __syncthreads();
  squares = 0;
#pragma unroll
  for (int w = 0; w < 10; ++w) squares += warps[w];
  const float norm = rsqrtf(squares / 5120 + eps);
  float most = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const uint4 a = weight[tid * 2 + i];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(((const __nv_bfloat162*)&a)[e]);
      v[i * 8 + e * 2] *= norm * f.x, v[i * 8 + e * 2 + 1] *= norm * f.y;
      most = fmaxf(most, fmaxf(fabsf(v[i * 8 + e * 2]), fabsf(v[i * 8 + e * 2 + 1])));
    }
  }
#pragma unroll
  for (int w = 4; w; w /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, w));
  const float scale = fmaxf(most, 1e-4f) / 448.f, inverse = 1.f / scale;
  uint4 q;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint32_t lo = __nv_cvt_float2_to_fp8x2(make_float2(v[4 * i] * inverse, v[4 * i + 1] * inverse), __NV_SATFINITE, __NV_E4M3), hi = __nv_cvt_float2_to_fp8x2(make_float2(v[4 * i + 2] * inverse, v[4 * i + 3] * inverse), __NV_SATFINITE, __NV_E4M3);
    ((uint32_t*)&q)[i] = lo | hi << 16;
  }
  y[(size_t)row * 320 + tid] = q;
  if (tid % 8 == 0) scales[(size_t)(tid / 8) * rows + row] = scale;
}

// ------------------------------------------------------------------ 23: rotary embedding of queries and keys; keys and values go to slots of an e4m3 cache; a block a token, eight threads a head (16 of queries, 4 of keys, 4 of values)
__global__ void __launch_bounds__(192) rotate_to_cache(const __half* __restrict__ qkv, const float* __restrict__ cosine, const float* __restrict__ sine, const int* __restrict__ positions, const int* __restrict__ slots, __half* __restrict__ q, uint8_t* __restrict__ k_cache, uint8_t* __restrict__ v_cache, float inverse_scale) {
  const int token = blockIdx.x, head = threadIdx.x / 8, d = threadIdx.x % 8 * 8;
  const __half* in = qkv + ((size_t)token * 24 + head) * 128 + d;
  const uint4 lo4 = *(const uint4*)in, hi4 = *(const uint4*)(in + 64);
  float lo[8], hi[8];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 a = __half22float2(((const __half2*)&lo4)[i]), b = __half22float2(((const __half2*)&hi4)[i]);
    lo[2 * i] = a.x, lo[2 * i + 1] = a.y, hi[2 * i] = b.x, hi[2 * i + 1] = b.y;
  }
  if (head < 20) {
    const size_t at = (size_t)positions[token] * 64 + d;
    float c[8], s[8];
#pragma unroll
    for (int i = 0; i < 8; i += 4) *(float4*)(c + i) = *(const float4*)(cosine + at + i), *(float4*)(s + i) = *(const float4*)(sine + at + i);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float a = lo[i], b = hi[i];
      lo[i] = fmaf(a, c[i], -b * s[i]), hi[i] = fmaf(b, c[i], a * s[i]);
    }
  }
  if (head < 16) {
    __half* p = q + ((size_t)token * 16 + head) * 128 + d;
    *(uint4*)p = make_uint4(pack_f16(lo[0], lo[1]), pack_f16(lo[2], lo[3]), pack_f16(lo[4], lo[5]), pack_f16(lo[6], lo[7]));
    *(uint4*)(p + 64) = make_uint4(pack_f16(hi[0], hi[1]), pack_f16(hi[2], hi[3]), pack_f16(hi[4], hi[5]), pack_f16(hi[6], hi[7]));
  } else {
    uint8_t* p = (head < 20 ? k_cache : v_cache) + ((size_t)slots[token] * 4 + head % 4) * 128 + d;
    auto four = [&](const float* v) {
      const uint32_t a = __nv_cvt_float2_to_fp8x2(make_float2(v[0] * inverse_scale, v[1] * inverse_scale), __NV_SATFINITE, __NV_E4M3), b = __nv_cvt_float2_to_fp8x2(make_float2(v[2] * inverse_scale, v[3] * inverse_scale), __NV_SATFINITE, __NV_E4M3);
      return a | b << 16;
    };
    *(uint2*)p = make_uint2(four(lo), four(lo + 4));
    *(uint2*)(p + 64) = make_uint2(four(hi), four(hi + 4));
  }
}

// ------------------------------------------------------------------ 24: cross entropy over 32064 words and its gradient: maximum and sum in one pass, the second pass reads the row again
__global__ void __launch_bounds__(512) entropy_gradient(const uint4* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss, uint4* __restrict__ gradient, int chunks) {
  __shared__ float2 warps[16];
  const int tid = threadIdx.x, label = labels[blockIdx.x];
  const uint4* x = logits + (size_t)blockIdx.x * chunks;
  float m = -1e30f, s = 0;
  for (int i = tid; i < chunks; i += 512) {
    const uint4 w = x[i];
    float v[8], top = m;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(((const __nv_bfloat162*)&w)[e]);
      v[2 * e] = f.x, v[2 * e + 1] = f.y;
      top = fmaxf(top, fmaxf(f.x, f.y));
    }
    s *= __expf(m - top);
    m = top;
#pragma unroll
    for (int e = 0; e < 8; ++e) s += __expf(v[e] - m);
  }
  auto join = [&](float m2, float s2) {
    const float top = fmaxf(m, m2);
    s = s * __expf(m - top) + s2 * __expf(m2 - top);
    m = top;
  };
#pragma unroll
  for (int w = 16; w; w /= 2) join(__shfl_xor_sync(~0u, m, w), __shfl_xor_sync(~0u, s, w));
  if (tid % 32 == 0) warps[tid / 32] = make_float2(m, s);
  __syncthreads();
  m = -1e30f, s = 0;
#pragma unroll
  for (int w = 0; w < 16; ++w) join(warps[w].x, warps[w].y);
  const float inverse = 1.f / s;
  if (tid == 0) loss[blockIdx.x] = m + __logf(s) - __bfloat162float(((const bf16*)x)[label]);
  for (int i = tid; i < chunks; i += 512) {
    const uint4 w = x[i];
    uint4 g;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(((const __nv_bfloat162*)&w)[e]);
      const int c = i * 8 + e * 2;
      ((uint32_t*)&g)[e] = pack_bf16(__expf(f.x - m) * inverse - (c == label ? 1.f : 0.f), __expf(f.y - m) * inverse - (c + 1 == label ? 1.f : 0.f));
    }
    gradient[(size_t)blockIdx.x * chunks + i] = g;
  }
}

// ------------------------------------------------------------------ 25: a step of AdamW in place, four numbers a thread at a time; gradients and a copy of the weights in bf16
__global__ void __launch_bounds__(256) adamw_step(float4* p, float4* m, float4* v, const uint2* __restrict__ g, uint2* __restrict__ copy, int quads, float rate, float beta1, float beta2, float eps, float decay, float correct1, float correct2) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
    const uint2 gw = g[i];
    float4 pv = p[i], mv = m[i], vv = v[i];
    const float2 ga = __bfloat1622float2(*(const __nv_bfloat162*)&gw.x), gb = __bfloat1622float2(*(const __nv_bfloat162*)&gw.y);
    auto one = [&](float& w, float& a, float& b, float grad) {
      a = fmaf(beta1, a, (1 - beta1) * grad);
      b = fmaf(beta2, b, (1 - beta2) * grad * grad);
      w = w * (1 - rate * decay) - rate * (a * correct1) / (sqrtf(b * correct2) + eps);
    };
    one(pv.x, mv.x, vv.x, ga.x), one(pv.y, mv.y, vv.y, ga.y), one(pv.z, mv.z, vv.z, gb.x), one(pv.w, mv.w, vv.w, gb.y);
    p[i] = pv, m[i] = mv, v[i] = vv;
    copy[i] = make_uint2(pack_bf16(pv.x, pv.y), pack_bf16(pv.z, pv.w));
  }
}

// ------------------------------------------------------------------ 26: Fourier transforms of 4096 complex numbers, three passes of radix 16 in registers with two exchanges through padded shared memory
__device__ __forceinline__ float2 turned(float2 v, float c, float s) { return make_float2(v.x * c - v.y * s, v.x * s + v.y * c); }
__device__ __forceinline__ void four_points(float2& v0, float2& v1, float2& v2, float2& v3) {
  const float2 a = make_float2(v0.x + v2.x, v0.y + v2.y), b = make_float2(v0.x - v2.x, v0.y - v2.y);
  const float2 c = make_float2(v1.x + v3.x, v1.y + v3.y), d = make_float2(v1.y - v3.y, v3.x - v1.x);  // -i (v1 - v3)
  v0 = make_float2(a.x + c.x, a.y + c.y), v1 = make_float2(b.x + d.x, b.y + d.y), v2 = make_float2(a.x - c.x, a.y - c.y), v3 = make_float2(b.x - d.x, b.y - d.y);
}
__device__ __forceinline__ void sixteen_points(float2 (&v)[16]) {  // result k is at v[k % 4 * 4 + k / 4]
  constexpr float C1 = 0.923879533f, S1 = 0.382683432f, H = 0.707106781f;
#pragma unroll
  for (int j = 0; j < 4; ++j) four_points(v[j], v[4 + j], v[8 + j], v[12 + j]);  // over n = 4 a + j: now v[4 k + j]
  v[5] = turned(v[5], C1, -S1), v[6] = turned(v[6], H, -H), v[7] = turned(v[7], S1, -C1);
  v[9] = turned(v[9], H, -H), v[10] = make_float2(v[10].y, -v[10].x), v[11] = turned(v[11], -H, -H);
  v[13] = turned(v[13], S1, -C1), v[14] = turned(v[14], -H, -H), v[15] = turned(v[15], -C1, S1);
#pragma unroll
  for (int k = 0; k < 4; ++k) four_points(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);  // v[4 k + l] is result k + 4 l
}
__global__ void __launch_bounds__(256) fft_4096(const float2* __restrict__ in, float2* __restrict__ out) {
  extern __shared__ float2 buf[];  // 4096 + 256
  const int j = threadIdx.x;
  const size_t row = (size_t)blockIdx.x * 4096;
  auto pad = [](int i) { return i + (i >> 4); };
  float2 v[16];
#pragma unroll
  for (int r = 0; r < 16; ++r) v[r] = in[row + r * 256 + j];
#pragma unroll
  for (int pass = 0; pass < 3; ++pass) {
    const int stride = pass == 0 ? 1 : pass == 1 ? 16 : 256, k = j & stride - 1;
    if (pass > 0) {
#pragma unroll
      for (int r = 0; r < 16; ++r) v[r] = buf[pad(r * 256 + j)];
      if (pass < 2) __syncthreads();
#pragma unroll
      for (int r = 1; r < 16; ++r) {
        float s, c;
        sincospif(-2.f * (k * r) / (16 * stride), &s, &c);
        v[r] = turned(v[r], c, s);
      }
    }
    sixteen_points(v);
    const int to = j / stride * 16 * stride + k;
    if (pass < 2) {
#pragma unroll
      for (int r = 0; r < 16; ++r) buf[pad(to + r * stride)] = v[r % 4 * 4 + r / 4];
      __syncthreads();
    } else {
#pragma unroll
      for (int r = 0; r < 16; ++r) out[row + to + r * stride] = v[r % 4 * 4 + r / 4];
    }
  }
}

// ------------------------------------------------------------------ 27: bicubic resize of an RGBA image: four filtered texture reads a pixel at places between the texels (B-spline)
__global__ void __launch_bounds__(256) resize_bicubic(cudaTextureObject_t image, uchar4* __restrict__ out, int width, int height, float step_x, float step_y) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (x + 0.5f) * step_x - 0.5f, v = (y + 0.5f) * step_y - 0.5f, fu = floorf(u), fv = floorf(v), a = u - fu, b = v - fv;
  auto w0 = [](float t) { return (1.f / 6) * (t * (t * (-t + 3) - 3) + 1); };
  auto w1 = [](float t) { return (1.f / 6) * (t * t * (3 * t - 6) + 4); };
  auto w3 = [](float t) { return (1.f / 6) * t * t * t; };
  const float xa = w0(a) + w1(a), ya = w0(b) + w1(b), xb = 1 - xa, yb = 1 - ya;
  const float x0 = fu - 0.5f + w1(a) / xa, x1 = fu + 1.5f + w3(a) / xb, y0 = fv - 0.5f + w1(b) / ya, y1 = fv + 1.5f + w3(b) / yb;
  const float4 p = tex2D<float4>(image, x0, y0), q = tex2D<float4>(image, x1, y0), r = tex2D<float4>(image, x0, y1), s = tex2D<float4>(image, x1, y1);
  auto mix = [&](float e, float f, float g, float h) { return (unsigned char)__float2int_rn(255.f * __saturatef(ya * (xa * e + xb * f) + yb * (xa * g + xb * h))); };
  out[(size_t)y * width + x] = make_uchar4(mix(p.x, q.x, r.x, s.x), mix(p.y, q.y, r.y, s.y), mix(p.z, q.z, r.z, s.z), mix(p.w, q.w, r.w, s.w));
}
// ================================================================== host
static bool listing = false;
static const char* only = nullptr;  // the one launch to run
static int wrongs = 0, launches = 0;
static std::string csv;  // rows of the CSV, measured columns empty
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

static bool wanted(const char* name) {
  if (listing) return true;
  if (only) return !strcmp(only, name);
  const char* skip = getenv("HELD_SKIP");  // names to leave out, between commas
  return !(skip && strstr(("," + std::string(skip) + ",").c_str(), ("," + std::string(name) + ",").c_str()));
}

// Launches, or prints the launch as TOML. `function` is a part of the mangled name that make_toml.py looks for in the cubin.
template <class... P, class... A> static bool launch(const char* name, const char* function, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, int cluster, bool cooperative, A... args) {
  if (listing) {
    std::string params;
    ((params += (params.empty() ? "" : ", ") + shown<P>(args)), ...);
    printf("[[launch]]\nname = \"%s\"\nfunction = \"%s\"\ngrid = [%u, %u, %u]\nblock = [%u, %u, %u]\n", name, function, grid.x, grid.y, grid.z, block.x, block.y, block.z);
    if (cluster > 1) printf("cluster = [%d]\n", cluster);
    printf("registers = 0\ndynamic_shared = %zu\nparams = [%s]\n\n", shared, params.c_str());
    std::string numbers;
    for (const std::string& v : std::vector<std::string>{shown<P>(args)...})
      if (v[0] != '"' && v[0] != '{') numbers += (numbers.empty() ? "" : " ") + v;
    char row[400];
    snprintf(row, sizeof row, "# %s,%s,%u %u %u,%u %u %u,%zu,%d,,,,,,%s\n", name, function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, cluster, numbers.c_str());
    csv += row;
    return false;
  }
  if (!wanted(name)) return false;
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
static CUtensorMap tensor_4d(const char* type_name, CUtensorMapDataType type, int bytes, void* p, std::vector<uint64_t> shape, std::vector<uint32_t> box) {
  CUtensorMap m = {};
  if (listing) {
    char s[200];
    snprintf(s, sizeof s, "{ tensor_map = { type = \"%s\", shape = [%d, %d, %d, %d], box = [%u, %u, %u, %u], swizzle = 0 } }", type_name, (int)shape[0], (int)shape[1], (int)shape[2], (int)shape[3], box[0], box[1], box[2], box[3]);
    ((uint64_t*)&m)[0] = map_text.size();
    map_text.push_back(s);
    return m;
  }
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static Encode encode = (Encode)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTensorMapEncodeTiled");
  cuuint64_t dims[4] = {shape[0], shape[1], shape[2], shape[3]}, stride[3] = {shape[0] * bytes, shape[0] * shape[1] * bytes, shape[0] * shape[1] * shape[2] * bytes};
  cuuint32_t one[4] = {1, 1, 1, 1};
  CUresult r = encode ? encode(&m, type, 4, p, dims, stride, box.data(), one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) : CUDA_ERROR_NOT_FOUND;
  if (r != CUDA_SUCCESS) printf("wrong tensor map %d\n", (int)r), ++wrongs;
  return m;
}
static float number(int8_t v) { return v; }
static float number(int v) { return v; }
static float number(__nv_fp8_e4m3 v) { return (float)v; }
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

// A table on the device.
static int* table(const std::vector<int>& v) {
  int* d = nullptr;
  if (listing) return d;
  cuda_ok(cudaMalloc(&d, v.size() * 4), "malloc");
  cuda_ok(cudaMemcpy(d, v.data(), v.size() * 4, cudaMemcpyHostToDevice), "upload");
  return d;
}
static uint32_t draw() {
  static uint64_t state = 4;
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}
static std::vector<int> permutation(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  for (int i = n - 1; i > 0; --i) std::swap(v[i], v[draw() % (i + 1)]);
  return v;
}
static std::vector<int> randoms(int n, int below) {
  std::vector<int> v(n);
  for (int& x : v) x = draw() % below;
  return v;
}

int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (argc > 1 && !listing) only = argv[1];
  if (!listing) {
    level.resize(COUNT), words.resize(COUNT);
    uint64_t state = 20261204;
    for (size_t i = 0; i < COUNT; ++i) {
      uint64_t z = (state += 0x9E3779B97F4A7C15ull);
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull, z ^= z >> 31;
      words[i] = (uint32_t)z, level[i] = (z >> 40) % 7;
    }
  } else {
    printf("# The launches of cuda.cu, in their order.\n\n");
  }
  bf16* brains = upload<bf16>([](float v) { return __float2bfloat16(v); });
  float* floats = upload<float>([](float v) { return v; });
  __half* halves = upload<__half>([](float v) { return __float2half(v); });
  int8_t* bytes = upload<int8_t>([](float v) { return (int8_t)(v * 2); });
  __nv_fp8_e4m3* eighths = upload<__nv_fp8_e4m3>([](float v) { return __nv_fp8_e4m3(v); });
  float* logsums = upload<float>([](float v) { return 7.5f + 0.1f * v; });
  uint32_t* ints = nullptr;
  float *out = nullptr, *more = nullptr;
  if (!listing) {
    cuda_ok(cudaMalloc(&ints, COUNT * 4), "malloc");
    cuda_ok(cudaMemcpy(ints, words.data(), COUNT * 4, cudaMemcpyHostToDevice), "upload");
    cuda_ok(cudaMalloc(&out, COUNT * 4), "malloc");
    cuda_ok(cudaMalloc(&more, COUNT * 4), "malloc");
  }
  auto clear = [&](const char* name) {
    if (listing || !wanted(name)) return;
    cuda_ok(cudaMemset(out, 0, COUNT * 4), "clear");
    cuda_ok(cudaMemset(more, 0, COUNT * 4), "clear");
    cuda_ok(cudaDeviceSynchronize(), "clear");
  };
  const CUtensorMapDataType B16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, F16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, U8 = CU_TENSOR_MAP_DATA_TYPE_UINT8, F32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  auto bmap = [&](bf16* p, int w, int h, int bw, int bh) { return tensor("bf16", B16, 2, p, w, h, bw, bh, true); };
  auto hmap = [&](__half* p, int w, int h, int bw, int bh) { return tensor("f16", F16, 2, p, w, h, bw, bh, true); };
  auto umap = [&](void* p, int w, int h, int bw, int bh) { return tensor("u8", U8, 1, p, w, h, bw, bh, true); };
  __half* out_h = (__half*)out;
  bf16* out_b = (bf16*)out;
  uint32_t* out_u = (uint32_t*)out;
  // What memory holds where it decides addresses or branches.
  const Holds any_words{ints, "{ holds = { range = [0, 4294967296], type = \"u32\" } }"};
#define RUN(name, ...) clear(name); if (launch(name, __VA_ARGS__))

  {  // 1
    auto a = bmap(brains, 1472, 2944, 64, 128), b = bmap(brains + HALF, 1472, 4352, 64, 256), c = bmap(out_b, 4352, 2944, 64, 64);
    RUN("cooperative_256", "cooperative_256", cooperative_256, 132, 384, 4 * 49152 + 2 * 16384 + 1024, 1, false, a, b, c, 23, 17, 23)
    check<bf16>("cooperative_256", out, (size_t)2944 * 4352, 1e-2, 0.02, [&](size_t i) { return gemm(i / 4352, i % 4352, 1472, 1472); });
  }
  {  // 2
    auto a = umap(eighths, 2688, 3072, 128, 128), b = umap(eighths + HALF, 2688, 2016, 128, 56), s = tensor("f32", F32, 4, floats, 3072, 21, 128, 1, false), c = tensor("bf16", B16, 2, out_b, 2016, 3072, 112, 64, false);
    RUN("deep_scales", "deep_scales", deep_scales, 132, 384, 6 * 31744 + 2 * 14336 + 1024, 2, false, a, b, s, c, floats + HALF, 12, 18, 21, 16)
    check<bf16>("deep_scales", out, (size_t)3072 * 2016, 1e-2, 0.3, [&](size_t i) {
      size_t r = i / 2016, c = i % 2016;
      double total = 0;
      for (size_t kt = 0; kt < 21; ++kt) {
        double s = 0;
        for (size_t k = kt * 128; k < kt * 128 + 128; ++k) s += val(r * 2688 + k) * val(HALF + c * 2688 + k);
        total += s * val(kt * 3072 + r) * val(HALF + c / 128 * 21 + kt);
      }
      return total;
    });
  }
  {  // 3
    auto x = bmap(brains, 3072, 1100, 64, 128);
    RUN("int4_registers", "int4_registers", int4_registers, dim3(22, 9), 288, 6 * 20480 + 1024, 1, false, x, (const uint8_t*)ints, brains + HALF, out_b, 1100, 2816, 48)
    check<bf16>("int4_registers", out, (size_t)1100 * 2816, 1e-2, 0.3, [&](size_t i) {
      size_t t = i / 2816, n = i % 2816;
      double total = 0;
      for (size_t k = 0; k < 3072; ++k) {
        const size_t in = k % 64, kk = in / 16, pair = in % 16 / 8, quarter = in % 8 / 2, e = in % 2;
        const uint32_t w = words[(n / 128 * 48 + k / 64) * 1024 + n % 128 * 8 + quarter * 2 + kk / 2];
        total += (int(w >> (kk % 2 * 8 + pair * 4 + e * 16) & 15) - 8) * val(HALF + k / 128 * 2816 + n) * val(t * 3072 + k);
      }
      return total;
    });
  }
  {  // 4: the ticket begins as zero
    auto a = umap(bytes, 2304, 1920, 128, 128), b = umap(bytes + HALF, 2304, 3456, 128, 128);
    RUN("int8_tickets", "int8_tickets", int8_tickets, 132, 384, 6 * 32768 + 1024, 1, false, a, b, floats, floats + HALF, out_b, (uint32_t*)more, 15, 405, 3456, 18)
    check<bf16>("int8_tickets", out, (size_t)1920 * 3456, 1e-2, 0.3, [&](size_t i) { return 4 * gemm(i / 3456, i % 3456, 2304, 2304) * val(i / 3456) * val(HALF + i % 3456); });
  }
  RUN("tf32_async", "tf32_async", tf32_async, dim3(15, 17), 256, 4 * 32768 + 1024, 1, false, floats, floats + HALF, floats + 1000, out, 1920, 1440)
  check<float>("tf32_async", out, (size_t)2176 * 1920, 1e-3, 0.01, [&](size_t i) { return std::max(0.0, gemm(i / 1920, i % 1920, 1440, 1440) + val(1000 + i % 1920)); });
  {  // 6
    const size_t T = 1984, HEADS = 18, K0 = 5 << 20, V0 = 10 << 20;
    auto map = [&](bf16* p, int rows) { return tensor_3d("bf16", B16, 2, p, 128, T, HEADS, 64, rows, 1); };
    auto q = map(brains, 128), k = map(brains + K0, 128), v = map(brains + V0, 128), o = map(out_b, 64);
    RUN("flash3_causal", "flash3_causal", flash3_causal, dim3(16, 18), 384, 163840 + 1024, 1, false, q, k, v, o, 0.0883883f * 1.44269504f)
    check<bf16>("flash3_causal", out, HEADS * T * 128, 2e-2, 5e-3, [&](size_t i) {
      size_t head = i / (T * 128) * T * 128, t = i / 128 % T;
      double s = 0, total = 0;
      for (size_t n = 0; n <= t; ++n) {
        double d = 0;
        for (size_t c = 0; c < 128; ++c) d += val(head + t * 128 + c) * val(K0 + head + n * 128 + c);
        d = std::exp(d * 0.0883883);
        total += d, s += d * val(V0 + head + n * 128 + i % 128);
      }
      return s / total;
    });
  }
  {  // 7
    const std::vector<int> lengths = {1391, 707, 1190, 968};
    const size_t MOST = 1536, HEADS = 12, KV = 4, K0 = 19 << 19, V0 = 25 << 19;
    if (listing) printf("# lengths of the next one: 1391 707 1190 968\n");
    RUN("flash2_lengths", "flash2_lengths", flash2_lengths, dim3(12, 12, 4), 256, 65536, 1, false, brains, brains + K0, brains + V0, out_b, Holds{table(lengths), "{ holds = { range = [600, 1537] } }"}, 1536, 12, 3, 0.0883883f * 1.44269504f)
    check<bf16>("flash2_lengths", out, 4 * MOST * HEADS * 128, 2e-2, 5e-3, [&](size_t i) {
      size_t seq = i / (MOST * HEADS * 128), t = i / (HEADS * 128) % MOST, head = i / 128 % HEADS;
      if ((int)t >= lengths[seq]) return 0.0;
      double s = 0, total = 0;
      for (size_t n = 0; n <= t; ++n) {
        double d = 0;
        const size_t at = ((seq * MOST + n) * KV + head / 3) * 128;
        for (size_t c = 0; c < 128; ++c) d += val(i / 128 * 128 + c) * val(K0 + at + c);
        d = std::exp(d * 0.0883883);
        total += d, s += d * val(V0 + at + i % 128);
      }
      return s / total;
    });
  }
  {  // 8
    const size_t T = 1600, HEADS = 20, K0 = 1 << 21, V0 = 2 << 21, G0 = 3 << 21, D0 = 5000000;
    RUN("flash2_gradients", "flash2_gradients", flash2_gradients, dim3(13, 20), 256, 2 * 16896, 1, false, halves, halves + K0, halves + V0, halves + G0, logsums, floats + D0, out_h, (__half*)more, 1600, 0.125f) {
      auto gradient = [&](size_t i, bool of_k) {
        const size_t h = i / (T * 64), key = i / 64 % T, d = i % 64, head = h * T * 64;
        double sum = 0;
        for (size_t t = key; t < T; ++t) {
          double s = 0, dp = 0;
          for (size_t c = 0; c < 64; ++c) s += val(head + t * 64 + c) * val(K0 + head + key * 64 + c), dp += val(G0 + head + t * 64 + c) * val(V0 + head + key * 64 + c);
          const double p = std::exp(s * 0.125 - (7.5 + 0.1 * val(h * T + t)));
          sum += of_k ? 0.125 * p * (dp - val(D0 + h * T + t)) * val(head + t * 64 + d) : p * val(G0 + head + t * 64 + d);
        }
        return sum;
      };
      check<__half>("flash2_gradients", out, HEADS * T * 64, 2e-2, 1e-3, [&](size_t i) { return gradient(i, true); });
      check<__half>("flash2_gradients values", more, HEADS * T * 64, 2e-2, 1e-3, [&](size_t i) { return gradient(i, false); });
    }
  }
  {  // 9: a cache of 1920 pages, K and V each of 1920 x 8 x 16 x 128
    const size_t PAGES = 1920, V0 = PAGES * 16384 + 1111 * 128;
    std::vector<int> lengths(16);
    for (int i = 0; i < 16; ++i) lengths[i] = 932 + i * 7 % 16 * 64 - i;
    const std::vector<int> pages = permutation(PAGES);
    __half* big = nullptr;
    if (!listing && wanted("paged_parts")) {
      cuda_ok(cudaMalloc(&big, COUNT * 8), "malloc");
      for (int i = 0; i < 4; ++i) cuda_ok(cudaMemcpy(big + i * COUNT, halves, COUNT * 2, cudaMemcpyDeviceToDevice), "copy");
    }
    if (listing) {
      printf("# lengths of the next one:");
      for (int n : lengths) printf(" %d", n);
      printf("\n");
    }
    RUN("paged_parts", "paged_parts", paged_parts, dim3(3, 8, 16), 128, 65536, 1, false, halves + 77 * 128, big, big + V0, Holds{table(pages), "{ holds = { permutation = 1920 } }"}, Holds{table(lengths), "{ holds = { range = [900, 1921] } }"}, out, more, 120, 0.0883883f * 1.44269504f) {
      auto one = [&](size_t slot, int d) {  // the result, or the log-sum if d is less than zero
        const size_t part = slot % 3, g = slot / 3, head = g / 8 % 8, seq = g / 64, count = (lengths[seq] + 15) / 16, each = (count + 2) / 3;
        double s = 0, total = 0;
        for (size_t t = part * each * 16; t < std::min((part + 1) * each * 16, (size_t)lengths[seq]); ++t) {
          const size_t at = ((size_t)pages[seq * 120 + t / 16] * 8 + head) * 2048 + t % 16 * 128;
          double w = 0;
          for (size_t k = 0; k < 128; ++k) w += val(77 * 128 + g * 128 + k) * val((at + k) % COUNT);
          w = std::exp(w * 0.0883883);
          total += w, s += d < 0 ? 0 : w * val((V0 + at + d) % COUNT);
        }
        return d < 0 ? std::log2(total) : s / total;
      };
      check<float>("paged_parts", out, 16 * 64 * 3 * 128, 5e-3, 3e-3, [&](size_t i) { return one(i / 128, i % 128); });
      check<float>("paged_parts sums", more, 16 * 64 * 3, 1e-3, 3e-3, [&](size_t i) { return one(i, -1); });
    }
    if (big) cudaFree(big);
  }
  RUN("join_parts", "join_parts", join_parts, (18431 + 7) / 8, 256, 0, 1, false, (const float4*)floats, floats + HALF, out_h, 18431, 7)
  check<__half>("join_parts", out, (size_t)18431 * 128, 2e-3, 1e-3, [&](size_t i) {
    const size_t row = i / 128;
    double s = 0, total = 0;
    for (size_t k = 0; k < 7; ++k) {
      const double w = std::exp2(val(HALF + row * 7 + k));
      total += w, s += w * val((row * 7 + k) * 128 + i % 128);
    }
    return s / total;
  });
  {  // 11: 2304 tokens, two experts each; 72 blocks of 64 rows, 8 experts
    const std::vector<int> ids = permutation(4608);
    std::vector<int> experts = randoms(72, 8), block_of(4608);
    std::sort(experts.begin(), experts.end());
    for (int i = 0; i < 4608; ++i) block_of[ids[i]] = i / 64;
    RUN("expert_gather", "expert_gather", expert_gather, dim3(6, 72), 128, 0, 1, false, halves, halves + HALF, Holds{table(ids), "{ holds = { permutation = 4608 } }"}, Holds{table(experts), "{ holds = { sorted = [0, 8], count = 72 } }"}, floats, out_h, 768, 1344)
    check<__half>("expert_gather", out, (size_t)4608 * 768, 2e-3, 0.05, [&](size_t i) {
      const size_t id = i / 768, n = i % 768;
      double s = 0;
      for (size_t k = 0; k < 1344; ++k) s += val(id / 2 * 1344 + k) * val(HALF + ((size_t)experts[block_of[id]] * 768 + n) * 1344 + k);
      return s * val(id);
    });
  }
  RUN("fragments_ahead", "fragments_ahead", fragments_ahead, 15 * 11, 256, 4 * 24576, 1, false, halves, halves + HALF, out_h, 2816, 1376, 15)
  check<__half>("fragments_ahead", out, (size_t)1920 * 2816, 2e-3, 0.02, [&](size_t i) {
    double s = 0;
    for (size_t k = 0; k < 1376; ++k) s += val(i / 2816 * 1376 + k) * val(HALF + k * 2816 + i % 2816);
    return s;
  });
  RUN("requantise", "requantise", requantise, dim3(25, 9), 256, 3 * 24576, 1, false, bytes, bytes + HALF, (int8_t*)out, 3200, 1984, 0.25f)
  check<int8_t>("requantise", out, (size_t)2304 * 3200, 0, 0.51, [&](size_t i) { return std::min(127.0, std::max(-128.0, gemm(i / 3200, i % 3200, 1984, 1984))); });
  RUN("cluster_norm", "cluster_norm", cluster_norm, 2560, 256, 0, 4, false, (const uint4*)brains, (const float4*)floats, (const float4*)(floats + HALF), (uint4*)out, 1e-5f)
  check<bf16>("cluster_norm", out, (size_t)640 * 24576, 1e-2, 1e-2, [&](size_t i) {
    double s = 0, ss = 0;
    for (size_t k = i / 24576 * 24576; k < i / 24576 * 24576 + 24576; ++k) s += val(k), ss += val(k) * val(k);
    s /= 24576, ss = ss / 24576 - s * s;
    return (val(i) - s) / std::sqrt(ss + 1e-5) * val(i % 24576) + val(HALF + i % 24576);
  });
  {  // 15
    auto a = hmap(halves, 1600, 2304, 64, 64), b = hmap(halves + HALF, 1600, 2560, 64, 64);
    RUN("multicast_square", "multicast_square", multicast_square, 360, 384, 5 * 32768 + 1024, 4, false, a, b, out_h, 9, 2560, 25)
    check<__half>("multicast_square", out, (size_t)2304 * 2560, 2e-3, 0.02, [&](size_t i) {
      const double s = gemm(i / 2560, i % 2560, 1600, 1600);
      return std::max(s, s * 0.125);
    });
  }
  {  // 16
    const size_t W = 60, H = 52, C = 224;
    auto image = tensor_4d("bf16", B16, 2, brains, {C, W, H, 12}, {32, 14, 14, 1});
    RUN("depthwise_boxes", "depthwise_boxes", depthwise_boxes, dim3(56, 7, 2), 128, 0, 1, false, image, floats + HALF, out_b, 60, 52, 224, 8, 6)
    check<bf16>("depthwise_boxes", out, 12 * W * H * C, 1e-2, 0.02, [&](size_t i) {
      const int c = i % C, x = i / C % W, y = i / C / W % H, n = i / C / W / H;
      double s = 0;
      for (int v = 0; v < 7; ++v)
        for (int u = 0; u < 7; ++u) {
          const int xx = x + u - 3, yy = y + v - 3;
          if (xx >= 0 && yy >= 0 && xx < (int)W && yy < (int)H) s += val(((n * H + yy) * W + xx) * C + c) * val(HALF + (v * 7 + u) * C + c);
        }
      return s;
    });
  }
  {  // 17
    const std::vector<int> tokens = randoms(49152, 20000);
    RUN("gather_bulk", "gather_bulk", gather_bulk, 264, 160, 4 * 24576, 1, false, halves, Holds{table(tokens), "{ holds = { range = [0, 20000] } }"}, halves + HALF, out_h, 1536, 2048)
    check<__half>("gather_bulk", out, (size_t)49152 * 384, 1e-3, 1e-3, [&](size_t i) { return val((size_t)tokens[i / 384] * 384 + i % 384) + val(HALF + i / 384 % 2048 * 384 + i % 384); });
  }
  {  // 18
    auto a = bmap(brains, 8064, 1024, 64, 128), b = bmap(brains + HALF, 8064, 1024, 64, 128), c = tensor("f32", F32, 4, out, 1024, 1024, 32, 128, true);
    RUN("split_add", "split_add", split_add, dim3(8, 8, 7), 256, 5 * 32768 + 1024, 1, false, a, b, c, 18)
    check<float>("split_add", out, (size_t)1024 * 1024, 1e-3, 0.02, [&](size_t i) { return gemm(i / 1024, i % 1024, 8064, 8064); });
  }
  RUN("grid_power", "grid_power", grid_power, 264, 256, 2688 * 4, 1, true, (const float4*)floats, floats + HALF, out, out + 65536, more, 2688, 6) {
    const size_t n = 2688;
    std::vector<double> x(n), y(n);
    for (size_t i = 0; i < n; ++i) x[i] = val(HALF + i);
    for (int step = 0; step < 6; ++step) {
      double squares = 0;
      for (size_t i = 0; i < n; ++i) {
        double s = 0;
        for (size_t j = 0; j < n; ++j) s += val(i * n + j) * x[j];
        y[i] = s, squares += s * s;
      }
      for (size_t i = 0; i < n; ++i) x[i] = y[i] / std::sqrt(squares);
    }
    check<float>("grid_power", out + 65536, n, 1e-3, 1e-3, [&](size_t i) { return y[i]; });
  }
  {  // 20: the counters begin with the places of the digits; keys are any words
    const int n = 1464 * 4096;
    std::vector<int> places(257, 0), ends;
    if (!listing)
      for (int i = 0; i < n; ++i) ++places[(words[i] >> 8 & 255) + 1];
    for (int d = 0; d < 256; ++d) places[d + 1] += places[d];
    ends.assign(places.begin() + 1, places.end());
    places.pop_back();
    RUN("radix_scatter", "radix_scatter", radix_scatter, 1464, 256, 0, 1, false, any_words, out_u, Holds{table(places), "{ holds = { sorted = [0, 5996544], count = 256 } }"}, 8) {
      std::vector<uint32_t> got = download<uint32_t>(out, n), want(words.begin(), words.begin() + n);
      std::sort(want.begin(), want.end(), [](uint32_t a, uint32_t b) { return (a >> 8 & 255) != (b >> 8 & 255) ? (a >> 8 & 255) < (b >> 8 & 255) : a < b; });
      for (int d = 0; d < 256; ++d) std::sort(got.begin() + places[d], got.begin() + ends[d]);
      judge("radix_scatter", got == want);
    }
  }
  {  // 21
    const int tokens = 30011;
    float* logits = nullptr;
    std::vector<float> h;
    if (!listing && wanted("gate_top8")) {
      h.resize((size_t)tokens * 256);
      for (size_t i = 0; i < h.size(); ++i) h[i] = words[i] * 1.8626451e-9f - 4.f;
      cuda_ok(cudaMalloc(&logits, h.size() * 4), "malloc");
      cuda_ok(cudaMemcpy(logits, h.data(), h.size() * 4, cudaMemcpyHostToDevice), "upload");
    }
    RUN("gate_top8", "gate_top8", gate_top8, (tokens + 7) / 8, 256, 0, 1, false, (const float4*)logits, out, (int*)more, tokens) {
      std::vector<float> w = download<float>(out, tokens * 8);
      std::vector<int> e = download<int>(more, tokens * 8);
      bool right = true;
      for (int t = 3; t < tokens && right; t += 101) {
        std::vector<float> v(h.begin() + t * 256, h.begin() + t * 256 + 256), top = v;
        std::sort(top.begin(), top.end(), std::greater<float>());
        double total = 0;
        for (int i = 0; i < 8; ++i) total += std::exp((double)top[i] - top[0]);
        for (int i = 0; i < 8 && right; ++i) right = e[t * 8 + i] >= 0 && e[t * 8 + i] < 256 && v[e[t * 8 + i]] == top[i] && close_to(w[t * 8 + i], std::exp((double)top[i] - top[0]) / total, 1e-4, 1e-5);
      }
      judge("gate_top8", right);
    }
  }
  RUN("rms_to_e4m3", "rms_to_e4m3", rms_to_e4m3, 3000, 320, 0, 1, false, (const uint4*)brains, (const uint4*)(brains + 4096), (uint4*)out, more, 1e-6f, 3000) {
    auto normal = [&](size_t row, size_t c) {
      double s = 0;
      for (size_t k = 0; k < 5120; ++k) s += val(row * 5120 + k) * val(row * 5120 + k);
      return val(row * 5120 + c) / std::sqrt(s / 5120 + 1e-6) * val(4096 + c);
    };
    auto scale = [&](size_t row, size_t group) {
      double m = 0, s = 0;
      for (size_t c = group * 128; c < group * 128 + 128; ++c) m = std::max(m, std::fabs(val(row * 5120 + c) * val(4096 + c)));
      for (size_t k = 0; k < 5120; ++k) s += val(row * 5120 + k) * val(row * 5120 + k);
      return m / std::sqrt(s / 5120 + 1e-6) / 448;
    };
    check<float>("rms_to_e4m3 scales", more, 40 * 3000, 1e-3, 0, [&](size_t i) { return scale(i % 3000, i / 3000); });
    check<__nv_fp8_e4m3>("rms_to_e4m3", out, (size_t)3000 * 5120, 7e-2, 1e-2, [&](size_t i) { return normal(i / 5120, i % 5120) / scale(i / 5120, i % 5120 / 128); });
  }
  {  // 23
    const std::vector<int> positions = randoms(5000, 4096), slots = permutation(5000);
    std::vector<int> token_of(5000);
    for (int i = 0; i < 5000; ++i) token_of[slots[i]] = i;
    uint8_t* cache = (uint8_t*)more;
    RUN("rotate_to_cache", "rotate_to_cache", rotate_to_cache, 5000, 192, 0, 1, false, halves, floats, floats + HALF, Holds{table(positions), "{ holds = { range = [0, 4096] } }"}, Holds{table(slots), "{ holds = { permutation = 5000 } }"}, out_h, cache, cache + HALF, 0.5f) {
      auto turned_value = [&](size_t token, size_t head, size_t d) {
        const size_t at = (token * 24 + head) * 128, t = (size_t)positions[token] * 64 + d % 64;
        if (head >= 20) return val(at + d);
        const double a = val(at + d % 64), b = val(at + d % 64 + 64), c = val(t), s = val(HALF + t);
        return d < 64 ? a * c - b * s : b * c + a * s;
      };
      check<__half>("rotate_to_cache", out, (size_t)5000 * 16 * 128, 1e-3, 1e-3, [&](size_t i) { return turned_value(i / 2048, i / 128 % 16, i % 128); });
      check<__nv_fp8_e4m3>("rotate_to_cache keys", cache, (size_t)5000 * 4 * 128, 7e-2, 1e-3, [&](size_t i) { return 0.5 * turned_value(token_of[i / 512], 16 + i / 128 % 4, i % 128); });
      check<__nv_fp8_e4m3>("rotate_to_cache values", cache + HALF, (size_t)5000 * 4 * 128, 7e-2, 1e-3, [&](size_t i) { return 0.5 * turned_value(token_of[i / 512], 20 + i / 128 % 4, i % 128); });
    }
  }
  {  // 24
    const size_t V = 32064;
    const std::vector<int> labels = randoms(520, V);
    RUN("entropy_gradient", "entropy_gradient", entropy_gradient, 520, 512, 0, 1, false, (const uint4*)brains, Holds{table(labels), "{ holds = { range = [0, 32064] } }"}, more, (uint4*)out, 4008) {
      auto sum = [&](size_t row) {
        double s = 0;
        for (size_t k = 0; k < V; ++k) s += std::exp(val(row * V + k));
        return s;
      };
      check<float>("entropy_gradient loss", more, 520, 1e-4, 1e-4, [&](size_t r) { return std::log(sum(r)) - val(r * V + labels[r]); });
      check<bf16>("entropy_gradient", out, 520 * V, 1e-2, 1e-7, [&](size_t i) { return std::exp(val(i)) / sum(i / V) - (i % V == (size_t)labels[i / V]); });
    }
  }
  {  // 25: weights are a copy of `floats`, moments begin as zeros
    const size_t n = 6500000;
    clear("adamw_step");
    if (!listing && wanted("adamw_step")) cuda_ok(cudaMemcpy(out, floats, n * 4, cudaMemcpyDeviceToDevice), "copy"), cuda_ok(cudaDeviceSynchronize(), "copy");
    if (launch("adamw_step", "adamw_step", adamw_step, 1056, 256, 0, 1, false, (float4*)out, (float4*)(out + HALF), (float4*)more, (const uint2*)(brains + HALF), (uint2*)(more + HALF), 1625000, 1e-3f, 0.9f, 0.95f, 1e-8f, 0.1f, 10.f, 20.f)) {
      auto weight = [&](size_t i) {
        const double g = val(HALF + i);
        return val(i) * (1 - 1e-4) - 1e-3 * g / (std::fabs(g) + 1e-8);
      };
      check<float>("adamw_step", out, n, 1e-4, 1e-5, weight);
      check<float>("adamw_step moments", out + HALF, n, 1e-4, 1e-5, [&](size_t i) { return 0.1 * val(HALF + i); });
      check<bf16>("adamw_step copy", more + HALF, n, 1e-2, 1e-4, weight);
    }
  }
  RUN("fft_4096", "fft_4096", fft_4096, 1500, 256, 4352 * 8, 1, false, (const float2*)floats, (float2*)out)
  check<float>("fft_4096", out, (size_t)1500 * 8192, 1e-3, 0.02, [&](size_t i) {
    size_t row = i / 8192 * 8192, f = i % 8192 / 2;
    double re = 0, im = 0;
    for (size_t k = 0; k < 4096; ++k) {
      double angle = -2 * M_PI * (f * k % 4096) / 4096, x = val(row + 2 * k), y = val(row + 2 * k + 1);
      re += x * std::cos(angle) - y * std::sin(angle), im += x * std::sin(angle) + y * std::cos(angle);
    }
    return i % 2 ? im : re;
  });
  {  // 27
    const int W = 1600, H = 1200, X = 2300, Y = 1700;
    cudaTextureObject_t image = 1;
    cudaArray_t array = nullptr;
    if (!listing && wanted("resize_bicubic")) {
      cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
      cuda_ok(cudaMallocArray(&array, &format, W, H), "array");
      cuda_ok(cudaMemcpy2DToArray(array, 0, 0, words.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice), "array");
      cudaResourceDesc resource = {};
      resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
      cudaTextureDesc how = {};
      how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp, how.filterMode = cudaFilterModeLinear, how.readMode = cudaReadModeNormalizedFloat;
      cuda_ok(cudaCreateTextureObject(&image, &resource, &how, nullptr), "texture");
    }
    RUN("resize_bicubic", "resize_bicubic", resize_bicubic, dim3((X + 31) / 32, (Y + 7) / 8), dim3(32, 8), 0, 1, false, image, (uchar4*)out, X, Y, (float)W / X, (float)H / Y) {
      std::vector<uint8_t> got = download<uint8_t>(out, (size_t)X * Y * 4);
      bool right = true;
      for (size_t s = 0; s < 300 && right; ++s) {
        const size_t i = s * 2654435761ull % got.size();
        const int c = i % 4, x = i / 4 % X, y = i / 4 / X;
        const double u = (x + 0.5) * W / X - 0.5, v = (y + 0.5) * H / Y - 0.5;
        double sum = 0;
        auto spline = [](double t) { return t = std::fabs(t), t < 1 ? (4 - 6 * t * t + 3 * t * t * t) / 6 : t < 2 ? (2 - t) * (2 - t) * (2 - t) / 6 : 0.0; };
        for (int dy = -1; dy <= 2; ++dy)
          for (int dx = -1; dx <= 2; ++dx) {
            const int xx = (int)std::floor(u) + dx, yy = (int)std::floor(v) + dy;
            sum += spline(u - xx) * spline(v - yy) * (words[(size_t)std::min(H - 1, std::max(0, yy)) * W + std::min(W - 1, std::max(0, xx))] >> 8 * c & 255);
          }
        right = close_to(got[i], sum, 0, 3);
      }
      judge("resize_bicubic", right);
    }
    if (array) cudaDestroyTextureObject(image), cudaFreeArray(array);
  }
  if (listing) printf("# name,kernel,grid,block,dynamic_shared,cluster,registers,cycles,nanoseconds,instructions,dram_bytes,arguments\n%s", csv.c_str());
  else printf("%d launches, %d wrong\n", launches, wrongs);
  return wrongs != 0;
}
