"""Writes wgmma.cu: kernels that time wgmma instructions by type, shape and source of the operands.

`power,TYPE,DATA,MHz,cycles per product` lines: all SMs run two warpgroups each for 40 ms. DATA is 0 for zeros, otherwise a seed of random bits.

All other kernels run one block on one SM. A kernel issues a chain of products into one accumulator, commits, and waits. It reads the clock
before and after. Lines are `wgmma,TYPE,N,SOURCE,SWIZZLE,GROUPS,first,slope`: `first` is the time of 4 products, `slope` the time that each of
16 further products adds. `issue` lines have the clock after each of 12 consecutive products of a warp.
"""

TYPES = {
    # name: (k, constraint letter of the accumulator, columns per accumulator word of a thread, types of D.A.B, trailing arguments)
    "f16": (16, "f", 2, "f32.f16.f16", "1, 1, 0, 0"),
    "bf16": (16, "f", 2, "f32.bf16.bf16", "1, 1, 0, 0"),
    "f16_to_f16": (16, "r", 4, "f16.f16.f16", "1, 1, 0, 0"),
    "tf32": (8, "f", 2, "f32.tf32.tf32", "1, 1"),
    "e4m3": (32, "f", 2, "f32.e4m3.e4m3", "1, 1"),
    "s8": (32, "r", 2, "s32.s8.s8", ""),
    "f16_sparse": (32, "f", 2, "f32.f16.f16", "1, 1, 0, 0"),
}
SWIZZLES = {"128": (1, 1024), "64": (2, 512), "32": (3, 256), "none": (0, 256)}


def product(kind, n, source):
    k, letter, per, types, rest = TYPES[kind]
    words = n // per
    sparse = kind.endswith("sparse")
    accumulators = ", ".join(f"%{i}" for i in range(words))
    at = words
    if source == "shared":
        a, inputs = f"%{at}", '"l"(a)'
        at += 1
    else:
        a = "{" + ", ".join(f"%{at + i}" for i in range(4)) + "}"
        inputs = ", ".join(f'"r"(fragment[{i}])' for i in range(4))
        at += 4
        rest = rest.replace("1, 1, 0, 0", "1, 1, 0")
    b = f"%{at}"
    inputs += ', "l"(b)'
    meta = ""
    if sparse:
        meta = f", %{at + 1}, 0"
        inputs += ', "r"(0x44444444)'
    tail = f", p, {rest}" if rest else ", p"
    name = f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.m64n{n}k{k}.{types}"
    outputs = ", ".join(f'"+{letter}"(d[{i}])' for i in range(words))
    return (
        f'asm volatile("{{ .reg .pred p; setp.ne.b32 p, 1, 0; {name} {{{accumulators}}}, {a}, {b}{meta}{tail}; }}" : {outputs} : {inputs});',
        words,
        "float" if letter == "f" else "unsigned",
    )


def kernel(kind, n, source, swizzle, count, clocks=False):
    text, words, element = product(kind, n, source)
    mode, stride = SWIZZLES[swizzle]
    name = f"k_{kind}_{n}_{source}_{swizzle}_{'issue' if clocks else count}"
    body = "\n".join(f"    {text}" + (f" clocks[{i}] = tick();" if clocks else "") for i in range(count))
    write = (
        f"if (threadIdx.x == 0 && turn == 3) for (int i = 0; i < {count}; i++) out[i] = clocks[i] - start;"
        if clocks
        else "if (threadIdx.x % 128 == 0) out[threadIdx.x / 128] = end - start;"
    )
    return name, f"""
__global__ void {name}(unsigned* out, float* sink) {{
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned long long a = descriptor(shared, {mode}, {stride}), b = descriptor(shared + 65536, {mode}, {stride});
  {element} d[{words}] = {{}};
  unsigned fragment[4] = {{}};
  {f'unsigned clocks[{count}];' if clocks else ''}
  for (int turn = 0; turn < 4; turn++) {{
    __syncthreads();
    unsigned start = tick();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
{body}
    asm volatile("wgmma.commit_group.sync.aligned;\\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
    unsigned end = tick();
    {write}
  }}
  float sum = 0;
  for (int i = 0; i < {words}; i++) sum += d[i];
  sink[threadIdx.x] = sum + fragment[0];
}}
"""


