# Triton kernels, each launched exactly once, with samples of results checked by PyTorch ("wrong NAME").
# python3 triton.py NAME runs only that one. HELD_SKIP: names to leave out, between commas.
# DUMP=folder: takes NAME.cubin and rows.json ("holds" of an argument there says what memory holds where it decides addresses or branches).
# PyTorch's own kernels are not part of the set: filter ncu by this file's kernel names.
import json, os, sys

# this file is called triton.py: import the real package
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]
import torch, triton
import triton.language as tl

DUMP = os.environ.get("DUMP", "dump")
ONLY = sys.argv[1] if len(sys.argv) > 1 else None
os.makedirs(DUMP, exist_ok=True)
rows = []


@triton.jit
def persistent_subtiles(c_ptr, a_ptr, b_ptr, bias, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN // 2])
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    for tile in tl.range(tl.program_id(0), nm * nn, PROGRAMS):
        group = tile // (GROUP * nn)
        size = tl.minimum(nm - group * GROUP, GROUP)
        m0 = (group * GROUP + (tile % (GROUP * nn)) % size) * BM
        n0 = (tile % (GROUP * nn)) // size * BN
        acc = tl.zeros([BM, BN], tl.float32)
        for k in range(steps):
            acc = tl.dot(a.load([m0, k * BK]), b.load([n0, k * BK]).T, acc)
        halves = tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1))
        left, right = tl.split(halves)
        cols = n0 + tl.arange(0, BN // 2)
        left += tl.load(bias + cols, mask=cols < N, other=0.0)[None, :]
        c.store([m0, n0], left.to(tl.bfloat16))
        right += tl.load(bias + cols + BN // 2, mask=cols + BN // 2 < N, other=0.0)[None, :]
        c.store([m0, n0 + BN // 2], right.to(tl.bfloat16))


@triton.jit
def stream_k_atomics(c, a, b, N, K, total, each, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    start = tl.program_id(0) * each
    end = tl.minimum(start + each, total)
    steps = K // BK
    nn = N // BN
    while start < end:
        tile = start // steps
        first = start % steps
        stop = tl.minimum(end, start + steps - first)
        rm = tile // nn * BM + tl.arange(0, BM)
        rn = tile % nn * BN + tl.arange(0, BN)
        rk = first * BK + tl.arange(0, BK)
        pa = a + rm[:, None] * K + rk[None, :]
        pb = b + rk[:, None] * N + rn[None, :]
        acc = tl.zeros([BM, BN], tl.float32)
        for _ in range(start, stop):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc)
            pa += BK
            pb += BK * N
        pc = c + rm[:, None] * N + rn[None, :]
        if stop - start == steps:
            tl.store(pc, acc)
        else:
            tl.atomic_add(pc, acc, sem="relaxed")
        start = stop


@triton.jit
def attention_sinks(out, q, k, v, sinks, T, scale, SHARE: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m0 = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM
    head = tl.program_id(1)
    m = m0 + tl.arange(0, BM)
    d = tl.arange(0, D)
    mine = head * T * D
    shared = (head // SHARE) * T * D
    qv = tl.load(q + mine + m[:, None] * D + d[None, :], mask=(m < T)[:, None], other=0.0)
    log2 = scale * 1.4426950408889634
    top = tl.zeros([BM], tl.float32) + tl.load(sinks + head) * 1.4426950408889634
    total = tl.full([BM], 1.0, tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, m0, BN):  # nothing to mask
        n = start + tl.arange(0, BN)
        kt = tl.load(k + shared + n[None, :] * D + d[:, None])
        s = tl.dot(qv, kt) * log2
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, axis=1)
        vv = tl.load(v + shared + n[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.bfloat16), vv, acc * shrink[:, None])
        top = new
    for start in range(m0, tl.minimum(m0 + BM, T), BN):  # the diagonal
        n = start + tl.arange(0, BN)
        kt = tl.load(k + shared + n[None, :] * D + d[:, None], mask=(n < T)[None, :], other=0.0)
        s = tl.where(m[:, None] >= n[None, :], tl.dot(qv, kt) * log2, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, axis=1)
        vv = tl.load(v + shared + n[:, None] * D + d[None, :], mask=(n < T)[:, None], other=0.0)
        acc = tl.dot(p.to(tl.bfloat16), vv, acc * shrink[:, None])
        top = new
    tl.store(out + mine + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.bfloat16), mask=(m < T)[:, None])


@triton.jit
def attention_grad_q(dq, q, k, v, do, lse, delta, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m0 = tl.program_id(0) * BM
    base = tl.program_id(1) * T * D
    m = m0 + tl.arange(0, BM)
    d = tl.arange(0, D)
    at = base + m[:, None] * D + d[None, :]
    qv = tl.load(q + at)
    dov = tl.load(do + at)
    lv = tl.load(lse + tl.program_id(1) * T + m) * 1.4426950408889634
    dv = tl.load(delta + tl.program_id(1) * T + m)
    log2 = scale * 1.4426950408889634
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, m0 + BM, BN):
        n = start + tl.arange(0, BN)
        kt = tl.load(k + base + n[None, :] * D + d[:, None])
        vt = tl.load(v + base + n[None, :] * D + d[:, None])
        p = tl.exp2(tl.dot(qv, kt) * log2 - lv[:, None])
        p = tl.where(m[:, None] >= n[None, :], p, 0.0)
        ds = p * (tl.dot(dov, vt) - dv[:, None])
        acc = tl.dot(ds.to(tl.float16), tl.trans(kt), acc)
    tl.store(dq + at, (acc * scale).to(tl.float16))


@triton.jit
def layer_norm_locks(dx, dw, db, locks, dy, x, w, mean, rstd, n, GROUP: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    xv = tl.load(x + row * n + c, mask=ok, other=0.0).to(tl.float32)
    gv = tl.load(dy + row * n + c, mask=ok, other=0.0).to(tl.float32)
    wv = tl.load(w + c, mask=ok, other=0.0).to(tl.float32)
    r = tl.load(rstd + row)
    xhat = tl.where(ok, (xv - tl.load(mean + row)) * r, 0.0)
    wg = wv * gv
    c1 = tl.sum(xhat * wg, axis=0) / n
    c2 = tl.sum(wg, axis=0) / n
    tl.store(dx + row * n + c, ((wg - (xhat * c1 + c2)) * r).to(tl.float16), mask=ok)
    slot = row % GROUP
    lock = locks + slot
    count = locks + GROUP + slot
    pw = dw + slot * n + c
    pb = db + slot * n + c
    part_w = gv * xhat
    part_b = gv
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    before = tl.load(count)
    if before == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_w += tl.load(pw, mask=ok, other=0.0)
        part_b += tl.load(pb, mask=ok, other=0.0)
    tl.store(pw, part_w, mask=ok)
    tl.store(pb, part_b, mask=ok)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def entropy_smoothed(loss, x, labels, n, smooth, B: tl.constexpr):  # the gradient takes the place of the logits
    row = tl.program_id(0)
    base = x + row.to(tl.int64) * n
    label = tl.load(labels + row)
    at_label = tl.load(base + label).to(tl.float32)
    top = -float("inf")
    total = 0.0
    whole = 0.0
    for start in range(0, n, B):
        c = start + tl.arange(0, B)
        v = tl.load(base + c, mask=c < n, other=-float("inf")).to(tl.float32)
        whole += tl.sum(tl.where(c < n, v, 0.0), axis=0)
        new = tl.maximum(top, tl.max(v, axis=0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new), axis=0)
        top = new
    lse = top + tl.log(total)
    share = smooth / n
    tl.store(loss + row, lse - (1.0 - smooth) * at_label - share * whole)
    for start in range(0, n, B):
        c = start + tl.arange(0, B)
        v = tl.load(base + c, mask=c < n, other=-float("inf")).to(tl.float32)
        g = tl.exp(v - lse) - share
        g = tl.where(c == label, g - (1.0 - smooth), g)
        tl.store(base + c, g.to(tl.bfloat16), mask=c < n)


@triton.jit
def swiglu_dual(y, x, gate, up, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    px = x + rm[:, None] * K + rk[None, :]
    pg = gate + rk[:, None] * N + rn[None, :]
    pu = up + rk[:, None] * N + rn[None, :]
    a = tl.zeros([BM, BN], tl.float32)
    b = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, K, BK):
        xv = tl.load(px, mask=(rm < M)[:, None], other=0.0)
        a = tl.dot(xv, tl.load(pg), a)
        b = tl.dot(xv, tl.load(pu), b)
        px += BK
        pg += BK * N
        pu += BK * N
    v = a * tl.sigmoid(a) * b
    tl.store(y + rm[:, None] * N + rn[None, :], v.to(tl.float16), mask=(rm < M)[:, None])


@triton.jit
def fp8_blocks(c, a, b, sa, sb, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rn[None, :] * K + rk[:, None]
    blocks = K // BK
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(blocks):
        part = tl.dot(tl.load(pa), tl.load(pb))
        acc += part * tl.load(sa + rm * blocks + k)[:, None] * tl.load(sb + rn // 128 * blocks + k)[None, :]
        pa += BK
        pb += BK
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16))


@triton.jit
def fused_experts(c, a, w, ids, experts, weights, valid, N, K, TOP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    block = tl.program_id(1)
    rid = tl.load(ids + block * BM + tl.arange(0, BM)).to(tl.int64)
    ok = rid < valid
    expert = tl.load(experts + block).to(tl.int64)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + (rid // TOP)[:, None] * K + rk[None, :]
    pw = w + expert * N * K + rn[None, :] * K + rk[:, None]
    acc = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa, mask=ok[:, None], other=0.0), tl.load(pw), acc)
        pa += BK
        pw += BK
    acc *= tl.load(weights + rid, mask=ok, other=0.0)[:, None]
    tl.store(c + rid[:, None] * N + rn[None, :], acc.to(tl.bfloat16), mask=ok[:, None])


@triton.jit
def retention_chunks(o, q, k, v, decays, T, D: tl.constexpr, DV: tl.constexpr, BV: tl.constexpr, C: tl.constexpr):
    head = tl.program_id(1)
    g = tl.load(decays + head)  # log2 of the decay
    i = tl.arange(0, C)
    d = tl.arange(0, D)
    e = tl.program_id(0) * BV + tl.arange(0, BV)
    gap = i[:, None] - i[None, :]
    inner = tl.where(gap >= 0, tl.exp2(g * gap), 0.0)
    from_state = tl.exp2(g * (i + 1))
    to_state = tl.exp2(g * (C - 1 - i))
    whole = tl.exp2(g * C)
    state = tl.zeros([D, BV], tl.float32)
    for start in range(0, T, C):
        t = head * T + start + i
        qv = tl.load(q + t[:, None] * D + d[None, :])
        kt = tl.load(k + t[None, :] * D + d[:, None])
        vv = tl.load(v + t[:, None] * DV + e[None, :])
        s = tl.dot(qv, kt) * inner
        y = tl.dot(s.to(tl.bfloat16), vv) + tl.dot(qv, state.to(tl.bfloat16)) * from_state[:, None]
        state = state * whole + tl.dot((kt * to_state[None, :]).to(tl.bfloat16), vv)
        tl.store(o + t[:, None] * DV + e[None, :], y.to(tl.bfloat16))


@triton.jit
def int4_zeros(c, a, qw, scales, zeros, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pw = qw + (rk // 8)[:, None] * N + rn[None, :]
    shift = (rk % 8) * 4
    zero_shift = (rn % 8) * 4
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(pa, mask=(rm < M)[:, None], other=0.0)
        wv = (tl.load(pw) >> shift[:, None]) & 15
        sv = tl.load(scales + k // 128 * N + rn)
        zv = (tl.load(zeros + k // 128 * (N // 8) + rn // 8) >> zero_shift) & 15
        bv = (wv - zv[None, :]).to(tl.float16) * sv[None, :]
        acc = tl.dot(av, bv, acc)
        pa += BK
        pw += (BK // 8) * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=(rm < M)[:, None])


@triton.jit
def latent_decode(out, lse, q, cache, slots, T, splits, scale, H: tl.constexpr, DC: tl.constexpr, DR: tl.constexpr, BN: tl.constexpr):
    seq = tl.program_id(0)
    part = tl.program_id(1)
    each = tl.cdiv(tl.cdiv(T, splits), BN) * BN
    first = part * each
    last = tl.minimum(first + each, T)
    h = tl.arange(0, H)
    dc = tl.arange(0, DC)
    dr = tl.arange(0, DR)
    pq = q + (seq * H + h)[:, None] * (DC + DR)
    qc = tl.load(pq + dc[None, :])
    qr = tl.load(pq + DC + dr[None, :])
    log2 = scale * 1.4426950408889634
    top = tl.full([H], -1e30, tl.float32)
    total = tl.zeros([H], tl.float32)
    acc = tl.zeros([H, DC], tl.float32)
    for start in range(first, last, BN):
        n = start + tl.arange(0, BN)
        slot = tl.load(slots + seq * T + n, mask=n < last, other=0).to(tl.int64)
        row = cache + slot * (DC + DR)
        kc = tl.load(row[:, None] + dc[None, :], mask=(n < last)[:, None], other=0.0)
        kr = tl.load(row[None, :] + DC + dr[:, None], mask=(n < last)[None, :], other=0.0)
        s = (tl.dot(qc, tl.trans(kc)) + tl.dot(qr, kr)) * log2
        s = tl.where((n < last)[None, :], s, -1e30)
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, axis=1)
        acc = tl.dot(p.to(tl.bfloat16), kc, acc * shrink[:, None])
        top = new
    to = (seq * splits + part) * H + h
    tl.store(out + to[:, None] * DC + dc[None, :], acc / total[:, None])
    tl.store(lse + to, top + tl.log2(total))


def launch(name, kernel, grid, args, options, check, holds={}):
    if ONLY not in (None, name) or name in os.environ.get("HELD_SKIP", "").split(","): return
    try:
        args = args()
        compiled = kernel[grid](*args, **options)
        torch.cuda.synchronize()
    except Exception as e:
        print("failed", name, repr(e)[:400].replace("\n", " "), flush=True)
        return
    meta = compiled.metadata
    with open(f"{DUMP}/{name}.cubin", "wb") as f:
        f.write(compiled.asm["cubin"])
    shown = [{"ptr": list(a.shape), "dtype": str(a.dtype)} if isinstance(a, torch.Tensor) else a for a in args]
    for i, what in holds.items(): shown[i]["holds"] = what
    rows.append({"name": name, "kernel": meta.name, "grid": list(grid), "warps": meta.num_warps, "shared": meta.shared, "args": shown})
    with open(f"{DUMP}/rows.json" if ONLY is None else f"{DUMP}/{name}.json", "w") as f:
        json.dump(rows, f, indent=0)
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
    dev = "cuda"
    torch.manual_seed(20261204)
    f16, b16, f32, i32, f8 = torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.float8_e4m3fn
    rand = lambda *s, t=f16, scale=1.0: (torch.randn(*s, device=dev) * scale).to(t)
    new = lambda *s, t=f16: torch.zeros(*s, device=dev, dtype=t)
    ints = lambda lo, hi, *s: torch.randint(lo, hi, s, device=dev, dtype=i32)
    perm = lambda n: torch.randperm(n, device=dev).to(i32)
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device=dev, dtype=torch.int8))

    # M has a tail that no tile of 128 fills
    M, N, K = 2900, 3840, 1216
    launch("persistent_subtiles", persistent_subtiles, (132,), lambda: (new(M, N, t=b16), rand(M, K, t=b16), rand(N, K, t=b16, scale=0.05), rand(N, t=f32), M, N, K),
           dict(BM=128, BN=256, BK=64, GROUP=8, PROGRAMS=132, num_warps=8, num_stages=3),
           lambda c, a, b, bias, *_: [(c, a.float() @ b.float().T + bias, 2e-2)])

    # 110 tiles of 66 steps, 56 steps a program
    M2, N2, K2 = 1408, 1280, 4224
    launch("stream_k_atomics", stream_k_atomics, (130,), lambda: (new(M2, N2, t=f32), rand(M2, K2), rand(K2, N2, scale=0.05), N2, K2, 110 * 66, 56),
           dict(BM=128, BN=128, BK=64, num_warps=8, num_stages=4),
           lambda c, a, b, *_: [(c, a.float() @ b.float(), 1e-2)])

    H3, T3, D3 = 20, 1900, 128
    def check3(o, q, k, v, sinks, *_):
        for h in range(0, H3, 7):
            s = q[h].float() @ k[h // 4].float().T * 0.08838834764831845
            s = s.masked_fill(torch.ones(T3, T3, device=dev).triu(1) > 0, float("-inf"))
            s = torch.cat([s, sinks[h].expand(T3, 1)], 1).softmax(-1)[:, :-1]
            yield o[h], s @ v[h // 4].float(), 2e-2
    launch("attention_sinks", attention_sinks, (15, H3), lambda: (new(H3, T3, D3, t=b16), rand(H3, T3, D3, t=b16), rand(H3 // 4, T3, D3, t=b16), rand(H3 // 4, T3, D3, t=b16), rand(H3, t=f32), T3, 0.08838834764831845),
           dict(SHARE=4, D=D3, BM=128, BN=64, num_warps=8, num_stages=3), check3)

    H4, T4, D4 = 18, 1664, 64
    def args4():
        q, k, v, do = rand(H4, T4, D4), rand(H4, T4, D4), rand(H4, T4, D4), rand(H4, T4, D4)
        s = (q.float() @ k.float().transpose(1, 2) * 0.125).masked_fill(torch.ones(T4, T4, device=dev).triu(1) > 0, float("-inf"))
        lse = s.logsumexp(-1)
        delta = ((s.softmax(-1) @ v.float()) * do.float()).sum(-1)
        return new(H4, T4, D4), q, k, v, do, lse.contiguous(), delta.contiguous(), T4, 0.125
    def check4(dq, q, k, v, do, lse, delta, *_):
        s = (q.float() @ k.float().transpose(1, 2) * 0.125).masked_fill(torch.ones(T4, T4, device=dev).triu(1) > 0, float("-inf"))
        p = s.softmax(-1)
        yield dq, p * (do.float() @ v.float().transpose(1, 2) - delta[..., None]) @ k.float() * 0.125, 1e-2
    launch("attention_grad_q", attention_grad_q, (13, H4), args4, dict(D=D4, BM=128, BN=64, num_warps=8, num_stages=3), check4)

    # locks and counts begin as zeros; programs of the same row % 96 wait for each other
    R5, N5, G5 = 3000, 2560, 96
    def args5():
        x = rand(R5, N5)
        mean, var = x.float().mean(1), x.float().var(1, unbiased=False)
        return new(R5, N5), new(G5, N5, t=f32), new(G5, N5, t=f32), new(2 * G5, t=i32), rand(R5, N5), x, rand(N5), mean.contiguous(), (var + 1e-5).rsqrt().contiguous(), N5
    def check5(dx, dw, db, locks, dy, x, w, mean, rstd, *_):
        xhat = (x.float() - mean[:, None]) * rstd[:, None]
        wg = dy.float() * w.float()
        yield dx, (wg - xhat * (xhat * wg).mean(1, keepdim=True) - wg.mean(1, keepdim=True)) * rstd[:, None], 1e-2
        yield dw.sum(0), (dy.float() * xhat).sum(0), 1e-2
        yield db.sum(0), dy.float().sum(0), 1e-2
    launch("layer_norm_locks", layer_norm_locks, (R5,), args5, dict(GROUP=G5, B=4096, num_warps=8), check5)

    # labels: { holds = { range = [0, 50264] } }
    R6, V6 = 700, 50264
    kept = {}
    def args6():
        x = rand(R6, V6, t=b16, scale=2.0)
        kept["x"] = x.clone()
        return new(R6, t=f32), x, ints(0, V6, R6), V6, 0.1
    def check6(loss, g, labels, *_):
        x = kept.pop("x").float()
        yield loss, torch.nn.functional.cross_entropy(x, labels.long(), reduction="none", label_smoothing=0.1), 2e-3
        want = x.softmax(-1) - 0.1 / V6
        want[torch.arange(R6, device=dev), labels.long()] -= 0.9
        yield g * 1000, want * 1000, 2e-2
    launch("entropy_smoothed", entropy_smoothed, (R6,), args6, dict(B=8192, num_warps=16), check6, {2: "{ holds = { range = [0, 50264] } }"})

    # M has a tail
    M7, N7, K7 = 2000, 2752, 1024
    def check7(y, x, gate, up, *_):
        a = x.float() @ gate.float()
        yield y, a * a.sigmoid() * (x.float() @ up.float()), 1e-2
    launch("swiglu_dual", swiglu_dual, (43, 16), lambda: (new(M7, N7), rand(M7, K7), rand(K7, N7, scale=0.03), rand(K7, N7, scale=0.03), M7, N7, K7), dict(BM=128, BN=64, BK=64, num_warps=8, num_stages=3), check7)

    M8, N8, K8 = 1088, 2560, 1792
    def check8(c, a, b, sa, sb, *_):
        av = a.float() * sa.repeat_interleave(128, 1)
        bv = b.float() * sb.repeat_interleave(128, 0).repeat_interleave(128, 1)
        yield c, av @ bv.T, 5e-2
    launch("fp8_blocks", fp8_blocks, (20, 17), lambda: (new(M8, N8, t=b16), rand(M8, K8).to(f8), rand(N8, K8).to(f8), torch.rand(M8, K8 // 128, device=dev) * 0.1, torch.rand(N8 // 128, K8 // 128, device=dev), N8, K8),
           dict(BM=64, BN=128, BK=128, num_warps=4, num_stages=4), check8)

    # 1500 tokens with two experts each, padded to 48 blocks of 64 rows; ids: { holds = { permutation = 3072 } }, experts: { holds = { sorted = [0, 8], count = 48 } }
    N9, K9 = 1024, 1536
    def check9(c, a, w, ids, experts, weights, valid, *_):
        e = torch.empty(3072, device=dev, dtype=torch.long)
        e[ids.long()] = experts.long().repeat_interleave(64)
        want = torch.zeros(3000, N9, device=dev)
        for x in range(8):
            mine = (e[:3000] == x).nonzero()[:, 0]
            want[mine] = a[mine // 2].float() @ w[x].float().T * weights[mine, None]
        yield c, want, 2e-2
    launch("fused_experts", fused_experts, (8, 48), lambda: (new(3000, N9, t=b16), rand(1500, K9, t=b16), rand(8, N9, K9, t=b16, scale=0.05), perm(3072), ints(0, 8, 48).sort()[0].to(i32), torch.rand(3000, device=dev), 3000, N9, K9),
           dict(TOP=2, BM=64, BN=128, BK=64, num_warps=4, num_stages=4), check9, {3: "{ holds = { permutation = 3072 } }", 4: "{ holds = { sorted = [0, 8], count = 48 } }"})

    H10, T10, D10, E10 = 70, 1536, 64, 128
    def check10(o, q, k, v, decays, *_):
        i = torch.arange(T10, device=dev)
        gap = (i[:, None] - i[None, :]).float()
        for h in range(0, H10, 13):
            weight = torch.where(gap >= 0, torch.exp2(decays[h] * gap.clamp(min=0)), torch.zeros_like(gap))
            yield o[h], (q[h].float() @ k[h].float().T * weight) @ v[h].float(), 3e-2
    launch("retention_chunks", retention_chunks, (2, H10), lambda: (new(H10, T10, E10, t=b16), rand(H10, T10, D10, t=b16, scale=0.2), rand(H10, T10, D10, t=b16, scale=0.5), rand(H10, T10, E10, t=b16), -torch.rand(H10, device=dev) * 0.1 - 0.01, T10),
           dict(D=D10, DV=E10, BV=64, C=64, num_warps=4, num_stages=2), check10)

    # M has a tail
    M11, N11, K11 = 250, 5120, 2560
    def check11(c, a, qw, scales, zeros, *_):
        shift = torch.arange(8, device=dev, dtype=i32) * 4
        w = (qw[:, None, :] >> shift[None, :, None] & 15).reshape(K11, N11).float()
        z = (zeros[:, :, None] >> shift[None, None, :] & 15).reshape(K11 // 128, N11).float()
        w = (w - z.repeat_interleave(128, 0)) * scales.float().repeat_interleave(128, 0)
        yield c, a.float() @ w, 1e-2
    launch("int4_zeros", int4_zeros, (40, 4), lambda: (new(M11, N11), rand(M11, K11), ints(-2**31, 2**31 - 1, K11 // 8, N11), (torch.rand(K11 // 128, N11, device=dev) * 0.01).to(f16), ints(-2**31, 2**31 - 1, K11 // 128, N11 // 8), M11, N11, K11),
           dict(BM=64, BN=128, BK=64, num_warps=4, num_stages=3), check11)

    # slots: { holds = { permutation = 72000 } }
    B12, T12, S12 = 48, 1500, 5
    def check12(o, lse, q, cache, slots, *_):
        part = 320
        for b in range(0, B12, 9):
            kv = cache[slots.view(B12, T12)[b].long()].float()
            s = q[b].float() @ kv.T * 0.0417
            for i in range(S12):
                one = s[:, i * part:min((i + 1) * part, T12)]
                yield o.view(B12, S12, 16, 512)[b, i], one.softmax(-1) @ kv[i * part:min((i + 1) * part, T12), :512], 1e-2
                yield lse.view(B12, S12, 16)[b, i], one.logsumexp(-1) * 1.4426950408889634, 1e-2
    launch("latent_decode", latent_decode, (B12, S12), lambda: (new(B12 * S12, 16, 512, t=f32), new(B12 * S12, 16, t=f32), rand(B12, 16, 576, t=b16), rand(B12 * T12, 576, t=b16), perm(B12 * T12), T12, S12, 0.0417),
           dict(H=16, DC=512, DR=64, BN=32, num_warps=4, num_stages=2), check12, {4: "{ holds = { permutation = 72000 } }"})

    print("torch", torch.__version__, "triton", triton.__version__, len(rows), "launches", flush=True)


if __name__ == "__main__":
    main()
