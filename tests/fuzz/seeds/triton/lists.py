WARPS = [4] + [8]
def get(most=2):
    configs = []
    for a in [16, 32, 64]:
        if a > most:
            continue
        configs.append(triton.Config({'BLOCK_M': a, 'BLOCK_N': a}, num_warps=4))
    return configs
@triton.autotune(configs=[*get(most=32)] + [triton.Config({'BLOCK_M': m}, num_stages=s) for m in [1, 2] for s in range(3) if m < s], key=['M'])
@triton.jit
def k(a, M, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr = 32):
    acc = tl.dot(a, a, input_precision='ieee')