def power(kind, n):
    text, words, element = product(kind, n, "shared")
    return f"k_power_{kind}", f"""
__global__ void k_power_{kind}(unsigned* out, float* sink, unsigned seed, int rounds) {{
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned state = seed * (threadIdx.x * 747796405u + 2891336453u);
  for (int i = threadIdx.x; i < 24576; i += blockDim.x) {{
    state = state * 1664525u + (seed ? 1013904223u : 0);
    reinterpret_cast<unsigned*>(shared)[i] = state & 0xbbffbbffu;
  }}
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned long long a = descriptor(shared, 1, 1024), b = descriptor(shared + 65536, 1, 1024), t0, t1;
  {element} d[{words}] = {{}};
  long long start = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  for (int round = 0; round < rounds; round++) {{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
{chr(10).join("    " + text for _ in range(4))}
    asm volatile("wgmma.commit_group.sync.aligned;\\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }}
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  if (blockIdx.x == 5 && threadIdx.x == 0) {{ out[0] = (clock64() - start) * 1000 / (t1 - t0); out[1] = (clock64() - start) * 100 / (8ll * rounds); }}
  float sum = 0;
  for (int i = 0; i < {words}; i++) sum += d[i];
  sink[threadIdx.x] = sum;
}}
"""


def main():
    cases = []
    for kind in TYPES:
        for n in (8, 16, 32, 64, 96, 128, 192, 256):
            for source in ("shared", "registers"):
                cases.append((kind, n, source, "128"))
    for swizzle in ("64", "32", "none"):
        for n in (64, 128, 256):
            for source in ("shared", "registers"):
                cases.append(("f16", n, source, swizzle))

    print("""// Written by wgmma.py.
#include <cstdio>
static __device__ unsigned tick() { unsigned t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
static __device__ unsigned long long descriptor(void* at, unsigned long long mode, unsigned long long stride) {
  unsigned long long address = __cvta_generic_to_shared(at);
  return (address & 0x3ffff) >> 4 | (mode ? 1ull : 8ull) << 16 | (stride >> 4) << 32 | mode << 62;
}
template <class K> static unsigned run(K kernel, int groups, unsigned* out, float* sink, unsigned* all = nullptr, int count = 0) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
  kernel<<<1, 128 * groups, 200 * 1024>>>(out, sink);
  unsigned host[16];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  if (auto e = cudaGetLastError()) { printf("error %s\\n", cudaGetErrorString(e)); return 0; }
  for (int i = 0; i < count; i++) all[i] = host[i];
  unsigned most = 0;
  for (int i = 0; i < groups; i++) most = host[i] > most ? host[i] : most;
  return most;
}""")
    mains = []
    for kind, n, source, swizzle in cases:
        few, text = kernel(kind, n, source, swizzle, 4)
        print(text)
        many, text = kernel(kind, n, source, swizzle, 20)
        print(text)
        for groups in (1, 2, 3, 4):
            # Skips kernels whose registers do not fit in the register file, with 40 registers per thread in addition to the accumulator.
            if groups * ((n // TYPES[kind][2] + 47) // 8 * 8) * 128 > 65536:
                continue
            mains.append(
                f'  {{ unsigned few = run({few}, {groups}, out, sink), many = run({many}, {groups}, out, sink); '
                f'printf("wgmma,{kind},{n},{source},{swizzle},{groups},%u,%.2f\\n", few, (many - few) / 16.0); }}'
            )
    for kind in ("f16", "e4m3", "tf32"):
        for n in (64, 128, 256):
            for source in ("shared", "registers"):
                name, text = kernel(kind, n, source, "128", 12, clocks=True)
                print(text)
                mains.append(
                    f'  {{ unsigned t[12]; run({name}, 1, out, sink, t, 12); printf("issue,{kind},{n},{source}"); '
                    f'for (int i = 0; i < 12; i++) printf(",%u", t[i]); printf("\\n"); }}'
                )
    for kind in ("f16", "bf16", "tf32", "e4m3", "s8"):
        name, text = power(kind, 256)
        print(text)
        mains.append(
            f'  for (unsigned seed : {{0u, 1u, 7u}}) {{ cudaFuncSetAttribute({name}, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024); '
            f'for (int again = 0; again < 2; again++) {name}<<<132, 256, 200 * 1024>>>(out, sink, seed, 60000); '
            f'unsigned t[2]; cudaMemcpy(t, out, 8, cudaMemcpyDeviceToHost); printf("power,{kind},%u,%u,%.2f\\n", seed, t[0], t[1] / 100.0); }}'
        )
    print("int main() {\n  unsigned* out; float* sink; cudaMalloc(&out, 4096); cudaMalloc(&sink, 4096);")
    print("\n".join(mains))
    print("}")


if __name__ == "__main__":
    main()
