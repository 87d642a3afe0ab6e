# Triton kernels, each launched exactly once, with samples of results checked by PyTorch ("wrong NAME").
# DUMP=folder: takes NAME.cubin and rows.json. PyTorch's own kernels are not part of the set: filter ncu by this file's kernel names.
import json, os
import torch, triton
import triton.language as tl

DUMP = os.environ.get("DUMP", "dump")
os.makedirs(DUMP, exist_ok=True)
rows = []


@triton.jit
def layer_norm_grad(dx, dw, db, dy, x, w, mean, rstd, M, stride, N: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, B)
    ok = cols < N
    wv = tl.load(w + cols, mask=ok, other=0.0).to(tl.float32)
    gw = tl.zeros([B], tl.float32)
    gb = tl.zeros([B], tl.float32)
    for r in range(pid, M, tl.num_programs(0)):
        xv = tl.load(x + r * stride + cols, mask=ok, other=0.0).to(tl.float32)
        g = tl.load(dy + r * stride + cols, mask=ok, other=0.0).to(tl.float32)
        rs = tl.load(rstd + r)
        xhat = tl.where(ok, (xv - tl.load(mean + r)) * rs, 0.0)
        wg = g * wv
        c1 = tl.sum(xhat * wg, axis=0) / N
        c2 = tl.sum(wg, axis=0) / N
        tl.store(dx + r * stride + cols, ((wg - (xhat * c1 + c2)) * rs).to(tl.float16), mask=ok)
        gw += g * xhat
        gb += g
    tl.atomic_add(dw + cols, gw, mask=ok)
    tl.atomic_add(db + cols, gb, mask=ok)


@triton.jit
def rms_norm(y, x, w, n, eps, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v) / n + eps)
    g = tl.load(w + c, mask=c < n, other=0.0).to(tl.float32)
    tl.store(y + row * n + c, (v * scale * g).to(tl.bfloat16), mask=c < n)


@triton.jit
def cross_entropy(loss, lse_out, logits, labels, V, B: tl.constexpr):
    row = tl.program_id(0)
    base = logits + row.to(tl.int64) * V
    m = tl.full([B], -1e30, tl.float32)
    s = tl.zeros([B], tl.float32)
    for start in tl.range(0, V, B, num_stages=3):
        c = start + tl.arange(0, B)
        v = tl.load(base + c, mask=c < V, other=-1e30).to(tl.float32)
        new = tl.maximum(m, v)
        s = s * tl.exp(m - new) + tl.exp(v - new)
        m = new
    top = tl.max(m, axis=0)
    lse = top + tl.log(tl.sum(s * tl.exp(m - top), axis=0))
    target = tl.load(base + tl.load(labels + row)).to(tl.float32)
    tl.store(loss + row, lse - target)
    tl.store(lse_out + row, lse)


@triton.jit
def bias_gelu(y, x, bias, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(1) * BM + tl.arange(0, BM)
    c = tl.program_id(0) * BN + tl.arange(0, BN)
    ok = (r < M)[:, None] & (c < N)[None, :]
    at = r[:, None] * N + c[None, :]
    v = tl.load(x + at, mask=ok).to(tl.float32) + tl.load(bias + c, mask=c < N).to(tl.float32)[None, :]
    tl.store(y + at, (0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))).to(tl.float16), mask=ok)


