# Triton kernels of today, each launched once per row: prints name, grid, metadata; dumps cubin and ptx to $DUMP.
import os, sys, json, torch, triton, triton.language as tl
D = os.environ.get("DUMP", "/tmp/dump"); os.makedirs(D, exist_ok=True)
rows = []
def note(name, k, grid, args):
    a = []
    for x in args:
        if isinstance(x, torch.Tensor): a.append({"ptr": list(x.shape), "dtype": str(x.dtype)})
        elif isinstance(x, (int, float)): a.append(x)
        else: a.append(str(type(x)))
    open(f"{D}/{name}.cubin", "wb").write(k.asm["cubin"]); open(f"{D}/{name}.ptx", "w").write(k.asm["ptx"])
    m = k.metadata
    rows.append({"name": name, "kernel": m.name, "grid": list(grid), "warps": m.num_warps, "shared": m.shared, "cluster": list(getattr(m, "cluster_dims", ()) or ()), "args": a})
@triton.jit
def softmax(out, x, n, B: tl.constexpr):
    r = tl.program_id(0); c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0)); tl.store(out + r * n + c, e / tl.sum(e, 0), mask=c < n)
@triton.jit
def layernorm(out, x, w, b, n, eps, B: tl.constexpr):
    r = tl.program_id(0); s = tl.zeros([B], tl.float32); q = tl.zeros([B], tl.float32)
    for o in range(0, n, B):
        c = o + tl.arange(0, B); v = tl.load(x + r * n + c, mask=c < n, other=0.).to(tl.float32); s += v; q += v * v
    m = tl.sum(s, 0) / n; i = 1 / tl.sqrt(tl.sum(q, 0) / n - m * m + eps)
    for o in range(0, n, B):
        c = o + tl.arange(0, B); k = c < n
        v = tl.load(x + r * n + c, mask=k, other=0.).to(tl.float32)
        tl.store(out + r * n + c, (v - m) * i * tl.load(w + c, mask=k) + tl.load(b + c, mask=k), mask=k)
