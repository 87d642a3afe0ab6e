__global__ void copy(unsigned *out, const unsigned *in, float scale) {
  unsigned value;
  asm volatile("{\n\t"
               ".reg .pred p; // of the first lane\n\t"
               ".reg .u32 lane; mov.u32 lane, %laneid; setp.eq.u32 p, lane, 0;\n\t"
//                                            ^^^^^^^ hover: **%laneid**: Index of the thread in its warp, 0 to 31.
//   :
//   : Special register, `.u32`. Needs PTX 1.3 and sm_10 or later.
//   :
//   : ---
//   :
//   : **mov**: Copies a value, a special register, or the address of a variable, function or kernel.
//   :
//   : `mov.u32 d, a`
//   :
//   : - `d` = `lane`: written, `.u32`
//   : - **`a`** = `%laneid`: read, `.u32`
//                                                            ^^^^ hover: **setp**: Compares two values and writes the result to a predicate, and the complement to an optional second predicate after `|`. A boolean operation combines both with a third predicate, which `!` may negate.
//   :
//   : The comparisons with the suffix `u` (`equ`, `ltu`) are also true if a source is NaN; `num` and `nan` test for NaN. `lo`, `ls`, `hi` and `hs` compare unsigned integers.
//   :
//   : Pitfall: for packed types (`.f16x2`) the two predicates are the results for the low and for the high element.
//   :
//   : `setp.eq.u32 p, a, b`
//   :
//   : - `p` = `p`: written, `.pred`; may be followed by `|` and a predicate
//   : - `a` = `lane`: read, `.u32`
//   : - `b` = `0`: read, `.u32`
//   :
//   : - `.eq`: Equal.
//   : - **`.u32`**: Unsigned, 32 bits.
//   :
//   : Needs PTX 1.0 and sm_10 or later.
               "@p ld.global.ca.u32 %0, [%1 + %2];\n\t"
//               ^ hover: **p**: register, `.pred`, declared on [line 4](#L4). Written once, read once in this function.
//   :
//   : Its value comes from [line 5](#L5): `setp.eq.u32 p, lane, 0;`
//   :
//   : ---
//   :
//   : **ld**: Loads from memory into a register or into a vector in braces.
//   :
//   : `ld.global.ca.u32 d, [a]`
//   :
//   : - `d` = `%0`: written, `.u32`, in a register at least as wide
//   : - `[a]` = `[%1 + %2]`: address
//   :
//   : Executes only in threads where `p` is true.
//                             ^^^^ hover: **ld**: Loads from memory into a register or into a vector in braces. If a register is wider than the type, the value is extended. Without a state space the address is generic.
//   :
//   : `.ca`, `.cg`, `.cs`, `.lu` and `.cv` select the caching: all levels, L2 only, streaming, last use, not cached. The `L1::` and `L2::` modifiers set the eviction priority. `L2::cache_hint` takes a policy created by `createpolicy`. `L2::64B` to `L2::256B` are prefetch sizes for L2.
//   :
//   : `.weak` is the default and orders nothing. `.relaxed` and `.acquire` need a scope and synchronise with other threads. `.volatile` accesses are never removed or merged. `.mmio` performs exactly one access.
//   :
//   : `ld.global.nc` reads through the read-only path: only for memory that is not written while the kernel runs.
//   :
//   : Pitfall: the address of a vector must be a multiple of the vector's total size.
//   :
//   : `ld.global.ca.u32 d, [a]`
//   :
//   : - `d` = `%0`: written, `.u32`, in a register at least as wide
//   : - `[a]` = `[%1 + %2]`: address
//   :
//   : - `.global`: Global memory.
//   : - `.ca`: Caches at all levels.
//   : - **`.u32`**: Unsigned, 32 bits.
//   :
//   : Executes only in threads where `p` is true.
//   :
//   : Needs PTX 1.0 and sm_10 or later.
//                                  ^^ hover: **%0**: output, `value`
//   :
//   : Constraint `=r`: a 32-bit integer, in a register of `.b32`.
//   :
//   : ---
//   :
//   : **ld**: Loads from memory into a register or into a vector in braces.
//   :
//   : `ld.global.ca.u32 d, [a]`
//   :
//   : - **`d`** = `%0`: written, `.u32`, in a register at least as wide
//   : - `[a]` = `[%1 + %2]`: address
//   :
//   : Executes only in threads where `p` is true.
//                                       ^^ hover: **%1**: input, `in + threadIdx.x`
//   :
//   : Constraint `l`: a 64-bit integer or a pointer, in a register of `.b64`.
//   :
//   : ---
//   :
//   : **ld**: Loads from memory into a register or into a vector in braces.
//   :
//   : `ld.global.ca.u32 d, [a]`
//   :
//   : - `d` = `%0`: written, `.u32`, in a register at least as wide
//   : - **`[a]`** = `[%1 + %2]`: address
//   :
//   : Executes only in threads where `p` is true.
//                                            ^^ hover: **%2**: input, `4 * 2`
//   :
//   : Constraint `n`: a constant integer, written into the code.
//   :
//   : ---
//   :
//   : **ld**: Loads from memory into a register or into a vector in braces.
//   :
//   : `ld.global.ca.u32 d, [a]`
//   :
//   : - `d` = `%0`: written, `.u32`, in a register at least as wide
//   : - **`[a]`** = `[%1 + %2]`: address
//   :
//   : Executes only in threads where `p` is true.
               "}"
               : "=r"(value) : "l"(in + threadIdx.x), "n"(4 * 2));
//                    ^ hover: nothing
  out[0] = value;
}
