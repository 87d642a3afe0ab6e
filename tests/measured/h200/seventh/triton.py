# Triton kernels, a seventh set. Samples of results are checked by PyTorch ("right NAME" or "wrong NAME").
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
def mx_pack(packed, scales, x, BLOCKS: tl.constexpr):
    # blocks of 32 numbers share a power of two; each number becomes 4 bits (e2m1), ties go to even
    block = tl.program_id(0) * BLOCKS + tl.arange(0, BLOCKS)
    v = tl.load(x + block[:, None] * 32 + tl.arange(0, 32)[None, :]).to(tl.float32)
    size = tl.abs(v)
    e = tl.maximum((tl.max(size, axis=1).to(tl.int32, bitcast=True) >> 23) - 2, 1)
    size *= ((254 - e) << 23).to(tl.float32, bitcast=True)[:, None]
    code = (size > 0.25).to(tl.int32) + (size >= 0.75).to(tl.int32) + (size > 1.25).to(tl.int32) + (size >= 1.75).to(tl.int32)
    code += (size > 2.5).to(tl.int32) + (size >= 3.5).to(tl.int32) + (size > 5.0).to(tl.int32)
    code |= tl.where(v < 0, 8, 0)
    low, high = tl.split(tl.reshape(code, [BLOCKS, 16, 2]))
    tl.store(packed + block[:, None] * 16 + tl.arange(0, 16)[None, :], (low | (high << 4)).to(tl.uint8))
    tl.store(scales + block, e.to(tl.uint8))


@triton.jit
def gated_output(out, x, w, bias, value, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    ok = (m < M)[:, None]
    px = x + m[:, None] * K + k[None, :]
    pw = w + n[None, :] * K + k[:, None]
    acc = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(px, mask=ok, other=0.0), tl.load(pw), acc)
        px += BK
        pw += BK
    at = m[:, None] * N + n[None, :]
    gate = tl.sigmoid(acc + tl.load(bias + n).to(tl.float32)[None, :])
    tl.store(out + at, (gate * tl.load(value + at, mask=ok, other=0.0).to(tl.float32)).to(tl.float16), mask=ok)


@triton.jit
def softmax_backward(dx, y, dy, M, n, scale, R: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0) * R + tl.arange(0, R)
    i = tl.arange(0, B)
    ok = (row < M)[:, None] & (i < n)[None, :]
    at = row[:, None] * n + i[None, :]
    yv = tl.load(y + at, mask=ok, other=0.0).to(tl.float32)
    g = tl.load(dy + at, mask=ok, other=0.0).to(tl.float32)
    mean = tl.sum(yv * g, axis=1)
    tl.store(dx + at, (yv * (g - mean[:, None]) * scale).to(tl.float16), mask=ok)