@triton.jit
def matmul(a, b, c, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM); rn = pn * BN + tl.arange(0, BN); rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :]; pb = b + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), ACC)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, out_dtype=ACC)
        pa += BK; pb += BK * sbk
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(c.dtype.element_ty))
@triton.jit
def matmul_desc(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr, WS: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK]); db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK]); dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    nm = tl.cdiv(M, BM); nn = tl.cdiv(N, BN)
    for t in tl.range(tl.program_id(0), nm * nn, SMS, warp_specialize=WS):
        om = (t % nm) * BM; on = (t // nm) * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(da.load([om, k]), db.load([on, k]).T, acc)
        dc.store([om, on], acc.to(tl.float16))
@triton.jit
def attention(q, k, v, o, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    m0 = tl.program_id(0) * BM; h = tl.program_id(1); base = h * T * D
    rm = m0 + tl.arange(0, BM); rd = tl.arange(0, D); rn = tl.arange(0, BN)
    qq = tl.load(q + base + rm[:, None] * D + rd[None, :])
    acc = tl.zeros((BM, D), tl.float32); mi = tl.full((BM,), -float("inf"), tl.float32); li = tl.zeros((BM,), tl.float32)
    hi = (m0 + BM) if CAUSAL else T
    for n in range(0, hi, BN):
        kk = tl.load(k + base + (n + rn)[:, None] * D + rd[None, :])
        s = tl.dot(qq, kk.T) * (scale * 1.44269504)
        if CAUSAL: s = tl.where(rm[:, None] >= (n + rn)[None, :], s, -1e30)
        mn = tl.maximum(mi, tl.max(s, 1)); p = tl.exp2(s - mn[:, None]); al = tl.exp2(mi - mn)
        li = li * al + tl.sum(p, 1); acc = acc * al[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v + base + (n + rn)[:, None] * D + rd[None, :]), acc); mi = mn
    tl.store(o + base + rm[:, None] * D + rd[None, :], (acc / li[:, None]).to(tl.float16))
@triton.jit
def scan(out, x, n, B: tl.constexpr):
    r = tl.program_id(0); c = tl.arange(0, B)
    tl.store(out + r * n + c, tl.cumsum(tl.load(x + r * n + c, mask=c < n, other=0.), 0), mask=c < n)
@triton.jit
def swiglu(out, x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); k = i < n
    g = tl.load(x + i, mask=k).to(tl.float32); u = tl.load(x + n + i, mask=k).to(tl.float32)
    tl.store(out + i, (g * tl.sigmoid(g) * u).to(tl.float16), mask=k)
@triton.jit
def atomic_hist(out, x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)
dev = "cuda"; r = lambda *s, t=torch.float16: torch.randn(*s, device=dev, dtype=torch.float32).to(t)
def go(name, kern, grid, *args, **kw):
    try:
        k = kern[grid](*args, **kw); torch.cuda.synchronize(); note(name, k, grid, args)
    except Exception as e:
        print("FAILED", name, str(e)[:300].replace("\n", " "), flush=True)
triton.set_allocator(lambda size, align, stream: torch.empty(size, device=dev, dtype=torch.int8))
for n in (1000, 4096, 16384): go(f"softmax_{n}", softmax, (4096,), r(4096, n, t=torch.float32), r(4096, n, t=torch.float32), n, B=triton.next_power_of_2(n), num_warps=4 if n < 2048 else 8)
for n in (4096, 8192): go(f"layernorm_{n}", layernorm, (8192,), r(8192, n), r(8192, n), r(n), r(n), n, 1e-5, B=2048, num_warps=8)
for (M, N, K, bm, bn, bk, w, st) in ((1024, 1024, 1024, 128, 128, 64, 4, 3), (4096, 4096, 4096, 128, 256, 64, 8, 3), (4096, 4096, 4096, 64, 128, 32, 4, 4), (2048, 8192, 512, 128, 128, 32, 8, 2)):
    go(f"matmul_f16_{M}_{N}_{K}_{bm}_{bn}_{bk}", matmul, (M // bm, N // bn), r(M, K), r(K, N), r(M, N), M, N, K, K, N, N, BM=bm, BN=bn, BK=bk, ACC=tl.float32, num_warps=w, num_stages=st)
go("matmul_bf16", matmul, (16, 16), r(2048, 2048, t=torch.bfloat16), r(2048, 2048, t=torch.bfloat16), r(2048, 2048, t=torch.bfloat16), 2048, 2048, 2048, 2048, 2048, 2048, BM=128, BN=128, BK=64, ACC=tl.float32, num_warps=4, num_stages=4)
go("matmul_tf32", matmul, (16, 16), r(2048, 2048, t=torch.float32), r(2048, 2048, t=torch.float32), r(2048, 2048, t=torch.float32), 2048, 2048, 2048, 2048, 2048, 2048, BM=128, BN=128, BK=32, ACC=tl.float32, num_warps=8, num_stages=3)
i8 = lambda *s: torch.randint(-100, 100, s, device=dev, dtype=torch.int8)
go("matmul_i8", matmul, (16, 16), i8(2048, 2048), i8(2048, 2048), torch.zeros(2048, 2048, device=dev, dtype=torch.int32), 2048, 2048, 2048, 2048, 2048, 2048, BM=128, BN=128, BK=64, ACC=tl.int32, num_warps=8, num_stages=3)
f8 = lambda *s: r(*s).to(torch.float8_e4m3fn)
for ws in (False, True):
    for (M, N, K, bm, bn, bk, w) in ((4096, 4096, 4096, 128, 256, 64, 8), (2048, 2048, 4096, 128, 128, 64, 4)):
        go(f"persistent_{'ws' if ws else 'plain'}_{M}_{N}_{K}", matmul_desc, (132,), r(M, K), r(N, K), r(M, N), M, N, K, BM=bm, BN=bn, BK=bk, SMS=132, WS=ws, num_warps=w, num_stages=3)
go("persistent_fp8", matmul_desc, (132,), f8(4096, 4096), f8(4096, 4096), r(4096, 4096), 4096, 4096, 4096, BM=128, BN=256, BK=128, SMS=132, WS=False, num_warps=8, num_stages=3)
for (T, H, dd, causal) in ((2048, 32, 64, False), (4096, 16, 128, False), (4096, 16, 128, True)):
    go(f"attention_{T}_{dd}_{'causal' if causal else 'full'}", attention, (T // 128, H), r(H, T, dd), r(H, T, dd), r(H, T, dd), r(H, T, dd), T, dd ** -.5, D=dd, BM=128, BN=64, CAUSAL=causal, num_warps=8, num_stages=2)
go("scan_8192", scan, (4096,), r(4096, 8192, t=torch.float32), r(4096, 8192, t=torch.float32), 8192, B=8192, num_warps=8)
go("swiglu", swiglu, (32768,), r(1 << 25), r(1 << 26), 1 << 25, B=1024, num_warps=4)
go("histogram", atomic_hist, (8192,), torch.zeros(4096, device=dev, dtype=torch.int32), torch.randint(0, 4096, (1 << 23,), device=dev, dtype=torch.int32), 1 << 23, B=1024, num_warps=4)
a, b = r(8192, 4096), r(4096, 8192)
print("torch", torch.__version__, "triton", triton.__version__)
json.dump(rows, open(f"{D}/rows.json", "w"), indent=0)
torch.matmul(a, b); torch.nn.functional.scaled_dot_product_attention(r(4, 16, 4096, 128), r(4, 16, 4096, 128), r(4, 16, 4096, 128)); torch.nn.functional.layer_norm(r(8192, 4096), (4096,)); torch.softmax(r(8192, 4096), -1)
torch.cuda.synchronize()
