#define MOVE(x, y) \
  asm volatile("mov.b32 %0, %1;" : "=r"(x) : "r"(y))
//                            ^ go: defined: asm volatile("mov.b32 %0, %1;" : "=r"(x) : "r"(y))
//   : read: asm volatile("mov.b32 %0, %1;" : "=r"(x) : "r"(y))
//   : written: asm volatile("mov.b32 %0, %1;" : "=r"(x) : "r"(y))

#define LOAD(T, x, p) asm volatile("ld.global." #T " %0, [%1];" : "=r"(x) : "l"(p))
//                                                    ^ go: defined: #define LOAD(T, x, p) asm volatile("ld.global." #T " %0, [%1];" : "=r"(x) : "l"(p))
//   : read: #define LOAD(T, x, p) asm volatile("ld.global." #T " %0, [%1];" : "=r"(x) : "l"(p))
//   : written: #define LOAD(T, x, p) asm volatile("ld.global." #T " %0, [%1];" : "=r"(x) : "l"(p))
//                                                        ^ go: defined: #define LOAD(T, x, p) asm volatile("ld.global." #T " %0, [%1];" : "=r"(x) : "l"(p))
//   : read: #define LOAD(T, x, p) asm volatile("ld.global." #T " %0, [%1];" : "=r"(x) : "l"(p))
//   : written: #define LOAD(T, x, p) asm volatile("ld.global." #T " %0, [%1];" : "=r"(x) : "l"(p))

__global__ void copy(unsigned *out, const unsigned *in) {
  unsigned value;
  asm volatile("{ .reg .pred p; .reg .b32 %%t<2>;\n\t"
//                                        ^^^ go: defined: asm volatile("{ .reg .pred p; .reg .b32 %%t<2>;\n\t"
//   : written: asm volatile("{ .reg .pred p; .reg .b32 %%t<2>;\n\t"
//   : written: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//   : read: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
               "again: setp.eq.u32 p, %1, %2;\n\t"
//              ^^^^^ go: defined: "again: setp.eq.u32 p, %1, %2;\n\t"
//   : written: "again: setp.eq.u32 p, %1, %2;\n\t"
//   : named: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//                                    ^^ go: defined: : "=r"(value) : "r"( in[threadIdx.x] ), "n"(4 * 2));
//   : read: "again: setp.eq.u32 p, %1, %2;\n\t"
//   : written: : "=r"(value) : "r"( in[threadIdx.x] ), "n"(4 * 2));
//                                        ^ go: defined: : "=r"(value) : "r"( in[threadIdx.x] ), "n"(4 * 2));
//   : read: "again: setp.eq.u32 p, %1, %2;\n\t"
//   : written: : "=r"(value) : "r"( in[threadIdx.x] ), "n"(4 * 2));
               "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//               ^ go: defined: asm volatile("{ .reg .pred p; .reg .b32 %%t<2>;\n\t"
//   : written: asm volatile("{ .reg .pred p; .reg .b32 %%t<2>;\n\t"
//   : written: "again: setp.eq.u32 p, %1, %2;\n\t"
//   : read: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//                     ^ go: defined: "again: setp.eq.u32 p, %1, %2;\n\t"
//   : written: "again: setp.eq.u32 p, %1, %2;\n\t"
//   : named: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//                                      ^ go: defined: asm volatile("{ .reg .pred p; .reg .b32 %%t<2>;\n\t"
//   : written: asm volatile("{ .reg .pred p; .reg .b32 %%t<2>;\n\t"
//   : written: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//   : read: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//                                           ^ go:
//                                                       ^ go: defined: : "=r"(value) : "r"( in[threadIdx.x] ), "n"(4 * 2));
//   : written: "@p bra again;" "mov.b32 %%t1, 3; mov.b32 %0, %%t1; }"
//   : written: : "=r"(value) : "r"( in[threadIdx.x] ), "n"(4 * 2));
               : "=r"(value) : "r"( in[threadIdx.x] ), "n"(4 * 2));
//                    ^ go:
//                       ^ go:
  asm(R"(mov.b32 %0, %%laneid; mov.b32 %0, nothing;)" : "=r"(value));
//                     ^ go: read: asm(R"(mov.b32 %0, %%laneid; mov.b32 %0, nothing;)" : "=r"(value));
//                                         ^ go: named: asm(R"(mov.b32 %0, %%laneid; mov.b32 %0, nothing;)" : "=r"(value));
//       ^ go:
  asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//             ^ go: defined: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//   : written: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//   : written: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//   : written: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//                     ^ go: defined: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//   : read: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//   : written: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//                                                    ^ go: written: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
//                                                         ^ go: named: asm("mov.b32 %[x], %[y]; mov.b32 %[x], 1; mov.b32 %[z], %9;" : [x] "=r"(value) : [y] "r"(in[1]));
  asm("}{ mov.b32 %0, \x25\061; }" : "=r"(value) : "r"(value));
//                        ^ go: defined: asm("}{ mov.b32 %0, \x25\061; }" : "=r"(value) : "r"(value));
//   : read: asm("}{ mov.b32 %0, \x25\061; }" : "=r"(value) : "r"(value));
//   : written: asm("}{ mov.b32 %0, \x25\061; }" : "=r"(value) : "r"(value));
  asm("mov.b32 %0, %1; %" : "=r"(value) : "r"(value), OPERANDS);
//             ^ go: written: asm("mov.b32 %0, %1; %" : "=r"(value) : "r"(value), OPERANDS);
  out[0] = value;
//    ^ go:
}

__global__ void half_typed(unsigned *out) {
  asm volatile("{ .reg .b32 t; st.u32 [%0], t
//                                          ^ go: defined: asm volatile("{ .reg .b32 t; st.u32 [%0], t
//   : written: asm volatile("{ .reg .b32 t; st.u32 [%0], t
//   : read: asm volatile("{ .reg .b32 t; st.u32 [%0], t
//                                      ^ go: defined: : : "l"(out), "r"(3));
//   : read: asm volatile("{ .reg .b32 t; st.u32 [%0], t
//   : written: : : "l"(out), "r"(3));
               : : "l"(out), "r"(3));
