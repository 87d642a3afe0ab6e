__device__ unsigned lane_and_more(const unsigned *in, float scale) {
  unsigned value, shifted;
  asm("mo");
//     ^^ complete: `mo`: 2 of 137 items
//   : Opcode mov: Copies a value, a special register
//   : Opcode movmatrix: Transposes an 8 by 8 matrix of 16-bit…
  asm volatile("cp.async.wait_");
//                       ^^^^^ complete: `wait_`: 2 of 7 items
//   : Modifier wait_group: Waits until at most n of the latest groups…
//   : Modifier wait_all: Waits for all cp.async of the thread
  asm("mov.u32 %0, %" : "=r"(value));
//                 ^ complete: `%`: 88 of 88 items
//   : Register %0: .b32, output: value
//   : SpecialRegister %%aggr_smem_size: Bytes of shared memory per block
//   : SpecialRegister %%clock: Cycle counter of the SM, low 32 bits
//   : SpecialRegister %%clock64: Cycle counter of the SM, 64 bits
//   : SpecialRegister %%clock_hi: Cycle counter of the SM, high 32 bits
//   : SpecialRegister %%cluster_ctaid: Index of the block in its cluster
//   : SpecialRegister %%cluster_ctarank: Rank of the block in its cluster
//   : SpecialRegister %%cluster_nctaid: Blocks per cluster in each dimension
  asm("mov.u32 %0, %%laneid; mov.u32 %0, %lane;" : "=r"(value));
//                                       ^^^^^ complete: `%lane`: 6 of 88 items
//   : SpecialRegister %%laneid: Index of the thread in its warp, 0 to 31
//   : SpecialRegister %%lanemask_eq: Mask with only this lane's bit set
//   : SpecialRegister %%lanemask_ge: Mask of this lane and all higher lanes
//   : SpecialRegister %%lanemask_gt: Mask of all higher lanes
//   : SpecialRegister %%lanemask_le: Mask of this lane and all lower lanes
//   : SpecialRegister %%lanemask_lt: Mask of all lower lanes
//                 ^^^^^^^^ complete: `%%laneid`: 1 of 87 items
//   : SpecialRegister %%laneid: Index of the thread in its warp, 0 to 31
  asm("mov.u32 %0, %%clu" : "=r"(value));
//                 ^^^^^ complete: `%%clu`: 5 of 87 items
//   : SpecialRegister %%cluster_ctaid: Index of the block in its cluster
//   : SpecialRegister %%cluster_ctarank: Rank of the block in its cluster
//   : SpecialRegister %%cluster_nctaid: Blocks per cluster in each dimension
//   : SpecialRegister %%cluster_nctarank: Blocks per cluster
//   : SpecialRegister %%clusterid: Index of the cluster in the grid
  asm("mov.u32 %r1, %lane");
//                  ^^^^^ complete: `%lane`: 6 of 87 items
//   : SpecialRegister %laneid: Index of the thread in its warp, 0 to 31
//   : SpecialRegister %lanemask_eq: Mask with only this lane's bit set
//   : SpecialRegister %lanemask_ge: Mask of this lane and all higher lanes
//   : SpecialRegister %lanemask_gt: Mask of all higher lanes
//   : SpecialRegister %lanemask_le: Mask of this lane and all lower lanes
//   : SpecialRegister %lanemask_lt: Mask of all lower lanes
  asm("{ .reg .pred first; .reg .b32 %%t<2>;\n\t"
      "setp.eq.u32 first, %1, 0;\n\t"
      "@f add.u32 %0, %1, ;\t.\n}"
//      ^ complete: `f`: 1 of 1 items
//   : Register first: .pred
//                       ^ complete: ``: 94 of 94 items
//   : Register %1: .b32, input: value + 3
//   : Register %0: .b32, output: shifted
//   : Register %4: .b32, input: 4 * 2
//   : Register %%t0: .b32
//   : Register first: .pred
//   : Register %2: .b64, input: in
//   : Register %3: .f32, input: scale
//   : SpecialRegister %%aggr_smem_size: Bytes of shared memory per block
//                          ^ complete: ``: 137 of 137 items
//   : Opcode add: Adds two values
//   : Opcode setp: Compares two values and writes the result…
//   : Opcode abs: Absolute value
//   : Opcode activemask: Returns the mask of the lanes that execute…
//   : Opcode addc: Adds two values and the carry of the last…
//   : Opcode alloca: Reserves bytes on the thread's stack and…
//   : Opcode and: Bitwise and; for predicates, logical and
//   : Opcode applypriority: Resets the L2 eviction priority of the 128…
      : "=r"(shifted) : "r"(value + 3), "l"(in), "f"(scale), "n"(4 * 2));
  asm(R"(
    mul.
//     ^ complete: ``: 16 of 16 items
//   : Modifier hi: The high half of the product
//   : Modifier lo: The low half of the product
//   : Modifier wide: The full product, twice as wide
//   : Modifier rn: Rounds to nearest, ties to even
//   : Modifier rz: Rounds towards zero
//   : Modifier rm: Rounds towards minus infinity
//   : Modifier rp: Rounds towards plus infinity
//   : Modifier ftz: Subnormal inputs and results become zero…
    fma.rn.f32 %0, %1, %1, 
//                        ^ complete: ``: 89 of 89 items
//   : Register %1: .f32, input: scale
//   : Register %0: .f32, output: scale
//   : SpecialRegister %%aggr_smem_size: Bytes of shared memory per block
//   : SpecialRegister %%clock: Cycle counter of the SM, low 32 bits
//   : SpecialRegister %%clock64: Cycle counter of the SM, 64 bits
//   : SpecialRegister %%clock_hi: Cycle counter of the SM, high 32 bits
//   : SpecialRegister %%cluster_ctaid: Index of the block in its cluster
//   : SpecialRegister %%cluster_ctarank: Rank of the block in its cluster
  )" : "=f"(scale) : "f"(scale));
  // A word over two strings is left alone.
  asm("mo" "v.u32 %0, 1;" : "=r"(value));
//     ^^ complete: nothing
  asm("mov.u32 %0, 1; // mo" : "=r"(value));
//                         ^ complete: nothing
  asm("mov.u32 %0, 1;" : "=r"(value) : "r"(va));
//                         ^ complete: nothing
//                                           ^^ complete: nothing
  asm("\x6d");
//       ^ complete: nothing
  printf("mo");
//        ^^ complete: nothing
  // asm("mo
//        ^^ complete: nothing
  return value.
//            ^ complete: nothing
}

