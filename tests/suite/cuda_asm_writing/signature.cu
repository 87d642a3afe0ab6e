__global__ void copy(unsigned *out) {
  asm volatile("{ .reg .b32 t;\n"
               "add.u32 t, 1, 2;\n"
//                         ^ signature: add.u32 d, a, b, at `a`
               "st.global.u32 [%0], t; }" :: "l"(out));
//                ^ signature: nothing
//                              ^ signature: st.global.u32 [a], b, at `[a]`
//                                           ^ signature: nothing
  printf("add.u32 t, ", 1);
//                  ^ signature: nothing
  asm("mad.lo.u32 %0, %1,
//                       ^ signature: mad.lo.u32 d, a, b, c, at `b`
