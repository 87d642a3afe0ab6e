#!/usr/bin/env python3
"""Random kernels whose addresses are known functions of the thread and the parameters.

    generate.py SEED COUNT OUT.cu OUT.csv [SM]

writes COUNT kernels and, for each, the addresses that every lane of its warp stores to, computed here from the same
expressions. `tests/expressions.rs` runs the compiled kernels (`nvcc -cubin`, `cuobjdump -sass`) and compares.
SM leaves out what that architecture does not have.
"""
import random
import struct
import sys
from fractions import Fraction

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
LANES = range(32)
# Block and lane of the warp that is run: see tests/expressions.rs.
CTAID, NTID, NCTAID, WARP = (5, 0, 0), (64, 1, 1), (9, 1, 1), 1

PARAMS = [
    ("u0", "unsigned", "u32", [0, 1, 7, 0x80000000, 0xfffffff0, 0x12345678]),
    ("u1", "unsigned", "u32", [1, 3, 32, 1000, 0xdeadbeef, 0xffffffff]),
    ("i0", "int", "s32", [0, 5, -1, -1000, 0x7fffffff, -0x80000000]),
    ("i1", "int", "s32", [1, 2, -3, 77, 65536, -0x7ffffff0]),
    ("w0", "unsigned long long", "u64", [0, 9, 1 << 40, 0xfedcba9876543210, M64]),
    ("w1", "unsigned long long", "u64", [1, 100, 0xffffffff, 1 << 63, 0x123456789abcdef]),
    ("x0", "long long", "s64", [0, -1, 12345678901, -(1 << 63), (1 << 62) + 3]),
    ("b0", "unsigned char", "u8", [0, 1, 200, 255]),
    ("b1", "signed char", "s8", [0, -1, 100, -128]),
    ("h0", "unsigned short", "u16", [0, 3, 40000, 65535]),
    ("h1", "short", "s16", [0, -2, 30000, -32768]),
    ("f0", "float", "f32", [0.5, 3.0, -7.25, 1000.0]),
    ("d0", "double", "f64", [0.25, -3.5, 123456.75, 2.0]),
]
CTYPE = {"u32": "unsigned", "s32": "int", "u64": "unsigned long long", "s64": "long long", "f32": "float", "f64": "double", "bool": "bool"}

PRELUDE = r"""
__device__ __forceinline__ void put(unsigned v) { asm volatile("st.shared.u8 [%0], %1;" :: "r"(v), "r"(0)); }
__device__ __forceinline__ unsigned shl_(unsigned a, unsigned b) { unsigned r; asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ __forceinline__ unsigned shr_(unsigned a, unsigned b) { unsigned r; asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ __forceinline__ int sar_(int a, unsigned b) { int r; asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ __forceinline__ unsigned long long shlw_(unsigned long long a, unsigned b) { unsigned long long r; asm("shl.b64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(b)); return r; }
__device__ __forceinline__ unsigned long long shrw_(unsigned long long a, unsigned b) { unsigned long long r; asm("shr.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(b)); return r; }
__device__ __forceinline__ long long sarw_(long long a, unsigned b) { long long r; asm("shr.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(b)); return r; }
__device__ __forceinline__ unsigned bfe_(unsigned a, unsigned b, unsigned c) { unsigned r; asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
__device__ __forceinline__ int bfes_(int a, unsigned b, unsigned c) { int r; asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
__device__ __forceinline__ unsigned bfi_(unsigned a, unsigned b, unsigned c, unsigned d) { unsigned r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "r"(d)); return r; }
__device__ __forceinline__ unsigned bfind_(unsigned a) { unsigned r; asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a)); return r; }
__device__ __forceinline__ unsigned bfinds_(int a) { unsigned r; asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(a)); return r; }
__device__ __forceinline__ int relu_(int a) { return a < 0 ? 0 : a; }
__device__ __forceinline__ int clamp_(int a, int lo, int hi) { return min(max(a, lo), hi); }
__device__ __forceinline__ float sat_(float a) { return __saturatef(a); }
"""


def s32(v):
    v &= M32
    return v - (1 << 32) if v >> 31 else v


