"""Times of cuBLAS and cuDNN, as PyTorch calls them, for the problems of data/tune-tasks.toml.

    python3 server/lab/host/tune/libraries.py gemm > gemm-libraries.csv

Prints a line for each problem, with the time in microseconds: `f32 nt 512 512 512,12.85`. Launches are timed as measure.cu times those of
warplens: many launches in a CUDA graph, with inputs that stay in the L2 cache if they fit, and the minimum of three runs. Sums of f32 are
in f32 (TF32 is off), and cuDNN chooses its algorithm by measuring (`torch.backends.cudnn.benchmark`).
"""

import itertools
import pathlib
import sys
import tomllib

import torch

TASKS = pathlib.Path(__file__).parents[2] / "data" / "tune-tasks.toml"
TYPES = {"f16": torch.float16, "f32": torch.float32, "f64": torch.float64}
LEAST_MICROSECONDS = 300
MOST_LAUNCHES = 24
REPEATS = 3


def microseconds(launch):
    """Time of one launch in microseconds: the mean of consecutive launches, and the minimum of `REPEATS` such means."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            launch()
    stream.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def elapsed(work):
        begin.record()
        work()
        end.record()
        end.synchronize()
        return 1000 * begin.elapsed_time(end)

    count = min(max(int(LEAST_MICROSECONDS / elapsed(launch)), 1), MOST_LAUNCHES)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            launch()
    graph.replay()
    return min(elapsed(graph.replay) / count for _ in range(REPEATS))


def gemm(element, layout, sizes):
    """C = op(A) op(B) in column-major order. PyTorch is row-major, so it computes the transposed product of the transposed matrices."""
    m, n, k = sizes

    def matrix(rows, columns):
        return torch.rand(rows, columns, dtype=TYPES[element], device="cuda")

    a = matrix(m, k).t() if layout[0] == "t" else matrix(k, m)
    b = matrix(k, n).t() if layout[1] == "t" else matrix(n, k)
    c = torch.empty(n, m, dtype=TYPES[element], device="cuda")
    return lambda: torch.mm(b, a, out=c)


def conv(element, sizes):
    n, c, h, w, k, r, s, padding, stride = sizes
    image = torch.rand(n, c, h, w, dtype=TYPES[element], device="cuda")
    filters = torch.rand(k, c, r, s, dtype=TYPES[element], device="cuda")
    return lambda: torch.nn.functional.conv2d(image, filters, stride=stride, padding=padding)


def main():
    kind = sys.argv[1] if len(sys.argv) == 2 else ""
    if kind not in ("gemm", "conv"):
        sys.exit("libraries.py: expected gemm or conv")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    tasks = tomllib.loads(TASKS.read_text())[kind]
    for group in tasks:
        for element, sizes, layout in itertools.product(group["elements"], group["sizes"], group.get("layouts", ["nchw"])):
            launch = gemm(element, layout, sizes) if kind == "gemm" else conv(element, sizes)
            with torch.inference_mode():
                print(f"{element} {layout} {' '.join(map(str, sizes))},{microseconds(launch):.3f}", flush=True)


main()
