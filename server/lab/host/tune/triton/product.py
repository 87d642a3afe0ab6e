"""Measured times of a Triton kernel's configurations, compared with the static model's estimates.

    warplens tune kernel server/lab/host/tune/triton/product.py --variants 1000 --format csv > estimates.csv
    python3 server/lab/host/tune/triton/product.py estimates.csv

Runs each estimated configuration on this machine's GPU, for the shapes of warplens.toml. For each shape, prints the rank correlation of
estimates and times, and the time of the configuration with the best estimate, divided by the minimum time. `--rows` prints each row instead.
"""

import collections
import concurrent.futures
import csv
import itertools
import multiprocessing
import re
import sys

import torch
import triton
import triton.language as tl


def configurations():
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, num_warps=warps, num_stages=stages)
        for m in [32, 64, 128]
        for n in [32, 64, 128, 256]
        for k in [32, 64]
        for warps in [4, 8]
        for stages in [2, 3, 4]
    ]


@triton.autotune(configs=configurations(), key=["M", "N", "K"])
@triton.jit
def product(
    a,
    b,
    c,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    # Consecutive programs compute the tiles of a band of GROUP_M rows of tiles, column by column.
    high, wide = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    block = tl.program_id(0)
    band = block // (GROUP_M * wide)
    band_height = min(high - band * GROUP_M, GROUP_M)
    within = block % (GROUP_M * wide)
    row, column = band * GROUP_M + within % band_height, within // band_height
    rows = (row * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (column * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    depth = tl.arange(0, BLOCK_K)
    a_tile = a + rows[:, None] * K + depth[None, :]
    b_tile = b + depth[:, None] * N + columns[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - at * BLOCK_K
        of_a = tl.load(a_tile, mask=depth[None, :] < left, other=0.0)
        of_b = tl.load(b_tile, mask=depth[:, None] < left, other=0.0)
        sums = tl.dot(of_a, of_b, sums)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * N
    rows = row * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = column * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(tl.float16), mask=inside)


def compile_one(values):
    """Compiles one configuration into Triton's cache. Configurations that do not compile are ignored."""
    try:
        product.fn.warmup(*[torch.float16] * 3, *[4096] * 3, **values, grid=(1,))
    except (triton.OutOfResources, triton.CompilationError):
        pass


def compile_all(each):
    with concurrent.futures.ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(compile_one, each))


def microseconds(launch):
    """Time of one launch in microseconds: the minimum of three means of 8 launches each. None if the kernel does not run."""
    try:
        launch()
        torch.cuda.synchronize()
    except (triton.OutOfResources, triton.CompilationError):
        return None
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(8):
            launch()
    graph.replay()
    times = []
    for _ in range(3):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(1000 * begin.elapsed_time(end) / 8)
    return min(times)


def measured(sizes, values):
    m, n, k = (sizes[name] for name in "MNK")
    a, b = (torch.rand(shape, device="cuda").half() for shape in [(m, k), (k, n)])
    c = torch.empty(m, n, device="cuda", dtype=torch.float16)
    tiles = triton.cdiv(m, values["BLOCK_M"]) * triton.cdiv(n, values["BLOCK_N"])
    return microseconds(lambda: product.fn[(tiles,)](a, b, c, m, n, k, **values))


def numbers(text):
    return {name: int(value) for name, value in re.findall(r"(\w+) ?= ?(\d+)", text)}


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    for _, equal in itertools.groupby(enumerate(order), key=lambda pair: values[pair[1]]):
        equal = list(equal)
        for _, at in equal:
            found[at] = sum(rank for rank, _ in equal) / len(equal)
    return found


def rank_correlation(one, other):
    return torch.corrcoef(torch.tensor([ranks(one), ranks(other)]))[0, 1].item()


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--rows"]
    if len(arguments) != 1:
        sys.exit("product.py: expected one file, printed by `warplens tune kernel --format csv`")
    rows = "--rows" in sys.argv
    by_shape = collections.defaultdict(list)
    with open(arguments[0], newline="") as file:
        for row in csv.DictReader(file):
            by_shape[row["shape"]].append(row)
    if rows:
        print("shape,variant,estimated_us,measured_us,limiter", flush=True)
    compile_all([numbers(row["variant"]) for row in next(iter(by_shape.values()))])
    for shape, found in by_shape.items():
        pairs = []
        for row in found:
            time = measured(numbers(shape), numbers(row["variant"]))
            estimated = row["estimated_microseconds"]
            if rows:
                print(f'{shape},"{row["variant"]}",{estimated},{time or ""},{row["limiter"]}', flush=True)
            if time and estimated:
                pairs.append((float(estimated), time))
        if not rows:
            estimates, times = zip(*pairs)
            first = min(pairs)[1] / min(times)
            of_all = f"{len(pairs)} of {len(found)} configurations"
            print(f"{shape}: rank correlation {rank_correlation(estimates, times):.3f}, first {first:.2f} times the minimum time, {of_all}", flush=True)


if __name__ == "__main__":
    main()