@triton.jit
def attention_bias(out, q, k, v, bias, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    block = tl.num_programs(0) - 1 - tl.program_id(0)  # the longest rows first
    head = tl.program_id(1)
    m = block * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = head * T * D
    qv = tl.load(q + base + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    top = tl.full([BM], -1e30, tl.float32)
    total = tl.zeros([BM], tl.float32)
    for start in range(0, (block + 1) * BM, BN):
        n = start + tl.arange(0, BN)
        kt = tl.load(k + base + n[None, :] * D + d[:, None])
        s = tl.dot(qv, kt) * scale + tl.load(bias + m[:, None] * T + n[None, :]).to(tl.float32)
        s = tl.where(m[:, None] >= n[None, :], s, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        shrink = tl.exp(top - new)
        total = total * shrink + tl.sum(p, axis=1)
        vv = tl.load(v + base + n[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.bfloat16), vv, acc * shrink[:, None])
        top = new
    tl.store(out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.bfloat16))


@triton.jit
def attention_grad_kv(dk, dv, q, k, v, do, lse, delta, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1)
    base = head * T * D
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    kv = tl.load(k + base + n[:, None] * D + d[None, :])
    vv = tl.load(v + base + n[:, None] * D + d[None, :])
    gk = tl.zeros([BN, D], tl.float32)
    gv = tl.zeros([BN, D], tl.float32)
    for start in range(0, T, BM):
        m = start + tl.arange(0, BM)
        qv = tl.load(q + base + m[:, None] * D + d[None, :])
        g = tl.load(do + base + m[:, None] * D + d[None, :])
        l = tl.load(lse + head * T + m)
        dl = tl.load(delta + head * T + m)
        pt = tl.exp(tl.dot(kv, tl.trans(qv)) * scale - l[None, :])
        gv = tl.dot(pt.to(tl.float16), g, gv)
        dst = pt * (tl.dot(vv, tl.trans(g)) - dl[None, :])
        gk = tl.dot(dst.to(tl.float16), qv, gk)
    tl.store(dv + base + n[:, None] * D + d[None, :], gv.to(tl.float16))
    tl.store(dk + base + n[:, None] * D + d[None, :], (gk * scale).to(tl.float16))


@triton.jit
def grouped_gemm(c, a, w, experts, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(1)
    expert = tl.load(experts + pm).to(tl.int64)
    rm = pm * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pw = w + expert * N * K + rn[None, :] * K + rk[:, None]
    acc = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc += tl.dot(tl.load(pa), tl.load(pw))
        pa += BK
        pw += BK
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16))


@triton.jit
def split_k_matmul(c, a, b, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    pid = tl.program_id(0)
    pz = tl.program_id(1)
    pn = pid % tl.cdiv(N, BN)
    pm = pid // tl.cdiv(N, BN)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(pz * BK, K, BK * SPLIT):
        rk = k + tl.arange(0, BK)
        acc = tl.dot(tl.load(a + rm[:, None] * sa + rk[None, :]), tl.load(b + rk[:, None] * sb + rn[None, :]), acc)
    tl.atomic_add(c + rm[:, None] * sc + rn[None, :], acc, sem="relaxed")


@triton.jit
def batched_matmul(c, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    pm, pn = tl.swizzle2d(tl.program_id(0) // nn, tl.program_id(0) % nn, nm, nn, GROUP)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(a + batch * M * K + rm[:, None] * K + (k + rk)[None, :], mask=(rm < M)[:, None] & (k + rk < K)[None, :], other=0.0)
        bv = tl.load(b + batch * K * N + (k + rk)[:, None] * N + rn[None, :], mask=(k + rk < K)[:, None] & (rn < N)[None, :], other=0.0)
        acc = tl.dot(av, bv, acc)
    tl.store(c + batch * M * N + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16), mask=(rm < M)[:, None] & (rn < N)[None, :])


@triton.jit
def fp8_descriptors(c, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    db = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    dc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m = tl.program_id(1) * BM
    n = tl.program_id(0) * BN
    acc = tl.zeros([BM, BN], tl.float32)
    for k in tl.range(0, K, BK, num_stages=4):
        acc = tl.dot(da.load([m, k]), db.load([n, k]).T, acc)
    dc.store([m, n], acc.to(tl.bfloat16))


@triton.jit
def int8_matmul(c, a, b, sa, sb, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.int32)
    for k in range(0, K, BK):
        av = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        bv = tl.load(b + rn[None, :] * K + (k + rk)[:, None])
        acc = tl.dot(av, bv, acc, out_dtype=tl.int32)
    y = acc.to(tl.float32) * tl.load(sa + rm)[:, None] * tl.load(sb + rn)[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], y.to(tl.float16))


@triton.jit
def conv_implicit(y, x, w, P, H, W, C, K, BM: tl.constexpr, BN: tl.constexpr, BC: tl.constexpr):
    # x: pixels (image, row, column) by C; w: 3 x 3 x C x K; padding 1, stride 1
    pix = tl.program_id(0) * BM + tl.arange(0, BM)
    ko = tl.program_id(1) * BN + tl.arange(0, BN)
    col = pix % W
    row = pix // W % H
    acc = tl.zeros([BM, BN], tl.float32)
    for tap in range(0, 9):
        u = tap % 3 - 1
        v = tap // 3 - 1
        ok = (pix < P) & (row + v >= 0) & (row + v < H) & (col + u >= 0) & (col + u < W)
        src = pix + v * W + u
        for c0 in range(0, C, BC):
            ch = c0 + tl.arange(0, BC)
            xv = tl.load(x + src[:, None] * C + ch[None, :], mask=ok[:, None], other=0.0)
            wv = tl.load(w + (tap * C + ch)[:, None] * K + ko[None, :])
            acc = tl.dot(xv, wv, acc)
    tl.store(y + pix[:, None] * K + ko[None, :], acc.to(tl.float16), mask=(pix < P)[:, None])


@triton.jit
def combine(a0, b0, a1, b1):
    return a0 * a1, a1 * b0 + b1


@triton.jit
def linear_recurrence(h, a, b, n, B: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, B)
    _, hv = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, combine)
    tl.store(h + at, hv)


@triton.jit
def argmax_rows(best, where, x, n, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    top = tl.full([R], -1e30, tl.float32)
    place = tl.zeros([R], tl.int32)
    for start in range(0, n, B):
        c = start + tl.arange(0, B)
        v = tl.load(x + r[:, None] * n + c[None, :], mask=(c < n)[None, :], other=-1e30).to(tl.float32)
        m, i = tl.max(v, axis=1, return_indices=True)
        better = m > top
        top = tl.where(better, m, top)
        place = tl.where(better, start + i, place)
    tl.store(best + r, top)
    tl.store(where + r, place)


@triton.jit
def gather_rows(out, table, ids, scale, D: tl.constexpr, R: tl.constexpr):
    t = tl.program_id(0) * R + tl.arange(0, R)
    d = tl.arange(0, D)
    i = tl.load(ids + t)
    v = tl.load(table + i[:, None] * D + d[None, :])
    tl.store(out + t[:, None] * D + d[None, :], (v.to(tl.float32) * scale).to(tl.float16))


@triton.jit
def transpose_tiles(out, x, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(out + n[:, None] * M + m[None, :], tl.trans(v))


@triton.jit
def rotary(out, x, cosine, sine, T, HEADS: tl.constexpr, HALF: tl.constexpr):
    tok = tl.program_id(0)
    h = tl.arange(0, HEADS)
    d = tl.arange(0, HALF)
    co = tl.load(cosine + (tok % T) * HALF + d)[None, :]
    si = tl.load(sine + (tok % T) * HALF + d)[None, :]
    at = tok * (HEADS * HALF * 2) + h[:, None] * (HALF * 2) + d[None, :]
    a = tl.load(x + at).to(tl.float32)
    b = tl.load(x + at + HALF).to(tl.float32)
    tl.store(out + at, (a * co - b * si).to(tl.bfloat16))
    tl.store(out + at + HALF, (b * co + a * si).to(tl.bfloat16))


@triton.jit
def paged_decode(out, q, kc, vc, pages, T, per_sequence, scale, HKV: tl.constexpr, G: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr, BN: tl.constexpr):
    seq = tl.program_id(0)
    kvh = tl.program_id(1)
    g = tl.arange(0, G)
    d = tl.arange(0, D)
    head = (seq * HKV + kvh) * G + g
    qv = tl.load(q + head[:, None] * D + d[None, :])
    acc = tl.zeros([G, D], tl.float32)
    top = tl.full([G], -1e30, tl.float32)
    total = tl.zeros([G], tl.float32)
    for start in range(0, T, BN):
        n = start + tl.arange(0, BN)
        page = tl.load(pages + seq * per_sequence + n // PAGE, mask=n < T, other=0)
        at = ((page * PAGE + n % PAGE) * HKV + kvh) * D
        kv = tl.load(kc + at[None, :] + d[:, None], mask=(n < T)[None, :], other=0.0)
        s = tl.where((n < T)[None, :], tl.dot(qv, kv) * scale, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2((s - new[:, None]) * 1.4426950408889634)
        shrink = tl.exp2((top - new) * 1.4426950408889634)
        total = total * shrink + tl.sum(p, axis=1)
        vv = tl.load(vc + at[:, None] + d[None, :], mask=(n < T)[:, None], other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(tl.float16), vv)
        top = new
    tl.store(out + head[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


def launch(name, kernel, grid, args, options, check):
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
    torch.manual_seed(20260117)
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device=dev, dtype=torch.int8))
    f16, b16, f32 = torch.float16, torch.bfloat16, torch.float32
    rand = lambda *s, t=f16, scale=1.0: (torch.randn(*s, device=dev) * scale).to(t)
    new = lambda *s, t=f16: torch.zeros(*s, device=dev, dtype=t)
    ints = lambda hi, *s: torch.randint(0, hi, s, device=dev, dtype=torch.int32)
    bytes_ = lambda *s: torch.randint(-90, 90, s, device=dev, dtype=torch.int8)

    M, N = 4096, 1536
    x, dy, w = rand(M, N), rand(M, N), rand(N)
    mean = x.float().mean(1)
    rstd = (x.float().var(1, unbiased=False) + 1e-5).rsqrt()
    dx, dw, db = new(M, N), new(N, t=f32), new(N, t=f32)
    def check(x=x, dy=dy, w=w, mean=mean, rstd=rstd, dx=dx, dw=dw, db=db):
        xh = (x.float() - mean[:, None]) * rstd[:, None]
        wg = dy.float() * w.float()
        yield dx, (wg - xh * (xh * wg).mean(1, True) - wg.mean(1, True)) * rstd[:, None], 1e-2
        yield dw, (dy.float() * xh).sum(0), 1e-2
        yield db, dy.float().sum(0), 1e-2
    launch("layer_norm_grad", layer_norm_grad, (264,), (dx, dw, db, dy, x, w, mean, rstd, M, N), dict(N=N, B=2048, num_warps=8), check)

    x, w = rand(4096, 5120, t=b16), rand(5120, t=b16)
    y = torch.empty_like(x)
    launch("rms_norm", rms_norm, (4096,), (y, x, w, 5120, 1e-6), dict(B=8192, num_warps=16),
           lambda y=y, x=x, w=w: [(y, x.float() * (x.float().pow(2).mean(1, True) + 1e-6).rsqrt() * w.float(), 2e-2)])

    logits, labels = rand(1500, 32000, t=b16), ints(32000, 1500)
    loss, lse = new(1500, t=f32), new(1500, t=f32)
    launch("cross_entropy", cross_entropy, (1500,), (loss, lse, logits, labels, 32000), dict(B=2048, num_warps=4),
           lambda: [(loss, torch.nn.functional.cross_entropy(logits.float(), labels.long(), reduction="none"), 1e-3)])

    x, bias = rand(6000, 3072), rand(3072)
    y1 = torch.empty_like(x)
    launch("bias_gelu", bias_gelu, (3, 750), (y1, x, bias, 6000, 3072), dict(BM=8, BN=1024, num_warps=8),
           lambda y=y1, x=x, b=bias: [(y, torch.nn.functional.gelu(x.float() + b.float()), 5e-3)])

    H, T, D = 24, 1536, 64
    q, k, v, bias = rand(H, T, D, t=b16), rand(H, T, D, t=b16), rand(H, T, D, t=b16), rand(T, T, t=b16)
    o = torch.empty_like(q)
    def check(q=q, k=k, v=v, bias=bias, o=o):
        s = q.float() @ k.float().transpose(1, 2) * 0.125 + bias.float()
        s = s.masked_fill(~torch.ones(T, T, device=dev, dtype=torch.bool).tril(), float("-inf"))
        yield o, s.softmax(-1) @ v.float(), 3e-2
    launch("attention_bias_causal", attention_bias, (T // 64, H), (o, q, k, v, bias, T, 0.125), dict(D=64, BM=64, BN=64, num_warps=4, num_stages=3), check)

    H2, T2 = 16, 1024
    q, k, v, do = rand(H2, T2, 64), rand(H2, T2, 64), rand(H2, T2, 64), rand(H2, T2, 64)
    s = q.float() @ k.float().transpose(1, 2) * 0.125
    lse2, p = torch.logsumexp(s, -1), s.softmax(-1)
    delta = ((p @ v.float()) * do.float()).sum(-1)
    dk, dv = torch.empty_like(k), torch.empty_like(v)
    def check(q=q, v=v, do=do, p=p, delta=delta, dk=dk, dv=dv):
        ds = p * (do.float() @ v.float().transpose(1, 2) - delta[..., None])
        yield dv, p.transpose(1, 2) @ do.float(), 2e-2
        yield dk, ds.transpose(1, 2) @ q.float() * 0.125, 2e-2
    launch("attention_grad_kv", attention_grad_kv, (T2 // 128, H2), (dk, dv, q, k, v, do, lse2, delta, T2, 0.125), dict(D=64, BM=64, BN=128, num_warps=8, num_stages=2), check)

    a, w, experts = rand(3072, 1024, t=b16), rand(8, 1536, 1024, t=b16), torch.sort(ints(8, 48)).values.contiguous()
    c = new(3072, 1536, t=b16)
    launch("grouped_gemm", grouped_gemm, (12, 48), (c, a, w, experts, 1536, 1024), dict(BM=64, BN=128, BK=64, num_warps=4, num_stages=3),
           lambda c=c, a=a, w=w, e=experts: [(c[i * 64:i * 64 + 64], a[i * 64:i * 64 + 64].float() @ w[int(e[i])].float().T, 2e-2) for i in (0, 17, 47)])

    a, b, c = rand(384, 8192), rand(8192, 512), new(384, 512, t=f32)
    launch("split_k_matmul", split_k_matmul, (3 * 4, 16), (c, a, b, 384, 512, 8192, 8192, 512, 512), dict(BM=128, BN=128, BK=64, SPLIT=16, num_warps=4, num_stages=3),
           lambda c=c, a=a, b=b: [(c, a.float() @ b.float(), 1e-2)])

    a, b, c = rand(40, 448, 320, t=b16), rand(40, 320, 576, t=b16), new(40, 448, 576, t=b16)
    launch("batched_matmul", batched_matmul, (7 * 9, 40), (c, a, b, 448, 576, 320), dict(BM=64, BN=64, BK=32, GROUP=4, num_warps=4, num_stages=5),
           lambda c=c, a=a, b=b: [(c, torch.bmm(a.float(), b.float()), 2e-2)])

    a, b, c = rand(1536, 3072).to(torch.float8_e4m3fn), rand(2304, 3072).to(torch.float8_e4m3fn), new(1536, 2304, t=b16)
    launch("fp8_descriptors", fp8_descriptors, (18, 12), (c, a, b, 1536, 2304, 3072), dict(BM=128, BN=128, BK=128, num_warps=8),
           lambda c=c, a=a, b=b: [(c, a.float() @ b.float().T, 5e-2)])

    a, b, c = bytes_(2048, 2048), bytes_(1280, 2048), new(2048, 1280)
    sa, sb = rand(2048, t=f32, scale=1e-3), rand(1280, t=f32, scale=1e-1)
    launch("int8_matmul", int8_matmul, (32, 10), (c, a, b, sa, sb, 2048, 1280, 2048), dict(BM=64, BN=128, BK=128, num_warps=4, num_stages=3),
           lambda c=c, a=a, b=b, sa=sa, sb=sb: [(c, (a.double() @ b.double().T).float() * sa[:, None] * sb[None, :], 5e-3)])

    im, hw, ci, co = 16, 28, 128, 256
    P = im * hw * hw
    x, w, y = rand(im, hw, hw, ci), rand(3, 3, ci, co, scale=0.1), new(P, co)
    launch("conv_implicit", conv_implicit, (triton.cdiv(P, 128), co // 128), (y, x, w, P, hw, hw, ci, co), dict(BM=128, BN=128, BC=64, num_warps=8, num_stages=3),
           lambda y=y, x=x, w=w: [(y.view(im, hw, hw, co), torch.nn.functional.conv2d(x.float().permute(0, 3, 1, 2), w.float().permute(3, 2, 0, 1), padding=1).permute(0, 2, 3, 1), 2e-2)])

    a, b, h = torch.rand(3000, 2048, device=dev), rand(3000, 2048, t=f32), new(3000, 2048, t=f32)
    def check(a=a, b=b, h=h):
        s, want = torch.zeros(3000, device=dev), []
        for i in range(200):
            s = a[:, i] * s + b[:, i]
            want.append(s)
        yield h[:, :200], torch.stack(want, 1), 1e-3
    launch("linear_recurrence", linear_recurrence, (3000,), (h, a, b, 2048), dict(B=2048, num_warps=4), check)

    x, best, where = rand(4096, 6000), new(4096, t=f32), new(4096, t=torch.int32)
    launch("argmax_rows", argmax_rows, (1024,), (best, where, x, 6000), dict(R=4, B=512, num_warps=4, num_stages=2),
           lambda x=x, best=best, where=where: [(best, x.float().max(1).values, 0), (x.float().gather(1, where.long()[:, None])[:, 0], best, 0)])

    table, ids, o2 = rand(50000, 512), ints(50000, 16384), new(16384, 512)
    launch("gather_rows", gather_rows, (2048,), (o2, table, ids, 22.627), dict(D=512, R=8, num_warps=4), lambda: [(o2, table[ids.long()].float() * 22.627, 2e-3)])

    x, y = rand(3072, 2048, t=f32), new(2048, 3072, t=f32)
    launch("transpose_tiles", transpose_tiles, (48, 64), (y, x, 3072, 2048), dict(BM=64, BN=32, num_warps=4), lambda x=x, y=y: [(y, x.T, 0)])

    angles = torch.rand(2048, 64, device=dev) * 6.28
    x, co_, si_ = rand(4096, 32, 128, t=b16), angles.cos().contiguous(), angles.sin().contiguous()
    y = torch.empty_like(x)
    def check(x=x, y=y):
        a, b = x.float()[..., :64], x.float()[..., 64:]
        c, s = co_.repeat(2, 1)[:, None, :], si_.repeat(2, 1)[:, None, :]
        yield y, torch.cat([a * c - b * s, b * c + a * s], -1), 2e-2
    launch("rotary", rotary, (4096,), (y, x, co_, si_, 2048), dict(HEADS=32, HALF=64, num_warps=8), check)

    S, HKV, G, D, T3, PAGE = 48, 4, 16, 128, 1000, 16
    per = 64
    pages = torch.randperm(S * per, device=dev).to(torch.int32).view(S, per).contiguous()
    q, kc, vc, o = rand(S, HKV * G, D), rand(S * per, PAGE, HKV, D), rand(S * per, PAGE, HKV, D), new(S, HKV * G, D)
    def check(q=q, kc=kc, vc=vc, pages=pages, o=o):
        for sq in (0, 31):
            kk = kc[pages[sq].long()].reshape(-1, HKV, D)[:T3].float().permute(1, 2, 0)
            vv = vc[pages[sq].long()].reshape(-1, HKV, D)[:T3].float().permute(1, 0, 2)
            p = (q[sq].float().view(HKV, G, D) @ kk * D ** -0.5).softmax(-1)
            yield o[sq].view(HKV, G, D), p @ vv, 1e-2
    launch("paged_decode", paged_decode, (S, HKV), (o, q, kc, vc, pages, T3, per, D ** -0.5), dict(HKV=HKV, G=G, D=D, PAGE=PAGE, BN=64, num_warps=4, num_stages=3), check)

    print("torch", torch.__version__, "triton", triton.__version__, len(rows), "launches", flush=True)


if __name__ == "__main__":
    main()
