# Triton kernels, each launched exactly once, with samples of results checked by PyTorch ("wrong NAME").
# DUMP=folder: takes NAME.cubin and rows.json. PyTorch's own kernels are not part of the set: filter ncu by this file's kernel names.
import json, os
import torch, triton
import triton.language as tl

DUMP = os.environ.get("DUMP", "dump")
os.makedirs(DUMP, exist_ok=True)
rows = []


@triton.jit
def gemm_bias_gelu(c, a, b, bias, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    group = pid // (GROUP * nn)
    size = tl.minimum(nm - group * GROUP, GROUP)
    pm = group * GROUP + (pid % (GROUP * nn)) % size
    pn = (pid % (GROUP * nn)) // size
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    v = acc + tl.load(bias + rn).to(tl.float32)[None, :]
    v = v * tl.sigmoid(1.702 * v)
    tl.store(c + rm[:, None] * N + rn[None, :], v.to(tl.float16))


@triton.jit
def fp8_row_scales(c, a, b, sa, sb, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        bv = tl.load(b + rn[None, :] * K + (k + rk)[:, None])
        acc = tl.dot(av, bv, acc)
    y = acc * tl.load(sa + rm)[:, None] * tl.load(sb + rn)[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], y.to(tl.bfloat16))


@triton.jit
def int8_weights(c, a, w, scale, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(a + rm[:, None] * K + (k + rk)[None, :], mask=(rm < M)[:, None], other=0.0)
        wv = tl.load(w + (k + rk)[:, None] * N + rn[None, :])
        acc = tl.dot(av, wv.to(tl.float16), acc)
    y = acc * tl.load(scale + rn)[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], y.to(tl.float16), mask=(rm < M)[:, None])


@triton.jit
def attention_window(out, q, k, v, T, scale, WINDOW, SHARE: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m0 = tl.program_id(0) * BM
    head = tl.program_id(1)
    m = m0 + tl.arange(0, BM)
    d = tl.arange(0, D)
    mine = head * T * D
    shared = (head // SHARE) * T * D
    qv = tl.load(q + mine + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    top = tl.full([BM], -1e30, tl.float32)
    total = tl.zeros([BM], tl.float32)
    first = tl.maximum(m0 - WINDOW + 1, 0) // BN * BN
    for start in range(first, m0 + BM, BN):
        n = start + tl.arange(0, BN)
        kt = tl.load(k + shared + n[None, :] * D + d[:, None])
        s = tl.dot(qv, kt) * scale
        s = tl.where((m[:, None] >= n[None, :]) & (m[:, None] - n[None, :] < WINDOW), s, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2((s - new[:, None]) * 1.4426950408889634)
        shrink = tl.exp2((top - new) * 1.4426950408889634)
        total = total * shrink + tl.sum(p, axis=1)
        vv = tl.load(v + shared + n[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), vv, acc * shrink[:, None])
        top = new
    tl.store(out + mine + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def group_norm(y, x, w, b, eps, CHANNELS: tl.constexpr, GROUPS: tl.constexpr, HW: tl.constexpr, B: tl.constexpr):
    EACH: tl.constexpr = CHANNELS // GROUPS
    SIZE: tl.constexpr = EACH * HW
    pid = tl.program_id(0)
    base = pid * SIZE
    channel = pid % GROUPS * EACH
    s = tl.zeros([B], tl.float32)
    ss = tl.zeros([B], tl.float32)
    for start in range(0, SIZE, B):
        i = start + tl.arange(0, B)
        v = tl.load(x + base + i, mask=i < SIZE, other=0.0).to(tl.float32)
        s += v
        ss += v * v
    mean = tl.sum(s, axis=0) / SIZE
    scale = tl.rsqrt(tl.sum(ss, axis=0) / SIZE - mean * mean + eps)
    for start in range(0, SIZE, B):
        i = start + tl.arange(0, B)
        ok = i < SIZE
        v = tl.load(x + base + i, mask=ok, other=0.0).to(tl.float32)
        c = channel + i // HW
        g = tl.load(w + c, mask=ok, other=0.0)
        t = tl.load(b + c, mask=ok, other=0.0)
        tl.store(y + base + i, ((v - mean) * scale * g + t).to(tl.float16), mask=ok)


@triton.jit
def cumsum_rows(y, x, n, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    carry = tl.zeros([R], tl.float32)
    for start in range(0, n, B):
        c = start + tl.arange(0, B)
        at = r[:, None] * n + c[None, :]
        v = tl.load(x + at, mask=(c < n)[None, :], other=0.0)
        tl.store(y + at, tl.cumsum(v, axis=1) + carry[:, None], mask=(c < n)[None, :])
        carry += tl.sum(v, axis=1)


@triton.jit
def softmax_dropout(y, x, n, rate, seed, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-1e30).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    p = e / tl.sum(e, axis=0)
    keep = tl.rand(seed, row * n + c) >= rate
    tl.store(y + row * n + c, tl.where(keep, p / (1.0 - rate), 0.0), mask=c < n)


@triton.jit
def quantise_rows(q, scales, x, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v), axis=0), 1e-6) / 448.0
    tl.store(q + row * n + c, (v / scale).to(tl.float8e4nv), mask=c < n)
    tl.store(scales + row, scale)


@triton.jit
def conv1d_causal(y, x, w, bias, T, C, BT: tl.constexpr, BC: tl.constexpr):
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    base = tl.program_id(2) * T * C
    acc = tl.zeros([BT, BC], tl.float32) + tl.load(bias + c)[None, :]
    for tap in tl.static_range(4):
        at = t + (tap - 3)
        v = tl.load(x + base + at[:, None] * C + c[None, :], mask=(at >= 0)[:, None], other=0.0).to(tl.float32)
        acc += v * tl.load(w + tap * C + c)[None, :]
    tl.store(y + base + t[:, None] * C + c[None, :], (acc * tl.sigmoid(acc)).to(tl.bfloat16))


@triton.jit
def kv_append_rope(kc, vc, k, v, cosine, sine, positions, slots, HEADS: tl.constexpr, HALF: tl.constexpr):
    tok = tl.program_id(0)
    pos = tl.load(positions + tok)
    slot = tl.load(slots + tok)
    h = tl.arange(0, HEADS)[:, None]
    d = tl.arange(0, HALF)[None, :]
    co = tl.load(cosine + pos * HALF + d)
    si = tl.load(sine + pos * HALF + d)
    row: tl.constexpr = HEADS * HALF * 2
    at = h * (HALF * 2) + d
    a = tl.load(k + tok * row + at).to(tl.float32)
    b = tl.load(k + tok * row + at + HALF).to(tl.float32)
    tl.store(kc + slot * row + at, (a * co - b * si).to(tl.float16))
    tl.store(kc + slot * row + at + HALF, (b * co + a * si).to(tl.float16))
    tl.store(vc + slot * row + at, tl.load(v + tok * row + at))
    tl.store(vc + slot * row + at + HALF, tl.load(v + tok * row + at + HALF))


def launch(name, kernel, grid, args, options, check):
    if name in os.environ.get("HELD_SKIP", "").split(","): return
    try:
        compiled = kernel[grid](*args, **options)
        torch.cuda.synchronize()
    except Exception as e:
        print("failed", name, repr(e)[:400].replace("\n", " "), flush=True)
        return
    meta = compiled.metadata
    with open(f"{DUMP}/{name}.cubin", "wb") as f:
        f.write(compiled.asm["cubin"])
    shown = [{"ptr": list(a.shape), "dtype": str(a.dtype)} if isinstance(a, torch.Tensor) else a for a in args]
    rows.append({"name": name, "kernel": meta.name, "grid": list(grid), "warps": meta.num_warps, "shared": meta.shared, "args": shown})
    with open(f"{DUMP}/rows.json", "w") as f:
        json.dump(rows, f, indent=0)
    try:
        for got, want, tolerance in check():
            got, want = got.float(), want.float()
            off = ((got - want).abs() / (1 + want.abs())).max().item()
            print("right" if off <= tolerance else "wrong", name, f"{off:.3g} of {tolerance:g}", flush=True)
    except Exception as e:
        print("wrong (no check)", name, repr(e)[:300].replace("\n", " "), flush=True)


def main():
    dev = "cuda"
    torch.manual_seed(20261130)
    f16, b16, f32 = torch.float16, torch.bfloat16, torch.float32
    rand = lambda *s, t=f16, scale=1.0: (torch.randn(*s, device=dev) * scale).to(t)
    new = lambda *s, t=f16: torch.zeros(*s, device=dev, dtype=t)
    ints = lambda hi, *s: torch.randint(0, hi, s, device=dev, dtype=torch.int32)

    a, b, bias, c = rand(2048, 1024), rand(1024, 3072, scale=0.05), rand(3072), new(2048, 3072)
    def check(a=a, b=b, bias=bias, c=c):
        v = a.float() @ b.float() + bias.float()
        yield c, v * torch.sigmoid(1.702 * v), 1e-2
    launch("gemm_bias_gelu_64_256", gemm_bias_gelu, (32 * 12,), (c, a, b, bias, 2048, 3072, 1024), dict(BM=64, BN=256, BK=64, GROUP=8, num_warps=4, num_stages=3), check)

    a, b, c = rand(2048, 2048).to(torch.float8_e4m3fn), rand(1536, 2048).to(torch.float8_e4m3fn), new(2048, 1536, t=b16)
    sa, sb = torch.rand(2048, device=dev) * 0.1, torch.rand(1536, device=dev)
    launch("fp8_row_scales", fp8_row_scales, (16, 24), (c, a, b, sa, sb, 2048, 1536, 2048), dict(BM=128, BN=64, BK=128, num_warps=4, num_stages=4),
           lambda c=c, a=a, b=b, sa=sa, sb=sb: [(c, a.float() @ b.float().T * sa[:, None] * sb[None, :], 5e-2)])

    # rows that no block of 64 fills: 700
    a, w, scale, c = rand(700, 2048), torch.randint(-127, 128, (2048, 4096), device=dev, dtype=torch.int8), torch.rand(4096, device=dev) * 1e-3, new(700, 4096)
    launch("int8_weights", int8_weights, (32, 11), (c, a, w, scale, 700, 4096, 2048), dict(BM=64, BN=128, BK=64, num_warps=4, num_stages=4),
           lambda c=c, a=a, w=w, scale=scale: [(c, a.float() @ w.float() * scale[None, :], 1e-2)])

    H, T, D, W, SHARE = 24, 2048, 64, 700, 4
    q, k, v = rand(H, T, D), rand(H // SHARE, T, D), rand(H // SHARE, T, D)
    o = torch.empty_like(q)
    def check(q=q, k=k, v=v, o=o):
        kk, vv = k.float().repeat_interleave(SHARE, 0), v.float().repeat_interleave(SHARE, 0)
        s = q.float() @ kk.transpose(1, 2) * 0.125
        i = torch.arange(T, device=dev)
        gap = i[:, None] - i[None, :]
        s = s.masked_fill((gap < 0) | (gap >= W), float("-inf"))
        yield o, s.softmax(-1) @ vv, 1e-2
    launch("attention_window_64_128", attention_window, (T // 64, H), (o, q, k, v, T, 0.125, W), dict(SHARE=SHARE, D=D, BM=64, BN=128, num_warps=4, num_stages=2), check)

    x, w, b = rand(48, 512, 28, 28), rand(512, t=f32), rand(512, t=f32)
    y = torch.empty_like(x)
    launch("group_norm", group_norm, (48 * 32,), (y, x, w, b, 1e-5), dict(CHANNELS=512, GROUPS=32, HW=784, B=2048, num_warps=8),
           lambda y=y, x=x, w=w, b=b: [(y, torch.nn.functional.group_norm(x.float(), 32, w, b, 1e-5), 1e-2)])

    x = rand(4096, 3000, t=f32)
    y = torch.empty_like(x)
    launch("cumsum_rows", cumsum_rows, (1024,), (y, x, 3000), dict(R=4, B=512, num_warps=4), lambda y=y, x=x: [(y, x.double().cumsum(1), 1e-3)])

    x, y = rand(5000, 3000), new(5000, 3000, t=f32)
    def check(x=x, y=y):
        yield y, torch.where(y != 0, x.float().softmax(-1) / 0.9, torch.zeros_like(y)), 1e-4
        yield (y == 0).float().mean().view(1), torch.full([1], 0.1, device=dev), 5e-3
    launch("softmax_dropout", softmax_dropout, (5000,), (y, x, 3000, 0.1, 1234), dict(B=4096, num_warps=8), check)

    x, q, scales = rand(6000, 2560, t=b16), torch.empty(6000, 2560, device=dev, dtype=torch.float8_e4m3fn), new(6000, t=f32)
    launch("quantise_rows", quantise_rows, (6000,), (q, scales, x, 2560), dict(B=4096, num_warps=4),
           lambda q=q, scales=scales, x=x: [(q.float() * scales[:, None], x, 7e-2), (scales, x.float().abs().max(1).values / 448, 1e-6)])

    x, w, bias = rand(4, 2048, 2048, t=b16), rand(4, 2048, t=f32), rand(2048, t=f32)
    y = torch.empty_like(x)
    def check(x=x, w=w, bias=bias, y=y):
        v = torch.nn.functional.conv1d(torch.nn.functional.pad(x.float().transpose(1, 2), (3, 0)), w.T[:, None, :].contiguous(), bias, groups=2048).transpose(1, 2)
        yield y, v * torch.sigmoid(v), 2e-2
    launch("conv1d_causal", conv1d_causal, (16, 64, 4), (y, x, w, bias, 2048, 2048), dict(BT=32, BC=128, num_warps=4), check)

    # positions: { holds = { range = [0, 4096] } }, slots: { holds = { permutation = 8192 } }; make_triton.py says so in launches_triton.toml
    angles = torch.rand(4096, 64, device=dev) * 6.28
    k, v, positions, slots = rand(8192, 8, 128), rand(8192, 8, 128), ints(4096, 8192), torch.randperm(8192, device=dev).to(torch.int32)
    kc, vc, co, si = new(8192, 8, 128), new(8192, 8, 128), angles.cos().contiguous(), angles.sin().contiguous()
    def check(k=k, v=v, kc=kc, vc=vc, co=co, si=si, positions=positions, slots=slots):
        a, b = k.float()[..., :64], k.float()[..., 64:]
        c, s = co[positions.long()][:, None, :], si[positions.long()][:, None, :]
        yield kc[slots.long()], torch.cat([a * c - b * s, b * c + a * s], -1), 5e-3
        yield vc[slots.long()], v, 0
    launch("kv_append_rope", kv_append_rope, (8192,), (kc, vc, k, v, co, si, positions, slots), dict(HEADS=8, HALF=64, num_warps=4), check)

    print("torch", torch.__version__, "triton", triton.__version__, len(rows), "launches", flush=True)


if __name__ == "__main__":
    main()