def s64(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


def fit(t, v):
    return {"u32": lambda: v & M32, "s32": lambda: s32(v), "u64": lambda: v & M64, "s64": lambda: s64(v)}[t]()


def integral(v, mode):
    floor = v.numerator // v.denominator
    rest = v - floor
    if mode == "rd":
        return floor
    if mode == "ru":
        return floor + (rest != 0)
    if mode == "rz":
        return floor + (rest != 0 and floor < 0)
    half = Fraction(1, 2)
    return floor + (rest > half or rest == half and floor & 1)


def rounded(v, bits, mode="rn"):
    """A fraction to so many bits of mantissa; the exponents that occur here are those of normal numbers."""
    v = Fraction(v)
    if v == 0:
        return v
    scale = Fraction(1)
    size = abs(v)
    top = 1 << bits
    while size * scale >= top:
        scale /= 2
    while size * scale < top / 2:
        scale *= 2
    return integral(v * scale, mode) / scale


def f32(v, mode="rn"):
    return rounded(v, 24, mode)


def f64(v, mode="rn"):
    return rounded(v, 53, mode)


def clamped(v, t):
    low, high = {"u32": (0, M32), "s32": (-(1 << 31), (1 << 31) - 1), "u64": (0, M64), "s64": (-(1 << 63), (1 << 63) - 1)}[t]
    return min(max(v, low), high)


def prmt(a, b, s):
    both = (b << 32) | a
    out = 0
    for at in range(4):
        nibble = s >> (4 * at) & 0xf
        byte = both >> (8 * (nibble & 7)) & 0xff
        out |= (byte if nibble < 8 else (255 if byte >> 7 else 0)) << (8 * at)
    return out


def bfe(a, pos, length, signed):
    pos, length = pos & 255, length & 255
    sign = (a >> min(pos + length - 1, 31) & 1) if signed and length else 0
    out = 0
    for i in range(32):
        bit = (a >> (pos + i) & 1) if i < length and pos + i <= 31 else sign
        out |= bit << i
    return out


def bfi(a, b, pos, length):
    pos, length = pos & 255, length & 255
    out = b
    for i in range(length):
        if pos + i < 32:
            out = out & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
    return out


def dp4(a, b, c, signed):
    part = lambda v, i: (lambda x: x - 256 if signed and x >> 7 else x)(v >> (8 * i) & 255)
    return c + sum(part(a, i) * part(b, i) for i in range(4))


def dp2(a, b, c, signed, high):
    half = lambda v, i: (lambda x: x - 65536 if signed and x >> 15 else x)(v >> (16 * i) & 65535)
    byte = lambda v, i: (lambda x: x - 256 if signed and x >> 7 else x)(v >> (8 * i) & 255)
    return c + sum(half(a, i) * byte(b, i + 2 * high) for i in range(2))


def halves(f, *values, signed=True):
    out = 0
    for i in range(2):
        parts = [(v >> (16 * i)) & 65535 for v in values]
        if signed:
            parts = [p - 65536 if p >> 15 else p for p in parts]
        out |= (f(*parts) & 65535) << (16 * i)
    return out


def cdiv(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


class Gen:
    def __init__(self, rng, sm):
        self.rng, self.sm = rng, sm
        self.params = {name: rng.choice(values) for name, _, _, values in PARAMS}
        self.env, self.count, self.converged = [], 0, True

    # An expression is (text, [value for each lane]); values of floats are fractions.
    def leaf(self, t):
        r = self.rng
        kind = r.random()
        tid = [32 * WARP + lane for lane in LANES]
        if t in ("u32", "s32"):
            c = CTYPE[t]
            if self.env and kind < 0.35:
                options = [e for e in self.env if e[0] == t]
                if options:
                    _, name, values = r.choice(options)
                    return name, values
            if kind < 0.60:
                return f"(({c})threadIdx.x)", tid
            if kind < 0.80:
                name, _, pt, _ = r.choice([p for p in PARAMS if p[2] in ("u32", "s32", "u8", "s8", "u16", "s16")])
                return f"(({c}){name})", [fit(t, self.params[name])] * 32
            if kind < 0.86:
                text, v = r.choice([("blockIdx.x", CTAID[0]), ("blockDim.x", NTID[0]), ("gridDim.x", NCTAID[0])])
                return f"(({c}){text})", [v] * 32
            if kind < 0.90:
                return f"(({c})(threadIdx.x & 31))", list(LANES)
            v = r.choice([0, 1, 2, 3, 5, 10, 31, 32, 100, 255, 4096, 0x7fff, 0x10001, 0x12345678, M32, 0x80000000])
            return (f"{v}u" if t == "u32" else f"((int){v}u)"), [fit(t, v)] * 32
        if t in ("u64", "s64"):
            c = CTYPE[t]
            if kind < 0.35:
                name = r.choice(["w0", "w1", "x0"])
                return f"(({c}){name})", [fit(t, self.params[name])] * 32
            if kind < 0.75:
                text, values = self.expr(r.choice(["u32", "s32"]), 1)
                return f"(({c})({text}))", [fit(t, v) for v in values]
            v = r.choice([0, 1, 3, 1 << 32, 0x100000001, M64, 1 << 63, 0x123456789abcdef0])
            return (f"{v}ull" if t == "u64" else f"((long long){v}ull)"), [fit(t, v)] * 32
        if t == "f32":
            if kind < 0.3:
                return "f0", [Fraction(self.params["f0"])] * 32
            if kind < 0.8:
                text, values = self.expr("s32", 0)
                return f"((float)(({text}) & 0x3fff))", [Fraction(v & 0x3fff) for v in values]
            v = r.choice([0.5, 1.0, -2.5, 0.125, 10.0])
            return f"{v}f", [Fraction(v)] * 32
        if t == "f64":
            if kind < 0.3:
                return "d0", [Fraction(self.params["d0"])] * 32
            text, values = self.expr("s32", 0)
            return f"((double)({text}))", [Fraction(v) for v in values]
        raise ValueError(t)

    def op(self, t, depth, table):
        text, kinds, f = self.rng.choice(table)
        parts = [self.expr(k, depth - 1) for k in kinds]
        values = [f(*[p[1][lane] for p in parts]) for lane in LANES]
        out = text
        for at, part in enumerate(parts):
            out = out.replace("$" + "abcd"[at], part[0])
        fixed = [fit(t, v) if t in ("u32", "s32", "u64", "s64") else v for v in values]
        return f"({out})", fixed

    def pred(self, depth):
        r = self.rng
        if r.random() < 0.25 and depth > 0:
            a = self.pred(depth - 1)
            b = self.apart(self.pred, depth - 1)
            text, f = r.choice([("&&", lambda x, y: x and y), ("||", lambda x, y: x or y), ("!=", lambda x, y: x != y)])
            return f"(({a[0]}) {text} ({b[0]}))", [f(x, y) for x, y in zip(a[1], b[1])]
        t = r.choice(["u32", "s32", "u64", "s64", "u32", "s32", "f32", "f64"])
        a, b = self.expr(t, depth - 1), self.expr(t, depth - 1)
        text, f = r.choice([("<", lambda x, y: x < y), ("<=", lambda x, y: x <= y), ("==", lambda x, y: x == y), ("!=", lambda x, y: x != y), (">", lambda x, y: x > y), (">=", lambda x, y: x >= y)])
        return f"({a[0]} {text} {b[0]})", [f(x, y) for x, y in zip(a[1], b[1])]

    def apart(self, make, *arguments):
        """Only some lanes may come here: they exchange nothing with others."""
        before, self.converged = self.converged, False
        made = make(*arguments)
        self.converged = before
        return made

    def warp(self, depth):
        r, sm = self.rng, self.sm
        a, v = self.expr("u32", depth - 1)
        choice = r.randrange(12 if sm >= 80 else 8)
        if choice == 0:
            by = r.choice([1, 2, 4, 8, 16, 3])
            return f"__shfl_xor_sync(~0u, {a}, {by})", [v[l ^ by] for l in LANES]
        if choice == 1:
            by = r.choice([1, 5, 16])
            return f"__shfl_up_sync(~0u, {a}, {by})", [v[l - by] if l >= by else v[l] for l in LANES]
        if choice == 2:
            by, width = r.choice([(1, 32), (3, 8), (2, 16)])
            return f"__shfl_down_sync(~0u, {a}, {by}, {width})", [v[l + by] if l % width + by < width else v[l] for l in LANES]
        if choice == 3:
            i, iv = self.expr("u32", 0)
            return f"__shfl_sync(~0u, {a}, {i})", [v[iv[l] & 31] for l in LANES]
        p, pv = self.pred(depth - 1)
        if choice == 4:
            return f"__ballot_sync(~0u, {p})", [sum(1 << l for l in LANES if pv[l])] * 32
        if choice == 5:
            return f"(unsigned)__any_sync(~0u, {p})", [int(any(pv))] * 32
        if choice == 6:
            return f"(unsigned)__all_sync(~0u, {p})", [int(all(pv))] * 32
        if choice == 7:
            if sm < 70:
                return "__popc(__ballot_sync(~0u, 1))", [32] * 32
            return f"__match_any_sync(~0u, {a} & 7)", [sum(1 << m for m in LANES if (v[m] ^ v[l]) & 7 == 0) for l in LANES]
        if choice == 8:
            return f"__reduce_add_sync(~0u, {a})", [sum(v) & M32] * 32
        if choice == 9:
            name, f = r.choice([("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)])
            out = v[0]
            for x in v[1:]:
                out = f(out, x)
            return f"__reduce_{name}_sync(~0u, {a})", [out] * 32
        name, f = r.choice([("min", min), ("max", max)])
        if choice == 10:
            return f"__reduce_{name}_sync(~0u, {a})", [f(v)] * 32
        return f"(unsigned)__reduce_{name}_sync(~0u, (int){a})", [f(map(s32, v)) & M32] * 32

    def expr(self, t, depth):
        r = self.rng
        if depth <= 0 or r.random() < 0.1:
            return self.leaf(t)
        if r.random() < 0.12 and t != "bool":
            p = self.pred(depth - 1)
            a, b = self.apart(self.expr, t, depth - 1), self.apart(self.expr, t, depth - 1)
            return f"({p[0]} ? {a[0]} : {b[0]})", [x if c else y for c, x, y in zip(p[1], a[1], b[1])]
        if t == "u32":
            if self.converged and r.random() < 0.08:
                return self.warp(depth)
            return self.op(t, depth, U32 + (NEW32 if self.sm >= 75 else []))
        return self.op(t, depth, {"s32": S32, "u64": U64, "s64": S64, "f32": F32, "f64": F64}[t])

    def kernel(self, name):
        r = self.rng
        body, puts = [], [[] for _ in LANES]

        def put(text, values, wide):
            body.append(f"  put((unsigned)({text}));" if not wide else f"  {{ unsigned long long q = (unsigned long long)({text}); put((unsigned)q); put((unsigned)(q >> 32)); }}")
            for lane in LANES:
                puts[lane].append(values[lane] & M32)
                if wide:
                    puts[lane].append(values[lane] >> 32 & M32)

        for _ in range(r.randrange(1, 3)):
            t = r.choice(["u32", "s32"])
            text, values = self.expr(t, r.randrange(1, 3))
            self.count += 1
            body.append(f"  {CTYPE[t]} v{self.count} = {text};")
            self.env.append((t, f"v{self.count}", values))
        if r.random() < 0.25:
            # A loop whose length differs from lane to lane.
            text, values = self.expr("u32", 1)
            t2, add = self.apart(self.expr, "u32", 1)
            self.count += 1
            start, sv = self.leaf("u32")
            name_ = f"v{self.count}"
            body.append(f"  unsigned {name_} = {start};\n  #pragma unroll 1\n  for (unsigned i = 0, n = ({text}) & 7; i < n; i++) {name_} = {name_} * 3u + ({t2}) + i;")
            out = []
            for lane in LANES:
                v = sv[lane]
                for i in range(values[lane] & 7):
                    v = (v * 3 + add[lane] + i) & M32
                out.append(v)
            self.env.append(("u32", name_, out))
        if r.random() < 0.3:
            p, pv = self.pred(1)
            a, b = self.apart(self.expr, "u32", 2), self.apart(self.expr, "u32", 2)
            self.count += 1
            name_ = f"v{self.count}"
            body.append(f"  unsigned {name_};\n  if {p} {{ {name_} = {a[0]}; put({name_}); }} else {{ {name_} = {b[0]}; }}")
            out = [x if c else y for c, x, y in zip(pv, a[1], b[1])]
            for lane in LANES:
                if pv[lane]:
                    puts[lane].append(out[lane])
            self.env.append(("u32", name_, out))
        for _ in range(r.randrange(1, 4)):
            t = r.choice(["u32", "u32", "s32", "u64", "s64"])
            text, values = self.expr(t, r.randrange(1, 4))
            put(text, values, t in ("u64", "s64"))
        parameters = ", ".join(f"{c} {n}" for n, c, _, _ in PARAMS)
        return f'extern "C" __global__ void {name}({parameters})\n{{\n' + "\n".join(body) + "\n}\n", puts

    def words(self):
        """The parameters as they lie in the constant bank."""
        data = b""
        for name, _, t, _ in PARAMS:
            code = {"u32": "I", "s32": "i", "u64": "Q", "s64": "q", "u8": "B", "s8": "b", "u16": "H", "s16": "h", "f32": "f", "f64": "d"}[t]
            size = struct.calcsize("<" + code)
            data += b"\0" * (-len(data) % size) + struct.pack("<" + code, self.params[name])
        data += b"\0" * (-len(data) % 4)
        return struct.unpack(f"<{len(data) // 4}I", data)


def clz(v, bits):
    return bits - v.bit_length()


def rev(v, bits):
    return int(format(v, f"0{bits}b")[::-1], 2)


U32 = [
    ("$a + $b", ["u32", "u32"], lambda a, b: a + b),
    ("$a - $b", ["u32", "u32"], lambda a, b: a - b),
    ("$a * $b", ["u32", "u32"], lambda a, b: a * b),
    ("$a * $b + $c", ["u32", "u32", "u32"], lambda a, b, c: a * b + c),
    ("$a + $b + $c", ["u32", "u32", "u32"], lambda a, b, c: a + b + c),
    ("$a - $b - $c", ["u32", "u32", "u32"], lambda a, b, c: a - b - c),
    ("$a & $b", ["u32", "u32"], lambda a, b: a & b),
    ("$a | $b", ["u32", "u32"], lambda a, b: a | b),
    ("$a ^ $b", ["u32", "u32"], lambda a, b: a ^ b),
    ("~$a", ["u32"], lambda a: ~a),
    ("-$a", ["u32"], lambda a: -a),
    ("($a & $b) ^ ~$c", ["u32", "u32", "u32"], lambda a, b, c: (a & b) ^ ~c),
    ("shl_($a, $b)", ["u32", "u32"], lambda a, b: a << b if b < 32 else 0),
    ("shr_($a, $b)", ["u32", "u32"], lambda a, b: a >> b if b < 32 else 0),
    ("$a << ($b & 31)", ["u32", "u32"], lambda a, b: a << (b & 31)),
    ("$a >> ($b & 31)", ["u32", "u32"], lambda a, b: a >> (b & 31)),
    ("$a >> 3", ["u32"], lambda a: a >> 3),
    ("($a << 4) + $b", ["u32", "u32"], lambda a, b: (a << 4) + b),
    ("min($a, $b)", ["u32", "u32"], min),
    ("max($a, $b)", ["u32", "u32"], max),
    ("min($a, min($b, $c))", ["u32", "u32", "u32"], min),
    ("max($a, max($b, $c))", ["u32", "u32", "u32"], max),
    ("max($a + $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: max((a + b) & M32, c)),
    ("__umulhi($a, $b)", ["u32", "u32"], lambda a, b: a * b >> 32),
    ("__popc($a)", ["u32"], lambda a: bin(a).count("1")),
    ("__clz($a)", ["u32"], lambda a: clz(a, 32)),
    ("__ffs($a)", ["u32"], lambda a: (a & -a).bit_length()),
    ("bfind_($a)", ["u32"], lambda a: a.bit_length() - 1),
    ("__brev($a)", ["u32"], lambda a: rev(a, 32)),
    ("__byte_perm($a, $b, 0x5140)", ["u32", "u32"], lambda a, b: prmt(a, b, 0x5140)),
    ("__byte_perm($a, $b, $c & 0x7777)", ["u32", "u32", "u32"], lambda a, b, c: prmt(a, b, c & 0x7777)),
    ("__funnelshift_l($a, $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: ((b << 32 | a) << (c & 31)) >> 32),
    ("__funnelshift_r($a, $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: (b << 32 | a) >> (c & 31)),
    ("__funnelshift_lc($a, $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: ((b << 32 | a) << min(c, 32)) >> 32),
    ("__funnelshift_rc($a, $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: (b << 32 | a) >> min(c, 32)),
    ("bfe_($a, $b & 31, $c & 31)", ["u32", "u32", "u32"], lambda a, b, c: bfe(a, b & 31, c & 31, False)),
    ("bfe_($a, 5, 11)", ["u32"], lambda a: bfe(a, 5, 11, False)),
    ("bfi_($a, $b, $c & 31, 9)", ["u32", "u32", "u32"], lambda a, b, c: bfi(a, b, c & 31, 9)),
    ("bfi_($a, $b, 8, 12)", ["u32", "u32"], lambda a, b: bfi(a, b, 8, 12)),
    ("$a / 7u", ["u32"], lambda a: a // 7),
    ("$a % 48u", ["u32"], lambda a: a % 48),
    ("$a / ($b | 1)", ["u32", "u32"], lambda a, b: a // (b | 1)),
    ("$a % ($b | 1)", ["u32", "u32"], lambda a, b: a % (b | 1)),
    ("__usad($a, $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: abs(a - b) + c),
    ("(unsigned)(unsigned char)$a", ["u32"], lambda a: a & 255),
    ("(unsigned)(unsigned short)$a", ["u32"], lambda a: a & 65535),
    ("(unsigned)(signed char)$a", ["u32"], lambda a: (a & 255) - 256 if a >> 7 & 1 else a & 255),
    ("(unsigned)(short)$a", ["u32"], lambda a: (a & 65535) - 65536 if a >> 15 & 1 else a & 65535),
    ("(unsigned)$a", ["s32"], lambda a: a),
    ("(unsigned)$a", ["u64"], lambda a: a),
    ("(unsigned)($a >> 32)", ["u64"], lambda a: a >> 32),
    ("(unsigned)__popcll($a)", ["u64"], lambda a: bin(a).count("1")),
    ("(unsigned)__clzll($a)", ["u64"], lambda a: clz(a, 64)),
    ("(unsigned)__ffsll($a)", ["u64"], lambda a: (a & -a).bit_length()),
    ("__float2uint_rz($a)", ["f32"], lambda a: clamped(integral(a, "rz"), "u32")),
    ("__float2uint_rn($a)", ["f32"], lambda a: clamped(integral(a, "rn"), "u32")),
    ("__double2uint_rz($a)", ["f64"], lambda a: clamped(integral(a, "rz"), "u32")),
    ("__umul24($a, $b)", ["u32", "u32"], lambda a, b: (a & 0xffffff) * (b & 0xffffff)),
    ("__uhadd($a, $b)", ["u32", "u32"], lambda a, b: (a + b) >> 1),
    ("__vadd2($a, $b)", ["u32", "u32"], lambda a, b: halves(lambda x, y: x + y, a, b)),
    ("__vmaxs2($a, $b)", ["u32", "u32"], lambda a, b: halves(max, a, b)),
    ("__vminu2($a, $b)", ["u32", "u32"], lambda a, b: halves(min, a, b, signed=False)),
]
NEW32 = [
    ("__dp4a($a, $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: dp4(a, b, c, False)),
    ("(unsigned)__dp4a((int)$a, (int)$b, (int)$c)", ["u32", "u32", "u32"], lambda a, b, c: dp4(a, b, c, True)),
    ("__dp2a_lo($a, $b, $c)", ["u32", "u32", "u32"], lambda a, b, c: dp2(a, b, c, False, 0)),
    ("(unsigned)__dp2a_hi((int)$a, (int)$b, (int)$c)", ["u32", "u32", "u32"], lambda a, b, c: dp2(a, b, c, True, 1)),
    ("(unsigned)__vimax3_s32((int)$a, (int)$b, (int)$c)", ["u32"] * 3, lambda a, b, c: max(s32(a), s32(b), s32(c))),
    ("(unsigned)__vimin3_s32_relu((int)$a, (int)$b, (int)$c)", ["u32"] * 3, lambda a, b, c: max(min(s32(a), s32(b), s32(c)), 0)),
    ("(unsigned)__vimax_s32_relu((int)$a, (int)$b)", ["u32"] * 2, lambda a, b: max(s32(a), s32(b), 0)),
    ("(unsigned)__vimin_s32_relu((int)$a, (int)$b)", ["u32"] * 2, lambda a, b: max(min(s32(a), s32(b)), 0)),
    ("(unsigned)__viaddmax_s32((int)$a, (int)$b, (int)$c)", ["u32"] * 3, lambda a, b, c: max(s32(a + b), s32(c))),
    ("(unsigned)__viaddmin_s32_relu((int)$a, (int)$b, (int)$c)", ["u32"] * 3, lambda a, b, c: max(min(s32(a + b), s32(c)), 0)),
    ("__viaddmin_u32($a, $b, $c)", ["u32"] * 3, lambda a, b, c: min((a + b) & M32, c)),
    ("__vimax3_u32($a, $b, $c)", ["u32"] * 3, max),
    ("__vimax_s16x2_relu($a, $b)", ["u32"] * 2, lambda a, b: halves(lambda x, y: max(x, y, 0), a, b)),
    ("__vimin3_s16x2($a, $b, $c)", ["u32"] * 3, lambda a, b, c: halves(min, a, b, c)),
    ("__vimax3_u16x2($a, $b, $c)", ["u32"] * 3, lambda a, b, c: halves(max, a, b, c, signed=False)),
    ("__viaddmax_s16x2($a, $b, $c)", ["u32"] * 3, lambda a, b, c: halves(lambda x, y, z: max((lambda s: s - 65536 if s >> 15 else s)((x + y) & 65535), z), a, b, c)),
]
S32 = [
    ("(int)((unsigned)$a + (unsigned)$b)", ["s32", "s32"], lambda a, b: a + b),
    ("(int)((unsigned)$a - (unsigned)$b)", ["s32", "s32"], lambda a, b: a - b),
    ("(int)((unsigned)$a * (unsigned)$b)", ["s32", "s32"], lambda a, b: a * b),
    ("(int)((unsigned)$a * (unsigned)$b - (unsigned)$c)", ["s32", "s32", "s32"], lambda a, b, c: a * b - c),
    ("$a & $b", ["s32", "s32"], lambda a, b: a & b),
    ("sar_($a, (unsigned)$b)", ["s32", "s32"], lambda a, b: a >> min(b & M32, 31)),
    ("$a >> 5", ["s32"], lambda a: a >> 5),
    ("min($a, $b)", ["s32", "s32"], min),
    ("max($a, $b)", ["s32", "s32"], max),
    ("clamp_($a, -100, $b)", ["s32", "s32"], lambda a, b: min(max(a, -100), b)),
    ("relu_($a)", ["s32"], lambda a: max(a, 0)),
    ("relu_(max($a, $b))", ["s32", "s32"], lambda a, b: max(a, b, 0)),
    ("relu_(min($a, $b))", ["s32", "s32"], lambda a, b: max(min(a, b), 0)),
    ("min((int)((unsigned)$a + (unsigned)$b), $c)", ["s32", "s32", "s32"], lambda a, b, c: min(s32(a + b), c)),
    ("max((int)((unsigned)$a - (unsigned)$b), $c)", ["s32", "s32", "s32"], lambda a, b, c: max(s32(a - b), c)),
    ("(int)($a < 0 ? 0u - (unsigned)$a : (unsigned)$a)", ["s32"], lambda a: abs(a)),
    ("(int)(0u - (unsigned)$a)", ["s32"], lambda a: -a),
    ("__mulhi($a, $b)", ["s32", "s32"], lambda a, b: a * b >> 32),
    ("$a / 10", ["s32"], lambda a: cdiv(a, 10)),
    ("$a % 33", ["s32"], lambda a: a - 33 * cdiv(a, 33)),
    ("$a / (($b & 0xffff) | 1)", ["s32", "s32"], lambda a, b: cdiv(a, (b & 0xffff) | 1)),
    ("$a % (($b & 0xfff) | 1)", ["s32", "s32"], lambda a, b: a - ((b & 0xfff) | 1) * cdiv(a, (b & 0xfff) | 1)),
    ("bfes_($a, (unsigned)$b & 31, (unsigned)$c & 31)", ["s32", "s32", "s32"], lambda a, b, c: bfe(a & M32, b & 31, c & 31, True)),
    ("bfes_($a, 3, 7)", ["s32"], lambda a: bfe(a & M32, 3, 7, True)),
    ("(int)bfinds_($a)", ["s32"], lambda a: ((a if a >= 0 else ~a).bit_length()) - 1),
    ("(int)$a", ["u32"], lambda a: a),
    ("(int)$a", ["s64"], lambda a: a),
    ("__float2int_rz($a)", ["f32"], lambda a: clamped(integral(a, "rz"), "s32")),
    ("__float2int_rn($a)", ["f32"], lambda a: clamped(integral(a, "rn"), "s32")),
    ("__float2int_rd($a)", ["f32"], lambda a: clamped(integral(a, "rd"), "s32")),
    ("__float2int_ru($a)", ["f32"], lambda a: clamped(integral(a, "ru"), "s32")),
    ("__double2int_rz($a)", ["f64"], lambda a: clamped(integral(a, "rz"), "s32")),
    ("__double2int_rn($a)", ["f64"], lambda a: clamped(integral(a, "rn"), "s32")),
    ("__double2int_rd($a)", ["f64"], lambda a: clamped(integral(a, "rd"), "s32")),
    ("__hadd($a, $b)", ["s32", "s32"], lambda a, b: (a + b) >> 1),
    ("(int)((short)$a * (short)$b)", ["s32", "s32"], lambda a, b: (lambda x, y: x * y)(*[((v & 65535) - 65536 if v >> 15 & 1 else v & 65535) for v in (a, b)])),
]
U64 = [
    ("$a + $b", ["u64", "u64"], lambda a, b: a + b),
    ("$a - $b", ["u64", "u64"], lambda a, b: a - b),
    ("$a * $b", ["u64", "u64"], lambda a, b: a * b),
    ("(unsigned long long)$a * $b", ["u32", "u32"], lambda a, b: a * b),
    ("(unsigned long long)$a * $b + $c", ["u32", "u32", "u64"], lambda a, b, c: a * b + c),
    ("$a & $b", ["u64", "u64"], lambda a, b: a & b),
    ("$a | $b", ["u64", "u64"], lambda a, b: a | b),
    ("$a ^ ~$b", ["u64", "u64"], lambda a, b: a ^ ~b),
    ("shlw_($a, $b)", ["u64", "u32"], lambda a, b: a << b if b < 64 else 0),
    ("shrw_($a, $b)", ["u64", "u32"], lambda a, b: a >> b if b < 64 else 0),
    ("$a << 5", ["u64"], lambda a: a << 5),
    ("$a >> 7", ["u64"], lambda a: a >> 7),
    ("min($a, $b)", ["u64", "u64"], min),
    ("max($a, $b)", ["u64", "u64"], max),
    ("__umul64hi($a, $b)", ["u64", "u64"], lambda a, b: a * b >> 64),
    ("__brevll($a)", ["u64"], lambda a: rev(a, 64)),
    ("(unsigned long long)$a", ["s64"], lambda a: a),
    ("$a + (unsigned long long)$b * 16u", ["u64", "u32"], lambda a, b: a + b * 16),
    ("$a / 1000u", ["u64"], lambda a: a // 1000),
    ("$a / ($b | 1)", ["u64", "u64"], lambda a, b: a // (b | 1)),
    ("$a % ($b | 1)", ["u64", "u64"], lambda a, b: a % (b | 1)),
    ("__float2ull_rz($a)", ["f32"], lambda a: clamped(integral(a, "rz"), "u64")),
    ("__double2ull_rz($a)", ["f64"], lambda a: clamped(integral(a, "rz"), "u64")),
]
S64 = [
    ("(long long)((unsigned long long)$a + (unsigned long long)$b)", ["s64", "s64"], lambda a, b: a + b),
    ("(long long)((unsigned long long)$a - (unsigned long long)$b)", ["s64", "s64"], lambda a, b: a - b),
    ("(long long)$a * $b", ["s32", "s32"], lambda a, b: a * b),
    ("(long long)((unsigned long long)((long long)$a * $b) + (unsigned long long)$c)", ["s32", "s32", "s64"], lambda a, b, c: a * b + c),
    ("sarw_($a, $b)", ["s64", "u32"], lambda a, b: a >> min(b, 63)),
    ("$a >> 9", ["s64"], lambda a: a >> 9),
    ("min($a, $b)", ["s64", "s64"], min),
    ("max($a, $b)", ["s64", "s64"], max),
    ("(long long)($a < 0 ? 0ull - (unsigned long long)$a : (unsigned long long)$a)", ["s64"], lambda a: abs(a)),
    ("(long long)(0ull - (unsigned long long)$a)", ["s64"], lambda a: -a),
    ("__mul64hi($a, $b)", ["s64", "s64"], lambda a, b: a * b >> 64),
    ("(long long)$a", ["u64"], lambda a: a),
    ("(long long)$a", ["s32"], lambda a: a),
    ("$a / (($b & 0xffff) | 1)", ["s64", "s64"], lambda a, b: cdiv(a, (b & 0xffff) | 1)),
    ("__double2ll_rn($a)", ["f64"], lambda a: clamped(integral(a, "rn"), "s64")),
    ("__float2ll_rd($a)", ["f32"], lambda a: clamped(integral(a, "rd"), "s64")),
]


F32 = [
    ("__fadd_rn($a, $b)", ["f32", "f32"], lambda a, b: f32(a + b)),
    ("__fsub_rn($a, $b)", ["f32", "f32"], lambda a, b: f32(a - b)),
    ("__fmul_rn($a, 0.75f)", ["f32"], lambda a: f32(a * Fraction(3, 4))),
    ("__fmaf_rn($a, 1.5f, $b)", ["f32", "f32"], lambda a, b: f32(a * Fraction(3, 2) + b)),
    ("__fmaf_rz($a, 1.3125f, $b)", ["f32", "f32"], lambda a, b: f32(a * Fraction(21, 16) + b, "rz")),
    ("__fadd_ru($a, $b)", ["f32", "f32"], lambda a, b: f32(a + b, "ru")),
    ("__fmul_rd($a, 1.7f)", ["f32"], lambda a: f32(a * Fraction(struct.unpack("f", struct.pack("f", 1.7))[0]), "rd")),
    ("fminf($a, $b)", ["f32", "f32"], min),
    ("fmaxf($a, $b)", ["f32", "f32"], max),
    ("fmaxf($a, fmaxf($b, $c))", ["f32", "f32", "f32"], max),
    ("fabsf($a)", ["f32"], abs),
    ("-$a", ["f32"], lambda a: -a),
    ("floorf($a)", ["f32"], lambda a: Fraction(integral(a, "rd"))),
    ("ceilf($a)", ["f32"], lambda a: Fraction(integral(a, "ru"))),
    ("truncf($a)", ["f32"], lambda a: Fraction(integral(a, "rz"))),
    ("rintf($a)", ["f32"], lambda a: Fraction(integral(a, "rn"))),
    ("sat_(__fmaf_rn($a, 0.0078125f, 0.25f))", ["f32"], lambda a: min(max(f32(a / 128 + Fraction(1, 4)), Fraction(0)), Fraction(1))),
    ("__fmul_rn(sat_(__fmul_rn($a, 0.001f)), 5000.0f)", ["f32"], lambda a: f32(min(max(f32(a * Fraction(struct.unpack("f", struct.pack("f", 0.001))[0])), Fraction(0)), Fraction(1)) * 5000)),
    ("__int2float_rn($a)", ["s32"], lambda a: f32(a)),
    ("__uint2float_rz($a)", ["u32"], lambda a: f32(a, "rz")),
    ("__int2float_ru($a)", ["s32"], lambda a: f32(a, "ru")),
    ("__ull2float_rn($a >> 20)", ["u64"], lambda a: f32(a >> 20)),
    ("__double2float_rn($a)", ["f64"], lambda a: f32(a)),
    ("(float)(unsigned char)$a", ["u32"], lambda a: Fraction(a & 255)),
    ("(float)(short)$a", ["u32"], lambda a: Fraction((a & 65535) - 65536 if a >> 15 & 1 else a & 65535)),
]
F64 = [
    ("__dadd_rn($a, $b)", ["f64", "f64"], lambda a, b: f64(a + b)),
    ("__dmul_rn($a, 0.3125)", ["f64"], lambda a: f64(a * Fraction(5, 16))),
    ("__fma_rn($a, 1.25, $b)", ["f64", "f64"], lambda a, b: f64(a * Fraction(5, 4) + b)),
    ("__dsub_rn($a, $b)", ["f64", "f64"], lambda a, b: f64(a - b)),
    ("fmin($a, $b)", ["f64", "f64"], min),
    ("fmax($a, $b)", ["f64", "f64"], max),
    ("fabs($a)", ["f64"], abs),
    ("floor($a)", ["f64"], lambda a: Fraction(integral(a, "rd"))),
    ("(double)$a", ["f32"], lambda a: a),
    ("__uint2double_rn($a)", ["u32"], Fraction),
    ("__ll2double_rn($a)", ["s64"], lambda a: f64(a)),
    ("__ull2double_rn($a)", ["u64"], lambda a: f64(a)),
]


def main():
    seed, count, source, truth = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    sm = int(sys.argv[5]) if len(sys.argv) > 5 else 80
    with open(source, "w") as cu, open(truth, "w") as csv:
        cu.write(PRELUDE)
        for number in range(count):
            gen = Gen(random.Random(seed * 100003 + number), sm)
            name = f"k{number}"
            text, puts = gen.kernel(name)
            cu.write(text)
            csv.write(f"{name},params," + ",".join(f"{w:x}" for w in gen.words()) + "\n")
            for lane in LANES:
                csv.write(f"{name},{lane}," + ",".join(f"{a:x}" for a in puts[lane]) + "\n")


main()
