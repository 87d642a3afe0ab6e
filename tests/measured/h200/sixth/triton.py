# Triton kernels, a sixth set. Samples of results are checked by PyTorch ("right NAME" or "wrong NAME").
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
def lora_add(y, base, x, a, b, M, N, K, scale, R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TILES: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    r = tl.arange(0, R)
    k = tl.arange(0, BK)
    ok = (m < M)[:, None]
    px = x + m[:, None] * K + k[None, :]
    pa = a + r[None, :] * K + k[:, None]
    h = tl.zeros([BM, R], tl.float32)
    for _ in range(0, K, BK):
        h = tl.dot(tl.load(px, mask=ok, other=0.0), tl.load(pa), h)
        px += BK
        pa += BK
    low = (h * scale).to(tl.bfloat16)
    for t in range(TILES):
        n = (tl.program_id(1) * TILES + t) * BN + tl.arange(0, BN)
        bv = tl.load(b + n[None, :] * R + r[:, None])
        at = m[:, None] * N + n[None, :]
        v = tl.dot(low, bv) + tl.load(base + at, mask=ok, other=0.0).to(tl.float32)
        tl.store(y + at, v.to(tl.bfloat16), mask=ok)


@triton.jit
def rms_backward(dx, parts, dy, x, w, inverse, M, n, B: tl.constexpr):
    i = tl.arange(0, B)
    ok = i < n
    wv = tl.load(w + i, mask=ok, other=0.0).to(tl.float32)
    dw = tl.zeros([B], tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        xv = tl.load(x + row * n + i, mask=ok, other=0.0).to(tl.float32)
        g = tl.load(dy + row * n + i, mask=ok, other=0.0).to(tl.float32)
        r = tl.load(inverse + row)
        hat = xv * r
        dw += g * hat
        g *= wv
        mean = tl.sum(g * hat, axis=0) / n
        tl.store(dx + row * n + i, ((g - hat * mean) * r).to(tl.bfloat16), mask=ok)
    tl.store(parts + tl.program_id(0) * n + i, dw, mask=ok)


@triton.jit
def dropout_norm(y, kept, x, residual, w, b, n, rate, eps, seed, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    ok = i < n
    at = row * n + i
    xv = tl.load(x + at, mask=ok, other=0.0).to(tl.float32)
    xv = tl.where(tl.rand(seed, at) > rate, xv * (1.0 / (1.0 - rate)), 0.0)
    h = xv + tl.load(residual + at, mask=ok, other=0.0).to(tl.float32)
    tl.store(kept + at, h.to(tl.float16), mask=ok)
    mean = tl.sum(h, axis=0) / n
    d = tl.where(ok, h - mean, 0.0)
    r = tl.rsqrt(tl.sum(d * d, axis=0) / n + eps)
    tl.store(y + at, (d * r * tl.load(w + i, mask=ok, other=0.0).to(tl.float32) + tl.load(b + i, mask=ok, other=0.0).to(tl.float32)).to(tl.float16), mask=ok)


@triton.jit
def entropy_wide(loss, lse, x, labels, V, weight, B: tl.constexpr):
    row = tl.program_id(0)
    base = x + row.to(tl.int64) * V
    top = tl.full([B], -1e30, tl.float32)
    total = tl.zeros([B], tl.float32)
    for start in range(0, V, B):
        i = start + tl.arange(0, B)
        v = tl.load(base + i, mask=i < V, other=-1e30).to(tl.float32) * 1.4426950408889634
        new = tl.maximum(top, v)
        total = total * tl.exp2(top - new) + tl.exp2(v - new)
        top = new
    most = tl.max(top, axis=0)
    log = (most + tl.log2(tl.sum(total * tl.exp2(top - most), axis=0))) * 0.6931471805599453
    right = tl.load(base + tl.load(labels + row)).to(tl.float32)
    tl.store(lse + row, log)
    tl.store(loss + row, log - right + weight * log * log)


@triton.jit
def paged_prefill(out, q, kc, vc, pages, fresh, length, per_sequence, scale, H: tl.constexpr, SHARE: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, PAGE: tl.constexpr):
    tile = tl.program_id(0)
    head = tl.program_id(1)
    seq = tl.program_id(2)
    t = tile * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    n = tl.arange(0, PAGE)
    KV: tl.constexpr = H // SHARE
    at = ((seq * fresh + t) * H + head)[:, None] * D + d[None, :]
    qv = tl.load(q + at, mask=(t < fresh)[:, None], other=0.0)
    place = length - fresh + t
    inside = n[:, None] * (KV * D) + d[None, :]
    log2 = scale * 1.4426950408889634
    top = tl.full([BM], -1e30, tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    last = tl.minimum(length - fresh + tile * BM + BM, length)
    for p in range(0, tl.cdiv(last, PAGE)):
        page = tl.load(pages + seq * per_sequence + p)
        from_ = (page * (PAGE * KV) + head // SHARE) * D
        kv = tl.load(kc + from_ + inside)
        s = tl.dot(qv, tl.trans(kv)) * log2
        s = tl.where((p * PAGE + n)[None, :] <= place[:, None], s, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        e = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(e, axis=1)
        vv = tl.load(vc + from_ + inside)
        acc = tl.dot(e.to(tl.float16), vv, acc * shrink[:, None])
        top = new
    tl.store(out + at, (acc / total[:, None]).to(tl.float16), mask=(t < fresh)[:, None])


@triton.jit
def weight_gradient(dw, dy, x, T, N, K, BM: tl.constexpr, BN: tl.constexpr, BT: tl.constexpr):
    n = tl.program_id(1) * BM + tl.arange(0, BM)
    k = tl.program_id(0) * BN + tl.arange(0, BN)
    t = tl.arange(0, BT)
    pg = dy + t[None, :] * N + n[:, None]
    px = x + t[:, None] * K + k[None, :]
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, T, BT):
        ok = t < T - start
        acc = tl.dot(tl.load(pg, mask=ok[None, :], other=0.0), tl.load(px, mask=ok[:, None], other=0.0), acc)
        pg += BT * N
        px += BT * K
    to = dw + n[:, None] * K + k[None, :]
    tl.store(to, tl.load(to) + acc)


@triton.jit
def turn_channels(out, x, gain, pixels, C, BP: tl.constexpr, BC: tl.constexpr):
    image = tl.program_id(2)
    p = tl.program_id(0) * BP + tl.arange(0, BP)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    base = image * pixels * C
    v = tl.load(x + base + p[:, None] * C + c[None, :], mask=(p < pixels)[:, None] & (c < C)[None, :], other=0.0)
    g = tl.load(gain + c, mask=c < C, other=0.0)
    v = (v.to(tl.float32) * g[None, :]).to(tl.bfloat16)
    tl.store(out + base + c[:, None] * pixels + p[None, :], tl.trans(v), mask=(c < C)[:, None] & (p < pixels)[None, :])


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
    torch.manual_seed(20270117)
    f16, b16, f32, i32 = torch.float16, torch.bfloat16, torch.float32, torch.int32
    rand = lambda *s, t=f16, scale=1.0: (torch.randn(*s, device=dev) * scale).to(t)
    new = lambda *s, t=f16: torch.zeros(*s, device=dev, dtype=t)
    ints = lambda lo, hi, *s: torch.randint(lo, hi, s, device=dev, dtype=i32)

    # 65 tiles of rows, the last one partial, times 3 parts of 4 tiles of columns
    M1, N1, K1 = 4104, 1536, 2080
    launch("lora_add", lora_add, (65, 3), lambda: (new(M1, N1, t=b16), rand(M1, N1, t=b16), rand(M1, K1, t=b16), rand(32, K1, t=b16, scale=0.05), rand(N1, 32, t=b16, scale=0.2), M1, N1, K1, 0.75),
           dict(R=32, BM=64, BN=128, BK=32, TILES=4, num_warps=4, num_stages=4),
           lambda y, base, x, a, b, *_: [(y, base.float() + (x.float() @ a.float().T * 0.75) @ b.float().T, 3e-2)])

    M2, N2 = 3001, 3584
    def check2(dx, parts, dy, x, w, inverse, *_):
        xf, g, r = x.float(), dy.float(), inverse[:, None]
        hat = xf * r
        yield parts.sum(0), (g * hat).sum(0), 1e-3
        gw = g * w.float()
        yield dx, (gw - hat * (gw * hat).mean(-1, keepdim=True)) * r, 2e-2
    def args2():
        x = rand(M2, N2, t=b16)
        return new(M2, N2, t=b16), new(264, N2, t=f32), rand(M2, N2, t=b16), x, rand(N2, t=b16), (x.float().pow(2).mean(-1) + 1e-6).rsqrt(), M2, N2
    launch("rms_backward", rms_backward, (264,), args2, dict(B=4096, num_warps=8), check2)

    M3, N3 = 7000, 1808
    def check3(y, kept, x, residual, w, b, *_):
        h = kept.float()
        gone = (h - residual.float()).abs() < 1e-3
        yield torch.tensor([gone.float().mean().item()]), torch.tensor([0.2]), 5e-3
        yield torch.where(gone, residual.float(), residual.float() + x.float() * 1.25), h, 5e-3
        d = h - h.mean(-1, keepdim=True)
        yield y, d * (d.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * w.float() + b.float(), 1e-2
    launch("dropout_norm", dropout_norm, (M3,), lambda: (new(M3, N3), new(M3, N3), rand(M3, N3), rand(M3, N3), rand(N3), rand(N3), N3, 0.2, 1e-5, 4321), dict(B=2048, num_warps=4), check3)

    M4, V4 = 700, 50304
    def check4(loss, lse, x, labels, *_):
        for r in range(0, M4, 100):
            log = x[r:r + 100].float().logsumexp(-1)
            yield lse[r:r + 100], log, 1e-3
            yield loss[r:r + 100], log - x[r:r + 100].float().gather(1, labels[r:r + 100, None].long())[:, 0] + 1e-4 * log * log, 2e-3
    launch("entropy_wide", entropy_wide, (M4,), lambda: (new(M4, t=f32), new(M4, t=f32), rand(M4, V4, t=b16, scale=2.0), ints(0, V4, M4), V4, 1e-4), dict(B=2048, num_warps=8), check4,
           {3: "{ holds = { range = [0, 50304] } }"})

    # 5 sequences of 1420 places, the last 450 of them are new; 45 pages of 32 places each
    B5, F5, L5, P5 = 5, 450, 1420, 45
    def check5(o, q, kc, vc, pages, *_):
        for s in range(B5):
            k = kc[pages[s].long()].reshape(P5 * 32, 4, 64)[:L5].float()
            v = vc[pages[s].long()].reshape(P5 * 32, 4, 64)[:L5].float()
            mask = torch.arange(L5, device=dev)[None, :] > torch.arange(L5 - F5, L5, device=dev)[:, None]
            for h in range(0, 20, 7):
                score = (q[s, :, h].float() @ k[:, h // 5].T * 0.125).masked_fill(mask, -1e30)
                yield o[s, :, h], score.softmax(-1) @ v[:, h // 5], 1e-2
    launch("paged_prefill", paged_prefill, (8, 20, B5), lambda: (new(B5, F5, 20, 64), rand(B5, F5, 20, 64), rand(B5 * P5, 32, 4, 64), rand(B5 * P5, 32, 4, 64), torch.randperm(B5 * P5, device=dev).to(i32).view(B5, P5), F5, L5, P5, 0.125),
           dict(H=20, SHARE=5, D=64, BM=64, PAGE=32, num_warps=4, num_stages=3), check5, {4: "{ holds = { permutation = 225 } }"})

    # 9 x 13 tiles, the sum over tokens has a tail
    T6, N6, K6 = 3016, 1152, 1664
    kept = {}
    def args6():
        dw = rand(N6, K6, t=f32, scale=20.0)
        kept["dw"] = dw.clone()
        return dw, rand(T6, N6), rand(T6, K6), T6, N6, K6
    launch("weight_gradient", weight_gradient, (13, 9), args6, dict(BM=128, BN=128, BT=64, num_warps=8, num_stages=3),
           lambda dw, dy, x, *_: [(dw, kept.pop("dw") + dy.float().T @ x.float(), 2e-2)])

    B7, P7, C7 = 26, 2912, 208
    launch("turn_channels", turn_channels, (46, 4, B7), lambda: (new(B7, C7, P7, t=b16), rand(B7, P7, C7, t=b16), rand(C7, t=f32), P7, C7), dict(BP=64, BC=64, num_warps=4),
           lambda o, x, g, *_: [(o, (x.float() * g).transpose(1, 2), 1e-2)])

    print("torch", torch.__version__, "triton", triton.__version__, len(rows), "launches", flush=True)


if __name__ == "__main__":
    main()
