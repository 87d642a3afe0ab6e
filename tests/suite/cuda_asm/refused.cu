// Each function has one error that nvcc or ptxas reports, too.

__global__ void number(unsigned *out, unsigned a, unsigned b) {
  asm("add.u32 %0, %1, %3;" : "=r"(out[0]) : "r"(a), "r"(b));
//                     ^^ error[unknown-asm-operand]: `%3` is not an operand: the statement has 3 operands, `%0` to `%2`
}

__global__ void name(unsigned *out, unsigned a) {
  asm("mov.u32 %0, %[a];" : "=r"(out[0]) : [a] "r"(a));
//                 ^^^^ error[unknown-asm-operand]: nvcc refers to operands by number only: write `%1`
}

__global__ void modifier(unsigned *out, unsigned a) {
  asm("{ .reg .u32 %t1;\n\t"
//                 ^^ error[percent-escape]: nvcc reads `%t` as an operand modifier; write `%%` for the `%` of a register name
      "mov.u32 %%t1, %1; mov.u32 %0, %%t1; }"
      : "=r"(out[0]) : "r"(a));
}

__global__ void doubled() {
  asm volatile("{ .reg .u32 t; mov.u32 t, %%tid.x; }");
//                                        ^^ error[percent-escape]: the code of a statement without operands is not substituted: write `%`, because ptxas rejects `%%`
}

__global__ void single(unsigned *out, float a) {
  asm("mov.b32 %0, %1;" : "=r"(out[0]) : "r"(a));
//                                       ^^^ error[wrong-constraint]: `a` is a `float`, but `r` takes a 32-bit integer; use `f`
}

__global__ void pointer(unsigned *out, const unsigned *p) {
  asm("ld.global.u32 %0, [%1];" : "=r"(out[0]) : "r"(p));
//                                               ^^^ error[wrong-constraint]: `p` is a 64-bit pointer, but `r` takes a 32-bit integer; use `l`
}

__global__ void shared_address(unsigned *out) {
  __shared__ unsigned buffer[32];
  asm("ld.shared.u32 %0, [%1];" : "=r"(out[0]) : "r"(__cvta_generic_to_shared(buffer)));
//                                               ^^^ error[wrong-constraint]: `__cvta_generic_to_shared(buffer)` is a 64-bit integer, but `r` takes a 32-bit integer; use `l`
}

__global__ void whole(float *out, int a) {
  asm("mov.f32 %0, %1;" : "=f"(out[0]) : "f"(a));
//                                       ^^^ error[wrong-constraint]: `a` is a 32-bit integer, but `f` takes a `float`; use `r`
}

__global__ void local_variable(unsigned *out) {
  for (unsigned long long i = 0; i < 4; i++) {
    asm volatile("st.global.u32 [%0], %1;" :: "l"(out), "r"(i));
//                                                      ^^^ error[wrong-constraint]: `i` is a 64-bit integer, but `r` takes a 32-bit integer; use `l`
  }
}

__global__ void letter(unsigned *out, unsigned a) {
  asm("mov.u32 %0, %1;" : "=r"(out[0]) : "m"(a));
//                                       ^^^ error[wrong-constraint]: nvcc has no constraint `m`; it has `h`, `r`, `l`, `q` for integers of 16 to 128 bits, and `f`, `d`, `b`, `n`, `C`
}

__global__ void output(unsigned *out, unsigned a) {
  unsigned b;
  asm("mov.u32 %0, %1;" : "r"(b) : "r"(a));
//                        ^^^ error[wrong-constraint]: an output constraint starts with `=`, or with `+` if it is also read: `=r`
  out[0] = b;
}

__global__ void input(unsigned *out, unsigned a) {
  asm("mov.u32 %0, %1;" : "=r"(out[0]) : "+r"(a));
//                                       ^^^^ error[wrong-constraint]: an input constraint has no `=` or `+`; move a written operand to the outputs
}

__global__ void semicolon(unsigned *out, unsigned a) {
  asm("mov.u32 %0, %1"
//                 ^^ error[syntax-error]: expected `;`
      : "=r"(out[0]) : "r"(a));
}

__global__ void no_semicolon_between(unsigned *out, unsigned a) {
  asm("{ .reg .u32 t;\n\t"
      "mov.u32 t, %1\n\t"
//                ^^ error[syntax-error]: expected `;`
      "mov.u32 %0, t; }"
      : "=r"(out[0]) : "r"(a));
}

__global__ void kind_of_register(unsigned *out, float a) {
  asm("add.s32 %0, %1, %1;" : "=r"(out[0]) : "f"(a));
//                 ^^ error[operand-type]: `%1` is .f32, but add.s32 reads .s32 here
//                     ^^ error[operand-type]: `%1` is .f32, but add.s32 reads .s32 here
}

__global__ void width_of_register(unsigned long long *out, unsigned a) {
  asm volatile("mov.u64 %0, "
               "%1;" : "=l"(out[0]) : "r"(a));
//              ^^ error[operand-type]: `%1` is .b32, but mov.u64 reads .u64 here
}

__global__ void opcode(unsigned *out, unsigned a) {
  asm("addd.u32 %0, %1, %1;" : "=r"(out[0]) : "r"(a));
//     ^^^^ error[unknown-opcode]: `addd` is not an instruction; did you mean `add`?
}

__global__ void no_modifier(unsigned *out, unsigned a) {
  asm("add.u23 %0, %1, %1;" : "=r"(out[0]) : "r"(a));
//        ^^^^ error[unknown-modifier]: add has no modifier `.u23`; did you mean `.u32`?
}

__global__ void few(unsigned *out, unsigned a) {
  asm("add.u32 %0, %1;" : "=r"(out[0]) : "r"(a));
//     ^^^^^^^^^^^^^^^ error[operand-count]: add.u32 takes 3 operands, not 2
}

__global__ void predicate(unsigned *out, unsigned a) {
  asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @q mov.u32 %0, 1; }" : "=r"(out[0]) : "r"(a));
//                                            ^ error[undeclared-name]: `q` is not declared
}

__global__ void label(unsigned *out, unsigned a) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
               "@p bra DONE;\n"
//                     ^^^^ error[undefined-label]: no label `DONE` in this scope or an enclosing one; did you mean `DON`?
               "mov.u32 %0, 1;\n"
               "DON: }" : "+r"(out[0]) : "r"(a));
}

__global__ void twice(unsigned *out, unsigned a) {
  asm("{ .reg .u32 t; .reg .u32 t; mov.u32 %0, %1; }" : "=r"(out[0]) : "r"(a));
//                              ^ error[redeclared-name]: `t` is already declared in this scope
}

__global__ void read_only(unsigned a) {
  asm volatile("mov.u32 %%tid.x, %0;" :: "r"(a));
//                      ^^^^^^^ error[read-only-write]: `%tid` is read-only
}

__global__ void constant(unsigned *out, const unsigned *in) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(0), "l"(in), "n"(12));
//                                                    ^^ error[operand-value]: cp.async.ca.shared.global takes 4, 8 or 16 here, not 12
}