// What a macro writes is left out.
#define LOAD(T, x, p) asm volatile("ld.global.u" #T " %0, [%" : "=r"(x) : "l"(p))
//                                                        ^ complete: `%`: 2 of 2 items
//   : Register %1: .b64, input: p
//   : Register %0: .b32, output: x

struct Barrier {
  __device__ void wait() { asm volatile("bar"); }
//                                       ^^^ complete: `bar`: 2 of 137 items
//   : Opcode bar: One of the 16 barriers of the block
//   : Opcode barrier: One of the 16 barriers of the block
};

void host() {
  asm("mo");
//     ^^ complete: nothing
  asm("movl %0, %" : "=r"(x));
//              ^ complete: nothing
}

asm("mo");
//   ^^ complete: nothing

__global__ void half_typed(unsigned *out) {
  asm volatile("st.global.u32 [%0], %
//                                  ^ complete: `%`: 89 of 89 items
//   : Register %1: .b32, input: 3
//   : Register %0: .b64, input: out
//   : SpecialRegister %%aggr_smem_size: Bytes of shared memory per block
//   : SpecialRegister %%clock: Cycle counter of the SM, low 32 bits
//   : SpecialRegister %%clock64: Cycle counter of the SM, 64 bits
//   : SpecialRegister %%clock_hi: Cycle counter of the SM, high 32 bits
//   : SpecialRegister %%cluster_ctaid: Index of the block in its cluster
//   : SpecialRegister %%cluster_ctarank: Rank of the block in its cluster
               : : "l"(out), "r"(3));
