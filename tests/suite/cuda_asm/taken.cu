// nvcc accepts all of this.

#define NAME add
#define TEXT(x) #x
#define LOAD(x, p) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p))

__device__ unsigned table[4];

#if 0
__device__ void left_out(unsigned a) { asm("nonsense.u32 %7;" :: "r"(a)); }
#endif

#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
__host__ __device__ inline unsigned long long ticks() {
  unsigned low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return (unsigned long long)high << 32 | low;
}
#endif

#ifdef __HIP_PLATFORM_AMD__
__device__ inline unsigned other_maker(unsigned x) {
  asm volatile("s_waitcnt vmcnt(0)\n v_add_u32 %0, %0, 1" : "+v"(x));
  return x;
}
#endif

inline void fence() { asm volatile("" ::: "memory"); }

template <typename T> __device__ T twice(T a) {
  T b;
  asm("add.u32 %0, %1, %1;" : "=r"(b) : "r"(a));
  return b;
}

struct Member {
  __device__ static void store(unsigned *p, unsigned v) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v)); }
};

__global__ void kernel(unsigned *out, float f, double d, short h, bool b, const unsigned *p, unsigned a) {
  __shared__ unsigned buffer[32];
  unsigned address = (unsigned)__cvta_generic_to_shared(buffer), r = 0;
  unsigned short half = 0;
  unsigned long long wide = 0;
  asm volatile("" ::: "memory");
  asm("mov.u32 %0, %tid.x;" : "=r"(r));
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  asm("{ .reg .u32 t; mov.u32 t, %tid.x; }");
  asm(TEXT(NAME) ".u32 %0, %0, 1;" : "+r"(r));
  asm(R"(
    // A comment with a { brace and a %%.
    mov.b64 %0, {%1, %2};
  )" : "=l"(wide) : "r"(a), "f"(f));
  asm("mov.b32 %0, %1;\n" : "=r"(r) : "f"(f));
  asm("add.f32 %0, %1, 1.0;" : "=r"(r) : "r"(a));
  asm("add.f64 %0, %1, 0d3FF0000000000000;" : "=d"(d) : "d"(d));
  asm("add.f16 %0, %1, %1;" : "=h"(half) : "h"(h));
  asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @!p bra L%=; mov.u32 %0, 7; L%=: }" : "+r"(r) : "r"(a));
  asm("@%1 mov.u32 %0, 3;" : "+r"(r) : "b"(b));
  asm("shl.b32 %0, %1, %2;" : "=&r"(r) : "r"(a), "n"(sizeof(int)));
  asm volatile("cp.async.ca.shared.global [%0], [%1 + %3], %2;" :: "r"(address), "l"(p), "n"(16), "n"(8 * 2));
  asm volatile("ld.global.u32 %0, [table];" : "=r"(r));
  asm volatile(".reg .pred ready;");
  asm volatile("setp.ne.u32 ready, %0, 0;" :: "r"(a));
  asm volatile("@ready st.global.u32 [%0], %1;" :: "l"(out), "r"(r));
  asm volatile("{");
  asm volatile(".reg .u32 scratch; mov.u32 scratch, %0;" :: "r"(r));
  asm volatile("}");
  LOAD(r, p);
  {
    float a = f;
    asm("mov.b32 %0, %1;" : "=r"(r) : "f"(a));
  }
  Member::store(out, twice(r) + half + (unsigned)wide + (unsigned)d);
}
