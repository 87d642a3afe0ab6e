# Triton kernels, a fifth set. Samples of results are checked by PyTorch ("right NAME" or "wrong NAME").
# python3 triton.py NAME runs only that one. SKIP: names to leave out, between commas. REPEAT: how often each launch is made (1). CHECK=0: no checks.
# DUMP=folder: takes NAME.cubin and rows.json ("holds" of an argument there says what memory holds where it decides addresses or branches).
# PyTorch's own kernels are not part of the set: filter ncu by this file's kernel names.
import json, os, sys

# this file is called triton.py: import the real package
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]
import torch, triton
import triton.language as tl

DUMP = os.environ.get("DUMP")
ONLY = sys.argv[1] if len(sys.argv) > 1 else None
REPEAT = int(os.environ.get("REPEAT", "1"))
CHECK = os.environ.get("CHECK", "1") != "0"
rows = []


@triton.jit
def residual_boxes(c_ptr, a_ptr, b_ptr, residual, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    tile = tl.program_id(0)
    group = tile // (GROUP * nm)
    size = tl.minimum(nn - group * GROUP, GROUP)
    n0 = (group * GROUP + (tile % (GROUP * nm)) % size) * BN
    m0 = (tile % (GROUP * nm)) // size * BM
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m0, k]), b.load([k, n0]), acc)
    rm = m0 + tl.arange(0, BM)
    rn = n0 + tl.arange(0, BN)
    at = rm[:, None] * N + rn[None, :]
    ok = (rm < M)[:, None] & (rn < N)[None, :]
    acc += tl.load(residual + at, mask=ok, other=0.0).to(tl.float32)
    tl.store(c_ptr + at, acc.to(tl.bfloat16), mask=ok)


