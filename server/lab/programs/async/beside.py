"""Writes beside.cu: times products of one warpgroup while the TMA unit writes shared memory or other warps read it, on one SM.

Lines are `beside,TYPE,N,SOURCE,WORK,WARPS,cycles per product,lines per cycle`. WORK is `none`, `copies` (bulk copies of 8 KiB, eight in flight),
`loads` (of 16 bytes per lane by WARPS warps) or `alone` (the same loads without products). A line has 128 bytes.
"""

from wgmma import product

CASES = [("f16", n, source) for n in (64, 128, 256) for source in ("shared", "registers") if n < 256 or source == "shared"]


def kernel(kind, n, source):
    text, words, element = product(kind, n, source)
    name = f"k_{kind}_{n}_{source}"
    products = "\n".join(f"      {text}" for _ in range(8))
    return name, f"""
__global__ void __launch_bounds__(384) {name}(unsigned* out, const char* data, float* sink, int work, int warps) {{
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ uint64_t full[8];
  __shared__ volatile unsigned done;
  if (threadIdx.x == 0) {{ done = 0; for (int i = 0; i < 8; i++) barrier_init(&full[i], 1); }}
  __syncthreads();
  if (threadIdx.x < 128) {{
    if (work == 3) {{
      unsigned start = tick();
      while (tick() - start < 30000) {{}}
      if (threadIdx.x == 0) {{ done = 1; out[0] = 0; }}
      return;
    }}
    unsigned long long a = descriptor(shared), b = descriptor(shared + 32768);
    {element} d[{words}] = {{}};
    unsigned fragment[4] = {{}};
    unsigned start = 0;
    for (int round = 0; round < 80; round++) {{
      if (round == 16) start = tick();
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
{products}
      asm volatile("wgmma.commit_group.sync.aligned;\\n wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }}
    unsigned end = tick();
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x == 0) {{ done = 1; out[0] = end - start; }}
    float sum = 0;
    for (int i = 0; i < {words}; i++) sum += d[i];
    sink[threadIdx.x] = sum + fragment[0];
  }} else if (work == 1 && threadIdx.x == 128) {{
    unsigned to = shared_address(shared + 98304), count = 0, start = tick();
    for (; !done; count++) {{
      if (count >= 8) barrier_wait(&full[count % 8], (count / 8 - 1) & 1);
      barrier_expect(&full[count % 8], 8192);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to + count % 8 * 8192), "l"(data + count % 8 * 8192), "r"(8192), "r"(shared_address(&full[count % 8])) : "memory");
    }}
    out[1] = count * 64; out[2] = tick() - start;
    for (int i = 0; i < 8; i++) barrier_wait(&full[(count + i) % 8], ((count + i) / 8 - 1) & 1);
  }} else if (work >= 2 && threadIdx.x / 32 - 4 < warps) {{
    unsigned at = shared_address(shared + 98304) + threadIdx.x % 32 * 16, count = 0, start = tick(), x, y, z, w, sum = 0;
    for (; !done; count += 32)
#pragma unroll
      for (int i = 0; i < 32; i++) {{
        asm volatile("ld.volatile.shared.v4.u32 {{%0, %1, %2, %3}}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at + i * 512));
        sum += x ^ y ^ z ^ w;
      }}
    if (threadIdx.x == 128) {{ out[1] = count * 4 * warps; out[2] = tick() - start; }}
    sink[threadIdx.x] = sum;
  }}
}}
"""


def main():
    kernels = [kernel(*case) for case in CASES]
    calls = []
    for (name, _), (kind, n, source) in zip(kernels, CASES):
        calls.append(f'  for (int work : {{0, 1, 2, 3}}) for (int warps : {{1, 2, 4, 8}}) if (work >= 2 || warps == 1) run({name}, work, warps, "{kind},{n},{source}");')
    print('#include "bench.cuh"')
    print("__device__ unsigned long long descriptor(const void* p) { return (shared_address(p) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62; }")
    print("\n".join(text for _, text in kernels))
    print("""
static unsigned* out; static char* data; static float* sink;
template <class K> void run(K kernel, int work, int warps, const char* name) {
  unsigned host[3] = {};
  for (int turn = 0; turn < 2; turn++) launch(kernel, 1, 384, 1, host, 3, out, (const char*)data, sink, work, warps);
  const char* works[] = {"none", "copies", "loads", "alone"};
  printf("beside,%s,%s,%d,%.2f,%.2f\\n", name, works[work], warps, host[0] / 512.0, host[2] ? double(host[1]) / host[2] : 0.0);
}
int main() {
  cudaMalloc(&out, 4096); cudaMalloc(&data, 1 << 20); cudaMemset(data, 0, 1 << 20); cudaMalloc(&sink, 4096);""")
    print("\n".join(calls))
    print("}")


if __name__ == "__main__":
    main()