@triton.jit
def attention_int8(out, q, k, v, scale_q, scale_k, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    tile = tl.program_id(0)
    head = tl.program_id(1)
    tiles = T // BN
    m = tile * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, D)
    base = head * T * D
    at = base + m[:, None] * D + d[None, :]
    qv = tl.load(q + at)
    sq = tl.load(scale_q + head * (T // BM) + tile) * 1.4426950408889634
    pk = k + base + n[None, :] * D + d[:, None]
    pv = v + base + n[:, None] * D + d[None, :]
    top = tl.full([BM], -1e30, tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for t in range(0, tiles):
        s = tl.dot(qv, tl.load(pk)).to(tl.float32) * (sq * tl.load(scale_k + head * tiles + t))
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, axis=1)
        acc = tl.dot(p.to(tl.float16), tl.load(pv), acc * shrink[:, None])
        top = new
        pk += BN * D
        pv += BN * D
    tl.store(out + at, (acc / total[:, None]).to(tl.float16))


@triton.jit
def max_pool(out, x, P, height, width, C, BP: tl.constexpr, BC: tl.constexpr):
    # windows of 3 x 3, stride 2, one place of padding, channels last
    p = tl.program_id(0) * BP + tl.arange(0, BP)
    c = tl.arange(0, BC)
    half = width // 2
    lines = height // 2
    ox = p % half
    oy = p // half % lines
    image = p // half // lines
    most = tl.full([BP, BC], -65504.0, tl.float16)
    for dy in tl.static_range(-1, 2):
        for dx in tl.static_range(-1, 2):
            py = oy * 2 + dy
            px = ox * 2 + dx
            ok = (p < P) & (py >= 0) & (py < height) & (px >= 0) & (px < width)
            at = ((image * height + py) * width + px) * C
            most = tl.maximum(most, tl.load(x + at[:, None] + c[None, :], mask=ok[:, None] & (c < C)[None, :], other=-65504.0))
    tl.store(out + p[:, None] * C + c[None, :], most, mask=(p < P)[:, None] & (c < C)[None, :])


@triton.jit
def feature_pairs(out, x, F, pairs, D: tl.constexpr, B: tl.constexpr):
    # products of all pairs of a sample's features, as recommenders use them
    sample = tl.program_id(0)
    f = tl.arange(0, B)
    d = tl.arange(0, D)
    v = tl.load(x + sample * F * D + f[:, None] * D + d[None, :], mask=(f < F)[:, None], other=0.0)
    s = tl.dot(v, tl.trans(v))
    place = (f * (f - 1) // 2)[:, None] + f[None, :]
    tl.store(out + sample * pairs + place, s.to(tl.float16), mask=(f[None, :] < f[:, None]) & (f < F)[:, None])


@triton.jit
def box_overlaps(out, a, b, N, M, BN: tl.constexpr, BM: tl.constexpr):
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    in_n = n < N
    in_m = m < M
    ax = tl.load(a + n * 4, mask=in_n, other=0.0)
    ay = tl.load(a + n * 4 + 1, mask=in_n, other=0.0)
    ar = tl.load(a + n * 4 + 2, mask=in_n, other=1.0)
    ab = tl.load(a + n * 4 + 3, mask=in_n, other=1.0)
    bx = tl.load(b + m * 4, mask=in_m, other=0.0)
    by = tl.load(b + m * 4 + 1, mask=in_m, other=0.0)
    br = tl.load(b + m * 4 + 2, mask=in_m, other=1.0)
    bb = tl.load(b + m * 4 + 3, mask=in_m, other=1.0)
    w = tl.maximum(tl.minimum(ar[:, None], br[None, :]) - tl.maximum(ax[:, None], bx[None, :]), 0.0)
    h = tl.maximum(tl.minimum(ab[:, None], bb[None, :]) - tl.maximum(ay[:, None], by[None, :]), 0.0)
    both = w * h
    either = ((ar - ax) * (ab - ay))[:, None] + ((br - bx) * (bb - by))[None, :] - both
    tl.store(out + n[:, None] * M + m[None, :], (both / either).to(tl.float16), mask=in_n[:, None] & in_m[None, :])


@triton.jit
def add_noise(noisy, noise, x, keep, spread, n, seed, B: tl.constexpr):
    image = tl.program_id(1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < n
    at = image * n + i
    z = tl.randn(seed, at)
    v = tl.load(x + at, mask=ok, other=0.0).to(tl.float32)
    tl.store(noise + at, z.to(tl.float16), mask=ok)
    tl.store(noisy + at, (v * tl.load(keep + image) + z * tl.load(spread + image)).to(tl.float16), mask=ok)


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
    torch.manual_seed(20270521)
    f16, b16, f32 = torch.float16, torch.bfloat16, torch.float32
    rand = lambda *s, t=f16, scale=1.0: (torch.randn(*s, device=dev) * scale).to(t)
    new = lambda *s, t=f16: torch.zeros(*s, device=dev, dtype=t)

    # 5859 programs of 32 blocks
    N1 = 5859 * 32
    def check1(packed, scales, x, *_):
        xf = x.float()
        e = torch.floor(torch.log2(xf.abs().amax(-1))) - 2
        yield scales, e + 127, 0
        values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], device=dev)
        got = values[torch.stack((packed & 15, packed >> 4), -1).int()].view(N1, 32)
        v = xf * torch.exp2(-e)[:, None]
        nearest = (v[:, :, None] - values).abs().amin(-1)
        yield (got - v).abs(), nearest, 1e-6
    launch("mx_pack", mx_pack, (5859,), lambda: (new(N1, 16, t=torch.uint8), new(N1, t=torch.uint8), rand(N1, 32, t=b16)), dict(BLOCKS=32, num_warps=4), check1)

    M2, N2, K2 = 2700, 1344, 768
    launch("gated_output", gated_output, (21, 22), lambda: (new(M2, N2), rand(M2, K2), rand(N2, K2, scale=0.05), rand(N2), rand(M2, N2), M2, N2, K2), dict(BM=128, BN=64, BK=64, num_warps=4, num_stages=4),
           lambda out, x, w, b, v, *_: [(out, torch.sigmoid(x.float() @ w.float().T + b.float()) * v.float(), 5e-3)])

    M3, N3 = 6003, 1500
    launch("softmax_backward", softmax_backward, (1501,), lambda: (new(M3, N3), rand(M3, N3).float().softmax(-1).to(f16), rand(M3, N3, scale=50.0), M3, N3, 0.125), dict(R=4, B=2048, num_warps=8),
           lambda dx, y, dy, *_: [(dx, y.float() * (dy.float() - (y.float() * dy.float()).sum(-1, keepdim=True)) * 0.125, 1e-3)])

    # 26 heads, 34 tiles of 64 queries
    H4, T4 = 26, 2176
    def args4():
        r = lambda: torch.randint(-127, 128, (H4, T4, 64), device=dev, dtype=torch.int8)
        s = lambda: torch.rand(H4, T4 // 64, device=dev) * 0.002 + 0.001
        return new(H4, T4, 64), r(), r(), rand(H4, T4, 64), s() * 8, s(), T4
    def check4(out, q, k, v, sq, sk, *_):
        wide = lambda x, s: x.float() * s.repeat_interleave(64, 1)[:, :, None]
        for h in range(0, H4, 5):
            yield out[h], (wide(q, sq)[h] @ wide(k, sk)[h].T).softmax(-1) @ v[h].float(), 1e-2
    launch("attention_int8", attention_int8, (34, H4), args4, dict(D=64, BM=64, BN=64, num_warps=4, num_stages=3), check4)

    # 20 images of 112 x 112 with 96 channels
    P5 = 20 * 56 * 56
    launch("max_pool", max_pool, (1960,), lambda: (new(20, 56, 56, 96), rand(20, 112, 112, 96), P5, 112, 112, 96), dict(BP=32, BC=128, num_warps=4),
           lambda out, x, *_: [(out, torch.nn.functional.max_pool2d(x.float().permute(0, 3, 1, 2), 3, 2, 1).permute(0, 2, 3, 1), 0)])

    S6 = 9000
    rows6, columns6 = torch.tril_indices(27, 27, -1)
    launch("feature_pairs", feature_pairs, (S6,), lambda: (new(S6, 351), rand(S6, 27, 64), 27, 351), dict(D=64, B=32, num_warps=2),
           lambda out, x, *_: [(out, torch.einsum("sfd,sgd->sfg", x.float(), x.float())[:, rows6, columns6], 5e-3)])

    N7, M7 = 3000, 2504
    def boxes(n):
        at = torch.rand(n, 2, device=dev) * 200
        return torch.cat((at, at + 20 + torch.rand(n, 2, device=dev) * 100), -1)
    def check7(out, a, b, *_):
        size = (torch.minimum(a[:, None, 2:], b[None, :, 2:]) - torch.maximum(a[:, None, :2], b[None, :, :2])).clamp(min=0)
        both = size[..., 0] * size[..., 1]
        area = lambda v: (v[:, 2] - v[:, 0]) * (v[:, 3] - v[:, 1])
        yield out, both / (area(a)[:, None] + area(b)[None, :] - both), 1e-3
    launch("box_overlaps", box_overlaps, (40, 94), lambda: (new(N7, M7), boxes(N7), boxes(M7), N7, M7), dict(BN=32, BM=64, num_warps=4), check7)

    I8, N8 = 96, 36864
    def check8(noisy, noise, x, keep, spread, *_):
        z = noise.float()
        yield torch.stack((z.mean(), z.std(), (z ** 3).mean(), (z ** 4).mean())), torch.tensor([0.0, 1.0, 0.0, 3.0], device=dev), 1e-2
        yield noisy, x.float() * keep[:, None] + z * spread[:, None], 5e-3
    def args8():
        share = torch.rand(I8, device=dev)
        return new(I8, N8), new(I8, N8), rand(I8, N8), share.sqrt(), (1 - share).sqrt(), N8, 20270521
    launch("add_noise", add_noise, (36, I8), args8, dict(B=1024, num_warps=4), check8)

    print("torch", torch.__version__, "triton", triton.__version__, len(rows), "launches", flush=True)


if __name__ == "__main__":
    main()