@triton.jit
def rows_to_e4m3(c, scales, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rn[None, :] * K + rk[:, None]
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(pa, mask=(rk < K - k)[None, :], other=0.0)
        bv = tl.load(pb, mask=(rk < K - k)[:, None], other=0.0)
        acc = tl.dot(av, bv, acc)
        pa += BK
        pb += BK
    top = tl.maximum(tl.max(tl.abs(acc), axis=1), 1e-12)
    tl.store(scales + tl.program_id(0) * M + rm, top / 448.0)
    tl.store(c + rm[:, None] * N + rn[None, :], (acc * (448.0 / top)[:, None]).to(tl.float8e4nv))


@triton.jit
def attention_capped(out, lse, q, k, v, T, scale, cap, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = head * T * D
    qv = tl.load(q + base + m[:, None] * D + d[None, :], mask=(m < T)[:, None], other=0.0)
    inner = 2.0 * scale / cap * 1.4426950408889634
    outer = cap * 1.4426950408889634
    top = tl.full([BM], -1e30, tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, T, BN):
        n = start + tl.arange(0, BN)
        kt = tl.load(k + base + n[None, :] * D + d[:, None], mask=(n < T)[None, :], other=0.0)
        s = tl.dot(qv, kt)
        s = outer * (1.0 - 2.0 / (tl.exp2(s * inner) + 1.0))  # cap * tanh(s * scale / cap), base 2
        s = tl.where((n < T)[None, :], s, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, axis=1)
        vv = tl.load(v + base + n[:, None] * D + d[None, :], mask=(n < T)[:, None], other=0.0)
        acc = tl.dot(p.to(tl.float16), vv, acc * shrink[:, None])
        top = new
    tl.store(lse + head * T + m, top + tl.log2(total), mask=m < T)
    tl.store(out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16), mask=(m < T)[:, None])


@triton.jit
def decode_groups(out, lse, q, k, v, T, each, splits, scale, KV: tl.constexpr, SHARE: tl.constexpr, D: tl.constexpr, BN: tl.constexpr):
    seq = tl.program_id(0)
    kv = tl.program_id(1)
    part = tl.program_id(2)
    h = tl.arange(0, 16)
    d = tl.arange(0, D)
    ok = h < SHARE
    qv = tl.load(q + ((seq * KV + kv) * SHARE + h)[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
    first = part * each
    last = tl.minimum(first + each, T)
    log2 = scale * 1.4426950408889634
    top = tl.full([16], -1e30, tl.float32)
    total = tl.zeros([16], tl.float32)
    acc = tl.zeros([16, D], tl.float32)
    for start in range(first, last, BN):
        n = start + tl.arange(0, BN)
        at = ((seq * T + n) * KV + kv) * D
        kt = tl.load(k + at[None, :] + d[:, None], mask=(n < last)[None, :], other=0.0)
        s = tl.where((n < last)[None, :], tl.dot(qv, kt) * log2, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, axis=1)
        vv = tl.load(v + at[:, None] + d[None, :], mask=(n < last)[:, None], other=0.0)
        acc = tl.dot(p.to(tl.bfloat16), vv, acc * shrink[:, None])
        top = new
    to = ((seq * KV + kv) * splits + part) * SHARE + h
    tl.store(out + to[:, None] * D + d[None, :], acc / total[:, None], mask=ok[:, None])
    tl.store(lse + to, top + tl.log2(total), mask=ok)


@triton.jit
def combine_splits(out, parts, lse, splits, SHARE: tl.constexpr, D: tl.constexpr, MOST: tl.constexpr):
    group = tl.program_id(0)
    h = tl.program_id(1)
    s = tl.arange(0, MOST)
    d = tl.arange(0, D)
    at = (group * splits + s) * SHARE + h
    logs = tl.load(lse + at, mask=s < splits, other=-float("inf"))
    w = tl.exp2(logs - tl.max(logs, axis=0))
    x = tl.load(parts + at[:, None] * D + d[None, :], mask=(s < splits)[:, None], other=0.0)
    y = tl.sum(x * w[:, None], axis=0) / tl.sum(w, axis=0)
    tl.store(out + (group * SHARE + h) * D + d, y.to(tl.bfloat16))


@triton.jit
def block_sparse(c, blocks, starts, columns, b, N, BS: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(1)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    ri = tl.arange(0, BS)
    first = tl.load(starts + row)
    last = tl.load(starts + row + 1)
    acc = tl.zeros([BS, BN], tl.float32)
    for i in range(first, last):
        col = tl.load(columns + i)
        av = tl.load(blocks + i * (BS * BS) + ri[:, None] * BS + ri[None, :])
        bv = tl.load(b + (col * BS + ri)[:, None] * N + rn[None, :])
        acc = tl.dot(av, bv, acc)
    tl.store(c + (row * BS + ri)[:, None] * N + rn[None, :], acc.to(tl.float16))


@triton.jit
def ssd_output(y, x, bm, cm, decay, states, T, N: tl.constexpr, P: tl.constexpr, C: tl.constexpr):
    chunk = tl.program_id(0)
    head = tl.program_id(1)
    i = tl.arange(0, C)
    n = tl.arange(0, N)
    p = tl.arange(0, P)
    t = chunk * C + i
    total = tl.cumsum(tl.load(decay + head * T + t), axis=0)  # log2
    cv = tl.load(cm + t[:, None] * N + n[None, :])
    bt = tl.load(bm + t[None, :] * N + n[:, None])
    xv = tl.load(x + (head * T + t)[:, None] * P + p[None, :])
    state = tl.load(states + (head * tl.num_programs(0) + chunk) * (N * P) + n[:, None] * P + p[None, :])
    mask = i[:, None] >= i[None, :]
    s = tl.where(mask, tl.dot(cv, bt) * tl.exp2(total[:, None] - total[None, :]), 0.0)
    acc = tl.dot(cv, state) * tl.exp2(total)[:, None]
    acc = tl.dot(s.to(tl.bfloat16), xv, acc)
    tl.store(y + (head * T + t)[:, None] * P + p[None, :], acc.to(tl.bfloat16))


@triton.jit
def adam_stochastic(w, m, v, g, n, rate, b1, b2, eps, decay, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < n
    gv = tl.load(g + i, mask=ok, other=0.0).to(tl.float32)
    wv = tl.load(w + i, mask=ok, other=0.0).to(tl.float32)
    mv = tl.load(m + i, mask=ok, other=0.0).to(tl.float32) * b1 + gv * (1.0 - b1)
    vv = tl.load(v + i, mask=ok, other=0.0).to(tl.float32) * b2 + gv * gv * (1.0 - b2)
    wv = wv - rate * (mv / (tl.sqrt(vv) + eps) + decay * wv)
    r = tl.randint(seed, i)
    bits = wv.to(tl.int32, bitcast=True) + (r & 0xFFFF).to(tl.int32)
    up = (bits & -65536).to(tl.float32, bitcast=True)
    tl.store(w + i, up.to(tl.bfloat16), mask=ok)
    tl.store(m + i, mv.to(tl.bfloat16), mask=ok)
    tl.store(v + i, vv.to(tl.bfloat16), mask=ok)


@triton.jit
def sort_rows(y, x, R: tl.constexpr, B: tl.constexpr):
    at = (tl.program_id(0) * R + tl.arange(0, R))[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(y + at, tl.sort(tl.load(x + at), dim=1, descending=True))


@triton.jit
def qk_norm_rope(out, x, w, cos, sin, eps, HEADS: tl.constexpr, BH: tl.constexpr, D: tl.constexpr):
    token = tl.program_id(0)
    h = tl.arange(0, BH)
    d = tl.arange(0, D // 2)
    at = (token * HEADS + h)[:, None] * D + d[None, :]
    ok = (h < HEADS)[:, None]
    a = tl.load(x + at, mask=ok, other=0.0).to(tl.float32)
    b = tl.load(x + at + D // 2, mask=ok, other=0.0).to(tl.float32)
    r = tl.rsqrt((tl.sum(a * a, axis=1) + tl.sum(b * b, axis=1)) / D + eps)[:, None]
    a = a * r * tl.load(w + d).to(tl.float32)[None, :]
    b = b * r * tl.load(w + D // 2 + d).to(tl.float32)[None, :]
    c = tl.load(cos + token * (D // 2) + d)[None, :]
    s = tl.load(sin + token * (D // 2) + d)[None, :]
    tl.store(out + at, (a * c - b * s).to(tl.bfloat16), mask=ok)
    tl.store(out + at + D // 2, (b * c + a * s).to(tl.bfloat16), mask=ok)


@triton.jit
def scatter_add_rows(table, ids, grads, n, D: tl.constexpr, R: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    d = tl.arange(0, D)
    ok = r < n
    to = tl.load(ids + r, mask=ok, other=0)
    g = tl.load(grads + r[:, None] * D + d[None, :], mask=ok[:, None], other=0.0).to(tl.float32)
    tl.atomic_add(table + to[:, None] * D + d[None, :], g, mask=ok[:, None], sem="relaxed")


def launch(name, kernel, grid, args, options, check, holds={}):
    if ONLY not in (None, name) or name in os.environ.get("SKIP", "").split(","): return
    try:
        args = args()
        for _ in range(REPEAT):
            compiled = kernel[grid](*args, **options)
            torch.cuda.synchronize()
    except Exception as e:
        print("failed", name, repr(e)[:600].replace("\n", " "), flush=True)
        return
    print("launch", name, flush=True)
    if DUMP:
        meta = compiled.metadata
        with open(f"{DUMP}/{name}.cubin", "wb") as f:
            f.write(compiled.asm["cubin"])
        shown = [{"ptr": list(a.shape), "dtype": str(a.dtype)} if isinstance(a, torch.Tensor) else a for a in args]
        for i, what in holds.items(): shown[i]["holds"] = what
        rows.append({"name": name, "kernel": meta.name, "grid": list(grid), "warps": meta.num_warps, "shared": meta.shared, "args": shown})
        with open(f"{DUMP}/rows.json" if ONLY is None else f"{DUMP}/{name}.json", "w") as f:
            json.dump(rows, f, indent=0)
    if CHECK and REPEAT == 1:
        try:
            for got, want, tolerance in check(*args):
                got, want = got.float(), want.float()
                off = ((got - want).abs() / (1 + want.abs())).max().item()
                print("right" if off <= tolerance else "wrong", name, f"{off:.3g} of {tolerance:g}", flush=True)
        except Exception as e:
            print("wrong (no check)", name, repr(e)[:300].replace("\n", " "), flush=True)
    del args
    torch.cuda.empty_cache()


def main():
    if DUMP: os.makedirs(DUMP, exist_ok=True)
    dev = "cuda"
    torch.manual_seed(20261205)
    f16, b16, f32, i32, f8 = torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.float8_e4m3fn
    rand = lambda *s, t=f16, scale=1.0: (torch.randn(*s, device=dev) * scale).to(t)
    new = lambda *s, t=f16: torch.zeros(*s, device=dev, dtype=t)
    ints = lambda lo, hi, *s: torch.randint(lo, hi, s, device=dev, dtype=i32)
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device=dev, dtype=torch.int8))

    # 37 rows of tiles, the last one partial, times 9
    M1, N1, K1 = 2344, 2304, 1344
    launch("residual_boxes", residual_boxes, (37 * 9,), lambda: (new(M1, N1, t=b16), rand(M1, K1, t=b16), rand(K1, N1, t=b16, scale=0.05), rand(M1, N1, t=b16), M1, N1, K1),
           dict(BM=64, BN=256, BK=64, GROUP=3, num_warps=4, num_stages=3),
           lambda c, a, b, r, *_: [(c, a.float() @ b.float() + r.float(), 2e-2)])

    # K has a tail
    M2, N2, K2 = 1920, 1536, 1008
    def check2(c, scales, a, b, *_):
        want = (a.float() @ b.float().T).view(M2, N2 // 128, 128)
        s = want.abs().amax(-1) / 448
        yield scales, s.T, 2e-3
        yield c.float().view(M2, N2 // 128, 128) / 448, (want / s[..., None]) / 448, 4e-2
    launch("rows_to_e4m3", rows_to_e4m3, (12, 15), lambda: (new(M2, N2, t=f8), new(N2 // 128, M2, t=f32), rand(M2, K2), rand(N2, K2, scale=0.05), M2, N2, K2),
           dict(BM=128, BN=128, BK=64, num_warps=8, num_stages=3), check2)

    H3, T3, D3 = 14, 1700, 64
    def check3(o, lse, q, k, v, T, scale, cap):
        for h in range(0, H3, 5):
            s = torch.tanh(q[h].float() @ k[h].float().T * (scale / cap)) * cap
            yield o[h], s.softmax(-1) @ v[h].float(), 1e-2
            yield lse[h], s.logsumexp(-1) * 1.4426950408889634, 1e-2
    launch("attention_capped", attention_capped, (14, H3), lambda: (new(H3, T3, D3), new(H3, T3, t=f32), rand(H3, T3, D3), rand(H3, T3, D3), rand(H3, T3, D3), T3, 0.125, 30.0),
           dict(D=D3, BM=128, BN=128, num_warps=8, num_stages=2), check3)

    # 26 sequences, 4 heads of keys shared by 6 heads of queries each, keys split in 4
    B4, T4, S4 = 26, 2050, 4
    def check4(o, lse, q, k, v, *_):
        for b in range(0, B4, 11):
            for i in range(S4):
                kv = slice(i * 544, min((i + 1) * 544, T4))
                s = torch.einsum("ghd,tgd->ght", q[b].float(), k[b, kv].float()) * 0.0883883
                yield o[b, :, i], torch.einsum("ght,tgd->ghd", s.softmax(-1), v[b, kv].float()), 1e-2
                yield lse[b, :, i], s.logsumexp(-1) * 1.4426950408889634, 1e-2
    launch("decode_groups", decode_groups, (B4, 4, S4), lambda: (new(B4, 4, S4, 6, 128, t=f32), new(B4, 4, S4, 6, t=f32), rand(B4, 4, 6, 128, t=b16), rand(B4, T4, 4, 128, t=b16), rand(B4, T4, 4, 128, t=b16), T4, 544, S4, 0.0883883),
           dict(KV=4, SHARE=6, D=128, BN=32, num_warps=4, num_stages=3), check4)

    G5, S5 = 900, 11
    launch("combine_splits", combine_splits, (G5, 6), lambda: (new(G5, 6, 128, t=b16), rand(G5, S5, 6, 128, t=f32), rand(G5, S5, 6, t=f32, scale=3.0), S5), dict(SHARE=6, D=128, MOST=16, num_warps=2),
           lambda o, parts, lse, _: [(o, ((lse * 0.6931471805599453).softmax(1)[..., None] * parts).sum(1), 1e-2)])

    # 40 rows of blocks with 10 blocks each on average, of 36 columns of blocks
    N6 = 1280
    starts6 = torch.randint(0, 401, (41,), dtype=i32).sort()[0]
    starts6[0], starts6[40] = 0, 400
    print("starts of block_sparse", *starts6.tolist(), flush=True)
    def check6(c, blocks, starts, columns, b, *_):
        want = torch.zeros(40, 64, N6, device=dev)
        for r in range(40):
            for i in range(int(starts6[r]), int(starts6[r + 1])):
                want[r] += blocks[i].float() @ b[columns[i] * 64:columns[i] * 64 + 64].float()
        yield c, want.view(2560, N6), 1e-2
    launch("block_sparse", block_sparse, (10, 40), lambda: (new(2560, N6), rand(400, 64, 64, scale=0.1), starts6.to(dev), ints(0, 36, 400), rand(2304, N6), N6), dict(BS=64, BN=128, num_warps=4, num_stages=4), check6,
           {2: "{ holds = { sorted = [0, 401], count = 41 } }", 3: "{ holds = { range = [0, 36] } }"})

    H7, T7 = 40, 2048
    def check7(y, x, bm, cm, decay, states, *_):
        for h in range(0, H7, 13):
            for c in range(0, 16, 5):
                t = slice(c * 128, c * 128 + 128)
                total = decay[h, t].cumsum(0)
                s = (cm[t].float() @ bm[t].float().T * torch.exp2(total[:, None] - total[None, :])).tril()
                yield y[h, t], s @ x[h, t].float() + torch.exp2(total)[:, None] * (cm[t].float() @ states[h, c].float()), 2e-2
    launch("ssd_output", ssd_output, (16, H7), lambda: (new(H7, T7, 64, t=b16), rand(H7, T7, 64, t=b16), rand(T7, 64, t=b16, scale=0.4), rand(T7, 64, t=b16, scale=0.4), -torch.rand(H7, T7, device=dev) * 0.2, rand(H7, 16, 64, 64, t=b16), T7),
           dict(N=64, P=64, C=128, num_warps=8, num_stages=1), check7)

    N8 = 9000000
    kept = {}
    def args8():
        w, m, v, g = rand(N8, t=b16), rand(N8, t=b16, scale=0.1), rand(N8, t=b16, scale=0.1).abs(), rand(N8, t=b16)
        kept["all"] = w.clone(), m.clone(), v.clone()
        return w, m, v, g, N8, 0.01, 0.9, 0.95, 1e-6, 0.1, 77
    def check8(w, m, v, g, *_):
        w0, m0, v0 = (t.float() for t in kept.pop("all"))
        m1, v1 = m0 * 0.9 + g.float() * 0.1, v0 * 0.95 + g.float() ** 2 * 0.05
        yield m, m1, 5e-3
        yield v, v1, 5e-3
        yield w, w0 - 0.01 * (m1 / (v1.sqrt() + 1e-6) + 0.1 * w0), 1e-2
    launch("adam_stochastic", adam_stochastic, (8790,), args8, dict(B=1024, num_warps=4), check8)

    launch("sort_rows", sort_rows, (1500,), lambda: (new(3000, 512, t=f32), rand(3000, 512, t=f32)), dict(R=2, B=512, num_warps=4), lambda y, x: [(y, x.sort(1, descending=True)[0], 0.0)])

    T10 = 6000
    def check10(o, x, w, cos, sin, eps):
        n = x.float() * (x.float().pow(2).mean(-1, keepdim=True) + eps).rsqrt() * w.float()
        a, b = n[..., :64], n[..., 64:]
        c, s = cos[:, None], sin[:, None]
        yield o, torch.cat([a * c - b * s, b * c + a * s], -1), 1e-2
    def args10():
        angle = torch.rand(T10, 64, device=dev) * 6
        return new(T10, 20, 128, t=b16), rand(T10, 20, 128, t=b16), rand(128, t=b16), angle.cos(), angle.sin(), 1e-6
    launch("qk_norm_rope", qk_norm_rope, (T10,), args10, dict(HEADS=20, BH=32, D=128, num_warps=4), check10)

    N11 = 16001
    launch("scatter_add_rows", scatter_add_rows, (4001,), lambda: (new(5000, 512, t=f32), ints(0, 5000, N11), rand(N11, 512, t=b16), N11), dict(D=512, R=4, num_warps=4),
           lambda table, ids, grads, _: [(table, torch.zeros(5000, 512, device=dev).index_add_(0, ids.long(), grads.float()), 1e-4)], {1: "{ holds = { range = [0, 5000] } }"})

    print("torch", torch.__version__, "triton", triton.__version__, len(rows), "launches", flush=True)


if __name__ == "__main__":
    main()
